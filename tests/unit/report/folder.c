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
    expect_name("CZ3412", "BOARD7", &(struct calendar){ 2026, 0, 21, 6, 10, 9 }, "CZ3412-no-clock");
    expect_name("CZ3412", "BOARD7", &(struct calendar){ 2026, 11, 21, 6, 75, 9 }, "CZ3412-no-clock");
    expect_name("CZ3412", "BOARD7", &(struct calendar){ 12026, 11, 21, 6, 10, 9 }, "CZ3412-no-clock");
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

Test(folder_name, is_the_uuid_where_no_serial_number_is_one)
{
    struct smbios_info smbios = { .system_uuid = "4c4c4544-0051-3910-8053-b4c04f4a3233" };
    char name[FOLDER_NAME];

    folder_machine(&smbios, name);
    cr_expect_str_eq(name, "4c4c4544-0051-3910-8053-b4c04f4a3233");
}

Test(folder_name, has_only_characters_that_fat_and_shells_take)
{
    expect_name("A/b\\c:d*e?f g.h_12\"<>|", "", &clock, "A-b-c-d-e-f-g-h-12-----20261121T061009");
    expect_name("\xC3\xA4 1", "", &clock, "_--1-20261121T061009");
}

Test(folder_name, is_no_option_and_no_way_out)
{
    expect_name("-rf7", "", &clock, "_rf7-20261121T061009");
    expect_name("..", "", &clock, "no-serial-20261121T061009");
    expect_name("./7", "", &clock, "_-7-20261121T061009");
    expect_name("..\\..\\efi77", "", NULL, "_-----efi77-no-clock");
    expect_name("COM1", "", NULL, "COM1-no-clock");
}

Test(folder_name, cuts_a_long_serial_number)
{
    expect_name("7123456789012345678901234567890123456789ABCDEF", "", &clock,
                "7123456789012345678901234567890123456789-20261121T061009");
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
    static const char uuid[] = "4c4c4544-0051-3910-8053-b4c04f4a3233";
    static const char *const placeholders[] = { "",
                                                "0123456789",
                                                "1234567890",
                                                "987654321",
                                                "123456789ABCDEF",
                                                "MB-1234567890",
                                                "0",
                                                "0000000000",
                                                "........",
                                                "to be filled by O.E.M.",
                                                "System Serial Number",
                                                "Chassis Serial Number",
                                                "Not Applicable",
                                                "INVALID",
                                                "N/A",
                                                "Chassis Serial Number 1",
                                                "None1",
                                                "SystemSerialNumber_0",
                                                "C80-0123456789",
                                                "0x00000000",
                                                "1234" };

    expect_identity("CZ3412", uuid, "BOARD7", "CZ3412", "system-serial-number");
    expect_identity("0000001", uuid, "BOARD7", "0000001", "system-serial-number");
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++) {
        expect_identity(placeholders[i], uuid, "BOARD7", uuid, "system-uuid");
        expect_identity(placeholders[i], "Not Settable", "BOARD7", "BOARD7", "baseboard-serial-number");
        expect_identity(placeholders[i], "03000200-0400-0500-0006-000700080009", placeholders[i], "0", "none");
    }
}

/* Dell's service tags, sequential numbers, UUIDs with an Ethernet address. */
Test(folder_identity, takes_numbers_that_look_plain)
{
    static const char *const serials[] = { "HXKJVZZ",       "00000001",    "S1234",   "0000123",
                                           "PF-0CC47A1234", "2102311XDB1", "BKTQXZ2", "A1B2C3D4" };
    static const char *const uuids[] = { "00000000-0000-0000-0000-0cc47a112233", "4c4c4544-0051-3910-8053-b4c04f4a3233",
                                         "00000000-0000-1000-8000-001122334456",
                                         "39383735-3036-5a43-3334-313139483256" };

    for (size_t i = 0; i < sizeof serials / sizeof *serials; i++)
        expect_identity(serials[i], "", "", serials[i], "system-serial-number");
    for (size_t i = 0; i < sizeof uuids / sizeof *uuids; i++)
        expect_identity("Default string", uuids[i], "", uuids[i], "system-uuid");
}

Test(folder_identity, takes_no_uuid_that_counts_or_repeats)
{
    static const char *const samples[] = {
        "03000200-0400-0500-0006-000700080009", "00020003-0004-0005-0006-000700080009",
        "12345678-1234-5678-90ab-cddeefaabbcc", "12345678-1234-1234-1234-123456789abc",
        "00112233-4455-6677-8899-aabbccddeeff", "11111111-2222-3333-4444-555555555555",
        "13121110-1514-1716-1819-1a1b1c1d1e1f", "deadbeef-dead-beef-dead-beefdeadbeef",
        "fefefefe-fefe-fefe-fefe-fefefefefefe", "ffffffff-ffff-ffff-ffff-ffffffffffff",
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        expect_identity("Default string", samples[i], "BOARD7", "BOARD7", "baseboard-serial-number");
}
