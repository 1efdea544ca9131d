/* Published defects, and the checks that see them. */
#include "core/errata.h"

#include <criterion/criterion.h>

#include "core/check.h"
#include "core/text.h"
#include "tests/unit/support/fake_platform.h"

static uint32_t count(uint32_t model, uint32_t stepping, const char *id, const char *number)
{
    struct cpu cpu = { .id = { .vendor = VENDOR_INTEL, .family = 6, .model = model, .stepping = stepping } };
    struct machine m = { .n_cpus = 1, .cpus = &cpu };
    struct check_row row = { .id = id };
    const struct erratum *e;
    uint32_t next = 0, n = 0;

    while ((e = errata_of(&m, &row, &next)) != NULL)
        n += number == NULL || text_equal(e->number, number);
    return n;
}

Test(errata, go_by_signature_stepping_and_check)
{
    cr_expect_eq(count(0x4F, 1, "mbm.total", "BDF102"), 1);
    cr_expect_eq(count(0x4F, 1, "cmt.fill", NULL), 0);
    cr_expect_eq(count(0x55, 4, "mbm.total", "SKX99"), 1);
    cr_expect_eq(count(0x55, 7, "mbm.total", "SKX99"), 0);
    cr_expect_gt(count(0x55, 7, "cat.way", NULL), 0);
    cr_expect_eq(count(0x6A, 6, "mbm.total", NULL), 0);
    cr_expect_eq(count(0x8F, 8, "mba.effect", NULL), 0);
}

/* A pattern that no check has would be an erratum that nobody ever sees. */
Test(errata, name_a_document_and_checks_that_are_there)
{
    for (uint32_t i = 0; i < n_errata; i++) {
        uint32_t seen = 0;

        cr_expect_gt(strlen(errata[i].document), 0);
        cr_expect_leq(errata[i].first_stepping, errata[i].last_stepping);
        for (uint32_t t = 0; t < n_check_tables; t++)
            for (uint32_t k = 0; k < check_tables[t].n; k++) {
                struct cpu cpu = { .id = { .vendor = errata[i].vendor,
                                           .family = errata[i].family,
                                           .model = errata[i].model,
                                           .stepping = errata[i].first_stepping } };
                struct machine m = { .n_cpus = 1, .cpus = &cpu };
                const struct erratum *e;
                uint32_t next = 0;

                while ((e = errata_of(&m, &check_tables[t].rows[k], &next)) != NULL)
                    seen += e == &errata[i];
            }
        cr_expect_gt(seen, 0, "%s %s", errata[i].number, errata[i].defect);
    }
}

/* The finding says so, and stays what it is. */
Test(errata, an_expected_deviation_is_shown_and_no_pass)
{
    static const struct check_row row = { .id = "mbm.total", .risk = RISK_WORKLOAD };
    struct fake f;
    struct machine m;
    struct check c = { .row = &row, .verdict = VERDICT_PASS };

    fake_init(&f, 1);
    fake_machine(&f, &m);
    m.cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_INTEL, .family = 6, .model = 0x4F, .stepping = 1 };
    c.platform = &f.platform;
    c.machine = &m;
    cr_expect_eq(fail(&c, "twice as much"), VERDICT_FAIL);
    cr_expect_not_null(strstr(c.reason, "BDF102"), "%s", c.reason);
    fake_machine_free(&m);
}
