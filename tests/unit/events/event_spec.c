/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Events as they are written: docs/uncore.md, "Events and loads". */
#include "core/events/event_spec.h"

#include <criterion/criterion.h>
#include <string.h>

Test(event_spec, code_and_umask_are_enough)
{
    struct event_spec s;
    struct event_fault f;

    cr_assert_eq(event_spec_parse("0x04:0x0c", &s, &f), ST_OK);
    cr_expect_eq(s.code, 0x04);
    cr_expect_eq(s.umask, 0x0C);
    cr_expect_eq(s.extension, 0);
    cr_expect_eq(s.how[0], FILTER_FREE);
    cr_expect(!s.edge && !s.invert && !s.fixed && s.counters == 0);
}

Test(event_spec, every_field_has_its_place)
{
    struct event_spec s;
    struct event_fault f;

    cr_assert_eq(
        event_spec_parse("0x135:1:0xc817fe:thresh=3:edge:invert:tid_en:filter0=0x10:filter1=?:ch_mask=4:fc_mask=7:"
                         "counters=0x3:fixed",
                         &s, &f),
        ST_OK, "%s %s", f.field, f.text);
    cr_expect_eq(s.code, 0x135);
    cr_expect_eq(s.umask, 1);
    cr_expect_eq(s.extension, 0xC817FE);
    cr_expect_eq(s.thresh, 3);
    cr_expect(s.edge && s.invert && s.tid_en && s.fixed);
    cr_expect_eq(s.how[0], FILTER_SET);
    cr_expect_eq(s.filter[0], 0x10);
    cr_expect_eq(s.how[1], FILTER_ASKED);
    cr_expect_eq(s.ch_mask, 4);
    cr_expect_eq(s.fc_mask, 7);
    cr_expect_eq(s.counters, 3);
}

Test(event_spec, what_is_wrong_is_named_with_its_field_and_nothing_is_written)
{
    static const struct {
        const char *text, *field, *says;
    } bad[] = {
        { "", "", "empty" },
        { "0x4", "umask", "missing" },
        { "cas", "code", "not a number" },
        { "0x4:", "", "empty" },
        { "0x4:x", "umask", "not a number" },
        { "0x4:0x100000000", "umask", "beyond 32 bits" },
        { "0x4:1:0x1:0x2", "0x2", "is no field" },
        { "0x4:1:tresh=1", "tresh", "fields: thresh edge" },
        { "0x4:1:thresh", "thresh", "needs a value" },
        { "0x4:1:thresh=", "thresh", "not a number" },
        { "0x4:1:edge=1", "edge", "takes no value" },
        { "0x4:1:filter2=1", "filter2", "is no field" },
        { "0x4:1:mesh=1", "mesh", "is no field" },
        { "0x4:1:match_opc=x", "match_opc", "not a number" },
        { "0x4:1:match0=0:match1=0:mask0=0:mask1=0:match_mc=0:mask_mc=0:filter_nc", "filter_nc",
          "one filter or match" },
        { "0x4:1::edge", "", "empty" },
        { "0x4:1:edge:", "", "empty" },
        { "0x4:1:filter0=0x0000000000000000000000000000000001", "", "too long" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct event_spec s = { .code = 0xDEAD };
        struct event_fault f;

        cr_expect_eq(event_spec_parse(bad[i].text, &s, &f), ST_RANGE, "%s", bad[i].text);
        cr_expect_str_eq(f.field, bad[i].field, "%s: %s", bad[i].text, f.field);
        cr_expect_not_null(strstr(f.text, bad[i].says), "%s: %s", bad[i].text, f.text);
        cr_expect_eq(s.code, 0xDEAD);
    }
}

/* Linux uncore_snbep.c, DEFINE_UNCORE_FORMAT_ATTR(): event, inv, match_mc, filter_nc. */
Test(event_spec, fields_have_the_names_of_perfs_formats_too)
{
    struct event_spec s;
    struct event_fault f;

    cr_assert_eq(event_spec_parse("0x138:0:match=?:inv:thresh=1:event=0x38:umask_ext=0x7", &s, &f), ST_OK, "%s",
                 f.text);
    cr_expect(s.match_asked && s.invert && s.code == 0x38 && s.extension == 7);
    cr_assert_eq(event_spec_modify("match_mc=0xe:filter_nc:match_mc=0x1ffffffff", &s, &f), ST_OK, "%s", f.text);
    cr_expect_not(s.match_asked);
    cr_assert_eq(s.n_named, 2);
    cr_expect_str_eq(s.named[0].name, "match_mc");
    cr_expect_eq(s.named[0].value, UINT64_C(0x1FFFFFFFF));
    cr_expect_str_eq(s.named[1].name, "filter_nc");
    cr_expect_eq(s.named[1].value, 1);
}
