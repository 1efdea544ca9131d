/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of uncore monitors on machines that are wrong in one way, made by hand around the host model: what firmware
 * says of the memory, registers that stop answering while they are programmed, counters that somebody else uses. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "arch/x86/pmon/pmon.h"
#include "core/platform/ledger.h"
#include "core/machine/machine.h"
#include "tests/support/pmon_bench.h"

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

/* MSR 1A4H: while prefetchers are on, MBM counts what they bring twice. */
static enum status count_prefetches_twice(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    static uint64_t off;
    enum status st;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_WRMSR && tasks[i].steps[k].reg == 0x1A4)
                off = tasks[i].steps[k].value & 0xF;
    st = real_ops->run(machine, tasks, n, budget_ms);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_RDMSR && tasks[i].steps[k].reg == 0xC8E && !off)
                tasks[i].steps[k].value = tasks[i].steps[k].value * 2 & 0xFFFFFF;
    return st;
}

Test(pmon_checks, prefetches_that_mbm_and_channels_count_otherwise_are_told)
{
    struct bench b = bench_of("bdx", 1, "traffic.mbm");
    const struct whole_result *r = run_hooked(&b, "traffic.mbm", count_prefetches_twice, 0, 0);

    cr_expect_eq(r->verdict, VERDICT_WARN);
    cr_expect(strstr(r->reason, "package 0, 1 streams, prefetchers on: MBM counts"), "%s", r->reason);
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

/* The second of two sockets has no processor that firmware started. */
static void stop_second(struct model_platform *mp)
{
    mp->platform.cpus[2].flags = mp->platform.cpus[3].flags = 0;
}

static void run_half(const char *profile, struct whole_run *w)
{
    struct model_config config = { .profile = profile, .packages = 2, .cores = 2, .threads = 1, .slices = 4 };

    w->unlooked = stop_second;
    cr_assert(whole_run(&config, w));
}

/* Its boxes are not those of another package, whose freeze does not reach them. */
Test(pmon_checks, boxes_of_a_package_without_processors_are_nobody_elses)
{
    struct whole_run w = { .tests = { "pmon.global-freeze", "pmon.boxes" } };

    run_half("bdx", &w);
    cr_expect_eq(whole_run_find(&w, "pmon.global-freeze")->verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_eq(whole_run_find(&w, "pmon.boxes")->verdict, VERDICT_WARN, "the node map names it");
    whole_run_free(&w);
}

/* Nor are those of its discovery table. */
Test(pmon_checks, a_discovery_table_of_a_package_without_processors_is_nobody_elses)
{
    struct whole_run w = { .tests = { "pmon.global-freeze", "pmon.discovery" } };

    run_half("spr", &w);
    cr_expect_eq(whole_run_find(&w, "pmon.global-freeze")->verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_eq(whole_run_find(&w, "pmon.discovery")->verdict, VERDICT_PASS, "%s", w.checks[1].reason);
    whole_run_free(&w);
}
