/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/pmon_lab.h"

#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define WINDOWS_A_SECOND 100u
#define OPS_A_BOX        (3 * LAB_COUNTERS + 8)

/* --- opening and closing ------------------------------------------------------------------------------------------ */

bool lab_every_clock(const struct pmon_unit *unit, struct pmon_event *event)
{
    if (unit->clock != PMON_CLOCK_NONE) {
        *event = (struct pmon_event){ .ev_sel = unit->clock_event, .umask = unit->clock_umask, .enable = true };
        return true;
    }
    if (unit->idle_ev_sel == 0 || unit->control->invert == 0)
        return false;
    *event = (struct pmon_event){
        .ev_sel = unit->idle_ev_sel, .umask = unit->idle_umask, .thresh = 1, .invert = true, .enable = true
    };
    return true;
}

uint64_t lab_clock_ctl(const struct pmon_unit *unit)
{
    struct pmon_event event;
    uint64_t ctl = 0;

    if (!lab_every_clock(unit, &event) || pmon_encode(unit, &event, &ctl) != ST_OK)
        return 0;
    return ctl;
}

bool lab_clocked(const struct pmon_unit *unit)
{
    struct pmon_event event;

    return unit->box != NULL && lab_every_clock(unit, &event);
}

void lab_thaw(struct check *c)
{
    const struct pmon_part *part = c->tools->pmon.part;

    for (uint32_t i = 0; part && part->global.msr && !part->global.unsure && i < c->machine->n_packages; i++) {
        uint32_t cpu = package_worker(c->platform, c->machine, i);
        enum status st = cpu == UINT32_MAX ? ST_LOST : msr_write(c->platform, cpu, part->global.msr, part->global.run);

        (void)st; /* boxes that stay frozen show it */
    }
}

static bool worth_a_note(const struct pmon_box *box)
{
    return box->why != PMON_ABSENT && box->why != PMON_HIDDEN;
}

static void note_left(struct check *c, const struct pmon_box *box)
{
    char name[48], why[WHY_SIZE];

    if (!worth_a_note(box))
        return;
    pmon_box_name(box, name);
    pmon_box_reason(box, why, sizeof why);
    note(c, "%s: %s", name, why);
}

static bool open_lab(struct lab *lab, struct check *c, lab_wanted wanted, bool with_free)
{
    struct pmon *pmon = &c->tools->pmon;

    *lab = (struct lab){ .check = c };
    lab->boxes = pmon->n_boxes ? heap_alloc(sizeof *lab->boxes * pmon->n_boxes) : NULL;
    for (uint32_t i = 0; i < pmon->n_boxes && lab->boxes; i++) {
        struct pmon_box *box = &pmon->boxes[i];
        struct lab_box *b = &lab->boxes[lab->n];

        if ((box->unit->n_free && !with_free) || !wanted(box->unit))
            continue;
        if (box->status != ST_OK || (box->unit->access == PMON_MSR && !box_alive(c->platform, c->machine, box))) {
            note_left(c, box);
            continue;
        }
        *b = (struct lab_box){ .box = box, .unit = box->unit, .n = pmon_n_counters(box->unit) };
        pmon_box_name(box, b->name);
        for (uint32_t k = 0; k < b->n; k++)
            b->bits[k] = pmon_bits(box->unit, pmon_nth(box->unit, k));
        lab->n++;
    }
    if (lab->n > 0)
        lab_thaw(c);
    lab->capacity = lab->n * OPS_A_BOX;
    lab->ops = lab->n ? heap_alloc(sizeof *lab->ops * lab->capacity) : NULL;
    lab->owner = lab->n ? heap_alloc(sizeof(void *) * lab->capacity) : NULL;
    if (lab->ops && lab->owner)
        return true;
    if (lab->n > 0 || (pmon->n_boxes > 0 && !lab->boxes))
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "the uncore boxes");
    else
        skip(c, "no uncore box for this rule is there and free");
    heap_free(lab->ops);
    heap_free(lab->owner);
    heap_free(lab->boxes);
    return false;
}

bool lab_open(struct lab *lab, struct check *c, lab_wanted wanted)
{
    return open_lab(lab, c, wanted, false);
}

bool lab_open_free(struct lab *lab, struct check *c, lab_wanted wanted)
{
    return open_lab(lab, c, wanted, true);
}

enum verdict lab_close(struct lab *lab)
{
    struct check *c = lab->check;
    uint32_t judged = 0;

    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];
        enum status st = pmon_quiet(c->platform, b->box);

        for (uint32_t k = 0; k < 2 && st == ST_OK; k++) /* the next check's events are not to be filtered by it */
            if (b->filtered[k] && pmon_filter(b->unit, k).bytes)
                st = pmon_write(c->platform, b->box, pmon_filter(b->unit, k), 0);
        if (st == ST_OK && b->unit->box)
            st = pmon_write(c->platform, b->box, pmon_box_ctl(b->unit), pmon_run_value(b->unit));
        if (b->status == ST_OK)
            b->status = st;
        judged += b->status == ST_OK;
        if (b->status != ST_OK) {
            note(c, "%s: register 0x%llx: %s", b->name, (unsigned long long)pmon_address(b->box, b->bad),
                 status_text(b->status));
            cannot_measure(c, b->status, b->box->cpu, b->name);
        }
    }
    measure(c, "boxes judged", "", judged, "boxes", -NO_BOUND, NO_BOUND);
    if (lab->held)
        evidence_swept(c, "uncore registers held against the rule", lab->held);
    heap_free(lab->ops);
    heap_free(lab->owner);
    heap_free(lab->boxes);
    return c->verdict;
}

/* --- accesses ----------------------------------------------------------------------------------------------------- */

static void add(struct lab *lab, struct lab_box *b, struct pmon_reg reg, bool write, uint64_t value)
{
    if (b->status != ST_OK || reg.bytes == 0 || lab->n_ops == lab->capacity)
        return;
    lab->owner[lab->n_ops] = b;
    lab->ops[lab->n_ops++] = (struct pmon_op){ .box = b->box, .reg = reg, .write = write, .value = value };
}

void lab_write(struct lab *lab, struct lab_box *b, struct pmon_reg reg, uint64_t value)
{
    add(lab, b, reg, true, value);
}

void lab_read(struct lab *lab, struct lab_box *b, struct pmon_reg reg)
{
    add(lab, b, reg, false, 0);
}

/* Runs what was added. The ops stay to be looked at until the next one is added by begin(). */
void lab_do(struct lab *lab)
{
    enum status st = lab->n_ops ? pmon_run(lab->check->platform, lab->ops, lab->n_ops) : ST_OK;

    for (uint32_t i = 0; i < lab->n_ops && st != ST_OK; i++) {
        struct lab_box *b = lab->owner[i];

        if (lab->ops[i].status == ST_OK || b->status != ST_OK)
            continue;
        b->status = lab->ops[i].status;
        b->bad = lab->ops[i].reg;
    }
    lab->done = lab->n_ops;
    lab->n_ops = 0;
}

uint64_t lab_value(const struct lab *lab, const struct lab_box *b, uint32_t i)
{
    for (uint32_t k = 0; k < lab->done; k++)
        if (lab->owner[k] == b && i-- == 0)
            return lab->ops[k].value;
    return 0;
}

/* --- programming -------------------------------------------------------------------------------------------------- */

uint32_t lab_index(const struct lab_box *b, uint32_t i)
{
    return pmon_nth(b->unit, i);
}

void lab_clear(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < LAB_COUNTERS; k++)
            b->ctl[k] = b->preset[k] = 0;
        b->filter[0] = b->filter[1] = 0;
    }
}

static uint32_t second_width(const struct lab_box *b, uint32_t i)
{
    return lab_index(b, i) == PMON_FIXED ? b->unit->fixed_bits_2 : b->unit->counter_bits_2;
}

void lab_widths(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n; k++)
            if (second_width(&lab->boxes[i], k))
                lab_write(lab, &lab->boxes[i], pmon_ctr(lab->boxes[i].unit, lab_index(&lab->boxes[i], k)),
                          low_bits(lab->boxes[i].bits[k]));
    lab_do(lab);
    lab_fetch(lab);
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n; k++) {
            struct lab_box *b = &lab->boxes[i];
            uint32_t second = second_width(b, k);

            if (second && b->got[k] == low_bits(second))
                b->bits[k] = second;
        }
}

uint32_t lab_programmable(const struct lab_box *b)
{
    return b->unit->counters;
}

void lab_all(struct lab *lab, uint64_t (*ctl)(const struct pmon_unit *unit), bool fixed)
{
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n; k++)
            b->ctl[k] = lab_index(b, k) == PMON_FIXED ? (fixed ? b->unit->fixed_en : 0) : ctl(b->unit);
    }
}

/* A box without a box control stands while none of its controls has en. */
static uint64_t standing(const struct lab_box *b, uint32_t i)
{
    return b->unit->box ? b->ctl[i] : b->ctl[i] & ~pmon_en_bit(b->unit, lab_index(b, i));
}

static void add_stop(struct lab *lab, struct lab_box *b)
{
    uint64_t value = pmon_freeze_value(b->unit);

    if (b->unit->box == NULL) {
        for (uint32_t i = 0; i < b->n; i++)
            lab_write(lab, b, pmon_ctl(b->unit, lab_index(b, i)), standing(b, i));
        return;
    }
    if (b->unit->slow_init) /* bits set in one go may raise a spurious #GP */
        lab_write(lab, b, pmon_box_ctl(b->unit), value & b->unit->box->frz_en);
    lab_write(lab, b, pmon_box_ctl(b->unit), value);
}

static void add_run(struct lab *lab, struct lab_box *b)
{
    if (b->unit->box)
        lab_write(lab, b, pmon_box_ctl(b->unit), pmon_run_value(b->unit));
    for (uint32_t i = 0; i < b->n && !b->unit->box; i++)
        lab_write(lab, b, pmon_ctl(b->unit, lab_index(b, i)), b->ctl[i]);
}

void lab_program(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        add_stop(lab, b);
        for (uint32_t k = 0; k < 2; k++)
            if (b->filter[k] || b->filtered[k]) {
                lab_write(lab, b, pmon_filter(b->unit, k), b->filter[k]);
                b->filtered[k] = true;
            }
        for (uint32_t k = 0; k < b->n; k++) {
            lab_write(lab, b, pmon_ctl(b->unit, lab_index(b, k)), standing(b, k));
            if (b->unit->n_free == 0)
                lab_write(lab, b, pmon_ctr(b->unit, lab_index(b, k)), b->preset[k]);
        }
    }
    lab_do(lab);
}

/* The times of each box's first and last access of the run that was just done. */
static void times(struct lab *lab, bool run)
{
    struct lab_box *last = NULL;

    for (uint32_t i = 0; i < lab->done; i++) {
        struct lab_box *b = lab->owner[i];

        if (b == NULL)
            continue;
        if (b != last)
            *(run ? &b->run_before : &b->stop_before) = lab->ops[i].before;
        *(run ? &b->run_after : &b->stop_after) = lab->ops[i].tsc;
        last = b;
    }
}

/* Every counter of the free-running units, or of the others, into values(). */
static void fetch(struct lab *lab, bool free, uint64_t *(*values)(struct lab_box *b))
{
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n && (lab->boxes[i].unit->n_free != 0) == free; k++)
            lab_read(lab, &lab->boxes[i], pmon_ctr(lab->boxes[i].unit, lab_index(&lab->boxes[i], k)));
    lab_do(lab);
    for (uint32_t i = 0; i < lab->done;) {
        struct lab_box *b = lab->owner[i];

        for (uint32_t k = 0; k < b->n && i < lab->done && lab->owner[i] == b; k++, i++)
            values(b)[k] = lab->ops[i].value;
    }
}

static uint64_t *got_of(struct lab_box *b)
{
    return b->got;
}

static uint64_t *preset_of(struct lab_box *b)
{
    return b->preset;
}

void lab_run(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++)
        add_run(lab, &lab->boxes[i]);
    lab_do(lab);
    times(lab, true);
    fetch(lab, true, preset_of);
    times(lab, true);
}

void lab_stop(struct lab *lab)
{
    fetch(lab, true, got_of);
    times(lab, false);
    for (uint32_t i = 0; i < lab->n; i++)
        add_stop(lab, &lab->boxes[i]);
    lab_do(lab);
    times(lab, false);
}

void lab_wait(struct lab *lab, uint64_t ticks)
{
    struct platform *p = lab->check->platform;

    p->ops->stall(p->machine, (uint64_t)((double)ticks * 1e9 / (double)p->tsc_hz));
}

void lab_fetch(struct lab *lab)
{
    fetch(lab, false, got_of);
}

uint64_t lab_ticks(const struct lab *lab)
{
    return lab->check->platform->tsc_hz / WINDOWS_A_SECOND;
}

void lab_window(struct lab *lab, uint64_t ticks)
{
    lab_run(lab);
    lab_wait(lab, ticks);
    lab_stop(lab);
    lab_fetch(lab);
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

uint64_t lab_counts(const struct lab_box *b, uint32_t i)
{
    return pmon_delta(b->preset[i], b->got[i], b->bits[i]);
}

void lab_rate(const struct lab *lab, const struct lab_box *b, uint32_t i, double *lo, double *hi)
{
    double hz = (double)lab->check->platform->tsc_hz, counts = (double)lab_counts(b, i);
    double longest = (double)(b->stop_after - b->run_before);
    double shortest = b->stop_before > b->run_after ? (double)(b->stop_before - b->run_after) : 0;

    *lo = longest > 0 ? (counts - 1) * hz / longest : 0;
    *hi = shortest > 0 ? (counts + 1) * hz / shortest : NO_BOUND;
}

void lab_show(struct lab *lab, const struct lab_box *b, struct pmon_reg reg, uint64_t value)
{
    uint64_t at = pmon_address(b->box, reg);

    if (b->unit->access == PMON_MSR)
        evidence_msr(lab->check, b->box->cpu, (uint32_t)at, value, 0);
    else
        evidence_register(lab->check, b->unit->access == PMON_PCI ? "pci" : "mmio", b->name, at, value);
}

void lab_find(struct check *c, const struct pmon_unit *unit, const char *where, const char *defect)
{
    if (unit->one_source)
        warn(c, "%s: %s (one public source has it)", where, defect);
    else
        fail(c, "%s: %s", where, defect);
}

bool lab_expect(struct lab *lab, const struct lab_box *b, uint32_t i, const char *what, double value, const char *unit,
                double lo, double hi, const char *defect)
{
    char name[80];
    uint32_t index = lab_index(b, i);

    if (value >= lo && value <= hi) {
        lab->held++;
        return true;
    }
    if (index == PMON_FIXED)
        text_format(name, sizeof name, "%s fixed counter", b->name);
    else
        text_format(name, sizeof name, "%s counter %u", b->name, index);
    lab_show(lab, b, pmon_ctl(b->unit, index), b->ctl[i]);
    lab_show(lab, b, pmon_ctr(b->unit, index), b->got[i]);
    measure(lab->check, what, name, value, unit, lo, hi);
    if (lab->check->tools->pmon.part->invert_unsure && b->ctl[i] & b->unit->control->invert)
        warn(lab->check, "%s: %s: %s, where sources disagree on whether there is invert", name, what, defect);
    else
        fail(lab->check, "%s: %s: %s", name, what, defect);
    return false;
}
