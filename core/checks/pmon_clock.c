/* Clocks of the uncore. Witness: the TSC, and boxes of one clock against each other. A rate is an interval: between
 * the count over the longest and over the shortest time that the window may have had. */
#include "core/checks/families.h"
#include "core/checks/pmon_lab.h"
#include "core/heap.h"
#include "core/text.h"

#define GUIDE        "E5-2600 Uncore Guide 327043-001 2.2.2, 2.3 and 2.5, clockticks events"
#define SLACK        1e-3 /* UCLK may change between the windows of two boxes */
#define PCU_SLOW     8e8  /* published event files: 800 MHz up to E5 v3, 1 GHz from v4 on */
#define PCU_FAST     1e9
#define PCU_SLACK    1e-3
#define NEHALEM_BCLK (400e6 / 3)
#define RATIO_SLACK  0.08 /* the TSC's rate may be known to a part in 300 */
#define CLOCK_LO     5e7  /* slowest and fastest clock that an uncore box may have */
#define CLOCK_HI     6e9

struct rate {
    double lo, hi;
};

static bool ticks(const struct pmon_unit *unit)
{
    return lab_clocked(unit) || unit->kind == PMON_UBOX;
}

/* Boxes whose clocks must be the same: of one unit, or of one clock domain in one package. */
static bool same_clock(const struct lab_box *a, const struct lab_box *b)
{
    bool uclk_a = a->unit->clock == PMON_CLOCK_UCLK || a->unit->kind == PMON_UBOX;
    bool uclk_b = b->unit->clock == PMON_CLOCK_UCLK || b->unit->kind == PMON_UBOX;

    if (uclk_a && uclk_b)
        return a->box->package == b->box->package;
    return a->unit == b->unit &&
           (a->unit->clock != PMON_CLOCK_OWN || a->unit->kind == PMON_LINK || a->box->package == b->box->package);
}

static bool meet(struct rate a, struct rate b)
{
    return a.lo <= b.hi * (1 + SLACK) && b.lo <= a.hi * (1 + SLACK);
}

static double middle(struct rate r)
{
    return r.hi < NO_BOUND ? (r.lo + r.hi) / 2 : r.lo;
}

/* A box that runs at another rate than most of those of its clock. */
static void judge_against_others(struct lab *lab, const struct rate *rates, uint32_t i)
{
    struct lab_box *b = &lab->boxes[i];
    uint32_t alike = 0, others = 0, example = 0;

    for (uint32_t k = 0; k < lab->n; k++) {
        if (k == i || lab->boxes[k].status != ST_OK || rates[k].lo <= 0 || !same_clock(b, &lab->boxes[k]))
            continue;
        others++;
        if (meet(rates[i], rates[k]))
            alike++;
        else
            example = k;
    }
    if (others > 0 && 2 * alike < others) {
        measure(lab->check, "clock", b->name, middle(rates[i]), "Hz", middle(rates[example]) * (1 - SLACK),
                middle(rates[example]) * (1 + SLACK));
        fail(lab->check, "%s: its clock is %llu Hz, of %u boxes of the same clock %u run at another rate (%s: %llu Hz)",
             b->name, (unsigned long long)middle(rates[i]), others, others - alike, lab->boxes[example].name,
             (unsigned long long)middle(rates[example]));
    } else {
        lab->held += others;
    }
}

/* Nehalem's uncore clock is a whole multiple of the base clock (SDM vol. 3B 18.17.2, old numbering). */
static void judge_ratio(struct lab *lab, const struct lab_box *b, struct rate r)
{
    double ratio = middle(r) / NEHALEM_BCLK, off = ratio - (double)(uint64_t)(ratio + 0.5);

    if (!measure(lab->check, "uncore clock over base clock, off a whole number", b->name, off, "ratio", -RATIO_SLACK,
                 RATIO_SLACK))
        warn(lab->check, "%s: its clock of %llu Hz is no whole multiple of the base clock", b->name,
             (unsigned long long)middle(r));
}

static void judge_rate(struct lab *lab, const struct lab_box *b, struct rate r)
{
    bool slow = r.lo <= PCU_SLOW * (1 + PCU_SLACK) && r.hi >= PCU_SLOW * (1 - PCU_SLACK);
    bool fast = r.lo <= PCU_FAST * (1 + PCU_SLACK) && r.hi >= PCU_FAST * (1 - PCU_SLACK);

    if (b->unit->kind == PMON_UNCORE)
        judge_ratio(lab, b, r);
    if (!measure(lab->check, "clock", b->name, middle(r), "Hz", CLOCK_LO, CLOCK_HI))
        warn(lab->check, "%s: a clock of %llu Hz is none of an uncore box", b->name, (unsigned long long)middle(r));
    else if (b->unit->clock == PMON_CLOCK_PCU && !slow && !fast)
        warn(lab->check, "%s: its clock is %llu Hz, documented are 800 MHz and 1 GHz", b->name,
             (unsigned long long)middle(r));
}

/* The fixed counter of a memory channel counts DCLK, as its clock event does; that of Nehalem its uncore's clock. */
static void judge_fixed(struct lab *lab, struct lab_box *b)
{
    uint32_t fixed = lab_programmable(b);
    double clocks = (double)lab_counts(b, 0);

    if (pmon_has_fixed(b->unit) && (b->unit->clock == PMON_CLOCK_DCLK || b->unit->kind == PMON_UNCORE))
        lab_expect(lab, b, fixed, "clocks of the fixed counter", (double)lab_counts(b, fixed), "counts", clocks - 2,
                   clocks + 2, "it counts another clock than counter 0 of its box");
}

/* Counter 0 on the clock; of a UBox, and of Nehalem's uncore, the fixed counter is the clock. */
static uint32_t clock_counter(const struct lab_box *b)
{
    return b->unit->kind == PMON_UBOX || b->unit->kind == PMON_UNCORE ? lab_programmable(b) : 0;
}

static enum verdict check_clock(struct check *c)
{
    struct lab lab;
    struct rate *rates;

    if (!lab_open(&lab, c, ticks))
        return c->verdict;
    rates = heap_alloc(sizeof *rates * lab.n);
    if (rates == NULL) {
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "the uncore boxes");
        return lab_close(&lab);
    }
    lab_all(&lab, lab_clock_ctl, true);
    lab_program(&lab);
    lab_window(&lab, 2 * lab_ticks(&lab));
    for (uint32_t i = 0; i < lab.n; i++)
        if (lab.boxes[i].status == ST_OK)
            lab_rate(&lab, &lab.boxes[i], clock_counter(&lab.boxes[i]), &rates[i].lo, &rates[i].hi);
    for (uint32_t i = 0; i < lab.n; i++) {
        if (lab.boxes[i].status != ST_OK)
            continue;
        if (rates[i].lo <= 0) {
            lab_expect(&lab, &lab.boxes[i], clock_counter(&lab.boxes[i]), "clocks counted", 0, "counts", 1, NO_BOUND,
                       "the box has no clock");
            continue;
        }
        judge_rate(&lab, &lab.boxes[i], rates[i]);
        judge_against_others(&lab, rates, i);
        judge_fixed(&lab, &lab.boxes[i]);
    }
    heap_free(rates);
    lab_clear(&lab);
    return lab_close(&lab);
}

const struct check_row pmon_clock_checks[] = {
    { .id = "pmon.clock",
      .title = "Boxes of one clock run at one rate, and the clocks are those of the part",
      .spec = GUIDE,
      .rows = "K1 K2 K3 K4 K5 F5",
      .catches = "a slice whose clock is gated or divided, a channel at another speed, a slow link",
      .needs = NEED_PMON,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .run = check_clock },
};
