/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of what narrows a count (thread, opcode, address, throttle) with a register that answers otherwise than it
 * should. */
#include <criterion/criterion.h>

#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "tests/support/model_run.h"

static void expect_pass_on_each(const char *const *profiles, uint32_t n, const char *id)
{
    for (uint32_t i = 0; i < n; i++)
        expect_pass(profiles[i], 1, id);
}

/* --- pmon.filter-thread: 327043-001 2.3.3.3; tid_en is bit 19 of a control, that of counter 0 of CBo 0 is E01H ----- */

#define TID_EN BIT(19)

Test(pmon_filters, a_filter_by_thread_passes)
{
    expect_pass("bdx", 1, "pmon.filter-thread");
}

Test(pmon_filters, a_slice_that_ignores_the_thread_warns)
{
    expect_code("bdx", "pmon.filter-thread", msr_stuck_at_0(0xE01, TID_EN), VERDICT_WARN, FOUND_OVERCOUNTS, NULL);
}

Test(pmon_filters, slices_that_all_ignore_the_thread_warn)
{
    struct register_defect every_cbo = msr_stuck_at_0(0xE01, TID_EN);

    every_cbo.any = 0x1F0;
    expect_code("bdx", "pmon.filter-thread", every_cbo, VERDICT_WARN, FOUND_FILTER_PASSES, NULL);
}

/* --- pmon.filter-opcode ------------------------------------------------------------------------------------------- */

/* skx_uncore_chabox: FILTER1 of CHA 0 is E06H; its opcode stands in 18:9, or bit 3 lets all pass. */
Test(pmon_filters, a_filter_that_lets_every_opcode_pass_warns)
{
    expect_code("skx", "pmon.filter-opcode", msr_stuck_at_1(0xE06, BIT(3)), VERDICT_WARN, FOUND_FILTER_PASSES, "CHA 0");
}

/* 329468-002, Linux HSWEP_CB0_MSR_PMON_BOX_FILTER_OPC: opc 28:20, 182H DRd. Without its bit 1 it is 180H, RFO. */
Test(pmon_filters, an_opcode_in_the_filter_that_loses_a_bit_warns)
{
    expect_code("bdx", "pmon.filter-opcode", msr_stuck_at_0(0xE06, BIT(21)), VERDICT_WARN, FOUND_FILTER_STOPS, "CBo 0");
}

/* Event files: IA_MISS_DRD C817FEH, IA_MISS_RFO C807FEH, from bit 32 of the control on: CHA 0's first is E01H. */
Test(pmon_filters, an_opcode_in_the_control_that_loses_a_bit_warns)
{
    expect_code("icx", "pmon.filter-opcode", msr_stuck_at_0(0xE01, BIT(44)), VERDICT_WARN, FOUND_FILTER_STOPS, "CHA 0");
}

Test(pmon_filters, opcodes_that_are_told_apart_pass)
{
    static const char *const profiles[] = { "snbep", "hsx", "skx", "icx", "spr" };

    expect_pass_on_each(profiles, 5, "pmon.filter-opcode");
}

/* --- traffic.throttled: RDT Architecture Specification 356688 3.2 -------------------------------------------------- */

#define THROTTLE_1 0xD51u /* IA32_L2_QoS_Ext_BW_Thrtl_1 */

/* IA32_QM_CTR shows half of its count while class 1 has a delay. */
static void halve_throttled(struct interposer *i, uint32_t cpu, struct step *s)
{
    bool *throttled = i->context;

    (void)cpu;
    if (s->op == STEP_WRMSR && s->reg == THROTTLE_1)
        *throttled = s->value != 0;
    else if (*throttled && s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && !(s->value >> 62))
        s->value /= 2;
}

Test(pmon_filters, a_count_that_is_halved_under_a_throttle_fails)
{
    bool throttled = false;

    expect(VERDICT_FAIL, "traffic.throttled", ON("skx"), .after = halve_throttled, .context = &throttled,
           .code = FOUND_STEPS_BACK);
}

Test(pmon_filters, a_throttle_that_changes_no_count_passes)
{
    static const char *const profiles[] = { "skx", "icx", "spr" };

    expect_pass_on_each(profiles, 3, "traffic.throttled");
}

/* --- pmon.match on Nehalem: MSR 396H, SDM vol. 3B 18.8.2.3 -------------------------------------------------------- */

#define ADDR_OPCODE_MATCH 0x396u
#define UNCORE_PMC0       0x3B0u

/* Counter 0 sees 512 requests for the line that is read, if that is what 396H asks for. */
struct matcher {
    uint64_t match, line;
    bool matches_all, line_was_read;
};

static void note_request(struct interposer *i, uint32_t cpu, struct step *s)
{
    struct matcher *m = i->context;

    (void)cpu;
    if (s->op == STEP_WORK && s->work->kind == WORK_FLUSH) { /* reads it, so that each pass is a request */
        m->line = s->work->base;
        m->line_was_read = true;
    }
    if (s->op == STEP_WRMSR && s->reg == ADDR_OPCODE_MATCH)
        m->match = s->value;
    if (s->op == STEP_WRMSR && s->reg == UNCORE_PMC0)
        m->line_was_read = false;
}

static void count_matches(struct interposer *i, uint32_t cpu, struct step *s)
{
    const struct matcher *m = i->context;
    bool matches = m->matches_all || m->match == (m->line | UINT64_C(4) << 61);

    (void)cpu;
    if (s->op == STEP_RDMSR && s->reg == UNCORE_PMC0)
        s->value = m->line_was_read && matches ? 512 : 0;
}

static void expect_match(bool matches_all, enum verdict verdict, const char *report)
{
    struct matcher m = { .matches_all = matches_all };

    expect(verdict, "pmon.match", ON("nhm"), .before = note_request, .after = count_matches, .context = &m,
           .report = report);
}

Test(pmon_filters, requests_that_match_by_their_address_pass)
{
    expect_match(false, VERDICT_PASS, NULL);
}

Test(pmon_filters, requests_that_match_whatever_their_address_warn)
{
    expect_match(true, VERDICT_WARN, "of another");
    expect_match(true, VERDICT_WARN, "MatchSel");
}

Test(pmon_filters, a_match_register_that_loses_a_bit_fails_and_goes_back)
{
    struct model_run *r = model_run_new("nhm", 1, "pmon.match");
    const struct whole_result *result;
    uint64_t value = 1;

    r->interposer.defect = msr_stuck_at_0(ADDR_OPCODE_MATCH, BIT(41));
    result = model_run_check(r, "pmon.match");
    cr_expect_eq(result->verdict, VERDICT_FAIL);
    cr_expect(strstr(result->reason, "MSR 0x396: 0x"), "%s", result->reason);
    interposer_remove(&r->interposer);
    cr_expect_eq(msr_read(&r->mp->platform, 0, ADDR_OPCODE_MATCH, &value), ST_OK);
    cr_expect_eq(value, 0);
    model_run_free(r);
}
