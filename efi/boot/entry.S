/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/entry.S: where firmware enters the image, and where it gets the processor back as it was. */
#include "efi/processors/sse_state.h"

.text

/* EFI_STATUS EFIAPI image_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *system). GNU-EFI's _start relocates the image and calls
 * efi_main(), but keeps neither RSI and RDI nor XMM6 to XMM15, which are the caller's by Microsoft's convention. */
    .globl image_entry
    .hidden image_entry
    .type image_entry, @function
    .balign 16
image_entry:
    push %rbp
    mov %rsp, %rbp
    push %rsi
    push %rdi
    and $~15, %rsp
    sub $SSE_STATE_SIZE, %rsp
    mov %rdx, %rsi
    sse_save
    mov %rsi, %rdx
    call _start
    sse_restore
    mov -8(%rbp), %rsi
    mov -16(%rbp), %rdi
    leave
    ret

.section .note.GNU-stack, "", @progbits
