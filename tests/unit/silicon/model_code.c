/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Code that processors of the virtual silicon fetch: the instruction cache, whose the lines are, into which ways they
 * go, and what is no fetch. */
#include "tests/silicon/cache/model_cache.h"
#include "tests/silicon/model/model_clock.h"

#include <criterion/criterion.h>

#define NODE      UINT64_C(0x40000000)
#define PQR       0xC8Fu
#define CLASS     (UINT64_C(1) << 32)
#define L3_CONFIG 0xC81u
#define L3_MASK_0 0xC90u
#define ONE_WAY   (8u * 2048u) /* lines of the bdx profile's L3 */

static struct model *model_of(const char *profile, uint32_t packages, const char *fault)
{
    struct model_config config = MODEL(profile, packages, 1, 1);
    char error[2048] = "";
    struct model *m;

    config.faults[0] = fault;
    m = model_new(&config, error, sizeof error);
    cr_assert(m, "%s", error);
    model_memory(m, 0, NODE, 0);
    return m;
}

static enum cache_level fetch(struct model *m, uint32_t cpu, uint64_t physical)
{
    return model_access_level(m, cpu, physical, 8, MODEL_FETCH);
}

static void fetch_lines(struct model *m, uint64_t base, uint64_t lines)
{
    for (uint64_t i = 0; i < lines; i++)
        fetch(m, 0, base + i * 64);
}

static void load_lines(struct model *m, uint64_t base, uint64_t lines)
{
    for (uint64_t i = 0; i < lines; i++)
        model_access(m, 0, base + i * 64, 8, MODEL_LOAD);
}

static void write_msr(struct model *m, uint32_t msr, uint64_t value)
{
    cr_assert_eq(model_wrmsr(m, 0, msr, 0, value), MODEL_DONE, "MSR %xH", msr);
}

static struct model_truth truth_of(struct model *m, uint32_t rmid)
{
    struct model_truth t;

    model_truth(m, 0, rmid, &t);
    return t;
}

/* --- the instruction cache */

Test(code, of_32_kib_stays_at_the_first_level)
{
    struct model *m = model_of("bdx", 1, NULL);

    fetch_lines(m, 0, CODE_LINES);
    for (uint64_t i = 0; i < CODE_LINES; i++)
        cr_expect_eq(fetch(m, 0, i * 64), LEVEL_L1);
    fetch(m, 0, UINT64_C(64) * CODE_LINES);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_L2, "the line after them took its place");
    cr_expect_eq(truth_of(m, 0).rmid_total_lines, CODE_LINES + 1);
    model_free(m);
}

Test(code, is_not_what_data_is_at_the_first_level)
{
    struct model *m = model_of("bdx", 1, NULL);

    fetch(m, 0, 0);
    cr_expect_eq(model_access_level(m, 0, 0, 8, MODEL_LOAD), LEVEL_L2);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_L1);
    model_free(m);
}

Test(code, goes_where_its_line_leaves_the_core)
{
    struct model *m = model_of("bdx", 2, NULL);

    fetch(m, 0, 0);
    model_access(m, 1, 0, 8, MODEL_STORE);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_MEMORY, "somebody else wrote new code");
    model_clflush(m, 1, 0);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_MEMORY);
    model_wbinvd(m, 0);
    cr_expect_eq(fetch(m, 0, 0), LEVEL_MEMORY);
    load_lines(m, NODE / 2, 16384); /* 1 MB push it out of the L2 */
    cr_expect_eq(fetch(m, 0, 0), LEVEL_L3);
    model_free(m);
}

Test(code, is_no_load_or_store_that_retires)
{
    struct model *m = model_of("bdx", 1, NULL);

    load_lines(m, 0, 3);
    fetch_lines(m, NODE / 2, 100);
    cr_expect_eq(m->cpu[0].counts.accesses, 3);
    model_free(m);
}

Test(code, costs_nothing_at_the_first_level_and_half_of_the_latency_beyond_it)
{
    struct model *m = model_of("bdx", 1, NULL);
    uint64_t now = 1000000;

    cr_expect_eq(model_clock_fetch(m, 0, now, 0, LEVEL_L1), now);
    for (int level = LEVEL_L2; level <= LEVEL_MEMORY; level++)
        cr_expect_eq(model_clock_fetch(m, 0, now, 0, (enum cache_level)level) - now,
                     (model_clock_access(m, 0, now, 0, (enum cache_level)level, true) - now) / 2, "level %d", level);
    model_free(m);
}

/* --- whose it is, and where */

/* Beyond Broadwell a line of code comes to the L3 when the L2 gives it up, as others do. */
Test(code, counts_for_the_rmid_that_runs_it)
{
    static const char *const parts[] = { "bdx", "spr", "zen3" };

    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t faulty = 0; faulty < 2; faulty++) {
            struct model *m = model_of(parts[i], 1, faulty ? "code-untagged" : NULL);
            uint64_t seen;

            write_msr(m, PQR, 3);
            fetch_lines(m, 0, 65536);
            load_lines(m, NODE / 2, 65536);
            cr_expect_eq(truth_of(m, 3).rmid_total_lines, UINT64_C(2) * 65536, "%s", parts[i]);
            seen = traffic_of(m, m->domain[0].seen, 3, ALL_PARTS).moved[TRANSFER_READ][1];
            cr_expect_eq(seen, faulty ? 65536 : UINT64_C(2) * 65536, "%s, %u faults: %lu", parts[i], faulty, seen);
            model_free(m);
        }
}

/* With CDP class 1 has mask 2 for data and mask 3 for code. */
static void fill_by_masks(struct model *m, bool cdp)
{
    write_msr(m, L3_CONFIG, cdp);
    write_msr(m, L3_MASK_0 + 1, 0xF00);
    write_msr(m, L3_MASK_0 + 2, 0x3);
    write_msr(m, L3_MASK_0 + 3, 0x3C);
    write_msr(m, PQR, CLASS | 3);
    load_lines(m, 0, 400000);
    write_msr(m, PQR, CLASS | 4);
    fetch_lines(m, NODE / 2, 400000);
}

Test(code, goes_by_the_mask_of_code)
{
    struct model *m = model_of("bdx", 1, NULL);

    fill_by_masks(m, true);
    cr_expect_eq(truth_of(m, 3).rmid_lines, 2 * ONE_WAY);
    cr_expect_eq(truth_of(m, 4).rmid_lines, 4 * ONE_WAY);
    model_free(m);
}

Test(code, goes_by_the_class_without_cdp)
{
    struct model *m = model_of("bdx", 1, NULL);

    fill_by_masks(m, false);
    cr_expect_eq(truth_of(m, 3).rmid_lines, 0, "the code took its four ways");
    cr_expect_eq(truth_of(m, 4).rmid_lines, 4 * ONE_WAY);
    model_free(m);
}
