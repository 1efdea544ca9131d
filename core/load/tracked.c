/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/load/tracked.h"

#include "arch/x86/rdt/qm.h"
#include "core/load/loads.h"

#define BRING_DIVISOR 10000u /* the RMID is on the processor for 0.1 ms */
#define BRING_TRIES   5u
#define QUIET_NS      UINT64_C(20000000)

/* What the RMID moved before is counted when its events have been read and a while has passed: no document says how
 * late counters are. */
static enum status read_and_wait(struct check *c, struct qm_domain *qm, uint32_t rmid)
{
    static const enum qm_event events[] = { QM_EVENT_L3_TOTAL, QM_EVENT_L3_LOCAL };
    struct platform *p = c->platform;
    struct qm_sample s;

    for (uint32_t i = 0; i < (reference_rdt(c)->local ? 2 : 1); i++) {
        enum status st = qm_read(p, qm, rmid, events[i], &s);

        if (st != ST_OK && st != ST_UNAVAILABLE)
            return check_unmeasured(c, st, qm->cpu, "IA32_QM_CTR");
    }
    platform_stall(p, QUIET_NS);
    return ST_OK;
}

enum status tracked_bring(struct check *c, uint32_t cpu, uint32_t rmid, enum qm_event event)
{
    uint32_t domain = c->machine->cpus[cpu].domain, bad_cpu = cpu;
    struct traffic_part part = part_idle(rmid, c->platform->tsc_hz / BRING_DIVISOR);
    struct traffic_load load = { .cpu = cpu, .n_parts = 1, .parts = &part };
    struct qm_domain *qm = domain == NO_DOMAIN ? NULL : domain_qm(c, domain);
    struct qm_sample s;
    enum status st;

    if (qm == NULL)
        return check_absent(c, "no processor reads IA32_QM_CTR for cpu %u", cpu);
    if (reference_is_intel(c))
        return read_and_wait(c, qm, rmid);
    TRY_MEASURE(c, traffic_run(c->platform, &load, 1, NULL, NULL, &bad_cpu), bad_cpu, "the workload");
    st = qm_read_wait(c->platform, qm, rmid, event, BRING_TRIES, &s, NULL);
    if (st == ST_UNAVAILABLE)
        return check_absent(c,
                            "L3 domain %u, RMID %u: Unavailable (bit 62) on each of %u reads, although cpu %u had the "
                            "RMID",
                            domain, rmid, BRING_TRIES, cpu);
    return st == ST_OK ? read_and_wait(c, qm, rmid) : check_unmeasured(c, st, qm->cpu, "IA32_QM_CTR");
}
