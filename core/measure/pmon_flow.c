/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/pmon_flow.h"

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/heap.h"
#include "core/platform/script.h"
#include "core/base/text.h"

/* --- who and where ------------------------------------------------------------------------------------------------ */

/* Of that node, if not NO_NODE. */
static uint32_t worker_of(const struct check *c, const struct flow *flow, uint32_t package, uint32_t node)
{
    const struct machine *m = c->machine;
    uint32_t found = UINT32_MAX;

    for (uint32_t i = m->n_cpus; i-- > 0;) {
        bool taken = m->cpus[i].package != package || !cpu_takes_work(c->platform, i) ||
                     (node != NO_NODE && m->cpus[i].node != node);

        for (uint32_t k = 0; k < flow->n; k++)
            taken |= flow->streams[k].cpu == i;
        if (!taken && (found == UINT32_MAX || i != c->platform->bsp))
            found = i;
    }
    return found;
}

static bool add_on(struct flow *flow, struct check *c, uint32_t cpu, uint32_t node, uint64_t bytes, char why[WHY_SIZE])
{
    struct flow_stream *s = &flow->streams[flow->n];

    s->cpu = cpu;
    s->bytes = bytes;
    if (node == NO_NODE) {
        if (!take_local(c, cpu, bytes, &s->base, why))
            return false;
    } else if (node >= c->tools->n_arenas || arena_take(&c->tools->arenas[node], bytes, &s->base) != ST_OK) {
        text_format(why, WHY_SIZE, "node %u has no %llu bytes of working memory left", node, (unsigned long long)bytes);
        return false;
    }
    flow->n++;
    return true;
}

bool flow_add(struct flow *flow, struct check *c, uint32_t package, uint32_t node, uint64_t bytes, char why[WHY_SIZE])
{
    uint32_t cpu = worker_of(c, flow, package, NO_NODE);

    if (flow->n == FLOW_STREAMS || cpu == UINT32_MAX) {
        text_format(why, WHY_SIZE, "package %u has no processor that takes work", package);
        return false;
    }
    return add_on(flow, c, cpu, node, bytes, why);
}

/* One for each of its nodes but the first, which has one by flow_add() or is the node of that one. */
static bool add_nodes(struct flow *flow, struct check *c, uint32_t package, uint64_t bytes, char why[WHY_SIZE])
{
    uint32_t first = c->machine->cpus[flow->streams[flow->n - 1].cpu].node;

    for (uint32_t n = 0; n < c->machine->n_nodes; n++) {
        const struct node *node = &c->machine->nodes[n];
        uint32_t cpu = worker_of(c, flow, package, n);

        if (n == first || node->package != package || node->memory_bytes == 0 || cpu == UINT32_MAX ||
            flow->n == FLOW_STREAMS)
            continue;
        if (!add_on(flow, c, cpu, n, bytes, why))
            return false;
    }
    return true;
}

bool flow_add_each(struct flow *flow, struct check *c, uint64_t bytes)
{
    char why[WHY_SIZE] = "";

    for (uint32_t p = 0; p < c->machine->n_packages; p++)
        if (!flow_add(flow, c, p, NO_NODE, bytes, why) || !add_nodes(flow, c, p, bytes, why)) {
            skip(c, "%s", why);
            return false;
        }
    return true;
}

uint64_t flow_bytes(const struct flow *flow, const struct check *c, uint32_t package)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < flow->n; i++)
        if (c->machine->cpus[flow->streams[i].cpu].package == package)
            sum += flow->streams[i].bytes;
    return sum;
}

uint32_t package_node(const struct machine *m, uint32_t package)
{
    for (uint32_t i = 0; i < m->n_nodes; i++)
        if (m->nodes[i].package == package && m->nodes[i].memory_bytes > 0)
            return i;
    return NO_NODE;
}

#define MBM_TRIES 100u

enum status flow_mbm(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event, uint64_t *counts)
{
    struct qm_domain *qm = domain_qm(c, domain);
    struct qm_sample s;
    enum status st = qm ? qm_read_wait(c->platform, qm, rmid, event, MBM_TRIES, &s, NULL) : ST_LOST;

    if (st == ST_OK)
        *counts = s.counts;
    return st;
}

bool flow_select(struct lab_box *b, uint32_t i, const char *name)
{
    const struct pmon_named *named = pmon_event_named(b->unit, name);
    struct pmon_event event;

    if (named == NULL || i >= lab_programmable(b) || (named->counters && !(named->counters >> i & 1)))
        return false;
    for (uint32_t k = 0; k < 2; k++) { /* a box has one filter for all of its counters */
        uint32_t wanted = k ? named->filter1 : named->filter0;

        if (wanted && b->filter[k] && b->filter[k] != wanted)
            return false;
    }
    event =
        (struct pmon_event){ .ev_sel = named->ev_sel, .umask = named->umask, .extra = named->extra, .enable = true };
    if (pmon_encode(b->unit, &event, &b->ctl[i]) != ST_OK)
        return false;
    b->filter[0] |= named->filter0;
    b->filter[1] |= named->filter1;
    return true;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

enum status flow_run_steps(struct flow *flow, struct platform *p, struct step *steps, uint32_t n_steps, uint64_t bytes)
{
    struct task *tasks = heap_alloc(sizeof *tasks * flow->n);
    enum status st;

    if (tasks == NULL)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < flow->n; i++)
        tasks[i] = (struct task){ .cpu = flow->streams[i].cpu, .n_steps = n_steps, .steps = &steps[i * n_steps] };
    st = platform_run(p, tasks, flow->n, work_budget_ms(bytes));
    for (uint32_t i = 0; i < flow->n; i++) {
        enum status own = tasks[i].status;

        for (uint32_t k = 0; k < n_steps; k++)
            own = status_first(own, steps[i * n_steps + k].status);
        if (own != ST_OK)
            flow->bad_cpu = flow->streams[i].cpu;
        st = status_first(st, own);
    }
    heap_free(tasks);
    return st;
}

/* The same work for every stream. */
static enum status run_work(struct platform *p, struct flow *flow, enum work_kind kind, uint32_t passes)
{
    struct work *works = heap_alloc(sizeof *works * flow->n);
    struct step *steps = heap_alloc(sizeof *steps * flow->n);
    enum status st = works && steps ? ST_OK : ST_NO_MEMORY;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < flow->n && st == ST_OK; i++) {
        works[i] = (struct work){
            .kind = kind, .passes = passes, .base = flow->streams[i].base, .bytes = flow->streams[i].bytes
        };
        steps[i] = step_work(&works[i]);
        bytes += flow->streams[i].bytes * passes;
    }
    if (st == ST_OK)
        st = flow_run_steps(flow, p, steps, 1, bytes);
    heap_free(works);
    heap_free(steps);
    return st;
}

/* What the prefetcher controls hold; UINT64_MAX: not to be had. Threads of one core share the register (SDM vol. 4, MSR
 * 1A4H, scope Core), so all are read before any is written. */
static void find_prefetch(struct check *c, const struct flow *flow, uint64_t *found)
{
    for (uint32_t i = 0; i < flow->n; i++)
        if (!is_intel(c) || msr_read(c->platform, flow->streams[i].cpu, MSR_MISC_FEATURE_CONTROL, &found[i]) != ST_OK)
            found[i] = UINT64_MAX;
}

/* Off, or as they were found. A write that is refused leaves them on, and bands have room for that. */
static void set_prefetch(struct check *c, const struct flow *flow, uint64_t *found, bool off)
{
    for (uint32_t i = 0; i < flow->n; i++) {
        uint64_t value = found[i] | (off ? MSR_MISC_FEATURE_CONTROL_ALL : 0);

        if (found[i] != UINT64_MAX &&
            msr_write(c->platform, flow->streams[i].cpu, MSR_MISC_FEATURE_CONTROL, value) != ST_OK && off)
            found[i] = UINT64_MAX;
    }
}

static enum status run_streams(struct flow *flow, struct platform *p)
{
    return flow->run ? flow->run(flow, p) : run_work(p, flow, flow->kind, flow->passes);
}

enum status flow_once(struct lab *lab, struct flow *flow)
{
    enum status st = ST_OK;

    lab_program(lab);
    if (flow->warm)
        st = run_work(lab->check->platform, flow, WORK_READ, 2);
    if (st == ST_OK && flow->cold)
        st = run_work(lab->check->platform, flow, WORK_FLUSH, 1);
    lab_run(lab);
    if (st == ST_OK)
        st = run_streams(flow, lab->check->platform);
    lab_stop(lab);
    lab_fetch(lab);
    return st;
}

static uint64_t window_of(const struct lab *lab)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < lab->n; i++) {
        const struct lab_box *b = &lab->boxes[i];

        if (b->status == ST_OK && b->stop_after > b->run_before && b->stop_after - b->run_before > longest)
            longest = b->stop_after - b->run_before;
    }
    return longest;
}

enum { WITH, WITHOUT, MOST, COUNTS };

static double *counts_of(const struct flow_counts *counts, const struct lab *lab, const struct lab_box *b, uint32_t i,
                         uint32_t which)
{
    return &counts->counts[((size_t)which * lab->n + (size_t)(b - lab->boxes)) * LAB_COUNTERS + i];
}

/* again: another look, of which only the most is kept. */
static void put_counts(const struct lab *lab, const struct flow_counts *counts, uint32_t which, bool again)
{
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n; k++) {
            double now = (double)lab_counts(&lab->boxes[i], k);
            double *most = counts_of(counts, lab, &lab->boxes[i], k, MOST);

            if (!again)
                *counts_of(counts, lab, &lab->boxes[i], k, which) = now;
            if (which == WITHOUT)
                *most = again && *most > now ? *most : now;
        }
}

double flow_beside(const struct flow_counts *counts, const struct lab *lab, const struct lab_box *b, uint32_t i)
{
    return *counts_of(counts, lab, b, i, MOST);
}

double flow_got(const struct flow_counts *counts, const struct lab *lab, const struct lab_box *b, uint32_t i)
{
    return *counts_of(counts, lab, b, i, WITH) - *counts_of(counts, lab, b, i, WITHOUT);
}

bool flow_stands_out(struct check *c, const char *where, double beside_bytes, double bytes)
{
    if (measure(c, "bytes in as long a time without the load", where, beside_bytes, "bytes", -NO_BOUND,
                BESIDE_MOST * bytes))
        return true;
    warn(c,
         "%s: without the load %llu bytes are counted in the time in which it moves %llu: something else uses this "
         "memory (BMC, network, graphics, SMM), and the load is not judged beside it",
         where, (unsigned long long)beside_bytes, (unsigned long long)bytes);
    return false;
}

enum status flow_run(struct lab *lab, struct flow *flow, struct flow_counts *counts)
{
    uint64_t found[FLOW_STREAMS] = { 0 }, window;
    enum status st;

    if (counts->counts == NULL)
        counts->counts = heap_alloc(COUNTS * sizeof *counts->counts * lab->n * LAB_COUNTERS);
    if (counts->counts == NULL)
        return ST_NO_MEMORY;
    find_prefetch(lab->check, flow, found);
    if (!flow->prefetch)
        set_prefetch(lab->check, flow, found, true);
    st = flow_once(lab, flow);
    if (!flow->prefetch)
        set_prefetch(lab->check, flow, found, false);
    put_counts(lab, counts, WITH, false);
    if (st != ST_OK)
        return st;
    window = window_of(lab); /* of the flow, while its times are still known */
    for (uint32_t look = 0; look <= flow->more_looks; look++) {
        lab_program(lab);
        lab_run(lab);
        lab_wait(lab, window);
        lab_stop(lab);
        lab_fetch(lab);
        put_counts(lab, counts, WITHOUT, look > 0);
    }
    return ST_OK;
}

void flow_free(struct flow_counts *counts)
{
    heap_free(counts->counts);
    counts->counts = NULL;
}
