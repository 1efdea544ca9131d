/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/search.h"
#include "core/check/check.h"
#include "core/base/text.h"
#include "core/options/options_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct options o;
static struct options_error e;

static enum status line(const char *text)
{
    options_default(&o);
    return options_parse_line(&o, text, &e);
}

static enum status file(const char *text, const char *board)
{
    return options_parse_file(&o, text, strlen(text), "assay.cfg", board, &e);
}

Test(options_line, nothing_given_is_the_defaults)
{
    static const char *const empty[] = { "", "   ", "assay.efi", "\"FS0:\\a b\\assay.efi\"", "\r\n" };

    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        cr_assert_eq(line(empty[i]), ST_OK, "%s", e.text);
        cr_expect_str_eq(o.folder, "\\assay\\reports");
        cr_expect_eq(o.repeat, 1);
        cr_expect_eq(o.verbose, 1);
        cr_expect_eq(o.n_tests + o.n_skips, 0);
        cr_expect_eq(o.mp, MP_AUTO);
        cr_expect_eq(o.exit, EXIT_RETURN);
    }
}

Test(options_line, quotes_group_and_the_program_name_may_be_missing)
{
    cr_assert_eq(line("-o \"\\my reports\"\t-q"), ST_OK, "%s", e.text);
    cr_expect_str_eq(o.folder, "\\my reports");
    cr_expect(o.quiet);
}

static const struct {
    const char *text, *says;
} bad_lines[] = {
    { "-foo", "unknown option -foo: the nearest is -o, -h shows all" },
    { "-foo 3", "unknown option -foo: " },
    { "-", "unknown option -; -h shows all" },
    { "--list", "unknown option --list: the nearest is -list" },
    { "-T cmt.*", "unknown option -T: the nearest is -t" },
    { "assay.efi now", "unexpected word \"now\"" },
    { "-q now", "unexpected word \"now\"" },
    { "-basline x", "the nearest is -baseline" },
    { "-t", "-t needs a value" },
    { "-t -q", "-t needs a value, but \"-q\" follows" },
    { "-t \"\"", "-t \"\" is empty" },
    { "-q -q", NULL }, /* a flag twice says the same twice */
    { "-v 1 -v 2", "-v is given twice" },
    { "-v 4", "-v \"4\" is outside 0 to 3" },
    { "-v x", "-v \"x\" is not a number" },
    { "-v 1x", "-v \"1x\" is not a number" },
    { "-repeat 0", "outside 1 to 1000000" },
    { "-repeat 1000001", "outside 1 to 1000000" },
    { "-repeat 99999999999999999999", "is not a number" },
    { "-mem 15M", "outside 16M to 64T" },
    { "-mem 65T", "outside 16M to 64T" },
    { "-mem 12X", "is not a size like 512M" },
    { "-mem 16777216T", "is not a size" },
    { "-mp magic", "-mp \"magic\" is not one of auto, blocking, sipi, bsp" },
    { "-mp AUTO", "is not one of" },
    { "-exit now", "-exit \"now\" is not one of return, menu, shutdown, reboot, qemu" },
    { "-cpus 3-1", "has a range whose end is below its start" },
    { "-cpus 4096", "has a processor index above 4095" },
    { "-cpus 1,,2", "is not a list" },
    { "-cpus 1-", "is not a list" },
    { "-cpus 1-2-3", "is not a list" },
    { "-cpus ,1", "is not a list" },
    { "-cpus 0x1", "is not a list" },
    { "-cpus 0-99999999999999999999999999", "has a processor index above 4095" },
    { "-o a*b", "has a character that a path cannot have" },
    { "-o http://lab/reports", "is a URL, and files are only read from servers" },
    { "-o \\\\CON", "has two slashes without a name between them" },
    { "-o fs1:\\x\\\\y", "has two slashes without a name between them" },
    { "-o fs1:\\x:y", "has a character that a path cannot have" },
    { "-o \"unclosed", "a double quote is not closed" },
    { "\"assay.efi", "a double quote is not closed" },
    { "-o a\x01z", "not printable ASCII" },
};

Test(options_line, says_what_is_wrong_and_with_which_option)
{
    for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++) {
        enum status st = line(bad_lines[i].text);

        if (!bad_lines[i].says) {
            cr_expect_eq(st, ST_OK, "%s: %s", bad_lines[i].text, e.text);
            continue;
        }
        cr_expect_eq(st, ST_RANGE, "%s", bad_lines[i].text);
        cr_expect_not_null(strstr(e.text, bad_lines[i].says), "%s: \"%s\"", bad_lines[i].text, e.text);
    }
}

Test(options_line, texts_have_their_limits)
{
    char text[4096] = "-o ";

    memset(text + 3, 'a', 127);
    cr_expect_eq(line(text), ST_OK);
    memset(text + 3, 'a', 128);
    cr_expect_eq(line(text), ST_RANGE);
    cr_expect_not_null(strstr(e.text, "longer than 127"));
    memset(text + 3, 'a', 4000);
    cr_expect_eq(line(text), ST_RANGE);
    cr_expect_not_null(strstr(e.text, "longer than 255"));
    text[0] = '\0';
    for (unsigned i = 0; i <= OPTIONS_PATTERNS; i++)
        strcat(text, "-t a ");
    cr_expect_eq(line(text), ST_RANGE);
    cr_expect_not_null(strstr(e.text, "one pattern more than the maximum of 256"));
    cr_expect_eq(o.n_tests, OPTIONS_PATTERNS);
}

Test(options_line, an_error_never_shows_what_a_console_could_obey)
{
    cr_expect_eq(line("-\x1b[2J\xff"), ST_RANGE);
    for (const char *c = e.text; *c; c++)
        cr_expect(*c >= 0x20 && *c <= 0x7E);
}

Test(options_cpus, a_list_says_who_takes_part)
{
    cr_assert_eq(line("-cpus 0-3,8,100-4095"), ST_OK);
    for (uint32_t i = 0; i < 5000; i++)
        cr_expect_eq(options_has_cpu(&o, i), i <= 3 || i == 8 || (i >= 100 && i <= 4095), "%u", i);
    options_default(&o);
    cr_expect(options_has_cpu(&o, 4095), "no list: all");
}

/* --- assay.cfg --------------------------------------------------------------------------------------------------- */

Test(options_file, is_read_with_comments_blanks_quotes_and_both_line_ends)
{
    options_default(&o);
    cr_assert_eq(
        file("\xEF\xBB\xBF# comment \xC3\xA4\r\n\r\n  t = cmt.*  # these\nt=mbm.*\r\no = \"\\a # b\"\n\tq\t=\tyes\n"
             "mem = 32M\nexit = menu\n"
             "v = 2",
             ""),
        ST_OK, "%s", e.text);
    cr_expect_eq(o.n_tests, 2);
    cr_expect_str_eq(o.tests[1], "mbm.*");
    cr_expect_str_eq(o.folder, "\\a # b");
    cr_expect(o.quiet);
    cr_expect_eq(o.mem_bytes, 32 << 20);
    cr_expect_eq(o.exit, EXIT_MENU);
    cr_expect_eq(o.verbose, 2, "the last line needs no end");
}

static const char boards[] = "v = 0\nt = a.*\nrepeat = 2\n[baseboard Board 7]\nv = 2\nt = b.*\nt = c.*\n"
                             "[baseboard \"Other\"]\nv = 3\nrepeat = 9\n";

Test(options_file, a_section_for_this_board_wins_over_the_lines_before)
{
    options_default(&o);
    cr_assert_eq(file(boards, "Board 7"), ST_OK, "%s", e.text);
    cr_expect_eq(o.verbose, 2);
    cr_expect_eq(o.n_tests, 2);
    cr_expect_str_eq(o.tests[0], "b.*");
    cr_expect_eq(o.repeat, 2);
    options_default(&o);
    cr_assert_eq(file(boards, "Other"), ST_OK, "%s", e.text);
    cr_expect_eq(o.verbose, 3);
    cr_expect_eq(o.repeat, 9);
    cr_expect_str_eq(o.tests[0], "a.*");
    options_default(&o);
    cr_assert_eq(file(boards, ""), ST_OK, "%s", e.text);
    cr_expect_eq(o.verbose, 0);
}

Test(options_file, the_command_line_wins_over_both)
{
    cr_assert_eq(line("-v 1 -t z.*"), ST_OK);
    cr_assert_eq(file(boards, "Board 7"), ST_OK, "%s", e.text);
    cr_expect_eq(o.verbose, 1);
    cr_expect_eq(o.n_tests, 1);
    cr_expect_str_eq(o.tests[0], "z.*");
    cr_expect_eq(o.repeat, 2, "what it does not say, the file does");
}

static const struct {
    const char *text, *says;
} bad_files[] = {
    { "x = 1\n", "assay.cfg line 1: unknown key \"x\": the nearest is t; the keys are what -h shows" },
    { "\n\nv = 9\n", "line 3: v = \"9\" is outside 0 to 3" },
    { "-v = 1\n", "unknown key \"-v\"" },
    { "v\n", "is not `key = value`" },
    { "v 1\n", "is not `key = value`" },
    { "v =\n", "is not a number" },
    { "= 1\n", "the key before the '=' is missing" },
    { "v = 1\nv = 1\n", "line 2: v is set twice" },
    { "config = x\n", "config is allowed on the command line only" },
    { "q = maybe\n", "is neither yes nor no" },
    { "o = \"x\n", "double quote" },
    { "o = a\"b\"\n", "double quote" },
    { "o = \"a\" b\n", "double quote" },
    { "[baseboard]\n", "needs a name" },
    { "[baseboard x\n", "closing ']'" },
    { "[board x]\n", "unknown section" },
    { "[baseboards x]\n", "unknown section" },
    { "[baseboard Mine]\nv = 1\n[baseboard Mine]\n", "line 3: a second section" },
    { "[baseboard Elsewhere]\nv = 9\n", "line 2: v = \"9\" is outside 0 to 3" },
    { "[baseboard Elsewhere]\nv = 1\nv = 1\n", "line 3: v is set twice" },
    { "v = 1\x07\n", "line 1: byte 0x07 in column 6 is not printable ASCII" },
    { "\xFF\xFEv\0=\0", "UTF-16" },
    { "]\n", "is not `key = value`" },
};

Test(options_file, says_in_which_line_what_is_wrong)
{
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        options_default(&o);
        cr_expect_eq(file(bad_files[i].text, "Mine"), ST_RANGE, "%s", bad_files[i].text);
        cr_expect_not_null(strstr(e.text, bad_files[i].says), "%s: \"%s\"", bad_files[i].text, e.text);
    }
}

Test(options_file, lines_have_a_limit_and_zero_bytes_are_no_text)
{
    char text[400];

    memset(text, '#', sizeof text);
    options_default(&o);
    cr_expect_eq(options_parse_file(&o, text, 255, "f", "", &e), ST_OK);
    text[255] = '\r';
    text[256] = '\n';
    cr_expect_eq(options_parse_file(&o, text, 257, "f", "", &e), ST_OK);
    text[255] = '#';
    cr_expect_eq(options_parse_file(&o, text, 256, "f", "", &e), ST_RANGE);
    cr_expect_not_null(strstr(e.text, "line 1: is longer than 255"));
    cr_expect_eq(options_parse_file(&o, "v=1\n\0", 5, "f", "", &e), ST_RANGE);
    cr_expect_not_null(strstr(e.text, "line 2: has a zero byte"));
    cr_expect_eq(options_parse_file(&o, "", 0, "f", "", &e), ST_OK);
}

/* --- texts ------------------------------------------------------------------------------------------------------- */

struct page {
    char text[16384];
    size_t n;
};

static void add_line(void *context, const char *line)
{
    struct page *p = context;

    cr_assert_lt(p->n + strlen(line), sizeof p->text);
    p->n += (size_t)sprintf(p->text + p->n, "%s", line);
}

static const char *help_text(void)
{
    static struct page p;

    p.n = 0;
    options_help(&(struct options_output){ .write = add_line, .context = &p });
    return p.text;
}

static const char *sample_text(void)
{
    static struct page p;

    p.n = 0;
    options_sample_file(&(struct options_output){ .write = add_line, .context = &p });
    return p.text;
}

static void expect_fits(const char *text)
{
    size_t column = 0;

    for (; *text; text++) {
        column = *text == '\n' ? 0 : column + 1;
        cr_assert_leq(column, 80, "...%.20s", text);
        cr_assert(*text == '\n' || (*text >= 0x20 && *text <= 0x7E));
    }
    cr_expect_eq(column, 0, "ends with a line end");
}

Test(options_text, help_and_sample_fit_a_screen)
{
    expect_fits(help_text());
    expect_fits(sample_text());
}

Test(options_text, words_bounds_and_defaults_stand_after_what_an_option_does)
{
    static const char *const lines[] = {
        "\n  -repeat N            run the selection N times; 1 to 1000000; default 1\n",
        "\n  -size SIZE           memory per package that the load accesses; 64K to 1G;\n"
        "                       default 64M\n",
        "read, write, nt-write, none, read-remote;\n                       default read\n",
        "\n  -list boxes          every uncore box of this machine and its location\n",
        "\n  -h, -?, --help       show the options\n",
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(help_text(), lines[i]), "%s\n%s", lines[i], help_text());
    cr_expect_not_null(strstr(sample_text(), "\n# Run the selection N times; 1 to 1000000; default 1.\n"
                                             "#repeat = 1\n"));
    cr_expect_not_null(strstr(sample_text(), "\n# Show the verdict only: yes or no.\n#q = no\n"));
}

Test(options_text, the_sample_changes_nothing_until_something_is_taken_out_of_its_comment)
{
    static struct options plain;

    options_default(&o);
    options_default(&plain);
    cr_assert_eq(file(sample_text(), "X10DRi"), ST_OK, "%s", e.text);
    cr_expect_eq(memcmp(&o, &plain, sizeof o), 0);
}

Test(options_text, every_line_of_the_sample_is_right_once_it_is_taken_out)
{
    char *text = strdup(sample_text());
    size_t n = strlen(text);

    for (char *c = text; *c; c++) /* "#key" is a setting, "# Text" a comment */
        if (*c == '#' && (c == text || c[-1] == '\n') && c[1] != ' ')
            *c = ' ';
    options_default(&o);
    cr_expect_eq(options_parse_file(&o, text, n, "sample", "X10DRi", &e), ST_OK, "%s", e.text);
    cr_expect_str_eq(o.tests[0], "cmt.*");
    cr_expect_str_eq(o.skips[0], "ubox.*");
    cr_expect_eq(o.mem_bytes, 512 << 20);
    free(text);
}

/* --- the table --------------------------------------------------------------------------------------------------- */

/* Any two rows differ in every name and in their parameter, and in where their value goes. */
Test(options_table, no_name_parameter_or_field_stands_twice)
{
    for (uint32_t i = 0; i < n_options; i++) {
        for (size_t n = 0; n < 3 && option_table[i].names[n]; n++)
            cr_expect_eq(option_find(option_table[i].names[n]), &option_table[i], "-%s", option_table[i].names[n]);
        for (uint32_t k = 0; k < i; k++) {
            cr_expect_neq(option_table[i].field, option_table[k].field, "-%s", option_table[i].names[0]);
            if (option_table[i].parameter && option_table[k].parameter)
                cr_expect_str_neq(option_table[i].parameter, option_table[k].parameter);
        }
    }
}

Test(options_table, each_default_and_example_is_a_value_that_its_row_allows)
{
    struct option_fault fault;

    EACH(const struct option, row, option_table, n_options) {
        if (option_default(row)[0])
            cr_expect(option_allows(row, option_default(row), &fault), "-%s %s", row->names[0], fault.text);
        if (row->example)
            cr_expect(option_allows(row, row->example, &fault), "-%s %s", row->names[0], fault.text);
        cr_expect(row->line_only || row->example || option_default(row)[0], "-%s has no line in the sample",
                  row->names[0]);
    }
}

Test(options_table, what_is_set_is_read_back)
{
    unsigned seen = 0;

    cr_assert_eq(line("-mem 64M -v 3 -q -mp sipi -t a -t b -list -o \\x"), ST_OK, "%s", e.text);
    for (uint32_t i = 0; i < options_count(); i++) {
        struct option_value v = options_value(&o, i);

        if (!v.on_line)
            continue;
        seen++;
        if (strcmp(v.name, "mem") == 0)
            cr_expect(v.form == OPTION_NUMBER && v.number == 64 << 20 && strcmp(v.parameter, "memBytes") == 0);
        else if (strcmp(v.name, "v") == 0)
            cr_expect(v.form == OPTION_NUMBER && v.number == 3);
        else if (strcmp(v.name, "q") == 0)
            cr_expect(v.form == OPTION_BOOL && v.yes);
        else if (strcmp(v.name, "t") == 0)
            cr_expect(v.form == OPTION_TEXTS && v.n_texts == 2 && strcmp(v.texts[1], "b") == 0);
        else if (strcmp(v.name, "list") == 0)
            cr_expect(strcmp(v.text, "yes") == 0 && v.answered);
        else
            cr_expect(v.form == OPTION_TEXT && !v.answered &&
                      strcmp(v.text, strcmp(v.name, "o") == 0 ? "\\x" : "sipi") == 0);
    }
    cr_expect_eq(seen, 7);
}

Test(options_count, events_a_load_and_a_size)
{
    struct options_error error;

    options_default(&o);
    cr_assert_eq(options_parse_line(
                     &o,
                     "-list boxes -count imc/cas_rd,mem-read -count UNC_M_CAS_COUNT.RD -top 5 -load nt-write -size 1M",
                     &error),
                 ST_OK);
    cr_expect(o.list == LIST_BOXES);
    cr_assert_eq(o.n_counts, 2);
    cr_expect_str_eq(o.counts[0], "imc/cas_rd,mem-read");
    cr_expect_str_eq(o.counts[1], "UNC_M_CAS_COUNT.RD");
    cr_expect_eq(o.top_seconds, 5);
    cr_expect_eq(o.load, LOAD_NT_WRITE);
    cr_expect_eq(o.size_bytes, 1 << 20);
    options_default(&o);
    cr_expect_eq(options_parse_line(&o, "-size 32K", &error), ST_RANGE);
    cr_expect_eq(options_parse_line(&o, "-load much", &error), ST_RANGE);
    options_default(&o);
    cr_expect_eq(options_parse_line(&o, "-top 3601", &error), ST_RANGE);
    options_default(&o);
    cr_assert_eq(options_parse_line(&o, "-list -t cmt.*", &error), ST_OK);
    cr_expect(o.list == LIST_CHECKS);
}

/* --- another run ------------------------------------------------------------------------------------------------- */

Test(options_line_for, replaces_the_selection_and_keeps_the_rest_as_it_was_typed)
{
    static const char *const ids[] = { "mbm.total", "cmt.alias" };
    char out[128];

    cr_assert_eq(
        options_line_for("assay.efi -t cmt.* -o \"\\my reports\" -skip \"a b\" -q -t x", ids, 2, out, sizeof out),
        ST_OK);
    cr_expect_str_eq(out, "assay.efi -o \"\\my reports\" -q -t mbm.total -t cmt.alias");
    cr_assert_eq(options_line_for("", ids, 1, out, sizeof out), ST_OK);
    cr_expect_str_eq(out, " -t mbm.total");
}

/* A machine without working monitors fails nearly all: each of them is run again, in a line that can be read again. */
Test(options_line_for, names_every_check_that_there_is)
{
    static const char *ids[OPTIONS_PATTERNS];
    static char out[12288];
    uint32_t n = 0;

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        cr_assert_lt(n, OPTIONS_PATTERNS);
        ids[n++] = row->id;
    }
    cr_assert_gt(n, 64);
    cr_assert_eq(options_line_for("assay.efi -q", ids, n, out, sizeof out), ST_OK);
    cr_assert_eq(line(out), ST_OK, "%s", e.text);
    cr_assert_eq(o.n_tests, n);
    for (uint32_t i = 0; i < n; i++)
        cr_expect_str_eq(o.tests[i], ids[i]);
}

Test(options_line_for, leaves_nothing_where_there_is_no_room)
{
    static const char *const ids[OPTIONS_PATTERNS + 1] = { "mbm.total" };
    char out[64];

    for (size_t size = 1; size < 23; size++) {
        cr_expect_eq(options_line_for("assay.efi", ids, 1, out, size), ST_RANGE, "%zu", size);
        cr_expect_str_eq(out, "");
    }
    cr_expect_eq(options_line_for("assay.efi", ids, 1, out, 23), ST_OK);
    cr_expect_eq(options_line_for("assay.efi", ids, OPTIONS_PATTERNS + 1, out, sizeof out), ST_RANGE);
}

/* --- volumes ----------------------------------------------------------------------------------------------------- */

Test(options_line, a_path_may_begin_with_a_volume)
{
    static const char *const bad[] = { "-o :\\x", "-o fs0:", "-o fs0:\\a:b", "-o \\a:b", "-config a*b" };

    cr_assert_eq(line("-o fs0:\\reports -config fs1:my.cfg"), ST_OK, "%s", e.text);
    cr_expect_str_eq(o.folder, "fs0:\\reports");
    cr_expect_str_eq(o.config, "fs1:my.cfg");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(line(bad[i]), ST_RANGE, "%s", bad[i]);
}

Test(options_line, what_the_console_shows_can_be_chosen)
{
    cr_assert_eq(line("-b -ui jsonl"), ST_OK, "%s", e.text);
    cr_expect(o.page_breaks);
    cr_expect_eq(o.ui, UI_JSONL);
    cr_assert_eq(line("-ui jsonl.gz"), ST_OK, "%s", e.text);
    cr_expect_eq(o.ui, UI_JSONL_GZ);
    cr_assert_eq(line(""), ST_OK);
    cr_expect_eq(o.ui, UI_AUTO);
    cr_expect_eq(line("-ui html"), ST_RANGE);
}

Test(options, reports_go_to_a_folder_on_a_server)
{
    static const char *const bad[] = { "-out \\assay", "-out ftp://lab/", "-out http://me:word@lab/",
                                       "-out http://lab/?a", "-out" };

    cr_assert_eq(line("-out https://lab.example:8443/inbox/"), ST_OK, "%s", e.text);
    cr_expect_str_eq(o.out, "https://lab.example:8443/inbox/");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(line(bad[i]), ST_RANGE, "%s", bad[i]);
}

/* The command line is in the report. */
Test(options, a_token_stands_in_the_file_alone)
{
    static const char text[] = "out = http://lab/\ntoken = s3cret\n";

    cr_expect_eq(line("-token s3cret"), ST_RANGE);
    cr_expect(text_find(e.text, "s3cret") == NULL && text_find(e.text, "assay.cfg alone"), "%s", e.text);
    options_default(&o);
    cr_assert_eq(options_parse_file(&o, text, sizeof text - 1, "assay.cfg", "", &e), ST_OK, "%s", e.text);
    cr_expect_str_eq(o.token, "s3cret");
    for (uint32_t i = 0; i < options_count(); i++) {
        struct option_value v = options_value(&o, i);

        cr_expect(!text_equal(v.name, "token") || v.parameter == NULL, "the token is in the stream's parameters");
    }
}

Test(options, files_that_are_read_may_be_on_a_server)
{
    struct options_error error = { "" };

    options_default(&o);
    cr_expect_eq(
        options_parse_line(&o, "-config tftp://10.0.2.2/a.cfg -baseline http://lab:8080/b?m=1*2 -bands https://[::1]/c",
                           &error),
        ST_OK, "%s", error.text);
    cr_expect_str_eq(o.config, "tftp://10.0.2.2/a.cfg");
    cr_expect_str_eq(o.baseline, "http://lab:8080/b?m=1*2");
    cr_expect_str_eq(o.bands, "https://[::1]/c");
}
