/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/screen/qr.h"
#include "core/base/search.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The codewords of HELLO WORLD at 1-M as textbooks work it out: data, then its ten codewords of correction. */
Test(qr, corrects_errors_as_the_worked_example_does)
{
    static const uint8_t data[] = { 32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17 };
    static const uint8_t want[] = { 196, 35, 39, 119, 235, 215, 231, 226, 93, 23 };
    uint8_t ecc[QR_ECC_MAX];

    qr_ecc(data, sizeof data, ecc, sizeof want);
    cr_expect_arr_eq(ecc, want, sizeof want);
}

/* ISO/IEC 18004, 7.9: level L with masks 0 to 7, after the code and its mask, as annex C tabulates them. */
static const uint32_t formats[8] = { 0x77C4, 0x72F3, 0x7DAA, 0x789D, 0x662F, 0x6318, 0x6C41, 0x6976 };

static uint32_t format_of(const struct qr *q)
{
    uint32_t bits = 0;

    for (int i = 14; i >= 0; i--)
        bits = bits << 1 | (i < 8 ? q->dark[8][q->size - 1 - (uint32_t)i] : q->dark[q->size - 15 + (uint32_t)i][8]);
    return bits;
}

static uint32_t second_format_of(const struct qr *q)
{
    static const uint8_t row[15] = { 0, 1, 2, 3, 4, 5, 7, 8, 8, 8, 8, 8, 8, 8, 8 };
    static const uint8_t column[15] = { 8, 8, 8, 8, 8, 8, 8, 8, 7, 5, 4, 3, 2, 1, 0 };
    uint32_t bits = 0;

    for (int i = 14; i >= 0; i--)
        bits = bits << 1 | q->dark[row[i]][column[i]];
    return bits;
}

static void expect_frame(const struct qr *q, const char *text)
{
    cr_expect(ANY_OF(i, 8, format_of(q) == formats[i]), "%s: format 0x%x is none of level L", text, format_of(q));
    cr_expect_eq(format_of(q), second_format_of(q), "%s", text);
    cr_expect_eq(q->dark[q->size - 8][8], 1, "the dark module");
    for (uint32_t k = 8; k < q->size - 8; k++) {
        cr_expect_eq(q->dark[6][k], k % 2 == 0);
        cr_expect_eq(q->dark[k][6], k % 2 == 0);
    }
}

Test(qr, takes_the_smallest_version_that_holds_the_text)
{
    /* Table 7: characters of alphanumeric mode at level L in versions 1 to 6. */
    static const size_t most[] = { 25, 47, 77, 114, 154, 195 };
    char text[QR_TEXT_MAX + 2];
    struct qr q;

    for (uint32_t v = 0; v < 6; v++) {
        memset(text, 'A', sizeof text);
        text[most[v]] = '\0';
        cr_assert_eq(qr_encode(&q, text), ST_OK);
        cr_expect_eq(q.size, 21 + 4 * v, "%zu characters", most[v]);
        expect_frame(&q, text);
    }
    memset(text, 'A', sizeof text);
    text[QR_TEXT_MAX + 1] = '\0';
    cr_expect_eq(qr_encode(&q, text), ST_RANGE);
    cr_expect_eq(qr_encode(&q, "lower"), ST_RANGE);
}

Test(qr, folds_what_the_mode_does_not_have)
{
    char text[] = "Serial_7 a/b:c#\x7f\xff";

    qr_fold(text);
    cr_expect_str_eq(text, "SERIAL-7 A/B:C---");
}

/* An independent decoder reads what was encoded. */
Test(qr, is_read_by_zbarimg)
{
    static const char *const texts[] = {
        "A",
        "HELLO WORLD",
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:",
        "ASSAY 0.1.0 FAIL 106/12/1/20/0 20261121T124613 SILICON-1 SHA256 "
        "A89A78D892DCA6D8A0FE15583180B3503DCC6E370A0169649FF0D2B8E2F9F3F4",
    };
    char path[] = "/tmp/assay-qr-XXXXXX", command[128], line[QR_TEXT_MAX + 2];
    struct qr q;

    if (system("command -v zbarimg >/dev/null 2>&1") != 0)
        cr_skip_test("zbarimg (zbar-tools) is not there");
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *f = fopen(path, "w"), *decoded;
        uint32_t side;

        cr_assert_eq(qr_encode(&q, texts[i]), ST_OK);
        side = (q.size + 2 * QR_QUIET) * 4;
        fprintf(f, "P1\n%u %u\n", side, side);
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++) {
                uint32_t row = y / 4 - QR_QUIET, column = x / 4 - QR_QUIET; /* outside: huge */

                fprintf(f, "%c\n", row < q.size && column < q.size && q.dark[row][column] ? '1' : '0');
            }
        fclose(f);
        snprintf(command, sizeof command, "zbarimg --quiet --raw %s 2>/dev/null", path);
        decoded = popen(command, "r");
        line[0] = '\0';
        (void)!fgets(line, sizeof line, decoded);
        pclose(decoded);
        line[strcspn(line, "\n")] = '\0';
        cr_expect_str_eq(line, texts[i]);
    }
    unlink(path);
}
