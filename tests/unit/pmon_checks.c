/* Checks of uncore monitors on machines that are wrong in one way, made by hand around the host model: what firmware
 * says of the memory, registers that stop answering while they are programmed, counters that somebody else uses. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/pmon.h"
#include "core/ledger.h"
#include "core/machine.h"
#include "tests/unit/support/whole_run.h"

struct bench {
    struct model_platform *mp;
    struct machine *machine;
    struct ledger ledger;
    struct whole_run *run;
};

static struct bench bench_of(const char *profile, uint32_t packages, const char *tests)
{
    struct model_config config = { .profile = profile, .packages = packages, .cores = 2, .threads = 1, .seed = 5 };
    struct bench b = { .mp = model_platform_new(&config, 0),
                       .machine = calloc(1, sizeof *b.machine),
                       .run = calloc(1, sizeof *b.run) };

    cr_assert(b.mp);
    cr_assert_eq(ledger_init(&b.mp->platform, &b.ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&b.mp->platform, b.machine), ST_OK);
    ledger_free(&b.ledger);
    b.run->mp = b.mp;
    b.run->tests[0] = tests;
    return b;
}

static const struct whole_result *run_one(struct bench *b, const char *id)
{
    const struct whole_result *r;

    whole_run_on(&b->mp->platform, b->machine, b->run);
    r = whole_run_find(b->run, id);
    cr_assert(r, "%s did not run", id);
    return r;
}

static void bench_free(struct bench *b)
{
    machine_free(b->machine);
    free(b->machine);
    whole_run_free(b->run);
    free(b->run);
}

/* --- D1: the memory that is fitted -------------------------------------------------------------------------------- */

/* A part with four channels a package: all of them count. */
Test(pmon_checks, more_channels_than_modules_are_told)
{
    struct bench b = bench_of("bdx", 1, "traffic.channels");
    const struct whole_result *r;

    b.machine->smbios.n_ddr_dimms = 3;
    r = run_one(&b, "traffic.channels");
    cr_expect_eq(r->verdict, VERDICT_WARN, "%s", r->reason);
    cr_expect(strstr(r->reason, "4 memory channels count, and SMBIOS lists 3 modules"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, a_module_for_each_channel_is_enough)
{
    struct bench b = bench_of("bdx", 1, "traffic.channels");

    b.machine->smbios.n_ddr_dimms = 4;
    cr_expect_eq(run_one(&b, "traffic.channels")->verdict, VERDICT_PASS);
    bench_free(&b);
}

/* --- an MSR that stops answering half way through programming ----------------------------------------------------- */

#define CBO_1_CTL2 0xE13u /* Linux uncore_snbep.c hswep_uncore_cbox: E00H + 10H, controls from 1 */

static const struct platform_ops *real_ops;
static uint32_t refused_msr;
static uint32_t patience; /* writes of it that still succeed */

/* The steps of the task up to one that writes the register are done, that one raises #GP, the rest follows. */
static enum status refuse(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st;
    struct step *hit = NULL;

    for (uint32_t i = 0; i < n && !hit; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps && !hit; k++)
            if (tasks[i].steps[k].op == STEP_WRMSR && tasks[i].steps[k].reg == refused_msr && patience-- == 0) {
                hit = &tasks[i].steps[k];
                patience = 0;
            }
    if (hit)
        hit->op = STEP_RDMSR;
    st = real_ops->run(machine, tasks, n, budget_ms);
    if (hit) {
        hit->op = STEP_WRMSR;
        hit->status = ST_FAULT;
    }
    return st;
}

Test(pmon_checks, an_msr_that_faults_while_it_is_programmed_is_a_named_error_and_goes_back)
{
    struct bench b = bench_of("bdx", 1, "pmon.enable");
    struct platform_ops ops = *b.mp->platform.ops;
    const struct whole_result *r;
    uint64_t value = 1;

    real_ops = b.mp->platform.ops;
    ops.run = refuse;
    refused_msr = CBO_1_CTL2;
    patience = 1; /* the first programming goes well */
    b.mp->platform.ops = &ops;
    r = run_one(&b, "pmon.enable");
    cr_expect_eq(r->verdict, VERDICT_ERROR);
    cr_expect(strstr(r->reason, "CBo 1"), "%s", r->reason);
    cr_expect(strstr(b.run->text, "0xe13"), "which register it was is told:\n%s", b.run->text);
    b.mp->platform.ops = real_ops;
    for (uint32_t msr = 0xE00; msr < 0xE20; msr++)
        if (msr_read(&b.mp->platform, 0, msr, &value) == ST_OK && (msr & 0xF) < 7)
            cr_expect_eq(value, 0, "MSR %#x is left at %#lx", msr, value);
    bench_free(&b);
}

/* --- a register that answers as told ------------------------------------------------------------------------------ */

static uint32_t told_msr;
static uint64_t told_value;

static enum status tell(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st = real_ops->run(machine, tasks, n, budget_ms);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_RDMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value = told_value;
    return st;
}

/* A bit that is stuck at 1 in a register that is written. */
static enum status stick(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_WRMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value |= told_value;
    return real_ops->run(machine, tasks, n, budget_ms);
}

/* A bit that is stuck at 0. */
static enum status lose(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_WRMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value &= ~told_value;
    return real_ops->run(machine, tasks, n, budget_ms);
}

typedef enum status (*run_hook)(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms);

static const struct whole_result *run_hooked(struct bench *b, const char *id, run_hook hook, uint32_t msr,
                                             uint64_t value)
{
    static struct platform_ops ops;

    real_ops = b->mp->platform.ops;
    ops = *real_ops;
    ops.run = hook;
    told_msr = msr;
    told_value = value;
    b->mp->platform.ops = &ops;
    return run_one(b, id);
}

/* Linux uncore_snbep.c skx_uncore_iio_freerunning: the IO clock of stack 0 is MSR A45H, 36 bits. */
#define IO_CLOCK 0xA45u

Test(pmon_checks, a_free_running_clock_that_stands_still_fails)
{
    struct bench b = bench_of("skx", 1, "pmon.free-running");
    const struct whole_result *r = run_hooked(&b, "pmon.free-running", tell, IO_CLOCK, 0x123456789);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "IIO 0 IO clock: it runs by itself and stands still at 0x123456789"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, bits_above_the_width_of_a_free_running_clock_fail)
{
    struct bench b = bench_of("skx", 1, "pmon.free-running");
    const struct whole_result *r = run_hooked(&b, "pmon.free-running", tell, IO_CLOCK, UINT64_C(0x1000000001));

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "bits above its 36 read 0x1000000000"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, free_running_clocks_of_a_good_machine_pass)
{
    struct bench b = bench_of("skx", 1, "pmon.free-running");

    cr_expect_eq(run_one(&b, "pmon.free-running")->verdict, VERDICT_PASS);
    bench_free(&b);
}

/* --- AMD: Linux arch/x86/events/amd/uncore.c, L3 controls at C0010230H + 2n, counters behind them, enable 22 */

Test(pmon_checks, an_l3_counter_of_amd_that_stands_still_fails)
{
    struct bench b = bench_of("zen3", 1, "pmon.gate");
    const struct whole_result *r = run_hooked(&b, "pmon.gate", tell, 0xC0010233, 0);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "L3 0 counter 1") && strstr(r->reason, "stands still"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, an_l3_counter_of_amd_that_counts_without_its_enable_fails)
{
    struct bench b = bench_of("zen3", 1, "pmon.gate");
    const struct whole_result *r = run_hooked(&b, "pmon.gate", stick, 0xC0010234, UINT64_C(1) << 22);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "L3 0 counter 2: counts with en 0"), "%s", r->reason);
    bench_free(&b);
}

/* Only these bits of the register are there. */
static enum status narrow(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st = real_ops->run(machine, tasks, n, budget_ms);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_RDMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value &= told_value;
    return st;
}

/* Data fabric: controls at C0010240H + 2n, 48-bit counters behind them. */
Test(pmon_checks, a_data_fabric_counter_of_47_bits_fails)
{
    struct bench b = bench_of("zen3", 1, "pmon.*");
    const struct whole_result *r = run_hooked(&b, "pmon.gate", narrow, 0xC0010243, (UINT64_C(1) << 47) - 1);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "DF counter 1: counts over the carry into its highest bit"), "%s", r->reason);
    cr_expect_eq(whole_run_find(b.run, "pmon.width")->verdict, VERDICT_FAIL, "it does not hold its highest bit either");
    bench_free(&b);
}

Test(pmon_checks, counters_of_amd_that_do_as_they_should_pass)
{
    struct bench b = bench_of("zen5", 1, "pmon.gate");

    cr_expect_eq(run_one(&b, "pmon.gate")->verdict, VERDICT_PASS);
    bench_free(&b);
}

/* --- queues: hswep_uncore_cbox, CBo 0: controls E01H to E04H, counters E08H to E0BH ------------------------------- */

#define EDGE_DET (UINT64_C(1) << 18)
#define THRESH   (UINT64_C(0xFF) << 24)

Test(pmon_checks, an_occupancy_whose_edges_are_levels_fails)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", lose, 0xE01, EDGE_DET);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "CBo 0 counter 0: times that the queue began to fill"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, an_occupancy_that_no_threshold_cuts_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", lose, 0xE01, THRESH);

    cr_expect_eq(r->verdict, VERDICT_FAIL, "an edge wants a threshold too");
    cr_expect(strstr(b.run->text, "CBo 0: clocks with 1, 2, 3 and 4 entries make"), "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_checks, inserts_that_are_dead_beside_an_occupancy_fail)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", tell, 0xE09, 0);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "it holds entries, and its inserts count none"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, an_occupancy_that_is_dead_beside_inserts_fails)
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

static bool says(const struct bench *b, const char *words)
{
    return strstr(b->run->text, words) != NULL;
}

Test(pmon_checks, an_occupancy_that_adds_everything_twice_fails)
{
    struct bench b;

    cr_expect_eq(occupancy_with(&b, 4, 0), VERDICT_FAIL);
    cr_expect(says(&b, "more clocks are counted than there were"), "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_checks, an_occupancy_that_adds_every_other_time_fails)
{
    struct bench b;

    cr_expect_eq(occupancy_with(&b, 1, 0), VERDICT_FAIL);
    cr_expect(says(&b, "idle: an idle queue is empty in most clocks, and it counts fewer"), "%s", b.run->text);
    bench_free(&b);
}

/* Threshold 2 lets through what threshold 0 does: every entry is two. */
Test(pmon_checks, an_occupancy_whose_every_entry_counts_as_two_fails)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy", lose, 0xE01, UINT64_C(0x2000000));

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(says(&b, "wherever there is one entry it counts two"), "%s", b.run->text);
    bench_free(&b);
}

/* Entries of the model stay about 143 ticks of 2.6 GHz. */
Test(pmon_checks, entries_that_stay_longer_than_their_loads_wait_are_told)
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

Test(pmon_checks, entries_that_stay_longer_than_what_waits_for_them_fail)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy");
    struct platform_ops ops = *b.mp->platform.ops;

    real_ops = b.mp->platform.ops;
    ops.pci_read = channel_counts_more;
    b.mp->platform.ops = &ops;
    cr_expect_eq(run_one(&b, "pmon.occupancy")->verdict, VERDICT_FAIL);
    cr_expect(says(&b, "iMC 0 counter 0: clocks with an entry, and those without"), "%s", b.run->text);
    cr_expect(says(&b, "package 0 iMC: entries stay"), "%s", b.run->text);
    bench_free(&b);
}

/* SDM vol. 3B 18.8.2.2, OCC_CTR_RST: "It will always read as a zero." */
Test(pmon_checks, an_occupancy_reset_that_reads_one_fails)
{
    struct bench b = bench_of("nhm", 1, "pmon.occupancy-reset");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy-reset", tell, 0x3C0, UINT64_C(0x420102));

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "it always reads as a zero"), "%s", r->reason);
    bench_free(&b);
}

/* The reset of the box leaves what the queue held: here the count goes on as if one entry stayed. */
Test(pmon_checks, a_queue_that_goes_on_counting_when_idle_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.occupancy-reset");
    const struct whole_result *r = run_hooked(&b, "pmon.occupancy-reset", tell, 0xE08, 10000000);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "CBo 0: after its reset the idle queue counts"), "%s", r->reason);
    bench_free(&b);
}

/* --- UCLK: MSR 621H bits 6:0, in units of 100 MHz ----------------------------------------------------------------- */

Test(pmon_checks, a_clock_that_is_not_the_ratio_that_its_package_tells_is_told)
{
    struct bench b = bench_of("skx", 1, "pmon.uclk-ratio");
    const struct whole_result *r = run_hooked(&b, "pmon.uclk-ratio", tell, 0x621, 0x3F);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "MSR 0x621 tells of 63 times 100 MHz"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, a_package_that_tells_no_ratio_is_skipped)
{
    struct bench b = bench_of("skx", 1, "pmon.uclk-ratio");

    cr_expect_eq(run_hooked(&b, "pmon.uclk-ratio", tell, 0x621, 0)->verdict, VERDICT_SKIP);
    bench_free(&b);
}

Test(pmon_checks, a_clock_at_the_ratio_that_its_package_tells_passes)
{
    struct bench b = bench_of("skx", 2, "pmon.uclk-ratio");

    cr_expect_eq(run_one(&b, "pmon.uclk-ratio")->verdict, VERDICT_PASS);
    bench_free(&b);
}

/* --- filters: 327043-001 2.3.3.3; a working thread filter is put in front of the model's counts --------------------
 */

#define TID_EN (UINT64_C(1) << 19)
static uint64_t last_ctl[32], last_filter[32], tid_mask;
static uint32_t last_reader;

static void watch_slices(struct step *s, uint32_t cpu, bool after)
{
    uint32_t slice = s->reg >> 4 & 31, at = s->reg & 15;

    if (!after && s->op == STEP_WORK && s->work->kind == WORK_READ)
        last_reader = cpu;
    if ((s->op != STEP_WRMSR && s->op != STEP_RDMSR) || s->reg < 0xE00 || s->reg >= 0xF00)
        return;
    if (!after && s->op == STEP_WRMSR && at == 1)
        last_ctl[slice] = s->value;
    if (!after && s->op == STEP_WRMSR && at == 5)
        last_filter[slice] = s->value;
    if (after && s->op == STEP_RDMSR && at == 8 && (last_ctl[slice] & TID_EN) &&
        (last_filter[slice] & tid_mask) != ((2 * last_reader + 6) & tid_mask))
        s->value = 0;
}

static enum status filter_threads(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    enum status st;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            watch_slices(&tasks[i].steps[k], tasks[i].cpu, false);
    st = real_ops->run(machine, tasks, n, budget_ms);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            watch_slices(&tasks[i].steps[k], tasks[i].cpu, true);
    return st;
}

Test(pmon_checks, a_filter_that_goes_by_thread_passes)
{
    struct bench b = bench_of("bdx", 1, "pmon.filter-thread");

    tid_mask = 0x3F;
    cr_expect_eq(run_hooked(&b, "pmon.filter-thread", filter_threads, 0, 0)->verdict, VERDICT_PASS, "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_checks, a_filter_that_does_not_heed_the_thread_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.filter-thread");
    const struct whole_result *r;

    tid_mask = 0x3E; /* both threads of a core pass */
    r = run_hooked(&b, "pmon.filter-thread", filter_threads, 0, 0);
    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "of 64 values of tid 2 let the misses of one processor pass"), "%s", r->reason);
    bench_free(&b);
}

/* skx_uncore_chabox: FILTER1 of CHA 0 is E06H; its opcode stands in 18:9, or bit 3 lets all pass. */
Test(pmon_checks, a_filter_that_lets_every_opcode_pass_is_told)
{
    struct bench b = bench_of("skx", 1, "pmon.filter-opcode");
    const struct whole_result *r = run_hooked(&b, "pmon.filter-opcode", stick, 0xE06, 8);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "CHA 0: with FILTER1 0x40033 (opcode RFO)"), "%s", r->reason);
    bench_free(&b);
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

Test(pmon_checks, requests_that_match_by_their_address_pass)
{
    struct bench b = bench_of("nhm", 1, "pmon.match");

    match_all = false;
    cr_expect_eq(run_hooked(&b, "pmon.match", match_requests, 0, 0)->verdict, VERDICT_PASS, "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_checks, requests_that_match_whatever_their_address_are_told)
{
    struct bench b = bench_of("nhm", 1, "pmon.match");

    match_all = true;
    cr_expect_eq(run_hooked(&b, "pmon.match", match_requests, 0, 0)->verdict, VERDICT_WARN);
    cr_expect(says(&b, "of another") && says(&b, "MatchSel"), "%s", b.run->text);
    bench_free(&b);
}

Test(pmon_checks, a_match_register_that_loses_a_bit_fails_and_goes_back)
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

/* --- frequency bands: hswep_uncore_pcu, filter 715H, counters 717H to 71AH ---------------------------------------- */

Test(pmon_checks, a_band_that_goes_by_no_threshold_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.bands");
    const struct whole_result *r = run_hooked(&b, "pmon.bands", lose, 0x715, 0xFF00); /* band 1's byte */

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "PCU counter 1: cycles at 25.5 GHz or more"), "%s", r->reason);
    bench_free(&b);
}

Test(pmon_checks, bands_that_go_by_their_thresholds_pass)
{
    struct bench b = bench_of("snbep", 1, "pmon.bands");

    cr_expect_eq(run_one(&b, "pmon.bands")->verdict, VERDICT_PASS);
    bench_free(&b);
}

/* --- sub-events, overflow ----------------------------------------------------------------------------------------- */

/* Linux uncore_snbep.c skx_uncore_chabox: CHA 0 counters from E08H. TOR inserts, of which hits (counter 1) are lost. */
Test(pmon_checks, sub_events_that_do_not_make_the_event_fail)
{
    struct bench b = bench_of("skx", 1, "traffic.parts");
    const struct whole_result *r = run_hooked(&b, "traffic.parts", tell, 0xE0A, 12345678);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "CHA 0 counter 0: sub-events 0x11 and 0x21 of event 0x35 umask 0x31 (tor_all)"), "%s",
              r->reason);
    bench_free(&b);
}

/* SDM vol. 3B 18.8.2: event 2CH counts memory reads by channel, 2FH writes; counter 0 ignores channel 2. */
Test(pmon_checks, a_umask_bit_that_is_ignored_fails)
{
    struct bench b = bench_of("nhm", 1, "traffic.parts");
    const struct whole_result *r = run_hooked(&b, "traffic.parts", lose, 0x3C0, 0x400);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "sub-events 0x2 and 0x4 of event 0x2c umask 0x6 (cas_rd_1) over reads"), "%s",
              r->reason);
    cr_expect(strstr(b.run->text, "(cas_wr_0)"), "and of writes:\n%s", b.run->text);
    bench_free(&b);
}

/* Linux arch/x86/events/amd/uncore.c: L3 event 04H, umask FFH all, 01H misses. Counter 2 counts the rest, doubled. */
Test(pmon_checks, sub_events_of_a_box_that_nothing_stops_at_once_are_held_together_too)
{
    struct bench b = bench_of("zen3", 1, "traffic.parts");
    const struct whole_result *r = run_hooked(&b, "traffic.parts", tell, 0xC0010235, 12345678);

    cr_expect_eq(r->verdict, VERDICT_FAIL);
    cr_expect(strstr(r->reason, "L3 0 counter 0: sub-events"), "%s", r->reason);
    bench_free(&b);
}

/* hswep_uncore_cbox: status E07H. */
Test(pmon_checks, a_status_that_shows_what_was_not_asked_for_is_told)
{
    struct bench b = bench_of("bdx", 1, "pmon.unasked-overflow");
    const struct whole_result *r = run_hooked(&b, "pmon.unasked-overflow", tell, 0xE07, 2);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "CBo 0: its counters overflowed with ov_en 0, and its status shows 0x2"), "%s",
              r->reason);
    bench_free(&b);
}

/* IA32_QM_CTR: a quarter of a line's worth too much in the second reading shows as a count of nothing in particular. */
static enum status tell_qm(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    static uint64_t reading;
    enum status st = real_ops->run(machine, tasks, n, budget_ms);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_RDMSR && tasks[i].steps[k].reg == told_msr)
                tasks[i].steps[k].value = told_value * reading++;
    return st;
}

Test(pmon_checks, writes_that_mbm_counts_in_part_are_told)
{
    struct bench b = bench_of("bdx", 1, "traffic.writes");
    const struct whole_result *r = run_hooked(&b, "traffic.writes", tell_qm, 0xC8E, 50); /* 50 of 128 units of 32 KiB */

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "neither what was read nor what was written nor both"), "%s", r->reason);
    bench_free(&b);
}

/* --- counters that firmware or a debugger uses -------------------------------------------------------------------- */

Test(pmon_checks, a_box_in_use_is_left_alone_and_the_others_are_judged)
{
    struct bench b = bench_of("bdx", 1, "pmon.*");
    uint64_t value = 0;

    cr_assert_eq(ledger_init(&b.mp->platform, &b.ledger), ST_OK);
    cr_assert_eq(msr_write(&b.mp->platform, 0, 0xE01, 0x400334), ST_OK); /* CBo 0 counts LLC_LOOKUP */
    ledger_free(&b.ledger);
    cr_expect_eq(run_one(&b, "pmon.enable")->verdict, VERDICT_PASS);
    cr_expect_eq(whole_run_find(b.run, "pmon.left-over")->verdict, VERDICT_WARN);
    cr_expect(strstr(b.run->text, "event 0x34 umask 0x3"), "%s", b.run->text);
    cr_assert_eq(msr_read(&b.mp->platform, 0, 0xE01, &value), ST_OK);
    cr_expect_eq(value, 0x400334, "it still counts for whoever it was");
    bench_free(&b);
}

/* Where the only uncore monitor is in use, nothing is judged, and it is said why. */
Test(pmon_checks, a_machine_whose_every_counter_is_in_use_is_skipped)
{
    struct bench b = bench_of("nhm", 1, "pmon.enable");
    const struct whole_result *r;

    cr_assert_eq(ledger_init(&b.mp->platform, &b.ledger), ST_OK);
    cr_assert_eq(msr_write(&b.mp->platform, 0, 0x3C0, 0x40072C), ST_OK);
    cr_assert_eq(msr_write(&b.mp->platform, 0, 0x391, 1), ST_OK);
    ledger_free(&b.ledger);
    r = run_one(&b, "pmon.enable");
    cr_expect_eq(r->verdict, VERDICT_SKIP);
    bench_free(&b);
}
