/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/fault_lists.h: what the fault matrix knows of rows that are not proven, and the lists at the end of
 * docs/faults.md. */
#pragma once
#include <stdio.h>

#include "tests/silicon/model/model.h"

/* Why no fault on spr or icx proves this row, which says FAIL; NULL: one has to. */
const char *row_is_unproven(const char *row);
/* Strengths of faults, rows without a proof. */
void fault_lists_write(FILE *out);
