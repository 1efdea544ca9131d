/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/event_log.h: entries of the log that firmware keeps of what it extended into PCRs.
 * Source: TCG PC Client Platform Firmware Profile 1.05, 10.2.2 "TCG_PCR_EVENT2 Structure". */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define EVENT_LOG_TEXT 96u

/* The event of a stream with this digest: what is hashed into the PCR, and what stands in the log:
 * "assay report.jsonl sha256:0123..." */
size_t event_log_text(const char sha256[65], char text[EVENT_LOG_TEXT]);
struct event_log { /* in the crypto-agile format, from its first event on */
    const uint8_t *bytes;
    size_t size;
};
/* Bytes of the log's entry at `event`, which may have `room`; 0: it is none, or is longer, or has a digest of an algorithm that
 * the log's first event does not list. */
size_t event_log_entry(const struct event_log *log, const uint8_t *event, size_t room);
