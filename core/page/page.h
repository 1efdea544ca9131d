/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/page/page.h: the page of report.html, as the payload carries it: what stands before the stream and after it. */
#pragma once

extern const char page_head[], page_head_end[], page_tail[], page_tail_end[];
