/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_PQR_ASSOC has logical processor scope, and SMM preserves it. */
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/checks/protocol/pqr_sweep.h"
#include "core/domain/alloc.h"
#include "core/experiment/monitor.h"
#include "core/load/loads.h"
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

static void judge_pqr_owner(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    struct pqr_owner_sweep *o = s->context;
    char name[80];

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

    TRY(st);
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

/* --- AS-10: SMM preserves IA32_PQR_ASSOC, and what follows is its RMID's -------------------------------------------- */

#define SMI_WATCH_NS UINT64_C(200000000)
#define SMI_WATCHES  5u   /* until an SMI comes, once one has */
#define SMI_STORM    20.0 /* a second: each stops every processor for tens of microseconds or more */
#define SMI_LOADS    3u   /* each after an SMI of its own: what SMIs do, each of them does */

struct smi_watch {
    struct sweep sweep;
    uint64_t *wanted; /* [n_cpus] */
    bool write;
    uint64_t smis;
    struct traffic_load load;
    struct traffic_part part;
    struct reading reading;
};

static uint32_t build_smi(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct smi_watch *w = s->context;

    steps[0] = w->write ? step_wrmsr(IA32_PQR_ASSOC, w->wanted[cpu]) : step_rdmsr(IA32_PQR_ASSOC);
    return 1;
}

static void judge_smi(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    const struct smi_watch *w = s->context;

    if (w->write || (s->compared++ && steps[0].value == w->wanted[cpu]))
        return;
    evidence_msr(s->check, cpu, IA32_PQR_ASSOC, steps[0].value, steps[0].tsc);
    if (steps[0].value != w->wanted[cpu])
        finding(s->check, FINDING_UNUSUAL, 0, FOUND_LOST_IN_SMI, place_cpu(cpu),
                "IA32_PQR_ASSOC reads 0x%lx after %lu SMIs, it was written 0x%lx", steps[0].value, w->smis,
                w->wanted[cpu]);
}

/* Every processor receives an SMI: one that counts them will do. */
static enum status smis_so_far(struct check *c, const struct smi_watch *w, uint64_t *n)
{
    const struct tools *t = c->tools;
    uint32_t cpu = t->smi_msr ? t->smi_cpu : w->load.cpu, msr = t->smi_msr ? t->smi_msr : MSR_SMI_COUNT;
    enum status st = msr_read(c->platform, cpu, msr, n);

    if (st == ST_FAULT)
        return check_absent(c, "no processor counts SMIs (MSR_SMI_COUNT raises #GP)");
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, cpu, "MSR_SMI_COUNT");
}

/* No SMI is provoked: the port that would do so is platform-specific. SMIs of firmware's own may occur while each
 * processor has its value in IA32_PQR_ASSOC. */
static enum status await_smi(struct check *c, struct smi_watch *w, uint32_t watches)
{
    uint64_t first = 0, last = 0;

    TRY(smis_so_far(c, w, &first));
    w->write = true;
    TRY(sweep_run(&w->sweep, c, 1, build_smi, judge_smi, "IA32_PQR_ASSOC", w));
    w->smis = 0;
    for (uint32_t i = 0; i < watches && w->smis == 0; i++) {
        platform_stall(c->platform, SMI_WATCH_NS);
        TRY(smis_so_far(c, w, &last));
        w->smis = field_get(MSR_SMI_COUNT_VALUE, last - first);
    }
    return ST_OK;
}

static enum status watch_smis(struct check *c, struct smi_watch *w, uint32_t domain)
{
    TRY(await_smi(c, w, 1));
    if (w->smis == 0)
        return check_absent(c, "no SMI occurred in %lu ms", (SMI_WATCH_NS / 1000000));
    w->write = false;
    TRY(sweep_processors(&w->sweep));
    if (!check_measure(c, "SMI rate", place_domain(domain), (double)w->smis * 1e9 / (double)SMI_WATCH_NS, "1/s", 0,
                       SMI_STORM))
        finding(c, FINDING_UNUSUAL, 0, FOUND_MANY_SMIS, PLACE_NONE, "%lu SMIs occurred in %lu ms", w->smis,
                (SMI_WATCH_NS / 1000000));
    return ST_OK;
}

/* Bandwidth, where it is counted: what is lost of it was moved, whatever the L3 kept. That it is too much `mbm.total` and
 * `cmt.fill` say. */
static enum status plan_watch(struct check *c, struct smi_watch *w, uint32_t domain, const uint64_t *found)
{
    bool total = reference_rdt(c)->total;
    struct test_buffer b;

    TRY(test_buffer_local(c, domain, 1, total ? load_stream_bytes(c, domain) : load_small_fill_bytes(c, domain), &b));
    if (total) {
        w->part = part_read(b.rmids[0], b.base, b.bytes);
        w->reading = reading_total(domain, b.rmids[0]);
        expect_bandwidth(c, &w->reading, (double)b.bytes);
    } else {
        w->part = part_fill(c, domain, b.rmids[0], b.base, b.bytes);
        w->reading = reading_occupancy(domain, b.rmids[0]);
        expect_occupancy(c, &w->reading, (double)b.bytes, 1);
    }
    w->reading.hi = w->reading.never_hi = NO_BOUND;
    w->load = (struct traffic_load){ .cpu = b.cpu, .n_parts = 1, .parts = &w->part, .associated = true };
    TRY_ALLOC(c, w->wanted, c->platform->n_cpus, "IA32_PQR_ASSOC");
    for (uint32_t i = 0; i < c->platform->n_cpus; i++)
        w->wanted[i] = pqr_own_value(c, i, found[i]);
    w->wanted[b.cpu] = pqr_with_rmid(w->wanted[b.cpu], b.rmids[0] + c->platform->cpus[b.cpu].first_rmid);
    return ST_OK;
}

/* What a processor reads after an SMI, without a write of IA32_PQR_ASSOC in between, counts under its RMID. */
static enum status load_after_smi(struct check *c, struct smi_watch *w)
{
    struct experiment e = {
        .check = c, .loads = &w->load, .n_loads = 1, .readings = &w->reading, .n_readings = 1, .flags = EXPERIMENT_ONCE
    };

    for (uint32_t i = 0; w->smis; i++) {
        TRY(experiment_measure(&e));
        if (reading_inside(&w->reading, w->reading.bytes) || i + 1 == SMI_LOADS)
            break;
        TRY(await_smi(c, w, SMI_WATCHES));
    }
    experiment_judge(&e, "the processor got this RMID, an SMI occurred, and the processor read a buffer");
    return ST_OK;
}

static enum status pqr_smi(struct check *c, uint32_t domain)
{
    struct pqr_sweep found;
    struct smi_watch w = { 0 };
    enum status st;

    TRY(pqr_sweep_begin(&found, c));
    TRY(plan_watch(c, &w, domain, found.found));
    st = watch_smis(c, &w, domain);
    if (st == ST_OK && check_verdict(c) == VERDICT_PASS)
        st = load_after_smi(c, &w);
    return status_first(st, alloc_put_back(c, IA32_PQR_ASSOC));
}

static const struct check_row rows[] = {
    { .id = "pqr.siblings",
      .title = "SMT siblings have their own IA32_PQR_ASSOC",
      .spec = SDM_ASSOC,
      .covers = "AS-07",
      .means = "the threads of a core share IA32_PQR_ASSOC: monitoring and allocation by thread are not possible",
      .next = "`cmt.siblings`; the scope that SDM vol. 4 has for the part",
      .needs = NEED_SMT,
      .run = check_siblings },
    { .id = "pqr.own-copy",
      .title = "Every logical processor has its own IA32_PQR_ASSOC",
      .spec = SDM_ASSOC,
      .covers = "AS-08",
      .means = "a WRMSR IA32_PQR_ASSOC on one logical processor changes the RMID or CLOS of another, or a processor "
               "loses its own",
      .next = "value written, value read and processor; `pqr.siblings`; microcode revision",
      .needs = NEED_2_CPUS,
      .run = check_own_copy },
    { .id = "pqr.smi",
      .title = "SMIs preserve IA32_PQR_ASSOC and what it does; the SMI rate is low",
      .spec = "SDM vol. 3B 17.16.8.3 Monitoring Operation with Other Operating Modes",
      .covers = "AS-10",
      .means =
          "SMM does not restore IA32_PQR_ASSOC, a processor loses its RMID or its counts in an SMI, or SMIs are so "
          "frequent that measurements suffer",
      .next = "firmware's SMI sources (USB legacy, error polling, power management); MSR_SMI_COUNT in the evidence",
      .grade = GRADE_W,
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_OCCUPANCY | RESTS_ON_BANDWIDTH,
      .excludes = true,
      .about_smis = true,
      .run_domain = pqr_smi },
};
CHECK_FAMILY(pqr_owners, rows, .needs = NEED_RDT_M, .risk = RISK_MSR, .rests_on = RESTS_ON_REGISTERS, .order = 300);
