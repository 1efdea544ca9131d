/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/page/page.h: the page of report.html, as the payload carries it: what stands before the stream and after it. */
#pragma once
#include <stdint.h>

struct base64;

extern const char page_head[], page_head_end[], page_middle[], page_middle_end[], page_tail[], page_tail_end[];
extern const uint8_t page_script[], page_script_end[]; /* gzip; between middle and tail, as base64 */

/* What stands after the stream, to `text`, of which context and put are set. */
void page_put_rest(struct base64 *text);
