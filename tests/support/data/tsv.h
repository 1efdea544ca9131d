/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/tsv.h: a table of tab-separated values whose first line, but for comments (#), names the columns. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct tsv;

/* A file that cannot be read is a table without rows. Free it with tsv_free(). */
struct tsv *tsv_open(const char *path);
void tsv_free(struct tsv *t);
/* Without the line of names. */
uint32_t tsv_rows(const struct tsv *t);
/* NULL: no such column, or the row is shorter. */
const char *tsv_get(const struct tsv *t, uint32_t row, const char *column);
/* The same, "" where the table says nothing. */
const char *tsv_cell(const struct tsv *t, uint32_t row, const char *column);
/* What follows key in a cell; NULL: it is not there. */
const char *tsv_after(const struct tsv *t, uint32_t row, const char *column, const char *key);
bool tsv_is_number(const char *cell);
/* "0x11:0x1,0x12-0x13:0x3,0x80/0x80:0xe": the bits of `every` that the cell leaves a code, which an entry may mask. */
uint64_t tsv_allowed(const char *cell, uint64_t code, uint64_t every);
/* Entry i of a list of numbers, UINT64_MAX: it is shorter; of one number i times that. */
uint64_t tsv_step(const char *cell, uint32_t i);
