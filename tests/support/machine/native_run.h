/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/native_run.h: bytes of code run by the processor, for comparison with who does the same in its place. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* What an instruction may change, as native_run knows it. */
struct native_state {
    uint64_t regs[16]; /* RSP is not loaded */
    uint64_t flags;    /* 128 */
    uint64_t pad;
    uint8_t xmm1[16], xmm9[16]; /* 144, 160 */
};
_Static_assert(offsetof(struct native_state, xmm9) == 160, "offsets in native_run.c");

/* code ends with RET. */
void native_run(struct native_state *s, const void *code);
