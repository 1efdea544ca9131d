/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/status.h"

#include <stddef.h>

const char *status_text(enum status st)
{
    static const char *const texts[ST_COUNT] = {
        [ST_OK] = "ok",
        [ST_ABSENT] = "not there",
        [ST_FAULT] = "#GP",
        [ST_PAGE_FAULT] = "#PF",
        [ST_UNAVAILABLE] = "no data yet (Unavailable)",
        [ST_QM_ERROR] = "RMID or event not supported (Error)",
        [ST_RANGE] = "out of range",
        [ST_TIMEOUT] = "no answer in time",
        [ST_LOST] = "processor lost or not started",
        [ST_NOT_RUN] = "not run",
        [ST_NO_MEMORY] = "no memory",
        [ST_IO] = "medium failed",
        [ST_FULL] = "volume full",
        [ST_READ_ONLY] = "volume write-protected",
        [ST_CORRUPT] = "contradicts itself",
        [ST_UNSUPPORTED] = "refused by firmware or processor",
        [ST_DISTURBED] = "disturbed in every try",
    };
    const char *text = (unsigned)st < ST_COUNT ? texts[st] : NULL;

    return text ? text : "unknown status";
}
