/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* -list boxes and -count on the silicon model: what a person gets to see. */
#include "core/count/count.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"
#include "tests/support/run/counting.h"
#include "tests/support/machine/fake_platform.h"
#include "tests/support/data/ocp_stream.h"

TestSuite(count, .fini = counting_end);

Test(count, every_box_is_listed_with_its_place_or_the_reason_why_not)
{
    struct counting *c = counting_new("bdx");
    struct count_output out = { .say = counting_line, .context = c };

    count_list_boxes(&c->tools.pmon, &out);
    counting_says(c, "package 0 CBo 1        MSR 0xe10          4 counters of 48 bits\n");
    counting_says(c, "package 1 iMC 0        PCI ff:14.0        4 counters of 48 bits + 1 fixed\n");
    counting_says(c, "no device id 0x6fd0 and no other function of device 23: not populated");
    counting_says(c, "\niMC        clock cas_rd cas_wr cas_all");
}

Test(count, events_have_names_or_codes)
{
    struct counting *c = counting_new("bdx");

    counting_counts(c, "imc/cas_rd,iMC/0x04:0x0c,cha/llc_lookup,pcu/clock,pcu/0x80:0x40");
    counting_says(c, "\npcu/clock: ");
    counting_says(c, "\npcu/0x80:0x40: "); /* POWER_STATE_OCCUPANCY.CORES_C0 */
    counting_says(c, "of package 0 reads 1048576 bytes of local memory,\n");
    counting_says(c, "\npackage 1, all 4 ");
    counting_says(c, "\niMC/0x04:0x0c: ");
    counting_says(c, " bytes\n");
}

/* The same events by perf's words and by the tables', on one window after the other. */
Test(count, events_as_perf_prints_them_count_what_the_tables_names_count)
{
    static const struct {
        const char *profile, *perf, *ours, *where;
    } events[] = {
        { "bdx", "uncore_imc/cas_count_read/", "imc/cas_rd", "package 0, all 4" },
        { "bdx", "uncore_cbox/event=0x35,umask=0x3,filter_opc=0x182/", "cbo/tor_miss_drd", "package 0, all 8" },
        { "icx", "uncore_cha/event=0x35,umask=0xc817fe01/", "cha/tor_miss_drd", "package 0, all 36" },
        { "spr", "uncore_upi/event=0x2,umask=0xf,edge=0,inv=0/", "upi/tx_data", "package 0, all 3" },
        { "zen5", "amd_umc/event=0xa,umask=0x1/", "umc/cas_rd", "package 0, all 12" },
    };

    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct counting *c = counting_new(events[i].profile);
        char both[160];

        snprintf(both, sizeof both, "%s,%s", events[i].perf, events[i].ours);
        counting_counts(c, both);
        cr_expect_eq(counting_row(c, events[i].perf, events[i].where), counting_row(c, events[i].ours, events[i].where),
                     "%s: %s", events[i].perf, c->text);
    }
}

/* Linux uncore_snbep.c icx_uncore_imc_freerunning: free-running counters of a controller are a unit of their own. */
Test(count, free_running_counters_are_listed_and_counted)
{
    struct counting *c = counting_new("icx");
    struct count_output out = { .say = counting_line, .context = c };

    count_list_boxes(&c->tools.pmon, &out);
    counting_says(c, " 5 free-running counters of 48 bits\n");
    counting_says(c, "\npackage 1 MC 3         0x");
    counting_says(c, "\npackage 1 IIO-free 5   MSR 0xb50          8 free-running");
    counting_says(c, "\nMC         ddr_rd ddr_wr pmm_rd pmm_wr dclk\n");
    counting_counts(c, "mc/ddr_rd,imc/cas_rd,mc/dclk");
    counting_says(c, "package 1, all 4                  16384");
    counting_says(c, "package 1, all 8                  16384");
    counting_counts(c, "iio-free/bw_in_port7");
    counting_says(c, "package 1, all 6");
    counting_refuses(c, "mc/clock", "MC has no event named \"clock\"; the nearest: dclk, ddr_rd, ddr_wr");
    counting_refuses(c, "mc/0x1:0x1", NULL);
}

Test(count, what_cannot_be_counted_is_named)
{
    static const struct {
        const char *events, *says;
    } bad[] = {
        { "imc", "is no unit/event and no metric" },
        { "imc/cas_rd,", "is not unit/event" },
        { "imc/4", "umask is missing" },
        { "imc/0x4:0x1:0x1:0x1", "0x1 is no field" },
        { "imc/cas_rd:tresh=1", "tresh is no field" },
        { "imc/cas_rd:", "is not unit/event" },
        { "pcu/0x80:0x01", "umask: exceeds a field of the control register" }, /* reserved: occ_sel is bits 15:14 */
        { "imc/0x100:0", "code: exceeds a field of the control register" },
        { "imc/0x4:0:0x1", "extension: exceeds a field" },
        { "imc/cas_rd:thresh=0x100", "thresh: exceeds a field" },
        { "imc/cas_rd:edge", "edge without thresh: exceeds" },
        { "imc/cas_rd:filter0=1", "filter0: exceeds a field of the control register of iMC, or is none of it" },
        { "imc/cas_rd:counters=0x10", "no counter of the box can count it" },
        { "pcu/0x80:0x40:fixed", "PCU has no event named" },
        { "upi-use", "this part has no events for the metric \"upi-use\"" },
        { "upi/none_such", "QPI has no event named \"none_such\"; the nearest: tx_ncb, rx_ncb, tx_data" },
        { "r2pcie/clocks", "R2PCIe has no named events; give one as code:umask, for example R2PCIe/0x1:0x0" },
        { "l3/l3_miss", "no usable unit \"l3\"; usable: UBox CBo SBo PCU HA iMC" },
    };
    struct counting *c = counting_new("bdx");

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        counting_refuses(c, bad[i].events, bad[i].says);
    }
    c->options.repeat = COUNT_WINDOWS + 1;
    counting_refuses(c, "imc/cas_rd", "-repeat 3601: -count takes at most 3600 windows");
}

Test(count, intels_names_count_what_the_tables_names_count)
{
    struct counting *c = counting_new("icx");

    counting_events(c, "icx");
    counting_counts(c, "UNC_M_CAS_COUNT.RD,imc/cas_rd,cha/unc_cha_tor_inserts.ia_miss_drd,cha/tor_miss_drd");
    cr_expect_eq(counting_row(c, "UNC_M_CAS_COUNT.RD", "package 0, all 8 "), 16384);
    cr_expect_eq(counting_row(c, "imc/cas_rd", "package 0, all 8 "), 16384);
    cr_expect_gt(counting_row(c, "cha/tor_miss_drd", "package 1 CHA 0 "), 0);
    cr_expect_eq(counting_row(c, "cha/unc_cha_tor_inserts.ia_miss_drd", "package 1 CHA 0 "),
                 counting_row(c, "cha/tor_miss_drd", "package 1 CHA 0 "));
    counting_counts(c, "UNC_M_HCLOCKTICKS"); /* the fixed counter */
    cr_expect_gt(counting_row(c, "UNC_M_HCLOCKTICKS", "package 0 iMC 0 "), 0);
}

Test(count, names_that_there_are_not_get_the_nearest)
{
    struct counting *c = counting_new("icx");

    counting_refuses(c, "UNC_M_CAS_COUNT.RD", "\\assay\\events");
    counting_events(c, "icx");
    counting_refuses(c, "UNC_M_CAS_COUNT.RED", "the nearest: UNC_M_CAS_COUNT.RD, UNC_M_CAS_COUNT.WR");
    counting_refuses(c, "imc/UNC_M_CAS_COUNT.W", "the nearest: UNC_M_CAS_COUNT.WR");
    counting_refuses(c, "imc/cas_r", "iMC has no event named \"cas_r\"; the nearest: cas_rd");
}

/* Six events on four counters: each sees the whole load, and its share of the time is said. */
Test(count, more_events_than_counters_take_turns)
{
    struct counting *c = counting_new("icx");

    counting_counts(c, "imc/cas_rd,imc/cas_wr,imc/cas_all,imc/rpq_inserts,imc/clock,imc/0x04:0x0f");
    counting_says(c, "imc/cas_rd: 0.1");
    counting_says(c, " ms, 50 % of the time\n");
    cr_expect_null(strstr(c->text, " 100 %"));
    cr_expect_eq(counting_row(c, "imc/cas_rd", "package 1, all 8 "), 16384);
    cr_expect_eq(counting_row(c, "imc/0x04:0x0f", "package 1, all 8 "), 16384);
}

/* TOR_OCCUPANCY is on counter 0 alone: two of them cannot be there together. */
Test(count, events_of_one_counter_take_turns)
{
    struct counting *c = counting_new("icx");

    counting_events(c, "icx");
    counting_counts(c, "cha/tor_all,cha/tor_occupancy,UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD");
    counting_says(c, "cha/tor_occupancy: ");
    counting_says(c, " ms, 50 % of the time\n");
    cr_expect_gt(counting_row(c, "cha/tor_occupancy", "package 0 CHA 0 "), 0);
    cr_expect_gt(counting_row(c, "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD", "package 0 CHA 0 "), 0);
}

/* --- metrics -------------------------------------------------------------------------------------------------------- */

/* What perf stat -M and PCM call them by: each metric of perfmon that is made of uncore events alone. */
Test(count, every_uncore_metric_of_perfmon_is_counted)
{
    static const struct {
        const char *profile;
        uint32_t metrics;
    } parts[] = { { "hsx", 17 }, { "bdx", 17 }, { "skx", 25 }, { "clx", 28 }, { "icx", 39 }, { "spr", 44 },
                  { "emr", 40 }, { "gnr", 40 }, { "srf", 28 }, { "cwf", 30 }, { "grr", 10 } };
    char path[64], head[160];

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct counting *c = counting_new(parts[i].profile);

        snprintf(path, sizeof path, "../uncore/metrics/%s", parts[i].profile);
        counting_events(c, path);
        cr_assert_eq(c->file.n_metrics, parts[i].metrics, "%s", parts[i].profile);
        counting_counts(c, "*");
        for (uint32_t k = 0; k < c->file.n_metrics; k++) {
            snprintf(head, sizeof head, "\n%s: ", c->file.metrics[k].name);
            cr_expect_not_null(strstr(c->text, head), "%s: %s", parts[i].profile, c->file.metrics[k].name);
        }
        event_file_free(&c->file);
    }
}

/* The figure of a metric's row, with the prefix of thousands taken out. */
static double metric_at(const struct counting *c, const char *metric, const char *where, const char *unit)
{
    const char *prefixes = "kMGT";
    char head[64], *end;
    const char *at;
    double value;

    snprintf(head, sizeof head, "\n%s: ", metric);
    at = strstr(c->text, head);
    cr_assert_not_null(at, "%s: %s", metric, c->text);
    at = strstr(at, where);
    cr_assert_not_null(at, "%s: %s", where, c->text);
    at += strlen(where);
    if (strcmp(where + strlen(where) - 4, "all ") == 0) /* of how many boxes */
        at += strspn(at, "0123456789");
    value = strtod(at, &end);
    end++;
    for (size_t i = 0; *unit != '%' && *unit != 'n' && i < 4; i++)
        if (*end == prefixes[i]) {
            end++;
            for (size_t k = 0; k <= i; k++)
                value *= 1000;
            break;
        }
    cr_expect_eq(strncmp(end, unit, strlen(unit)), 0, "%s: %.20s", metric, end);
    return value;
}

Test(count, metrics_of_perfmon_are_what_ours_are)
{
    static const struct {
        const char *perfmon, *ours, *unit;
    } same[] = { { "memory_bandwidth_read", "mem-read", "B/s" },
                 { "llc_demand_data_read_miss_latency", "llc-miss-latency", "ns" },
                 { "uncore_frequency", "uncore-clock", "Hz" } };
    struct counting *c = counting_new("spr");
    char names[128];

    counting_events(c, "../uncore/metrics/spr");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        snprintf(names, sizeof names, "%s,%s", same[i].perfmon, same[i].ours);
        counting_counts(c, names);
        cr_expect_float_eq(metric_at(c, same[i].perfmon, "package 1, all ", same[i].unit) /
                               metric_at(c, same[i].ours, "package 1, all ", same[i].unit),
                           1, 0.01, "%s", names);
    }
    event_file_free(&c->file);
}

Test(count, bandwidth_is_the_loads_bytes_by_channel_and_package)
{
    struct counting *c = counting_new("icx");
    double rate, channels = 0;
    char where[32];

    counting_counts(c, "mem-read,imc/cas_rd");
    rate = metric_at(c, "mem-read", "package 1, all 8 ", "B/s");
    for (unsigned i = 0; i < 8; i++) {
        snprintf(where, sizeof where, "package 1 iMC %u ", i);
        channels += metric_at(c, "mem-read", where, "B/s");
    }
    cr_expect_float_eq(channels / rate, 1, 0.002, "%f of %f", channels, rate);
    cr_expect(rate > 1e9 && rate < 100e9, "%f", rate);
}

/* The virtual silicon keeps a read that misses for 110 clocks in its table (tests/silicon/uncore_parts/uncore_e5.h), and every
 * read of the load has its home in its own package. */
Test(count, latency_is_occupancy_over_inserts_and_the_local_share_is_all)
{
    static const char *const profiles[] = { "bdx", "skx", "icx", "spr" };

    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct counting *c = counting_new(profiles[i]);
        double ns, ms, hz;

        counting_counts(c, "llc-miss-latency,mem-local,cha/clock");
        ms = strtod(strstr(c->text, "\ncha/clock: ") + strlen("\ncha/clock: "), NULL);
        hz = counting_row(c, "cha/clock", profiles[i][0] == 'b' ? "package 0 CBo 0 " : "package 0 CHA 0 ") / ms * 1000;
        ns = metric_at(c, "llc-miss-latency", "package 0, all ", "ns");
        cr_expect_float_eq(ns, 110e9 / hz, 0.03 * ns, "%s: %f ns at %f Hz", profiles[i], ns, hz);
        cr_expect_float_eq(metric_at(c, "mem-local", "package 1, all ", "%"), 100, 0.01, "%s", profiles[i]);
    }
}

/* The columns that intel/pcm shows beside reads and writes. */
Test(count, totals_rates_and_latencies_by_home_agree_with_their_parts)
{
    static const char *const profiles[] = { "skx", "icx", "spr", "gnr", "srf" };

    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct counting *c = counting_new(profiles[i]);
        double all, local, total, parts;

        counting_counts(c, "mem-read,mem-write,mem-total,llc-miss-latency,llc-miss-latency-local,uncore-clock");
        total = metric_at(c, "mem-total", "package 0, all ", "B/s");
        parts =
            metric_at(c, "mem-read", "package 0, all ", "B/s") + metric_at(c, "mem-write", "package 0, all ", "B/s");
        cr_expect_float_eq(total, parts, 0.01 * total, "%s: %f, and %f", profiles[i], total, parts);
        all = metric_at(c, "llc-miss-latency", "package 0, all ", "ns");
        local = metric_at(c, "llc-miss-latency-local", "package 0, all ", "ns");
        cr_expect_float_eq(local, all, 0.03 * all, "%s: %f, and %f", profiles[i], local, all);
        cr_expect_float_eq(metric_at(c, "uncore-clock", "package 0, all ", "Hz"), 2.3e9, 0.5e9, "%s", profiles[i]);
    }
}

/* tor-home-ignored: a slice takes every request for one of both homes. */
Test(count, the_remote_share_is_what_is_not_local)
{
    static const char *const profiles[] = { "ivbep", "hsx", "bdx", "skx", "icx", "spr", "gnr", "srf" };

    for (size_t i = 0; i < 2 * sizeof profiles / sizeof *profiles; i++) {
        const char *profile = profiles[i / 2], *fault = i % 2 ? "tor-home-ignored" : NULL;
        struct counting *c = counting_faulty(profile, fault);

        counting_counts(c, "mem-local,mem-remote");
        for (unsigned p = 0; p < 2; p++) {
            const char *where = p ? "package 1, all " : "package 0, all ";

            cr_expect_float_eq(metric_at(c, "mem-remote", where, "%"), fault ? 50 : 0, 0.1, "%s: %s", profile, c->text);
            cr_expect_float_eq(metric_at(c, "mem-local", where, "%"), fault ? 50 : 100, 0.1, "%s: %s", profile,
                               c->text);
        }
    }
}

/* Xeon Max: perf's imc and Intel's iMC are the channels of modules, and HBM and its M2Ms have units of their own. */
Test(count, memory_in_the_package_is_counted_apart)
{
    struct counting *c = counting_new("spr-hbm");

    counting_counts(c, "imc/cas_rd,hbm/cas_rd,m2m/imc_reads,m2hbm/imc_reads");
    cr_expect_not_null(strstr(c->text, "package 0, all 8"), "eight channels of modules: %s", c->text);
    cr_expect_not_null(strstr(c->text, "package 0, all 32"), "32 channels of HBM: %s", c->text);
    cr_expect_not_null(strstr(c->text, "package 0, all 4"), "an M2M of each controller: %s", c->text);
    cr_expect_not_null(strstr(c->text, "package 0, all 16"), "and one of each stack's: %s", c->text);
}

Test(count, all_metrics_of_a_part_are_counted_and_none_that_it_has_not)
{
    static const struct {
        const char *profile, *has, *lacks;
    } parts[] = {
        { "nhm", "mem-read mem-write mem-local mem-remote", "upi-out llc-miss-latency" },
        { "snbep", "mem-read mem-write llc-miss-latency upi-out rpq-latency", "upi-use iio-read" },
        { "bdx", "mem-read mem-local mem-remote llc-miss-latency upi-out", "upi-use iio-read" },
        { "skx",
          "mem-read mem-local mem-remote llc-miss-latency rpq-latency upi-out upi-use iio-read iio-write iio-read-use "
          "iio-write-use",
          "" },
        { "icx",
          "mem-read mem-write mem-local llc-miss-latency rpq-latency upi-out upi-use iio-read iio-write iio-read-use "
          "iio-write-use",
          "" },
        { "spr",
          "mem-read mem-write mem-local llc-miss-latency rpq-latency upi-out upi-use iio-read iio-write iio-read-use "
          "iio-write-use",
          "" },
        { "zen5", "mem-read mem-write", "upi-out rpq-latency" },
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct counting *c = counting_new(parts[i].profile);
        char words[160], *save, head[64];

        counting_counts(c, "metrics");
        for (unsigned lacks = 0; lacks < 2; lacks++) {
            snprintf(words, sizeof words, "%s", lacks ? parts[i].lacks : parts[i].has);
            for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
                snprintf(head, sizeof head, "\n%s: ", w);
                cr_expect_eq(strstr(c->text, head) == NULL, lacks, "%s: %s", parts[i].profile, w);
            }
        }
    }
}

Test(count, links_are_used_by_what_is_sent_and_never_beyond_what_they_can)
{
    struct counting *c = counting_new("icx");
    double use;

    counting_counts(c, "upi-use,upi-out");
    use = metric_at(c, "upi-use", "package 0, all ", "%");
    cr_expect(use >= 0 && use < 100, "%f", use);
}

/* Realism dma: the device of stack 1 writes so many KB/s, of which the silicon adds one unit of 4 bytes in a clock until there
 * are more units than clocks. */
Test(count, a_stack_is_used_in_the_clocks_in_which_its_device_writes)
{
    static const struct {
        const char *profile, *device, *other, *kilobytes;
        double rate;
    } cases[] = {
        { "skx", "package 0 IIO 1 ", "package 0 IIO 0 ", "dma=400000", 4e8 },
        { "skx", "package 0 IIO 1 ", "package 0 IIO 0 ", "dma=1000000", 1e9 },
        { "icx", "package 0 IIO 1 ", "package 0 IIO 0 ", "dma=400000", 4e8 },
        { "icx", "package 0 IIO 1 ", "package 0 IIO 0 ", "dma=1000000", 1e9 },
        { "spr", "package 0 IIO 1 ", "package 0 IIO 0 ", "dma=1000000", 1e9 },
        { "gnr", "package 0 die 3 IIO 1 ", "package 0 die 3 IIO 0 ", "dma=400000", 4e8 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *profile = cases[i].profile, *device = cases[i].device;
        struct counting *c = counting_on(&MODEL(profile, 2, 2, 1, .seed = 1, .realism = cases[i].kilobytes));
        double hz, bytes, use, ms;

        c->options.size_bytes = 16 << 20;
        counting_counts(c, "iio-write,iio-write-use,iio-read-use,iio/clock");
        ms = strtod(strstr(c->text, "\niio/clock: ") + strlen("\niio/clock: "), NULL);
        hz = counting_row(c, "iio/clock", device) / ms * 1000;
        bytes = metric_at(c, "iio-write", device, "B/s");
        use = metric_at(c, "iio-write-use", device, "%");
        cr_expect_float_eq(bytes, cases[i].rate, 0.05 * bytes, "%s: %f", profile, bytes);
        cr_expect_float_eq(use, 100 * bytes / 4 / hz, 0.05 * use, "%s: %f %% of %f Hz", profile, use, hz);
        cr_expect_eq(metric_at(c, "iio-write-use", cases[i].other, "%"), 0, "%s", profile);
        cr_expect_eq(metric_at(c, "iio-read-use", device, "%"), 0, "%s", profile);
    }
}

/* --- the stream and -top -------------------------------------------------------------------------------------------- */

Test(count, every_row_is_a_series_with_its_unit_and_the_step_is_done)
{
    struct counting *c = counting_new("icx");
    struct count_output out = { .say = counting_line, .context = c };
    struct report report;
    struct fake_medium stream = { 0 }, text = { 0 };
    struct count_request request = { .options = &c->options, .report = &report };
    struct run_identity id = {
        .version = "0", .commit = "0", .build_id = "0", .command_line = "", .built_for = "a test"
    };
    struct run_record run = { .stopped = false };
    struct ocp_result result;

    c->options.n_counts = 1;
    c->options.repeat = 3;
    snprintf(c->options.counts[0], sizeof c->options.counts[0], "imc/cas_rd,cha/clock,mem-read");
    cr_assert_eq(report_init(&report, &c->mp->platform, fake_sink(&stream), fake_sink(&text)), ST_OK);
    report_start(&report, &c->machine, &c->options, &id);
    cr_assert_eq(count_run(&c->tools, &request, &out, &c->error), ST_OK, "%s", c->error.text);
    cr_assert_eq(report_end(&report, &run, RUN_DONE), ST_OK);
    cr_assert(ocp_check(stream.text, stream.length, false, &result), "%s", result.fault);
    cr_expect_eq(result.diagnoses, 0);
    cr_expect_not_null(strstr(stream.text, "\"name\":\"imc/cas_rd\",\"unit\":\"bytes/s\""), "%s", stream.text);
    cr_expect_not_null(strstr(stream.text, "\"name\":\"cha/clock\",\"unit\":\"counts/s\""));
    cr_expect_not_null(
        strstr(stream.text, "\"subcomponent\":{\"name\":\"package 1, all 8\",\"location\":\"package=1,all=8\"}"));
    cr_expect_not_null(strstr(stream.text, "\"formula\":\"bytes( imc/cas_rd )\""));
    cr_expect_not_null(strstr(stream.text, "\"totalCount\":3"));
    cr_expect_not_null(strstr(stream.text, "\"verdict\":\"DONE\""));
    cr_expect_not_null(strstr(text.text, "\nDONE   count "), "%s", text.text);
    cr_expect_null(strstr(text.text, "PASS   count"));
    report_free(&report);
    fake_medium_free(&stream);
    fake_medium_free(&text);
}

struct shown {
    struct counting *c;
    unsigned n, stop_after;
    char last[8192];
};

static void keep_said(void *context, const char *line)
{
    counting_line(((struct shown *)context)->c, line);
}

static void keep_table(void *context, const char *const *lines, uint32_t n)
{
    struct shown *s = context;

    s->n++;
    s->last[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        size_t had = strlen(s->last);

        cr_expect_lt(strlen(lines[i]), 80, "%s", lines[i]);
        snprintf(s->last + had, sizeof s->last - had, "%s\n", lines[i]);
    }
}

static bool wants_stop(void *context)
{
    const struct shown *s = context;

    return s->stop_after && s->n == s->stop_after;
}

static struct shown top(struct counting *c, uint32_t seconds, uint32_t rows, unsigned stop_after)
{
    struct shown s = { .c = c, .stop_after = stop_after };
    struct count_output out = { keep_said, keep_table, wants_stop, &s };
    struct count_request request = { .options = &c->options, .show_rows = rows };

    c->options.top_seconds = seconds;
    c->options.load = LOAD_NONE;
    cr_assert_eq(count_run(&c->tools, &request, &out, &c->error), ST_OK, "%s", c->error.text);
    return s;
}

Test(count, top_shows_a_table_a_second_until_its_seconds_have_passed)
{
    struct counting *c = counting_new("icx");
    struct shown s = top(c, 3, 200, 0);

    cr_expect_eq(s.n, 3);
    cr_expect_not_null(strstr(s.last, "assay -top: 3 of 3 s, "), "%s", s.last);
    cr_expect_not_null(strstr(s.last, "\nmem-read "), "all metrics where no event was asked for");
    cr_expect_not_null(strstr(s.last, "package 1 iMC 7 "), "there is room for channels");
}

Test(count, top_ends_where_a_person_says_so_and_shows_packages_alone_where_rows_are_few)
{
    struct counting *c = counting_new("icx");
    struct shown s;

    c->options.n_counts = 1;
    snprintf(c->options.counts[0], sizeof c->options.counts[0], "mem-read,mem-write,imc/cas_rd");
    s = top(c, 60, 10, 2);
    cr_expect_eq(s.n, 2);
    cr_expect_not_null(strstr(s.last, "package 1, all 8 "));
    cr_expect_null(strstr(s.last, "iMC"), "%s", s.last);
}
