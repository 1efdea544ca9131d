/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/insn.S: see insn.h. System V calling convention; every function is a leaf that keeps RSP as it was called,
 * so a guarded instruction can be left by a plain RET. */

.macro FUNCTION name
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 16
\name:
.endm

/* In front of an instruction that may fault. */
.macro GUARD
.Lguarded\@:
    .pushsection .rodata.insn_guards, "a", @progbits
    .long .Lguarded\@ - .
    .popsection
.endm

/* One instruction. */
.macro ONE name, instruction:vararg
FUNCTION \name
    \instruction
    ret
.endm

/* From RDI, widened, to where RSI points. */
.macro READ name, move, to
FUNCTION \name
    GUARD
    \move (%rdi), \to
    mov %rax, (%rsi)
    xor %eax, %eax
    ret
.endm

/* To where RDI points. */
.macro WRITE name, from
FUNCTION \name
    GUARD
    mov \from, (%rdi)
    xor %eax, %eax
    ret
.endm

/* From port EDI, widened. */
.macro PORT_READ name, to
FUNCTION \name
    mov %edi, %edx
    xor %eax, %eax
    in %dx, \to
    ret
.endm

.macro PORT_WRITE name, from
FUNCTION \name
    mov %edi, %edx
    mov %esi, %eax
    out \from, %dx
    ret
.endm

.section .rodata.insn_guards, "a", @progbits
    .balign 4
    .globl insn_guards
    .hidden insn_guards
insn_guards:

.text

FUNCTION insn_resume
    ret

FUNCTION insn_rdmsr
    mov %edi, %ecx
    GUARD
    rdmsr
    shl $32, %rdx
    or %rdx, %rax
    mov %rax, (%rsi)
    xor %eax, %eax
    ret

FUNCTION insn_wrmsr
    mov %edi, %ecx
    mov %esi, %eax
    mov %rsi, %rdx
    shr $32, %rdx
    GUARD
    wrmsr
    xor %eax, %eax
    ret

FUNCTION insn_xgetbv
    mov %edi, %ecx
    GUARD
    xgetbv
    shl $32, %rdx
    or %rdx, %rax
    mov %rax, (%rsi)
    xor %eax, %eax
    ret

    READ insn_read8, movzbl, %eax
    READ insn_read16, movzwl, %eax
    READ insn_read32, mov, %eax
    READ insn_read64, mov, %rax
    WRITE insn_write8, %sil
    WRITE insn_write16, %si
    WRITE insn_write32, %esi
    WRITE insn_write64, %rsi

FUNCTION insn_copy
    mov %rdx, %rcx
    GUARD
    rep movsb
    xor %eax, %eax
    ret

FUNCTION insn_cpuid
    push %rbx
    mov %rdx, %r8
    mov %edi, %eax
    mov %esi, %ecx
    cpuid
    mov %eax, (%r8)
    mov %ebx, 4(%r8)
    mov %ecx, 8(%r8)
    mov %edx, 12(%r8)
    pop %rbx
    ret

FUNCTION insn_rdtsc
    lfence
    rdtsc
    shl $32, %rdx
    or %rdx, %rax
    ret

    ONE insn_pause, pause
    ONE insn_wbinvd, wbinvd
    ONE insn_mfence, mfence

FUNCTION insn_halt_forever
    cli
    hlt
    jmp insn_halt_forever

    ONE insn_read_cr0, mov %cr0, %rax
    ONE insn_write_cr0, mov %rdi, %cr0
    ONE insn_write_cr3, mov %rdi, %cr3
    ONE insn_read_cr2, mov %cr2, %rax
    ONE insn_read_cr3, mov %cr3, %rax
    ONE insn_read_cr4, mov %cr4, %rax
    ONE insn_read_cr8, mov %cr8, %rax
    ONE insn_write_cr8, mov %rdi, %cr8
    ONE insn_read_cs, mov %cs, %eax
    ONE insn_read_ss, mov %ss, %eax
    ONE insn_sidt, sidt (%rdi)
    ONE insn_lidt, lidt (%rdi)
    ONE insn_sgdt, sgdt (%rdi)

FUNCTION insn_interrupts_off
    pushfq
    pop %rax
    cli
    ret

    ONE insn_interrupts_on, sti

FUNCTION insn_interrupts_restore
    push %rdi
    popfq
    ret

    PORT_READ port_read8, %al
    PORT_READ port_read16, %ax
    PORT_READ port_read32, %eax
    PORT_WRITE port_write8, %al
    PORT_WRITE port_write16, %ax
    PORT_WRITE port_write32, %eax

.section .rodata.insn_guards, "a", @progbits
    .globl insn_guards_end
    .hidden insn_guards_end
insn_guards_end:

.section .note.GNU-stack, "", @progbits
