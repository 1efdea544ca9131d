/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/cmt/occupancies.h: the occupancy of every RMID at once. */
#pragma once
#include "core/domain/domains.h"

struct occupancies {
    struct qm_pair *pairs; /* [n], index is the RMID; the check's */
    uint32_t n;
    double sum_bytes;
    uint32_t readable, nonzero;
};
/* Errors: check_unmeasured() has said why. */
MUST_CHECK enum status occupancies_read(struct check *c, uint32_t domain, struct occupancies *o);
/* Bytes that an RMID has more; 0: none, or one of the two could not be read. */
double occupancies_gained(const struct qm_domain *d, const struct occupancies *before, const struct occupancies *after,
                          uint32_t rmid);
