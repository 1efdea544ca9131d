/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether an uncore box is there and free, and what to call it. */
#include "arch/x86/pmon/pmon.h"
#include "core/base/bits.h"
#include "core/base/text.h"

/* --- boxes -------------------------------------------------------------------------------------------------------- */

struct place pmon_place(const struct pmon_box *box)
{
    bool single = box->unit->location.find == PMON_FIND_ONE || box->unit->location.find == PMON_FIND_DF;
    struct place p = place_with_unit(place_package(box->package), box->unit->name);

    if (box->die)
        p = place_with(p, PLACE_DIE, box->die);
    return single ? p : place_with(p, PLACE_BOX, box->number);
}

_Static_assert(PMON_FIXED == PLACE_FIXED_COUNTER, "the fixed counter has one number");

struct place pmon_counter_place(const struct pmon_box *box, uint32_t index)
{
    return place_with(pmon_place(box), PLACE_COUNTER, index);
}

void pmon_box_name(const struct pmon_box *box, char out[48])
{
    struct place p = pmon_place(box);

    place_text(&p, out, 48);
}

void pmon_box_address(const struct pmon_box *box, char out[48])
{
    unsigned long long msr = box->base;

    msr += box->unit->layout->box ? box->unit->layout->box_ctl : box->unit->layout->ctl;
    if (box->unit->layout->access == PMON_MSR)
        text_format(out, 48, "MSR 0x%llx", msr);
    else if (box->unit->layout->access == PMON_MMIO)
        text_format(out, 48, "0x%llx", (unsigned long long)box->base);
    else if (box->at.segment)
        text_format(out, 48, "PCI %04x:%02x:%02x.%u", box->at.segment, box->at.bus, box->at.device, box->at.function);
    else
        text_format(out, 48, "PCI %02x:%02x.%u", box->at.bus, box->at.device, box->at.function);
}

static void in_use_reason(const struct pmon_box *box, char *out, size_t size)
{
    unsigned long long at = box->why_address, value = box->why_value;
    struct pmon_event event;

    pmon_decode(box->unit, value, &event);
    if (pmon_has_fixed(box->unit) && at == pmon_address(box, pmon_ctl(box->unit, PMON_FIXED)))
        text_format(out, size, "register 0x%llx is 0x%llx: its fixed counter is enabled by other software; not used",
                    at, value);
    else
        text_format(out, size,
                    "register 0x%llx is 0x%llx: event 0x%x umask 0x%x is counted by other software; not used", at,
                    value, event.ev_sel, event.umask);
}

bool pmon_box_unreachable(const struct pmon_box *box)
{
    return box->unit->layout->access == PMON_PCI && box->status == ST_ABSENT &&
           (box->why == PMON_ABSENT || box->why == PMON_HALF);
}

bool pmon_box_missing(const struct pmon_box *box)
{
    return box->why == PMON_HIDDEN || box->why == PMON_NOT_POPULATED || box->why == PMON_FUSED_OFF ||
           box->why == PMON_OTHER_SEGMENT || box->why == PMON_NO_FEATURE || box->why == PMON_UNEVEN;
}

void pmon_box_reason(const struct pmon_box *box, char *out, size_t size)
{
    unsigned long long at = box->why_address, value = box->why_value;

    if (pmon_box_unreachable(box)) {
        text_format(out, size, "ACPI's MCFG has no window to register 0x%llx, and ports end at offset 0xff", at);
        return;
    }
    switch (box->why) {
    case PMON_USABLE:
        text_format(out, size, "%s", box->status == ST_OK ? "" : status_text(box->status));
        return;
    case PMON_ABSENT:
        text_format(out, size, "absent: register 0x%llx: %s", at, status_text(box->status));
        return;
    case PMON_HALF:
        text_format(out, size, "register 0x%llx does not answer though others of the box do: %s", at,
                    status_text(box->status));
        return;
    case PMON_ALL_ONES:
        text_format(out, size, "register 0x%llx reads all ones", at);
        return;
    case PMON_NO_BASE:
        text_format(out, size, "its base address register reads 0x%llx: none was assigned", value);
        return;
    case PMON_HIDDEN:
        if (box->unit->location.find == PMON_FIND_PLACES)
            text_format(out, size, "no device id 0x%llx at %u.%u, whose device shows function %u: hidden", value,
                        box->at.device, box->at.function, (unsigned int)at);
        else
            text_format(out, size, "no device id 0x%llx: hidden or absent", value);
        return;
    case PMON_NOT_POPULATED:
        text_format(out, size, "no device id 0x%llx and no other function of device %u: not populated", value,
                    box->at.device);
        return;
    case PMON_FUSED_OFF:
        text_format(out, size, "its function has the id 0x%llx and class 0xffffff: fused off", value);
        return;
    case PMON_OTHER_SEGMENT:
        text_format(
            out, size,
            "no device id 0x%llx, nor another of its package's: it is on a segment that ACPI's MCFG does not list",
            value);
        return;
    case PMON_NO_FEATURE:
        text_format(out, size, "CPUID.80000001H:ECX[%llu] is 0: not enumerated", value);
        return;
    case PMON_UNEVEN:
        text_format(
            out, size,
            "CPUID.80000022H has %llu counters in EBX[23:16] and %llu channels in ECX: no whole number a channel",
            value & UINT32_MAX, value >> 32);
        return;
    case PMON_IN_USE:
        in_use_reason(box, out, size);
        return;
    case PMON_LOCKED:
        text_format(out, size, "register 0x%llx takes no writes", at);
        return;
    case PMON_REFUSED:
        text_format(out, size, "register 0x%llx can be read, and raises #GP when it is written: locked", at);
        return;
    case PMON_READ_ONLY:
        text_format(out, size, "its counters take no writes, and no document of this part says that they do");
        return;
    case PMON_OTHER_DIE:
        text_format(out, size,
                    "its MSRs are those of a box of another die, and no source says whose processors they are");
        return;
    case PMON_NO_CPU:
        text_format(out, size, "no processor of its package takes work");
        return;
    }
}

static void pmon_probe_refuse(struct pmon_box *box, enum status st, enum pmon_why why, struct pmon_reg reg,
                              uint64_t value)
{
    box->status = st;
    box->why = why;
    box->why_address = pmon_address(box, reg);
    box->why_value = value;
}

/* One register of a box under probe. false: the box is settled. */
static bool probe_register(struct platform *p, struct pmon_box *box, struct pmon_reg reg, bool first, uint64_t *value)
{
    enum status st;

    *value = 0;
    if (reg.bytes == 0)
        return true;
    st = pmon_read(p, box, reg, value);
    if (st != ST_OK)
        pmon_probe_refuse(box, st,
                          st == ST_LOST || st == ST_TIMEOUT ? PMON_NO_CPU
                          : first                           ? PMON_ABSENT
                                                            : PMON_HALF,
                          reg, 0);
    else if (box->unit->layout->access != PMON_MSR && *value == low_bits(reg.bytes * 8))
        pmon_probe_refuse(box, ST_ABSENT, PMON_ALL_ONES, reg, *value);
    return box->status == ST_OK;
}

/* Whether a control that was found makes its counter run. Where en is not needed, a selected event does while the box
 * is not frozen. */
static bool pmon_probe_runs(const struct pmon_unit *u, uint32_t index, uint64_t ctl, uint64_t box_ctl)
{
    if (index != PMON_FIXED && u->layout->control->en_unused)
        return (ctl & (u->layout->control->ev_sel | u->layout->control->umask)) != 0 &&
               !(u->layout->box && (box_ctl & u->layout->box->frz));
    if (u->layout->box && u->layout->box->run && !(box_ctl & u->layout->box->run))
        return false;
    return (ctl & pmon_en_bit(u, index)) != 0;
}

enum status pmon_probe(struct platform *p, struct pmon_box *box)
{
    const struct pmon_unit *u = box->unit;
    uint64_t box_ctl = 0, ctl, ctr;
    bool first = u->layout->box == NULL;

    box->status = ST_OK;
    box->why = PMON_USABLE;
    if (u->layout->n_free) { /* the first of them tells whether the controller answers */
        (void)probe_register(p, box, pmon_ctr(u, 0), true, &ctr);
        return box->status;
    }
    if (!probe_register(p, box, pmon_box_ctl(u), true, &box_ctl))
        return box->status;
    box->found = box_ctl;
    if (pmon_status(u).bytes && pmon_read(p, box, pmon_status(u), &box->status_found) != ST_OK)
        box->status_found = 0;
    for (uint32_t n = 0; n < pmon_n_counters(u); n++) {
        uint32_t index = pmon_nth(u, n);

        if (!probe_register(p, box, pmon_ctl(u, index), first, &ctl) ||
            !probe_register(p, box, pmon_ctr(u, index), false, &ctr))
            return box->status;
        first = false;
        box->controls_set += ctl != 0;
        box->counters_set += ctr != 0;
        if (pmon_probe_runs(u, index, ctl, box_ctl)) {
            pmon_probe_refuse(box, ST_UNSUPPORTED, PMON_IN_USE, pmon_ctl(u, index), ctl);
            return box->status;
        }
    }
    return box->status;
}
