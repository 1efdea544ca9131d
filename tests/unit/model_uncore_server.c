/* The uncore monitors of Skylake-SP, Ice Lake-SP, Sapphire Rapids and Zen against the documents, and against figures
 * computed by hand. Addresses stand here as the documents have them, not as the tables of the silicon do; the discovery
 * table is read byte by byte.
 */
#include "tests/silicon/model_uncore_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define GB(n)  ((uint64_t)(n) << 30) /* node n has its n-th GB */
#define EN     BIT(22)
#define LINES  1200u
#define SECOND 2400000000u

/* A machine and what time it is there. */
struct bench {
    struct model *m;
    uint64_t tsc;
    uint32_t packages, clusters;
};

static struct bench bench_of(const char *profile, uint32_t packages, uint32_t clusters, const char *fault)
{
    struct model_config config = {
        .profile = profile, .packages = packages, .cores = 4, .threads = 1, .clusters = clusters, .tsc_hz = SECOND
    };
    struct bench b = { .tsc = 1000, .packages = packages, .clusters = clusters };
    char why[8192] = "";

    if (fault)
        config.faults[config.n_faults++] = fault;
    b.m = model_new(&config, why, sizeof why);
    cr_assert(b.m, "%s %s: %.200s", profile, fault, why);
    for (uint32_t n = 0; n < packages * clusters; n++)
        model_memory(b.m, GB(n), GB(1), n);
    for (uint32_t cpu = 0; cpu < model_cpus(b.m); cpu++) /* nothing but what is asked for comes from memory */
        (void)model_wrmsr(b.m, cpu, 0x1A4, 0, 0xF);
    return b;
}

static uint32_t cpu_on(const struct bench *b, uint32_t package)
{
    return package * model_cpus(b->m) / b->packages;
}

static uint64_t msr(struct bench *b, uint32_t package, uint32_t number)
{
    uint64_t value = 0;

    cr_assert_eq(model_rdmsr(b->m, cpu_on(b, package), number, b->tsc, &value), MODEL_DONE, "RDMSR %#x", number);
    return value;
}

static void set_msr(struct bench *b, uint32_t package, uint32_t number, uint64_t value)
{
    cr_assert_eq(model_wrmsr(b->m, cpu_on(b, package), number, b->tsc, value), MODEL_DONE, "WRMSR %#x", number);
}

/* False: it raises #GP. */
static bool has_msr(struct bench *b, uint32_t package, uint32_t number)
{
    enum model_answer answer = model_rdmsr(b->m, cpu_on(b, package), number, b->tsc, &(uint64_t){ 0 });

    cr_assert(answer == MODEL_DONE || answer == MODEL_GP, "MSR %#x is left to the host", number);
    return answer == MODEL_DONE;
}

/* A PCI function found as software finds it: by its identity, in the order of bus numbers. */
#define NOWHERE UINT32_MAX
static uint32_t find_function(struct bench *b, uint32_t did, uint32_t device, uint32_t function, uint32_t nth)
{
    for (uint32_t bus = 0x10; bus < 256; bus++) {
        uint32_t at = bus << 8 | device << 3 | function;

        if (!model_pci_bus(b->m, bus))
            continue;
        if (model_pci_read(b->m, at, 0, 4, b->tsc) == (did << 16 | 0x8086u) && nth-- == 0)
            return at;
    }
    return NOWHERE;
}

static uint32_t dword(struct bench *b, uint32_t at, uint32_t offset)
{
    return model_pci_read(b->m, at, offset, 4, b->tsc);
}

static uint64_t qword(struct bench *b, uint32_t at, uint32_t offset)
{
    return dword(b, at, offset) | (uint64_t)dword(b, at, offset + 4) << 32;
}

static void set_dword(struct bench *b, uint32_t at, uint32_t offset, uint32_t value)
{
    model_pci_write(b->m, at, offset, 4, b->tsc, value);
}

static uint64_t mapped(struct bench *b, uint64_t address, uint32_t bytes)
{
    return model_mmio_read(b->m, address, bytes, b->tsc);
}

static void set_mapped(struct bench *b, uint64_t address, uint32_t bytes, uint64_t value)
{
    model_mmio_write(b->m, address, bytes, b->tsc, value);
}

/* `lines` lines of a node that nobody has asked for before: each call another region. */
static void touch(struct bench *b, uint32_t cpu, uint32_t node, uint32_t lines, enum model_kind kind)
{
    static uint64_t region;
    uint64_t first = GB(node) + (region++ % 512 << 20);

    for (uint64_t i = 0; i < lines; i++)
        for (uint64_t at = 0; at < 64; at += kind == MODEL_NT_STORE ? 8 : 64)
            model_access(b->m, cpu, first + i * 64 + at, 8, kind);
}

static const uint32_t machines[] = { 1, 2, 8 };

/* --- Skylake-SP: Linux uncore_snbep.c (skx_*) */

enum { SKX_IMC_CTL = 0xD8, SKX_IMC_CTR = 0xA0, SKX_UPI_CTL = 0x350, SKX_UPI_CTR = 0x318 };
static const struct {
    uint32_t did, device, function;
} skx_channels[] = { { 0x2042, 10, 2 }, { 0x2046, 10, 6 }, { 0x204A, 11, 2 },
                     { 0x2042, 12, 2 }, { 0x2046, 12, 6 }, { 0x204A, 13, 2 } };

Test(skx, bus_numbers_and_node_ids_agree_in_every_package)
{
    for (size_t i = 0; i < 3; i++) {
        struct bench b = bench_of("skx", machines[i], 1, NULL);

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

Test(skx, chas_are_as_many_as_both_registers_say)
{
    struct bench b = bench_of("skx", 2, 1, NULL);
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
    struct bench b = bench_of("skx", 1, 1, NULL);
    uint32_t upi = find_function(&b, 0x2058, 16, 0, 0);

    set_msr(&b, 0, 0xE01, UINT64_MAX); /* CHA */
    cr_expect_eq(msr(&b, 0, 0xE01), BITS(31, 22) | BITS(20, 18) | BITS(15, 0));
    set_msr(&b, 0, 0xE05, UINT64_MAX);
    set_msr(&b, 0, 0xE06, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xE05), BITS(26, 17) | BITS(12, 0));
    cr_expect_eq(msr(&b, 0, 0xE06), BITS(31, 9) | BITS(5, 3) | BITS(1, 0));
    set_msr(&b, 0, 0xA48, UINT64_MAX); /* IIO */
    cr_expect_eq(msr(&b, 0, 0xA48), BITS(46, 22) | BIT(20) | BIT(18) | BITS(15, 0));
    set_dword(&b, upi, 0x350, UINT32_MAX);
    set_dword(&b, upi, 0x354, UINT32_MAX);
    cr_expect_eq(qword(&b, upi, 0x350), BITS(55, 45) | BITS(43, 32) | BITS(31, 22) | BIT(20) | BIT(18) | BITS(15, 0));
    set_dword(&b, upi, 0x378, 0x103);
    cr_expect_eq(dword(&b, upi, 0x378), 0x100, "resets read 0");
    cr_expect_eq(qword(&b, upi, 0x350), 0);
    model_free(b.m);
}

static uint64_t skx_cas(struct bench *b, uint32_t package, uint32_t counter, uint64_t each[6])
{
    uint64_t sum = 0;

    for (uint32_t c = 0; c < 6; c++) {
        uint32_t at = find_function(b, skx_channels[c].did, skx_channels[c].device, skx_channels[c].function, package);

        each[c] = qword(b, at, SKX_IMC_CTR + 8 * counter);
        sum += each[c];
    }
    return sum;
}

static void skx_program_channels(struct bench *b)
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
            struct bench b = bench_of("skx", machines[i], clusters, NULL);
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
        struct bench b = bench_of("skx", 2, 1, NULL);
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
    struct bench b = bench_of("skx", 1, 1, NULL);
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
        struct bench b = bench_of("skx", 1, 1, NULL);
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
    struct bench b = bench_of("skx", 2, 1, NULL);
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
    struct bench b = bench_of("skx", 2, 1, NULL);
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

/* Freeze stops, counting goes on from there, 48 bits wrap and report with ov_en, resets act apart. */
Test(skx, a_box_freezes_wraps_and_resets)
{
    struct bench b = bench_of("skx", 1, 1, NULL);

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
    cr_expect_eq(msr(&b, 0, 0xE08), 200);
    cr_expect_eq(msr(&b, 0, 0xE09), 200);
    cr_expect_eq(msr(&b, 0, 0xE07), 1, "only the counter that asks");
    set_msr(&b, 0, 0xE07, 1);
    cr_expect_eq(msr(&b, 0, 0xE07), 0);
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
    struct bench b = bench_of("skx", 1, 1, NULL);
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
    struct bench b = bench_of("skx", 1, 1, NULL);
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

/* --- Ice Lake-SP: Linux uncore_snbep.c (icx_*, snr_*) */

/* Box control of CHA n. */
static uint32_t icx_cha(uint32_t n)
{
    return n < 18 ? 0xE00 + 0xE * n : n < 34 ? 0xF0A + 0xE * (n - 18) : 0xB60 + 0xE * (n - 34);
}

/* Physical address of a channel, by the base address registers of the memory map function. */
static uint64_t channel_of(struct bench *b, uint32_t map_did, uint32_t package, uint32_t n)
{
    uint32_t map = find_function(b, map_did, 0, 1, package);
    uint64_t base = (uint64_t)(dword(b, map, 0xD0) & 0x1FFFFFFF) << 23;
    uint64_t bar = (uint64_t)(dword(b, map, 0xD8 + 4 * (n / 2)) & 0x7FF) << 12;

    cr_assert_neq(map, NOWHERE);
    cr_assert(base && bar);
    return base + bar + 0x22800 + 0x4000 * (n % 2);
}

/* One event in counter `counter` of every CHA of a package; the sum of what they count. */
static void program_chas(struct bench *b, uint32_t package, uint32_t (*box)(uint32_t), uint32_t counter, uint64_t ctl)
{
    for (uint32_t n = 0; n < uncore_slices(b->m); n++)
        set_msr(b, package, box(n) + counter, ctl);
}

static uint64_t sum_of_chas(struct bench *b, uint32_t package, uint32_t (*box)(uint32_t), uint32_t counter)
{
    uint64_t sum = 0;

    for (uint32_t n = 0; n < uncore_slices(b->m); n++)
        sum += msr(b, package, box(n) + counter);
    return sum;
}

Test(icx, chas_lie_where_the_list_says)
{
    struct bench b = bench_of("icx", 2, 1, NULL);
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
        struct bench b = bench_of("icx", machines[i], 1, NULL);

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
            struct bench b = bench_of("icx", machines[i], clusters, NULL);
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

                cr_expect_eq(mapped(&b, at + 0x38, 8), 1600000000);
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

Test(icx, a_channel_freezes_and_resets_by_its_own_control)
{
    struct bench b = bench_of("icx", 1, 1, NULL);
    uint64_t one = channel_of(&b, 0x3451, 0, 3), other = channel_of(&b, 0x3451, 0, 2);

    set_mapped(&b, one, 4, 3);
    set_mapped(&b, other, 4, 3);
    set_mapped(&b, one + 0x54, 4, EN);
    set_mapped(&b, other + 0x54, 4, EN);
    b.tsc += 3;
    set_mapped(&b, one, 4, 0x100);
    b.tsc += 2400;
    cr_expect_eq(mapped(&b, one + 0x38, 8), 2);
    cr_expect_geq(mapped(&b, other + 0x38, 8), 1602);
    set_mapped(&b, one, 4, 0x102);
    cr_expect_eq(mapped(&b, one + 0x38, 8), 0);
    cr_expect_eq(mapped(&b, one, 4), 0x100);
    cr_expect_geq(mapped(&b, other + 0x38, 8), 1602, "its neighbour is left alone");
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
        struct bench b = bench_of("icx", 2, 1, NULL);

        program_chas(&b, 0, icx_cha, 1, cases[i].event | cases[i].extension << 32 | EN);
        touch(&b, 0, 0, 300, MODEL_LOAD);
        touch(&b, 0, 1, 200, MODEL_LOAD);
        b.tsc += 1000000;
        cr_expect_eq(sum_of_chas(&b, 0, icx_cha, 8), cases[i].expected, "%#lx x %#lx: %lu", cases[i].event,
                     cases[i].extension, sum_of_chas(&b, 0, icx_cha, 8));
        model_free(b.m);
    }
}

Test(icx, m2m_names_its_channels_in_the_extension)
{
    struct bench b = bench_of("icx", 1, 1, NULL);

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

/* --- Sapphire Rapids: Linux uncore_discovery.c, intel/pcm uncore_pmu_discovery */

static uint32_t spr_cha(uint32_t n)
{
    return 0x2000 + 0x10 * n;
}

/* Little-endian bytes of memory, one at a time. */
static uint64_t bytes_at(struct bench *b, uint64_t address, uint32_t first, uint32_t last)
{
    uint64_t value = 0;

    for (uint32_t i = last + 1; i-- > first;)
        value = value << 8 | mapped(b, address + i, 1);
    return value;
}

struct unit {
    uint32_t counters, ctl, width, ctr, status, access, kind, id, position;
    uint64_t address;
};
struct table {
    uint32_t stride, n, access, status, statuses;
    uint64_t global;
    struct unit unit[256];
};

/* From the function to the table: extended capabilities from 100H, DVSEC with entry 1, base address register. */
static uint64_t table_of(struct bench *b, uint32_t package)
{
    uint32_t at = find_function(b, 0x09A7, 3, 1, package), capability = 0x100, bar;

    cr_assert_neq(at, NOWHERE);
    cr_expect(dword(b, at, 4) >> 20 & 1, "capability list");
    cr_expect_eq(dword(b, at, dword(b, at, 0x34) & 0xFC) & 0xFF, 0x10, "PCI Express, or there is no extended space");
    while (capability && !((dword(b, at, capability) & 0xFFFF) == 0x23 && (dword(b, at, capability + 8) & 0xFFFF) == 1))
        capability = dword(b, at, capability) >> 20;
    cr_assert(capability);
    cr_expect_eq(dword(b, at, capability + 4) & 0xFFFF, 0x8086);
    cr_expect_eq(dword(b, at, capability + 0xC) & ~7u, 0);
    bar = 0x10 + 4 * (dword(b, at, capability + 0xC) & 7);
    cr_expect_eq(dword(b, at, bar) & 0xF, 4, "64 bits, memory");
    return (uint64_t)dword(b, at, bar + 4) << 32 | (dword(b, at, bar) & ~15u);
}

static struct unit unit_at(struct bench *b, uint64_t at)
{
    return (struct unit){
        .counters = (uint32_t)bytes_at(b, at, 0, 0),
        .ctl = (uint32_t)bytes_at(b, at, 1, 1),
        .width = (uint32_t)bytes_at(b, at, 2, 2),
        .ctr = (uint32_t)bytes_at(b, at, 3, 3),
        .status = (uint32_t)bytes_at(b, at, 4, 4),
        .access = (uint32_t)bytes_at(b, at, 7, 7) >> 6,
        .address = bytes_at(b, at, 8, 15),
        .kind = (uint32_t)bytes_at(b, at, 16, 17),
        .id = (uint32_t)bytes_at(b, at, 18, 19),
        .position = (uint32_t)bytes_at(b, at, 20, 21),
    };
}

static const struct table *read_table(struct bench *b, uint32_t package)
{
    static struct table t;
    uint64_t at = table_of(b, package);

    t.stride = (uint32_t)bytes_at(b, at, 1, 1);
    t.n = (uint32_t)bytes_at(b, at, 2, 3) & 0x3FF;
    t.access = (uint32_t)bytes_at(b, at, 7, 7) >> 6;
    t.global = bytes_at(b, at, 8, 15);
    t.status = (uint32_t)bytes_at(b, at, 16, 16);
    t.statuses = (uint32_t)bytes_at(b, at, 17, 18);
    cr_assert_lt(t.n, 256);
    for (uint32_t i = 0; i < t.n; i++)
        t.unit[i] = unit_at(b, at + (i + 1) * t.stride * 8);
    return &t;
}

static uint32_t count_kind(const struct table *t, uint32_t kind)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        n += t->unit[i].kind == kind;
    return n;
}

/* D1, D2: as many of each kind as the part has, once each, in places of the right sort that do not overlap. */
Test(spr, discovery_table_lists_what_the_part_has)
{
    static const uint32_t expected[] = { 44, 12, 12, 12, 1, 0, 8, 4, 3, 3 };
    static const uint32_t access[] = { 0, 0, 0, 0, 0, 0, 1, 2, 2, 2 };

    for (size_t i = 0; i < 3; i++) {
        struct bench b = bench_of("spr", machines[i], 1, NULL);

        for (uint32_t p = 0; p < b.packages; p++) {
            const struct table *t = read_table(&b, p);

            cr_expect_geq(t->stride, 3);
            cr_expect_eq(t->access, 0);
            cr_expect_eq(t->global, 0x2FF0);
            cr_expect_eq(count_kind(t, 0), msr(&b, p, 0x2FFE));
            for (uint32_t kind = 0; kind < 10; kind++)
                cr_expect_eq(count_kind(t, kind), expected[kind], "kind %u: %u", kind, count_kind(t, kind));
            for (uint32_t u = 0; u < t->n; u++) {
                const struct unit *x = &t->unit[u];

                cr_assert_lt(x->kind, 10);
                cr_expect_eq(x->access, access[x->kind]);
                cr_expect_eq(x->width, 48);
                cr_expect_lt(x->position, 64 * t->statuses);
                cr_expect(x->ctl && x->ctr && x->status && x->ctl != x->ctr && x->status != x->ctl);
                for (uint32_t v = 0; v < u; v++)
                    cr_expect(t->unit[v].address != x->address && t->unit[v].position != x->position &&
                              (t->unit[v].kind != x->kind || t->unit[v].id != x->id));
            }
        }
        model_free(b.m);
    }
}

/* Against the fixed addresses of intel/pcm and Linux. */
Test(spr, discovery_table_agrees_with_the_fixed_addresses)
{
    struct bench b = bench_of("spr", 2, 1, NULL);

    for (uint32_t p = 0; p < 2; p++) {
        const struct table *t = read_table(&b, p);
        uint64_t ubox_bus = find_function(&b, 0x3250, 0, 0, p) >> 8;

        for (uint32_t u = 0; u < t->n; u++) {
            const struct unit *x = &t->unit[u];
            uint64_t devices[] = { [7] = 12, [8] = 1, [9] = 5 }, box[] = { [7] = 0x438, [8] = 0x318, [9] = 0xA0 };

            if (x->kind == 0)
                cr_expect(x->address == spr_cha(x->id) && x->ctl == 2 && x->ctr == 8 && x->counters == 4);
            if (x->kind == 1)
                cr_expect(x->address == 0x3000 + 0x10 * x->id && x->ctl == 2 && x->ctr == 8);
            if (x->kind == 2)
                cr_expect(x->address == 0x3400 + 0x10 * x->id && x->ctl == 2 && x->ctr == 8);
            if (x->kind == 6)
                cr_expect(x->address == channel_of(&b, 0x3251, p, x->id) && x->ctl == 0x40 && x->ctr == 8);
            if (x->kind >= 7)
                cr_expect_eq(x->address, ubox_bus << 20 | (devices[x->kind] + x->id) << 15 |
                                             (x->kind == 7 ? UINT64_C(0) : UINT64_C(1)) << 12 | box[x->kind]);
            if (x->kind == 8)
                cr_expect(x->ctl == 0x350 - 0x318 && x->ctr == 0x320 - 0x318);
        }
    }
    model_free(b.m);
}

/* A register of a unit, by what the table says of it. */
static uint64_t unit_read(struct bench *b, uint32_t package, const struct unit *x, uint32_t offset)
{
    if (x->access == 0)
        return msr(b, package, (uint32_t)x->address + offset);
    if (x->access == 1)
        return mapped(b, x->address + offset, offset < 0x40 && offset ? 8 : 4);
    return qword(b, (uint32_t)(x->address >> 12 & 0xFFFF), (uint32_t)(x->address & 0xFFF) + offset);
}

static void unit_write(struct bench *b, uint32_t package, const struct unit *x, uint32_t offset, uint64_t value)
{
    if (x->access == 0)
        set_msr(b, package, (uint32_t)x->address + offset, value);
    else if (x->access == 1)
        set_mapped(b, x->address + offset, 4, value);
    else
        set_dword(b, (uint32_t)(x->address >> 12 & 0xFFFF), (uint32_t)(x->address & 0xFFF) + offset, (uint32_t)value);
}

/* D3, E4, F1, R1, R2: each unit through the table: 300H resets, 1 freezes, 0 runs; bit 22 is not needed. */
Test(spr, every_unit_of_the_table_counts_freezes_and_resets)
{
    struct bench b = bench_of("spr", 2, 1, NULL);
    static const uint64_t hz[] = { 2400, 500, 500, 2400, 1000, 0, 2400, 2400, 2000, 2400 };

    for (uint32_t p = 0; p < 2; p++) {
        const struct table *t = read_table(&b, p);

        for (uint32_t u = 0; u < t->n; u++) {
            const struct unit *x = &t->unit[u];
            uint64_t clock = x->kind == 6 ? 0x101 : 0x001;

            unit_write(&b, p, x, 0, 0x300);
            unit_write(&b, p, x, 0, 1);
            unit_write(&b, p, x, x->ctl, clock);
            cr_expect_eq(unit_read(&b, p, x, 0) & UINT32_MAX, 1);
            b.tsc += 24000;
            cr_expect_eq(unit_read(&b, p, x, x->ctr), 0, "frozen");
            unit_write(&b, p, x, 0, 0);
            b.tsc += 24000;
            cr_expect_eq(unit_read(&b, p, x, x->ctr), hz[x->kind] * 10, "kind %u id %u: %lu", x->kind, x->id,
                         unit_read(&b, p, x, x->ctr));
            unit_write(&b, p, x, 0, 0x201);
            cr_expect_eq(unit_read(&b, p, x, x->ctr), 0);
            cr_expect_eq(unit_read(&b, p, x, x->ctl) & UINT32_MAX, clock);
            unit_write(&b, p, x, 0, 0x101);
            cr_expect_eq(unit_read(&b, p, x, x->ctl) & UINT32_MAX, 0);
        }
    }
    model_free(b.m);
}

/* The bit of a unit in the global status is the one that the table names. */
Test(spr, overflow_shows_at_the_unit_and_at_its_place_in_the_global_status)
{
    struct bench b = bench_of("spr", 1, 1, NULL);
    const struct table *t = read_table(&b, 0);

    for (uint32_t u = 0; u < t->n; u += 7) {
        const struct unit *x = &t->unit[u];
        uint32_t global = (uint32_t)t->global + t->status;

        if (x->access != 0)
            continue;
        unit_write(&b, 0, x, x->ctr + 1, BIT(48) - 10);
        unit_write(&b, 0, x, x->ctl + 1, 0x001 | BIT(20));
        b.tsc += 100000;
        cr_expect_eq(unit_read(&b, 0, x, x->status), 2);
        cr_expect_eq(msr(&b, 0, global + x->position / 64), BIT(x->position % 64));
        unit_write(&b, 0, x, x->status, 2);
        set_msr(&b, 0, global + x->position / 64, BIT(x->position % 64));
        cr_expect_eq(unit_read(&b, 0, x, x->status), 0);
        cr_expect_eq(msr(&b, 0, global + x->position / 64), 0);
    }
    model_free(b.m);
}

Test(spr, global_control_freezes_everything_but_free_running_counters)
{
    struct bench b = bench_of("spr", 1, 1, NULL);
    uint64_t at = channel_of(&b, 0x3251, 0, 7);

    set_msr(&b, 0, 0x2FDE, EN);
    set_msr(&b, 0, 0x2002, 1);
    set_mapped(&b, at + 0x54, 4, EN);
    set_msr(&b, 0, 0x2FF0, 1);
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0x2FDF) + msr(&b, 0, 0x2008) + mapped(&b, at + 0x38, 8), 0);
    cr_expect_geq(msr(&b, 0, 0x340E), 500000000);
    cr_expect_geq(mapped(&b, at - 0x4000 - 0x22800 + 0x22B0, 8), 2400000000);
    set_msr(&b, 0, 0x2FF0, 0);
    b.tsc += SECOND;
    cr_expect_eq(msr(&b, 0, 0x2FDF), 2400000000);
    cr_expect_eq(msr(&b, 0, 0x2008), 2400000000);
    cr_expect_eq(mapped(&b, at + 0x38, 8), 2400000000);
    model_free(b.m);
}

/* CAS_COUNT: CFH reads, F0H writes, FFH all, 40H and 80H the pseudo channels, C1H regular reads, C4H underfills. */
Test(spr, cas_is_what_moved)
{
    static const uint64_t umask[][4] = { { 0xCF, 0xF0, 0xFF, 0xC4 }, { 0x40, 0x80, 0xC1, 0xFF } };

    for (size_t i = 0; i < 3; i++)
        for (int set = 0; set < 2; set++) {
            struct bench b = bench_of("spr", machines[i], set ? 4 : 1, NULL);
            uint32_t last = b.packages - 1;
            uint64_t sum[4] = { 0 };

            for (uint32_t c = 0; c < 8; c++)
                for (uint32_t k = 0; k < 4; k++)
                    set_mapped(&b, channel_of(&b, 0x3251, last, c) + 0x40 + 4 * k, 4, 0x05 | umask[set][k] << 8);
            for (uint32_t n = 0; n < b.clusters; n++) {
                touch(&b, 0, last * b.clusters + n, LINES, MODEL_LOAD);
                touch(&b, cpu_on(&b, last), last * b.clusters + n, LINES / 2, MODEL_NT_STORE);
            }
            b.tsc += 1000000;
            for (uint32_t c = 0; c < 8; c++)
                for (uint32_t k = 0; k < 4; k++)
                    sum[k] += mapped(&b, channel_of(&b, 0x3251, last, c) + 8 + 8 * k, 8);
            if (set == 0) {
                cr_expect_eq(sum[0], LINES);
                cr_expect_eq(sum[1], LINES / 2);
                cr_expect_eq(sum[2], LINES + LINES / 2);
                cr_expect_eq(sum[3], 0);
            } else {
                cr_expect_eq(sum[0] + sum[1], sum[3]);
                cr_expect(sum[0] >= sum[1] && sum[0] - sum[1] <= 16, "taking turns");
                cr_expect_eq(sum[2], 4 * LINES);
            }
            model_free(b.m);
        }
}

Test(spr, tor_follows_the_extension_and_a_cha_keeps_all_of_it)
{
    struct bench b = bench_of("spr", 2, 1, NULL);

    program_chas(&b, 0, spr_cha, 2, 0x0135 | UINT64_C(0xC816FE) << 32);
    program_chas(&b, 0, spr_cha, 3, 0x0135 | UINT64_C(0xC8177E) << 32);
    program_chas(&b, 0, spr_cha, 4, 0x0135 | UINT64_C(0xC001FD) << 32);
    touch(&b, 0, 0, 300, MODEL_LOAD);
    touch(&b, 0, 1, 200, MODEL_LOAD);
    b.tsc += 1000000;
    cr_expect_eq(sum_of_chas(&b, 0, spr_cha, 8), 300);
    cr_expect_eq(sum_of_chas(&b, 0, spr_cha, 9), 200);
    cr_expect_eq(sum_of_chas(&b, 0, spr_cha, 10), 0);
    set_msr(&b, 0, 0x2002, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x2002), BITS(63, 22) | BIT(20) | BIT(18) | BITS(16, 0));
    set_msr(&b, 0, 0x200E, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0x200E), BITS(9, 0));
    model_free(b.m);
}

Test(spr, msrs_beside_the_boxes_raise_gp)
{
    struct bench b = bench_of("spr", 1, 1, NULL);

    cr_expect(!has_msr(&b, 0, spr_cha(44)));
    cr_expect(!has_msr(&b, 0, 0x3000 + 0x10 * 12));
    cr_expect(!has_msr(&b, 0, 0x3400 + 4), "an IRP has two counters");
    cr_expect(!has_msr(&b, 0, 0xE00), "where Skylake-SP has its CHAs");
    model_free(b.m);
}

/* --- Zen: Linux arch/x86/events/amd/uncore.c */

#define L3_ALL (BIT(46) | BIT(47) | BITS(57, 56)) /* all slices, cores and threads */

Test(zen, l3_hits_and_misses_are_those_of_the_complex)
{
    struct bench b = bench_of("zen3", 1, 1, NULL); /* four cores: two complexes */
    uint64_t value = 0;

    for (uint32_t cpu = 0; cpu < 4; cpu += 2) {
        cr_assert_eq(model_wrmsr(b.m, cpu, 0xC0010230, b.tsc, 0xFF04 | EN | L3_ALL), MODEL_DONE);
        cr_assert_eq(model_wrmsr(b.m, cpu, 0xC0010232, b.tsc, 0x0104 | EN | L3_ALL), MODEL_DONE);
        cr_assert_eq(model_wrmsr(b.m, cpu, 0xC001023A, b.tsc, 0xFE04 | EN | L3_ALL), MODEL_DONE);
    }
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    b.tsc += 1000000;
    cr_expect_eq(msr(&b, 0, 0xC0010231), LINES);
    cr_expect_eq(msr(&b, 0, 0xC0010233), LINES);
    cr_expect_eq(msr(&b, 0, 0xC001023B), 0);
    cr_assert_eq(model_rdmsr(b.m, 2, 0xC0010231, b.tsc, &value), MODEL_DONE);
    cr_expect_eq(value, 0, "the other complex did nothing");
    cr_expect(!has_msr(&b, 0, 0xC001023C), "six counters");
    model_free(b.m);
}

Test(zen, l3_slices_add_up_and_no_thread_is_nobody)
{
    struct bench b = bench_of("zen3", 1, 1, NULL);
    uint64_t sum = 0;

    for (uint64_t pass = 0; pass < 2; pass++) { /* four slices at a time */
        for (uint64_t i = 0; i < 4; i++)
            set_msr(&b, 0, 0xC0010230 + 2 * (uint32_t)i, 0xFF04 | EN | BITS(57, 56) | (4 * pass + i) << 48);
        set_msr(&b, 0, 0xC0010238, 0xFF04 | EN | BIT(46) | BIT(47));
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        b.tsc += 1000000;
        for (uint32_t i = 0; i < 4; i++)
            sum += msr(&b, 0, 0xC0010231 + 2 * i);
        cr_expect_eq(msr(&b, 0, 0xC0010239), 0, "no thread");
        for (uint32_t i = 0; i < 4; i++)
            set_msr(&b, 0, 0xC0010231 + 2 * i, 0);
    }
    cr_expect(sum > LINES * 8 / 10 && sum < LINES * 12 / 10, "half of each pass, %lu", sum);
    set_msr(&b, 0, 0xC0010230, UINT64_MAX);
    cr_expect_eq(msr(&b, 0, 0xC0010230), BITS(57, 56) | BITS(50, 46) | BITS(44, 42) | BIT(22) | BITS(15, 0));
    model_free(b.m);
}

Test(zen, fabric_counts_each_channel_of_the_package)
{
    static const uint64_t event[] = { 0x007, 0x047, 0x087, 0x0C7, 0x107, 0x147, 0x187, 0x1C7 };

    for (size_t i = 0; i < 3; i++) {
        struct bench b = bench_of("zen3", machines[i], 1, NULL);
        uint32_t last = b.packages - 1;
        uint64_t sum = 0;

        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t c = 0; c < 4; c++) {
                uint64_t e = event[4 * pass + c];

                set_msr(&b, last, 0xC0010240 + 2 * c, (e & 0xFF) | (e >> 8) << 32 | 0x3800 | EN);
                set_msr(&b, last, 0xC0010241 + 2 * c, 0);
            }
            touch(&b, 0, last, LINES, MODEL_LOAD);
            touch(&b, cpu_on(&b, last), last, LINES, MODEL_NT_STORE);
            b.tsc += 1000000;
            for (uint32_t c = 0; c < 4; c++) {
                uint64_t n = msr(&b, last, 0xC0010241 + 2 * c);

                cr_expect(n > LINES / 4 * 9 / 10 && n < LINES / 4 * 11 / 10, "%lu", n);
                sum += n;
            }
        }
        cr_expect(sum > 2 * LINES * 95 / 100 && sum < 2 * LINES * 105 / 100, "%lu", sum);
        model_free(b.m);
    }
}

/* No profile is a Zen 4: its monitors stand in for those of a Zen 3. */
static struct bench zen4_of(struct profile *p)
{
    struct bench b = bench_of("zen3", 1, 1, NULL);

    *p = *b.m->profile;
    p->uncore = &uncore_zen4;
    uncore_free(b.m);
    memset(&b.m->package[0].uncore, 0, sizeof b.m->package[0].uncore);
    b.m->profile = p;
    cr_assert(uncore_reset(b.m));
    return b;
}

Test(zen, memory_controllers_count_by_direction_and_add_up)
{
    struct profile p;
    struct bench b = zen4_of(&p);
    uint64_t sum[4] = { 0 };

    for (uint32_t u = 0; u < 8; u++)
        for (uint32_t k = 0; k < 3; k++)
            set_msr(&b, 0, 0xC0010800 + 8 * u + 2 * k, 0x0A | k << 8 | BIT(31));
    touch(&b, 0, 0, LINES, MODEL_LOAD);
    touch(&b, 0, 0, LINES / 2, MODEL_NT_STORE);
    b.tsc += 1000000;
    for (uint32_t u = 0; u < 8; u++)
        for (uint32_t k = 0; k < 3; k++)
            sum[k] += msr(&b, 0, 0xC0010801 + 8 * u + 2 * k);
    cr_expect_eq(sum[0], LINES + LINES / 2);
    cr_expect_eq(sum[1], LINES);
    cr_expect_eq(sum[2], LINES / 2);
    cr_expect(!has_msr(&b, 0, 0xC0010800 + 8 * 8));
    model_free(b.m);
}

/* O5: 48 bits and no wrap; bit 48 says so. Bit 22 is no enable there. */
Test(zen, memory_controllers_saturate)
{
    struct profile p;
    struct bench b = zen4_of(&p);

    set_msr(&b, 0, 0xC0010801, BIT(48) - 1000);
    set_msr(&b, 0, 0xC0010803, BIT(48) - 1000);
    set_msr(&b, 0, 0xC0010800, BIT(31)); /* clock, as fast as the TSC */
    set_msr(&b, 0, 0xC0010802, EN);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), BIT(48) - 100);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), BIT(49) - 1);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), BIT(49) - 1);
    cr_expect_eq(msr(&b, 0, 0xC0010803), BIT(48) - 1000);
    set_msr(&b, 0, 0xC0010801, 0);
    b.tsc += 900;
    cr_expect_eq(msr(&b, 0, 0xC0010801), 900);
    model_free(b.m);
}

/* --- faults: how units say where they are and how many */

static uint64_t fold(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * UINT64_C(0x100000001B3) + 1;
    return sum ^ sum >> 29; /* so that two high bits cannot cancel out */
}

/* What software that looks for monitors can see: registers, functions, what lies behind base addresses. */
static uint64_t sight_of(const char *profile, const char *fault)
{
    static const uint32_t registers[] = { 0x300, 0x702, 0x2FFE };
    struct bench b = bench_of(profile, 2, 1, fault);
    uint64_t sum = 1;

    for (uint32_t p = 0; p < 2; p++)
        for (size_t i = 0; i < 3; i++) {
            uint64_t value = 0;

            sum = fold(sum, model_rdmsr(b.m, cpu_on(&b, p), registers[i], b.tsc, &value));
            sum = fold(sum, value);
        }
    for (uint32_t bus = 0; bus < 256; bus++)
        for (uint32_t f = 0; f < 256 && model_pci_bus(b.m, bus); f++)
            for (uint32_t offset = 0; offset < 0x400; offset += 4) {
                sum = fold(sum, dword(&b, bus << 8 | f, offset));
                if (dword(&b, bus << 8 | f, 0) == UINT32_MAX)
                    break;
            }
    for (uint64_t at = 0; at < model_mmio_bytes(b.m); at += 0x800000)
        for (uint64_t offset = 0; offset < 0x4000; offset += 8) {
            sum = fold(sum, mapped(&b, MODEL_MMIO_BASE + at + 0x200000 + offset, 8)); /* the table */
            if (offset < 0x80)
                for (uint32_t c = 0; c < 8; c++)
                    sum = fold(
                        sum,
                        mapped(&b, MODEL_MMIO_BASE + at + 0x40000 * (1 + c / 2) + 0x22800 + 0x4000 * (c % 2) + offset,
                               8));
        }
    model_free(b.m);
    return sum;
}

Test(places, each_fault_of_theirs_shows)
{
    static const char *const profile[] = { "skx", "icx", "spr" };
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (int p = 0; p < 3; p++) {
        uint64_t good = sight_of(profile[p], NULL);

        cr_expect_eq(sight_of(profile[p], NULL), good);
        for (uint32_t i = FAULT_CHA_COUNT; i <= FAULT_PMON_LAST; i++)
            if (strstr(faults[i].profiles, profile[p]))
                cr_expect_neq(sight_of(profile[p], faults[i].name), good, "%s on %s", faults[i].name, profile[p]);
    }
}

static struct table table_with(const char *fault)
{
    struct bench b = bench_of("spr", 1, 1, fault);
    struct table t = *read_table(&b, 0);

    model_free(b.m);
    return t;
}

/* The unit of a kind with an id; NULL: none. */
static const struct unit *unit_of(const struct table *t, uint32_t kind, uint32_t id)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->unit[i].kind == kind && t->unit[i].id == id)
            return &t->unit[i];
    return NULL;
}

Test(places, discovery_tables_go_wrong_in_the_ways_that_were_seen)
{
    struct table good = table_with(NULL), t;

    t = table_with("discovery-upi-missing");
    cr_expect_eq(count_kind(&t, 8), 2);
    cr_expect_eq(t.n, good.n - 1);
    t = table_with("discovery-cha-missing");
    cr_expect_eq(count_kind(&t, 0), 43);
    t = table_with("discovery-no-units");
    cr_expect_eq(t.n, 0);
    t = table_with("discovery-duplicate-id");
    cr_expect_null(unit_of(&t, 0, 43));
    cr_expect_eq(count_kind(&t, 0), 44);
    t = table_with("discovery-width");
    cr_expect_eq(unit_of(&t, 6, 0)->width, 32);
    cr_expect_eq(unit_of(&t, 0, 0)->width, 48);
    t = table_with("discovery-width:47");
    cr_expect_eq(unit_of(&t, 6, 7)->width, 47);
    t = table_with("discovery-access");
    cr_expect_eq(unit_of(&t, 7, 0)->access, 1);
    t = table_with("discovery-global");
    cr_expect_neq(t.global, 0x2FF0);
    t = table_with("discovery-stride");
    cr_expect_eq(t.stride, good.stride + 1);
    cr_expect_neq(t.unit[1].address, good.unit[1].address, "whoever believes it reads between entries");
}

Test(places, phantoms_and_dead_units_read_all_ones)
{
    struct bench b = bench_of("spr", 1, 1, "discovery-phantom-channel");
    const struct unit *x = unit_of(read_table(&b, 0), 6, 8);

    cr_assert(x, "a ninth channel is listed");
    for (uint32_t offset = 0; offset < 0x60; offset += 4)
        cr_expect_eq(mapped(&b, x->address + offset, 4), UINT32_MAX);
    model_free(b.m);

    b = bench_of("spr", 1, 1, "discovery-upi-address");
    x = unit_of(read_table(&b, 0), 8, 0);
    cr_expect_eq(dword(&b, (uint32_t)(x->address >> 12 & 0xFFFF), 0), UINT32_MAX, "no function there");
    cr_expect_neq(find_function(&b, 0x3241, 1, 1, 0), NOWHERE, "it is where it always is");
    model_free(b.m);

    b = bench_of("icx", 1, 1, "mmio-all-ones:3");
    set_mapped(&b, channel_of(&b, 0x3451, 0, 3), 4, 0);
    cr_expect_eq(mapped(&b, channel_of(&b, 0x3451, 0, 3), 4), UINT32_MAX);
    cr_expect_eq(mapped(&b, channel_of(&b, 0x3451, 0, 2), 4), 0);
    model_free(b.m);

    b = bench_of("icx", 1, 1, "mem-bar-zero");
    cr_expect_eq(dword(&b, find_function(&b, 0x3451, 0, 1, 0), 0xE4), 0);
    cr_expect_neq(dword(&b, find_function(&b, 0x3451, 0, 1, 0), 0xE0), 0);
    model_free(b.m);
}

Test(places, counts_and_nodes_that_disagree)
{
    struct bench b = bench_of("spr", 2, 1, "cha-count");

    cr_expect_eq(msr(&b, 1, 0x2FFE), 43);
    cr_expect_eq(count_kind(read_table(&b, 1), 0), 44);
    model_free(b.m);

    b = bench_of("skx", 2, 1, "cha-count");
    cr_expect_eq(msr(&b, 1, 0x702), 23);
    cr_expect_eq(__builtin_popcount(dword(&b, find_function(&b, 0x2083, 30, 3, 1), 0x9C)), 24);
    model_free(b.m);

    b = bench_of("skx", 2, 1, "node-id-same");
    cr_expect_eq(dword(&b, find_function(&b, 0x2014, 8, 0, 1), 0xC0), 0);
    model_free(b.m);

    b = bench_of("skx", 2, 1, "bus-numbers-invalid");
    cr_expect_eq(msr(&b, 0, 0x300) >> 63, 0);
    model_free(b.m);

    b = bench_of("spr", 2, 1, "discovery-hidden");
    cr_expect_eq(find_function(&b, 0x09A7, 3, 1, 0), NOWHERE);
    model_free(b.m);

    b = bench_of("spr", 2, 1, "discovery-bar-zero");
    cr_expect_eq(dword(&b, find_function(&b, 0x09A7, 3, 1, 0), 0x10) & ~15u, 0);
    cr_expect_eq(dword(&b, find_function(&b, 0x09A7, 3, 1, 0), 0x14), 0);
    model_free(b.m);
}
