/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The form of a recorded machine as docs/recording.md describes it. */
#include "tests/silicon/recorded/recording.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct recording *parsed(const char *text)
{
    char error[256] = "";
    struct recording *r = recording_parse(text, strlen(text), error, sizeof error);

    cr_assert_not_null(r, "%s", error);
    return r;
}

/* ACPI 6.5, 5.2.6: the bytes of a table add up to 0. */
Test(recording, bytes_of_a_table_that_were_not_recorded_are_unknown)
{
    struct recording *r = parsed("table SLIT at 7e001000 length 30\n 0 534c495430000000\n 8 01\n 24 0200000000000000\n"
                                 "memory 0 1000 7\n");
    const struct recorded_table *t = recording_table(r, "SLIT");
    uint8_t *image = recording_table_image(t), sum = 0;
    uint64_t value;

    cr_assert_not_null(image);
    cr_expect(t->bytes.base == 0x7E001000 && t->bytes.n == 0x30);
    cr_expect(recorded_value(&t->bytes, 0x24, 8, &value) && value == 2);
    cr_expect_not(recorded_value(&t->bytes, 8, 2, &value), "one of the two is unknown");
    cr_expect_not(recorded_value(&t->bytes, 0x2C, 8, &value), "beyond the table");
    for (uint32_t i = 0; i < t->bytes.n; i++)
        sum = (uint8_t)(sum + image[i]);
    cr_expect_eq(sum, 0);
    cr_expect(r->n_memory == 1 && r->memory[0].type == 7);
    free(image);
    recording_free(r);
}

Test(recording, a_table_whose_line_has_no_length_is_as_long_as_its_bytes)
{
    struct recording *r = parsed("table SLIT length 2c\n 0 534c4954\ntable MCFG\n 0 4d434647\n 4 08000000\n");

    cr_expect_eq(recording_table(r, "SLIT")->bytes.n, 0x2C);
    cr_expect_eq(recording_table(r, "MCFG")->bytes.n, 8);
    recording_free(r);
}

Test(recording, structures_repeat_what_the_one_before_had)
{
    struct recording *r = parsed("smbios 3.2\n"
                                 "structure 17 1100 0001020304 \"DIMM \\\"A\\x31\\\\\" \"BANK\"\n"
                                 "structure 4 400 -\n"
                                 "structure 17 1101 . \"DIMM B1\" .\n"
                                 "structure 17 1102 . \".\"\n");
    size_t bytes;
    uint8_t *image = recording_smbios_image(r, &bytes);

    cr_assert_not_null(image);
    cr_expect_str_eq(r->structures[0].text, "DIMM \"A1\\");
    cr_expect_str_eq(r->structures[2].text + 8, "BANK");
    cr_expect_str_eq(r->structures[3].text, ".", "in quotes it is a string");
    cr_expect_arr_eq(image, "\x11\x09\x00\x11\x00\x01\x02\x03\x04", 9);
    cr_expect_arr_eq(image + 9 + 10 + 5 + 1, "\x04\x04\x00\x04\x00\x00", 6,
                     "DSP0134 3.6, 6.1.3: no strings are two zeros");
    cr_expect_arr_eq(image + bytes - 6, "\x7F\x04\xFF\xFE\x00\x00", 6, "an end of table");
    free(image);
    recording_free(r);
}

Test(recording, functions_say_what_was_seen_of_them)
{
    struct recording *r = parsed("complete 0000:7f 0001\n"
                                 "pci 0000:7f:14.1 0880 8086:2fb1 rev 2 node 1 driver hswep_uncore\n"
                                 " f4 0000ff00\n"
                                 "pci 0000:00:01.0 0604 8086:???? buses 01-04\n");
    const struct recorded_function *f = recording_function(r, 0, 0x7F, 0x14, 1);
    uint64_t value;

    cr_assert_not_null(f);
    cr_expect(f->did_known && f->did == 0x2FB1 && f->revision == 2 && f->node == 1 && f->class_code == 0x0880);
    cr_expect_str_eq(f->driver, "hswep_uncore");
    cr_expect(recorded_value(&f->config, 0xF4, 4, &value) && value == 0x00FF0000);
    cr_expect_not(recorded_value(&f->config, 0, 4, &value));
    cr_expect(recording_bus_is_complete(r, 0, 0x7F) && recording_bus_is_complete(r, 1, 3));
    cr_expect_not(recording_bus_is_complete(r, 0, 0));
    f = recording_function(r, 0, 0, 1, 0);
    cr_expect(!f->did_known && f->is_bridge && f->subordinate == 4 && f->revision == -1);
    recording_free(r);
}

Test(recording, a_line_that_is_wrong_is_named_with_what_is_wrong)
{
    static const struct {
        const char *text, *error;
    } wrong[] = {
        { "recording 2\n", "line 1: form 2 is not 1, the only one that is known" },
        { "cpu 0\n1 0 2 3 4\n", "line 2: \"1\" begins no line of a recording" },
        { "cpu 0\nb 0 1 2 100 x\n", "line 2: \"x\" is no number" },
        { "cpu 0\ncpu 1\nb 0 . 2 3 4\n", "line 3: leaf b 0: cpu 0 has no such line" },
        { "cpu 0\ncpu 0\n", "line 2: cpu 0 is there twice" },
        { "cpu 0\nmsr 1 8b 0\n", "line 2: msr of cpu 1, which has no line of its own" },
        { "\n 0 00\n", "line 2: bytes that belong to no table, function or region" },
        { "table APIC length 24\n 20 0000000000\n", "line 2: bytes beyond the table's length" },
        { "region 1000\n ffffffff 00\n", "line 2: \"ffffffff\" is no number up to 100000" },
        { "structure 17 1 .\n", "line 1: structure 17 1 is as one before it, and there is none" },
        { "structure 17 1 00 \"A\n", "line 1: a quote is not closed" },
        { "pci 0000:00:20.0 0880 8086:1234\n",
          "line 1: pci needs SSSS:BB:DD.F, a class and VVVV:DDDD, then pairs of a word and a value" },
        { "pci 0000:00:01.0 0880 8086:1234\npci 0000:00:01.0 0880 8086:1234\n",
          "line 2: function 0000:00:01.0 is there twice" },
        { "complete 7f\n", "line 1: \"7f\" is neither SSSS nor SSSS:BB" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char error[256] = "";

        cr_expect_null(recording_parse(wrong[i].text, strlen(wrong[i].text), error, sizeof error));
        cr_expect_str_eq(error, wrong[i].error);
    }
}
