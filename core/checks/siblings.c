/* Two threads of a core that have nothing to do with each other, and the RMIDs of clusters. */
#include "arch/x86/pqr.h"
#include "arch/x86/rdt_regs.h"
#include "core/checks/common.h"
#include "core/checks/families.h"
#include "core/heap.h"
#include "core/script.h"
#include "core/text.h"

#define TAG_WRITES 10000u

static bool same_core(const struct cpu_place *a, const struct cpu_place *b)
{
    return a->package == b->package && a->die == b->die && a->core == b->core && a->thread != b->thread;
}

/* The first two threads of one core of this L3 that take work. */
static bool find_pair(const struct check *c, uint32_t domain, uint32_t pair[2])
{
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        for (uint32_t k = i + 1; k < c->machine->n_cpus && c->machine->cpus[i].domain == domain; k++)
            if (cpu_takes_work(c->platform, i) && cpu_takes_work(c->platform, k) &&
                same_core(&c->machine->cpus[i].place, &c->machine->cpus[k].place)) {
                pair[0] = i;
                pair[1] = k;
                return true;
            }
    return false;
}

struct leak {
    uint32_t pair[2];  /* who changes its tag, who fills */
    uint32_t rmids[3]; /* two of the first, one of the second */
    uint64_t found[2];
    struct work fill;
    struct step *steps; /* TAG_WRITES + 2 of the first, 4 of the second */
};

/* Both begin together. Both tags go back in the same tasks; where one broke off, here. */
static enum status run_leak(struct check *c, struct leak *l)
{
    struct step *a = l->steps, *b = l->steps + TAG_WRITES + 2;
    struct task tasks[2] = { { .cpu = l->pair[0], .n_steps = TAG_WRITES + 2, .steps = a },
                             { .cpu = l->pair[1], .n_steps = 4, .steps = b } };
    enum status st;

    a[0] = b[0] = step_barrier();
    for (uint32_t i = 0; i < TAG_WRITES; i++)
        a[1 + i] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_rmid(l->found[0], l->rmids[i & 1]));
    a[TAG_WRITES + 1] = step_wrmsr(IA32_PQR_ASSOC, l->found[0]);
    b[1] = step_wrmsr_must(IA32_PQR_ASSOC, pqr_with_rmid(l->found[1], l->rmids[2]));
    b[2] = step_work(&l->fill);
    b[3] = step_wrmsr(IA32_PQR_ASSOC, l->found[1]);
    st = platform_run(c->platform, tasks, 2, work_budget_ms(l->fill.bytes) + TAG_WRITES);
    for (uint32_t i = 0; i < 2 && st != ST_OK; i++)
        if (cpu_takes_work(c->platform, l->pair[i]) &&
            msr_write(c->platform, l->pair[i], IA32_PQR_ASSOC, l->found[i]) != ST_OK)
            note(c, "cpu %u: IA32_PQR_ASSOC could not be written back", l->pair[i]);
    for (uint32_t i = 0; i <= TAG_WRITES && st == ST_OK; i++)
        st = a[i].status;
    return st == ST_OK ? status_first(b[1].status, b[2].status) : st;
}

static void judge_leak(struct check *c, uint32_t domain, struct leak *l)
{
    static const char *const names[3] = { "occupancy of the first tag", "occupancy of the second tag",
                                          "occupancy of the thread that fills" };

    for (uint32_t i = 0; i < 3; i++) {
        struct reading r = reading_of(names[i], domain, l->rmids[i], QM_EVENT_L3_OCCUPANCY);
        struct qm_domain *q = domain_qm(c, domain);
        enum status st =
            q ? qm_read_wait(c->platform, q, l->rmids[i], QM_EVENT_L3_OCCUPANCY, 5, &r.after, NULL) : ST_LOST;
        char where[48];

        if (st != ST_OK) {
            cannot_measure(c, st, q ? q->cpu : l->pair[1], "IA32_QM_CTR");
            return;
        }
        if (i == 2)
            expect_occupancy(c, &r, (double)l->fill.bytes, 1);
        else
            expect_no_occupancy(c, &r);
        text_format(where, sizeof where, "L3 domain %u, RMID %u", domain, l->rmids[i]);
        evidence_msr(c, q->cpu, IA32_QM_CTR, r.after.raw, r.after.tsc);
        if (!measure(c, names[i], where, (double)qm_bytes(q, r.after.counts), "bytes", r.lo, r.hi))
            fail(c,
                 "%s: %llu bytes: cpu %u changed its tag %u times, and its sibling cpu %u filled %llu bytes under RMID "
                 "%u",
                 where, (unsigned long long)qm_bytes(q, r.after.counts), l->pair[0], TAG_WRITES, l->pair[1],
                 (unsigned long long)l->fill.bytes, l->rmids[2]);
    }
}

static bool leaks(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct leak l = { .steps = heap_alloc((TAG_WRITES + 6) * sizeof(struct step)) };
    uint64_t bytes = small_fill_bytes(c, domain), base = 0;
    uint32_t bad = 0;
    struct sample s;
    enum status st = l.steps ? ST_OK : ST_NO_MEMORY;

    if (!l.steps)
        return cannot_measure(c, st, c->platform->bsp, "steps of a task"), true;
    if (!find_pair(c, domain, l.pair) || domain_rmids_any(c, domain, l.rmids, 3) < 3) {
        text_format(why, WHY_SIZE, "L3 domain %u: no two threads of one core, or fewer than three free RMIDs", domain);
        heap_free(l.steps);
        return false;
    }
    if (!take_any(c, l.pair[1], bytes, &base, why)) {
        heap_free(l.steps);
        return false;
    }
    l.fill = part_fill(c, domain, l.rmids[2], base, bytes).work;
    for (uint32_t i = 0; i < 2 && st == ST_OK; i++)
        st = msr_read(c->platform, l.pair[i], IA32_PQR_ASSOC, &l.found[i]);
    sample_begin(&s, c, l.pair, 2);
    while (sample_open(&s)) {
        if (st == ST_OK)
            st = domain_clean(c, domain, &bad);
        sample_close(&s, st == ST_OK ? run_leak(c, &l) : st);
    }
    st = sample_end(&s);
    if (st == ST_OK)
        judge_leak(c, domain, &l);
    else
        cannot_measure(c, st, s.bad_cpu, "two threads of a core");
    heap_free(l.steps);
    return true;
}

static enum verdict check_leak(struct check *c)
{
    return each_domain(c, leaks);
}

/* --- XC-12: clusters that share the RMIDs of a package ------------------------------------------------------------ */

/* Nodes that the processors of an L3 stand on, and which of them `cpu` is on, from 0. */
static uint32_t clusters(const struct machine *m, uint32_t domain, uint32_t cpu, uint32_t *which)
{
    uint32_t n = 0;

    for (uint32_t node = 0; node < m->n_nodes; node++)
        for (uint32_t i = 0; i < m->n_cpus; i++)
            if (m->cpus[i].domain == domain && m->cpus[i].node == node) {
                if (m->cpus[cpu].node == node)
                    *which = n;
                n++;
                break;
            }
    return n;
}

/* With sharing on, logical RMID d of cluster k is physical d + k x N / clusters, and a count stands for upscaling
 * factor over clusters. 356688 B.1.2; Linux resctrl. */
static bool cluster_scale(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    struct qm_domain *q = domain_qm(c, domain);
    uint64_t config = 0, base = 0, bytes;
    uint32_t cpu = 0, which = 0, n, logical = 0, physical, bad = 0;
    struct traffic_part part;
    struct traffic_load load = { .n_parts = 1, .parts = &part };
    struct traffic_outcome outcome;
    struct qm_sample s = { 0 };
    enum status st;
    char where[48];

    if (!domain_cpus(c, domain, &cpu, 1) || c->machine->cpus[cpu].node == NO_NODE)
        return text_format(why, WHY_SIZE, "L3 domain %u: no processor whose node is known", domain), false;
    n = clusters(c->machine, domain, cpu, &which);
    if (n < 2)
        return text_format(why, WHY_SIZE, "L3 domain %u stands on one node: no clusters", domain), false;
    st = msr_read(c->platform, cpu, MSR_RMID_SNC_CONFIG, &config);
    if (st != ST_OK)
        return text_format(why, WHY_SIZE, "cpu %u: RDMSR MSR_RMID_SNC_CONFIG: %s", cpu, status_text(st)), false;
    evidence_msr(c, cpu, MSR_RMID_SNC_CONFIG, config, 0);
    if (config & BIT(0))
        return text_format(
                   why, WHY_SIZE,
                   "L3 domain %u: RMIDs are divided among its %u clusters, and which are whose is not published",
                   domain, n),
               false;
    if (!domain_rmids_any(c, domain, &logical, 1) || logical >= (q->max_rmid + 1) / n)
        return text_format(why, WHY_SIZE, "L3 domain %u: no free RMID below %u", domain, (q->max_rmid + 1) / n), false;
    bytes = small_fill_bytes(c, domain) / n / 4096 * 4096;
    if (!take_local(c, cpu, bytes, &base, why))
        return false;
    physical = logical + which * ((q->max_rmid + 1) / n);
    load.cpu = cpu;
    part = part_fill(c, domain, logical, base, bytes);
    st = domain_clean(c, domain, &bad);
    if (st == ST_OK)
        st = traffic_run(c->platform, &load, 1, 0, &outcome, &bad);
    if (st == ST_OK)
        st = qm_read_wait(c->platform, q, physical, QM_EVENT_L3_OCCUPANCY, 5, &s, NULL);
    if (st != ST_OK)
        return cannot_measure(c, st, bad, "a fill in a cluster"), true;
    evidence_msr(c, q->cpu, IA32_QM_CTR, s.raw, s.tsc);
    {
        struct reading r = reading_of("occupancy of a cluster", domain, physical, QM_EVENT_L3_OCCUPANCY);
        double counted = (double)qm_bytes(q, s.counts) / n;

        expect_occupancy(c, &r, (double)bytes, 1);
        text_format(where, sizeof where, "L3 domain %u, cluster %u, RMID %u", domain, which, physical);
        if (!measure(c, "occupancy by the factor of a cluster", where, counted, "bytes", r.lo, r.hi))
            warn(c, "%s: %llu bytes were filled under logical RMID %u, the count says %llu", where,
                 (unsigned long long)bytes, logical, (unsigned long long)counted);
    }
    return true;
}

static enum verdict check_cluster(struct check *c)
{
    if (!is_intel(c))
        return skip(c, "sub-NUMA clustering that shares RMIDs is Intel's");
    if (!c->machine->srat_present)
        return skip(c, "there is no SRAT to tell clusters by");
    return each_domain(c, cluster_scale);
}

const struct check_row sibling_checks[] = {
    { .id = "cross.sibling-tags",
      .title = "A thread that changes its tag ten thousand times leaves its sibling's lines alone",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "XC-10",
      .catches = "a tag that leaks from one thread of a core to the other",
      .needs = NEED_OCCUPANCY | NEED_SMT,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_F,
      .run = check_leak },
    { .id = "cross.cluster-scale",
      .title = "A cluster's count stands for its share of the upscaling factor",
      .spec = "RDT Architecture Specification 356688, B.1.2; Linux resctrl monitor.c",
      .rows = "XC-12",
      .catches = "a factor that is applied twice, or not at all",
      .needs = NEED_OCCUPANCY,
      .risk = RISK_WORKLOAD,
      .grade = GRADE_W,
      .run = check_cluster },
};
