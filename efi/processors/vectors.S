/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/vectors.S: the entries of vectors 0 to 31, and the calls that an exception may end. */

.text

/* Each entry brings the stack into one shape: a zero where the processor pushes no error code, then the vector. */
.macro ENTRY vector has_error
    .balign 16
vector_\vector:
    .if \has_error == 0
    push $0
    .endif
    push $\vector
    jmp common
.endm

    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 9, 15, 16, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28, 31
    ENTRY \n 0
    .endr
    /* SDM vol. 3A table 6-1 (8, 10-14, 17, 21); APM vol. 2 8.2 (29 #VC, 30 #SX). */
    .irp n, 8, 10, 11, 12, 13, 14, 17, 21, 29, 30
    ENTRY \n 1
    .endr

/* Interrupts of the local APIC that efi/processors/pmi.c takes: no error code; numbers of ours, whatever gate they stand in. */
    .globl vector_pmi, vector_spurious
    .hidden vector_pmi, vector_spurious
    .balign 16
vector_pmi:
    push $0
    push $256 /* VECTOR_PMI */
    jmp common
    .balign 16
vector_spurious:
    push $0
    push $257 /* VECTOR_SPURIOUS */
    jmp common

.section .rodata
    .balign 4
    .globl vector_entries   /* 32 offsets, each relative to its own place */
    .hidden vector_entries
vector_entries:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    .long vector_\n - .
    .endr
.text

/* Vectors whose hardware frame carries an error code, one bit each. */
#define WITH_ERROR ((1 << 8) | (0x1F << 10) | (1 << 17) | (1 << 21) | (1 << 29) | (1 << 30))

    .balign 16
common:
    .irp r, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
    push %\r
    .endr
    cld
    mov %rsp, %rdi                  /* struct trap_frame */
    mov %rsp, %rbx
    sub $272, %rsp
    and $-16, %rsp
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps %xmm\n, 16 * \n(%rsp)    /* C code may use these, and the interrupted code did; of x87 it uses nothing */
    .endr
    sidt 256(%rsp)
    mov 258(%rsp), %rsi             /* struct vectors: the table is its first member */
    call vectors_dispatch
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps 16 * \n(%rsp), %xmm\n
    .endr
    mov %rbx, %rsp
    test %rax, %rax
    jnz chain
    .irp r, r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax
    pop %\r
    .endr
    add $16, %rsp
    iretq

/* To firmware's handler at RAX, with the stack as the processor left it: the address takes the place of the vector
 * (an error code lies above it) or of the zero. */
chain:
    mov 15 * 8(%rsp), %ecx
    mov $WITH_ERROR, %edx
    bt %ecx, %edx
    jc 1f
    mov %rax, 16 * 8(%rsp)
1:  mov %rax, 15 * 8(%rsp)
    .irp r, r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi
    pop %\r
    .endr
    jc 2f                           /* POP and MOV leave the carry alone */
    pop %rdx
    pop %rcx
    pop %rbx
    pop %rax
    lea 8(%rsp), %rsp               /* off the vector; RET takes the zero's place */
    ret
2:  pop %rdx
    pop %rcx
    pop %rbx
    pop %rax
    ret

/* void worker_sleep(const uint64_t *posted, uint64_t seen, uint32_t mwait_hint). An NMI between worker_sleep and
 * worker_awake continues at worker_awake, so that none can come too early to end the HLT or MWAIT. */
    .globl worker_sleep, worker_awake
    .hidden worker_sleep, worker_awake
    .balign 16
worker_sleep:
    mov %edx, %r8d
    cmp $-1, %r8d                   /* WORKER_HLT */
    je 1f
    mov %rdi, %rax
    xor %ecx, %ecx                  /* no extensions */
    xor %edx, %edx
    monitor
    cmp %rsi, (%rdi)
    jne worker_awake
    mov %r8d, %eax
    mwait
    jmp worker_awake
1:  cmp %rsi, (%rdi)
    jne worker_awake
    hlt
worker_awake:
    ret

/* uint64_t catch_call(struct catcher *c, void (*function)(void *), void *argument) */
    .globl catch_call
    .hidden catch_call
    .balign 16
catch_call:
    .irp r, rbp, rbx, r12, r13, r14, r15, rdi
    push %\r
    .endr
    pushfq
    pop 8(%rdi)
    mov %rsp, (%rdi)
    movq $1, 16(%rdi)
    mov %rdx, %rdi
    call *%rsi
    xor %eax, %eax
    /* An exception resumes here, with RSP from the catcher and its status in RAX. */
    .globl catch_resume
    .hidden catch_resume
catch_resume:
    pop %rdi
    movq $0, 16(%rdi)
    .irp r, r15, r14, r13, r12, rbx, rbp
    pop %\r
    .endr
    ret

/* void catch_jump(struct catcher *c, uint64_t status): RAX of that catch_call. */
    .globl catch_jump
    .hidden catch_jump
    .balign 16
catch_jump:
    mov %rsi, %rax
    mov (%rdi), %rsp
    push 8(%rdi)
    popfq
    jmp catch_resume

.section .note.GNU-stack, "", @progbits
