/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD's limits of bandwidth, of all memory and of slow memory, of every CLOS and on every core. Witness: the time that a
 * stream of known size takes. Slow memory is that of a node without processors whose reads BMEC counts as reads of slow
 * memory: no table that is read distinguishes it from a node whose processors are fused off. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/checks/bandwidth/mba_stream.h"
#include "core/checks/amd/amd_counters.h"
#include "core/load/memory.h"

#define APM_BW      "APM vol. 2 19.4.5 L3 External Bandwidth Enforcement (L3BE), 19.4.6 L3 Slow Memory Bandwidth Enforcement"
#define SLOW_LEAST  0.5 /* of a read of the node, that counts as one of slow memory */
#define SLOWED      0.8 /* of the rate without a limit: enough to show it at a glance */
#define LIMIT_UNITS 8u  /* of 1/8 GB/s */
#define LIMIT_BYTES 1e9
#define LIMIT_MOST  1.1
#define LIMIT_LEAST 0.75 /* no document says how close a limit is met: one that acts as half of itself shows */

static enum status judge_ceiling(struct check *c, uint32_t domain, uint32_t cpu, uint32_t clos, const struct rates *r)
{
    struct place place = place_domain_cpu(domain, cpu);
    double unlimited = r->median[0], limited = r->median[1], least = LIMIT_LEAST * LIMIT_BYTES / (1 + r->spread);

    if (unlimited < 1.2 * LIMIT_BYTES)
        return check_absent(c, "L3 domain %u: cpu %u moves %lu MB/s without a limit; 1200 MB/s are needed", domain, cpu,
                            (uint64_t)(unlimited / 1e6));
    excludes_share(c, "an excess over the limit", limited, LIMIT_MOST * LIMIT_BYTES);
    excludes_share(c, "a lack below the limit", limited, least);
    if (!check_measure(c, "rate under a limit of 1 GB/s", place, limited, "bytes/s", least, LIMIT_MOST * LIMIT_BYTES))
        finding(c, FINDING_UNUSUAL, 0, limited < least ? FOUND_LIMIT_TOO_LOW : FOUND_LIMIT_EXCEEDED, place,
                "the limit of CLOS %u is 1000 MB/s, and a stream in it moves %lu MB/s", clos,
                (uint64_t)(limited / 1e6));
    return ST_OK;
}

/* No limit, a strict one, and U beside that one. */
static void no_and_strict_limit(const struct alloc_table *t, struct mba_setting settings[3])
{
    uint64_t u = L3QOS_BW_CONTROL_U(t->bits - 1);

    settings[0] = (struct mba_setting){ u, MBA_UNCHANGED };
    settings[1] = (struct mba_setting){ LIMIT_UNITS, MBA_UNCHANGED };
    settings[2] = (struct mba_setting){ u | LIMIT_UNITS, MBA_UNCHANGED };
}

/* Bandwidth is not limited where U is set, whatever BW is. */
static void judge_unlimited(struct check *c, uint32_t domain, const struct mba_stream *s, const struct rates *r)
{
    struct place place = place_clos(domain, s->clos);

    excludes_share(c, "a limit beside U", r->median[2], SLOWED * r->median[0]);
    if (r->median[1] <= SLOWED * r->median[0] && !check_measure(c, "rate with U beside a limit", place, r->median[2],
                                                                "bytes/s", SLOWED * r->median[0], NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_UNLIMITED_SLOWED, place,
                "with U set a stream moves %lu MB/s beside a limit of 1000 MB/s, and %lu MB/s without one",
                (uint64_t)(r->median[2] / 1e6), (uint64_t)(r->median[0] / 1e6));
}

/* One core in one class. glance: first one stream with the limit and one without, which is enough where the limit
 * shows. */
static enum status ceiling_of_core(struct check *c, uint32_t domain, uint32_t cpu, uint32_t clos, struct alloc_table *t,
                                   bool glance)
{
    struct mba_setting settings[3];
    struct mba_stream s;
    struct rates r;
    double rates[2] = { 0 };

    no_and_strict_limit(t, settings);
    tools_reset(c->tools);
    TRY(mba_stream_init(c, domain, cpu, &s));
    if (t->first == L3QOS_SMBW_CONTROL(0))
        TRY(memory_scatter_apart(c, s.cpus[0], s.bytes, &s.base));
    s.clos = clos;
    s.class_first = cpu != ANY_CPU;
    if (glance)
        TRY(mba_stream_glance(c, domain, &s, t, settings, 2, rates));
    if (glance && rates[1] <= SLOWED * rates[0] && rates[1] >= LIMIT_LEAST * LIMIT_BYTES)
        return ST_OK;
    if (cpu == ANY_CPU)
        TRY(mba_lifted(c, domain, &s, t, low_bits(t->bits - 1), settings[0].own, settings[1].own, SLOWED));
    TRY(mba_stream_rates(c, domain, &s, t, settings, cpu == ANY_CPU ? 3 : 2, &r));
    if (r.n == 3)
        judge_unlimited(c, domain, &s, &r);
    if (t->first == L3QOS_BW_CONTROL(0) && cpu == ANY_CPU && r.median[1] <= SLOWED * r.median[0])
        TRY(mba_concurrent(c, domain, &s, t, settings[0].own, settings[1].own, SLOWED, r.median[1],
                           FOUND_LIMIT_EXCEEDED));
    return judge_ceiling(c, domain, s.cpus[0], clos, &r);
}

/* The same class reads ordinary memory, under no limit and under one of slow memory. */
static enum status judge_ordinary(struct check *c, uint32_t domain, struct alloc_table *t)
{
    struct mba_setting settings[3];
    struct mba_stream s;
    struct rates r;
    double least;

    no_and_strict_limit(t, settings);
    tools_reset(c->tools);
    TRY(mba_stream_init(c, domain, ANY_CPU, &s));
    s.clos = 1;
    TRY(mba_stream_rates(c, domain, &s, t, settings, 2, &r));
    TRY(mba_rates_steady(c, domain, &r));
    least = r.median[0] * (1 - mba_alike_share(&r));
    excludes_share(c, "ordinary memory slowed", r.median[1], least);
    if (!check_measure(c, "rate of ordinary memory under a limit of slow memory", place_domain_cpu(domain, s.cpus[0]),
                       r.median[1], "bytes/s", least, NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER_CLOS_SLOWED, place_domain_cpu(domain, s.cpus[0]),
                "a stream of ordinary memory in CLOS 1 moves %lu MB/s, and %lu MB/s where slow memory has a limit",
                (uint64_t)(r.median[0] / 1e6), (uint64_t)(r.median[1] / 1e6));
    return ST_OK;
}

/* ST_ABSENT: check_absent() has said why the limit of slow memory cannot be shown. */
static enum status slow_memory(struct check *c, uint32_t domain)
{
    double share = 0;

    TRY(amd_slow_share(c, domain, &share));
    check_show(c, "MBM of slow memory over bytes of a node without processors", place_domain(domain), share, "ratio");
    return share < SLOW_LEAST
               ? check_absent(c, "reads of the node without processors do not count as of slow memory (BMEC)")
               : ST_OK;
}

static enum status slow_ceiling(struct check *c, uint32_t domain)
{
    struct alloc_table t = alloc_amd_slow_bandwidth(c);
    char why[256];
    enum status st;

    if (t.classes < 2)
        return ST_OK;
    st = slow_memory(c, domain);
    if (st == ST_ABSENT) {
        check_take_reason(c, why, sizeof why);
        check_note(c, "L3 domain %u: the limit of slow memory is not shown: %s", domain, why);
        return ST_OK;
    }
    TRY(st);
    TRY(ceiling_of_core(c, domain, ANY_CPU, 1, &t, false));
    TRY(judge_ordinary(c, domain, &t));
    return mba_others(c, domain, &t, ceiling_of_core);
}

static enum status amd_ceiling(struct check *c, uint32_t domain)
{
    struct alloc_table t = alloc_amd_bandwidth(c);

    if (t.classes < 2)
        return check_absent(c, "no L3 external bandwidth enforcement is enumerated (CPUID.80000020H.0:EBX[1] = 0)");
    TRY(ceiling_of_core(c, domain, ANY_CPU, 1, &t, false));
    TRY(mba_others(c, domain, &t, ceiling_of_core));
    return slow_ceiling(c, domain);
}

static const struct check_row rows[] = {
    { .id = "amd.ceiling",
      .title = "A bandwidth limit caps what its CLOS reads: of all memory, or of slow memory alone",
      .spec = APM_BW,
      .covers = "MA-08 MA-10",
      .detects =
          "a bandwidth limit without effect, beside U or after its removal; one of slow memory (CXL) that limits all",
      .means = "a bandwidth limit is stored, and has no effect or another one",
      .next = "`amd.limits` first; then the measured rates in the stream",
      .run_domain = amd_ceiling },
};
CHECK_FAMILY(amd_ceiling, rows, .needs = NEED_AMD_QOS | NEED_TOTAL, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_BANDWIDTH, .by_experience = true, .excludes = true, .order = 700);
