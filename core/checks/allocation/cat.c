/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Capacity bit masks (CBM): which values the mask MSRs of a class (CLOS) store and refuse. Their scope:
 * cat_owners.c; their effect on the cache: cat_effect.c. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/domain/alloc_owners.h"
#include "core/platform/script.h"

#define SDM_MASK  "SDM vol. 3B 17.17.3.3 Cache Allocation Technology: Cache Mask Configuration"
#define SDM_CAT   "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture"
#define SDM_LEGAL "SDM vol. 3B 17.17.5.1 Cache Allocation Technology Dynamic Configuration"
#define APM_MASK  "APM vol. 2 19.4 L3 Cache Allocation Enforcement"

/* --- CA-02: windows */

static uint32_t cbm_windows(uint64_t *values, uint32_t n, uint32_t length, uint32_t bits)
{
    for (uint32_t at = 0; at + length <= bits && n < ALLOC_VALUES; at++)
        values[n++] = low_bits(length) << at;
    return n;
}

/* Windows of two bits and of half the bits at every position, and the full mask: each bit is written 0 and 1, and no
 * mask is shorter than E5 v3 (Haswell) accepts. */
static uint32_t window_values(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t bits = w->table->bits, n = cbm_windows(values, 0, bits < 2 ? bits : 2, bits);

    if (bits > 5)
        n = cbm_windows(values, n, bits / 2, bits);
    return bits > 2 ? cbm_windows(values, n, bits, bits) : n;
}

static enum status cbm_contiguous_walk(struct check *c, struct alloc_table *t)
{
    struct alloc_walk w = {
        .table = t, .rule = "a contiguous mask is stored as written", .expect = ALLOC_STORED, .values = window_values
    };

    return alloc_walk(c, &w);
}

/* --- CA-07: one bit */

static uint32_t single_bits(const struct alloc_walk *w, uint64_t *values)
{
    return cbm_windows(values, 0, 1, w->table->bits);
}

static enum status cbm_one_bit_walk(struct check *c, struct alloc_table *t)
{
    struct alloc_walk w = { .table = t,
                            .rule = "a mask of one bit is accepted (E5 v3 asks for two)",
                            .expect = ALLOC_STORED,
                            .soft = true,
                            .first_last = true,
                            .values = single_bits };

    return alloc_walk(c, &w);
}

/* --- CA-03: the empty mask */

static uint32_t no_bit(const struct alloc_walk *, uint64_t *values)
{
    values[0] = 0;
    return 1;
}

/* Whether CPUID leaf 10H says that masks with holes are legal. */
static bool noncontiguous(const struct check *c, const struct alloc_table *t)
{
    return t->scope == ALLOC_L3 ? reference_rdt(c)->l3.noncontiguous : reference_rdt(c)->l2.noncontiguous;
}

/* On Intel an empty mask raises #GP; for parts with non-contiguous masks the SDM does not say it. AMD accepts it. */
static enum status cbm_empty_walk(struct check *c, struct alloc_table *t)
{
    struct alloc_walk w = { .table = t,
                            .rule = reference_is_intel(c) ? "an empty mask raises #GP" : "an empty mask is legal",
                            .expect = reference_is_intel(c) ? ALLOC_REFUSED : ALLOC_STORED,
                            .soft = reference_is_intel(c) && noncontiguous(c, t),
                            .values = no_bit };

    return alloc_walk(c, &w);
}

/* --- CA-04: bits above the length */

static uint32_t bits_beyond(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t n = 0;

    for (uint32_t bit = w->table->bits; bit < 64; bit++)
        values[n++] = BIT(bit);
    return n;
}

static enum status cbm_length_walk(struct check *c, struct alloc_table *t)
{
    struct alloc_walk w = { .table = t,
                            .rule = reference_is_intel(c) ? "a bit above the enumerated CBM length raises #GP"
                                                          : "bits above the enumerated CBM length read as zero",
                            .expect = reference_is_intel(c) ? ALLOC_REFUSED : ALLOC_ZEROED,
                            .first_last = true,
                            .values = bits_beyond };

    return alloc_walk(c, &w);
}

/* --- CA-05: non-contiguous masks */

/* Holes of one bit at both ends and in the middle, and every other bit. */
static uint32_t with_holes(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t bits = w->table->bits;
    uint64_t all = low_bits(bits);

    if (bits < 3)
        return 0;
    values[0] = all & ~BIT(1);
    values[1] = all & ~BIT(bits - 2);
    values[2] = all & ~BIT(bits / 2);
    values[3] = all & UINT64_C(0x5555555555555555);
    values[4] = BIT(0) | BIT(bits - 1);
    return 5;
}

static enum status cbm_holes_walk(struct check *c, struct alloc_table *t)
{
    bool listed = noncontiguous(c, t), legal = listed || !reference_is_intel(c);
    struct alloc_walk w = { .table = t,
                            .rule = !reference_is_intel(c) ? "a non-contiguous mask is legal"
                                    : listed               ? "a non-contiguous mask is accepted, as 10H.n:ECX[3] says"
                                                           : "a non-contiguous mask raises #GP",
                            .expect = legal ? ALLOC_STORED : ALLOC_REFUSED,
                            .values = with_holes };

    return t->bits < 3 ? check_absent(c, "a CBM of %u bits cannot be non-contiguous", t->bits) : alloc_walk(c, &w);
}

/* --- CA-06: the MSR beyond the last class */

/* The address after that of 16 classes is MSR_RMID_SNC_CONFIG: the one after it is tried. */
static uint32_t msr_beyond(const struct alloc_table *t)
{
    uint32_t msr = t->first + t->classes;

    return msr == MSR_RMID_SNC_CONFIG ? msr + 1 : msr;
}

struct msr_beyond {
    struct sweep sweep;
    struct rule rule;
    const struct alloc_table *table;
};

static uint32_t build_msr_beyond(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct alloc_table *t = ((const struct msr_beyond *)s->context)->table;
    uint32_t msr = msr_beyond(t);

    if (!alloc_writes(s->check, cpu, t->scope))
        return 0;
    steps[0] = step_rdmsr(msr);
    steps[1] = step_wrmsr(msr, low_bits(t->bits));
    return 2;
}

static void judge_msr_beyond(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    struct msr_beyond *b = s->context;
    const struct alloc_table *t = b->table;
    uint32_t msr = msr_beyond(t);

    rule_asked(&b->rule, cpu);
    if (s->compared++ == 0 || steps[0].status == ST_OK || steps[1].status == ST_OK)
        evidence_wrmsr(s->check, cpu, msr, steps[1].value, steps[1].status, steps[1].tsc);
    if (steps[0].status == ST_OK || steps[1].status == ST_OK)
        rule_broken(&b->rule, cpu, FINDING_EXPECTED, FOUND_REGISTER_NOT_ENUMERATED,
                    "%s 0x%x (%s_%u) raised no #GP, and leaf 10H enumerates CLOS 0 to %u",
                    steps[0].status == ST_OK ? "RDMSR" : "WRMSR", msr, t->name, msr - t->first, t->classes - 1);
}

static enum status clos_limit_walk(struct check *c, struct alloc_table *t)
{
    struct msr_beyond b = { .table = t };
    bool last = msr_beyond(t) > (t->scope == ALLOC_L3 ? IA32_L3_MASK_LAST : IA32_L2_MASK_LAST);

    if (t->enumerated > t->classes)
        return check_absent(c, "leaf 10H enumerates %u CLOS of %s, and the registers of %u are known", t->enumerated,
                            t->name, t->classes);
    if (last)
        return ST_OK;
    TRY(alloc_record(c, msr_beyond(t)));
    TRY(rule_open(&b.rule, c));
    TRY(sweep_run(&b.sweep, c, 2, build_msr_beyond, judge_msr_beyond, t->name, &b));
    rule_conclude(&b.rule);
    evidence_swept(c, "the mask MSR beyond the last enumerated class", b.sweep.compared);
    return ST_OK;
}

/* --- CD-01: CDP of the L2 */

static uint32_t on_and_off(const struct alloc_walk *, uint64_t *values)
{
    values[0] = IA32_L2_QOS_CFG_CDP_ENABLE;
    values[1] = 0;
    return 2;
}

static enum status l2_cdp_walk(struct check *c)
{
    struct alloc_table t = {
        .name = "IA32_L2_QOS_CFG", .first = IA32_L2_QOS_CFG, .classes = 1, .bits = 1, .scope = ALLOC_L2
    };
    struct alloc_walk stored = {
        .table = &t, .rule = "CDP of the L2 can be enabled and disabled", .expect = ALLOC_STORED, .values = on_and_off
    };
    struct alloc_walk reserved = {
        .table = &t, .rule = "bits other than bit 0 raise #GP", .expect = ALLOC_REFUSED, .values = bits_beyond
    };
    uint64_t own[2];

    (void)on_and_off(&stored, own);
    TRY(alloc_walk(c, &stored));
    TRY(alloc_walk(c, &reserved));
    return alloc_owners_walk(c, &t, own);
}

/* --- checks */

typedef enum status walk_of_rule(struct check *c, struct alloc_table *t);

/* The rule, of the L3's masks; ST_ABSENT where there are none. */
static enum status walk_l3(struct check *c, walk_of_rule *walk)
{
    struct alloc_table t = alloc_l3_masks(c);

    return t.classes > 0 ? walk(c, &t) : check_absent(c, "CPUID.(EAX=10H,ECX=1) cannot be read");
}

static enum status check_windows(struct check *c)
{
    return walk_l3(c, cbm_contiguous_walk);
}

static enum status check_one_bit(struct check *c)
{
    return walk_l3(c, cbm_one_bit_walk);
}

static enum status check_empty_mask(struct check *c)
{
    return walk_l3(c, cbm_empty_walk);
}

static enum status check_mask_length(struct check *c)
{
    return walk_l3(c, cbm_length_walk);
}

static enum status check_holes(struct check *c)
{
    return walk_l3(c, cbm_holes_walk);
}

static enum status check_mask_limit(struct check *c)
{
    if (!reference_is_intel(c))
        return check_absent(c, "the APM does not say what an access to a mask MSR beyond the last class does");
    return walk_l3(c, clos_limit_walk);
}

/* Each rule by itself, whatever the outcome of the others. */
static enum status check_l2_masks(struct check *c)
{
    static walk_of_rule *const rules[] = { cbm_contiguous_walk, cbm_empty_walk, cbm_length_walk, cbm_holes_walk,
                                           clos_limit_walk };
    struct alloc_table t = alloc_l2_masks(c);

    if (t.classes == 0)
        return check_absent(c, "%s", alloc_l2_absent(c));
    for (uint32_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i] != cbm_holes_walk || t.bits >= 3)
            check_conclude(c, rules[i](c, &t));
    if (reference_rdt(c)->l2.cdp)
        check_conclude(c, l2_cdp_walk(c));
    return alloc_owners_walk(c, &t, NULL);
}

static const struct check_row rows[] = {
    { .id = "cat.windows",
      .title = "Every CLOS stores every contiguous CBM",
      .spec = SDM_MASK,
      .covers = "CA-02",
      .means = "a bit of IA32_L3_MASK_n is stuck, or a write reaches another mask",
      .next = "the CLOS, value and processor in the finding; whether every L3 does it; microcode",
      .needs = NEED_RDT_A,
      .rests_on = RESTS_ON_REGISTERS,
      .slow = true,
      .run = check_windows },
    { .id = "cat.one-bit",
      .title = "A CBM of one bit is accepted",
      .spec = SDM_CAT,
      .covers = "CA-07",
      .means = "the part accepts no CBM of one bit; Linux resctrl then uses min_cbm_bits 2",
      .next = "whether the part is an E5 v3 (Haswell), where this is known; `cat.windows`",
      .needs = NEED_RDT_A,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_one_bit },
    { .id = "cat.empty-mask",
      .title = "An empty CBM raises #GP on Intel, is accepted on AMD",
      .spec = SDM_CAT "; " APM_MASK,
      .covers = "CA-03 AM-07",
      .detects = "a CLOS that could be locked out of the L3; Intel's rule applied on AMD",
      .means = "IA32_L3_MASK_n handles the value 0 otherwise than documented",
      .next = "the CLOS, value and processor in the finding; whether every L3 does it; microcode",
      .needs = NEED_RDT_A,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_empty_mask },
    { .id = "cat.mask-length",
      .title = "No CBM bit above the enumerated length is stored",
      .spec = SDM_LEGAL "; " APM_MASK,
      .covers = "CA-04",
      .means = "IA32_L3_MASK_n stores or drops bits above its length without the documented #GP",
      .next = "10H.1:EAX[4:0] (length less one) in the evidence; `cat.windows`; `enum.masks`",
      .needs = NEED_RDT_A,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_mask_length },
    { .id = "cat.holes",
      .title = "A non-contiguous CBM is accepted exactly where enumerated",
      .spec = "SDM vol. 2A CPUID, leaf 10H, sub-leaf 1: ECX[3]; " APM_MASK,
      .covers = "CA-05 AM-07",
      .means = "non-contiguous masks and 10H.1:ECX[3] disagree",
      .next = "10H.1:ECX[3] in the evidence; value and processor in the finding; microcode",
      .needs = NEED_RDT_A,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_holes },
    { .id = "cat.class-limit",
      .title = "Mask MSRs beyond the last CLOS raise #GP",
      .spec = SDM_LEGAL,
      .covers = "CA-06",
      .means = "an MSR beyond the last enumerated CLOS answers",
      .next = "10H.1:EDX (highest CLOS) in the evidence; whether firmware limits the number of CLOS; `enum.classes`",
      .needs = NEED_RDT_A,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_mask_limit },
    { .id = "l2.masks",
      .title = "L2 masks and CDP follow the rules of the L3, one set per L2",
      .spec = SDM_MASK "; SDM vol. 2A CPUID, leaf 10H, sub-leaf 2",
      .covers = "L2-01 CD-01",
      .detects = "a stuck, over-long, empty or non-contiguous L2 mask accepted; masks or CDP of another core",
      .means = "IA32_L2_MASK_n or IA32_L2_QOS_CFG stores or refuses a value otherwise than documented",
      .next = "the value and the processor in the finding; whether every L2 does it",
      .needs = NEED_L2_CAT,
      .rests_on = RESTS_ON_MASKS,
      .order = 331,
      .run = check_l2_masks },
};
CHECK_FAMILY(cat, rows, .risk = RISK_MSR, .order = 330);
