/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/uncoded.c: findings of checks that have no code yet. */
#include <stdarg.h>

#include "core/base/text.h"
#include "core/check/check.h"

enum verdict fail(struct check *c, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    text_vformat(text, sizeof text, format, args);
    va_end(args);
    return finding(c, FINDING_EXPECTED, 0, FOUND_OTHER, PLACE_NONE, "%s", text);
}

enum verdict forbidden(struct check *c, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    text_vformat(text, sizeof text, format, args);
    va_end(args);
    return finding(c, FINDING_FORBIDDEN, 0, FOUND_OTHER, PLACE_NONE, "%s", text);
}

enum verdict warn(struct check *c, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    text_vformat(text, sizeof text, format, args);
    va_end(args);
    return finding(c, FINDING_UNUSUAL, 0, FOUND_OTHER, PLACE_NONE, "%s", text);
}
