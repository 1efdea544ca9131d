/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults with a strength are as strong as was asked for, by the silicon's own counters. On bdx a line is 64 bytes and a
 * count 512 lines; the L3 has 327,680 lines in 20 ways. */
#include "tests/silicon/model/model_state.h"
#include "tests/support/run/silicon.h"

#define L3_LINES    UINT64_C(327680)
#define WAY_COUNTS  32u
#define COUNT_LINES UINT64_C(512)
#define HUNDRED     (100 * COUNT_LINES)

enum { TSC = 0x10, PQR = 0xC8F, EVTSEL = 0xC8D, CTR = 0xC8E, MASK0 = 0xC90, THROTTLE0 = 0xD50, BW0 = 0xC0000200 };
enum { OCCUPANCY = 1, TOTAL = 2, LOCAL = 3 };

#define model_with(profile, packages, fault) silicon_of(profile, packages, 2, 1, .seed = 7, .faults = { fault })

/* Processor 0 reads that many lines from there under the RMID, and class. */
static void load(struct model *m, uint64_t pqr, uint64_t base, uint64_t lines)
{
    cr_assert_eq(silicon_write(m, 0, PQR, pqr), MODEL_DONE);
    silicon_load(m, 0, base, lines);
}

/* Counts that its event has after that. */
static uint64_t after(struct model *m, uint64_t rmid, uint32_t event, uint64_t base, uint64_t lines)
{
    uint64_t before = silicon_count(m, 0, rmid, event);

    load(m, rmid, base, lines);
    return (silicon_count(m, 0, rmid, event) - before) & 0xFFFFFF;
}

static void expect_near(uint64_t seen, uint64_t wanted, const char *what)
{
    cr_expect(seen + 1 >= wanted && seen <= wanted + 1, "%s: %lu instead of %lu", what, (unsigned long)seen,
              (unsigned long)wanted);
}

Test(strength, of_lost_bandwidth_is_a_share_of_total_and_local_alike)
{
    struct model *m = model_with("bdx", 1, "mbm-loss:2");
    uint64_t first;

    expect_near(after(m, 1, TOTAL, 0, 3 * HUNDRED), 294, "total");
    expect_near(after(m, 1, LOCAL, SILICON_NODE / 2, 3 * HUNDRED), 294, "local");
    expect_near(silicon_count(m, 0, 1, OCCUPANCY), 600, "occupancy");
    first = silicon_count(m, 0, 2, TOTAL);
    cr_assert_eq(silicon_write(m, 0, PQR, 2), MODEL_DONE);
    cr_assert_eq(silicon_write(m, 1, PQR, 3), MODEL_DONE);
    for (uint64_t i = 0; i < 3 * HUNDRED; i++) { /* two that take turns lose as much each */
        model_access(m, 0, SILICON_NODE / 4 + i * 64, 8, MODEL_LOAD);
        model_access(m, 1, SILICON_NODE / 8 + i * 64, 8, MODEL_LOAD);
    }
    expect_near((silicon_count(m, 0, 2, TOTAL) - first) & 0xFFFFFF, 294, "the first of two");
}

Test(strength, of_lost_local_bandwidth_leaves_total_alone)
{
    struct model *m = model_with("bdx", 1, "mbm-local-loss:5");

    expect_near(after(m, 1, LOCAL, 0, 3 * HUNDRED), 285, "local");
    expect_near(after(m, 1, TOTAL, SILICON_NODE / 2, 3 * HUNDRED), 300, "total");
}

Test(strength, of_a_factor_is_of_one_rmid_and_may_be_below_one)
{
    struct model *m = model_with("bdx", 1, "mbm-rmid-factor:4:-3");

    expect_near(after(m, 4, TOTAL, 0, HUNDRED), 97, "less");
    expect_near(after(m, 5, TOTAL, SILICON_NODE / 2, HUNDRED), 100, "another RMID");

    m = model_with("bdx", 1, "mbm-rmid-factor:4:10");
    expect_near(after(m, 4, LOCAL, 0, HUNDRED), 110, "more");
}

Test(strength, of_lost_occupancy_is_a_share_of_the_lines)
{
    struct model *m = model_with("bdx", 1, "occupancy-loss:3");

    load(m, 1, 0, 4 * HUNDRED);
    expect_near(silicon_count(m, 0, 1, OCCUPANCY), 388, "what is there");
    for (uint64_t i = 0; i < 4 * HUNDRED; i++)
        model_clflush(m, 0, i * 64);
    cr_expect_eq(silicon_count(m, 0, 1, OCCUPANCY), 0, "nothing stays behind");
}

Test(strength, of_wrong_tags_gives_another_rmid_what_one_loses)
{
    struct model *m = model_with("bdx", 1, "occupancy-wrong-rmid:5");
    uint32_t others = 0;
    uint64_t theirs = 0;

    expect_near(after(m, 1, TOTAL, 0, 4 * HUNDRED), 400, "bandwidth");
    expect_near(silicon_count(m, 0, 1, OCCUPANCY), 380, "its own");
    for (uint32_t rmid = 0; rmid < m->rmids; rmid++)
        if (rmid != 1 && silicon_count(m, 0, rmid, OCCUPANCY)) {
            others++;
            theirs = silicon_count(m, 0, rmid, OCCUPANCY);
        }
    cr_expect_eq(others, 1);
    expect_near(theirs, 20, "another's");
}

Test(strength, of_occupancy_that_is_kept_is_a_share_of_the_evictions)
{
    struct model *m = model_with("bdx", 1, "occupancy-kept:10");

    load(m, 1, 0, 2 * L3_LINES);
    expect_near(silicon_count(m, 0, 1, OCCUPANCY), 640 + 64, "one L3 was evicted");
}

/* What a class keeps of many lines. */
static uint64_t kept(struct model *m, uint64_t clos, uint64_t rmid, uint32_t cbm, uint64_t base)
{
    cr_assert_eq(silicon_write(m, 0, MASK0 + (uint32_t)clos, cbm), MODEL_DONE);
    load(m, clos << 32 | rmid, base, 2 * L3_LINES);
    return silicon_count(m, 0, rmid, OCCUPANCY);
}

Test(strength, of_a_leaking_mask_is_in_ways)
{
    static const struct {
        const char *fault;
        uint32_t cbm, ways;
    } tries[] = { { "mask-leak:1", 0xF, 5 },
                  { "mask-leak:1", 0xF0000, 5 },
                  { "mask-leak:3", 0xC0000, 5 },
                  { "mask-leak:2", 0xFFFFF, 20 } };

    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        struct model *m = model_with("bdx", 1, tries[i].fault);

        expect_near(kept(m, 1, 1, tries[i].cbm, 0), tries[i].ways * WAY_COUNTS, tries[i].fault);
        cr_expect_eq(silicon_read(m, 0, MASK0 + 1), tries[i].cbm, "it reads as written");
    }
}

Test(strength, of_a_shifted_mask_is_a_way_of_one_class)
{
    struct model *m = model_with("bdx", 1, "mask-shifted:1");

    expect_near(kept(m, 1, 1, 0xF, 0), 4 * WAY_COUNTS, "as many ways");
    kept(m, 2, 2, 0x10, SILICON_NODE / 2);
    expect_near(silicon_count(m, 0, 1, OCCUPANCY), 3 * WAY_COUNTS, "of which one is the next class'");
}

Test(strength, of_a_late_tag_is_in_lines)
{
    struct model *m = model_with("bdx", 1, "tag-late:1024");

    load(m, 1, 0, 10 * COUNT_LINES);
    expect_near(silicon_count(m, 0, 0, OCCUPANCY), 2, "under the RMID before");
    expect_near(silicon_count(m, 0, 1, OCCUPANCY), 8, "under the new one");
}

Test(strength, of_swapped_tags_is_all_of_both)
{
    struct model *m = model_with("bdx", 1, "tag-swap:2:5");
    uint64_t before = silicon_count(m, 0, 5, TOTAL);

    cr_expect_eq(after(m, 2, TOTAL, 0, 10 * COUNT_LINES), 0);
    cr_expect_eq((silicon_count(m, 0, 5, TOTAL) - before) & 0xFFFFFF, 10);
    load(m, 5, SILICON_NODE / 2, 4 * COUNT_LINES);
    cr_expect_eq(silicon_count(m, 0, 2, OCCUPANCY), 4);
    cr_expect_eq(silicon_count(m, 0, 5, OCCUPANCY), 10);
    cr_expect_eq(silicon_read(m, 0, PQR), 5);
}

/* Of the two cores, of which the delay is 50. */
static void expect_delays(const char *fault, uint32_t first, uint32_t second)
{
    struct model *m = model_with("skx", 1, fault);

    cr_assert_eq(silicon_write(m, 0, THROTTLE0, 50), MODEL_DONE);
    cr_expect_eq(model_mba_delay(m, 0), first, "%s", fault);
    cr_expect_eq(model_mba_delay(m, 1), second, "%s", fault);
}

Test(strength, of_throttles_is_a_share_of_the_delay_or_of_the_limit)
{
    struct model *m;

    expect_delays("throttle-off:20", 40, 40);
    expect_delays("throttle-off:-20", 60, 60);
    m = model_with("zen3", 1, "throttle-off:10");
    cr_assert_eq(silicon_write(m, 0, BW0, 8), MODEL_DONE);
    cr_expect_eq(model_bandwidth_ceiling(m, 0), 1100000000);
}

Test(strength, of_throttles_that_miss_a_core_is_that_core)
{
    expect_delays("mba-misses-core:1", 50, 0);
}

Test(strength, of_local_that_is_total_is_in_rmids)
{
    struct model *m = model_with("bdx", 2, "local-is-total:5:2");

    expect_near(after(m, 4, LOCAL, SILICON_NODE, HUNDRED), 0, "RMID 4");
    expect_near(after(m, 5, LOCAL, SILICON_NODE + SILICON_NODE / 4, HUNDRED), 100, "RMID 5");
    expect_near(after(m, 6, LOCAL, SILICON_NODE + SILICON_NODE / 2, HUNDRED), 100, "RMID 6");
    expect_near(after(m, 7, LOCAL, SILICON_NODE + 3 * SILICON_NODE / 4, HUNDRED), 0, "RMID 7");
}

Test(strength, of_untagged_code_is_all_fetches)
{
    struct model *m = model_with("bdx", 1, "code-untagged");

    load(m, 1, 0, 2 * COUNT_LINES);
    for (uint64_t i = 0; i < 4 * COUNT_LINES; i++)
        model_access(m, 0, SILICON_NODE / 2 + i * 64, 8, MODEL_FETCH);
    cr_expect_eq(silicon_count(m, 0, 1, OCCUPANCY), 2);
    cr_expect_eq(silicon_count(m, 0, 0, OCCUPANCY), 4);
}

Test(strength, of_a_tsc_that_is_behind_is_in_ticks)
{
    struct model *m = model_with("bdx", 2, "tsc-offset:1000");

    cr_expect_eq(silicon_read_at(m, 0, TSC, 5000), 5000);
    cr_expect_eq(silicon_read_at(m, 2, TSC, 5000), 4000);
}

Test(strength, of_a_narrow_counter_is_in_bits)
{
    struct model *m = model_with("bdx", 1, "counter-width:10");

    load(m, 1, 0, 10 * HUNDRED);
    cr_expect_lt(silicon_count(m, 0, 1, TOTAL), 1024);
}

Test(strength, is_in_the_list_of_faults)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);
    char text[256];

    for (uint32_t i = 0; i < n; i++) {
        const struct model_fault *f = &faults[i];

        if (f->strength == STRENGTH_NONE)
            continue;
        cr_expect(f->parameter && f->range.most, "%s", f->name);
        cr_expect((int64_t)f->value >= f->range.least, "%s", f->name);
        cr_expect_gt(model_fault_numbers(f, text, sizeof text), 0);
    }
    model_fault_numbers(&faults[FAULT_MBM_RMID_FACTOR], text, sizeof text);
    cr_expect_str_eq(text, "RMID, 0 to the highest RMID (3) : percent more, -100 to 1000 (-30)");
}
