/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/mbm_correction.h"

#define MODEL_BDX 0x4Fu
#define MODEL_SKX 0x55u

static const struct {
    uint32_t threshold, millionths;
} rows[] = {
    { 7, 1000000 },   { 15, 1000000 },  { 15, 969650 },   { 31, 1000000 },  { 31, 1066667 },  { 31, 969650 },
    { 47, 1142857 },  { 63, 1000000 },  { 63, 1185115 },  { 63, 1066553 },  { 79, 1454545 },  { 95, 1000000 },
    { 95, 1230769 },  { 95, 1142857 },  { 95, 1066667 },  { 127, 1000000 }, { 127, 1254863 }, { 127, 1185255 },
    { 151, 1000000 }, { 127, 1066667 }, { 167, 1000000 }, { 159, 1454334 }, { 183, 1000000 }, { 127, 969744 },
    { 191, 1280246 }, { 191, 1230921 }, { 215, 1000000 }, { 191, 1143118 },
};

struct mbm_correction mbm_correction_of(const struct cpu_identity *id, uint32_t n_rmids)
{
    struct mbm_correction m = { .threshold = UINT32_MAX, .millionths = 1000000 };
    uint32_t n = n_rmids / 8;

    if (id->vendor != VENDOR_INTEL || id->family != 6 || (id->model != MODEL_BDX && id->model != MODEL_SKX))
        return m;
    m.erratum = id->model == MODEL_BDX ? "BDF102" : "SKX99";
    if (n >= 1 && n <= sizeof rows / sizeof rows[0]) {
        m.threshold = rows[n - 1].threshold;
        m.millionths = rows[n - 1].millionths;
    }
    return m;
}

bool mbm_correction_acts(const struct mbm_correction *m, uint32_t rmid)
{
    return m->first + rmid > m->threshold;
}

double mbm_correction_factor(const struct mbm_correction *m, uint32_t rmid)
{
    return mbm_correction_acts(m, rmid) ? m->millionths / 1e6 : 1;
}
