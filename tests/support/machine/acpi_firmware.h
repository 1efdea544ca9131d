/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/acpi_firmware.h: ACPI tables in memory, as firmware leaves them: an RSDP, an XSDT and an RSDT over up
 * to eight tables, and what acpi_read() makes of them. */
#pragma once
#include "arch/x86/tables/acpi.h"
#include "tests/support/machine/memory.h"

#define AT_RSDP UINT64_C(0x1000)
#define AT_RSDT UINT64_C(0x2000)
#define AT_XSDT UINT64_C(0x3000)
#define AT(i)   (UINT64_C(0x10000) + UINT64_C(0x2000) * (i)) /* of table i */

struct firmware {
    struct memory memory;
    struct blob rsdp, rsdt, xsdt, tables[8];
    uint32_t n;
    struct acpi_info info;
};

/* A table of that signature, to be finished by acpi_finish(). */
struct blob *firmware_add(struct firmware *f, const char *signature, uint8_t revision);
/* Finished ones. MADT: APIC ids 2, 100H, and 4 which is only online capable. SRAT: domains 01000003H and 7, three
 * ranges that count. MCFG: two segments. FADT of so many bytes: PM timer at 608H, 508H in its extended block. */
void firmware_add_madt(struct firmware *f);
void firmware_add_srat(struct firmware *f, uint8_t revision);
void firmware_add_mcfg(struct firmware *f);
struct blob *firmware_add_fadt(struct firmware *f, size_t bytes);

/* Root tables over what was added; revision is the RSDP's. */
void firmware_roots(struct firmware *f, uint8_t revision);
/* One more entry of the XSDT. */
void firmware_list(struct firmware *f, uint64_t address);
void firmware_map(struct firmware *f);
void firmware_read(struct firmware *f);
/* All three. */
void firmware_load(struct firmware *f, uint8_t revision);
/* All four tables, as they should be, mapped and not read. */
void firmware_sound(struct firmware *f, uint8_t revision);
