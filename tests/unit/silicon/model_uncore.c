/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of the virtual silicon against the documents and against figures computed by hand.
 *
 * Windows are chosen so that clocks come out even: `ticks` of the TSC are ticks * clock / tsc_hz clocks of a box. */
#include "tests/silicon/uncore/uncore_e5.h"
#include "tests/support/uncore_part.h"

#define NORMAL UINT64_C(2100000000) /* a second of bdx */

enum { BOX_CTL = 0xF4, CTL0 = 0xD8, CTR0 = 0xA0, STATUS = 0xF8, FIXED_CTL = 0xF0, FIXED_CTR = 0xD0 };

static struct model *model_with(const char *profile, uint32_t packages, const char *fault)
{
    return part_with(profile, packages, 0, fault);
}

static uint32_t fn(uint32_t bus, uint32_t device, uint32_t function)
{
    return bus << 8 | device << 3 | function;
}

static uint32_t pci(struct model *m, uint32_t function, uint32_t offset, uint64_t tsc)
{
    return model_pci_read(m, function, offset, 4, tsc);
}

static uint64_t pci_ctr(struct model *m, uint32_t function, uint32_t offset, uint64_t tsc)
{
    return pci(m, function, offset, tsc) | (uint64_t)pci(m, function, offset + 4, tsc) << 32;
}

static void pci_wr(struct model *m, uint32_t function, uint32_t offset, uint64_t tsc, uint64_t value)
{
    model_pci_write(m, function, offset, 4, tsc, (uint32_t)value);
}

/* --- MSR boxes of the E5 */

Test(cbo, freezes_where_frz_en_allows_it)
{
    struct model *m = model_with("bdx", 2, NULL);

    wr(m, 0, 0xE01, 0, EN);
    wr(m, 0, 0xE00, 2100, FRZ);
    cr_expect_eq(rd(m, 0, 0xE08, 4200), 4400, "frz alone does nothing");
    wr(m, 0, 0xE00, 4200, FRZ | FRZ_EN);
    cr_expect_eq(rd(m, 0, 0xE08, 21000), 4400);
    wr(m, 0, 0xE08, 21000, 7);
    wr(m, 0, 0xE02, 21000, EN);
    cr_expect_eq(rd(m, 0, 0xE08, 21000), 7, "a frozen box can be written");
    cr_expect_eq(rd(m, 0, 0xE00, 21000), FRZ | FRZ_EN);
    wr(m, 0, 0xE00, 21000, FRZ_EN);
    cr_expect_eq(rd(m, 0, 0xE08, 23100), 2207);
    cr_expect_eq(rd(m, 0, 0xE09, 23100), 2200);
    cr_expect_eq(rd(m, 2, 0xE08, 23100), 0, "the other package has its own");
    model_free(m);
}

/* Sum over the slices of counter 0, all programmed alike. */
static uint64_t all_slices(struct model *m, uint32_t cpu, uint64_t tsc)
{
    uint64_t sum = 0;

    for (uint32_t n = 0; n < 8; n++)
        sum += rd(m, cpu, 0xE08 + 0x10 * n, tsc);
    return sum;
}

static void program_slices(struct model *m, uint32_t cpu, uint64_t ctl, uint32_t filter0, uint32_t filter1)
{
    for (uint32_t n = 0; n < 8; n++) {
        wr(m, cpu, 0xE05 + 0x10 * n, 0, filter0);
        wr(m, cpu, 0xE06 + 0x10 * n, 0, filter1);
        wr(m, cpu, 0xE01 + 0x10 * n, 0, ctl | EN | RST);
    }
}

Test(cbo, counts_lookups_by_state)
{
    struct model *m = model_with("bdx", 1, NULL);
    uint64_t each = 0;

    program_slices(m, 0, 0x1134, (uint32_t)BITS(23, 17), 0);
    touch(m, 0, 0, 4096, MODEL_LOAD);
    touch(m, 1, 0, 4096, MODEL_LOAD);
    cr_expect_eq(all_slices(m, 0, 0), 8192, "any look-up in any state");
    for (uint32_t state = 17; state <= 23; state++) {
        uint64_t n;

        program_slices(m, 0, 0x1134, 1u << state, 0);
        touch(m, 0, NODE / 2 + state * 0x100000, 1024, MODEL_LOAD);
        touch(m, 1, NODE / 2 + state * 0x100000, 1024, MODEL_LOAD);
        n = all_slices(m, 0, 0);
        each += n;
        cr_expect_eq(n, state == 17 || state == 19 ? 1024 : 0, "bit %u: I when they miss, E when they hit", state);
    }
    cr_expect_eq(each, 2048);
    program_slices(m, 0, 0x1134, 0, 0);
    touch(m, 0, 0x10000000, 64, MODEL_LOAD);
    cr_expect_eq(all_slices(m, 0, 0), 0, "no state, no look-up");
    model_free(m);
}

Test(cbo, counts_tor_inserts_by_opcode_and_home)
{
    static const struct {
        uint64_t ctl, filter1;
        uint64_t expected;
    } cases[] = {
        { 0x0835, 0, 900 },            /* all: 600 loads, half of them twice */
        { 0x0A35, 0, 600 },            /* misses */
        { 0x2A35, 0, 400 },            /* to this package's memory */
        { 0x8A35, 0, 200 },            /* to the other's */
        { 0x0335, 0x182u << 20, 600 }, /* data reads that missed */
        { 0x0135, 0x182u << 20, 900 },
        { 0x0335, 0x180u << 20, 0 }, /* requests for ownership */
        { 0x4A35, 1, 400 },          /* of node 0 */
        { 0x4A35, 2, 200 },
        { 0x4A35, 0, 0 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = model_with("bdx", 2, NULL);

        program_slices(m, 0, cases[i].ctl, 0, (uint32_t)cases[i].filter1);
        touch(m, 0, 0, 400, MODEL_LOAD);
        touch(m, 0, NODE, 200, MODEL_LOAD);
        touch(m, 1, 0, 300, MODEL_LOAD);
        cr_expect_eq(all_slices(m, 0, 1000), cases[i].expected, "%#lx: %lu", cases[i].ctl, all_slices(m, 0, 1000));
        cr_expect_eq(all_slices(m, 2, 1000), 0, "nothing in the other package");
        model_free(m);
    }
}

Test(cbo, misses_less_victims_are_what_came_to_stay)
{
    struct model *m = model_with("bdx", 1, NULL);
    uint64_t misses, victims = 0;
    struct model_truth t;

    program_slices(m, 0, 0x0A35, 0, 0);
    for (uint32_t n = 0; n < 8; n++)
        wr(m, 0, 0xE02 + 0x10 * n, 0, 0x0F37 | EN);
    touch(m, 0, 0, 400000, MODEL_LOAD); /* more than the 327,680 lines of the L3 */
    misses = all_slices(m, 0, 0);
    for (uint32_t n = 0; n < 8; n++)
        victims += rd(m, 0, 0xE09 + 0x10 * n, 0);
    model_truth(m, 0, 0, &t);
    cr_expect_eq(misses, 400000);
    cr_expect_eq(misses - victims, t.l3_valid_lines);
    model_free(m);
}

Test(cbo, occupancy_is_for_counter_0_and_follows_littles_law)
{
    struct model *m = model_with("bdx", 1, NULL);

    for (uint32_t i = 0; i < 4; i++)
        wr(m, 0, 0xE01 + i, 0, 0x0A36 | EN);
    touch(m, 0, 0, 800, MODEL_LOAD);
    cr_expect_eq(rd(m, 0, 0xE08, NORMAL), (uint64_t)m->domain[0].slice[0].fill * TOR_MISS_CLOCKS);
    cr_expect_gt(rd(m, 0, 0xE08, NORMAL), 0);
    for (uint32_t i = 1; i < 4; i++)
        cr_expect_eq(rd(m, 0, 0xE08 + i, NORMAL), 0);
    model_free(m);
}

/* --- PCI functions */

static const uint32_t bdx_channels[4] = { 20 << 3 | 0, 20 << 3 | 1, 21 << 3 | 0, 21 << 3 | 1 };

static void program_channels(struct model *m, uint32_t bus, uint32_t counter, uint32_t event)
{
    for (uint32_t c = 0; c < 4; c++)
        pci_wr(m, bus << 8 | bdx_channels[c], CTL0 + 4 * counter, 0, event | EN | RST);
}

static uint64_t all_channels(struct model *m, uint32_t bus, uint32_t counter, uint64_t tsc)
{
    uint64_t sum = 0;

    for (uint32_t c = 0; c < 4; c++)
        sum += pci_ctr(m, bus << 8 | bdx_channels[c], CTR0 + 8 * counter, tsc);
    return sum;
}

Test(pci, functions_have_plain_headers_and_absent_ones_read_all_ones)
{
    struct model *m = model_with("bdx", 2, NULL);
    uint32_t channel = fn(0x7F, 20, 1);

    cr_expect_eq(pci(m, channel, 0, 0), 0x6FB18086);
    cr_expect_eq(model_pci_read(m, channel, 2, 2, 0), 0x6FB1);
    cr_expect_eq(model_pci_read(m, channel, 1, 1, 0), 0x80);
    cr_expect_eq(pci(m, channel, 8, 0) >> 8, 0x088000);
    cr_expect_eq(model_pci_read(m, channel, 0xE, 1, 0), 0x80, "one of several");
    cr_expect_eq(pci(m, channel, 0x34, 0), 0, "no capabilities");
    cr_expect_eq(pci(m, channel, 0x300, 0), 0);
    cr_expect_eq(pci(m, fn(0x7F, 8, 2), 8, 0) >> 8, 0x110100);
    pci_wr(m, channel, 0, 0, 0);
    cr_expect_eq(pci(m, channel, 0, 0), 0x6FB18086);
    cr_expect_eq(pci(m, fn(0x7F, 20, 7), 0, 0), UINT32_MAX);
    cr_expect_eq(model_pci_read(m, fn(0x7F, 23, 0), 0, 2, 0), 0xFFFF, "a fifth channel");
    cr_expect_eq(pci(m, fn(0x10, 20, 1), 0, 0), UINT32_MAX, "nobody's bus");
    /* An enumeration that wants function 0 of a device before it looks at others finds every function. */
    for (uint32_t f = 0; f < 256; f++)
        if (pci(m, 0x7F << 8 | f, 0, 0) != UINT32_MAX)
            cr_expect_neq(pci(m, 0x7F << 8 | (f & 0xF8), 0, 0), UINT32_MAX, "device %u has no function 0", f >> 3);
    model_free(m);
}

Test(channels, dirty_lines_are_written_when_they_leave)
{
    struct model *m = model_with("bdx", 1, NULL);

    program_channels(m, 0xFF, 0, 0x0304);
    program_channels(m, 0xFF, 1, 0x0C04);
    touch(m, 0, 0, 5000, MODEL_STORE);
    cr_expect_eq(all_channels(m, 0xFF, 0, 0), 5000, "a store reads the line");
    cr_expect_eq(all_channels(m, 0xFF, 1, 0), 0);
    model_wbinvd(m, 0);
    cr_expect_eq(all_channels(m, 0xFF, 1, 0), 5000);
    model_free(m);
}

/* Threshold, invert and edge over a queue: 200 reads of one channel, each 40 clocks in it, in so many clocks. */
static uint64_t queue_count(uint64_t ctl, uint64_t ticks)
{
    struct model *m = model_with("bdx", 1, NULL);
    uint32_t f = fn(0xFF, 20, 0);
    uint64_t value;

    pci_wr(m, f, CTL0, 0, ctl | EN);
    for (uint64_t line = 0, n = 0; n < 200; line++)
        if (cache_channel(m, line) == 0) {
            model_access(m, 0, line * 64, 8, MODEL_LOAD);
            n++;
        }
    value = pci_ctr(m, f, CTR0, ticks);
    model_free(m);
    return value;
}

Test(comparison, sums_over_all_thresholds_to_the_occupancy)
{
    /* 8000 entries-clocks in 3600 clocks: two always, a third one in 800 of them. */
    static const uint64_t expected[] = { 8000, 3600, 3600, 800, 0, 0 };
    uint64_t sum = 0;

    for (uint32_t t = 0; t < 6; t++) {
        uint64_t n = queue_count(0x80 | THRESH(t), 6300), rest = queue_count(0x80 | THRESH(t) | INVERT, 6300);

        cr_expect_eq(n, expected[t], "threshold %u: %lu", t, n);
        cr_expect_eq(rest, t ? 3600 - n : 8000, "threshold %u inverted: %lu", t, rest);
        sum += t ? n : 0;
    }
    cr_expect_eq(sum, 8000);
    cr_expect_eq(queue_count(0x80 | THRESH(1) | EDGE, 6300), 1, "it never empties: one edge");
    cr_expect_eq(queue_count(0x80 | THRESH(3) | EDGE, 6300), 20, "800 clocks are 20 entries' time");
    cr_expect_eq(queue_count(0x80 | THRESH(4) | EDGE, 6300), 0);
    cr_expect_eq(queue_count(0x80 | EDGE, 6300), 8000, "edge wants a threshold");
}

Test(comparison, sees_each_of_well_separated_entries)
{
    cr_expect_eq(queue_count(0x80 | THRESH(1), 2100000), 8000);
    cr_expect_eq(queue_count(0x80 | THRESH(1) | EDGE, 2100000), 200);
    cr_expect_eq(queue_count(0x80 | THRESH(1) | EDGE | INVERT, 2100000), 201, "and the first idle time");
    cr_expect_eq(queue_count(0x80 | THRESH(2), 2100000), 0);
}

Test(comparison, lets_a_clock_pass_one_and_never_two)
{
    struct model *m = model_with("bdx", 1, NULL);
    static const uint64_t ctl[] = { 0, THRESH(1), THRESH(2), THRESH(1) | INVERT, THRESH(2) | INVERT, THRESH(1) | EDGE };
    static const uint64_t expected[] = { 4400, 4400, 0, 0, 4400, 1 };

    for (uint32_t i = 0; i < 6; i++) {
        wr(m, 0, 0xE01 + 0x10 * i, 0, ctl[i] | EN);
        cr_expect_eq(rd(m, 0, 0xE08 + 0x10 * i, 2100) + 0, i == 5 ? 1 : expected[i] / 2);
        cr_expect_eq(rd(m, 0, 0xE08 + 0x10 * i, 4200), expected[i], "%u", i);
    }
    model_free(m);
}
