/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What an MSR is to the uncore monitors of a part: the same numbers are something else on other parts. */
#include "arch/x86/pmon/pmon.h"
#include "core/base/text.h"

static const char *pmon_names_register_kind(const struct pmon_unit *u, uint64_t offset, uint32_t *index)
{
    *index = PMON_FIXED;
    for (uint32_t n = 0; n < u->layout->counters; n++)
        if (offset == pmon_ctl(u, n).offset || offset == pmon_ctr(u, n).offset) {
            *index = n;
            return offset == pmon_ctl(u, n).offset ? "control" : "counter";
        }
    for (uint32_t n = 0; n < 2; n++)
        if (pmon_filter(u, n).bytes && offset == pmon_filter(u, n).offset) {
            *index = n;
            return "filter";
        }
    if (pmon_has_fixed(u) && (offset == u->layout->fixed.ctl || offset == u->layout->fixed.ctr))
        return offset == u->layout->fixed.ctl ? "fixed control" : "fixed counter";
    if (u->layout->box && offset == u->layout->box_ctl)
        return "box control";
    return u->layout->has_status &&
                   (offset == u->layout->status || (u->layout->status_clear && offset == u->layout->status_clear))
               ? "status"
               : NULL;
}

/* Boxes whose registers stand beside each other; where all are at one place, which of them is meant is not told. */
static uint32_t pmon_names_boxes_of(const struct pmon_unit *u)
{
    return u->location.most && (u->location.bases || u->location.stride) ? u->location.most : 1;
}

bool pmon_msr_name(const struct pmon_part *part, uint32_t msr, char *out, size_t size)
{
    for (uint32_t i = 0; part && i < part->n_units; i++) {
        const struct pmon_unit *u = part->units[i];

        for (uint32_t n = 0; u->layout->access == PMON_MSR && u->kind != PMON_UBOX && n < pmon_names_boxes_of(u); n++) {
            uint64_t base =
                u->location.bases ? u->location.bases[n] : u->location.first + (uint64_t)n * u->location.stride;
            uint32_t index;
            const char *kind = msr >= base ? pmon_names_register_kind(u, msr - base, &index) : NULL;
            char which[16] = "", at[16] = "";

            if (kind == NULL)
                continue;
            if (pmon_names_boxes_of(u) > 1)
                text_format(which, sizeof which, " %u", n);
            if (index != PMON_FIXED)
                text_format(at, sizeof at, " %u", index);
            text_format(out, size, "%s%s %s%s", u->name, which, kind, at);
            return true;
        }
    }
    return false;
}
