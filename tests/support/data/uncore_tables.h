/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/uncore_tables.h: rows of tests/fixtures/uncore, and which of the tree's units each is about. */
#pragma once
#include "arch/x86/pmon/pmon_discovery.h"
#include "arch/x86/pmon_parts/pmon_parts.h"
#include "tests/support/data/tsv.h"

struct boxes_row {
    const struct tsv *table;
    uint32_t n;
    const char *name, *box; /* "icx", "imc" */
    const struct pmon_part *part;
    const struct pmon_unit *unit; /* NULL: the tree has none for it */
    const struct pmon_type *type; /* of boxes from discovery tables */
    struct pmon_made_unit made;
};

struct tsv *uncore_boxes(void);
struct tsv *uncore_events(void);
/* The tree's tables for a part of boxes.tsv. */
const struct pmon_part *uncore_part_named(const char *name);
/* *out may not be copied: unit may point into it. */
void uncore_row(const struct tsv *table, uint32_t n, struct boxes_row *out);
