/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/allocation/cat_owners.h"

#include "core/base/bits.h"
#include "core/platform/script.h"

#define SDM_MASK "SDM vol. 3B 17.17.3.3 Cache Allocation Technology: Cache Mask Configuration"

struct owner_walk {
    struct sweep sweep;
    const struct alloc_table *t;
    bool write, last; /* last: through the last processor of each set, not the first */
    bool shown;
};

/* A window of two bits, a different one for each class and each neighbouring set. */
static uint64_t mask_of_set(const struct check *c, const struct alloc_table *t, uint32_t cpu, uint32_t class, bool last)
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
        steps[class] = o->write ? step_wrmsr(o->t->first + class, mask_of_set(s->check, o->t, cpu, class, o->last))
                                : step_rdmsr(o->t->first + class);
    return o->t->classes;
}

/* Whether the write was accepted, else a finding. */
static bool judge_owner_write(struct sweep *s, uint32_t cpu, uint32_t class, const struct step *write)
{
    const struct owner_walk *o = s->context;

    if (write->status != ST_OK)
        finding(s->check, FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu), "WRMSR %s_%u <- 0x%lx raised %s",
                o->t->name, class, write->value, status_text(write->status));
    return write->status == ST_OK;
}

/* Whether the mask read is that of the processor's own set, else a finding. */
static bool judge_owner_read(struct sweep *s, uint32_t cpu, uint32_t class, const struct step *read)
{
    const struct owner_walk *o = s->context;
    uint64_t wanted = mask_of_set(s->check, o->t, cpu, class, o->last), shareable = o->t->shareable;
    bool right = read->status == ST_OK &&
                 (read->value == wanted || ((wanted & shareable) && read->value == (wanted | shareable)));

    s->compared++;
    if (!right || !o->shown)
        evidence_msr(s->check, cpu, read->reg, read->value, read->tsc);
    if (!right)
        finding(s->check, FINDING_EXPECTED, 0, FOUND_READS_DIFFER, place_cpu(cpu),
                "%s_%u reads 0x%lx; 0x%lx was written through the %s processor of its L%u, and other masks on every "
                "other L%u",
                o->t->name, class, read->value, wanted, o->last ? "last" : "first", o->t->scope == ALLOC_L3 ? 3 : 2,
                o->t->scope == ALLOC_L3 ? 3 : 2);
    return right;
}

static void judge_owner(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct owner_walk *o = s->context;
    bool right = true;

    for (uint32_t class = 0; class < n && right; class ++)
        right =
            o->write ? judge_owner_write(s, cpu, class, &steps[class]) : judge_owner_read(s, cpu, class, &steps[class]);
    o->shown |= !o->write;
}

static enum status owner_phase(struct check *c, struct owner_walk *o)
{
    TRY(sweep_run(&o->sweep, c, o->t->classes, build_owner, judge_owner, o->t->name, o));
    if (!o->write)
        evidence_swept(c, "masks read on every processor after each cache was given masks of its own",
                       o->sweep.compared);
    return ST_OK;
}

enum status cat_owners_walk(struct check *c, const struct alloc_table *t)
{
    struct owner_walk o = { .t = t };
    enum status st = alloc_record_table(c, t);

    if (st != ST_OK)
        return st;
    for (uint32_t phase = 0; phase < 4 && st == ST_OK; phase++) {
        o.last = phase >= 2;
        o.write = phase % 2 == 0;
        st = owner_phase(c, &o);
    }
    return status_first(st, alloc_put_back_table(c, t));
}

static enum status check_cat_owners(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return check_absent(c, "CPUID.(EAX=10H,ECX=1) cannot be read");
    return cat_owners_walk(c, &t);
}

static const struct check_row rows[] = {
    { .id = "cat.owners",
      .title = "L3 masks are shared by the processors of one L3, and no others",
      .spec = SDM_MASK,
      .covers = "XC-02 XC-03",
      .detects = "mask MSRs private to a core, mask writes that reach another L3",
      .means = "IA32_L3_MASK_n has another scope than the L3 that CPUID leaf 4 enumerates",
      .next = "leaf 4's sharing field (EAX[25:14]); `cross.sharing`; whether every package does it",
      .run = check_cat_owners },
};
CHECK_FAMILY(cat_owners, rows, .needs = NEED_RDT_A | NEED_2_CPUS, .risk = RISK_MSR, .rests_on = RESTS_ON_REGISTERS,
             .order = 330);
