/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/acpi.h: the ACPI tables that Assay reads. Source: ACPI specification 6.5, chapter 5 (RSDP 5.2.5, XSDT 5.2.8,
 * MADT 5.2.12, SRAT 5.2.16, FADT 5.2.9); PCI Firmware Specification 3.3, 4.1.2 (MCFG).
 *
 * Tables are firmware output and may be anything: lengths and checksums are checked before a field is believed, and a
 * table that contradicts itself is noted with its signature, counted in n_bad, and not used.
 */
#pragma once
#include "core/platform/platform.h"

struct acpi_cpu { /* MADT type 0 (processor local APIC) and type 9 (x2APIC) */
    uint32_t apic_id;
    uint32_t flags; /* bit 0 enabled, bit 1 online capable: ACPI specification 6.5, 5.2.12.2 */
};
#define ACPI_CPU_ENABLED 1u
struct acpi_affinity_cpu { /* SRAT type 0 and 2, enabled ones */
    uint32_t apic_id, proximity;
};
struct acpi_affinity_memory { /* SRAT type 1, enabled ones */
    uint64_t base, bytes;
    uint32_t proximity;
    bool hot_pluggable, non_volatile;
};
struct acpi_mcfg {
    uint64_t base;
    uint16_t segment;
    uint8_t first_bus, last_bus;
};
enum acpi_rdt_table { ACPI_ERDT, ACPI_MRRM, ACPI_IRDT, ACPI_RDT_TABLES };
struct acpi_raw {
    uint8_t *bytes; /* header and all; NULL: there is none, or it is noted as bad */
    uint32_t length;
};
struct acpi_table_note {
    char signature[5];
    uint64_t address;
    enum status status; /* ST_OK, or ST_CORRUPT / ST_PAGE_FAULT: `what` says why */
    const char *what;   /* "" on ST_OK, unless it was left aside for another reason */
    uint32_t length;
};
#define ACPI_NOTES       64u
#define ACPI_MAX_BYTES   (16u << 20) /* a longer table is taken for a lie                                   */
#define ACPI_MAX_ENTRIES 1024u       /* of the root table; what comes after is counted and not looked at    */

struct acpi_info {
    enum status status;              /* ST_ABSENT: no RSDP. ST_CORRUPT: no usable root table */
    char oem_id[7], oem_table_id[9]; /* of the root table */
    uint32_t n_tables; /* noted: RSDP (only if bad), root tables tried, and every table of the root table */
    uint32_t n_bad;    /* of them with a status other than ST_OK                                           */
    struct acpi_table_note tables[ACPI_NOTES]; /* the first of them */
    uint32_t n_cpus;
    struct acpi_cpu *cpus;
    bool madt, srat, mcfg_present;
    uint32_t n_affinity_cpus;
    struct acpi_affinity_cpu *affinity_cpus;
    uint32_t n_affinity_memory;
    struct acpi_affinity_memory *affinity_memory;
    uint32_t n_mcfg;
    struct acpi_mcfg *mcfg;
    uint32_t pm_timer_port; /* FADT X_PM_TMR_BLK or PM_TMR_BLK I/O port; 0: none */
    bool pm_timer_32bit;
    bool irdt;                            /* it is there: rdt[ACPI_IRDT].bytes */
    struct acpi_raw wdat;                 /* acpi_wdat.h decodes it */
    struct acpi_raw rdt[ACPI_RDT_TABLES]; /* as they stand there: length and checksum are good; acpi_rdt.h decodes */
};

/* Whether a bus of segment 0 is in no window of the MCFG: its first 256 bytes are reached by ports, through which Linux
 * reads those of every bus (arch/x86/pci/common.c, raw_pci_read()). */
static inline bool acpi_reached_by_ports(const struct acpi_info *info, uint32_t bus)
{
    for (uint32_t i = 0; i < info->n_mcfg; i++)
        if (info->mcfg[i].segment == 0 && bus >= info->mcfg[i].first_bus && bus <= info->mcfg[i].last_bus)
            return false;
    return true;
}

/* Find the tables from p->rsdp, check and decode them.
 *
 * The extended root table is preferred; where it or the RSDP's second checksum is bad, the old one is tried and the bad
 * one noted. A table is used if its length is plausible, its bytes add up to 0, it does not overlap a table listed
 * before it, and its entries fill it exactly; of several with one signature the first such. A decoded table is whole or
 * absent. Reads through phys_read() only. info is zeroed first. ST_NO_MEMORY; otherwise ST_OK and info->status says. */
MUST_CHECK enum status acpi_read(struct platform *p, struct acpi_info *info);
void acpi_free(struct acpi_info *info);
/* Whether entry i of cpus is an enabled processor that no entry before it is: one may have a local APIC entry and a local
 * x2APIC entry. */
bool acpi_lists(const struct acpi_info *info, uint32_t i);
/* Leaves out windows of the MCFG that have any of [base, base + bytes) in them, which is memory: what is written to
 * configuration space there would go to memory. The table is noted as bad. Returns how many were left out.
 * Source: PCI Firmware specification 3.3, 4.1.2: the range is reserved. */
uint32_t acpi_drop_windows(struct acpi_info *info, uint64_t base, uint64_t bytes);
