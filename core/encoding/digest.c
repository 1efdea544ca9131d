/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/encoding/digest.h"

#include <string.h>

#include "core/base/text.h"

/* FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* FIPS 180-4, 6.2.2. */
static void take_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
             h = state[7];
    uint32_t w[64];

    for (unsigned t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (unsigned t = 16; t < 64; t++)
        w[t] = (turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
               (turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
    for (unsigned t = 0; t < 64; t++) {
        uint32_t t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[t] + w[t];
        uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void sha256_begin(struct sha256 *s)
{
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

    memset(s, 0, sizeof *s);
    memcpy(s->state, first, sizeof first);
}

void sha256_add(struct sha256 *s, const void *bytes, size_t length)
{
    const uint8_t *from = bytes;

    while (length > 0) {
        size_t at = s->bytes % sizeof s->block, n = sizeof s->block - at < length ? sizeof s->block - at : length;

        memcpy(s->block + at, from, n);
        s->bytes += n;
        from += n;
        length -= n;
        if (at + n == sizeof s->block)
            take_block(s->state, s->block);
    }
}

void sha256_digest(const struct sha256 *s, uint8_t digest[32])
{
    static const uint8_t padding[64] = { 0x80 };
    struct sha256 end = *s;
    uint8_t bits[8];

    for (unsigned i = 0; i < 8; i++)
        bits[i] = (uint8_t)(s->bytes * 8 >> (56 - 8 * i));
    sha256_add(&end, padding, 1 + (119 - s->bytes % 64) % 64); /* up to 56 of a block */
    sha256_add(&end, bits, sizeof bits);
    for (unsigned i = 0; i < 32; i++)
        digest[i] = (uint8_t)(end.state[i / 4] >> (24 - i % 4 * 8));
}

void sha256_text(const struct sha256 *s, char text[65])
{
    uint8_t digest[32];

    sha256_digest(s, digest);
    for (unsigned i = 0; i < 32; i++)
        text_format(text + (size_t)2 * i, 3, "%02x", digest[i]);
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t length)
{
    static const uint32_t nibble[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                         0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                         0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    const uint8_t *from = bytes;

    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc = crc >> 4 ^ nibble[(crc ^ from[i]) & 15];
        crc = crc >> 4 ^ nibble[(crc ^ (unsigned)from[i] >> 4) & 15];
    }
    return ~crc;
}
