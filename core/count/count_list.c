/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/count/count_list.c: -list boxes. */
#include <string.h>

#include "core/base/text.h"
#include "core/count/count.h"
#include "core/count/count_events.h"

#define LINE          160u
#define EVENT_COLUMNS 78u

static void say_box(const struct pmon_box *box, const struct count_output *out)
{
    bool nowhere = pmon_box_missing(box) || box->why == PMON_NO_BASE;
    char line[LINE], name[48], place[48], why[LINE], state[LINE];

    pmon_box_name(box, name);
    pmon_box_address(box, place);
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
    if (ANY_OF(k, i,
               pmon->boxes[k].status == ST_OK && text_equal(pmon->boxes[k].unit->name, pmon->boxes[i].unit->name)))
        return false;
    return pmon->boxes[i].status == ST_OK;
}

/* "iMC: cas_rd cas_wr ...", as many a line as fit. */
static void say_events(const struct pmon_unit *unit, const struct count_output *out)
{
    char line[LINE];
    size_t n = text_format(line, sizeof line, "%-10s%s", unit->name,
                           unit->events.clock == PMON_CLOCK_NONE ? "" : " " COUNT_CLOCK);

    for (uint32_t i = 0; i < count_n_names(unit); i++) {
        const char *name = count_nth_name(unit, i);

        if (n + 1 + strlen(name) > EVENT_COLUMNS) {
            out->say(out->context, line);
            n = text_format(line, sizeof line, "%-10s", "");
        }
        n += text_format(line + n, sizeof line - n, " %s", name);
    }
    out->say(out->context, line);
}

void count_list_boxes(const struct pmon *pmon, const struct count_output *out)
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
    out->say(out->context, "Named events for -count unit/event; others: unit/code:umask[:extension][:field[=value]]");
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        if (first_of_unit(pmon, i) &&
            (count_n_names(pmon->boxes[i].unit) || pmon->boxes[i].unit->events.clock != PMON_CLOCK_NONE))
            say_events(pmon->boxes[i].unit, out);
}
