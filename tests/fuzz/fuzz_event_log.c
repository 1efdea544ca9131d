/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: an entry of the log that firmware keeps beside a TPM. */
#include <stdlib.h>
#include <string.h>

#include "core/report/event_log.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1); /* so that one byte too far is seen */
    size_t n;

    MUST(exact != NULL);
    if (size)
        memcpy(exact, data, size);
    n = event_log_entry(exact, size);
    MUST(n == 0 || (n >= 16 && n <= size));
    MUST(n == 0 || event_log_entry(exact, n) == n); /* it needs nothing behind itself */
    free(exact);
    return 0;
}
