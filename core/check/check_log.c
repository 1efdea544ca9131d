/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/check/check_log.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/report/record.h"

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static struct check_log_entry *copy_entry(const struct check_log_entry *of)
{
    size_t bytes = sizeof *of;
    struct check_log_entry *e;
    char *at;

    for (uint32_t i = 0; i < LOG_TEXTS; i++)
        bytes += text_bytes(of->text[i]);
    e = heap_alloc(bytes);
    if (!e)
        return NULL;
    *e = *of;
    at = (char *)(e + 1);
    for (uint32_t i = 0; i < LOG_TEXTS && of->text[i]; i++) {
        e->text[i] = memcpy(at, of->text[i], text_bytes(of->text[i]));
        at += text_bytes(of->text[i]);
    }
    return e;
}

bool check_log_takes(struct check_log *log, struct check_log_entry entry)
{
    struct check_log_entry *e;

    if (!log)
        return false;
    if (entry.kind <= LOG_SWEPT && ++log->n_evidence > EVIDENCE_LISTED)
        return true;
    e = copy_entry(&entry);
    if (!e) {
        log->lost = true;
        return true;
    }
    if (log->last)
        log->last->next = e;
    else
        log->first = e;
    log->last = e;
    return true;
}

void check_log_free(struct check_log *log)
{
    while (log->first) {
        struct check_log_entry *e = log->first;

        log->first = e->next;
        heap_free(e);
    }
    *log = (struct check_log){ 0 };
}
