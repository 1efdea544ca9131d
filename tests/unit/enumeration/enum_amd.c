/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* enum.amd-qos: CPUID Fn8000_0020 of recorded parts, and of an EPYC 9965 with one field changed. APM vol. 3 E.4. */
#include <criterion/criterion.h>

#include "tests/support/run/one_check.h"
#include "tests/support/data/recordings.h"

static void expect_pass(struct replay *r, const struct tsv *x, uint32_t row)
{
    struct platform *p = replay_platform(r);
    struct machine m;

    cr_assert_eq(machine_enumerate(p, &m), ST_OK);
    if (m.cpus[m.reference].rdt.qosx_known)
        cr_expect_eq(run_one("enum.amd-qos", p, &m, NULL).verdict, VERDICT_PASS, "%s", tsv_get(x, row, "file"));
    machine_free(&m);
}

TEST_RECORDINGS(enum_amd, pass, expect_pass)

static enum verdict verdict_with(uint32_t subleaf, struct cpuid_regs regs)
{
    struct replay *r = fixture_open("amd-b10f10-turin-d.cpuid");
    struct platform *p = replay_platform(r);
    enum verdict v;
    struct machine m;

    cr_assert_eq(machine_enumerate(p, &m), ST_OK);
    m.cpus[m.reference].rdt.leaf8000_0020[subleaf].regs = regs;
    v = run_one("enum.amd-qos", p, &m, NULL).verdict;
    machine_free(&m);
    replay_free(r);
    return v;
}

Test(enum_amd, lengths_and_counts_that_no_register_holds_fail)
{
    cr_expect_eq(verdict_with(1, (struct cpuid_regs){ 12, 0, 0, 15 }), VERDICT_PASS);
    cr_expect_eq(verdict_with(1, (struct cpuid_regs){ 200, 0, 0, 15 }), VERDICT_FAIL);
    cr_expect_eq(verdict_with(1, (struct cpuid_regs){ 0, 0, 0, 15 }), VERDICT_FAIL);
    cr_expect_eq(verdict_with(2, (struct cpuid_regs){ 33, 0, 0, 15 }), VERDICT_FAIL);
    cr_expect_eq(verdict_with(2, (struct cpuid_regs){ 12, 0, 0, 128 }), VERDICT_FAIL);
    cr_expect_eq(verdict_with(5, (struct cpuid_regs){ 0x14, 0x20, 1, 0 }), VERDICT_FAIL, "CtrID has five bits");
    cr_expect_eq(verdict_with(5, (struct cpuid_regs){ 0x27, 0x1F, 1, 0 }), VERDICT_FAIL, "QM_CTR has 62 bits");
}

Test(enum_amd, what_no_known_part_has_warns)
{
    cr_expect_eq(verdict_with(0, (struct cpuid_regs){ 0, 0x47E, 0, 0 }), VERDICT_WARN);
    cr_expect_eq(verdict_with(1, (struct cpuid_regs){ 12, 0, 0, 7 }), VERDICT_WARN);
    cr_expect_eq(verdict_with(1, (struct cpuid_regs){ 12, 0, 0, 0 }), VERDICT_WARN, "one COS is legal");
    cr_expect_eq(verdict_with(5, (struct cpuid_regs){ 0x14, 0, 1, 0 }), VERDICT_WARN, "one counter is legal");
    cr_expect_eq(verdict_with(3, (struct cpuid_regs){ 0, 1, 0x7F, 0 }), VERDICT_WARN);
    cr_expect_eq(verdict_with(3, (struct cpuid_regs){ 0, 2, 0xFF, 0 }), VERDICT_WARN);
}
