/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_QM_EVTSEL with an RMID or event that is not enumerated, and with no event: #GP or Error, and never data. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/checks/protocol/keyhole.h"
#include "core/checks/protocol/qm_sweep.h"

#define SDM_QM    "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"
#define RDT_ERROR "RDT Architecture Specification 356688 7.1.1.4 Monitoring Data Register"

/* --- illegal selections ------------------------------------------------------------------------------------------- */

/* The SDM has both: an illegal pair raises #GP (17.16.8.1), or it is accepted and IA32_QM_CTR has Error set (17.16.7).
 * Data is neither. */
static void judge_no_data(struct rule *r, uint32_t cpu, uint32_t, uint64_t evtsel, const struct qm_probe *probe)
{
    if (probe->selected == ST_FAULT || probe->ctr_read == ST_FAULT || (probe->ctr & IA32_QM_CTR_ERROR))
        return;
    if (probe->ctr & IA32_QM_CTR_UNAVAILABLE) /* no Error, and no data either */
        rule_broken(r, cpu, FINDING_UNUSUAL, FOUND_UNAVAILABLE,
                    "IA32_QM_EVTSEL <- 0x%lx returns Unavailable (IA32_QM_CTR 0x%lx) instead of Error", evtsel,
                    probe->ctr);
    else
        rule_broken(r, cpu, FINDING_EXPECTED, FOUND_NO_ERROR,
                    "IA32_QM_EVTSEL <- 0x%lx (RMID %lu, event %lu) raised no #GP, and IA32_QM_CTR is 0x%lx without "
                    "Error",
                    evtsel, field_get(IA32_QM_EVTSEL_RMID, evtsel), field_get(IA32_QM_EVTSEL_EVTID, evtsel),
                    probe->ctr);
}

static uint32_t selections_beyond(const struct check *c, const struct qm_domain *d, uint64_t *evtsel)
{
    enum qm_event events[3];
    uint32_t n = keyhole_advertised_events(c, events);

    for (uint32_t i = 0; i < n; i++)
        evtsel[i] = qm_evtsel(d->max_rmid + 1, events[i]);
    return n;
}

QM_SWEEP(qm_rmid_limit, .what = "the RMID above the maximum with each event", .shown = 3, .select = selections_beyond,
         .judge = judge_no_data);

static uint32_t selections_unadvertised(const struct check *c, const struct qm_domain *, uint64_t *evtsel)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t n = 0;

    for (uint32_t event = 1; event <= 255; event++) {
        bool there = (event == QM_EVENT_L3_OCCUPANCY && rdt->occupancy) || (event == QM_EVENT_L3_TOTAL && rdt->total) ||
                     (event == QM_EVENT_L3_LOCAL && rdt->local);

        if (!there)
            evtsel[n++] = qm_evtsel(0, event);
    }
    return n;
}

QM_SWEEP(unadvertised_events, .what = "events that CPUID.(EAX=0FH,ECX=1):EDX does not advertise", .shown = 1,
         .select = selections_unadvertised, .judge = judge_no_data);

/* --- QM-06 -------------------------------------------------------------------------------------------------------- */

/* Event 0 is no event, and a legal selection (SDM vol. 4, as EDK2's MdePkg has it: no monitoring). What IA32_QM_CTR
 * reads then is not defined and is recorded. A legal pair comes first, so that a write of 0 is a change. */
static uint32_t selections_none(const struct check *c, const struct qm_domain *, uint64_t *evtsel)
{
    enum qm_event events[3];
    uint32_t n = keyhole_advertised_events(c, events) > 0;

    if (n)
        evtsel[0] = qm_evtsel(0, events[0]);
    evtsel[n] = qm_evtsel(0, QM_EVENT_NONE);
    return n + 1;
}

static void judge_none(struct rule *r, uint32_t cpu, uint32_t, uint64_t evtsel, const struct qm_probe *probe)
{
    const struct check *c = r->check;
    uint32_t domain = c->machine->cpus[cpu].domain;

    if (evtsel != qm_evtsel(0, QM_EVENT_NONE))
        return;
    if (probe->selected != ST_OK)
        rule_broken(r, cpu, FINDING_UNUSUAL, FOUND_LEGAL_REFUSED,
                    "WRMSR IA32_QM_EVTSEL <- 0 (RMID 0, no event) raised %s", status_text(probe->selected));
    else if (probe->evtsel_read == ST_OK && probe->evtsel != 0)
        rule_broken(r, cpu, FINDING_UNUSUAL, FOUND_NOT_STORED, "IA32_QM_EVTSEL <- 0 (RMID 0, no event) reads 0x%lx",
                    probe->evtsel);
    if (cpu == c->tools->qm[domain].cpu)
        check_note(r->check, "L3 domain %u: IA32_QM_CTR reads 0x%lx with no event selected (undefined by the SDM)",
                   domain, probe->ctr);
}

QM_SWEEP(no_event, .what = "IA32_QM_EVTSEL written without an event", .shown = 2, .select = selections_none,
         .judge = judge_none);

/* --- QM-08: Error clears when a legal pair is selected ------------------------------------------------------------ */

static uint32_t selections_illegal_legal(const struct check *c, const struct qm_domain *, uint64_t *evtsel)
{
    enum qm_event events[3];

    if (keyhole_advertised_events(c, events) == 0)
        return 0;
    evtsel[0] = qm_evtsel(0, QM_EVENT_RESERVED);
    evtsel[1] = qm_evtsel(0, events[0]);
    return 2;
}

static void judge_cleared(struct rule *r, uint32_t cpu, uint32_t i, uint64_t, const struct qm_probe *probe)
{
    if (i == 0)
        return;
    if (probe->selected != ST_OK || probe->ctr_read != ST_OK)
        rule_broken(r, cpu, FINDING_EXPECTED, FOUND_LEGAL_REFUSED, "a legal selection raises #GP after an illegal one");
    else if (probe->ctr & IA32_QM_CTR_ERROR)
        rule_broken(r, cpu, FINDING_EXPECTED, FOUND_ERROR_OF_LEGAL,
                    "Error stays set for a legal selection after an illegal one (IA32_QM_CTR 0x%lx)", probe->ctr);
}

QM_SWEEP(error_clears, .what = "a legal selection after an illegal one", .firm = true, .shown = 2,
         .select = selections_illegal_legal, .judge = judge_cleared);

static const struct check_row rows[] = {
    { .id = "qm.rmid-limit",
      .title = "An RMID above the maximum returns #GP or Error, never data",
      .spec = SDM_QM,
      .covers = "QM-04",
      .detects = "the RMID limit not enforced",
      .run = qm_rmid_limit },
    { .id = "qm.error-bit",
      .title = "An unadvertised event returns #GP or Error, never data",
      .spec = SDM_QM,
      .covers = "QM-05 QM-07",
      .detects = "Error never set; an event that CPUID does not advertise",
      .run = unadvertised_events },
    { .id = "qm.no-event",
      .title = "Event 0 (no event) can be selected; IA32_QM_CTR is recorded",
      .spec = SDM_QM "; SDM vol. 4 IA32_QM_EVTSEL, EventID 0",
      .covers = "QM-06",
      .detects = "an IA32_QM_EVTSEL that refuses or does not store 0",
      .grade = GRADE_W,
      .run = no_event },
    { .id = "qm.error-clears",
      .title = "Error clears when a legal RMID and event are selected",
      .spec = RDT_ERROR,
      .covers = "QM-08",
      .detects = "an Error bit that stays set",
      .run = error_clears },
};
CHECK_FAMILY(qm_errors, rows, QM_FAMILY, .needs = NEED_RDT_M, .risk = RISK_MSR, .order = 310);
