/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define EXPECT_LIKE_C(...)                                                                                             \
    do {                                                                                                               \
        char ours[200], theirs[200];                                                                                   \
        size_t n = text_format(ours, sizeof ours, __VA_ARGS__);                                                        \
        int m = snprintf(theirs, sizeof theirs, __VA_ARGS__);                                                          \
        cr_expect_str_eq(ours, theirs);                                                                                \
        cr_expect_eq(n, (size_t)m);                                                                                    \
    } while (0)

Test(text_format, agrees_with_the_c_library_on_what_it_supports)
{
    EXPECT_LIKE_C("plain");
    EXPECT_LIKE_C("%s|%10s|%-10s|%.2s|%5.1s|", "abc", "abc", "abc", "abc", "abc");
    EXPECT_LIKE_C("%*s|%-*s|%.*s|", 6, "abc", 6, "abc", 2, "abc");
    EXPECT_LIKE_C("%c%c|%3c|%-3c|", 'a', 'b', 'c', 'd');
    EXPECT_LIKE_C("%u %5u %-5u %05u", 0u, 42u, 42u, 42u);
    EXPECT_LIKE_C("%d %5d %-5d| %05d %d", -1, -42, -42, -42, 7);
    EXPECT_LIKE_C("%d %ld %lld", -2147483647 - 1, (long)(-9223372036854775807L - 1), -1LL);
    EXPECT_LIKE_C("%x %X %08x %8x|%-8x|", 0xBEEFu, 0xBEEFu, 0xBEEFu, 0xBEEFu, 0xBEEFu);
    EXPECT_LIKE_C("%lx %llx %016lx %lu %llu", ~0UL, ~0ULL, 0x123UL, ~0UL, ~0ULL);
    EXPECT_LIKE_C("%zu %zx %%", (size_t)-1, (size_t)255);
    EXPECT_LIKE_C("%p", (void *)0x1234);
    EXPECT_LIKE_C("%*s|", -6, "abc");
}

Test(text_format, terminates_and_tells_the_whole_length_whatever_the_room)
{
    char out[8];

    for (size_t size = 0; size <= sizeof out; size++) {
        memset(out, 'x', sizeof out);
        cr_expect_eq(text_format(out, size, "%s-%u", "abcdef", 12u), 9);
        if (size > 0)
            cr_expect_eq(strlen(out), size - 1);
        for (size_t i = size; i < sizeof out; i++)
            cr_expect_eq(out[i], 'x', "wrote after its %zu bytes", size);
    }
    cr_expect_eq(text_format(NULL, 0, "%s", "abc"), 3);
}

Test(text_format, shows_what_it_does_not_know_instead_of_guessing)
{
    char out[32];
    const char *unknown = "%y|%";
    static const char *volatile nothing;

    text_format(out, sizeof out, unknown, 1);
    cr_expect_str_eq(out, "%y|%");
    text_format(out, sizeof out, "%s", nothing);
    cr_expect_str_eq(out, "(null)");
}

static const struct {
    double value;
    const char *text;
} decimals[] = {
    { 0, "0" },
    { -0.0, "0" },
    { 1.5, "1.5" },
    { -1.5, "-1.5" },
    { 0.000012, "0.000012" },
    { 0.0000001, "0" },
    { -0.0000001, "0" },
    { 34603008, "34603008" },
    { 0.9999999, "1" },
    { 0.1, "0.1" },
    { 2.20, "2.2" },
    { 1e18, "1000000000000000000" },
    { 0x1p63, "null" },
    { -0x1p63, "null" },
    { __builtin_inf(), "null" },
    { -__builtin_inf(), "null" },
    { __builtin_nan(""), "null" },
};

Test(text_decimal, writes_up_to_six_decimals_and_drops_zeros)
{
    for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
        char out[40];

        cr_expect_eq(text_decimal(out, sizeof out, decimals[i].value), strlen(decimals[i].text));
        cr_expect_str_eq(out, decimals[i].text);
    }
}

Test(text_equal_nocase, looks_through_letters_only)
{
    cr_expect(text_equal_nocase("AbC1", "aBc1"));
    cr_expect_not(text_equal_nocase("abc", "abcd"));
    cr_expect_not(text_equal_nocase("[", "{"), "these differ by the bit that letters differ by");
    cr_expect(text_equal("a", "a"));
    cr_expect_not(text_equal("a", "A"));
}

static const struct {
    const char *pattern, *text;
    bool matches;
} patterns[] = {
    { "cmt.*", "cmt.linearity", true },
    { "cmt.*", "cmt.", true },
    { "cmt.*", "mbm.total", false },
    { "*", "", true },
    { "", "", true },
    { "", "a", false },
    { "*.rollover", "mbm.rollover", true },
    { "*.roll", "mbm.rollover", false },
    { "?mt.*", "cmt.x", true },
    { "?", "", false },
    { "a*b*c", "aXbYbZc", true },
    { "a*b*c", "aXbYbZd", false },
    { "**a**", "bab", true },
    { "CMT.*", "cmt.x", false },
    { "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
};

Test(text_matches, is_the_shells_pattern_over_the_whole_text)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        cr_expect_eq(text_matches(patterns[i].pattern, patterns[i].text), patterns[i].matches, "\"%s\" on \"%s\"",
                     patterns[i].pattern, patterns[i].text);
}

static const struct {
    const char *text;
    bool number_ok, size_ok;
    uint64_t number, size;
} numbers[] = {
    { "0", true, true, 0, 0 },
    { "42", true, true, 42, 42 },
    { "0x1F", true, true, 31, 31 },
    { "0XFf", true, true, 255, 255 },
    { "18446744073709551615", true, true, UINT64_MAX, UINT64_MAX },
    { "18446744073709551616", false, false, 0, 0 },
    { "0x10000000000000000", false, false, 0, 0 },
    { "", false, false, 0, 0 },
    { "0x", false, false, 0, 0 },
    { "-1", false, false, 0, 0 },
    { " 1", false, false, 0, 0 },
    { "1 ", false, false, 0, 0 },
    { "1.5", false, false, 0, 0 },
    { "16M", false, true, 0, 16 << 20 },
    { "1k", false, true, 0, 1024 },
    { "3G", false, true, 0, UINT64_C(3) << 30 },
    { "2T", false, true, 0, UINT64_C(2) << 40 },
    { "1MB", false, false, 0, 0 },
    { "M", false, false, 0, 0 },
    { "16777216T", false, false, 0, 0 }, /* 2^64 */
    { "16777215T", false, true, 0, UINT64_C(16777215) << 40 },
};

Test(text_number, takes_a_whole_number_or_nothing)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t n = 0xDEAD, s = 0xDEAD;

        cr_expect_eq(text_number(numbers[i].text, &n), numbers[i].number_ok, "\"%s\"", numbers[i].text);
        cr_expect_eq(n, numbers[i].number_ok ? numbers[i].number : 0xDEAD, "\"%s\"", numbers[i].text);
        cr_expect_eq(text_size(numbers[i].text, &s), numbers[i].size_ok, "\"%s\"", numbers[i].text);
        cr_expect_eq(s, numbers[i].size_ok ? numbers[i].size : 0xDEAD, "\"%s\"", numbers[i].text);
    }
}

Test(text, distance_is_the_number_of_characters_that_differ)
{
    cr_expect_eq(text_distance("", ""), 0);
    cr_expect_eq(text_distance("", "abc"), 3);
    cr_expect_eq(text_distance("abc", ""), 3);
    cr_expect_eq(text_distance("cas_rd", "CAS_RD"), 0);
    cr_expect_eq(text_distance("cas_r", "cas_rd"), 1);
    cr_expect_eq(text_distance("kitten", "sitting"), 3);
}
