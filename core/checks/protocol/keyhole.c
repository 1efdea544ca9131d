/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IA32_QM_EVTSEL and IA32_QM_CTR in use: RMIDs read in turn, and the scope of the pair of registers. */
#include "core/checks/families.h"
#include "core/checks/protocol/keyhole.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/text.h"
#include "core/domain/cluster.h"
#include "core/experiment/experiment.h"
#include "core/load/loads.h"
#include "core/load/memory.h"
#include "core/platform/script.h"

#define SDM_QM "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure"

uint32_t keyhole_advertised_events(const struct check *c, enum qm_event events[3])
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t n = 0;

    if (rdt->occupancy)
        events[n++] = QM_EVENT_L3_OCCUPANCY;
    if (rdt->total)
        events[n++] = QM_EVENT_L3_TOTAL;
    if (rdt->local)
        events[n++] = QM_EVENT_L3_LOCAL;
    return n;
}

/* --- QM-11: IA32_QM_CTR follows IA32_QM_EVTSEL -------------------------------------------------------------------- */

#define ALTERNATIONS       10000u
#define ALTERNATIONS_LEAST 1000u
#define ALTERNATE_AT_ONCE  500u
#define COUNTS_APART       8u
#define ALTERNATE_SECONDS  2u /* for all domains together: an emulated MSR access may take a millisecond */

uint64_t keyhole_counts_apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Reads of RMID A, B, A, B ...; each count must be nearer to its own RMID's than to the other's. Returns how many
 * are not. Bandwidth stays while no processor has the RMIDs: what is nearer, but not the other's, is an older count. */
static uint32_t judge_alternation(struct check *c, struct qm_domain *d, const struct qm_pair *pairs, uint32_t n,
                                  const uint64_t own[2])
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t counts = pairs[i].sample.counts;
        uint64_t near = pairs[i].event == QM_EVENT_L3_OCCUPANCY ? keyhole_counts_apart(counts, own[i & 1])
                                                                : keyhole_counts_apart(own[0], own[1]) / 8;
        bool stale = pairs[i].status == ST_OK && keyhole_counts_apart(counts, own[!(i & 1)]) < near;

        if (stale && wrong++ == 0)
            evidence_qm_pair(c, d, &pairs[i]);
    }
    return wrong;
}

static void found_other_rmid(struct check *c, struct place place, enum qm_event event, uint32_t wrong, uint32_t of,
                             const uint32_t rmids[2], const uint64_t own[2])
{
    finding(c, FINDING_EXPECTED, 0, FOUND_OTHER_RMID_READ, place,
            "%u of %u reads of event %u returned the count of the RMID selected before (RMID %u has %lu counts, RMID "
            "%u %lu)",
            wrong, of, event, rmids[0], own[0], rmids[1], own[1]);
}

#define SPIKES_LEAST 16u

/* Reads that have a bit which the reads of the same RMID before and after, that are equal, do not have. No processor has the
 * RMID, and so nothing increases what it holds and takes as much away again; but the lowest bit of AMD's estimate (APM vol. 2
 * 19.3.2) may flicker. */
struct spikes {
    uint32_t n;
    uint64_t bits;
};

static void count_spikes(struct spikes *s, const struct qm_pair *pairs, uint32_t n)
{
    for (uint32_t i = 2; i + 2 < n; i++) {
        uint64_t before = pairs[i - 2].sample.counts, more = pairs[i].sample.counts ^ before;

        if (pairs[i - 2].status != ST_OK || pairs[i].status != ST_OK || pairs[i + 2].status != ST_OK ||
            pairs[i + 2].sample.counts != before || !more || more & (more - 1) || more & before)
            continue;
        s->n++;
        s->bits |= more;
    }
}

/* Reads of RMID A, B, A, B ... through d->cpu. */
struct alternation {
    uint32_t n, wrong;
    struct spikes spikes;
};

#define PROCESSOR_ALTERNATIONS 16u

/* The same domain as this processor reads it. */
static struct qm_domain read_by(const struct qm_domain *d, uint32_t cpu)
{
    struct qm_domain other = *d;

    other.cpu = cpu;
    return other;
}

/* So many reads through a processor. */
static enum status alternate_by(struct check *c, const struct qm_domain *d, uint32_t cpu, enum qm_event event,
                                const uint32_t rmids[2], const uint64_t own[2], struct alternation *a)
{
    struct qm_domain other = read_by(d, cpu);
    struct qm_pair pairs[2 * PROCESSOR_ALTERNATIONS];

    for (uint32_t i = 0; i < 2 * PROCESSOR_ALTERNATIONS; i++)
        pairs[i] = (struct qm_pair){ .rmid = rmids[i & 1], .event = event };
    TRY(qm_read_many(c->platform, &other, pairs, 2 * PROCESSOR_ALTERNATIONS));
    *a = (struct alternation){ .n = 2 * PROCESSOR_ALTERNATIONS };
    a->wrong = judge_alternation(c, &other, pairs, a->n, own);
    count_spikes(&a->spikes, pairs, a->n);
    return ST_OK;
}

/* Where reads through d->cpu are wrong: that processor, if another one of the L3 reads right. Those of other sub-NUMA clusters
 * read the same counters (Linux resctrl monitor.c, resctrl_arch_rmid_read()). */
static struct place place_of_reader(struct check *c, const struct qm_domain *d, const uint32_t rmids[2],
                                    const uint64_t own[2])
{
    struct alternation a;

    for (uint32_t k = 0; k < c->machine->n_domains; k++) {
        uint32_t n = 0, *cpus = cluster_same_l3(c, k, d->index) ? domain_all_cpus(c, k, &n) : NULL;

        for (uint32_t i = 0; cpus && i < n; i++)
            if (cpus[i] != d->cpu && alternate_by(c, d, cpus[i], QM_EVENT_L3_OCCUPANCY, rmids, own, &a) == ST_OK)
                return a.wrong ? place_domain(d->index) : place_cpu(d->cpu);
    }
    return place_domain(d->index);
}

static enum status alternate_often(struct check *c, struct qm_domain *d, const uint32_t rmids[2], const uint64_t own[2],
                                   struct alternation *a)
{
    struct qm_pair *pairs = check_alloc(c, 2 * ALTERNATE_AT_ONCE * sizeof(pairs[0]));
    uint64_t deadline =
        c->platform->ops->tsc(c->platform->machine) + ALTERNATE_SECONDS * c->platform->tsc_hz / c->machine->n_domains;
    enum status st = pairs ? ST_OK : ST_NO_MEMORY;

    *a = (struct alternation){ .n = 0 };
    for (uint32_t i = 0; pairs && i < 2 * ALTERNATE_AT_ONCE; i++)
        pairs[i] = (struct qm_pair){ .rmid = rmids[i & 1], .event = QM_EVENT_L3_OCCUPANCY };
    while (st == ST_OK && a->n < 2 * ALTERNATIONS &&
           (a->n < 2 * ALTERNATIONS_LEAST || c->platform->ops->tsc(c->platform->machine) < deadline)) {
        st = qm_read_many(c->platform, d, pairs, 2 * ALTERNATE_AT_ONCE);
        if (st == ST_OK) {
            a->wrong += judge_alternation(c, d, pairs, 2 * ALTERNATE_AT_ONCE, own);
            count_spikes(&a->spikes, pairs, 2 * ALTERNATE_AT_ONCE);
        }
        a->n += 2 * ALTERNATE_AT_ONCE;
    }
    return st;
}

/* Occupancy of an RMID that processors have moves by itself. */
static bool may_be_spikes(struct check *c, const uint32_t rmids[2], const struct spikes *s)
{
    return s->n > 0 && !(s->bits & (s->bits - 1)) && (s->bits > 1 || reference_is_intel(c)) &&
           !domain_rmid_in_background(c, rmids[0]) && !domain_rmid_in_background(c, rmids[1]);
}

static bool has_spikes(struct check *c, const uint32_t rmids[2], const struct spikes *s)
{
    return s->n >= SPIKES_LEAST && may_be_spikes(c, rmids, s);
}

static void found_spikes(struct check *c, struct place place, const struct alternation *a)
{
    finding(c, FINDING_UNUSUAL, 0, FOUND_BITS_STUCK, place,
            "%u of %u reads of occupancy have bit 0x%lx, and those of the same RMID before and after have not",
            a->spikes.n, a->n, a->spikes.bits);
}

/* Of the processor that reads for the L3, if another one has none. */
static void judge_spikes(struct check *c, const struct qm_domain *d, const uint32_t rmids[2], const uint64_t own[2],
                         const struct alternation *a)
{
    uint32_t n, *cpus = domain_all_cpus(c, d->index, &n);
    struct place place = place_domain(d->index);

    for (uint32_t i = 0; cpus && i < n; i++) {
        struct qm_domain other = read_by(d, cpus[i]);
        struct alternation its;

        if (cpus[i] == d->cpu)
            continue;
        if (alternate_often(c, &other, rmids, own, &its) == ST_OK && its.spikes.n < SPIKES_LEAST)
            place = place_cpu(d->cpu);
        break;
    }
    found_spikes(c, place, a);
}

static enum status alternate(struct check *c, struct qm_domain *d, const uint32_t rmids[2], const uint64_t own[2])
{
    struct alternation a;

    TRY_MEASURE(c, alternate_often(c, d, rmids, own, &a), d->cpu, "IA32_QM_CTR");
    evidence_swept(c, "alternating reads of two RMIDs", a.n);
    if (!check_measure(c, "reads that returned the other RMID's count", PLACE_NONE, a.wrong, "reads", 0, 0))
        found_other_rmid(c, place_of_reader(c, d, rmids, own), QM_EVENT_L3_OCCUPANCY, a.wrong, a.n, rmids, own);
    else if (has_spikes(c, rmids, &a.spikes))
        judge_spikes(c, d, rmids, own, &a);
    return ST_OK;
}

/* Selected again and again, so that the last read cannot be left over from another RMID; the first one may be
 * Unavailable (AMD). */
static enum status own_pair(struct check *c, struct qm_domain *d, uint32_t rmid, enum qm_event event,
                            struct qm_pair *pair)
{
    struct qm_pair pairs[3];
    enum status st;

    for (uint32_t i = 0; i < 3; i++)
        pairs[i] = (struct qm_pair){ .rmid = rmid, .event = event };
    st = qm_read_many(c->platform, d, pairs, 3);
    *pair = pairs[2];
    return status_first(st, pair->status);
}

/* The count of each of two RMIDs. Of bandwidth one may have no data, which qm.unavailable judges. */
static enum status own_counts(struct check *c, struct qm_domain *d, enum qm_event event, const uint32_t rmids[2],
                              uint64_t own[2])
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < 2; i++) {
        struct qm_pair pair;

        st = status_first(st, own_pair(c, d, rmids[i], event, &pair));
        own[i] = pair.sample.counts;
        if (event == QM_EVENT_L3_OCCUPANCY)
            evidence_qm_pair(c, d, &pair);
    }
    return st;
}

/* The same for MBM, whose count does not change while no processor has its RMID in IA32_PQR_ASSOC. AMD resets the count of
 * an RMID that it has not tracked (APM vol. 2 19.3.3): a finding needs both counts, read again afterwards, to be nearer to
 * their own than to the other RMID's. */
static enum status alternate_bandwidth(struct check *c, struct qm_domain *d, enum qm_event event,
                                       const uint32_t rmids[2])
{
    uint64_t own[2], after[2];
    struct alternation a;

    if (own_counts(c, d, event, rmids, own) != ST_OK || keyhole_counts_apart(own[0], own[1]) < COUNTS_APART)
        return ST_OK;
    TRY_MEASURE(c, alternate_by(c, d, d->cpu, event, rmids, own, &a), d->cpu, "IA32_QM_CTR");
    evidence_swept(c, "alternating reads of the bandwidth of two RMIDs", a.n);
    if (a.wrong && own_counts(c, d, event, rmids, after) == ST_OK &&
        keyhole_counts_apart(after[0], own[0]) < keyhole_counts_apart(after[0], own[1]) &&
        keyhole_counts_apart(after[1], own[1]) < keyhole_counts_apart(after[1], own[0]))
        found_other_rmid(c, place_domain(d->index), event, a.wrong, a.n, rmids, own);
    return ST_OK;
}

static enum status alternate_events(struct check *c, struct qm_domain *d, const uint32_t rmids[2])
{
    enum qm_event events[3];

    for (uint32_t i = 0, n = keyhole_advertised_events(c, events); i < n; i++)
        if (events[i] != QM_EVENT_L3_OCCUPANCY)
            TRY(alternate_bandwidth(c, d, events[i], rmids));
    return ST_OK;
}

/* --- QM-11: through each processor of the L3 --- */

#define AGREE_TRIES 4u
#define AGREE_PAIRS 6u /* two RMIDs with each event */

/* Bandwidth of an RMID without traffic stays or is still being counted; occupancy moves by what others evict. */
static bool is_between(const struct qm_domain *d, const struct qm_pair *before, const struct qm_pair *it,
                       const struct qm_pair *after)
{
    uint64_t from = before->sample.counts, to = after->sample.counts, at = it->sample.counts;

    if (before->status != ST_OK || after->status != ST_OK)
        return true;
    if (it->status != ST_OK)
        return false;
    if (it->event != QM_EVENT_L3_OCCUPANCY)
        return qm_delta(from, at, d->counter_width) <= qm_delta(from, to, d->counter_width);
    return at + 1 >= (from < to ? from : to) && at <= (from > to ? from : to) + 1;
}

/* The same pairs as two processors of an L3 read them: by the one, the other, and the one again. */
struct agreement {
    struct qm_pair pairs[3][AGREE_PAIRS];
    uint32_t n, apart; /* of which this one is apart; n: none */
};

/* What the other one reads lies between what the one reads before and after, in one try of several at least: AMD's
 * bandwidth counts may be reset in one, and a processor may have no data yet. Where the registers are of a cluster,
 * occupancy alone is compared. */
static enum status compare_reads(struct check *c, struct qm_domain *one, struct qm_domain *other,
                                 const uint32_t rmids[2], struct agreement *a)
{
    struct qm_domain *by[3] = { one, other, one };
    enum qm_event events[3];
    bool all = c->state->clusters_known == CLUSTERS_NONE;
    uint32_t n_events = all ? keyhole_advertised_events(c, events) : 1, off[AGREE_PAIRS] = { 0 };

    a->n = 2 * n_events;
    events[0] = QM_EVENT_L3_OCCUPANCY;
    for (uint32_t try = 0, left = a->n; try < AGREE_TRIES && left > 0; try++) {
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t i = 0; i < a->n; i++)
                a->pairs[k][i] = (struct qm_pair){ .rmid = rmids[i / n_events], .event = events[i % n_events] };
            TRY(qm_read_many(c->platform, by[k], a->pairs[k], a->n));
        }
        left = 0;
        for (uint32_t i = 0; i < a->n; i++)
            left += !is_between(one, &a->pairs[0][i], &a->pairs[1][i], &a->pairs[2][i]) && off[i]++ == try;
    }
    for (a->apart = 0; a->apart < a->n && off[a->apart] < AGREE_TRIES;)
        a->apart++;
    return ST_OK;
}

/* Whether a third processor of the L3 reads as this one, and so the L3's reader is the odd one. */
static enum status third_agrees(struct check *c, const struct qm_domain *d, uint32_t cpu, const uint32_t rmids[2],
                                bool *agrees)
{
    uint32_t n, i = 0, *cpus = domain_all_cpus(c, d->index, &n);
    struct qm_domain other = read_by(d, cpu), third;
    struct agreement a;

    if (!cpus)
        return ST_NO_MEMORY;
    while (i < n && (cpus[i] == d->cpu || cpus[i] == cpu))
        i++;
    *agrees = false;
    if (i == n)
        return ST_OK;
    third = read_by(d, cpus[i]);
    TRY(compare_reads(c, &other, &third, rmids, &a));
    *agrees = a.apart == a.n;
    return ST_OK;
}

static void read_text(const struct qm_pair *pair, char *text, size_t size)
{
    if (pair->status == ST_OK)
        text_format(text, size, "0x%lx", pair->sample.counts);
    else
        text_format(text, size, "%s", status_text(pair->status));
}

/* The same bit in several reads by one of two processors, and counts are the same without it. */
static bool differ_by_one_bit(const struct agreement *a)
{
    uint64_t bits = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < a->n; i++) {
        uint64_t off = a->pairs[1][i].sample.counts ^ a->pairs[2][i].sample.counts;

        if (a->pairs[1][i].status != ST_OK || a->pairs[0][i].sample.counts != a->pairs[2][i].sample.counts)
            continue;
        n += off != 0;
        bits |= off;
    }
    return n > 1 && !(bits & (bits - 1));
}

static enum status judge_agreement(struct check *c, struct qm_domain *d, uint32_t cpu, const uint32_t rmids[2])
{
    struct qm_domain other = read_by(d, cpu);
    const struct qm_pair *before, *its;
    struct agreement a;
    char read[48];
    bool reader_is_odd;

    TRY(compare_reads(c, d, &other, rmids, &a));
    if (a.apart == a.n)
        return ST_OK;
    TRY(third_agrees(c, d, cpu, rmids, &reader_is_odd));
    before = &a.pairs[0][a.apart];
    its = &a.pairs[1][a.apart];
    evidence_qm_pair(c, d, before);
    evidence_qm_pair(c, &other, its);
    read_text(its, read, sizeof read);
    finding(c, FINDING_EXPECTED, 0, differ_by_one_bit(&a) ? FOUND_BITS_STUCK : FOUND_READS_DIFFER,
            place_cpu(reader_is_odd ? d->cpu : cpu),
            "event %u of RMID %u reads %s through cpu %u, and 0x%lx through cpu %u of the same L3, before and after "
            "(0x%lx)",
            its->event, its->rmid, read, cpu, before->sample.counts, d->cpu, a.pairs[2][a.apart].sample.counts);
    return ST_OK;
}

static enum status judge_processor(struct check *c, struct qm_domain *d, uint32_t cpu, const uint32_t rmids[2],
                                   const uint64_t *own)
{
    struct qm_domain other = read_by(d, cpu);
    struct alternation a;

    TRY(alternate_by(c, d, cpu, QM_EVENT_L3_OCCUPANCY, rmids, own, &a));
    if (a.wrong == 0 && may_be_spikes(c, rmids, &a.spikes)) {
        TRY(alternate_often(c, &other, rmids, own, &a));
        if (has_spikes(c, rmids, &a.spikes))
            found_spikes(c, place_cpu(cpu), &a);
    }
    if (a.wrong == 0)
        return judge_agreement(c, d, cpu, rmids);
    found_other_rmid(c, place_cpu(cpu), QM_EVENT_L3_OCCUPANCY, a.wrong, a.n, rmids, own);
    return ST_OK;
}

/* Nearly all counts are read by one processor of an L3: every other one reads the same. own: NULL where the counts of the
 * two RMIDs are too close. Not where the L3's reader has been found wrong. */
static enum status every_processor(struct check *c, struct qm_domain *d, const uint32_t rmids[2], const uint64_t *own)
{
    uint32_t n, *cpus = domain_all_cpus(c, d->index, &n);

    if (!cpus)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        if (cpus[i] != d->cpu)
            TRY_MEASURE(c, own ? judge_processor(c, d, cpus[i], rmids, own) : judge_agreement(c, d, cpus[i], rmids),
                        cpus[i], "IA32_QM_CTR");
    }
    evidence_swept(c, "processors whose reads of two RMIDs were compared", n);
    return ST_OK;
}

/* Each RMID after the one that has the load: its first read is its own, as the second one. */
#define EACH_READS 3u

static const struct qm_pair *first_stale(struct check *c, struct qm_domain *d, const struct qm_pair *pairs, uint32_t n,
                                         uint32_t *wrong)
{
    const struct qm_pair *found = NULL;

    for (const struct qm_pair *p = pairs; p < pairs + n; p += EACH_READS) {
        uint64_t other = p[0].sample.counts, first = p[1].sample.counts, own = p[2].sample.counts;

        if (p[0].status != ST_OK || p[1].status != ST_OK || p[2].status != ST_OK ||
            keyhole_counts_apart(other, own) < COUNTS_APART ||
            keyhole_counts_apart(first, other) >= keyhole_counts_apart(first, own) ||
            domain_rmid_in_background(c, p[1].rmid))
            continue;
        if (!found) {
            found = p;
            evidence_qm_pair(c, d, &p[1]);
        }
        ++*wrong;
    }
    return found;
}

static enum status each_rmid(struct check *c, struct qm_domain *d, uint32_t loaded)
{
    uint32_t n = d->max_rmid + 1, wrong = 0;
    const struct qm_pair *stale;
    struct qm_pair *pairs;

    TRY_ALLOC(c, pairs, EACH_READS * n, "IA32_QM_CTR");
    for (uint32_t i = 0; i < EACH_READS * n; i++)
        pairs[i] = (struct qm_pair){ .rmid = i % EACH_READS ? i / EACH_READS : loaded, .event = QM_EVENT_L3_OCCUPANCY };
    TRY_MEASURE(c, qm_read_many(c->platform, d, pairs, EACH_READS * n), d->cpu, "IA32_QM_CTR");
    evidence_swept(c, "RMIDs that were read after another one", n);
    stale = first_stale(c, d, pairs, EACH_READS * n, &wrong);
    check_measure(c, "RMIDs whose first read returned the count of the RMID before", place_domain(d->index), wrong,
                  "RMIDs", 0, 0);
    if (stale)
        finding(
            c, FINDING_EXPECTED, 0, FOUND_OTHER_RMID_READ, place_rmid(d->index, stale[1].rmid),
            "the first read after RMID %u, which has %lu counts, returned %lu, the second one %lu; so it is under %u "
            "of %u RMIDs",
            loaded, stale[0].sample.counts, stale[1].sample.counts, stale[2].sample.counts, wrong, n);
    return ST_OK;
}

static void keep(uint32_t rmid, uint64_t counts, uint32_t *kept_rmid, uint64_t *kept)
{
    *kept_rmid = rmid;
    *kept = counts;
}

/* A fill may count under another RMID than it is known to, as where clusters share RMIDs out by a rule that is not known:
 * of all RMIDs the one that counts most, and the one that counts least. */
static void widest_apart(struct check *c, struct qm_domain *d, uint32_t rmids[2], uint64_t own[2])
{
    bool any = false;

    for (uint32_t rmid = 0; rmid <= d->max_rmid; rmid++) {
        struct qm_pair pair;
        uint64_t counts;

        if (own_pair(c, d, rmid, QM_EVENT_L3_OCCUPANCY, &pair) != ST_OK)
            continue;
        counts = pair.sample.counts;
        if (!any || counts > own[0])
            keep(rmid, counts, &rmids[0], &own[0]);
        if (!any || counts < own[1])
            keep(rmid, counts, &rmids[1], &own[1]);
        any = true;
    }
}

/* Of a cluster's L3 that is smaller than what two L2 hold, more than itself: an L2 keeps one of them at most. */
static uint64_t fill_bytes(const struct check *c, uint32_t domain)
{
    uint64_t small = load_small_fill_bytes(c, domain),
             l2s = c->machine->domains[domain].l3_inclusive ? 0 : 2 * reference_l2_bytes(c);

    return small > l2s ? small : l2s;
}

static enum status check_keyhole(struct check *c, uint32_t domain)
{
    uint32_t cpu = 0, rmids[2];
    uint64_t bytes = fill_bytes(c, domain), base = 0, own[2];
    struct traffic_part part;
    struct reading readings[2];
    struct experiment e;
    bool apart;

    if (domain_rmids_any(c, domain, rmids, 2) < 2)
        return check_absent(c, "L3 domain %u: fewer than two free RMIDs", domain);
    if (domain_cpus(c, domain, &cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    TRY(memory_scatter_any(c, cpu, bytes, &base));
    part = part_fill(c, domain, rmids[0], base, bytes);
    for (uint32_t i = 0; i < 2; i++)
        readings[i] = reading_of("occupancy", domain, rmids[i], QM_EVENT_L3_OCCUPANCY);
    TRY(experiment_stream(c, cpu, &part, 1, readings, 2, &e));
    TRY_MEASURE(c, own_counts(c, domain_qm(c, domain), QM_EVENT_L3_OCCUPANCY, rmids, own), domain_qm(c, domain)->cpu,
                "IA32_QM_CTR");
    if (keyhole_counts_apart(own[0], own[1]) < COUNTS_APART)
        widest_apart(c, domain_qm(c, domain), rmids, own);
    apart = keyhole_counts_apart(own[0], own[1]) >= COUNTS_APART;
    if (apart)
        TRY(alternate(c, domain_qm(c, domain), rmids, own));
    if (c->state->record.n_findings == 0)
        TRY(alternate_events(c, domain_qm(c, domain), rmids));
    if (c->state->record.n_findings == 0)
        TRY(every_processor(c, domain_qm(c, domain), rmids, apart ? own : NULL));
    if (!apart && c->state->record.n_findings == 0)
        return check_absent(
            c, "L3 domain %u: the occupancies of two RMIDs are too close (%lu and %lu counts): see cmt.fill", domain,
            own[0], own[1]);
    return c->state->record.n_findings ? ST_OK : each_rmid(c, domain_qm(c, domain), rmids[0]);
}

/* --- QM-14, QM-15: Unavailable clears ----------------------------------------------------------------------------- */

#define AVAILABLE_READS 32u

/* An active RMID is tracked, so its data is available at each read. AMD returns Unavailable when it begins to track an
 * RMID, so there it may precede the first data, and must not come back. */
static enum status event_available(struct check *c, struct qm_domain *d, uint32_t rmid, enum qm_event event)
{
    uint32_t before = 0, between = 0;
    bool seen = false;

    for (uint32_t i = 0; i < AVAILABLE_READS; i++) {
        struct qm_pair pair = { .rmid = rmid, .event = event };

        pair.status = qm_read(c->platform, d, rmid, event, &pair.sample);
        if (pair.status != ST_OK && pair.status != ST_UNAVAILABLE)
            return check_unmeasured(c, pair.status, d->cpu, "IA32_QM_CTR");
        if (i == 0 || (pair.status == ST_UNAVAILABLE && before + between == 0))
            evidence_qm_pair(c, d, &pair);
        if (pair.status == ST_OK)
            seen = true;
        else if (seen || reference_is_intel(c))
            between++;
        else
            before++;
    }
    if (!check_measure(c, "Unavailable reads of an active RMID",
                       place_with_detail(place_domain(d->index), "event %u", event), between, "reads", 0, 0))
        finding(c, FINDING_EXPECTED, 0, FOUND_UNAVAILABLE, place_rmid(d->index, rmid),
                "%u of %u reads of event %u are Unavailable right after its traffic", between, AVAILABLE_READS, event);
    else if (!seen)
        finding(c, FINDING_EXPECTED, 0, FOUND_UNAVAILABLE, place_rmid(d->index, rmid),
                "all %u reads of event %u are Unavailable right after its traffic", before, event);
    return ST_OK;
}

static enum status check_unavailable(struct check *c, uint32_t domain)
{
    struct qm_domain *d = domain_qm(c, domain);
    enum qm_event events[3];
    uint32_t n_events = keyhole_advertised_events(c, events), cpu = 0, rmid = 0, bad_cpu = 0;
    uint64_t base = 0;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };

    if (domain_rmids(c, domain, &rmid, 1) < 1)
        return check_absent(c, "L3 domain %u: no free RMID", domain);
    if (domain_cpus(c, domain, &cpu, 1) == 0)
        return check_absent(c, "L3 domain %u: no processor takes work", domain);
    TRY(memory_take_any(c, cpu, MIB, &base));
    load.cpu = cpu;
    part = part_read(rmid, base, MIB);
    TRY_MEASURE(c, traffic_run(c->platform, &load, 1, NULL, NULL, &bad_cpu), bad_cpu, "the workload");
    for (uint32_t i = 0; i < n_events; i++)
        TRY(event_available(c, d, rmid, events[i]));
    return ST_OK;
}

/* --- QM-12, AM-09: scope of the pair ------------------------------------------------------------------------------ */

bool keyhole_has_evtsel_per_processor(const struct check *c)
{
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;

    return id->vendor == VENDOR_AMD &&
           (id->family > 0x19 ||
            (id->family == 0x19 && ((id->model >= 0x10 && id->model < 0x20) || id->model >= 0x60)));
}

/* One processor selects; another one of the same L3 reads IA32_QM_EVTSEL. */
static enum status evtsel_scope(struct check *c, struct qm_domain *d)
{
    uint32_t cpus[2], rmid = d->max_rmid > 1 ? 2 : 1;
    enum qm_event events[3];
    struct step select[1], read[1];
    bool shared;

    if (domain_cpus(c, d->index, cpus, 2) < 2 || keyhole_advertised_events(c, events) == 0)
        return check_absent(c, "L3 domain %u: fewer than two processors take work, or no event is advertised",
                            d->index);
    select[0] = step_wrmsr(IA32_QM_EVTSEL, qm_evtsel(rmid, events[0]));
    read[0] = step_rdmsr(IA32_QM_EVTSEL);
    TRY_MEASURE(c, msr_write(c->platform, cpus[1], IA32_QM_EVTSEL, qm_evtsel(0, events[0])), cpus[0], "IA32_QM_EVTSEL");
    TRY_MEASURE(c, script_run(c->platform, cpus[0], select, 1, 1000), cpus[0], "IA32_QM_EVTSEL");
    TRY_MEASURE(c, script_run(c->platform, cpus[1], read, 1, 1000), cpus[0], "IA32_QM_EVTSEL");
    TRY_MEASURE(c, msr_write(c->platform, cpus[0], IA32_QM_EVTSEL, qm_evtsel(0, events[0])), cpus[0], "IA32_QM_EVTSEL");
    shared = read[0].value == select[0].value;
    evidence_wrmsr(c, cpus[0], IA32_QM_EVTSEL, select[0].value, select[0].status, select[0].tsc);
    evidence_msr(c, cpus[1], IA32_QM_EVTSEL, read[0].value, read[0].tsc);
    check_note(c, "L3 domain %u: IA32_QM_EVTSEL has %s scope", d->index, shared ? "L3" : "logical processor");
    if (shared && keyhole_has_evtsel_per_processor(c))
        finding(c, FINDING_EXPECTED, 0, FOUND_REGISTER_SHARED, place_domain(d->index),
                "cpu %u and cpu %u share IA32_QM_EVTSEL; on this part each logical processor has its own", cpus[0],
                cpus[1]);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "qm.keyhole",
      .title = "IA32_QM_CTR returns the RMID and event selected last, on every processor",
      .spec = SDM_QM,
      .covers = "QM-11",
      .detects = "a stale count of the RMID selected before; a processor that reads other counts than its L3's others; "
                 "a bit that reads 1 now and then",
      .means = "IA32_QM_CTR returns the count of the RMID selected before: software reads another task's figures",
      .next = "the raw counts in the evidence; whether a second read is right; microcode revision",
      .needs = NEED_OCCUPANCY,
      .run_domain = check_keyhole },
    { .id = "qm.unavailable",
      .title = "Data of an active RMID is available",
      .spec = SDM_QM,
      .covers = "QM-14 QM-15",
      .means = "IA32_QM_CTR stays Unavailable for an RMID that moves data",
      .next = "the RMID in the finding; `qm.every-rmid`; on AMD the number of tracked RMIDs",
      .needs = NEED_RDT_M,
      .grade = GRADE_W,
      .run_domain = check_unavailable },
    { .id = "qm.scope",
      .title = "IA32_QM_EVTSEL has the scope that the part documents",
      .spec = SDM_QM "; APM vol. 2 19.3",
      .covers = "QM-12 AM-09",
      .detects = "an IA32_QM_EVTSEL shared by an L3 where each logical processor has its own",
      .needs = NEED_RDT_M | NEED_2_CPUS,
      .risk = RISK_MSR,
      .run_qm = evtsel_scope },
};
CHECK_FAMILY(keyhole, rows, QM_FAMILY, .risk = RISK_WORKLOAD, .order = 320);
