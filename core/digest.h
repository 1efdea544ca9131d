/* core/digest.h: what shows that bytes arrived as they were sent.
 *
 * SHA-256 (FIPS 180-4) over a whole stream, and CRC-32 (ISO/IEC 13239, as in zlib) over a line. Neither protects
 * against somebody: both show what a bad cable or a full buffer did.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t length);
/* s is left as it is: more may be added, and the digest of more asked for. */
void sha256_digest(const struct sha256 *s, uint8_t digest[32]);
/* 64 digits and NUL. */
void sha256_text(const struct sha256 *s, char text[65]);

/* The CRC of what `crc` is of (0: nothing) with these bytes behind it. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t length);
