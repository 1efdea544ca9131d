/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Flows: who streams, and what becomes of the prefetchers meanwhile. */
#include "core/measure/pmon_flow.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/platform/ledger.h"
#include "tests/silicon/host/host_platform.h"

#define BYTES (64 * UINT64_C(1024))
#define FOUND UINT64_C(0x2) /* firmware turned the adjacent line prefetcher off */

static struct bench {
    struct model_platform *mp;
    struct machine *machine;
    struct ledger ledger;
    struct tools tools;
    struct check check;
    struct lab lab;
    struct flow flow;
    struct flow_counts counts;
} b;

static bool is_channel(const struct pmon_unit *unit)
{
    return unit->kind == PMON_IMC;
}

/* One core of two threads in each package, and every memory channel. */
static void set_up(uint32_t packages)
{
    static const struct check_row row = { .id = "a.check", .title = "A rule", .grade = GRADE_F };
    struct model_config config = { .profile = "bdx", .packages = packages, .cores = 1, .threads = 2, .seed = 7 };

    memset(&b, 0, sizeof b);
    b.mp = model_platform_new(&config, 0);
    b.machine = calloc(1, sizeof *b.machine);
    cr_assert(b.mp && b.machine);
    cr_assert_eq(ledger_init(&b.mp->platform, &b.ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&b.mp->platform, b.machine), ST_OK);
    cr_assert_eq(tools_init(&b.tools, &b.mp->platform, b.machine, 0), ST_OK);
    b.check = (struct check){ .row = &row, .platform = &b.mp->platform, .machine = b.machine, .tools = &b.tools };
    b.flow = (struct flow){ .kind = WORK_READ, .passes = 1, .cold = true };
    cr_assert(lab_open(&b.lab, &b.check, is_channel));
}

static void tear_down(void)
{
    flow_free(&b.counts);
    lab_close(&b.lab);
    tools_free(&b.tools);
    machine_free(b.machine);
    free(b.machine);
    ledger_free(&b.ledger);
    model_platform_free(b.mp);
}

static uint64_t prefetchers_of(uint32_t cpu)
{
    uint64_t value = UINT64_MAX;

    cr_assert_eq(msr_read(&b.mp->platform, cpu, MSR_MISC_FEATURE_CONTROL, &value), ST_OK);
    return value;
}

static uint64_t during;

static enum status look(struct flow *flow, struct platform *p)
{
    (void)p;
    for (uint32_t i = 0; i < flow->n; i++)
        during |= UINT64_C(1) << (8 * i) << (prefetchers_of(flow->streams[i].cpu) == MSR_MISC_FEATURE_CONTROL_ALL);
    return ST_OK;
}

/* SDM vol. 4, MSR 1A4H, scope Core: what the second thread would find once the first one is done is not firmware's. */
Test(pmon_flow, prefetchers_of_two_threads_of_one_core_go_back_to_what_was_found)
{
    char why[WHY_SIZE] = "";

    set_up(1);
    cr_assert_eq(msr_write(&b.mp->platform, 0, MSR_MISC_FEATURE_CONTROL, FOUND), ST_OK);
    cr_assert_eq(prefetchers_of(1), FOUND, "the threads share the register");
    cr_assert(flow_add(&b.flow, &b.check, 0, NO_NODE, BYTES, why), "%s", why);
    cr_assert(flow_add(&b.flow, &b.check, 0, NO_NODE, BYTES, why), "%s", why);
    cr_assert_neq(b.flow.streams[0].cpu, b.flow.streams[1].cpu);
    b.flow.run = look;
    during = 0;
    cr_expect_eq(flow_run(&b.lab, &b.flow, &b.counts), ST_OK);
    cr_expect_eq(during, 0x0202, "off for both while it runs");
    cr_expect_eq(prefetchers_of(0), FOUND);
    cr_expect_eq(prefetchers_of(1), FOUND);
    tear_down();
}

Test(pmon_flow, prefetchers_stay_as_they_were_found_where_the_flow_is_about_them)
{
    char why[WHY_SIZE] = "";

    set_up(1);
    cr_assert(flow_add(&b.flow, &b.check, 0, NO_NODE, BYTES, why), "%s", why);
    b.flow.run = look;
    b.flow.prefetch = true;
    during = 0;
    cr_expect_eq(flow_run(&b.lab, &b.flow, &b.counts), ST_OK);
    cr_expect_eq(during, 1);
    tear_down();
}

Test(pmon_flow, every_stream_has_a_processor_of_its_own)
{
    char why[WHY_SIZE] = "";

    set_up(2);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert(flow_add(&b.flow, &b.check, i / 2, NO_NODE, BYTES, why), "%s", why);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < i; k++)
            cr_expect_neq(b.flow.streams[i].cpu, b.flow.streams[k].cpu);
    cr_expect_eq(flow_bytes(&b.flow, &b.check, 1), 2 * BYTES);
    cr_expect_not(flow_add(&b.flow, &b.check, 0, NO_NODE, BYTES, why), "package 0 has two");
    cr_expect_str_eq(why, "package 0 has no processor that takes work");
    tear_down();
}

/* What goes on beside the flow is taken off; what the flow reads is not. */
Test(pmon_flow, counts_what_the_flow_reads)
{
    double bytes = 0;

    set_up(1);
    cr_assert(flow_add_each(&b.flow, &b.check, 16 * BYTES));
    for (uint32_t i = 0; i < b.lab.n; i++)
        cr_assert(flow_select(&b.lab.boxes[i], 0, "cas_rd"));
    cr_assert_eq(flow_run(&b.lab, &b.flow, &b.counts), ST_OK);
    for (uint32_t i = 0; i < b.lab.n; i++)
        bytes += 64 * flow_got(&b.counts, &b.lab, &b.lab.boxes[i], 0);
    cr_expect_float_eq(bytes, 16 * BYTES, 4096, "%f", bytes);
    tear_down();
}

Test(pmon_flow, an_event_is_refused_where_its_counter_or_filter_is_taken)
{
    struct lab_box box;

    set_up(1);
    box = b.lab.boxes[0];
    cr_expect_not(flow_select(&box, 0, "no such event"));
    cr_expect_not(flow_select(&box, 4, "cas_rd"), "it has four counters");
    cr_expect(flow_select(&box, 3, "cas_rd"));
    tear_down();
}
