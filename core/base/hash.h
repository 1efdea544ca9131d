/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/hash.h: FNV-1a of 64 bits, for tables and for telling texts apart; not against an attacker. */
#pragma once
#include <stdint.h>

#define HASH_EMPTY UINT64_C(0xCBF29CE484222325) /* of nothing: the offset basis */

static inline uint64_t hash_add(uint64_t hash, uint32_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001B3);
}

/* The text and a separator that no text holds. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = hash_add(hash, (uint8_t)*text);
    return hash_add(hash, 0xFF);
}
