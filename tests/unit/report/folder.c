/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/folder.h"

#include <criterion/criterion.h>

#include "core/base/text.h"

static const struct calendar clock = { 2026, 11, 21, 6, 10, 9 };

static void expect_name(const char *system, const char *baseboard, const struct calendar *when, const char *want)
{
    struct smbios_info smbios = { 0 };
    char name[FOLDER_NAME];

    text_format(smbios.system_serial_number, sizeof smbios.system_serial_number, "%s", system);
    text_format(smbios.baseboard_serial_number, sizeof smbios.baseboard_serial_number, "%s", baseboard);
    folder_name(&smbios, when, name);
    cr_expect_str_eq(name, want);
}

Test(folder_name, is_the_serial_number_and_the_time)
{
    expect_name("CZ3412", "BOARD7", &clock, "CZ3412-20261121T061009");
    expect_name("CZ3412", "BOARD7", NULL, "CZ3412-no-clock");
}

Test(folder_name, takes_the_baseboards_where_the_system_has_a_placeholder)
{
    static const char *const placeholders[] = { "", "Not Specified", "NONE", "To Be Filled By O.E.M.",
                                                "default string" };

    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++) {
        expect_name(placeholders[i], "BOARD7", &clock, "BOARD7-20261121T061009");
        expect_name(placeholders[i], placeholders[i], &clock, "no-serial-20261121T061009");
    }
}

Test(folder_name, has_only_characters_that_fat_and_shells_take)
{
    expect_name("A/b\\c:d*e?f g.h_i\"<>|", "", &clock, "A-b-c-d-e-f-g-h-i-----20261121T061009");
    expect_name("\xC3\xA4 1", "", &clock, "_--1-20261121T061009");
}

Test(folder_name, is_no_option_and_no_way_out)
{
    expect_name("-rf", "", &clock, "_rf-20261121T061009");
    expect_name("..", "", &clock, "_--20261121T061009");
    expect_name("..\\..\\efi", "", NULL, "_-----efi-no-clock");
    expect_name("CON", "", NULL, "CON-no-clock");
}

Test(folder_name, cuts_a_long_serial_number)
{
    expect_name("0123456789012345678901234567890123456789ABCDEF", "", &clock,
                "0123456789012345678901234567890123456789-20261121T061009");
}
