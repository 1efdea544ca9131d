/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/volume/around.h"

#include <string.h>

#include "core/base/text.h"

char around_console[65536];
static size_t used;

void around_begin(void)
{
    used = 0;
    around_console[0] = '\0';
}

static void write(const char *text, size_t length)
{
    if (length > sizeof around_console - 1 - used)
        length = sizeof around_console - 1 - used;
    memcpy(around_console + used, text, length);
    used += length;
    around_console[used] = '\0';
}

static void say(const char *line)
{
    write(line, strlen(line));
    write("\n", 1);
}

static void progress(const char *)
{
}

static bool ask(const struct volume *, const char *, const char *)
{
    return true;
}

static uint32_t arm(uint32_t)
{
    return 0;
}

static void last_steps(char *out, size_t size)
{
    text_format(out, size, "%s", "");
}

const struct report_console around_reports = { .log = write, .plain = write, .say = say, .progress = progress };
const struct resume_ops around_machine = { .ask = ask, .arm = arm, .last_steps = last_steps };
