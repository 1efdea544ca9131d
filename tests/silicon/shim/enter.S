/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/enter.S: into the guest, out of it, and what the host needs of exceptions.
 *
 * The host's only stack slot that lives across VMRUN is (%rsp): the vcpu. VMEXIT brings back the host's RSP and RAX,
 * and RAX was the VMCB's address, which is the vcpu's. The global interrupt flag is clear whenever the host runs, so
 * nothing interrupts it; its IF is set at VMRUN, so that a device's interrupt leaves a guest for which V_INTR_MASKING is
 * on. FS, GS, TR and LDTR, x87, XMM and YMM registers are not switched by VMRUN and VMEXIT; the host uses none of them, so
 * the guest's simply stay (no VMLOAD, VMSAVE, FXSAVE or FXRSTOR).
 */
#include "tests/silicon/shim/vcpu.h"

    .text

/* void vcpu_enter_guest(struct vcpu *v, const struct host_tables *tables)
 * The VMCB is filled but for RSP, RIP, RFLAGS. The guest starts at the end of this function, on the caller's stack; the
 * host continues with tables and a stack of its own. Segment registers keep firmware's selectors, which its GDT knows. */
    .globl vcpu_enter_guest
    .hidden vcpu_enter_guest
vcpu_enter_guest:
    pushfq
    cli
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, VMCB_RSP(%rdi)
    lea guest_starts(%rip), %rax
    mov %rax, VMCB_RIP(%rdi)
    movq $2, VMCB_RFLAGS(%rdi)
    clgi
    lgdt (%rsi)
    lidt HOST_IDT(%rsi)
    mov HOST_CR3(%rsi), %rax
    mov %rax, %cr3
    lea VCPU_STACK_TOP(%rdi), %rsp
    sub $16, %rsp
    mov %rdi, (%rsp)
    call vcpu_prepared

run_guest:
    sti /* not right before VMRUN: its shadow would be the guest's, whose first instruction QEMU then counts otherwise */
    mov (%rsp), %rax
    mov VCPU_REGS+0x08(%rax), %rcx
    mov VCPU_REGS+0x10(%rax), %rdx
    mov VCPU_REGS+0x18(%rax), %rbx
    mov VCPU_REGS+0x28(%rax), %rbp
    mov VCPU_REGS+0x30(%rax), %rsi
    mov VCPU_REGS+0x38(%rax), %rdi
    mov VCPU_REGS+0x40(%rax), %r8
    mov VCPU_REGS+0x48(%rax), %r9
    mov VCPU_REGS+0x50(%rax), %r10
    mov VCPU_REGS+0x58(%rax), %r11
    mov VCPU_REGS+0x60(%rax), %r12
    mov VCPU_REGS+0x68(%rax), %r13
    mov VCPU_REGS+0x70(%rax), %r14
    mov VCPU_REGS+0x78(%rax), %r15
    vmrun
    mov %rcx, VCPU_REGS+0x08(%rax)
    mov %rdx, VCPU_REGS+0x10(%rax)
    mov %rbx, VCPU_REGS+0x18(%rax)
    mov %rbp, VCPU_REGS+0x28(%rax)
    mov %rsi, VCPU_REGS+0x30(%rax)
    mov %rdi, VCPU_REGS+0x38(%rax)
    mov %r8, VCPU_REGS+0x40(%rax)
    mov %r9, VCPU_REGS+0x48(%rax)
    mov %r10, VCPU_REGS+0x50(%rax)
    mov %r11, VCPU_REGS+0x58(%rax)
    mov %r12, VCPU_REGS+0x60(%rax)
    mov %r13, VCPU_REGS+0x68(%rax)
    mov %r14, VCPU_REGS+0x70(%rax)
    mov %r15, VCPU_REGS+0x78(%rax)
    mov %rax, %rdi
    cld
    call vcpu_exit
    test %eax, %eax
    jz run_guest

    /* Leave: become what the guest is, and return from vcpu_leave_guest() in its place. CR4 before CR0 and CR3, since
     * the guest may run with bits there that its tables need. */
    mov (%rsp), %rax
    mov VMCB_CR4(%rax), %rdx
    mov %rdx, %cr4
    mov VMCB_CR3(%rax), %rdx
    mov %rdx, %cr3
    mov VMCB_CR0(%rax), %rdx
    mov %rdx, %cr0
    lgdt VCPU_GUEST_GDT(%rax)
    lidt VCPU_GUEST_IDT(%rax)
    mov VCPU_REGS+0x18(%rax), %rbx
    mov VCPU_REGS+0x28(%rax), %rbp
    mov VCPU_REGS+0x60(%rax), %r12
    mov VCPU_REGS+0x68(%rax), %r13
    mov VCPU_REGS+0x70(%rax), %r14
    mov VCPU_REGS+0x78(%rax), %r15
    mov VMCB_RSP(%rax), %rsp
    pushq VMCB_RFLAGS(%rax)
    cli
    stgi
    popfq
    ret

/* From the trampoline, with interrupts off, on the vcpu's stack: (%rsp) = %rdi = the vcpu. Does not return. */
    .globl vcpu_start_guest
    .hidden vcpu_start_guest
vcpu_start_guest:
    call vcpu_started
    clgi
    jmp run_guest

guest_starts:
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    popfq
    ret

/* void vcpu_leave_guest(void): a VMMCALL that the host knows; see vcpu_exit(). */
    .globl vcpu_leave_guest
    .hidden vcpu_leave_guest
vcpu_leave_guest:
    vmmcall
    ud2

/* void vcpu_device_begins(void), void vcpu_device_ends(uint64_t bytes): called in the guest, for the host. */
    .globl vcpu_device_begins
    .hidden vcpu_device_begins
vcpu_device_begins:
    vmmcall
    ret
    .globl vcpu_device_ends
    .hidden vcpu_device_ends
vcpu_device_ends:
    vmmcall
    ret

/* int native_rdmsr(uint32_t msr, uint64_t *value), int native_wrmsr(uint32_t msr, uint64_t value): 0, or 1 on #GP. */
    .globl native_rdmsr
    .hidden native_rdmsr
native_rdmsr:
    mov %edi, %ecx
rdmsr_may_fault:
    rdmsr
    mov %eax, (%rsi)
    mov %edx, 4(%rsi)
    xor %eax, %eax
    ret
    .globl native_wrmsr
    .hidden native_wrmsr
native_wrmsr:
    mov %edi, %ecx
    mov %esi, %eax
    mov %rsi, %rdx
    shr $32, %rdx
wrmsr_may_fault:
    wrmsr
    xor %eax, %eax
    ret
msr_faulted:
    mov $1, %eax
    ret

/* The host's #GP: error code, RIP, CS, RFLAGS, RSP, SS are on the stack. */
    .globl host_gp
    .hidden host_gp
host_gp:
    push %rax
    lea rdmsr_may_fault(%rip), %rax
    cmp %rax, 16(%rsp)
    je 1f
    lea wrmsr_may_fault(%rip), %rax
    cmp %rax, 16(%rsp)
    jne 2f
1:  lea msr_faulted(%rip), %rax
    mov %rax, 16(%rsp)
    pop %rax
    add $8, %rsp
    iretq
2:  pop %rax
    push $13
    jmp host_fault

/* uint32_t host_interrupt(void): takes a device's interrupt that is pending: its vector; 0: none is. Its end is for the
 * caller, or the guest, to signal. */
    .globl host_interrupt
    .hidden host_interrupt
host_interrupt:
    movl $0, interrupt_vector(%rip)
    stgi
    sti
    nop
    cli
    clgi
    mov interrupt_vector(%rip), %eax
    ret

/* The vectors from 32 on, HOST_STUB bytes apart. */
    .balign HOST_STUB
    .globl host_interrupts
    .hidden host_interrupts
host_interrupts:
    .set vector, 32
    .rept 224
    .balign HOST_STUB
    push $vector
    jmp host_interrupted
    .set vector, vector + 1
    .endr
host_interrupted:
    push %rax
    mov 8(%rsp), %rax
    mov %eax, interrupt_vector(%rip)
    pop %rax
    add $8, %rsp
    iretq

/* Any other exception in the host is a defect of the shim. One stub a vector, HOST_STUB bytes apart; on the stack are the
 * vector, the error code where there is one, RIP. */
    .balign HOST_STUB
    .globl host_stubs
    .hidden host_stubs
host_stubs:
    .set vector, 0
    .rept 32
    .balign HOST_STUB
    push $vector
    jmp host_fault
    .set vector, vector + 1
    .endr
host_fault:
    mov (%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    and $-16, %rsp
    call host_faulted
    ud2

    .data
    .balign 4
interrupt_vector:
    .long 0

    .section .note.GNU-stack, "", @progbits
