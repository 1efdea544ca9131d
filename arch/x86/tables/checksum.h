/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/checksum.h: bytes of a table sum to 0 modulo 256 (ACPI 5.2.6; DSP0134 5.2). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool bytes_add_up(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    uint8_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + b[i]);
    return sum == 0;
}
