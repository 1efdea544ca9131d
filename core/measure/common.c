/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/common.h"

#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/cluster_view.h"
#include "core/base/heap.h"
#include "core/platform/ledger.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define CLEAN_BUDGET_MS UINT64_C(30000)
/* The lowest threshold above which BDF102 and SKX99 make bandwidth counts wrong is 7 (Linux resctrl monitor.c). */
#define ERRATUM_SAFE_RMID 7u
#define MODEL_BDX         0x4Fu
#define MODEL_BDX_DE      0x56u
#define MODEL_SKX         0x55u

/* --- who and where ------------------------------------------------------------------------------------------------ */

/* 0: thread of its own core, 1: sibling of one, 2: the boot processor. */
static uint32_t turn_of(const struct check *c, uint32_t cpu)
{
    const struct cpu_place *place = &c->machine->cpus[cpu].place;
    const struct cpu_place *boot = &c->machine->cpus[c->platform->bsp].place;
    bool with_boot = place->package == boot->package && place->die == boot->die && place->core == boot->core;

    if (cpu == c->platform->bsp)
        return 3;
    if (with_boot)
        return 2;
    return place->thread == 0 ? 0 : 1;
}

uint32_t domain_cpus(const struct check *c, uint32_t domain, uint32_t *cpus, uint32_t max)
{
    uint32_t n = 0;

    for (uint32_t turn = 0; turn <= 3; turn++)
        for (uint32_t i = 0; i < c->machine->n_cpus; i++)
            if (c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) && turn_of(c, i) == turn) {
                if (n < max)
                    cpus[n] = i;
                n++;
            }
    return n;
}

uint32_t other_core(const struct check *c, uint32_t domain, uint32_t cpu)
{
    const struct cpu_place *a = &c->machine->cpus[cpu].place;

    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        const struct cpu_place *b = &c->machine->cpus[i].place;

        if (c->machine->cpus[i].domain == domain && cpu_takes_work(c->platform, i) &&
            (a->package != b->package || a->die != b->die || a->core != b->core))
            return i;
    }
    return cpu;
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

bool is_intel(const struct check *c)
{
    return c->machine->cpus[c->machine->reference].id.vendor == VENDOR_INTEL;
}

bool has_rdt(const struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);

    return (rdt->monitoring && rdt->l3_monitoring) || (rdt->allocation && (rdt->l3.present || rdt->l2.present));
}

bool rmid_in_background(const struct check *c, uint32_t rmid)
{
    uint64_t found;

    if (rmid == 0)
        return true;
    if (c->platform->ledger == NULL)
        return false;
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        if (ledger_found_msr(c->platform->ledger, i, IA32_PQR_ASSOC, &found) == ST_OK && pqr_decode(found).rmid == rmid)
            return true;
    return false;
}

static uint32_t pick_rmids(const struct check *c, uint32_t max_rmid, uint32_t *rmids, uint32_t want)
{
    uint32_t n = 0;

    for (uint32_t rmid = 1; rmid <= max_rmid && n < want; rmid++)
        if (!rmid_in_background(c, rmid))
            rmids[n++] = rmid;
    return n;
}

uint32_t domain_rmids_any(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want)
{
    return pick_rmids(c, c->machine->domains[domain].max_rmid, rmids, want);
}

uint32_t domain_rmids_top(const struct check *c, uint32_t domain, uint32_t *rmids, uint32_t want)
{
    uint32_t n = 0;

    for (uint32_t rmid = c->machine->domains[domain].max_rmid; rmid > 0 && n < want; rmid--)
        if (!rmid_in_background(c, rmid))
            rmids[n++] = rmid;
    return n;
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

/* --- a check for each L3 domain ----------------------------------------------------------------------------------- */

bool is_clustered(const struct check *c, uint32_t domain)
{
    return cluster_nodes(c->machine, domain, NULL, 0) > 1;
}

/* A capacity mask that firmware left restricted: the class that processors were found in cannot fill the L3, and
 * occupancy says so rightly. mask gets its value. Data masks stand at 2n while CDP is on (SDM vol. 3B 17.17.4.1). */
static bool is_masked(struct check *c, uint32_t domain, uint32_t *clos, uint64_t *mask)
{
    const struct rdt_info *rdt = reference_rdt(c);
    uint32_t cpu = c->tools->qm[domain].cpu;
    uint64_t pqr = 0, cfg = 0;

    if (!rdt->l3.known || msr_read(c->platform, cpu, IA32_PQR_ASSOC, &pqr) != ST_OK)
        return false;
    if (rdt->l3.cdp && msr_read(c->platform, cpu, IA32_L3_QOS_CFG, &cfg) != ST_OK)
        cfg = 0;
    *clos = pqr_decode(pqr).clos;
    if (msr_read(c->platform, cpu, IA32_L3_MASK(*clos << (cfg & IA32_L3_QOS_CFG_CDP_ENABLE)), mask) != ST_OK)
        return false; /* then there is nothing to tell from */
    return (*mask & low_bits(rdt->l3.cbm_len)) != low_bits(rdt->l3.cbm_len);
}

static bool refused(struct check *c, uint32_t domain, char why[WHY_SIZE])
{
    const struct l3_domain *d = &c->machine->domains[domain];
    uint64_t mask = 0;
    uint32_t clos = 0;
    const struct cluster_l3 *clusters = cluster_of(c, domain, NULL);

    why[0] = '\0';
    if (domain_qm(c, domain) == NULL)
        text_format(why, WHY_SIZE, "L3 domain %u: no processor takes work", domain);
    else if (d->l3_bytes == 0 || d->upscaling_factor == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: L3 of %llu bytes, upscaling factor %u: no expectation can be formed",
                    domain, (unsigned long long)d->l3_bytes, d->upscaling_factor);
    else if (clusters && clusters->why[0] != '\0' && !c->row->about_clusters)
        text_format(why, WHY_SIZE, "%s", clusters->why);
    else if ((c->row->needs & NEED_OCCUPANCY) && is_masked(c, domain, &clos, &mask))
        text_format(why, WHY_SIZE,
                    "L3 domain %u: firmware left the mask of class %u at 0x%llx: part of the L3 is closed", domain,
                    clos, (unsigned long long)mask);
    return why[0] != '\0';
}

enum verdict each_domain(struct check *c, domain_check one)
{
    char why[WHY_SIZE], first_why[WHY_SIZE] = "no L3 domain";
    uint32_t measured = 0, not_measured = 0;
    struct cluster_stay stay;
    enum status st = cluster_enter(c, &stay);

    if (st != ST_OK)
        return cannot_measure(c, st, c->platform->bsp, "MSR_RMID_SNC_CONFIG");
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        tools_reset(c->tools);
        why[0] = '\0';
        if (!refused(c, i, why) && one(c, i, why)) {
            measured++;
            continue;
        }
        if (why[0] == '\0')
            text_format(why, WHY_SIZE, "L3 domain %u: no processor that takes part", i);
        if (not_measured++ == 0)
            memcpy(first_why, why, WHY_SIZE);
        note(c, "not judged: %s", why);
    }
    st = cluster_leave(c, &stay);
    if (st != ST_OK)
        cannot_measure(c, st, c->platform->bsp, "MSR_RMID_SNC_CONFIG");
    if (measured == 0)
        return skip(c, "%s", first_why);
    return c->verdict;
}

static uint32_t node_of(const struct check *c, uint32_t cpu)
{
    uint32_t node = c->machine->cpus[cpu].node;

    return node == NO_NODE && c->machine->n_nodes == 1 ? 0 : node;
}

static bool too_little(uint32_t node, uint64_t bytes, const struct arena *a, char why[WHY_SIZE])
{
    if (a == NULL)
        text_format(why, WHY_SIZE, "the processor's memory node is not known");
    else
        text_format(why, WHY_SIZE, "not enough memory on node %u: %llu bytes wanted, %llu taken of %llu free", node,
                    (unsigned long long)bytes, (unsigned long long)a->bytes, (unsigned long long)a->free_bytes);
    return false;
}

bool take_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address, char why[WHY_SIZE])
{
    uint32_t node = node_of(c, cpu);
    struct arena *a = node < c->tools->n_arenas ? &c->tools->arenas[node] : NULL;

    if (a && arena_take(a, bytes, address) == ST_OK)
        return true;
    return too_little(node, bytes, a, why);
}

/* Nodes to ask for memory besides its own, from 0. In a cluster none: what another node's memory puts into an L3 is in
 * the share of that node's cluster. */
static uint32_t other_nodes(const struct check *c, uint32_t cpu)
{
    const struct cluster_l3 *l3 = cluster_of(c, c->machine->cpus[cpu].domain, NULL);

    return l3 && l3->rule == CLUSTER_SHARED ? 0 : c->tools->n_arenas;
}

bool take_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address, char why[WHY_SIZE])
{
    uint32_t n_others = other_nodes(c, cpu);

    if (take_local(c, cpu, bytes, address, why))
        return true;
    for (uint32_t i = 0; i < n_others; i++)
        if (arena_take(&c->tools->arenas[i], bytes, address) == ST_OK) {
            note(c, "cpu %u uses memory of node %u: %s", cpu, i, why);
            return true;
        }
    return false;
}

uint64_t left_any(struct check *c, uint32_t cpu)
{
    uint32_t node = node_of(c, cpu), n_others = other_nodes(c, cpu);
    uint64_t best = node < c->tools->n_arenas ? arena_left(&c->tools->arenas[node]) : 0;

    for (uint32_t i = 0; best == 0 && i < n_others; i++)
        best = arena_left(&c->tools->arenas[i]);
    return best;
}

void evidence_leaf(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf, const struct rdt_leaf *l)
{
    if (l->known)
        evidence_cpuid(c, cpu, leaf, subleaf, &l->regs);
}

void domain_name(uint32_t domain, char out[32])
{
    text_format(out, 32, "L3 domain %u", domain);
}

/* --- traffic ------------------------------------------------------------------------------------------------------ */

struct traffic_part part_read(uint32_t rmid, uint64_t base, uint64_t bytes)
{
    return (struct traffic_part){
        .rmid = rmid,
        .clos = TRAFFIC_KEEP,
        .work = { .kind = WORK_READ, .passes = 1, .base = base, .bytes = bytes },
    };
}

struct traffic_part part_fill(const struct check *c, uint32_t domain, uint32_t rmid, uint64_t base, uint64_t bytes)
{
    struct traffic_part part = part_read(rmid, base, bytes);

    part.work.passes = c->machine->domains[domain].l3_inclusive ? 1 : 2;
    return part;
}

struct traffic_part part_flush(uint32_t rmid, uint64_t base, uint64_t bytes)
{
    struct traffic_part part = part_read(rmid, base, bytes);

    part.work.kind = WORK_FLUSH;
    return part;
}

struct traffic_part part_idle(uint32_t rmid, uint64_t ticks)
{
    return (struct traffic_part){ .rmid = rmid, .clos = TRAFFIC_KEEP, .pause_ticks = ticks };
}

uint64_t stream_bytes(const struct check *c, uint32_t domain)
{
    /* 256 counts: one count more or less at either end is 0.4 %, a twentieth of the band. 8 MiB: what page walks and
     * the loop's own code move is two thousandths of it. Cold memory makes every line a miss, so the stream need not be
     * several times the L3. */
    uint64_t bytes = 256 * (uint64_t)c->machine->domains[domain].upscaling_factor;

    return bytes > 8 * MIB ? bytes : 8 * MIB;
}

uint64_t l2_bytes_of(const struct check *c)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < c->machine->n_caches; i++)
        if (c->machine->caches[i].level == 2 && c->machine->caches[i].kind != 'i')
            bytes = c->machine->caches[i].bytes;
    return bytes;
}

uint64_t small_fill_bytes(const struct check *c, uint32_t domain)
{
    const struct l3_domain *d = &c->machine->domains[domain];
    /* Twice the absolute tolerance of T_occ, and what a core's own L2 may keep for itself. */
    uint64_t bytes = 4 * MIB + (d->l3_inclusive ? 0 : 2 * l2_bytes_of(c));

    uint64_t most = d->l3_inclusive ? d->l3_bytes / 4 : d->l3_bytes / 8 * 3;

    return ROUND_DOWN(bytes < most ? bytes : most);
}

enum status domain_clean(struct check *c, uint32_t domain, uint32_t *bad_cpu)
{
    uint32_t n = c->machine->domains[domain].n_cpus;
    uint32_t *cpus = heap_alloc((n + 1) * sizeof(cpus[0]));
    struct task *tasks = heap_alloc((n + 1) * sizeof(tasks[0]));
    struct step *steps = heap_alloc((n + 1) * sizeof(steps[0]));
    enum status st = ST_NO_MEMORY;

    if (cpus && tasks && steps) {
        uint32_t got = domain_cpus(c, domain, cpus, n);

        if (got > n)
            got = n;
        if (c->machine->domains[domain].l3_inclusive && got > 1)
            got = 1; /* what leaves an inclusive L3 leaves every cache above it */
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
