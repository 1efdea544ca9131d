/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/fault_lists.h: what the fault matrix knows of faults that are not found and of rows that are not proven, and
 * the lists at the end of docs/faults.md. */
#pragma once
#include <stdio.h>

#include "tests/silicon/model/model.h"

/* Is this fault one that no check finds on this profile? It is a failure then if one does. */
bool fault_is_unfound(const struct model_fault *fault, const char *profile);
/* Why no fault on spr or icx proves this row, which says FAIL; NULL: one has to. */
const char *row_is_unproven(const char *row);
/* Strengths of faults, those that no check finds, rows without a proof. */
void fault_lists_write(FILE *out);
