/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/alloc.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/domain/cluster.h"
#include "core/platform/ledger.h"
#include "core/machine/register_name.h"
#include "core/platform/script.h"

#define MASKS_L3 (IA32_L3_MASK_LAST - IA32_L3_MASK(0) + 1)
/* Intel's MSR_RMID_SNC_CONFIG (CA0H) has the address of L3 mask 16. No part has both, and a leaf 10H that claims so
 * must not cause a write to it. */
#define MASKS_L3_INTEL (MSR_RMID_SNC_CONFIG - IA32_L3_MASK(0))
#define MASKS_L2       (IA32_L2_MASK_LAST - IA32_L2_MASK(0) + 1)
#define THROTTLES      128u
#define MODEL_SKX      0x55u

/* --- tables ------------------------------------------------------------------------------------------------------- */

static uint32_t classes_at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

static uint32_t reserved_ways(const struct check *c)
{
    uint32_t ways = 0;

    for (uint32_t i = 0; i < c->machine->n_domains; i++)
        ways |= c->machine->domains[i].l3_reserved_ways;
    return ways;
}

struct alloc_table alloc_l3_masks(const struct check *c)
{
    const struct rdt_cat *cat = &reference_rdt(c)->l3;

    return (struct alloc_table){
        .name = "IA32_L3_MASK",
        .first = IA32_L3_MASK(0),
        .enumerated = cat->known ? cat->clos : 0,
        .classes = cat->known ? classes_at_most(cat->clos, reference_is_intel(c) ? MASKS_L3_INTEL : MASKS_L3) : 0,
        .bits = cat->cbm_len,
        .shareable = cat->shareable,
        .reserved = reserved_ways(c),
        .scope = ALLOC_L3
    };
}

/* Core types of a hybrid part have L2s of their own, with their sharing and length of masks; one is described here. */
struct alloc_table alloc_l2_masks(const struct check *c)
{
    const struct rdt_cat *cat = &reference_rdt(c)->l2;

    return (struct alloc_table){ .name = "IA32_L2_MASK",
                                 .first = IA32_L2_MASK(0),
                                 .enumerated = cat->known ? cat->clos : 0,
                                 .classes =
                                     cat->known && !reference_is_hybrid(c) ? classes_at_most(cat->clos, MASKS_L2) : 0,
                                 .bits = cat->cbm_len,
                                 .shareable = cat->shareable,
                                 .scope = ALLOC_L2 };
}

const char *alloc_l2_absent(const struct check *c)
{
    return alloc_l2_masks(c).enumerated ? "masks of the L2 differ by core type (hybrid part)"
                                        : "CPUID.(EAX=10H,ECX=2) cannot be read";
}

struct alloc_table alloc_throttles(const struct check *c)
{
    const struct rdt_mba *mba = &reference_rdt(c)->mba;

    return (struct alloc_table){ .name = "IA32_L2_QoS_Ext_BW_Thrtl",
                                 .first = IA32_L2_QoS_Ext_BW_Thrtl(0),
                                 .enumerated = mba->known ? mba->clos : 0,
                                 .classes = mba->known ? classes_at_most(mba->clos, THROTTLES) : 0,
                                 .bits = bits_for(mba->max_delay),
                                 .rounded = true,
                                 .scope = ALLOC_L3 };
}

static struct alloc_table bandwidth_table(const struct rdt_bandwidth *b, const char *name, uint32_t first)
{
    return (struct alloc_table){ .name = name,
                                 .first = first,
                                 .enumerated = b->clos,
                                 .classes = b->clos,
                                 .bits = b->bw_len + 1,
                                 .scope = ALLOC_L3 };
}

struct alloc_table alloc_amd_bandwidth(const struct check *c)
{
    return bandwidth_table(&reference_rdt(c)->l3be, "L3QOS_BW_CONTROL", L3QOS_BW_CONTROL(0));
}

struct alloc_table alloc_amd_slow_bandwidth(const struct check *c)
{
    return bandwidth_table(&reference_rdt(c)->l3smbe, "L3QOS_SMBW_CONTROL", L3QOS_SMBW_CONTROL(0));
}

struct alloc_table alloc_amd_global(const struct check *c)
{
    return bandwidth_table(&reference_rdt(c)->glbe, "MSR_IA32_GMBA_BW", MSR_IA32_GMBA_BW(0));
}

struct alloc_table alloc_amd_global_slow(const struct check *c)
{
    return bandwidth_table(&reference_rdt(c)->glsbe, "MSR_IA32_GSMBA_BW", MSR_IA32_GSMBA_BW(0));
}

/* --- who shares --------------------------------------------------------------------------------------------------- */

/* Shift of the APIC id by which processors that share an L2 are alike (CPUID leaf 4); 0: no L2 is shared. */
static uint32_t l2_shift(const struct check *c)
{
    return FIND(i, c->machine->n_caches, c->machine->caches[i].level == 2 && c->machine->caches[i].sharing_ids > 1,
                bits_for(c->machine->caches[i].sharing_ids - 1), 0);
}

uint32_t alloc_set(const struct check *c, uint32_t cpu, enum alloc_scope scope)
{
    const struct cpu *x = &c->machine->cpus[cpu];

    if (scope == ALLOC_L2)
        return x->place.apic_id >> l2_shift(c);
    return x->domain == NO_DOMAIN ? x->package : x->domain;
}

bool alloc_same(const struct check *c, uint32_t a, uint32_t b, enum alloc_scope scope)
{
    const struct cpu *x = &c->machine->cpus[a], *y = &c->machine->cpus[b];

    if (a == b)
        return true;
    if (scope == ALLOC_CPU)
        return false;
    if (scope == ALLOC_L2)
        return alloc_set(c, a, scope) == alloc_set(c, b, scope);
    if (x->domain == NO_DOMAIN || y->domain == NO_DOMAIN)
        return x->package == y->package;
    /* Of several clusters too: a second write of the same value may undo what the first one did. */
    return cluster_same_l3(c, x->domain, y->domain);
}

uint32_t alloc_exclusive_run(const struct alloc_table *t, uint32_t *first)
{
    uint32_t run = 0, best = 0;

    for (uint32_t bit = 0; bit < t->bits; bit++) {
        run = (t->shareable | t->reserved) & BIT(bit) ? 0 : run + 1;
        if (run > best) {
            best = run;
            *first = bit + 1 - run;
        }
    }
    return best;
}

/* Processors are in ascending order of APIC id, so those that share a cache are next to each other. */
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
    TRY_MEASURE(c, ledger_touch_msr(c->platform, msr, LEDGER_CONTROL), c->platform->bsp, register_name(msr));
    return ST_OK;
}

enum status alloc_record_table(struct check *c, const struct alloc_table *t)
{
    for (uint32_t n = 0; n < t->classes; n++)
        TRY(alloc_record(c, t->first + n));
    return ST_OK;
}

uint64_t alloc_found(const struct check *c, uint32_t cpu, uint32_t msr)
{
    uint64_t found = 0;

    return ledger_working_msr(c->platform->ledger, cpu, msr, &found) == ST_OK ? found : 0;
}

/* A mask that is not accepted raises #GP, or the register keeps its value, which may be wider. */
static bool mask_accepted(struct check *c, uint32_t cpu, uint32_t msr, uint64_t mask)
{
    uint64_t got = 0;

    return msr_write(c->platform, cpu, msr, mask) == ST_OK && msr_read(c->platform, cpu, msr, &got) == ST_OK &&
           got == mask;
}

enum status alloc_least_bits(struct check *c, const struct alloc_table *t, uint32_t cpu, uint32_t first, uint32_t *bits)
{
    uint32_t msr = t->first + 1;

    *bits = 1;
    if (t->classes < 2 || t->bits < first + 2)
        return ST_OK;
    TRY(alloc_record(c, msr));
    if (!mask_accepted(c, cpu, msr, BIT(first)) && mask_accepted(c, cpu, msr, low_bits(2) << first))
        *bits = 2;
    if (msr_write(c->platform, cpu, msr, alloc_found(c, cpu, msr)) != ST_OK)
        check_note(c, "cpu %u: MSR 0x%x refuses the value that it had before", cpu, msr);
    return ST_OK;
}

/* One register, written on every set or, to put it back, on every processor. */
struct register_write {
    struct sweep sweep;
    const struct alloc_table *table; /* NULL: the value that the run works with, on every processor */
    uint32_t msr;
    uint64_t value;
    bool refused;
};

static uint32_t build_register_write(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct register_write *w = s->context;
    uint64_t value = w->value;

    if (w->table && !alloc_writes(s->check, cpu, w->table->scope))
        return 0;
    if (!w->table && ledger_working_msr(s->check->platform->ledger, cpu, w->msr, &value) != ST_OK)
        return 0;
    steps[0] = step_wrmsr(w->msr, value);
    return 1;
}

void alloc_refused(struct check *c, uint32_t cpu, const struct step *write)
{
    bool hypervisor = c->machine->hypervisor;

    finding(c, hypervisor ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu),
            "WRMSR 0x%x <- 0x%lx raised %s: the value is legal%s", write->reg, write->value, status_text(write->status),
            hypervisor ? ", and a hypervisor intercepts the write" : "");
}

static void judge_register_write(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    struct register_write *w = s->context;

    if (steps[0].status == ST_OK)
        return;
    evidence_wrmsr(s->check, cpu, w->msr, steps[0].value, steps[0].status, steps[0].tsc);
    alloc_refused(s->check, cpu, &steps[0]);
    w->refused = true;
}

static enum status register_write_run(struct check *c, struct register_write *w)
{
    TRY(sweep_run(&w->sweep, c, 1, build_register_write, judge_register_write, register_name(w->msr), w));
    return w->refused ? check_already_reported(c, ST_FAULT) : ST_OK;
}

enum status alloc_put_back(struct check *c, uint32_t msr)
{
    struct register_write w = { .msr = msr };

    return register_write_run(c, &w);
}

enum status alloc_put_back_table(struct check *c, const struct alloc_table *t)
{
    enum status st = ST_OK;

    for (uint32_t n = 0; n < t->classes; n++)
        st = status_first(st, alloc_put_back(c, t->first + n));
    return st;
}

enum status alloc_write(struct check *c, const struct alloc_table *t, uint32_t class, uint64_t value)
{
    struct register_write w = { .table = t, .msr = t->first + class, .value = value };

    TRY(register_write_run(c, &w));
    if (w.sweep.n_cpus == 0)
        return check_unmeasured(c, ST_NOT_RUN, c->platform->bsp, register_name(w.msr));
    return ST_OK;
}

/* --- walks -------------------------------------------------------------------------------------------------------- */

static bool alloc_is_skylake_sp(const struct check *c)
{
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;

    return id->vendor == VENDOR_INTEL && id->family == 6 && id->model == MODEL_SKX;
}

static bool walks(const struct alloc_walk *w, uint32_t class)
{
    return !w->first_last || class == 0 || class + 1 == w->table->classes;
}

/* Values that have to be stored are stored beside those of every other class: all classes are written, upwards and then
 * downwards, and all are read. Of two neighbours one pass writes the same value, the other one different ones. */
static bool walk_holds_all(const struct alloc_walk *w)
{
    return w->expect == ALLOC_STORED && !w->first_last;
}

static uint32_t build_held(const struct alloc_walk *w, const uint64_t *values, uint32_t n_values, struct step *steps)
{
    const struct alloc_table *t = w->table;
    uint32_t n = 0;

    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < t->classes; i++) {
            uint32_t class = pass == 0 ? i : t->classes - 1 - i;

            steps[n++] = step_wrmsr(t->first + class, values[((class + pass) / 2 + pass) % n_values]);
        }
        for (uint32_t class = 0; class < t->classes; class ++)
            steps[n++] = step_rdmsr(t->first + class);
    }
    return n;
}

static uint32_t build_walk(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct alloc_walk *w = s->context;
    const struct alloc_table *t = w->table;
    uint64_t values[ALLOC_VALUES];
    uint32_t n_values = w->values(w, values), n = 0;

    if (!alloc_writes(s->check, cpu, t->scope))
        return 0;
    for (uint32_t class = 0; class < t->classes; class ++)
        for (uint32_t i = 0; i < n_values && walks(w, class); i++) {
            steps[n++] = step_wrmsr(t->first + class, values[i]);
            steps[n++] = step_rdmsr(t->first + class);
        }
    if (walk_holds_all(w) && n_values > 0)
        n += build_held(w, values, n_values, &steps[n]);
    for (uint32_t class = 0; class < t->classes; class ++)
        if (walks(w, class))
            steps[n++] = step_wrmsr(t->first + class, alloc_found(s->check, cpu, t->first + class));
    return n;
}

/* The last write of the register before that read of it. */
static const struct step *write_before(const struct step *read)
{
    const struct step *write = read - 1;

    while (write->op != STEP_WRMSR || write->reg != read->reg)
        write--;
    return write;
}

struct alloc_name alloc_name_of(const struct alloc_table *t, uint32_t class)
{
    struct alloc_name name = { "" };

    if (t->classes == 1)
        text_format(name.text, sizeof name.text, "%s", t->name);
    else
        text_format(name.text, sizeof name.text, "%s_%u", t->name, class);
    return name;
}

static void report_deviation(struct alloc_walk *w, uint32_t cpu, const struct step *write, const struct step *read)
{
    enum finding_kind kind = w->soft ? FINDING_UNUSUAL : FINDING_EXPECTED;
    const struct alloc_name name = alloc_name_of(w->table, write->reg - w->table->first);

    if (w->expect == ALLOC_REFUSED && write->status == ST_OK)
        rule_broken(&w->tally, cpu, kind, FOUND_ILLEGAL_ACCEPTED,
                    "WRMSR %s <- 0x%lx raised no #GP (it then reads 0x%lx): %s", name.text, write->value, read->value,
                    w->rule);
    else if (w->expect == ALLOC_REFUSED)
        rule_broken(&w->tally, cpu, kind, FOUND_REFUSED_WRITE_CHANGED, "a refused WRMSR changed %s to 0x%lx: %s",
                    name.text, read->value, w->rule);
    else if (write->status != ST_OK)
        rule_broken(&w->tally, cpu, kind, FOUND_LEGAL_REFUSED, "WRMSR %s <- 0x%lx raised %s: %s", name.text,
                    write->value, status_text(write->status), w->rule);
    else
        rule_broken(&w->tally, cpu, kind, FOUND_NOT_STORED, "%s was written 0x%lx and reads 0x%lx%s: %s", name.text,
                    write->value, read->value, read == write + 1 ? "" : " after all CLOS were written", w->rule);
}

/* Skylake-SP keeps the shareable bits of a mask together: 400H is stored as 600H (intel-cmt-cat issue 135). */
static bool stored_with_shareable(struct alloc_walk *w, uint64_t written, uint64_t got)
{
    uint64_t shareable = w->table->shareable;

    if (!(written & shareable) || got != (written | shareable))
        return false;
    if (alloc_is_skylake_sp(w->sweep.check))
        check_note(w->sweep.check, "%s <- 0x%lx is stored as 0x%lx: its shareable bits 0x%lx are stored as one group",
                   w->table->name, written, got, shareable);
    else
        finding(w->sweep.check, FINDING_UNUSUAL, 0, FOUND_SHAREABLE_BITS_SET, PLACE_NONE,
                "%s <- 0x%lx is stored as 0x%lx: its shareable bits 0x%lx are stored as one group", w->table->name,
                written, got, shareable);
    return true;
}

static bool walk_step_as_expected(struct alloc_walk *w, uint32_t cpu, const struct step *write, const struct step *read)
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
           stored_with_shareable(w, write->value, read->value);
}

static void judge_walk(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct alloc_walk *w = s->context;
    bool deviated = false;

    rule_asked(&w->tally, cpu);
    for (uint32_t i = 0; i < n; i++) {
        const struct step *read = &steps[i], *write;
        bool good;

        if (read->op != STEP_RDMSR)
            continue;
        write = write_before(read);
        s->compared++;
        good = walk_step_as_expected(w, cpu, write, read);
        if (!w->shown || (!good && !deviated)) {
            evidence_wrmsr(s->check, cpu, write->reg, write->value, write->status, write->tsc);
            evidence_msr(s->check, cpu, read->reg, read->value, read->tsc);
        }
        if (!good && !deviated) {
            deviated = true; /* the first of each set */
            report_deviation(w, cpu, write, read);
        }
    }
    w->shown = true;
}

enum status alloc_walk(struct check *c, struct alloc_walk *w)
{
    const struct alloc_table *t = w->table;
    uint64_t values[ALLOC_VALUES];

    TRY(alloc_record_table(c, t));
    TRY(rule_open(&w->tally, c));
    w->tally.firm = w->expect == ALLOC_STORED;
    w->sweep.check = c; /* w->values() may ask for it */
    TRY(sweep_run(&w->sweep, c, t->classes * (2 * w->values(w, values) + 4 + 1), build_walk, judge_walk, t->name, w));
    rule_conclude(&w->tally);
    if (t->enumerated > t->classes)
        check_note(c, "%s: %u of the %u CLOS that leaf 10H enumerates: the others have no register that is known",
                   t->name, t->classes, t->enumerated);
    evidence_swept(c, w->rule, w->sweep.compared);
    return ST_OK;
}
