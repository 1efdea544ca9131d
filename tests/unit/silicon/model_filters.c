/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What filters of uncore monitors let pass, and what faults there make of figures computed by hand. */
#include "tests/support/uncore_rig.h"

enum { CBO = 0xE00, CTL = 1, FILTER = 5, CTR = 8 }; /* of Haswell-EP; Linux uncore_snbep.c */
enum { NHM_GLOBAL = 0x391, NHM_MATCH = 0x396, NHM_CTR = 0x3B0, NHM_CTL = 0x3C0 };

#define TID_EN      BIT(19)
#define TOR_MISS    (0x0A35 | EN) /* misses of every opcode */
#define TOR_PENDING (0x0A36 | EN) /* their occupancy: each stays 110 clocks here */
#define OPCODE(n)   ((uint64_t)(n) << 20)
#define DRD         0x182u
#define RFO         0x180u

/* One slice, and two cores with two threads: processors 0 to 3 are threads 0 to 3 of the filter. */
static struct uncore_rig hsx(const char *fault)
{
    struct model_config config = MODEL("hsx", 1, 2, 2, .slices = 1, .tsc_hz = SECOND);
    struct uncore_rig b = { .tsc = 1000, .packages = 1, .clusters = 1 };
    char why[8192] = "";

    config.faults[0] = fault;
    b.m = model_new(&config, why, sizeof why);
    cr_assert(b.m, "%.200s", why);
    model_memory(b.m, 0, GB(1), 0);
    return b;
}

/* Processors 0, 2 and 3 read 200, 70 and 30 lines that are nowhere yet, of which each pass has its own. */
static uint64_t loaded(struct uncore_rig *b, uint64_t ctl, uint64_t filter)
{
    static const uint32_t lines[] = { 200, 0, 70, 30 };
    static uint64_t passes;
    uint64_t before;

    passes++;
    set_msr(b, 0, CBO + FILTER, filter & UINT32_MAX);
    set_msr(b, 0, CBO + FILTER + 1, filter >> 32);
    set_msr(b, 0, CBO + CTL, ctl);
    before = msr(b, 0, CBO + CTR);
    for (uint32_t cpu = 0; cpu < 4; cpu++)
        for (uint32_t i = 0; i < lines[cpu]; i++)
            model_access(b->m, cpu, passes << 20 | cpu << 16 | i << 6, 8, MODEL_LOAD);
    b->tsc += 1000000;
    return msr(b, 0, CBO + CTR) - before;
}

/* 331051 and 327043-001 2.3: tid counts one thread's where tid_en of the control is set; core above, thread in bit 0.
 */
Test(filters, a_thread_passes_by_its_number_alone)
{
    struct uncore_rig b = hsx(NULL);

    cr_expect_eq(loaded(&b, TOR_MISS, 2), 300, "tid_en is clear");
    cr_expect_eq(loaded(&b, TOR_MISS | TID_EN, 0), 200);
    cr_expect_eq(loaded(&b, TOR_MISS | TID_EN, 1), 0, "the other thread did nothing");
    cr_expect_eq(loaded(&b, TOR_MISS | TID_EN, 2), 70);
    cr_expect_eq(loaded(&b, TOR_MISS | TID_EN, 3), 30);
    cr_expect_eq(loaded(&b, TOR_MISS | TID_EN, 4), 0, "no such core");
    cr_expect_eq(loaded(&b, TOR_PENDING | TID_EN, 2), 70 * 110);
    cr_expect_eq(msr(&b, 0, CBO + CTL), TOR_PENDING | TID_EN, "tid_en is kept");
    model_free(b.m);
}

/* State filter 23:17, of which bit 17 is I: a look-up that found nothing. */
Test(filters, a_threads_lookups_go_by_state)
{
    struct uncore_rig b = hsx(NULL);

    cr_expect_eq(loaded(&b, 0x0334 | EN | TID_EN, BIT(17) | 3), 30);
    cr_expect_eq(loaded(&b, 0x0334 | EN | TID_EN, BITS(21, 18) | 3), 0, "no line was there");
    cr_expect_eq(loaded(&b, 0x0934 | EN | TID_EN, BITS(23, 17) | 3), 0, "a snoop belongs to no thread");
    model_free(b.m);
}

Test(filters, a_thread_filter_that_is_ignored_or_shifted_counts_others)
{
    struct uncore_rig ignored = hsx("tid-ignored"), shifted = hsx("tid-shifted");

    cr_expect_eq(loaded(&ignored, TOR_MISS | TID_EN, 2), 300);
    cr_expect_eq(loaded(&shifted, TOR_MISS | TID_EN, 1), 70, "1 is taken for 2");
    cr_expect_eq(loaded(&shifted, TOR_MISS | TID_EN, 2), 0, "2 is taken for 4");
    model_free(ignored.m);
    model_free(shifted.m);
}

/* Umask bit 0 of TOR_INSERTS: entries of the opcode in FILTER1 28:20. With bit 1: of those that miss. */
Test(filters, an_opcode_filter_that_is_ignored_counts_every_opcode)
{
    struct uncore_rig good = hsx(NULL);
    uint64_t drd = OPCODE(DRD) << 32, rfo = OPCODE(RFO) << 32;

    cr_expect_eq(loaded(&good, 0x0335 | EN, drd), 300);
    cr_expect_eq(loaded(&good, 0x0335 | EN, rfo), 0, "nobody stored");
    cr_expect_eq(loaded(&good, 0x0335 | EN | TID_EN, drd | 2), 70);
    model_free(good.m);
}

/* Skylake-SP: FILTER1 with home (bits 1:0), no near memory (bit 5) and an opcode in 18:9. */
Test(filters, of_opcode_and_home_heed_what_they_are_told)
{
    static const struct {
        const char *fault;
        uint32_t rfo, drd_remote;
    } cases[] = { { NULL, 0, 0 }, { "tor-opcode-ignored", LINES, 0 }, { "tor-home-ignored", 0, LINES } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct uncore_rig b = uncore_rig_of("skx", 2, 1, cases[i].fault);
        uint64_t rfo = 0, remote = 0;
        uint32_t slices = uncore_slices(b.m);

        for (uint32_t s = 0; s < slices; s++) {
            uint32_t cha = CBO + 0x10 * s;

            set_msr(&b, 0, cha + FILTER + 1, 0x33 | UINT64_C(0x200) << 9);
            set_msr(&b, 0, cha + CTL, 0x2135 | EN);
        }
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        for (uint32_t s = 0; s < slices; s++) {
            uint32_t cha = CBO + 0x10 * s;

            rfo += msr(&b, 0, cha + CTR);
            set_msr(&b, 0, cha + CTR, 0);
            set_msr(&b, 0, cha + FILTER + 1, 0x31 | UINT64_C(0x202) << 9); /* of other sockets alone */
        }
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        for (uint32_t s = 0; s < slices; s++)
            remote += msr(&b, 0, CBO + 0x10 * s + CTR);
        cr_expect_eq(rfo, cases[i].rfo, "%s: %lu", cases[i].fault, rfo);
        cr_expect_eq(remote, cases[i].drd_remote, "%s: %lu", cases[i].fault, remote);
        model_free(b.m);
    }
}

/* --- Nehalem: SDM vol. 3B 18.8.2.3 */

/* How many of 64 lines from `base` on passed: the own package's (umask 4) or others' (2). */
static uint64_t matched(struct uncore_rig *b, uint32_t umask, uint64_t match, uint64_t base)
{
    uint64_t before;

    set_msr(b, 0, NHM_MATCH, match);
    set_msr(b, 0, NHM_GLOBAL, 1);
    set_msr(b, 0, NHM_CTL, 0x35 | umask << 8 | EN);
    before = msr(b, 0, NHM_CTR);
    for (uint32_t package = 0; package < 2; package++)
        for (uint64_t i = 0; i < 64; i++)
            model_access(b->m, cpu_on(b, package), base + (i + 64 * package) * 64, 8, MODEL_LOAD);
    return msr(b, 0, NHM_CTR) - before;
}

#define BY_ADDRESS (UINT64_C(4) << 61)
#define BY_OPCODE  (UINT64_C(2) << 61)
#define BY_EITHER  (UINT64_C(6) << 61)
#define BY_BOTH    (UINT64_C(1) << 61)

Test(nehalem_match, counts_the_requests_for_one_line)
{
    struct uncore_rig b = uncore_rig_of("nhm", 2, 1, NULL);

    cr_expect_eq(matched(&b, 4, BY_ADDRESS | (0x100000 + 5 * 64), 0x100000), 1);
    cr_expect_eq(matched(&b, 4, BY_EITHER | (0x200000 + 63 * 64), 0x200000), 1);
    cr_expect_eq(matched(&b, 4, BY_ADDRESS | (0x300000 + 64 * 64), 0x300000), 0, "the other package read that one");
    cr_expect_eq(matched(&b, 2, BY_ADDRESS | (0x400000 + 64 * 64), 0x400000), 1);
    cr_expect_eq(matched(&b, 4, BY_ADDRESS | 0x700000, 0x500000), 0, "nobody asked for it");
    cr_expect_eq(matched(&b, 4, BY_OPCODE | 0x600000, 0x600000), 0);
    cr_expect_eq(matched(&b, 4, BY_BOTH | 0x800000, 0x800000), 0);
    cr_expect_eq(matched(&b, 4, 0x900000, 0x900000), 0, "MatchSel 0 matches nothing");
    cr_expect_eq(matched(&b, 1, BY_ADDRESS | 0xA00000, 0xA00000), 0, "I/O asked for nothing");
    model_free(b.m);
}

Test(nehalem_match, that_is_ignored_counts_every_request)
{
    struct uncore_rig b = uncore_rig_of("nhm", 2, 1, "nhm-match-ignored");

    cr_expect_eq(matched(&b, 4, BY_ADDRESS | (0x100000 + 5 * 64), 0x100000), 64);
    cr_expect_eq(matched(&b, 2, 0, 0x200000), 64);
    model_free(b.m);
}

/* --- faults of counting */

Test(faults_of_counting, an_occupancy_is_doubled_or_halved)
{
    struct uncore_rig good = hsx(NULL), twice = hsx("occupancy-double"), half = hsx("occupancy-half");

    cr_expect_eq(loaded(&good, TOR_PENDING, 0), 300 * 110);
    cr_expect_eq(loaded(&twice, TOR_PENDING, 0), 300 * 220);
    cr_expect_eq(loaded(&half, TOR_PENDING, 0), 300 * 55);
    cr_expect_eq(loaded(&half, TOR_MISS, 0), 300, "what enters is right");
    model_free(good.m);
    model_free(twice.m);
    model_free(half.m);
}

/* Nehalem's QMC: 2CH counts full reads of channel 0, 1, 2 by umask bits 0, 1, 2; 08H hits and 09H misses. */
Test(faults_of_counting, the_first_of_several_umask_bits_alone_is_counted)
{
    for (uint32_t faulty = 0; faulty < 2; faulty++) {
        struct uncore_rig b = uncore_rig_of("nhm", 1, 1, faulty ? "umask-first-only" : NULL);
        uint64_t count[4];

        for (uint32_t i = 0; i < 4; i++)
            set_msr(&b, 0, NHM_CTL + i, 0x2C | EN | (i < 3 ? BIT(8) << i : BITS(10, 8)));
        set_msr(&b, 0, NHM_GLOBAL, BITS(3, 0));
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        for (uint32_t i = 0; i < 4; i++)
            count[i] = msr(&b, 0, NHM_CTR + i);
        cr_expect_eq(count[0] + count[1] + count[2], LINES);
        cr_expect_eq(count[3], faulty ? count[0] : LINES);
        model_free(b.m);
    }
}

/* MSR 621H says 100 MHz steps; the U-box's fixed counter has 703H and 704H. */
Test(faults_of_counting, uclk_runs_at_another_ratio_than_it_says)
{
    for (uint64_t steps = 0; steps < 3; steps += 2) {
        struct uncore_rig b = hsx(steps ? "uclk-other-ratio" : NULL);

        set_msr(&b, 0, 0x703, EN);
        b.tsc += SECOND;
        cr_expect_eq(msr(&b, 0, 0x704), ((msr(&b, 0, 0x621) & 0x7F) + steps) * 100000000);
        model_free(b.m);
    }
}

/* Zen 3: event 07H, umask 38H is traffic of channel 0; 48 bits. */
Test(faults_of_counting, a_fabric_counter_loses_its_carry_into_bit_47)
{
    for (uint32_t faulty = 0; faulty < 2; faulty++) {
        struct uncore_rig b = uncore_rig_of("zen3", 1, 1, faulty ? "df-narrow" : NULL);
        uint64_t counted;

        set_msr(&b, 0, 0xC0010241, BIT(47) - 1);
        cr_expect_eq(msr(&b, 0, 0xC0010241), BIT(47) - 1);
        set_msr(&b, 0, 0xC0010240, 0x3807 | EN);
        touch(&b, 0, 0, LINES, MODEL_LOAD);
        counted = msr(&b, 0, 0xC0010241);
        cr_expect_gt(counted & (BIT(47) - 1), LINES / 16, "%lx", counted);
        cr_expect_eq(counted >> 47, !faulty, "%lx", counted);
        set_msr(&b, 0, 0xC0010241, BITS(47, 0));
        cr_expect_eq(msr(&b, 0, 0xC0010241), BITS(47, 0), "it holds what is written");
        model_free(b.m);
    }
}

/* PCU of Haswell-EP: clocks with so many cores in C0; both are there, always. 327043-001 2.6: occ_invert (30) and
 * occ_edge_det (31) are those of occupancy events. */
enum { PCU_CTL = 0x711, PCU_CTR = 0x717 };
#define CORES_C0     (UINT64_C(1) << 14 | 0x80)
#define PCU_CLOCK    0x00u
#define AT_LEAST(n)  ((uint64_t)(n) << 24)
#define OCC_INVERT   BIT(30)
#define OCC_EDGE_DET BIT(31)

static uint64_t cores_counted(uint64_t ctl)
{
    struct uncore_rig b = hsx(NULL);
    uint64_t n;

    set_msr(&b, 0, PCU_CTL + 1, ctl | EN); /* counter 0 has no occupancy events there */
    b.tsc += 1000000;
    n = msr(&b, 0, PCU_CTR + 1);
    model_free(b.m);
    return n;
}

Test(filters, cores_in_a_state_are_compared_as_occ_invert_and_occ_edge_det_say)
{
    uint64_t clocks = cores_counted(PCU_CLOCK);

    cr_assert_gt(clocks, 0);
    cr_expect_eq(cores_counted(CORES_C0), 2 * clocks);
    cr_expect_eq(cores_counted(CORES_C0 | AT_LEAST(2)), clocks);
    cr_expect_eq(cores_counted(CORES_C0 | AT_LEAST(3)), 0);
    cr_expect_eq(cores_counted(CORES_C0 | AT_LEAST(2) | OCC_INVERT), 0);
    cr_expect_eq(cores_counted(CORES_C0 | AT_LEAST(3) | OCC_INVERT), clocks);
    cr_expect_eq(cores_counted(CORES_C0 | AT_LEAST(2) | OCC_EDGE_DET), 1, "it began once");
    cr_expect_eq(cores_counted(PCU_CLOCK | AT_LEAST(1) | OCC_INVERT), clocks, "no occupancy event");
}
