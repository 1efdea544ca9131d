/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Monitors of clients at the addresses of Linux uncore_snb.c. */
#include "core/base/search.h"
#include "tests/support/machine/uncore_rig.h"

#define RUN        BIT(29)
#define ALL_READS  UINT64_C(0x9F34) /* CACHE_LOOKUP: READ, ANY | any state: what is looked up is loads */
#define READ_LINES UINT64_C(0x0281)

static uint64_t window(struct uncore_rig *b)
{
    uint32_t bar = dword(b, 0, 0x48);

    cr_assert_eq(dword(b, 0, 0) & 0xFFFF, 0x8086);
    cr_assert_eq(bar & 1, 1);
    return (uint64_t)dword(b, 0, 0x4C) << 32 | (bar & ~1u);
}

/* A stream of lines: looked up once in all CBos, asked of memory once by the ARB, read once by the controllers; nothing counts
 * while the global control's bit 29 is clear. */
static void expect_stream(const char *profile, const char *fault, uint32_t global, const uint32_t *cbo, uint32_t cbos,
                          uint32_t counter, uint32_t arb, uint32_t arb_counter, uint64_t expected)
{
    struct uncore_rig b = uncore_rig_of(profile, 1, 1, fault);
    uint64_t looked_up;

    set_msr(&b, 0, arb, EN | READ_LINES);
    for (uint32_t i = 0; i < cbos; i++)
        set_msr(&b, 0, cbo[i], EN | ALL_READS);
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    cr_expect_eq(msr(&b, 0, arb_counter), fault ? LINES : 0);
    set_msr(&b, 0, global, RUN);
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    cr_expect_eq(msr(&b, 0, arb_counter), fault ? 2 * LINES : LINES);
    looked_up = SUM_OF(uint64_t, i, cbos, msr(&b, 0, cbo[i] + counter));
    cr_expect_eq(looked_up, expected, "%s: %lu", profile, looked_up);
}

static const uint32_t cfl_cbo[] = { 0x700, 0x710, 0x720, 0x730, 0x740, 0x750, 0x760, 0xF70 };
static const uint32_t adl_cbo[] = { 0x2000, 0x2008, 0x2010, 0x2018, 0x2020, 0x2028, 0x2030, 0x2038 };

Test(client, counts_what_passes_while_bit_29_is_set)
{
    expect_stream("cfl", NULL, 0xE01, cfl_cbo, 8, 6, 0x3B2, 0x3B0, LINES);
    expect_stream("adl", NULL, 0x2FF0, adl_cbo, 8, 2, 0x2FD0, 0x2FD2, LINES);
    expect_stream("cfl", "global-enable-dead", 0xE01, cfl_cbo, 8, 6, 0x3B2, 0x3B0, 2 * LINES);
}

Test(client, memory_controllers_count_lines_in_the_window_of_the_host_bridge)
{
    struct uncore_rig cfl = uncore_rig_of("cfl", 1, 1, NULL), half = uncore_rig_of("cfl", 1, 1, "imc-free-half"),
                      adl = uncore_rig_of("adl", 1, 1, NULL);
    uint64_t controllers = window(&adl);

    cr_expect_eq(msr(&cfl, 0, 0x396) & 0xF, 9);
    cr_expect_eq(msr(&adl, 0, 0x396) & 0xF, 8);
    set_mapped(&adl, controllers + 0xD9D0, 4, 0x22);
    set_mapped(&adl, controllers + 0x1D9D0, 4, 0x22);
    touch(&cfl, 0, 0, LINES, MODEL_LOAD);
    touch(&half, 0, 0, LINES, MODEL_LOAD);
    touch(&adl, 0, 0, LINES, MODEL_LOAD);
    cr_expect_eq(mapped(&cfl, window(&cfl) + 0x5050, 4), LINES);
    cr_expect_eq(mapped(&cfl, window(&cfl) + 0x5044, 4), LINES);
    cr_expect_eq(mapped(&half, window(&half) + 0x5050, 4), LINES / 2);
    cr_expect_eq(mapped(&adl, controllers + 0xD858, 8) + mapped(&adl, controllers + 0x1D858, 8), LINES);
    cr_expect_eq(mapped(&adl, controllers + 0xD9E8, 8) + mapped(&adl, controllers + 0x1D9E8, 8), LINES);
}
