/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/unit/silicon/probe.c: the registers by which software in the guest compares the silicon with the model's truth. */
#include "tests/silicon/model/probe.h"
#include "tests/support/run/silicon.h"

#define IA32_PQR_ASSOC 0xC8Fu

static uint64_t read_probe(const struct probe *p, struct model *m, uint32_t cpu, uint32_t msr)
{
    uint64_t value = UINT64_MAX;

    cr_assert_eq(probe_read(p, m, cpu, msr, &value), MODEL_DONE, "register %#x", msr);
    return value;
}

Test(probe, shows_the_lines_of_the_selected_rmid_and_of_no_other)
{
    struct model *m = silicon_of("bdx", 2, 1, 1);
    struct probe p = { 0 };

    cr_assert_eq(model_wrmsr(m, 1, IA32_PQR_ASSOC, 0, 5), MODEL_DONE);
    for (uint64_t line = 0; line < 100; line++)
        model_access(m, 1, 0x100000 + line * 64, 8, MODEL_LOAD);
    cr_expect_eq(read_probe(&p, m, 1, PROBE_LINES), 0, "nothing is selected but package 0, RMID 0");
    cr_assert_eq(probe_write(&p, m, PROBE_SELECT, UINT64_C(1) << 32 | 5), MODEL_DONE);
    cr_expect_eq(read_probe(&p, m, 0, PROBE_SELECT), UINT64_C(1) << 32 | 5);
    cr_expect_eq(read_probe(&p, m, 0, PROBE_LINES), 100);
    cr_expect_eq(read_probe(&p, m, 0, PROBE_TOTAL), 100);
    cr_expect_eq(read_probe(&p, m, 0, PROBE_LOCAL), 0, "unlisted memory is node 0's, the processor is in package 1");
    cr_expect_eq(read_probe(&p, m, 0, PROBE_DOMAIN), 0);
    cr_expect_eq(read_probe(&p, m, 1, PROBE_DOMAIN), 1);
}

Test(probe, refuses_what_cannot_be_selected_or_written)
{
    struct model *m = silicon_of("bdx", 2, 1, 1);
    struct probe p = { 0 };
    uint64_t value;

    cr_expect_eq(probe_write(&p, m, PROBE_SELECT, UINT64_C(2) << 32), MODEL_GP, "there is no third L3");
    cr_expect_eq(read_probe(&p, m, 0, PROBE_SELECT), 0, "and the selection stays");
    cr_expect_eq(probe_write(&p, m, PROBE_LINES, 1), MODEL_GP);
    cr_expect_eq(probe_write(&p, m, PROBE_DOMAIN, 1), MODEL_GP);
    cr_expect_eq(probe_write(&p, m, IA32_PQR_ASSOC, 1), MODEL_NOT_MINE);
    cr_expect_eq(probe_read(&p, m, 0, PROBE_FEED, &value), MODEL_NOT_MINE, "the plugin's");
}
