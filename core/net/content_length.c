/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/net/content_length.h"

enum status content_length_add(const char *value, enum status before, uint64_t *length)
{
    for (;;) {
        uint64_t n = 0;

        while (*value == ' ' || *value == '\t')
            value++;
        if (*value < '0' || *value > '9')
            return ST_CORRUPT;
        for (; *value >= '0' && *value <= '9'; value++) {
            uint64_t digit = (uint64_t)(*value - '0');

            if (n > (UINT64_MAX - digit) / 10)
                return ST_CORRUPT;
            n = n * 10 + digit;
        }
        while (*value == ' ' || *value == '\t')
            value++;
        if ((*value && *value != ',') || before == ST_CORRUPT || (before == ST_OK && n != *length))
            return ST_CORRUPT;
        *length = n;
        before = ST_OK;
        if (!*value++)
            return ST_OK;
    }
}
