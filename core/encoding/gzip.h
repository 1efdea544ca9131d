/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/gzip.h: bytes into a gzip file (RFC 1952) as they come: DEFLATE (RFC 1951) with hash chains over the last 32 KiB,
 * one position of lazy evaluation, and a code of its own for each block. A report's stream becomes about a twelfth, within a few
 * per cent of gzip(1).
 *
 * Written here, since Debian's zlib and libdeflate are built with a red zone, which firmware's interrupts overwrite, and for a C
 * library. No name and no time are in the file: the same bytes give the same file. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct gzip;

/* put takes the file's bytes in their order. NULL: there is no memory (400 KiB). */
struct gzip *gzip_begin(void *context, void (*put)(void *context, const uint8_t *bytes, size_t length));
/* Takes `length` bytes after those so far, in pieces of any size; 4 GiB in all at most. Cannot fail. */
void gzip_add(struct gzip *z, const void *bytes, size_t length);
/* All bytes so far can be unpacked from what put() has taken. Costs some 80 bytes. */
void gzip_flush(struct gzip *z);
/* The last block, check value and length; z is freed. */
void gzip_end(struct gzip *z);
