/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/simple_internal.h"

#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);

    if (memory == NULL)
        abort();
    return memory;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

static enum status write_pqr(struct simple_silicon *o, uint32_t cpu, uint64_t value)
{
    uint64_t rmid = value & 0xFFFFFFFF, clos = value >> 32;

    if (rmid > (o->part.monitoring ? o->part.max_rmid : 0) || clos > (o->part.allocation ? o->part.max_clos : 0))
        return ST_FAULT;
    o->pqr[cpu] = value;
    return ST_OK;
}

/* APM vol. 2 19.3: from Zen 4 on each processor has a pair of its own. */
static uint64_t *evtsel_of(const struct simple_silicon *o, const struct l3 *c, uint32_t cpu)
{
    bool own = o->part.vendor == VENDOR_AMD && o->part.family > 0x19;

    return &c->evtsel[own ? cpu % o->cpus_per_domain : 0];
}

static uint64_t qm_data(const struct simple_silicon *o, const struct l3 *c, uint64_t evtsel)
{
    uint64_t rmid = evtsel >> 32, event = evtsel & 0xFF, lines;

    if (rmid > o->part.max_rmid || event < 1 || event > 3 || !(o->part.events & BIT(event - 1)))
        return BIT(63);
    lines = event == 1 ? simple_l3_shown(o, c, rmid) : event == 2 ? c->total[rmid] : c->local[rmid];
    lines = lines * LINE / o->part.upscaling_factor;
    if (event != 1 && o->part.saturates && lines > low_bits(o->part.width))
        return low_bits(o->part.width);
    return event == 1 ? lines : lines & low_bits(o->part.width);
}

static enum status write_evtsel(const struct simple_silicon *o, uint64_t *evtsel, uint64_t value)
{
    uint64_t rmid_bits = o->part.vendor == VENDOR_INTEL ? 10 : 12;

    if (value & ~(BITS(7, 0) | low_bits((unsigned)rmid_bits) << 32))
        return ST_FAULT;
    *evtsel = value;
    return ST_OK;
}

/* UCLK is the TSC's rate here. A programmable counter counts every cycle with thresh 1 and invert 1, else nothing. */
static bool counts(const struct ubox *u, uint32_t i)
{
    if (!(u->ctl[i] & BIT(22)))
        return false;
    return i == 2 || ((u->ctl[i] & (BIT(18) | BIT(23))) == BIT(23) && field_get(BITS(28, 24), u->ctl[i]) >= 1);
}

static uint64_t ubox_value(const struct simple_silicon *o, const struct ubox *u, uint32_t i)
{
    return (u->base[i] + (counts(u, i) ? o->tsc - u->since[i] : 0)) & low_bits(48);
}

static enum status ubox_access(struct simple_silicon *o, struct ubox *u, struct step *s)
{
    static const uint32_t ctl[3] = { 0x705, 0x706, 0x703 }, ctr[3] = { 0x709, 0x70A, 0x704 };

    for (uint32_t i = 0; i < 3; i++) {
        if (s->reg == ctl[i] && s->op == STEP_RDMSR) {
            s->value = u->ctl[i];
        } else if (s->reg == ctl[i]) {
            u->base[i] = ubox_value(o, u, i);
            u->since[i] = o->tsc;
            u->ctl[i] = s->value & ~BIT(17);
            if (s->value & BIT(17))
                u->base[i] = 0;
        } else if (s->reg == ctr[i] && s->op == STEP_RDMSR) {
            s->value = ubox_value(o, u, i);
        } else if (s->reg == ctr[i]) {
            if (s->value & ~low_bits(48))
                return ST_FAULT;
            u->base[i] = s->value;
            u->since[i] = o->tsc;
        } else {
            continue;
        }
        return ST_OK;
    }
    return ST_FAULT;
}

/* SDM vol. 3B 17.17.1: contiguous, not empty, not too long; AMD takes any and drops what is too long. */
static enum status write_mask(const struct simple_silicon *o, uint64_t *mask, uint64_t value)
{
    uint64_t all = low_bits(o->part.cbm_len), low = value & -value;

    if (o->part.vendor == VENDOR_AMD)
        value &= all;
    else if (value == 0 || (value & ~all) || ((value + low) & value))
        return ST_FAULT;
    else if (count_bits(value) < o->part.least_bits)
        return o->part.short_ignored ? ST_OK : ST_FAULT;
    *mask = value;
    return ST_OK;
}

static enum status msr(struct simple_silicon *o, uint32_t cpu, struct step *s)
{
    struct l3 *c = o->n_domains ? &o->l3[cpu / o->cpus_per_domain] : NULL;
    bool read = s->op == STEP_RDMSR;

    if (s->reg == 0xC8F && (o->part.monitoring || o->part.allocation)) {
        if (!read)
            return write_pqr(o, cpu, s->value);
        s->value = o->pqr[cpu];
        return ST_OK;
    }
    if (s->reg == 0xC8D && o->part.monitoring && c) {
        if (!read)
            return write_evtsel(o, evtsel_of(o, c, cpu), s->value);
        s->value = *evtsel_of(o, c, cpu);
        return ST_OK;
    }
    if (s->reg == 0xC8E && o->part.monitoring && c && read) {
        simple_l3_update_shown(o, c);
        s->value = qm_data(o, c, *evtsel_of(o, c, cpu));
        return ST_OK;
    }
    if (s->reg == 0x34 && read && o->part.smi_count) {
        s->value = 0;
        return ST_OK;
    }
    if (s->reg >= 0xC90 && s->reg < 0xD10 && o->part.allocation && c && s->reg - 0xC90 <= o->part.max_clos) {
        if (!read)
            return write_mask(o, &c->mask[s->reg - 0xC90], s->value);
        s->value = c->mask[s->reg - 0xC90];
        return ST_OK;
    }
    return o->part.ubox ? ubox_access(o, &o->ubox[cpu / o->cpus_per_package], s) : ST_FAULT;
}

/* --- platform ----------------------------------------------------------------------------------------------------- */

static enum status do_step(struct simple_silicon *o, uint32_t cpu, struct step *s)
{
    enum status st = ST_OK;

    o->tsc += 100;
    if (s->op == STEP_RDMSR || s->op == STEP_WRMSR)
        st = msr(o, cpu, s);
    else if (s->op == STEP_WORK && s->work->kind == WORK_CODE && o->part.defect == SIMPLE_NO_EXECUTE)
        st = ST_PAGE_FAULT;
    else if (s->op == STEP_WORK)
        simple_l3_work(o, cpu, s->work);
    else if (s->op == STEP_SPIN)
        o->tsc += s->value;
    else if (s->op == STEP_WBINVD && o->n_domains)
        simple_l3_empty(&o->l3[cpu / o->cpus_per_domain]);
    s->tsc = o->tsc;
    return st;
}

/* The steps before the next barrier. False: it has finished. */
static bool to_barrier(struct simple_silicon *o, struct task *task)
{
    for (; task->at < task->n_steps; task->at++) {
        struct step *step = &task->steps[task->at];

        if (step->op == STEP_BARRIER)
            return true;
        step->status = do_step(o, task->cpu, step);
        if (step->status != ST_OK && step->must)
            task->at = task->n_steps - 1;
    }
    return false;
}

static void pass_barrier(struct simple_silicon *o, struct task *tasks, uint32_t n)
{
    o->tsc += 100;
    for (uint32_t t = 0; t < n; t++)
        if (tasks[t].at < tasks[t].n_steps) {
            tasks[t].steps[tasks[t].at].status = ST_OK;
            tasks[t].steps[tasks[t].at++].tsc = o->tsc;
        }
}

static enum status run(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    bool waiting = true;

    (void)budget_ms;
    for (uint32_t t = 0; t < n; t++) {
        tasks[t].status = ST_OK;
        tasks[t].at = 0;
    }
    while (waiting) {
        waiting = false;
        for (uint32_t t = 0; t < n; t++)
            waiting |= to_barrier(machine, &tasks[t]);
        if (waiting)
            pass_barrier(machine, tasks, n);
    }
    return ST_OK;
}

static uint64_t left(const struct simple_silicon *o, uint64_t lo, uint64_t hi)
{
    uint64_t node = lo / NODE_GAP, base, end;

    if (node >= o->n_nodes)
        return 0;
    base = node * NODE_GAP + (UINT64_C(1) << 20) + o->taken[node];
    end = node * NODE_GAP + o->part.node_bytes;
    return base >= lo && end <= hi && end > base ? end - base : 0;
}

static uint64_t largest_free(void *machine, uint64_t lo, uint64_t hi)
{
    return left(machine, lo, hi);
}

static enum status take(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    struct simple_silicon *o = machine;
    uint64_t node = lo / NODE_GAP;

    if (left(o, lo, hi) < bytes)
        return ST_NO_MEMORY;
    *address = node * NODE_GAP + (UINT64_C(1) << 20) + o->taken[node];
    o->taken[node] += bytes;
    return ST_OK;
}

static uint64_t tsc(void *machine)
{
    return ((struct simple_silicon *)machine)->tsc += 100;
}

static uint64_t utc_ns(void *machine)
{
    (void)machine;
    return 0;
}

static void stall(void *machine, uint64_t ns)
{
    struct simple_silicon *o = machine;

    o->tsc += ns * (TSC_HZ / 1000000) / 1000;
}

static const struct platform_ops ops = {
    .run = run, .alloc = take, .largest_free = largest_free, .tsc = tsc, .utc_ns = utc_ns, .stall = stall
};

/* --- description -------------------------------------------------------------------------------------------------- */

static struct rdt_info rdt_of(const struct simple_part *p)
{
    struct rdt_info r = { .monitoring = p->monitoring, .allocation = p->allocation };

    r.leaf7 = (struct rdt_leaf){ true, { .ebx = (uint32_t)p->monitoring << 12 | (uint32_t)p->allocation << 15 } };
    r.leaf0f_known = r.leaf10_known = true;
    for (uint32_t i = 0; i < 2; i++)
        r.leaf0f[i].known = true;
    for (uint32_t i = 0; i < 4; i++)
        r.leaf10[i].known = true;
    if (p->monitoring) {
        r.l3_monitoring = r.l3_known = true;
        r.max_rmid = r.max_rmid_any = p->max_rmid;
        r.rmid_width = bits_for(p->max_rmid);
        r.upscaling_factor = p->upscaling_factor;
        r.width_field = p->width_field;
        r.counter_width = p->width;
        r.occupancy = p->events & 1;
        r.total = p->events & 2;
        r.local = p->events & 4;
        r.leaf0f[0].regs = (struct cpuid_regs){ .ebx = p->max_rmid, .edx = 2 };
        r.leaf0f[1].regs = (struct cpuid_regs){ p->width_field, p->upscaling_factor, p->max_rmid, p->events };
    }
    if (p->allocation) {
        r.max_clos = p->max_clos;
        r.l3 = (struct rdt_cat){ .present = true, .known = true, .cbm_len = p->cbm_len, .clos = p->max_clos + 1 };
        r.leaf10[0].regs.ebx = 2;
        r.leaf10[1].regs = (struct cpuid_regs){ .eax = p->cbm_len - 1, .edx = p->max_clos };
    }
    return r;
}

static void describe_cpu(const struct simple_silicon *o, const struct simple_part *p, struct machine *m, uint32_t i)
{
    uint32_t core = i / p->threads % p->cores;
    struct cpu *c = &m->cpus[i];

    c->id = (struct cpu_identity){
        .vendor = p->vendor, .family = p->family, .model = p->model, .stepping = p->stepping, .signature = 1
    };
    c->package = i / o->cpus_per_package;
    c->place = (struct cpu_place){ .apic_id = i, .thread = i % p->threads, .core = core, .package = c->package };
    c->domain = o->n_domains ? i / o->cpus_per_domain : NO_DOMAIN;
    c->node = c->package;
    c->rdt = rdt_of(p);
    c->ppin_status = ST_ABSENT;
    o->slots[i] = (struct cpu_slot){ .apic_id = i, .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED };
}

static void describe(const struct simple_silicon *o, const struct simple_part *p, struct machine *m)
{
    m->platform = (struct platform *)&o->platform;
    m->n_cpus = o->platform.n_cpus;
    m->cpus = zeroed(m->n_cpus, sizeof *m->cpus);
    for (uint32_t i = 0; i < m->n_cpus; i++)
        describe_cpu(o, p, m, i);
    o->slots[0].flags |= CPU_BSP;
    m->n_packages = m->n_nodes = m->n_ranges = p->packages;
    m->packages = zeroed(p->packages, sizeof *m->packages);
    m->nodes = zeroed(p->packages, sizeof *m->nodes);
    m->ranges = zeroed(p->packages, sizeof *m->ranges);
    m->srat_present = true;
    for (uint32_t i = 0; i < p->packages; i++) {
        m->packages[i] = (struct package){ i, i * o->cpus_per_package, o->cpus_per_package };
        m->nodes[i] = (struct node){ i, o->cpus_per_package, i, p->node_bytes };
        m->ranges[i] = (struct mem_range){ i * NODE_GAP, p->node_bytes, i };
    }
    m->n_domains = o->n_domains;
    m->domains = zeroed(o->n_domains, sizeof *m->domains);
    for (uint32_t i = 0; i < o->n_domains; i++)
        m->domains[i] = (struct l3_domain){ .package = i / p->domains_per_package,
                                            .id = i,
                                            .cpu = i * o->cpus_per_domain,
                                            .n_cpus = o->cpus_per_domain,
                                            .l3_bytes = p->l3_bytes,
                                            .l3_ways = p->l3_ways,
                                            .l3_inclusive = p->inclusive,
                                            .max_rmid = p->monitoring ? p->max_rmid : 0,
                                            .upscaling_factor = p->monitoring ? p->upscaling_factor : 0,
                                            .counter_width = p->width };
    m->n_caches = 1;
    m->caches[0] = (struct cache_info){ .level = 2, .kind = 'u', .bytes = p->l2_bytes };
    m->tsc_hz = TSC_HZ;
    m->tsc_source = "a test";
    m->generation = p->name;
}

static void make_l3(struct l3 *c, const struct simple_part *p, uint32_t n_cpus)
{
    c->evtsel = zeroed(n_cpus, sizeof *c->evtsel);
    c->capacity = (uint32_t)(p->l3_bytes / LINE);
    for (uint32_t i = 0; i < sizeof c->mask / sizeof c->mask[0]; i++)
        c->mask[i] = low_bits(p->cbm_len);
    c->line = zeroed(c->capacity, sizeof *c->line);
    c->owner = zeroed(c->capacity, sizeof *c->owner);
    c->next = zeroed(c->capacity, sizeof *c->next);
    c->bucket = zeroed(c->capacity, sizeof *c->bucket);
    c->occupancy = zeroed(p->max_rmid + 1, sizeof(uint64_t));
    c->shown = zeroed(p->max_rmid + 1, sizeof(uint64_t));
    c->total = zeroed(p->max_rmid + 1, sizeof(uint64_t));
    c->local = zeroed(p->max_rmid + 1, sizeof(uint64_t));
    for (uint32_t i = 0; i < c->capacity; i++) {
        c->line[i] = UINT64_MAX;
        c->bucket[i] = NO_SLOT;
    }
}

struct simple_silicon *simple_silicon_new(const struct simple_part *p, struct machine *m)
{
    struct simple_silicon *o = zeroed(1, sizeof *o);
    uint32_t n = p->packages * p->cores * p->threads;

    memset(m, 0, sizeof *m);
    o->part = *p;
    o->n_nodes = p->packages;
    o->n_domains = p->packages * p->domains_per_package;
    o->cpus_per_package = p->cores * p->threads;
    o->cpus_per_domain = p->domains_per_package ? o->cpus_per_package / p->domains_per_package : o->cpus_per_package;
    o->slots = zeroed(n, sizeof *o->slots);
    o->pqr = zeroed(n, sizeof *o->pqr);
    for (uint32_t i = 0; i < n; i++)
        o->pqr[i] = p->found_pqr;
    o->l3 = zeroed(o->n_domains, sizeof *o->l3);
    for (uint32_t i = 0; i < o->n_domains; i++)
        make_l3(&o->l3[i], p, o->cpus_per_domain);
    o->ubox = zeroed(p->packages, sizeof *o->ubox);
    o->taken = zeroed(p->packages, sizeof *o->taken);
    o->tsc = 1000000;
    o->platform = (struct platform){
        .ops = &ops, .machine = o, .n_cpus = n, .cpus = o->slots, .tsc_hz = TSC_HZ, .tsc_source = "a test"
    };
    describe(o, p, m);
    return o;
}

struct platform *simple_silicon_platform(struct simple_silicon *o)
{
    return &o->platform;
}

void simple_silicon_free(struct simple_silicon *o, struct machine *m)
{
    for (uint32_t i = 0; i < o->n_domains; i++) {
        free(o->l3[i].evtsel);
        free(o->l3[i].line);
        free(o->l3[i].owner);
        free(o->l3[i].next);
        free(o->l3[i].bucket);
        free(o->l3[i].occupancy);
        free(o->l3[i].shown);
        free(o->l3[i].total);
        free(o->l3[i].local);
    }
    free(o->l3);
    free(o->ubox);
    free(o->taken);
    free(o->pqr);
    free(o->slots);
    free(o);
    free(m->cpus);
    free(m->packages);
    free(m->nodes);
    free(m->ranges);
    free(m->domains);
    memset(m, 0, sizeof *m);
}
