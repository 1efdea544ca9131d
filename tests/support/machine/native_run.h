/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/native_run.h: bytes of code run by the processor, for comparison with who does the same in its place. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* What an instruction may change, as native_run knows it. */
struct state {
    uint64_t regs[16]; /* RSP is not loaded */
    uint64_t flags;    /* 128 */
    uint64_t pad;
    uint8_t xmm1[16], xmm9[16]; /* 144, 160 */
};
_Static_assert(offsetof(struct state, xmm9) == 160, "offsets below");

/* void native_run(struct state *s, const void *code): code ends with RET. */
void native_run(struct state *s, const void *code);
__asm__(".text\n"
        "native_run:\n"
        "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "push %rdi\n push %rsi\n"
        "movdqu 144(%rdi), %xmm1\n movdqu 160(%rdi), %xmm9\n"
        "mov 0(%rdi), %rax\n mov 8(%rdi), %rcx\n mov 16(%rdi), %rdx\n mov 24(%rdi), %rbx\n mov 40(%rdi), %rbp\n"
        "mov 48(%rdi), %rsi\n mov 64(%rdi), %r8\n mov 72(%rdi), %r9\n mov 80(%rdi), %r10\n mov 88(%rdi), %r11\n"
        "mov 96(%rdi), %r12\n mov 104(%rdi), %r13\n mov 112(%rdi), %r14\n mov 120(%rdi), %r15\n"
        "push 128(%rdi)\n mov 56(%rdi), %rdi\n popfq\n"
        "call *(%rsp)\n"
        "pushfq\n cld\n push %rdi\n mov 24(%rsp), %rdi\n"
        "mov %rax, 0(%rdi)\n mov %rcx, 8(%rdi)\n mov %rdx, 16(%rdi)\n mov %rbx, 24(%rdi)\n mov %rbp, 40(%rdi)\n"
        "mov %rsi, 48(%rdi)\n mov %r8, 64(%rdi)\n mov %r9, 72(%rdi)\n mov %r10, 80(%rdi)\n mov %r11, 88(%rdi)\n"
        "mov %r12, 96(%rdi)\n mov %r13, 104(%rdi)\n mov %r14, 112(%rdi)\n mov %r15, 120(%rdi)\n"
        "pop %rax\n mov %rax, 56(%rdi)\n pop %rax\n mov %rax, 128(%rdi)\n"
        "movdqu %xmm1, 144(%rdi)\n movdqu %xmm9, 160(%rdi)\n"
        "pop %rsi\n pop %rdi\n"
        "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        "ret\n");

static uint64_t random_word(void)
{
    static uint64_t x = 88172645463325252ull;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}
