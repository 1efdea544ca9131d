/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/uncore/traffic_window.h"

#include "arch/x86/cpu/prefetch.h"
#include "core/base/heap.h"
#include "core/check/sample.h"
#include "core/platform/script.h"

/* --- who and where ------------------------------------------------------------------------------------------------ */

uint64_t traffic_window_stream_bytes(const struct check *c, uint32_t n, uint64_t least)
{
    uint64_t bytes = TRAFFIC_WINDOW_MOST;

    for (uint32_t i = 0; i < c->tools->n_arenas; i++) {
        uint64_t left = arena_left(&c->tools->arenas[i]);

        if (left > 0 && left / n < bytes)
            bytes = left / n;
    }
    bytes = ROUND_DOWN(bytes);
    return c->platform->load_limit || bytes < least ? least : bytes;
}

/* Of that node, if not NO_NODE. */
static uint32_t worker_of(const struct check *c, const struct traffic_window *traffic, uint32_t package, uint32_t node)
{
    const struct machine *m = c->machine;
    uint32_t found = UINT32_MAX;

    for (uint32_t i = m->n_cpus; i-- > 0;) {
        bool taken = m->cpus[i].package != package || !cpu_takes_work(c->platform, i) ||
                     (node != NO_NODE && m->cpus[i].node != node);

        for (uint32_t k = 0; k < traffic->n; k++)
            taken |= traffic->streams[k].cpu == i;
        if (!taken && (found == UINT32_MAX || i != c->platform->bsp))
            found = i;
    }
    return found;
}

static enum status add_on(struct traffic_window *traffic, struct check *c, uint32_t cpu, uint32_t node, uint64_t bytes)
{
    struct traffic_window_stream *s = &traffic->streams[traffic->n];
    enum status st;

    s->cpu = cpu;
    s->bytes = bytes;
    if (node == NO_NODE)
        st = memory_take_local(c, cpu, bytes, &s->base);
    else if (node >= c->tools->n_arenas || arena_take(&c->tools->arenas[node], bytes, &s->base) != ST_OK)
        st = check_absent(c, "node %u: working memory has no %lu bytes left", node, bytes);
    else
        st = ST_OK;
    traffic->n += st == ST_OK;
    return st;
}

enum status traffic_window_add(struct traffic_window *traffic, struct check *c, uint32_t package, uint32_t node,
                               uint64_t bytes)
{
    uint32_t cpu = worker_of(c, traffic, package, NO_NODE);

    if (traffic->n == TRAFFIC_WINDOW_STREAMS || cpu == UINT32_MAX)
        return check_absent(c, "package %u has no processor that takes work", package);
    return add_on(traffic, c, cpu, node, bytes);
}

/* Adds a stream on each other node of the package: the first node has that of traffic_window_add(). */
static enum status add_nodes(struct traffic_window *traffic, struct check *c, uint32_t package, uint64_t bytes)
{
    uint32_t first = c->machine->cpus[traffic->streams[traffic->n - 1].cpu].node;

    for (uint32_t n = 0; n < c->machine->n_nodes; n++) {
        const struct node *node = &c->machine->nodes[n];
        uint32_t cpu = worker_of(c, traffic, package, n);

        if (n == first || node->package != package || node->memory_bytes == 0 || cpu == UINT32_MAX ||
            traffic->n == TRAFFIC_WINDOW_STREAMS)
            continue;
        TRY(add_on(traffic, c, cpu, n, bytes));
    }
    return ST_OK;
}

/* nodes: a stream for each node of a package. */
static enum status add_where_memory_is(struct traffic_window *traffic, struct check *c, uint64_t bytes, bool nodes)
{
    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        if (!machine_package_has_memory(c->machine, p)) {
            check_note(c, "package %u has no memory of its own (SRAT): not judged", p);
            continue;
        }
        TRY(traffic_window_add(traffic, c, p, NO_NODE, bytes));
        if (nodes)
            TRY(add_nodes(traffic, c, p, bytes));
    }
    return traffic->n == 0 ? check_absent(c, "no package has memory of its own (SRAT)") : ST_OK;
}

enum status traffic_window_add_packages(struct traffic_window *traffic, struct check *c, uint64_t bytes)
{
    return add_where_memory_is(traffic, c, bytes, false);
}

#define LEAST_PART 4u /* of the bytes that are asked for */

/* Half of *bytes, where so many could not be had and half is `least` still. */
static bool take_less(struct check *c, enum status st, uint64_t least, uint64_t *bytes)
{
    char why[160];

    if (st != ST_ABSENT || *bytes / 2 < least || least == 0)
        return false;
    *bytes = ROUND_DOWN(*bytes / 2);
    check_take_reason(c, why, sizeof why);
    check_note(c, "%s: streams of %lu bytes", why, *bytes);
    return true;
}

enum status traffic_window_add_each(struct traffic_window *traffic, struct check *c, uint64_t bytes)
{
    uint64_t least = ROUND_DOWN(bytes / LEAST_PART);
    enum status st = add_where_memory_is(traffic, c, bytes, true);

    while (take_less(c, st, least, &bytes)) {
        tools_reset(c->tools);
        traffic->n = 0;
        st = add_where_memory_is(traffic, c, bytes, true);
    }
    return st;
}

enum status traffic_window_add_some(struct traffic_window *traffic, struct check *c, uint32_t package, uint32_t node,
                                    uint64_t bytes)
{
    uint64_t least = ROUND_DOWN(bytes / LEAST_PART);
    enum status st = traffic_window_add(traffic, c, package, node, bytes);

    while (take_less(c, st, least, &bytes))
        st = traffic_window_add(traffic, c, package, node, bytes);
    return st;
}

uint64_t traffic_window_bytes(const struct traffic_window *traffic, const struct check *c, uint32_t package)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < traffic->n; i++)
        if (c->machine->cpus[traffic->streams[i].cpu].package == package)
            sum += traffic->streams[i].bytes;
    return sum;
}

enum status traffic_window_homes_known(struct check *c)
{
    bool shared = c->machine->n_packages > 1 && c->machine->n_nodes < c->machine->n_packages;

    for (uint32_t i = 0; i < c->machine->n_nodes; i++)
        shared |= c->machine->nodes[i].shared;
    if (shared)
        return check_absent(c, "SRAT does not say which memory belongs to which package");
    return ST_OK;
}

enum status traffic_window_two_packages(struct check *c)
{
    return c->machine->n_packages < 2 ? check_absent(c, "one package") : traffic_window_homes_known(c);
}

#define MBM_TRIES 100u

static enum status window_mbm(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event, uint32_t tries,
                              uint64_t *counts)
{
    struct qm_domain *qm = domain_qm(c, domain);
    struct qm_sample s;

    TRY(qm ? qm_read_wait(c->platform, qm, rmid, event, tries, &s, NULL) : ST_LOST);
    *counts = s.counts;
    return ST_OK;
}

enum status traffic_window_mbm(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event, uint64_t *counts)
{
    return window_mbm(c, domain, rmid, event, MBM_TRIES, counts);
}

/* AMD's count of an RMID that is counted again begins at 0, and its first read is Unavailable: Linux commit
 * 15292f1b4c55. */
enum status traffic_window_mbm_after(struct check *c, uint32_t domain, uint32_t rmid, enum qm_event event,
                                     uint64_t *counts)
{
    return window_mbm(c, domain, rmid, event, reference_is_intel(c) ? MBM_TRIES : 1, counts);
}

enum status traffic_window_unmeasured(struct check *c, const struct traffic_window *traffic, enum status st,
                                      const char *what)
{
    if (st == ST_UNAVAILABLE && !reference_is_intel(c))
        return check_absent(c, "%s: their RMIDs are Unavailable: the part counts fewer RMIDs at a time", what);
    return check_unmeasured(c, st, traffic->bad_cpu, what);
}

bool traffic_window_overcounts(const struct check *c, uint32_t domain, double bytes)
{
    const struct l3_domain *d = domain == NO_DOMAIN ? NULL : &c->machine->domains[domain];

    return d && !d->l3_inclusive && bytes < 4.0 * (double)d->l3_bytes;
}

static enum status named_control(const struct pmon_unit *unit, const struct pmon_named *named, uint64_t *ctl)
{
    struct pmon_event event = { .ev_sel = named->ev_sel, .umask = named->umask, .extra = named->extra, .enable = true };

    return pmon_encode(unit, &event, ctl);
}

bool traffic_window_select(struct pmon_session_box *b, uint32_t i, const char *name)
{
    const struct pmon_named *named = pmon_event_named(b->unit, name);

    if (named == NULL || i >= pmon_session_programmable(b) || (named->counters && !(named->counters >> i & 1)))
        return false;
    for (uint32_t k = 0; k < 2; k++) { /* a box has one filter for all of its counters */
        uint32_t wanted = k ? named->filter1 : named->filter0;

        if (wanted && b->filter[k] && b->filter[k] != wanted)
            return false;
    }
    if (named_control(b->unit, named, &b->ctl[i]) != ST_OK)
        return false;
    b->filter[0] |= named->filter0;
    b->filter[1] |= named->filter1;
    return true;
}

static uint32_t rest_counter(const struct pmon_session_box *b, uint32_t i)
{
    return pmon_session_programmable(b) - 1 - i;
}

bool traffic_window_select_whole(struct pmon_session_box *b, uint32_t i, const char *name)
{
    const struct pmon_named *named = pmon_event_named(b->unit, name);

    if (!traffic_window_select(b, i, name))
        return false;
    return !named->rest || traffic_window_select(b, rest_counter(b, i), named->rest);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

enum status traffic_window_run_steps(struct traffic_window *traffic, struct platform *p, struct step *steps,
                                     uint32_t n_steps, uint64_t bytes)
{
    struct task *tasks = heap_alloc(sizeof *tasks * traffic->n);
    enum status st;

    if (tasks == NULL)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < traffic->n; i++)
        tasks[i] = (struct task){ .cpu = traffic->streams[i].cpu, .n_steps = n_steps, .steps = &steps[i * n_steps] };
    st = platform_run(p, tasks, traffic->n, work_budget_ms(bytes));
    for (uint32_t i = 0; i < traffic->n; i++) {
        enum status own = tasks[i].status;

        for (uint32_t k = 0; k < n_steps; k++)
            own = status_first(own, steps[i * n_steps + k].status);
        if (own != ST_OK)
            traffic->bad_cpu = traffic->streams[i].cpu;
        st = status_first(st, own);
    }
    heap_free(tasks);
    return st;
}

/* The same work for every stream. */
static enum status run_work(struct platform *p, struct traffic_window *traffic, enum work_kind kind, uint32_t passes)
{
    struct work *works = heap_alloc(sizeof *works * traffic->n);
    struct step *steps = heap_alloc(sizeof *steps * traffic->n);
    enum status st = works && steps ? ST_OK : ST_NO_MEMORY;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < traffic->n && st == ST_OK; i++) {
        works[i] = (struct work){
            .kind = kind, .passes = passes, .base = traffic->streams[i].base, .bytes = traffic->streams[i].bytes
        };
        steps[i] = step_work(&works[i]);
        bytes += traffic->streams[i].bytes * passes;
    }
    if (st == ST_OK)
        st = traffic_window_run_steps(traffic, p, steps, 1, bytes);
    heap_free(works);
    heap_free(steps);
    return st;
}

/* What the prefetcher controls of each stream's processor hold; UINT64_MAX: not readable. Threads of one core share the
 * registers (SDM vol. 4, MSR 1A4H, scope Core), so all are read before any is written. */
struct found_prefetch {
    uint64_t value[TRAFFIC_WINDOW_STREAMS][PREFETCH_REGISTERS];
};

static uint32_t prefetch_registers(const struct check *c)
{
    return c->machine->prefetch ? c->machine->prefetch->n : 0;
}

static void find_prefetch(struct check *c, const struct traffic_window *traffic, struct found_prefetch *found)
{
    for (uint32_t i = 0; i < traffic->n; i++)
        for (uint32_t r = 0; r < prefetch_registers(c); r++)
            if (msr_read(c->platform, traffic->streams[i].cpu, c->machine->prefetch->reg[r].msr, &found->value[i][r]) !=
                ST_OK)
                found->value[i][r] = UINT64_MAX;
}

static enum status write_off(struct check *c, uint32_t cpu, const struct prefetch_register *reg, uint64_t found)
{
    enum status st = ST_FAULT;

    for (uint32_t k = 0; k < PREFETCH_MASKS && reg->masks[k] && st == ST_FAULT; k++)
        st = msr_write(c->platform, cpu, reg->msr, found | reg->masks[k]);
    return st;
}

/* Off, or as they were found. A write that is refused leaves them on, and bands have room for that. */
static void set_prefetch(struct check *c, const struct traffic_window *traffic, struct found_prefetch *found, bool off)
{
    for (uint32_t i = 0; i < traffic->n; i++)
        for (uint32_t r = 0; r < prefetch_registers(c); r++) {
            const struct prefetch_register *reg = &c->machine->prefetch->reg[r];
            uint64_t *value = &found->value[i][r];
            uint32_t cpu = traffic->streams[i].cpu;

            if (*value == UINT64_MAX)
                continue;
            if ((off ? write_off(c, cpu, reg, *value) : msr_write(c->platform, cpu, reg->msr, *value)) != ST_OK && off)
                *value = UINT64_MAX;
        }
}

static enum status run_streams(struct traffic_window *traffic, struct platform *p)
{
    return traffic->run ? traffic->run(traffic, p) : run_work(p, traffic, traffic->kind, traffic->passes);
}

/* The processors of the streams stay awake, as they are under the load: a core or package that sleeps changes the
 * clocks of the uncore, and who else is served. */
static enum status spin_streams(struct platform *p, struct traffic_window *traffic, uint64_t ticks)
{
    struct step *steps = heap_alloc(sizeof *steps * traffic->n);
    enum status st = steps ? ST_OK : ST_NO_MEMORY;

    for (uint32_t i = 0; i < traffic->n && st == ST_OK; i++)
        steps[i] = step_spin(ticks);
    if (st == ST_OK)
        st = traffic_window_run_steps(traffic, p, steps, 1, 0);
    heap_free(steps);
    return st;
}

/* What a window has between run and stop: the streams, or idle_ticks without them. */
static enum status window_body(struct traffic_window *traffic, struct platform *p, uint64_t idle_ticks)
{
    return idle_ticks ? spin_streams(p, traffic, idle_ticks) : run_streams(traffic, p);
}

static enum status window_prepare(struct pmon_session *session, struct traffic_window *traffic, uint64_t idle_ticks)
{
    struct platform *p = session->check->platform;

    pmon_session_program(session);
    if (traffic->warm && !idle_ticks)
        TRY(run_work(p, traffic, WORK_READ, 2));
    if (traffic->cold && !idle_ticks)
        TRY(run_work(p, traffic, WORK_FLUSH, 1));
    return ST_OK;
}

/* One window, again while an SMI falls into it: what SMM code reads and writes is memory traffic too (SDM vol.
 * 3B 17.16.8). Where every try has one the last stands. */
static enum status window_once(struct pmon_session *session, struct traffic_window *traffic, uint64_t idle_ticks)
{
    uint32_t cpus[TRAFFIC_WINDOW_STREAMS];
    struct sample s;
    enum status st;

    for (uint32_t i = 0; i < traffic->n; i++)
        cpus[i] = traffic->streams[i].cpu;
    sample_begin(&s, session->check, cpus, traffic->n);
    if (!idle_ticks && !traffic->cold && !traffic->warm)
        s.budget = 1; /* what it finds in the caches is not there a second time */
    while (sample_wanted(&s)) {
        st = window_prepare(session, traffic, idle_ticks);
        if (st == ST_OK)
            st = sample_open(&s);
        pmon_session_run(session);
        if (st == ST_OK)
            st = window_body(traffic, session->check->platform, idle_ticks);
        sample_close(&s, st);
        pmon_session_stop(session);
        pmon_session_fetch(session);
    }
    st = sample_end(&s);
    return st == ST_DISTURBED ? ST_OK : st;
}

enum status traffic_window_once(struct pmon_session *session, struct traffic_window *traffic)
{
    return window_once(session, traffic, 0);
}

enum status traffic_window_idle(struct pmon_session *session, struct traffic_window *traffic, uint64_t ticks)
{
    return window_once(session, traffic, ticks ? ticks : 1);
}

uint64_t traffic_window_ticks(const struct pmon_session *session)
{
    uint64_t longest = 0;

    pmon_session_each(session, b) {
        if (b->status == ST_OK && b->stop_after > b->run_before && b->stop_after - b->run_before > longest)
            longest = b->stop_after - b->run_before;
    }
    return longest;
}

enum { WITH, WITHOUT, LEAST, MOST, COUNTS };

#define IDLE_LOOKS 3u /* idle windows, at least: two may both miss what comes and goes */

static double *counts_of(const struct traffic_window_counts *counts, const struct pmon_session *session,
                         const struct pmon_session_box *b, uint32_t i, uint32_t which)
{
    return &counts->counts[((size_t)which * session->n + (size_t)(b - session->boxes)) * PMON_SESSION_COUNTERS + i];
}

/* looks: idle windows that the mean has already. */
static void put_counts(const struct pmon_session *session, const struct traffic_window_counts *counts, uint32_t which,
                       uint32_t looks)
{
    pmon_session_each(session, b)
        for (uint32_t k = 0; k < b->n; k++) {
            double now = (double)pmon_session_counts(b, k);
            double *to = counts_of(counts, session, b, k, which);
            double *least = counts_of(counts, session, b, k, LEAST);
            double *most = counts_of(counts, session, b, k, MOST);

            *to = looks ? *to + (now - *to) / (looks + 1) : now;
            if (which == WITH)
                continue;
            *least = looks && *least < now ? *least : now;
            *most = looks && *most > now ? *most : now;
        }
}

/* n idle windows more. */
static enum status look_idle(struct pmon_session *session, struct traffic_window *traffic,
                             const struct traffic_window_counts *counts, uint32_t n, uint32_t *looks)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        st = traffic_window_idle(session, traffic, traffic->ticks);
        put_counts(session, counts, WITHOUT, (*looks)++);
    }
    return st;
}

double traffic_window_background(const struct traffic_window_counts *counts, const struct pmon_session *session,
                                 const struct pmon_session_box *b, uint32_t i)
{
    double least = *counts_of(counts, session, b, i, LEAST);
    double most = *counts_of(counts, session, b, i, MOST);
    double apart = BACKGROUND_SPREADS * (most - least);

    return apart > BACKGROUND_VARIES * most ? apart : BACKGROUND_VARIES * most;
}

double traffic_window_with(const struct traffic_window_counts *counts, const struct pmon_session *session,
                           const struct pmon_session_box *b, uint32_t i)
{
    return *counts_of(counts, session, b, i, WITH);
}

double traffic_window_net(const struct traffic_window_counts *counts, const struct pmon_session *session,
                          const struct pmon_session_box *b, uint32_t i)
{
    return *counts_of(counts, session, b, i, WITH) - *counts_of(counts, session, b, i, WITHOUT);
}

/* Bytes of the second event that traffic_window_select_whole() selected; 0: none. */
static double rest_of(const struct pmon_session *session, const struct traffic_window_counts *counts,
                      const struct pmon_session_box *b, const struct pmon_named *named, uint32_t i,
                      traffic_window_reader got)
{
    const struct pmon_named *rest = named->rest ? pmon_event_named(b->unit, named->rest) : NULL;
    uint64_t ctl;

    if (!rest || named_control(b->unit, rest, &ctl) != ST_OK || b->ctl[rest_counter(b, i)] != ctl)
        return 0;
    return rest->bytes * got(counts, session, b, rest_counter(b, i));
}

double traffic_window_sum(const struct pmon_session *session, const struct traffic_window_counts *counts,
                          enum pmon_kind kind, uint32_t package, uint32_t i, const char *name,
                          traffic_window_reader got)
{
    double sum = 0;
    bool any = false;

    pmon_session_each(session, b) {
        const struct pmon_named *named = pmon_event_named(b->unit, name);

        if (b->unit->kind != kind || b->box->package != package || b->status != ST_OK || !named || b->ctl[i] == 0)
            continue;
        sum += named->bytes * got(counts, session, b, i) + rest_of(session, counts, b, named, i, got);
        any = true;
    }
    return any ? sum : -1;
}

bool traffic_window_stands_out(struct check *c, struct place place, double background_bytes, double bytes)
{
    if (check_measure(c, "idle baseline: by how much it varies", place, background_bytes, "bytes", -NO_BOUND,
                      BACKGROUND_MOST * bytes))
        return true;
    finding(c, FINDING_UNUSUAL, 0, FOUND_BACKGROUND_VARIES, place,
            "the idle baseline varies by %lu bytes in the time in which the load moves %lu: other agents use this "
            "memory (BMC, network, graphics, SMM), and the load is not judged",
            (uint64_t)background_bytes, (uint64_t)bytes);
    return false;
}

enum status traffic_window_run(struct pmon_session *session, struct traffic_window *traffic,
                               struct traffic_window_counts *counts)
{
    struct found_prefetch found = { 0 };
    uint32_t looks = 0, before;
    enum status st;

    if (counts->counts == NULL)
        counts->counts =
            check_alloc(session->check, COUNTS * sizeof *counts->counts * session->n * PMON_SESSION_COUNTERS);
    if (counts->counts == NULL)
        return ST_NO_MEMORY;
    before = traffic->ticks ? traffic->background_repeats / 2 : 0;
    TRY(look_idle(session, traffic, counts, before, &looks));
    find_prefetch(session->check, traffic, &found);
    if (!traffic->prefetch)
        set_prefetch(session->check, traffic, &found, true);
    st = traffic_window_once(session, traffic);
    if (!traffic->prefetch)
        set_prefetch(session->check, traffic, &found, false);
    put_counts(session, counts, WITH, 0);
    TRY(st);
    traffic->ticks = traffic_window_ticks(session); /* while its times are still known */
    return look_idle(session, traffic, counts, IDLE_LOOKS + traffic->background_repeats - before, &looks);
}
