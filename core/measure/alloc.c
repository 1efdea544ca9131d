/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/alloc.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/platform/ledger.h"
#include "core/machine/register_name.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define MASKS_L3 (IA32_L3_MASK_LAST - IA32_L3_MASK(0) + 1)
/* Intel's MSR_RMID_SNC_CONFIG stands where mask 16 would: no part has both, and a leaf 10H that claims so must not make
 * anybody write it. */
#define MASKS_L3_INTEL (MSR_RMID_SNC_CONFIG - IA32_L3_MASK(0))
#define MASKS_L2       (IA32_L2_MASK_LAST - IA32_L2_MASK(0) + 1)
#define THROTTLES      128u
#define MODEL_SKX      0x55u

/* --- tables ------------------------------------------------------------------------------------------------------- */

static uint32_t at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

struct alloc_table alloc_l3_masks(const struct check *c)
{
    const struct rdt_cat *cat = &reference_rdt(c)->l3;

    return (struct alloc_table){ .name = "IA32_L3_MASK",
                                 .first = IA32_L3_MASK(0),
                                 .classes =
                                     cat->known ? at_most(cat->clos, is_intel(c) ? MASKS_L3_INTEL : MASKS_L3) : 0,
                                 .bits = cat->cbm_len,
                                 .shareable = cat->shareable,
                                 .scope = ALLOC_L3 };
}

struct alloc_table alloc_l2_masks(const struct check *c)
{
    const struct rdt_cat *cat = &reference_rdt(c)->l2;

    return (struct alloc_table){ .name = "IA32_L2_MASK",
                                 .first = IA32_L2_MASK(0),
                                 .classes = cat->known ? at_most(cat->clos, MASKS_L2) : 0,
                                 .bits = cat->cbm_len,
                                 .shareable = cat->shareable,
                                 .scope = ALLOC_L2 };
}

struct alloc_table alloc_throttles(const struct check *c)
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;

    return (struct alloc_table){ .name = "IA32_L2_QoS_Ext_BW_Thrtl",
                                 .first = IA32_L2_QoS_Ext_BW_Thrtl(0),
                                 .classes = mba->known ? at_most(mba->clos, THROTTLES) : 0,
                                 .bits = bits_for(mba->max_delay),
                                 .scope = ALLOC_L3 };
}

struct alloc_table alloc_amd_bandwidth(const struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    bool there = rdt->qosx_known && (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_L3MBE);

    return (struct alloc_table){ .name = "L3QOS_BW_CONTROL",
                                 .first = L3QOS_BW_CONTROL(0),
                                 .classes = there ? at_most(rdt->qosx_bw_clos, THROTTLES) : 0,
                                 .bits = rdt->qosx_bw_len + 1,
                                 .scope = ALLOC_L3 };
}

/* --- who shares --------------------------------------------------------------------------------------------------- */

/* Ids that share an L2: leaf 4. Processors without one share nothing. */
static uint32_t l2_shift(const struct check *c)
{
    for (uint32_t i = 0; i < c->machine->n_caches; i++)
        if (c->machine->caches[i].level == 2 && c->machine->caches[i].sharing_ids > 1)
            return bits_for(c->machine->caches[i].sharing_ids - 1);
    return 0;
}

bool alloc_same(const struct check *c, uint32_t a, uint32_t b, enum alloc_scope scope)
{
    const struct cpu *x = &c->machine->cpus[a], *y = &c->machine->cpus[b];

    if (a == b)
        return true;
    if (scope == ALLOC_CPU)
        return false;
    if (scope == ALLOC_L2)
        return x->place.apic_id >> l2_shift(c) == y->place.apic_id >> l2_shift(c);
    return x->domain == NO_DOMAIN || y->domain == NO_DOMAIN ? x->package == y->package : x->domain == y->domain;
}

uint32_t alloc_exclusive_run(const struct alloc_table *t, uint32_t *first)
{
    uint32_t run = 0, best = 0;

    for (uint32_t bit = 0; bit < t->bits; bit++) {
        run = t->shareable & BIT(bit) ? 0 : run + 1;
        if (run > best) {
            best = run;
            *first = bit + 1 - run;
        }
    }
    return best;
}

/* Processors ascend by APIC id, so those that share a cache stand next to each other. */
bool alloc_writes(const struct check *c, uint32_t cpu, enum alloc_scope scope)
{
    if (!cpu_takes_work(c->platform, cpu))
        return false;
    for (uint32_t i = cpu; i-- > 0 && alloc_same(c, i, cpu, scope);)
        if (cpu_takes_work(c->platform, i))
            return false;
    return true;
}

/* --- found, written, put back ------------------------------------------------------------------------------------- */

enum status alloc_record(struct check *c, uint32_t msr)
{
    enum status st = ledger_touch_msr(c->platform, msr, LEDGER_CONTROL);

    return st == ST_OK ? ST_OK : unmeasured(c, st, c->platform->bsp, register_name(msr));
}

bool alloc_touch(struct check *c, uint32_t msr)
{
    enum status st = alloc_record(c, msr);

    check_conclude(c, st);
    return st == ST_OK;
}

bool alloc_touch_table(struct check *c, const struct alloc_table *t)
{
    for (uint32_t n = 0; n < t->classes; n++)
        if (!alloc_touch(c, t->first + n))
            return false;
    return true;
}

uint64_t alloc_found(const struct check *c, uint32_t cpu, uint32_t msr)
{
    uint64_t found = 0;

    return ledger_found_msr(c->platform->ledger, cpu, msr, &found) == ST_OK ? found : 0;
}

/* A mask that is not taken raises #GP, or leaves what stood there, which may be wider. */
static bool takes(struct check *c, uint32_t cpu, uint32_t msr, uint64_t mask)
{
    uint64_t got = 0;

    return msr_write(c->platform, cpu, msr, mask) == ST_OK && msr_read(c->platform, cpu, msr, &got) == ST_OK &&
           got == mask;
}

uint32_t alloc_least_bits(struct check *c, const struct alloc_table *t, uint32_t cpu, uint32_t first)
{
    uint32_t msr = t->first + 1, bits;

    if (t->classes < 2 || t->bits < first + 2 || !alloc_touch(c, msr))
        return 1;
    bits = !takes(c, cpu, msr, BIT(first)) && takes(c, cpu, msr, low_bits(2) << first) ? 2 : 1;
    if (msr_write(c->platform, cpu, msr, alloc_found(c, cpu, msr)) != ST_OK)
        note(c, "cpu %u: what stood in MSR 0x%x does not go back", cpu, msr);
    return bits;
}

struct one_register {
    struct sweep sweep;
    const struct alloc_table *table; /* NULL: what was found, on every processor */
    uint32_t msr;
    uint64_t value;
    bool refused;
};

static uint32_t build_one(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct one_register *o = s->context;
    uint64_t value = o->value;

    if (o->table && !alloc_writes(s->check, cpu, o->table->scope))
        return 0;
    if (!o->table && ledger_found_msr(s->check->platform->ledger, cpu, o->msr, &value) != ST_OK)
        return 0;
    steps[0] = step_wrmsr(o->msr, value);
    return 1;
}

void alloc_refused(struct check *c, uint32_t cpu, const struct step *write)
{
    (c->machine->hypervisor ? warn : fail)(c, "cpu %u: WRMSR 0x%x <- 0x%llx raised %s: the value is legal%s", cpu,
                                           write->reg, (unsigned long long)write->value, status_text(write->status),
                                           c->machine->hypervisor ? ", and a hypervisor answers for the hardware" : "");
}

static void judge_one(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct one_register *o = s->context;

    (void)n;
    if (steps[0].status == ST_OK)
        return;
    evidence_wrmsr(s->check, cpu, o->msr, steps[0].value, steps[0].status, steps[0].tsc);
    alloc_refused(s->check, cpu, &steps[0]);
    o->refused = true;
}

static bool run_one(struct check *c, struct one_register *o)
{
    o->sweep = (struct sweep){
        .check = c, .max_steps = 1, .build = build_one, .judge = judge_one, .what = register_name(o->msr), .context = o
    };
    if (sweep_processors(&o->sweep) == ST_OK)
        return !o->refused && o->sweep.n_cpus > 0;
    cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, register_name(o->msr));
    return false;
}

bool alloc_put_back(struct check *c, uint32_t msr)
{
    struct one_register o = { .msr = msr };

    return run_one(c, &o);
}

void alloc_put_back_table(struct check *c, const struct alloc_table *t)
{
    for (uint32_t n = 0; n < t->classes; n++)
        if (!alloc_put_back(c, t->first + n))
            return;
}

bool alloc_write(struct check *c, const struct alloc_table *t, uint32_t class, uint64_t value)
{
    struct one_register o = { .table = t, .msr = t->first + class, .value = value };

    return run_one(c, &o);
}

/* --- walks -------------------------------------------------------------------------------------------------------- */

static bool is_skylake(const struct check *c)
{
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;

    return id->vendor == VENDOR_INTEL && id->family == 6 && id->model == MODEL_SKX;
}

static uint32_t build_walk(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct alloc_walk *w = s->context;
    const struct alloc_table *t = w->table;
    uint64_t values[ALLOC_VALUES];
    uint32_t n_values = w->values(w, values), n = 0;

    if (!alloc_writes(s->check, cpu, t->scope))
        return 0;
    for (uint32_t class = 0; class < t->classes; class ++) {
        uint32_t msr = t->first + class;

        if (w->first_last && class != 0 && class + 1 != t->classes)
            continue;
        for (uint32_t i = 0; i < n_values; i++) {
            steps[n++] = step_wrmsr(msr, values[i]);
            steps[n++] = step_rdmsr(msr);
        }
        steps[n++] = step_wrmsr(msr, alloc_found(s->check, cpu, msr));
    }
    return n;
}

static void deviates(struct alloc_walk *w, uint32_t cpu, const struct step *write, const struct step *read)
{
    struct check *c = w->sweep.check;
    char what[200];
    uint32_t class = write->reg - w->table->first;

    if (w->expect == ALLOC_REFUSED && write->status == ST_OK)
        text_format(what, sizeof what, "cpu %u: WRMSR %s_%u <- 0x%llx raised no #GP (it then reads 0x%llx)", cpu,
                    w->table->name, class, (unsigned long long)write->value, (unsigned long long)read->value);
    else if (w->expect == ALLOC_REFUSED)
        text_format(what, sizeof what, "cpu %u: a refused WRMSR changed %s_%u to 0x%llx", cpu, w->table->name, class,
                    (unsigned long long)read->value);
    else if (write->status != ST_OK)
        text_format(what, sizeof what, "cpu %u: WRMSR %s_%u <- 0x%llx raised %s", cpu, w->table->name, class,
                    (unsigned long long)write->value, status_text(write->status));
    else
        text_format(what, sizeof what, "cpu %u: %s_%u was written 0x%llx and reads 0x%llx", cpu, w->table->name, class,
                    (unsigned long long)write->value, (unsigned long long)read->value);
    if (w->soft)
        warn(c, "%s: %s", what, w->rule);
    else
        fail(c, "%s: %s", what, w->rule);
}

/* Skylake-SP keeps the shareable bits of a mask together: 400H is stored as 600H (intel-cmt-cat issue 135). */
static bool moved_as_group(struct alloc_walk *w, uint64_t written, uint64_t got)
{
    uint64_t shareable = w->table->shareable;

    if (!(written & shareable) || got != (written | shareable))
        return false;
    if (is_skylake(w->sweep.check))
        note(w->sweep.check, "%s <- 0x%llx is stored as 0x%llx: the shareable bits 0x%llx move together",
             w->table->name, (unsigned long long)written, (unsigned long long)got, (unsigned long long)shareable);
    else
        warn(w->sweep.check, "%s <- 0x%llx is stored as 0x%llx: the shareable bits 0x%llx move together",
             w->table->name, (unsigned long long)written, (unsigned long long)got, (unsigned long long)shareable);
    return true;
}

static bool as_expected(struct alloc_walk *w, uint32_t cpu, const struct step *write, const struct step *read)
{
    if (read->status != ST_OK)
        return false;
    if (w->expect == ALLOC_REFUSED)
        return write->status == ST_FAULT && read->value == alloc_found(w->sweep.check, cpu, write->reg);
    if (write->status != ST_OK)
        return false;
    if (w->expect == ALLOC_ZEROED)
        return read->value == 0;
    return read->value == write->value || (w->equals && w->equals(w, write->value, read->value)) ||
           moved_as_group(w, write->value, read->value);
}

static void judge_walk(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct alloc_walk *w = s->context;
    bool deviated = false;

    for (uint32_t i = 0; i + 1 < n; i++) {
        const struct step *write = &steps[i], *read = &steps[i + 1];
        bool good;

        if (read->op != STEP_RDMSR)
            continue; /* what was found goes back */
        s->compared++;
        good = as_expected(w, cpu, write, read);
        if (!w->shown || (!good && !deviated)) {
            evidence_wrmsr(s->check, cpu, write->reg, write->value, write->status, write->tsc);
            evidence_msr(s->check, cpu, read->reg, read->value, read->tsc);
        }
        if (!good && !deviated) {
            deviated = true; /* the first of each set */
            w->deviated++;
            deviates(w, cpu, write, read);
        }
    }
    w->shown = true;
}

void alloc_walk(struct check *c, struct alloc_walk *w)
{
    const struct alloc_table *t = w->table;
    uint64_t values[ALLOC_VALUES];

    if (!alloc_touch_table(c, t))
        return;
    w->sweep.check = c;
    w->sweep = (struct sweep){ .check = c,
                               .max_steps = t->classes * (2 * w->values(w, values) + 1),
                               .build = build_walk,
                               .judge = judge_walk,
                               .what = t->name,
                               .context = w };
    if (sweep_processors(&w->sweep) != ST_OK)
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, t->name);
    else
        evidence_swept(c, w->rule, w->sweep.compared);
}
