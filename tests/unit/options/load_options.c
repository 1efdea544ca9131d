/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/options/load_options.h"
#include "core/base/braced.h"

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

/* What starts an image, and the bytes that it hands over. A person's options arrive, anything else is left. */
Test(load_options, as_boot_managers_hand_them_over)
{
    static const struct {
        const char *who, *bytes;
        size_t n;
        const char *options; /* NULL: ignored */
    } starts[] = {
#define AS_TEXT(who, text, options)  BRACED(who, (const char *)(text), sizeof(text), options)
#define AS_BYTES(who, text, options) BRACED(who, text, sizeof(text) - 1, options)
        /* grub-core/loader/efi/chainloader.c: the words after the file */
        AS_TEXT("GRUB, chainloader FILE -quick", u"-quick", "-quick"),
        AS_BYTES("GRUB, chainloader FILE", "", ""),
        AS_TEXT("GRUB, an entry of Linux with another file", u"root=UUID=1 ro quiet", NULL),
        /* systemd-boot: `options` of the entry */
        AS_TEXT("systemd-boot, options -t cmt.*", u"-t cmt.*", "-t cmt.*"),
        AS_TEXT("systemd-boot, an entry copied from Linux", u"initrd=\\initrd root=/dev/sda2 rw", NULL),
        /* rEFInd: `options` of a stanza; a blank follows where it has none */
        AS_TEXT("rEFInd, options \"-quick\"", u"-quick ", "-quick "),
        AS_TEXT("rEFInd, a loader that it found", u" ", " "),
        /* UEFI shell: the command line with the image's name */
        AS_TEXT("startup.nsh", u"FS0:\\EFI\\BOOT\\BOOTX64.EFI -quick", "FS0:\\EFI\\BOOT\\BOOTX64.EFI -quick"),
        /* Boot#### of Windows Boot Manager, as efibootmgr -v prints it, its path changed by bcdedit */
        AS_BYTES("bcdedit /set {bootmgr} path",
                 "WINDOWS\0\1\0\0\0\x88\0\0\0\x78\0\0\0B\0C\0D\0O\0B\0J\0E\0C\0T\0=\0{\0"
                 "9\0d\0e\0a\0",
                 NULL),
        /* Entries that firmware makes by itself, also for one-time boots of a BMC: EDK2's mBmAutoCreateBootOptionGuid; AMI's */
        AS_BYTES("EDK2", "\x4E\xAC\x08\x81\x11\x9F\x59\x4D\x85\x0E\xE2\x1A\x52\x2C\x59\xB2", NULL),
        AS_BYTES("AMI", "\0\0BO", ""),
    };

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        char text[256];
        enum status st = load_options_text((const unsigned char *)starts[i].bytes, starts[i].n, text, sizeof text);
        bool ignored = st != ST_OK || load_options_are_foreign(text);

        cr_expect_eq(ignored, starts[i].options == NULL, "%s: \"%s\"", starts[i].who, text);
        if (!ignored && starts[i].options)
            cr_expect_str_eq(text, starts[i].options, "%s", starts[i].who);
    }
}
