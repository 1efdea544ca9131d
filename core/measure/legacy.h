/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/measure/legacy.h: the calls of core/measure as they were before enum status travelled: bool and char why[]. It goes
 * with the last check that uses it. */
#pragma once
#include "core/base/text.h"
#include "core/measure/each.h"
#include "core/measure/memory.h"
#include "core/measure/monitor.h"
#include "core/measure/waves.h"

#define WHY_SIZE 160
/* row.run_domain of a function that says false with why[]. */
#define LEGACY_DOMAIN(name)                                                                                            \
    static enum status name##_status(struct check *c, uint32_t domain)                                                 \
    {                                                                                                                  \
        char why[WHY_SIZE] = "";                                                                                       \
                                                                                                                       \
        return name(c, domain, why) ? ST_OK : absent(c, "%s", why);                                                    \
    }

static inline bool legacy_took(struct check *c, enum status st, char why[WHY_SIZE])
{
    if (st != ST_OK)
        check_take_reason(c, why, WHY_SIZE);
    return st == ST_OK;
}
static inline bool legacy_said(struct check *c, enum status st)
{
    check_conclude(c, st);
    return st == ST_OK;
}
static inline bool take_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *base, char why[WHY_SIZE])
{
    return legacy_took(c, memory_take_local(c, cpu, bytes, base), why);
}
static inline bool take_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *base, char why[WHY_SIZE])
{
    return legacy_took(c, memory_take_any(c, cpu, bytes, base), why);
}
static inline bool bench_any(struct check *c, uint32_t domain, uint32_t n, uint64_t bytes, struct test_buffer *b,
                             char why[WHY_SIZE])
{
    return legacy_took(c, test_buffer_any(c, domain, n, bytes, b), why);
}
static inline bool bench_local(struct check *c, uint32_t domain, uint32_t n, uint64_t bytes, struct test_buffer *b,
                               char why[WHY_SIZE])
{
    return legacy_took(c, test_buffer_local(c, domain, n, bytes, b), why);
}
static inline bool bench_fill(struct check *c, uint32_t domain, const struct test_buffer *b, struct reading *r)
{
    return legacy_said(c, test_buffer_fill(c, domain, b, r));
}
static inline bool experiment_run(struct experiment *e)
{
    return legacy_said(e->check, experiment_measure(e));
}
static inline bool stream_run(struct check *c, uint32_t cpu, struct traffic_part *parts, uint32_t n_parts,
                              struct reading *r, uint32_t n_readings, struct experiment *e)
{
    return legacy_said(c, experiment_stream(c, cpu, parts, n_parts, r, n_readings, e));
}
static inline struct qm_pair *legacy_counts(struct check *c, struct qm_domain *d, enum qm_event event)
{
    struct qm_pair *pairs = NULL;

    check_conclude(c, counts_read(c, d, event, &pairs));
    return pairs;
}
static inline struct qm_pair *legacy_totals(struct check *c, struct qm_domain *d)
{
    return legacy_counts(c, d, QM_EVENT_L3_TOTAL);
}
