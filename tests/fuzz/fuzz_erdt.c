/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: ERDT, MRRM and IRDT. The first byte chooses the table, the rest is the table, revision and all. */
#include "arch/x86/tables/acpi_rdt.h"
#include "tests/fuzz/fuzz.h"

static void must_be_defects(const struct acpi_defects *d, size_t size)
{
    for (uint32_t i = 0; i < d->n && i < ACPI_DEFECTS; i++)
        MUST(d->list[i].rule != NULL && d->list[i].offset <= size);
}

static void erdt(const uint8_t *bytes, uint32_t size)
{
    struct erdt t;
    enum status st = erdt_decode(bytes, size, &t);
    uint32_t cpus = 0;

    MUST(st == ST_OK || (st == ST_UNSUPPORTED && t.n_domains == 0));
    must_be_defects(&t.defects, size);
    for (uint32_t i = 0; i < t.n_domains; i++) {
        const struct erdt_domain *d = &t.domains[i];

        cpus += d->n_cpus;
        MUST((uint64_t)d->first_cpu + d->n_cpus <= t.n_apic_ids);
        for (uint32_t type = ERDT_CMRC; type < ERDT_TYPES; type++)
            if (d->blocks[type].present)
                (void)erdt_needed_bytes(&t, d, (enum erdt_type)type, size % 9);
    }
    MUST(cpus == t.n_apic_ids);
    erdt_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *table = data + 1;
    uint32_t n;

    if (size == 0 || size > (1u << 20))
        return 0;
    n = (uint32_t)size - 1;
    if (data[0] % 3 == 0) {
        erdt(table, n);
    } else if (data[0] % 3 == 1) {
        struct mrrm t;
        enum status st = mrrm_decode(table, n, &t);

        MUST(st == ST_OK || (st == ST_UNSUPPORTED && t.n_ranges == 0));
        must_be_defects(&t.defects, n);
        mrrm_free(&t);
    } else {
        struct irdt t;
        enum status st = irdt_decode(table, n, &t);

        MUST(st == ST_OK || st == ST_UNSUPPORTED);
        must_be_defects(&t.defects, n);
    }
    return 0;
}
