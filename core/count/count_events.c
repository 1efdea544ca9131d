/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/count/count_events.h"

#include <string.h>

#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/events/event_perf.h"

#define NO_GROUP UINT32_MAX

struct count_place *count_place_of(const struct count_plan *plan, uint32_t event, uint32_t box)
{
    return &plan->places[(size_t)event * plan->session->n + box];
}

/* --- units and the tables' names ---------------------------------------------------------------------------------- */

static const struct {
    const char *alias;
    enum pmon_kind kind;
} aliases[] = {
    { "imc", PMON_IMC }, { "cha", PMON_CHA }, { "cbo", PMON_CHA }, { "upi", PMON_LINK }, { "qpi", PMON_LINK }
};

/* Whether -count calls a unit so: by its name, in capitals or not, or by imc, cha, cbo, upi, qpi, or as the kernel does. HBM has a
 * unit of its own: "imc" is the channels of modules, as perf has it. */
static bool is_unit(const struct pmon_unit *unit, const char *name)
{
    if (ANY_OF(i, sizeof aliases / sizeof aliases[0],
               text_equal_nocase(aliases[i].alias, name) && unit->kind == aliases[i].kind && !unit->in_package))
        return true;
    return text_equal_nocase(unit->name, name) || (unit->perf && text_equal_nocase(unit->perf, name));
}

uint32_t count_n_names(const struct pmon_unit *unit)
{
    return unit->layout->n_free ? unit->layout->n_free : unit->events.n_named;
}

const char *count_nth_name(const struct pmon_unit *unit, uint32_t i)
{
    return unit->layout->n_free ? unit->layout->free[i].name : unit->events.named[i].name;
}

/* Some unit of the session is called so; NULL: none is. */
static const struct pmon_unit *unit_called(const struct count_plan *plan, const char *name)
{
    pmon_session_each(plan->session, b)
        if (is_unit(b->unit, name))
            return b->unit;
    return NULL;
}

static struct event_spec spec_of_named(const struct pmon_named *named)
{
    struct event_spec s = { .code = named->ev_sel,
                            .umask = named->umask,
                            .extension = (uint32_t)(named->extra >> 32),
                            .counters = named->counters,
                            .filter = { named->filter0, named->filter1 } };

    for (uint32_t k = 0; k < 2; k++)
        s.how[k] = s.filter[k] ? FILTER_SET : FILTER_FREE;
    return s;
}

/* The tables' event of that name in a unit that is programmed. */
static bool spec_of_name(const struct pmon_unit *unit, const char *name, struct event_spec *spec)
{
    const struct pmon_named *named = pmon_event_named(unit, name);
    struct pmon_event clock;

    if (named) {
        *spec = spec_of_named(named);
        return true;
    }
    if (!text_equal(name, COUNT_CLOCK) || unit->events.clock == PMON_CLOCK_NONE ||
        !pmon_session_every_clock(unit, &clock))
        return false;
    *spec = (struct event_spec){
        .code = clock.ev_sel, .umask = clock.umask, .thresh = clock.thresh, .invert = clock.invert
    };
    return true;
}

/* Bytes a count where the tables have the event under some name. */
static double bytes_a_count(const struct pmon_unit *unit, const struct event_spec *spec)
{
    for (uint32_t i = 0; i < unit->events.n_named && !spec->thresh; i++) {
        const struct pmon_named *named = &unit->events.named[i];

        if (named->ev_sel == spec->code && named->umask == spec->umask &&
            named->extra == (uint64_t)spec->extension << 32)
            return named->bytes;
    }
    return 0;
}

static bool is_clock(const struct pmon_unit *unit, const struct event_spec *spec)
{
    return unit->events.clock != PMON_CLOCK_NONE && spec->code == unit->events.clock_event &&
           spec->umask == unit->events.clock_umask && spec->extension == 0;
}

/* --- controls ----------------------------------------------------------------------------------------------------- */

static bool field_holds(uint64_t field, uint64_t value)
{
    return field_get(field, field_put(field, value)) == value;
}

/* A field by perf's name into the control, the spec's filters or the match registers. false: the unit has none such, or it
 * cannot hold the value. */
static bool place_field(const struct pmon_unit *unit, const struct event_named_field *named, struct count_place *place)
{
    struct event_spec *s = &place->spec;
    struct pmon_field f;
    uint64_t bits;

    if (!pmon_field_named(unit, named->name, &f))
        return false;
    bits = f.in_place ? named->value & f.bits : field_put(f.bits, named->value);
    if (bits != named->value && (f.in_place || field_get(f.bits, bits) != named->value))
        return false;
    if (f.in == PMON_IN_CONTROL) {
        place->ctl = (place->ctl & ~f.bits) | bits;
    } else if (f.in == PMON_IN_FILTER) {
        for (uint32_t k = 0; k < 2; k++)
            if (low_bits(32) & f.bits >> 32 * k) {
                s->filter[k] = (s->filter[k] & ~(uint32_t)(f.bits >> 32 * k)) | (uint32_t)(bits >> 32 * k);
                s->how[k] = FILTER_SET;
            }
    } else {
        uint64_t *match = &place->match[f.in == PMON_IN_MASK];

        *match = (*match & ~f.bits) | bits;
        place->matches = true;
    }
    return true;
}

/* All of them. NULL, or the field that the unit has not, or that cannot hold its value. */
static const char *place_fields(const struct pmon_unit *unit, struct count_place *place)
{
    for (uint32_t i = 0; i < place->spec.n_named; i++)
        if (!place_field(unit, &place->spec.named[i], place))
            return place->spec.named[i].name;
    return NULL;
}

/* The control of an event; NULL: *ctl is written, else the field that the unit has not, or that cannot hold the value. */
static const char *control_of(const struct pmon_unit *unit, const struct event_spec *s, uint64_t *ctl)
{
    const struct pmon_control *f = unit->layout->control;
    uint64_t extension = (uint64_t)s->extension << 32;
    struct pmon_event event = { .ev_sel = s->code,
                                .umask = s->umask,
                                .thresh = s->thresh,
                                .edge_det = s->edge,
                                .invert = s->invert,
                                .enable = true };

    if (extension & ~f->extra)
        return "extension";
    if (!field_holds(f->ch_mask, s->ch_mask))
        return "ch_mask";
    if (!field_holds(f->fc_mask, s->fc_mask))
        return "fc_mask";
    if (!field_holds(f->thresh, s->thresh))
        return "thresh";
    if (s->invert && (!f->invert || !s->thresh))
        return f->invert ? "invert without thresh" : "invert";
    if (s->edge && (!f->edge_det || !s->thresh))
        return f->edge_det ? "edge without thresh" : "edge";
    if (s->tid_en && !f->tid_en)
        return "tid_en";
    for (uint32_t k = 0; k < 2; k++)
        if (s->how[k] == FILTER_SET && pmon_filter(unit, k).bytes == 0)
            return k ? "filter1" : "filter0";
    event.extra = extension | field_put(f->ch_mask, s->ch_mask) | field_put(f->fc_mask, s->fc_mask);
    if (pmon_encode(unit, &event, ctl) != ST_OK)
        return (uint64_t)(f->umask_ext ? s->umask & 0xFF : s->umask) << 8 & ~f->umask ? "umask" : "code";
    *ctl |= s->tid_en ? f->tid_en : 0;
    return NULL;
}

/* perf's umask has the extension joined to it: bits 31:8 of what it writes are bits 55:32 of the control and on. */
static void split_umask(const struct pmon_unit *unit, struct event_spec *s)
{
    const struct pmon_control *f = unit->layout->control;

    if (s->umask <= 0xFF || f->umask_ext || !(f->extra >> 32) || s->extension)
        return;
    s->extension = s->umask >> 8;
    s->umask &= 0xFF;
}

/* An event in the box; a field that it cannot hold goes to *field. */
static bool place_event_in(struct check *c, const struct pmon_session_box *b, const struct count_event *e,
                           struct count_place *place, const char **field)
{
    const struct pmon_layout *l = b->unit->layout;
    struct event_fault ignored;

    *place = (struct count_place){ .spec = e->spec };
    if (l->n_free) {
        place->counter = e->name[0] && !e->fields[0] ? pmon_free_named(b->unit, e->name) : PMON_FIXED;
        place->there = place->counter != PMON_FIXED;
        place->bytes = place->there ? l->free[place->counter].bytes : 0;
        place->clock = place->there && l->free[place->counter].clock != PMON_CLOCK_NONE;
        return place->there;
    }
    if (e->name[0] && !spec_of_name(b->unit, e->name, &place->spec))
        return false;
    if (e->name[0] && e->fields[0] && event_spec_modify(e->fields, &place->spec, &ignored) != ST_OK)
        return false;
    split_umask(b->unit, &place->spec);
    if (place->spec.fixed) {
        place->there = pmon_has_fixed(b->unit);
        place->ctl = l->fixed.en;
        place->clock = true;
    } else {
        *field = control_of(b->unit, &place->spec, &place->ctl);
        if (*field == NULL)
            *field = place_fields(b->unit, place);
        place->there = *field == NULL && (!place->matches || pmon_match_there(c->platform, b->box));
        place->bytes = bytes_a_count(b->unit, &place->spec);
        place->clock = is_clock(b->unit, &place->spec);
    }
    return place->there;
}

/* --- what is wrong ------------------------------------------------------------------------------------------------ */

/* Every unit once after what the error says already. */
static void add_units(const struct pmon_session *session, struct options_error *error, size_t n)
{
    for (uint32_t i = 0; i < session->n && n < sizeof error->text; i++) {
        bool said = ANY_OF(k, i, text_equal(session->boxes[k].box->unit->name, session->boxes[i].box->unit->name));

        if (!said)
            n += text_format(error->text + n, sizeof error->text - n, " %s", session->boxes[i].box->unit->name);
    }
}

static void say_nearest(const struct nearest_names *nearest, struct options_error *error, size_t n)
{
    for (uint32_t i = 0; i < nearest->n && n < sizeof error->text; i++)
        n += text_format(error->text + n, sizeof error->text - n, "%s %s",
                         i ? "," : "; the nearest:", nearest->names[i]);
}

/* A unit that the tables have, and no event of that name. */
static void no_such_event(const struct count_plan *plan, const struct pmon_unit *unit, const struct count_event *e,
                          struct options_error *error)
{
    struct nearest_names nearest = { .n = 0 };
    size_t n;

    for (uint32_t i = 0; i < plan->n_files; i++)
        event_file_nearest(&plan->files[i], e->unit, e->name, &nearest);
    for (uint32_t i = 0; i < count_n_names(unit); i++)
        event_nearest_offer(&nearest, e->name, count_nth_name(unit, i));
    if (nearest.n == 0) {
        text_format(error->text, sizeof error->text,
                    "-count: %s has no named events; give one as code:umask, for example %s/0x%x:0x%x", unit->name,
                    unit->name, unit->events.clock_event, unit->events.clock_umask);
        return;
    }
    n = text_format(error->text, sizeof error->text, "-count: %s has no event named \"%s\"", unit->name, e->name);
    say_nearest(&nearest, error, n);
}

/* Intel's name, and no file has it. */
static enum status no_such_name(const struct count_plan *plan, const char *name, struct options_error *error)
{
    struct nearest_names nearest = { .n = 0 };
    size_t n;

    for (uint32_t i = 0; i < plan->n_files; i++)
        event_file_nearest(&plan->files[i], "", name, &nearest);
    if (plan->n_files == 0)
        n = text_format(error->text, sizeof error->text,
                        "-count: \"%.60s\" is no unit/event and no metric; for Intel's names scripts/perfmon-events "
                        "makes a file for \\assay\\events, which has none for this processor",
                        name);
    else
        n = text_format(error->text, sizeof error->text, "-count: no event is named \"%.60s\"", name);
    say_nearest(&nearest, error, n);
    return ST_RANGE;
}

/* --- parsing ------------------------------------------------------------------------------------------------------ */

/* Up to `end` or the end of the text, which fit into `size`. */
static bool count_copy(char *to, size_t size, const char *from, const char *end)
{
    size_t n = (size_t)(end - from);

    if (n >= size)
        return false;
    memcpy(to, from, n);
    to[n] = '\0';
    return true;
}

static const char *first_of(const char *text, char c)
{
    while (*text && *text != c)
        text++;
    return text;
}

static enum status bad_spec(const char *text, const struct event_fault *fault, struct options_error *error)
{
    text_format(error->text, sizeof error->text, "-count: \"%.80s\": %s%s%s", text, fault->field,
                fault->field[0] ? " " : "", fault->text);
    return ST_RANGE;
}

/* By Intel's name, with or without its unit. false: no file has it. */
static bool take_listed(const struct count_plan *plan, struct count_event *e)
{
    const struct named_event *listed = NULL;

    for (uint32_t i = 0; i < plan->n_files && !listed; i++)
        listed = event_file_find(&plan->files[i], e->unit, e->name);
    if (!listed)
        return false;
    e->spec = listed->spec;
    e->name[0] = '\0';
    return count_copy(e->unit, sizeof e->unit, listed->unit, first_of(listed->unit, '\0'));
}

static enum status parse_event(const struct count_plan *plan, const char *asked, struct count_event *e,
                               struct options_error *error)
{
    char text[COUNT_NAME];
    enum status st = event_from_perf(asked, text, sizeof text);
    const char *slash = first_of(text, '/'), *name = *slash ? slash + 1 : text, *colon = first_of(name, ':');
    struct event_spec tried = { .code = 0 };
    struct event_fault fault;

    *e = (struct count_event){ .group = NO_GROUP };
    if (st != ST_OK || !*name || slash == text || !count_copy(e->text, sizeof e->text, asked, first_of(asked, '\0')) ||
        (*slash && !count_copy(e->unit, sizeof e->unit, text, slash)) ||
        !count_copy(e->name, sizeof e->name, name, colon) || (*colon && !colon[1])) {
        text_format(error->text, sizeof error->text, "-count \"%.60s\" is not unit/event,unit/code:umask", asked);
        return ST_RANGE;
    }
    if (*slash && *name >= '0' && *name <= '9') {
        e->name[0] = '\0';
        return event_spec_parse(name, &e->spec, &fault) == ST_OK ? ST_OK : bad_spec(text, &fault, error);
    }
    if (*colon && (event_spec_modify(colon + 1, &tried, &fault) != ST_OK ||
                   !count_copy(e->fields, sizeof e->fields, colon + 1, first_of(colon, '\0'))))
        return bad_spec(text, &fault, error);
    if (!take_listed(plan, e))
        return e->unit[0] ? ST_OK : no_such_name(plan, name, error);
    if (e->fields[0] && event_spec_modify(e->fields, &e->spec, &fault) != ST_OK)
        return bad_spec(text, &fault, error);
    return ST_OK;
}

static bool has_filter_field(const struct event_spec *spec)
{
    return ANY_OF(i, spec->n_named, !memcmp(spec->named[i].name, "filter", 6));
}

/* An event that counts by a filter for which no value was given. */
static enum status check_filters(const struct count_event *e, struct options_error *error)
{
    for (uint32_t k = 0; k < 2; k++)
        if (e->spec.how[k] == FILTER_ASKED && !has_filter_field(&e->spec)) {
            text_format(
                error->text, sizeof error->text,
                "-count: \"%.60s\" counts what the box's filter%u lets pass: give its value, %.60s:filter%u=VALUE",
                e->text, k, e->text, k);
            return ST_RANGE;
        }
    if (e->spec.match_asked) {
        text_format(
            error->text, sizeof error->text,
            "-count: \"%.60s\" counts what the box's match registers let pass: say what, with fields match_* and "
            "mask_*",
            e->text);
        return ST_RANGE;
    }
    return ST_OK;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

enum status count_plan_add(struct count_plan *plan, const char *text, uint32_t *index, struct options_error *error)
{
    struct count_event *e = &plan->events[plan->n_events];
    const struct pmon_unit *unit;
    const char *field = NULL;

    for (uint32_t i = 0; i < plan->n_events; i++)
        if (text_equal(plan->events[i].text, text)) {
            *index = i;
            return ST_OK;
        }
    if (plan->n_events == COUNT_EVENTS) {
        text_format(error->text, sizeof error->text, "-count: more than %u events", COUNT_EVENTS);
        return ST_FULL;
    }
    TRY(parse_event(plan, text, e, error));
    TRY(check_filters(e, error));
    unit = unit_called(plan, e->unit);
    for (uint32_t i = 0; i < plan->session->n; i++)
        if (is_unit(plan->session->boxes[i].unit, e->unit))
            e->boxes += place_event_in(plan->session->check, &plan->session->boxes[i], e,
                                       count_place_of(plan, plan->n_events, i), &field);
    if (e->boxes) {
        *index = plan->n_events++;
        return ST_OK;
    }
    if (unit == NULL)
        add_units(plan->session, error,
                  text_format(error->text, sizeof error->text, "-count: no usable unit \"%s\"; usable:", e->unit));
    else if (field)
        text_format(error->text, sizeof error->text,
                    "-count: \"%.80s\": %s: exceeds a field of the control register of %s, or is none of it", text,
                    field, unit->name);
    else
        no_such_event(plan, unit, e, error);
    return ST_RANGE;
}

/* Counters of the box that the event may be in. */
static uint32_t counters_for(const struct pmon_session_box *b, const struct event_spec *spec)
{
    uint32_t all = (UINT32_C(1) << pmon_session_programmable(b)) - 1;

    if (spec->fixed)
        return UINT32_C(1) << pmon_session_programmable(b);
    return spec->counters ? all & spec->counters : all;
}

/* Whether two events of a box can be counted together. Of the same event that is to match two things, or one and whatever
 * there is, one at a time. */
static bool filters_agree(const struct count_place *a, const struct count_place *b)
{
    if (ANY_OF(k, 2,
               a->spec.how[k] == FILTER_SET && b->spec.how[k] == FILTER_SET && a->spec.filter[k] != b->spec.filter[k]))
        return false;
    if (!(a->matches && b->matches) && a->spec.code != b->spec.code)
        return true;
    return a->match[0] == b->match[0] && a->match[1] == b->match[1];
}

/* Whether the events of a group find a counter each in the box, those with the fewest to choose from first. Sets of
 * counters that events name lie in each other or apart, so that this finds a way where there is one. */
static bool box_holds(const struct count_plan *plan, uint32_t box, uint32_t group)
{
    const struct pmon_session_box *b = &plan->session->boxes[box];
    uint32_t taken = 0;

    if (b->unit->layout->n_free)
        return true;
    for (uint32_t choices = 0; choices <= PMON_SESSION_COUNTERS; choices++)
        for (uint32_t e = 0; e < plan->n_events; e++) {
            struct count_place *p = count_place_of(plan, e, box);
            uint32_t can = p->there ? counters_for(b, &p->spec) : 0;

            if (plan->events[e].group != group || !p->there || count_bits(can) != choices)
                continue;
            if (ANY_OF(k, e,
                       plan->events[k].group == group && count_place_of(plan, k, box)->there &&
                           !filters_agree(count_place_of(plan, k, box), p)))
                return false;
            can &= ~taken;
            if (can == 0)
                return false;
            for (p->counter = 0; !(can >> p->counter & 1);)
                p->counter++;
            taken |= UINT32_C(1) << p->counter;
        }
    return true;
}

static bool group_holds(const struct count_plan *plan, uint32_t event, uint32_t group)
{
    return !ANY_OF(i, plan->session->n, count_place_of(plan, event, i)->there && !box_holds(plan, i, group));
}

enum status count_plan_groups(struct count_plan *plan, struct options_error *error)
{
    for (uint32_t e = 0; e < plan->n_events; e++) {
        struct count_event *event = &plan->events[e];

        for (event->group = 0; event->group < plan->n_groups && !group_holds(plan, e, event->group);)
            event->group++;
        if (event->group < plan->n_groups)
            continue;
        if (!group_holds(plan, e, event->group)) {
            text_format(error->text, sizeof error->text, "-count: \"%.80s\": no counter of the box can count it",
                        event->text);
            return ST_RANGE;
        }
        plan->n_groups++;
    }
    /* What was tried in vain may have moved others of the group. */
    for (uint32_t g = 0; g < plan->n_groups; g++)
        if (ANY_OF(i, plan->session->n, !box_holds(plan, i, g)))
            return ST_RANGE;
    return ST_OK;
}

void count_plan_load(const struct count_plan *plan, uint32_t group)
{
    pmon_session_clear(plan->session);
    for (uint32_t e = 0; e < plan->n_events; e++)
        for (uint32_t i = 0; i < plan->session->n && plan->events[e].group == group; i++) {
            struct pmon_session_box *b = &plan->session->boxes[i];
            const struct count_place *p = count_place_of(plan, e, i);

            if (!p->there || b->unit->layout->n_free)
                continue;
            b->ctl[p->counter] = p->ctl;
            for (uint32_t k = 0; k < 2; k++)
                b->filter[k] |= p->spec.filter[k];
            for (uint32_t k = 0; k < PMON_MATCHES; k++)
                b->match[k] |= p->match[k];
        }
}
