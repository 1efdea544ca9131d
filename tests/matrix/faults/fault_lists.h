/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/fault_lists.h: rows that no fault proves on an L3 that is not inclusive, and faults that no check finds. */
#pragma once
#include <stdio.h>

#include "tests/silicon/model/model.h"

/* Why no fault on spr or icx proves this row, which says FAIL; NULL: one has to. */
const char *row_is_unproven(const char *row);
/* Why no check finds this fault on this profile; NULL: one has to. */
const char *fault_is_missed(const char *fault, const char *profile);
/* The list of these faults, for a page. */
void fault_lists_write_missed(FILE *out);
/* The list of rows, for a page. */
void fault_lists_write(FILE *out);
