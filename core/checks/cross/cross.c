/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Packages against each other. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/cluster/cluster_view.h"
#include "core/experiment/fill.h"

#define RDT_ENUM  "RDT Architecture Specification 356688 2.4.1 CPUID enumeration"
#define RDT_SCOPE "RDT Architecture Specification 356688 7.1 Monitoring: RMIDs are local to an L3"

/* A started processor of a package; UINT32_MAX: none. */
static uint32_t package_cpu(const struct check *c, uint32_t package)
{
    return FIND(i, c->machine->n_cpus,
                c->machine->cpus[i].package == package && (c->platform->cpus[i].flags & CPU_STARTED) &&
                    c->machine->cpus[i].enumerated == ST_OK,
                i, UINT32_MAX);
}

/* Those of a package's processor against those of package 0's; returns how many. */
static uint32_t compare_package(struct check *c, uint32_t package, uint32_t first, uint32_t cpu)
{
    const struct rdt_leaf *a;
    uint32_t compared = 0, leaf, subleaf;

    for (uint32_t n = 0; (a = rdt_nth_leaf(&c->machine->cpus[first].rdt, n, &leaf, &subleaf)) != NULL; n++) {
        const struct rdt_leaf *b = rdt_nth_leaf(&c->machine->cpus[cpu].rdt, n, &leaf, &subleaf);

        compared += a->known || b->known;
        if (package == 1 && b->known)
            evidence_cpuid(c, cpu, leaf, subleaf, &b->regs);
        if (rdt_leaf_equal(a, b))
            continue;
        evidence_cpuid(c, first, leaf, subleaf, &a->regs);
        evidence_cpuid(c, cpu, leaf, subleaf, &b->regs);
        finding(c, FINDING_UNUSUAL, 0, FOUND_PROCESSORS_DIFFER, place_package(package),
                "CPUID.(0x%x,%u) differs from package 0", leaf, subleaf);
    }
    return compared;
}

static enum status check_packages(struct check *c)
{
    uint32_t first = package_cpu(c, 0), compared = 0;

    if (c->machine->n_packages < 2 || first == UINT32_MAX)
        return check_absent(c, "one package");
    for (uint32_t p = 1; p < c->machine->n_packages; p++) {
        uint32_t cpu = package_cpu(c, p);

        if (cpu != UINT32_MAX)
            compared += compare_package(c, p, first, cpu);
    }
    evidence_swept(c, "sub-leaves of CPUID 0FH, 10H and 80000020H compared between packages", compared);
    return ST_OK;
}

static enum status check_limits(struct check *c)
{
    const struct l3_domain *first = &c->machine->domains[0];

    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        const struct l3_domain *d = &c->machine->domains[i];
        if (!check_measure(c, "highest RMID", place_domain(i), d->max_rmid, "", first->max_rmid, first->max_rmid))
            finding(c, FINDING_EXPECTED, 0, FOUND_DOMAINS_DIFFER, place_domain(i),
                    "maximum RMID is %u, that of L3 domain 0 is %u", d->max_rmid, first->max_rmid);
        if (!check_measure(c, "upscaling factor", place_domain(i), d->upscaling_factor, "bytes",
                           first->upscaling_factor, first->upscaling_factor))
            finding(c, FINDING_EXPECTED, 0, FOUND_DOMAINS_DIFFER, place_domain(i),
                    "upscaling factor is %u bytes, that of L3 domain 0 is %u", d->upscaling_factor,
                    first->upscaling_factor);
    }
    return ST_OK;
}

/* Every other L3 is filled at once under one RMID, each with the next one as its witness, which would show what leaks from
 * any of them; then the witnesses are filled. The next domain after `domain` that has a processor, and is not one with it;
 * itself where there is no other. */
static uint32_t next_domain(struct check *c, uint32_t domain, bool (*one)(const struct check *, uint32_t, uint32_t))
{
    for (uint32_t k = 1; k < c->machine->n_domains; k++) {
        uint32_t other = (domain + k) % c->machine->n_domains;

        if (domain_qm(c, other) && !one(c, domain, other))
            return other;
    }
    return domain;
}

static uint32_t other_domain(struct check *c, uint32_t domain)
{
    return next_domain(c, domain, cluster_common);
}

static uint32_t other_l3(struct check *c, uint32_t domain)
{
    return next_domain(c, domain, cluster_same_l3);
}

#define SAME_RMID "traffic in one L3 domain is counted in another, or not in its own"

/* Another domain that has the RMID too. */
static enum status same_rmid_elsewhere(struct check *c, uint32_t domain, uint32_t rmid, uint32_t *other)
{
    *other = other_domain(c, domain);
    if (*other == domain)
        return check_absent(c, "no other L3 domain has a processor");
    return rmid <= c->machine->domains[*other].max_rmid ? ST_OK : check_absent(c, "L3 domain %u: no free RMID", domain);
}

/* One processor of `domain` fills; the same RMID of another domain must show nothing. */
static enum status cross_occupancy(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct fill f;
    struct traffic_load load;
    struct reading r[2];
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = r, .n_readings = 2 };
    uint32_t other;

    TRY(fill_take(c, domain, 1, 2 * fill_least_bytes(c, domain), &b, &f));
    TRY(same_rmid_elsewhere(c, domain, f.rmid, &other));
    TRY(fill_plan(&f));
    load = fill_load(&f);
    r[0] = reading_of("occupancy in the domain of the fill", domain, f.rmid, QM_EVENT_L3_OCCUPANCY);
    r[1] = reading_of("occupancy of the same RMID elsewhere", other, f.rmid, QM_EVENT_L3_OCCUPANCY);
    expect_occupancy(c, &r[0], (double)f.bytes, 0);
    expect_no_occupancy(c, &r[1]);
    expect_none_of(&r[1], (double)f.bytes);
    return fill_check(&e, &f, FILL_BY_CONTROL, SAME_RMID);
}

/* The same of reads and MBM total. */
static enum status cross_bandwidth(struct check *c, uint32_t domain)
{
    struct test_buffer b;
    struct traffic_part part;
    struct reading r[2];
    struct experiment e;
    uint32_t other;

    TRY(test_buffer_any(c, domain, 1, load_stream_bytes(c, domain), &b));
    TRY(same_rmid_elsewhere(c, domain, b.rmids[0], &other));
    part = part_read(b.rmids[0], b.base, b.bytes);
    r[0] = reading_of("total bytes in the domain of the reads", domain, b.rmids[0], QM_EVENT_L3_TOTAL);
    r[1] = reading_of("total bytes of the same RMID elsewhere", other, b.rmids[0], QM_EVENT_L3_TOTAL);
    expect_bandwidth(c, &r[0], (double)b.bytes);
    expect_idle(&r[1], (double)b.bytes);
    TRY(experiment_stream(c, b.cpu, &part, 1, r, 2, &e));
    experiment_judge(&e, SAME_RMID);
    return ST_OK;
}

/* --- CM-23: lines leave an L3 by what a processor of another one does */

struct taking {
    enum work_kind kind;
    const char *name, *stimulus;
};

/* CLFLUSH invalidates a line in every cache of the coherence domain (SDM vol. 2A CLFLUSH), and a line that is stored to
 * is modified in one cache alone (SDM vol. 3A 12.4, MESI). */
static const struct taking takings[] = {
    { WORK_FLUSH, "occupancy after CLFLUSH by another L3's processor",
      "a processor of another L3 flushed every line of the buffer" },
    { WORK_WRITE, "occupancy after stores by another L3's processor",
      "a processor of another L3 stored to every line of the buffer" },
};

static enum status take_lines(struct check *c, const struct fill *f, uint32_t cpu, const struct taking *t)
{
    struct traffic_part part = part_flush(0, f->base, f->bytes);
    struct traffic_load load = { .cpu = cpu, .n_parts = 1, .parts = &part };
    struct reading r = reading_of(t->name, f->domain, f->rmid, QM_EVENT_L3_OCCUPANCY);
    struct experiment e = { .check = c, .loads = &load, .n_loads = 1, .readings = &r, .n_readings = 1 };

    part.work.kind = t->kind;
    r.code = FOUND_KEPT_AFTER_FLUSH;
    expect_no_occupancy(c, &r);
    expect_none_of(&r, (double)f->bytes);
    e.flags = EXPERIMENT_WARM;
    return experiment_check(&e, t->stimulus);
}

static enum status cross_taken(struct check *c, uint32_t domain)
{
    uint32_t other = other_l3(c, domain), cpu = 0, bad_cpu;
    struct test_buffer b;
    struct reading r;
    struct fill f;

    TRY(fill_take(c, domain, 1, 2 * fill_least_bytes(c, domain), &b, &f));
    if (other == domain || domain_cpus(c, other, &cpu, 1) == 0)
        return check_absent(c, "no other L3 domain has a processor");
    bad_cpu = cpu;
    for (uint32_t i = 0; i < sizeof takings / sizeof takings[0]; i++) {
        TRY(fill_known(&f, "occupancy before", &r));
        TRY(take_lines(c, &f, cpu, &takings[i]));
        TRY_MEASURE(c, domain_clean(c, other, &bad_cpu), bad_cpu, "WBINVD");
    }
    return ST_OK;
}

/* --- XC-06, CM-17: who sees a fill */

struct witness {
    uint32_t cpu;
    bool shares;
    struct qm_sample sample;
    double bytes;
};

/* Occupancy of an RMID as one processor reads it. */
static enum status seen_by(struct check *c, uint32_t domain, uint32_t rmid, struct witness *w)
{
    struct qm_domain d = c->tools->qm[domain];

    d.cpu = w->cpu;
    TRY_MEASURE(c, qm_read_wait(c->platform, &d, rmid, QM_EVENT_L3_OCCUPANCY, 4, &w->sample, NULL), w->cpu,
                "IA32_QM_CTR");
    w->bytes = (double)qm_bytes(&d, w->sample.counts);
    return ST_OK;
}

static void judge_witness(struct check *c, uint32_t domain, const struct reading *r, const struct witness *w)
{
    struct reading none = reading_of("", domain, r->rmid, QM_EVENT_L3_OCCUPANCY), its = *r;

    its.bytes = w->bytes;
    evidence_msr(c, w->cpu, IA32_QM_CTR, w->sample.raw, w->sample.tsc);
    expect_no_occupancy(c, &none);
    expect_none_of(&none, r->bytes);
    if (w->shares && !check_measure(c, "occupancy read by a processor of this L3", place_cpu(w->cpu), w->bytes, "bytes",
                                    r->lo, r->hi))
        finding(c, reading_may_be(r, w->bytes) ? FINDING_EXPECTED : FINDING_FORBIDDEN, 0, reading_code(&its, r->lo),
                place_domain_cpu(domain, w->cpu),
                "the processor shares the L3 by CPUID and reads %lu bytes of the fill", (uint64_t)w->bytes);
    if (!w->shares && !check_measure(c, "occupancy read by a processor of another L3", place_cpu(w->cpu), w->bytes,
                                     "bytes", 0, none.hi))
        finding(c, reading_may_be(&none, w->bytes) ? FINDING_EXPECTED : FINDING_FORBIDDEN, 0, FOUND_COUNTED_ELSEWHERE,
                place_domain_cpu(domain, w->cpu),
                "the processor does not share the L3 by CPUID and reads %lu bytes of the fill", (uint64_t)w->bytes);
}

/* Every processor of the L3, and the first one of another L3. */
static uint32_t find_witnesses(struct check *c, uint32_t domain, uint32_t rmid, struct witness *w)
{
    uint32_t other = other_l3(c, domain), n = 0;
    const struct cluster_l3 *l3 = cluster_of(c, domain, NULL);

    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        uint32_t theirs = c->machine->cpus[i].domain;
        bool shares = theirs != NO_DOMAIN && cluster_same_l3(c, theirs, domain);

        /* Found by fills: what a processor reads of another cluster's RMIDs is not documented. */
        if (l3 && l3->rule == CLUSTER_FOUND && shares && theirs != domain)
            continue;
        if (!cpu_takes_work(c->platform, i) || theirs == NO_DOMAIN || rmid > c->machine->domains[theirs].max_rmid ||
            (!shares && (theirs != other || domain_qm(c, theirs)->cpu != i)))
            continue;
        w[n++] = (struct witness){ .cpu = i, .shares = shares };
    }
    return n;
}

/* All read before anything is said: what the report writes to its medium takes lines from the fill. */
static enum status cross_judge_readers(struct check *c, uint32_t domain, const struct reading *r)
{
    struct witness *w;
    uint32_t n;

    TRY_ALLOC(c, w, c->machine->n_cpus, "the processors' reads");
    n = find_witnesses(c, domain, r->rmid, w);
    for (uint32_t i = 0; i < n; i++)
        TRY(seen_by(c, domain, r->rmid, &w[i]));
    for (uint32_t i = 0; i < n; i++)
        judge_witness(c, domain, r, &w[i]);
    return ST_OK;
}

/* A fill is seen by the processors that share its L3, and by no others, or their CPUID is wrong. */
static enum status cross_sharing(struct check *c, uint32_t domain)
{
    uint32_t other = other_l3(c, domain), bad_cpu = c->machine->domains[other].cpu;
    struct test_buffer b;
    struct fill f;
    struct reading r;

    TRY(fill_take(c, domain, 1, 2 * fill_least_bytes(c, domain), &b, &f));
    if (other != domain) { /* it may have been filled in its own turn */
        TRY_MEASURE(c, domain_clean(c, other, &bad_cpu), bad_cpu, "WBINVD");
    }
    TRY(fill_known(&f, "occupancy in the domain of the fill", &r));
    return cross_judge_readers(c, domain, &r);
}

static const struct check_row rows[] = {
    { .id = "cross.packages",
      .no_monitor = true,
      .title = "Every package enumerates the same RDT monitoring and allocation",
      .spec = RDT_ENUM,
      .covers = "XC-01",
      .detects = "mixed steppings",
      .needs = NEED_RDT_BIT,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_packages },
    { .id = "cross.limits",
      .no_monitor = true,
      .title = "Every L3 domain has the same maximum RMID and upscaling factor",
      .spec = RDT_ENUM,
      .covers = "XC-11",
      .detects = "packages fused differently",
      .needs = NEED_RDT_M | NEED_2_DOMAINS,
      .rests_on = RESTS_ON_REGISTERS,
      .run = check_limits },
    { .id = "cmt.other-domain",
      .title = "Occupancy is counted only in the L3 domain that was filled",
      .spec = RDT_SCOPE,
      .covers = "XC-04",
      .means = "an RMID's occupancy is counted in an L3 where it filled nothing",
      .next = "`cross.sharing`; routing of the counters between packages",
      .needs = NEED_OCCUPANCY | NEED_2_DOMAINS,
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_OCCUPANCY,
      .by_experience = true,
      .excludes = true,
      .partner = other_domain,
      .run_domain = cross_occupancy },
    { .id = "cmt.taken",
      .title = "Lines that another L3's processor flushes or stores to leave their RMID",
      .spec = "SDM vol. 2A CLFLUSH; SDM vol. 3A 12.4 Cache Control Protocol; APM vol. 2 19.3.2",
      .covers = "CM-23",
      .means = "lines that another package has taken or flushed still count as occupied",
      .next = "`cmt.flush`, which flushes by a processor of the same L3; `cmt.eviction`",
      .grade = GRADE_W,
      .needs = NEED_OCCUPANCY | NEED_2_DOMAINS,
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_OCCUPANCY,
      .by_experience = true,
      .excludes = true,
      .partner = other_l3,
      .run_domain = cross_taken },
    { .id = "mbm.other-domain",
      .title = "MBM counts only in the L3 domain of the traffic",
      .spec = RDT_SCOPE,
      .covers = "XC-05",
      .means = "traffic of one package is counted in another",
      .next = "`mbm.matrix`; routing of the counters between packages",
      .needs = NEED_TOTAL | NEED_2_DOMAINS,
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_BANDWIDTH,
      .by_experience = true,
      .excludes = true,
      .partner = other_domain,
      .run_domain = cross_bandwidth },
    { .id = "cross.sharing",
      .no_monitor = true,
      .title = "A fill is seen by the processors that share its L3 by CPUID, only",
      .spec = "SDM vol. 2A CPUID, leaf 4: EAX[25:14]; " RDT_SCOPE,
      .covers = "XC-06 CM-17 XC-04",
      .detects = "a wrong sharing field in CPUID, occupancy that is counted per core",
      .means = "the processors of an L3 are not those that CPUID says: every figure by L3 is a mixture",
      .next = "leaf 4 in the stream; the map in the finding",
      .needs = NEED_OCCUPANCY | NEED_2_CPUS,
      .risk = RISK_WORKLOAD,
      .rests_on = RESTS_ON_OCCUPANCY,
      .by_experience = true,
      .excludes = true,
      .partner = other_l3,
      .run_domain = cross_sharing },
};
CHECK_FAMILY(cross, rows, .order = 800, .means = "packages or clusters of one machine differ, or are not as enumerated",
             .next = "the packages in the finding: stepping, microcode, fuses; clustering settings");
