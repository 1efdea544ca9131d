/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "core/base/text.h"
#include "core/count/count_internal.h"
#include "core/events/event_perf.h"

#define LINE    160u
#define IDLE_NS UINT64_C(1000000000) /* a window without a load, all its turns */

/* --- the load ----------------------------------------------------------------------------------------------------- */

static bool count_any_unit(const struct pmon_unit *)
{
    return true;
}

/* Each package reads memory of the next one that has some. */
static enum status add_remote(struct counting *c, uint64_t bytes)
{
    const struct machine *m = c->check->machine;

    for (uint32_t p = 0; p < m->n_packages; p++) {
        uint32_t home = (p + 1) % m->n_packages;

        while (home != p && machine_package_node(m, home) == NO_NODE)
            home = (home + 1) % m->n_packages;
        if (home == p)
            return check_absent(c->check, "no other package than %u has memory (SRAT)", p);
        TRY(traffic_window_add(&c->traffic, c->check, p, machine_package_node(m, home), bytes));
    }
    return ST_OK;
}

static enum status make_traffic(struct counting *c, struct options_error *error)
{
    static const enum work_kind kinds[] = { WORK_READ, WORK_WRITE, WORK_NT_WRITE, WORK_READ, WORK_READ };
    const struct options *o = c->request->options;
    char why[sizeof c->check->state->why];
    uint64_t bytes = o->size_bytes & ~UINT64_C(63);

    c->traffic = (struct traffic_window){ .kind = kinds[o->load], .passes = 1, .cold = true };
    if (o->load == LOAD_NONE ||
        (o->load == LOAD_READ_REMOTE ? add_remote(c, bytes)
                                     : traffic_window_add_packages(&c->traffic, c->check, bytes)) == ST_OK)
        return ST_OK;
    check_take_reason(c->check, why, sizeof why);
    text_format(error->text, sizeof error->text, "%s: %s", o->load == LOAD_READ_REMOTE ? "-load read-remote" : "-size",
                why);
    return ST_RANGE;
}

static void say_load(const struct counting *c)
{
    static const char *const words[] = { "reads", "writes", "writes (non-temporal)", "", "reads" };
    const struct options *o = c->request->options;
    char line[LINE];

    if (o->load == LOAD_NONE)
        c->out->say(c->out->context, "Without a load, 1 s:");
    for (uint32_t i = 0; i < c->traffic.n; i++) {
        const struct traffic_window_stream *s = &c->traffic.streams[i];

        text_format(line, sizeof line, "%s cpu %u of package %u %s %lu bytes of %s memory%s",
                    i ? "      " : "While:", s->cpu, c->check->machine->cpus[s->cpu].package, words[o->load], s->bytes,
                    o->load == LOAD_READ_REMOTE ? "another package's" : "local", i + 1 < c->traffic.n ? "," : "");
        c->out->say(c->out->context, line);
    }
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

static double seconds_of(const struct counting *c, uint64_t ticks)
{
    return (double)ticks / (double)c->check->platform->tsc_hz;
}

/* How long a box counted: the middle of the writes that let it run and stopped it. */
static double box_seconds(const struct counting *c, const struct pmon_session_box *b)
{
    uint64_t run = b->run_before / 2 + b->run_after / 2, stop = b->stop_before / 2 + b->stop_after / 2;

    return stop > run ? seconds_of(c, stop - run) : 0;
}

/* What the session counted in its last window, to what there is. background: of counts, or NULL. */
static void collect_turn(struct counting *c, uint32_t group, const struct traffic_window_counts *background,
                         double seconds)
{
    double longest = 0;

    for (uint32_t e = 0; e < c->plan.n_events; e++)
        for (uint32_t i = 0; i < c->session.n && c->plan.events[e].group == group; i++) {
            const struct count_place *p = count_place_of(&c->plan, e, i);
            const struct pmon_session_box *b = &c->session.boxes[i];
            struct count_cell *cell = count_cell_of(c, e, i);
            double own = seconds > 0 ? seconds : box_seconds(c, b), with;

            if (!p->there || b->status != ST_OK)
                continue;
            with = background ? traffic_window_with(background, &c->session, b, p->counter)
                              : (double)pmon_session_counts(b, p->counter);
            cell->raw += with;
            cell->net += background && !p->clock ? traffic_window_net(background, &c->session, b, p->counter) : with;
            cell->seconds += own;
            longest = own > longest ? own : longest;
        }
    c->group_seconds[group] += longest;
}

/* One turn of a group: the load once, and the counts without it; or so long without a load. */
static enum status turn_once(struct counting *c, uint32_t group)
{
    count_plan_load(&c->plan, group);
    if (c->request->options->load == LOAD_NONE) {
        pmon_session_measure(&c->session, c->check->platform->tsc_hz / c->plan.n_groups);
        collect_turn(c, group, NULL, 0);
        return ST_OK;
    }
    TRY(traffic_window_run(&c->session, &c->traffic, &c->counts));
    collect_turn(c, group, &c->counts, seconds_of(c, c->traffic.ticks));
    return ST_OK;
}

/* The same for -top, where nothing is measured without the load. */
static enum status turn_of_top(struct counting *c, uint32_t group)
{
    if (c->request->options->load == LOAD_NONE)
        return turn_once(c, group);
    count_plan_load(&c->plan, group);
    TRY(traffic_window_once(&c->session, &c->traffic));
    collect_turn(c, group, NULL, 0);
    return ST_OK;
}

static uint64_t count_tsc(const struct counting *c)
{
    return c->check->platform->ops->tsc(c->check->platform->machine);
}

static void window_begins(struct counting *c)
{
    memset(c->cells, 0, sizeof *c->cells * c->plan.n_events * c->session.n);
    memset(c->group_seconds, 0, sizeof c->group_seconds);
}

static void window_ends(struct counting *c, uint64_t began)
{
    if (c->n_windows < c->most_windows)
        c->times[c->n_windows] = seconds_of(c, count_tsc(c) - began);
    count_rows_take(c);
    c->n_windows += c->n_windows < c->most_windows;
}

static enum status count_windows(struct counting *c)
{
    uint64_t began = count_tsc(c);
    char line[LINE];

    for (uint32_t w = 0; w < c->most_windows; w++) {
        window_begins(c);
        for (uint32_t g = 0; g < c->plan.n_groups; g++)
            TRY(turn_once(c, g));
        window_ends(c, began);
        text_format(line, sizeof line, "Window %u of %u:", w + 1, c->most_windows);
        if (c->most_windows > 1)
            c->out->say(c->out->context, line);
        count_say(c);
    }
    return ST_OK;
}

static bool is_stopped(const struct counting *c)
{
    return c->out->stop && c->out->stop(c->out->context);
}

/* A window a second, of as many turns as find room in it, at least one of each group. */
static enum status count_top(struct counting *c)
{
    uint64_t hz = c->check->platform->tsc_hz, began = count_tsc(c), window;
    enum status st = ST_OK;

    while (st == ST_OK && c->n_windows < c->most_windows && !is_stopped(c) &&
           count_tsc(c) - began < hz * c->request->options->top_seconds) {
        window = count_tsc(c);
        window_begins(c);
        do {
            for (uint32_t g = 0; g < c->plan.n_groups && st == ST_OK; g++)
                st = turn_of_top(c, g);
        } while (st == ST_OK && count_tsc(c) - window < hz);
        if (st != ST_OK)
            break;
        window_ends(c, began);
        count_show(c);
    }
    if (st == ST_OK)
        count_say(c);
    return st;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* An item of -count is a metric, "metrics", or an event. */
static enum status plan_item(struct counting *c, const char *item, struct options_error *error)
{
    uint32_t index = 0;
    enum status st = count_add_metrics(c, item, error);

    if (st != ST_ABSENT)
        return st;
    st = count_plan_add(&c->plan, item, &index, error);
    if (st == ST_OK)
        c->plan.events[index].shown = true;
    return st == ST_FULL ? ST_RANGE : st;
}

/* The items of one -count, separated by commas. */
static enum status plan_items(struct counting *c, const char *items, struct options_error *error)
{
    char item[OPTIONS_TEXT];
    enum status st = ST_OK;

    for (const char *at = items; st == ST_OK; at++) {
        size_t n = event_first_length(at);

        memcpy(item, at, n);
        item[n] = '\0';
        at += n;
        st = plan_item(c, item, error);
        if (*at == '\0')
            break;
    }
    return st;
}

static enum status count_prepare(struct counting *c, struct options_error *error)
{
    const struct options *o = c->request->options;

    c->plan = (struct count_plan){ .session = &c->session, .files = c->request->files, .n_files = c->request->n_files };
    c->plan.events = check_alloc(c->check, sizeof *c->plan.events * COUNT_EVENTS);
    c->plan.places = check_alloc(c->check, sizeof *c->plan.places * COUNT_EVENTS * c->session.n);
    c->cells = check_alloc(c->check, sizeof *c->cells * COUNT_EVENTS * c->session.n);
    c->most_windows = o->top_seconds ? o->top_seconds : o->repeat;
    if (c->most_windows > COUNT_WINDOWS) {
        text_format(error->text, sizeof error->text, "-repeat %u: -count takes at most %u windows", o->repeat,
                    COUNT_WINDOWS);
        return ST_RANGE;
    }
    if (!c->plan.events || !c->plan.places || !c->cells)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < o->n_counts; i++)
        TRY(plan_items(c, o->counts[i], error));
    if (o->n_counts == 0)
        TRY(count_add_metrics(c, "metrics", error));
    TRY(count_plan_groups(&c->plan, error));
    TRY(count_rows_make(c));
    return make_traffic(c, error);
}

static enum status count_do(struct counting *c, struct options_error *error)
{
    static const struct report_step step = {
        .id = "count",
        .title = "Uncore events and metrics, counted and not judged",
        .specification = "",
        .rows = "",
        .detects = "",
        .risk = "workload",
        .grade = "",
    };
    enum status st;

    TRY(count_prepare(c, error));
    report_step_start(c->request->report, &step, 1);
    say_load(c);
    st = c->request->options->top_seconds ? count_top(c) : count_windows(c);
    count_put(c);
    c->check->state->record.n_series = c->n_rows;
    c->check->state->record.done = st == ST_OK;
    c->check->state->record.verdict = st == ST_OK ? VERDICT_PASS : VERDICT_ERROR;
    report_step_end(c->request->report, &c->check->state->record);
    return st;
}

enum status count_run(struct tools *tools, const struct count_request *request, const struct count_output *out,
                      struct options_error *error)
{
    static const struct check_row row = { .id = "count", .title = "", .spec = "", .covers = "", .detects = "" };
    struct check_state state = { 0 };
    struct check check = {
        .row = &row, .platform = tools->platform, .machine = tools->machine, .tools = tools, .state = &state
    };
    struct counting c = { .check = &check, .request = request, .out = out };
    enum status st;

    tools_reset(tools);
    if (pmon_session_open(&c.session, &check, count_any_unit, true) != ST_OK) {
        text_format(error->text, sizeof error->text, "-count: this machine has no usable uncore box");
        check_free_since(&check, NULL);
        return ST_RANGE;
    }
    st = count_do(&c, error);
    pmon_session_close(&c.session);
    check_free_since(&check, NULL);
    return st;
}
