/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Traffic windows: who streams, what the boxes count of it, and that prefetchers go back to how they were found. */
#include "core/uncore/traffic_window.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/search.h"
#include "core/platform/ledger.h"
#include "tests/silicon/host/host_platform.h"

#define BYTES (64 * UINT64_C(1024))
#define FOUND UINT64_C(0x2) /* firmware turned the adjacent line prefetcher off */

static struct {
    struct model_platform *mp;
    struct machine *machine;
    struct ledger ledger;
    struct tools tools;
    struct check_state state;
    struct check check;
    struct pmon_session session;
    struct traffic_window traffic;
    struct traffic_window_counts counts;
} b;

static bool is_channel(const struct pmon_unit *unit)
{
    return unit->kind == PMON_IMC;
}

/* One core of two threads in each package, and every memory channel. */
static void set_up(uint32_t packages)
{
    static const struct check_row row = { .id = "a.check", .title = "A rule", .grade = GRADE_F };
    struct model_config config = MODEL("bdx", packages, 1, 2, .seed = 7);

    memset(&b, 0, sizeof b);
    b.mp = model_platform_new(&config, 0);
    b.machine = calloc(1, sizeof *b.machine);
    cr_assert(b.mp && b.machine);
    cr_assert_eq(ledger_init(&b.mp->platform, &b.ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&b.mp->platform, b.machine), ST_OK);
    cr_assert_eq(tools_init(&b.tools, &b.mp->platform, b.machine, 0), ST_OK);
    b.check = (struct check){
        .row = &row, .platform = &b.mp->platform, .machine = b.machine, .tools = &b.tools, .state = &b.state
    };
    b.traffic = (struct traffic_window){ .kind = WORK_READ, .passes = 1, .cold = true };
    cr_assert_eq(pmon_session_open(&b.session, &b.check, is_channel, false), ST_OK);
}

static void tear_down(void)
{
    pmon_session_close(&b.session);
    check_free_since(&b.check, NULL);
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

static enum status look(struct traffic_window *traffic, struct platform *)
{
    for (uint32_t i = 0; i < traffic->n; i++)
        during |= UINT64_C(1) << (8 * i) << (prefetchers_of(traffic->streams[i].cpu) == MSR_MISC_FEATURE_CONTROL_ALL);
    return ST_OK;
}

TestSuite(traffic_window, .fini = tear_down);

/* SDM vol. 4, MSR 1A4H, scope Core: what the second thread would find once the first one is done is not firmware's. */
Test(traffic_window, prefetchers_of_two_threads_of_one_core_go_back_to_what_was_found)
{
    set_up(1);
    cr_assert_eq(msr_write(&b.mp->platform, 0, MSR_MISC_FEATURE_CONTROL, FOUND), ST_OK);
    cr_assert_eq(prefetchers_of(1), FOUND, "the threads share the register");
    cr_assert_eq(traffic_window_add(&b.traffic, &b.check, 0, NO_NODE, BYTES), ST_OK);
    cr_assert_eq(traffic_window_add(&b.traffic, &b.check, 0, NO_NODE, BYTES), ST_OK);
    cr_assert_neq(b.traffic.streams[0].cpu, b.traffic.streams[1].cpu);
    b.traffic.run = look;
    during = 0;
    cr_expect_eq(traffic_window_run(&b.session, &b.traffic, &b.counts), ST_OK);
    cr_expect_eq(during, 0x0202, "off for both while it runs");
    cr_expect_eq(prefetchers_of(0), FOUND);
    cr_expect_eq(prefetchers_of(1), FOUND);
}

Test(traffic_window, prefetchers_stay_as_they_were_found_where_the_traffic_is_about_them)
{
    set_up(1);
    cr_assert_eq(traffic_window_add(&b.traffic, &b.check, 0, NO_NODE, BYTES), ST_OK);
    b.traffic.run = look;
    b.traffic.prefetch = true;
    during = 0;
    cr_expect_eq(traffic_window_run(&b.session, &b.traffic, &b.counts), ST_OK);
    cr_expect_eq(during, 1);
}

Test(traffic_window, every_stream_has_a_processor_of_its_own)
{
    set_up(2);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_eq(traffic_window_add(&b.traffic, &b.check, i / 2, NO_NODE, BYTES), ST_OK);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < i; k++)
            cr_expect_neq(b.traffic.streams[i].cpu, b.traffic.streams[k].cpu);
    cr_expect_eq(traffic_window_bytes(&b.traffic, &b.check, 1), 2 * BYTES);
    cr_expect_eq(traffic_window_add(&b.traffic, &b.check, 0, NO_NODE, BYTES), ST_ABSENT, "package 0 has two");
    cr_expect_str_eq(b.state.why, "package 0 has no processor that takes work");
}

/* Background is taken off; what the traffic reads is not. */
Test(traffic_window, counts_what_the_traffic_reads)
{
    double bytes;

    set_up(1);
    cr_assert_eq(traffic_window_add_each(&b.traffic, &b.check, 16 * BYTES), ST_OK);
    for (uint32_t i = 0; i < b.session.n; i++)
        cr_assert(traffic_window_select(&b.session.boxes[i], 0, "cas_rd"));
    cr_assert_eq(traffic_window_run(&b.session, &b.traffic, &b.counts), ST_OK);
    bytes = SUM_OF(double, i, b.session.n, 64 * traffic_window_net(&b.counts, &b.session, &b.session.boxes[i], 0));
    cr_expect_float_eq(bytes, 16 * BYTES, 4096, "%f", bytes);
}

Test(traffic_window, an_event_is_refused_where_its_counter_or_filter_is_taken)
{
    struct pmon_session_box box;

    set_up(1);
    box = b.session.boxes[0];
    cr_expect_not(traffic_window_select(&box, 0, "no such event"));
    cr_expect_not(traffic_window_select(&box, 4, "cas_rd"), "it has four counters");
    cr_expect(traffic_window_select(&box, 3, "cas_rd"));
}

Test(traffic_window, leaves_out_a_package_without_memory)
{
    set_up(2);
    cr_assert_eq(b.machine->n_nodes, 2);
    cr_expect_eq(traffic_window_add_each(&b.traffic, &b.check, BYTES), ST_OK);
    cr_expect_eq(b.traffic.n, 2);
    b.traffic.n = 0;
    b.machine->nodes[1].memory_bytes = 0;
    cr_expect_eq(traffic_window_add_each(&b.traffic, &b.check, BYTES), ST_OK);
    cr_expect_eq(b.traffic.n, 1);
    cr_expect_eq(traffic_window_bytes(&b.traffic, &b.check, 0), BYTES);
    cr_expect_eq(traffic_window_bytes(&b.traffic, &b.check, 1), 0);
    b.traffic.n = 0;
    b.machine->nodes[0].memory_bytes = 0;
    cr_expect_eq(traffic_window_add_each(&b.traffic, &b.check, BYTES), ST_ABSENT);
}

Test(traffic_window, is_of_less_memory_where_a_node_has_no_piece_of_as_much)
{
    uint64_t most;

    set_up(1);
    most = arena_left(&b.tools.arenas[0]);
    cr_expect_eq(traffic_window_add_some(&b.traffic, &b.check, 0, NO_NODE, most / 4096 * 4096 + 4096), ST_OK);
    cr_expect_leq(b.traffic.streams[0].bytes, most);
    cr_expect_geq(b.traffic.streams[0].bytes, most / 2 - 4096);
    b.traffic.n = 0;
    cr_expect_eq(traffic_window_add_each(&b.traffic, &b.check, 2 * most), ST_OK);
    cr_expect_eq(traffic_window_bytes(&b.traffic, &b.check, 0), most / 4096 * 4096);
    b.traffic.n = 0;
    cr_expect_eq(traffic_window_add_each(&b.traffic, &b.check, 8 * most), ST_ABSENT);
}
