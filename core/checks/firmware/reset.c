/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Register values at handoff from firmware. IA32_PQR_ASSOC was recorded at the start of the run; the other registers
 * are read here, before any check writes them, and where one of them was written already the ledger has its first
 * value. */
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/firmware/reset.h"
#include "core/platform/ledger.h"
#include "core/machine/register_name.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define SDM_COS "SDM vol. 3B 17.17.3.4 Class of Service to Cache Mask Association: Common Across Allocation Features"
#define SDM_CDP "SDM vol. 3B 17.17.2 Code and Data Prioritization (CDP) Technology"

/* RS-12, a record: whether the register keeps its value over INIT is not documented, so values read after one are
 * marked. */
static void reset_record_init(struct check *c)
{
    uint32_t after;

    if (!c->platform->mp_method || !text_equal(c->platform->mp_method, MP_METHOD_SIPI))
        return;
    after = HOW_MANY(i, c->machine->n_cpus, i != c->platform->bsp && (c->platform->cpus[i].flags & CPU_STARTED));
    check_show(c, "processors sent INIT and SIPI before their registers were read", PLACE_NONE, after, "processors");
    check_note(
        c, "values of all processors but the BSP are those after INIT and SIPI by Assay; with -mp auto they are those "
           "that "
           "firmware left");
}

/* Processors whose IA32_PQR_ASSOC was not 0, and the first of them. */
struct pqr_left {
    uint32_t cpus, first_cpu;
    uint64_t first, compared;
    bool differ; /* not all of them had the same value */
};

static void pqr_left_add(struct check *c, struct pqr_left *left, uint32_t cpu, uint64_t value)
{
    left->compared++;
    if (left->compared <= 8 || (value && left->cpus < 8))
        evidence_msr(c, cpu, IA32_PQR_ASSOC, value, 0);
    if (value == 0)
        return;
    if (left->cpus++ == 0) {
        left->first_cpu = cpu;
        left->first = value;
    }
    left->differ |= value != left->first;
}

static void pqr_left_report(struct check *c, const struct pqr_left *left)
{
    struct pqr pqr = pqr_decode(left->first);

    if (left->cpus)
        finding(
            c, FINDING_UNUSUAL, 0, FOUND_NOT_RESET_VALUE, place_cpu(left->first_cpu),
            "IA32_PQR_ASSOC was 0x%lx (RMID %u, CLOS %u) at handoff, reset value 0; not 0 on %u of %lu processors%s",
            left->first, pqr.rmid, pqr.clos, left->cpus, left->compared, left->differ ? ", with several values" : "");
}

static enum status check_pqr_reset(struct check *c)
{
    struct pqr_left left = { 0 };

    if (!c->tools->pqr_recorded)
        return check_absent(c, "this processor enumerates neither monitoring nor allocation");
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        uint64_t value = 0;
        enum status st = ledger_found_msr(c->platform->ledger, i, IA32_PQR_ASSOC, &value);

        if (!(c->platform->cpus[i].flags & CPU_STARTED))
            continue;
        if (st == ST_FAULT && !reference_has_rdt(c))
            return check_absent(c, "IA32_PQR_ASSOC does not exist (RDMSR raises #GP)");
        if (st == ST_FAULT)
            finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, place_cpu(i), "RDMSR IA32_PQR_ASSOC raised #GP");
        else if (st != ST_OK)
            check_cannot_measure(c, st, i, "IA32_PQR_ASSOC");
        else
            pqr_left_add(c, &left, i, value);
    }
    pqr_left_report(c, &left);
    evidence_swept(c, "IA32_PQR_ASSOC at handoff compared with 0", left.compared);
    reset_record_init(c);
    return ST_OK;
}

/* --- registers that must have their reset value ------------------------------------------------------------------- */

static uint32_t build_reset(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct reset_registers *l = s->context;

    if (!alloc_writes(s->check, cpu, l->scope))
        return 0;
    for (uint32_t i = 0; i < l->n; i++)
        steps[i] = step_rdmsr(l->first + i);
    return l->n;
}

/* The value at handoff. */
static enum status reset_value_found(const struct check *c, uint32_t cpu, const struct step *step, uint64_t *value)
{
    enum status st = ledger_found_msr(c->platform->ledger, cpu, step->reg, value);

    if (st != ST_ABSENT)
        return st;
    *value = step->value;
    return step->status;
}

/* One register of a set at handoff; false: it could not be compared. */
static bool reset_register(struct reset_registers *l, uint32_t cpu, const struct step *step, uint64_t *value)
{
    struct check *c = l->sweep.check;
    enum status st = reset_value_found(c, cpu, step, value);

    if (st == ST_FAULT && l->optional)
        return false;
    l->sweep.compared++;
    if (st == ST_OK)
        return true;
    finding(c, FINDING_EXPECTED, 0, FOUND_REGISTER_MISSING, place_cpu(cpu),
            "RDMSR 0x%x raised %s although the register is enumerated", step->reg, status_text(st));
    return false;
}

static void judge_reset(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct reset_registers *l = s->context;
    bool said = false;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = 0;
        bool wrong;

        if (!reset_register(l, cpu, &steps[i], &value))
            continue;
        if (l->alike && !l->reset_known) {
            l->reset = value;
            l->reset_known = true;
        }
        if (i == 0 && l->sets++ == 0)
            l->first_value = value;
        l->several |= i == 0 && value != l->first_value;
        wrong = (value & l->bits) != (l->reset & l->bits);
        if (l->there++ < 4 || (wrong && !said))
            evidence_msr(s->check, cpu, steps[i].reg, value, steps[i].tsc);
        l->serious |= wrong && i == 0;
        if (!wrong || said)
            continue;
        said = true;
        if (l->wrong_sets++ > 0)
            continue;
        l->wrong_cpu = cpu;
        l->wrong_msr = steps[i].reg;
        l->wrong_value = value;
    }
}

/* All sets in one finding. A first register that has the same value in every set was programmed on purpose: firmware has
 * setup options that reserve ways. Whether it can be programmed is for the checks that write it. */
static void reset_report(struct check *c, const struct reset_registers *l)
{
    bool serious = l->first_is_serious && l->serious;

    if (l->wrong_sets)
        finding(c, serious && l->several ? FINDING_EXPECTED : FINDING_UNUSUAL, 0, FOUND_NOT_RESET_VALUE,
                place_cpu(l->wrong_cpu),
                "%s (0x%x) was 0x%lx at handoff, %s 0x%lx%s: %s (%u of %u sets of these registers)",
                register_name(l->wrong_msr), l->wrong_msr, l->wrong_value,
                l->alike ? "in another L3 domain" : "reset value", l->reset,
                serious && l->sets > 1 && !l->several ? ", and the same in each set" : "", l->means, l->wrong_sets,
                l->sets);
}

uint32_t reset_compare(struct check *c, struct reset_registers *l)
{
    if (l->n == 0)
        return 0;
    if (l->bits == 0)
        l->bits = UINT64_MAX;
    if (sweep_run(&l->sweep, c, l->n, build_reset, judge_reset, register_name(l->first), l) != ST_OK)
        check_conclude(c, ST_NO_MEMORY);
    else if (l->there)
        evidence_swept(c, "registers compared with their reset value", l->sweep.compared);
    reset_report(c, l);
    return l->there;
}

/* All processors run in CLOS 0 at handoff, so that a restricted mask of CLOS 0 restricts all of them. */
static enum status check_reset_masks(struct check *c)
{
    struct alloc_table tables[2] = { alloc_l3_masks(c), alloc_l2_masks(c) };
    uint32_t there = 0;

    for (uint32_t i = 0; i < 2; i++) {
        struct reset_registers l = { .first = tables[i].first,
                                     .n = tables[i].classes,
                                     .reset = low_bits(tables[i].bits),
                                     .scope = tables[i].scope,
                                     .means = "this CLOS cannot fill part of the cache",
                                     .first_is_serious = true };

        there += reset_compare(c, &l);
    }
    return there || check_verdict(c) != VERDICT_PASS
               ? ST_OK
               : check_absent(c, "%s",
                              alloc_l2_masks(c).enumerated ? alloc_l2_absent(c) : "no cache allocation is enumerated");
}

static enum status check_reset_cdp(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct reset_registers l3 = {
        .first = IA32_L3_QOS_CFG,
        .n = rdt->l3.known && rdt->l3.cdp,
        .bits = IA32_L3_QOS_CFG_CDP_ENABLE, /* the others: `cdp.reserved` */
        .scope = ALLOC_L3,
        .means = "CDP is enabled: code and data have separate masks, and half as many CLOS are usable"
    };
    struct reset_registers l2 = {
        .first = IA32_L2_QOS_CFG,
        .n = rdt->l2.known && rdt->l2.cdp,
        .scope = ALLOC_L2,
        .means = "L2 CDP is enabled: code and data have separate masks, and half as many CLOS are usable"
    };
    uint32_t there = reset_compare(c, &l3) + reset_compare(c, &l2);

    return there || check_verdict(c) != VERDICT_PASS ? ST_OK : check_absent(c, "CDP is not enumerated");
}

static enum status check_reset_throttles(struct check *c)
{
    struct alloc_table t = alloc_throttles(c);
    struct reset_registers l = {
        .first = t.first, .n = t.classes, .scope = t.scope, .means = "memory requests of this CLOS are delayed"
    };

    return reset_compare(c, &l) || check_verdict(c) != VERDICT_PASS
               ? ST_OK
               : check_absent(c, "CPUID.(EAX=10H,ECX=3) cannot be read");
}

/* Not on Diamond Rapids, whatever the bit says: intel-cmt-cat lib/hw_cap.c, hw_cap_mba40_model(). */
static bool reset_has_mba4(const struct check *c)
{
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;
    const struct rdt_info *rdt = reference_rdt(c);
    uint64_t capabilities = 0;

    return !(id->family == 19 && id->model == 1) && (rdt->leaf7.regs.edx & CPUID_7_EDX_CORE_CAPABILITIES) &&
           msr_read(c->platform, c->machine->reference, IA32_CORE_CAPABILITIES, &capabilities) == ST_OK &&
           (capabilities & IA32_CORE_CAPABILITIES_MBA4);
}

/* MBA_CFG by its fields: which of them a part has is its own, and bits beyond them have no public meaning. */
static uint32_t reset_compare_mba(struct check *c)
{
    bool mba4 = reset_has_mba4(c);
    const struct {
        uint64_t bits;
        const char *means;
    } fields[] = {
        { mba4 ? 0 : MBA_CFG_MIN_DELAY, "of two threads of a core the smaller delay acts" },
        { mba4 ? MBA_CFG_MBA4 : 0, "MBA 4.0 is enabled" },
        { ~(mba4 ? MBA_CFG_MBA4 : MBA_CFG_MIN_DELAY), "bits whose meaning on this part is not public are set" },
    };
    uint32_t there = 0;

    for (uint32_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct reset_registers l = { .first = MBA_CFG,
                                     .n = fields[i].bits && reference_is_intel(c) && reference_rdt(c)->mba.known,
                                     .bits = fields[i].bits,
                                     .scope = ALLOC_L3,
                                     .means = fields[i].means,
                                     .optional = true };

        there += reset_compare(c, &l);
    }
    return there;
}

/* Model-specific or optional: #GP means that the register does not exist. */
static enum status check_reset_options(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    bool io = rdt->non_cpu_cmt || rdt->non_cpu_mbm || rdt->l3.non_cpu;
    struct reset_registers l3_io = { .first = IA32_L3_IO_QOS_CFG,
                                     .n = reference_is_intel(c),
                                     .scope = ALLOC_L3,
                                     .means = "L3 allocation or monitoring for I/O devices is enabled",
                                     .optional = !io };
    uint32_t there = reset_compare(c, &l3_io) + reset_compare_mba(c);

    return there || check_verdict(c) != VERDICT_PASS
               ? ST_OK
               : check_absent(c, "neither IA32_L3_IO_QOS_CFG nor MBA_CFG exists (both raise #GP)");
}

/* --- XC-09: L3 domains against each other ------------------------------------------------------------------------- */

#define SETTINGS_MOST 128u

/* One register at a time: each has a first value of its own. */
static uint32_t reset_compare_l3s(struct check *c, uint32_t msr, uint32_t n, bool optional)
{
    uint32_t there = 0;

    for (uint32_t i = 0; i < n && i < SETTINGS_MOST; i++) {
        struct reset_registers l = { .first = msr + i,
                                     .n = 1,
                                     .scope = ALLOC_L3,
                                     .means = "firmware programmed L3 domains differently",
                                     .optional = optional,
                                     .alike = true };

        there += reset_compare(c, &l);
    }
    return there;
}

static enum status check_reset_l3s(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct alloc_table throttles = alloc_throttles(c);
    uint32_t there = reset_compare_l3s(c, throttles.first, throttles.classes, false);

    there += reset_compare_l3s(c, IA32_L3_QOS_CFG, rdt->l3.known && rdt->l3.cdp, false);
    there += reset_compare_l3s(c, IA32_L3_IO_QOS_CFG, reference_is_intel(c), true);
    there += reset_compare_l3s(c, MBA_CFG, reference_is_intel(c) && rdt->mba.known, true);
    return there || check_verdict(c) != VERDICT_PASS ? ST_OK : check_absent(c, "none of these registers exists");
}

static const struct check_row rows[] = {
    { .id = "reset.pqr",
      .title = "IA32_PQR_ASSOC is 0 on every processor at handoff",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .covers = "AS-01 RS-01 RS-12",
      .means = "firmware or an earlier program left an RMID or CLOS in IA32_PQR_ASSOC: traffic there is not counted "
               "under RMID 0",
      .next = "the value in the evidence; a cold boot instead of a warm one; firmware's RDT settings",
      .grade = GRADE_W,
      .run = check_pqr_reset },
    { .id = "reset.masks",
      .title = "All capacity bitmasks (CBM) are full at handoff",
      .spec = SDM_COS,
      .covers = "CA-01 RS-02",
      .detects = "a CBM restricted by firmware",
      .means = "the CLOS in the finding cannot fill part of the cache: the machine is slower than it could be",
      .next = "firmware settings for real-time or I/O reservation; `cat.windows`: whether the CBMs can be written",
      .needs = NEED_RDT_A_BIT,
      .rests_on = RESTS_ON_CLASSES,
      .run = check_reset_masks },
    { .id = "reset.cdp",
      .title = "CDP is disabled at handoff",
      .spec = SDM_CDP,
      .covers = "RS-03",
      .detects = "CDP left enabled by firmware",
      .needs = NEED_RDT_A_BIT,
      .grade = GRADE_W,
      .run = check_reset_cdp },
    { .id = "reset.throttles",
      .title = "MBA delay values are 0 at handoff",
      .spec = "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation",
      .covers = "MA-01 RS-04",
      .detects = "an MBA delay value left by firmware",
      .means = "memory requests of a CLOS are delayed although no software asked for it",
      .next = "firmware settings for memory bandwidth; a cold boot; `mba.rate`",
      .needs = NEED_MBA,
      .grade = GRADE_W,
      .run = check_reset_throttles },
    { .id = "reset.options",
      .title = "IA32_L3_IO_QOS_CFG and MBA_CFG are 0 at handoff",
      .spec = "RDT Architecture Specification 356688, IA32_L3_IO_QOS_CFG; appendix B, MBA_CFG",
      .covers = "RS-05",
      .detects = "RDT for I/O devices or another MBA rule left enabled by firmware",
      .needs = NEED_RDT_BIT,
      .grade = GRADE_W,
      .run = check_reset_options },
    { .id = "reset.alike",
      .title = "All L3 domains have the same MBA, CDP and I/O settings at handoff",
      .spec = "RDT Architecture Specification 356688 3.2, 4",
      .covers = "XC-09 CD-05",
      .detects = "a setting that firmware made in one package only",
      .means = "L3 domains were programmed differently: software that reads one register is wrong about the others",
      .next = "the two processors in the finding; whether firmware initializes every socket",
      .needs = NEED_RDT_A_BIT | NEED_2_DOMAINS,
      .grade = GRADE_W,
      .run = check_reset_l3s },
};
CHECK_FAMILY(reset, rows, RESET_FAMILY);
