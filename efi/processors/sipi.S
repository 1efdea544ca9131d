/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/sipi.S: from real mode to worker_main(). Copied to a page below 1 MiB, whose number is the SIPI vector: CS has the
 * page's address as its base and IP is 0. Everything in real mode is addressed relative to that page. */

#define WORKER_STACK 20480
#define EFER         0xC0000080

.section .text.sipi, "ax", @progbits
    .globl sipi_code, sipi_code_end, sipi_data
    .hidden sipi_code, sipi_code_end, sipi_data

    .balign 16
    .code16
sipi_code:
    cli
    cld
    mov %cs, %ax
    mov %ax, %ds
    /* All at once into long mode: PAE, the boot processor's page tables, EFER.LME, then protection and paging together.
     * SDM vol. 3A 9.8.5 goes by way of protected mode; APM vol. 2 14.6 names the transition as such, and both kinds of
     * processor do it. CR0 without CD and NW, which INIT set. */
    movl (cr4_early - sipi_code), %eax
    movl %eax, %cr4
    movl (cr3 - sipi_code), %eax
    movl %eax, %cr3
    movl $EFER, %ecx
    movl (efer - sipi_code), %eax
    xorl %edx, %edx
    wrmsr
    lgdtl (gdtr_early - sipi_code)
    movl $0x80000011, %eax
    movl %eax, %cr0
    ljmpl *(far_target - sipi_code)

    .code64
    .globl sipi_long
    .hidden sipi_long
sipi_long:
    mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    lea sipi_code(%rip), %rbx
    mov (cr4 - sipi_code)(%rbx), %rax
    mov %rax, %cr4
    mov (cr0 - sipi_code)(%rbx), %rax
    mov %rax, %cr0
    lidt (idtr - sipi_code)(%rbx)
    fninit
    ldmxcsr (mxcsr - sipi_code)(%rbx)
    /* A stack by order of arrival, as efi/processors/worker.S takes one. */
    mov (argument - sipi_code)(%rbx), %rdi
    mov $1, %eax
    lock xadd %eax, 12(%rdi)
    cmp 8(%rdi), %eax
    jae 1f
    inc %eax
    imul $WORKER_STACK, %rax, %rax
    add (%rdi), %rax
    mov %rax, %rsp
    /* The boot processor's segments, which the gates' selectors mean. */
    lgdt (gdtr - sipi_code)(%rbx)
    movzwl (ss - sipi_code)(%rbx), %eax
    mov %eax, %ss
    mov %eax, %ds
    mov %eax, %es
    xor %eax, %eax
    mov %eax, %fs
    mov %eax, %gs
    movzwl (cs - sipi_code)(%rbx), %eax
    push %rax
    push (entry - sipi_code)(%rbx)
    lretq
1:  cli
    hlt
    jmp 1b

    .balign 8
sipi_data:                          /* struct sipi_data of efi/processors/sipi.c */
cr3:        .quad 0
cr4:        .quad 0
cr0:        .quad 0
argument:   .quad 0
entry:      .quad 0
cr4_early:  .long 0
efer:       .long 0
mxcsr:      .long 0
far_target: .long 0
            .word 8
cs:         .word 0
ss:         .word 0
gdtr:       .word 0
            .quad 0
idtr:       .word 0
            .quad 0
gdtr_early: .word 23
            .long 0
            .balign 8
gdt_early:  .quad 0
            .quad 0x00AF9B000000FFFF    /* 08: 64-bit code */
            .quad 0x00CF93000000FFFF    /* 10: data        */
sipi_code_end:

/* Where the trampoline arrives, in the image: RDI is struct processors, and there is no caller to return to. */
.text
    .globl sipi_arrived
    .hidden sipi_arrived
    .balign 16
sipi_arrived:
    call worker_main
    jmp insn_halt_forever

.section .note.GNU-stack, "", @progbits
