/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/uncore/pmon_session.h"
#include "core/uncore/ubox_session.h"

#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/bits.h"
#include "core/base/text.h"

uint32_t ubox_ctl_msr(const struct pmon_box *box, uint32_t index)
{
    return (uint32_t)pmon_address(box, pmon_ctl(box->unit, index));
}

uint32_t ubox_ctr_msr(const struct pmon_box *box, uint32_t index)
{
    return (uint32_t)pmon_address(box, pmon_ctr(box->unit, index));
}

void ubox_reason(const struct pmon_box *box, char why[PMON_TEXT])
{
    char name[48], reason[PMON_TEXT];

    pmon_box_name(box, name);
    pmon_box_reason(box, reason, sizeof reason);
    text_format(why, PMON_TEXT, "%s: %s", name, reason);
}

bool ubox_runs(struct check *c, struct pmon_box *box)
{
    return box_alive(c->platform, c->machine, box);
}

/* A UBox that can be frozen is let run before, and all of its controls are 0 after. */
static void ubox_run_one(struct check *c, struct pmon_box *box, ubox_check one)
{
    enum status st = ST_OK;

    if (box->unit->layout->box)
        st = pmon_write(c->platform, box, pmon_box_ctl(box->unit), pmon_run_value(box->unit));
    if (st != ST_OK)
        check_cannot_measure(c, st, box->cpu, "the UBox control");
    check_conclude(c, one(c, box));
    st = pmon_quiet(c->platform, box);
    if (st != ST_OK)
        check_cannot_measure(c, st, box->cpu, "the UBox controls");
}

enum verdict ubox_each(struct check *c, ubox_check one)
{
    char why[PMON_TEXT], first_why[PMON_TEXT] = "no UBox";
    uint32_t measured = 0, left = 0;

    pmon_session_thaw(c);
    for (uint32_t i = 0; i < c->tools->pmon.n_uboxes; i++) {
        struct pmon_box *box = &c->tools->pmon.boxes[i];

        if (box->status == ST_OK && ubox_runs(c, box) && pmon_takes_writes(c, box)) {
            ubox_run_one(c, box, one);
            measured++;
            continue;
        }
        ubox_reason(box, why);
        check_note(c, "%s", why);
        if (left++ == 0)
            memcpy(first_why, why, PMON_TEXT);
    }
    if (measured == 0 && check_verdict(c) == VERDICT_PASS)
        return check_skip(c, "%s", first_why);
    return check_verdict(c);
}

void ubox_counter_name(const struct pmon_box *box, uint32_t index, char out[64])
{
    if (index == PMON_FIXED)
        text_format(out, 64, "package %u %s fixed counter", box->package, box->unit->name);
    else
        text_format(out, 64, "package %u %s counter %u", box->package, box->unit->name, index);
}

uint32_t ubox_cycle_counters(const struct pmon_unit *unit)
{
    return unit->layout->control->invert ? unit->layout->counters : 0;
}

void ubox_note_fixed_alone(struct check *c, const struct pmon_box *box)
{
    if (box->unit->layout->counters > 0 && ubox_cycle_counters(box->unit) == 0)
        check_note(
            c,
            "package %u %s: its fixed counter alone: controls have no invert, and no event occurs in every cycle to "
            "drive the other %u",
            box->package, box->unit->name, box->unit->layout->counters);
}

/* A programmable counter that counts every cycle, or what else `event` asks for. */
static struct pmon_event every_cycle(const struct pmon_unit *unit)
{
    return (struct pmon_event){ .ev_sel = unit->events.idle_ev_sel,
                                .umask = unit->events.idle_umask,
                                .thresh = 1,
                                .invert = true,
                                .enable = true };
}

struct pmon_event ubox_idle_event(const struct pmon_unit *unit)
{
    return (struct pmon_event){ .ev_sel = unit->events.idle_ev_sel, .umask = unit->events.idle_umask, .enable = true };
}

enum status ubox_start(struct check *c, struct pmon_box *box, uint32_t index, bool on)
{
    struct pmon_event event = every_cycle(box->unit);

    if (index == PMON_FIXED)
        return pmon_fixed_enable(c->platform, box, on);
    event.enable = on;
    return pmon_program(c->platform, box, index, &event);
}

uint64_t ubox_ticks(const struct check *c)
{
    return c->platform->tsc_hz / UBOX_WINDOWS_A_SECOND;
}

void ubox_show(struct check *c, const struct pmon_box *box, uint32_t index, const struct pmon_reading *r)
{
    evidence_msr(c, box->cpu, ubox_ctr_msr(box, index), r->value, r->tsc);
}

/* One window over one counter: how far it went. */
enum status ubox_moved(struct check *c, const struct pmon_box *box, uint32_t index, uint64_t *delta)
{
    struct pmon_reading first, last;
    enum status st = pmon_window(c->platform, box, &index, 1, ubox_ticks(c), &first, &last);

    if (st != ST_OK)
        return st;
    ubox_show(c, box, index, &first);
    ubox_show(c, box, index, &last);
    *delta = pmon_delta(first.value, last.value, pmon_bits(box->unit, index));
    return ST_OK;
}

enum status ubox_rates(struct check *c, struct pmon_box *box, struct ubox_rate *r)
{
    uint32_t index = PMON_FIXED;
    enum status st = ubox_start(c, box, index, true);
    double sorted[UBOX_WINDOWS];

    *r = (struct ubox_rate){ .still = 0 };
    for (uint32_t i = 0; i < UBOX_WINDOWS && st == ST_OK; i++) {
        struct pmon_reading first, last;
        uint64_t delta;

        st = pmon_window(c->platform, box, &index, 1, ubox_ticks(c), &first, &last);
        if (st != ST_OK)
            break;
        ubox_show(c, box, index, &first);
        ubox_show(c, box, index, &last);
        delta = pmon_delta(first.value, last.value, pmon_bits(box->unit, index));
        r->still += delta == 0;
        r->back += delta > low_bits(pmon_bits(box->unit, index)) / 2;
        r->hz[i] =
            last.tsc > first.tsc ? (double)delta * (double)c->platform->tsc_hz / (double)(last.tsc - first.tsc) : 0;
    }
    if (st != ST_OK)
        return st;
    memcpy(sorted, r->hz, sizeof sorted);
    return stats_summary(sorted, UBOX_WINDOWS, &r->summary);
}

/* What a counter that is off reads after a value was written to it. */
enum status ubox_store(struct check *c, struct pmon_box *box, uint32_t index, uint64_t value, uint64_t *back)
{
    enum status st = pmon_counter_write(c->platform, box, index, value);

    evidence_wrmsr(c, box->cpu, ubox_ctr_msr(box, index), value, st, 0);
    if (st == ST_OK)
        st = pmon_counter_read(c->platform, box, index, back);
    if (st == ST_OK)
        evidence_msr(c, box->cpu, ubox_ctr_msr(box, index), *back, 0);
    return st;
}

/* --- the ratio ---------------------------------------------------------------------------------------------------- */

#define RATIO_HZ    1e8
#define RATIO_SHARE 100u /* of a usual window: 100 us, since the clock may move every 500 us */
#define RATIO_TRIES 32u

static enum status read_ratio(struct check *c, const struct pmon_box *box, struct uclk_by_ratio *u, uint64_t *ratio)
{
    uint64_t value;
    enum status st = msr_read(c->platform, box->cpu, MSR_UNCORE_PERF_STATUS, &value);

    if (st != ST_OK)
        return st == ST_FAULT ? ST_ABSENT : st;
    evidence_msr(c, box->cpu, MSR_UNCORE_PERF_STATUS, value, 0);
    *ratio = field_get(MSR_UNCORE_PERF_STATUS_RATIO, value);
    if (*ratio == 0)
        return ST_ABSENT;
    u->least = *ratio < u->least ? *ratio : u->least;
    u->most = *ratio > u->most ? *ratio : u->most;
    return ST_OK;
}

enum status uclk_by_ratio(struct check *c, struct pmon_box *box, struct uclk_by_ratio *u)
{
    uint32_t index = PMON_FIXED;
    enum status st = ubox_start(c, box, index, true);

    *u = (struct uclk_by_ratio){ .least = UINT64_MAX };
    for (uint32_t i = 0; i < RATIO_TRIES && u->n < UBOX_WINDOWS && st == ST_OK; i++) {
        struct pmon_reading first = { 0 }, last = { 0 };
        uint64_t before = 0, after = 0;

        st = read_ratio(c, box, u, &before);
        if (st == ST_OK)
            st = pmon_window(c->platform, box, &index, 1, ubox_ticks(c) / RATIO_SHARE, &first, &last);
        if (st == ST_OK)
            st = read_ratio(c, box, u, &after);
        if (st != ST_OK || before != after || last.tsc <= first.tsc)
            continue;
        u->over[u->n++] = (double)pmon_delta(first.value, last.value, pmon_bits(box->unit, index)) *
                          (double)c->platform->tsc_hz / (double)(last.tsc - first.tsc) / (RATIO_HZ * (double)after);
    }
    stats_sort(u->over, u->n);
    return st;
}
