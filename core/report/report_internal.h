/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/report_internal.h: what the files of the report share: report.c (lines and steps), report_start.c (testRunStart),
 * core/engine/certificate.c (registers put back),
 * core/diagnosis (causes) and report_text.c (report.txt, 80 columns, ASCII). */
#pragma once
#include "core/machine/register_name.h"
#include "core/platform/ledger.h"
#include "core/report/report.h"
#include "core/report/text_lines.h"

/* Begin a line, and close what is open in it, add number and time, and write it with one call. */
struct json *report_begin_line(struct report *r);
void report_end_line(struct report *r);
void report_log_line(struct report *r, const char *severity, const char *message);
/* The stream's end of a step: the text has nothing of it. */
void report_close_silently(struct report *r, const struct check_record *c);
/* Everything that ends a step, but the flush. */
void report_close_step(struct report *r, const struct check_record *c);
/* Flush; the outcome is kept in r->failed. */
void report_flush_kept(struct report *r);

void text_header(struct report *r, const struct options *o, const struct run_identity *id, const char *now);
void text_step(struct report *r, const struct check_record *c);
void text_certificate(struct report *r, const struct ledger *l, const struct restored_item *items, uint32_t n_items);
void text_footer(struct report *r, const struct run_record *run, enum run_result result);
/* How items of one name fare: n of them, of which `different` are not as found, the first of those on first_cpu. */
struct item_group {
    const char *name;
    uint32_t n, different, first_cpu;
    uint64_t found, left;
};
#define ITEM_GROUPS 16u
/* Groups items by name; returns how many groups, at most ITEM_GROUPS (items of further names are left out: *lost). */
uint32_t report_group_items(const struct restored_item *items, uint32_t n_items, struct item_group *groups, bool *lost);
/* "IA32_PQR_ASSOC (0xc8f)", "PCI 0000:7f:14.1+0x0d8", "MMIO 0xfe000010" */
void report_entry_name(const struct report *r, const struct ledger_entry *e, char *out, size_t size);

/* --- report_brief.c: report.txt as it is at the end of a run, short, with what matters first ---------------------
 *
 * While a run continues its text has each check as it ends, so that a hang leaves what is known. At its end, without -v 2, the
 * medium gets another text in its place (struct sink, `replace`): result and causes, the machine, findings, then what passed
 * by families and what was skipped by reasons. Parts that are written anyway are kept on their way (enum text_part). */

/* Lines: of the whole where nothing was found, of the whole where something was, and of findings in it. Checks whose findings
 * have no room are named; so are those whose reason for SKIP has none. */
#define BRIEF_PASS_LINES    120u
#define BRIEF_FAIL_LINES    146u
#define BRIEF_FINDING_LINES 18u

/* Keeps what follows. Without memory there is none, and the text stays what it is. */
void brief_begin(struct report *r);
void brief_free(struct report *r);
/* A step has ended, its details are in r. Of several attempts the last one stands. */
void brief_step(struct report *r, const struct check_record *c);
/* Whether a step has ended. */
bool brief_has_steps(const struct report *r);
/* The run has ended: the medium gets the short text. */
void brief_end(struct report *r, const struct run_record *run, enum run_result result);
