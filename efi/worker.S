/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/worker.S: from the stack that firmware gives a processor to one of our own, and back. */

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
    sub $160, %rsp
    movaps %xmm6, (%rsp)
    movaps %xmm7, 16(%rsp)
    movaps %xmm8, 32(%rsp)
    movaps %xmm9, 48(%rsp)
    movaps %xmm10, 64(%rsp)
    movaps %xmm11, 80(%rsp)
    movaps %xmm12, 96(%rsp)
    movaps %xmm13, 112(%rsp)
    movaps %xmm14, 128(%rsp)
    movaps %xmm15, 144(%rsp)
    cld
    mov %rcx, %rdi
    call worker_main
    movaps (%rsp), %xmm6
    movaps 16(%rsp), %xmm7
    movaps 32(%rsp), %xmm8
    movaps 48(%rsp), %xmm9
    movaps 64(%rsp), %xmm10
    movaps 80(%rsp), %xmm11
    movaps 96(%rsp), %xmm12
    movaps 112(%rsp), %xmm13
    movaps 128(%rsp), %xmm14
    movaps 144(%rsp), %xmm15
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
