/* Sub-NUMA clusters: every check of behaviour runs in each of them, what clusters do wrong is found, and nodes that are
 * no clusters are told from them. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <string.h>

#include "arch/x86/rdt_regs.h"
#include "tests/unit/support/whole_run.h"

struct shape {
    char profile[8];
    uint32_t packages, clusters, threads;
};

static struct model_config config_of(const struct shape *s)
{
    return (struct model_config){ .profile = s->profile,
                                  .packages = s->packages,
                                  .cores = 2 * s->clusters,
                                  .threads = s->threads,
                                  .clusters = s->clusters,
                                  .slices = 8 };
}

/* What has to be judged wherever there are clusters; other checks ask for siblings, packages, larger caches. */
static const char *const judged[] = { "cmt.unused", "cmt.fill",      "cmt.flush",          "cmt.linearity",
                                      "cmt.halves", "cmt.retag",     "cmt.alias",          "cmt.every-rmid",
                                      "mbm.total",  "mbm.local",     "mbm.gain",           "mbm.every-rmid",
                                      "mbm.matrix", "cat.shares",    "cat.isolation",      "cat.every-class",
                                      "mba.rate",   "cross.sharing", "cross.cluster-scale" };

ParameterizedTestParameters(clusters, are_judged_one_by_one)
{
    static struct shape shapes[] = { { "icx", 1, 2, 1 }, { "spr", 2, 2, 1 }, { "spr", 1, 4, 2 } };

    return cr_make_param_array(struct shape, shapes, sizeof shapes / sizeof shapes[0]);
}

ParameterizedTest(struct shape *s, clusters, are_judged_one_by_one)
{
    struct model_config config = config_of(s);
    struct whole_run w = { .tests = { "cmt.*", "mbm.*", "cat.*", "cdp.*", "mba.*", "cross.*", "qm.*" },
                           .skips = { "mbm.wrap" } };

    cr_assert(whole_run(&config, &w));
    for (uint32_t i = 0; i < w.n; i++) {
        const struct whole_result *r = &w.checks[i];

        cr_expect(r->verdict == VERDICT_PASS || r->verdict == VERDICT_SKIP, "%s, %u clusters: %s is %s: %s", s->profile,
                  s->clusters, r->row->id, verdict_text(r->verdict), r->reason);
    }
    for (size_t i = 0; i < sizeof judged / sizeof judged[0]; i++) {
        const struct whole_result *r = whole_run_find(&w, judged[i]);

        cr_assert(r, "%s", judged[i]);
        cr_expect_eq(r->verdict, VERDICT_PASS, "%s: %s", judged[i], r->reason);
    }
    cr_expect_eq(w.restored, ST_OK, "MSR_RMID_SNC_CONFIG too is as it was found");
    cr_expect_gt(w.samples, 0, "samples taken in clusters count as the machine's");
    whole_run_free(&w);
}

static struct whole_result with_fault(const char *fault, const char *id)
{
    struct shape s = { "spr", 1, 2, 1 };
    struct model_config config = config_of(&s);
    struct whole_run w = { .tests = { id } };
    struct whole_result r;

    config.faults[config.n_faults++] = fault;
    cr_assert(whole_run(&config, &w));
    r = *whole_run_find(&w, id);
    cr_expect_eq(w.restored, ST_OK);
    whole_run_free(&w);
    return r;
}

/* The conformance list lets nothing fail where clusters share an L3. */
Test(clusters, do_not_hide_a_defect)
{
    cr_expect_eq(with_fault("occupancy-halved", "cmt.linearity").verdict, VERDICT_WARN);
    cr_expect_eq(with_fault("occupancy-halved", "cross.cluster-scale").verdict, VERDICT_WARN);
    cr_expect_eq(with_fault("mbm-half", "mbm.total").verdict, VERDICT_WARN);
}
