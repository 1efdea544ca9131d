/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether every uncore box holds what is written to it, and is a box of its own. Witness: the values written. */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/measure/pmon_lab.h"

#define GUIDE_COUNTER "E5-2600 Uncore Guide 327043-001 chapter 2, counter and control registers"

/* --- A2: storage -------------------------------------------------------------------------------------------------- */

static bool any_unit(const struct pmon_unit *unit)
{
    return unit->kind != PMON_UBOX; /* ubox.width, with no box control to freeze it */
}

static uint64_t pattern(uint32_t n, uint32_t bits)
{
    static const uint64_t patterns[] = { 0, UINT64_C(0x5555555555555555), UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_MAX };

    return patterns[n % 4] & low_bits(bits);
}

static void try_counters(struct lab *lab, uint32_t n)
{
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n; k++)
            lab->boxes[i].preset[k] = pattern(n, lab->boxes[i].bits[k]);
    lab_program(lab);
    lab_fetch(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)
            if (b->got[k] != b->preset[k]) {
                lab_expect(lab, b, k, "bits lost or added by the counter", (double)(b->got[k] ^ b->preset[k]), "value",
                           0, 0, "it does not read as it was written");
                note(lab->check, "%s counter %u: 0x%llx was written and it reads 0x%llx", b->name, k,
                     (unsigned long long)b->preset[k], (unsigned long long)b->got[k]);
            } else {
                lab->held++;
            }
    }
}

/* Bits that events of the unit ask for beside the usual fields: sources do not agree how far such fields go. */
static uint64_t extra_bits(const struct pmon_unit *unit)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < unit->n_events; i++)
        bits |= unit->events[i].extra;
    return bits;
}

static uint64_t control_pattern(const struct lab_box *b, uint32_t k, uint32_t n)
{
    uint64_t bits =
        lab_index(b, k) == PMON_FIXED ? b->unit->fixed_en : pmon_control_bits(b->unit) | extra_bits(b->unit);

    return pattern(n, 64) & bits;
}

static void try_controls(struct lab *lab, uint32_t n)
{
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n; k++) {
            struct pmon_reg reg = pmon_ctl(b->unit, lab_index(b, k));

            b->ctl[k] = control_pattern(b, k, n) & low_bits(reg.bytes * 8);
            lab_write(lab, b, reg, b->ctl[k]);
        }
        for (uint32_t k = 0; k < b->n; k++)
            lab_read(lab, b, pmon_ctl(b->unit, lab_index(b, k)));
    }
    lab_do(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++) {
            uint64_t value = lab_value(lab, b, b->n + k) & control_pattern(b, k, 3);

            if (!lab_expect(lab, b, k, "bits lost or added by the control", (double)(value ^ b->ctl[k]), "value", 0, 0,
                            "it does not read as it was written"))
                note(lab->check, "%s control %u: 0x%llx was written and it reads 0x%llx", b->name, k,
                     (unsigned long long)b->ctl[k], (unsigned long long)value);
        }
    }
}

/* A box that keeps nothing at all is locked: it is said once, and the box is left alone from here on. */
static void lock_out(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->n; i++)
        for (uint32_t k = 0; k < lab->boxes[i].n; k++)
            lab->boxes[i].preset[k] = pattern(1, lab->boxes[i].bits[k]);
    lab_program(lab);
    lab_fetch(lab);
    for (uint32_t i = 0; i < lab->n; i++) {
        struct lab_box *b = &lab->boxes[i];
        uint32_t kept = 0;

        for (uint32_t k = 0; k < b->n; k++)
            kept += b->got[k] != 0;
        if (b->status != ST_OK || kept > 0)
            continue;
        b->box->status = ST_READ_ONLY;
        b->box->why = PMON_LOCKED;
        b->box->why_address = pmon_address(b->box, pmon_ctr(b->unit, 0));
        fail(lab->check, "%s: none of its counters takes a write: locked, or not there", b->name);
    }
}

static enum verdict check_width(struct check *c)
{
    struct lab lab;

    if (!lab_open(&lab, c, any_unit))
        return c->verdict;
    lab_clear(&lab);
    lab_program(&lab);
    lab_widths(&lab);
    lock_out(&lab);
    for (uint32_t n = 0; n < 4; n++) {
        lab_clear(&lab);
        try_counters(&lab, n);
    }
    lab_clear(&lab);
    lab_program(&lab);
    for (uint32_t n = 4; n-- > 0;) /* ends with 0 */
        try_controls(&lab, n);
    lab_clear(&lab);
    return lab_close(&lab);
}

/* --- A3, S1: every box is one of its own -------------------------------------------------------------------------- */

static uint64_t mark_of(uint32_t box, uint32_t counter)
{
    return UINT64_C(0x100000000) + ((uint64_t)box << 8) + counter + 1;
}

static void judge_marks(struct lab *lab, const char *what, const char *defect, uint32_t first, uint32_t step)
{
    lab_fetch(lab);
    for (uint32_t i = first; i < lab->n; i += step) {
        struct lab_box *b = &lab->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)
            lab_expect(lab, b, k, what, (double)b->got[k], "value", (double)b->preset[k], (double)b->preset[k], defect);
    }
}

static enum verdict check_own(struct check *c)
{
    struct lab lab;

    if (!lab_open(&lab, c, any_unit))
        return c->verdict;
    lab_clear(&lab);
    for (uint32_t i = 0; i < lab.n; i++)
        for (uint32_t k = 0; k < lab.boxes[i].n; k++)
            lab.boxes[i].preset[k] = mark_of(i, k) & low_bits(lab.boxes[i].bits[k]);
    lab_program(&lab);
    judge_marks(&lab, "its own mark", "it was written a value of its own and, after all others were, reads another", 0,
                1);
    for (uint32_t i = 0; i < lab.n; i += 2)
        if (lab.boxes[i].unit->box && lab.boxes[i].unit->box->rst_ctrs)
            lab_write(&lab, &lab.boxes[i], pmon_box_ctl(lab.boxes[i].unit),
                      pmon_freeze_value(lab.boxes[i].unit) | lab.boxes[i].unit->box->rst_ctrs);
    lab_do(&lab);
    judge_marks(&lab, "its own mark after its neighbours were reset", "a reset of other boxes changed it", 1, 2);
    lab_clear(&lab);
    return lab_close(&lab);
}

const struct check_row pmon_storage_checks[] = {
    LAB_ROW("pmon.width", "Counters and controls hold what is written to them, to their documented width",
            GUIDE_COUNTER, "A2", "stuck bits, a wrong width, a locked box", check_width),
    LAB_ROW("pmon.own-box", "Every box has registers of its own, which no other box's reset reaches", GUIDE_COUNTER,
            "A3 S1", "boxes that share an address, registers routed to another package", check_own),
};
