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

Test(zen3, takes_empty_masks_and_holes_and_drops_what_is_beyond)
{
    struct model *m = silicon_of("zen3", 1, 1, 1);

    silicon_keeps(m, 0, L3_MASK0 + 15, 0, 0);
    silicon_keeps(m, 0, L3_MASK0 + 15, 0x8421, 0x8421);
    silicon_keeps(m, 0, L3_MASK0 + 15, UINT64_MAX, 0xFFFF);
    cr_expect(silicon_refuses(m, 0, L3_MASK0 + 16, 1));
    silicon_keeps(m, 0, L3_QOS_CFG, UINT64_MAX, 1);
    model_free(m);
}

/* 11 bits of 1/8 GB/s, and "unlimited" above them, which is the reset value. */
Test(zen3, has_a_ceiling_for_each_class)
{
    struct model *m = silicon_of("zen3", 1, 1, 1);

    cr_expect_eq(silicon_read(m, 0, BW_CONTROL0 + 15), BIT(11));
    cr_expect_eq(model_bandwidth_ceiling(m, 0), 0);
    silicon_keeps(m, 0, BW_CONTROL0 + 3, 8, 8);
    silicon_keeps(m, 0, BW_CONTROL0 + 4, UINT64_MAX, 0xFFF);
    silicon_keeps(m, 0, PQR, CLOS(3), CLOS(3));
    cr_expect_eq(model_bandwidth_ceiling(m, 0), 1000000000);
    cr_expect(silicon_refuses(m, 0, BW_CONTROL0 + 16, 8));
    cr_expect(silicon_refuses(m, 0, THROTTLE0, 0));
    model_free(m);
}

/* Two cores an L3: each L3 has RMIDs, masks and selections of its own. */
Test(zen3, has_several_domains_in_a_package)
{
    struct model *m = silicon_of("zen3", 1, 4, 1);

    cr_expect_eq(model_domain(m, 1), 0);
    cr_expect_eq(model_domain(m, 2), 1);
    silicon_keeps(m, 0, L3_MASK0 + 1, 0xF, 0xF);
    cr_expect_eq(silicon_read(m, 1, L3_MASK0 + 1), 0xF);
    cr_expect_eq(silicon_read(m, 2, L3_MASK0 + 1), 0xFFFF);
    silicon_keeps(m, 0, PQR, 4, 4);
    (void)silicon_count(m, 0, 4, TOTAL);
    (void)silicon_count(m, 2, 4, TOTAL);
    silicon_load(m, 0, 0, 500);
    cr_expect_eq(silicon_count(m, 1, 4, TOTAL), 500);
    cr_expect_eq(silicon_count(m, 2, 4, TOTAL), 0);
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

/* APM vol. 2 19.3: 7FH and 15H at reset; a change clears the counts, and the next read is Unavailable. */
Test(zen5, counts_the_kinds_of_transfers_that_are_chosen)
{
    struct model *m = silicon_of("zen5", 1, 1, 1);

    cr_expect_eq(silicon_read(m, 0, EVT_CFG0), 0x7F);
    cr_expect_eq(silicon_read(m, 0, EVT_CFG1), 0x15);
    cr_expect(silicon_refuses(m, 0, EVT_CFG0, 0x80));
    cr_expect(silicon_refuses(m, 0, EVT_CFG0 + 2, 1));
    silicon_keeps(m, 0, PQR, 4095, 4095);
    (void)silicon_count(m, 0, 4095, TOTAL);
    silicon_load(m, 0, 0, 300);
    for (uint64_t i = 0; i < 100; i++)
        model_access(m, 0, SILICON_NODE / 2 + i * 64, 64, MODEL_NT_STORE);
    cr_expect_eq(silicon_count(m, 0, 4095, TOTAL), 400);
    silicon_keeps(m, 0, EVT_CFG0, 0x04, 0x04); /* local non-temporal stores */
    cr_expect_eq(silicon_count(m, 0, 4095, TOTAL), UNAVAILABLE);
    cr_expect_eq(silicon_count(m, 0, 4095, TOTAL), 0);
    silicon_load(m, 0, SILICON_NODE / 4, 300);
    for (uint64_t i = 0; i < 50; i++)
        model_access(m, 0, SILICON_NODE * 3 / 4 + i * 64, 64, MODEL_NT_STORE);
    cr_expect_eq(silicon_count(m, 0, 4095, TOTAL), 50);
    model_free(m);
}

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

/* The gate, the configuration that reads back, the count that begins at 0, the counter that is not there. */
Test(zen5, assigns_counters)
{
    struct model *m = silicon_of("zen5", 1, 1, 1);
    uint64_t value;

    cr_expect(silicon_refuses(m, 0, ABMC_CFG, ASSIGN), "assignable counters are off");
    cr_expect_eq(model_rdmsr(m, 0, ABMC_CFG, 0, &value), MODEL_GP);
    cr_expect_eq(model_rdmsr(m, 0, ABMC_DSC, 0, &value), MODEL_GP);
    cr_expect_eq(model_rdmsr(m, 0, PLZA, 0, &value), MODEL_GP);
    cr_expect(silicon_refuses(m, 0, QM_EVTSEL, BIT(31) | 1));
    silicon_keeps(m, 0, EXT_CFG, UINT64_MAX, 3);
    cr_expect(silicon_refuses(m, 0, ABMC_CFG, BIT(53)));
    silicon_load(m, 0, 0, 100);
    cr_assert_eq(model_wrmsr(m, 0, ABMC_CFG, 0, ASSIGN | COUNTER(31) | SOURCE(9) | 0x7F), MODEL_DONE);
    cr_expect_eq(silicon_read(m, 0, ABMC_DSC), BIT(62) | COUNTER(31) | SOURCE(9) | 0x7F);
    silicon_keeps(m, 0, PQR, 9, 9);
    silicon_load(m, 0, SILICON_NODE / 4, 200);
    silicon_keeps(m, 0, QM_EVTSEL, SOURCE(31) | BIT(31) | 1, SOURCE(31) | BIT(31) | 1);
    cr_expect_eq(silicon_read(m, 0, 0xC8E), 200);
    cr_expect_eq(silicon_count(m, 0, 9, TOTAL), 200, "of the counter that has this RMID and the event's types");
    cr_expect_eq(silicon_count(m, 0, 9, LOCAL), UNAVAILABLE, "none has the types of the other event");
    cr_expect_eq(silicon_count(m, 0, 8, TOTAL), UNAVAILABLE, "none has this RMID");
    cr_assert_eq(model_wrmsr(m, 0, ABMC_CFG, 0, BIT(63) | COUNTER(31) | SOURCE(9) | 0x7F), MODEL_DONE);
    silicon_load(m, 0, SILICON_NODE / 2, 50);
    silicon_keeps(m, 0, QM_EVTSEL, SOURCE(31) | BIT(31) | 1, SOURCE(31) | BIT(31) | 1);
    cr_expect_eq(silicon_read(m, 0, 0xC8E), 0, "begins at 0, and is not enabled");
    silicon_keeps(m, 0, EXT_CFG, 0, 0);
    cr_expect_eq(silicon_count(m, 0, 9, TOTAL), UNAVAILABLE);
    cr_expect_eq(silicon_count(m, 0, 9, TOTAL), 0, "switching clears");
    model_free(m);
}

Test(zen5, has_counters_that_go_on_when_assigned_again)
{
    for (uint32_t faulty = 0; faulty < 2; faulty++) {
        struct model *m = silicon_new(&MODEL("zen5", 1, 1, 1, .faults = { faulty ? "abmc-count-kept" : NULL }));

        silicon_keeps(m, 0, EXT_CFG, 1, 1);
        silicon_keeps(m, 0, PQR, 9, 9);
        cr_assert_eq(silicon_write(m, 0, ABMC_CFG, ASSIGN | COUNTER(3) | SOURCE(9) | 0x7F), MODEL_DONE);
        silicon_load(m, 0, 0, 200);
        cr_assert_eq(silicon_write(m, 0, ABMC_CFG, ASSIGN | COUNTER(3) | SOURCE(9) | 0x7F), MODEL_DONE);
        silicon_load(m, 0, SILICON_NODE / 2, 50);
        silicon_keeps(m, 0, QM_EVTSEL, SOURCE(3) | BIT(31) | 1, SOURCE(3) | BIT(31) | 1);
        cr_expect_eq(silicon_read(m, 0, QM_CTR), faulty ? 250 : 50);
        model_free(m);
    }
}

/* Two processors of one L3 select apart; limits for slow memory are there and are 12 bits long. */
Test(zen5, has_a_selection_for_each_processor)
{
    struct model *m = silicon_of("zen5", 1, 2, 1);

    silicon_keeps(m, 0, QM_EVTSEL, SOURCE(5) | 1, SOURCE(5) | 1);
    cr_expect_eq(silicon_read(m, 1, QM_EVTSEL), 0);
    cr_expect_eq(silicon_read(m, 0, SLOW0 + 15), BIT(12));
    silicon_keeps(m, 0, SLOW0, UINT64_MAX, 0x1FFF);
    cr_expect(silicon_refuses(m, 0, SLOW0 + 16, 0));
    model_free(m);
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
