/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory bandwidth allocation: what the throttles store and refuse. What they do to traffic: mba_effect.c. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/measure/alloc.h"

#define RDT_MBA "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation"

static const struct rdt_mba *mba_of(const struct alloc_walk *w)
{
    const struct check *c = w->sweep.check;

    return &reference_rdt(c)->mba;
}

/* Linear throttles go from 0 to the maximum in steps of 100 less the maximum, others in powers of two. */
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

static uint32_t one_more(const struct alloc_walk *w, uint64_t *values)
{
    values[0] = (uint64_t)mba_of(w)->max_delay + 1;
    return 1;
}

static enum verdict walk(struct check *c, struct alloc_walk *w)
{
    if (w->table->classes == 0)
        return skip(c, "CPUID.(0x10,3) cannot be read");
    alloc_walk(c, w);
    return check_verdict(c);
}

static enum verdict check_delays(struct check *c)
{
    struct alloc_table t = alloc_throttles(c);
    struct alloc_walk w = { .table = &t,
                            .rule = "a legal delay is stored as written",
                            .expect = ALLOC_STORED,
                            .soft = true, /* that a register reads back what was written is not said of these */
                            .values = legal_delays };

    return walk(c, &w);
}

static enum verdict check_limit(struct check *c)
{
    struct alloc_table t = alloc_throttles(c);
    struct alloc_walk w = { .table = &t,
                            .rule = "a delay above the enumerated maximum raises #GP",
                            .expect = ALLOC_REFUSED,
                            .soft = true, /* said of CBA alone */
                            .values = one_more };

    return walk(c, &w);
}

#define MEANS_USUAL "throttles are stored, refused or act otherwise than documented"
#define NEXT_USUAL  "the value and the processor in the finding; `mba.delays`; published defects named behind it"

static const struct check_row rows[] = {
    { .id = "mba.delays",
      .title = "Every class stores every step of its throttle",
      .spec = RDT_MBA,
      .rows = "MA-02",
      .detects = "a stuck bit of a throttle",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MBA,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS | RESTS_ON_THROTTLES,
      .order = 350,
      .run = check_delays },
    { .id = "mba.limit",
      .title = "A delay above the maximum is refused",
      .spec = RDT_MBA,
      .rows = "MA-03",
      .detects = "the limit not enforced",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_MBA,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 350,
      .run = check_limit },
};
CHECK_FAMILY(mba, rows);
