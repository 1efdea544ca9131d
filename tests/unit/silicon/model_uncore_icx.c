/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Ice Lake-SP against Linux uncore_snbep.c (icx_*, snr_*) and figures computed by hand. */
#include "tests/support/uncore_rig.h"

/* Box control of CHA n. */
static uint32_t icx_cha(uint32_t n)
{
    return n < 18 ? 0xE00 + 0xE * n : n < 34 ? 0xF0A + 0xE * (n - 18) : 0xB60 + 0xE * (n - 34);
}

/* Public event file: umask extensions of TOR_INSERTS and LLC_LOOKUP, as CTL bits 57:32. */
Test(icx, tor_and_lookups_follow_the_umask_extension)
{
    static const struct {
        uint64_t event, extension, expected; /* of 300 local and 200 remote loads that miss */
    } cases[] = { { 0x0135, 0xC001FF, 500 }, { 0x0135, 0xC001FD, 0 },   { 0x0135, 0xC001FE, 500 },
                  { 0x0135, 0xC817FE, 500 }, { 0x0135, 0xC816FE, 300 }, { 0x0135, 0xC8177E, 200 },
                  { 0x0135, 0xC807FE, 0 },   { 0x0435, 0xC001FF, 0 },   { 0x0135, 0, 0 },
                  { 0xFF34, 0x1BC1, 500 },   { 0xFF34, 0x1FFF, 500 },   { 0x0134, 0x1FE0, 500 },
                  { 0xF034, 0x1FFF, 0 },     { 0xFF34, 0x0BDF, 300 },   { 0xFF34, 0x15DF, 200 },
                  { 0xFF34, 0x1BC8, 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct uncore_rig b = uncore_rig_of("icx", 2, 1, NULL);

        program_chas(&b, 0, icx_cha, 1, cases[i].event | cases[i].extension << 32 | EN);
        touch(&b, 0, 0, 300, MODEL_LOAD);
        touch(&b, 0, 1, 200, MODEL_LOAD);
        b.tsc += 1000000;
        cr_expect_eq(sum_of_chas(&b, 0, icx_cha, 8), cases[i].expected, "%#lx x %#lx: %lu", cases[i].event,
                     cases[i].extension, sum_of_chas(&b, 0, icx_cha, 8));
        model_free(b.m);
    }
}
