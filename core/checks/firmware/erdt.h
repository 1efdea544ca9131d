/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/firmware/erdt.h: what the checks of ACPI tables share: findings of a decoder, a table as evidence,
 * ERDT decoded and its registers in memory. */
#pragma once
#include "arch/x86/tables/acpi_rdt.h"
#include "core/check/check.h"

#define RDTA_ERDT "RDT Architecture Specification 356688, chapter 5, ERDT"
#define ERDT_PAGE UINT64_C(4096)
/* The table's bytes; .bytes NULL: firmware has none, or none that is usable. */
const struct acpi_raw *acpi_raw_of(const struct check *c, enum acpi_rdt_table which);
/* A finding for each broken rule: FAIL for lengths, order and references, WARN for reserved bits, which a later
 * revision may define. */
void acpi_report_defects(struct check *c, const char *table, const struct acpi_defects *d);
/* The first 512 bytes of a table. */
void evidence_acpi_table(struct check *c, const char *table, const struct acpi_raw *raw);

/* Decodes ERDT; *t must be freed by erdt_free() on ST_OK. Errors: check_absent() or check_unmeasured() has said why. */
MUST_CHECK enum status erdt_open(struct check *c, struct erdt *t);
/* The L3 domain of the first known processor of a CACD. NO_DOMAIN: none is known. */
uint32_t erdt_l3_domain(const struct check *c, const struct erdt *t, const struct erdt_domain *d);
/* "ERDT domain 3": a resource management domain as the table numbers it. */
static inline struct place erdt_place(const struct erdt_domain *d)
{
    return place_of("ERDT domain %u", d->id);
}
/* Memory regions that MRRM has, 1 where there is none (356688 chapter 5). */
uint32_t mrrm_regions(const struct check *c);
/* Whether SRAT has memory there that is neither hot-pluggable nor non-volatile. */
bool srat_has_memory(const struct check *c, uint64_t base, uint64_t bytes);
