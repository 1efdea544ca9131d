/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Events as perf writes them: the sysfs formats of Linux' uncore PMUs, and what `perf list` prints. */
#include "core/events/event_perf.h"

#include <criterion/criterion.h>

static void expect(const char *perf, const char *ours)
{
    char out[96];

    cr_expect_eq(event_from_perf(perf, out, sizeof out), ST_OK);
    cr_expect_str_eq(out, ours, "%s: %s", perf, out);
}

Test(event_perf, prefixes_slashes_and_joined_fields)
{
    expect("uncore_imc/cas_count_read/", "imc/cas_rd");
    expect("uncore_imc/cas_count_write", "imc/cas_wr");
    expect("uncore_cbox/clockticks/", "cbo/clock");
    expect("uncore_cha/event=0x35,umask=0xc817fe01/", "cha/0x35:0xc817fe01");
    expect("cha/umask=0x1,thresh=2,event=0x36,edge=1,inv=0/", "cha/0x36:0x1:thresh=2:edge");
    expect("uncore_iio/event=0x83/", "iio/0x83:0");
    expect("amd_df/event=0x1f,umask=0xffe/", "df/0x1f:0xffe");
    expect("uncore_cha/UNC_CHA_TOR_INSERTS.IA,tid_en/", "cha/UNC_CHA_TOR_INSERTS.IA:tid_en");
}

Test(event_perf, what_perf_does_not_write_is_left_as_it_is)
{
    expect("imc/cas_rd", "imc/cas_rd");
    expect("UNC_M_CAS_COUNT.RD:edge:thresh=1", "UNC_M_CAS_COUNT.RD:edge:thresh=1");
    expect("mem-read", "mem-read");
    expect("", "");
}

Test(event_perf, a_slash_that_closes_an_event_holds_its_commas)
{
    cr_expect_eq(event_first_length("uncore_cha/event=0x35,umask=0x1/,imc/cas_rd"), 32);
    cr_expect_eq(event_first_length("imc/cas_rd,imc/cas_wr"), 10);
    cr_expect_eq(event_first_length("mem-read,imc/cas_rd/"), 8);
    cr_expect_eq(event_first_length("uncore_imc/cas_count_read/"), 26);
    cr_expect_eq(event_first_length(""), 0);
}

Test(event_perf, what_does_not_fit_is_refused)
{
    char out[8] = "x";

    cr_expect_eq(event_from_perf("uncore_imc/cas_count_read/", out, sizeof out), ST_RANGE);
    cr_expect_str_eq(out, "");
}

Test(event_perf, a_unit_is_the_kernel_s_pmu)
{
    static const char *const names[][2] = {
        { "CHA", "uncore_cha" }, { "CBo", "uncore_cbox" }, { "C", "uncore_cbox" }, { "MC", "uncore_imc_free_running" },
        { "L3", "amd_l3" },      { "uncore", "uncore" },
    };
    char pmu[32];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        event_perf_pmu(names[i][0], pmu, sizeof pmu);
        cr_expect_str_eq(pmu, names[i][1]);
    }
}
