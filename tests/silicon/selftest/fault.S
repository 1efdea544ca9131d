/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/selftest/fault.S: instructions that may fault, and the vectors that catch it.
 *
 * Each returns 0, or the vector: #GP, #PF (with an error code on the stack) and #UD (without) at one of the marked
 * instructions, and at the guarded ones of arch/x86/cpu/insn.S, continue at its end. */
    .text
    .globl try_rdmsr, try_wrmsr, try_vmmcall, try_vmrun, gp_vector, ud_vector
    .hidden try_rdmsr, try_wrmsr, try_vmmcall, try_vmrun, gp_vector, ud_vector

try_rdmsr: /* (msr, *value) */
    mov %edi, %ecx
may_fault_1:
    rdmsr
    mov %eax, (%rsi)
    mov %edx, 4(%rsi)
    xor %eax, %eax
    ret
try_wrmsr: /* (msr, value) */
    mov %edi, %ecx
    mov %esi, %eax
    mov %rsi, %rdx
    shr $32, %rdx
may_fault_2:
    wrmsr
    xor %eax, %eax
    ret
try_vmmcall:
may_fault_3:
    vmmcall
    xor %eax, %eax
    ret
try_vmrun:
    xor %eax, %eax
may_fault_4:
    vmrun
    xor %eax, %eax
    ret
faulted:
    ret

    .globl pf_vector, pf_code
    .hidden pf_vector, pf_code
pf_vector:
    popq pf_code(%rip)
    movl $14, %eax
    jmp fix_up
    .globl df_vector
    .hidden df_vector
df_vector:
    add $8, %rsp
    movl $8, %eax
    jmp fix_up
gp_vector:
    add $8, %rsp
    movl $13, %eax
    jmp fix_up
ud_vector:
    movl $6, %eax
fix_up:
    push %rcx
    .irp site, may_fault_1, may_fault_2, may_fault_3, may_fault_4
    lea \site(%rip), %rcx
    cmp %rcx, 8(%rsp)
    je 1f
    .endr
    push %rdx
    push %rsi
    lea insn_guards(%rip), %rcx
    lea insn_guards_end(%rip), %rdx
3:  cmp %rdx, %rcx
    je 2f
    movslq (%rcx), %rsi
    add %rcx, %rsi
    add $4, %rcx
    cmp %rsi, 24(%rsp)
    jne 3b
    pop %rsi
    pop %rdx
    jmp 1f
2:  hlt /* a fault that nobody asked for: the test runs into its time-out */
    jmp 2b
1:  lea faulted(%rip), %rcx
    mov %rcx, 8(%rsp)
    pop %rcx
    iretq

    .data
    .balign 8
pf_code:
    .quad 0

    .section .note.GNU-stack, "", @progbits
