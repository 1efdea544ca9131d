/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/count.h"

#include <string.h>

#include "core/base/bits.h"
#include "core/measure/traffic_window.h"
#include "core/base/text.h"

#define EVENTS 8u
#define WORD   40u
#define LINE   160u

#define EVENT_COLUMNS 78u
#define CLOCK         "clock" /* every unit with a clock counts it by this name */

/* --- the list ----------------------------------------------------------------------------------------------------- */

static void say_box(const struct pmon_box *box, const struct count_output *out)
{
    bool nowhere = box->why == PMON_HIDDEN || box->why == PMON_NO_BASE;
    char line[LINE], name[48], place[48], why[LINE], state[LINE];

    pmon_box_name(box, name);
    pmon_box_place(box, place);
    pmon_box_reason(box, why, sizeof why);
    if (box->unit->layout->n_free)
        text_format(state, sizeof state, "%u free-running counters of %u bits", box->unit->layout->n_free,
                    box->unit->layout->free[0].bits);
    else
        text_format(state, sizeof state, "%u counters of %u bits%s", box->unit->layout->counters,
                    box->unit->layout->counter_bits, pmon_has_fixed(box->unit) ? " + 1 fixed" : "");
    text_format(line, sizeof line, "%-22s %-18s %s", name, nowhere ? "" : place, box->status == ST_OK ? state : why);
    out->say(out->context, line);
}

/* Some box of this unit can be used, and no earlier box is of a unit of that name. */
static bool first_of_unit(const struct pmon *pmon, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (pmon->boxes[k].status == ST_OK && text_equal(pmon->boxes[k].unit->name, pmon->boxes[i].unit->name))
            return false;
    return pmon->boxes[i].status == ST_OK;
}

static uint32_t n_names(const struct pmon_unit *unit)
{
    return unit->layout->n_free ? unit->layout->n_free : unit->events.n_named;
}

static const char *nth_name(const struct pmon_unit *unit, uint32_t i)
{
    return unit->layout->n_free ? unit->layout->free[i].name : unit->events.named[i].name;
}

/* "iMC: cas_rd cas_wr ...", as many a line as fit. */
static void say_events(const struct pmon_unit *unit, const struct count_output *out)
{
    char line[LINE];
    size_t n =
        text_format(line, sizeof line, "%-10s%s", unit->name, unit->events.clock == PMON_CLOCK_NONE ? "" : " " CLOCK);

    for (uint32_t i = 0; i < n_names(unit); i++) {
        const char *name = nth_name(unit, i);

        if (n + 1 + strlen(name) > EVENT_COLUMNS) {
            out->say(out->context, line);
            n = text_format(line, sizeof line, "%-10s", "");
        }
        n += text_format(line + n, sizeof line - n, " %s", name);
    }
    out->say(out->context, line);
}

void boxes_list(const struct pmon *pmon, const struct count_output *out)
{
    char line[LINE];
    uint32_t usable = 0;

    if (pmon->part == NULL) {
        out->say(out->context, "the tables have no uncore boxes for this processor");
        return;
    }
    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        say_box(&pmon->boxes[i], out);
        usable += pmon->boxes[i].status == ST_OK;
    }
    text_format(line, sizeof line, "%s: %u boxes listed, %u usable", pmon->part->name, pmon->n_boxes, usable);
    out->say(out->context, line);
    out->say(out->context, "Named events for -count unit/event; others: unit/code:umask[:extension]");
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if (first_of_unit(pmon, i) &&
            (n_names(pmon->boxes[i].unit) || pmon->boxes[i].unit->events.clock != PMON_CLOCK_NONE))
            say_events(pmon->boxes[i].unit, out);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

struct event {
    uint64_t code, umask, extension;
    char unit[WORD], name[WORD];
    uint32_t boxes; /* that count it */
    bool coded;     /* name is code:umask[:extension] */
};

static const struct {
    const char *alias;
    enum pmon_kind kind;
} aliases[] = {
    { "imc", PMON_IMC }, { "cha", PMON_CHA }, { "cbo", PMON_CHA }, { "upi", PMON_LINK }, { "qpi", PMON_LINK }
};

static bool is_unit(const struct pmon_unit *unit, const char *name)
{
    for (uint32_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (text_equal_nocase(aliases[i].alias, name) && unit->kind == aliases[i].kind)
            return true;
    return text_equal_nocase(unit->name, name);
}

static bool is_one_of(char c, const char *set)
{
    while (*set && *set != c)
        set++;
    return *set != '\0';
}

/* Characters up to one of `ends` or the end of the text. false: none, or too many. */
static bool take_word(const char **at, const char *ends, char word[WORD])
{
    uint32_t n = 0;

    for (; **at && !is_one_of(**at, ends); (*at)++) {
        if (n + 1 >= WORD)
            return false;
        word[n++] = **at;
    }
    word[n] = '\0';
    return n > 0;
}

static bool parse_code(struct event *e)
{
    const char *at = e->name;
    uint64_t *parts[] = { &e->code, &e->umask, &e->extension };
    char word[WORD];

    for (uint32_t i = 0; i < 3; i++) {
        if (!take_word(&at, ":", word) || !text_number(word, parts[i]))
            return false;
        if (*at == '\0')
            return i > 0;
        at++;
    }
    return false;
}

/* Returns how many; 0: error says why. */
static uint32_t parse_events(const char *text, struct event *events, struct options_error *error)
{
    uint32_t n = 0;

    for (const char *at = text;; at++) {
        struct event *e = &events[n];

        if (n == EVENTS) {
            text_format(error->text, sizeof error->text, "-count: more than %u events", EVENTS);
            return 0;
        }
        *e = (struct event){ .boxes = 0 };
        if (!take_word(&at, "/,", e->unit) || *at++ != '/' || !take_word(&at, ",", e->name)) {
            text_format(error->text, sizeof error->text, "-count \"%.60s\" is not unit/event,unit/code:umask", text);
            return 0;
        }
        e->coded = e->name[0] >= '0' && e->name[0] <= '9';
        if (e->coded && !parse_code(e)) {
            text_format(error->text, sizeof error->text, "-count: \"%s\" is not code:umask or code:umask:extension",
                        e->name);
            return 0;
        }
        n++;
        if (*at == '\0')
            return n;
    }
}

static bool encode_clock(struct pmon_session_box *b, uint32_t i, const struct event *e)
{
    if (!text_equal(e->name, CLOCK) || b->unit->events.clock == PMON_CLOCK_NONE)
        return false;
    b->ctl[i] = pmon_session_clock_ctl(b->unit);
    return b->ctl[i] != 0;
}

static bool encode_code(struct pmon_session_box *b, uint32_t i, const struct event *e)
{
    struct pmon_event event = {
        .ev_sel = (uint32_t)e->code, .umask = (uint32_t)e->umask, .extra = e->extension << 32, .enable = true
    };

    return i < pmon_session_programmable(b) && e->code <= UINT32_MAX && e->umask <= UINT32_MAX &&
           e->extension <= UINT32_MAX && pmon_encode(b->unit, &event, &b->ctl[i]) == ST_OK;
}

/* The event in the first counter of the box that nothing is in and that can count it. */
static bool place_event(struct pmon_session_box *b, struct event *e, uint32_t *counter)
{
    if (b->unit->layout->n_free && !e->coded)
        *counter = pmon_free_named(b->unit, e->name); /* PMON_FIXED and not counted are one number */
    if (b->unit->layout->n_free)
        return *counter != UINT32_MAX;
    for (uint32_t i = 0; i < pmon_session_programmable(b); i++) {
        if (b->ctl[i] != 0)
            continue;
        if (e->coded ? encode_code(b, i, e) : encode_clock(b, i, e) || traffic_window_select(b, i, e->name)) {
            *counter = i;
            return true;
        }
    }
    return false;
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

static bool count_any_unit(const struct pmon_unit *unit)
{
    (void)unit;
    return true;
}

static double count_bytes_of(const struct pmon_session_box *b, const struct event *e)
{
    const struct pmon_named *named = e->coded ? NULL : pmon_event_named(b->unit, e->name);

    if (b->unit->layout->n_free)
        return b->unit->layout->free[pmon_free_named(b->unit, e->name)].bytes;
    return named ? named->bytes : 0;
}

static void say_count(const struct count_output *out, const char *where, const struct event *e, double counts,
                      double bytes)
{
    char line[LINE], tail[32] = "";

    counts = counts > 0 ? counts : 0;
    if (bytes > 0)
        text_format(tail, sizeof tail, "%14llu bytes", (unsigned long long)(counts * bytes));
    text_format(line, sizeof line, "%-22s %-18s %14llu %s", where, e->name, (unsigned long long)counts, tail);
    out->say(out->context, line);
}

static void say_event(const struct pmon_session *session, const struct traffic_window_counts *counts,
                      const struct event *e, const uint32_t *counter, const struct count_output *out)
{
    for (uint32_t p = 0; p < session->check->machine->n_packages; p++) {
        double sum = 0, bytes = 0;
        uint32_t n = 0;
        char where[48];

        for (uint32_t i = 0; i < session->n; i++) {
            const struct pmon_session_box *b = &session->boxes[i];

            if (b->box->package != p || counter[i] == UINT32_MAX || b->status != ST_OK)
                continue;
            say_count(out, b->name, e, traffic_window_net(counts, session, b, counter[i]), count_bytes_of(b, e));
            sum += traffic_window_net(counts, session, b, counter[i]);
            bytes = count_bytes_of(b, e);
            n++;
        }
        text_format(where, sizeof where, "package %u, all %u", p, n);
        if (n > 1)
            say_count(out, where, e, sum, bytes);
    }
}

static enum status count_idle(struct traffic_window *traffic, struct platform *p)
{
    (void)traffic;
    platform_stall(p, 1000000000);
    return ST_OK;
}

static bool make_traffic(struct check *c, const struct options *o, struct traffic_window *traffic,
                         struct options_error *error)
{
    static const enum work_kind kinds[] = { WORK_READ, WORK_WRITE, WORK_NT_WRITE, WORK_READ };
    char why[sizeof c->state->why];

    *traffic = (struct traffic_window){ .kind = kinds[o->load], .passes = 1, .cold = true };
    if (o->load == LOAD_NONE) {
        traffic->run = count_idle;
        traffic->cold = false;
        return true;
    }
    if (traffic_window_add_packages(traffic, c, o->size_bytes & ~UINT64_C(63)) == ST_OK)
        return true;
    check_take_reason(c, why, sizeof why);
    text_format(error->text, sizeof error->text, "-size: %s", why);
    return false;
}

/* The units of a session behind what the error says already. */
static void add_units(const struct pmon_session *session, struct options_error *error, size_t n)
{
    for (uint32_t i = 0; i < session->n && n < sizeof error->text; i++) {
        bool said = false;

        for (uint32_t k = 0; k < i; k++)
            said |= text_equal(session->boxes[k].box->unit->name, session->boxes[i].box->unit->name);
        if (!said)
            n += text_format(error->text + n, sizeof error->text - n, " %s", session->boxes[i].box->unit->name);
    }
}

static void no_such_event(const struct pmon_unit *unit, const struct event *e, struct options_error *error)
{
    size_t n;

    if (n_names(unit) == 0) {
        text_format(error->text, sizeof error->text,
                    "-count: %s has no named events; give one as code:umask, for example %s/0x%x:0x%x", unit->name,
                    unit->name, unit->events.clock_event, unit->events.clock_umask);
        return;
    }
    n = text_format(error->text, sizeof error->text, "-count: %s has no event named \"%s\"; named:", unit->name,
                    e->name);
    for (uint32_t i = 0; i < n_names(unit) && n < sizeof error->text; i++)
        n += text_format(error->text + n, sizeof error->text - n, " %s", nth_name(unit, i));
}

/* Why no box counts an event: there is no such unit, no such event, or no counter left for it. */
static void count_explain(const struct pmon_session *session, const struct event *e, struct options_error *error)
{
    const struct pmon_unit *unit = NULL;

    for (uint32_t i = 0; i < session->n && !unit; i++)
        if (is_unit(session->boxes[i].unit, e->unit))
            unit = session->boxes[i].unit;
    if (unit == NULL)
        add_units(session, error,
                  text_format(error->text, sizeof error->text, "-count: no usable unit \"%s\"; usable:", e->unit));
    else if (unit->layout->n_free || (!e->coded && pmon_event_named(unit, e->name) == NULL))
        no_such_event(unit, e, error);
    else
        text_format(
            error->text, sizeof error->text,
            "-count: \"%s/%s\": exceeds a field of the control register, or no counter of the box is left for it",
            e->unit, e->name);
}

static void say_load(const struct check *c, const struct options *o, const struct traffic_window *traffic,
                     const struct count_output *out)
{
    static const char *const words[] = { "reads", "writes", "writes (non-temporal)", "" };
    char line[LINE];

    if (o->load == LOAD_NONE)
        out->say(out->context, "Without a load, 1 s:");
    for (uint32_t i = 0; i < traffic->n; i++) {
        text_format(line, sizeof line, "%s cpu %u of package %u %s %llu bytes of local memory%s",
                    i ? "      " : "While:", traffic->streams[i].cpu, c->machine->cpus[traffic->streams[i].cpu].package,
                    words[o->load], (unsigned long long)traffic->streams[i].bytes, i + 1 < traffic->n ? "," : "");
        out->say(out->context, line);
    }
}

static enum status count_all(struct pmon_session *session, const struct options *o, struct event *events, uint32_t n,
                             uint32_t *counters, const struct count_output *out, struct options_error *error)
{
    struct traffic_window_counts counts = { NULL };
    struct traffic_window traffic;
    enum status st;

    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < session->n; i++) {
            counters[k * session->n + i] = UINT32_MAX;
            if (is_unit(session->boxes[i].unit, events[k].unit))
                events[k].boxes += place_event(&session->boxes[i], &events[k], &counters[k * session->n + i]);
        }
        if (events[k].boxes == 0) {
            count_explain(session, &events[k], error);
            return ST_RANGE;
        }
    }
    if (!make_traffic(session->check, o, &traffic, error))
        return ST_RANGE;
    say_load(session->check, o, &traffic, out);
    st = traffic_window_run(session, &traffic, &counts);
    for (uint32_t k = 0; k < n && st == ST_OK; k++)
        say_event(session, &counts, &events[k], &counters[k * session->n], out);
    return st;
}

enum status count_run(struct tools *tools, const struct options *o, const struct count_output *out,
                      struct options_error *error)
{
    static const struct check_row row = { .id = "count", .title = "", .spec = "", .rows = "", .detects = "" };
    struct check_state state = { 0 };
    struct check c = {
        .row = &row, .platform = tools->platform, .machine = tools->machine, .tools = tools, .state = &state
    };
    struct event events[EVENTS];
    uint32_t n = parse_events(o->count, events, error), *counters;
    struct pmon_session session;
    enum status st;

    if (n == 0)
        return ST_RANGE;
    tools_reset(tools);
    if (pmon_session_open_free(&session, &c, count_any_unit) != ST_OK) {
        text_format(error->text, sizeof error->text, "-count: this machine has no usable uncore box");
        check_free_since(&c, NULL);
        return ST_RANGE;
    }
    counters = check_alloc(&c, sizeof *counters * n * session.n);
    st = counters ? count_all(&session, o, events, n, counters, out, error) : ST_NO_MEMORY;
    pmon_session_close(&session);
    check_free_since(&c, NULL);
    return st;
}
