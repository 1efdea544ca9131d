/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of queues, filters and matches on the host model, with a register between that does otherwise than it should.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/pmon_bench.h"

/* --- queues: hswep_uncore_cbox, CBo 0: controls E01H to E04H, counters E08H to E0BH ------------------------------- */

#define EDGE_DET (UINT64_C(1) << 18)
#define THRESH   (UINT64_C(0xFF) << 24)

Test(pmon_queues, an_occupancy_whose_edges_are_levels_fails)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", lose, 0xE01, EDGE_DET);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "CBo 0 counter 0: times that the queue began to fill"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_queues, an_occupancy_that_no_threshold_cuts_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", lose, 0xE01, THRESH);

    cr_expect_eq(r->verdict, VERDICT_FAIL, "an edge wants a threshold too");
    cr_expect(strstr(b.run->text, "CBo 0: clocks with 1, 2, 3 and 4 entries make"), "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_queues, inserts_that_are_dead_beside_an_occupancy_fail)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", tell, 0xE09, 0);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "it holds entries, and its inserts count none"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_queues, an_occupancy_that_is_dead_beside_inserts_fails)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", tell, 0xE08, 0);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "entries stay less than a clock"), "%s", r->reason);
    bench_free(&b);
}

/* What counter 0 of every CBo reads, times factor / 2, and loads that take so many ticks of the TSC (0: as they do). */
static uint64_t factor, ticks_of_load;

static enum status count_otherwise(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st = real_ops->run(machine, tasks, n, budget_ms);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++) {
            struct step *s = &tasks[i].steps[k];

            if (s->op == STEP_RDMSR && (s->reg & ~UINT32_C(0x1F0)) == 0xE08)
                s->value = s->value * factor / 2;
            if (s->op == STEP_WORK && ticks_of_load)
                s->work->tsc_end = s->work->tsc_begin + ticks_of_load;
        }
    return st;
}

static enum verdict occupancy_with(struct bench *b, uint64_t halves, uint64_t ticks)
{
    factor = halves;
    ticks_of_load = ticks;
    *b = bench_of("bdx", 1, "pmon.occupancy");
    return run_hooked(b, "pmon.occupancy", count_otherwise, 0, 0)->verdict;
}

Test(pmon_queues, an_occupancy_that_adds_everything_twice_fails)
{
    struct bench b;

    cr_expect_eq(occupancy_with(&b, 4, 0), VERDICT_FAIL);
    cr_expect(says(&b, "clocks without an entry, idle: more clocks"), "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_queues, an_occupancy_that_adds_every_other_time_is_told)
{
    struct bench b;

    cr_expect_eq(occupancy_with(&b, 1, 0), VERDICT_WARN);
    cr_expect(says(&b, "its queue is empty in 49 of 100 clocks"), "%s", b.run->text);
    bench_free(&b);
}

/* Threshold 2 lets through what threshold 0 does: every entry is two. */
Test(pmon_queues, an_occupancy_whose_every_entry_counts_as_two_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", lose, 0xE01, UINT64_C(0x2000000));

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(says(&b, "an entry there are two"), "%s", b.run->text);
    bench_free(&b);
}

/* Entries of the model stay about 143 ticks of 2.6 GHz. */
Test(pmon_queues, entries_that_stay_longer_than_their_loads_wait_are_told)
{
    struct bench b;

    cr_expect_eq(occupancy_with(&b, 2, 105), VERDICT_WARN);
    cr_expect(says(&b, "package 0 CBo: entries stay 1"), "%s", b.run->text);
    bench_free(&b);
    cr_expect_eq(occupancy_with(&b, 2, 250), VERDICT_PASS);
    bench_free(&b);
}

/* hswep_uncore_imc: channel 0 of the first controller is device 20 function 0, counter 0 at A0H. */
static enum status channel_counts_more(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                       uint32_t *value)
{
    enum status st = real_ops->pci_read(machine, at, offset, width, value);

    if (at.device == 20 && at.function == 0 && offset == 0xA0)
        *value *= 16;
    return st;
}

Test(pmon_queues, entries_that_stay_longer_than_what_waits_for_them_are_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    struct platform_ops ops = *b.mp->platform.ops;

    real_ops = b.mp->platform.ops;
    ops.pci_read = channel_counts_more;
    b.mp->platform.ops = &ops;
    cr_expect_eq(run_one(&b, "pmon.occupancy")->verdict, VERDICT_FAIL);
    cr_expect(says(&b, "iMC 0 counter 0: clocks with an entry, and those without"), "%s", b.run->text);
    cr_expect(says(&b, "its CBos which wait for them"), "%s", b.run->text);
    bench_free(&b);
}

/* SDM vol. 3B 18.8.2.2, OCC_CTR_RST: "It will always read as a zero." */
Test(pmon_queues, an_occupancy_reset_that_reads_one_fails)
{
    struct bench b = bench_of("nhm", 1, "pmon.occupancy-reset");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy-reset", tell, 0x3C0, UINT64_C(0x420102));

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "it always reads as a zero"), "%s", r->reason);
    bench_free(&b);
}

/* The reset of the box leaves what the queue held: here the count goes on as if one entry stayed. */
Test(pmon_queues, a_queue_that_goes_on_counting_when_idle_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy-reset");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy-reset", tell, 0xE08, 10000000);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "CBo 0: after its reset the idle queue counts"), "%s", r->reason);
    bench_free(&b);
}

/* --- filters: 327043-001 2.3.3.3; tid_en is bit 19 of a control, that of counter 0 of CBo 0 is E01H --------------- */

Test(pmon_queues, a_filter_that_goes_by_thread_passes)
{
    struct bench b = bench_of("bdx", 1, "pmon.filter-thread");

    cr_expect_eq(run_one(&b, "pmon.filter-thread")->verdict, VERDICT_PASS, "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_queues, a_slice_that_does_not_heed_the_thread_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.filter-thread");
    const struct whole_result *r = run_hooked(&b, "pmon.filter-thread", lose, 0xE01, UINT64_C(1) << 19);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "with every value of tid in turn"), "%s", r->reason);
    bench_free(&b);
}

static enum status lose_tid_en(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_WRMSR && (tasks[i].steps[k].reg & ~UINT32_C(0x1F0)) == 0xE01)
                tasks[i].steps[k].value &= ~(UINT64_C(1) << 19);
    return real_ops->run(machine, tasks, n, budget_ms);
}

Test(pmon_queues, slices_that_do_not_filter_by_thread_are_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.filter-thread");
    const struct whole_result *r = run_hooked(&b, "pmon.filter-thread", lose_tid_en, 0, 0);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "whatever tid is"), "%s", r->reason);
    bench_free(&b);
}

/* A run of pmon.filter-opcode in which a register is not as written: a WARN that says so. */
static void expect_opcode_told(const char *profile, run_hook hook, uint32_t msr, uint64_t bits, const char *said)
{
    struct bench b = bench_of(profile, 1, "pmon.filter-opcode");
    const struct whole_result *r = run_hooked(&b, "pmon.filter-opcode", hook, msr, bits);

    cr_expect_eq(r->verdict, VERDICT_WARN, "%s", profile);
    cr_expect(strstr(r->reason, said), "%s: %s", profile, r->reason);
    bench_free(&b);
}

/* skx_uncore_chabox: FILTER1 of CHA 0 is E06H; its opcode stands in 18:9, or bit 3 lets all pass. */
Test(pmon_queues, a_filter_that_lets_every_opcode_pass_is_told)
{
    expect_opcode_told("skx", stick, 0xE06, 8, "CHA 0: with opcode RFO (filter 0x40033, ");
}

/* 329468-002, Linux HSWEP_CB0_MSR_PMON_BOX_FILTER_OPC: opc 28:20, 182H DRd. Without its bit 1 it is 180H, RFO. */
Test(pmon_queues, an_opcode_that_loses_a_bit_is_named_before_skylake_too)
{
    expect_opcode_told("bdx", lose, 0xE06, UINT64_C(2) << 20, "CBo 0: with opcode DRd (filter 0x18200000, ");
}

/* Event files: IA_MISS_DRD C817FEH, IA_MISS_RFO C807FEH, from bit 32 of the control on: CHA 0's first is E01H. */
Test(pmon_queues, an_opcode_in_the_control_that_loses_a_bit_is_named)
{
    expect_opcode_told("icx", lose, 0xE01, UINT64_C(1) << 44, "CHA 0: with opcode DRd (filter 0x0, control 0xc817fe");
}

Test(pmon_queues, opcodes_that_are_told_apart_pass)
{
    static const char *const profiles[] = { "snbep", "hsx", "skx", "icx", "spr" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        struct bench b = bench_of(profiles[i], 1, "pmon.filter-opcode");

        cr_expect_eq(run_one(&b, "pmon.filter-opcode")->verdict, VERDICT_PASS, "%s", profiles[i]);
        bench_free(&b);
    }
}

/* --- traffic.throttled: RDT Architecture Specification 356688 3.2 */

#define THROTTLE_1 0xD51u /* IA32_L2_QoS_Ext_BW_Thrtl_1 */
#define QM_CTR     0xC8Eu

static bool throttled;

/* IA32_QM_CTR shows half of its count while class 1 has a delay. */
static enum status halve_throttled(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st = real_ops->run(machine, tasks, n, budget_ms);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++) {
            struct step *step = &tasks[i].steps[k];

            if (step->op == STEP_WRMSR && step->reg == THROTTLE_1)
                throttled = step->value != 0;
            else if (throttled && step->op == STEP_RDMSR && step->reg == QM_CTR && !(step->value >> 62))
                step->value /= 2;
        }
    return st;
}

Test(pmon_queues, a_count_that_is_halved_under_a_throttle_fails)
{
    struct bench b = bench_of("skx", 1, "traffic.throttled");
    const struct whole_result *r = run_hooked(&b, "traffic.throttled", halve_throttled, 0, 0);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "1 streams, delay 40: MBM counts"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_queues, a_throttle_takes_nothing_from_the_counts)
{
    static const char *const profiles[] = { "skx", "icx", "spr" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        struct bench b = bench_of(profiles[i], 1, "traffic.throttled");

        cr_expect_eq(run_one(&b, "traffic.throttled")->verdict, VERDICT_PASS, "%s", profiles[i]);
        bench_free(&b);
    }
}

/* --- Nehalem: MSR 396H, SDM vol. 3B 18.8.2.3 -----------------------------------------------------------------------
 */

static uint64_t last_match, matched_line;
static bool match_all, line_was_read;

/* Counter 0 sees 512 requests for the line that is read, if that is what 396H asks for. */
static enum status match_requests(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++) {
            struct step *s = &tasks[i].steps[k];

            if (s->op == STEP_WORK && s->work->kind == WORK_READ) {
                matched_line = s->work->base;
                line_was_read = true;
            }
            if (s->op == STEP_WRMSR && s->reg == 0x396)
                last_match = s->value;
            if (s->op == STEP_WRMSR && s->reg == 0x3B0)
                line_was_read = false;
        }
    st = real_ops->run(machine, tasks, n, budget_ms);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_RDMSR && tasks[i].steps[k].reg == 0x3B0)
                tasks[i].steps[k].value =
                    line_was_read && (match_all || last_match == (matched_line | UINT64_C(4) << 61)) ? 512 : 0;
    return st;
}

Test(pmon_queues, requests_that_match_by_their_address_pass)
{
    struct bench b = bench_of("nhm", 1, "pmon.match");

    match_all = false;
    cr_expect_eq(run_hooked(&b, "pmon.match", match_requests, 0, 0)->verdict, VERDICT_PASS, "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_queues, requests_that_match_whatever_their_address_are_told)
{
    struct bench b = bench_of("nhm", 1, "pmon.match");

    match_all = true;
    cr_expect_eq(run_hooked(&b, "pmon.match", match_requests, 0, 0)->verdict, VERDICT_WARN);
    cr_expect(says(&b, "of another") && says(&b, "MatchSel"), "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_queues, a_match_register_that_loses_a_bit_fails_and_goes_back)
{
    struct bench b = bench_of("nhm", 1, "pmon.match");
    const struct whole_result *r = run_hooked(&b, "pmon.match", lose, 0x396, UINT64_C(1) << 41);
    uint64_t value = 1;

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "MSR 0x396 was written 0x"), "%s", r->reason);
    b.mp->platform.ops = real_ops;
    cr_expect_eq(msr_read(&b.mp->platform, 0, 0x396, &value), ST_OK);
    cr_expect_eq(value, 0);
    bench_free(&b);
}
