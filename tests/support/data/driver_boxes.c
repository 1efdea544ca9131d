/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/driver_boxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the source adds for a box; NONE: its list is shorter. */
static uint64_t offset_of(const struct uncore_row *r, const struct box_table *t, uint32_t box)
{
    const char *cell = tsv_cell(r->table, r->n, "box_stride");

    if (box == 0 && strchr(cell, ',') == NULL)
        return 0;
    return strncmp(cell, "2*", 2) == 0 ? 2 * box * t->counters : tsv_step(cell, box);
}

static void compare_registers(struct compared *c, const struct uncore_row *r, const struct box_table *t,
                              const char *first, const char *step,
                              uint64_t (*reg)(const struct uncore_row *r, uint32_t box, uint32_t counter))
{
    const char *at = tsv_cell(r->table, r->n, first), *apart = tsv_cell(r->table, r->n, step);
    bool list = strchr(apart, ',') != NULL;

    for (uint32_t box = 0; tsv_is_number(at) && box < t->boxes; box++) {
        uint64_t offset = t->addresses ? offset_of(r, t, box) : 0;

        for (uint32_t i = 0; offset != NONE && i < t->counters; i++) {
            char what[48];

            snprintf(what, sizeof what, "%.3s%u of %u", first, i, box);
            uncore_same(c, r, what, reg(r, box, i), (list ? 0 : strtoull(at, NULL, 0) + offset) + tsv_step(apart, i));
        }
    }
}

static void compare_box_controls(struct compared *c, const struct uncore_row *r, const struct box_table *t)
{
    const char *cell = tsv_cell(r->table, r->n, "box_ctl");

    if (t->box_ctl == NULL || (*cell && !tsv_is_number(cell)))
        return;
    for (uint32_t box = 0; box < t->boxes; box++) {
        uint64_t offset = offset_of(r, t, t->channels ? box % t->channels : box);
        char what[32];

        snprintf(what, sizeof what, "box_ctl of %u", box);
        if (offset != NONE)
            uncore_same(c, r, what, t->box_ctl(r, box), *cell ? strtoull(cell, NULL, 0) + offset : NONE);
    }
}

static void compare_fixed(struct compared *c, const struct uncore_row *r, const struct box_table *t)
{
    uncore_same(c, r, "fixed_ctl", t->fixed_ctl, uncore_cell(r, "fixed_ctl"));
    uncore_same(c, r, "fixed_ctr", t->fixed_ctr, uncore_cell(r, "fixed_ctr"));
    uncore_same_cell(c, r, "fixed_bits", t->fixed_bits);
    if (tsv_after(r->table, r->n, "notes", "writing 0x400000 (b22) to fixed_ctl"))
        uncore_same(c, r, "fixed_en", t->fixed_en, BIT(22));
    if (tsv_after(r->table, r->n, "notes", "0x1 written to fixed_ctl") ||
        tsv_after(r->table, r->n, "notes", "writing 0x1 (b0) to fixed"))
        uncore_same(c, r, "fixed_en", t->fixed_en, BIT(0));
}

static void compare_control(struct compared *c, const struct uncore_row *r, const struct box_table *t)
{
    uint64_t enable = uncore_bit_after(r, "notes", "event_enable=b"), extension = uncore_cell(r, "event_mask_ext");

    uncore_same_cell(c, r, "event_mask", t->event_mask & UINT32_MAX);
    if (uncore_cell(r, "event_mask") != NONE)
        uncore_same(c, r, "event_mask_ext", t->event_mask >> 32, extension == NONE ? 0 : extension);
    if (enable != NONE || tsv_after(r->table, r->n, "notes", "no event enable bit"))
        uncore_same(c, r, "event_enable", t->event_enable, enable);
}

static void compare_box_control(struct compared *c, const struct uncore_row *r, const struct box_table *t)
{
    uint64_t init = uncore_number_after(r, "notes", "box_init="), freeze = uncore_bit_after(r, "notes", "box_freeze=b");

    if (freeze == NONE)
        freeze = uncore_number_after(r, "notes", "box_freeze writes ");
    if (init != NONE)
        uncore_same(c, r, "box_init", t->box_init, init);
    if (freeze != NONE)
        uncore_same(c, r, "box_freeze", t->box_freeze, freeze);
}

static void compare_filters(struct compared *c, const struct uncore_row *r, const struct box_table *t)
{
    uint64_t first = uncore_number_after(r, "filters", "reg:FILTER0="),
             second = uncore_number_after(r, "filters", "reg:FILTER1="),
             tid = uncore_number_after(r, "filters", "mask:tid=");

    if (first == NONE)
        first = tsv_after(r->table, r->n, "filters", "reg:FILTER=box_ctl+")
                    ? uncore_cell(r, "box_ctl") + uncore_number_after(r, "filters", "reg:FILTER=box_ctl+")
                    : uncore_number_after(r, "filters", "reg:FILTER=");
    if (first != NONE || t->filter[0] != NONE)
        uncore_same(c, r, "filter", t->filter[0], first == NONE ? NONE : first + offset_of(r, t, 0));
    if (second != NONE || t->filter[1] != NONE)
        uncore_same(c, r, "filter 1", t->filter[1], second);
    if (tid != NONE || t->tid != NONE)
        uncore_same(c, r, "thread of the filter", t->tid, tid);
}

void driver_boxes_compare(struct compared *c, const struct uncore_row *r, const struct box_table *t)
{
    uncore_same_cell(c, r, "counters", t->counters);
    uncore_same_cell(c, r, "counter_bits", t->counter_bits);
    uncore_same_cell(c, r, "ctl_bytes", t->ctl_bytes);
    compare_registers(c, r, t, "ctl0", "ctl_stride", t->ctl);
    compare_registers(c, r, t, "ctr0", "ctr_stride", t->ctr);
    compare_box_controls(c, r, t);
    compare_fixed(c, r, t);
    compare_control(c, r, t);
    compare_box_control(c, r, t);
    compare_filters(c, r, t);
}
