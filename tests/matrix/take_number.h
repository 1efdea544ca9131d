/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/take_number.h: a number of the command line. */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Decimal, or with 0x hexadecimal. False, and *value stays: it is none, or outside of least to most. */
static inline bool take_number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    unsigned long long number;

    errno = 0;
    number = strtoull(text, &end, 0);
    if (end == text || *end || errno || text[0] == '-' || number < least || number > most)
        return false;
    *value = number;
    return true;
}
