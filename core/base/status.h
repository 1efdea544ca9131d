/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/status.h: how every call in Assay says what happened.
 *
 * One type from the instruction to the report. ST_OK is zero. Each other value is something that a person would act
 * on differently. Outputs of a call stay untouched on anything but ST_OK, unless its comment says otherwise.
 */
#pragma once

enum status {
    ST_OK = 0,
    ST_ABSENT,      /* the thing is not there: no such leaf, table, register, device                  */
    ST_FAULT,       /* the access raised #GP                                                          */
    ST_PAGE_FAULT,  /* the access raised #PF                                                          */
    ST_UNAVAILABLE, /* IA32_QM_CTR.Unavailable: no data now, waiting may help                         */
    ST_QM_ERROR,    /* IA32_QM_CTR.Error: this RMID or event is not supported, waiting does not help  */
    ST_RANGE,       /* an argument is outside what the machine enumerates; nothing was written        */
    ST_TIMEOUT,     /* a processor or device missed its deadline                                      */
    ST_LOST,        /* the processor missed an earlier deadline and gets no more work                 */
    ST_NOT_RUN,     /* an earlier step that this one depends on failed                                */
    ST_NO_MEMORY,   /* no memory of the asked size or place                                           */
    ST_IO,          /* a medium failed                                                                */
    ST_FULL,        /* the volume is full                                                             */
    ST_READ_ONLY,   /* the volume is write-protected                                                  */
    ST_CORRUPT,     /* a table or stream contradicts itself                                           */
    ST_UNSUPPORTED, /* firmware or processor refuses this way of doing it                             */
    ST_DISTURBED,   /* measured, but an SMI or another outside event fell into every try              */
    ST_COUNT
};

#define MUST_CHECK __attribute__((warn_unused_result))

/* The first of two outcomes that is bad: for "do it, then put it back". */
static inline enum status status_first(enum status a, enum status b)
{
    return a != ST_OK ? a : b;
}

/* Hands a status other than ST_OK up to the caller at once. Where something has to be undone first, or the status says
 * something to this function, it is kept in a variable. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum status try_status = (call);                                                                               \
                                                                                                                       \
        if (try_status != ST_OK)                                                                                       \
            return try_status;                                                                                         \
    } while (0)

/* Short text for people ("#GP", "no answer in time"). Never NULL. */
const char *status_text(enum status st);
