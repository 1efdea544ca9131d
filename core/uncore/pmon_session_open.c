/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which boxes a session has, and what has to hold before one is judged: its counters take what is written, and its clock
 * runs. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/boxes/dies.h"
#include "core/uncore/pmon_session.h"

#define OPS_A_BOX  (3 * PMON_SESSION_COUNTERS + 8)
#define PATTERN    UINT64_C(0x5555555555)
#define INVERSE    UINT64_C(0xAAAAAAAAAA)
#define A_WHILE_NS 1000000u
#define LOOK_SHARE 10u /* of a usual window: a clock of 50 MHz counts 50000 in a millisecond */

/* --- writes ------------------------------------------------------------------------------------------------------- */

/* Guides 327043-001 and 329468-002 and the SDM (Nehalem) say of their parts that counters can be written; of later ones
 * drivers are the source, which preset no counter. */

/* What a register of a box that is quiet reads after a value was written to it. */
static enum status written_and_read(struct check *c, struct pmon_box *box, struct pmon_reg reg, uint64_t value,
                                    uint64_t *back)
{
    TRY(pmon_write(c->platform, box, reg, value));
    return pmon_read(c->platform, box, reg, back);
}

/* A register that is not written reads the same after both, and a while later: reads of one that is written may be late. */
static bool takes(struct check *c, struct pmon_box *box, struct pmon_reg reg, uint64_t bits)
{
    uint64_t first = 0, second = 0;

    if (written_and_read(c, box, reg, PATTERN & bits, &first) != ST_OK ||
        written_and_read(c, box, reg, INVERSE & bits, &second) != ST_OK)
        return false;
    if (first == second)
        platform_stall(c->platform, A_WHILE_NS);
    return first != second || (pmon_read(c->platform, box, reg, &second) == ST_OK && first != second);
}

/* Quiet, and its counters 0. */
static enum status leave_quiet(struct check *c, struct pmon_box *box)
{
    TRY(pmon_quiet(c->platform, box));
    for (uint32_t n = 0; n < pmon_n_counters(box->unit); n++)
        TRY(pmon_counter_write(c->platform, box, pmon_nth(box->unit, n), 0));
    return ST_OK;
}

static enum pmon_writes try_writes(struct check *c, struct pmon_box *box)
{
    bool read_only = true;

    if (pmon_quiet(c->platform, box) != ST_OK)
        return PMON_TAKES_WRITES; /* the checks find what is wrong there */
    for (uint32_t n = 0; n < pmon_n_counters(box->unit) && read_only; n++)
        read_only = !takes(c, box, pmon_ctr(box->unit, pmon_nth(box->unit, n)), UINT64_MAX);
    /* A box that is off counts nothing, and may read 0 after any write. */
    read_only = read_only && pmon_session_counts_clock(c, box);
    return leave_quiet(c, box) == ST_OK && read_only ? PMON_TAKES_NONE : PMON_TAKES_WRITES;
}

/* Each control raises #GP when it is written, with 0. */
static bool refuses_writes(struct check *c, struct pmon_box *box)
{
    return ALL_OF(n, pmon_n_counters(box->unit),
                  pmon_write(c->platform, box, pmon_ctl(box->unit, pmon_nth(box->unit, n)), 0) == ST_FAULT);
}

/* Whether a box can be checked, since counters are preset; it is tried once. Where no document of the part says that counters
 * can be written, they are tried too. false: it takes none, and its status and reason say so. */
static bool takes_writes(struct check *c, struct pmon_box *box)
{
    if (box->unit->layout->n_free || box->writes == PMON_TAKES_WRITES)
        return true;
    box->writes = PMON_TAKES_NONE;
    box->why = PMON_REFUSED;
    box->why_address = pmon_address(box, pmon_ctl(box->unit, 0));
    if (!refuses_writes(c, box)) {
        box->writes = c->tools->pmon.part->no_guide ? try_writes(c, box) : PMON_TAKES_WRITES;
        box->why = box->writes == PMON_TAKES_NONE ? PMON_READ_ONLY : PMON_USABLE;
    }
    if (box->writes == PMON_TAKES_NONE)
        box->status = ST_READ_ONLY;
    return box->writes != PMON_TAKES_NONE;
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */

/* U-box, slices, home agents and the power control unit run wherever they are. */
static bool may_lie_still(const struct pmon_unit *unit)
{
    struct pmon_event event;

    switch (unit->kind) {
    case PMON_IMC:
    case PMON_UMC:
    case PMON_LINK:
    case PMON_MESH_LINK:
    case PMON_OTHER:
        return unit->events.clock != PMON_CLOCK_PCU &&
               (pmon_session_every_clock(unit, &event) || pmon_session_driven(unit));
    default:
        return false;
    }
}

static void look(struct pmon_session *session)
{
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_measure(session, pmon_session_ticks(session) / LOOK_SHARE);
    pmon_session_each(session, b) {
        if (b->status == ST_OK)
            b->box->life = may_lie_still(b->unit) && ALL_OF(k, b->n, b->got[k] == 0) ? PMON_LIES_STILL : PMON_LIVES;
    }
    pmon_session_silence(session);
}

static void say_still(struct check *c, const struct pmon_session_box *b)
{
    check_note(c, "%s: none of its counters counts a clock: %s", b->name,
               b->unit->kind == PMON_IMC || b->unit->kind == PMON_UMC ? "a channel without memory has none"
               : b->unit->kind == PMON_LINK || b->unit->kind == PMON_MESH_LINK
                   ? "a link that is not connected or sleeps has none"
                   : "what it monitors is off or absent");
}

/* Boxes that may have no clock, and none of whose counters counts one, are noted and leave the session. */
static void keep_alive(struct pmon_session *session)
{
    uint32_t unknown = 0, kept = 0;

    pmon_session_each(session, b)
        unknown += may_lie_still(b->unit) && b->box->life == PMON_LIFE_UNKNOWN;
    if (unknown > 0)
        look(session);
    for (uint32_t i = 0; i < session->n; i++) {
        if (session->boxes[i].box->life != PMON_LIES_STILL)
            session->boxes[kept++] = session->boxes[i];
        else
            say_still(session->check, &session->boxes[i]);
    }
    session->n = kept;
}

bool pmon_session_none_alive(const struct check *c, enum pmon_kind kind, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t still = 0;

    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        if (box->package != package || box->unit->kind != kind || box->status != ST_OK)
            continue;
        if (box->life != PMON_LIES_STILL)
            return false;
        still++;
    }
    return still > 0;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void note_left(struct check *c, const struct pmon_box *box)
{
    char name[48], why[PMON_TEXT];

    if (box->why == PMON_ABSENT || pmon_box_missing(box))
        return;
    pmon_box_name(box, name);
    pmon_box_reason(box, why, sizeof why);
    check_note(c, "%s: %s", name, why);
}

/* Lists the box if it can be used, else notes why not. */
static void session_add_box(struct pmon_session *session, struct pmon_box *box)
{
    struct check *c = session->check;
    struct pmon_session_box *b = &session->boxes[session->n];

    if (box->status != ST_OK || (box->unit->layout->access == PMON_MSR && !box_alive(c->platform, c->machine, box)) ||
        !takes_writes(c, box)) {
        note_left(c, box);
        return;
    }
    *b = (struct pmon_session_box){ .box = box, .unit = box->unit, .n = pmon_n_counters(box->unit) };
    pmon_box_name(box, b->name);
    for (uint32_t k = 0; k < b->n; k++)
        b->bits[k] = pmon_bits(box->unit, pmon_nth(box->unit, k));
    session->n++;
}

/* The first of the wanted boxes says why. */
static enum status none_usable(struct check *c, pmon_session_wanted wanted)
{
    const struct pmon *pmon = &c->tools->pmon;
    char name[48], why[PMON_TEXT];

    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        if (!wanted(pmon->boxes[i].unit))
            continue;
        pmon_box_name(&pmon->boxes[i], name);
        pmon_box_reason(&pmon->boxes[i], why, sizeof why);
        return check_absent(c, "no usable uncore box supports this check: %s: %s", name, why);
    }
    return check_absent(c, "no usable uncore box supports this check");
}

enum status pmon_session_open(struct pmon_session *session, struct check *c, pmon_session_wanted wanted,
                              bool free_running)
{
    struct pmon *pmon = &c->tools->pmon;

    *session = (struct pmon_session){ .check = c };
    TRY_ALLOC(c, session->boxes, pmon->n_boxes + 1, "the uncore boxes");
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if ((!pmon->boxes[i].unit->layout->n_free || free_running) && wanted(pmon->boxes[i].unit))
            session_add_box(session, &pmon->boxes[i]);
    if (session->n == 0)
        return none_usable(c, wanted);
    pmon_session_thaw(c);
    session->capacity = session->n * OPS_A_BOX;
    TRY_ALLOC(c, session->ops, session->capacity, "the uncore boxes");
    TRY_ALLOC(c, session->owner, session->capacity, "the uncore boxes");
    return ST_OK;
}

/* The first of the wanted boxes that other software counts on. What it would count of a load, no other box does. */
static enum status every_box_free(struct check *c, pmon_session_wanted wanted)
{
    const struct pmon *pmon = &c->tools->pmon;
    char name[48], why[PMON_TEXT];

    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        if (box->why != PMON_IN_USE || !wanted(box->unit))
            continue;
        pmon_box_name(box, name);
        pmon_box_reason(box, why, sizeof why);
        return check_absent(c, "%s: %s, and the others count a part of a load", name, why);
    }
    return ST_OK;
}

/* Slices of a package that no discovery table lists: the tables of some dies may be hidden, with all boxes in them. */
static bool lacks_tables(const struct pmon *pmon, uint32_t package)
{
    uint32_t listed =
        HOW_MANY(i, pmon->n_boxes, pmon->boxes[i].package == package && pmon->boxes[i].unit->kind == PMON_CHA);

    return pmon->part->several_dies && pmon->part->discovery && pmon->packages[package].slices != NO_COUNT &&
           listed < pmon->packages[package].slices;
}

/* Whether a hidden box counts any of a load is not known: the others may be all that the part has. */
static void say_hidden(struct check *c, pmon_session_wanted wanted)
{
    const struct pmon *pmon = &c->tools->pmon;
    char name[48];

    c->state->unseen[0] = '\0';
    for (uint32_t i = 0; i < c->machine->n_packages && !c->state->unseen[0]; i++)
        if (lacks_tables(pmon, i))
            text_format(c->state->unseen, sizeof c->state->unseen,
                        "no discovery table lists some slices of package %u, and boxes beside them", i);
    for (uint32_t i = 0; i < pmon->n_boxes && !c->state->unseen[0]; i++) {
        const struct pmon_box *box = &pmon->boxes[i];

        if (!wanted(box->unit) || !box_is_hidden(pmon, c->machine, box))
            continue;
        pmon_box_name(box, name);
        text_format(c->state->unseen, sizeof c->state->unseen, "firmware hides %s, which may have counted the rest",
                    name);
    }
}

enum verdict pmon_session_check(struct check *c, pmon_session_wanted wanted, bool free_running, pmon_session_body body)
{
    struct pmon_session session;
    enum status st = c->row->sums ? every_box_free(c, wanted) : ST_OK;

    if (c->row->sums)
        say_hidden(c, wanted);
    if (st == ST_OK)
        st = pmon_session_open(&session, c, wanted, free_running);
    if (st != ST_OK)
        return check_conclude(c, st);
    keep_alive(&session);
    if (session.n > 0)
        check_conclude(c, body(&session));
    return pmon_session_close(&session);
}

enum verdict pmon_session_close(struct pmon_session *session)
{
    struct check *c = session->check;
    uint32_t judged = 0;

    pmon_session_each(session, b) {
        enum status st = pmon_quiet(c->platform, b->box);

        for (uint32_t k = 0; k < 2 && st == ST_OK; k++) /* the next check's events are not to be filtered by it */
            if (b->filtered[k] && pmon_filter(b->unit, k).bytes)
                st = pmon_write(c->platform, b->box, pmon_filter(b->unit, k), 0);
        if (st == ST_OK && b->matched)
            st = pmon_match_write(c->platform, b->box, (const uint64_t[PMON_MATCHES]){ 0 });
        if (st == ST_OK && b->unit->layout->box)
            st = pmon_write(c->platform, b->box, pmon_box_ctl(b->unit), pmon_run_value(b->unit));
        if (b->status == ST_OK)
            b->status = st;
        judged += b->status == ST_OK;
        if (b->status != ST_OK) {
            check_note(c, "%s: register 0x%lx: %s", b->name, pmon_address(b->box, b->bad), status_text(b->status));
            check_cannot_measure(c, b->status, b->box->cpu, b->name);
        }
    }
    check_show(c, "boxes judged", PLACE_NONE, judged, "boxes");
    if (session->held)
        evidence_swept(c, "uncore register values compared", session->held);
    if (judged == 0 && check_verdict(c) == VERDICT_PASS)
        return check_skip(c, "no uncore box that supports this check counts a clock");
    return check_verdict(c);
}
