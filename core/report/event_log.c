/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/report/event_log.h"

#include <string.h>

#include "core/base/text.h"

#define DIGESTS_MOST 16u

size_t event_log_text(const char sha256[65], char text[EVENT_LOG_TEXT])
{
    return text_format(text, EVENT_LOG_TEXT, "assay report.jsonl sha256:%s", sha256);
}

#define SPEC_ID_ALGORITHMS 56u /* 10.4.5.1 "Specification ID Version Event": 32 bytes of TCG_PCR_EVENT, then 24 */

/* As the log's first event lists it, so that an algorithm that is new is no obstacle; 0: it does not. */
static size_t digest_bytes(const struct event_log *log, uint16_t algorithm)
{
    uint32_t n = 0;

    if (log->size >= SPEC_ID_ALGORITHMS + sizeof n)
        memcpy(&n, log->bytes + SPEC_ID_ALGORITHMS, sizeof n);
    for (size_t at = SPEC_ID_ALGORITHMS + sizeof n; n > 0 && log->size >= at + 4; at += 4, n--) {
        uint16_t entry[2]; /* algorithm, bytes of its digests */

        memcpy(entry, log->bytes + at, sizeof entry);
        if (entry[0] == algorithm)
            return entry[1];
    }
    return 0;
}

size_t event_log_entry(const struct event_log *log, const uint8_t *event, size_t room)
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
        n = digest_bytes(log, algorithm);
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
