/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sub-NUMA clusters: every check of behaviour runs in each of them, what clusters do wrong is found, and nodes that are
 * no clusters are distinguished from them. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdlib.h>
#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/cluster/cluster_view.h"
#include "core/load/memory.h"
#include "core/base/heap.h"
#include "core/machine/machine.h"
#include "tests/support/run/model_run.h"
#include "tests/support/run/turn.h"

struct shape {
    char profile[8];
    uint32_t packages, clusters, threads;
};

static struct model_config config_of(const struct shape *s)
{
    return MODEL(s->profile, s->packages, 2 * s->clusters, s->threads, .clusters = s->clusters, .slices = 8);
}

/* What has to be judged wherever there are clusters; other checks ask for siblings, packages, larger caches. */
static const char *const judged[] = { "cmt.unused", "cmt.fill",      "cmt.flush",          "cmt.linearity",
                                      "cmt.halves", "cmt.retag",     "cmt.alias",          "cmt.every-rmid",
                                      "mbm.total",  "mbm.local",     "mbm.gain",           "mbm.every-rmid",
                                      "mbm.matrix", "cat.shares",    "cat.every-thread",   "cat.every-class",
                                      "mba.rate",   "cross.sharing", "cross.cluster-scale" };

ParameterizedTestParameters(clusters, are_judged_one_by_one)
{
    static struct shape shapes[] = { { "icx", 1, 2, 1 }, { "spr", 2, 2, 1 }, { "spr", 1, 4, 2 } };
    uint32_t n = 0;

    for (uint32_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (in_turn(i, 8))
            shapes[n++] = shapes[i];
    return cr_make_param_array(struct shape, shapes, n);
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
        cr_expect_null(whole_result_unsaid(r), "%s, %u clusters: %s: %s", s->profile, s->clusters, r->row->id,
                       whole_result_unsaid(r));
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

/* Of clusters a figure that is off is a WARN: docs/tolerances.md, grade limits. */
static void with_fault(const char *fault, const char *id, enum verdict verdict)
{
    expect(verdict, id, MODEL("spr", 1, 4, 1, .clusters = 2, .slices = 8, .faults = { fault }));
}

/* It is the first that fills in its cluster. */
Test(clusters, are_shown_by_another_processor_where_one_ignores_its_rmid)
{
    with_fault("rmid-ignored", "cmt.every-thread", VERDICT_FAIL);
}

/* Of whichever cluster is asked, and by whichever rule. */
Test(clusters, in_which_nothing_is_counted_at_all_are_judged)
{
    with_fault("occupancy-loss:99", "cmt.fill", VERDICT_WARN);
}

Test(clusters, do_not_hide_a_defect)
{
    with_fault("occupancy-halved", "cmt.linearity", VERDICT_WARN);
    with_fault("occupancy-halved", "cross.cluster-scale", VERDICT_WARN);
    with_fault("mbm-half", "mbm.total", VERDICT_FAIL);
    with_fault("cluster-mbm-dead", "mbm.total", VERDICT_FAIL);
    with_fault("cluster-scale-undivided", "cross.cluster-scale", VERDICT_FAIL);
}

/* --- machines that share RMIDs in another way than documented ------------------------------------------------------ */

static struct {
    struct interposer between;
    struct model_platform *mp;
    uint32_t rmids;         /* of a cluster                                                 */
    uint32_t writes;        /* of MSR_RMID_SNC_CONFIG so far                                */
    uint32_t refused, lost; /* the write that raises #GP, and that whose processor is lost; 0: none */
    bool swaps;             /* the two clusters answer for each other                       */
    bool refuses;           /* RMIDs of the second are out of range                         */
    bool no_config;         /* there is no MSR_RMID_SNC_CONFIG, as before Ice Lake          */
    uint32_t only;          /* processors below this do so; 0: all                          */
    char *stream;           /* the report                                                   */
} defective;

static uint64_t other_rmid(uint64_t rmid)
{
    if (defective.refuses)
        return rmid < defective.rmids ? rmid : rmid + defective.rmids;
    return rmid < defective.rmids ? rmid + defective.rmids : rmid - defective.rmids;
}

#define NO_SUCH_MSR 0x40000000u /* SDM vol. 4: 40000000H to 400000FFH are never a processor's */

static void before_step(struct interposer *, uint32_t cpu, struct step *s)
{
    if (s->op == STEP_RDMSR && s->reg == MSR_RMID_SNC_CONFIG && defective.no_config)
        s->reg = NO_SUCH_MSR;
    if (s->op != STEP_WRMSR)
        return;
    if (s->reg == IA32_QM_EVTSEL && field_get(IA32_QM_EVTSEL_EVTID, s->value) &&
        (defective.swaps || defective.refuses) && (defective.only == 0 || cpu < defective.only)) {
        uint64_t rmid = field_get(IA32_QM_EVTSEL_RMID, s->value);

        s->value &= ~IA32_QM_EVTSEL_RMID;
        s->value |= field_put(IA32_QM_EVTSEL_RMID, other_rmid(rmid));
    }
    if (s->reg == MSR_RMID_SNC_CONFIG && ++defective.writes == defective.lost)
        model_platform_kill(defective.mp, cpu);
}

static void make_defective(struct model_platform *mp)
{
    struct cpuid_regs l3 = { 0 };

    cr_assert_eq(cpu_cpuid(&mp->platform, mp->platform.bsp, 0xF, 1, &l3), ST_OK);
    defective.rmids = (l3.ecx + 1) / 2; /* CPUID.(EAX=0FH,ECX=1):ECX is the highest */
    defective.mp = mp;
    interposer_install(&defective.between, &mp->platform);
    defective.between.before = before_step;
    if (defective.refused)
        defective.between.defect = (struct register_defect){ .access = ACCESS_WRMSR,
                                                             .reg = MSR_RMID_SNC_CONFIG,
                                                             .raises = ST_FAULT,
                                                             .spared = defective.refused - 1,
                                                             .once = true };
}

/* Two clusters, with what the caller put into `defective`. To be freed. */
static struct whole_run run_defective(void)
{
    struct shape s = { "spr", 1, 2, 1 };
    struct model_config config = config_of(&s);
    struct whole_run w = { .tests = { "cmt.fill", "mbm.total", "cross.cluster-scale" }, .before = make_defective };
    size_t length;

    w.stream = open_memstream(&defective.stream, &length);
    cr_assert(w.stream);
    cr_assert(whole_run(&config, &w));
    fclose(w.stream);
    return w;
}

static void free_defective(struct whole_run *w)
{
    whole_run_free(w);
    free(defective.stream);
}

static uint64_t config_now(const struct whole_run *w)
{
    uint64_t value = 0;

    cr_assert_eq(msr_read(&w->mp->platform, w->mp->platform.bsp, MSR_RMID_SNC_CONFIG, &value), ST_OK);
    return value;
}

static void expect_each(const struct whole_run *w, uint32_t from, enum verdict verdict)
{
    for (uint32_t i = from; i < w->n; i++)
        cr_expect_eq(w->checks[i].verdict, verdict, "%s: %s", w->checks[i].row->id, w->checks[i].reason);
}

Test(clusters, are_tried_when_the_register_lets_itself_be_written_and_not_before)
{
    defective.refused = 1;
    struct whole_run w = run_defective();

    cr_expect_eq(w.checks[0].verdict, VERDICT_ERROR, "%s", w.checks[0].reason);
    cr_expect(strstr(w.checks[0].reason, "MSR_RMID_SNC_CONFIG"), "%s", w.checks[0].reason);
    expect_each(&w, 1, VERDICT_PASS);
    cr_expect_gt(w.n, 2);
    cr_expect(strstr(defective.stream, "which share its RMIDs"));
    cr_expect_eq(config_now(&w), MSR_RMID_SNC_CONFIG_SPLIT);
    free_defective(&w);
}

Test(clusters, are_divided_again_after_a_refused_write)
{
    defective.refused = 2;
    struct whole_run w = run_defective();

    cr_expect_eq(w.checks[0].verdict, VERDICT_ERROR, "%s", w.checks[0].reason);
    expect_each(&w, 1, VERDICT_PASS);
    cr_expect_eq(config_now(&w), MSR_RMID_SNC_CONFIG_SPLIT);
    cr_expect_eq(w.restored, ST_OK);
    free_defective(&w);
}

/* The register has package scope: what a processor was lost in, another one can do. */
Test(clusters, are_made_to_share_by_another_processor_where_one_is_lost)
{
    defective.lost = 1;
    struct whole_run w = run_defective();

    expect_each(&w, 0, VERDICT_PASS);
    cr_expect_eq(defective.writes, 2 * w.n + 1, "two a check, and the lost one");
    cr_expect_eq(config_now(&w), MSR_RMID_SNC_CONFIG_SPLIT);
    free_defective(&w);
}

Test(clusters, are_divided_again_by_another_processor_where_one_is_lost)
{
    defective.lost = 2;
    struct whole_run w = run_defective();

    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    for (uint32_t i = 1; i < w.n; i++)
        cr_expect_neq(w.checks[i].verdict, VERDICT_ERROR, "%s: %s", w.checks[i].row->id, w.checks[i].reason);
    cr_expect_eq(defective.writes, 2 * w.n + 1, "two a check, and the lost one");
    cr_expect_eq(config_now(&w), MSR_RMID_SNC_CONFIG_SPLIT);
    free_defective(&w);
}

Test(clusters, that_count_in_each_others_rmids_are_a_finding_and_nothing_is_judged_by_the_rule)
{
    defective.swaps = true;
    struct whole_run w = run_defective();
    const struct whole_result *scale = whole_run_find(&w, "cross.cluster-scale");

    cr_expect_eq(scale->verdict, VERDICT_FAIL, "%s", scale->reason);
    cr_expect(strstr(scale->reason, "a fill by cluster 0 is not counted in its own range"), "%s", scale->reason);
    cr_expect_eq(whole_run_find(&w, "cmt.fill")->verdict, VERDICT_SKIP);
    cr_expect_eq(whole_run_find(&w, "mbm.total")->verdict, VERDICT_SKIP);
    cr_expect_not(strstr(defective.stream, "which share its RMIDs"));
    cr_expect_eq(w.restored, ST_OK);
    free_defective(&w);
}

Test(clusters, whose_rmids_are_refused_are_not_judged)
{
    defective.refuses = true;
    struct whole_run w = run_defective();

    for (uint32_t i = 0; i < w.n; i++) {
        cr_expect_eq(w.checks[i].verdict, VERDICT_SKIP, "%s: %s", w.checks[i].row->id, w.checks[i].reason);
        cr_expect(strstr(w.checks[i].reason, "whether its clusters share RMIDs could not be determined"), "%s",
                  w.checks[i].reason);
    }
    cr_expect_eq(w.n, 3);
    cr_expect_eq(config_now(&w), MSR_RMID_SNC_CONFIG_SPLIT);
    cr_expect_eq(w.restored, ST_OK);
    free_defective(&w);
}

/* --- parts without the register ----------------------------------------------------------------------------------- */

struct old_part {
    char profile[8], rmids[48];
};

ParameterizedTestParameters(clusters, without_the_register_are_judged_under_rmids_that_fills_have_shown)
{
    static struct old_part parts[] = { { "bdx", "snc-rmids=whole" },
                                       { "bdx", "snc-rmids=split" },
                                       { "skx", "snc-rmids=whole" },
                                       { "skx", "snc-rmids=split" },
                                       { "skx", "snc-rmids=split,page-walk=4k" } };

    return cr_make_param_array(struct old_part, parts, sizeof parts / sizeof parts[0]);
}

/* Cluster on die, and SNC before Ice Lake: whatever has which RMIDs, everything is judged in each cluster. A few lines of
 * page tables under another cluster's RMID are no fill. */
ParameterizedTest(struct old_part *p, clusters, without_the_register_are_judged_under_rmids_that_fills_have_shown)
{
    struct model_config config = MODEL(p->profile, 1, 4, 1, .realism = p->rmids, .clusters = 2, .slices = 8);
    struct whole_run w = { .tests = { "cmt.fill", "cmt.flush", "cmt.alias", "cmt.other-domain", "mbm.total",
                                      "mbm.local", "cat.shares", "cross.sharing" } };

    cr_assert(whole_run(&config, &w));
    for (uint32_t i = 0; i < w.n; i++)
        cr_expect(w.checks[i].verdict == VERDICT_PASS ||
                      (!strcmp(w.checks[i].row->id, "cmt.other-domain") && w.checks[i].verdict == VERDICT_SKIP),
                  "%s, %s: %s is %s: %s", p->profile, p->rmids, w.checks[i].row->id, verdict_text(w.checks[i].verdict),
                  w.checks[i].reason);
    cr_expect_eq(w.restored, ST_OK);
    for (uint32_t i = 0; i < w.mp->platform.n_cpus; i++)
        cr_expect_eq(w.mp->platform.cpus[i].first_rmid, 0);
    whole_run_free(&w);
}

/* Of another package's memory a cluster that was found by its fills counts nothing; page walks and code fetches, which it
 * counts meanwhile, are no share of the read. */
Test(clusters, without_the_register_are_not_judged_by_reads_that_none_of_them_counts)
{
    expect(VERDICT_PASS, "mbm.matrix",
           MODEL("bdx", 2, 2, 2, .clusters = 2, .slices = 4, .seed = 2818706888,
                 .realism = "page-walk=4k,code-fetch=3,snc-rmids=split"));
}

/* What a count is worth shows in a cold read where the L3 keeps too little of a fill, and the read takes what memory the
 * node has: no piece of it has the bytes. */
Test(clusters, without_the_register_are_worth_what_reads_of_memory_in_pieces_say)
{
    expect(VERDICT_PASS, "cmt.fill",
           MODEL("clx-ap", 1, 2, 1, .clusters = 2, .slices = 6, .seed = 595513661,
                 .realism = "l2-victim-drop=43,memory-extents=3,snc-rmids=split"));
}

struct dead_bandwidth {
    char profile[8], rmids[16];
    enum verdict verdict;
};

ParameterizedTestParameters(clusters, without_the_register_do_not_hide_dead_counters)
{
    static struct dead_bandwidth parts[] = { { "spr", "", VERDICT_FAIL },
                                             { "bdx", "snc-rmids=whole", VERDICT_FAIL },
                                             { "bdx", "snc-rmids=split", VERDICT_FAIL },
                                             { "skx", "snc-rmids=split", VERDICT_WARN /* errata */ } };

    return cr_make_param_array(struct dead_bandwidth, parts, sizeof parts / sizeof parts[0]);
}

ParameterizedTest(struct dead_bandwidth *p, clusters, without_the_register_do_not_hide_dead_counters)
{
    struct model_config config = MODEL(p->profile, 1, 4, 1, .realism = p->rmids[0] ? p->rmids : NULL, .clusters = 2,
                                       .slices = 8, .faults = { "cluster-mbm-dead" });
    struct whole_run w = { .tests = { "mbm.total" }, .before = make_defective };

    defective.no_config = true;
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, p->verdict, "%s", w.checks[0].reason);
    whole_run_free(&w);
}

/* --- fills that no RMID counts ------------------------------------------------------------------------------------ */

struct silent_part {
    char profile[8], rmids[16], fault[24];
    enum verdict verdict;
    char said[48];
};

ParameterizedTestParameters(clusters, without_the_register_whose_fills_no_rmid_counts_are_a_finding)
{
    static struct silent_part parts[] = {
        { "bdx", "snc-rmids=whole", "cluster-cmt-dead", VERDICT_FAIL, "those by node 0 do" },
        { "bdx", "snc-rmids=split", "cluster-cmt-dead", VERDICT_FAIL, "those by node 0 do" },
        { "hsx", "snc-rmids=whole", "cluster-cmt-dead", VERDICT_FAIL, "those by node 0 do" },
        { "bdx", "snc-rmids=whole", "occupancy-loss:99", VERDICT_FAIL, "nor do those by any other node" },
        { "bdx", "snc-rmids=split", "occupancy-loss:99", VERDICT_FAIL, "nor do those by any other node" },
        { "skx", "snc-rmids=split", "cluster-cmt-dead", VERDICT_WARN, "Skylake-SP up to stepping 4" },
        { "clx", "snc-rmids=whole", "cluster-cmt-dead", VERDICT_WARN, "Intel has advised against" },
    };

    return cr_make_param_array(struct silent_part, parts, sizeof parts / sizeof parts[0]);
}

/* However clusters divide RMIDs, one of them counts each fill. */
ParameterizedTest(struct silent_part *p, clusters, without_the_register_whose_fills_no_rmid_counts_are_a_finding)
{
    struct model_config config =
        MODEL(p->profile, 1, 4, 1, .realism = p->rmids, .clusters = 2, .slices = 8, .faults = { p->fault });
    struct whole_run w = { .tests = { "cross.cluster-scale", "cmt.fill" } };
    const struct whole_result *scale;
    char *stream = NULL;
    size_t length;

    w.stream = open_memstream(&stream, &length);
    cr_assert(w.stream);
    cr_assert(whole_run(&config, &w));
    fclose(w.stream);
    scale = whole_run_find(&w, "cross.cluster-scale");
    cr_expect_eq(scale->verdict, p->verdict, "%s", scale->reason);
    cr_expect_not_null(strstr(scale->reason, "bytes by node"), "%s", scale->reason);
    cr_expect_not_null(strstr(stream, p->said), "%s: %s", p->said, scale->reason);
    cr_expect_eq(whole_run_find(&w, "cmt.fill")->verdict, VERDICT_SKIP);
    free(stream);
    whole_run_free(&w);
}

/* A processor whose RMID is ignored is found by what compares processors, and hides the rule of its cluster no more. */
Test(clusters, without_the_register_are_found_by_another_processor_where_one_ignores_its_rmid)
{
    struct model_config config = MODEL("bdx", 1, 4, 1, .clusters = 2, .slices = 8, .faults = { "rmid-ignored" });
    struct whole_run w = { .tests = { "cross.cluster-scale", "cmt.every-thread" } };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(whole_run_find(&w, "cross.cluster-scale")->verdict, VERDICT_SKIP);
    cr_expect_eq(whole_run_find(&w, "cmt.every-thread")->verdict, VERDICT_FAIL, "%s",
                 whole_run_find(&w, "cmt.every-thread")->reason);
    whole_run_free(&w);
}

/* RMIDs that no processor can read may have counted it. */
Test(clusters, without_the_register_are_not_silent_where_rmids_cannot_be_read)
{
    defective.no_config = defective.refuses = true;
    struct whole_run w = run_defective();
    const struct whole_result *scale = whole_run_find(&w, "cross.cluster-scale");

    cr_expect_eq(scale->verdict, VERDICT_WARN, "%s", scale->reason);
    free_defective(&w);
}

/* What one L3 does limits no finding in another. */
Test(clusters, of_an_unknown_rule_limit_no_finding_elsewhere)
{
    struct shape s = { "spr", 2, 2, 1 };
    struct model_config config = config_of(&s);
    struct whole_run w = { .tests = { "mbm.total" }, .before = make_defective };

    defective.no_config = defective.swaps = true;
    defective.only = config.cores; /* the first package's */
    config.faults[0] = "cluster-mbm-dead";
    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, VERDICT_FAIL, "%s", w.checks[0].reason);
    whole_run_free(&w);
}

/* Fills of both nodes count under the same RMID: it is the whole L3's, whatever others do. Neither are lines that stay
 * counted after WBINVD those of the next fill. */
Test(clusters, without_the_register_are_judged_where_some_rmids_do_not_count_as_others)
{
    static const char *const faults[][2] = { { "rmid-upper-shifted", "mbm.alias" },
                                             { "occupancy-kept-on-flush", "cmt.flush" } };

    for (uint32_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        expect(VERDICT_FAIL, faults[i][1],
               MODEL("bdx", 1, 4, 1, .clusters = 2, .slices = 8, .realism = "snc-rmids=whole",
                     .faults = { faults[i][0] }));
}

/* Counts under RMIDs that no rule explains. */
Test(clusters, without_the_register_whose_rmids_are_none_of_the_known_ways_are_not_judged)
{
    defective.no_config = defective.swaps = true;
    struct whole_run w = run_defective();

    for (uint32_t i = 0; i < w.n; i++) {
        enum verdict expected = w.checks[i].row->about_clusters ? VERDICT_WARN : VERDICT_SKIP;

        cr_expect_eq(w.checks[i].verdict, expected, "%s: %s", w.checks[i].row->id, w.checks[i].reason);
        cr_expect(strstr(w.checks[i].reason, "fills under RMID 1 by its 2 nodes count under RMID"), "%s",
                  w.checks[i].reason);
    }
    free_defective(&w);
}

/* --- nodes that are no clusters ----------------------------------------------------------------------------------- */

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

/* Checks of a faultless machine with such nodes, or of one with this fault. To be freed. */
static void run_cut(struct whole_run *w, const char *fault)
{
    struct shape s = { "spr", 1, 1, 1 };
    struct model_config config = config_of(&s);
    struct machine *m = heap_alloc(sizeof *m);

    config.cores = 4;
    config.faults[0] = fault;
    w->mp = model_platform_new(&config, 0);
    cr_assert(w->mp && m);
    cr_assert_eq(machine_enumerate(&w->mp->platform, m), ST_OK);
    cut_in_two(m);
    whole_run_on(&w->mp->platform, m, w);
    cr_expect_eq(w->restored, ST_OK);
    machine_free(m);
    heap_free(m);
}

Test(clusters, are_told_from_nodes_that_share_an_l3_as_one)
{
    struct whole_run w = { .tests = { "cmt.*", "mbm.total", "mbm.local", "cat.shares", "cross.*" } };

    run_cut(&w, NULL);
    for (uint32_t i = 0; i < w.n; i++)
        cr_expect(w.checks[i].verdict == VERDICT_PASS || w.checks[i].verdict == VERDICT_SKIP, "%s is %s: %s",
                  w.checks[i].row->id, verdict_text(w.checks[i].verdict), w.checks[i].reason);
    cr_expect_eq(whole_run_find(&w, "cmt.fill")->verdict, VERDICT_PASS, "%s", whole_run_find(&w, "cmt.fill")->reason);
    cr_expect_eq(whole_run_find(&w, "cmt.linearity")->verdict, VERDICT_PASS);
    cr_expect_eq(whole_run_find(&w, "cross.cluster-scale")->verdict, VERDICT_SKIP);
    whole_run_free(&w);
}

Test(clusters, that_nodes_are_not_excuse_no_defect)
{
    struct whole_run w = { .tests = { "mbm.total" } };

    run_cut(&w, "mbm-half");
    cr_expect_eq(w.checks[0].verdict, VERDICT_FAIL, "%s", w.checks[0].reason);
    cr_expect_not(strstr(w.checks[0].reason, "sub-NUMA"), "%s", w.checks[0].reason);
    whole_run_free(&w);
}

/* --- memory of other nodes ---------------------------------------------------------------------------------------- */

static bool takes_memory_of_another_node(enum cluster_rule rule)
{
    struct arena arenas[] = { { .node = 0 }, { .node = 1, .base = 4096, .bytes = 8192 } };
    struct cluster_l3 l3 = { .n = 1, .rule = rule };
    struct cluster_domain domain = { 0 };
    struct l3_domain l3_domain = { .n_cpus = 1 };
    struct cpu cpu = { 0 };
    struct node nodes[] = { { .memory_bytes = 4096 }, { .memory_bytes = 8192 } };
    struct cluster_view view = { .n_l3 = 1, .l3 = &l3, .domain = &domain };
    struct tools tools = { .arenas = arenas, .n_arenas = 2 };
    struct cluster_view *made = &view;
    struct check_state state = { .clusters = &made };
    struct check c = { .machine = &view.machine, .tools = &tools, .state = &state };
    uint64_t address = 0, left;
    bool taken;

    view.machine = (struct machine){
        .domains = &l3_domain, .n_domains = 1, .cpus = &cpu, .n_cpus = 1, .nodes = nodes, .n_nodes = 2
    };
    left = memory_left_any(&c, 0);
    taken = memory_take_any(&c, 0, 4096, &address) == ST_OK;
    cr_expect_eq(left, taken ? 8192 : 0);
    cr_expect_eq(address, taken ? 4096 : 0);
    return taken;
}

/* What it puts into the L3 is counted for its own cluster. */
Test(clusters, alone_keep_to_the_memory_of_their_node)
{
    cr_expect_not(takes_memory_of_another_node(CLUSTER_SHARED));
    cr_expect_not(takes_memory_of_another_node(CLUSTER_FOUND));
    cr_expect_not(takes_memory_of_another_node(CLUSTER_COMMON));
    cr_expect(takes_memory_of_another_node(CLUSTER_NONE));
}
