/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_twin.c: PCI functions of a twin: those of the model that the recorded machine shows.
 *
 * Bus numbers are the model's. Of functions with one device id, device and function number, which a machine has once a package
 * or die, the first ones by bus are there, as many as were recorded; the others are hidden. Nothing is hidden of a segment that was
 * not recorded whole, nor where none of the model's functions was seen.
 */
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/model/twin.h"

#include <stdlib.h>

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

bool host_twin_build(struct machine *k)
{
    const struct recording *r = k->model->twin ? k->model->twin->recording : NULL;
    uint32_t *seen, shown = 0;

    if (!r || !recording_bus_is_complete(r, 0, 0) || uncore_segments(k->model) > 1)
        return true;
    seen = calloc(FUNCTIONS, sizeof *seen); /* so often on lower buses, by device and function, of this id */
    k->hidden = calloc(FUNCTIONS, sizeof k->hidden[0]);
    if (!seen || !k->hidden) {
        free(seen);
        return false;
    }
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        uint32_t id = id_of(k->model, f), before = 0;

        if (id == ALL_ONES)
            continue;
        for (uint32_t bus = 0; bus < f >> 8; bus++)
            before += seen[bus << 8 | (f & 0xFF)] == id;
        seen[f] = id;
        k->hidden[f] = before >= times_recorded(r, id, f);
        shown += !k->hidden[f];
    }
    free(seen);
    if (shown == 0) {
        free(k->hidden);
        k->hidden = NULL;
    }
    return true;
}

bool host_twin_hides(const struct machine *k, uint32_t function)
{
    return k->hidden && function < FUNCTIONS && k->hidden[function];
}
