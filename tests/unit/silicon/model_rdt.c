/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* RDT registers of each generation against the documents and figures computed by hand. */
#include "tests/support/run/silicon.h"

#include "core/base/bits.h"

enum {
    L3_QOS_CFG = 0xC81,
    IO_QOS_CFG = 0xC83,
    MBA_CFG = 0xC84,
    QM_EVTSEL = 0xC8D,
    QM_CTR = 0xC8E,
    PQR = 0xC8F,
    L3_MASK0 = 0xC90,
    SNC_CONFIG = 0xCA0,
    THROTTLE0 = 0xD50,
};
#define CLOS(n) ((uint64_t)(n) << 32)

/* --- Skylake-SP: scale 18000H, a count is 1536 lines; L2 of 16384 lines */

/* intel-cmt-cat issue 135: with the map 600H, a mask of 400H reads 600H. */
Test(skx, moves_the_bits_of_the_contention_map_together)
{
    struct model *m = silicon_of("skx", 1, 1, 1);

    silicon_keeps(m, 0, L3_MASK0 + 1, 0x400, 0x600);
    silicon_keeps(m, 0, L3_MASK0 + 1, 0x300, 0x700);
    silicon_keeps(m, 0, L3_MASK0 + 1, 0x1FF, 0x1FF);
    silicon_keeps(m, 0, L3_MASK0 + 1, 0x1, 0x1);
    cr_expect(silicon_refuses(m, 0, L3_MASK0 + 1, 0));
    cr_expect(silicon_refuses(m, 0, L3_MASK0 + 1, 0x5));
    cr_expect(silicon_refuses(m, 0, L3_MASK0 + 1, 0x800));
    cr_expect(silicon_refuses(m, 0, SNC_CONFIG, 1), "no such register before Ice Lake-SP");
}

/* Xen, "Memory Bandwidth Allocation": maximum 90 means steps of 10, 12 acts as 10. MBA 1.0: the larger of two threads.
 */
Test(skx, throttles_in_steps_and_by_the_slower_of_two_threads)
{
    struct model *m = silicon_of("skx", 1, 1, 2);

    cr_expect_eq(silicon_read(m, 0, THROTTLE0), 0);
    silicon_keeps(m, 0, THROTTLE0 + 1, 12, 12);
    silicon_keeps(m, 0, THROTTLE0 + 2, 90, 90);
    cr_expect(silicon_refuses(m, 0, THROTTLE0 + 1, 91));
    cr_expect(silicon_refuses(m, 0, THROTTLE0 + 8, 0), "eight classes");
    cr_expect_eq(model_mba_delay(m, 0), 0);
    silicon_keeps(m, 0, PQR, CLOS(1), CLOS(1));
    cr_expect_eq(model_mba_delay(m, 0), 10);
    cr_expect_eq(model_mba_delay(m, 1), 10);
    silicon_keeps(m, 1, PQR, CLOS(2), CLOS(2));
    cr_expect_eq(model_mba_delay(m, 0), 90);
    silicon_keeps(m, 1, PQR, CLOS(15), CLOS(15)); /* a class of the L3 that has no throttle */
    cr_expect_eq(model_mba_delay(m, 1), 10);
    cr_expect(silicon_refuses(m, 0, MBA_CFG, 1));
}

/* --- Ice Lake-SP: scale 12000H, a count is 1152 lines */

Test(icx, has_288_rmids_15_classes_and_no_code_and_data_prioritization)
{
    struct model *m = silicon_of("icx", 1, 1, 2);

    silicon_keeps(m, 0, PQR, CLOS(14) | 287, CLOS(14) | 287);
    cr_expect(silicon_refuses(m, 0, PQR, 288));
    cr_expect(silicon_refuses(m, 0, PQR, 512));
    cr_expect(silicon_refuses(m, 0, PQR, CLOS(15)));
    cr_expect(silicon_refuses(m, 0, L3_QOS_CFG, 1));
    cr_expect(silicon_refuses(m, 0, IO_QOS_CFG, 0));
    silicon_keeps(m, 0, L3_MASK0 + 14, 0xC00, 0xC00);
    cr_expect(silicon_refuses(m, 0, L3_MASK0 + 15, 1));
    cr_expect_eq(silicon_read(m, 0, SNC_CONFIG), 1);
    cr_expect(silicon_refuses(m, 0, SNC_CONFIG, 2));
    /* MBA 2.0: bit 0 chooses the smaller delay of two threads */
    silicon_keeps(m, 0, THROTTLE0 + 14, 50, 50);
    cr_expect_eq(model_mba_delay(m, 0), 50);
    silicon_keeps(m, 0, MBA_CFG, 1, 1);
    cr_expect_eq(model_mba_delay(m, 0), 0);
    cr_expect(silicon_refuses(m, 0, MBA_CFG, 2));
}

/* --- Granite Rapids: MBA 3.0, a delay for each thread (10H.3:ECX[0]) */

Test(gnr, throttles_each_thread_by_its_own_class)
{
    struct model *m = silicon_of("gnr", 1, 1, 2);
    uint32_t regs[4] = { 0 };

    model_cpuid(m, 0, 0x10, 3, regs);
    cr_expect(regs[2] & 1);
    silicon_keeps(m, 0, THROTTLE0 + 1, 50, 50);
    silicon_keeps(m, 0, PQR, CLOS(1), CLOS(1));
    cr_expect_eq(model_mba_delay(m, 0), 50);
    cr_expect_eq(model_mba_delay(m, 1), 0);
}

/* --- parts without */

Test(no_rdt, has_none_of_the_registers)
{
    static const char *const names[] = { "nhm", "snbep", "client" };
    static const uint32_t msrs[] = { L3_QOS_CFG, QM_EVTSEL, QM_CTR, PQR, L3_MASK0 };

    for (size_t i = 0; i < 3; i++) {
        struct model *m = silicon_of(names[i], 1, 1, 1);
        uint64_t value;

        for (size_t r = 0; r < sizeof msrs / sizeof msrs[0]; r++) {
            cr_expect_eq(model_rdmsr(m, 0, msrs[r], SILICON_TIME, &value), MODEL_GP, "%s %#x", names[i], msrs[r]);
            cr_expect(silicon_refuses(m, 0, msrs[r], 0), "%s %#x", names[i], msrs[r]);
        }
    }
}
