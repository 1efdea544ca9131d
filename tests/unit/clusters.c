/* Sub-NUMA clusters: every check of behaviour runs in each of them, what clusters do wrong is found, and nodes that are
 * no clusters are told from them. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <string.h>

#include "core/heap.h"
#include "core/machine.h"
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

/* Firmware can tell of two nodes where the L3 is one ("virtual NUMA"): a fill shows in RMIDs that no cluster adds to.
 */
static void cut_in_two(struct machine *m)
{
    struct node *nodes = heap_alloc(2 * sizeof nodes[0]);
    struct mem_range *ranges = heap_alloc(2 * m->n_ranges * sizeof ranges[0]);

    cr_assert(nodes && ranges && m->n_nodes == 1);
    nodes[0] = nodes[1] = m->nodes[0];
    nodes[1].proximity++;
    for (uint32_t i = 0; i < 2; i++) {
        nodes[i].n_cpus /= 2;
        nodes[i].memory_bytes /= 2;
    }
    for (uint32_t i = 0; i < m->n_ranges; i++) {
        uint64_t half = m->ranges[i].bytes / 2;

        ranges[2 * i] = (struct mem_range){ m->ranges[i].base, half, 0 };
        ranges[2 * i + 1] = (struct mem_range){ m->ranges[i].base + half, half, 1 };
    }
    for (uint32_t i = m->n_cpus / 2; i < m->n_cpus; i++)
        m->cpus[i].node = 1;
    heap_free(m->nodes);
    heap_free(m->ranges);
    m->nodes = nodes;
    m->ranges = ranges;
    m->n_nodes = 2;
    m->n_ranges *= 2;
}

Test(clusters, are_told_from_nodes_that_share_an_l3_as_one)
{
    struct shape s = { "spr", 1, 1, 1 };
    struct model_config config = config_of(&s);
    struct whole_run w = { .tests = { "cmt.*", "mbm.total", "mbm.local", "cat.shares", "cross.*" } };
    struct machine *m = heap_alloc(sizeof *m);

    config.cores = 4;
    w.mp = model_platform_new(&config, 0);
    cr_assert(w.mp && m);
    cr_assert_eq(machine_enumerate(&w.mp->platform, m), ST_OK);
    cut_in_two(m);
    whole_run_on(&w.mp->platform, m, &w);
    for (uint32_t i = 0; i < w.n; i++)
        cr_expect(w.checks[i].verdict == VERDICT_PASS || w.checks[i].verdict == VERDICT_SKIP, "%s is %s: %s",
                  w.checks[i].row->id, verdict_text(w.checks[i].verdict), w.checks[i].reason);
    cr_expect_eq(whole_run_find(&w, "cmt.fill")->verdict, VERDICT_PASS, "%s", whole_run_find(&w, "cmt.fill")->reason);
    cr_expect_eq(whole_run_find(&w, "cmt.linearity")->verdict, VERDICT_PASS);
    cr_expect_eq(whole_run_find(&w, "cross.cluster-scale")->verdict, VERDICT_SKIP);
    cr_expect_eq(w.restored, ST_OK);
    machine_free(m);
    heap_free(m);
    whole_run_free(&w);
}
