/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/bands/bands_choice.h: which of the files of bands on the stick is this machine's.
 *
 * Files are offered one after the other. The one that is for this machine is taken. Where two are, none is: nobody can
 * say which of them was meant.
 */
#pragma once
#include "core/bands/bands.h"

#define BANDS_SAID 8u /* sentences that are kept */
#define BANDS_PATH 256u

/* All zero: nothing was offered. */
struct bands_choice {
    struct bands bands; /* while n_fitting is 1 */
    char path[BANDS_PATH];
    char sha256[65];               /* of the file */
    uint32_t n_offered, n_fitting; /* files; those for this machine */
    uint32_t n_refused;            /* those that cannot be read     */
    char other[BANDS_PATH + 160];  /* of the last one that is for another machine: why; "" */
    uint32_t n_said;               /* sentences about files that cannot be used: of more than BANDS_SAID the first */
    char said[BANDS_SAID][BANDS_PATH + 160];
};

/* The content of a file. */
void bands_offer(struct bands_choice *c, const struct machine *m, const char *path, const char *text, size_t length);
/* A file whose content could not be had: why. */
void bands_unread(struct bands_choice *c, const char *path, const char *why);
/* The bands of this machine; NULL: it is uncalibrated. */
const struct bands *bands_taken(const struct bands_choice *c);
void bands_choice_free(struct bands_choice *c);
