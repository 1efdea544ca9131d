/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/fault_lists.h: rows that no fault proves on an L3 that is not inclusive. */
#pragma once
#include <stdio.h>

#include "tests/silicon/model/model.h"

/* Why no fault on spr or icx proves this row, which says FAIL; NULL: one has to. */
const char *row_is_unproven(const char *row);
/* The list of them, for a page. */
void fault_lists_write(FILE *out);
