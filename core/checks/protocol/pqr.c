/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_PQR_ASSOC: which values it stores, and which raise #GP. */
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/protocol/pqr_sweep.h"
#include "core/domain/domains.h"
#include "core/platform/script.h"

#define SDM_ASSOC "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association"
#define SDM_FAULT "SDM vol. 3B 17.16.8.1 Monitoring Dynamic Configuration"
#define SDM_CLOS  "SDM vol. 3B 17.17.5.1 Cache Allocation Technology Dynamic Configuration"

static uint32_t build_pqr_read(struct sweep *, uint32_t, struct step *steps)
{
    steps[0] = step_rdmsr(IA32_PQR_ASSOC);
    return 1;
}

static void judge_pqr_read(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    struct pqr_sweep *p = s->context;

    p->found[cpu] = steps[0].value;
    p->readable[cpu] = steps[0].status;
    if (steps[0].status != ST_OK)
        finding(s->check, FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu), "RDMSR IA32_PQR_ASSOC raised %s",
                status_text(steps[0].status));
}

enum status pqr_sweep_begin(struct pqr_sweep *p, struct check *c)
{
    *p = (struct pqr_sweep){ 0 };
    TRY_ALLOC(c, p->found, c->platform->n_cpus, "IA32_PQR_ASSOC");
    TRY_ALLOC(c, p->readable, c->platform->n_cpus, "IA32_PQR_ASSOC");
    for (uint32_t i = 0; i < c->platform->n_cpus; i++)
        p->readable[i] = ST_NOT_RUN;
    return sweep_run(&p->sweep, c, 1, build_pqr_read, judge_pqr_read, "IA32_PQR_ASSOC", p);
}

void pqr_layout_for(const struct check *c, uint32_t cpu, struct pqr_layout *layout)
{
    const struct cpu *x = &c->machine->cpus[cpu];

    /* A processor whose CPUID could not be read is held to what the reference processor enumerates. */
    pqr_layout_of(x->enumerated == ST_OK ? &x->rdt : reference_rdt(c), layout);
}

/* Evidence of one write and the read after it. */
static void evidence_pqr_pair(struct check *c, uint32_t cpu, const struct step *write, const struct step *read)
{
    evidence_wrmsr(c, cpu, IA32_PQR_ASSOC, write->value, write->status, write->tsc);
    evidence_msr(c, cpu, IA32_PQR_ASSOC, read->value, read->tsc);
}

/* Scripts of this file are (write, read) pairs, and at the end one write of the value found. */
static uint32_t step_pqr_pair(struct step *steps, uint32_t n, uint64_t value)
{
    steps[n] = step_wrmsr(IA32_PQR_ASSOC, value);
    steps[n + 1] = step_rdmsr(IA32_PQR_ASSOC);
    return n + 2;
}

static uint32_t step_pqr_restore(struct step *steps, uint32_t n, uint64_t found)
{
    steps[n] = step_wrmsr(IA32_PQR_ASSOC, found);
    return n + 1;
}

/* Every write is legal: it raises nothing and reads back the same. */
static void judge_pqr_stored(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct pqr_sweep *p = s->context;

    rule_asked(&p->tally, cpu);
    for (uint32_t i = 0; i + 1 < n; i += 2, s->compared++) {
        const struct step *write = &steps[i], *read = &steps[i + 1];
        bool bad = write->status != ST_OK || read->status != ST_OK || read->value != write->value;

        if (!p->shown || (bad && !rule_is_broken(&p->tally, cpu)))
            evidence_pqr_pair(s->check, cpu, write, read);
        if (bad && write->status != ST_OK)
            rule_broken(&p->tally, cpu, FINDING_EXPECTED, FOUND_LEGAL_REFUSED,
                        "WRMSR IA32_PQR_ASSOC <- 0x%lx, a legal value, raised %s", write->value,
                        status_text(write->status));
        else if (bad)
            rule_broken(&p->tally, cpu, FINDING_EXPECTED, FOUND_NOT_STORED,
                        "IA32_PQR_ASSOC was written 0x%lx and reads 0x%lx: %s", write->value, read->value, p->rule);
    }
    p->shown = true;
}

/* Every write is illegal: it raises #GP, and the register reads as before. */
static void judge_pqr_refused(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct pqr_sweep *p = s->context;

    rule_asked(&p->tally, cpu);
    for (uint32_t i = 0; i + 2 < n; i += 3, s->compared++) {
        const struct step *write = &steps[i], *read = &steps[i + 1];
        bool accepted = write->status == ST_OK;
        bool changed = read->status != ST_OK || read->value != p->found[cpu];

        if (!p->shown || ((accepted || changed) && !rule_is_broken(&p->tally, cpu)))
            evidence_pqr_pair(s->check, cpu, write, read);
        if (accepted)
            rule_broken(&p->tally, cpu, FINDING_EXPECTED, FOUND_ILLEGAL_ACCEPTED,
                        "WRMSR IA32_PQR_ASSOC <- 0x%lx raised no #GP (it then reads 0x%lx): %s", write->value,
                        read->value, p->rule);
        else if (changed)
            rule_broken(&p->tally, cpu, FINDING_EXPECTED, FOUND_REFUSED_WRITE_CHANGED,
                        "a WRMSR that raised #GP changed IA32_PQR_ASSOC from 0x%lx to 0x%lx", p->found[cpu],
                        read->value);
    }
    p->shown = true;
}

/* An illegal write, the read after it, and at once the value found, in case the write was accepted. */
static uint32_t step_pqr_illegal(struct step *steps, uint32_t n, uint64_t value, uint64_t found)
{
    n = step_pqr_pair(steps, n, value);
    return step_pqr_restore(steps, n, found);
}

static uint32_t build_script(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct pqr_sweep *p = s->context;
    struct pqr_on on = { .check = s->check, .cpu = cpu, .found = p->found[cpu] };

    pqr_layout_for(s->check, cpu, &on.layout);
    return p->readable[cpu] == ST_OK ? p->script(&on, steps) : 0;
}

static enum status pqr_sweep_run(struct check *c, uint32_t max_steps,
                                 uint32_t (*script)(const struct pqr_on *on, struct step *steps),
                                 void (*judge)(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n),
                                 const char *rule, const char *nothing)
{
    struct pqr_sweep p;

    TRY(pqr_sweep_begin(&p, c));
    TRY(rule_open(&p.tally, c));
    p.rule = rule;
    p.script = script;
    p.tally.firm = judge == judge_pqr_stored;
    TRY(sweep_run(&p.sweep, c, max_steps, build_script, judge, "IA32_PQR_ASSOC", &p));
    rule_conclude(&p.tally);
    if (p.sweep.compared > 0)
        evidence_swept(c, rule, p.sweep.compared);
    else if (check_verdict(c) == VERDICT_PASS)
        return check_absent(c, "%s", nothing);
    return ST_OK;
}

/* --- AS-02: every RMID bit is stored ------------------------------------------------------------------------------ */

static uint32_t script_rmids(const struct pqr_on *on, struct step *steps)
{
    uint32_t n = 0;

    n = step_pqr_pair(steps, n, pqr_with_rmid(on->found, 0));
    for (uint64_t rmid = 1; rmid <= on->layout.max_rmid; rmid <<= 1)
        n = step_pqr_pair(steps, n, pqr_with_rmid(on->found, (uint32_t)rmid));
    n = step_pqr_pair(steps, n, pqr_with_rmid(on->found, on->layout.max_rmid));
    return step_pqr_restore(steps, n, on->found);
}

static enum status check_rmid_storage(struct check *c)
{
    return pqr_sweep_run(c, 2 * (2 + 32) + 1, script_rmids, judge_pqr_stored,
                         "IA32_PQR_ASSOC stores RMID 0, each power of two, and the maximum RMID",
                         "IA32_PQR_ASSOC cannot be read");
}

/* --- AS-03: the maximum RMID is enforced -------------------------------------------------------------------------- */

#define AMD_RMID_FIELD BITS(11, 0) /* whatever CPUID enumerates: APM vol. 2 19.3 */

static uint32_t script_rmid_limit(const struct pqr_on *on, struct step *steps)
{
    uint64_t field = reference_is_intel(on->check) ? on->layout.rmid_mask : AMD_RMID_FIELD;

    if (field_put(IA32_PQR_ASSOC_RMID, (uint64_t)on->layout.max_rmid + 1) & ~field)
        return 0; /* does not fit the field: AS-04 has reserved bits */
    return step_pqr_illegal(steps, 0, pqr_with_rmid(on->found, on->layout.max_rmid + 1), on->found);
}

static enum status check_pqr_rmid_limit(struct check *c)
{
    return pqr_sweep_run(c, 3, script_rmid_limit, judge_pqr_refused,
                         "an RMID above CPUID.(EAX=0FH,ECX=0):EBX raises #GP",
                         "the maximum RMID fills its field, so that no larger one can be written");
}

/* --- AS-04, AS-06: reserved bits ---------------------------------------------------------------------------------- */

static uint32_t script_pqr_reserved(const struct pqr_on *on, struct step *steps)
{
    const struct rdt_info *rdt = &on->check->machine->cpus[on->cpu].rdt;
    uint64_t reserved = 0;
    uint32_t n = 0;

    if (rdt->monitoring && rdt->l3_monitoring)
        reserved |= IA32_PQR_ASSOC_RMID & ~on->layout.rmid_mask;
    if (rdt->allocation && rdt->leaf10_known && rdt->max_clos > 0)
        reserved |= IA32_PQR_ASSOC_CLOS & ~on->layout.clos_mask;
    for (unsigned bit = 0; bit < 64; bit++)
        if (reserved & BIT(bit))
            n = step_pqr_illegal(steps, n, on->found ^ BIT(bit), on->found);
    return n;
}

static enum status check_reserved_bits(struct check *c)
{
    if (!reference_has_rdt(c))
        return check_absent(c, "this processor enumerates neither L3 monitoring nor cache allocation");
    return pqr_sweep_run(c, 3 * 64, script_pqr_reserved, judge_pqr_refused,
                         "each bit of IA32_PQR_ASSOC above the enumerated RMID and CLOS widths raises #GP",
                         "IA32_PQR_ASSOC cannot be read");
}

/* --- AS-05: CLOS -------------------------------------------------------------------------------------------------- */

#define CLOS_SWEPT 256u /* no part has more than 128 CLOS (masks end at MSR D0FH); leaf 10H could claim 65,536 */

static uint32_t script_clos(const struct pqr_on *on, struct step *steps)
{
    uint32_t n = 0;

    for (uint32_t clos = 0; clos <= on->layout.max_clos && clos < CLOS_SWEPT; clos++)
        n = step_pqr_pair(steps, n, pqr_with_clos(on->found, clos));
    return step_pqr_restore(steps, n, on->found);
}

static uint32_t script_clos_limit(const struct pqr_on *on, struct step *steps)
{
    return step_pqr_illegal(steps, 0, pqr_with_clos(on->found, on->layout.clos_limit + 1), on->found);
}

static enum status check_clos_limit(struct check *c)
{
    TRY(pqr_sweep_run(c, 2 * CLOS_SWEPT + 1, script_clos, judge_pqr_stored,
                      "IA32_PQR_ASSOC stores each CLOS that CPUID leaf 10H enumerates",
                      "IA32_PQR_ASSOC cannot be read"));
    return pqr_sweep_run(c, 3, script_clos_limit, judge_pqr_refused,
                         "a CLOS above the highest of all resources raises #GP", "IA32_PQR_ASSOC cannot be read");
}

/* --- AS-09: RMID and CLOS are independent ------------------------------------------------------------------------- */

static uint32_t script_halves(const struct pqr_on *on, struct step *steps)
{
    uint64_t value;
    uint32_t n = 0;

    value = pqr_value(on->layout.max_rmid > 1 ? 1 : 0, on->layout.max_clos);
    n = step_pqr_pair(steps, n, value);
    value = pqr_with_rmid(value, on->layout.max_rmid); /* the CLOS stays */
    n = step_pqr_pair(steps, n, value);
    value = pqr_with_clos(value, on->layout.max_clos / 2); /* the RMID stays */
    n = step_pqr_pair(steps, n, value);
    value = pqr_with_rmid(value, 0);
    n = step_pqr_pair(steps, n, value);
    return step_pqr_restore(steps, n, on->found);
}

static enum status check_halves(struct check *c)
{
    return pqr_sweep_run(c, 9, script_halves, judge_pqr_stored,
                         "writing RMID or CLOS of IA32_PQR_ASSOC keeps the other field",
                         "IA32_PQR_ASSOC cannot be read");
}

static const struct check_row rows[] = {
    { .id = "pqr.rmid-storage",
      .title = "Every processor stores every RMID bit",
      .spec = SDM_ASSOC,
      .covers = "AS-02 AM-01",
      .detects = "a stuck or missing RMID bit",
      .needs = NEED_RDT_M,
      .run = check_rmid_storage },
    { .id = "pqr.rmid-limit",
      .title = "An RMID above the maximum raises #GP",
      .spec = SDM_FAULT,
      .covers = "AS-03 AM-01",
      .detects = "the RMID limit not enforced",
      .needs = NEED_RDT_M,
      .run = check_pqr_rmid_limit },
    { .id = "pqr.reserved-bits",
      .title = "Reserved bits of IA32_PQR_ASSOC raise #GP and change nothing",
      .spec = SDM_FAULT,
      .covers = "AS-04 AS-06",
      .detects = "a reserved bit that is accepted",
      .run = check_reserved_bits },
    { .id = "pqr.clos-limit",
      .title = "Every CLOS is stored, and one above the maximum raises #GP",
      .spec = SDM_CLOS,
      .covers = "AS-05",
      .detects = "the CLOS limit not enforced, or a CLOS not implemented",
      .needs = NEED_CLASSES,
      .run = check_clos_limit },
    { .id = "pqr.halves",
      .title = "Writing the RMID keeps the CLOS, and vice versa",
      .spec = SDM_ASSOC,
      .covers = "AS-09",
      .detects = "a write of one field that changes the other",
      .needs = NEED_RDT_M | NEED_CLASSES,
      .run = check_halves },
};
CHECK_FAMILY(pqr, rows, .risk = RISK_MSR, .rests_on = RESTS_ON_REGISTERS, .order = 300,
             .means = "IA32_PQR_ASSOC does not store or refuse values as the SDM has it",
             .next = "value written, value read and processor; whether every processor fails; microcode revision");
