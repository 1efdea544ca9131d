/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/uncore_rows.h: rows of tests/fixtures/uncore, and which unit of the tree and which boxes of the virtual
 * silicon each is about. */
#pragma once
#include "arch/x86/pmon/pmon_discovery.h"
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/data/compared.h"
#include "tests/support/data/tsv.h"

struct uncore_tables {
    const char *boxes, *events; /* in boxes.tsv ("icx"), and in events.tsv ("ICX"); NULL: it is not there */
    const struct pmon_part *part;
    const struct uncore_part *silicon; /* NULL: no profile has the part */
};

struct uncore_row {
    const struct tsv *table;
    uint32_t n;
    const char *part, *box; /* "icx", "imc" */
    const struct uncore_tables *of;
    const struct pmon_unit *unit;        /* NULL: the tree has none for it */
    const struct pmon_type *listed;      /* of boxes from discovery tables */
    const struct uncore_box_type *boxes; /* NULL: the silicon has no such box */
    struct pmon_made_unit made;
};

struct tsv *uncore_boxes(void);
struct tsv *uncore_events(void);
/* Parts in the order of their tables; NULL: there are no more. */
const struct uncore_tables *uncore_tables_at(uint32_t i);
/* Of a part of boxes.tsv. */
const struct uncore_tables *uncore_tables_of(const char *part);
/* *out may not be copied: unit may point into it. */
void uncore_row(const struct tsv *boxes, uint32_t n, struct uncore_row *out);
/* Unit of a box, by the names that drivers and event files give it. */
bool uncore_unit_is_called(enum uncore_unit unit, const char *name);

/* Offset of register number k of a kind from its box's base, and its row; UINT64_MAX: none. */
uint64_t uncore_reg_at(const struct uncore_box_type *t, enum uncore_reg_kind kind, uint32_t k,
                       const struct uncore_reg **row);
/* Base of box number i. */
uint64_t uncore_base_at(const struct uncore_box_type *t, uint32_t i);

#define NONE UINT64_MAX /* has no such thing */
/* `what` is what a difference is called, after part and box. */
void uncore_same_text(struct compared *c, const struct uncore_row *r, const char *what, const char *ours,
                      const char *theirs);
void uncore_same(struct compared *c, const struct uncore_row *r, const char *what, uint64_t ours, uint64_t theirs);
/* NONE: the cell is no number. */
uint64_t uncore_cell(const struct uncore_row *r, const char *column);
/* Where the cell is a number. */
void uncore_same_cell(struct compared *c, const struct uncore_row *r, const char *column, uint64_t ours);
/* A number after these words of a cell; NONE: they are not there. */
uint64_t uncore_number_after(const struct uncore_row *r, const char *column, const char *words);
/* The bit of that number, or NONE. */
uint64_t uncore_bit_after(const struct uncore_row *r, const char *column, const char *words);
