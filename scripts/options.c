/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/options.c: what is written from Assay's table of options (core/options/options_table.c) outside of the payload.
 *
 *   options sample         the assay.cfg for the stick, every option commented
 *   options man NAME       what the UEFI shell shows for `NAME -?`: a manual page, to stand as NAME.man beside NAME.efi
 *                          (UEFI Shell 2.2 appendix B, "UEFI Help Manual Page Syntax"). The shell takes `-?` away
 *                          before Assay could see it.
 *   options config LINE    a command line as an assay.cfg. Where the run leaves no report, "# no report" is its first
 *                          line. Exit 2: the line is wrong, and standard error says where
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/options/options.h"

static void put_line(void *, const char *text)
{
    fputs(text, stdout);
}

/* The first two lines of the help name the program, as the sections here do. */
static void put_manual_line(void *context, const char *text)
{
    bool *past_head = context;

    if (*past_head)
        fputs(text, stdout);
    *past_head = true;
}

static int put_manual(const char *name)
{
    bool past_head = false;

    printf(".TH %s 0 \"validates the shared-resource monitors of this machine\"\n"
           ".SH NAME\nAssay: validates the shared-resource monitors of this machine.\n \n"
           ".SH SYNOPSIS\n%s [options]\n"
           ".SH OPTIONS\n",
           name, name);
    options_help(&(struct options_output){ .write = put_manual_line, .context = &past_head });
    return ferror(stdout) != 0;
}

static void put_setting(const struct option_value *v)
{
    if (v->form == OPTION_NUMBER)
        printf("%s = %llu\n", v->name, (unsigned long long)v->number);
    else if (v->form != OPTION_TEXTS)
        printf("%s = \"%s\"\n", v->name, v->text);
    for (uint32_t i = 0; i < v->n_texts; i++)
        printf("%s = \"%s\"\n", v->name, v->texts[i]);
}

static int put_config(const char *line)
{
    static struct options o;
    struct options_error error;
    bool answered = false;

    options_default(&o);
    if (options_parse_line(&o, line, &error) != ST_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    for (uint32_t i = 0; i < options_count(); i++) {
        struct option_value v = options_value(&o, i);

        if (v.on_line && v.line_only) {
            fprintf(stderr, "-%s has no place in an assay.cfg\n", v.name);
            return 2;
        }
        answered = answered || (v.on_line && v.answered);
    }
    if (answered)
        puts("# no report");
    for (uint32_t i = 0; i < options_count(); i++) {
        struct option_value v = options_value(&o, i);

        if (v.on_line)
            put_setting(&v);
    }
    return ferror(stdout) != 0;
}

/* Lines of an assay.cfg on standard input, which no command line can say all of. */
static int check_file(void)
{
    static char text[65536];
    static struct options o;
    struct options_error error;
    size_t n = fread(text, 1, sizeof text - 1, stdin);

    options_default(&o);
    if (options_parse_file(&o, text, n, "standard input", "", &error) == ST_OK)
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "sample") == 0) {
        options_sample_file(&(struct options_output){ .write = put_line });
        return ferror(stdout) != 0;
    }
    if (argc == 3 && strcmp(argv[1], "man") == 0)
        return put_manual(argv[2]);
    if (argc == 3 && strcmp(argv[1], "config") == 0)
        return put_config(argv[2]);
    if (argc == 2 && strcmp(argv[1], "check") == 0)
        return check_file();
    fprintf(stderr, "usage: options sample | man NAME | config LINE | check\n");
    return 2;
}
