/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/stack.h: several stacks on one processor. System V calling convention. */
#pragma once
#include <stddef.h>

/* Where a stack that was left continues. */
struct stack_place {
    void *rsp; /* what a callee must keep is there */
};

/* A stack in memory[bytes] that begins in enter(context) when it is first switched to. enter() must not return. */
void stack_prepare(struct stack_place *place, void *memory, size_t bytes, void (*enter)(void *context), void *context);
/* Leaves the present stack, which continues here when *from is switched to, and continues at *to. */
void stack_switch(struct stack_place *from, const struct stack_place *to) __attribute__((visibility("hidden")));
