/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/lines.h"

#include <criterion/criterion.h>

Test(lines, comments_and_ends_are_no_part_of_lines)
{
    char text[] = "# first\r\none\r\n\n#\ntwo\tthree";
    struct lines l = { .at = text };

    cr_expect_str_eq(lines_next(&l), "one");
    cr_expect_eq(l.number, 2);
    cr_expect_str_eq(lines_next(&l), "");
    cr_expect_str_eq(lines_next(&l), "two\tthree");
    cr_expect_eq(l.number, 5);
    cr_expect_null(lines_next(&l));
    cr_expect_eq(l.number, 6);
}

Test(lines, fields_are_cut_at_tabs_and_counted_beyond_the_most)
{
    char text[] = "a\t\tc\td", one[] = "";
    char *fields[3];

    cr_expect_eq(lines_fields(text, fields, 3), 4);
    cr_expect_str_eq(fields[0], "a");
    cr_expect_str_eq(fields[1], "");
    cr_expect_str_eq(fields[2], "c");
    cr_expect_eq(lines_fields(one, fields, 3), 1);
}

Test(lines, plain_is_printable_ascii)
{
    cr_expect(lines_plain("a ~"));
    cr_expect_not(lines_plain("a\tb"));
    cr_expect_not(lines_plain("\xC3\xA9"));
}
