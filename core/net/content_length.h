/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/net/content_length.h: how long the body of an HTTP message is. */
#pragma once
#include <stdint.h>

#include "core/base/status.h"

/* One more Content-Length of a message.
 *
 * value   of the field: decimal, or a list of one number again and again ("42, 42")
 * before  what the field before it gave; ST_UNSUPPORTED: this is the first
 * length  bytes of the body, with ST_OK
 * Errors: ST_CORRUPT: no number, or another one than before; the message is not to be used.
 * Source: RFC 9112 6.3, "Message Body Length"; RFC 9110 8.6, "Content-Length". */
MUST_CHECK enum status content_length_add(const char *value, enum status before, uint64_t *length);
