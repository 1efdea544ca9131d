/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/defects/flaw_draw.h: composed defects (tests/silicon/model/flaw.h) on machines that can have them. The same seed
 * and number are the same defect on the same machine.
 *
 * A strength is at least twice what docs/tolerances.md, or the table in docs/measured.md, states as found: of occupancy
 * 15 % (T_occ), of bandwidth 3 % for all accesses and 8 % (T_bw) for one kind of them, a way, 41 lines after a switch,
 * of slices 10 %, of a box' other counts 3 %. Of a few RMIDs or classes, of one kind of access, and after a trigger: one of
 * these three at most, beside where, what and how much.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diagnosis/diagnosis.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/faults/strength_search.h"
#include "tests/silicon/model/flaw.h"

struct drawn_flaw {
    uint32_t number;
    struct flaw flaw;
    struct drawn_machine machine;
};

void flaw_draw(struct drawn_flaw *d, uint64_t seed, uint32_t number);
/* "CMT, cpu 3, lost 40 stores idle /2, on spr". Returns the length needed. */
size_t flaw_text(const struct drawn_flaw *d, char *out, size_t size);
const char *flaw_monitor_text(enum flaw_monitor m);
/* Is it where the long checks alone look, those that run over RMIDs or processors? */
bool flaw_needs_long_checks(const struct drawn_flaw *d);
/* The ids of the checks of its monitor. */
void flaw_checks(const struct drawn_flaw *d, const char **ids, uint32_t most);
/* Does the cause speak of its monitor, and of its kind? */
bool flaw_is_named(const struct drawn_flaw *d, const struct diagnosed *named);
/* Is it in one part of the machine; is that the one of this text? */
bool flaw_has_part(const struct drawn_flaw *d);
bool flaw_is_placed(const struct drawn_flaw *d, const char *part);

/* One that a text composes, as "lost 2-64 stores idle @1": what of the scope and kind of the map (tests/matrix/defects/map.c)
 * they do not say: kind, strengths (the weakest first), access, trigger, place. False: not understood. */
bool flaw_compose(struct flaw *f, enum flaw_monitor m, const char *scope, const char *kind, const char *text,
                  struct strength_ladder *l);
/* All of it in one text, as "MBM local cpu lost 30 stores idle @1". */
bool flaw_of_text(struct flaw *f, const char *text);
/* The profile and the packages that it is tried on. */
const char *flaw_part(enum flaw_monitor m);
uint32_t flaw_packages(const struct flaw *f);
