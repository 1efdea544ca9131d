/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/acpi_rdt.h: the ACPI tables that describe resource monitoring and allocation: ERDT (where the registers of a
 * domain are in memory), MRRM (memory regions), IRDT (devices). Source: Intel RDT Architecture Specification 356688,
 * chapters 5 and 6; ACPICA actbl1.h and actbl2.h (ERDT, MRRM).
 *
 * They are firmware output and may be anything. A decoder reads inside the bytes that it was given and nowhere else,
 * keeps what could be read, and lists the rules that the table breaks. Nothing here touches the machine.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

/* --- rules that a table breaks ------------------------------------------------------------------------------------ */

struct acpi_defect {
    uint32_t offset; /* in the table, of the structure or field           */
    const char *rule;
    bool shape; /* lengths, order and references; false: a value (reserved bits, a revision that is not known) */
};
#define ACPI_DEFECTS 16u
struct acpi_defects {
    uint32_t n; /* all of them, of which the first ACPI_DEFECTS are kept */
    struct acpi_defect list[ACPI_DEFECTS];
};

/* --- ERDT --------------------------------------------------------------------------------------------------------- */

enum erdt_type {
    ERDT_RMDD,  /* resource management domain, which contains the others       */
    ERDT_CACD,  /* processors of a domain, by x2APIC id                        */
    ERDT_DACD,  /* devices of a domain                                         */
    ERDT_CMRC,  /* occupancy registers of processors                           */
    ERDT_MMRC,  /* bandwidth registers                                         */
    ERDT_MARC,  /* bandwidth allocation registers                              */
    ERDT_CARC,  /* cache allocation of processors: stays with MSRs             */
    ERDT_CMRD,  /* occupancy registers of devices                              */
    ERDT_IBRD,  /* bandwidth registers of devices                              */
    ERDT_IBAD,  /* bandwidth allocation of devices                             */
    ERDT_CARD,  /* cache allocation of devices                                 */
    ERDT_TYPES, /* further types are stepped over by their length              */
};

/* A block of registers, CMRC to CARD. What a type does not have is 0. */
struct erdt_block {
    bool present;    /* the first of its type in the domain                                      */
    uint32_t offset; /* of the structure in the table                                            */
    uint32_t flags;
    uint8_t index_function; /* must be 1                                                         */
    uint64_t base[3];       /* MARC: optimal, minimum, maximum. Others: base[0]                  */
    uint32_t pages;         /* size of the block, of each for MARC, in units of 4 KiB            */
    uint16_t clump, stride; /* registers in a run; CMRC: bytes from run to run                   */
    uint16_t at, at_miss;   /* CMRD, IBRD, CARD: offset of the first register (IBRD: total, miss) */
    uint16_t miss_clump;    /* IBRD                                                              */
    uint64_t scale;         /* bytes a count                                                     */
    uint8_t width;          /* MMRC, IBRD: of the counters, bits                                 */
    uint32_t n_factors;     /* MMRC, IBRD: length of the list of correction factors, as it says  */
    uint32_t range;         /* MARC: values go from 1 to this                                    */
    uint32_t shared;        /* CARD: contention map                                              */
};

#define ERDT_CMRC_UNAVAILABLE 0x1u /* flags: bit 63 of a register tells "no data" */
#define ERDT_RMDD_CPU_L3      0x1u /* flags: a domain of processors, of devices   */
#define ERDT_RMDD_IO_L3       0x2u

struct erdt_domain { /* RMDD */
    uint32_t offset;
    uint16_t flags, io_slices;
    uint8_t log2_sets, ways;
    uint16_t id;
    uint32_t max_rmid;
    uint64_t control_base;
    uint16_t control_pages;
    uint32_t first_cpu, n_cpus; /* in erdt.apic_ids                                              */
    struct erdt_block blocks[ERDT_TYPES];
};

struct erdt {
    uint8_t revision;
    uint32_t max_clos;
    uint32_t n_domains;
    struct erdt_domain *domains;
    uint32_t n_apic_ids;
    uint32_t *apic_ids;
    uint8_t *ids; /* internal: a bit for each domain id that is there */
    struct acpi_defects defects;
};

/* Decode a table whose length and checksum were found good. *t is zeroed first, and must be given to erdt_free().
 * ST_OK, also with defects; ST_UNSUPPORTED: another revision than 1, nothing is decoded; ST_NO_MEMORY. */
MUST_CHECK enum status erdt_decode(const uint8_t *bytes, uint32_t length, struct erdt *t);
void erdt_free(struct erdt *t);

/* Where the register of an RMID or class lies, in bytes after base. Source: 356688 chapter 5, register address rules.
 * A clump of 0 makes no address: UINT64_MAX. */
uint64_t erdt_cmt_offset(const struct erdt_block *cmrc, uint32_t rmid);
uint64_t erdt_mbm_offset(uint32_t rmid, uint32_t region);
uint64_t erdt_io_offset(uint32_t rmid, uint16_t at, uint16_t clump);
uint64_t erdt_mba_offset(uint32_t clos, uint32_t region);
/* How many bytes a block must have for the registers of RMIDs 0 to max_rmid, classes 0 to max_clos and `regions`
 * regions. 0: the type has no rule; UINT64_MAX: no size is enough. */
uint64_t erdt_needed_bytes(const struct erdt *t, const struct erdt_domain *d, enum erdt_type type, uint32_t regions);

/* Offset 0 of a domain's control registers. Source: 356688; intel-cmt-cat lib/mmio.h. */
#define RDT_CTRL_TME 0x4u /* 1: total mode, bandwidth by MSRs (after reset); 0: by region, in memory */

/* --- MRRM --------------------------------------------------------------------------------------------------------- */

#define MRRM_REGION_ASSIGNMENT_OS 0x1u /* flags: the operating system assigns regions to ranges, not firmware */

struct mrrm_range {
    uint32_t offset;
    uint64_t base, bytes;
    uint16_t flags;
    uint8_t local_id, remote_id; /* region, where flags bit 0 (local) or 1 (remote) is set */
};
struct mrrm {
    uint8_t revision, max_regions, flags;
    uint32_t n_ranges;
    struct mrrm_range *ranges;
    struct acpi_defects defects;
};
/* As erdt_decode(). */
MUST_CHECK enum status mrrm_decode(const uint8_t *bytes, uint32_t length, struct mrrm *t);
void mrrm_free(struct mrrm *t);

/* --- IRDT --------------------------------------------------------------------------------------------------------- */

#define IRDT_MONITORING 0x1u
#define IRDT_CONTROL    0x2u

struct irdt {
    uint8_t revision;
    uint16_t io_flags, cache_flags;
    uint32_t n_units, n_sources, n_links; /* RMUD; device scopes; resource control structures */
    struct acpi_defects defects;
};
/* Decode and judge. Nothing is to be freed. ST_OK, or ST_UNSUPPORTED: another revision than 1. */
MUST_CHECK enum status irdt_decode(const uint8_t *bytes, uint32_t length, struct irdt *t);
