/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/qemu/plugin_state.h"

#include <stdarg.h>
#include <unistd.h>

struct plugin plugin = { .own_time = true };

void plugin_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("silicon plugin: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    fflush(NULL);
    _exit(2);
}
