/* efi/console.h: the text console (VGA, BMC, serial line), ASCII only, one growing log.
 *
 * Colours come from the status words. Written for 80 columns and up; a line is never longer than what is given. May be
 * called on the boot processor at TPL_CALLBACK or below, never inside a timed section: a serial line is slow.
 */
#pragma once
#include <efi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void console_init(EFI_SYSTEM_TABLE *system);
/* false: console_write() and console_progress() show nothing (-q). console_say() always does. */
void console_show(bool on);
void console_write(const char *text, size_t length); /* part of the log; "\n" ends a line          */
/* Text of several lines, whatever console_show() said. */
void console_write_always(const char *text);
void console_say(const char *format, ...) __attribute__((format(printf, 1, 2))); /* one whole line */
/* A line that the next output replaces: what is going on now. "" takes it away. */
void console_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Next key without waiting: 0 none, an ASCII character, or 0x100 | EFI scan code. */
uint32_t console_key(void);
