/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The keyhole: IA32_QM_EVTSEL and IA32_QM_CTR, what may be selected and what is answered. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/protocol/keyhole.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define SDM_QM    "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"
#define SDM_FAULT "SDM vol. 3B 17.16.8.1 Monitoring Dynamic Configuration"
#define RDT_ERROR "RDT Architecture Specification 356688 7.1.1.4 Monitoring Data Register"

static void show_probe(struct check *c, const struct qm_domain *d, uint64_t evtsel, const struct qm_probe *probe)
{
    evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, evtsel, probe->selected, 0);
    if (probe->evtsel_read == ST_OK)
        evidence_msr(c, d->cpu, IA32_QM_EVTSEL, probe->evtsel, 0);
    if (probe->ctr_read == ST_OK)
        evidence_msr(c, d->cpu, IA32_QM_CTR, probe->ctr, probe->tsc);
}

/* --- QM-01: what is selected stands in EVTSEL --------------------------------------------------------------------- */

static bool evtsel_storage(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    uint32_t n = advertised(c, events), compared = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint64_t rmid = 0; rmid <= d->max_rmid; rmid = rmid ? rmid << 1 : 1) {
            uint64_t evtsel = qm_evtsel((uint32_t)rmid, events[i]);
            struct qm_probe probe;
            enum status st = qm_select_probe(c->platform, d, evtsel, &probe);

            if (st != ST_OK)
                return cannot_measure(c, st, d->cpu, "IA32_QM_EVTSEL"), true;
            compared++;
            if (compared <= 4 || probe.selected != ST_OK || probe.evtsel != evtsel)
                show_probe(c, d, evtsel, &probe);
            if (probe.selected != ST_OK)
                return fail(c, "L3 domain %u: WRMSR IA32_QM_EVTSEL <- 0x%llx raised %s: the pair is legal", d->index,
                            (unsigned long long)evtsel, status_text(probe.selected)),
                       true;
            if (probe.evtsel_read != ST_OK || probe.evtsel != evtsel)
                return fail(c, "L3 domain %u: IA32_QM_EVTSEL was written 0x%llx and reads 0x%llx", d->index,
                            (unsigned long long)evtsel, (unsigned long long)probe.evtsel),
                       true;
        }
    evidence_swept(c, "IA32_QM_EVTSEL written with event and RMID, and read back", compared);
    return compared > 0;
}

static enum verdict check_evtsel_storage(struct check *c)
{
    return each_keyhole(c, evtsel_storage);
}

/* --- QM-02: reserved bits ----------------------------------------------------------------------------------------- */

/* The first parts have RMID 41:32 and reserve 63:42, AMD has 43:32; wider fields follow CPUID.(0FH,0):EBX. Bits inside
 * the architectural field but above what is enumerated are an unsupported RMID: QM-04. */
#define INTEL_RMID_BITS 10u
#define AMD_RMID_BITS   12u

static bool evtsel_reserved(struct check *c, struct qm_domain *d)
{
    const struct rdt_info *rdt = &c->machine->cpus[d->cpu].rdt;
    uint32_t width = is_intel(c) ? INTEL_RMID_BITS : AMD_RMID_BITS, compared = 0;
    uint64_t legal = IA32_QM_EVTSEL_EVTID;

    if (rdt->rmid_width > width)
        width = rdt->rmid_width;
    legal |= field_put(IA32_QM_EVTSEL_RMID, low_bits(width));
    if (!is_intel(c) && (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_ABMC))
        legal |= IA32_QM_EVTSEL_ExtEvtID; /* legal while assignable counters are on */
    for (unsigned bit = 0; bit < 64; bit++) {
        struct qm_probe probe;
        enum status st;

        if (legal & BIT(bit))
            continue;
        st = qm_select_probe(c->platform, d, BIT(bit), &probe);
        if (st != ST_OK)
            return cannot_measure(c, st, d->cpu, "IA32_QM_EVTSEL"), true;
        compared++;
        if (compared <= 2 || probe.selected != ST_FAULT)
            show_probe(c, d, BIT(bit), &probe);
        if (probe.selected == ST_OK)
            fail(c, "L3 domain %u: reserved bit %u of IA32_QM_EVTSEL is accepted (it then reads 0x%llx)", d->index, bit,
                 (unsigned long long)probe.evtsel);
        else if (probe.evtsel_read == ST_OK && probe.evtsel != probe.before)
            fail(c, "L3 domain %u: a refused WRMSR changed IA32_QM_EVTSEL from 0x%llx to 0x%llx", d->index,
                 (unsigned long long)probe.before, (unsigned long long)probe.evtsel);
    }
    evidence_swept(c, "reserved bits of IA32_QM_EVTSEL set alone", compared);
    return compared > 0;
}

static enum verdict check_evtsel_reserved(struct check *c)
{
    return each_keyhole(c, evtsel_reserved);
}

/* --- a walk over every RMID and event ----------------------------------------------------------------------------- */

static struct qm_pair *walk_pairs(struct check *c, struct qm_domain *d, uint32_t *n_pairs, enum status *st)
{
    enum qm_event events[3];
    uint32_t n_events = advertised(c, events), n = n_events * (d->max_rmid + 1);
    struct qm_pair *pairs = heap_alloc((n + 1) * sizeof(pairs[0]));

    *n_pairs = n;
    *st = pairs ? ST_OK : ST_NO_MEMORY;
    if (pairs == NULL)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        pairs[i] = (struct qm_pair){ .rmid = i / n_events, .event = events[i % n_events] };
    *st = qm_read_many(c->platform, d, pairs, n);
    return pairs;
}

/* One walk, each answer given to judge(). */
static bool walk(struct check *c, struct qm_domain *d, const char *what,
                 void (*judge)(struct check *c, struct qm_domain *d, const struct qm_pair *pair))
{
    uint32_t n = 0;
    enum status st;
    struct qm_pair *pairs = walk_pairs(c, d, &n, &st);

    if (st != ST_OK) {
        cannot_measure(c, st, d->cpu, "IA32_QM_CTR");
    } else {
        for (uint32_t i = 0; i < n; i++)
            judge(c, d, &pairs[i]);
        evidence_swept(c, what, n);
    }
    heap_free(pairs);
    return true;
}

/* QM-03 */
static void judge_readable(struct check *c, struct qm_domain *d, const struct qm_pair *pair)
{
    if (pair->rmid == 0 || pair->rmid == d->max_rmid || pair->status == ST_QM_ERROR)
        show_pair(c, d, pair);
    if (pair->status == ST_QM_ERROR)
        fail(c, "L3 domain %u: RMID %u, event %u is advertised and answered with Error (0x%llx)", d->index, pair->rmid,
             pair->event, (unsigned long long)pair->sample.raw);
    else if (pair->status == ST_FAULT)
        fail(c, "L3 domain %u: RMID %u, event %u is advertised and its selection raised #GP", d->index, pair->rmid,
             pair->event);
}

static bool every_rmid(struct check *c, struct qm_domain *d)
{
    return walk(c, d, "every RMID with every advertised event read without Error", judge_readable);
}

static enum verdict check_every_rmid(struct check *c)
{
    return each_keyhole(c, every_rmid);
}

/* QM-10, CM-08 */
static void judge_data_bits(struct check *c, struct qm_domain *d, const struct qm_pair *pair)
{
    const struct l3_domain *l3 = &c->machine->domains[d->index];
    uint64_t counts = pair->sample.counts, above = counts & ~low_bits(d->counter_width);

    if (pair->status != ST_OK || d->upscaling_factor == 0)
        return;
    if (pair->event != QM_EVENT_L3_OCCUPANCY && above) {
        show_pair(c, d, pair);
        if (is_intel(c)) /* the rule is AMD's; Intel's manual only says that a subset is often used */
            warn(c, "L3 domain %u: RMID %u, event %u: bits 0x%llx stand above the %u bits of the counter", d->index,
                 pair->rmid, pair->event, (unsigned long long)above, d->counter_width);
        else
            fail(c, "L3 domain %u: RMID %u, event %u: bits 0x%llx stand above the %u bits of the counter", d->index,
                 pair->rmid, pair->event, (unsigned long long)above, d->counter_width);
    }
    if (pair->event == QM_EVENT_L3_OCCUPANCY && counts > l3->l3_bytes / d->upscaling_factor) {
        show_pair(c, d, pair);
        fail(c, "L3 domain %u: RMID %u occupies %llu counts, the whole L3 is %llu", d->index, pair->rmid,
             (unsigned long long)counts, (unsigned long long)(l3->l3_bytes / d->upscaling_factor));
    }
}

static bool data_bits(struct check *c, struct qm_domain *d)
{
    return walk(c, d, "counts of every RMID and event held against counter width and L3 size", judge_data_bits);
}

static enum verdict check_data_bits(struct check *c)
{
    return each_keyhole(c, data_bits);
}

/* --- illegal selections ------------------------------------------------------------------------------------------- */

/* The manual contradicts itself: an illegal pair raises #GP, or it is taken and QM_CTR says Error. Data is neither.
 * true: as it should be. */
static bool refuses(struct check *c, struct qm_domain *d, uint64_t evtsel, bool show, bool *measured)
{
    struct qm_probe probe;
    enum status st = qm_select_probe(c->platform, d, evtsel, &probe);
    bool good;

    *measured = st == ST_OK;
    if (st != ST_OK) {
        cannot_measure(c, st, d->cpu, "IA32_QM_EVTSEL");
        return false;
    }
    good = probe.selected == ST_FAULT || probe.ctr_read == ST_FAULT || (probe.ctr & IA32_QM_CTR_ERROR);
    if (show || !good)
        show_probe(c, d, evtsel, &probe);
    if (!good && (probe.ctr & IA32_QM_CTR_UNAVAILABLE)) { /* no Error, and no data either */
        warn(c, "L3 domain %u: IA32_QM_EVTSEL <- 0x%llx is answered with Unavailable (0x%llx), not with Error",
             d->index, (unsigned long long)evtsel, (unsigned long long)probe.ctr);
        return true;
    }
    if (!good)
        fail(c,
             "L3 domain %u: IA32_QM_EVTSEL <- 0x%llx (RMID %llu, event %llu) raised no #GP, and IA32_QM_CTR is 0x%llx "
             "without Error",
             d->index, (unsigned long long)evtsel, (unsigned long long)field_get(IA32_QM_EVTSEL_RMID, evtsel),
             (unsigned long long)field_get(IA32_QM_EVTSEL_EVTID, evtsel), (unsigned long long)probe.ctr);
    return good;
}

static bool rmid_limit(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    uint32_t n = advertised(c, events);
    bool measured = true;

    for (uint32_t i = 0; i < n && measured; i++)
        refuses(c, d, qm_evtsel(d->max_rmid + 1, events[i]), true, &measured);
    return n > 0;
}

static enum verdict check_rmid_limit(struct check *c)
{
    return each_keyhole(c, rmid_limit);
}

static bool ghost_events(struct check *c, struct qm_domain *d)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t compared = 0;
    bool measured = true;

    for (uint32_t event = 1; event <= 255 && measured; event++) {
        bool there = (event == QM_EVENT_L3_OCCUPANCY && rdt->occupancy) || (event == QM_EVENT_L3_TOTAL && rdt->total) ||
                     (event == QM_EVENT_L3_LOCAL && rdt->local);

        if (there)
            continue;
        refuses(c, d, qm_evtsel(0, event), compared == 0, &measured);
        compared++;
    }
    evidence_swept(c, "events that leaf 0FH.1 does not advertise", compared);
    return true;
}

static enum verdict check_error_bit(struct check *c)
{
    return each_keyhole(c, ghost_events);
}

/* QM-06: event 0 is no event, and a legal selection (SDM vol. 4, as EDK2's MdePkg has it: no monitoring). What
 * IA32_QM_CTR says then no document defines: that is recorded. */
static bool no_event(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    struct qm_probe probe;
    enum status st = ST_OK;

    if (advertised(c, events) > 0) /* else what it reads afterwards may be what it always was */
        st = qm_select_probe(c->platform, d, qm_evtsel(0, events[0]), &probe);
    if (st == ST_OK)
        st = qm_select_probe(c->platform, d, qm_evtsel(0, QM_EVENT_NONE), &probe);
    if (st != ST_OK)
        return cannot_measure(c, st, d->cpu, "IA32_QM_EVTSEL"), true;
    show_probe(c, d, qm_evtsel(0, QM_EVENT_NONE), &probe);
    if (probe.selected != ST_OK)
        warn(c, "L3 domain %u: WRMSR IA32_QM_EVTSEL <- 0 (RMID 0, no event) raised %s", d->index,
             status_text(probe.selected));
    else if (probe.evtsel_read == ST_OK && probe.evtsel != 0)
        warn(c, "L3 domain %u: IA32_QM_EVTSEL <- 0 (RMID 0, no event) reads 0x%llx", d->index,
             (unsigned long long)probe.evtsel);
    note(c, "L3 domain %u: with no event selected IA32_QM_CTR is 0x%llx, and nothing says what it should be", d->index,
         (unsigned long long)probe.ctr);
    return true;
}

static enum verdict check_no_event(struct check *c)
{
    return each_keyhole(c, no_event);
}

/* QM-08: Error goes when a legal pair is selected. */
static bool error_clears(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    uint32_t n = advertised(c, events);
    struct qm_probe illegal, legal;
    enum status st;

    if (n == 0)
        return false;
    st = qm_select_probe(c->platform, d, qm_evtsel(0, QM_EVENT_RESERVED), &illegal);
    if (st == ST_OK)
        st = qm_select_probe(c->platform, d, qm_evtsel(0, events[0]), &legal);
    if (st != ST_OK)
        return cannot_measure(c, st, d->cpu, "IA32_QM_CTR"), true;
    show_probe(c, d, qm_evtsel(0, QM_EVENT_RESERVED), &illegal);
    show_probe(c, d, qm_evtsel(0, events[0]), &legal);
    if (legal.selected != ST_OK || legal.ctr_read != ST_OK)
        fail(c, "L3 domain %u: after an illegal selection a legal one raises #GP", d->index);
    else if (legal.ctr & IA32_QM_CTR_ERROR)
        fail(c, "L3 domain %u: after an illegal selection a legal one still says Error (0x%llx)", d->index,
             (unsigned long long)legal.ctr);
    return true;
}

static enum verdict check_error_clears(struct check *c)
{
    return each_keyhole(c, error_clears);
}

/* QM-09: the manual calls the register read-only; that a write raises #GP is not said of this one in particular. */
static bool counter_read_only(struct check *c, struct qm_domain *d)
{
    enum qm_event events[3];
    uint64_t before = 0, after = 0;
    enum status outcome = ST_OK, st;

    if (advertised(c, events) == 0)
        return false;
    st = qm_counter_write(c->platform, d, 0, events[0], 0, &outcome, &before, &after);
    if (st != ST_OK)
        return cannot_measure(c, st, d->cpu, "IA32_QM_CTR"), true;
    evidence_msr(c, d->cpu, IA32_QM_CTR, before, 0);
    evidence_wrmsr(c, d->cpu, IA32_QM_CTR, 0, outcome, 0);
    evidence_msr(c, d->cpu, IA32_QM_CTR, after, 0);
    if (outcome != ST_FAULT)
        warn(c, "L3 domain %u: WRMSR IA32_QM_CTR raised no #GP (it read 0x%llx before and 0x%llx after)", d->index,
             (unsigned long long)before, (unsigned long long)after);
    return true;
}

static enum verdict check_counter_read_only(struct check *c)
{
    return each_keyhole(c, counter_read_only);
}

#define MEANS_USUAL "IA32_QM_EVTSEL and IA32_QM_CTR do not follow their protocol"
#define NEXT_USUAL  "selection, raw counter and processor in the evidence; whether every L3 does it; `enum.rmid-range`"

static const struct check_row rows[] = {
    { .id = "qm.evtsel-storage",
      .title = "IA32_QM_EVTSEL stores every legal pair",
      .spec = SDM_QM,
      .rows = "QM-01",
      .detects = "bits of the selection dropped",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_evtsel_storage },
    { .id = "qm.evtsel-reserved",
      .title = "Reserved bits of IA32_QM_EVTSEL are refused",
      .spec = SDM_FAULT,
      .rows = "QM-02",
      .detects = "a reserved bit that is accepted",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_evtsel_reserved },
    { .id = "qm.every-rmid",
      .title = "Every RMID answers every advertised event without Error",
      .spec = SDM_QM,
      .rows = "QM-03",
      .detects = "an RMID table shorter than advertised",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_every_rmid },
    { .id = "qm.rmid-limit",
      .title = "An RMID above the highest gives #GP or Error, never data",
      .spec = SDM_QM,
      .rows = "QM-04",
      .detects = "the RMID limit not enforced",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_rmid_limit },
    { .id = "qm.error-bit",
      .title = "An event that is not advertised gives #GP or Error, never data",
      .spec = SDM_QM,
      .rows = "QM-05 QM-07",
      .detects = "Error never set; an event that CPUID does not know",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_error_bit },
    { .id = "qm.no-event",
      .title = "Event 0 is no event and can be selected; what it answers is recorded",
      .spec = SDM_QM "; SDM vol. 4 IA32_QM_EVTSEL, EventID 0",
      .rows = "QM-06",
      .detects = "a selection register that cannot be put at rest",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_no_event },
    { .id = "qm.error-clears",
      .title = "Error goes when a legal pair is selected",
      .spec = RDT_ERROR,
      .rows = "QM-08",
      .detects = "a sticky Error",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_error_clears },
    { .id = "qm.counter-read-only",
      .title = "IA32_QM_CTR cannot be written",
      .spec = SDM_QM,
      .rows = "QM-09",
      .detects = "a counter that software can change",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_counter_read_only },
    { .id = "qm.data-bits",
      .title = "No count has bits above its width, no occupancy is larger than the L3",
      .spec = "SDM vol. 3B 17.16.8 Monitoring Programming Considerations; APM vol. 2 19.3",
      .rows = "QM-10 CM-08",
      .detects = "a counter wider than CPUID says; a wrong upscaling factor",
      .means = "a count has bits that it cannot have: width or factor of CPUID is wrong",
      .next = "`enum.width`, `enum.upscaling`; the raw value in the evidence",
      .needs = NEED_RDT_M,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 310,
      .run = check_data_bits },
};
CHECK_FAMILY(protocol, rows);
