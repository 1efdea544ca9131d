/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/twin_functions.c: of a twin, which PCI functions of the model the recorded machine shows.
 *
 * Bus numbers are the model's. Of functions with one device id, device and function number, which a machine has once a package
 * or die, the first ones by bus are there, as many as were recorded; the others are hidden. Nothing is hidden of a segment that was
 * not recorded whole, nor where none of the model's functions was seen.
 */
#include <stdlib.h>

#include "tests/silicon/model/model_state.h"
#include "tests/silicon/model/twin.h"

#define FUNCTIONS 65536u /* of a segment */
#define ALL_ONES  UINT32_MAX

static uint32_t id_of(struct model *m, uint32_t function)
{
    return model_pci_bus(m, function >> 8) ? model_pci_read(m, function, 0, 4, 0) : ALL_ONES;
}

static uint32_t times_recorded(const struct recording *r, uint32_t id, uint32_t function)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n_functions; i++) {
        const struct recorded_function *f = &r->functions[i];

        n += f->did_known && ((uint32_t)f->did << 16 | f->vendor) == id &&
             (uint32_t)f->device << 3 == (function & 0xF8) && f->function == (function & 7);
    }
    return n;
}

bool twin_hide(struct model *m)
{
    const struct recording *r = m->twin ? m->twin->recording : NULL;
    uint32_t *seen, shown = 0;
    bool *hidden;

    if (!r || !recording_bus_is_complete(r, 0, 0) || uncore_segments(m) > 1)
        return true;
    seen = calloc(FUNCTIONS, sizeof *seen); /* so often on lower buses, by device and function, of this id */
    hidden = calloc(FUNCTIONS, sizeof hidden[0]);
    if (!seen || !hidden) {
        free(seen);
        free(hidden);
        return false;
    }
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        uint32_t id = id_of(m, f), before = 0;

        if (id == ALL_ONES)
            continue;
        for (uint32_t bus = 0; bus < f >> 8; bus++)
            before += seen[bus << 8 | (f & 0xFF)] == id;
        seen[f] = id;
        hidden[f] = before >= times_recorded(r, id, f);
        shown += !hidden[f];
    }
    free(seen);
    if (shown)
        m->twin->hidden = hidden;
    else
        free(hidden);
    return true;
}

bool twin_hides(const struct model *m, uint32_t function)
{
    return m->twin && m->twin->hidden && function < FUNCTIONS && m->twin->hidden[function];
}
