/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/alloc_owners.h"

#define SDM_MASK "SDM vol. 3B 17.17.3.3 Cache Allocation Technology: Cache Mask Configuration"

static enum status check_cat_owners(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (t.classes == 0)
        return check_absent(c, "CPUID.(EAX=10H,ECX=1) cannot be read");
    return alloc_owners_walk(c, &t, NULL);
}

static const struct check_row rows[] = {
    { .id = "cat.owners",
      .title = "L3 masks are shared by the processors of one L3, and no others",
      .spec = SDM_MASK,
      .covers = "XC-02 XC-03",
      .detects = "mask MSRs private to a core, mask writes that reach another L3",
      .means = "IA32_L3_MASK_n has another scope than the L3 that CPUID leaf 4 enumerates",
      .next = "leaf 4's sharing field (EAX[25:14]); `cross.sharing`; whether every package does it",
      .run = check_cat_owners },
};
CHECK_FAMILY(cat_owners, rows, .needs = NEED_RDT_A | NEED_2_CPUS, .risk = RISK_MSR, .rests_on = RESTS_ON_REGISTERS,
             .order = 330);
