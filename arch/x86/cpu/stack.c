/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/stack.h"

#include <stdint.h>

/* What stack_switch() takes from a stack, in the order of its POPs. MXCSR and the x87 control word are the same on all
 * stacks: nothing in Assay changes them. */
struct stack_frame {
    uint64_t r15, r14, r13, r12, rbx, rbp;
    void (*go_on)(void);
};

/* Calls R12 with R13. */
void stack_enter(void) __attribute__((visibility("hidden")));

__asm__(".pushsection .text\n"
        "    .globl stack_switch\n"
        "    .hidden stack_switch\n"
        "    .type stack_switch, @function\n"
        "stack_switch:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov (%rsi), %rsp\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        "    .globl stack_enter\n"
        "    .hidden stack_enter\n"
        "    .type stack_enter, @function\n"
        "stack_enter:\n"
        "    mov %r13, %rdi\n"
        "    call *%r12\n"
        "    ud2\n"
        ".popsection\n");

void stack_prepare(struct stack_place *place, void *memory, size_t bytes, void (*enter)(void *context), void *context)
{
    uintptr_t top = ((uintptr_t)memory + bytes) & ~(uintptr_t)15; /* RSP at stack_enter(): its CALL wants it aligned */
    struct stack_frame *frame = (struct stack_frame *)(top - sizeof *frame);

    *frame = (struct stack_frame){ .r12 = (uintptr_t)enter, .r13 = (uintptr_t)context, .go_on = stack_enter };
    place->rsp = frame;
}
