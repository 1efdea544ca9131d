/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/machines/machine_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/silicon/quirks/realism.h"
#include "tests/silicon/model/scramble.h"
#include "tests/silicon/profiles/profile.h"

#define SLICES_LEAST 4u
#define LINE_BYTES   64u
/* One machine in so many has the L3 of the recorded part, which takes ten times as long to fill, and one package. */
#define WHOLE_PARTS 80u

static uint32_t slices_of_bytes(const struct profile *p, uint32_t bytes, uint32_t least)
{
    uint32_t slice = p->l3_sets * p->l3_ways * LINE_BYTES, slices = slice ? (bytes + slice - 1) / slice : p->l3_slices;

    return slices < least ? least : slices;
}

uint32_t machine_least_slices(const struct profile *p)
{
    uint32_t slices = slices_of_bytes(p, MACHINE_L3_BYTES, SLICES_LEAST);

    if ((p->l3_slices & (p->l3_slices - 1)) && !(slices & (slices - 1)))
        slices++; /* no power of 2 stays none, so that RMIDs do not fill their field either */
    return slices < p->l3_slices ? slices : 0;
}

uint32_t machine_slices(const struct profile *p, uint32_t clusters)
{
    return (machine_least_slices(p) + clusters - 1) / clusters * clusters;
}

struct model_config machine_small(const struct profile *p, uint32_t packages, uint32_t clusters, uint64_t seed)
{
    uint32_t n = clusters ? clusters : 1;

    return MODEL(p->name, profile_packages(p, (packages ? packages : 1) * profile_dies(p)), 2, 2, .clusters = n,
                 .slices = machine_slices(p, n), .seed = seed);
}

/* --- drawing */

/* Sub-NUMA clusters and nodes a package come in powers of 2, and in as many as the part has at most. */
static uint32_t draw_clusters(struct dice *d, const struct profile *p)
{
    uint32_t choices[8], n = 0, drawn = 1;

    for (uint32_t c = 2; c < p->max_clusters; c *= 2)
        choices[n++] = c;
    if (p->max_clusters > 1)
        choices[n++] = p->max_clusters;
    if (n > 0 && dice_throw(d, 3) == 0)
        drawn = choices[dice_throw(d, n)];
    return drawn > 0 ? drawn : 1;
}

/* Intel's parts have a slice for each core, so no more cores than slices. A node of AMD's parts has whole L3s. */
static uint32_t draw_cores(struct dice *d, const struct profile *p, uint32_t clusters)
{
    static const uint8_t alone[] = { 1, 2, 2, 2, 2, 3, 3, 4, 4, 6 };
    static const uint8_t each[] = { 1, 1, 1, 2 };
    uint32_t cores = clusters == 1 ? alone[dice_throw(d, sizeof alone)] : clusters * each[dice_throw(d, sizeof each)];

    if (p->amd && clusters > 1 && p->cores_per_l3)
        return clusters * p->cores_per_l3;
    return p->amd || cores < p->l3_slices ? cores : p->l3_slices / clusters * clusters;
}

/* At least as many as cores, as the parts have them, for an L2 of each core is not much smaller than a slice; mostly
 * few, since time is what a machine costs. */
static uint32_t draw_slices(struct dice *d, const struct profile *p, const struct model_config *c)
{
    uint32_t least = slices_of_bytes(p, MACHINE_L3_BYTES, p->amd ? 2 : SLICES_LEAST);
    uint32_t more = dice_throw(d, 4) == 0 ? dice_throw(d, least + 1) : 0;
    uint32_t cores = p->cores_per_l3 && p->cores_per_l3 < c->cores ? p->cores_per_l3 : c->cores;
    uint32_t slices = (least < cores ? cores : least) + more;

    slices = (slices + c->clusters - 1) / c->clusters * c->clusters;
    return slices < p->l3_slices ? slices : 0;
}

void machine_draw(struct drawn_machine *d, uint64_t seed, uint32_t number)
{
    struct dice dice = { scramble(seed) ^ number };
    struct model_config *c = &d->config;
    bool whole;

    *d = (struct drawn_machine){ .number = number };
    d->profile = profiles[(scramble(seed) % profile_count() + number) % profile_count()];
    whole = dice_throw(&dice, WHOLE_PARTS) == 0;
    c->profile = d->profile->name;
    c->threads = dice_throw(&dice, 3) == 0 ? 1 : 2;
    c->clusters = draw_clusters(&dice, d->profile);
    c->packages = dice_throw(&dice, c->clusters > 1 ? 6 : 3) == 0 && !whole ? 2 : 1; /* clusters take time themselves */
    c->packages = profile_packages(d->profile, c->packages) * profile_dies(d->profile);
    c->cores = draw_cores(&dice, d->profile, c->clusters);
    c->slices = draw_slices(&dice, d->profile, c);
    if (whole && d->profile->l3_slices % c->clusters == 0)
        c->slices = 0;
    dice.state = scramble(dice.state);
    c->seed = dice.state >> 32;
    realism_draw(d->profile, dice.state, d->realism, sizeof d->realism);
    c->realism = d->realism;
}

/* --- what it is */

static void keep_drawn(char *list, const char *name)
{
    size_t length = strlen(name);

    for (char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            size_t item = strcspn(at, ",");

            memmove(list, at, item);
            list[item] = 0;
            return;
        }
    list[0] = 0;
}

void machine_keep_quirk(struct drawn_machine *d, const char *quirk)
{
    struct realism r;
    char error[256];

    if (!quirk)
        d->realism[0] = 0;
    else if (!strchr(quirk, '='))
        keep_drawn(d->realism, quirk);
    else
        snprintf(d->realism, sizeof d->realism, "%s",
                 realism_parse(&r, d->profile, quirk, error, sizeof error) ? quirk : "");
}

size_t machine_text(const struct drawn_machine *d, char *out, size_t size)
{
    const struct model_config *c = &d->config;

    return (size_t)snprintf(
        out, size,
        "machine %u: %s, packages %u, cores %u, threads %u, clusters %u, slices %u, seed %" PRIu64 ", realism %s",
        d->number, c->profile, c->packages, c->cores, c->threads, c->clusters,
        c->slices ? c->slices : d->profile->l3_slices, c->seed, d->realism[0] ? d->realism : "none");
}
