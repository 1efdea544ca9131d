/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/machines/machine_draw.h: faultless machines as parts are sold: a generation, packages, cores, threads, clusters,
 * L3 slices, and the quirks that realism_draw() gives it. The same seed and number are the same machine. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model/model.h"

struct profile;

/* An L3 of this many bytes at least, and of four slices: a smaller part of the same family costs less to fill. What is
 * not inclusive needs an L3 that is larger than the L2 of its cores together, and four fills in half of it that are
 * each twice an L2; and what a check takes for nothing, 2 MB, must be well below half of it. */
#define MACHINE_L3_BYTES (8u << 20)
/* The fewest slices that a part of this profile is tried with, as model_config.slices; 0: as many as recorded. */
uint32_t machine_least_slices(const struct profile *p);
/* The same, as many in each cluster. */
uint32_t machine_slices(const struct profile *p, uint32_t clusters);

/* One that a fault acts on: 2 cores with 2 threads a package; 0 packages or clusters: 1. */
struct model_config machine_small(const struct profile *p, uint32_t packages, uint32_t clusters, uint64_t seed);

struct drawn_machine {
    uint32_t number; /* from 1 */
    const struct profile *profile;
    struct model_config config; /* realism points into this struct: do not move it */
    char realism[2048];
};

void machine_draw(struct drawn_machine *d, uint64_t seed, uint32_t number);
/* Of the drawn quirks this one alone. "NAME=VALUE": that value, on parts that can have it; NULL: none. */
void machine_keep_quirk(struct drawn_machine *d, const char *quirk);
/* What reproduces it, in a line. Returns the length needed. */
size_t machine_text(const struct drawn_machine *d, char *out, size_t size);
