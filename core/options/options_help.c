/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/options/options_help.c: what -h shows, and the assay.cfg that `make image` puts on the stick. */
#include <string.h>

#include "core/options/options_internal.h"
#include "core/base/text.h"

#define WIDTH  80u
#define COLUMN 23u /* where -h explains */
#define ALL    480u

/* A paragraph: first stands in front of its first line and rest in front of the others; both are of one length. */
static void help_paragraph(const struct options_output *out, const char *first, const char *rest, const char *text)
{
    char line[WIDTH + 2];
    size_t n = text_format(line, sizeof line, "%s", first), empty = n;

    while (*text) {
        size_t word = 0, blank = n > empty;

        while (text[word] && text[word] != ' ')
            word++;
        if (n > empty && n + blank + word > WIDTH) {
            text_format(line + n, sizeof line - n, "\n");
            out->write(out->context, line);
            n = empty = text_format(line, sizeof line, "%s", rest);
            blank = 0;
        }
        n += text_format(line + n, sizeof line - n, "%s%.*s", blank ? " " : "", (int)word, text);
        text += word + (text[word] == ' ');
    }
    text_format(line + n, sizeof line - n, "\n");
    out->write(out->context, line);
}

static size_t help_add_words(const struct option *option, char *text, size_t size)
{
    size_t n = 0;

    for (const struct option_word *w = option->words; w->word && n < size; w++)
        n += text_format(text + n, size - n, w->help ? "%s%s (%s)" : "%s%s", n > 0 ? ", " : ": ", w->word, w->help);
    return n;
}

/* What the option does, with its words, its bounds and its default. */
static void help_describe(const struct option *option, char *text, size_t size)
{
    const char *preset = option->unset ? option->unset : option_default(option);
    size_t n = text_format(text, size, "%s", option->help);
    char bounds[56];

    if (option->kind == KIND_CHOICE)
        n += help_add_words(option, text + n, size - n);
    if (option->kind == KIND_PATTERNS)
        n += text_format(text + n, size - n, "; may be repeated");
    if (option->kind == KIND_NUMBER || option->kind == KIND_SIZE) {
        option_bounds(option, bounds, sizeof bounds);
        n += text_format(text + n, size - n, "; %s", bounds);
    }
    if (option->kind != KIND_FLAG && preset[0])
        n += text_format(text + n, size - n, "; default %s", preset);
    if (option->file_only && n < size)
        text_format(text + n, size - n, "; in assay.cfg alone");
}

/* --- -h ---------------------------------------------------------------------------------------------------------- */

static void help_option(const struct options_output *out, const char *usage, const char *text)
{
    char first[COLUMN + 1], rest[COLUMN + 1];

    text_format(first, sizeof first, "%-*s", (int)COLUMN, usage);
    text_format(rest, sizeof rest, "%-*s", (int)COLUMN, "");
    help_paragraph(out, first, rest, text);
}

/* "-list" and "-list boxes", a line each. */
static void help_words(const struct options_output *out, const struct option *option)
{
    char usage[COLUMN];

    for (const struct option_word *w = option->words; w->word; w++) {
        text_format(usage, sizeof usage, "  -%s %s", option->names[0], text_equal(w->word, "yes") ? "" : w->word);
        if (w->help)
            help_option(out, usage, w->help);
    }
}

static void help_row(const struct options_output *out, const struct option *option)
{
    char usage[COLUMN], text[ALL];
    size_t n = text_format(usage, sizeof usage, "  -%s", option->names[0]);

    for (size_t i = 1; i < sizeof option->names / sizeof *option->names && option->names[i]; i++)
        n += text_format(usage + n, sizeof usage - n, ", -%s", option->names[i]);
    if (option->argument)
        text_format(usage + n, sizeof usage - n, " %s", option->argument);
    help_describe(option, text, sizeof text);
    help_option(out, usage, text);
}

void options_help(const struct options_output *out)
{
    out->write(out->context, "assay.efi [options]    validates the shared-resource monitors of this machine\n\n");
    for (uint32_t i = 0; i < n_options; i++) {
        if (option_table[i].alone)
            help_words(out, &option_table[i]);
        else
            help_row(out, &option_table[i]);
    }
    out->write(out->context, "\n"
                             "A file or folder may have a volume in front: fs0:\\x in the shell, or a label;\n"
                             "without one it is on the volume that Assay was started from.\n"
                             "\n"
                             "assay.cfg holds the same names without the dash, one `key = value` a line; a\n"
                             "section [baseboard NAME] applies to boards of that name only. The command line\n"
                             "overrides the section, the section the lines before it.\n"
                             "\n"
                             "Exit status: 0 PASS, 1 FAIL, 2 ERROR (a check could not measure, or the run is\n"
                             "incomplete), 38 NOTHING (no monitor judged). With -exit qemu it goes to the\n"
                             "debug port 0xF4 (QEMU then exits 1, 3, 5, 77).\n");
}

/* --- the sample file --------------------------------------------------------------------------------------------- */

static void sample_option(const struct options_output *out, const struct option *option)
{
    const char *example = option->example ? option->example : option_default(option);
    char text[ALL], line[WIDTH + 2];
    size_t n;

    help_describe(option, text, sizeof text);
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
    n = strlen(text);
    text_format(text + n, sizeof text - n, option->kind == KIND_FLAG ? ": yes or no." : ".");
    out->write(out->context, "\n");
    help_paragraph(out, "# ", "# ", text);
    text_format(line, sizeof line, "#%s = %s\n", option->names[0], example);
    out->write(out->context, line);
}

void options_sample_file(const struct options_output *out)
{
    out->write(out->context, "# assay.cfg: options of assay.efi, one `key = value` a line. '#' begins a\n"
                             "# comment. Every option is listed with an example or its default; remove the '#'\n"
                             "# to set it. The command line overrides this file.\n");
    for (uint32_t i = 0; i < n_options; i++)
        if (!option_table[i].line_only)
            sample_option(out, &option_table[i]);
    out->write(out->context, "\n"
                             "# The lines after a section apply to one baseboard only (its product name in\n"
                             "# SMBIOS, as `dmidecode -s baseboard-product-name` prints it), and override the\n"
                             "# lines above.\n"
                             "#[baseboard X10DRi]\n"
                             "#skip = ubox.*\n");
}
