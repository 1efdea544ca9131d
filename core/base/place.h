/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/place.h: the part of a machine that a figure or a finding is about.
 *
 * A place is made by the function of what it names first, and narrowed by place_with_...(). Numbers are Assay's own indices,
 * as everywhere: packages, dies of a package, boxes of a unit in a package or die, L3 domains, NUMA nodes and processors
 * from 0. It goes into the stream twice: as words for people ("package 0 die 1 CHA 5 counter 2", "L3 domain 0, RMID 7") and
 * as a location for programs ("package=0,die=1,unit=CHA,box=5,counter=2", "domain=0,rmid=7"), which place_parse() reads. A
 * location says all that the words say; its detail, which may have commas, is its last member ("domain=0,detail=CBM 0x3").
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum place_field {
    PLACE_PACKAGE,
    PLACE_DIE,
    PLACE_BOX,     /* among the boxes of its unit */
    PLACE_CHANNEL, /* memory channel of a box that has several */
    PLACE_COUNTER, /* PLACE_FIXED_COUNTER: the fixed one */
    PLACE_DOMAIN,  /* L3 domain, or cluster of one where an L3 has several */
    PLACE_NODE,    /* NUMA node */
    PLACE_CPU,
    PLACE_RMID,
    PLACE_CLOS,
    PLACE_HOME, /* the package whose memory is accessed, where it is another one */
    PLACE_ALL,  /* so many boxes together */
    PLACE_FIELDS
};

#define PLACE_FIXED_COUNTER UINT32_MAX
#define PLACE_UNIT          16u
#define PLACE_DETAIL        72u
#define PLACE_TEXT          160u /* holds the words and the location of every place */

struct place {
    uint32_t has; /* bit f: number[f] says something */
    uint32_t number[PLACE_FIELDS];
    char unit[PLACE_UNIT];     /* uncore unit: "iMC", "CHA"; "" where no box is meant */
    char detail[PLACE_DETAIL]; /* what no number says: "working set of 25 %" */
};

/* --- making one */

#define PLACE_NONE ((struct place){ 0 }) /* the machine as a whole */
/* The address of what an expression gives: as an argument, one copy less a call than by value, 11 KB of the image. */
#define PLACE_AT(p) ((struct place[1]){ p })

struct place place_package(uint32_t package);
struct place place_domain(uint32_t domain);
struct place place_node(uint32_t node);
struct place place_cpu(uint32_t cpu);
struct place place_rmid(uint32_t domain, uint32_t rmid);
struct place place_clos(uint32_t domain, uint32_t clos);
struct place place_domain_cpu(uint32_t domain, uint32_t cpu);
/* Of what has no number at all: a register, a table, a leaf ("0FH.1:ECX"). */
struct place place_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct place place_with(struct place p, enum place_field field, uint32_t number);
struct place place_with_unit(struct place p, const char *unit);
struct place place_with_detail(struct place p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- reading one */

bool place_has(const struct place *p, enum place_field field);
static inline bool place_is_nowhere(const struct place *p)
{
    return p->has == 0 && !p->unit[0] && !p->detail[0];
}

/* In words; "" for PLACE_NONE. Returns the length. */
size_t place_text(const struct place *p, char *out, size_t size);
/* What places have in common that differ by numbers alone: the location with '#' for each number, "domain=#,rmid=#". The
 * detail stays as it is. Returns the length. */
size_t place_kind(const struct place *p, char *out, size_t size);
/* The same of a location: "domain=12" -> "domain=#". Any other text stays as it is. */
void place_kind_of(const char *location, char *out, size_t size);
/* The words of a location; a text that is none stays as it is. */
void place_words_of(const char *location, char *out, size_t size);
/* For programs; "" for PLACE_NONE. Returns the length. */
size_t place_location(const struct place *p, char *out, size_t size);
/* Reads a location. false: it is none, and *out is not written; a key that this version does not know is skipped. */
bool place_parse(const char *location, struct place *out);
