/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What no document says of a part, and every first machine is to tell: what reads and WBINVD take, how soon and in
 * which steps traffic is counted. assay-report behaviour makes a table of it by part, the page a section. */
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/stats.h"
#include "core/base/ticks.h"
#include "core/domain/domains.h"
#include "core/experiment/mbm_counts.h"
#include "core/load/loads.h"
#include "core/load/memory.h"
#include "core/platform/script.h"

#define ACCESSES  32u /* reads of an RMID: the median counts                                      */
#define READS     16u /* of 1, 2, 3, 1 .. counts                                               */
#define POLLS     20u /* after pauses of 1, 2, 4 .. us: a second                               */
#define POLLS_FEW 14u /* where loads are limited: 16 ms                                        */
#define BUDGET_MS 10000u

struct behaviour {
    struct check *check;
    struct qm_domain *qm;
    uint32_t rmid;
    uint64_t base, pqr; /* IA32_PQR_ASSOC as found */
};

/* At the keyhole, as steps of the processor that reads for the L3. */
static enum status at_keyhole(struct behaviour *b, struct step *steps, uint32_t n, uint64_t bytes)
{
    struct platform *p = b->check->platform;
    enum status st = qm_lock_take(p, &b->qm->keyhole);

    if (st == ST_OK) {
        st = script_run(p, b->qm->cpu, steps, n, work_budget_ms(bytes) + BUDGET_MS);
        qm_lock_release(&b->qm->keyhole);
    }
    for (uint32_t i = 0; i < n && st == ST_OK; i++)
        st = steps[i].status;
    return st == ST_OK ? ST_OK : check_unmeasured(b->check, st, b->qm->cpu, "IA32_PQR_ASSOC, IA32_QM_CTR");
}

static uint32_t put_read(const struct behaviour *b, struct step *steps, enum qm_event event)
{
    steps[0] = step_wrmsr(IA32_QM_EVTSEL, qm_evtsel_of(b->qm, b->rmid, event));
    steps[1] = step_rdmsr(IA32_QM_CTR);
    return 2;
}

/* --- BH-01: what a read of an RMID and WBINVD take; of IA32_PQR_ASSOC it is pqr.cost's ------------------------------ */

static enum status measure_reads(struct behaviour *b)
{
    struct step steps[2 * (ACCESSES + 1)];
    double ticks[ACCESSES];
    struct summary s;

    for (uint32_t i = 0; i <= ACCESSES; i++)
        put_read(b, &steps[2 * i], QM_EVENT_L3_TOTAL);
    TRY(at_keyhole(b, steps, 2 * (ACCESSES + 1), 0));
    for (uint32_t i = 0; i < ACCESSES; i++)
        ticks[i] = (double)(steps[2 * i + 3].tsc - steps[2 * i + 1].tsc);
    if (stats_summary(ticks, ACCESSES, &s) == ST_OK)
        check_show(b->check, "WRMSR IA32_QM_EVTSEL and RDMSR IA32_QM_CTR, median", PLACE_NONE, s.median, "TSC ticks");
    return ST_OK;
}

/* WBINVD of n processors at once, after one of them has modified half of the L3. */
static enum status measure_clean(struct behaviour *b, const char *name, const uint32_t *cpus, uint32_t n)
{
    struct check *c = b->check;
    uint64_t left = ROUND_DOWN(memory_left_any(c, cpus[0])), half = load_half_l3(c, b->qm->index), most = 0;
    uint64_t bytes = left < half ? left : half;
    struct work work = { .kind = WORK_WRITE, .passes = 1, .bytes = bytes };
    struct task *tasks;
    struct step *steps;
    enum status st;

    TRY_ALLOC(c, tasks, n, "WBINVD");
    TRY_ALLOC(c, steps, 4 * (size_t)n, "WBINVD");
    TRY(memory_take_any(c, cpus[0], bytes, &work.base));
    for (uint32_t i = 0; i < n; i++) {
        struct step *s = &steps[4 * i];

        s[0] = i == 0 ? step_work(&work) : step_spin(0);
        s[1] = step_barrier();
        s[2] = step_rdmsr(IA32_PQR_ASSOC);
        s[3] = step_wbinvd();
        tasks[i] = (struct task){ .cpu = cpus[i], .n_steps = 4, .steps = s };
    }
    st = platform_run(c->platform, tasks, n, work_budget_ms(bytes) + BUDGET_MS);
    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        uint64_t ticks = steps[4 * i + 3].tsc - steps[4 * i + 2].tsc;

        st = status_first(tasks[i].status, steps[4 * i + 3].status);
        most = ticks > most ? ticks : most;
    }
    if (st != ST_OK)
        return check_unmeasured(c, st, cpus[0], "WBINVD");
    check_show(c, name, PLACE_NONE, (double)ticks_to_ns(most, c->platform->tsc_hz) / 1000, "us");
    tools_reset(c->tools);
    return ST_OK;
}

static enum status measure_cleans(struct behaviour *b)
{
    uint32_t n, *cpus = domain_all_cpus(b->check, b->qm->index, &n);

    if (!cpus || n == 0)
        return cpus ? check_absent(b->check, "L3 domain %u: no processor takes work", b->qm->index) : ST_NO_MEMORY;
    n = domain_one_a_core(b->check, cpus, n);
    TRY(measure_clean(b, "WBINVD by one processor, half of the L3 modified", cpus, 1));
    return n > 1 ? measure_clean(b, "longest WBINVD, one processor of each core at once", cpus, n) : ST_OK;
}

/* --- BH-02, MB-01: how soon and in which steps traffic is counted ------------------------------------------------- */

static uint64_t counts_of(const struct step *read)
{
    return field_get(IA32_QM_CTR_DATA, read->value);
}

/* What all steps of the counts are a multiple of, in bytes. 1: not seen, or one count. */
static void measure_step(struct behaviour *b, const char *name, const struct step *steps, uint32_t stride)
{
    uint64_t counts[READS];

    for (uint32_t i = 0; i < READS; i++)
        counts[i] = counts_of(&steps[i * stride]);
    check_show(b->check, name, PLACE_NONE, (double)mbm_count_step(counts, READS, b->qm->counter_width), "counts");
}

/* The last change after the end of the reads; what an RMID without a processor counts in the second half of the time
 * is not theirs. */
static void judge_polls(struct behaviour *b, const struct step *polls, uint32_t n, uint64_t end)
{
    struct check *c = b->check;
    const struct step *last = &polls[3 * n - 1], *half = last - 3;
    double bytes = qm_moved_bytes(b->qm, counts_of(half), counts_of(last)), seconds;
    uint64_t changed = end;

    for (uint32_t i = 1; i < n; i++)
        if (counts_of(&polls[3 * i + 2]) != counts_of(&polls[3 * i - 1]))
            changed = polls[3 * i + 2].tsc; /* where it was seen */
    check_show(c, "last change of MBM total after a read, at most", PLACE_NONE,
               changed > end ? (double)ticks_to_ns(changed - end, c->platform->tsc_hz) / 1000 : 0, "us");
    evidence_msr(c, b->qm->cpu, IA32_QM_CTR, half->value, half->tsc);
    evidence_msr(c, b->qm->cpu, IA32_QM_CTR, last->value, last->tsc);
    seconds = (double)(last->tsc - half->tsc) / (double)c->platform->tsc_hz;
    if (n == POLLS && bytes > IDLE_BYTES * (seconds > 1 ? seconds : 1))
        finding(c, FINDING_UNUSUAL, 0, FOUND_COUNTED_ELSEWHERE, place_rmid(b->qm->index, b->rmid),
                "%lu bytes in the %lu us before the last reading, %lu us after a read under the RMID", (uint64_t)bytes,
                (uint64_t)(1e6 * seconds), ticks_to_ns(last->tsc - end, c->platform->tsc_hz) / 1000);
}

#define READ_STEPS 5u

/* Of one count, in whole lines. */
static uint64_t count_bytes(const struct behaviour *b)
{
    return (b->qm->upscaling_factor / 64 + 1) * UINT64_C(64);
}

static enum status measure_counts(struct behaviour *b)
{
    const struct platform *p = b->check->platform;
    const uint32_t polls = p->load_limit ? POLLS_FEW : POLLS;
    struct step *steps = check_alloc(b->check, (2 + READS * READ_STEPS + 3 * POLLS) * sizeof steps[0]), *s = steps;
    uint64_t at = b->base, us = p->tsc_hz / 1000000 + 1;
    struct work works[READS];

    if (!steps)
        return check_unmeasured(b->check, ST_NO_MEMORY, b->qm->cpu, "IA32_QM_CTR");
    *s++ = step_wrmsr_must(IA32_PQR_ASSOC, pqr_with_rmid(b->pqr, b->rmid + p->cpus[b->qm->cpu].first_rmid));
    for (uint32_t i = 0; i < READS; i++) {
        works[i] = (struct work){ .kind = WORK_READ, .passes = 1, .base = at, .bytes = (1 + i % 3) * count_bytes(b) };
        at += works[i].bytes;
        *s++ = step_work(&works[i]);
        s += put_read(b, s, QM_EVENT_L3_TOTAL);
        s += put_read(b, s, QM_EVENT_L3_OCCUPANCY);
    }
    *s++ = step_wrmsr(IA32_PQR_ASSOC, b->pqr);
    for (uint32_t i = 0; i < polls; i++) {
        *s++ = step_spin(us << i);
        s += put_read(b, s, QM_EVENT_L3_TOTAL);
    }
    TRY(at_keyhole(b, steps, (uint32_t)(s - steps), at - b->base));
    measure_step(b, "step of MBM total", &steps[3], READ_STEPS);
    if (reference_rdt(b->check)->occupancy)
        measure_step(b, "step of occupancy", &steps[5], READ_STEPS);
    judge_polls(b, &steps[2 + READS * READ_STEPS], polls, works[READS - 1].tsc_end);
    return ST_OK;
}

/* On one L3: ten parts are to be compared, and the others of this one have checks of their own. */
static enum status check_behaviour(struct check *c)
{
    struct behaviour b = { .check = c, .qm = domain_qm(c, 0) };

    if (!b.qm || !domain_rmids(c, 0, &b.rmid, 1))
        return check_absent(c, "L3 domain 0: no processor takes work, or no RMID is free");
    TRY_MEASURE(c, msr_read(c->platform, b.qm->cpu, IA32_PQR_ASSOC, &b.pqr), b.qm->cpu, "IA32_PQR_ASSOC");
    TRY(measure_reads(&b));
    TRY(measure_cleans(&b));
    TRY(memory_take_local(c, b.qm->cpu, 2 * READS * count_bytes(&b), &b.base));
    return measure_counts(&b);
}

static const struct check_row rows[] = {
    { .id = "qm.behaviour",
      .title = "Traffic is counted within a second; what reads and WBINVD take is recorded",
      .spec = "SDM vol. 3B 17.16.7 Monitoring Resource Selection and Reporting Infrastructure (no time is given)",
      .covers = "BH-01 BH-02 MB-01",
      .means = "bandwidth is counted late, or under an RMID that no processor has",
      .next = "`mbm.idle`; the section How this part behaves of the page, against other parts "
              "(`assay-report behaviour`)",
      .run = check_behaviour },
};
CHECK_FAMILY(behaviour, rows, .rests_on = RESTS_ON_BANDWIDTH, .order = 330, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .needs = NEED_RDT_M | NEED_TOTAL);
