/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_errata.c: errata BDF102 and SKX99, "Intel RDT MBM does not accurately track
 * bandwidth": software multiplies the counts of RMIDs above a threshold by a factor that goes with the number of
 * slices. Linux resctrl/monitor.c, mbm_cf_table.
 */
#include "tests/silicon/profiles/profile.h"

#define RMIDS_A_SLICE 8u

static const struct mbm_erratum errata[] = {
    { 7, 1000000 },   { 15, 1000000 },  { 15, 969650 },   { 31, 1000000 },  { 31, 1066667 },  { 31, 969650 },
    { 47, 1142857 },  { 63, 1000000 },  { 63, 1185115 },  { 63, 1066553 },  { 79, 1454545 },  { 95, 1000000 },
    { 95, 1230769 },  { 95, 1142857 },  { 95, 1066667 },  { 127, 1000000 }, { 127, 1254863 }, { 127, 1185255 },
    { 151, 1000000 }, { 127, 1066667 }, { 167, 1000000 }, { 159, 1454334 }, { 183, 1000000 }, { 127, 969744 },
    { 191, 1280246 }, { 191, 1230921 }, { 215, 1000000 }, { 191, 1143118 },
};

struct mbm_erratum mbm_erratum(const struct profile *p, uint32_t rmids)
{
    uint32_t slices = rmids / RMIDS_A_SLICE;

    if (!p->mbm_errata || slices == 0 || slices > sizeof errata / sizeof errata[0])
        return (struct mbm_erratum){ UINT32_MAX, MBM_FACTOR_ONE };
    return errata[slices - 1];
}
