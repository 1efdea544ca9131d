/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The QoS registers of Zen 3 and Zen 5 against the APM and figures computed by hand. */
#include "tests/silicon/model/model_state.h"
#include "tests/support/run/silicon.h"

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
#define CLOS(n) ((uint64_t)(n) << 32)

/* --- Zen 5: what is counted can be chosen, and counters are assigned */

enum {
    PLZA = 0xC00003FC, /* of no part here */
    ABMC_CFG,
    ABMC_DSC,
    EXT_CFG,
};
#define ASSIGN     (BIT(63) | BIT(62))
#define COUNTER(n) ((uint64_t)(n) << 48)
#define SOURCE(n)  ((uint64_t)(n) << 32)

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
}

Test(zen3, has_no_range_reservation)
{
    struct model *m = silicon_of("zen3", 1, 1, 1);

    cr_expect(silicon_refuses(m, 0, RANGE_MAX, 0));
}
