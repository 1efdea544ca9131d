/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/report/text_lines.h: lines of report.txt, 80 columns of ASCII, and the parts of it that are kept.
 *
 * Lines go to the medium as they are made. Where the run ends with a shorter text (core/report/report_brief.c), parts that it
 * has again are kept on their way.
 */
#pragma once
#include "core/report/report.h"

#define TEXT_COLUMNS 79u /* of 80: a console that fills its last column starts a new line by itself */

/* Where lines go beside the medium: TEXT_NONE, nowhere; TEXT_ALL and TEXT_PASSED, there alone, and not to the
 * medium. */
enum text_part { TEXT_NONE, TEXT_TITLE, TEXT_HEAD, TEXT_CAUSES, TEXT_TAIL, TEXT_ALL, TEXT_PASSED, TEXT_PARTS };

struct text_parts {
    enum text_part now;
    bool lost; /* there was no memory for something */
    struct {
        char *bytes;
        size_t length, capacity;
        uint32_t lines;
    } kept[TEXT_PARTS];
};

/* The next lines belong to this part; returns what it was before. */
enum text_part text_turn(struct report *r, enum text_part part);
void text_part_add(struct text_parts *t, enum text_part part, const char *bytes, size_t length);

/* One paragraph: prefix, then text wrapped at 80 columns, further lines indented as deep as the prefix is long. What is
 * not printable ASCII becomes '?'. */
void text_paragraph(struct report *r, const char *prefix, const char *text);
/* Lines that it takes after a prefix of `indent` columns. */
uint32_t text_paragraph_lines(size_t indent, const char *text);
/* What stands before a detail of a check (report.h). */
const char *text_detail_prefix(enum detail kind);
void text_say(struct report *r, const char *prefix, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A line across the page. */
void text_rule(struct report *r);
