/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: an entry of the log that firmware keeps beside a TPM. */
#include <string.h>

#include "core/report/event_log.h"
#include "tests/fuzz/fuzz.h"

/* The text that Assay puts into such an entry has all of the digest, whatever that is. */
static void check_text(const uint8_t *data, size_t size)
{
    char digest[65] = "", text[EVENT_LOG_TEXT];
    size_t n;

    for (size_t i = 0; i < 64 && i < size; i++)
        digest[i] = "0123456789abcdef"[data[i] & 15];
    n = event_log_text(digest, text);
    MUST(n < sizeof text && n == strlen(text));
    MUST(n >= strlen(digest) && strcmp(text + n - strlen(digest), digest) == 0);
}

#define FIRST_EVENT 72u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t first = size < FIRST_EVENT ? size : FIRST_EVENT, n;
    const struct event_log log = { data, first };

    n = event_log_entry(&log, data + first, size - first);
    MUST(n == 0 || (n >= 16 && n <= size - first));
    MUST(n == 0 || event_log_entry(&log, data + first, n) == n); /* it needs nothing after itself */
    check_text(data, size);
    return 0;
}
