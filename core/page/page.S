/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/page/page.S: core/page in parts, which the Makefile cuts where the stream and the packed script go. */
#define PART(name, file)                                                                                               \
    .globl name, name##_end;                                                                                           \
    .hidden name, name##_end;                                                                                          \
    name : .incbin file;                                                                                               \
    name##_end:

.section .rodata, "a"
PART(page_head, "build/page/head")
PART(page_middle, "build/page/middle")
PART(page_script, "build/page/script.gz")
PART(page_tail, "build/page/tail")

.section .note.GNU-stack, "", @progbits
