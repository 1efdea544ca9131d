/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/cat_owners.h: which processors share one set of capacity masks. */
#pragma once
#include "core/domain/alloc.h"

/* Rows XC-02, XC-03: each set (of an L3, of an L2) is written with masks of its own through its first processor, then
 * through its last, and read on every processor. Deviations are findings; every mask is put back. */
MUST_CHECK enum status cat_owners_walk(struct check *c, const struct alloc_table *t);
