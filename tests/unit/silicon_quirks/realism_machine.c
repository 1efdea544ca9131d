/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Quirks of real parts that are of the machine rather than of its caches and counters: who else uses memory, time, nodes. */
#include "tests/silicon/cache/model_set.h"
#include "core/base/search.h"
#include "tests/silicon/model/model_clock.h"
#include "tests/support/run/realism_machine.h"

#include <criterion/criterion.h>
#include <string.h>

/* --- what belongs to no load */

/* A register is read at so many us. */
static void tick(struct model *m, uint64_t us)
{
    uint64_t value;

    cr_expect_eq(model_rdmsr(m, 0, 0xC8F, (1000000 + us) * (m->tsc_hz / 1000000), &value), MODEL_DONE);
}

static uint64_t cas_of(const struct model *m, bool write)
{
    return SUM_OF(uint64_t, channel, m->channels, memory_cas(m, 0, channel, write));
}

/* 64 MB/s for 16 ms: 16,000 lines. */
Test(realism_machine, lets_devices_write_into_the_shareable_ways_alone)
{
    struct model *m = machine("spr", "dma=64000");
    struct domain *p = &m->domain[0];
    uint32_t regs[4], elsewhere = 0;

    tick(m, 0);
    tick(m, 8000);
    tick(m, 16000);
    cr_expect_eq(traffic_of(m, p->truth, m->rmids, ALL_PARTS).lines / 10, 1600);
    cr_expect_eq(lines_of(m, 0), 0, "no RMID's");
    profile_find(m->profile, 0x10, 1, regs);
    for (uint32_t index = 0; index < m->l3_slices << m->l3.set_bits; index++)
        for (uint32_t e = 0; e < m->l3_entries; e++)
            elsewhere += entry_state(row_of(m, p, index).word[e]) != STATE_I && !(e < 32 && regs[1] >> e & 1);
    cr_expect_eq(elsewhere, 0);
}

Test(realism_machine, lets_devices_of_amd_write_to_memory)
{
    struct model *m = machine("zen3", "dma=64000");

    tick(m, 0);
    tick(m, 16000);
    cr_expect_eq(cas_of(m, true) / 10, 1600);
}

Test(realism_machine, scrubs_memory_under_no_rmid)
{
    struct model *m = machine("spr", "patrol-scrub=64000"), *none = machine("spr", NULL);

    tick(m, 0);
    tick(m, 16000);
    cr_expect_eq(cas_of(m, false) / 10, 1600);
    cr_expect_eq(traffic_of(m, m->domain[0].truth, 0, ALL_PARTS).moved[TRANSFER_READ][1], 0);
    tick(none, 0);
    tick(none, 16000);
    cr_expect_eq(cas_of(none, false), 0);
}

Test(realism_machine, interrupts_by_smis_that_read_under_the_rmid_that_runs)
{
    struct model *m = machine("spr", "smi-period=10,smi-traffic=64");
    uint64_t before, after;

    tick(m, 0);
    cr_expect_eq(model_wrmsr(m, 0, 0xC8F, 1000001 * (m->tsc_hz / 1000000), 1), MODEL_DONE);
    cr_expect_eq(model_rdmsr(m, 0, 0x34, 1000002 * (m->tsc_hz / 1000000), &before), MODEL_DONE);
    model_wbinvd(m, 0);
    tick(m, 15000);
    cr_expect_eq(model_rdmsr(m, 0, 0x34, 1015001 * (m->tsc_hz / 1000000), &after), MODEL_DONE);
    cr_expect_eq(after - before, 1);
    cr_expect_eq(traffic_of(m, m->domain[0].truth, 1, ALL_PARTS).moved[TRANSFER_READ][1], 1024);
}

/* Lines of RMIDs 1 and 2 in the L3 when processor 1, under RMID 2, had nothing to do for 20 ms and processor 0 read so
 * many lines under RMID 1. */
static void wait_20_ms(const char *realism, uint64_t load, uint64_t lines[2])
{
    struct model *m = machine("skx", realism);

    cr_expect_eq(model_wrmsr(m, 0, 0xC8F, m->tsc_hz, 1), MODEL_DONE);
    cr_expect_eq(model_wrmsr(m, 1, 0xC8F, m->tsc_hz, 2), MODEL_DONE);
    silicon_load(m, 0, 0, load);
    tick(m, 20000);
    lines[0] = lines_of(m, 1);
    lines[1] = lines_of(m, 2);
}

Test(realism_machine, lets_idle_processors_read_lines_of_their_own)
{
    uint64_t lines[2];

    wait_20_ms("idle-lines=100", 1000, lines);
    cr_expect_eq(lines[0], 0, "processor 0 had a load");
    cr_expect(lines[1] >= 1999 && lines[1] <= 2001, "%lu", lines[1]);
    wait_20_ms("idle-lines=100", 0, lines);
    cr_expect(lines[0] >= 1999 && lines[0] <= 2001, "%lu", lines[0]);
    wait_20_ms("none", 0, lines);
    cr_expect_eq(lines[0] + lines[1], 0);
}

Test(realism_machine, ticks_on_the_boot_processor)
{
    uint64_t lines[2];

    wait_20_ms("tick-lines=500", 1000, lines);
    cr_expect_eq(lines[0], 1000, "2 ticks");
    cr_expect_eq(lines[1], 0);
}

/* --- page tables and code */

/* Lines that MBM counts of a load of 64 MiB. */
static uint64_t lines_of_64_mib(const char *realism)
{
    struct model *m = machine("skx", realism);
    struct model_truth t;

    silicon_load(m, 0, 0, 1 << 20);
    model_truth(m, 0, 0, &t);
    return t.rmid_total_lines;
}

Test(realism_machine, walks_page_tables_and_fetches_code)
{
    cr_expect_eq(lines_of_64_mib("none"), 1 << 20);
    cr_expect_eq(lines_of_64_mib("page-walk=2m"), (1 << 20) + 4, "32 pages, 8 entries a line");
    cr_expect_eq(lines_of_64_mib("page-walk=4k"), (1 << 20) + 2048);
    cr_expect_eq(lines_of_64_mib("code-fetch=10"), (1 << 20) + 512, "the 32 KiB stay in the caches");
}

/* --- time */

#define US(m, n) ((uint64_t)(n) * ((m)->tsc_hz / 1000000))

Test(realism_machine, takes_the_time_of_an_smi_from_who_runs)
{
    struct model *m = machine("spr", "smi-period=10,smi-length=300"), *plain = machine("spr", "none");
    uint64_t before = US(m, 19999), after = US(m, 20001),
             plainly = model_clock_access(plain, 0, after, 0, LEVEL_L2, true);

    (void)model_clock_access(m, 0, before, 0, LEVEL_L2, true);
    (void)model_clock_lost(m, 0);
    cr_expect_eq(model_clock_access(m, 0, before, 0, LEVEL_L2, true) - before, plainly - after, "the next is not due");
    cr_expect_eq(model_clock_access(m, 0, after, 0, LEVEL_L2, true), plainly + US(m, 300));
    cr_expect_eq(model_clock_access(m, 0, after, 0, LEVEL_L2, true), plainly, "once");
    tick(m, 0);
    cr_expect_eq(model_clock_lost(m, 0), US(m, 300), "one, however many came");
    cr_expect_eq(model_clock_lost(m, 0), 0);
    cr_expect_eq(model_clock_smi(m), US(m, 300));
    cr_expect_eq(model_clock_smi(plain), US(plain, 100));
}

Test(realism_machine, takes_time_for_wbinvd)
{
    struct model *m = machine("spr", "wbinvd-time=4000"), *plain = machine("spr", "none");

    cr_expect_eq(model_clock_wbinvd(m), US(m, 4000));
    cr_expect_eq(model_clock_wbinvd(plain), CLOCK_WBINVD);
}

/* What a throttle of `delay` percent leaves, in percent, of accesses that the L3 serves, `us` after the first. */
static uint64_t left_by_throttle(const char *realism, uint64_t delay, uint64_t us)
{
    struct model *m = machine("skx", realism);
    uint64_t now = US(m, 1000000), full = model_clock_access(m, 0, now, 0, LEVEL_L3, true) - now;

    cr_expect_eq(silicon_write(m, 0, 0xD50, delay), MODEL_DONE);
    (void)model_clock_access(m, 0, now, 0, LEVEL_L3, true);
    now += US(m, us);
    return full * 100 / (model_clock_access(m, 0, now, 0, LEVEL_L3, true) - now);
}

Test(realism_machine, throttles_along_the_curve_that_is_asked_for)
{
    cr_expect_eq(left_by_throttle("none", 90, 0), 10);
    cr_expect_eq(left_by_throttle("mba-curve=shallow", 90, 0), 20);
    cr_expect_eq(left_by_throttle("mba-curve=steps", 30, 0), left_by_throttle("mba-curve=steps", 10, 0));
    cr_expect_gt(left_by_throttle("mba-curve=uneven", 40, 0), left_by_throttle("mba-curve=uneven", 30, 0));
    cr_expect_gt(left_by_throttle("mba-floor=3000", 90, 0), 40);
    cr_expect_eq(left_by_throttle("mba-floor=500", 50, 0), 50, "where it leaves more anyway");
}

Test(realism_machine, throttles_only_when_it_has_reacted)
{
    cr_expect_eq(left_by_throttle("mba-reaction=500", 50, 499), 100);
    cr_expect_eq(left_by_throttle("mba-reaction=500", 50, 500), 50);
}

Test(realism_machine, moves_the_clock_of_the_uncore)
{
    struct model *m = machine("skx", "uncore-clock=50,uncore-period=1000");
    uint64_t last = 0, now, value, before = 0, moved = 0;

    cr_expect_eq(quirk_uclk_least(m), 12);
    for (uint32_t ms = 1; ms <= 64; ms++) {
        now = quirk_uclk_tsc(m, 0, US(m, ms * 1000));
        cr_expect_eq(model_rdmsr(m, 0, 0x621, US(m, ms * 1000) - 1, &value), MODEL_DONE);
        cr_expect(value >= 12 && value <= 24, "%lu", value);
        cr_expect_eq((now - last + 50) / 100, (US(m, 1000) * value / 24 + 50) / 100, "as far as its ratio says");
        moved += value != before;
        before = value;
        last = now;
    }
    cr_expect_gt(moved, 32);
    cr_expect_eq(silicon_read(m, 0, 0x620), 12 << 8 | 24);
}

Test(realism_machine, moves_the_clock_of_each_core)
{
    struct model *m = machine("spr", "core-clock=50");
    uint64_t last = 0, now, ratio, other, most = (m->tsc_hz + 50000000) / 100000000, apart = 0;

    for (uint32_t ms = 1; ms <= 64; ms++) {
        cr_expect_eq(model_rdmsr(m, 0, 0x198, US(m, ms * 1000) - 1, &ratio), MODEL_DONE);
        cr_expect_eq(model_rdmsr(m, m->threads, 0x198, US(m, ms * 1000) - 1, &other), MODEL_DONE);
        cr_expect_eq(model_rdmsr(m, 0, 0xE8, US(m, ms * 1000), &now), MODEL_DONE);
        ratio >>= 8;
        cr_expect(ratio >= most / 2 && ratio <= most, "%lu", ratio);
        cr_expect_eq((now - last + 50) / 100, (US(m, 1000) * ratio / most + 50) / 100, "as far as its ratio says");
        apart += ratio != other >> 8;
        last = now;
    }
    cr_expect_gt(apart, 32);
    model_free(m);
}

/* Core and thread in bits 5:1 and 0: Linux uncore_snbep.c, HSWEP_U_MSR_PMON_BOX_FILTER_*. */
Test(realism_machine, counts_messages_to_the_thread_of_the_filter)
{
    static const struct {
        const char *quirk;
        uint64_t filter, counts;
    } cases[] = { { "ubox-filter=off", 0, 2 },
                  { "ubox-filter=off", 1 << 1, 2 },
                  { "ubox-filter=on", 0, 1 },
                  { "ubox-filter=on", 1 << 1, 1 },
                  { "ubox-filter=on", 1 << 1 | 1, 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = machine("skx", cases[i].quirk);
        uint64_t counts = 0;

        cr_expect_eq(model_wrmsr(m, 0, 0x707, 0, cases[i].filter), MODEL_DONE);
        cr_expect_eq(model_wrmsr(m, 0, 0x705, 0, 0x400442), MODEL_DONE);
        for (uint32_t to = 0; to < m->cpus; to++)
            if (m->cpu[to].thread == 0 && m->cpu[to].package == 0 && m->cpu[to].core_index < 2)
                model_ipi(m, to);
        cr_expect_eq(model_rdmsr(m, 0, 0x709, 100, &counts), MODEL_DONE);
        cr_expect_eq(counts, cases[i].counts, "%s, %#lx: %lu", cases[i].quirk, cases[i].filter, counts);
    }
}

/* --- nodes */

/* Counts of RMID `rmid` of a load by the first processor of node 1, from its own memory. */
static uint64_t counted_on_node_1(const char *profile, const char *realism, uint64_t rmid)
{
    struct model *m = silicon_new(&MODEL(profile, 1, 2, 1, .clusters = 2, .slices = 4, .realism = realism));
    uint64_t n;

    cr_expect_eq(silicon_write(m, 1, 0xC8F, rmid), MODEL_DONE);
    n = silicon_count(m, 0, rmid, 2);
    silicon_load(m, 1, SILICON_NODE, 65536);
    return (silicon_count(m, 0, rmid, 2) - n) & low_bits(m->mbm_width);
}

Test(realism_machine, divides_rmids_over_nodes_without_a_register_to_share_them)
{
    struct model *m = machine("skx", "none");
    uint64_t half = m->rmids / 2;

    cr_expect_gt(counted_on_node_1("skx", "none", 1), 0);
    cr_expect_eq(counted_on_node_1("skx", "snc-rmids=split", 1), 0);
    cr_expect_gt(counted_on_node_1("skx", "snc-rmids=split", half), 0);
    cr_expect(silicon_refuses(m, 0, 0xCA0, 0), "nothing shares them");
    cr_expect(strstr(refusal("spr", "snc-rmids=split"), "cannot act on profile spr"));
}

Test(realism_machine, cuts_packages_of_haswell_and_broadwell_in_two)
{
    struct model *m = silicon_new(&MODEL("bdx", 1, 2, 1, .clusters = 2, .realism = "none"));

    cr_expect_eq(m->channels, 2);
    cr_expect_eq(model_node(m, 1), 1);
    for (uint64_t line = 0; line < 4096; line++) {
        cr_assert_lt(place_of(m, line).slice, 4);
        cr_assert_geq(place_of(m, (SILICON_NODE >> 6) + line).slice, 4);
    }
    cr_expect_gt(counted_on_node_1("bdx", "none", 1), 0);
}

Test(realism_machine, says_what_qemu_cannot_act_out)
{
    char error[256] = "";
    struct model_config config = { .profile = "spr", .realism = "memory-extents=8", .qemu = true };

    cr_expect_null(model_new(&config, error, sizeof error));
    cr_expect(strstr(error, "memory-extents acts on the host model alone"), "%s", error);
}
