/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_QM_EVTSEL with an RMID or event that is not enumerated, and with no event: #GP or Error, and never data. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/checks/protocol/keyhole.h"

#define SDM_QM    "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"
#define RDT_ERROR "RDT Architecture Specification 356688 7.1.1.4 Monitoring Data Register"

/* --- illegal selections ------------------------------------------------------------------------------------------- */

/* The SDM has both: an illegal pair raises #GP (17.16.8.1), or it is accepted and IA32_QM_CTR has Error set (17.16.7).
 * Data is neither. */
static enum status expect_no_data(struct check *c, struct qm_domain *d, uint64_t evtsel, bool show)
{
    struct qm_probe probe;
    enum status st = qm_select_probe(c->platform, d, evtsel, &probe);
    bool good;

    if (st != ST_OK)
        return check_unmeasured(c, st, d->cpu, "IA32_QM_EVTSEL");
    good = probe.selected == ST_FAULT || probe.ctr_read == ST_FAULT || (probe.ctr & IA32_QM_CTR_ERROR);
    if (show || !good)
        evidence_qm_probe(c, d, evtsel, &probe);
    if (!good && (probe.ctr & IA32_QM_CTR_UNAVAILABLE)) /* no Error, and no data either */
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNAVAILABLE, place_domain(d->index),
                "IA32_QM_EVTSEL <- 0x%lx returns Unavailable (IA32_QM_CTR 0x%lx) instead of Error", evtsel, probe.ctr);
    else if (!good)
        finding(c, FINDING_EXPECTED, 0, FOUND_NO_ERROR, place_domain(d->index),
                "IA32_QM_EVTSEL <- 0x%lx (RMID %lu, event %lu) raised no #GP, and IA32_QM_CTR is 0x%lx "
                "without Error",
                evtsel, field_get(IA32_QM_EVTSEL_RMID, evtsel), field_get(IA32_QM_EVTSEL_EVTID, evtsel), probe.ctr);
    return ST_OK;
}

static enum status qm_rmid_limit(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    uint32_t n = keyhole_advertised_events(c, events);
    enum status st = n ? ST_OK : check_absent(c, "L3 domain %u: no event is advertised", d->index);

    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = expect_no_data(c, d, qm_evtsel(d->max_rmid + 1, events[i]), true);
    return st;
}

static enum status unadvertised_events(struct check *c, struct qm_domain *d)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t compared = 0;
    enum status st = ST_OK;

    for (uint32_t event = 1; event <= 255 && st == ST_OK; event++) {
        bool there = (event == QM_EVENT_L3_OCCUPANCY && rdt->occupancy) || (event == QM_EVENT_L3_TOTAL && rdt->total) ||
                     (event == QM_EVENT_L3_LOCAL && rdt->local);

        if (there)
            continue;
        st = expect_no_data(c, d, qm_evtsel(0, event), compared == 0);
        compared++;
    }
    evidence_swept(c, "events that CPUID.(EAX=0FH,ECX=1):EDX does not advertise", compared);
    return st;
}

/* QM-06: event 0 is no event, and a legal selection (SDM vol. 4, as EDK2's MdePkg has it: no monitoring). What
 * IA32_QM_CTR reads then is not defined and is recorded. */
static enum status no_event(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    struct qm_probe probe;
    enum status st = ST_OK;

    if (keyhole_advertised_events(c, events) > 0) /* so that a write of 0 is a change */
        st = qm_select_probe(c->platform, d, qm_evtsel(0, events[0]), &probe);
    if (st == ST_OK)
        st = qm_select_probe(c->platform, d, qm_evtsel(0, QM_EVENT_NONE), &probe);
    if (st != ST_OK)
        return check_unmeasured(c, st, d->cpu, "IA32_QM_EVTSEL");
    evidence_qm_probe(c, d, qm_evtsel(0, QM_EVENT_NONE), &probe);
    if (probe.selected != ST_OK)
        finding(c, FINDING_UNUSUAL, 0, FOUND_LEGAL_REFUSED, place_domain(d->index),
                "WRMSR IA32_QM_EVTSEL <- 0 (RMID 0, no event) raised %s", status_text(probe.selected));
    else if (probe.evtsel_read == ST_OK && probe.evtsel != 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_NOT_STORED, place_domain(d->index),
                "IA32_QM_EVTSEL <- 0 (RMID 0, no event) reads 0x%lx", probe.evtsel);
    check_note(c, "L3 domain %u: IA32_QM_CTR reads 0x%lx with no event selected (undefined by the SDM)", d->index,
               probe.ctr);
    return ST_OK;
}

/* QM-08: Error clears when a legal pair is selected. */
static enum status error_clears(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    uint32_t n = keyhole_advertised_events(c, events);
    struct qm_probe illegal, legal;
    enum status st;

    if (n == 0)
        return check_absent(c, "L3 domain %u: no event is advertised", d->index);
    st = qm_select_probe(c->platform, d, qm_evtsel(0, QM_EVENT_RESERVED), &illegal);
    if (st == ST_OK)
        st = qm_select_probe(c->platform, d, qm_evtsel(0, events[0]), &legal);
    if (st != ST_OK)
        return check_unmeasured(c, st, d->cpu, "IA32_QM_CTR");
    evidence_qm_probe(c, d, qm_evtsel(0, QM_EVENT_RESERVED), &illegal);
    evidence_qm_probe(c, d, qm_evtsel(0, events[0]), &legal);
    if (legal.selected != ST_OK || legal.ctr_read != ST_OK)
        finding(c, FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_domain(d->index),
                "a legal selection raises #GP after an illegal one");
    else if (legal.ctr & IA32_QM_CTR_ERROR)
        finding(c, FINDING_EXPECTED, 0, FOUND_ERROR_OF_LEGAL, place_domain(d->index),
                "Error stays set for a legal selection after an illegal one (IA32_QM_CTR 0x%lx)", legal.ctr);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "qm.rmid-limit",
      .title = "An RMID above the maximum returns #GP or Error, never data",
      .spec = SDM_QM,
      .covers = "QM-04",
      .detects = "the RMID limit not enforced",
      .run_qm = qm_rmid_limit },
    { .id = "qm.error-bit",
      .title = "An unadvertised event returns #GP or Error, never data",
      .spec = SDM_QM,
      .covers = "QM-05 QM-07",
      .detects = "Error never set; an event that CPUID does not advertise",
      .run_qm = unadvertised_events },
    { .id = "qm.no-event",
      .title = "Event 0 (no event) can be selected; IA32_QM_CTR is recorded",
      .spec = SDM_QM "; SDM vol. 4 IA32_QM_EVTSEL, EventID 0",
      .covers = "QM-06",
      .detects = "an IA32_QM_EVTSEL that refuses or does not store 0",
      .grade = GRADE_W,
      .run_qm = no_event },
    { .id = "qm.error-clears",
      .title = "Error clears when a legal RMID and event are selected",
      .spec = RDT_ERROR,
      .covers = "QM-08",
      .detects = "an Error bit that stays set",
      .run_qm = error_clears },
};
CHECK_FAMILY(qm_errors, rows, QM_FAMILY, .needs = NEED_RDT_M, .risk = RISK_MSR, .order = 310);
