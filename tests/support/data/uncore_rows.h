/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/uncore_rows.h: rows of tests/fixtures/uncore, and which boxes of the virtual silicon each is about. */
#pragma once
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/data/compared.h"
#include "tests/support/data/tsv.h"

struct uncore_row {
    const struct tsv *table;
    uint32_t n;
    const char *part, *box;             /* "icx", "imc" */
    const struct uncore_part *silicon;  /* NULL: no profile has the part */
    const struct uncore_box_type *type; /* NULL: the silicon has no such box */
};

struct uncore_row uncore_row_at(const struct tsv *boxes, uint32_t n);
/* Unit of a box, by the names that drivers and event files give it. */
bool uncore_unit_is_called(enum uncore_unit unit, const char *name);
/* Part by its name in boxes.tsv ("icx") or in events.tsv ("ICX"). */
const struct uncore_part *uncore_part_called(const char *name);

/* Offset of register number k of a kind from its box's base, and its row; UINT64_MAX: none. */
uint64_t uncore_reg_at(const struct uncore_box_type *t, enum uncore_reg_kind kind, uint32_t k,
                       const struct uncore_reg **row);
/* Base of box number i. */
uint64_t uncore_base_at(const struct uncore_box_type *t, uint32_t i);

/* Compare where the cell is a number. `what` is what the difference is called, after part and box. */
void uncore_same(struct compared *c, const struct uncore_row *r, const char *what, uint64_t ours, const char *theirs);
void uncore_same_number(struct compared *c, const struct uncore_row *r, const char *what, uint64_t ours,
                        uint64_t theirs);
