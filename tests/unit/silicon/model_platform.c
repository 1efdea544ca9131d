/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The model as a platform: workloads, barriers, virtual time, dead processors, firmware tables. */
#include "tests/silicon/host/host_platform.h"

#include <criterion/criterion.h>
#include <string.h>

#include "arch/x86/tables/acpi.h"
#include "arch/x86/tables/smbios.h"
#include "core/base/bits.h"
#include "core/base/search.h"

enum { PQR = 0xC8F, EVTSEL = 0xC8D, CTR = 0xC8E, SMI_COUNT = 0x34 };

/* A test has its last two machines: making another one frees the older. */
static struct model_platform *platform_on(struct model_config config, uint64_t node_bytes)
{
    static struct model_platform *machines[2];
    static uint32_t made;
    struct model_platform *mp = model_platform_new(&config, node_bytes), **older = &machines[made++ % 2];

    cr_assert(mp);
    if (*older)
        model_platform_free(*older);
    return *older = mp;
}

static struct model_platform *platform_of(uint32_t packages, uint32_t cores, uint32_t threads)
{
    return platform_on((struct model_config){ .packages = packages, .cores = cores, .threads = threads }, 0);
}

static enum status run(struct model_platform *mp, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    return mp->platform.ops->run(mp->platform.machine, tasks, n, budget_ms);
}

static enum status run_steps(struct model_platform *mp, uint32_t cpu, struct step *steps, uint32_t n)
{
    struct task task = { .cpu = cpu, .n_steps = n, .steps = steps };

    return run(mp, &task, 1, 1000000);
}

/* What a step by itself came to. */
static enum status step_on(struct model_platform *mp, uint32_t cpu, struct step *step)
{
    cr_assert_eq(run_steps(mp, cpu, step, 1), ST_OK);
    return step->status;
}

static enum status run_work(struct model_platform *mp, uint32_t cpu, struct work *w)
{
    struct step step = { .op = STEP_WORK, .work = w };

    return step_on(mp, cpu, &step);
}

static uint64_t memory(struct model_platform *mp, uint64_t bytes)
{
    uint64_t address = 0;

    cr_assert_eq(mp->platform.ops->alloc(mp->platform.machine, 0, UINT64_MAX, bytes, &address), ST_OK);
    return address;
}

static struct model_truth truth_of(struct model_platform *mp, uint32_t package, uint32_t rmid)
{
    struct model_truth t;

    model_truth(mp->model, package, rmid, &t);
    return t;
}

/* --- workloads */

Test(model_platform_work, makes_the_accesses_of_its_kind)
{
    static const struct {
        enum work_kind kind;
        uint64_t moved, touched, accesses, lines_in, there;
    } cases[] = {
        /* 1000 lines, 2 passes */
        { WORK_READ, 128000, 1000, 2000, 1000, 1000 },
        { WORK_WRITE, 128000, 1000, 2000, 1000, 1000 },
        { WORK_RMW, 128000, 1000, 4000, 1000, 1000 },
        { WORK_NT_WRITE, 128000, 1000, 8000, 0, 0 },
        { WORK_COPY, 256000, 2000, 4000, 2000, 2000 },
        { WORK_CHASE_PREPARE, 128000, 1000, 2 * (1000 + 4 * 999), 1000, 1000 },
        { WORK_FLUSH, 128000, 1000, 4000, 2000, 0 },
        { WORK_CODE_PREPARE, 128000, 1000, 2 * (8 * 999 + 1), 1000, 1000 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_platform *mp = platform_of(1, 1, 1);
        struct work w = { .kind = cases[i].kind, .passes = 2, .bytes = 64000 };

        w.base = memory(mp, w.bytes);
        w.dst = memory(mp, w.bytes);
        cr_expect_eq(run_work(mp, 0, &w), ST_OK);
        cr_expect_eq(w.moved_bytes, cases[i].moved, "kind %d", w.kind);
        cr_expect_eq(w.touched_lines, cases[i].touched, "kind %d", w.kind);
        cr_expect_eq(w.accesses, cases[i].accesses, "kind %d: %lu", w.kind, w.accesses);
        cr_expect_lt(w.tsc_begin, w.tsc_end);
        cr_expect_eq(truth_of(mp, 0, 0).rmid_total_lines, cases[i].lines_in, "kind %d", w.kind);
        cr_expect_eq(truth_of(mp, 0, 0).rmid_lines, cases[i].there, "kind %d", w.kind);
    }
}

/* Whatever prefetchers bring for a load is flushed after it; the pass may begin and end inside of a page. */
Test(model_platform_work, leaves_nothing_in_the_caches_where_it_flushes)
{
    static const char *const prefetchers[] = { "l1-prefetch=on", "l2-prefetch=on", "l1-prefetch=on,l2-prefetch=on" };

    for (size_t i = 0; i < sizeof prefetchers / sizeof *prefetchers; i++) {
        struct model_platform *mp = platform_on(MODEL("bdx", 1, 1, 1, .realism = prefetchers[i]), 0);
        struct work w = { .kind = WORK_FLUSH, .passes = 1, .bytes = 64000 };
        uint64_t before;

        cr_assert(mp);
        w.base = memory(mp, w.bytes + 4096) + 640;
        cr_expect_eq(run_work(mp, 0, &w), ST_OK);
        before = truth_of(mp, 0, 0).rmid_total_lines;
        w.kind = WORK_READ;
        cr_expect_eq(run_work(mp, 0, &w), ST_OK);
        cr_expect_geq(truth_of(mp, 0, 0).rmid_total_lines - before, 1000, "%s: %lu lines", prefetchers[i],
                      truth_of(mp, 0, 0).rmid_total_lines - before);
    }
}

Test(model_platform_work, chases_through_every_line_once)
{
    struct model_platform *mp = platform_of(1, 1, 1);
    struct work w = { .kind = WORK_CHASE, .passes = 1, .bytes = 64 * 5000 };
    struct model_truth before;

    w.base = memory(mp, w.bytes);
    cr_expect_eq(run_work(mp, 0, &w), ST_CORRUPT, "there is no order in this memory yet");
    cr_expect_eq(w.accesses, 1);
    w.kind = WORK_CHASE_PREPARE;
    w.seed = 3;
    cr_expect_eq(run_work(mp, 0, &w), ST_OK);
    model_wbinvd(mp->model, 0);
    before = truth_of(mp, 0, 0);
    w.kind = WORK_CHASE;
    cr_expect_eq(run_work(mp, 0, &w), ST_OK);
    cr_expect_eq(w.accesses, 5000);
    cr_expect_eq(w.proof, UINT64_C(5000) * 4999 / 2, "each number once");
    cr_expect_eq(truth_of(mp, 0, 0).rmid_total_lines - before.rmid_total_lines, 5000);
    w.kind = WORK_WRITE;
    w.bytes = 64;
    cr_expect_eq(run_work(mp, 0, &w), ST_OK);
    w.kind = WORK_CHASE;
    w.bytes = 64 * 5000;
    cr_expect_eq(run_work(mp, 0, &w), ST_CORRUPT, "a store into the order destroys it");
}

static enum status code(struct model_platform *mp, uint32_t cpu, struct work *w, enum work_kind kind, uint64_t lines)
{
    w->kind = kind;
    w->bytes = 64 * lines;
    return run_work(mp, cpu, w);
}

/* 2 MiB on Broadwell-EP, whose L2 has 256 KiB: each line is fetched from the L3, twice. */
Test(model_platform_work, runs_code_that_was_prepared)
{
    struct model_platform *mp = platform_of(1, 1, 1);
    struct work w = { .passes = 1, .base = memory(mp, 4 << 20) };

    cr_expect_eq(code(mp, 0, &w, WORK_CODE, 32768), ST_CORRUPT, "there is no code in this memory yet");
    cr_expect_eq(w.moved_bytes, 0);
    cr_expect_eq(truth_of(mp, 0, 0).rmid_total_lines, 0);
    cr_assert_eq(code(mp, 0, &w, WORK_CODE_PREPARE, 32768), ST_OK);
    model_wbinvd(mp->model, 0);
    w.passes = 2;
    cr_expect_eq(code(mp, 0, &w, WORK_CODE, 32768), ST_OK);
    cr_expect_eq(w.moved_bytes, UINT64_C(4) << 20);
    cr_expect_eq(w.touched_lines, 32768);
    cr_expect_eq(w.accesses, 0);
    cr_expect_eq(truth_of(mp, 0, 0).rmid_total_lines, UINT64_C(2) * 32768, "the stores and the first pass");
    cr_expect_eq(truth_of(mp, 0, 0).rmid_lines, 32768);
    cr_expect_gt(w.tsc_end - w.tsc_begin, UINT64_C(2) * 32768);
}

Test(model_platform_work, runs_no_other_code_than_was_prepared)
{
    struct model_platform *mp = platform_of(1, 1, 1);
    struct work w = { .passes = 1, .base = memory(mp, 1 << 20) };

    cr_assert_eq(code(mp, 0, &w, WORK_CODE_PREPARE, 2000), ST_OK);
    cr_expect_eq(code(mp, 0, &w, WORK_CODE, 1000), ST_CORRUPT, "it would not return there");
    cr_expect_eq(code(mp, 0, &w, WORK_CHASE, 2000), ST_CORRUPT, "code is no order");
    cr_expect_eq(code(mp, 0, &w, WORK_CODE, 2000), ST_OK);
    cr_expect_eq(code(mp, 0, &w, WORK_WRITE, 1), ST_OK);
    cr_expect_eq(code(mp, 0, &w, WORK_CODE, 2000), ST_CORRUPT, "a store into the code destroys it");
    cr_assert_eq(code(mp, 0, &w, WORK_CHASE_PREPARE, 2000), ST_OK);
    cr_expect_eq(code(mp, 0, &w, WORK_CODE, 2000), ST_CORRUPT, "an order is no code");
    cr_assert_eq(code(mp, 0, &w, WORK_CODE_PREPARE, 2000), ST_OK);
    cr_expect_eq(code(mp, 0, &w, WORK_CHASE, 2000), ST_CORRUPT, "nor is the order there any more");
}

Test(model_platform_work, refuses_what_the_kernels_refuse)
{
    struct model_platform *mp = platform_of(1, 1, 1);
    struct work good = { .kind = WORK_READ, .passes = 1, .base = 4096, .bytes = 64 }, w;

    w = good, w.passes = 0;
    cr_expect_eq(run_work(mp, 0, &w), ST_RANGE);
    w = good, w.bytes = 65;
    cr_expect_eq(run_work(mp, 0, &w), ST_RANGE);
    w = good, w.base = 4097;
    cr_expect_eq(run_work(mp, 0, &w), ST_RANGE);
    w = good, w.kind = WORK_COPY, w.dst = 4096;
    cr_expect_eq(run_work(mp, 0, &w), ST_RANGE);
    cr_expect_eq(run_work(mp, 0, &good), ST_OK);
}

#define READERS 16u
/* Broadwell-EP: one core alone has ten misses of 157 clocks under way, 9 GB/s. Sixteen at one memory share 73 GB/s, 1.84
 * clocks a line. */
Test(model_platform_work, takes_virtual_time_near_that_of_a_real_part)
{
    struct model_platform *mp = platform_of(1, READERS, 1);
    struct work w[READERS] = { { 0 } };
    struct step steps[READERS] = { { 0 } };
    struct task tasks[READERS] = { { 0 } };
    uint64_t lines = 1 << 16, alone, together = 0;

    for (uint32_t i = 0; i < READERS; i++) {
        w[i] = (struct work){ .kind = WORK_READ, .passes = 1, .base = memory(mp, lines * 64), .bytes = lines * 64 };
        steps[i] = (struct step){ .op = STEP_WORK, .work = &w[i] };
        tasks[i] = (struct task){ .cpu = i, .n_steps = 1, .steps = &steps[i] };
    }
    cr_expect_eq(run(mp, tasks, 1, 1000000), ST_OK);
    alone = w[0].tsc_end - w[0].tsc_begin;
    cr_expect_eq(alone, 15 * lines);
    model_wbinvd(mp->model, 0);
    cr_expect_eq(run(mp, tasks, READERS, 1000000), ST_OK);
    for (uint32_t i = 0; i < READERS; i++)
        together = w[i].tsc_end - w[i].tsc_begin > together ? w[i].tsc_end - w[i].tsc_begin : together;
    cr_expect(together > READERS * lines * 175 / 100 && together < READERS * lines * 186 / 100,
              "%lu hundredths of a tick a line", 100 * together / (READERS * lines));
}

/* --- tasks */

Test(model_platform_run, gives_a_refused_access_as_a_status)
{
    struct model_platform *mp = platform_of(1, 1, 1);
    struct step steps[] = {
        { .op = STEP_WRMSR, .reg = PQR, .value = 5 },   { .op = STEP_RDMSR, .reg = PQR },
        { .op = STEP_WRMSR, .reg = PQR, .value = 999 }, { .op = STEP_RDMSR, .reg = 0x1B, .value = 77 },
        { .op = STEP_CPUID, .reg = 0xF, .subleaf = 1 }, { .op = STEP_WBINVD },
    };

    cr_expect_eq(run_steps(mp, 0, steps, 6), ST_OK);
    cr_expect_eq(steps[0].status, ST_OK);
    cr_expect_eq(steps[1].value, 5);
    cr_expect_eq(steps[2].status, ST_FAULT);
    cr_expect_eq(steps[3].status, ST_FAULT, "a register that the model lacks");
    cr_expect_eq(steps[3].value, 77, "is not written on a fault");
    cr_expect(steps[4].regs.ebx == 0x8000 && steps[4].regs.ecx == 63);
    for (int i = 1; i < 6; i++)
        cr_expect_gt(steps[i].tsc, steps[i - 1].tsc);
}

Test(model_platform_run, leaves_the_rest_of_a_task_after_a_failed_must)
{
    struct model_platform *mp = platform_of(1, 2, 1);
    struct step a[] = { { .op = STEP_WRMSR, .reg = PQR, .value = 999, .must = true },
                        { .op = STEP_BARRIER },
                        { .op = STEP_RDMSR, .reg = PQR } };
    struct step b[] = { { .op = STEP_BARRIER }, { .op = STEP_RDMSR, .reg = PQR } };
    struct task tasks[] = { { .cpu = 0, .n_steps = 3, .steps = a }, { .cpu = 1, .n_steps = 2, .steps = b } };

    cr_expect_eq(run(mp, tasks, 2, 1000), ST_OK);
    cr_expect(a[0].status == ST_FAULT && a[1].status == ST_NOT_RUN && a[2].status == ST_NOT_RUN);
    cr_expect(b[0].status == ST_OK && b[1].status == ST_OK, "its barrier does not hold up the other");
}

Test(model_platform_run, holds_everybody_at_a_barrier_of_one_rank)
{
    struct model_platform *mp = platform_of(1, 2, 2);
    struct step steps[4][3];
    struct task tasks[4];
    uint64_t latest = 0;

    for (uint32_t i = 0; i < 4; i++) {
        steps[i][0] = (struct step){ .op = STEP_SPIN, .value = 1000 * (i + 1) };
        steps[i][1] = (struct step){ .op = STEP_BARRIER };
        steps[i][2] = (struct step){ .op = STEP_RDMSR, .reg = 0x10 };
        tasks[i] = (struct task){ .cpu = i, .n_steps = 3, .steps = steps[i] };
    }
    cr_expect_eq(run(mp, tasks, 4, 1000), ST_OK);
    for (uint32_t i = 0; i < 4; i++)
        latest = steps[i][0].tsc > latest ? steps[i][0].tsc : latest;
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(steps[i][1].status, ST_OK);
        cr_expect_gt(steps[i][2].value, latest);
    }
}

/* --- interprocessor interrupts: core/platform/platform.h, STEP_IPI_SEND; SDM vol. 3A 10.8.4 */

struct messages {
    uint64_t n;
    uint32_t apart; /* ticks */
    uint64_t listen;
};

/* Processor 1 sends while processor 0 listens after a PMI_OPEN; then that closes. */
static void message(struct model_platform *mp, struct messages how, struct step receiver[4], struct step sender[2])
{
    struct task tasks[2] = { { .cpu = 0, .n_steps = 4, .steps = receiver },
                             { .cpu = 1, .n_steps = 2, .steps = sender } };

    receiver[0] = (struct step){ .op = STEP_PMI_OPEN };
    receiver[1] = (struct step){ .op = STEP_BARRIER };
    receiver[2] = (struct step){ .op = STEP_PMI_LISTEN, .value = how.listen };
    receiver[3] = (struct step){ .op = STEP_PMI_CLOSE };
    sender[0] = (struct step){ .op = STEP_BARRIER };
    sender[1] =
        (struct step){ .op = STEP_IPI_SEND, .reg = mp->platform.cpus[0].apic_id, .value = how.n, .subleaf = how.apart };
    cr_expect_eq(run(mp, tasks, 2, 1000), ST_OK);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(receiver[i].status, ST_OK);
    cr_expect_eq(sender[1].status, ST_OK);
    cr_expect_eq(sender[1].ipi.sent, how.n);
}

Test(model_platform_ipi, come_one_by_one_where_they_are_apart)
{
    struct model_platform *mp = platform_of(1, 2, 1);
    struct step receiver[4], sender[2];

    message(mp, (struct messages){ .n = 100, .apart = 5000, .listen = 1000000 }, receiver, sender);
    cr_expect_eq(receiver[2].pmi.interrupts, 100, "%u: PMI_MOST is the LVT's", receiver[2].pmi.interrupts);
    cr_expect_eq(receiver[2].pmi.masked, 0);
    cr_expect_eq(receiver[3].pmi.interrupts, 100);
    message(mp, (struct messages){ .n = 100, .apart = 5000, .listen = 250000 }, receiver, sender);
    cr_expect(receiver[2].pmi.interrupts > 40 && receiver[2].pmi.interrupts < 60, "those of its window: %u",
              receiver[2].pmi.interrupts);
}

Test(model_platform_ipi, merge_where_they_come_faster_than_they_are_taken)
{
    struct model_platform *mp = platform_of(1, 2, 1);
    struct step receiver[4], sender[2];

    message(mp, (struct messages){ .n = 100, .apart = 0, .listen = 1000000 }, receiver, sender);
    cr_expect(receiver[2].pmi.interrupts > 2 && receiver[2].pmi.interrupts < 50, "%u", receiver[2].pmi.interrupts);
    message(mp, (struct messages){ .n = 2, .apart = 0, .listen = 1000000 }, receiver, sender);
    cr_expect_eq(receiver[2].pmi.interrupts, 2, "one in service, one waits");
}

Test(model_platform_ipi, wait_until_the_receiver_listens)
{
    struct model_platform *mp = platform_of(1, 2, 1);
    struct step open = { .op = STEP_PMI_OPEN }, close = { .op = STEP_PMI_CLOSE };
    struct step send = { .op = STEP_IPI_SEND, .reg = mp->platform.cpus[0].apic_id, .value = 3 };
    struct step listen = { .op = STEP_PMI_LISTEN, .value = 1000 };

    cr_expect_eq(step_on(mp, 1, &send), ST_ABSENT, "no handler there");
    cr_expect_eq(send.ipi.sent, 0);
    cr_expect_eq(run_steps(mp, 0, &open, 1), ST_OK);
    cr_expect_eq(step_on(mp, 1, &send), ST_OK);
    cr_expect_eq(run_steps(mp, 0, &listen, 1), ST_OK);
    cr_expect_eq(listen.pmi.interrupts, 1, "three of a vector are one while it waits");
    cr_expect_eq(run_steps(mp, 1, &send, 1), ST_OK);
    cr_expect_eq(run_steps(mp, 0, &close, 1), ST_OK);
    cr_expect_eq(close.pmi.interrupts, 2, "what waits is taken");
    cr_expect_eq(step_on(mp, 1, &send), ST_ABSENT);
}

Test(model_platform_ipi, are_refused_beyond_their_range)
{
    struct model_platform *mp = platform_of(1, 2, 1);
    struct step open = { .op = STEP_PMI_OPEN };
    struct step send = { .op = STEP_IPI_SEND, .reg = mp->platform.cpus[0].apic_id };

    cr_expect_eq(run_steps(mp, 0, &open, 1), ST_OK);
    cr_expect_eq(step_on(mp, 1, &send), ST_RANGE);
    send.value = IPI_MOST + 1;
    cr_expect_eq(step_on(mp, 1, &send), ST_RANGE);
    send.reg = 12345;
    cr_expect_eq(step_on(mp, 1, &send), ST_ABSENT);
}

Test(model_platform_run, gives_up_a_dead_processor_and_keeps_the_rest)
{
    struct model_platform *mp = platform_of(1, 4, 1);
    struct step steps[4][4];
    struct task tasks[4];
    uint64_t before;

    model_platform_kill(mp, 2);
    for (uint32_t i = 0; i < 4; i++) {
        steps[i][0] = (struct step){ .op = STEP_WRMSR, .reg = PQR, .value = i };
        steps[i][1] = (struct step){ .op = STEP_BARRIER };
        steps[i][2] = (struct step){ .op = STEP_SPIN, .value = 10 };
        steps[i][3] = (struct step){ .op = STEP_WRMSR, .reg = PQR, .value = 0 };
        tasks[i] = (struct task){ .cpu = i, .n_steps = i == 3 ? 1 : 4, .steps = steps[i] };
    }
    before = mp->platform.ops->tsc(mp->platform.machine);
    cr_expect_eq(run(mp, tasks, 4, 1000), ST_TIMEOUT);
    cr_expect_geq(mp->platform.ops->tsc(mp->platform.machine) - before, mp->platform.tsc_hz, "a second was waited for");
    cr_expect(tasks[2].status == ST_TIMEOUT && tasks[2].at == 0 && steps[2][0].status == ST_NOT_RUN);
    cr_expect_eq(mp->platform.cpus[2].flags & CPU_LOST, CPU_LOST);
    cr_expect_eq(tasks[3].status, ST_OK, "needs nobody");
    /* Waiting for it ended with the deadline; what puts registers back is still done. */
    cr_expect(tasks[0].status == ST_TIMEOUT && tasks[0].at == 1);
    cr_expect(steps[0][1].status == ST_TIMEOUT && steps[0][2].status == ST_NOT_RUN && steps[0][3].status == ST_OK);
    cr_expect_eq(mp->platform.cpus[0].flags & CPU_LOST, 0);
    cr_expect_eq(run(mp, &tasks[2], 1, 1000), ST_LOST, "gets no more work");
    cr_expect_eq(run_steps(mp, 0, &steps[0][3], 1), ST_OK);
}

Test(model_platform_run, misses_the_deadline_with_too_long_a_spin)
{
    struct model_platform *mp = platform_of(1, 2, 1);
    struct step step = { .op = STEP_SPIN, .value = mp->platform.tsc_hz };
    struct task task = { .cpu = 1, .n_steps = 1, .steps = &step };

    cr_expect_eq(run(mp, &task, 1, 1100), ST_OK);
    cr_expect_eq(run(mp, &task, 1, 900), ST_TIMEOUT);
    cr_expect_eq(mp->platform.cpus[1].flags & CPU_LOST, CPU_LOST);
}

Test(model_platform_run, counts_an_smi_in_the_middle_of_the_next_workloads)
{
    struct model_platform *mp = platform_of(1, 2, 1);
    struct work w = { .kind = WORK_READ, .passes = 1, .bytes = 64000 };
    struct step steps[] = { { .op = STEP_RDMSR, .reg = SMI_COUNT },
                            { .op = STEP_WORK, .work = &w },
                            { .op = STEP_RDMSR, .reg = SMI_COUNT } };

    w.base = memory(mp, w.bytes);
    model_platform_smi(mp, 2);
    for (uint64_t i = 0; i < 4; i++) {
        cr_expect_eq(run_steps(mp, 1, steps, 3), ST_OK);
        cr_expect_eq(steps[0].value, i < 2 ? i : 2);
        cr_expect_eq(steps[2].value, i < 2 ? i + 1 : 2);
    }
}

/* --- memory, time, buses */

Test(model_platform_memory, is_handed_out_once_and_on_the_node_asked_for)
{
    struct model_platform *mp = platform_on((struct model_config){ .packages = 2 }, 1 << 20);
    struct platform *p = &mp->platform;
    uint64_t base = UINT64_C(0x100000000), a = 0, b = 0, c = 0;

    cr_expect_eq(p->ops->largest_free(p->machine, 0, UINT64_MAX), 1 << 20);
    cr_expect_eq(p->ops->alloc(p->machine, base + (1 << 20), base + (2 << 20), 8192, &a), ST_OK);
    cr_expect_eq(a, base + (1 << 20), "node 1");
    cr_expect_eq(p->ops->alloc(p->machine, base + 65536, base + 131072, 5000, &b), ST_OK);
    cr_expect_eq(b, base + 65536);
    cr_expect_eq(p->ops->alloc(p->machine, base + 65536, base + 131072, 65536 - 8192, &c), ST_OK);
    cr_expect_eq(c, base + 65536 + 8192);
    cr_expect_eq(p->ops->alloc(p->machine, base + 65536, base + 131072, 1, &c), ST_NO_MEMORY);
    cr_expect_eq(p->ops->largest_free(p->machine, base, base + 131072), 65536);
    cr_expect_eq(p->ops->largest_free(p->machine, 0, base), 0);
}

#define platform_with(realism_) platform_on(MODEL(NULL, 2, 2, 1, .seed = 3, .realism = realism_), 0)

#define NODE_0 UINT64_C(0x100000000)
#define GIB    UINT64_C(0x40000000)

static uint64_t largest(struct model_platform *mp, uint64_t base)
{
    return mp->platform.ops->largest_free(mp->platform.machine, base, base + GIB);
}

Test(model_platform_memory, is_whole_or_in_extents)
{
    struct model_platform *whole = platform_with("none"), *cut = platform_with("memory-extents=8");
    uint64_t address, bytes = 0;

    cr_expect_eq(largest(whole, NODE_0), GIB);
    cr_expect_leq(largest(cut, NODE_0), 8 << 20);
    cr_expect_gt(largest(cut, NODE_0 + GIB), 4 << 20);
    while (cut->platform.ops->alloc(cut->platform.machine, NODE_0, NODE_0 + GIB, 1 << 20, &address) == ST_OK)
        bytes += 1 << 20;
    cr_expect_gt(bytes, GIB / 2);
}

Test(model_platform_memory, may_be_on_the_first_nodes_alone)
{
    struct model_platform *mp = platform_with("empty-node=on");
    uint64_t address;

    cr_expect_eq(largest(mp, NODE_0), GIB);
    cr_expect_eq(mp->platform.ops->alloc(mp->platform.machine, NODE_0 + GIB, UINT64_MAX, 4096, &address), ST_NO_MEMORY);
    mp = platform_on(MODEL("spr", 2, 2, 1, .clusters = 2, .realism = "empty-node=on"), 0);
    cr_expect_eq(largest(mp, NODE_0 + 3 * GIB), GIB, "clusters have memory each");
}

static uint32_t length_of(const struct acpi_info *info, const char *signature)
{
    return FIND(i, info->n_tables, !strcmp(info->tables[i].signature, signature), info->tables[i].length, 0);
}

/* As servers list processors and memory, besides those that are there. */
Test(model_platform_tables, may_have_the_quirks_of_boards)
{
    static const struct {
        const char *realism;
        uint32_t entries, disabled_id, srat_bytes, hot_pluggable;
        uint32_t ids[2]; /* of the first entries */
        uint32_t last_node, segments;
    } boards[] = {
        { "none", 8, 0, 256, 0, { 0, 1 }, 1, 0 },
        { "table-order=alternate", 8, 0, 256, 0, { 0, 4 }, 1, 0 },
        { "disabled-entries=absent", 16, 8, 384, 0, { 0, 1 }, 1, 0 },
        { "disabled-entries=repeated", 16, 0, 384, 0, { 0, 1 }, 1, 0 },
        { "disabled-entries=255", 8, 0, 384, 0, { 0, 1 }, 1, 0 }, /* ids of broadcasts are nobody's */
        { "srat-ranges=empty", 8, 0, 416, 0, { 0, 1 }, 1, 0 },
        { "srat-ranges=hot-plug", 8, 0, 296, 1, { 0, 1 }, 1, 0 },
        { "memory-node=on", 8, 0, 296, 0, { 0, 1 }, 2, 0 },
        { "pci-segments=package", 8, 0, 256, 0, { 0, 1 }, 1, 2 },
    };
    static struct acpi_info info;

    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct model_platform *mp = platform_on(MODEL("bdx", 2, 2, 2, .realism = boards[i].realism), 0);
        uint32_t hot = 0;

        cr_assert_eq(acpi_read(&mp->platform, &info), ST_OK);
        cr_expect_eq(info.n_bad, 0);
        cr_assert_eq(info.n_cpus, boards[i].entries, "%s: %u", boards[i].realism, info.n_cpus);
        for (uint32_t k = 0; k < 2; k++)
            cr_expect_eq(info.cpus[k].apic_id, boards[i].ids[k], "%s: 0x%x", boards[i].realism, info.cpus[k].apic_id);
        if (info.n_cpus > 8)
            cr_expect(info.cpus[8].apic_id == boards[i].disabled_id && info.cpus[8].flags == 0, "%s: 0x%x",
                      boards[i].realism, info.cpus[8].apic_id);
        cr_expect_eq(info.n_affinity_cpus, 8);
        for (uint32_t k = 0; k < info.n_affinity_memory; k++)
            hot += info.affinity_memory[k].hot_pluggable;
        cr_expect_eq(info.n_affinity_memory, 1 + boards[i].last_node + hot);
        cr_expect_eq(info.affinity_memory[boards[i].last_node].proximity, boards[i].last_node);
        cr_expect_eq(info.n_mcfg, boards[i].segments);
        cr_expect_eq(length_of(&info, "SRAT"), boards[i].srat_bytes, "%s", boards[i].realism);
        cr_expect_eq(hot, boards[i].hot_pluggable);
        acpi_free(&info);
    }
}

Test(model_platform_time, goes_on_and_agrees_with_the_clock)
{
    struct model_platform *mp = platform_of(1, 1, 1);
    struct platform *p = &mp->platform;
    uint64_t tsc = p->ops->tsc(p->machine), utc = p->ops->utc_ns(p->machine);

    p->ops->stall(p->machine, 1000000000);
    cr_expect_eq((p->ops->utc_ns(p->machine) - utc + 500) / 1000, 1000000);
    cr_expect_gt(p->ops->tsc(p->machine) - tsc, p->tsc_hz);
    cr_expect_lt(p->ops->tsc(p->machine) - tsc, p->tsc_hz + 1000);
}

Test(model_platform_bus, has_nothing_on_it)
{
    struct model_platform *mp = platform_of(1, 1, 1);
    struct platform *p = &mp->platform;
    struct pci_address at = { 0, 0, 0, 0 };
    uint32_t value = 0;
    uint64_t wide = 0;

    cr_expect_eq(p->ops->pci_read(p->machine, at, 0, 2, &value), ST_OK);
    cr_expect_eq(value, 0xFFFF);
    cr_expect_eq(p->ops->pci_read(p->machine, at, 0, 3, &value), ST_RANGE);
    cr_expect_eq(p->ops->pci_read(p->machine, at, 4096, 4, &value), ST_RANGE);
    at.segment = 1;
    cr_expect_eq(p->ops->pci_read(p->machine, at, 0, 4, &value), ST_ABSENT);
    cr_expect_eq(p->ops->mmio_read(p->machine, 0xFED00000, 4, &wide), ST_PAGE_FAULT);
    cr_expect_eq(p->ops->phys_read(p->machine, 0, &wide, 8), ST_PAGE_FAULT);
}

/* --- firmware tables */

Test(model_platform_tables, have_x2apic_entries_for_large_ids)
{
    struct model_platform *mp = platform_of(8, 33, 2); /* 64 core ids, 8 packages, 2 threads: ids up to 1,023 */
    struct acpi_info info;
    uint32_t bytes = 44; /* before the entries */

    cr_assert_eq(acpi_read(&mp->platform, &info), ST_OK);
    cr_expect_eq(info.n_bad, 0);
    cr_assert_eq(info.n_cpus, 528);
    for (uint32_t cpu = 0; cpu < info.n_cpus; cpu++) {
        cr_expect_eq(info.cpus[cpu].apic_id, model_apic_id(mp->model, cpu));
        bytes += info.cpus[cpu].apic_id >= 255 ? 16 : 8;
    }
    cr_expect_eq(length_of(&info, "APIC"), bytes);
    acpi_free(&info);
}

/* The one place where the machine says that it is virtual. */
Test(model_platform_tables, say_in_an_oem_string_what_the_machine_is)
{
    static struct smbios_info info;

    smbios_read(&platform_of(2, 1, 1)->platform, &info);
    cr_expect_eq(info.status, ST_OK);
    cr_assert_eq(info.n_oem_strings, 1);
    cr_expect_str_eq(info.oem_strings[0], "Virtual silicon: Assay model, profile bdx");
    cr_expect_eq(info.n_sockets, 2);
}
