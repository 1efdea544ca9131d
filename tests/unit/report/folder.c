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
    expect_name("..", "", &clock, "no-serial-20261121T061009");
    expect_name("./", "", &clock, "_--20261121T061009");
    expect_name("..\\..\\efi", "", NULL, "_-----efi-no-clock");
    expect_name("CON", "", NULL, "CON-no-clock");
}

Test(folder_name, cuts_a_long_serial_number)
{
    expect_name("0123456789012345678901234567890123456789ABCDEF", "", &clock,
                "0123456789012345678901234567890123456789-20261121T061009");
}

static void expect_identity(const char *system, const char *uuid, const char *baseboard, const char *want,
                            const char *source)
{
    struct smbios_info smbios = { 0 };
    const char *from = "";

    text_format(smbios.system_serial_number, sizeof smbios.system_serial_number, "%s", system);
    text_format(smbios.system_uuid, sizeof smbios.system_uuid, "%s", uuid);
    text_format(smbios.baseboard_serial_number, sizeof smbios.baseboard_serial_number, "%s", baseboard);
    cr_expect_str_eq(folder_identity(&smbios, &from), want, "\"%s\" \"%s\" \"%s\"", system, uuid, baseboard);
    cr_expect_str_eq(from, source);
}

Test(folder_identity, is_the_first_that_is_no_placeholder)
{
    static const char uuid[] = "13121110-1514-1716-1819-1a1b1c1d1e1f";
    static const char *const placeholders[] = {
        "", "0123456789", "0", "0000000000", "........", "to be filled by O.E.M.", "System Serial Number"
    };

    expect_identity("CZ3412", uuid, "BOARD7", "CZ3412", "system-serial-number");
    expect_identity("0000001", uuid, "BOARD7", "0000001", "system-serial-number");
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++) {
        expect_identity(placeholders[i], uuid, "BOARD7", uuid, "system-uuid");
        expect_identity(placeholders[i], "Not Settable", "BOARD7", "BOARD7", "baseboard-serial-number");
        expect_identity(placeholders[i], "03000200-0400-0500-0006-000700080009", placeholders[i], "0", "none");
    }
}
