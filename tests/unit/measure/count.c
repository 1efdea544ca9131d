/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* -list boxes and -count on the silicon model: what a person gets to see. */
#include "core/measure/count.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/ledger.h"
#include "tests/silicon/host/host_platform.h"

struct counting {
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
    struct counting *c = context;
    size_t had = strlen(c->text);

    cr_expect_lt(strlen(line), 160, "%s", line);
    snprintf(c->text + had, sizeof c->text - had, "%s\n", line);
}

static struct counting *counting_new(const char *profile)
{
    struct model_config config = { .profile = profile, .packages = 2, .cores = 2, .threads = 1, .seed = 1 };
    struct counting *c = calloc(1, sizeof *c);

    cr_assert_not_null(c);
    c->mp = model_platform_new(&config, 0);
    cr_assert_not_null(c->mp);
    cr_assert_eq(ledger_init(&c->mp->platform, &c->ledger), ST_OK);
    cr_assert_eq(machine_enumerate(&c->mp->platform, &c->machine), ST_OK);
    cr_assert_eq(tools_init(&c->tools, &c->mp->platform, &c->machine, 0), ST_OK);
    options_default(&c->options);
    c->options.size_bytes = 1 << 20;
    return c;
}

static void counting_free(struct counting *c)
{
    cr_expect_eq(ledger_restore(&c->mp->platform), ST_OK);
    tools_free(&c->tools);
    machine_free(&c->machine);
    ledger_free(&c->ledger);
    model_platform_free(c->mp);
    free(c);
}

static enum status count(struct counting *c, const char *events)
{
    struct count_output out = { keep_line, c };

    snprintf(c->options.count, sizeof c->options.count, "%s", events);
    c->text[0] = '\0';
    return count_run(&c->tools, &c->options, &out, &c->error);
}

Test(count, every_box_is_listed_with_its_place_or_the_reason_why_not)
{
    struct counting *c = counting_new("bdx");
    struct count_output out = { keep_line, c };

    boxes_list(&c->tools.pmon, &out);
    cr_expect_not_null(strstr(c->text, "package 0 CBo 1        MSR 0xe10          4 counters of 48 bits\n"));
    cr_expect_not_null(strstr(c->text, "package 1 iMC 0        PCI ff:14.0        4 counters of 48 bits + 1 fixed\n"));
    cr_expect_not_null(strstr(c->text, "no device id 0x6fd0: hidden or absent"));
    cr_expect_not_null(strstr(c->text, "\niMC        clock cas_rd cas_wr cas_all"), "%s", c->text);
    counting_free(c);
}

Test(count, events_have_names_or_codes)
{
    struct counting *c = counting_new("bdx");

    cr_assert_eq(count(c, "imc/cas_rd,iMC/0x04:0x0c,cha/llc_lookup,pcu/clock,pcu/0x80:0x40"), ST_OK, "%s",
                 c->error.text);
    cr_expect_not_null(strstr(c->text, "package 0 PCU          clock "));
    cr_expect_not_null(strstr(c->text, "package 0 PCU          0x80:0x40 ")); /* POWER_STATE_OCCUPANCY.CORES_C0 */
    cr_expect_not_null(strstr(c->text, "of package 0 reads 1048576 bytes of local memory,\n"), "%s", c->text);
    cr_expect_not_null(strstr(c->text, "package 1, all 4       cas_rd"));
    cr_expect_not_null(strstr(c->text, "0x04:0x0c"));
    cr_expect_not_null(strstr(c->text, "llc_lookup"));
    cr_expect_not_null(strstr(c->text, "bytes"));
    counting_free(c);
}

/* Linux uncore_snbep.c icx_uncore_imc_freerunning: free-running counters of a controller are a unit of their own. */
Test(count, free_running_counters_are_listed_and_counted)
{
    struct counting *c = counting_new("icx");
    struct count_output out = { keep_line, c };

    boxes_list(&c->tools.pmon, &out);
    cr_expect_not_null(strstr(c->text, " 3 free-running counters of 48 bits\n"), "%s", c->text);
    cr_expect_not_null(strstr(c->text, "\npackage 1 MC 3         0x"), "%s", c->text);
    cr_expect_not_null(strstr(c->text, "\nMC         ddr_rd ddr_wr dclk\n"), "%s", c->text);
    cr_assert_eq(count(c, "mc/ddr_rd,imc/cas_rd,mc/dclk"), ST_OK, "%s", c->error.text);
    cr_expect_not_null(strstr(c->text, "package 1, all 4       ddr_rd                      16384        1048576 bytes"),
                       "%s", c->text);
    cr_expect_not_null(strstr(c->text, "package 1, all 8       cas_rd                      16384        1048576 bytes"),
                       "%s", c->text);
    cr_expect_eq(count(c, "mc/clock"), ST_RANGE);
    cr_expect_not_null(strstr(c->error.text, "MC has no event named \"clock\"; named: ddr_rd ddr_wr dclk"), "%s",
                       c->error.text);
    cr_expect_eq(count(c, "mc/0x1:0x1"), ST_RANGE);
    counting_free(c);
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
        { "pcu/0x80:0x01", "exceeds a field of the control register" }, /* reserved: occ_sel is bits 15:14 */
        { "imc/0x100:0", "exceeds a field of the control register" },
        { "upi/none_such", "QPI has no event named \"none_such\"; named: tx_data rx_data" },
        { "r2pcie/clocks", "R2PCIe has no named events; give one as code:umask, for example R2PCIe/0x1:0x0" },
        { "l3/l3_miss", "no usable unit \"l3\"; usable: UBox CBo SBo PCU HA iMC" },
        { "imc/cas_rd,imc/cas_rd,imc/cas_rd,imc/cas_rd,imc/cas_rd", "no counter of the box is left for it" },
    };
    struct counting *c = counting_new("bdx");

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_expect_eq(count(c, bad[i].events), ST_RANGE, "%s", bad[i].events);
        cr_expect_not_null(strstr(c->error.text, bad[i].says), "%s: %s", bad[i].events, c->error.text);
    }
    counting_free(c);
}
