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

/* --- faults of counting */

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
