/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files of bands: whole ones, damaged ones, for this machine and for another. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/bands/bands_choice.h"

/* As `assay-report calibrate` writes it. */
#define HEAD                                                                                                           \
    "assay-bands 1\nassay: 0.1.0\nvirtual-silicon: no\nvendor: GenuineIntel\nfamily: 0x6\nmodel: 0x6a\nstepping: 6\n"  \
    "microcode: 0x0d0003b9\nnodes-per-package: 1\nmachines: 5\nserial: A\nserial: B\nserial: C\nserial: D\n"           \
    "serial: E 0x12\n# check, measurement, ...\n"
#define OCCUPANCY                                                                                                      \
    "cmt.fill\toccupancy\tdomain=#,rmid=#\tbytes\t1.002000\t0.000100\t0.987700\t1.016300\t5\t20\t1.001000\t"           \
    "1.003000\n"
#define SHARE                                                                                                          \
    "mbm.local\tshare\tworking set 25 %\t%\t-0.500000\t0.000000\t-1.500000\t0.500000\t5\t5\t-0.500000\t0.000000\n"
#define LAST  "# left out: x: y: scatters\nend: 2\n"
#define WHOLE HEAD OCCUPANCY SHARE LAST

static struct bands bands;
static struct bands_error error;
static struct bands_choice choice;

static enum status parse(const char *text)
{
    return bands_parse(&bands, text, strlen(text), &error);
}

/* WHOLE with `was` replaced by `now`; both stand in it once. */
static char *changed(const char *was, const char *now)
{
    static char text[4096];
    const char *at = strstr(WHOLE, was);

    cr_assert_not_null(at, "%s", was);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - WHOLE), WHOLE, now, at + strlen(was));
    return text;
}

Test(bands, a_file_is_read_and_its_figures_are_found)
{
    struct figure_band b;

    cr_assert_eq(parse(WHOLE), ST_OK, "line %u: %s", error.line, error.text);
    cr_expect_eq(bands.n_figures, 2);
    cr_expect_eq(bands.machines, 5);
    cr_expect_str_eq(bands.kind.microcode, "0x0d0003b9");
    cr_assert(bands_find(&bands, "cmt.fill", 0, "occupancy", "domain=#,rmid=#", &b));
    cr_expect(b.centre == 1.002 && b.spread == 0.0001 && b.from == 0.9877 && b.to == 1.0163);
    cr_expect(b.machines == 5 && b.values == 20 && b.lowest == 1.001 && b.highest == 1.003);
    cr_expect_str_eq(b.unit, "bytes");
    cr_assert(bands_find(&bands, "mbm.local", 0, "share", "working set 25 %", &b));
    cr_expect(b.centre == -0.5 && b.from == -1.5 && b.highest == 0);
    bands_free(&bands);
}

Test(bands, what_has_no_band_is_not_found)
{
    struct figure_band b;

    cr_assert_eq(parse(WHOLE), ST_OK);
    cr_expect_not(bands_find(&bands, "cmt.fill", 0, "share", "domain=#,rmid=#", &b));
    cr_expect_not(bands_find(&bands, "cmt.flush", 0, "occupancy", "domain=#,rmid=#", &b));
    cr_expect_not(bands_find(&bands, "cmt.fill", 0, "occupancy", "domain=#", &b));
    cr_expect_not(bands_find(&bands, "mbm.local", 0, "share", "working set 50 %", &b));
    cr_expect_not(bands_find(NULL, "mbm.local", 0, "share", "working set 25 %", &b));
    bands_free(&bands);
}

Test(bands, figures_of_another_method_are_no_band)
{
    struct figure_band b;

    cr_assert_eq(parse(changed("mbm.local\tshare", "mbm.local@2\tshare")), ST_OK, "%s", error.text);
    cr_expect_not(bands_find(&bands, "mbm.local", 0, "share", "working set 25 %", &b));
    cr_expect(bands_find(&bands, "mbm.local", 2, "share", "working set 25 %", &b));
    cr_expect(bands_outdated(&bands, "mbm.local", 0) && bands_outdated(&bands, "mbm.local", 3));
    cr_expect_not(bands_outdated(&bands, "mbm.local", 2) || bands_outdated(&bands, "cmt.fill", 0));
    cr_expect_not(bands_outdated(&bands, "cmt.fil", 1) || bands_outdated(&bands, "mbm.total", 0));
    bands_free(&bands);
}

Test(bands, lines_may_end_in_cr_lf_and_the_last_may_have_no_end)
{
    char text[4096];
    size_t n = 0;

    for (const char *c = WHOLE; *c; c++) {
        if (*c == '\n')
            text[n++] = '\r';
        text[n++] = *c;
    }
    cr_expect_eq(bands_parse(&bands, text, n, &error), ST_OK, "line %u: %s", error.line, error.text);
    bands_free(&bands);
    cr_expect_eq(bands_parse(&bands, WHOLE, sizeof WHOLE - 2, &error), ST_OK);
    bands_free(&bands);
}

Test(bands, a_damaged_file_is_refused_with_its_line)
{
    const struct {
        const char *was, *now;
        uint32_t line;
    } cases[] = {
        { "assay-bands 1", "assay-bands 2", 1 },
        { "assay: 0.1.0\n", "", 2 },
        { "vendor: GenuineIntel", "vendor: ", 4 },
        { "model: 0x6a", "model: 0x6g", 6 },
        { "stepping: 6\n", "stepping: 6\nstepping: 6\n", 8 },
        { "0x0d0003b9", "0x0d0003b9 0x", 9 },
        { "machines: 5", "machines: 4", 10 },
        { "machines: 5", "machines: 6", 17 },
        { "serial: C\n", "serial: \tC\n", 13 },
        { "1.002000\t0.0001", "1.00200\t0.0001", 17 },
        { "1.002000\t0.0001", "1.002000 0.0001", 17 },
        { "1.002000\t0.0001", "1e3\t0.0001", 17 },
        { "1.002000\t0.0001", "nan\t0.0001", 17 },
        { "1.002000\t0.0001", "99999999999.002000\t0.0001", 17 },
        { "1.002000\t0.0001", "1.002000\t-0.0001", 17 },
        { "1.002000\t0.0001", "2.002000\t0.0001", 17 },
        { "\t5\t20\t", "\t4\t20\t", 17 },
        { "\t5\t20\t", "\t6\t20\t", 17 },
        { "\t5\t20\t", "\t5\t4\t", 17 },
        { "\t5\t20\t", "\t5\t99999999999\t", 17 },
        { "\t5\t20\t", "\t5\t20\t20\t", 17 },
        { "\tbytes\t", "\tHz\t", 17 },
        { "cmt.fill", "", 17 },
        { "cmt.fill", "cmt.fill\x01", 17 },
        { "cmt.fill", "zzz.fill", 18 },
        { "\nmbm.local\tshare", "\nmbm.local", 18 },
        { SHARE, SHARE SHARE, 19 },
        { "end: 2", "end: 3", 20 },
        { "end: 2\n", "", 20 },
        { "end: 2\n", "end: 2\nend: 2\n", 21 },
        { OCCUPANCY SHARE LAST, "end: 0\n", 17 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(parse(changed(cases[i].was, cases[i].now)), ST_CORRUPT, "%zu", i);
        cr_expect_eq(error.line, cases[i].line, "%zu: line %u: %s", i, error.line, error.text);
        cr_expect(error.text[0], "%zu", i);
        cr_expect_null(bands.figures);
    }
}

Test(bands, a_file_that_is_cut_is_refused)
{
    for (size_t n = 0; n + 2 < sizeof WHOLE; n++)
        cr_expect_eq(bands_parse(&bands, WHOLE, n, &error), ST_CORRUPT, "the first %zu bytes", n);
    cr_expect_eq(bands_parse(&bands, "assay-bands 1\n\0x", 16, &error), ST_CORRUPT);
}

Test(bands, bytes_are_compared_with_the_middle_of_their_bounds)
{
    double v = 0;

    cr_expect(bands_value("ratio", 0.5, 0, 1, &v) && v == 0.5);
    cr_expect(bands_value("%", 99, -1.0 / 0.0, 1.0 / 0.0, &v) && v == 99);
    cr_expect(bands_value("bytes", 990, 920, 1080, &v) && v == 0.99);
    cr_expect_not(bands_value("bytes", 990, 0, 1080, &v));
    cr_expect_not(bands_value("bytes", 990, 920, 1.0 / 0.0, &v));
    cr_expect_not(bands_value("bytes", 920, 920, 920, &v));
    cr_expect_not(bands_value("Hz", 990, 920, 1080, &v));
}

/* --- which file is this machine's --------------------------------------------------------------------------------- */

static struct cpu cpus[2];
static struct node nodes[3];
static struct machine machine;

static void make_machine(void)
{
    struct cpu one = { .id = { .vendor_string = "GenuineIntel", .family = 6, .model = 0x6a, .stepping = 6 },
                       .microcode = 0x0d0003b9 };

    cpus[0] = cpus[1] = one;
    memset(nodes, 0, sizeof nodes);
    nodes[0].n_cpus = 2;
    memset(&choice, 0, sizeof choice);
    machine = (struct machine){ .n_cpus = 2, .cpus = cpus, .n_packages = 1, .n_nodes = 2, .nodes = nodes };
}

static void offer(const char *path, const char *text)
{
    bands_offer(&choice, &machine, path, text, strlen(text));
}

TestSuite(bands_choice, .init = make_machine);

Test(bands_choice, the_file_of_this_machine_is_taken_with_its_digest)
{
    offer("other", changed("model: 0x6a", "model: 0x8f"));
    offer("mine", WHOLE);
    offer("another", changed("stepping: 6", "stepping: 7"));
    cr_assert_not_null(bands_taken(&choice));
    cr_expect_eq(bands_taken(&choice)->n_figures, 2);
    cr_expect_str_eq(choice.path, "mine");
    cr_expect_eq(strlen(choice.sha256), 64);
    cr_expect_eq(choice.n_offered, 3);
    cr_expect_eq(choice.n_said, 0);
    bands_choice_free(&choice);
    cr_expect_null(bands_taken(&choice));
}

Test(bands_choice, a_file_for_another_machine_is_not_taken)
{
    const char *const others[][2] = {
        { "virtual-silicon: no", "virtual-silicon: x" },
        { "GenuineIntel", "AuthenticAMD" },
        { "family: 0x6", "family: 0x7" },
        { "model: 0x6a", "model: 0x6b" },
        { "stepping: 6", "stepping: 5" },
        { "0x0d0003b9", "0x0d0003ba" },
        { "nodes-per-package: 1", "nodes-per-package: 2" },
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        offer("file", changed(others[i][0], others[i][1]));
        cr_expect_null(bands_taken(&choice), "%s", others[i][1]);
        cr_expect(strstr(choice.other, "file: they are for "), "%s", choice.other);
    }
    cr_expect_eq(choice.n_said, 0);
}

Test(bands_choice, bands_hold_for_each_microcode_that_they_name)
{
    offer("file", changed("0x0d0003b9", "0x0d0003b8 0x0d0003b9"));
    cr_expect_not_null(bands_taken(&choice));
    bands_choice_free(&choice);
}

Test(bands_choice, nodes_with_processors_count_for_each_package)
{
    nodes[1].n_cpus = 2;
    offer("one node", WHOLE);
    cr_expect_null(bands_taken(&choice));
    offer("two nodes", changed("nodes-per-package: 1", "nodes-per-package: 2"));
    cr_expect_not_null(bands_taken(&choice));
    bands_choice_free(&choice);
    machine.n_packages = 2;
    offer("one node of each package", WHOLE);
    cr_expect_not_null(bands_taken(&choice));
    bands_choice_free(&choice);
}

Test(bands_choice, a_machine_of_two_microcodes_is_nobodys)
{
    cpus[1].microcode++;
    offer("file", WHOLE);
    cr_expect_null(bands_taken(&choice));
    cr_expect(strstr(choice.other, "not one"), "%s", choice.other);
}

Test(bands_choice, virtual_silicon_has_its_own)
{
    strcpy(machine.ran_on, "Assay model, profile icx");
    offer("metal", WHOLE);
    cr_expect_null(bands_taken(&choice));
    offer("virtual", changed("virtual-silicon: no", "virtual-silicon: Assay model, profile icx"));
    cr_expect_not_null(bands_taken(&choice));
    bands_choice_free(&choice);
}

Test(bands_choice, of_two_files_for_this_machine_none_is_taken)
{
    offer("first", WHOLE);
    offer("second", WHOLE);
    offer("third", WHOLE);
    cr_expect_null(bands_taken(&choice));
    cr_expect_str_eq(choice.said[0], "first and second are both for this machine: neither is used");
    bands_choice_free(&choice);
}

Test(bands_choice, a_file_that_cannot_be_read_is_named)
{
    offer("b.bands", changed("model: 0x6a", "model: x"));
    bands_unread(&choice, "c.bands", "no such file");
    cr_expect_eq(choice.n_refused, 2);
    cr_expect_str_eq(choice.said[0], "b.bands:6: not a number; nothing of the file is used");
    cr_expect_str_eq(choice.said[1], "c.bands: no such file");
    for (unsigned i = 0; i < 20; i++)
        bands_unread(&choice, "d", "x");
    cr_expect_eq(choice.n_said, BANDS_SAID);
    offer("mine", WHOLE);
    cr_expect_not_null(bands_taken(&choice), "a damaged file beside it is no reason");
    bands_choice_free(&choice);
}
