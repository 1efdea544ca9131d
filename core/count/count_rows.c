/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/count/count_rows.c: what counts of a window come to, by box, die and package. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/events/formula.h"
#include "core/count/count_internal.h"

#define ALL UINT32_MAX

struct count_cell *count_cell_of(const struct counting *c, uint32_t event, uint32_t box)
{
    return &c->cells[(size_t)event * c->session.n + box];
}

double count_share(const struct counting *c, uint32_t event)
{
    double sum = SUM_OF(double, g, c->plan.n_groups, c->group_seconds[g]);

    return sum > 0 ? c->group_seconds[c->plan.events[event].group] / sum : 0;
}

static bool is_in(const struct counting *c, const struct count_row *row, uint32_t box)
{
    const struct pmon_session_box *b = &c->session.boxes[box];

    return b->status == ST_OK && b->box->package == row->package && (row->die == ALL || b->box->die == row->die) &&
           (row->box == ALL || row->box == box);
}

/* --- metrics ------------------------------------------------------------------------------------------------------ */

struct metric_place {
    struct counting *c;
    const struct count_row *row; /* NULL: events are added to the plan */
    struct options_error *error;
    enum status st;
    uint64_t events; /* that were asked for */
};

static bool plan_value(void *context, const char *event, enum formula_of, double *value)
{
    struct metric_place *at = context;
    uint32_t index;
    enum status st = count_plan_add(&at->c->plan, event, &index, at->error);

    *value = 1;
    at->st = status_first(at->st, st);
    if (st == ST_OK)
        at->events |= BIT(index);
    return st == ST_OK;
}

static bool place_value(void *context, const char *event, enum formula_of of, double *value)
{
    const struct metric_place *at = context;
    uint32_t e = INDEX_OF(k, at->c->plan.n_events, text_equal(at->c->plan.events[k].text, event)), n = 0;
    double sum = 0;

    for (uint32_t i = 0; e < at->c->plan.n_events && i < at->c->session.n; i++) {
        const struct count_place *p = count_place_of(&at->c->plan, e, i);
        const struct count_cell *cell = count_cell_of(at->c, e, i);

        if (!p->there || !is_in(at->c, at->row, i) || cell->seconds <= 0)
            continue;
        sum += cell->raw / cell->seconds * (of == FORMULA_BYTES ? p->bytes : 1);
        n++;
    }
    *value = of == FORMULA_BOXES ? n : of == FORMULA_MEAN && n ? sum / n : sum;
    return n > 0;
}

/* Whether the part has a unit of that name. */
static bool has_unit(const struct counting *c, const char *name)
{
    pmon_session_each(&c->session, b)
        if (text_equal(b->unit->name, name))
            return true;
    return false;
}

/* The metric's events into the plan; what was added stays out where one of them cannot be counted. */
static enum status add_metric(struct counting *c, const struct metric *m, struct options_error *error)
{
    struct metric_place at = { .c = c, .error = error, .st = ST_OK };
    struct formula_values values = { plan_value, &at };
    uint32_t before = c->plan.n_events;
    double ignored;

    if ((m->only && !has_unit(c, m->only)) || (m->parts && !text_matches(m->parts, c->check->tools->pmon.part->name)))
        return ST_ABSENT;
    if (formula_evaluate(m->formula, &values, &ignored) == ST_OK && c->n_metrics < COUNT_METRICS) {
        c->metric_events[c->n_metrics] = at.events;
        c->metrics[c->n_metrics++] = m;
        return ST_OK;
    }
    c->plan.n_events = before;
    return at.st == ST_FULL ? ST_RANGE : ST_ABSENT;
}

static bool is_chosen(const struct counting *c, const char *name)
{
    return ANY_OF(i, c->n_metrics, text_equal(c->metrics[i]->name, name));
}

/* Those of the files of events, by name or a pattern of it. */
static enum status add_read_metrics(struct counting *c, const char *name, bool *is_one, struct options_error *error)
{
    for (uint32_t f = 0; f < c->request->n_files; f++)
        EACH(const struct named_metric, read, c->request->files[f].metrics, c->request->files[f].n_metrics) {
            struct metric *m = &c->read_metrics[c->n_metrics];

            if (!text_matches(name, read->name) || is_chosen(c, read->name))
                continue;
            *is_one = true;
            if (c->n_metrics == COUNT_METRICS)
                return ST_RANGE;
            *m = (struct metric){ .name = read->name,
                                  .title = c->request->files[f].source,
                                  .unit = read->unit,
                                  .formula = read->formula,
                                  .source = c->request->files[f].source };
            if (add_metric(c, m, error) == ST_RANGE)
                return ST_RANGE;
        }
    return ST_OK;
}

enum status count_add_metrics(struct counting *c, const char *name, struct options_error *error)
{
    bool all = text_equal(name, "metrics"), is_one = all;
    uint32_t before = c->n_metrics;

    for (uint32_t i = 0; i < n_metrics; i++) {
        bool wanted = all || text_equal_nocase(metrics[i].name, name);

        is_one |= wanted;
        if (wanted && !is_chosen(c, metrics[i].name) && add_metric(c, &metrics[i], error) == ST_RANGE)
            return ST_RANGE;
    }
    if (add_read_metrics(c, name, &is_one, error) == ST_RANGE)
        return ST_RANGE;
    if (!is_one)
        return ST_ABSENT;
    if (c->n_metrics > before || is_chosen(c, name))
        return ST_OK;
    text_format(error->text, sizeof error->text, "-count: this part has no events for the metric \"%s\"", name);
    return ST_RANGE;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* Whether the box counts an event of the row. */
static bool counts_in(const struct counting *c, const struct count_row *row, uint32_t box)
{
    if (ANY_OF(e, c->plan.n_events, (row->events >> e & 1) && count_place_of(&c->plan, e, box)->there))
        return is_in(c, row, box);
    return false;
}

static void add_row(struct counting *c, struct count_row row, bool room_only)
{
    for (uint32_t i = 0; i < c->session.n; i++)
        row.n += counts_in(c, &row, i);
    if (row.n == 0 || (row.box == ALL && row.n == 1 && !row.metric))
        return;
    if (!room_only) {
        if (row.box != ALL)
            row.place = pmon_place(c->session.boxes[row.box].box);
        else
            row.place = place_with(place_package(row.package), PLACE_ALL, row.n);
        if (row.box == ALL && row.die != ALL)
            row.place = place_with(row.place, PLACE_DIE, row.die);
        place_text(&row.place, row.where, sizeof row.where);
        c->rows[c->n_rows] = row;
    }
    c->n_rows++;
}

/* Dies of a package that boxes of the session are of. */
static uint32_t dies_of(const struct counting *c, uint32_t package)
{
    uint32_t dies = 0;

    pmon_session_each(&c->session, b) {
        const struct pmon_box *box = b->box;

        if (box->package == package && box->die + 1 > dies)
            dies = box->die + 1;
    }
    return dies;
}

/* Boxes of a package, then its dies where it has several, then the package. */
static void add_rows(struct counting *c, struct count_row row, bool room_only)
{
    bool boxes = !row.metric || row.metric->by_box;

    for (row.package = 0; row.package < c->check->machine->n_packages; row.package++) {
        uint32_t dies = dies_of(c, row.package);

        for (row.box = 0, row.die = ALL; boxes && row.box < c->session.n; row.box++)
            add_row(c, row, room_only);
        for (row.box = ALL, row.die = 0; dies > 1 && row.die < dies; row.die++)
            add_row(c, row, room_only);
        row.box = row.die = ALL;
        add_row(c, row, room_only);
    }
}

static bool event_has_bytes(const struct counting *c, uint32_t event)
{
    return ANY_OF(i, c->session.n,
                  count_place_of(&c->plan, event, i)->there && count_place_of(&c->plan, event, i)->bytes > 0);
}

static void add_all(struct counting *c, bool room_only)
{
    c->n_rows = 0;
    for (uint32_t e = 0; e < c->plan.n_events; e++)
        if (c->plan.events[e].shown)
            add_rows(c,
                     (struct count_row){ .name = c->plan.events[e].text,
                                         .unit = event_has_bytes(c, e) ? "bytes/s" : "counts/s",
                                         .event = e,
                                         .events = BIT(e) },
                     room_only);
    for (uint32_t i = 0; i < c->n_metrics; i++)
        add_rows(c,
                 (struct count_row){ .name = c->metrics[i]->name,
                                     .unit = c->metrics[i]->unit,
                                     .metric = c->metrics[i],
                                     .events = c->metric_events[i] },
                 room_only);
}

enum status count_rows_make(struct counting *c)
{
    add_all(c, true);
    c->rows = check_alloc(c->check, sizeof *c->rows * (c->n_rows + 1));
    c->history = check_alloc(c->check, sizeof *c->history * c->n_rows * c->most_windows);
    c->times = check_alloc(c->check, sizeof *c->times * c->most_windows);
    if (!c->rows || !c->history || !c->times)
        return ST_NO_MEMORY;
    add_all(c, false);
    return ST_OK;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static void take_event(const struct counting *c, struct count_row *row)
{
    double rate = 0;

    row->counts = row->bytes = row->seconds = 0;
    for (uint32_t i = 0; i < c->session.n; i++) {
        const struct count_place *p = count_place_of(&c->plan, row->event, i);
        const struct count_cell *cell = count_cell_of(c, row->event, i);
        double net = cell->net > 0 ? cell->net : 0;

        if (!p->there || !is_in(c, row, i))
            continue;
        row->counts += net;
        row->bytes += net * p->bytes;
        row->seconds = cell->seconds > row->seconds ? cell->seconds : row->seconds;
        if (cell->seconds > 0)
            rate += net * (p->bytes > 0 ? p->bytes : 1) / cell->seconds;
    }
    row->value = rate;
    row->known = row->seconds > 0;
}

static void take_metric(struct counting *c, struct count_row *row)
{
    struct metric_place at = { .c = c, .row = row };
    struct formula_values values = { place_value, &at };

    row->known = formula_evaluate(row->metric->formula, &values, &row->value) == ST_OK && row->value > -NO_BOUND &&
                 row->value < NO_BOUND;
}

void count_rows_take(struct counting *c)
{
    for (uint32_t i = 0; i < c->n_rows; i++) {
        struct count_row *row = &c->rows[i];

        if (row->metric)
            take_metric(c, row);
        else
            take_event(c, row);
        if (c->n_windows < c->most_windows)
            c->history[(size_t)c->n_windows * c->n_rows + i] = row->known ? row->value : -1;
    }
}
