/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/inflate.h: what DEFLATE (RFC 1951) has packed. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `bytes` bytes at `to` from `n` at `from`. false: they are no such stream, or it holds another number of bytes; nothing
 * outside of both is touched. Runs before the image's own text is unpacked: it has none. */
bool inflate(const uint8_t *from, size_t n, uint8_t *to, size_t bytes);
