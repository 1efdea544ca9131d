/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* -count by filters and match registers on the silicon model: an event counts what they let pass, and no more. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "core/check/row.h"
#include "core/uncore/traffic_window.h"
#include "tests/support/run/counting.h"
#include "tests/support/machine/interposer.h"

TestSuite(count_filters, .fini = counting_end);

/* tests/fixtures/events/bdx.events: Intel's file leaves open which opcode and state. */
Test(count_filters, an_event_that_counts_by_a_filter_needs_its_value)
{
    struct counting *c = counting_new("bdx");

    counting_events(c, "bdx");
    counting_refuses(c, "UNC_C_TOR_INSERTS.MISS_OPCODE", "give its value, UNC_C_TOR_INSERTS.MISS_OPCODE:filter1=VALUE");
    counting_counts(c, "UNC_C_TOR_INSERTS.MISS_OPCODE:filter1=0x18200000,cbo/tor_miss_drd");
    cr_expect_gt(counting_row(c, "cbo/tor_miss_drd", "package 0 CBo 0 "), 0);
    cr_expect_eq(counting_row(c, "UNC_C_TOR_INSERTS.MISS_OPCODE:filter1=0x18200000", "package 0 CBo 0 "),
                 counting_row(c, "cbo/tor_miss_drd", "package 0 CBo 0 "));
}

#define LINES 16384.0 /* of the load */

/* 327043-001 2.10: of class HOM0 a read is RdData (2H), a full line written past the caches InvItoE (8H). */
Test(count_filters, a_home_agent_counts_the_opcode_that_is_asked_for)
{
    struct counting *c = counting_new("bdx");

    counting_events(c, "bdx");
    counting_refuses(c, "UNC_H_ADDR_OPC_MATCH.OPC", "match registers let pass: say what");
    counting_counts(c, "UNC_H_ADDR_OPC_MATCH.OPC:match_opc=2,ha/opc_match:match_opc=8,ha/reads_local");
    cr_expect_eq(counting_row(c, "UNC_H_ADDR_OPC_MATCH.OPC:match_opc=2", "package 1 HA 0 "),
                 counting_row(c, "ha/reads_local", "package 1 HA 0 "));
    cr_expect_eq(counting_row(c, "ha/reads_local", "package 1 HA 0 "), LINES);
    cr_expect_eq(counting_row(c, "ha/opc_match:match_opc=8", "package 1 HA 0 "), 0);
    c->options.load = LOAD_NT_WRITE;
    counting_counts(c, "ha/opc_match:match_opc=2,ha/opc_match:match_opc=8");
    cr_expect_eq(counting_row(c, "ha/opc_match:match_opc=2", "package 0 HA 0 "), 0);
    cr_expect_eq(counting_row(c, "ha/opc_match:match_opc=8", "package 0 HA 0 "), LINES);
}

/* What the ledger has not put back yet: the load's memory is where it was in the last run. */
static uint64_t base_of_load(struct counting *c)
{
    static const struct check_row row = { .id = "base", .title = "", .spec = "", .covers = "", .detects = "" };
    struct check_state state = { 0 };
    struct check check = {
        .row = &row, .platform = &c->mp->platform, .machine = &c->machine, .tools = &c->tools, .state = &state
    };
    struct traffic_window traffic = { .kind = WORK_READ, .passes = 1, .cold = true };
    uint64_t base;

    tools_reset(&c->tools);
    cr_assert_eq(traffic_window_add_packages(&traffic, &check, c->options.size_bytes), ST_OK);
    base = traffic.streams[0].base;
    check_free_since(&check, NULL);
    return base;
}

Test(count_filters, a_home_agent_counts_one_line_of_the_load)
{
    struct counting *c = counting_new("ivbep");
    uint64_t base = base_of_load(c);
    char events[128], first[64], beyond[64];

    snprintf(first, sizeof first, "ha/addr_match:match_addr=0x%llx", (unsigned long long)base + 64);
    snprintf(beyond, sizeof beyond, "ha/addr_match:match_addr=0x%llx", (unsigned long long)base + (64 << 20));
    snprintf(events, sizeof events, "%s,%s", first, beyond);
    counting_counts(c, events);
    cr_expect_eq(counting_row(c, first, "package 0 HA 0 "), 1, "%s", c->text);
    cr_expect_eq(counting_row(c, beyond, "package 0 HA 0 "), 0);
    counting_refuses(c, "ha/addr_match:match_addr=0x1001",
                     "match_addr: exceeds a field of the control register"); /* no line's address */
}

/* SDM vol. 3B 18.8.2.3 (old numbering): 100B in MatchSel compares the address. */
Test(count_filters, nehalems_match_is_set_by_name)
{
    struct counting *c = counting_new("nhm");
    uint64_t base = base_of_load(c);
    char event[96];

    snprintf(event, sizeof event, "uncore/0x35:0x7:match_sel=4:match_addr=0x%llx", (unsigned long long)base + 128);
    counting_counts(c, event);
    cr_expect_eq(counting_row(c, event, "package 0 uncore "), 1, "%s", c->text);
}

#define KEPT_WRITES 64u

struct match_writes {
    uint32_t n, msr[KEPT_WRITES];
    uint64_t value[KEPT_WRITES];
};

static void keep_match_write(struct interposer *i, uint32_t, struct step *s)
{
    struct match_writes *w = i->context;

    if (s->op != STEP_WRMSR || s->reg < 0xE45 || s->reg > 0xE5E || w->n == KEPT_WRITES)
        return;
    w->msr[w->n] = s->reg;
    w->value[w->n++] = s->value;
}

static uint32_t first_write(const struct match_writes *w, uint32_t msr, uint64_t value)
{
    uint32_t i = 0;

    while (i < w->n && (w->msr[i] != msr || w->value[i] != value))
        i++;
    return i;
}

/* Linux uncore_nhmex.c: MATCH and MASK of the second S-box, E59H and E5AH, which E58H enables, and of the first B-box. */
Test(count_filters, nehalem_exs_match_and_mask_are_set_by_name)
{
    struct counting *c = counting_new("nhm-ex");
    struct match_writes w = { .n = 0 };
    struct interposer between = { .context = &w, .before = keep_match_write };

    interposer_install(&between, &c->mp->platform);
    counting_counts(c, "S/0x0:0x1:match=0x1234:mask=0xff00,B/0x1:0:match=7");
    cr_expect_lt(first_write(&w, 0xE58, 0), first_write(&w, 0xE59, 0x1234));
    cr_expect_lt(first_write(&w, 0xE59, 0x1234), first_write(&w, 0xE58, BIT(63)));
    cr_expect_lt(first_write(&w, 0xE5A, 0xFF00), first_write(&w, 0xE58, BIT(63)));
    cr_expect_lt(first_write(&w, 0xE58, BIT(63)), w.n);
    cr_expect_lt(first_write(&w, 0xE45, 7), w.n);
    for (uint32_t msr = 0xE58; msr <= 0xE5A; msr++) { /* the next run's events are not to be matched */
        uint64_t value = 1;

        cr_assert_eq(msr_read(&c->mp->platform, 0, msr, &value), ST_OK);
        cr_expect_eq(value, 0, "%x", msr);
    }
    counting_refuses(c, "C/0x0:0x1:match=1", NULL);
    counting_refuses(c, "M/0x0:0:filter_match=0x400000000", NULL); /* 34 bits */
    interposer_remove(&between);
}

/* 327043-001 2.10: message classes HOM0 (0) of requests and DRS (EH) of data; each line that is read is one of both. */
Test(count_filters, a_qpi_port_counts_the_class_that_is_asked_for)
{
#define DATA     "qpi/packets:match_mc=0xe:mask_mc=0xf"
#define REQUESTS "qpi/packets:match_mc=0:mask_mc=0xf"
    struct counting *c = counting_new("bdx");
    double data, requests, all;

    counting_events(c, "bdx");
    c->options.load = LOAD_READ_REMOTE;
    counting_refuses(c, "UNC_Q_CTO_COUNT", "match registers let pass");
    counting_counts(c, DATA "," REQUESTS ",qpi/packets,UNC_Q_CTO_COUNT:match0=0x1c00:mask0=0x1e00");
    counting_says(c, " of package 0 reads 1048576 bytes of another package's memory");
    counting_says(c, " ms, 33 % of the time\n");
    data = counting_row(c, DATA, "package 0, all 2 ");
    requests = counting_row(c, REQUESTS, "package 0, all 2 ");
    all = counting_row(c, "qpi/packets", "package 0, all 2 ");
    cr_expect_eq(data, LINES);
    cr_expect_eq(requests, LINES);
    cr_expect_eq(all, data + requests);
    cr_expect_eq(counting_row(c, "UNC_Q_CTO_COUNT:match0=0x1c00:mask0=0x1e00", "package 0, all 2 "), data);
}

/* intel/perfmon UNC_UPI_TxL_BASIC_HDR_MATCH: one line that is read is one header of data of its home's links. */
Test(count_filters, a_upi_port_counts_the_header_that_is_asked_for)
{
    struct counting *c = counting_new("skx");

    c->options.load = LOAD_READ_REMOTE;
    counting_counts(c, "upi/0x4:0xc,upi/0x4:0xe,upi/hdr_req");
    cr_expect_eq(counting_row(c, "upi/0x4:0xc", "package 1, all "), counting_row(c, "upi/hdr_req", "package 1, all "));
    cr_expect_gt(strtod(strstr(strstr(c->text, "\nupi/0x4:0xc"), "package 1, all ") + 16, NULL), LINES - 1);
    cr_expect_eq(strtod(strstr(strstr(c->text, "\nupi/0x4:0xe"), "package 1, all ") + 16, NULL), 0);
}

/* Of a run, what the first two slices of package 0 counted. */
static double in_two_slices(struct counting *c, const char *event)
{
    const char *unit = strstr(event, "cha/") ? "CHA" : "CBo";
    double sum = 0;
    char where[32];

    counting_counts(c, event);
    for (unsigned box = 0; box < 2; box++) {
        snprintf(where, sizeof where, "package 0 %s %u ", unit, box);
        sum += counting_row(c, event, where);
    }
    return sum;
}

/* Linux uncore_snbep.c: a field by its name is its bits of the register. */
Test(count_filters, filters_have_the_names_of_perfs_formats)
{
    static const struct {
        const char *profile, *by_name, *by_value, *other;
    } parts[] = {
        { "snbep", "cbo/0x35:0x3:counters=3:filter_opc=0x182", "cbo/tor_miss_drd", "cbo/0x35:0x3:filter_opc=0x180" },
        { "ivbep", "cbo/0x35:0x3:counters=3:filter_opc=0x182", "cbo/tor_miss_drd", "cbo/0x35:0x3:filter_opc=0x180" },
        { "bdx", "UNC_C_TOR_INSERTS.MISS_OPCODE:filter_opc=0x182", "cbo/tor_miss_drd",
          "cbo/0x35:0x3:filter_opc=0x180" },
        { "skx", "cha/0x35:0x21:filter_rem:filter_loc:filter_nm:filter_not_nm:filter_opc0=0x202", "cha/tor_miss_drd",
          "cha/0x35:0x21:filter_rem:filter_loc:filter_nm:filter_not_nm:filter_opc0=0x200" },
        { "bdx", "cbo/0x34:0x3:filter_state=0x7f", "cbo/llc_lookup", "cbo/0x34:0x3:filter_state=0" },
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct counting *c = counting_new(parts[i].profile);
        double by_name, by_value, other;

        if (!strcmp(parts[i].profile, "bdx"))
            counting_events(c, "bdx");
        by_name = in_two_slices(c, parts[i].by_name);
        by_value = in_two_slices(c, parts[i].by_value);
        other = in_two_slices(c, parts[i].other);
        cr_expect_gt(by_value, LINES / 32, "%s", parts[i].by_value);
        cr_expect_float_eq(by_name / by_value, 1, 0.01, "%s: %f of %f", parts[i].by_name, by_name, by_value);
        cr_expect_lt(other, by_value / 20, "%s: %f of %f", parts[i].other, other, by_value);
    }
}

/* Cores in C0 by occ_sel 1; a band counts the clocks in which the frequency is at least its threshold, in 100 MHz. */
Test(count_filters, bands_and_occupancy_of_the_power_control_unit_by_name)
{
    struct counting *c = counting_new("bdx");

    c->options.load = LOAD_NONE;
    counting_counts(c, "pcu/0x80:0:occ_sel=1:counters=0xe,pcu/cores_c0,pcu/0xb:0:filter_band0=1,"
                       "pcu/0xb:0:filter_band0=0xff,pcu/clock");
    cr_expect_float_eq(counting_row(c, "pcu/0x80:0:occ_sel=1:counters=0xe", "package 0 PCU ") /
                           counting_row(c, "pcu/cores_c0", "package 0 PCU "),
                       1, 0.01);
    cr_expect_gt(counting_row(c, "pcu/0xb:0:filter_band0=1", "package 0 PCU "), 1e6, "%s", c->text);
    cr_expect_eq(counting_row(c, "pcu/0xb:0:filter_band0=0xff", "package 0 PCU "), 0);
    counting_refuses(c, "pcu/0xb:0:filter_band0=0x100", "filter_band0: exceeds a field");
    counting_refuses(c, "imc/cas_rd:filter_opc=1", NULL);
}

/* A clock adds 1 in each clock: it passes thresh 1 and not 2, and all its clocks are below 2. */
Test(count_filters, thresh_edge_and_invert_are_the_controls_fields)
{
    struct counting *c = counting_new("icx");

    c->options.load = LOAD_NONE;
    counting_counts(c, "imc/clock,imc/0x0:0x0:thresh=1,imc/clock:thresh=2,imc/clock:thresh=2:invert");
    cr_expect_gt(counting_row(c, "imc/clock", "package 0 iMC 0 "), 1e6);
    cr_expect_eq(counting_row(c, "imc/0x0:0x0:thresh=1", "package 0 iMC 0 "),
                 counting_row(c, "imc/clock", "package 0 iMC 0 "));
    cr_expect_eq(counting_row(c, "imc/clock:thresh=2", "package 0 iMC 0 "), 0);
    cr_expect_eq(counting_row(c, "imc/clock:thresh=2:invert", "package 0 iMC 0 "),
                 counting_row(c, "imc/clock", "package 0 iMC 0 "));
    counting_counts(c, "imc/clock:thresh=1:edge");
    cr_expect_eq(counting_row(c, "imc/clock:thresh=1:edge", "package 0 iMC 0 "), 1);
}
