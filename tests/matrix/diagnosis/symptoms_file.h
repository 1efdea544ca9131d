/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/diagnosis/symptoms_file.h: what the checks of a run came to, in a file, so that a diagnosis is made again of it.
 */
#pragma once
#include "core/check/symptoms.h"

#include <stdio.h>

/* Lines, fields separated by tabs: "check ID VERDICT UNLISTED", then its "finding VERDICT TEXT" and "figure LEAST MOST
 * NAME". */
void symptoms_write(const struct symptoms *s, FILE *out);
/* Into an empty s, to be freed. False: a line is not as it should be, or there is no memory. Checks that are no more
 * are left out. */
bool symptoms_read(struct symptoms *s, FILE *in);
