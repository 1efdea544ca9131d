/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/selftest/fault.S: instructions that may fault, and the vectors that catch it.
 *
 * Each returns 0, or the vector: #GP (with an error code on the stack) and #UD (without) at one of the marked
 * instructions continue at its end. */
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

/* As shim/functions.h replaces them. */
    .globl read_tsc, read_msr, write_msr, read_port, read_32, read_64, write_32, write_64
    .hidden read_tsc, read_msr, write_msr, read_port, read_32, read_64, write_32, write_64
    .balign 16
read_tsc:
    lfence
    rdtsc
    shl $32, %rdx
    or %rdx, %rax
    ret
    .balign 16
read_msr: /* (msr, *value) */
    mov %edi, %ecx
may_fault_5:
    rdmsr
    shl $32, %rdx
    or %rdx, %rax
    mov %rax, (%rsi)
    xor %eax, %eax
    ret
    .balign 16
write_msr: /* (msr, value) */
    mov %edi, %ecx
    mov %esi, %eax
    mov %rsi, %rdx
    shr $32, %rdx
may_fault_6:
    wrmsr
    xor %eax, %eax
    ret

    .balign 16
read_port: /* (port) */
    mov %edi, %edx
    xor %eax, %eax
    in %dx, %eax
    ret
    .balign 16
read_32: /* (address, *value) */
may_fault_7:
    mov (%rdi), %eax
    mov %rax, (%rsi)
    xor %eax, %eax
    ret
    .balign 16
read_64:
may_fault_8:
    mov (%rdi), %rax
    mov %rax, (%rsi)
    xor %eax, %eax
    ret
    .balign 16
write_32: /* (address, value) */
may_fault_9:
    mov %esi, (%rdi)
    xor %eax, %eax
    ret
    .balign 16
write_64:
may_fault_10:
    mov %rsi, (%rdi)
    xor %eax, %eax
    ret

    .globl pf_vector, pf_code
    .hidden pf_vector, pf_code
pf_vector:
    popq pf_code(%rip)
    movl $14, %eax
    jmp fix_up
gp_vector:
    add $8, %rsp
    movl $13, %eax
    jmp fix_up
ud_vector:
    movl $6, %eax
fix_up:
    push %rcx
    .irp site, may_fault_1, may_fault_2, may_fault_3, may_fault_4, may_fault_5, may_fault_6, may_fault_7, may_fault_8, \
          may_fault_9, may_fault_10
    lea \site(%rip), %rcx
    cmp %rcx, 8(%rsp)
    je 1f
    .endr
2:  hlt /* a fault that nobody asked for: the test runs into its time-out */
    jmp 2b
1:  lea faulted(%rip), %rcx
    mov %rcx, 8(%rsp)
    pop %rcx
    iretq

/* For a page below 1 MiB, entered by a SIPI in real mode: asks the silicon, and leaves the answers behind itself. */
    .section .rodata, "a"
    .globl sipi_begin, sipi_end, sipi_answers
    .hidden sipi_begin, sipi_end, sipi_answers
    .code16
sipi_begin:
    cli
    mov %cs, %ax
    mov %ax, %ds
    mov $0xF, %eax
    mov $1, %ecx
    cpuid
    mov %edx, sipi_answers - sipi_begin         /* leaf 0FH.1: events */
    mov $0xC8F, %ecx
    mov $5, %eax
    xor %edx, %edx
    wrmsr
    xor %eax, %eax
    rdmsr
    mov %eax, sipi_answers - sipi_begin + 4     /* IA32_PQR_ASSOC */
    xor %eax, %eax
    xor %edx, %edx
    wrmsr
    mov %cs, %ax
    mov %ax, sipi_answers - sipi_begin + 8      /* not 0: done */
1:  hlt
    jmp 1b
    .balign 4
sipi_answers:
    .long 0, 0, 0
sipi_end:

    .data
    .balign 8
pf_code:
    .quad 0

    .section .note.GNU-stack, "", @progbits
