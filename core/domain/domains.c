/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/domains.h"

#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/heap.h"
#include "core/domain/cluster.h"
#include "core/platform/ledger.h"
#include "core/platform/script.h"

#define CLEAN_BUDGET_MS UINT64_C(30000)
/* The lowest threshold above which BDF102 and SKX99 make bandwidth counts wrong is 7 (Linux resctrl monitor.c). */
#define ERRATUM_SAFE_RMID 7u
#define MODEL_BDX         0x4Fu
#define MODEL_BDX_DE      0x56u
#define MODEL_SKX         0x55u

const uint32_t settle_ms[SETTLE_STEPS] = { 5, 50, 500 };

bool domain_settle_wait(const struct check *c, uint32_t step)
{
    if (step >= SETTLE_STEPS)
        return false;
    platform_stall(c->platform, settle_ms[step] * UINT64_C(1000000));
    return true;
}

bool domain_same_core(const struct check *c, uint32_t a, uint32_t b)
{
    return place_same_core(&c->machine->cpus[a].place, &c->machine->cpus[b].place);
}

/* 0: first thread of its core, 1: a sibling of one, 2: a sibling of the boot processor, 3: the boot processor. */
static uint32_t cpu_pick_order(const struct check *c, uint32_t cpu)
{
    if (cpu == c->platform->bsp)
        return 3;
    if (domain_same_core(c, cpu, c->platform->bsp))
        return 2;
    return c->machine->cpus[cpu].place.thread == 0 ? 0 : 1;
}

uint32_t domain_cpus(const struct check *c, uint32_t domain, uint32_t *cpus, uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t order = 0; order <= 3; order++)
        for (uint32_t i = 0; i < c->machine->n_cpus; i++)
            if (c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) &&
                cpu_pick_order(c, i) == order) {
                if (n < max)
                    cpus[n] = i;
                n++;
            }
    return n;
}

uint32_t *domain_all_cpus(struct check *c, uint32_t domain, uint32_t *n)
{
    uint32_t max = c->machine->domains[domain].n_cpus, *cpus = check_alloc(c, (max + 1) * sizeof cpus[0]);

    if (!cpus)
        check_set_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the list of processors");
    *n = cpus ? domain_cpus(c, domain, cpus, max) : 0;
    return cpus;
}

uint32_t domain_sibling(const struct check *c, uint32_t cpu)
{
    for (uint32_t i = cpu + 1; i < c->machine->n_cpus; i++)
        if (domain_same_core(c, cpu, i) && cpu_takes_work(c->platform, i))
            return i;
    return UINT32_MAX;
}

uint32_t domain_sibling_pairs(const struct check *c, uint32_t domain, uint32_t first[], uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if (c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) &&
            domain_sibling(c, i) != UINT32_MAX) {
            if (n < max)
                first[n] = i;
            n++;
        }
    return n;
}

uint32_t domain_other_core(const struct check *c, uint32_t domain, uint32_t cpu)
{
    return FIND(i, c->machine->n_cpus,
                c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) && !domain_same_core(c, cpu, i),
                i, cpu);
}

struct qm_domain *domain_qm(struct check *c, uint32_t domain)
{
    struct qm_domain *d = &c->tools->qm[domain];

    if (!cpu_takes_work(c->platform, d->cpu)) {
        uint32_t cpu = 0;

        if (domain_cpus(c, domain, &cpu, 1) == 0)
            return NULL;
        d->cpu = cpu;
    }
    return d;
}

bool reference_is_intel(const struct check *c)
{
    return c->machine->cpus[c->machine->reference].id.vendor == VENDOR_INTEL;
}

bool reference_is_hybrid(const struct check *c)
{
    return reference_rdt(c)->leaf7.regs.edx & CPUID_7_EDX_HYBRID;
}

/* PQoS V1.0 has counts of 62 bits (APM vol. 2 table 19-7), of which software takes 44 (rdt.c). */
#define PQOS_V1_FAMILY 0x17u

uint32_t domain_count_bits(const struct check *c, uint32_t domain)
{
    const struct cpu *cpu = &c->machine->cpus[c->machine->reference];
    bool v1 = cpu->id.vendor == VENDOR_AMD && cpu->id.family == PQOS_V1_FAMILY && cpu->rdt.width_field == 0;

    return v1 ? QM_WIDTH_MOST : c->machine->domains[domain].counter_width;
}

bool reference_has_rdt(const struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    return (rdt->monitoring && rdt->l3_monitoring) || (rdt->allocation && (rdt->l3.present || rdt->l2.present));
}

bool domain_rmid_in_background(const struct check *c, uint32_t rmid)
{
    uint64_t found;

    if (rmid == 0)
        return true;
    if (c->platform->ledger == NULL)
        return false;
    return ANY_OF(i, c->machine->n_cpus,
                  ledger_working_msr(c->platform->ledger, i, IA32_PQR_ASSOC, &found) == ST_OK &&
                      pqr_decode(found).rmid == rmid);
}

static uint32_t pick_rmids(const struct check *c, uint32_t max_rmid, uint32_t *rmids, uint32_t want)
{
    uint32_t n = 0;

    for (uint32_t rmid = 1; rmid <= max_rmid && n < want; rmid++)
        if (!domain_rmid_in_background(c, rmid))
            rmids[n++] = rmid;
    return n;
}

uint32_t domain_rmids_any(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want)
{
    return pick_rmids(c, c->machine->domains[domain].max_rmid, rmids, want);
}

uint32_t domain_rmids(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want)
{
    const struct cpu_identity *id = &c->machine->cpus[c->machine->reference].id;
    uint32_t max_rmid = c->machine->domains[domain].max_rmid;
    bool erratum = id->vendor == VENDOR_INTEL && id->family == 6 &&
                   (id->model == MODEL_BDX || id->model == MODEL_BDX_DE || id->model == MODEL_SKX);

    if (erratum && max_rmid > ERRATUM_SAFE_RMID)
        max_rmid = ERRATUM_SAFE_RMID;
    return pick_rmids(c, max_rmid, rmids, want);
}

uint32_t domain_next_rmid(const uint32_t *pool, uint32_t n_pool, struct rmid_bits *tried, uint32_t *rmids, uint32_t n)
{
    uint32_t all = pool[n_pool - 1], most = 0;

    for (uint32_t shift = 1; shift < 32; shift *= 2)
        all |= all >> shift;
    rmids[n] = 0;
    for (uint32_t k = n_pool; k-- > 0;) {
        uint32_t shown = count_bits(pool[k] & ~tried->set) + count_bits(all & ~pool[k] & ~tried->clear);

        if (ANY_OF(i, n, rmids[i] == pool[k]) || (rmids[n] && shown <= most))
            continue;
        rmids[n] = pool[k];
        most = shown;
    }
    tried->set |= rmids[n];
    tried->clear |= all & ~rmids[n];
    return most;
}

uint32_t domain_alias_rmids(const struct check *c, uint32_t domain, uint32_t rmids[ALIAS_RMIDS])
{
    uint32_t max = c->machine->domains[domain].max_rmid, full = (uint32_t)low_bits(bits_for((uint64_t)max + 1) - 1);
    const uint32_t wanted[] = { 3, max, full, 1 };
    uint32_t n = 0;

    for (uint32_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        uint32_t rmid = wanted[i];
        bool taken = rmid > max || domain_rmid_in_background(c, rmid) || ANY_OF(k, n, rmids[k] == rmid);

        if (!taken && (rmid != 1 || n == 0))
            rmids[n++] = rmid;
    }
    rmids[n++] = 0;
    return n;
}

uint32_t domain_rmids_apart(struct check *c, uint32_t domain, bool any, uint32_t *rmids, uint32_t want)
{
    uint32_t most = c->machine->domains[domain].max_rmid, *pool = check_alloc(c, (most + 1) * sizeof pool[0]), n_pool,
             n;
    struct rmid_bits tried = { 0 };

    if (pool == NULL)
        return 0;
    n_pool = any ? domain_rmids_any(c, domain, pool, most) : domain_rmids(c, domain, pool, most);
    n = want < n_pool ? want : n_pool;
    for (uint32_t i = 0; i < n; i++)
        domain_next_rmid(pool, n_pool, &tried, rmids, i);
    return n;
}

void evidence_leaf(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf, const struct rdt_leaf *l)
{
    if (l->known)
        evidence_cpuid(c, cpu, leaf, subleaf, &l->regs);
}

void evidence_qm(struct check *c, const struct qm_domain *d, uint32_t rmid, enum qm_event event,
                 const struct qm_sample *s)
{
    evidence_wrmsr(c, d->cpu, IA32_QM_EVTSEL, qm_evtsel_of(d, rmid, event), ST_OK, s->tsc_select);
    evidence_msr(c, d->cpu, IA32_QM_CTR, s->raw, s->tsc);
}

uint64_t reference_l2_bytes(const struct check *c)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < c->machine->n_caches; i++)
        if (c->machine->caches[i].level == 2 && c->machine->caches[i].kind != 'i')
            bytes = c->machine->caches[i].bytes;
    return bytes;
}

uint64_t domain_l3_resident_bytes(const struct check *c, uint32_t times)
{
    uint64_t l2 = reference_l2_bytes(c), l3 = c->machine->n_domains ? c->machine->domains[0].l3_bytes : 0;

    if (2 * l2 < l3 / 2)
        return ROUND_DOWN(times * l2 < l3 / 2 ? times * l2 : l3 / 2);
    return 2 * l2 <= l3 / 4 * 3 ? ROUND_DOWN(2 * l2) : 0;
}

uint32_t domain_one_a_core(const struct check *c, uint32_t *cpus, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        bool done = false;

        for (uint32_t k = 0; k < kept && !done; k++)
            done = domain_same_core(c, cpus[k], cpus[i]);
        if (!done)
            cpus[kept++] = cpus[i];
    }
    return kept;
}

/* Those that together empty every cache of the domain: one where the L3 is inclusive, since what leaves it leaves every
 * cache above it. Else one of each core, to which L1 and L2 belong. CPUID leaf 4 EDX[0] = 0 says that one would do (SDM vol. 2A CPUID), but nobody
 * relies on it: Linux runs WBINVD on each processor (wbinvd_on_all_cpus()). */
static uint32_t cleaners(const struct check *c, uint32_t domain, uint32_t *cpus, uint32_t max)
{
    uint32_t n = domain_cpus(c, domain, cpus, max);

    if (n > max)
        n = max;
    return c->machine->domains[domain].l3_inclusive && n > 1 ? 1 : domain_one_a_core(c, cpus, n);
}

static enum status clean_one(struct check *c, uint32_t domain, uint32_t *bad_cpu)
{
    uint32_t n = c->machine->domains[domain].n_cpus;
    uint32_t *cpus = heap_alloc((n + 1) * sizeof(cpus[0]));
    struct task *tasks = heap_alloc((n + 1) * sizeof(tasks[0]));
    struct step *steps = heap_alloc((n + 1) * sizeof(steps[0]));
    enum status st = ST_NO_MEMORY;

    if (cpus && tasks && steps) {
        uint32_t got = cleaners(c, domain, cpus, n);

        for (uint32_t i = 0; i < got; i++) {
            steps[i] = step_wbinvd();
            tasks[i] = (struct task){ .cpu = cpus[i], .n_steps = 1, .steps = &steps[i] };
        }
        st = got ? platform_run(c->platform, tasks, got, CLEAN_BUDGET_MS) : ST_LOST;
        for (uint32_t i = 0; i < got; i++) {
            if (tasks[i].status != ST_OK)
                *bad_cpu = cpus[i];
            st = status_first(st, steps[i].status);
        }
    }
    heap_free(cpus);
    heap_free(tasks);
    heap_free(steps);
    return st;
}

/* Clusters that count under the same RMIDs are emptied together. */
enum status domain_clean(struct check *c, uint32_t domain, uint32_t *bad_cpu)
{
    TRY(clean_one(c, domain, bad_cpu));
    for (uint32_t i = 0; i < c->machine->n_domains; i++)
        if (i != domain && cluster_common(c, i, domain))
            TRY(clean_one(c, i, bad_cpu));
    return ST_OK;
}
