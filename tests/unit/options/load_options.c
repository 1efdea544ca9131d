/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/options/load_options.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

static enum status decode(const uint16_t *characters, size_t n, char *text, size_t size)
{
    unsigned char bytes[256];

    for (size_t i = 0; i < n; i++) {
        bytes[2 * i] = (unsigned char)characters[i];
        bytes[2 * i + 1] = (unsigned char)(characters[i] >> 8);
    }
    return load_options_text(bytes, 2 * n, text, size);
}

#define DECODE(characters, text) decode(characters, sizeof(characters) / 2 - 1, text, sizeof(text))

Test(load_options, are_text_with_or_without_a_nul)
{
    char text[32] = "before";

    cr_expect_eq(load_options_text(NULL, 0, text, sizeof text), ST_OK);
    cr_expect_str_eq(text, "");
    cr_expect_eq(DECODE(u"assay.efi -q", text), ST_OK);
    cr_expect_str_eq(text, "assay.efi -q");
    cr_expect_eq(DECODE(u"-q\0\x0001\xFFFF", text), ST_OK);
    cr_expect_str_eq(text, "-q", "what follows the NUL does not matter");
}

Test(load_options, lose_a_byte_order_mark_and_line_ends)
{
    char text[32];

    cr_expect_eq(DECODE(u"\xFEFF-t\tcmt.*\r\n", text), ST_OK);
    cr_expect_str_eq(text, "-t cmt.*  ");
    cr_expect_eq(DECODE(u"-t\xFEFF", text), ST_RANGE, "a mark in front only");
}

Test(load_options, of_a_boot_entry_may_be_no_text)
{
    static const unsigned char odd[] = { '-', 0, 'q' };
    char text[32];

    cr_expect_eq(load_options_text(odd, sizeof odd, text, sizeof text), ST_CORRUPT);
    cr_expect_str_eq(text, "3 bytes");
    cr_expect_eq(DECODE(u"ab\x0001", text), ST_CORRUPT);
    cr_expect_str_eq(text, "6 bytes");
}

Test(load_options, that_are_too_long_or_not_ascii_are_refused_with_what_stands_before)
{
    char text[8];

    cr_expect_eq(DECODE(u"1234567", text), ST_OK);
    cr_expect_eq(DECODE(u"12345678", text), ST_RANGE);
    cr_expect_str_eq(text, "1234567");
    cr_expect_eq(DECODE(u"-t \xE4", text), ST_RANGE);
    cr_expect_str_eq(text, "-t ");
}

Test(load_options, of_another_program_are_told_by_their_first_words)
{
    static const char *const own[] = {
        "", "  ", "-q", "assay.efi", "assay.efi -t cmt.*", " -t  cmt.*", "init=/sbin/init"
    };
    static const char *const foreign[] = { "root=/dev/sda2 ro", "console=ttyS0,115200n8 root=/dev/sda2 -- -q",
                                           "BOOT_IMAGE=/vmlinuz quiet splash", "initrd=\\initrd.img  ro" };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        cr_expect(!load_options_are_foreign(own[i]), "%s", own[i]);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        cr_expect(load_options_are_foreign(foreign[i]), "%s", foreign[i]);
}
