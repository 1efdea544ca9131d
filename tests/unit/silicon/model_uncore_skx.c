/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The uncore monitors of Skylake-SP against Linux uncore_snbep.c (skx_*) and figures computed by hand. */
#include "tests/support/uncore_rig.h"

enum { SKX_IMC_CTL = 0xD8, SKX_IMC_CTR = 0xA0, SKX_UPI_CTL = 0x350, SKX_UPI_CTR = 0x318 };
static const struct {
    uint32_t did, device, function;
} skx_channels[] = { { 0x2042, 10, 2 }, { 0x2046, 10, 6 }, { 0x204A, 11, 2 },
                     { 0x2042, 12, 2 }, { 0x2046, 12, 6 }, { 0x204A, 13, 2 } };

Test(skx, bus_numbers_and_node_ids_agree_in_every_package)
{
    for (size_t i = 0; i < 3; i++) {
        struct uncore_rig b = uncore_rig_of("skx", machines[i], 1, NULL);

        for (uint32_t p = 0; p < b.packages; p++) {
            uint64_t buses = msr(&b, p, 0x300);
            uint32_t ubox = find_function(&b, 0x2014, 8, 0, p), nodes = dword(&b, ubox, 0xD4);

            cr_expect(buses >> 63);
            cr_expect_eq(ubox >> 8, buses & 0xFF);
            cr_expect_eq(dword(&b, ubox, 0xC0) & 7, p);
            cr_expect_eq(nodes >> 3 * p & 7, p);
            for (uint32_t n = 0; n < 4; n++)
                cr_expect(model_pci_bus(b.m, buses >> 8 * n & 0xFF) && (buses >> 8 * n & 0xFF) >= 0x10);
            /* a bus belongs to the nearest U-box below it (Linux, when it fills its map) */
            for (uint32_t c = 0; c < 6; c++) {
                uint32_t at =
                    find_function(&b, skx_channels[c].did, skx_channels[c].device, skx_channels[c].function, p);

                cr_assert_neq(at, NOWHERE);
                cr_expect_gt(at >> 8, ubox >> 8);
                cr_expect(p + 1 == b.packages || at >> 8 < find_function(&b, 0x2014, 8, 0, p + 1) >> 8);
                cr_expect_eq(dword(&b, at & ~7u, 0) & 0xFFFF, 0x8086, "function 0, or nobody finds the others");
            }
        }
        model_free(b.m);
    }
}

/* Linux reads beyond 256 bytes for programs where the function is PCI Express: PCI 3.0 6.7, PCI Express 7.8. */
Test(skx, functions_with_registers_beyond_256_bytes_are_pci_express)
{
    static const struct {
        uint32_t did, device, function;
        bool express;
    } functions[] = {
        { 0x2066, 8, 0, true }, { 0x2058, 14, 0, true }, { 0x2042, 10, 2, false }, { 0x2014, 8, 0, false }
    };
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        uint32_t f = find_function(&b, functions[i].did, functions[i].device, functions[i].function, 0);
        uint32_t at = dword(&b, f, 0x34);

        cr_expect_eq(dword(&b, f, 4) >> 20 & 1, functions[i].express, "%x has capabilities", functions[i].did);
        cr_expect_eq(at != 0, functions[i].express, "%x", functions[i].did);
        if (at)
            cr_expect_eq(dword(&b, f, at) & 0xF0FFFF, 0x900010, "an integrated endpoint, and no other capability");
        cr_expect_eq(dword(&b, f, 0x100), 0, "no extended capability");
    }
    model_free(b.m);
}

Test(skx, chas_are_as_many_as_both_registers_say)
{
    struct uncore_rig b = uncore_rig_of("skx", 2, 1, NULL);
    uint32_t capid = dword(&b, find_function(&b, 0x2083, 30, 3, 1), 0x9C);

    cr_expect_eq(__builtin_popcount(capid & 0x0FFFFFFF), 24);
    cr_expect_eq(msr(&b, 1, 0x702) & 0x3F, 24);
    for (uint32_t n = 0; n < 24; n++) {
        set_msr(&b, 1, 0xE08 + 16 * n, UINT64_MAX);
        cr_expect_eq(msr(&b, 1, 0xE08 + 16 * n), BITS(47, 0));
        cr_expect_eq(msr(&b, 0, 0xE08 + 16 * n), 0, "the other package has its own");
    }
    cr_expect(!has_msr(&b, 1, 0xE00 + 16 * 24));
    cr_expect(has_msr(&b, 1, 0xA40 + 0x20 * 5) && has_msr(&b, 1, 0xA58 + 0x20 * 5));
    cr_expect(!has_msr(&b, 1, 0xA59 + 0x20 * 5 + 2 + 2), "two counters and two controls");
    model_free(b.m);
}

Test(skx, control_bits_that_exist_are_kept)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
    uint32_t upi = find_function(&b, 0x2058, 16, 0, 0);

    set_msr(&b, 0, 0xE01, UINT64_MAX); /* CHA */
    cr_expect_eq(msr(&b, 0, 0xE01), BITS(31, 22) | BITS(20, 18) | BITS(15, 0));
    set_msr(&b, 0, 0xE05, UINT64_MAX);
    set_msr(&b, 0, 0xE06, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xE05), BITS(26, 17) | BITS(12, 0));
    cr_expect_eq(msr(&b, 0, 0xE06), BITS(31, 9) | BITS(5, 3) | BITS(1, 0));
    set_msr(&b, 0, 0xA48, UINT64_MAX); /* IIO */
    cr_expect_eq(msr(&b, 0, 0xA48), BITS(46, 22) | BIT(20) | BIT(18) | BITS(15, 0));
    set_dword(&b, upi, 0x378, BITS(17, 16) | BIT(8));
    cr_expect_eq(dword(&b, upi, 0x378), BITS(17, 16) | BIT(8), "PCM takes another link for disabled");
    set_dword(&b, upi, 0x378, 0);
    set_dword(&b, upi, 0x350, UINT32_MAX);
    set_dword(&b, upi, 0x354, UINT32_MAX);
    cr_expect_eq(qword(&b, upi, 0x350), BITS(55, 45) | BITS(43, 32) | BITS(31, 22) | BIT(20) | BIT(18) | BITS(15, 0));
    set_dword(&b, upi, 0x378, 0x103);
    cr_expect_eq(dword(&b, upi, 0x378), 0x100, "resets read 0");
    cr_expect_eq(qword(&b, upi, 0x350), 0);
    model_free(b.m);
}

static uint64_t skx_cas(struct uncore_rig *b, uint32_t package, uint32_t counter, uint64_t each[6])
{
    uint64_t sum = 0;

    for (uint32_t c = 0; c < 6; c++) {
        uint32_t at = find_function(b, skx_channels[c].did, skx_channels[c].device, skx_channels[c].function, package);

        each[c] = qword(b, at, SKX_IMC_CTR + 8 * counter);
        sum += each[c];
    }
    return sum;
}

static void skx_program_channels(struct uncore_rig *b)
{
    for (uint32_t p = 0; p < b->packages; p++)
        for (uint32_t c = 0; c < 6; c++) {
            uint32_t at = find_function(b, skx_channels[c].did, skx_channels[c].device, skx_channels[c].function, p);

            set_dword(b, at, SKX_IMC_CTL + 0, 0x0304 | EN);
            set_dword(b, at, SKX_IMC_CTL + 4, 0x0C04 | EN);
            set_dword(b, at, SKX_IMC_CTL + 8, 0x0F04 | EN);
        }
}

Test(skx, cas_is_what_moved_and_every_channel_has_its_share)
{
    for (size_t i = 0; i < 3; i++)
        for (uint32_t clusters = 1; clusters <= 2; clusters++) {
            struct uncore_rig b = uncore_rig_of("skx", machines[i], clusters, NULL);
            uint32_t last = b.packages - 1;
            uint64_t each[6];

            skx_program_channels(&b);
            for (uint32_t n = 0; n < clusters; n++) { /* reads from the first package, writes from the last */
                touch(&b, 0, last * clusters + n, LINES, MODEL_LOAD);
                touch(&b, cpu_on(&b, last), last * clusters + n, LINES / 2, MODEL_NT_STORE);
            }
            b.tsc += 1000000;
            cr_expect_eq(skx_cas(&b, last, 0, each), LINES * clusters);
            for (uint32_t c = 0; c < 6; c++)
                cr_expect(each[c] > LINES * clusters / 6 * 9 / 10 && each[c] < LINES * clusters / 6 * 11 / 10, "%lu",
                          each[c]);
            cr_expect_eq(skx_cas(&b, last, 1, each), LINES / 2 * clusters);
            cr_expect_eq(skx_cas(&b, last, 2, each), (LINES + LINES / 2) * clusters);
            if (last)
                cr_expect_eq(skx_cas(&b, 0, 2, each), 0);
            model_free(b.m);
        }
}

/* FILTER1: 33H with an opcode, 3BH with any. DRd 202H, RFO 200H. Umask: 11H core hits, 21H core misses, 31H both. */
Test(skx, tor_inserts_need_a_filter_and_follow_it)
{
    static const struct {
        uint64_t filter1, umask, expected; /* of 300 local and 200 remote misses; hits come after */
    } cases[] = {
        { 0x00, 0x31, 0 },
        { 0x3B, 0x31, 500 },
        { 0x3B, 0x21, 500 },
        { 0x3B, 0x11, 0 },
        { 0x3A, 0x21, 300 },
        { 0x39, 0x21, 200 },
        { 0x40433, 0x21, 500 },
        { 0x40033, 0x21, 0 },
        { 0x33, 0x21, 0 },
        { 0x38, 0x21, 0 },
        { 0x1B, 0x21, 0 },
        { 0x3B, 0x24, 0 },
        { 0x0B, 0x21, 0 },
        { 0x2B, 0x21, 500 },
        { 0x202u << 19 | 2 << 9 | 0x33, 0x21, 500 }, /* OPC0 2 is of no class that processors use */
        { 0x202u << 19 | 0x33, 0x21, 500 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct uncore_rig b = uncore_rig_of("skx", 2, 1, NULL);
        uint64_t sum = 0;

        for (uint32_t n = 0; n < 24; n++) {
            set_msr(&b, 0, 0xE05 + 16 * n, 0);
            set_msr(&b, 0, 0xE06 + 16 * n, cases[i].filter1);
            set_msr(&b, 0, 0xE01 + 16 * n, 0x35 | cases[i].umask << 8 | EN);
        }
        touch(&b, 0, 0, 300, MODEL_LOAD);
        touch(&b, 0, 1, 200, MODEL_LOAD);
        b.tsc += 1000000;
        for (uint32_t n = 0; n < 24; n++)
            sum += msr(&b, 0, 0xE08 + 16 * n);
        cr_expect_eq(sum, cases[i].expected, "FILTER1 %#lx umask %#lx: %lu", cases[i].filter1, cases[i].umask, sum);
        model_free(b.m);
    }
}

Test(skx, tor_occupancy_is_counter_0s_and_at_least_its_inserts)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
    uint64_t occupancy = 0, inserts = 0, other = 0;

    for (uint32_t n = 0; n < 24; n++) {
        set_msr(&b, 0, 0xE06 + 16 * n, 0x3B);
        set_msr(&b, 0, 0xE01 + 16 * n, 0x2136 | EN);
        set_msr(&b, 0, 0xE02 + 16 * n, 0x2136 | EN);
        set_msr(&b, 0, 0xE03 + 16 * n, 0x2135 | EN);
    }
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    b.tsc += SECOND / 100;
    for (uint32_t n = 0; n < 24; n++) {
        occupancy += msr(&b, 0, 0xE08 + 16 * n);
        other += msr(&b, 0, 0xE09 + 16 * n);
        inserts += msr(&b, 0, 0xE0A + 16 * n);
    }
    cr_expect_eq(inserts, LINES);
    cr_expect_gt(occupancy, inserts);
    cr_expect_eq(occupancy % inserts, 0, "each entry stays as long");
    cr_expect_eq(other, 0);
    model_free(b.m);
}

/* LLC_LOOKUP: umask bit 0 and a state must be chosen. FILTER0 bit 17 is I. */
Test(skx, lookups_are_counted_by_kind_and_state)
{
    static const struct {
        uint64_t filter0, umask, expected;
    } cases[] = { { 0, 0x11, 0 },           { BIT(17), 0x10, 0 },      { BIT(17), 0x03, LINES },
                  { BIT(17), 0x11, LINES }, { BITS(24, 21), 0x03, 0 }, { BITS(26, 17), 0x03, LINES },
                  { BIT(17), 0x31, LINES }, { BIT(17), 0x91, 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
        uint64_t sum = 0;

        for (uint32_t n = 0; n < 24; n++) {
            set_msr(&b, 0, 0xE05 + 16 * n, cases[i].filter0);
            set_msr(&b, 0, 0xE01 + 16 * n, 0x34 | cases[i].umask << 8 | EN);
        }
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        b.tsc += 1000000;
        for (uint32_t n = 0; n < 24; n++)
            sum += msr(&b, 0, 0xE08 + 16 * n);
        cr_expect_eq(sum, cases[i].expected, "FILTER0 %#lx umask %#lx: %lu", cases[i].filter0, cases[i].umask, sum);
        model_free(b.m);
    }
}

/* Nine slots of data a line: what the home sends, the other receives. */
Test(skx, data_flits_sent_are_data_flits_received)
{
    struct uncore_rig b = uncore_rig_of("skx", 2, 1, NULL);
    uint64_t sent = 0, received = 0, clocks = 0, per_slot = 0;

    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t link = 0; link < 3; link++) {
            uint32_t at = find_function(&b, 0x2058, 14 + link, 0, p);

            set_dword(&b, at, SKX_UPI_CTL + 0, 0x0F02 | EN);
            set_dword(&b, at, SKX_UPI_CTL + 8, 0x0F03 | EN);
            set_dword(&b, at, SKX_UPI_CTL + 16, 0x0001 | EN);
            set_dword(&b, at, SKX_UPI_CTL + 24, 0x0902 | EN);
        }
    touch(&b, 0, 1, LINES, MODEL_LOAD);
    b.tsc += SECOND;
    for (uint32_t link = 0; link < 3; link++) {
        sent += qword(&b, find_function(&b, 0x2058, 14 + link, 0, 1), SKX_UPI_CTR);
        received += qword(&b, find_function(&b, 0x2058, 14 + link, 0, 0), SKX_UPI_CTR + 8);
        clocks += qword(&b, find_function(&b, 0x2058, 14 + link, 0, 0), SKX_UPI_CTR + 16);
        per_slot += qword(&b, find_function(&b, 0x2058, 14 + link, 0, 1), SKX_UPI_CTR + 24);
    }
    cr_expect_eq(sent, 9 * LINES);
    cr_expect_eq(received, sent);
    cr_expect_eq(per_slot, 3 * LINES);
    cr_expect_eq(clocks, 3 * UINT64_C(1300000000), "10.4 GT/s / 8");
    model_free(b.m);
}

Test(skx, m2m_and_cha_count_what_their_channels_do)
{
    struct uncore_rig b = uncore_rig_of("skx", 2, 1, NULL);
    uint64_t read = 0, written = 0, each[6], local = 0, remote = 0, cas = 0;

    skx_program_channels(&b);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t at = find_function(&b, 0x2066, 8 + k, 0, 1);

        set_dword(&b, at, 0x228, 0x0437 | EN);
        set_dword(&b, at, 0x230, 0x1038 | EN);
    }
    for (uint32_t n = 0; n < 24; n++) {
        set_msr(&b, 1, 0xE01 + 16 * n, 0x0150 | EN);
        set_msr(&b, 1, 0xE02 + 16 * n, 0x0250 | EN);
        set_msr(&b, 1, 0xE03 + 16 * n, 0x0159 | EN);
    }
    touch(&b, 0, 1, LINES, MODEL_LOAD);
    touch(&b, cpu_on(&b, 1), 1, LINES / 4, MODEL_LOAD);
    touch(&b, cpu_on(&b, 1), 1, LINES / 2, MODEL_NT_STORE);
    b.tsc += 1000000;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t at = find_function(&b, 0x2066, 8 + k, 0, 1);

        (void)skx_cas(&b, 1, 0, each);
        cr_expect_eq(qword(&b, at, 0x200), each[3 * k] + each[3 * k + 1] + each[3 * k + 2]);
        read += qword(&b, at, 0x200);
        written += qword(&b, at, 0x208);
    }
    cr_expect_eq(read, LINES + LINES / 4);
    cr_expect_eq(written, LINES / 2);
    for (uint32_t n = 0; n < 24; n++) {
        local += msr(&b, 1, 0xE08 + 16 * n);
        remote += msr(&b, 1, 0xE09 + 16 * n);
        cas += msr(&b, 1, 0xE0A + 16 * n);
    }
    cr_expect_eq(local, LINES / 4);
    cr_expect_eq(remote, LINES);
    cr_expect_eq(cas, LINES + LINES / 4);
    model_free(b.m);
}

/* Freeze stops, counting continues from there, 48 bits wrap and report with ov_en, resets act apart. */
Test(skx, a_box_freezes_wraps_and_resets)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);

    set_msr(&b, 0, 0xE00, 3);
    set_msr(&b, 0, 0xE01, EN | BIT(20)); /* CLOCKTICKS; the uncore and the TSC run at 2.4 GHz */
    set_msr(&b, 0, 0xE02, EN);
    set_msr(&b, 0, 0xE08, BIT(48) - 1000);
    set_msr(&b, 0, 0xE09, BIT(48) - 1000);
    b.tsc += 600;
    cr_expect_eq(msr(&b, 0, 0xE08), BIT(48) - 400);
    cr_expect_eq(msr(&b, 0, 0xE07), 0);
    set_msr(&b, 0, 0xE00, BIT(8));
    b.tsc += 600;
    cr_expect_eq(msr(&b, 0, 0xE08), BIT(48) - 400);
    set_msr(&b, 0, 0xE00, 0);
    b.tsc += 600;
    cr_expect_eq(msr(&b, 0, 0xE08), 0, "frozen by its overflow");
    cr_expect_eq(msr(&b, 0, 0xE09), 0, "and with it the other");
    cr_expect_eq(msr(&b, 0, 0xE07), 1, "only the counter that asks");
    cr_expect_eq(msr(&b, 0, 0x701), BIT(3));
    set_msr(&b, 0, 0xE07, 1);
    set_msr(&b, 0, 0x701, BIT(3));
    cr_expect_eq(msr(&b, 0, 0xE07), 0);
    cr_expect_eq(msr(&b, 0, 0x701), 0);
    set_msr(&b, 0, 0x700, BIT(61));
    b.tsc += 200;
    cr_expect_eq(msr(&b, 0, 0xE08), 200);
    cr_expect_eq(msr(&b, 0, 0xE09), 200);
    set_msr(&b, 0, 0xE00, 2);
    cr_expect_eq(msr(&b, 0, 0xE08), 0);
    cr_expect_eq(msr(&b, 0, 0xE01), EN | BIT(20));
    b.tsc += 50;
    set_msr(&b, 0, 0xE00, 1);
    cr_expect_eq(msr(&b, 0, 0xE08), 50);
    cr_expect_eq(msr(&b, 0, 0xE01), 0);
    model_free(b.m);
}

Test(skx, global_control_freezes_with_bit_63_and_frees_with_61)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
    uint32_t imc = find_function(&b, 0x2046, 12, 6, 0);

    set_dword(&b, imc, 0xF0, EN);
    set_msr(&b, 0, 0x703, EN);
    set_msr(&b, 0, 0x711, EN);
    set_msr(&b, 0, 0x700, BIT(63));
    b.tsc += SECOND;
    cr_expect_eq(qword(&b, imc, 0xD0) + msr(&b, 0, 0x704) + msr(&b, 0, 0x717), 0);
    set_msr(&b, 0, 0x700, BIT(61));
    b.tsc += SECOND;
    cr_expect_eq(qword(&b, imc, 0xD0), 1333333333);
    cr_expect_eq(msr(&b, 0, 0x704), SECOND);
    cr_expect_eq(msr(&b, 0, 0x717), 1000000000);
    model_free(b.m);
}

Test(skx, free_running_counters_cannot_be_stopped_or_written)
{
    struct uncore_rig b = uncore_rig_of("skx", 1, 1, NULL);
    uint64_t before = msr(&b, 0, 0xA45);

    set_msr(&b, 0, 0xA40, BIT(8));
    set_msr(&b, 0, 0x700, BIT(63));
    cr_expect_eq(model_wrmsr(b.m, 0, 0xA45, b.tsc, 0), MODEL_GP);
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0xA45) - before, 500000000);
    b.tsc += 200 * (uint64_t)SECOND;
    cr_expect_lt(msr(&b, 0, 0xA45), BIT(36));
    cr_expect_eq(msr(&b, 0, 0xB00), 0, "no I/O");
    model_free(b.m);
}

/* skx_iio_freerunning: 4 bytes a count, 36 bits. A device writes 1,000,000 bytes a second behind the second stack. */
Test(skx, bandwidth_in_is_what_the_device_writes)
{
    struct model_config config = MODEL("skx", 1, 1, 1, .slices = 2, .tsc_hz = SECOND, .realism = "dma=1000");
    struct uncore_rig b = { .tsc = 1000, .packages = 1, .clusters = 1 };
    char why[8192] = "";
    uint64_t before;

    b.m = model_new(&config, why, sizeof why);
    cr_assert(b.m, "%.200s", why);
    model_memory(b.m, 0, GB(1), 0);
    before = msr(&b, 0, 0xB10);
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0xB10) - before, 1000000 / 64 * 64 / 4);
    cr_expect_eq(msr(&b, 0, 0xB11), 0, "another port");
    cr_expect_eq(msr(&b, 0, 0xB14), 0, "nothing goes out");
    cr_expect_eq(msr(&b, 0, 0xB20), 0, "another stack");
    cr_expect_eq(model_wrmsr(b.m, 0, 0xB10, b.tsc, 0), MODEL_GP);
    model_free(b.m);
}
