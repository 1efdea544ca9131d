/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.pmi with local APICs that answer otherwise than those of the model: what the steps STEP_PMI_* said is changed here. Defects
 * of the overflow's own way are faults of the silicon. Broadwell-EP: MSR 700H chooses cores by bits 17:0 (331051, Xeon E5 v3,
 * U_MSR_PMON_GLOBAL_CTL). The machine has two cores of one thread. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "core/engine/engine.h"
#include "core/tools/tools.h"
#include "tests/support/run/model_run.h"

#define ID         "pmon.pmi"
#define GLOBAL_CTL 0x700u
#define REFUSED    0x504D49u /* sub-leaf of a PMI_OPEN that became a CPUID */

enum defect {
    ALL_CORES,     /* an interrupt on both cores */
    NO_MASK,       /* delivery leaves the LVT's mask bit clear */
    NO_APIC,       /* PMI_OPEN has no register to take */
    ONE_HAS_NONE,  /* so on cpu 1 */
    LISTEN_FAULTS, /* an access of the handler's raised #GP */
};

struct apics {
    enum defect defect;
    uint64_t route;
    uint32_t opened, closed;
};

static void before(struct interposer *i, uint32_t cpu, struct step *s)
{
    struct apics *a = i->context;

    if (s->op == STEP_WRMSR && s->reg == GLOBAL_CTL)
        a->route = s->value;
    if (s->op == STEP_PMI_OPEN && (a->defect == NO_APIC || (a->defect == ONE_HAS_NONE && cpu == 1))) {
        s->op = STEP_CPUID;
        s->subleaf = REFUSED;
    }
}

static void after(struct interposer *i, uint32_t, struct step *s)
{
    struct apics *a = i->context;

    if (s->op == STEP_CPUID && s->subleaf == REFUSED) {
        s->op = STEP_PMI_OPEN;
        s->status = ST_UNSUPPORTED;
    }
    if (s->status != ST_OK)
        return;
    a->opened += s->op == STEP_PMI_OPEN;
    a->closed += s->op == STEP_PMI_CLOSE;
    if (s->op != STEP_PMI_LISTEN && s->op != STEP_PMI_CLOSE)
        return;
    if (a->defect == ALL_CORES)
        s->pmi.interrupts = s->pmi.masked = 1;
    if (a->defect == NO_MASK)
        s->pmi.masked = 0;
    if (a->defect == LISTEN_FAULTS && s->op == STEP_PMI_LISTEN)
        s->status = ST_FAULT;
}

static void expect_with(enum defect defect, enum verdict verdict, const char *finding)
{
    struct apics a = { .defect = defect };

    expect(verdict, ID, ON("bdx"), .before = before, .after = after, .context = &a, .finding = finding);
    cr_expect_eq(a.opened, a.closed, "%u processors listen, %u were closed", a.opened, a.closed);
    cr_expect_eq(a.route & BITS(17, 0), 0, "0x%llx still routes interrupts", (unsigned long long)a.route);
}

Test(pmon_pmi, all_cores_fail)
{
    expect_with(ALL_CORES, VERDICT_FAIL, "other cores than the one selected");
}

Test(pmon_pmi, a_mask_bit_that_stays_clear_warns)
{
    expect_with(NO_MASK, VERDICT_WARN, "the LVT's mask bit is clear after 1 of 1 interrupts");
}

Test(pmon_pmi, no_register_to_take_is_a_skip)
{
    expect_with(NO_APIC, VERDICT_SKIP, "no local APIC has an LVT performance counter register that is free");
}

Test(pmon_pmi, others_listen_where_one_cannot)
{
    expect_with(ONE_HAS_NONE, VERDICT_PASS, NULL);
}

Test(pmon_pmi, what_cannot_be_listened_to_is_an_error)
{
    expect_with(LISTEN_FAULTS, VERDICT_ERROR, "counter 0, to core 0");
}

Test(pmon_pmi, parts_without_a_route_are_a_skip)
{
    static const char *const profiles[] = { "snbep", "spr", "zen4" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_SKIP, ID, ON(profiles[i]), .finding = "no document names the register that routes interrupts");
}

/* It and ubox.messages, which installs the same handler. */
Test(pmon_pmi, is_a_skip_unless_asked_for)
{
    static const struct pmon_part part;
    static const char *const ids[] = { ID, "ubox.messages" };
    struct pmon_unit ubox = { .name = "UBox" };
    struct cpu cpu = { .enumerated = ST_OK };
    struct machine machine = { .n_cpus = 1, .cpus = &cpu };
    struct tools tools = { .pmon = { .part = &part, .ubox = &ubox } };
    struct options options = { .pmi = false };
    struct platform platform = { .ops = &(const struct platform_ops){ 0 } };
    struct engine e = { .platform = &platform, .machine = &machine, .tools = &tools, .options = &options };

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const char *why;

        options.pmi = false;
        why = engine_missing(&e, check_find(ids[i]));
        cr_assert(why, "%s", ids[i]);
        cr_expect(strstr(why, "-pmi"), "%s: %s", ids[i], why);
        options.pmi = true;
        cr_expect_null(engine_missing(&e, check_find(ids[i])), "%s", ids[i]);
    }
}
