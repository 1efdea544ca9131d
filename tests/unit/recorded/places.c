/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Each place of a PCI box in the tables of arch/x86/pmon, and each function that Linux' uncore drivers have bound, on the
 * boards that lspci recorded (tests/fixtures/machines/pci). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/search.h"
#include "tests/support/data/compared.h"
#include "tests/support/data/recordings.h"
#include "tests/support/data/uncore_rows.h"

#define BOARDS       8u
#define VENDOR_INTEL 0x8086u

/* "BOARD UNIT NUMBER", "BOARD DEVICE-ID@DEVICE.FUNCTION" */
static const struct excused reasons[] = {
    { "dell-poweredge-r620-50be QPI [01]", "firmware hides the links' monitors: a WARN of pmon.boxes" },
    { "dell-poweredge-r730-1f01 QPI [01]", "one package: its links are off" },
    { "supermicro-x12spa-tf-2c0f UPI 1", "one package, whose part has links 0 and 2" },
    { "dell-poweredge-r[67]30-* 2fc0@30.3", "the PCU: capability registers, which are read, and no box" },
    { "supermicro-x11dpi-n-6d6f 2088@22.5", "Linux' table has 21.5, where no board shows a function" },
};
static struct compared all = { .excused = reasons, .n_excused = sizeof reasons / sizeof reasons[0] };

static bool at_place(const struct recorded_function *f, const struct pmon_pci_place *at)
{
    return f->vendor == VENDOR_INTEL && f->did_known && f->did == at->did && f->device == at->device &&
           f->function == at->function;
}

static bool on_every_board(const struct pmon_unit *u, uint32_t place)
{
    return !u->location.places[place].optional && !u->location.fewest;
}

/* A place that every board has is there once a package, any other so often at most; its device id is nowhere else on the
 * buses of a package but at another place of the unit. */
static void check_place(const struct recording *r, const char *board, const struct pmon_unit *u, uint32_t place,
                        uint32_t packages)
{
    const struct pmon_pci_place *at = &u->location.places[place];
    char where[96], ours[16], theirs[16];
    uint32_t n = HOW_MANY(i, r->n_functions, at_place(&r->functions[i], at));

    snprintf(where, sizeof where, "%s %s %u", board, u->name, place);
    snprintf(ours, sizeof ours, "%u", on_every_board(u, place) || n > packages ? packages : n);
    snprintf(theirs, sizeof theirs, "%u", n);
    compared_text(&all, where, ours, theirs);
}

static bool unit_lists(const struct pmon_unit *u, const struct recorded_function *f)
{
    return ANY_OF(p, u->location.n_places, at_place(f, &u->location.places[p]));
}

static void check_elsewhere(const struct recording *r, const char *board, const struct pmon_unit *u)
{
    for (uint32_t i = 0; i < r->n_functions; i++) {
        const struct recorded_function *f = &r->functions[i];
        bool same = f->vendor == VENDOR_INTEL && f->did_known &&
                    ANY_OF(p, u->location.n_places, f->did == u->location.places[p].did);
        char where[96];

        snprintf(where, sizeof where, "%s %04x@%u.%u", board, f->did, f->device, f->function);
        if (same)
            compared_text(&all, where, unit_lists(u, f) ? "listed" : "not listed", "listed");
    }
}

static bool part_lists(const struct pmon_part *part, const struct recorded_function *f)
{
    return ANY_OF(u, part->n_units, part->units[u]->location.find == PMON_FIND_PLACES && unit_lists(part->units[u], f));
}

/* Where a driver has bound functions of a board, they are those that the tables list. */
static void check_driven(const struct recording *r, const char *board, const struct pmon_part *part)
{
    bool driven = ANY_OF(i, r->n_functions, r->functions[i].driver[0] != 0);

    for (uint32_t i = 0; i < r->n_functions && driven; i++) {
        const struct recorded_function *f = &r->functions[i];
        bool listed = part_lists(part, f);
        char where[96];

        snprintf(where, sizeof where, "%s %04x@%u.%u", board, f->did, f->device, f->function);
        if (listed || f->driver[0])
            compared_text(&all, where, listed ? "listed" : "not listed", f->driver[0] ? "listed" : "not listed");
    }
}

static void check_unit(const struct recording *r, const struct pmon_unit *unit, uint32_t packages)
{
    if (!unit || unit->location.find != PMON_FIND_PLACES)
        return;
    for (uint32_t p = 0; p < unit->location.n_places; p++)
        check_place(r, r->name, unit, p, packages);
    check_elsewhere(r, r->name, unit);
}

static void check_board(struct replay *replay, const struct tsv *x, uint32_t row)
{
    const struct recording *r = replay_recording(replay);
    const struct pmon_part *part = uncore_tables_of(tsv_get(x, row, "part"))->part;
    uint32_t packages = (uint32_t)strtoul(tsv_get(x, row, "packages"), NULL, 10);

    for (uint32_t u = 0; u < part->n_units; u++)
        check_unit(r, part->units[u], packages);
    for (uint32_t t = 0; part->discovery && t < part->discovery->n_types; t++)
        check_unit(r, part->discovery->types[t].instead, packages);
    check_driven(r, r->name, part);
}

Test(places, boards_show_the_functions_of_the_tables_and_drivers_bind_the_same)
{
    recordings_of_machines(RECORDINGS_PCI, BOARDS, check_board);
    compared_end(&all, 200);
}
