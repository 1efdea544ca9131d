/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/encoding/digest.h: what shows that bytes arrived as they were sent.
 *
 * SHA-256 (FIPS 180-4) over a whole stream, and CRC-32 (ISO/IEC 13239, as in zlib) over a line. Neither protects
 * against an attacker: both show what a bad cable or a full buffer did.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
};

/* Starts over: *s, whatever it held, is the state of no bytes. Source: FIPS 180-4, 5.3.3. */
void sha256_begin(struct sha256 *s);
/* Takes `length` bytes (0 does nothing) after those so far, 2^61 in all at most. Cannot fail. FIPS 180-4, 6.2. */
void sha256_add(struct sha256 *s, const void *bytes, size_t length);
/* The digest of all bytes so far, first byte first (FIPS 180-4 writes words big-endian). s is left as it is: more may
 * be added, and the digest of more asked for. */
void sha256_digest(const struct sha256 *s, uint8_t digest[32]);
/* The same as 64 lower-case hexadecimal digits and NUL. */
void sha256_text(const struct sha256 *s, char text[65]);

/* The CRC of what `crc` is of (0: nothing) with these bytes after it: reflected polynomial EDB88320H, begun and ended
 * with all ones. Source: ISO/IEC 13239; zlib. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t length);
