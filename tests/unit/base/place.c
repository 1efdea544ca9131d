/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The part of a machine that a figure or a finding is about: words for people, a location for programs. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/place.h"

static struct place cha_counter(void)
{
    struct place p = place_with(place_with_unit(place_package(0), "CHA"), PLACE_BOX, 5);

    return place_with(place_with(p, PLACE_DIE, 1), PLACE_COUNTER, 2);
}

static struct place ubox_fixed(void)
{
    return place_with(place_with_unit(place_package(1), "UBox"), PLACE_COUNTER, PLACE_FIXED_COUNTER);
}

Test(place, words_and_location)
{
    const struct {
        struct place place;
        const char *text, *location, *kind;
    } cases[] = {
        { PLACE_NONE, "", "", "" },
        { place_cpu(3), "cpu 3", "cpu=3", "cpu=#" },
        { place_rmid(0, 7), "L3 domain 0, RMID 7", "domain=0,rmid=7", "domain=#,rmid=#" },
        { cha_counter(), "package 0 die 1 CHA 5 counter 2", "package=0,die=1,unit=CHA,box=5,counter=2",
          "package=#,die=#,unit=CHA,box=#,counter=#" },
        { ubox_fixed(), "package 1 UBox fixed counter", "package=1,unit=UBox,counter=fixed",
          "package=#,unit=UBox,counter=fixed" },
        { place_with(place_package(0), PLACE_HOME, 1), "package 0, memory of package 1", "package=0,home=1",
          "package=#,home=#" },
        { place_with_detail(place_domain(2), "working set of %u %%", 25), "L3 domain 2, working set of 25 %",
          "domain=2,detail=working set of 25 %", "domain=#,detail=working set of 25 %" },
        { place_of("0FH.1:ECX"), "0FH.1:ECX", "detail=0FH.1:ECX", "detail=0FH.1:ECX" },
        { place_with_detail(place_cpu(1), "a=1, b"), "cpu 1, a=1, b", "cpu=1,detail=a=1, b", "cpu=#,detail=a=1, b" },
        { place_with(place_package(3), PLACE_ALL, 8), "package 3, all 8", "package=3,all=8", "package=#,all=#" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[PLACE_TEXT], location[PLACE_TEXT], kind[PLACE_TEXT], again[PLACE_TEXT];
        struct place read;

        cr_expect_eq(place_text(&cases[i].place, text, sizeof text), strlen(cases[i].text));
        cr_expect_str_eq(text, cases[i].text);
        cr_expect_eq(place_location(&cases[i].place, location, sizeof location), strlen(cases[i].location));
        cr_expect_str_eq(location, cases[i].location);
        cr_expect_eq(place_kind(&cases[i].place, kind, sizeof kind), strlen(cases[i].kind));
        cr_expect_str_eq(kind, cases[i].kind);
        cr_assert(place_parse(location, &read), "%s", location);
        place_location(&read, again, sizeof again);
        cr_expect_str_eq(again, location);
        cr_expect_eq(read.has, cases[i].place.has, "%s", location);
    }
}

Test(place, what_is_no_location_is_refused_and_a_new_key_is_skipped)
{
    static const char *const bad[] = { "cpu",
                                       "cpu=",
                                       "cpu=x",
                                       "=3",
                                       "cpu=3,",
                                       ",cpu=3",
                                       "cpu=fixed",
                                       "cpu=-1",
                                       "unit=",
                                       "detail=",
                                       "cpu=4294967295",
                                       "cpu=99999999999",
                                       "unit=a name of twenty characters" };
    struct place p = place_cpu(9);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(place_parse(bad[i], &p), "%s", bad[i]);
    cr_expect_eq(p.number[PLACE_CPU], 9, "a refused location must leave the place alone");
    cr_expect(place_parse("socket=1,cpu=2", &p));
    cr_expect_eq(p.has, 1u << PLACE_CPU);
}

Test(place, words_are_cut_where_there_is_no_room)
{
    struct place p = cha_counter();
    char small[12];

    cr_expect_eq(place_text(&p, small, sizeof small), sizeof small - 1);
    cr_expect_str_eq(small, "package 0 d");
}
