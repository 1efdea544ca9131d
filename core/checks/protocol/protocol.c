/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_QM_EVTSEL and IA32_QM_CTR: which selections are legal, and what each returns. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/checks/protocol/keyhole.h"
#include "core/checks/protocol/qm_sweep.h"
#include "core/experiment/experiment.h"

#define SDM_QM    "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"
#define SDM_FAULT "SDM vol. 3B 17.16.8.1 Monitoring Dynamic Configuration"

/* --- QM-01: IA32_QM_EVTSEL stores the selection ------------------------------------------------------------------- */

static uint32_t legal_selections(const struct check *c, const struct qm_domain *d, uint64_t *evtsel)
{
    enum qm_event events[3];
    uint32_t n_events = keyhole_advertised_events(c, events), n = 0;

    for (uint32_t i = 0; i < n_events; i++)
        for (uint64_t rmid = 0; rmid <= d->max_rmid && n < QM_SELECTIONS; rmid = rmid ? rmid << 1 : 1)
            evtsel[n++] = qm_evtsel((uint32_t)rmid, events[i]);
    return n;
}

static void judge_storage(struct rule *r, uint32_t cpu, uint32_t, uint64_t evtsel, const struct qm_probe *probe)
{
    if (probe->selected != ST_OK)
        rule_broken(r, cpu, FINDING_FORBIDDEN, FOUND_LEGAL_REFUSED,
                    "WRMSR IA32_QM_EVTSEL <- 0x%lx, a legal pair, raised %s", evtsel, status_text(probe->selected));
    else if (probe->evtsel_read != ST_OK || probe->evtsel != evtsel)
        rule_broken(r, cpu, FINDING_FORBIDDEN, FOUND_NOT_STORED, "IA32_QM_EVTSEL was written 0x%lx and reads 0x%lx",
                    evtsel, probe->evtsel);
}

QM_SWEEP(evtsel_storage, .what = "IA32_QM_EVTSEL written with event and RMID, and read back", .firm = true, .shown = 4,
         .select = legal_selections, .judge = judge_storage);

/* --- QM-02: reserved bits ----------------------------------------------------------------------------------------- */

/* The first parts have RMID 41:32 and reserve 63:42, AMD has 43:32; wider fields follow CPUID.(0FH,0):EBX. Bits inside
 * the architectural field but above what is enumerated are an unsupported RMID: QM-04. */
#define INTEL_RMID_BITS 10u
#define AMD_RMID_BITS   12u

/* ExtEvtID must be zero unless assignable counters are on: APM vol. 2 19.3.1.2. */
static bool abmc_enabled(const struct check *c, uint32_t cpu)
{
    uint64_t config = 0;

    return (c->machine->cpus[cpu].rdt.qosx_ebx & CPUID_8000_0020_0_EBX_ABMC) &&
           msr_read(c->platform, cpu, L3_QOS_EXT_CFG, &config) == ST_OK && (config & L3_QOS_EXT_CFG_ABMC_EN);
}

static uint32_t reserved_selections(const struct check *c, const struct qm_domain *d, uint64_t *evtsel)
{
    const struct rdt_info *rdt = &c->machine->cpus[d->cpu].rdt;
    uint32_t width = reference_is_intel(c) ? INTEL_RMID_BITS : AMD_RMID_BITS, n = 0;
    uint64_t legal = IA32_QM_EVTSEL_EVTID;

    if (rdt->rmid_width > width)
        width = rdt->rmid_width;
    legal |= field_put(IA32_QM_EVTSEL_RMID, low_bits(width));
    if (abmc_enabled(c, d->cpu))
        legal |= IA32_QM_EVTSEL_ExtEvtID;
    for (unsigned bit = 0; bit < 64; bit++)
        if (!(legal & BIT(bit)))
            evtsel[n++] = BIT(bit);
    return n;
}

static void judge_reserved(struct rule *r, uint32_t cpu, uint32_t, uint64_t evtsel, const struct qm_probe *probe)
{
    if (probe->selected == ST_OK)
        rule_broken(r, cpu, FINDING_EXPECTED, FOUND_ILLEGAL_ACCEPTED,
                    "reserved bit %u of IA32_QM_EVTSEL is accepted (it then reads 0x%lx)", bits_for(evtsel) - 1,
                    probe->evtsel);
    else if (probe->evtsel_read == ST_OK && probe->evtsel != probe->before)
        rule_broken(r, cpu, FINDING_EXPECTED, FOUND_REFUSED_WRITE_CHANGED,
                    "a WRMSR that raised #GP changed IA32_QM_EVTSEL from 0x%lx to 0x%lx", probe->before, probe->evtsel);
}

QM_SWEEP(evtsel_reserved, .what = "reserved bits of IA32_QM_EVTSEL, each written alone",
         .nothing = "IA32_QM_EVTSEL has no reserved bit", .shown = 2, .select = reserved_selections,
         .judge = judge_reserved);

/* --- every RMID with every event ---------------------------------------------------------------------------------- */

/* Reads every RMID with every advertised event, each answer given to judge(). what: of the evidence. */
static enum status qm_read_all(struct check *c, struct qm_domain *d, const char *what,
                               void (*judge)(struct check *c, struct qm_domain *d, const struct qm_pair *pair))
{
    enum qm_event events[3];
    uint32_t n_events = keyhole_advertised_events(c, events), n = n_events * (d->max_rmid + 1);
    struct qm_pair *pairs = check_alloc(c, (n + 1) * sizeof(pairs[0]));
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0; pairs && i < n; i++)
        pairs[i] = (struct qm_pair){ .rmid = i / n_events, .event = events[i % n_events] };
    if (st == ST_OK)
        st = qm_read_many(c->platform, d, pairs, n);
    if (st != ST_OK)
        return check_unmeasured(c, st, d->cpu, "IA32_QM_CTR");
    for (uint32_t i = 0; i < n; i++)
        judge(c, d, &pairs[i]);
    evidence_swept(c, what, n);
    return ST_OK;
}

/* Error of a legal pair is the answer to an illegal one that was selected before: so it is again, and the next read has
 * none. */
static bool is_left_over(const struct check *c, struct qm_domain *d, const struct qm_pair *pair)
{
    struct qm_sample s;

    return qm_read(c->platform, d, pair->rmid, QM_EVENT_RESERVED, &s) != ST_LOST && /* whatever it returns */
           qm_read(c->platform, d, pair->rmid, pair->event, &s) == ST_QM_ERROR &&
           qm_read(c->platform, d, pair->rmid, pair->event, &s) == ST_OK;
}

/* QM-03 */
static void judge_readable(struct check *c, struct qm_domain *d, const struct qm_pair *pair)
{
    if (pair->rmid == 0 || pair->rmid == d->max_rmid || pair->status == ST_QM_ERROR)
        evidence_qm_pair(c, d, pair);
    if (pair->status == ST_QM_ERROR)
        finding(c, FINDING_EXPECTED, 0, is_left_over(c, d, pair) ? FOUND_OTHER_RMID_READ : FOUND_ERROR_OF_LEGAL,
                place_rmid(d->index, pair->rmid), "event %u, both enumerated: IA32_QM_CTR returns Error (0x%lx)",
                pair->event, pair->sample.raw);
    else if (pair->status == ST_FAULT)
        finding(c, FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_rmid(d->index, pair->rmid),
                "event %u, both enumerated: selecting them raises #GP", pair->event);
}

static enum status every_rmid(struct check *c, struct qm_domain *d)
{
    return qm_read_all(c, d, "every RMID with every advertised event read without Error", judge_readable);
}

/* QM-10, CM-08 */
static void judge_data_bits(struct check *c, struct qm_domain *d, const struct qm_pair *pair)
{
    uint32_t width = domain_count_bits(c, d->index);
    uint64_t counts = pair->sample.counts, above = counts & ~low_bits(width);

    if (pair->status != ST_OK || d->upscaling_factor == 0)
        return;
    if (pair->event != QM_EVENT_L3_OCCUPANCY && above) {
        evidence_qm_pair(c, d, pair);
        /* The rule is AMD's; Intel's manual only says that a subset is often used. */
        finding(c, reference_is_intel(c) ? FINDING_UNUSUAL : FINDING_FORBIDDEN, 0, FOUND_BITS_ABOVE_WIDTH,
                place_rmid(d->index, pair->rmid), "event %u: data bits 0x%lx lie above the counter width of %u bits",
                pair->event, above, width);
    }
    if (pair->event == QM_EVENT_L3_OCCUPANCY && (double)qm_bytes(d, counts) > reading_occupancy_most(c, d->index)) {
        evidence_qm_pair(c, d, pair);
        finding(c, FINDING_FORBIDDEN, 0, FOUND_MORE_THAN_CACHE, place_rmid(d->index, pair->rmid),
                "occupancy is %lu bytes, the whole L3 is %lu bytes", qm_bytes(d, counts),
                l3_whole_bytes(&c->machine->domains[d->index]));
    }
}

static enum status data_bits(struct check *c, struct qm_domain *d)
{
    return qm_read_all(c, d, "counts of every RMID and event against counter width and L3 size", judge_data_bits);
}

/* QM-09: the SDM calls the register read-only; a #GP on a write is not stated for this register in particular. */
static uint32_t one_selection(const struct check *c, const struct qm_domain *, uint64_t *evtsel)
{
    enum qm_event events[3];

    if (keyhole_advertised_events(c, events) == 0)
        return 0;
    evtsel[0] = qm_evtsel(0, events[0]);
    return 1;
}

static void judge_read_only(struct rule *r, uint32_t cpu, const struct step *steps)
{
    enum status outcome = ST_OK, st;
    uint64_t before = 0, after = 0;

    st = qm_write_of(steps, &outcome, &before, &after);
    if (st != ST_OK)
        check_cannot_measure(r->check, st, cpu, "IA32_QM_CTR");
    else if (outcome != ST_FAULT)
        rule_broken(r, cpu, FINDING_UNUSUAL, FOUND_ILLEGAL_ACCEPTED,
                    "WRMSR IA32_QM_CTR raised no #GP (it read 0x%lx before and 0x%lx after)", before, after);
}

QM_SWEEP(counter_read_only, .what = "writes of IA32_QM_CTR refused", .writes = true, .shown = 1,
         .select = one_selection, .judge_write = judge_read_only);

static const struct check_row rows[] = {
    { .id = "qm.evtsel-storage",
      .title = "IA32_QM_EVTSEL stores every legal RMID and event",
      .spec = SDM_QM,
      .covers = "QM-01",
      .detects = "bits of RMID or event dropped",
      .run = evtsel_storage },
    { .id = "qm.evtsel-reserved",
      .title = "Reserved bits of IA32_QM_EVTSEL raise #GP",
      .spec = SDM_FAULT,
      .covers = "QM-02",
      .detects = "a reserved bit that is accepted",
      .run = evtsel_reserved },
    { .id = "qm.every-rmid",
      .title = "Every RMID reads every advertised event without Error",
      .spec = SDM_QM,
      .covers = "QM-03",
      .detects = "fewer RMIDs implemented than enumerated",
      .run_qm = every_rmid },
    { .id = "qm.counter-read-only",
      .title = "IA32_QM_CTR is read-only",
      .spec = SDM_QM,
      .covers = "QM-09",
      .detects = "a counter that software can change",
      .grade = GRADE_W,
      .run = counter_read_only },
    { .id = "qm.data-bits",
      .title = "Counts fit the counter width, and occupancy fits the L3",
      .spec = "SDM vol. 3B 17.16.8 Monitoring Programming Considerations; APM vol. 2 19.3",
      .covers = "QM-10 CM-08",
      .means = "a count exceeds what CPUID allows: the counter width or the upscaling factor is wrong",
      .next = "`enum.width`, `enum.upscaling`; the raw value in the evidence",
      .rests_on = RESTS_ON_OCCUPANCY,
      .run_qm = data_bits },
};
CHECK_FAMILY(protocol, rows, QM_FAMILY, .needs = NEED_RDT_M, .risk = RISK_MSR, .order = 310);
