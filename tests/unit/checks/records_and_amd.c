/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a write of a tag costs, and AMD's counters: right on faultless silicon, and wrong where the
 * machine is. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/amd/amd_counters.h"
#include "core/checks/allocation/core_misses.h"
#include "core/platform/ledger.h"
#include "core/machine/tools.h"
#include "tests/support/fake_platform.h"
#include "tests/support/one_check.h"
#include "tests/support/replay.h"
#include "tests/support/whole_run.h"

static void expect_no_deviation(const char *profile, uint32_t threads)
{
    struct model_config config = { .profile = profile, .packages = 1, .cores = 2, .threads = threads, .slices = 4 };
    struct whole_run w = { .tests = { "pqr.cost", "qm.overflow-flag", "reset.priority", "cross.cluster-scale", "amd.*",
                                      "enum.kind", "acpi.*" } };

    cr_assert(whole_run(&config, &w));
    for (uint32_t i = 0; i < w.n; i++)
        cr_expect(w.checks[i].verdict == VERDICT_PASS || w.checks[i].verdict == VERDICT_SKIP, "%s: %s is %s: %s",
                  profile, w.checks[i].row->id, verdict_text(w.checks[i].verdict), w.checks[i].reason);
    cr_expect_eq(w.restored, ST_OK);
    whole_run_free(&w);
}

Test(more_checks, pass_on_faultless_silicon)
{
    expect_no_deviation("bdx", 2);
    expect_no_deviation("zen5", 2);
    expect_no_deviation("spr", 2);
}

/* Two clusters that share the RMIDs of each package, as firmware may leave MSR CA0H; apart on the first package. */
static struct whole_result cluster_result(bool halved)
{
    struct model_config config = { .profile = "icx", .packages = 2, .cores = 2, .clusters = 2, .slices = 12 };
    struct whole_run w = { .tests = { "cross.cluster-scale" } };
    struct whole_result r = { 0 };

    config.faults[config.n_faults++] = "rmid-sharing-left";
    if (halved)
        config.faults[config.n_faults++] = "occupancy-halved";
    cr_assert(whole_run(&config, &w));
    for (uint32_t i = 0; i < w.n; i++)
        if (!strcmp(w.checks[i].row->id, "cross.cluster-scale"))
            r = w.checks[i];
    whole_run_free(&w);
    return r;
}

Test(more_checks, hold_a_clusters_count_against_its_factor)
{
    cr_expect_eq(cluster_result(false).verdict, VERDICT_PASS, "%s", cluster_result(false).reason);
    cr_expect_eq(cluster_result(true).verdict, VERDICT_WARN);
}

/* --- registers by hand */

static struct bench {
    struct fake f;
    struct machine m;
    struct ledger ledger;
    struct tools tools;
    struct qm_domain qm;
} b;

static void set_up(void)
{
    memset(&b, 0, sizeof b);
    fake_init(&b.f, 2);
    fake_machine(&b.f, &b.m);
    cr_assert_eq(ledger_init(&b.f.platform, &b.ledger), ST_OK);
    b.qm = (struct qm_domain){ .max_rmid = 3, .upscaling_factor = 64, .counter_width = 44 };
    b.tools = (struct tools){ .platform = &b.f.platform, .machine = &b.m, .qm = &b.qm };
    b.m.domains[0].max_rmid = 3;
}

static void tear_down(void)
{
    ledger_free(&b.ledger);
    fake_machine_free(&b.m);
}

TestSuite(by_hand, .init = set_up, .fini = tear_down);

static enum verdict verdict_of(const char *id)
{
    return run_one(id, &b.f.platform, &b.m, &b.tools).verdict;
}

/* A register that cannot be put at rest, or that keeps what was selected. */
Test(by_hand, event_0_can_be_selected)
{
    struct fake_msr *evtsel = fake_msr(&b.f, IA32_QM_EVTSEL, 0);

    fake_msr(&b.f, IA32_QM_CTR, 0);
    cr_expect_eq(verdict_of("qm.no-event"), VERDICT_PASS);
    evtsel->write_faults = true;
    cr_expect_eq(verdict_of("qm.no-event"), VERDICT_WARN);
    evtsel->write_faults = false;
    evtsel->value[0] = 0x100000001;
    evtsel->sticks = true;
    cr_expect_eq(verdict_of("qm.no-event"), VERDICT_WARN);
}

static void amd(uint64_t echo)
{
    for (uint32_t i = 0; i < 2; i++) {
        b.m.cpus[i].id = (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 2 };
        b.m.cpus[i].rdt.qosx_known = true;
    }
    fake_msr(&b.f, IA32_PQR_ASSOC, 0);
    fake_msr(&b.f, L3_QOS_EXT_CFG, 0);
    fake_msr(&b.f, L3_QOS_ABMC_CFG, 0);
    fake_msr(&b.f, L3_QOS_ABMC_DSC, echo);
    cr_assert_eq(ledger_touch_msr(&b.f.platform, IA32_PQR_ASSOC, LEDGER_CONTROL), ST_OK);
}

static uint64_t assigned(uint64_t rmid)
{
    return BIT(62) | field_put(L3_QOS_ABMC_CFG_BW_SRC, rmid) | 0x7F;
}

Test(by_hand, a_counter_that_echoes_its_assignment_passes)
{
    amd(assigned(1));
    cr_expect_eq(verdict_of("amd.assign"), VERDICT_PASS);
    cr_expect_eq(b.f.msrs[1].value[0], 0, "counters are off again");
    cr_expect_eq(b.f.msrs[2].value[0], 0);
}

Test(by_hand, an_assignment_that_is_lost_is_noticed)
{
    amd(0);
    cr_expect_eq(verdict_of("amd.assign"), VERDICT_WARN);
}

Test(by_hand, an_assignment_to_another_rmid_is_noticed)
{
    amd(assigned(3));
    cr_expect_eq(verdict_of("amd.assign"), VERDICT_WARN);
}

Test(by_hand, an_error_of_an_assignment_is_noticed)
{
    amd(assigned(1) | BIT(63));
    cr_expect_eq(verdict_of("amd.assign"), VERDICT_WARN);
}

/* 80000020H.3:ECX: the fake processor 1 enumerates type 0 alone, and other types must be zero. */
Test(by_hand, an_assignment_asks_for_types_that_the_part_has)
{
    amd(BIT(62) | field_put(L3_QOS_ABMC_CFG_BW_SRC, 1) | 1);
    b.m.reference = 1;
    cr_expect_eq(verdict_of("amd.assign"), VERDICT_PASS);
}

/* APM vol. 2 19.3.3.3: an assignment clears the counter. RMID 1 read 8 MiB, then RMID 2 has it and moves nothing. */
static enum verdict assigned_verdict(double counted, double begins)
{
    static const struct check_row row = { .id = "amd.assign-count", .grade = GRADE_W };
    struct assigned_counts a = { .rmids = { 1, 2 }, .read = 8388608, .counted = counted, .begins = begins };
    struct check c = {
        .row = &row, .platform = &b.f.platform, .machine = &b.m, .tools = &b.tools, .verdict = VERDICT_PASS
    };

    judge_assigned_counts(&c, 0, &a);
    check_close(&c, c.verdict);
    return c.verdict;
}

Test(by_hand, a_counter_that_begins_at_zero_passes)
{
    cr_expect_eq(assigned_verdict(8388608, 0), VERDICT_PASS);
    cr_expect_eq(assigned_verdict(8400000, 64), VERDICT_PASS, "a line of somebody's");
    cr_expect_eq(assigned_verdict(16777216, 0), VERDICT_PASS, "prefetchers may have read more");
}

Test(by_hand, a_counter_that_keeps_the_count_of_the_rmid_before_is_noticed)
{
    cr_expect_eq(assigned_verdict(8388608, 8388608), VERDICT_WARN);
    cr_expect_eq(assigned_verdict(8388608, 4194304), VERDICT_WARN, "half of it");
}

Test(by_hand, an_assigned_counter_that_counts_nothing_is_noticed)
{
    cr_expect_eq(assigned_verdict(0, 0), VERDICT_WARN);
    cr_expect_eq(assigned_verdict(1000000, 0), VERDICT_WARN);
}

Test(by_hand, without_memory_an_assigned_counter_is_not_judged)
{
    amd(assigned(1));
    cr_expect_eq(verdict_of("amd.assign-count"), VERDICT_SKIP);
    cr_expect_eq(b.f.msrs[1].value[0], 0, "counters are off again");
}

/* RS-12: a record, which says nothing of a processor that firmware started. */
Test(by_hand, what_was_read_after_init_is_marked)
{
    struct check c;

    fake_msr(&b.f, IA32_PQR_ASSOC, 0);
    cr_assert_eq(ledger_touch_msr(&b.f.platform, IA32_PQR_ASSOC, LEDGER_CONTROL), ST_OK);
    b.tools.pqr_recorded = true;
    c = run_one("reset.pqr", &b.f.platform, &b.m, &b.tools);
    cr_expect_eq(c.verdict, VERDICT_PASS);
    cr_expect_eq(c.n_notes, 0);
    b.f.platform.mp_method = MP_METHOD_SIPI;
    c = run_one("reset.pqr", &b.f.platform, &b.m, &b.tools);
    cr_expect_eq(c.verdict, VERDICT_PASS);
    cr_expect_eq(c.n_notes, 1);
    cr_expect_eq(c.n_measurements, 1);
}

/* --- requests to the L3: an L2 of 2 MiB and 16 ways, two L1s of 48 KiB. Of 1 MiB 224 KiB can stay. */

/* 16384 lines once, 12800 of them twice more, less 8 %. */
Test(by_hand, what_cannot_stay_is_asked_for_again)
{
    cr_expect_float_eq(requests_least(1048576, 229376), 0.92 * (16384 + 2 * 12800), 0.5);
    cr_expect_float_eq(requests_least(1048576, 2097152), 0.92 * 16384, 0.5, "all of it can stay");
}

static enum verdict l2_verdict(double few)
{
    static const struct check_row row = { .id = "l2.misses", .grade = GRADE_W };
    struct check c = {
        .row = &row, .platform = &b.f.platform, .machine = &b.m, .tools = &b.tools, .verdict = VERDICT_PASS
    };

    judge_l2_requests(&c, 0, 1048576, 229376, 16400, few);
    check_close(&c, c.verdict);
    return c.verdict;
}

Test(by_hand, a_mask_of_the_l2_that_does_not_act_is_noticed)
{
    cr_expect_eq(l2_verdict(49152), VERDICT_PASS, "nothing stays: the oldest is replaced first");
    cr_expect_eq(l2_verdict(42000), VERDICT_PASS, "one way's worth stays");
    cr_expect_eq(l2_verdict(16400), VERDICT_WARN, "all of it stays, as with all ways");
    cr_expect_eq(l2_verdict(30000), VERDICT_WARN, "half of the ways");
}

Test(by_hand, a_flag_that_the_second_read_still_has_is_noticed)
{
    struct fake_msr *ctr;

    fake_msr(&b.f, IA32_QM_EVTSEL, 0);
    ctr = fake_msr(&b.f, IA32_QM_CTR, 5);
    cr_expect_eq(verdict_of("qm.overflow-flag"), VERDICT_SKIP, "there is no flag");
    b.m.cpus[0].rdt.overflow_bit = true;
    cr_expect_eq(verdict_of("qm.overflow-flag"), VERDICT_PASS);
    ctr->value[0] |= BIT(61);
    cr_expect_eq(verdict_of("qm.overflow-flag"), VERDICT_WARN);
}

Test(by_hand, a_tag_that_does_not_stay_is_noticed)
{
    struct fake_msr *pqr = fake_msr(&b.f, IA32_PQR_ASSOC, 0);

    cr_expect_eq(verdict_of("pqr.cost"), VERDICT_PASS);
    pqr->absent[0] = pqr->absent[1] = true;
    cr_expect_eq(verdict_of("pqr.cost"), VERDICT_ERROR, "there is no such register");
}

Test(by_hand, registers_without_their_feature_are_not_asked_for)
{
    b.m.cpus[0].rdt.resource_priority = false;
    cr_expect_eq(verdict_of("reset.priority"), VERDICT_SKIP);
    b.m.cpus[0].rdt.resource_priority = true;
    fake_msr(&b.f, IA32_RESOURCE_PRIORITY, 0);
    fake_msr(&b.f, IA32_RESOURCE_PRIORITY_PKG, 1);
    cr_expect_eq(verdict_of("reset.priority"), VERDICT_PASS);
}

static void cache_bandwidth(uint32_t levels_less_1)
{
    struct rdt_info *rdt = &b.m.cpus[0].rdt;

    rdt->cba = true;
    rdt->leaf10_5 = (struct rdt_leaf){ .known = true, .regs = { .eax = levels_less_1, .edx = 3 } };
}

/* 356688 3.2.5.3: a level above the greatest raises #GP. */
Test(by_hand, a_level_above_the_greatest_must_be_refused)
{
    struct fake_msr *levels = fake_msr(&b.f, IA32_QoS_Core_BW_Thrtl(0), 0);

    cr_expect_eq(verdict_of("cba.limit"), VERDICT_SKIP, "nothing of it is enumerated");
    cache_bandwidth(7);
    levels->reserved = UINT64_C(0xF8F8F8F8F8F8F8F8);
    cr_expect_eq(verdict_of("cba.limit"), VERDICT_PASS);
    cr_expect_eq(levels->value[1], 0, "and goes back");
    levels->reserved = UINT64_C(0xF8F8F8F8F8F800F8);
    cr_expect_eq(verdict_of("cba.limit"), VERDICT_FAIL, "class 1 takes it");
    levels->reserved = UINT64_C(0xFCFCFCFCFCFCFCFC);
    cr_expect_eq(verdict_of("cba.limit"), VERDICT_FAIL, "levels that are enumerated are refused");
    cache_bandwidth(255);
    cr_expect_eq(verdict_of("cba.limit"), VERDICT_SKIP);
}

/* --- parts of a kind */

static void broadwell(void)
{
    struct rdt_info *rdt = &b.m.cpus[0].rdt;

    b.m.cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_INTEL, .family = 6, .model = 0x4F, .stepping = 1 };
    *rdt = (struct rdt_info){ .monitoring = true,
                              .allocation = true,
                              .l3_known = true,
                              .leaf10_known = true,
                              .max_rmid = 63,
                              .upscaling_factor = 32768,
                              .counter_width = 24 };
    rdt->leaf0f[1].regs.edx = 7;
    rdt->leaf10[0].regs.ebx = 2;
    rdt->l3 = (struct rdt_cat){
        .present = true, .known = true, .cbm_len = 20, .shareable = 0xC0000, .cdp = true, .clos = 16
    };
    b.m.domains[0].l3_bytes = UINT64_C(20) << 20;
}

Test(by_hand, a_part_that_shows_all_it_has_passes)
{
    broadwell();
    cr_expect_eq(verdict_of("enum.kind"), VERDICT_PASS);
}

Test(by_hand, a_part_that_shows_less_is_noticed)
{
    struct rdt_info *rdt = &b.m.cpus[0].rdt;

    broadwell();
    rdt->l3.clos = 4; /* as firmware of a Xeon D does: intel-cmt-cat issue 42 */
    cr_expect_eq(verdict_of("enum.kind"), VERDICT_WARN);
    broadwell();
    rdt->l3.cdp = false;
    cr_expect_eq(verdict_of("enum.kind"), VERDICT_WARN);
    broadwell();
    rdt->max_rmid = 31;
    cr_expect_eq(verdict_of("enum.kind"), VERDICT_WARN);
    broadwell();
    b.m.domains[0].l3_bytes /= 2;
    cr_expect_eq(verdict_of("enum.kind"), VERDICT_WARN);
    broadwell();
    rdt->monitoring = rdt->l3_known = false;
    cr_expect_eq(verdict_of("enum.kind"), VERDICT_WARN);
}

/* Recorded machines: what was sold is what the table has. Where the recording has other figures than the table, its
 * part is one of a kind that the table leaves room for. */
static void expect_kind(enum replay_folder which)
{
    struct replay_index *x = replay_index_open(replay_folder(which));

    cr_assert_gt(replay_index_rows(x), 0);
    for (uint32_t row = 0; row < replay_index_rows(x); row++) {
        struct replay *r = replay_index_open_row(x, row);
        const char *factor = replay_index_get(x, row, "upscale"); /* "-": none, "?": not in the recording */
        struct machine m;
        struct check c;

        cr_assert_not_null(r);
        cr_assert_eq(machine_enumerate(replay_platform(r), &m), ST_OK);
        c = run_one("enum.kind", replay_platform(r), &m, NULL);
        cr_expect_neq(c.verdict, VERDICT_FAIL);
        cr_expect_neq(c.verdict, VERDICT_ERROR);
        if (*factor >= '1' && *factor <= '9' && !m.hypervisor)
            cr_expect(c.verdict == VERDICT_PASS || c.verdict == VERDICT_SKIP, "%s: %s: %s",
                      replay_index_get(x, row, "file"), verdict_text(c.verdict), c.reason);
        machine_free(&m);
        replay_free(r);
    }
    replay_index_free(x);
}

Test(more_checks, recorded_parts_enumerate_what_their_kind_does)
{
    expect_kind(REPLAY_FIXTURES);
    if (*replay_folder(REPLAY_COLLECTION))
        expect_kind(REPLAY_COLLECTION);
}

/* A recording has no registers, and not every sub-leaf: what is unknown is neither right nor wrong. (Recordings that
 * have no leaf 7 sub-leaf 1 cannot say whether they are asymmetric, which is an ERROR: not among these.) */
static void expect_unknown_is_skipped(enum replay_folder which)
{
    static const char *const ids[] = { "enum.cdp-register", "enum.rmid-range", "enum.absent-resources" };
    struct replay_index *x = replay_index_open(replay_folder(which));

    cr_assert_gt(replay_index_rows(x), 0);
    for (uint32_t row = 0; row < replay_index_rows(x); row++) {
        struct replay *r = replay_index_open_row(x, row);
        struct machine m;

        cr_assert_not_null(r);
        cr_assert_eq(machine_enumerate(replay_platform(r), &m), ST_OK);
        for (uint32_t i = 0; i < sizeof ids / sizeof ids[0] && m.cpus[m.reference].rdt.monitoring; i++) {
            struct check c = run_one(ids[i], replay_platform(r), &m, NULL);

            cr_expect(c.verdict != VERDICT_FAIL && c.verdict != VERDICT_ERROR, "%s: %s is %s: %s",
                      replay_index_get(x, row, "file"), ids[i], verdict_text(c.verdict), c.reason);
        }
        machine_free(&m);
        replay_free(r);
    }
    replay_index_free(x);
}

Test(more_checks, what_a_recording_has_not_is_skipped)
{
    expect_unknown_is_skipped(REPLAY_FIXTURES);
    if (*replay_folder(REPLAY_COLLECTION))
        expect_unknown_is_skipped(REPLAY_COLLECTION);
}
