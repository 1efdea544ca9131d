/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD's limit of bandwidth, of every CLOS and on every core. Witness: the time that a stream of known size takes. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/checks/allocation/mba_stream.h"

#define APM_BW      "APM vol. 2 19.4.5 L3 External Bandwidth Enforcement (L3BE)"
#define SLOWED      0.8 /* of the rate without a limit: enough to show it at a glance */
#define LIMIT_UNITS 8u  /* of 1/8 GB/s */
#define LIMIT_BYTES 1e9
#define LIMIT_MOST  1.1

static enum status judge_ceiling(struct check *c, uint32_t domain, uint32_t cpu, uint32_t clos, double unlimited,
                                 double limited)
{
    struct place place = place_domain_cpu(domain, cpu);

    if (unlimited < 1.2 * LIMIT_BYTES)
        return check_absent(c, "L3 domain %u: cpu %u moves %lu MB/s without a limit; 1200 MB/s are needed", domain, cpu,
                            (uint64_t)(unlimited / 1e6));
    excludes_share(c, "an excess over the limit", limited, LIMIT_MOST * LIMIT_BYTES);
    if (!check_measure(c, "rate under a limit of 1 GB/s", place, limited, "bytes/s", 0, LIMIT_MOST * LIMIT_BYTES))
        finding(c, FINDING_UNUSUAL, 0, FOUND_LIMIT_EXCEEDED, place,
                "the limit of CLOS %u is 1000 MB/s, and a stream in it moves %lu MB/s", clos,
                (uint64_t)(limited / 1e6));
    return ST_OK;
}

/* One core in one class. glance: first one stream with the limit and one without, which is enough where the limit
 * shows. */
static enum status ceiling_of_core(struct check *c, uint32_t domain, uint32_t cpu, uint32_t clos, struct alloc_table *t,
                                   bool glance)
{
    const struct mba_setting settings[] = { { L3QOS_BW_CONTROL_U(t->bits - 1), MBA_UNCHANGED }, /* no limit */
                                            { LIMIT_UNITS, MBA_UNCHANGED } };
    struct mba_stream s;
    struct rates r;
    double ratio = 1;

    tools_reset(c->tools);
    TRY(mba_stream_init(c, domain, cpu, &s));
    s.clos = clos;
    s.class_first = cpu != ANY_CPU;
    if (glance)
        TRY(mba_stream_glance(c, domain, &s, t, settings, &ratio));
    if (ratio <= SLOWED)
        return ST_OK;
    TRY(mba_stream_rates(c, domain, &s, t, settings, 2, &r));
    return judge_ceiling(c, domain, s.cpus[0], clos, r.median[0], r.median[1]);
}

static enum status amd_ceiling(struct check *c, uint32_t domain)
{
    struct alloc_table t = alloc_amd_bandwidth(c);

    if (t.classes < 2)
        return check_absent(c, "no L3 external bandwidth enforcement is enumerated (CPUID.80000020H.0:EBX[1] = 0)");
    TRY(ceiling_of_core(c, domain, ANY_CPU, 1, &t, false));
    return mba_others(c, domain, &t, ceiling_of_core);
}

static const struct check_row rows[] = {
    { .id = "amd.ceiling",
      .title = "An L3QOS_BW_CONTROL limit caps the read bandwidth of its CLOS",
      .spec = APM_BW,
      .covers = "MA-08",
      .detects = "a bandwidth limit without effect",
      .means = "an L3 external bandwidth limit is stored and has no effect",
      .next = "`amd.limits` first; then the measured rates in the stream",
      .run_domain = amd_ceiling },
};
CHECK_FAMILY(amd_ceiling, rows, .needs = NEED_AMD_QOS | NEED_TOTAL, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .order = 700);
