/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Ice Lake-SP against Linux uncore_snbep.c (icx_*, snr_*) and figures computed by hand. */
#include "tests/support/uncore_rig.h"

/* Box control of CHA n. */
static uint32_t icx_cha(uint32_t n)
{
    return n < 18 ? 0xE00 + 0xE * n : n < 34 ? 0xF0A + 0xE * (n - 18) : 0xB60 + 0xE * (n - 34);
}

Test(icx, chas_lie_where_the_list_says)
{
    struct uncore_rig b = uncore_rig_of("icx", 2, 1, NULL);
    uint32_t pcu = find_function(&b, 0x345B, 30, 3, 1);

    cr_expect_eq(__builtin_popcount(dword(&b, pcu, 0x9C)) + __builtin_popcount(dword(&b, pcu, 0xA0)), 36);
    cr_expect_eq(msr(&b, 1, 0x702), 36);
    for (uint32_t n = 0; n < 36; n++)
        set_msr(&b, 1, icx_cha(n) + 8, n + 1);
    for (uint32_t n = 0; n < 36; n++) {
        cr_expect_eq(msr(&b, 1, icx_cha(n) + 8), n + 1);
        cr_expect_eq(msr(&b, 0, icx_cha(n) + 8), 0);
    }
    cr_expect(!has_msr(&b, 1, icx_cha(36)));
    set_msr(&b, 1, icx_cha(35) + 1, UINT64_MAX);
    cr_expect_eq(msr(&b, 1, icx_cha(35) + 1), BITS(57, 22) | BITS(20, 18) | BITS(15, 0));
    cr_expect(!has_msr(&b, 1, icx_cha(35) + 6), "no FILTER1");
    model_free(b.m);
}

Test(icx, a_bus_belongs_to_the_nearest_u_box_above)
{
    for (size_t i = 0; i < 3; i++) {
        struct uncore_rig b = uncore_rig_of("icx", machines[i], 1, NULL);

        for (uint32_t p = 0; p < b.packages; p++) {
            uint32_t ubox = find_function(&b, 0x3450, 0, 0, p);

            cr_assert_neq(ubox, NOWHERE);
            cr_expect_eq(dword(&b, ubox, 0xC0) & 7, p);
            cr_expect_eq(dword(&b, ubox, 0xD4) >> 3 * p & 7, p);
            for (uint32_t k = 0; k < 4; k++)
                cr_expect_eq(find_function(&b, 0x344A, 12 + k, 0, p) >> 8, ubox >> 8);
            for (uint32_t k = 0; k < 3; k++) {
                cr_expect_eq(find_function(&b, 0x3441, 2 + k, 1, p) >> 8, ubox >> 8);
                cr_expect_eq(find_function(&b, 0x3446, 5 + k, 1, p) >> 8, ubox >> 8);
            }
        }
        model_free(b.m);
    }
}

/* Counters from +8, controls from +40H, fixed +38H and +54H; free-running 2290H and 2298H of the controller. */
Test(icx, memory_channels_are_found_by_base_addresses_and_count_what_moved)
{
    for (size_t i = 0; i < 3; i++)
        for (uint32_t clusters = 1; clusters <= 2; clusters++) {
            struct uncore_rig b = uncore_rig_of("icx", machines[i], clusters, NULL);
            uint32_t last = b.packages - 1;
            uint64_t reads = 0, writes = 0, all = 0, free_reads = 0, free_writes = 0;

            for (uint32_t c = 0; c < 8; c++) {
                uint64_t at = channel_of(&b, 0x3451, last, c);

                set_mapped(&b, at + 0x40, 4, 0x0F04 | EN);
                set_mapped(&b, at + 0x44, 4, 0x3004 | EN);
                set_mapped(&b, at + 0x48, 4, 0x3F04 | EN);
                set_mapped(&b, at + 0x54, 4, EN);
            }
            for (uint32_t n = 0; n < clusters; n++) {
                touch(&b, 0, last * clusters + n, LINES, MODEL_LOAD);
                touch(&b, cpu_on(&b, last), last * clusters + n, LINES / 2, MODEL_NT_STORE);
            }
            b.tsc += SECOND;
            for (uint32_t c = 0; c < 8; c++) {
                uint64_t at = channel_of(&b, 0x3451, last, c), share = LINES * clusters / 8;

                cr_expect_eq(mapped(&b, at + 0x38, 8), 800000000, "HCLK, half of DCLK");
                cr_expect(mapped(&b, at + 8, 8) > share * 9 / 10 && mapped(&b, at + 8, 8) < share * 11 / 10);
                reads += mapped(&b, at + 0x08, 8);
                writes += mapped(&b, at + 0x10, 4) | mapped(&b, at + 0x14, 4) << 32;
                all += mapped(&b, at + 0x18, 8);
            }
            for (uint32_t k = 0; k < 4; k++) {
                uint64_t controller = channel_of(&b, 0x3451, last, 2 * k) - 0x22800;

                free_reads += mapped(&b, controller + 0x2290, 8);
                free_writes += mapped(&b, controller + 0x2298, 8);
            }
            cr_expect_eq(reads, LINES * clusters);
            cr_expect_eq(writes, LINES / 2 * clusters);
            cr_expect_eq(all, reads + writes);
            cr_expect_eq(free_reads, reads);
            cr_expect_eq(free_writes, writes);
            if (last)
                cr_expect_eq(mapped(&b, channel_of(&b, 0x3451, 0, 0) + 8, 8), 0, "the other package has its own");
            model_free(b.m);
        }
}

/* Free-running counters of controller n: lines read (icx 2290H), DCLK (22B0H), clocks of the read queue (spr 2318H). */
static uint64_t free_running(struct uncore_rig *b, uint32_t map_did, uint32_t n, uint32_t offset)
{
    return mapped(b, channel_of(b, map_did, 0, 2 * n) - 0x22800 + offset, 8);
}

/* The last controller is the broken one; a wrong clock is everybody's. */
Test(free_running, counters_of_memory_stand_still_count_twice_or_have_another_clock)
{
    static const char *const faults[] = { NULL, "imc-free-dead", "imc-free-double", "imc-free-clock:75" };
    static const uint64_t clocks[][2] = { { 4, 4 }, { 4, 0 }, { 4, 4 }, { 3, 3 } }, lines[] = { 1, 0, 2, 1 };

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct uncore_rig b = uncore_rig_of("icx", 1, 1, faults[i]);
        uint64_t asked = 0, begun[2] = { free_running(&b, 0x3451, 0, 0x22B0), free_running(&b, 0x3451, 3, 0x22B0) };

        for (uint32_t c = 6; c < 8; c++)
            set_mapped(&b, channel_of(&b, 0x3451, 0, c) + 0x40, 4, 0x0F04 | EN);
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        b.tsc += SECOND;
        for (uint32_t c = 6; c < 8; c++)
            asked += mapped(&b, channel_of(&b, 0x3451, 0, c) + 0x08, 8);
        cr_expect_eq(free_running(&b, 0x3451, 3, 0x2290), asked * lines[i], "%s", faults[i]);
        cr_expect_eq(free_running(&b, 0x3451, 0, 0x22B0) - begun[0], 400000000 * clocks[i][0], "%s", faults[i]);
        cr_expect_eq(free_running(&b, 0x3451, 3, 0x22B0) - begun[1], 400000000 * clocks[i][1], "%s", faults[i]);
        model_free(b.m);
    }
}

Test(free_running, clocks_of_memory_queues_stand_still_or_have_another_clock)
{
    static const char *const faults[] = { NULL, "imc-free-dead", "imc-free-clock" };
    static const uint64_t clocks[] = { 4, 0, 2 };

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct uncore_rig b = uncore_rig_of("spr", 1, 1, faults[i]);

        for (uint32_t offset = 0x2318; offset <= 0x2320; offset += 8) {
            uint64_t begun = free_running(&b, 0x3251, 3, offset);

            b.tsc += SECOND;
            cr_expect_eq(free_running(&b, 0x3251, 3, offset) - begun, 600000000 * clocks[i], "%s", faults[i]);
        }
        model_free(b.m);
    }
}

Test(icx, a_channel_freezes_and_resets_by_its_own_control)
{
    struct uncore_rig b = uncore_rig_of("icx", 1, 1, NULL);
    uint64_t one = channel_of(&b, 0x3451, 0, 3), other = channel_of(&b, 0x3451, 0, 2);

    set_mapped(&b, one, 4, 3);
    set_mapped(&b, other, 4, 3);
    set_mapped(&b, one + 0x54, 4, EN);
    set_mapped(&b, other + 0x54, 4, EN);
    b.tsc += 3;
    set_mapped(&b, one, 4, 0x100);
    b.tsc += 2400;
    cr_expect_eq(mapped(&b, one + 0x38, 8), 1);
    cr_expect_geq(mapped(&b, other + 0x38, 8), 801);
    set_mapped(&b, one, 4, 0x102);
    cr_expect_eq(mapped(&b, one + 0x38, 8), 0);
    cr_expect_eq(mapped(&b, one, 4), 0x100);
    cr_expect_geq(mapped(&b, other + 0x38, 8), 801, "its neighbour is left alone");
    cr_expect_eq(mapped(&b, one + 0x60, 4), UINT32_MAX, "no register there");
    model_free(b.m);
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

/* Linux icx_uncore_m3upi, PCM types.h: 32-bit controls at D8H, DCH, E0H, E4H; counters at A8H and 8 bytes apart. */
Test(icx, m3upi_has_controls_of_32_bits_side_by_side)
{
    struct uncore_rig b = uncore_rig_of("icx", 1, 1, NULL);
    uint32_t at = find_function(&b, 0x3446, 5, 1, 0);

    for (uint32_t i = 0; i < 4; i++)
        set_dword(&b, at, 0xD8 + 4 * i, (0x100 * i + 1) | EN);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(dword(&b, at, 0xD8 + 4 * i), (0x100 * i + 1) | EN);
    cr_expect_eq(dword(&b, at, 0xE8), 0);
    b.tsc += SECOND / 1000;
    for (uint32_t i = 1; i < 4; i++)
        cr_expect_eq(qword(&b, at, 0xA8 + 8 * i), qword(&b, at, 0xA8));
    cr_expect_neq(qword(&b, at, 0xA8), 0);
    model_free(b.m);
}

Test(icx, m2m_names_its_channels_in_the_extension)
{
    struct uncore_rig b = uncore_rig_of("icx", 1, 1, NULL);

    for (uint32_t k = 0; k < 4; k++) {
        uint32_t at = find_function(&b, 0x344A, 12 + k, 0, 0);

        for (uint32_t c = 0; c < 2; c++)
            set_mapped(&b, channel_of(&b, 0x3451, 0, 2 * k + c) + 0x40, 4, 0x0F04 | EN);
        for (uint32_t c = 0; c < 2; c++)
            set_dword(&b, at, 0x46C + 8 * c, 1u << c);
        set_dword(&b, at, 0x46C + 16, 0x07);
        for (uint32_t c = 0; c < 3; c++)
            set_dword(&b, at, 0x468 + 8 * c, 0x0437 | EN);
    }
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    b.tsc += 1000000;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t at = find_function(&b, 0x344A, 12 + k, 0, 0);
        uint64_t first = mapped(&b, channel_of(&b, 0x3451, 0, 2 * k) + 8, 8);
        uint64_t second = mapped(&b, channel_of(&b, 0x3451, 0, 2 * k + 1) + 8, 8);

        cr_expect_eq(qword(&b, at, 0x440), first);
        cr_expect_eq(qword(&b, at, 0x448), second);
        cr_expect_eq(qword(&b, at, 0x450), first + second);
    }
    model_free(b.m);
}

/* likwid perfmon_icelakeX_counters.h: the bit of CHA n is n, of 70EH and 70FH. */
Test(icx, the_global_status_has_a_bit_for_each_cha)
{
    struct uncore_rig b = uncore_rig_of("icx", 2, 1, NULL);

    cr_expect(!has_msr(&b, 0, 0x701));
    set_msr(&b, 1, icx_cha(35) + 1, EN | BIT(20)); /* CLOCKTICKS */
    set_msr(&b, 1, icx_cha(35) + 8, BIT(48) - 10);
    b.tsc += 1000;
    cr_expect_eq(msr(&b, 1, 0x70E), BIT(35));
    cr_expect_eq(msr(&b, 1, 0x70F), 0);
    cr_expect_eq(msr(&b, 0, 0x70E), 0, "of its package alone");
    set_msr(&b, 1, 0x70E, BIT(34));
    cr_expect_eq(msr(&b, 1, 0x70E), BIT(35));
    set_msr(&b, 1, 0x70E, BIT(35));
    cr_expect_eq(msr(&b, 1, 0x70E), 0);
    model_free(b.m);
}
