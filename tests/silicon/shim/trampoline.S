/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/trampoline.S: where every other processor starts, whoever sends the SIPI.
 *
 * Copied to a page below 1 MiB. Takes a processor from reset state to 64-bit mode on the shim's tables and on the stack
 * of its vcpu. FS, GS, TR and LDTR keep their reset values, for the guest is to find them so. No memory is written, so
 * any number of processors may pass at once.
 *
 * Fields marked "filled" are written by startup.c. SDM vol. 3A 9.8.5 "Initializing IA-32e Mode".
 */
#include "tests/silicon/shim/vcpu.h"

#define AT(label) (label - trampoline_begin)

    .section .rodata, "a"
    .balign 16
    .globl trampoline_begin, trampoline_end, trampoline_gdtr, trampoline_cr3, trampoline_jump, trampoline_ss
    .globl trampoline_vcpus, trampoline_known, trampoline_unknown, trampoline_long
    .hidden trampoline_begin, trampoline_end, trampoline_gdtr, trampoline_cr3, trampoline_jump, trampoline_ss
    .hidden trampoline_vcpus, trampoline_known, trampoline_unknown, trampoline_long

    .code16
trampoline_begin:
    cli
    mov %cs, %ax
    mov %ax, %ds
    lgdtl AT(trampoline_gdtr)
    mov $0x660, %eax               /* CR4: PAE, MCE, OSFXSR, OSXMMEXCPT */
    mov %eax, %cr4
    mov AT(trampoline_cr3), %eax
    mov %eax, %cr3
    mov $0xC0000080, %ecx          /* EFER: LME, NXE */
    xor %edx, %edx
    mov $0x900, %eax
    wrmsr
    mov $0x80010033, %eax          /* CR0: PG, WP, NE, ET, MP, PE */
    mov %eax, %cr0
    ljmpl *AT(trampoline_jump)

    .code64
trampoline_long:
    mov trampoline_ss(%rip), %eax
    mov %eax, %ss
    mov %eax, %ds
    mov %eax, %es
    mov $1, %eax
    cpuid
    shr $24, %ebx                  /* the APIC id */
    mov trampoline_vcpus(%rip), %rax
    mov (%rax, %rbx, 8), %rdi
    test %rdi, %rdi
    jz 1f
    lea VCPU_STACK_TOP-16(%rdi), %rsp
    mov %rdi, (%rsp)
    jmp *trampoline_known(%rip)
1:  mov %ebx, %edi
    lea trampoline_begin+0xFF8(%rip), %rsp
    jmp *trampoline_unknown(%rip)

    .balign 8
trampoline_gdtr:    .word 0        /* filled: limit and base */
                    .long 0
                    .balign 8
trampoline_cr3:     .long 0        /* filled */
trampoline_ss:      .long 0        /* filled */
trampoline_jump:    .long 0        /* filled: trampoline_long in the copy */
                    .word 0        /* filled: CS */
                    .balign 8
trampoline_vcpus:   .quad 0        /* filled: struct vcpu *[CHANNEL_SLOTS] */
trampoline_known:   .quad 0        /* filled: continues with (%rsp), %rdi = the vcpu */
trampoline_unknown: .quad 0        /* filled: continues with %edi = an APIC id that no vcpu is for */
trampoline_end:

    .section .note.GNU-stack, "", @progbits
