/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/worker.S: from the stack that firmware gives a processor to one of our own, and back. */
#include "efi/processors/sse_state.h"

/* struct processors */
#define STACKS       0
#define N_STACKS     8
#define STACKS_TAKEN 12
#define WORKER_STACK 20480

.text

/* void EFIAPI worker_entry(struct processors *ps). Firmware's stack may have 4 KiB, most of it used: nine words of it
 * are taken. The stacks go by order of arrival; which worker this is, worker_main() finds out. Microsoft's convention:
 * RBX, RBP, RSI, RDI, R12 to R15 and XMM6 to XMM15 are the caller's. */
    .globl worker_entry
    .hidden worker_entry
    .type worker_entry, @function
    .balign 16
worker_entry:
    push %rbx
    push %rbp
    push %rsi
    push %rdi
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, %rbx
    mov $1, %eax
    lock xadd %eax, STACKS_TAKEN(%rcx)
    cmp N_STACKS(%rcx), %eax
    jae 1f                          /* more processors than were announced: straight back */
    inc %eax
    imul $WORKER_STACK, %rax, %rax
    add STACKS(%rcx), %rax
    mov %rax, %rsp
    sub $SSE_STATE_SIZE, %rsp
    sse_save
    cld
    mov %rcx, %rdi
    call worker_main
    sse_restore
1:  mov %rbx, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rdi
    pop %rsi
    pop %rbp
    pop %rbx
    ret

.section .note.GNU-stack, "", @progbits
