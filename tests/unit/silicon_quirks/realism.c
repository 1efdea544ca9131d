/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Quirks of real parts: how they are asked for, and that each acts when it is asked for and not otherwise. */
#include "tests/silicon/cache/model_set.h"
#include "tests/support/run/realism_machine.h"

#include <criterion/criterion.h>
#include <string.h>

static uint64_t lines_of_l2(const struct model *m)
{
    return (uint64_t)m->l2.ways * m->l2.sets;
}

/* --- asking for one */

Test(realism, names_the_nearest_quirks_where_there_is_none)
{
    cr_expect(strstr(refusal("spr", "l2-victim-drp=3"), "the nearest are l2-victim-drop, "));
    cr_expect(strstr(refusal("spr", "fast"), "NAME=VALUE, typical or none"));
}

Test(realism, names_the_range_of_a_value_beyond_it)
{
    cr_expect(strstr(refusal("spr", "l2-victim-drop=101"), "0 to 100 percent"));
    cr_expect(strstr(refusal("spr", "l2-victim-drop=-1"), "0 to 100 percent"));
    cr_expect(strstr(refusal("spr", "l2-victim-drop="), "0 to 100 percent"));
    cr_expect(strstr(refusal("spr", "l3-replacement=fifo"), "one of lru|random|qlru|drrip"));
}

Test(realism, refuses_a_quirk_that_cannot_act_on_the_part)
{
    cr_expect(strstr(refusal("bdx", "l2-victim-drop=10"), "cannot act on profile bdx"));
    (void)machine("bdx", "l2-victim-drop=0");
}

Test(realism, takes_the_later_of_two_values)
{
    struct model *m = machine("spr", "typical,l2-victim-drop=7");

    cr_expect_eq(m->realism.value[REALISM_L2_VICTIM_DROP], 7);
    cr_expect_eq(m->realism.value[REALISM_L3_REPLACEMENT], REPLACE_DRRIP);
    m = machine("spr", "typical,none");
    for (uint32_t i = 0; i < REALISM_QUIRKS; i++)
        cr_expect_eq(m->realism.value[i], 0);
}

Test(realism, has_typical_values_within_their_ranges)
{
    for (uint32_t i = 0; i < REALISM_QUIRKS; i++)
        for (uint32_t c = 0; c < PART_CLASSES; c++) {
            const struct realism_range *r = &realism_quirks()[i].range[c];

            cr_expect(r->low <= r->typical && r->typical <= r->high && r->high <= realism_quirks()[i].most, "%s",
                      realism_quirks()[i].name);
        }
}

/* --- drawing them */

#define DRAWS 400u

/* Every quirk of the part is set within its range, and gets "none", typical and other values. */
static void draw_many(const struct profile *part)
{
    uint32_t typical[REALISM_QUIRKS] = { 0 }, others[REALISM_QUIRKS] = { 0 };
    char text[2048], error[512] = "";

    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct realism r;

        cr_assert_lt(realism_draw(part, seed, text, sizeof text), sizeof text);
        cr_assert(realism_parse(&r, part, text, error, sizeof error), "%s: %s", text, error);
        for (uint32_t i = 0; i < REALISM_QUIRKS; i++) {
            struct realism_range range = realism_range(i, part);

            cr_assert_leq(r.value[i], range.high, "%s", realism_quirks()[i].name);
            typical[i] += r.value[i] == range.typical;
            others[i] += r.value[i] != range.typical && r.value[i] != 0;
        }
    }
    for (uint32_t i = 0; i < REALISM_QUIRKS; i++)
        if (realism_range(i, part).high) {
            cr_expect_gt(typical[i], DRAWS / 10, "%s", realism_quirks()[i].name);
            cr_expect_gt(others[i] + typical[i], DRAWS / 3, "%s", realism_quirks()[i].name);
        }
}

Test(realism, draws_every_quirk_within_its_plausible_range)
{
    draw_many(profile_by_name("bdx"));
    draw_many(profile_by_name("spr"));
    draw_many(profile_by_name("zen3"));
}

/* A handler that takes as long as the time between SMIs leaves the processor none. */
Test(realism, draws_smis_that_take_a_tenth_of_the_time_at_most)
{
    const struct profile *part = profile_by_name("spr");
    char text[2048], error[512] = "";

    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct realism r;
        uint64_t period_ms;

        realism_draw(part, seed, text, sizeof text);
        cr_assert(realism_parse(&r, part, text, error, sizeof error), "%s: %s", text, error);
        period_ms = r.value[REALISM_SMI_PERIOD];
        cr_expect(period_ms == 0 || r.value[REALISM_SMI_LENGTH] <= 100 * period_ms, "%s", text);
    }
}

Test(realism, draws_the_same_for_the_same_seed)
{
    const struct profile *part = profile_by_name("spr");
    char a[2048], b[2048];

    realism_draw(part, 1, a, sizeof a);
    realism_draw(part, 1, b, sizeof b);
    cr_expect_str_eq(a, b);
    realism_draw(part, 2, b, sizeof b);
    cr_expect_str_neq(a, b);
    cr_expect_eq(realism_draw(part, 1, b, 4), strlen(a), "the length that is needed");
}

/* --- victims of the L2 */

/* Lines of RMID 1 in the L3 after a stream of twice the L2 and a half of the L3's room for victims. */
static uint64_t victims(const char *realism, uint64_t *streamed)
{
    struct model *m = machine("spr", realism);
    uint64_t lines = lines_of_l2(m) + 16384, left;

    cr_expect_eq(silicon_write(m, 0, 0xC8F, 1), MODEL_DONE);
    silicon_load(m, 0, 0, lines);
    left = lines_of(m, 1);
    *streamed = lines - lines_of_l2(m);
    return left;
}

Test(realism, drops_as_many_clean_victims_as_it_says)
{
    uint64_t streamed, half, all;

    cr_expect_eq(victims(NULL, &streamed), streamed);
    cr_expect_eq(victims("none", &streamed), streamed);
    half = victims("l2-victim-drop=50", &streamed);
    cr_expect(half > streamed * 48 / 100 && half < streamed * 52 / 100, "%lu of %lu", half, streamed);
    cr_expect_eq(victims("l2-victim-drop=50", &streamed), half, "the same seed, the same victims");
    all = victims("l2-victim-drop=100", &streamed);
    cr_expect_eq(all, 0);
}

Test(realism, drops_no_victim_that_was_stored_to)
{
    struct model *m = machine("spr", "l2-victim-drop=100");
    uint64_t lines = lines_of_l2(m) + 4096;

    for (uint64_t i = 0; i < lines; i++)
        model_access(m, 0, i * 64, 8, MODEL_STORE);
    cr_expect_eq(lines_of(m, 0), 4096);
}

/* Lines of RMID 1 in the L3 when the L2 gave all of a buffer up that it had served so often. It is more than an L1. */
static uint64_t kept_after_passes(const char *realism, uint32_t passes)
{
    struct model *m = machine("spr", realism);
    uint64_t lines = 4096;

    cr_expect_eq(silicon_write(m, 0, 0xC8F, 1), MODEL_DONE);
    for (uint32_t i = 0; i < passes; i++)
        silicon_load(m, 0, 0, lines);
    cr_expect_eq(silicon_write(m, 0, 0xC8F, 2), MODEL_DONE);
    silicon_load(m, 0, SILICON_NODE / 2, lines_of_l2(m));
    return lines_of(m, 1);
}

Test(realism, keeps_victims_that_were_used_again)
{
    cr_expect_eq(kept_after_passes("l2-victim-drop=100,l2-victim-reuse=on", 1), 0);
    cr_expect_eq(kept_after_passes("l2-victim-drop=100,l2-victim-reuse=on", 2), 4096);
    cr_expect_eq(kept_after_passes("l2-victim-drop=100", 2), 0);
}

/* RMID 1 fills the L2, RMID 2 pushes that out. */
static uint64_t tagged(const char *realism, uint32_t rmid)
{
    struct model *m = machine("skx", realism);
    uint64_t lines = lines_of_l2(m);

    cr_expect_eq(silicon_write(m, 0, 0xC8F, 1), MODEL_DONE);
    silicon_load(m, 0, 0, lines);
    cr_expect_eq(silicon_write(m, 0, 0xC8F, 2), MODEL_DONE);
    silicon_load(m, 0, SILICON_NODE / 2, lines);
    return lines_of(m, rmid);
}

Test(realism, tags_a_victim_when_it_came_or_when_it_leaves)
{
    cr_expect_eq(tagged(NULL, 2), 0);
    cr_expect_gt(tagged(NULL, 1), 0);
    cr_expect_eq(tagged("l2-victim-tag=evict", 1), 0);
    cr_expect_eq(tagged("l2-victim-tag=evict", 2), tagged(NULL, 1));
}

/* --- the L3 */

/* Of a buffer of 1.5 times the L3, read round after round, the lines that the fourth found in a cache. */
static uint64_t cyclic_hits(const char *profile, const char *realism)
{
    struct model *m = machine(profile, realism);
    uint64_t lines = (uint64_t)m->l3_slices * m->l3.sets * m->l3.ways * 3 / 2, misses;

    for (uint32_t round = 0; round < 3; round++)
        silicon_load(m, 0, 0, lines);
    misses = m->cpu[0].counts.l3_misses;
    silicon_load(m, 0, 0, lines);
    misses = m->cpu[0].counts.l3_misses - misses;
    return lines - misses;
}

Test(realism, keeps_part_of_a_cyclic_buffer_but_with_lru)
{
    static const char *const policies[] = { "l3-replacement=random", "l3-replacement=drrip" };

    for (uint32_t i = 0; i < 2; i++) {
        cr_expect_eq(cyclic_hits("bdx", NULL), 0);
        cr_expect_gt(cyclic_hits("bdx", policies[i]), 10000, "%s", policies[i]);
        cr_expect_gt(cyclic_hits("skx", policies[i]), cyclic_hits("skx", NULL) + 10000, "%s", policies[i]);
    }
}

/* The way that a sixth line of a set takes in a class of 4 ways; of the first four, line 0 was read again. */
static bool kept_after_a_hit(const char *realism)
{
    struct model *m = machine("bdx", realism);
    uint64_t line = 0, found = 0, first = UINT64_MAX;
    uint32_t set = place_of(m, 0).index;
    bool kept;

    cr_expect_eq(silicon_write(m, 0, 0xC91, 0xF), MODEL_DONE);
    cr_expect_eq(silicon_write(m, 0, 0xC8F, UINT64_C(1) << 32), MODEL_DONE);
    for (; found < 7; line++) {
        if (place_of(m, line).index != set)
            continue;
        first = found == 0 ? line : first;
        model_access(m, 0, line * 64, 8, MODEL_LOAD);
        found++;
        if (found == 4) { /* from the L3 */
            private_snoop(m, m->cpu[0].core, first, true);
            model_access(m, 0, first * 64, 8, MODEL_LOAD);
        }
    }
    kept = find(m, row_of(m, m->domain, set), place_of(m, first).tag) != m->l3_entries;
    for (uint32_t e = 4; e < m->l3.ways; e++)
        cr_expect_eq(entry_state(row_of(m, m->domain, set).word[e]), STATE_I, "way %u is not of the class", e);
    return kept;
}

Test(realism, makes_room_for_a_new_line_before_one_that_was_hit)
{
    cr_expect(kept_after_a_hit(NULL));
    cr_expect(kept_after_a_hit("l3-replacement=qlru"));
    cr_expect(kept_after_a_hit("l3-replacement=drrip"));
    (void)kept_after_a_hit("l3-replacement=random"); /* the class's ways alone */
}

/* DRRIP: what streams through misses less in the sets that insert at age 3. */
Test(realism, lets_sets_duel)
{
    struct model *m = machine("bdx", "l3-replacement=drrip");
    uint64_t lines = (uint64_t)m->l3_slices * m->l3.sets * m->l3.ways * 3 / 2;

    cr_expect_eq(m->domain[0].quirk[0].selector, 512);
    for (uint32_t round = 0; round < 4; round++)
        silicon_load(m, 0, 0, lines);
    cr_expect_gt(m->domain[0].quirk[0].selector, 600);
}

Test(realism, hashes_sets_so_that_a_stride_meets_many)
{
    struct model *plain = machine("bdx", NULL), *hashed = machine("bdx", "l3-set-hash=on");
    uint32_t sets = plain->l3.sets, at = place_of(hashed, 0).index & (sets - 1), same = 0;

    for (uint64_t i = 0; i < 256; i++) {
        struct place p = place_of(hashed, i * sets + 5);
        struct l3_row row = row_of(hashed, hashed->domain, p.index);

        cr_expect_eq(place_of(plain, i * sets).index & (sets - 1), 0);
        same += (place_of(hashed, i * sets).index & (sets - 1)) == at;
        put_entry(row, 3, tag_in_word(p.tag), (uint16_t)p.tag);
        cr_expect_eq(place_in(hashed, row, 3, p.slice, p.index).line, p.line, "the way back");
    }
    cr_expect_lt(same, 8);
}

/* --- prefetchers */

/* Lines that MBM counts of `n` loads from one page, each `step` lines above the one before; the register that stops
 * prefetchers holds `control`. */
static uint64_t lines_of_loads(const char *profile, const char *realism, uint64_t control, uint64_t step, uint64_t n)
{
    struct model *m = machine(profile, realism);
    struct model_truth t;

    cr_expect_eq(silicon_write(m, 0, m->profile->amd ? 0xC0000108 : 0x1A4, control), MODEL_DONE);
    for (uint64_t i = 0; i < n; i++)
        model_access(m, 0, i * step * 64, 8, MODEL_LOAD);
    model_truth(m, 0, 0, &t);
    return t.rmid_total_lines;
}

Test(realism, prefetches_into_the_l1_unless_stopped)
{
    cr_expect_eq(lines_of_loads("skx", "l1-prefetch=on", 0, 1, 8), 9, "the next line");
    cr_expect_eq(lines_of_loads("skx", "l1-prefetch=on", 4, 1, 9), 10, "by its distance");
    cr_expect_eq(lines_of_loads("skx", "l1-prefetch=on", 0, 5, 9), 10);
    cr_expect_eq(lines_of_loads("skx", "l1-prefetch=on", 8, 5, 9), 9);
    cr_expect_eq(lines_of_loads("skx", "l1-prefetch=on", 0xC, 1, 8), 8);
    cr_expect_eq(lines_of_loads("skx", "none", 0, 1, 8), 8);
}

Test(realism, prefetches_into_the_l2_unless_stopped)
{
    cr_expect_eq(lines_of_loads("bdx", "l2-prefetch=on", 2, 1, 8), 10, "two lines ahead");
    cr_expect_eq(lines_of_loads("bdx", "l2-prefetch=on", 1, 5, 8), 16, "the pair of each");
    cr_expect_eq(lines_of_loads("bdx", "l2-prefetch=on", 3, 1, 8), 8);
}

Test(realism, has_a_multipath_prefetcher_on_parts_of_today)
{
    struct model *m = machine("skx", "none");

    cr_expect_eq(lines_of_loads("spr", "amp-prefetch=on", 0, 5, 8), 10, "two lines ahead");
    cr_expect_eq(lines_of_loads("spr", "amp-prefetch=on", 0x20, 5, 8), 8);
    cr_expect_eq(lines_of_loads("gnr", "amp-prefetch=on", 0xEF, 5, 8), 8);
    cr_expect(silicon_refuses(m, 0, 0x1A4, 0x20));
    cr_expect(strstr(refusal("icx", "amp-prefetch=on"), "cannot act on profile icx"));
}

Test(realism, stops_prefetchers_of_amd_by_their_own_register)
{
    cr_expect_eq(lines_of_loads("zen5", "l1-prefetch=on", 0, 1, 8), 9);
    cr_expect_eq(lines_of_loads("zen5", "l1-prefetch=on", 3, 1, 8), 8);
    cr_expect_eq(lines_of_loads("zen5", "l2-prefetch=on", 0x20, 1, 8), 10);
    cr_expect_eq(lines_of_loads("zen5", "l2-prefetch=on", 8, 5, 8), 16);
    cr_expect_eq(lines_of_loads("zen5", "l2-prefetch=on", 0x28, 1, 8), 8);
}

/* --- MBM */

#define TOTAL 2u

/* RMID 1's total bandwidth at a time. */
static uint64_t total_at(struct model *m, uint64_t tsc)
{
    uint64_t value = 0;

    cr_expect_eq(model_wrmsr(m, 0, 0xC8D, tsc, UINT64_C(1) << 32 | TOTAL), MODEL_DONE);
    cr_expect_eq(model_rdmsr(m, 0, 0xC8E, tsc, &value), MODEL_DONE);
    return value;
}

/* Counts that show at `us` after a load of 1 MiB between 0 and 300 us. */
static uint64_t shown(const char *realism, uint64_t us)
{
    struct model *m = machine("spr", realism);
    uint64_t tick = m->tsc_hz / 1000000, from = tick * 1000000, first, n;

    cr_expect_eq(silicon_write(m, 0, 0xC8F, 1), MODEL_DONE);
    first = total_at(m, from);
    silicon_load(m, 0, 0, 16384);
    n = total_at(m, from + 300 * tick) - first;
    if (us > 300)
        n = total_at(m, from + us * tick) - first;
    return (n & low_bits(m->mbm_width)) * m->scale;
}

Test(realism, shows_counts_of_the_last_update)
{
    cr_expect_eq(shown(NULL, 300) >> 18, 4);
    cr_expect_eq(shown("mbm-lag=1000", 300), 0, "not updated yet");
    cr_expect_eq(shown("mbm-lag=1000", 1001) >> 18, 4, "it catches up");
    cr_expect(shown("mbm-lag=200", 300) > 600000 && shown("mbm-lag=200", 300) < 720000, "two thirds of a MiB");
}

Test(realism, starts_mbm_where_it_says)
{
    static const struct {
        const char *realism, *profile;
        uint64_t low, high;
    } cases[] = { { NULL, "zen3", 0, 0 },
                  { "mbm-start=near-wrap", "zen3", (UINT64_C(1) << 44) - 2049, (UINT64_C(1) << 44) - 17 },
                  { "mbm-start=zero", "spr", 0, 0 },
                  { "mbm-start=anywhere", "spr", 1, UINT64_MAX } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = machine(cases[i].profile, cases[i].realism);
        uint64_t start = m->domain[0].mbm_start[1][0];

        cr_expect(start >= cases[i].low && start <= cases[i].high && start <= low_bits(m->mbm_width), "%s: %#lx",
                  cases[i].profile, start);
    }
}

/* Lines that MBM counted of a buffer when it was read a second time, after WBINVD. */
static uint64_t counted_again(const char *realism, uint64_t lines)
{
    struct model *m = machine("gnr", realism);
    uint64_t before;

    cr_expect_eq(silicon_write(m, 0, 0xC8F, 1), MODEL_DONE);
    silicon_load(m, 0, 0, lines);
    model_wbinvd(m, 0);
    before = silicon_count(m, 0, 1, TOTAL);
    silicon_load(m, 0, 0, lines);
    return ((silicon_count(m, 0, 1, TOTAL) - before) & low_bits(m->mbm_width)) * m->scale / 64;
}

Test(realism, overcounts_what_is_read_again_soon)
{
    struct model *m = machine("gnr", NULL);
    uint64_t l3 = (uint64_t)m->l3_slices * m->l3.sets * m->l3.ways;

    cr_expect_lt(counted_again(NULL, l3 / 4), l3 / 4 + 4096);
    cr_expect_gt(counted_again("mbm-overcount=40", l3 / 4), l3 / 4 * 134 / 100);
    cr_expect_lt(counted_again("mbm-overcount=40", 4 * l3), 4 * l3 + 8192);
}

/* What MBM counts of loads that many sets, or one, get. */
static uint64_t counted_of_stride(const char *realism, uint64_t step, uint64_t first)
{
    struct model *m = machine("bdx", realism);
    uint64_t n;

    cr_expect_eq(silicon_write(m, 0, 0xC8F, 1), MODEL_DONE);
    n = silicon_count(m, 0, 1, TOTAL);
    for (uint64_t i = 0; i < 65536; i++)
        model_access(m, 0, (first + i * step) * 64, 8, MODEL_LOAD);
    return ((silicon_count(m, 0, 1, TOTAL) - n) & low_bits(m->mbm_width)) * m->scale / 64;
}

Test(realism, samples_sets_so_that_a_stride_may_go_uncounted)
{
    cr_expect_eq(counted_of_stride("mbm-sampling=16", 1, 0) >> 10, 64);
    cr_expect_eq(counted_of_stride("mbm-sampling=16", 16, 5), 0);
    cr_expect_gt(counted_of_stride("none", 16, 5), 65000);
}

/* --- AMD: RMIDs that are tracked */

static void run_under(struct model *m, uint64_t rmid, uint64_t base)
{
    cr_expect_eq(silicon_write(m, 0, 0xC8F, rmid), MODEL_DONE);
    silicon_load(m, 0, base, 4096);
}

/* Two places: RMID 0 is on processor 1, so there is one for the others. Linux 15292f1b4c55. */
Test(realism, restarts_an_rmid_that_is_tracked_again)
{
    struct model *m = machine("zen3", "amd-tracked-rmids=2");

    run_under(m, 1, 0);
    cr_expect(silicon_count(m, 0, 1, TOTAL) & BIT(62), "the first read");
    cr_expect_eq(silicon_count(m, 0, 1, TOTAL) * m->scale / 64, 4096);
    cr_expect_eq(silicon_write(m, 0, 0xC8F, 2), MODEL_DONE);
    cr_expect(silicon_count(m, 0, 1, TOTAL) & BIT(62), "no longer tracked");
    cr_expect(silicon_count(m, 0, 1, TOTAL) & BIT(62), "and it stays so");
    cr_expect_eq(silicon_write(m, 0, 0xC8F, 1), MODEL_DONE);
    cr_expect(silicon_count(m, 0, 1, TOTAL) & BIT(62), "the first read again");
    cr_expect_eq(silicon_count(m, 0, 1, TOTAL), 0, "from 0 on");
}

Test(realism, tracks_every_rmid_without_being_asked)
{
    struct model *m = machine("zen3", NULL);

    for (uint64_t rmid = 1; rmid < 40; rmid++) {
        run_under(m, rmid, rmid << 20);
        (void)silicon_count(m, 0, rmid, TOTAL);
    }
    for (uint64_t rmid = 1; rmid < 40; rmid++)
        cr_expect_eq(silicon_count(m, 0, rmid, TOTAL) * m->scale / 64, 4096);
}

/* --- the prefetcher of the L3 */

/* Lines of a stream that the core's own counter of L3 misses has. */
static uint64_t misses_of_core(const char *profile, uint32_t control, uint64_t stop)
{
    struct model *m = machine(profile, "llc-prefetch=on");
    uint64_t misses;

    cr_expect_eq(silicon_write(m, 0, control, stop), MODEL_DONE);
    silicon_load(m, 0, 0, 64000);
    misses = m->cpu[0].counts.l3_misses;
    cr_expect_eq(traffic_of(m, m->domain[0].truth, 0, ALL_PARTS).moved[TRANSFER_READ][1], 64000, "each comes once");
    return misses;
}

Test(realism, has_the_l3_read_ahead_of_a_core_unless_its_register_stops_it)
{
    cr_expect_lt(misses_of_core("spr", 0x6D, 0), 20000);
    cr_expect_eq(misses_of_core("spr", 0x6D, BIT(42) | BIT(14)), 64000);
    cr_expect_lt(misses_of_core("srf", 0x1320, 0), 20000);
    cr_expect_eq(misses_of_core("srf", 0x1320, BIT(43)), 64000);
}
