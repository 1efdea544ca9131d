/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the suite does on faultless silicon beyond what build/host/matrix faults shows of every profile: eight packages, SMIs,
 * dead processors, little memory, what a run costs. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "core/base/search.h"
#include "tests/support/run/model_run.h"

/* The model's time is cheap and its work is not: where no RMID stands just before its wrap (a faulty or dead machine
 * may have lost that one), a wrap that takes seconds there takes hours here. */
#define NO_WRAP .skips = { "mbm.wrap" }

/* -quick leaves out checks that there are, and -t brings any of them back. */
Test(suite, quick_leaves_out_what_takes_long)
{
    struct options all = { 0 }, quick = { .quick = true }, named = { .quick = true, .tests = { "*" }, .n_tests = 1 };
    uint32_t left_out = 0;

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        cr_expect(engine_selects(&all, row) && engine_selects(&named, row), "%s", row->id);
        cr_expect_eq(engine_selects(&quick, row), !row->slow, "%s", row->id);
        left_out += row->slow;
    }
    cr_expect_gt(left_out, 0);
}

/* Eight packages of what costs little. */
EXPECT_TEST(suite, passes_on_eight_packages, VERDICT_PASS, "mbm.remote",
            ON(NULL, .packages = 8, .cores = 2, .threads = 2, .seed = 8), .clean = true,
            .tests = { "enum.*", "pqr.*", "qm.*", "cross.*", "ubox.*", "cmt.other-domain", "mbm.remote" },
            .restored = true);

/* One sample is a selection and a read, and nothing else. */
Test(suite, a_sample_costs_two_msr_operations)
{
    struct model_config config = { .packages = 1, .cores = 2, .threads = 1 };
    struct whole_run w = { .tests = { "qm.every-rmid", "mbm.idle" } };

    cr_assert(whole_run(&config, &w));
    cr_expect_gt(w.samples, 64);
    cr_expect_eq(w.sample_operations, 2 * w.samples);
    whole_run_free(&w);
}

EXPECT_TEST(suite, a_throttle_that_misses_one_core_of_many_is_found, VERDICT_FAIL, "mba.rate",
            MODEL("skx", 1, 6, 1, .slices = 6, .faults = { "mba-misses-core:5" }));

static void some_smis(struct model_platform *mp)
{
    model_platform_smi(mp, 3);
}

Test(suite, an_smi_disturbs_a_sample_and_not_the_verdict)
{
    struct model_config config = { .packages = 1, .cores = 2, .threads = 1 };
    struct whole_run w = { .before = some_smis, .tests = { "cmt.fill", "mbm.total", "cmt.flush" } };

    cr_assert(whole_run(&config, &w));
    expect_clean(&w, "with SMIs");
    cr_expect_geq(SUM_OF(uint32_t, i, w.n, w.checks[i].disturbed), 2);
    whole_run_free(&w);
}

static void dead_ap(struct model_platform *mp)
{
    model_platform_kill(mp, 1);
}

/* The processor is named, and what needs no processor of that number is measured all the same. */
Test(suite, a_dead_processor_is_an_error_and_the_run_goes_on)
{
    struct model_config config = { .packages = 1, .cores = 4, .threads = 1 };
    struct whole_run w = { .before = dead_ap, NO_WRAP };
    uint32_t named = 0, errors = 0;
    char apic[16];

    cr_assert(whole_run(&config, &w));
    snprintf(apic, sizeof apic, "APIC 0x%x", w.mp->platform.cpus[1].apic_id);
    for (uint32_t i = 0; i < w.n; i++) {
        cr_expect(w.checks[i].verdict != VERDICT_FAIL, "%s fails: %s", w.checks[i].row->id, w.checks[i].reason);
        errors += w.checks[i].verdict == VERDICT_ERROR;
        named += w.checks[i].verdict == VERDICT_ERROR && strstr(w.checks[i].reason, apic) != NULL;
    }
    cr_expect_geq(errors, 1);
    cr_expect_eq(named, errors, "%u of %u errors name the processor", named, errors);
    cr_expect_gt(w.counts.pass, w.counts.error);
    whole_run_free(&w);
}

static void all_smis(struct model_platform *mp)
{
    model_platform_smi(mp, UINT32_MAX);
}

Test(suite, a_machine_that_is_always_disturbed_is_not_judged)
{
    struct model_config config = { .packages = 1, .cores = 2, .threads = 1 };
    struct whole_run w = { .before = all_smis, .tests = { "cmt.fill", "mbm.total" } };

    cr_assert(whole_run(&config, &w));
    for (uint32_t i = 0; i < w.n; i++)
        cr_expect_eq(w.checks[i].verdict, VERDICT_SKIP, "%s is %s", w.checks[i].row->id,
                     verdict_text(w.checks[i].verdict));
    whole_run_free(&w);
}

/* Memory that is too small for a check is a SKIP with the size, not a smaller measurement. */
Test(suite, too_little_memory_is_skipped_with_its_reason)
{
    expect(VERDICT_SKIP, "cmt.linearity", ON("bdx"), .node_bytes = 8 << 20, .finding = "not enough memory on node 0");
    expect(VERDICT_SKIP, "mbm.total", ON("bdx"), .node_bytes = 8 << 20, .finding = "not enough memory on node 0");
}

/* What only a part with ABMC and limits of bandwidth has. */
EXPECT_TEST(suite, passes_on_counters_that_are_assigned, VERDICT_PASS, "amd.assign-count",
            MODEL("zen5", 1, 2, 1, .slices = 4), .tests = { "amd.*", "pmon.gate" },
            .also = { { "amd.ceiling", VERDICT_PASS } }, .clean = true, .restored = true);

Test(suite, a_pass_that_excludes_nothing_is_noticed)
{
    const struct check_row figure = { .id = "mbm.total", .excludes = true }, none = { .id = "mbm.idle" },
                           listed = { .id = "mbm.bits" };
    struct whole_result r = { .row = &figure, .verdict = VERDICT_PASS };

    cr_expect_not_null(whole_result_unsaid(&r));
    r.verdict = VERDICT_SKIP;
    cr_expect_null(whole_result_unsaid(&r));
    strcpy(r.excludes, "a loss above 1 %");
    r.verdict = VERDICT_PASS;
    cr_expect_null(whole_result_unsaid(&r));
    r = (struct whole_result){ .row = &none, .verdict = VERDICT_PASS };
    cr_expect_null(whole_result_unsaid(&r));
    r.asked.work_bytes = 64;
    cr_expect_not_null(whole_result_unsaid(&r));
    r.row = &listed;
    cr_expect_null(whole_result_unsaid(&r));
}

/* Every row is complete, runs, and has its id alone. */
Test(suite, every_row_names_its_rule_its_section_and_what_it_detects)
{
    uint32_t n = 0, listed = 0;

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        n++;
        cr_assert_not_null(row->id);
        cr_expect(row->title && row->spec && row->covers && row->detects && row->means && row->next, "%s", row->id);
        cr_expect_eq((row->run != NULL) + (row->run_domain != NULL) + (row->run_cat != NULL) + (row->run_qm != NULL) +
                         (row->run_session != NULL),
                     1, "%s", row->id);
        cr_expect_eq(row->wanted != NULL, row->run_session != NULL, "%s", row->id);
        cr_expect(row->rests_on != 0 && row->order >= 100 && row->order <= 1000, "%s", row->id);
        cr_expect_not_null(strchr(row->id, '.'), "%s", row->id);
        cr_expect_eq(check_find(row->id), row, "%s stands twice", row->id);
    }
    for (const struct check_family *const *f = check_families; *f; f++)
        listed += (*f)->n;
    cr_expect_eq(n, listed, "the running order leaves a row out, or has it twice");
}
