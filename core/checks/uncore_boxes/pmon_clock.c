/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Clocks of the uncore. Witness: the TSC, and boxes of one clock against each other. A rate is an interval: between
 * the count over the longest and over the shortest time that the window may have had. */
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"
#include "core/uncore/uncore_pin.h"

#define GUIDE        "E5-2600 Uncore Guide 327043-001 2.2.2, 2.3 and 2.5, clockticks events"
#define SLACK        1e-3 /* UCLK may change between the windows of two boxes */
#define PCU_SLOW     8e8  /* published event files: 800 MHz up to E5 v3, 1 GHz from v4 on */
#define PCU_FAST     1e9
#define PCU_SLACK    1e-3
#define RATIO_SLACK  0.08 /* the TSC's rate may be known to a part in 300 */
#define STEADY_TRIES 4u   /* windows, until the ratio did not move in one */
#define CLOCK_LO     5e7  /* slowest and fastest clock that an uncore box may have */
#define CLOCK_HI     6e9
#define STILL_NS     1000000u

struct rate {
    double lo, hi;
};

static bool pmon_clock_ticks(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) || unit->layout->fixed.clock != PMON_CLOCK_NONE;
}

/* What the clock of a box is counted by: its fixed counter where no event counts it. */
static enum pmon_clock clock_of(const struct pmon_unit *unit)
{
    return unit->events.clock != PMON_CLOCK_NONE ? unit->events.clock : unit->layout->fixed.clock;
}

/* Boxes whose clocks must be the same: of one unit, or of one clock domain in one die. Where dies have frequencies of their
 * own, in TPMI, no source says on which of them the UBox is: intel/pcm has types of compute, I/O and memory dies, Linux
 * uncore-frequency-tpmi.c a domain for each. */
static bool same_clock(const struct pmon_part *part, const struct pmon_session_box *a, const struct pmon_session_box *b)
{
    if (part->several_dies && (a->unit->kind == PMON_UBOX) != (b->unit->kind == PMON_UBOX))
        return false;
    if (clock_of(a->unit) == PMON_CLOCK_UCLK && clock_of(b->unit) == PMON_CLOCK_UCLK)
        return pmon_same_die(a->box, b->box);
    return a->unit == b->unit &&
           (a->unit->events.clock != PMON_CLOCK_OWN || a->unit->kind == PMON_LINK || pmon_same_die(a->box, b->box));
}

static bool rates_meet(struct rate a, struct rate b)
{
    return a.lo <= b.hi * (1 + SLACK) && b.lo <= a.hi * (1 + SLACK);
}

static double pmon_clock_middle(struct rate r)
{
    return r.hi < NO_BOUND ? (r.lo + r.hi) / 2 : r.lo;
}

/* Why a box may run at another rate than those of its clock, and nothing is wrong; NULL: there is no reason. */
static const char *may_differ(struct pmon_session *session, const struct uncore_pin *pin,
                              const struct pmon_session_box *b)
{
    if (b->unit->kind == PMON_LINK)
        return "a link that sleeps has no clock";
    if (clock_of(b->unit) == PMON_CLOCK_UCLK && uncore_pin_moved(session->check, pin, b->box->package))
        return "the uncore's ratio in MSR 621H changed in the window";
    if (clock_of(b->unit) == PMON_CLOCK_UCLK && uncore_pin_unknown(pin, b->box->package))
        return "MSR 621H does not say whether the uncore's frequency changed in the window";
    return NULL;
}

/* Does its fixed counter count the clock that counter 0 does, or half of it? */
static bool is_confirmed(const struct pmon_session_box *b)
{
    enum pmon_clock clock = b->unit->layout->fixed.clock;
    double clocks = (double)pmon_session_counts(b, 0),
           fixed = (double)pmon_session_counts(b, pmon_session_programmable(b));

    if (clock == PMON_CLOCK_HCLK && b->unit->events.clock == PMON_CLOCK_DCLK)
        fixed *= 2;
    else if (clock == PMON_CLOCK_NONE || (clock != PMON_CLOCK_OWN && clock != b->unit->events.clock))
        return false;
    return clocks * (1 - SLACK) <= fixed + 2 && fixed - 2 <= clocks * (1 + SLACK);
}

/* A box that runs at another rate than most of those of its clock; of two, the one that its own fixed counter contradicts. */
static void judge_against_others(struct pmon_session *session, const struct uncore_pin *pin, const struct rate *rates,
                                 uint32_t i)
{
    struct pmon_session_box *b = &session->boxes[i];
    uint32_t alike = 0, others = 0, example = 0;
    const char *why;

    for (uint32_t k = 0; k < session->n; k++) {
        if (k == i || session->boxes[k].status != ST_OK || rates[k].lo <= 0 ||
            !same_clock(session->check->tools->pmon.part, b, &session->boxes[k]))
            continue;
        others++;
        if (rates_meet(rates[i], rates[k]))
            alike++;
        else
            example = k;
    }
    if (others == 1 && alike == 0 && is_confirmed(b) && !is_confirmed(&session->boxes[example])) {
        session->held++;
    } else if (others > 0 && 2 * alike < others) {
        check_measure(session->check, "clock", pmon_place(b->box), pmon_clock_middle(rates[i]), "Hz",
                      pmon_clock_middle(rates[example]) * (1 - SLACK), pmon_clock_middle(rates[example]) * (1 + SLACK));
        why = may_differ(session, pin, b);
        finding(session->check, why ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_CLOCK_DIFFERS, pmon_place(b->box),
                "clock is %lu Hz; of %u other boxes of the clock domain %u run at another rate (%s: %lu Hz)%s%s",
                (uint64_t)pmon_clock_middle(rates[i]), others, others - alike, session->boxes[example].name,
                (uint64_t)pmon_clock_middle(rates[example]), why ? ": " : "", why ? why : "");
    } else {
        session->held += others;
    }
}

/* Of a clock that is a whole multiple of the base clock. */
static void judge_ratio(struct pmon_session *session, const struct pmon_session_box *b, struct rate r)
{
    double ratio = pmon_clock_middle(r) / b->unit->events.clock_step_hz, off = ratio - (double)(uint64_t)(ratio + 0.5);

    if (!check_measure(session->check, "uncore clock over base clock, off a whole number", pmon_place(b->box), off,
                       "ratio", -RATIO_SLACK, RATIO_SLACK))
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_CLOCK_OFF_RATIO, pmon_place(b->box),
                "clock of %lu Hz is not a whole multiple of the base clock", (uint64_t)pmon_clock_middle(r));
}

static void judge_rate(struct pmon_session *session, const struct pmon_session_box *b, struct rate r)
{
    bool slow = r.lo <= PCU_SLOW * (1 + PCU_SLACK) && r.hi >= PCU_SLOW * (1 - PCU_SLACK);
    bool fast = r.lo <= PCU_FAST * (1 + PCU_SLACK) && r.hi >= PCU_FAST * (1 - PCU_SLACK);

    if (b->unit->events.clock_step_hz > 0)
        judge_ratio(session, b, r);
    if (!check_measure(session->check, "clock", pmon_place(b->box), pmon_clock_middle(r), "Hz", CLOCK_LO, CLOCK_HI))
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_CLOCK_OUT_OF_RANGE, pmon_place(b->box),
                "clock of %lu Hz is outside the range of uncore clocks", (uint64_t)pmon_clock_middle(r));
    else if (b->unit->events.clock == PMON_CLOCK_PCU && !slow && !fast)
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_CLOCK_OUT_OF_RANGE, pmon_place(b->box),
                "clock is %lu Hz, documented are 800 MHz and 1 GHz", (uint64_t)pmon_clock_middle(r));
}

/* A fixed counter that counts the clock of its own box counts what counter 0 does: the clock event, or every clock. */
static void judge_fixed(struct pmon_session *session, struct pmon_session_box *b)
{
    uint32_t fixed = pmon_session_programmable(b);
    double clocks = (double)pmon_session_counts(b, 0);

    enum pmon_clock clock = b->unit->layout->fixed.clock;

    if (clock == PMON_CLOCK_OWN || (clock != PMON_CLOCK_NONE && clock == b->unit->events.clock))
        pmon_session_expect(session, b, fixed, "clocks of the fixed counter", (double)pmon_session_counts(b, fixed),
                            "counts", clocks - 2, clocks + 2, FOUND_COUNTERS_DIFFER,
                            "fixed counter and counter 0 of the box count different clocks");
}

/* HCLK is half of DCLK: one source alone says so, the name in the event file. */
static void judge_half(struct pmon_session *session, const struct pmon_session_box *b)
{
    double clocks = (double)pmon_session_counts(b, 0),
           half = (double)pmon_session_counts(b, pmon_session_programmable(b));

    if (b->unit->layout->fixed.clock != PMON_CLOCK_HCLK || b->unit->events.clock != PMON_CLOCK_DCLK || clocks == 0)
        return;
    if (check_measure(session->check, "HCLK of the fixed counter over DCLK", pmon_place(b->box), half / clocks, "ratio",
                      0.5 - SLACK, 0.5 + SLACK))
        session->held++;
    else
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_COUNTERS_DIFFER, pmon_place(b->box),
                "the fixed counter counts %lu while DCLK counts %lu, and HCLK is half of it", (uint64_t)half,
                (uint64_t)clocks);
}

/* Counter 0 on the clock; where no event counts it, the fixed counter. */
static uint32_t clock_counter(const struct pmon_session_box *b)
{
    bool fixed = b->unit->events.clock == PMON_CLOCK_NONE && b->unit->layout->fixed.clock != PMON_CLOCK_NONE;

    return fixed ? pmon_session_programmable(b) : 0;
}

/* A package none of whose channels has a clock has no memory for a load, and a machine of several packages has links
 * between them. */
static void judge_still(struct check *c)
{
    for (uint32_t i = 0; i < c->machine->n_packages && c->machine->n_packages > 1; i++)
        if (pmon_session_none_alive(c, PMON_LINK, i))
            finding(c, FINDING_EXPECTED, 0, FOUND_NO_CLOCK, place_package(i),
                    "none of its links has a clock, and the machine has %u packages", c->machine->n_packages);
    for (uint32_t i = 0; i < c->machine->n_packages; i++)
        if (pmon_session_none_alive(c, PMON_IMC, i))
            finding(c, FINDING_UNUSUAL, 0, FOUND_NO_CLOCK, place_package(i), "none of its memory channels has a clock");
}

/* Until the uncore's ratio did not move in a window. */
static void clock_window(struct pmon_session *session, struct uncore_pin *pin)
{
    bool moved = true;

    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    for (uint32_t i = 0; i < STEADY_TRIES && moved; i++) {
        pmon_session_program(session);
        uncore_pin_mark(session->check, pin);
        pmon_session_window(session, 2 * pmon_session_ticks(session));
        moved = false;
        for (uint32_t k = 0; k < session->check->machine->n_packages; k++)
            moved |= uncore_pin_moved(session->check, pin, k);
    }
}

static void judge_clock(struct pmon_session *session, const struct uncore_pin *pin, const struct rate *rates,
                        uint32_t i)
{
    struct pmon_session_box *b = &session->boxes[i];

    if (rates[i].lo <= 0 && pmon_session_ubox(b->unit) && b->unit->layout->fixed.clock == PMON_CLOCK_UCLK) {
        check_note(session->check, "%s: UCLK does not advance, which ubox.uclk-rate judges", b->name);
        return;
    }
    if (rates[i].lo <= 0 && pmon_session_others_count(b, clock_counter(b))) {
        pmon_session_expect(session, b, clock_counter(b), "clocks counted", 0, "counts", 1, NO_BOUND,
                            FOUND_COUNTER_ZERO, "the counter does not advance and others of the box do");
        return;
    }
    if (rates[i].lo <= 0) {
        pmon_session_expect(session, b, clock_counter(b), "clocks counted", 0, "counts", 1, NO_BOUND, FOUND_COUNTS_ZERO,
                            "the box clock does not advance");
        return;
    }
    judge_rate(session, b, rates[i]);
    judge_against_others(session, pin, rates, i);
    judge_fixed(session, b);
    judge_half(session, b);
}

/* No event of the unit is known but its clock, so that no check can hold its event select, umask or masks to a load. */
static bool is_shown_by_clock_alone(const struct pmon_unit *unit)
{
    return unit->events.n_named == 0;
}

static void say_clock_alone(struct pmon_session *session)
{
    for (uint32_t i = 0; i < session->n; i++) {
        const struct pmon_unit *unit = session->boxes[i].unit;
        bool said = ANY_OF(k, i, text_equal(session->boxes[k].unit->name, unit->name));

        if (!said && is_shown_by_clock_alone(unit))
            check_note(session->check, "%s: clock and storage only: no other event of it is known to move with a load",
                       unit->name);
    }
}

static uint32_t boxes_of(const struct pmon *pmon, const struct pmon_box *box)
{
    return HOW_MANY(i, pmon->n_boxes, pmon->boxes[i].unit == box->unit && pmon->boxes[i].package == box->package);
}

/* Whether both are of one I/O stack, which has one of each (intel/pcm, pcm-iio; Linux spr_uncore_iio, _irp, _m2pcie). */
static bool same_stack(const struct pmon *pmon, const struct pmon_box *box, const struct pmon_box *other)
{
    return other->unit->layout->free_clock && other->package == box->package && other->number == box->number &&
           boxes_of(pmon, box) == boxes_of(pmon, other);
}

/* Whether `other`, which counts a clock, shows that a box is not off: the mesh's side of a port whose link runs, since the mesh
 * clocks it; a channel of memory in the package; a box on UCLK beside it, which all of them have; its stack's I/O; the box of
 * its number in another package. */
static bool shows_clocked(const struct pmon *pmon, const struct pmon_box *box, const struct pmon_box *other)
{
    if (other->life != PMON_LIVES || other->status != ST_OK)
        return false;
    if (box->unit->in_package) /* no slot is empty there */
        return other->unit == box->unit && other->package == box->package;
    if (box->unit->kind == PMON_MESH_LINK)
        return other->unit->kind == PMON_LINK && other->package == box->package && other->number == box->number;
    return box->unit->kind == PMON_OTHER &&
           (same_stack(pmon, box, other) ||
            (other->unit == box->unit &&
             (clock_of(box->unit) == PMON_CLOCK_UCLK || box->unit->of_mesh || other->number == box->number)));
}

/* All counters dead, or off by firmware. */
static void judge_still_beside(struct check *c, const struct pmon_box *box)
{
    char name[48];

    EACH(const struct pmon_box, other, c->tools->pmon.boxes, c->tools->pmon.n_boxes) {
        if (!shows_clocked(&c->tools->pmon, box, other))
            continue;
        pmon_box_name(other, name);
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTS_ZERO, pmon_place(box),
                "none of its counters counts a clock, and %s counts one: dead, or off", name);
        return;
    }
    /* Discovery tables list ports of CXL too, which are off where nothing is connected. */
    if (box->unit->kind == PMON_OTHER && box->unit->location.find != PMON_FIND_DISCOVERY)
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTS_ZERO, pmon_place(box),
                "no box of its unit counts a clock: dead, or off");
}

/* A link that was trained has a clock unless it sleeps. */
static void judge_trained(struct check *c, const struct pmon_box *box)
{
    struct pmon_reg reg = { .offset = box->unit->layout->link.at, .bytes = 4 };
    uint32_t trained = box->unit->layout->link.trained;
    uint64_t state = 0;

    if (trained == 0 || pmon_read(c->platform, box, reg, &state) != ST_OK || state == UINT32_MAX || !(state & trained))
        return;
    finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTS_ZERO, pmon_place(box),
            "none of its counters counts a clock, and register 0x%x, 0x%lx, says that its link was trained: dead, or "
            "asleep",
            reg.offset, state);
}

/* Links with a usable box; *live: those that count a clock. */
static uint32_t links_of(const struct pmon *pmon, uint32_t package, uint32_t *live)
{
    uint32_t n = 0;

    *live = 0;
    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        bool link = box->package == package && box->unit->kind == PMON_LINK && box->status == ST_OK;

        n += link;
        *live += link && box->life == PMON_LIVES;
    }
    return n;
}

/* A link has two ends, which run and sleep together: of two packages each has as many that run. A package without any is
 * judge_still()'s. */
static void judge_ends(struct check *c)
{
    uint32_t live[2], n[2], fewer;

    if (c->machine->n_packages != 2)
        return;
    for (uint32_t i = 0; i < 2; i++)
        n[i] = links_of(&c->tools->pmon, i, &live[i]);
    fewer = live[1] < live[0];
    if (n[0] == n[1] && live[0] != live[1] && live[fewer] > 0)
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTS_ZERO, place_package(fewer),
                "%u of its %u links count a clock, and %u of the other package's: each link has two ends", live[fewer],
                n[fewer], live[1 - fewer]);
}

/* A box none of whose counters counts a clock, and whose own free-running clock advances, which nothing programs: it is not
 * off. */
static void judge_still_clocks(struct check *c)
{
    EACH(const struct pmon_box, box, c->tools->pmon.boxes, c->tools->pmon.n_boxes) {
        const struct pmon_free *clock = box->unit->layout->free_clock;
        struct pmon_box reg = *box;
        uint64_t at[2] = { 0 };

        if (box->life != PMON_LIES_STILL || box->status != ST_OK)
            continue;
        if (!clock) {
            judge_trained(c, box);
            judge_still_beside(c, box);
            continue;
        }
        reg.base += (uint64_t)(int64_t)clock->offset;
        for (uint32_t k = 0; k < 2; k++) {
            struct pmon_op op = { .box = &reg, .reg = { .bytes = pmon_free_bytes(clock) } };

            if (pmon_run(c->platform, &op, 1) != ST_OK)
                break;
            at[k] = op.value;
            if (k == 0)
                platform_stall(c->platform, STILL_NS);
        }
        if (at[1] > at[0])
            finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTS_ZERO, pmon_place(box),
                    "none of its counters counts a clock, and its free-running %s advances from 0x%lx to 0x%lx",
                    clock->name, at[0], at[1]);
    }
}

static enum status clock_try_rates(struct pmon_session *session)
{
    struct check *c = session->check;
    struct rate *rates = check_alloc(c, sizeof *rates * session->n);
    struct uncore_pin pin;
    bool any = false;

    TRY(rates ? uncore_pin_hold(c, &pin) : check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "the uncore boxes"));
    clock_window(session, &pin);
    for (uint32_t i = 0; i < session->n; i++)
        if (session->boxes[i].status == ST_OK)
            pmon_session_rate(session, &session->boxes[i], clock_counter(&session->boxes[i]), &rates[i].lo,
                              &rates[i].hi);
    for (uint32_t i = 0; i < session->n; i++) {
        any |= rates[i].lo > 0;
        if (session->boxes[i].status == ST_OK)
            judge_clock(session, &pin, rates, i);
    }
    uncore_pin_release(c, &pin);
    judge_still(c);
    judge_ends(c);
    judge_still_clocks(c);
    say_clock_alone(session);
    return any || check_verdict(c) != VERDICT_PASS ? ST_OK : check_absent(c, "no clock advances");
}

static const struct check_row rows[] = {
    { .id = "pmon.clock",
      .title = "Boxes of one clock domain run at one rate, within the part's range",
      .spec = GUIDE,
      .covers = "K1 K2 K3 K4 K5 F5",
      .detects = "a slice whose clock is gated or divided, a channel at another speed, a slow link, an I/O stack whose "
                 "counters are dead",
      .means = "a box runs at another clock than its kind",
      .next = "the box in the finding; power and link states; whether its slice is fused off",
      .wanted = pmon_clock_ticks,
      .run_session = clock_try_rates },
};
CHECK_FAMILY(pmon_clock, rows, UNCORE_FAMILY, .risk = RISK_MSR, .order = 935);
