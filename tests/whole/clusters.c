/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sub-NUMA clusters: every check of behaviour runs in each of them, what clusters do wrong is found, and nodes that are
 * no clusters are distinguished from them. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/cluster/cluster_view.h"
#include "core/load/memory.h"
#include "core/base/heap.h"
#include "core/machine/machine.h"
#include "tests/silicon/model/flaw.h"
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
    struct model_platform *mp;
    uint32_t rmids;  /* of a cluster                                                 */
    uint32_t writes; /* of MSR_RMID_SNC_CONFIG so far                                */
    uint64_t config; /* the last of them                                             */
    uint32_t lost;   /* the write whose processor is lost; 0: none                   */
    bool swaps;      /* the two clusters answer for each other                       */
    bool refuses;    /* RMIDs of the second are out of range                         */
    bool no_config;  /* there is no MSR_RMID_SNC_CONFIG, as before Ice Lake          */
    uint32_t only;   /* processors below this do so; 0: all                          */
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
    if (s->reg != MSR_RMID_SNC_CONFIG)
        return;
    defective.config = s->value;
    if (++defective.writes == defective.lost)
        model_platform_kill(defective.mp, cpu);
}

static void know_rmids(struct model_run *r)
{
    struct cpuid_regs l3 = { 0 };

    cr_assert_eq(cpu_cpuid(&r->mp->platform, r->mp->platform.bsp, 0xF, 1, &l3), ST_OK);
    defective.rmids = (l3.ecx + 1) / 2; /* CPUID.(EAX=0FH,ECX=1):ECX is the highest */
    defective.mp = r->mp;
}

/* On a machine that does what `defective` says, under these three checks, of which the id is one. */
#define TWO_CLUSTERS(...) MODEL("spr", 1, 4, 1, .clusters = 2, .slices = 8, __VA_ARGS__)
#define DEFECTIVE         .change = know_rmids, .before = before_step
#define THE_THREE         .tests = { "cmt.fill", "mbm.total", "cross.cluster-scale" }

static const char *const three[] = { "cmt.fill", "mbm.total", "cross.cluster-scale" };

#define REFUSED_WRITE(n)                                                                                               \
    {                                                                                                                  \
        .access = ACCESS_WRMSR, .reg = MSR_RMID_SNC_CONFIG, .raises = ST_FAULT, .spared = (n)-1, .once = true          \
    }
#define OTHERS_PASS .also = { { "mbm.total", VERDICT_PASS }, { "cross.cluster-scale", VERDICT_PASS } }

Test(clusters, are_tried_when_the_register_lets_itself_be_written_and_not_before)
{
    expect(VERDICT_ERROR, "cmt.fill", TWO_CLUSTERS(), DEFECTIVE, THE_THREE, .defect = REFUSED_WRITE(1), OTHERS_PASS,
           .finding = "MSR_RMID_SNC_CONFIG", .stream = "which share its RMIDs", .restored = true);
    cr_expect_eq(defective.config, MSR_RMID_SNC_CONFIG_SPLIT);
}

Test(clusters, are_divided_again_after_a_refused_write)
{
    expect(VERDICT_ERROR, "cmt.fill", TWO_CLUSTERS(), DEFECTIVE, THE_THREE, .defect = REFUSED_WRITE(2), OTHERS_PASS,
           .restored = true);
    cr_expect_eq(defective.config, MSR_RMID_SNC_CONFIG_SPLIT);
}

/* The register has package scope: what a processor was lost in, another one can do. */
Test(clusters, are_made_to_share_by_another_processor_where_one_is_lost)
{
    defective.lost = 1;
    expect(VERDICT_PASS, "cmt.fill", TWO_CLUSTERS(), DEFECTIVE, THE_THREE, OTHERS_PASS);
    cr_expect_eq(defective.writes, 2 * 3 + 1, "two a check, and the lost one");
    cr_expect_eq(defective.config, MSR_RMID_SNC_CONFIG_SPLIT);
}

Test(clusters, are_divided_again_by_another_processor_where_one_is_lost)
{
    defective.lost = 2;
    expect(VERDICT_PASS, "cmt.fill", TWO_CLUSTERS(), DEFECTIVE, THE_THREE, OTHERS_PASS);
    cr_expect_eq(defective.writes, 2 * 3 + 1, "two a check, and the lost one");
    cr_expect_eq(defective.config, MSR_RMID_SNC_CONFIG_SPLIT);
}

Test(clusters, that_count_in_each_others_rmids_are_a_finding_and_nothing_is_judged_by_the_rule)
{
    defective.swaps = true;
    expect(VERDICT_FAIL, "cross.cluster-scale", TWO_CLUSTERS(), DEFECTIVE, THE_THREE,
           .also = { { "cmt.fill", VERDICT_SKIP }, { "mbm.total", VERDICT_SKIP } },
           .finding = "a fill by cluster 0 is not counted in its own range", .unsaid = "which share its RMIDs",
           .restored = true);
}

Test(clusters, whose_rmids_are_refused_are_not_judged)
{
    defective.refuses = true;
    for (uint32_t i = 0; i < 3; i++)
        expect(VERDICT_SKIP, three[i], TWO_CLUSTERS(), DEFECTIVE, THE_THREE, .restored = true,
               .finding = "whether its clusters share RMIDs could not be determined");
    cr_expect_eq(defective.config, MSR_RMID_SNC_CONFIG_SPLIT);
}

/* --- parts without the register ----------------------------------------------------------------------------------- */

struct old_part {
    char profile[8], rmids[64];
};

ParameterizedTestParameters(clusters, without_the_register_are_judged_under_rmids_that_fills_have_shown)
{
    static struct old_part parts[] = { { "bdx", "snc-rmids=whole" },
                                       { "bdx", "snc-rmids=split" },
                                       { "skx", "snc-rmids=whole" },
                                       { "skx", "snc-rmids=split" },
                                       { "skx", "snc-rmids=split,page-walk=4k" },
                                       { "skx", "snc-rmids=split,l2-victim-drop=28,mbm-lag=9000" } };

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
EXPECT_TEST(clusters, without_the_register_are_not_judged_by_reads_that_none_of_them_counts, VERDICT_PASS, "mbm.matrix",
            MODEL("bdx", 2, 2, 2, .clusters = 2, .slices = 4, .seed = 2818706888,
                  .realism = "page-walk=4k,code-fetch=3,snc-rmids=split"));

/* What a count is worth shows in a cold read where the L3 keeps too little of a fill, and the read takes what memory the
 * node has: no piece of it has the bytes. */
EXPECT_TEST(clusters, without_the_register_are_worth_what_reads_of_memory_in_pieces_say, VERDICT_PASS, "cmt.fill",
            MODEL("clx-ap", 1, 2, 1, .clusters = 2, .slices = 6, .seed = 595513661,
                  .realism = "l2-victim-drop=43,memory-extents=3,snc-rmids=split"));

Test(clusters, without_the_register_do_not_hide_dead_counters)
{
    static const struct {
        const char *profile, *rmids;
        enum verdict verdict;
    } parts[] = { { "spr", NULL, VERDICT_FAIL },
                  { "bdx", "snc-rmids=whole", VERDICT_FAIL },
                  { "bdx", "snc-rmids=split", VERDICT_FAIL },
                  { "skx", "snc-rmids=split", VERDICT_WARN /* errata */ } };

    defective.no_config = true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        expect(parts[i].verdict, "mbm.total",
               MODEL(parts[i].profile, 1, 4, 1, .realism = parts[i].rmids, .clusters = 2, .slices = 8,
                     .faults = { "cluster-mbm-dead" }),
               DEFECTIVE);
}

/* --- fills that no RMID counts ------------------------------------------------------------------------------------ */

/* However clusters divide RMIDs, one of them counts each fill. */
Test(clusters, without_the_register_whose_fills_no_rmid_counts_are_a_finding)
{
    static const struct {
        const char *profile, *rmids, *fault;
        enum verdict verdict;
        const char *said;
    } parts[] = {
        { "bdx", "snc-rmids=whole", "cluster-cmt-dead", VERDICT_FAIL, "those by node 0 do" },
        { "bdx", "snc-rmids=split", "cluster-cmt-dead", VERDICT_FAIL, "those by node 0 do" },
        { "hsx", "snc-rmids=whole", "cluster-cmt-dead", VERDICT_FAIL, "those by node 0 do" },
        { "bdx", "snc-rmids=whole", "occupancy-loss:99", VERDICT_FAIL, "nor do those by any other node" },
        { "bdx", "snc-rmids=split", "occupancy-loss:99", VERDICT_FAIL, "nor do those by any other node" },
        { "skx", "snc-rmids=split", "cluster-cmt-dead", VERDICT_WARN, "Skylake-SP up to stepping 4" },
        { "clx", "snc-rmids=whole", "cluster-cmt-dead", VERDICT_WARN, "Intel has advised against" },
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        expect(parts[i].verdict, "cross.cluster-scale",
               MODEL(parts[i].profile, 1, 4, 1, .realism = parts[i].rmids, .clusters = 2, .slices = 8,
                     .faults = { parts[i].fault }),
               .tests = { "cross.cluster-scale", "cmt.fill" }, .also = { { "cmt.fill", VERDICT_SKIP } },
               .finding = "bytes by node", .stream = parts[i].said);
}

/* A processor whose RMID is ignored is found by what compares processors, and hides the rule of its cluster no more. */
EXPECT_TEST(clusters, without_the_register_are_found_by_another_processor_where_one_ignores_its_rmid, VERDICT_SKIP,
            "cross.cluster-scale", MODEL("bdx", 1, 4, 1, .clusters = 2, .slices = 8, .faults = { "rmid-ignored" }),
            .tests = { "cross.cluster-scale", "cmt.every-thread" }, .also = { { "cmt.every-thread", VERDICT_FAIL } });

/* RMIDs that no processor can read may have counted it. */
Test(clusters, without_the_register_are_not_silent_where_rmids_cannot_be_read)
{
    defective.no_config = defective.refuses = true;
    expect(VERDICT_WARN, "cross.cluster-scale", TWO_CLUSTERS(), DEFECTIVE, THE_THREE);
}

/* What one L3 does limits no finding in another. */
Test(clusters, of_an_unknown_rule_limit_no_finding_elsewhere)
{
    defective.no_config = defective.swaps = true;
    defective.only = 4; /* the first package's */
    expect(VERDICT_FAIL, "mbm.total",
           MODEL("spr", 2, 4, 1, .clusters = 2, .slices = 8, .faults = { "cluster-mbm-dead" }), DEFECTIVE);
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
    for (uint32_t i = 0; i < 3; i++)
        expect(check_find(three[i])->about_clusters ? VERDICT_WARN : VERDICT_SKIP, three[i], TWO_CLUSTERS(), DEFECTIVE,
               THE_THREE, .finding = "fills under RMID 1 by its 2 nodes count under RMID");
}

/* --- nodes that are no clusters ----------------------------------------------------------------------------------- */

/* Firmware can tell of two nodes where the L3 is one ("virtual NUMA"): a fill shows in RMIDs that no cluster adds to.
 */
static void cut_in_two(struct model_run *r)
{
    struct machine *m = r->machine;
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

EXPECT_TEST(clusters, are_told_from_nodes_that_share_an_l3_as_one, VERDICT_PASS, "cmt.fill",
            MODEL("spr", 1, 4, 1, .slices = 8), .change = cut_in_two, .clean = true,
            .tests = { "cmt.*", "mbm.total", "mbm.local", "cat.shares", "cross.*" },
            .also = { { "cmt.linearity", VERDICT_PASS }, { "cross.cluster-scale", VERDICT_SKIP } }, .restored = true);

EXPECT_TEST(clusters, that_nodes_are_not_excuse_no_defect, VERDICT_FAIL, "mbm.total",
            MODEL("spr", 1, 4, 1, .slices = 8, .faults = { "mbm-half" }), .change = cut_in_two, .unsaid = "sub-NUMA",
            .restored = true);

/* --- no SRAT ------------------------------------------------------------------------------------------------------ */

#define UNLISTED(...)                                                                                                  \
    MODEL("spr", 1, 8, 1, .slices = 8, .realism = "node-interleaving=no-srat" __VA_OPT__(, ) __VA_ARGS__)
#define UNLISTED_BDX(...)                                                                                              \
    MODEL("bdx", 1, 4, 1, .slices = 4, .realism = "node-interleaving=no-srat" __VA_OPT__(, ) __VA_ARGS__)

/* 356688 B.1.2: the RMIDs of one cluster count its memory, by the divided factor. */
EXPECT_TEST(clusters, without_an_srat_are_a_warn_and_no_figure_is_judged, VERDICT_WARN, "cross.cluster-scale",
            UNLISTED(.clusters = 4), .finding = "in one of 4 sub-NUMA clusters", .restored = true,
            .tests = { "cross.cluster-scale", "cmt.fill", "mbm.total", "mbm.every-rmid", "cat.shares", "traffic.mbm" },
            .also = { { "cmt.fill", VERDICT_SKIP },
                      { "mbm.total", VERDICT_SKIP },
                      { "mbm.every-rmid", VERDICT_SKIP },
                      { "cat.shares", VERDICT_SKIP },
                      { "traffic.mbm", VERDICT_SKIP } });

EXPECT_TEST(clusters, are_found_without_an_srat_in_memory_of_small_pieces, VERDICT_SKIP, "cmt.fill",
            MODEL("spr-hbm", 1, 2, 1, .slices = 8, .clusters = 2,
                  .realism = "node-interleaving=no-srat,memory-extents=6"),
            .finding = "in one of 2 sub-NUMA clusters");

/* The same with RMIDs shared by the clusters at handoff, of a part with 16 RMIDs, and with processors in 15 of them. */
#define SHARED_UNLISTED(left)                                                                                          \
    MODEL("gnr", 1, 6, 1, .slices = 4, .clusters = 2, .realism = "node-interleaving=no-srat,left-rmid-sharing=on" left)

EXPECT_TEST(clusters, that_share_few_rmids_without_an_srat_are_a_warn, VERDICT_WARN, "cross.cluster-scale",
            SHARED_UNLISTED(), .finding = "in one of 2 sub-NUMA clusters", .restored = true,
            .tests = { "cross.cluster-scale", "cmt.linearity", "mbm.total" },
            .also = { { "cmt.linearity", VERDICT_SKIP }, { "mbm.total", VERDICT_SKIP } });
EXPECT_TEST(clusters, whose_rmids_are_all_in_use_are_found_without_an_srat, VERDICT_WARN, "cross.cluster-scale",
            SHARED_UNLISTED(",left-rmids=on"), .finding = "in one of 2 sub-NUMA clusters", .restored = true,
            .tests = { "cross.cluster-scale" });

/* intel-cmt-cat tools/membw/README: a core fills half of the L3, and its RMIDs count in all of it. */
EXPECT_TEST(clusters, on_die_without_an_srat_are_a_warn_and_no_figure_is_judged, VERDICT_WARN, "cross.cluster-scale",
            UNLISTED_BDX(.clusters = 2), .finding = "in one of 2 sub-NUMA clusters", .restored = true,
            .tests = { "cross.cluster-scale", "cmt.linearity", "mbm.every-thread", "mbm.siblings", "cat.shares" },
            .also = { { "cmt.linearity", VERDICT_SKIP },
                      { "mbm.every-thread", VERDICT_SKIP },
                      { "mbm.siblings", VERDICT_SKIP },
                      { "cat.shares", VERDICT_SKIP } });

EXPECT_TEST(clusters, that_are_not_there_excuse_no_halved_occupancy_without_an_srat, VERDICT_FAIL, "cmt.linearity",
            UNLISTED_BDX(.faults = { "occupancy-halved" }), .unsaid = "sub-NUMA");

/* No clusters: RMIDs that count nothing, and bytes that are counted several times, are judged as ever. */
EXPECT_TEST(clusters, that_are_not_there_excuse_no_dead_rmids_without_an_srat, VERDICT_FAIL, "mbm.every-rmid",
            UNLISTED(.flaw = FLAW(.monitor = FLAW_MBM, .scope = FLAW_HIGH, .kind = FLAW_DEAD)), .unsaid = "sub-NUMA");
EXPECT_TEST(clusters, that_are_not_there_excuse_no_wrong_scale_without_an_srat, VERDICT_FAIL, "mbm.total",
            UNLISTED(.faults = { "mbm-half" }), .unsaid = "sub-NUMA");

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
