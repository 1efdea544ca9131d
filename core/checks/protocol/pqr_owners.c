/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_PQR_ASSOC has logical processor scope, and SMM preserves it. */
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/checks/protocol/pqr_sweep.h"
#include "core/domain/alloc.h"
#include "core/platform/script.h"

#define SDM_ASSOC "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association"

/* --- AS-07, AS-08: one register for each logical processor -------------------------------------------------------- */

struct pqr_owner_sweep {
    struct sweep sweep;
    const uint64_t *found;
    const enum status *readable;
    uint64_t *wanted;
    const char *rule;
    bool write, only_odd, only_even;
};

static uint64_t pqr_own_value(const struct check *c, uint32_t cpu, uint64_t found)
{
    struct pqr_layout layout;

    pqr_layout_for(c, cpu, &layout);
    if (layout.max_rmid > 0)
        found = pqr_with_rmid(found, 1 + cpu % layout.max_rmid);
    if (layout.max_clos > 0)
        found = pqr_with_clos(found, cpu % (layout.max_clos + 1));
    return found;
}

static uint32_t build_pqr_owner(struct sweep *s, uint32_t cpu, struct step *steps)
{
    struct pqr_owner_sweep *o = s->context;
    bool odd = s->check->machine->cpus[cpu].place.thread & 1;

    if (o->readable[cpu] != ST_OK || (o->only_odd && !odd) || (o->only_even && odd))
        return 0;
    steps[0] = o->write ? step_wrmsr(IA32_PQR_ASSOC, o->wanted[cpu]) : step_rdmsr(IA32_PQR_ASSOC);
    return 1;
}

/* Whether another processor wrote what this one lacks: fields that are not its own are all of that one's. A CLOS of 0
 * may be that of a register that lost it, unless a thread of the same core wrote it. */
static bool is_anothers(const struct pqr_owner_sweep *o, uint32_t cpu, uint64_t value)
{
    const struct check *c = o->sweep.check;
    struct pqr own = pqr_decode(o->wanted[cpu]), got = pqr_decode(value);

    for (uint32_t i = 0; i < c->platform->n_cpus; i++) {
        struct pqr other = pqr_decode(o->wanted[i]);

        if (i == cpu || o->readable[i] != ST_OK)
            continue;
        if ((got.rmid == own.rmid || got.rmid == other.rmid) && (got.clos == own.clos || got.clos == other.clos) &&
            (got.rmid != own.rmid || got.clos != 0 || domain_same_core(c, cpu, i)))
            return true;
    }
    return false;
}

static void judge_pqr_owner(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct pqr_owner_sweep *o = s->context;
    char name[80];

    (void)n;
    machine_cpu_name(s->check->machine, cpu, name, sizeof name);
    if (steps[0].status != ST_OK) {
        finding(s->check, FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu), "%s IA32_PQR_ASSOC raised %s",
                o->write ? "WRMSR" : "RDMSR", status_text(steps[0].status));
    } else if (!o->write) {
        s->compared++;
        if (cpu < 8 || steps[0].value != o->wanted[cpu]) {
            evidence_wrmsr(s->check, cpu, IA32_PQR_ASSOC, o->wanted[cpu], ST_OK, 0);
            evidence_msr(s->check, cpu, IA32_PQR_ASSOC, steps[0].value, steps[0].tsc);
        }
        if (steps[0].value != o->wanted[cpu] && is_anothers(o, cpu, steps[0].value))
            finding(s->check, FINDING_EXPECTED, 0, FOUND_REGISTER_SHARED, place_cpu(cpu),
                    "IA32_PQR_ASSOC was written 0x%lx and reads 0x%lx after other processors wrote theirs: %s",
                    o->wanted[cpu], steps[0].value, o->rule);
        else if (steps[0].value != o->wanted[cpu])
            finding(s->check, FINDING_EXPECTED, 0, FOUND_REGISTER_LOST, place_cpu(cpu),
                    "IA32_PQR_ASSOC was written 0x%lx and reads 0x%lx after its processor waited, which no other one "
                    "wrote",
                    o->wanted[cpu], steps[0].value);
    }
}

static enum status pqr_owner_phase(struct pqr_owner_sweep *o, struct check *c, bool write, bool odd, bool even)
{
    o->write = write;
    o->only_odd = odd;
    o->only_even = even;
    o->sweep.check = c;
    o->sweep.max_steps = 1;
    o->sweep.build = build_pqr_owner;
    o->sweep.judge = judge_pqr_owner;
    o->sweep.what = "IA32_PQR_ASSOC";
    o->sweep.context = o;
    return sweep_processors(&o->sweep);
}

/* Even threads write, then odd ones, then all read; and in the other order, so that a leak shows in either
 * direction. The runs are separate, so no barrier is needed, and a processor that is lost does not stop the others. */
static enum status check_pqr_owners(struct check *c, const char *rule)
{
    struct pqr_sweep found;
    struct pqr_owner_sweep o = { .rule = rule };
    enum status st = pqr_sweep_begin(&found, c);

    if (st != ST_OK)
        return st;
    TRY_ALLOC(c, o.wanted, c->platform->n_cpus, "IA32_PQR_ASSOC");
    o.found = found.found;
    o.readable = found.readable;
    for (uint32_t i = 0; i < c->platform->n_cpus; i++)
        o.wanted[i] = pqr_own_value(c, i, found.found[i]);
    for (uint32_t order = 0; order < 2 && st == ST_OK; order++) {
        st = pqr_owner_phase(&o, c, true, order == 1, order == 0);
        if (st == ST_OK)
            st = pqr_owner_phase(&o, c, true, order == 0, order == 1);
        if (st == ST_OK)
            st = pqr_owner_phase(&o, c, false, false, false);
    }
    evidence_swept(c, rule, o.sweep.compared);
    memcpy(o.wanted, found.found, c->platform->n_cpus * sizeof(o.wanted[0]));
    st = status_first(st, pqr_owner_phase(&o, c, true, false, false));
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, c->platform->bsp, "IA32_PQR_ASSOC");
}

static enum status check_siblings(struct check *c)
{
    return check_pqr_owners(c, "each thread of a core has its own IA32_PQR_ASSOC");
}

static enum status check_own_copy(struct check *c)
{
    return check_pqr_owners(c, "each logical processor has its own IA32_PQR_ASSOC");
}

/* --- AS-10: SMM preserves IA32_PQR_ASSOC -------------------------------------------------------------------------- */

#define SMI_WATCH_NS UINT64_C(200000000)
#define SMI_STORM    20.0 /* a second: each stops every processor for tens of microseconds or more */

struct smi_watch {
    struct sweep sweep;
    const uint64_t *found;
    bool write, read_back;
    uint64_t *count; /* [n_cpus] MSR_SMI_COUNT at the start, then how many SMIs occurred */
    uint64_t smis;
    uint32_t watched;
};

static uint32_t build_smi(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct smi_watch *w = s->context;

    steps[0] = step_rdmsr(MSR_SMI_COUNT);
    steps[1] =
        w->write ? step_wrmsr(IA32_PQR_ASSOC, pqr_own_value(s->check, cpu, w->found[cpu])) : step_rdmsr(IA32_PQR_ASSOC);
    return 2;
}

static void judge_smi(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct smi_watch *w = s->context;
    uint64_t wanted = pqr_own_value(s->check, cpu, w->found[cpu]);

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
        finding(s->check, FINDING_UNUSUAL, 0, FOUND_LOST_IN_SMI, place_cpu(cpu),
                "IA32_PQR_ASSOC reads 0x%lx after %lu SMIs, it was written 0x%lx", steps[1].value, w->count[cpu],
                wanted);
}

/* No SMI is provoked: the port that would do so is platform-specific. IA32_PQR_ASSOC is watched for SMI_WATCH_NS, in
 * which SMIs of firmware's own may occur. */
static enum status smi_watch_run(struct check *c, struct smi_watch *w)
{
    w->write = true;
    TRY(sweep_run(&w->sweep, c, 2, build_smi, judge_smi, "IA32_PQR_ASSOC", w));
    if (w->watched == 0)
        return check_absent(c, "no processor counts SMIs (MSR_SMI_COUNT raises #GP)");
    platform_stall(c->platform, SMI_WATCH_NS);
    w->write = false;
    w->read_back = true;
    TRY(sweep_processors(&w->sweep));
    if (w->smis == 0)
        return check_absent(c, "no SMI occurred in %lu ms", (SMI_WATCH_NS / 1000000));
    if (!check_measure(c, "SMI rate", place_of("highest of all processors"),
                       (double)w->smis * 1e9 / (double)SMI_WATCH_NS, "1/s", 0, SMI_STORM))
        finding(c, FINDING_UNUSUAL, 0, FOUND_MANY_SMIS, PLACE_NONE, "%lu SMIs occurred in %lu ms", w->smis,
                (SMI_WATCH_NS / 1000000));
    return ST_OK;
}

static enum status check_smi(struct check *c)
{
    struct pqr_sweep found;
    struct smi_watch w = { 0 };
    enum status st;

    TRY(pqr_sweep_begin(&found, c));
    w.found = found.found;
    TRY_ALLOC(c, w.count, c->platform->n_cpus, "IA32_PQR_ASSOC");
    st = smi_watch_run(c, &w);
    return status_first(st, alloc_put_back(c, IA32_PQR_ASSOC));
}

static const struct check_row rows[] = {
    { .id = "pqr.siblings",
      .title = "SMT siblings have their own IA32_PQR_ASSOC",
      .spec = SDM_ASSOC,
      .covers = "AS-07",
      .detects = "one register shared by the threads of a core",
      .means = "the threads of a core share IA32_PQR_ASSOC: monitoring and allocation by thread are not possible",
      .next = "`cmt.siblings`; the scope that SDM vol. 4 has for the part",
      .needs = NEED_SMT,
      .run = check_siblings },
    { .id = "pqr.own-copy",
      .title = "Every logical processor has its own IA32_PQR_ASSOC",
      .spec = SDM_ASSOC,
      .covers = "AS-08",
      .detects = "a write that reaches other processors; a value that is lost while its processor waits",
      .means = "a WRMSR IA32_PQR_ASSOC on one logical processor changes the RMID or CLOS of another, or a processor "
               "loses its own",
      .next = "value written, value read and processor; `pqr.siblings`; microcode revision",
      .needs = NEED_2_CPUS,
      .run = check_own_copy },
    { .id = "pqr.smi",
      .title = "SMIs preserve IA32_PQR_ASSOC; the SMI rate is low",
      .spec = "SDM vol. 3B 17.16.8.3 Monitoring Operation with Other Operating Modes",
      .covers = "AS-10",
      .detects = "an SMM handler that changes IA32_PQR_ASSOC; a high SMI rate",
      .means = "SMM does not restore IA32_PQR_ASSOC, or SMIs are so frequent that measurements suffer",
      .next = "firmware's SMI sources (USB legacy, error polling, power management); MSR_SMI_COUNT in the evidence",
      .grade = GRADE_W,
      .about_smis = true,
      .run = check_smi },
};
CHECK_FAMILY(pqr_owners, rows, .needs = NEED_RDT_M, .risk = RISK_MSR, .rests_on = RESTS_ON_REGISTERS, .order = 300);
