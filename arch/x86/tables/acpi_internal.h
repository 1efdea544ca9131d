/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/acpi_internal.h: what acpi.c (finds and checks tables) hands to acpi_entries.c (MADT, SRAT, MCFG, FADT). */
#pragma once
#include "arch/x86/tables/acpi.h"

struct header { /* 5.2.6 */
    char signature[4];
    uint32_t length;
    uint8_t revision;
    uint8_t checksum;
    char oem_id[6];
    char oem_table_id[8];
    uint32_t oem_revision;
    uint32_t creator_id, creator_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct header) == 36, "ACPI 5.2.6");

struct table {
    const uint8_t *bytes; /* all of it, NULL: not readable */
    uint32_t length;
    char signature[4];
    enum status status;
    const char *what;
};

/* The table is no longer to be believed; returns st. */
static inline enum status table_error(struct table *t, enum status st, const char *what)
{
    t->status = st;
    t->what = what;
    return st;
}

/* Decode a table whose bytes add up. One that contradicts itself gets a status and a reason in *t, and leaves nothing
 * in info. ST_OK, or ST_NO_MEMORY. */
MUST_CHECK enum status acpi_read_madt(struct acpi_info *info, struct table *t);
MUST_CHECK enum status acpi_read_srat(struct acpi_info *info, struct table *t);
MUST_CHECK enum status acpi_read_mcfg(struct acpi_info *info, struct table *t);
void acpi_read_fadt(struct acpi_info *info, const struct table *t);
void acpi_drop_srat(struct acpi_info *info);
