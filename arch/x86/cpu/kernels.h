/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/kernels.h: loops with exactly the memory accesses that core/platform/platform.h promises for each enum work_kind.
 *
 * Unprivileged and without a call, so the host tests run the very loops that the payload runs. Nothing but the working
 * set is touched between tsc_begin and tsc_end: the counters live in registers.
 */
#pragma once
#include "core/platform/platform.h"

/* Run *w on this processor.
 *
 * Written on ST_OK and ST_CORRUPT: moved_bytes, touched_lines, accesses, proof, tsc_begin, tsc_end.
 * ST_RANGE     kind, passes 0, bytes 0 or no multiple of 64, an address that is not 64-byte aligned, or a COPY whose
 *              areas overlap: nothing was touched
 * ST_CORRUPT   CHASE met a line that names no line of the working set, or that is reached too early: there is no
 *              cycle of CHASE_PREPARE in this memory. The counts say how far it came.
 *
 * CODE runs what is in the memory, whatever it is: that CODE_PREPARE was there with the same base and bytes is the caller's
 * to see to, and that the memory may be executed (else #PF).
 */
MUST_CHECK enum status kernel_run(struct work *w);
