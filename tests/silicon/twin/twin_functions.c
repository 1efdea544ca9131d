/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/twin/twin_functions.c: of a twin, which recorded PCI functions are the model's, and on which buses.
 *
 * A bus of the model is the lowest recorded one that is not another's and shows as many of its functions, by device id, device and
 * function number, as any, or half of that: firmware hides some of them in one package and not in another.
 * Nothing is hidden of a segment that was not recorded whole, nor where none of the model's functions was seen.
 */

#include "tests/silicon/model/model_state.h"
#include "core/base/search.h"
#include "tests/silicon/twin/twin.h"

#define FUNCTIONS 65536u /* of a segment */
#define BUSES     256u
#define SEGMENTS  16u
#define ALL_ONES  UINT32_MAX

static uint32_t id_of(const struct recorded_function *f)
{
    return f && f->did_known ? (uint32_t)f->did << 16 | f->vendor : 0;
}

static void take_functions(struct twin *t)
{
    const struct recording *r = t->recording;

    for (uint32_t i = 0; i < r->n_functions; i++)
        if (r->functions[i].segment < SEGMENTS && r->functions[i].segment >= t->n_segments)
            t->n_segments = r->functions[i].segment + 1u;
    t->functions = pool_zeroed(&t->pool, (size_t)FUNCTIONS * t->n_segments, sizeof(void *));
    t->bus_at = pool_zeroed(&t->pool, (size_t)BUSES * t->n_segments, sizeof t->bus_at[0]);
    for (uint32_t i = 0; i < r->n_functions; i++) {
        const struct recorded_function *f = &r->functions[i];

        if (f->segment < t->n_segments)
            t->functions[(uint32_t)f->segment << 16 | (uint32_t)f->bus << 8 | (uint32_t)f->device << 3 | f->function] =
                f;
    }
    for (uint32_t i = 0; i < BUSES * t->n_segments; i++)
        t->bus_at[i] = TWIN_NONE;
}

/* How many functions with these ids a recorded bus shows. */
static uint32_t shown_on(const struct twin *t, uint32_t bus, const uint32_t ids[BUSES])
{
    return HOW_MANY(k, BUSES, ids[k] != ALL_ONES && id_of(t->functions[bus << 8 | k]) == ids[k]);
}

static void place_bus(struct model *m, uint32_t bus)
{
    struct twin *t = m->twin;
    uint32_t ids[BUSES], most = 0;

    for (uint32_t k = 0; k < BUSES; k++)
        ids[k] = model_pci_read(m, bus << 8 | k, 0, 4, 0);
    for (uint32_t b = 0; b < BUSES * t->n_segments; b++) {
        uint32_t n = t->bus_at[b] == TWIN_NONE ? shown_on(t, b, ids) : 0;

        most = n > most ? n : most;
    }
    for (uint32_t b = 0; most && b < BUSES * t->n_segments; b++)
        if (t->bus_at[b] == TWIN_NONE && 2 * shown_on(t, b, ids) >= most) {
            t->bus_at[b] = bus;
            t->bus_of[bus] = b;
            return;
        }
}

void twin_begin_functions(struct model *m)
{
    struct twin *t = m->twin;
    uint32_t buses = BUSES * uncore_segments(m);
    bool placed = false;

    if (!recording_bus_is_complete(t->recording, 0, 0))
        return;
    t->bus_of = pool_zeroed(&t->pool, buses, sizeof t->bus_of[0]);
    take_functions(t);
    for (uint32_t bus = 0; bus < buses; bus++) {
        t->bus_of[bus] = TWIN_NONE;
        if (model_pci_bus(m, bus))
            place_bus(m, bus);
        placed |= t->bus_of[bus] != TWIN_NONE;
    }
    t->functions_placed = placed; /* nothing was hidden until now */
}

const struct recorded_function *twin_shows(const struct model *m, uint32_t function, uint32_t id)
{
    const struct twin *t = m->twin;
    const struct recorded_function *f = NULL;

    if (t && t->functions_placed && t->bus_of[function >> 8] != TWIN_NONE)
        f = t->functions[t->bus_of[function >> 8] << 8 | (function & 0xFF)];
    return id_of(f) == id ? f : NULL;
}

bool twin_hides(const struct model *m, uint32_t function, uint32_t id)
{
    return m->twin && m->twin->functions_placed && !twin_shows(m, function, id);
}

uint32_t twin_bus(const struct model *m, uint32_t bus)
{
    const struct twin *t = m->twin;

    return t && t->functions_placed && !m->qemu && t->bus_of[bus] != TWIN_NONE ? t->bus_of[bus] : bus;
}

uint8_t twin_config(const struct recorded_function *f, uint32_t offset, uint8_t otherwise)
{
    if (offset < f->config.n && f->config.known[offset])
        return f->config.at[offset];
    switch (offset) {
    case 0:
    case 1:
        return (uint8_t)(f->vendor >> 8 * offset);
    case 2:
    case 3:
        return f->did_known ? (uint8_t)(f->did >> 8 * (offset - 2)) : otherwise;
    case 8:
        return f->revision < 0 ? otherwise : (uint8_t)f->revision;
    case 0xA:
    case 0xB:
        return (uint8_t)(f->class_code >> 8 * (offset - 0xA));
    default:
        return otherwise;
    }
}
