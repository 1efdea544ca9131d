/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* L3s that are measured at once: who runs when, and that the report does not show it. The rows here take the place of the
 * real ones. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/domain/alloc.h"
#include "core/load/memory.h"
#include "tests/support/run/fake_rows.h"
#include "tests/support/run/whole_run.h"

#define L3S   4u
#define BYTES (UINT64_C(1) << 20)

static uint32_t inside, most_inside, calls, hangs_in, hung_cpu;
static uint64_t base[L3S];
static enum status (*model_run)(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);
static struct platform *platform;

/* One processor of each L3 reads its memory; domain 2 finds something, domain 3 cannot be judged. */
static enum status look(struct check *c, uint32_t domain)
{
    struct work work = { .kind = WORK_READ, .passes = 1, .bytes = BYTES };
    struct step step = { .op = STEP_WORK, .work = &work };
    struct task task = { .cpu = c->machine->domains[domain].cpu, .n_steps = 1, .steps = &step };
    enum status st = memory_take_any(c, task.cpu, BYTES, &work.base);
    char where[32];

    calls++;
    if (st != ST_OK)
        return st;
    base[domain] = work.base;
    inside++;
    most_inside = inside > most_inside ? inside : most_inside;
    if (hangs_in == domain && hung_cpu == UINT32_MAX)
        hung_cpu = task.cpu;
    st = platform_run(c->platform, &task, 1, 100);
    inside--;
    if (st != ST_OK)
        return check_unmeasured(c, st, task.cpu, "the load");
    snprintf(where, sizeof where, "L3 domain %u", domain);
    evidence_msr(c, task.cpu, 0xC8E, domain, 0);
    series_put_head(c,
                    &(struct series_head){
                        .name = "curve", .place = place_domain(domain), .unit = "bytes", .x_name = "x", .x_unit = "" });
    series_add(c, domain, 2.0 * domain);
    series_end(c);
    check_note(c, "%s: a note", where);
    excludes(c, "a loss", domain, "%");
    check_measure(c, "figure", place_of("%s", where), domain, "bytes", 0, 2);
    if (domain == 2)
        finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "%s: a finding", where);
    return domain == 3 ? check_absent(c, "%s: nothing to be seen", where) : ST_OK;
}

static uint32_t masks_lost;

/* Another mask in each L3, of which one takes so much longer that the others put theirs back meanwhile. */
static enum status restrict_l3(struct check *c, uint32_t domain)
{
    struct alloc_table t = alloc_l3_masks(c);
    struct work work = { .kind = WORK_READ, .passes = 1, .bytes = BYTES };
    struct step load = { .op = STEP_WORK, .work = &work };
    uint64_t mask = UINT64_C(3) << domain, got = 0;
    uint32_t cpu = c->machine->domains[domain].cpu;
    enum status st = memory_take_any(c, cpu, BYTES, &work.base);

    if (st == ST_OK)
        st = alloc_record_table(c, &t);
    if (st == ST_OK)
        st = alloc_write(c, &t, 1, mask);
    for (uint32_t i = 0; i < (domain ? 1 : 3) && st == ST_OK; i++) {
        struct task task = { .cpu = cpu, .n_steps = 1, .steps = &load };

        st = platform_run(c->platform, &task, 1, 100);
        if (st == ST_OK)
            st = msr_read(c->platform, cpu, IA32_L3_MASK(1), &got);
        masks_lost += got != mask;
        evidence_msr(c, cpu, IA32_L3_MASK(1), got, 0);
    }
    return status_first(st, alloc_put_back_table(c, &t));
}

/* All have an L3 in common. */
static uint32_t with_the_first(struct check *, uint32_t)
{
    return 0;
}

static uint32_t with_the_next(struct check *c, uint32_t domain)
{
    return (domain + 1) % c->machine->n_domains;
}

static struct check_row rows[] = { FAKE_ROW("some.check", NULL, .risk = RISK_WORKLOAD, .run_domain = look) };
FAKE_FAMILY(rows);

static enum status run_with_a_hang(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    enum status st = model_run(machine, tasks, n_tasks, budget_ms);

    for (uint32_t t = 0; t < n_tasks; t++)
        if (tasks[t].cpu == hung_cpu && tasks[t].steps[0].op == STEP_WORK) {
            platform->cpus[hung_cpu].flags |= CPU_LOST;
            st = tasks[t].status = ST_TIMEOUT;
        }
    return st;
}

static void watch(struct model_platform *mp)
{
    static struct platform_ops ops;

    platform = &mp->platform;
    ops = *platform->ops;
    model_run = ops.run;
    ops.run = run_with_a_hang;
    platform->ops = &ops;
}

/* The stream without what tells the time. */
static char *run_l3s(struct whole_run *w, uint64_t node_bytes)
{
    const struct model_config config = MODEL("bdx", L3S, 2, 1, .slices = 2);
    char *stream = NULL;
    size_t length;

    *w = (struct whole_run){ .before = watch, .node_bytes = node_bytes };
    inside = most_inside = calls = 0;
    hung_cpu = UINT32_MAX;
    w->stream = open_memstream(&stream, &length);
    cr_assert(w->stream);
    cr_assert(whole_run(&config, w));
    fclose(w->stream);
    cr_assert_eq(w->n, 1);
    for (char *at = stream; (at = strstr(at, "\"timestamp\":\"")) != NULL; at += 13)
        memset(at + 13, '0', 24);
    return stream;
}

static char *of_step(char *stream)
{
    char *end = strstr(stream, "assay.disturbance");

    cr_assert(end);
    *end = '\0';
    return strstr(stream, "testStepStart");
}

static uint32_t count(const char *text, const char *what)
{
    uint32_t n = 0;

    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static struct whole_run w;
static char *stream;

static void set_up(void)
{
    hangs_in = UINT32_MAX;
    rows[0].partner = NULL;
    rows[0].run_domain = look;
    rows[0].run_qm = NULL;
    masks_lost = 0;
}

static void tear_down(void)
{
    whole_run_free(&w);
    free(stream);
}

TestSuite(at_once, .init = set_up, .fini = tear_down);

Test(at_once, all_l3s_are_measured_together_with_memory_of_their_own)
{
    stream = run_l3s(&w, 0);
    cr_expect_eq(most_inside, L3S);
    cr_expect_eq(calls, L3S);
    for (uint32_t i = 0; i < L3S; i++)
        for (uint32_t k = 0; k < i; k++)
            cr_expect(base[i] >= base[k] + BYTES || base[k] >= base[i] + BYTES, "%u and %u", i, k);
}

Test(at_once, l3s_with_the_same_partner_are_measured_one_after_the_other)
{
    rows[0].partner = with_the_first;
    stream = run_l3s(&w, 0);
    cr_expect_eq(most_inside, 1);
    cr_expect_eq(calls, L3S);
}

Test(at_once, pairs_without_an_l3_in_common_are_measured_together)
{
    rows[0].partner = with_the_next;
    stream = run_l3s(&w, 0);
    cr_expect_eq(most_inside, L3S / 2);
    cr_expect_eq(calls, L3S);
}

static enum status look_at_qm(struct check *c, struct qm_domain *qm)
{
    cr_expect_eq(qm->cpu, c->machine->domains[qm->index].cpu);
    return look(c, qm->index);
}

Test(at_once, qm_registers_of_all_l3s_are_looked_at_together)
{
    rows[0].run_domain = NULL;
    rows[0].run_qm = look_at_qm;
    stream = run_l3s(&w, 0);
    cr_expect_eq(most_inside, L3S);
    cr_expect_eq(calls, L3S);
}

Test(at_once, the_report_is_the_same_either_way)
{
    struct whole_run turns;
    char *in_turn;

    stream = run_l3s(&w, 0);
    rows[0].partner = with_the_first;
    in_turn = run_l3s(&turns, 0);
    cr_expect_str_eq(of_step(stream), of_step(in_turn));
    cr_expect_eq(w.checks[0].verdict, VERDICT_WARN);
    cr_expect_eq(turns.checks[0].verdict, VERDICT_WARN);
    whole_run_free(&turns);
    free(in_turn);
}

Test(at_once, each_l3_has_its_own_masks)
{
    rows[0].run_domain = restrict_l3;
    stream = run_l3s(&w, 0);
    cr_expect_eq(w.checks[0].verdict, VERDICT_PASS, "%s", w.checks[0].reason);
    cr_expect_eq(masks_lost, 0);
    cr_expect_eq(w.restored, ST_OK);
}

/* Four times an L3 and more for each. */
Test(at_once, fewer_are_measured_together_where_memory_is_short)
{
    stream = run_l3s(&w, UINT64_C(256) << 20);
    cr_expect_gt(most_inside, 0);
    cr_expect_lt(most_inside, L3S);
    cr_expect_eq(calls, L3S);
}

Test(at_once, l3s_that_another_ones_lost_processor_cut_short_are_measured_again)
{
    char *step;

    hangs_in = 1;
    stream = run_l3s(&w, 0);
    cr_expect_eq(calls, L3S + 3, "the three others");
    cr_expect_eq(w.checks[0].verdict, VERDICT_ERROR);
    step = strstr(stream, "testStepStart");
    cr_assert(step);
    cr_expect_eq(count(step, "L3 domain 0: a note"), 1, "what they said in the first run is dropped");
    cr_expect_eq(count(step, "L3 domain 1: a note"), 0);
    cr_expect_eq(count(step, "L3 domain 2: a note"), 1);
}
