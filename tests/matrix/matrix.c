/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/matrix.c: checks and faults on many machines of the host model, by sub-commands. */
#include "tests/matrix/matrix.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/search.h"
#include "tests/matrix/take_number.h"

#define MOST_OPTIONS 16u

uint32_t matrix_jobs = 1;

bool matrix_refuse(const char *what, const char *text)
{
    fprintf(stderr, "matrix: %s '%s'\n", what, text);
    return false;
}

FILE *matrix_open(const char *path)
{
    FILE *out = path ? fopen(path, "w") : stdout;

    if (out)
        return out;
    perror(path);
    exit(2);
}

void matrix_close(FILE *out, const char *path)
{
    if (!path || fclose(out) == 0)
        return;
    perror(path);
    exit(2);
}

static const struct matrix_command *const commands[] = {
    &matrix_faults,    &matrix_machines, &matrix_machine_faults, &matrix_run_time, &matrix_detection,
    &matrix_diagnosis, &matrix_twins,    &matrix_drawn,          &matrix_map,
};

static const struct matrix_command *command_named(const char *name)
{
    return FIND(i, sizeof commands / sizeof commands[0], !strcmp(commands[i]->name, name), commands[i], NULL);
}

static int say_commands(FILE *out)
{
    fputs("matrix COMMAND [--help | OPTIONS]\n\nCommands:", out);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(out, " %s", commands[i]->name);
    fputc('\n', out);
    return out == stdout ? EXIT_SUCCESS : 2;
}

static bool take(const struct matrix_option *o, const char *value)
{
    uint64_t number = 0;

    if (o->flag)
        *o->flag = true;
    else if (o->text)
        *o->text = value;
    else if (o->take)
        return o->take(value);
    else if (!take_number(value, o->least, o->most, &number))
        return matrix_refuse("a number was wanted, within its bounds, not", value);
    else if (o->count)
        *o->count = (uint32_t)number;
    else
        *o->number = number;
    return true;
}

/* argv[0] is the command. */
static bool take_options(const struct matrix_option *options, int argc, char **argv)
{
    struct option known[MOST_OPTIONS + 1] = { 0 };
    const struct matrix_option *unnamed = NULL;
    uint32_t n = 0;
    int at = 0;

    for (; n < MOST_OPTIONS && options[n].name; n++) {
        known[n] = (struct option){ options[n].name, options[n].flag ? no_argument : required_argument, NULL, 0 };
        if (!options[n].name[0])
            unnamed = &options[n];
    }
    for (int answer; (answer = getopt_long(argc, argv, "", known, &at)) != -1;)
        if (answer != 0 || !take(&options[at], optarg))
            return false;
    for (bool more = true; unnamed && more && optind < argc; more = unnamed->take)
        if (!take(unnamed, argv[optind++]))
            return false;
    return optind == argc || matrix_refuse("not understood:", argv[optind]);
}

int main(int argc, char **argv)
{
    const struct matrix_command *command = argc > 1 ? command_named(argv[1]) : NULL;

    if (!command)
        return say_commands(argc > 1 && !strcmp(argv[1], "--help") ? stdout : stderr);
    if (argc > 2 && !strcmp(argv[2], "--help")) {
        fputs(command->usage, stdout);
        return EXIT_SUCCESS;
    }
    matrix_jobs = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (!take_options(command->options, argc - 1, argv + 1)) {
        fputs(command->usage, stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return command->run();
}
