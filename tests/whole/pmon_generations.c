/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every generation of uncore monitors on the host model, at eight packages, and cut into clusters: no
 * check calls a faultless machine broken, none fails to measure, registers go back, and every package's boxes were
 * looked at. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/boxes/boxes_find.h"
#include "core/platform/ledger.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/quirks/realism.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/run/turn.h"
#include "tests/support/run/whole_run.h"

struct shape {
    char profile[16];
    uint32_t packages, clusters; /* nodes a package is cut into, 0: one */
};

#define SHAPES 128u

/* Every profile with an uncore at 8 packages, and once with as many nodes in a package as it can have; of one that is like
 * another (profile.like), its nodes alone. The fault matrix has each at 1 and 2 packages. */
ParameterizedTestParameters(pmon_generations, a_faultless_machine_passes)
{
    static struct shape shapes[SHAPES];
    uint32_t i = 0;
    size_t n = 0;

    for (const struct profile *const *p = profiles; *p; p++) {
        if (!(*p)->uncore)
            continue;
        for (uint32_t nodes = 0; nodes < 2 && n < SHAPES; nodes++) {
            struct shape *s = &shapes[n];

            if ((nodes ? (*p)->max_clusters < 2 : (*p)->like != NULL) || !in_turn(i++, 16))
                continue;
            snprintf(s->profile, sizeof s->profile, "%s", (*p)->name);
            s->packages = profile_packages(*p, !nodes ? 8 : (*p)->max_clusters > 2 ? 1 : 2);
            s->clusters = nodes ? (*p)->max_clusters : 0;
            n++;
        }
    }
    return cr_make_param_array(struct shape, shapes, n);
}

/* Streams over memory are the long part: with eight packages those that look at each box in turn are left out. */
ParameterizedTest(struct shape *s, pmon_generations, a_faultless_machine_passes)
{
    struct model_config config =
        MODEL(s->profile, s->packages, s->clusters > 2 ? s->clusters : 2, 1, .clusters = s->clusters, .seed = 3);
    struct whole_run *w = calloc(1, sizeof *w);
    uint32_t passed = 0;

    w->tests[0] = "pmon.*";
    w->tests[1] = "ubox.*";
    w->tests[2] = s->packages < 8 ? "traffic.*" : "traffic.slices";
    cr_assert(whole_run(&config, w), "%s with %u packages", s->profile, s->packages);
    for (uint32_t i = 0; i < w->n; i++) {
        enum verdict v = w->checks[i].verdict;

        passed += v == VERDICT_PASS;
        cr_expect(v == VERDICT_PASS || v == VERDICT_SKIP, "%s, %u packages: %s: %s: %s", s->profile, s->packages,
                  w->checks[i].row->id, verdict_text(v), w->checks[i].reason);
    }
    cr_expect_geq(passed, 4, "%s, %u packages: only %u checks had something to say", s->profile, s->packages, passed);
    cr_expect_eq(w->restored, ST_OK, "%s, %u packages: registers are not as found", s->profile, s->packages);
    whole_run_free(w);
    free(w);
}

/* What boxes_find() finds on a machine: `each` sees it before it goes. Returns how many boxes that have no fixed
 * address are usable. */
static uint32_t boxes_listed(const struct profile *part, uint32_t packages, const char *realism,
                             void (*each)(const struct profile *, const struct model *, const struct pmon *,
                                          const char *realism))
{
    struct model_config config = MODEL(part->name, packages, 2, 1, .seed = 3, .realism = realism);
    struct model_platform *mp = model_platform_new(&config, 0);
    struct ledger ledger;
    struct machine *m = calloc(1, sizeof *m);
    struct pmon pmon;
    uint32_t usable = 0;

    cr_assert(mp, "%s with %s", part->name, realism);
    cr_assert_eq(ledger_init(&mp->platform, &ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&mp->platform, m), ST_OK);
    cr_assert_eq(boxes_find(&mp->platform, m, &pmon), ST_OK);
    cr_expect_eq(ledger.n_entries, 0, "%s: looking for boxes wrote something", part->name);
    for (uint32_t i = 0; i < pmon.n_boxes; i++) {
        cr_expect_lt(pmon.boxes[i].package, packages);
        usable += pmon.boxes[i].status == ST_OK && pmon.boxes[i].unit->location.find != PMON_FIND_FIXED;
    }
    if (each)
        each(part, mp->model, &pmon, realism);
    boxes_free(&pmon);
    machine_free(m);
    free(m);
    ledger_free(&ledger);
    model_platform_free(mp);
    return usable;
}

/* One more package is one more of each box of a package: what has a fixed address is the first one's. */
Test(pmon_generations, packages_are_alike)
{
    for (const struct profile *const *p = profiles; *p; p++) {
        uint32_t one = (*p)->uncore ? boxes_listed(*p, 1, NULL, NULL) : 0;

        if (!(*p)->uncore)
            continue;
        cr_expect_gt(one, 0, "%s", (*p)->name);
        for (uint32_t packages = 2; packages <= profile_packages(*p, 8); packages += 6)
            cr_expect_eq(boxes_listed(*p, packages, NULL, NULL), packages * one, "%s", (*p)->name);
    }
}

/* A box by PCI is on a bus of its package, one by memory in its package's window. */
static void each_is_of_its_package(const struct profile *part, const struct model *m, const struct pmon *pmon,
                                   const char *realism)
{
    EACH(const struct pmon_box, b, pmon->boxes, pmon->n_boxes) {
        uint32_t bus = (uint32_t)b->at.segment << 8 | b->at.bus;
        uint32_t dies = pmon->part->by_die && pmon->packages[0].dies ? pmon->packages[0].dies : 1;
        uint32_t package = b->package * dies + b->die % dies; /* of the model, of which a die is one */
        bool own = true;

        if (b->status != ST_OK)
            continue;
        if (b->unit->layout->access == PMON_PCI)
            own = ANY_OF(k, part->uncore->pci_buses, uncore_bus(m, package, k) == bus);
        else if (b->unit->layout->access == PMON_MMIO)
            own = (b->base - MODEL_MMIO_BASE) / part->uncore->mmio_bytes == package;
        cr_expect(own, "%s, %s: %s %u of bus %x is not of package %u", part->name, realism, b->unit->name, b->number,
                  bus, b->package);
    }
    cr_expect_eq(pmon->n_bus_faults, 0, "%s, %s: %s", part->name, realism, pmon->bus_faults[0]);
}

/* However firmware numbers buses and segments: whose a bus is, the package's registers say. */
Test(pmon_generations, buses_are_of_their_package)
{
    static const char *const numbered[] = { "bus-numbers=uneven", "bus-numbers=reversed",
                                            "pci-segments=package,bus-numbers=reversed",
                                            "pci-segments=pair,bus-numbers=uneven" };

    for (const struct profile *const *p = profiles; *p; p++) {
        uint32_t packages = profile_packages(*p, 4), one = (*p)->uncore ? boxes_listed(*p, 1, NULL, NULL) : 0;

        for (size_t i = 0; (*p)->uncore && i < sizeof numbered / sizeof numbered[0]; i++) {
            static struct realism unused;
            char error[256];

            if (realism_parse(&unused, *p, numbered[i], error, sizeof error))
                cr_expect_eq(boxes_listed(*p, packages, numbered[i], each_is_of_its_package), packages * one,
                             "%s with %s", (*p)->name, numbered[i]);
        }
    }
}
