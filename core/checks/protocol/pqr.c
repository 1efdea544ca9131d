/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_PQR_ASSOC: what it stores, what it refuses, and whose it is. */
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/measure/sweep.h"
#include "core/base/heap.h"
#include "core/platform/script.h"

#define SDM_ASSOC "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association"
#define SDM_FAULT "SDM vol. 3B 17.16.8.1 Monitoring Dynamic Configuration"
#define SDM_CLOS  "SDM vol. 3B 17.17.5.1 Cache Allocation Technology Dynamic Configuration"

/* What the sweeps of this file share. */
struct pqr_sweep {
    struct sweep sweep;
    uint64_t *found; /* [n_cpus], as read just before */
    enum status *readable;
    const char *rule;
    bool shown; /* the first processor's steps are in the evidence; of the others, only what is wrong */
};

static uint32_t build_read(struct sweep *s, uint32_t cpu, struct step *steps)
{
    (void)s;
    (void)cpu;
    steps[0] = step_rdmsr(IA32_PQR_ASSOC);
    return 1;
}

static void judge_read(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct pqr_sweep *p = s->context;

    (void)n;
    p->found[cpu] = steps[0].value;
    p->readable[cpu] = steps[0].status;
    if (steps[0].status != ST_OK)
        fail(s->check, "cpu %u: RDMSR IA32_PQR_ASSOC raised %s", cpu, status_text(steps[0].status));
}

static bool begin(struct pqr_sweep *p, struct check *c)
{
    *p = (struct pqr_sweep){ 0 };
    p->found = heap_alloc(c->platform->n_cpus * sizeof(p->found[0]));
    p->readable = heap_alloc(c->platform->n_cpus * sizeof(p->readable[0]));
    if (!p->found || !p->readable) {
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
        return false;
    }
    for (uint32_t i = 0; i < c->platform->n_cpus; i++)
        p->readable[i] = ST_NOT_RUN;
    p->sweep = (struct sweep){
        .check = c, .max_steps = 1, .build = build_read, .judge = judge_read, .what = "IA32_PQR_ASSOC", .context = p
    };
    if (sweep_processors(&p->sweep) != ST_OK) {
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
        return false;
    }
    return true;
}

static enum verdict end(struct pqr_sweep *p, struct check *c)
{
    heap_free(p->found);
    heap_free(p->readable);
    return check_verdict(c);
}

static void layout_for(const struct check *c, uint32_t cpu, struct pqr_layout *layout)
{
    const struct cpu *x = &c->machine->cpus[cpu];

    /* A processor that could not be asked is taken for its reference: what it then does is its own evidence. */
    pqr_layout_of(x->enumerated == ST_OK ? &x->rdt : reference_rdt(c), layout);
}

/* Evidence of one write and the read behind it. */
static void show(struct check *c, uint32_t cpu, const struct step *write, const struct step *read)
{
    evidence_wrmsr(c, cpu, IA32_PQR_ASSOC, write->value, write->status, write->tsc);
    evidence_msr(c, cpu, IA32_PQR_ASSOC, read->value, read->tsc);
}

/* Scripts of this file are (write, read) pairs, and at the end one write of what was found. */
static uint32_t put_pair(struct step *steps, uint32_t n, uint64_t value)
{
    steps[n] = step_wrmsr(IA32_PQR_ASSOC, value);
    steps[n + 1] = step_rdmsr(IA32_PQR_ASSOC);
    return n + 2;
}

static uint32_t put_back(struct step *steps, uint32_t n, uint64_t found)
{
    steps[n] = step_wrmsr(IA32_PQR_ASSOC, found);
    return n + 1;
}

/* Every write is legal: taken, and read back the same. */
static void judge_stored(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct pqr_sweep *p = s->context;
    bool wrong = false;

    for (uint32_t i = 0; i + 1 < n; i += 2, s->compared++) {
        const struct step *write = &steps[i], *read = &steps[i + 1];
        bool bad = write->status != ST_OK || read->status != ST_OK || read->value != write->value;

        if (!p->shown || (bad && !wrong))
            show(s->check, cpu, write, read);
        if (!bad || wrong)
            continue;
        wrong = true; /* the first one of each processor */
        if (write->status != ST_OK)
            fail(s->check, "cpu %u: WRMSR IA32_PQR_ASSOC <- 0x%llx raised %s: the value is legal", cpu,
                 (unsigned long long)write->value, status_text(write->status));
        else
            fail(s->check, "cpu %u: IA32_PQR_ASSOC was written 0x%llx and reads 0x%llx: %s", cpu,
                 (unsigned long long)write->value, (unsigned long long)read->value, p->rule);
    }
    p->shown = true;
}

/* Every write is illegal: refused with #GP, and the register reads as before. */
static void judge_refused(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct pqr_sweep *p = s->context;
    bool wrong = false;

    for (uint32_t i = 0; i + 2 < n; i += 3, s->compared++) {
        const struct step *write = &steps[i], *read = &steps[i + 1];
        bool accepted = write->status == ST_OK;
        bool changed = read->status != ST_OK || read->value != p->found[cpu];

        if (!p->shown || ((accepted || changed) && !wrong))
            show(s->check, cpu, write, read);
        if (wrong || (!accepted && !changed))
            continue;
        wrong = true;
        if (accepted)
            fail(s->check, "cpu %u: WRMSR IA32_PQR_ASSOC <- 0x%llx raised no #GP (it then reads 0x%llx): %s", cpu,
                 (unsigned long long)write->value, (unsigned long long)read->value, p->rule);
        else
            fail(s->check, "cpu %u: a refused WRMSR changed IA32_PQR_ASSOC from 0x%llx to 0x%llx", cpu,
                 (unsigned long long)p->found[cpu], (unsigned long long)read->value);
    }
    p->shown = true;
}

/* An illegal write, the read behind it, and at once what was found again, should the write have been taken. */
static uint32_t put_illegal(struct step *steps, uint32_t n, uint64_t value, uint64_t found)
{
    n = put_pair(steps, n, value);
    return put_back(steps, n, found);
}

static enum verdict run_sweep(struct check *c, uint32_t max_steps,
                              uint32_t (*build)(struct sweep *s, uint32_t cpu, struct step *steps),
                              void (*judge)(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n),
                              const char *rule, const char *nothing)
{
    struct pqr_sweep p;

    if (begin(&p, c)) {
        p.rule = rule;
        p.sweep = (struct sweep){
            .check = c, .max_steps = max_steps, .build = build, .judge = judge, .what = "IA32_PQR_ASSOC", .context = &p
        };
        if (sweep_processors(&p.sweep) != ST_OK)
            cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
        else if (p.sweep.compared > 0)
            evidence_swept(c, rule, p.sweep.compared);
        else if (check_verdict(c) == VERDICT_PASS)
            skip(c, "%s", nothing);
    }
    return end(&p, c);
}

/* --- AS-02: RMIDs are stored -------------------------------------------------------------------------------------- */

static uint32_t build_rmids(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct pqr_sweep *p = s->context;
    struct pqr_layout layout;
    uint32_t n = 0;

    layout_for(s->check, cpu, &layout);
    if (p->readable[cpu] != ST_OK)
        return 0;
    n = put_pair(steps, n, pqr_with_rmid(p->found[cpu], 0));
    for (uint64_t rmid = 1; rmid <= layout.max_rmid; rmid <<= 1)
        n = put_pair(steps, n, pqr_with_rmid(p->found[cpu], (uint32_t)rmid));
    n = put_pair(steps, n, pqr_with_rmid(p->found[cpu], layout.max_rmid));
    return put_back(steps, n, p->found[cpu]);
}

static enum verdict check_rmid_storage(struct check *c)
{
    return run_sweep(c, 2 * (2 + 32) + 1, build_rmids, judge_stored,
                     "IA32_PQR_ASSOC holds RMID 0, each power of two, and the highest",
                     "IA32_PQR_ASSOC cannot be read");
}

/* --- AS-03: the highest RMID is the highest ----------------------------------------------------------------------- */

#define AMD_RMID_FIELD BITS(11, 0) /* whatever is enumerated: APM vol. 2 19.3 */

static uint32_t build_rmid_limit(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct pqr_sweep *p = s->context;
    struct pqr_layout layout;
    uint64_t field;

    layout_for(s->check, cpu, &layout);
    field = is_intel(s->check) ? layout.rmid_mask : AMD_RMID_FIELD;
    if (p->readable[cpu] != ST_OK || field_put(IA32_PQR_ASSOC_RMID, (uint64_t)layout.max_rmid + 1) & ~field)
        return 0; /* one more than the field can say: AS-04's business */
    return put_illegal(steps, 0, pqr_with_rmid(p->found[cpu], layout.max_rmid + 1), p->found[cpu]);
}

static enum verdict check_rmid_limit(struct check *c)
{
    return run_sweep(c, 3, build_rmid_limit, judge_refused, "an RMID above CPUID.(0FH,0):EBX is refused",
                     "the highest RMID fills its field, so one more cannot be written");
}

/* --- AS-04, AS-06: reserved bits ---------------------------------------------------------------------------------- */

static uint32_t build_reserved(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct pqr_sweep *p = s->context;
    const struct rdt_info *rdt = &s->check->machine->cpus[cpu].rdt;
    struct pqr_layout layout;
    uint64_t reserved = 0;
    uint32_t n = 0;

    layout_for(s->check, cpu, &layout);
    if (p->readable[cpu] != ST_OK)
        return 0;
    if (rdt->monitoring && rdt->l3_monitoring)
        reserved |= IA32_PQR_ASSOC_RMID & ~layout.rmid_mask;
    if (rdt->allocation && rdt->leaf10_known && rdt->max_clos > 0)
        reserved |= IA32_PQR_ASSOC_CLOS & ~layout.clos_mask;
    for (unsigned bit = 0; bit < 64; bit++)
        if (reserved & BIT(bit))
            n = put_illegal(steps, n, p->found[cpu] ^ BIT(bit), p->found[cpu]);
    return n;
}

static enum verdict check_reserved_bits(struct check *c)
{
    if (!has_rdt(c))
        return skip(c, "this processor has neither L3 monitoring nor cache allocation");
    return run_sweep(c, 3 * 64, build_reserved, judge_refused,
                     "each bit of IA32_PQR_ASSOC above the enumerated RMID and CLOS widths raises #GP",
                     "IA32_PQR_ASSOC cannot be read");
}

/* --- AS-05: classes ----------------------------------------------------------------------------------------------- */

#define CLOS_SWEPT 256u /* no part has more than 128 classes (masks end at D0FH); leaf 10H could claim 65,536 */

static uint32_t build_clos(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct pqr_sweep *p = s->context;
    struct pqr_layout layout;
    uint32_t n = 0;

    layout_for(s->check, cpu, &layout);
    if (p->readable[cpu] != ST_OK)
        return 0;
    for (uint32_t clos = 0; clos <= layout.max_clos && clos < CLOS_SWEPT; clos++)
        n = put_pair(steps, n, pqr_with_clos(p->found[cpu], clos));
    return put_back(steps, n, p->found[cpu]);
}

static uint32_t build_clos_limit(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct pqr_sweep *p = s->context;
    struct pqr_layout layout;

    layout_for(s->check, cpu, &layout);
    if (p->readable[cpu] != ST_OK)
        return 0;
    return put_illegal(steps, 0, pqr_with_clos(p->found[cpu], layout.max_clos + 1), p->found[cpu]);
}

static enum verdict check_clos_limit(struct check *c)
{
    run_sweep(c, 2 * CLOS_SWEPT + 1, build_clos, judge_stored, "IA32_PQR_ASSOC holds each class of leaf 10H",
              "IA32_PQR_ASSOC cannot be read");
    if (check_verdict(c) == VERDICT_SKIP)
        return check_verdict(c);
    return run_sweep(c, 3, build_clos_limit, judge_refused, "a class above the highest of all resources is refused",
                     "IA32_PQR_ASSOC cannot be read");
}

/* --- AS-09: two halves -------------------------------------------------------------------------------------------- */

static uint32_t build_halves(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct pqr_sweep *p = s->context;
    struct pqr_layout layout;
    uint64_t value;
    uint32_t n = 0;

    layout_for(s->check, cpu, &layout);
    if (p->readable[cpu] != ST_OK)
        return 0;
    value = pqr_value(layout.max_rmid > 1 ? 1 : 0, layout.max_clos);
    n = put_pair(steps, n, value);
    value = pqr_with_rmid(value, layout.max_rmid); /* the CLOS stays */
    n = put_pair(steps, n, value);
    value = pqr_with_clos(value, layout.max_clos / 2); /* the RMID stays */
    n = put_pair(steps, n, value);
    value = pqr_with_rmid(value, 0);
    n = put_pair(steps, n, value);
    return put_back(steps, n, p->found[cpu]);
}

static enum verdict check_halves(struct check *c)
{
    return run_sweep(c, 9, build_halves, judge_stored, "writing one half of IA32_PQR_ASSOC keeps the other",
                     "IA32_PQR_ASSOC cannot be read");
}

/* --- AS-07, AS-08: one register a logical processor --------------------------------------------------------------- */

struct owner_sweep {
    struct sweep sweep;
    const uint64_t *found;
    const enum status *readable;
    uint64_t *wanted;
    const char *rule;
    bool write, only_odd, only_even;
};

static uint64_t own_value(const struct check *c, uint32_t cpu, uint64_t found)
{
    struct pqr_layout layout;

    layout_for(c, cpu, &layout);
    if (layout.max_rmid > 0)
        found = pqr_with_rmid(found, 1 + cpu % layout.max_rmid);
    if (layout.max_clos > 0)
        found = pqr_with_clos(found, cpu % (layout.max_clos + 1));
    return found;
}

static uint32_t build_owner(struct sweep *s, uint32_t cpu, struct step *steps)
{
    struct owner_sweep *o = s->context;
    bool odd = s->check->machine->cpus[cpu].place.thread & 1;

    if (o->readable[cpu] != ST_OK || (o->only_odd && !odd) || (o->only_even && odd))
        return 0;
    steps[0] = o->write ? step_wrmsr(IA32_PQR_ASSOC, o->wanted[cpu]) : step_rdmsr(IA32_PQR_ASSOC);
    return 1;
}

static void judge_owner(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct owner_sweep *o = s->context;
    char name[80];

    (void)n;
    machine_cpu_name(s->check->machine, cpu, name, sizeof name);
    if (steps[0].status != ST_OK) {
        fail(s->check, "%s: %s of IA32_PQR_ASSOC raised %s", name, o->write ? "a legal write" : "a read",
             status_text(steps[0].status));
    } else if (!o->write) {
        s->compared++;
        if (cpu < 8 || steps[0].value != o->wanted[cpu]) {
            evidence_wrmsr(s->check, cpu, IA32_PQR_ASSOC, o->wanted[cpu], ST_OK, 0);
            evidence_msr(s->check, cpu, IA32_PQR_ASSOC, steps[0].value, steps[0].tsc);
        }
        if (steps[0].value != o->wanted[cpu])
            fail(s->check, "%s: IA32_PQR_ASSOC was written 0x%llx and, after the others wrote theirs, reads 0x%llx: %s",
                 name, (unsigned long long)o->wanted[cpu], (unsigned long long)steps[0].value, o->rule);
    }
}

static bool owner_phase(struct owner_sweep *o, struct check *c, bool write, bool odd, bool even)
{
    o->write = write;
    o->only_odd = odd;
    o->only_even = even;
    o->sweep.check = c;
    o->sweep.max_steps = 1;
    o->sweep.build = build_owner;
    o->sweep.judge = judge_owner;
    o->sweep.what = "IA32_PQR_ASSOC";
    o->sweep.context = o;
    if (sweep_processors(&o->sweep) == ST_OK)
        return true;
    cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
    return false;
}

/* Even threads write, then odd ones, then everybody reads; and in the other order: whichever way a write leaks. The
 * runs are apart, so no barrier is needed and a processor that dies takes nobody with it. */
static enum verdict check_owners(struct check *c, const char *rule)
{
    struct pqr_sweep found;
    struct owner_sweep o = { .rule = rule };
    bool going = begin(&found, c);

    o.wanted = heap_alloc(c->platform->n_cpus * sizeof(o.wanted[0]));
    if (going && o.wanted) {
        o.found = found.found;
        o.readable = found.readable;
        for (uint32_t i = 0; i < c->platform->n_cpus; i++)
            o.wanted[i] = own_value(c, i, found.found[i]);
        for (uint32_t order = 0; order < 2 && going; order++)
            going = owner_phase(&o, c, true, order == 1, order == 0) &&
                    owner_phase(&o, c, true, order == 0, order == 1) && owner_phase(&o, c, false, false, false);
        evidence_swept(c, rule, o.sweep.compared);
        memcpy(o.wanted, found.found, c->platform->n_cpus * sizeof(o.wanted[0]));
        if (!owner_phase(&o, c, true, false, false))
            note(c, "IA32_PQR_ASSOC is put back at the end of the run");
    } else if (going) {
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
    }
    heap_free(o.wanted);
    return end(&found, c);
}

static enum verdict check_siblings(struct check *c)
{
    return check_owners(c, "threads of one core have an IA32_PQR_ASSOC each");
}

static enum verdict check_own_copy(struct check *c)
{
    return check_owners(c, "every logical processor has an IA32_PQR_ASSOC of its own");
}

/* --- AS-10: SMM leaves the tag alone */

#define SMI_WATCH_NS UINT64_C(200000000)
#define SMI_STORM    20.0 /* a second: each takes every processor away for tens of microseconds and more */

struct smi_watch {
    struct sweep sweep;
    const uint64_t *found;
    bool write, read_back;
    uint64_t *count; /* [n_cpus] at the start, then how many came */
    uint64_t smis;
    uint32_t watched;
};

static uint32_t build_smi(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct smi_watch *w = s->context;

    steps[0] = step_rdmsr(MSR_SMI_COUNT);
    steps[1] =
        w->write ? step_wrmsr(IA32_PQR_ASSOC, own_value(s->check, cpu, w->found[cpu])) : step_rdmsr(IA32_PQR_ASSOC);
    return 2;
}

static void judge_smi(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct smi_watch *w = s->context;
    uint64_t wanted = own_value(s->check, cpu, w->found[cpu]);

    (void)n;
    if (w->write) {
        w->count[cpu] = steps[0].status == ST_OK ? steps[0].value : UINT64_MAX;
        w->watched += steps[0].status == ST_OK;
        return;
    }
    if (w->count[cpu] == UINT64_MAX || steps[0].status != ST_OK || !w->read_back)
        return;
    w->count[cpu] = (steps[0].value - w->count[cpu]) & MSR_SMI_COUNT_VALUE;
    if (w->count[cpu] > w->smis)
        w->smis = w->count[cpu];
    if (s->compared++ == 0 || (w->count[cpu] && steps[1].value != wanted)) {
        evidence_msr(s->check, cpu, MSR_SMI_COUNT, steps[0].value, steps[0].tsc);
        evidence_msr(s->check, cpu, IA32_PQR_ASSOC, steps[1].value, steps[1].tsc);
    }
    if (w->count[cpu] && steps[1].value != wanted)
        warn(s->check, "cpu %u: after %llu SMIs IA32_PQR_ASSOC reads 0x%llx, it was written 0x%llx", cpu,
             (unsigned long long)w->count[cpu], (unsigned long long)steps[1].value, (unsigned long long)wanted);
}

/* No SMI is provoked: what port would do so is the platform's secret. The tag is watched for as long as it takes to see
 * those that come by themselves. */
static enum verdict watch_smis(struct check *c, struct smi_watch *w)
{
    w->sweep = (struct sweep){
        .check = c, .max_steps = 2, .build = build_smi, .judge = judge_smi, .what = "IA32_PQR_ASSOC", .context = w
    };
    w->write = true;
    if (sweep_processors(&w->sweep) != ST_OK)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
    if (w->watched == 0)
        return skip(c, "no processor counts its SMIs (MSR_SMI_COUNT raises #GP)");
    c->platform->ops->stall(c->platform->machine, SMI_WATCH_NS);
    w->write = false;
    w->read_back = true;
    if (sweep_processors(&w->sweep) != ST_OK)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
    if (w->smis == 0)
        return skip(c, "no SMI came in %llu ms", (unsigned long long)(SMI_WATCH_NS / 1000000));
    if (!measure(c, "SMIs a second", "the busiest processor", (double)w->smis * 1e9 / (double)SMI_WATCH_NS, "1/s", 0,
                 SMI_STORM))
        warn(c, "%llu SMIs came in %llu ms", (unsigned long long)w->smis, (unsigned long long)(SMI_WATCH_NS / 1000000));
    return check_verdict(c);
}

static enum verdict check_smi(struct check *c)
{
    struct pqr_sweep found;
    struct smi_watch w = { 0 };
    bool going = begin(&found, c);

    w.found = found.found;
    w.count = heap_alloc(c->platform->n_cpus * sizeof(w.count[0]));
    if (going && w.count) {
        watch_smis(c, &w);
        alloc_put_back(c, IA32_PQR_ASSOC);
    } else if (going) {
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
    }
    heap_free(w.count);
    return end(&found, c);
}

#define MEANS_USUAL "IA32_PQR_ASSOC does not store, refuse or keep apart what the SDM says"
#define NEXT_USUAL  "value written, value read and processor; whether all processors do it; microcode"

static const struct check_row rows[] = {
    { .id = "pqr.rmid-storage",
      .title = "Every processor stores every RMID bit",
      .spec = SDM_ASSOC,
      .rows = "AS-02 AM-01",
      .detects = "a stuck or missing RMID bit",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_rmid_storage },
    { .id = "pqr.rmid-limit",
      .title = "An RMID above the highest is refused",
      .spec = SDM_FAULT,
      .rows = "AS-03 AM-01",
      .detects = "the RMID limit not enforced",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_rmid_limit },
    { .id = "pqr.reserved-bits",
      .title = "Reserved bits are refused and nothing changes",
      .spec = SDM_FAULT,
      .rows = "AS-04 AS-06",
      .detects = "a reserved bit that is accepted",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_reserved_bits },
    { .id = "pqr.clos-limit",
      .title = "Every class is stored, and one more is refused",
      .spec = SDM_CLOS,
      .rows = "AS-05",
      .detects = "the class limit not enforced, or a class missing",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_CLASSES,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_clos_limit },
    { .id = "pqr.siblings",
      .title = "Threads of one core keep their own tags",
      .spec = SDM_ASSOC,
      .rows = "AS-07",
      .detects = "one register shared by the threads of a core",
      .means = "two threads of a core have one register: monitoring by thread is not possible",
      .next = "`cmt.siblings`; the SDM's scope for the part",
      .needs = NEED_RDT_M | NEED_SMT,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_siblings },
    { .id = "pqr.own-copy",
      .title = "Every logical processor keeps its own tag",
      .spec = SDM_ASSOC,
      .rows = "AS-08",
      .detects = "a write that reaches other processors",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M | NEED_2_CPUS,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_own_copy },
    { .id = "pqr.halves",
      .title = "Writing the RMID keeps the class, and the other way round",
      .spec = SDM_ASSOC,
      .rows = "AS-09",
      .detects = "a half write that clobbers the other half",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M | NEED_CLASSES,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_halves },
    { .id = "pqr.smi",
      .title = "An SMI leaves the tag alone, and few come",
      .spec = "SDM vol. 3B 17.16.8.3 Monitoring Operation with Other Operating Modes",
      .rows = "AS-10",
      .detects = "an SMM handler that loses the tag; an SMI storm",
      .means = "System Management Mode does not put the tag back, or comes so often that measurements suffer",
      .next = "firmware's SMI sources (USB legacy, error polling, power management); the SMI count in the evidence",
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .about_smis = true,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 300,
      .run = check_smi },
};
CHECK_FAMILY(pqr, rows);
