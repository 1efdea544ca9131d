/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory Bandwidth Allocation (MBA): which delay values IA32_L2_QoS_Ext_BW_Thrtl_n stores and refuses. Their effect
 * on traffic: mba_effect.c, amd_ceiling.c. */
#include "core/domain/alloc_owners.h"

#define RDT_MBA "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation"

static const struct rdt_mba *mba_of(const struct alloc_walk *w)
{
    const struct check *c = w->sweep.check;

    return &reference_rdt(c)->mba;
}

/* Linear delay values ascend from 0 to MBA_MAX (10H.3:EAX) in steps of 100 less MBA_MAX, others are powers of two. */
static uint32_t legal_delays(const struct alloc_walk *w, uint64_t *values)
{
    const struct rdt_mba *mba = mba_of(w);
    uint32_t step = mba->max_delay < 100 ? 100 - mba->max_delay : 10, n = 0;

    values[n++] = 0;
    if (mba->linear)
        for (uint32_t delay = step; delay <= mba->max_delay && n < ALLOC_VALUES; delay += step)
            values[n++] = delay;
    else
        for (uint32_t delay = 1; delay <= mba->max_delay && n < ALLOC_VALUES; delay *= 2)
            values[n++] = delay;
    return n;
}

/* Skylake-SP reads some legal values back as a smaller legal one (intel-cmt-cat issue 69: 30 reads 10), and acts on
 * that. No bit of such a value is stuck: a multiple of the step less a power of two is no multiple of it. */
static bool is_rounded(const struct alloc_walk *w, uint64_t written, uint64_t got)
{
    const struct rdt_mba *mba = mba_of(w);
    uint32_t step = mba->max_delay < 100 ? 100 - mba->max_delay : 10;

    return mba->linear && got > 0 && got < written && got % step == 0;
}

static uint32_t above_mba_max(const struct alloc_walk *w, uint64_t *values)
{
    values[0] = (uint64_t)mba_of(w)->max_delay + 1;
    return 1;
}

static enum status mba_walk(struct check *c, struct alloc_walk *w)
{
    if (w->table->classes == 0)
        return check_absent(c, "CPUID.(EAX=10H,ECX=3) cannot be read");
    return alloc_walk(c, w);
}

static enum status check_mba_delays(struct check *c)
{
    struct alloc_table t = alloc_throttles(c);
    struct alloc_walk w = { .table = &t,
                            .rule = "a legal MBA delay value is stored as written",
                            .expect = ALLOC_STORED,
                            .soft = true, /* no document says that these registers read back what was written */
                            .values = legal_delays,
                            .equals = is_rounded };
    const uint64_t own[2] = { 0, reference_rdt(c)->mba.max_delay };

    TRY(mba_walk(c, &w));
    return alloc_owners_walk(c, &t, own);
}

static enum status check_mba_limit(struct check *c)
{
    struct alloc_table t = alloc_throttles(c);
    struct alloc_walk w = { .table = &t,
                            .rule = "an MBA delay value above MBA_MAX raises #GP",
                            .expect = ALLOC_REFUSED,
                            .soft = true, /* the specification says it of CBA only */
                            .values = above_mba_max };

    return mba_walk(c, &w);
}

static const struct check_row rows[] = {
    { .id = "mba.delays",
      .title = "Every CLOS stores every MBA delay value",
      .covers = "MA-02 XC-02",
      .detects = "a stuck bit of a delay value, one that reaches another class or another L3",
      .means = "IA32_L2_QoS_Ext_BW_Thrtl_n rounds, drops or refuses a legal delay value",
      .next = "CLOS, value and processor in the finding; 10H.3:EAX and ECX[2] (linear); published errata named with it",
      .rests_on = RESTS_ON_THROTTLES,
      .run = check_mba_delays },
    { .id = "mba.limit",
      .title = "An MBA delay value above MBA_MAX raises #GP",
      .covers = "MA-03",
      .means = "IA32_L2_QoS_Ext_BW_Thrtl_n accepts delay values above its enumerated maximum",
      .next = "10H.3:EAX (MBA_MAX less one) in the evidence; `mba.delays`; published errata named with it",
      .run = check_mba_limit },
};
CHECK_FAMILY(mba, rows, .spec = RDT_MBA, .needs = NEED_MBA, .risk = RISK_MSR, .grade = GRADE_W,
             .rests_on = RESTS_ON_REGISTERS, .order = 350);
