/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What an MSR is to the uncore monitors of a part: the same numbers are something else on other parts. */
#include "arch/x86/pmon/pmon.h"
#include "core/base/text.h"

enum register_kind { CONTROL, COUNTER, FILTER, FIXED_CONTROL, FIXED_COUNTER, BOX_CONTROL, STATUS, NO_REGISTER };

/* A UBox's are spelled as in 327043-001 table 2-1 and, its status, 331051 (Xeon E5 v3). */
static const struct {
    const char *word, *of_ubox;
} kinds[] = {
    [CONTROL] = { "control", "U_MSR_PMON_CTL" },
    [COUNTER] = { "counter", "U_MSR_PMON_CTR" },
    [FILTER] = { "filter", "U_MSR_PMON_BOX_FILTER" },
    [FIXED_CONTROL] = { "fixed control", "U_MSR_PMON_UCLK_FIXED_CTL" },
    [FIXED_COUNTER] = { "fixed counter", "U_MSR_PMON_UCLK_FIXED_CTR" },
    [BOX_CONTROL] = { "box control", "U_MSR_PMON_BOX_CTL" },
    [STATUS] = { "status", "U_MSR_PMON_BOX_STATUS" },
};

/* index: PMON_FIXED where there is one of the kind alone. */
static enum register_kind register_kind_of(const struct pmon_unit *u, uint64_t offset, uint32_t *index)
{
    const struct pmon_layout *l = u->layout;

    for (*index = 0; *index < l->n_free; (*index)++)
        if (offset == pmon_ctr(u, *index).offset)
            return COUNTER;
    for (*index = 0; *index < l->counters; (*index)++)
        if (offset == pmon_ctl(u, *index).offset || offset == pmon_ctr(u, *index).offset)
            return offset == pmon_ctl(u, *index).offset ? CONTROL : COUNTER;
    for (*index = 0; *index < 2; (*index)++)
        if (pmon_filter(u, *index).bytes && offset == pmon_filter(u, *index).offset)
            return FILTER;
    *index = PMON_FIXED;
    if (pmon_has_fixed(u) && (offset == l->fixed.ctl || offset == l->fixed.ctr))
        return offset == l->fixed.ctl ? FIXED_CONTROL : FIXED_COUNTER;
    if (l->box && offset == l->box_ctl)
        return BOX_CONTROL;
    return l->has_status && (offset == l->status || (l->status_clear && offset == l->status_clear)) ? STATUS
                                                                                                    : NO_REGISTER;
}

/* Boxes with a base each. Where all have one (the L3s of a package), the number does not say which box is meant. */
static uint32_t boxes_named(const struct pmon_location *at)
{
    return at->most && (at->bases || at->stride) ? at->most : 1;
}

static void spell_register(const struct pmon_unit *u, uint32_t box, enum register_kind kind, uint32_t index, char *out,
                           size_t size)
{
    char which[16] = "", at[16] = "";

    if (index != PMON_FIXED)
        text_format(at, sizeof at, u->kind == PMON_UBOX ? "%u" : " %u", index);
    if (boxes_named(&u->location) > 1)
        text_format(which, sizeof which, " %u", box);
    if (u->kind == PMON_UBOX)
        text_format(out, size, "%s%s", kinds[kind].of_ubox, at);
    else
        text_format(out, size, "%s%s %s%s", u->name, which, kinds[kind].word, at);
}

bool pmon_msr_name(const struct pmon_part *part, uint32_t msr, char *out, size_t size)
{
    for (uint32_t i = 0; part && i < part->n_units; i++) {
        const struct pmon_unit *u = part->units[i];
        const struct pmon_location *at = &u->location;

        for (uint32_t n = 0; u->layout->access == PMON_MSR && n < boxes_named(at); n++) {
            uint64_t base = at->bases ? at->bases[n] : at->first + (uint64_t)n * at->stride;
            uint32_t index;
            enum register_kind kind = msr >= base ? register_kind_of(u, msr - base, &index) : NO_REGISTER;

            if (kind == NO_REGISTER)
                continue;
            spell_register(u, n, kind, index, out, size);
            return true;
        }
    }
    return false;
}
