/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/quirks/realism.h: quirks of real parts that no document promises, and that the model has on request.
 *
 * One row a quirk in realism_rows.h. Without any, which is "none", the model is ideal: LRU, no victim lost, counters that
 * are up to date. A quirk changes nothing that a specification rules, so no check may FAIL because of it: what it finds is
 * a check that rests on more than that. A fault (faults/fault.h) is the contrary.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/profiles/capability.h"

struct profile;

enum part_class { PART_INCLUSIVE, PART_NON_INCLUSIVE, PART_AMD, PART_CLASSES };

#define QUIRK(id, ...) id,
enum realism_id {
#include "tests/silicon/quirks/realism_rows.h"
    REALISM_QUIRKS
};
#undef QUIRK

/* What parts of a class plausibly have; high 0: the quirk cannot act on them. */
struct realism_range {
    uint64_t low, high, typical;
};

/* The value of "none" is 0, or the first choice. */
struct realism_quirk {
    const char *name, *unit;
    const char *choices; /* words that stand for 0, 1, ..., "lru|random"; NULL: a number   */
    uint64_t most;       /* the greatest that is taken                                     */
    const char *meaning, *source;
    struct realism_range range[PART_CLASSES];
    bool host_only; /* QEMU cannot act it out */
    /* Parts of these classes that can have it: with this capability, and for which this is true; 0, NULL: all. */
    enum capability needs;
    bool (*acts_on)(const struct profile *part);
    /* Of the machines that realism_draw() draws: */
    bool (*drawn_on)(const struct profile *part); /* parts on which it was reported; NULL: wherever it can act */
    uint64_t drawn_least;                         /* the least value above none */
    uint32_t drawn_one_in;                        /* machines that have it; 0: by realism_draw()'s rule */
};
const struct realism_quirk *realism_quirks(void); /* [REALISM_QUIRKS] */

/* What this part plausibly has of a quirk; high 0: nothing. */
struct realism_range realism_range(enum realism_id id, const struct profile *part);

/* Values of l3-replacement, l2-victim-tag, mbm-start, page-walk, mba-curve, channel-interleave, snc-rmids, pci-segments,
 * bus-numbers and pmon-kept. */
enum { REPLACE_LRU, REPLACE_RANDOM, REPLACE_QLRU, REPLACE_DRRIP };
enum { VICTIM_TAG_FILL, VICTIM_TAG_EVICT };
enum { MBA_LINEAR, MBA_SHALLOW, MBA_STEPS, MBA_UNEVEN };
enum { INTERLEAVE_EVEN, INTERLEAVE_ONE_TWICE, INTERLEAVE_HALF_TWICE, INTERLEAVE_HALF, INTERLEAVE_REGIONS };
enum { SNC_RMIDS_WHOLE, SNC_RMIDS_SPLIT };
enum { SEGMENTS_ONE, SEGMENTS_PACKAGE, SEGMENTS_PAIR };
enum { BUSES_ENDS, BUSES_UNEVEN, BUSES_REVERSED };
enum { KEPT_NOTHING, KEPT_FUNCTIONS, KEPT_MSRS, KEPT_WRITES, KEPT_BASES, KEPT_MEMORY };
enum { WALK_OFF, WALK_2M, WALK_4K };
enum { MBM_START_PROFILE, MBM_START_ZERO, MBM_START_NEAR_WRAP, MBM_START_ANYWHERE };

struct realism {
    uint64_t value[REALISM_QUIRKS];
};

enum part_class realism_class(const struct profile *part);
/* "NAME=VALUE", "typical" and "none", one after the other with commas; later ones win. NULL and "" are "none". False:
 * *error says in a sentence what the part cannot have. */
bool realism_parse(struct realism *r, const struct profile *part, const char *text, char *error, size_t error_size);
/* Is one of the quirks left-* set, so that registers do not have their values of power-on? */
bool realism_has_left_state(const struct realism *r);
/* A quirk that QEMU cannot act out and that is set, NULL: none. */
const char *realism_host_only(const struct realism *r);
/* A plausible part of this profile, as realism_parse() takes it: "NAME=VALUE,...", every quirk that can act on the part.
 * What a seed draws for one quirk does not depend on which others there are. Returns the length needed. */
size_t realism_draw(const struct profile *part, uint64_t seed, char *out, size_t size);
/* A value as it is written: a number or a word. */
const char *realism_text(enum realism_id id, uint64_t value, char *out, size_t size);
/* The quirk's row of a table in Markdown. */
void realism_markdown(enum realism_id id, char *out, size_t size);
