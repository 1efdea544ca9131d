/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/base/lines.h: files of lines whose fields are separated by TAB: bands, events. The text is cut in place. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct lines {
    char *at;        /* the line after the present one: at first the text, NUL-terminated */
    uint32_t number; /* of the present line, from 1: at first 0                            */
};

/* The next line that is no comment (of a '#' in front), without its LF or CR LF; NULL after the last. */
char *lines_next(struct lines *l);
/* How many fields a line has, cut at its tabs; of more than `most` the first. */
unsigned lines_fields(char *line, char **fields, unsigned most);
/* Printable ASCII alone. */
bool lines_plain(const char *text);
