/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/page/page.S: core/page in two parts, which the Makefile cuts where the stream goes. */
#define PART(name, file)                                                                                               \
    .globl name, name##_end;                                                                                           \
    .hidden name, name##_end;                                                                                          \
    name : .incbin file;                                                                                               \
    name##_end:

.section .rodata, "a"
PART(page_head, "build/page/head")
PART(page_tail, "build/page/tail")

.section .note.GNU-stack, "", @progbits
