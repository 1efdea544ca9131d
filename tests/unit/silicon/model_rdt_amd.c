/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The QoS registers of Zen 3 and Zen 5 against the APM and figures computed by hand. */
#include "tests/silicon/host/host_platform.h"
#include "tests/silicon/model/model_state.h"
#include "tests/support/silicon.h"

#include "core/base/bits.h"

enum {
    L3_QOS_CFG = 0xC81,
    QM_EVTSEL = 0xC8D,
    QM_CTR = 0xC8E,
    PQR = 0xC8F,
    L3_MASK0 = 0xC90,
    THROTTLE0 = 0xD50,
    BW_CONTROL0 = 0xC0000200,
};
enum { OCCUPANCY = 1, TOTAL, LOCAL };
#define UNAVAILABLE BIT(62)
#define CLOS(n)     ((uint64_t)(n) << 32)

/* --- Zen 3: a count is a line */

/* APM vol. 2 chapter 19; table 19-8 for non-temporal stores. */
Test(zen3, counts_lines_after_a_first_read_that_is_unavailable)
{
    struct model *m = silicon_of("zen3", 1, 1, 1);

    silicon_keeps(m, 0, PQR, 200, 200);
    cr_expect_eq(silicon_count(m, 0, 200, TOTAL), UNAVAILABLE);
    cr_expect_eq(silicon_counted(m, 0, 200, TOTAL, 0, 1234, 44), 1234);
    cr_expect_eq(silicon_count(m, 0, 200, LOCAL), UNAVAILABLE);
    for (uint64_t i = 0; i < 100; i++)
        model_access(m, 0, SILICON_NODE / 2 + i * 64, 64, MODEL_NT_STORE);
    cr_expect_eq(silicon_count(m, 0, 200, TOTAL), 1334);
    cr_expect(silicon_refuses(m, 0, PQR, 256));
    cr_expect(silicon_refuses(m, 0, PQR, CLOS(16)));
    cr_expect(silicon_refuses(m, 0, QM_EVTSEL, CLOS(256) | OCCUPANCY));
    cr_expect(silicon_refuses(m, 0, QM_EVTSEL, BIT(31) | 1), "ABMC is not there");
    model_free(m);
}

/* --- Zen 5: what is counted can be chosen, and counters are assigned */

enum {
    PLZA = 0xC00003FC, /* of no part here */
    ABMC_CFG,
    ABMC_DSC,
    EXT_CFG,
    EVT_CFG0 = 0xC0000400,
    EVT_CFG1,
    SLOW0 = 0xC0000280,
};
#define ASSIGN     (BIT(63) | BIT(62))
#define COUNTER(n) ((uint64_t)(n) << 48)
#define SOURCE(n)  ((uint64_t)(n) << 32)

/* Dirty lines that leave count by their tag (type 6), and not with local bandwidth as it is at reset. */
Test(zen5, counts_dirty_lines_that_leave)
{
    struct model *m = silicon_of("zen5", 1, 1, 1);

    silicon_keeps(m, 0, PQR, 7, 7);
    silicon_keeps(m, 0, EVT_CFG0, 0x40, 0x40);
    (void)silicon_count(m, 0, 7, TOTAL);
    (void)silicon_count(m, 0, 7, LOCAL);
    for (uint64_t i = 0; i < 64; i++)
        model_access(m, 0, i * 64, 8, MODEL_STORE);
    for (uint64_t i = 0; i < 64; i++)
        model_clflush(m, 0, i * 64);
    cr_expect_eq(silicon_count(m, 0, 7, TOTAL), 64);
    cr_expect_eq(silicon_count(m, 0, 7, LOCAL), 64, "the reads for ownership");
    model_free(m);
}

/* Bits 5:4 count reads of memory of a node without processors, bits 1:0 those of other memory; 7FH each once. */
Test(zen5, counts_reads_of_slow_memory_apart)
{
    static const uint32_t types[] = { 0x10, 0x20, 3, 0x7F }, counts[] = { 100, 0, 0, 100 };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct model *m = silicon_of("zen5", 1, 1, 1);

        model_memory_alone(m, SILICON_NODE, SILICON_NODE, 0);
        silicon_keeps(m, 0, EVT_CFG0, types[i], types[i]);
        silicon_keeps(m, 0, PQR, 7, 7);
        (void)silicon_count(m, 0, 7, TOTAL);
        cr_expect_eq(silicon_counted(m, 0, 7, TOTAL, SILICON_NODE, 100, 44), counts[i], "%#x", types[i]);
        model_free(m);
    }
}

/* CPUID Fn8000_0020.5:ECX[0]: a counter follows a class, whatever the RMIDs of its processors are. */
Test(zen5, has_counters_of_a_class)
{
    struct model *m = silicon_of("zen5", 1, 2, 1);

    silicon_keeps(m, 0, EXT_CFG, 1, 1);
    cr_assert_eq(silicon_write(m, 0, ABMC_CFG, ASSIGN | COUNTER(3) | BIT(47) | SOURCE(2) | 0x7F), MODEL_DONE);
    cr_expect_eq(silicon_read(m, 0, ABMC_DSC) & BIT(63), 0);
    silicon_keeps(m, 0, PQR, CLOS(2) | 9, CLOS(2) | 9);
    silicon_keeps(m, 1, PQR, CLOS(1) | 9, CLOS(1) | 9);
    silicon_load(m, 0, 0, 200);
    silicon_load(m, 1, SILICON_NODE / 2, 100);
    silicon_keeps(m, 0, QM_EVTSEL, SOURCE(3) | BIT(31) | 1, SOURCE(3) | BIT(31) | 1);
    cr_expect_eq(silicon_read(m, 0, QM_CTR), 200);
    cr_assert_eq(silicon_write(m, 0, ABMC_CFG, ASSIGN | COUNTER(3) | BIT(47) | SOURCE(16) | 0x7F), MODEL_DONE);
    cr_expect(silicon_read(m, 0, ABMC_DSC) & BIT(63), "no such class");
    model_free(m);
}

/* --- range reservation: APM vol. 2 7.6.6 */

enum { RANGE_BASE = 0xC0011095, RANGE_MAX, RANGE_WAYS = 0xC001109A };

static uint64_t lines_in_l3(struct model *m, uint64_t base)
{
    struct model_truth t;

    silicon_load(m, 0, base, UINT64_C(3) * m->l3_slices * m->l3.sets * m->l3.ways);
    model_truth(m, 0, 0, &t);
    model_wbinvd(m, 0);
    return t.rmid_lines;
}

Test(zen4, keeps_the_ways_of_a_range_for_its_lines)
{
    struct model *m = silicon_new(&MODEL("zen4", 1, 1, 1, .slices = 4));
    uint64_t way = (uint64_t)m->l3_slices * m->l3.sets, end = (way * 64 * 48) / 4096 * 4096;

    cr_expect(silicon_refuses(m, 0, RANGE_BASE, 1));
    cr_expect(silicon_refuses(m, 0, RANGE_MAX, 2));
    silicon_keeps(m, 0, RANGE_BASE, 0, 0);
    silicon_keeps(m, 0, RANGE_MAX, end, end);
    silicon_keeps(m, 0, RANGE_WAYS, 0xF, 0xF);
    cr_expect_eq(lines_in_l3(m, 0), 16 * way, "not enabled");
    silicon_keeps(m, 0, RANGE_MAX, end | 1, end | 1);
    cr_expect_eq(lines_in_l3(m, 0), 4 * way, "the range has its ways alone");
    cr_expect_eq(lines_in_l3(m, SILICON_NODE / 2), 12 * way, "and others the rest");
    silicon_keeps(m, 0, L3_MASK0, 0xF, 0xF);
    cr_expect_eq(lines_in_l3(m, SILICON_NODE / 2), 0, "a class that has those ways alone");
    model_free(m);
}

Test(zen3, has_no_range_reservation)
{
    struct model *m = silicon_of("zen3", 1, 1, 1);

    cr_expect(silicon_refuses(m, 0, RANGE_MAX, 0));
    model_free(m);
}
