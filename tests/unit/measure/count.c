/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* -list boxes and -count on the silicon model: what a person gets to see. */
#include "core/measure/count.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/ledger.h"
#include "tests/silicon/host/host_platform.h"

struct bench {
    struct model_platform *mp;
    struct machine machine;
    struct ledger ledger;
    struct tools tools;
    struct options options;
    struct options_error error;
    char text[16384];
};

static void keep_line(void *context, const char *line)
{
    struct bench *b = context;
    size_t had = strlen(b->text);

    cr_expect_lt(strlen(line), 160, "%s", line);
    snprintf(b->text + had, sizeof b->text - had, "%s\n", line);
}

static struct bench *bench_new(const char *profile)
{
    struct model_config config = { .profile = profile, .packages = 2, .cores = 2, .threads = 1, .seed = 1 };
    struct bench *b = calloc(1, sizeof *b);

    cr_assert_not_null(b);
    b->mp = model_platform_new(&config, 0);
    cr_assert_not_null(b->mp);
    cr_assert_eq(ledger_init(&b->mp->platform, &b->ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&b->mp->platform, &b->machine), ST_OK);
    cr_assert_eq(tools_init(&b->tools, &b->mp->platform, &b->machine, 0), ST_OK);
    options_default(&b->options);
    b->options.size_bytes = 1 << 20;
    return b;
}

static void bench_free(struct bench *b)
{
    cr_expect_eq(ledger_restore(&b->mp->platform), ST_OK);
    tools_free(&b->tools);
    machine_free(&b->machine);
    ledger_free(&b->ledger);
    model_platform_free(b->mp);
    free(b);
}

static enum status count(struct bench *b, const char *events)
{
    struct count_output out = { keep_line, b };

    snprintf(b->options.count, sizeof b->options.count, "%s", events);
    b->text[0] = '\0';
    return count_run(&b->tools, &b->options, &out, &b->error);
}

Test(count, every_box_is_listed_with_its_place_or_the_reason_why_not)
{
    struct bench *b = bench_new("bdx");
    struct count_output out = { keep_line, b };

    boxes_list(&b->tools.pmon, &out);
    cr_expect_not_null(strstr(b->text, "package 0 CBo 1        MSR 0xe10          4 counters of 48 bits\n"));
    cr_expect_not_null(
        strstr(b->text, "package 1 iMC 0        PCI ff:14.0        4 counters of 48 bits and a fixed one\n"));
    cr_expect_not_null(strstr(b->text, "no device id 0x6fd0: hidden or absent"));
    cr_expect_not_null(strstr(b->text, "\niMC        clock cas_rd cas_wr cas_all"), "%s", b->text);
    bench_free(b);
}

Test(count, events_have_names_or_codes)
{
    struct bench *b = bench_new("bdx");

    cr_assert_eq(count(b, "imc/cas_rd,iMC/0x04:0x0c,cha/llc_lookup,pcu/clock"), ST_OK, "%s", b->error.text);
    cr_expect_not_null(strstr(b->text, "package 0 PCU          clock "));
    cr_expect_not_null(strstr(b->text, "of package 0 reads 1048576 bytes of its own memory,\n"), "%s", b->text);
    cr_expect_not_null(strstr(b->text, "package 1, all 4       cas_rd"));
    cr_expect_not_null(strstr(b->text, "0x04:0x0c"));
    cr_expect_not_null(strstr(b->text, "llc_lookup"));
    cr_expect_not_null(strstr(b->text, "bytes"));
    bench_free(b);
}

/* Linux uncore_snbep.c icx_uncore_imc_freerunning: free-running counters of a controller are a unit of their own. */
Test(count, free_running_counters_are_listed_and_counted)
{
    struct bench *b = bench_new("icx");
    struct count_output out = { keep_line, b };

    boxes_list(&b->tools.pmon, &out);
    cr_expect_not_null(strstr(b->text, " 3 free-running counters of 48 bits\n"), "%s", b->text);
    cr_expect_not_null(strstr(b->text, "\npackage 1 MC 3         0x"), "%s", b->text);
    cr_expect_not_null(strstr(b->text, "\nMC         ddr_rd ddr_wr dclk\n"), "%s", b->text);
    cr_assert_eq(count(b, "mc/ddr_rd,imc/cas_rd,mc/dclk"), ST_OK, "%s", b->error.text);
    cr_expect_not_null(strstr(b->text, "package 1, all 4       ddr_rd                      16384        1048576 bytes"),
                       "%s", b->text);
    cr_expect_not_null(strstr(b->text, "package 1, all 8       cas_rd                      16384        1048576 bytes"),
                       "%s", b->text);
    cr_expect_eq(count(b, "mc/clock"), ST_RANGE);
    cr_expect_not_null(strstr(b->error.text, "MC has no event \"clock\" by name, but ddr_rd ddr_wr dclk"), "%s",
                       b->error.text);
    cr_expect_eq(count(b, "mc/0x1:0x1"), ST_RANGE);
    bench_free(b);
}

Test(count, what_cannot_be_counted_is_named)
{
    static const struct {
        const char *events, *says;
    } bad[] = {
        { "imc", "is not unit/event" },
        { "imc/cas_rd,", "is not unit/event" },
        { "imc/4", "is not code:umask" },
        { "imc/0x4:0x1:0x1:0x1", "is not code:umask" },
        { "imc/0x100:0", "a field cannot hold it" },
        { "upi/none_such", "QPI has no event \"none_such\" by name, but tx_data rx_data" },
        { "r2pcie/clocks", "R2PCIe has no events by name; give one as code:umask, such as R2PCIe/0x1:0x0" },
        { "l3/l3_miss", "no unit \"l3\" is there and free, but UBox CBo SBo PCU HA iMC" },
        { "imc/cas_rd,imc/cas_rd,imc/cas_rd,imc/cas_rd,imc/cas_rd", "no counter of the box that can count it is left" },
    };
    struct bench *b = bench_new("bdx");

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_eq(count(b, bad[i].events), ST_RANGE, "%s", bad[i].events);
        cr_expect_not_null(strstr(b->error.text, bad[i].says), "%s: %s", bad[i].events, b->error.text);
    }
    bench_free(b);
}
