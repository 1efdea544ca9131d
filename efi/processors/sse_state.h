/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/sse_state.h: SSE as compiled code needs it, whatever firmware left, and firmware's state again. Assembly only.
 *
 * UEFI 2.10, 2.3.4 "x64 Platforms" wants SSE enabled at the entry of an image; U-Boot leaves CR4.OSFXSR clear, and the
 * first SSE instruction raises #UD before there are vectors. SDM vol. 3A 14.1 "Providing operating system support for SSE
 * extensions": CR0.EM = 0, CR0.MP = 1, CR4.OSFXSR = 1, CR4.OSXMMEXCPT = 1; TS set would raise #NM.
 */
/* clang-format off */
#define CR0_MP         0x2
#define CR0_EM         0x4
#define CR0_TS         0x8
#define CR4_SSE        0x600 /* OSFXSR, bit 9; OSXMMEXCPT, bit 10 */
#define SSE_STATE_SIZE 192   /* CR0, CR4, MXCSR, padding, XMM6 to XMM15: a multiple of 16 */

/* From RSP on, 16-byte aligned, SSE_STATE_SIZE bytes. XMM6 to XMM15 are the caller's by Microsoft's convention. A register
 * that is as it should be is not written. Clobbers RAX, RDX. */
.macro sse_save
    mov %cr0, %rax
    mov %rax, (%rsp)
    mov %rax, %rdx
    and $~(CR0_EM | CR0_TS), %rdx
    or $CR0_MP, %rdx
    cmp %rax, %rdx
    je 71f
    mov %rdx, %cr0
71: mov %cr4, %rax
    mov %rax, 8(%rsp)
    mov %rax, %rdx
    or $CR4_SSE, %rdx
    cmp %rax, %rdx
    je 72f
    mov %rdx, %cr4
72: stmxcsr 16(%rsp)
    movl $0x1F80, 20(%rsp)  /* its value after a reset: all exceptions masked (SDM vol. 1 10.2.3) */
    ldmxcsr 20(%rsp)
    movaps %xmm6, 32(%rsp)
    movaps %xmm7, 48(%rsp)
    movaps %xmm8, 64(%rsp)
    movaps %xmm9, 80(%rsp)
    movaps %xmm10, 96(%rsp)
    movaps %xmm11, 112(%rsp)
    movaps %xmm12, 128(%rsp)
    movaps %xmm13, 144(%rsp)
    movaps %xmm14, 160(%rsp)
    movaps %xmm15, 176(%rsp)
.endm

/* The same RSP. Clobbers RDX, RCX; RAX, the result, stays. */
.macro sse_restore
    movaps 32(%rsp), %xmm6
    movaps 48(%rsp), %xmm7
    movaps 64(%rsp), %xmm8
    movaps 80(%rsp), %xmm9
    movaps 96(%rsp), %xmm10
    movaps 112(%rsp), %xmm11
    movaps 128(%rsp), %xmm12
    movaps 144(%rsp), %xmm13
    movaps 160(%rsp), %xmm14
    movaps 176(%rsp), %xmm15
    ldmxcsr 16(%rsp)
    mov 8(%rsp), %rdx
    mov %cr4, %rcx
    cmp %rcx, %rdx
    je 73f
    mov %rdx, %cr4
73: mov (%rsp), %rdx
    mov %cr0, %rcx
    cmp %rcx, %rdx
    je 74f
    mov %rdx, %cr0
74:
.endm
