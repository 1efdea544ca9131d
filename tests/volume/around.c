/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/volume/around.h"

#include <stdarg.h>
#include <string.h>

#include "arch/x86/cpu/insn.h"
#include "core/base/text.h"
#include "efi/console/console.h"
#include "efi/boot/metal.h"
#include "efi/net/net.h"
#include "efi/firmware/watchdog.h"

char around_console[65536];
static size_t used;

void around_begin(void)
{
    used = 0;
    around_console[0] = '\0';
}

void console_write(const char *text, size_t length)
{
    if (length > sizeof around_console - 1 - used)
        length = sizeof around_console - 1 - used;
    memcpy(around_console + used, text, length);
    used += length;
    around_console[used] = '\0';
}

void console_plain(const char *text, size_t length)
{
    console_write(text, length);
}

void console_say(const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    text_vformat(line, sizeof line, format, args);
    va_end(args);
    console_write(line, strlen(line));
    console_write("\n", 1);
}

void console_progress(const char *format, ...)
{
    (void)format;
}

uint32_t console_key(void)
{
    return 0;
}

const struct boot_source *net_begin(EFI_SYSTEM_TABLE *st, EFI_HANDLE image)
{
    (void)st;
    (void)image;
    return NULL;
}

enum status net_read(const char *url, size_t most, char **text, size_t *length)
{
    (void)url;
    (void)most;
    (void)text;
    (void)length;
    return ST_ABSENT;
}

uint32_t watchdog_arm(uint32_t seconds)
{
    (void)seconds;
    return 0;
}

void metal_last_steps(char *out, size_t size)
{
    text_format(out, size, "%s", "");
}

uint64_t insn_rdtsc(void)
{
    static uint64_t ticks;

    return ++ticks;
}
