/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Capacity masks: what they store and refuse, and whose they are. What they do to the cache: cat_effect.c. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/base/heap.h"
#include "core/platform/script.h"

#define SDM_MASK  "SDM vol. 3B 17.17.3.3 Cache Allocation Technology: Cache Mask Configuration"
#define SDM_CAT   "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture"
#define SDM_LEGAL "SDM vol. 3B 17.17.5.1 Cache Allocation Technology Dynamic Configuration"
#define APM_MASK  "APM vol. 2 19.4 L3 Cache Allocation Enforcement"

/* --- CA-02: windows */

static uint32_t windows(uint64_t *values, uint32_t n, uint32_t length, uint32_t bits)
{
    for (uint32_t at = 0; at + length <= bits && n < ALLOC_VALUES; at++)
        values[n++] = low_bits(length) << at;
    return n;
}

/* Two bits at every place, half of them at every place, and all: each bit is written 0 and 1, and no mask is shorter
 * than Haswell takes it. */
static uint32_t window_values(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t bits = w->table->bits, n = windows(values, 0, bits < 2 ? bits : 2, bits);

    if (bits > 5)
        n = windows(values, n, bits / 2, bits);
    return bits > 2 ? windows(values, n, bits, bits) : n;
}

static void stores_windows(struct check *c, const struct alloc_table *t)
{
    struct alloc_walk w = {
        .table = t, .rule = "a contiguous mask is stored as written", .expect = ALLOC_STORED, .values = window_values
    };

    alloc_walk(c, &w);
}

/* --- CA-07: one bit */

static uint32_t single_bits(const struct alloc_walk *w, uint64_t *values)
{
    return windows(values, 0, 1, w->table->bits);
}

static void takes_one_bit(struct check *c, const struct alloc_table *t)
{
    struct alloc_walk w = { .table = t,
                            .rule = "a mask of one bit is accepted, as on every part but E5 v3",
                            .expect = ALLOC_STORED,
                            .soft = true,
                            .first_last = true,
                            .values = single_bits };

    alloc_walk(c, &w);
}

/* --- CA-03: nothing */

static uint32_t no_bit(const struct alloc_walk *w, uint64_t *values)
{
    (void)w;
    values[0] = 0;
    return 1;
}

/* Intel refuses an empty mask; whether parts that take holes do so too is not said. AMD takes it. */
static void empty_mask(struct check *c, const struct alloc_table *t, bool noncontiguous)
{
    struct alloc_walk w = { .table = t,
                            .rule = is_intel(c) ? "an empty mask raises #GP" : "an empty mask is legal",
                            .expect = is_intel(c) ? ALLOC_REFUSED : ALLOC_STORED,
                            .soft = is_intel(c) && noncontiguous,
                            .values = no_bit };

    alloc_walk(c, &w);
}

/* --- CA-04: too long */

static uint32_t bits_beyond(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t n = 0;

    for (uint32_t bit = w->table->bits; bit < 64; bit++)
        values[n++] = BIT(bit);
    return n;
}

static void too_long(struct check *c, const struct alloc_table *t)
{
    struct alloc_walk w = { .table = t,
                            .rule = is_intel(c) ? "a bit above the mask's length raises #GP"
                                                : "bits above the mask's length read as zero",
                            .expect = is_intel(c) ? ALLOC_REFUSED : ALLOC_ZEROED,
                            .first_last = true,
                            .values = bits_beyond };

    alloc_walk(c, &w);
}

/* --- CA-05: holes */

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

static void holes(struct check *c, const struct alloc_table *t, bool noncontiguous)
{
    bool legal = noncontiguous || !is_intel(c);
    struct alloc_walk w = { .table = t,
                            .rule = !is_intel(c)    ? "a mask with a hole is legal"
                                    : noncontiguous ? "a mask with a hole is accepted, as leaf 10H says"
                                                    : "a mask with a hole raises #GP",
                            .expect = legal ? ALLOC_STORED : ALLOC_REFUSED,
                            .values = with_holes };

    alloc_walk(c, &w);
}

/* --- CA-06: one class more */

/* Where 16 classes end, the next address is MSR_RMID_SNC_CONFIG's: the one behind it is tried. */
static uint32_t beyond(const struct alloc_table *t)
{
    uint32_t msr = t->first + t->classes;

    return msr == MSR_RMID_SNC_CONFIG ? msr + 1 : msr;
}

static uint32_t build_beyond(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct alloc_table *t = s->context;
    uint32_t msr = beyond(t);

    if (!alloc_writes(s->check, cpu, t->scope))
        return 0;
    steps[0] = step_rdmsr(msr);
    steps[1] = step_wrmsr(msr, low_bits(t->bits));
    return 2;
}

static void judge_beyond(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    const struct alloc_table *t = s->context;
    uint32_t msr = beyond(t);

    (void)n;
    if (s->compared++ == 0 || steps[0].status == ST_OK || steps[1].status == ST_OK)
        evidence_wrmsr(s->check, cpu, msr, steps[1].value, steps[1].status, steps[1].tsc);
    if (steps[0].status == ST_OK)
        fail(s->check, "cpu %u: RDMSR 0x%x raised no #GP (0x%llx): it is %s_%u, and leaf 10H has classes to %u", cpu,
             msr, (unsigned long long)steps[0].value, t->name, msr - t->first, t->classes - 1);
    else if (steps[1].status == ST_OK)
        fail(s->check, "cpu %u: WRMSR 0x%x raised no #GP: it is %s_%u, and leaf 10H has classes to %u", cpu, msr,
             t->name, msr - t->first, t->classes - 1);
}

static void class_limit(struct check *c, struct alloc_table *t)
{
    struct sweep s = {
        .check = c, .max_steps = 2, .build = build_beyond, .judge = judge_beyond, .what = t->name, .context = t
    };
    bool last = t->scope == ALLOC_L3 ? beyond(t) > IA32_L3_MASK_LAST : beyond(t) > IA32_L2_MASK_LAST;

    if (last || !alloc_touch(c, beyond(t)))
        return;
    if (sweep_processors(&s) != ST_OK)
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, t->name);
    else
        evidence_swept(c, "the mask of one class more than enumerated", s.compared);
}

/* --- XC-02, XC-03: whose masks they are */

struct owner_walk {
    struct sweep sweep;
    const struct alloc_table *t;
    bool write, last; /* through the last processor of each set, not the first */
    bool shown;
};

/* A window of two bits that is another one for each class and each neighbouring set. */
static uint64_t own_mask(const struct check *c, const struct alloc_table *t, uint32_t cpu, uint32_t class, bool last)
{
    const struct cpu *x = &c->machine->cpus[cpu];
    uint32_t set = t->scope == ALLOC_L3 ? x->domain == NO_DOMAIN ? x->package : x->domain : x->place.core;

    return t->bits < 2 ? low_bits(t->bits) : UINT64_C(3) << (set + class + last) % (t->bits - 1);
}

static bool last_of_set(const struct check *c, uint32_t cpu, enum alloc_scope scope)
{
    for (uint32_t i = cpu + 1; i < c->machine->n_cpus && alloc_same(c, i, cpu, scope); i++)
        if (cpu_takes_work(c->platform, i))
            return false;
    return cpu_takes_work(c->platform, cpu);
}

static uint32_t build_owner(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct owner_walk *o = s->context;
    bool writes = o->last ? last_of_set(s->check, cpu, o->t->scope) : alloc_writes(s->check, cpu, o->t->scope);

    if (o->write && !writes)
        return 0;
    for (uint32_t class = 0; class < o->t->classes; class ++)
        steps[class] = o->write ? step_wrmsr(o->t->first + class, own_mask(s->check, o->t, cpu, class, o->last))
                                : step_rdmsr(o->t->first + class);
    return o->t->classes;
}

static void judge_owner(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct owner_walk *o = s->context;
    uint32_t shareable = o->t->shareable;
    bool wrong = false;

    for (uint32_t class = 0; class < n && !wrong; class ++) {
        uint64_t wanted = own_mask(s->check, o->t, cpu, class, o->last);

        if (o->write) {
            wrong = steps[class].status != ST_OK;
            if (wrong)
                fail(s->check, "cpu %u: WRMSR %s_%u <- 0x%llx raised %s", cpu, o->t->name, class,
                     (unsigned long long)steps[class].value, status_text(steps[class].status));
            continue;
        }
        s->compared++;
        wrong = steps[class].status != ST_OK ||
                (steps[class].value != wanted && !((wanted & shareable) && steps[class].value == (wanted | shareable)));
        if (wrong || !o->shown)
            evidence_msr(s->check, cpu, steps[class].reg, steps[class].value, steps[class].tsc);
        if (wrong)
            fail(s->check,
                 "cpu %u: %s_%u reads 0x%llx; its own L%u was given 0x%llx through its %s processor, each other one a "
                 "mask of its own",
                 cpu, o->t->name, class, (unsigned long long)steps[class].value, o->t->scope == ALLOC_L3 ? 3 : 2,
                 (unsigned long long)wanted, o->last ? "last" : "first");
    }
    o->shown |= !o->write;
}

static void owners(struct check *c, const struct alloc_table *t)
{
    struct owner_walk o = { .t = t };

    if (!alloc_touch_table(c, t))
        return;
    for (uint32_t phase = 0; phase < 4; phase++) {
        o.last = phase >= 2;
        o.write = phase % 2 == 0;
        o.sweep = (struct sweep){ .check = c,
                                  .max_steps = t->classes,
                                  .build = build_owner,
                                  .judge = judge_owner,
                                  .what = t->name,
                                  .context = &o };
        if (sweep_processors(&o.sweep) != ST_OK) {
            cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, t->name);
            break;
        }
        if (!o.write)
            evidence_swept(c, "masks read on every processor after each cache was given others", o.sweep.compared);
    }
    alloc_put_back_table(c, t);
}

/* --- checks */

static enum verdict unreadable(struct check *c, uint32_t subleaf)
{
    return skip(c, "CPUID.(0x10,%u) cannot be read", subleaf);
}

static enum verdict check_windows(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return unreadable(c, 1);
    stores_windows(c, &t);
    return check_verdict(c);
}

static enum verdict check_one_bit(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return unreadable(c, 1);
    takes_one_bit(c, &t);
    return check_verdict(c);
}

static enum verdict check_empty(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return unreadable(c, 1);
    empty_mask(c, &t, reference_rdt(c)->l3.noncontiguous);
    return check_verdict(c);
}

static enum verdict check_too_long(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return unreadable(c, 1);
    too_long(c, &t);
    return check_verdict(c);
}

static enum verdict check_holes(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return unreadable(c, 1);
    if (t.bits < 3)
        return skip(c, "a mask of %u bits has no room for a hole", t.bits);
    holes(c, &t, reference_rdt(c)->l3.noncontiguous);
    return check_verdict(c);
}

static enum verdict check_class_limit(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return unreadable(c, 1);
    if (!is_intel(c))
        return skip(c, "AMD's manual does not say what a mask beyond the last answers");
    class_limit(c, &t);
    return check_verdict(c);
}

static enum verdict check_owners(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return unreadable(c, 1);
    owners(c, &t);
    return check_verdict(c);
}

static enum verdict check_l2_masks(struct check *c)
{
    struct alloc_table t = alloc_l2_masks(c);
    bool noncontiguous = reference_rdt(c)->l2.noncontiguous;

    if (t.classes == 0)
        return unreadable(c, 2);
    stores_windows(c, &t);
    empty_mask(c, &t, noncontiguous);
    too_long(c, &t);
    if (t.bits >= 3)
        holes(c, &t, noncontiguous);
    class_limit(c, &t);
    owners(c, &t);
    return check_verdict(c);
}

#define MEANS_USUAL "masks are stored, refused or obeyed otherwise than documented"
#define NEXT_USUAL  "`cat.windows` and `cat.owners`, which need no traffic; then the class in the finding"

static const struct check_row rows[] = {
    { .id = "cat.windows",
      .title = "Every class stores every contiguous mask",
      .spec = SDM_MASK,
      .rows = "CA-02",
      .detects = "a stuck mask bit",
      .means = "a bit of a mask register is stuck",
      .next = "class and value in the finding; whether every L3 does it",
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 330,
      .slow = true,
      .run = check_windows },
    { .id = "cat.one-bit",
      .title = "A mask of one bit is accepted",
      .spec = SDM_CAT,
      .rows = "CA-07",
      .detects = "a part that asks for more bits than documented",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 330,
      .run = check_one_bit },
    { .id = "cat.empty-mask",
      .title = "An empty mask is refused, on AMD accepted",
      .spec = SDM_CAT "; " APM_MASK,
      .rows = "CA-03 AM-07",
      .detects = "a class that could be locked out of the cache; Intel's rule applied on AMD",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 330,
      .run = check_empty },
    { .id = "cat.mask-length",
      .title = "No mask holds a bit above its enumerated length",
      .spec = SDM_LEGAL "; " APM_MASK,
      .rows = "CA-04",
      .detects = "an over-long mask accepted",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 330,
      .run = check_too_long },
    { .id = "cat.holes",
      .title = "A mask with a hole is accepted if and only if that is enumerated",
      .spec = "SDM vol. 2A CPUID, leaf 10H, sub-leaf 1: ECX[3]; " APM_MASK,
      .rows = "CA-05 AM-07",
      .detects = "a capability that is claimed and not there, or there and not claimed",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 330,
      .run = check_holes },
    { .id = "cat.class-limit",
      .title = "There is no mask beyond the last class",
      .spec = SDM_LEGAL,
      .rows = "CA-06",
      .detects = "a class that is another one's alias",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 330,
      .run = check_class_limit },
    { .id = "cat.owners",
      .title = "One set of masks serves the processors of an L3 and no others",
      .spec = SDM_MASK,
      .rows = "XC-02 XC-03",
      .detects = "masks of a core's own, masks that reach another L3",
      .means = "a mask is not where CPUID says it is",
      .next = "leaf 4's sharing field; `cross.sharing`",
      .needs = NEED_RDT_A | NEED_2_CPUS,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 330,
      .run = check_owners },
    { .id = "l2.masks",
      .title = "L2 masks follow the rules of L3 masks, one set an L2",
      .spec = SDM_MASK "; leaf 10H, sub-leaf 2",
      .rows = "L2-01",
      .detects = "a stuck, over-long, empty or broken L2 mask; masks of another core",
      .means = "masks of the L2 are stored or refused otherwise than documented",
      .next = "the value and the processor in the finding; whether every L2 does it",
      .needs = NEED_L2_CAT,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_MASKS,
      .order = 330,
      .run = check_l2_masks },
};
CHECK_FAMILY(cat, rows);
