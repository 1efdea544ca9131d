/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Defects that machines of few processors or with busy devices hide. */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/whole_run.h"

struct place {
    const char *profile, *realism;
    uint32_t cores, threads, clusters;
};

static void says(const struct place *p, const char *id, const char *fault, enum verdict verdict)
{
    struct model_config config = { .profile = p->profile,
                                   .packages = 1,
                                   .cores = p->cores,
                                   .threads = p->threads,
                                   .clusters = p->clusters,
                                   .slices = 4,
                                   .seed = 7,
                                   .realism = p->realism };
    struct whole_run w = { .tests = { id }, .no_figures = true }; /* the checks' own bounds */

    if (fault)
        config.faults[config.n_faults++] = fault;
    cr_assert(whole_run(&config, &w));
    cr_assert_eq(w.n, 1);
    cr_expect_eq(w.checks[0].verdict, verdict, "%s on %s: %s", id, p->profile, w.checks[0].reason);
    whole_run_free(&w);
}

/* More RMIDs have lines than an L3 has processors that fill: two, and one in a cluster. */
Test(hidden_defects, rmids_that_lose_their_lines_when_many_have_some)
{
    static const struct place places[] = { { "bdx", "none", 2, 1, 1 }, { "bdx", "none", 2, 1, 2 } };

    for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        says(&places[i], "cmt.crowd", NULL, VERDICT_PASS);
        says(&places[i], "cmt.crowd", "cmt-crowd", VERDICT_WARN);
    }
}

/* What an RMID had before keeps its place, so that the last processor's fill is counted: those of the others are not. */
Test(hidden_defects, rmids_that_lose_their_lines_where_an_earlier_one_has_its_place)
{
    struct model_config config = {
        .profile = "zen5", .packages = 1, .cores = 2, .threads = 2, .slices = 2, .seed = 2531222227
    };
    struct whole_run w = { .tests = { "cmt.siblings", "cmt.crowd" }, .no_figures = true };

    config.realism = "l2-victim-drop=0,l2-victim-tag=fill,l3-replacement=qlru";
    config.faults[config.n_faults++] = "cmt-crowd";
    cr_assert(whole_run(&config, &w));
    cr_assert_eq(w.n, 2);
    cr_expect_eq(w.checks[1].verdict, VERDICT_WARN, "%s", w.checks[1].reason);
    cr_expect_not_null(strstr(w.text, "show none of them"));
    whole_run_free(&w);
}

/* Devices replace more than the tolerance in the ways that they share, whether processors rest or not. */
Test(hidden_defects, an_l3_that_loses_lines_after_a_long_rest)
{
    static const struct place quiet = { "bdx", "idle-lines=90,tick-lines=64", 2, 1, 1 },
                              busy = { "bdx", "dma=100000", 2, 1, 1 };

    says(&quiet, "cmt.drift", NULL, VERDICT_PASS);
    says(&quiet, "cmt.drift", "l3-shrinks-idle", VERDICT_WARN);
    says(&busy, "cmt.drift", NULL, VERDICT_PASS);
}
