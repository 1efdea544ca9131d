/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/event_log.h"

#include <string.h>

#include "core/base/text.h"

#define DIGESTS_MOST 16u

size_t event_log_text(const char sha256[65], char text[EVENT_LOG_TEXT])
{
    return text_format(text, EVENT_LOG_TEXT, "assay report.jsonl sha256:%s", sha256);
}

/* TCG Algorithm Registry 1.33, table 3; 0: not known. */
static size_t digest_bytes(uint16_t algorithm)
{
    switch (algorithm) {
    case 0x0004: /* SHA-1 */
        return 20;
    case 0x000B: /* SHA-256 */
    case 0x0012: /* SM3-256 */
    case 0x0027: /* SHA3-256 */
        return 32;
    case 0x000C: /* SHA-384 */
    case 0x0028: /* SHA3-384 */
        return 48;
    case 0x000D: /* SHA-512 */
    case 0x0029: /* SHA3-512 */
        return 64;
    default:
        return 0;
    }
}

size_t event_log_entry(const uint8_t *event, size_t room)
{
    size_t at = 12; /* PCR index, event type, number of digests */
    uint32_t digests, bytes;

    if (room < at)
        return 0;
    memcpy(&digests, event + 8, sizeof digests);
    if (digests > DIGESTS_MOST)
        return 0;
    for (uint32_t i = 0; i < digests; i++) {
        uint16_t algorithm;
        size_t n;

        if (room - at < sizeof algorithm)
            return 0;
        memcpy(&algorithm, event + at, sizeof algorithm);
        n = digest_bytes(algorithm);
        at += sizeof algorithm;
        if (n == 0 || room - at < n)
            return 0;
        at += n;
    }
    if (room - at < sizeof bytes)
        return 0;
    memcpy(&bytes, event + at, sizeof bytes);
    at += sizeof bytes;
    return room - at < bytes ? 0 : at + bytes;
}
