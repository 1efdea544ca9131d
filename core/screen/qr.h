/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/screen/qr.h: a text as a QR code, for machines from which no file can be carried: a phone takes it off the screen.
 *
 * Alphanumeric mode, error correction level L, versions 1 to 6: up to 195 characters of 0-9 A-Z space $ % * + - . / :
 * in at most 41 x 41 modules, which 25 rows of half blocks have room for. Source: ISO/IEC 18004.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

#define QR_SIZE_MAX 41u
#define QR_TEXT_MAX 195u
#define QR_QUIET    4u /* light modules that the standard wants around it */

struct qr {
    uint32_t size;                              /* modules on a side, 21 .. QR_SIZE_MAX */
    uint8_t dark[QR_SIZE_MAX][QR_SIZE_MAX];     /* [row][column]: 1 dark, 0 light */
    uint8_t function[QR_SIZE_MAX][QR_SIZE_MAX]; /* not data: finders, timing, format */
};

/* The smallest version that holds the text (NUL-ended). *q is written on ST_OK alone. ST_RANGE: too long, or a
 * character that the mode does not have. Source: ISO/IEC 18004, 7. */
MUST_CHECK enum status qr_encode(struct qr *q, const char *text);
/* Lower case becomes upper case, what the mode does not have becomes '-'. */
void qr_fold(char *text);
/* Error correction codewords of a block: the remainder of data * x^n_ecc by the generator (ISO/IEC 18004, 7.5.2). */
#define QR_ECC_MAX 26u
void qr_ecc(const uint8_t *data, uint32_t n_data, uint8_t *ecc, uint32_t n_ecc);
