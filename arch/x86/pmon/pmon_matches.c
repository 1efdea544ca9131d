/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Match registers, which events of a box compare with, and the fields of an event by name. */
#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/pmon/pmon.h"
#include "core/base/bits.h"
#include "core/base/text.h"

#define MOST_DWORDS 4u
#define MM_CFG_EN   BIT(63) /* Linux NHMEX_S_PMON_MM_CFG_EN, NHMEX_M_PMON_MM_CFG_EN */

/* Where a box has them in configuration space: n dwords, of which the k-th is dword k % 2 of value k / 2. */
struct match_place {
    struct pci_address at;
    uint32_t n, offset[MOST_DWORDS];
};

static struct match_place match_place_of(const struct pmon_box *box)
{
    const struct pmon_layout *l = box->unit->layout;
    struct match_place place = { .at = box->at };

    if (l->packets.match) {
        place.at.function = l->packets.function;
        place.n = 4;
        for (uint32_t k = 0; k < place.n; k++)
            place.offset[k] = (k < 2 ? l->packets.match : l->packets.mask) + 4 * (k % 2);
    } else if (l->home_match) {
        place.n = 3;
        for (uint32_t k = 0; k < place.n; k++)
            place.offset[k] = l->home_match + 4 * k;
    }
    return place;
}

static bool has_matches(const struct pmon_unit *unit)
{
    const struct pmon_layout *l = unit->layout;

    return l->packets.match || l->home_match || l->has_match || l->mm.match;
}

/* What lies between a box' MSRs of MATCH, MASK and MM_CFG and those of the unit's first. */
static uint32_t mm_offset(const struct pmon_box *box)
{
    const struct pmon_unit *u = box->unit;

    return (uint32_t)((box->base - u->location.first) / u->location.stride) * u->layout->mm.step;
}

/* Linux nhmex_sbox_msr_enable_event(): not enabled while they change. All zero is as after reset, and enables nothing. */
static enum status mm_write(struct platform *p, const struct pmon_box *box, const uint64_t values[PMON_MATCHES])
{
    const struct pmon_layout *l = box->unit->layout;
    uint32_t apart = mm_offset(box);

    TRY(l->mm.cfg ? msr_write(p, box->cpu, l->mm.cfg + apart, 0) : ST_OK);
    for (uint32_t v = 0; v < PMON_MATCHES; v++)
        TRY(msr_write(p, box->cpu, l->mm.match + apart + v, values[v]));
    if (l->mm.cfg && (values[0] || values[1]))
        TRY(msr_write(p, box->cpu, l->mm.cfg + apart, MM_CFG_EN));
    return ST_OK;
}

bool pmon_match_there(struct platform *p, const struct pmon_box *box)
{
    struct match_place place = match_place_of(box);
    uint32_t id = 0;

    if (!box->unit->layout->packets.match)
        return has_matches(box->unit);
    return pci_read(p, place.at, 0, 4, &id) == ST_OK && (id & 0xFFFF) == PCI_VENDOR_ID_INTEL;
}

enum status pmon_match_read(struct platform *p, const struct pmon_box *box, uint64_t values[PMON_MATCHES])
{
    struct match_place place = match_place_of(box);
    uint64_t made[PMON_MATCHES] = { 0 };
    enum status st = has_matches(box->unit) ? ST_OK : ST_ABSENT;

    if (box->unit->layout->has_match)
        st = msr_read(p, box->cpu, MSR_UNCORE_ADDR_OPCODE_MATCH, &made[0]);
    for (uint32_t v = 0; v < PMON_MATCHES && box->unit->layout->mm.match && st == ST_OK; v++)
        st = msr_read(p, box->cpu, box->unit->layout->mm.match + mm_offset(box) + v, &made[v]);
    for (uint32_t k = 0; k < place.n && st == ST_OK; k++) {
        uint32_t dword = 0;

        st = pci_read(p, place.at, place.offset[k], 4, &dword);
        made[k / 2] |= (uint64_t)dword << 32 * (k % 2);
    }
    for (uint32_t v = 0; v < PMON_MATCHES && st == ST_OK; v++)
        values[v] = made[v];
    return st;
}

enum status pmon_match_write(struct platform *p, const struct pmon_box *box, const uint64_t values[PMON_MATCHES])
{
    struct match_place place = match_place_of(box);
    enum status st = has_matches(box->unit) ? ST_OK : ST_ABSENT;

    if (box->unit->layout->has_match)
        st = msr_write(p, box->cpu, MSR_UNCORE_ADDR_OPCODE_MATCH, values[0]);
    if (box->unit->layout->mm.match && st == ST_OK)
        st = mm_write(p, box, values);
    for (uint32_t k = 0; k < place.n && st == ST_OK; k++)
        st = pci_write(p, place.at, place.offset[k], 4, (uint32_t)(values[k / 2] >> 32 * (k % 2)));
    return st;
}

bool pmon_field_named(const struct pmon_unit *unit, const char *name, struct pmon_field *field)
{
    const struct pmon_layout *l = unit->layout;

    for (uint32_t i = 0; i < l->n_fields; i++)
        if (text_equal(l->fields[i].name, name)) {
            *field = l->fields[i];
            return true;
        }
    if (l->tid == 0 || !text_equal(name, "filter_tid"))
        return false;
    *field = (struct pmon_field){ .name = "filter_tid", .in = PMON_IN_FILTER, .bits = l->tid };
    return true;
}
