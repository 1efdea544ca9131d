/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Counters without enable, freeze or reset. Witness of the clocks among them: the TSC; of all: a freeze and a reset of
 * the boxes that they belong to, which must not affect them. */
#include "core/base/bits.h"
#include "core/uncore/pmon_session.h"

#define SOURCE                                                                                                         \
    "Linux uncore_snbep.c skx_uncore_iio_freerunning, icx_uncore_imc_freerunning, icx_uncore_iio_free_running, "       \
    "spr_uncore_iio_free_running, spr_imc_freerunning; uncore_snb.c snb_uncore_imc_freerunning "                       \
    "(free-running counters)"
#define CLOCK_LO 5e7
#define CLOCK_HI 6e9
#define SLACK    1e-2 /* of two windows of one clock that does not scale, beyond what their times leave open */
#define READINGS 4u   /* a window while the box runs, and one with it frozen and its counters reset             */

struct free_clock {
    const struct pmon_free *what;
    struct pmon_session_box *of;
    struct pmon_box reg; /* the register, as a box of which it is the first */
    struct place place;
    char name[PLACE_TEXT]; /* the words of the place */
    struct pmon_op readings[READINGS];
    enum status status;
};

struct rate {
    double lo, hi;
};

static struct rate rate_of(const struct pmon_session *session, const struct free_clock *f, uint32_t first,
                           uint32_t last)
{
    const struct pmon_op *a = &f->readings[first], *b = &f->readings[last];
    double counts = (double)pmon_delta(a->value, b->value, f->what->bits),
           hz = (double)session->check->platform->tsc_hz;

    return (struct rate){ counts > 1 ? (counts - 1) * hz / (double)(b->tsc - a->before) : 0,
                          b->before > a->tsc ? (counts + 1) * hz / (double)(b->before - a->tsc) : NO_BOUND };
}

static void read_all(struct pmon_session *session, struct free_clock *clocks, uint32_t n, uint32_t reading)
{
    EACH(struct free_clock, f, clocks, n) {
        struct pmon_op *op = &f->readings[reading];

        *op = (struct pmon_op){ .box = &f->reg, .timed = true, .reg = { .bytes = pmon_free_bytes(f->what) } };
        if (f->status == ST_OK)
            f->status = pmon_run(session->check->platform, op, 1);
    }
}

/* Frozen, and its counters reset. */
static void pmon_free_disturb(struct pmon_session *session)
{
    pmon_session_each(session, b) {
        const struct pmon_unit *u = b->unit;

        if (u->layout->box)
            pmon_session_write(session, b, pmon_box_ctl(u),
                               pmon_freeze_value(u) | (u->layout->reset_unsure ? 0 : u->layout->box->rst_ctrs));
    }
    pmon_session_execute(session);
}

static void pmon_free_show(struct check *c, const struct free_clock *f, uint32_t reading)
{
    uint64_t value = f->readings[reading].value;

    if (f->reg.unit->layout->access == PMON_MSR)
        evidence_msr(c, f->reg.cpu, (uint32_t)f->reg.base, value, f->readings[reading].tsc);
    else
        evidence_register(c, "mmio", f->name, f->reg.base, value);
}

/* Every counter: no bits above its width, and no step back when adjacent boxes are frozen or reset. */
static void judge_any(struct check *c, const struct free_clock *f)
{
    uint64_t high = 0;

    for (uint32_t i = 0; i < READINGS; i++) {
        pmon_free_show(c, f, i);
        high |= f->readings[i].value & ~low_bits(f->what->bits);
    }
    if (high)
        pmon_session_finding(c, f->of->unit, FOUND_BITS_ABOVE_WIDTH, f->place, "bits above its %u read 0x%lx",
                             f->what->bits, high);
    for (uint32_t i = 1; i < READINGS; i++)
        if (pmon_delta(f->readings[i - 1].value, f->readings[i].value, f->what->bits) >> (f->what->bits - 1))
            pmon_session_finding(
                c, f->of->unit, i == 2 ? FOUND_RESET_BEYOND : FOUND_STEPS_BACK, f->place,
                "counter decreased from 0x%lx to 0x%lx: %s", f->readings[i - 1].value, f->readings[i].value,
                i == 2 ? "affected by a freeze or reset of neighbouring boxes" : "free-running counters only increase");
}

static bool judge_clock(struct pmon_session *session, const struct free_clock *f, struct rate *before)
{
    struct check *c = session->check;
    struct rate after;

    *before = rate_of(session, f, 0, 1);
    after = rate_of(session, f, 1, READINGS - 1);
    if (f->readings[0].value == f->readings[1].value && f->of->unit->layout->n_free) { /* without memory it may */
        check_note(c, "%s: does not advance at 0x%lx: pmon.free-dclk compares it with its channels", f->name,
                   f->readings[0].value);
        return false;
    }
    if (f->readings[0].value == f->readings[1].value) {
        finding(c, FINDING_EXPECTED, 0, FOUND_COUNTS_ZERO, f->place, "free-running counter does not advance at 0x%lx",
                f->readings[0].value);
        return false;
    }
    if (!check_measure(c, "clock", f->place, before->lo, "Hz", CLOCK_LO, CLOCK_HI))
        finding(c, FINDING_UNUSUAL, 0, FOUND_CLOCK_OUT_OF_RANGE, f->place,
                "%lu Hz is outside the range of uncore clocks", (uint64_t)before->lo);
    if (after.hi < before->lo * (1 - SLACK) || after.lo > before->hi * (1 + SLACK)) {
        check_measure(c, "clock while its box is frozen and reset, over before", f->place, after.lo / before->lo,
                      "ratio", 1 - SLACK, 1 + SLACK);
        pmon_session_finding(c, f->of->unit, FOUND_RESET_BEYOND, f->place,
                             "%lu Hz undisturbed, %lu Hz across a freeze and reset of %s", (uint64_t)before->lo,
                             (uint64_t)after.lo, f->of->unit->layout->n_free ? "neighbouring boxes" : f->of->name);
    }
    return true;
}

/* Clocks of one kind in one package are one clock. */
static void judge_alike(struct pmon_session *session, const struct free_clock *clocks, const struct rate *rates,
                        uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (clocks[k].what != clocks[i].what || clocks[k].reg.package != clocks[i].reg.package || rates[k].lo <= 0)
            continue;
        if (rates[i].hi < rates[k].lo * (1 - SLACK) || rates[i].lo > rates[k].hi * (1 + SLACK))
            finding(session->check, FINDING_UNUSUAL, 0, FOUND_CLOCK_DIFFERS, clocks[i].place, "%lu Hz, and %s: %lu Hz",
                    (uint64_t)rates[i].lo, clocks[k].name, (uint64_t)rates[k].lo);
        return;
    }
}

/* Channels too: the boxes that are frozen and reset next to a controller's free-running counters. */
static bool free_or_adjacent(const struct pmon_unit *unit)
{
    return unit->layout->free_clock || unit->layout->n_free ||
           (unit->kind == PMON_IMC && unit->layout->access == PMON_MMIO && unit->events.clock == PMON_CLOCK_DCLK);
}

static uint32_t list_clocks(struct pmon_session *session, struct free_clock *clocks)
{
    uint32_t n = 0;

    pmon_session_each(session, b) {
        const struct pmon_unit *u = b->unit;
        const struct pmon_free *what = u->layout->n_free ? u->layout->free : u->layout->free_clock;

        for (uint32_t k = 0; what && k < (u->layout->n_free ? u->layout->n_free : 1); k++) {
            struct free_clock *f = &clocks[n++];
            const struct pmon_box *box = b->box;
            struct place place = u->layout->n_free ? pmon_counter_place(box, k) : pmon_place(box);

            *f = (struct free_clock){ .what = &what[k], .of = b, .reg = *box };
            f->reg.base += (uint64_t)(int64_t)what[k].offset;
            f->place = place_with_detail(place, "%s", what[k].name);
            place_text(&f->place, f->name, sizeof f->name);
        }
    }
    return n;
}

static enum status judge_all(struct pmon_session *session, struct free_clock *clocks, struct rate *rates, uint32_t n)
{
    uint32_t judged = 0, still = 0, moved = 0;

    for (uint32_t i = 0; i < n; i++) {
        bool stands;

        rates[i] = (struct rate){ 0, 0 };
        if (clocks[i].status != ST_OK) { /* larger parts have it, smaller ones do not */
            check_note(session->check, "%s: register 0x%lx: %s", clocks[i].name, clocks[i].reg.base,
                       status_text(clocks[i].status));
            continue;
        }
        if (clocks[i].readings[0].value == low_bits(8 * pmon_free_bytes(clocks[i].what))) {
            check_note(session->check, "%s: register 0x%lx reads all ones", clocks[i].name, clocks[i].reg.base);
            continue;
        }
        judged++;
        stands = clocks[i].readings[0].value == clocks[i].readings[READINGS - 1].value;
        moved += !stands;
        judge_any(session->check, &clocks[i]);
        still += stands && clocks[i].of->unit->kind != PMON_FREE && clocks[i].what->clock == PMON_CLOCK_NONE;
        if (clocks[i].what->clock != PMON_CLOCK_NONE && judge_clock(session, &clocks[i], &rates[i]))
            judge_alike(session, clocks, rates, i);
    }
    if (judged == 0 && check_verdict(session->check) == VERDICT_PASS)
        return check_absent(session->check, "no free-running counter responds");
    if (moved == 0 && check_verdict(session->check) == VERDICT_PASS)
        return check_absent(session->check,
                            "no free-running counter advances: no traffic, and none of them counts a clock");
    if (still)
        check_note(session->check, "%u free-running counters of I/O ports do not advance: no device traffic", still);
    return ST_OK;
}

static enum status free_try_all(struct pmon_session *session)
{
    struct check *c = session->check;
    struct free_clock *clocks;
    struct rate *rates;
    uint32_t n = 0;

    pmon_session_clear(session);
    TRY_ALLOC(c, clocks, session->n * PMON_MOST_COUNTERS, "the free-running clocks");
    TRY_ALLOC(c, rates, session->n * PMON_MOST_COUNTERS, "the free-running clocks");
    n = list_clocks(session, clocks);
    pmon_session_run(session); /* a session opens with its boxes frozen */
    read_all(session, clocks, n, 0);
    pmon_session_wait(session, pmon_session_ticks(session));
    read_all(session, clocks, n, 1);
    pmon_free_disturb(session);
    read_all(session, clocks, n, 2);
    pmon_session_wait(session, pmon_session_ticks(session));
    read_all(session, clocks, n, 3);
    return judge_all(session, clocks, rates, n);
}

static const struct check_row rows[] = {
    { .id = "pmon.free-running",
      .title = "Free-running counters advance and ignore freezes and resets",
      .spec = SOURCE,
      .covers = "K6",
      .detects = "a stopped clock, a freeze or reset that affects it, bits above its width",
      .means = "a counter that software cannot stop does not count what it should",
      .next = "the controller in the finding; `pmon.clock` and `traffic.channels`, which judge what it is compared "
              "with",
      .wanted = free_or_adjacent,
      .free_running = true,
      .run_session = free_try_all },
};
CHECK_FAMILY(pmon_free, rows, .needs = NEED_PMON, .risk = RISK_MSR, .rests_on = RESTS_ON_UNCORE, .order = 940);
