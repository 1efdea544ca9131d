/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Published defects, and the checks that see them. */
#include "core/check/errata.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/experiment/experiment.h"
#include "core/base/text.h"
#include "tests/support/machine/fake_platform.h"

static uint32_t count(uint32_t model, uint32_t stepping, uint32_t rests_on, const char *number)
{
    struct cpu cpu = { .id = { .vendor = VENDOR_INTEL, .family = 6, .model = model, .stepping = stepping } };
    struct machine m = { .n_cpus = 1, .cpus = &cpu };
    struct check_row row = { .rests_on = rests_on };
    const struct erratum *e;
    uint32_t next = 0, n = 0;

    while ((e = errata_of(&m, &row, &next)) != NULL)
        n += number == NULL || text_equal(e->number, number);
    return n;
}

Test(errata, go_by_signature_stepping_and_check)
{
    cr_expect_eq(count(0x4F, 1, RESTS_ON_BANDWIDTH, "BDF102"), 1);
    cr_expect_eq(count(0x4F, 1, RESTS_ON_OCCUPANCY, NULL), 0);
    cr_expect_eq(count(0x55, 4, RESTS_ON_BANDWIDTH, "SKX99"), 1);
    cr_expect_eq(count(0x55, 7, RESTS_ON_BANDWIDTH, "SKX99"), 0);
    cr_expect_gt(count(0x55, 7, RESTS_ON_MASKS, NULL), 0);
    cr_expect_eq(count(0x6A, 6, RESTS_ON_BANDWIDTH, NULL), 0);
    cr_expect_eq(count(0xAD, 1, RESTS_ON_BANDWIDTH, "GNR12"), 1);
    cr_expect_eq(count(0xAF, 3, RESTS_ON_BANDWIDTH, "SRF42"), 1);
    cr_expect_eq(count(0xAF, 3, RESTS_ON_OCCUPANCY, NULL), 0);
    cr_expect_eq(count(0x8F, 8, RESTS_ON_THROTTLES, NULL), 0);
}

/* An erratum that affects what no check rests on would never be named. */
Test(errata, name_a_document_and_checks_that_are_there)
{
    for (uint32_t i = 0; i < n_errata; i++) {
        uint32_t seen = 0;

        cr_expect_gt(strlen(errata[i].document), 0);
        cr_expect_leq(errata[i].first_stepping, errata[i].last_stepping);
        for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
            struct cpu cpu = { .id = { .vendor = errata[i].vendor,
                                       .family = errata[i].family,
                                       .model = errata[i].model,
                                       .stepping = errata[i].first_stepping } };
            struct machine m = { .n_cpus = 1, .cpus = &cpu };
            const struct erratum *e;
            uint32_t next = 0;

            while ((e = errata_of(&m, row, &next)) != NULL)
                seen += e == &errata[i];
        }
        cr_expect_gt(seen, 0, "%s %s", errata[i].number, errata[i].defect);
    }
}

/* resctrl: a part with 80 RMIDs counts right up to RMID 63; what higher ones count is to be multiplied with 1.066553.
 */
struct part {
    struct fake f;
    struct machine m;
    struct check_state state;
    struct check c;
};

static void set_up(struct part *p, const struct check_row *row, uint32_t model, uint32_t stepping)
{
    memset(p, 0, sizeof *p);
    fake_init(&p->f, 1);
    fake_machine(&p->f, &p->m);
    p->m.cpus[0].id =
        (struct cpu_identity){ .vendor = VENDOR_INTEL, .family = 6, .model = model, .stepping = stepping };
    p->m.domains[0].max_rmid = p->m.cpus[0].rdt.max_rmid = 79;
    p->c = (struct check){ .row = row, .state = &p->state, .platform = &p->f.platform, .machine = &p->m };
}

static const struct check_row total_row = { .id = "mbm.total", .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_BANDWIDTH };

/* 100 MB, 8 % of tolerance: 92 to 108 million bytes. */
Test(errata, a_factor_explains_what_it_puts_right_and_nothing_else)
{
    static const struct {
        uint32_t rmid;
        double bytes;
        bool explains;
    } cases[] = {
        { 64, 100e6 / 1.1, true }, /* 96.96 million once multiplied    */
        { 79, 87e6, true },        /* 92.8 million                     */
        { 63, 87e6, false },       /* the last that counts right       */
        { 64, 50e6, false },       /* half stays half                  */
        { 64, 115e6, false },      /* the other side                   */
        { 64, 86e6, false },       /* 91.7 million: more than it takes */
        { 64, 100e6, false },      /* nothing to explain               */
        { 1, 100e6 / 1.066553, false },
    };
    struct part p;

    set_up(&p, &total_row, 0x4F, 1);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq(errata_factor_explains(&p.m, 0, cases[i].rmid, cases[i].bytes, 92e6, 108e6), cases[i].explains,
                     "RMID %u, %.0f bytes", cases[i].rmid, cases[i].bytes);
    p.m.cpus[0].id.model = 0x6A; /* Ice Lake-SP has no such erratum */
    cr_expect_not(errata_factor_explains(&p.m, 0, 64, 87e6, 92e6, 108e6));
    cr_expect_not(errata_factor_explains(&p.m, 7, 64, 87e6, 92e6, 108e6), "no such domain");
    fake_machine_free(&p.m);
}

static bool names_bdf102(struct part *p, enum qm_event event, uint32_t rmid, double bytes)
{
    struct reading r = reading_of("total bytes", 0, rmid, event);
    struct experiment e = { .check = &p->c, .readings = &r, .n_readings = 1, .n_runs = 1 };
    char why[320];

    r.lo = 92e6;
    r.hi = 108e6;
    r.bytes = bytes;
    p->state.record.n_findings = 0;
    p->state.record.reason[0] = '\0';
    experiment_judge(&e, "a buffer was read");
    cr_expect_eq(p->state.record.verdict, VERDICT_FAIL, "an expected deviation is no PASS");
    cr_expect_eq(p->state.record.n_findings, 1);
    check_reason(&p->c, why, sizeof why);
    return strstr(why, "[expected by erratum BDF102]") != NULL;
}

Test(errata, a_reading_names_one_where_its_rmid_and_its_size_fit)
{
    struct part p;

    set_up(&p, &total_row, 0x4F, 1);
    cr_expect(names_bdf102(&p, QM_EVENT_L3_TOTAL, 64, 87e6), "%s", p.state.record.reason);
    cr_expect(names_bdf102(&p, QM_EVENT_L3_LOCAL, 64, 87e6), "%s", p.state.record.reason);
    cr_expect_not(names_bdf102(&p, QM_EVENT_L3_TOTAL, 1, 87e6), "%s", p.state.record.reason);
    cr_expect_not(names_bdf102(&p, QM_EVENT_L3_TOTAL, 1, 50e6), "half the bytes under RMID 1: %s",
                  p.state.record.reason);
    cr_expect_not(names_bdf102(&p, QM_EVENT_L3_TOTAL, 64, 50e6), "%s", p.state.record.reason);
    cr_expect_not(names_bdf102(&p, QM_EVENT_L3_OCCUPANCY, 64, 87e6), "%s", p.state.record.reason);
    fake_machine_free(&p.m);
}

Test(errata, flags_of_a_finding_say_which_errata_it_may_be)
{
    static const struct {
        uint32_t flags;
        bool named;
    } cases[] = { { FINDING_FACTOR_EXPLAINS, true },
                  { 0, false },
                  { FINDING_FACTOR_EXPLAINS | FINDING_NO_ERRATUM, false } };
    struct part p;

    set_up(&p, &total_row, 0x4F, 1);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        p.state.record.n_findings = 0;
        (void)finding(&p.c, FINDING_UNUSUAL, cases[i].flags, FOUND_TOTAL_LOW, PLACE_NONE, "too low");
        cr_expect_eq(p.state.record.erratum != NULL, cases[i].named, "%u", i);
    }
    fake_machine_free(&p.m);
}

/* A defect without a figure of its own may explain any deviation. The finding says so, and stays what it is. */
Test(errata, one_without_a_figure_is_named_whatever_the_deviation)
{
    static const struct check_row row = { .id = "mba.rate", .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_THROTTLES };
    struct part p;
    char why[64];

    set_up(&p, &row, 0x6A, 6);
    cr_expect_eq(finding(&p.c, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "too slow"), VERDICT_FAIL);
    check_reason(&p.c, why, sizeof why);
    cr_expect_str_eq(why, "too slow [expected by a known defect]");
    fake_machine_free(&p.m);
}
