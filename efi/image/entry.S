/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/image/entry.S: where firmware enters the image, and where it gets the processor back as it was. */
#include "efi/processors/sse_state.h"

.text

/* EFI_STATUS EFIAPI image_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *system): efi_main() by the convention of System V, under
 * which RSI, RDI and XMM6 to XMM15 are not kept; they are the caller's by Microsoft's. */
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
    mov %rcx, %rdi
    mov %rdx, %rsi
    sse_save
    push %rdi
    push %rsi
    call packed_expand
    pop %rsi
    pop %rdi
    test %al, %al
    jz damaged
    call efi_main
returned:
    sse_restore
    mov -8(%rbp), %rsi
    mov -16(%rbp), %rdi
    leave
    ret
damaged:
    movabs $0x8000000000000001, %rax /* EFI_LOAD_ERROR: there is no text yet to say more with */
    jmp returned

.section .note.GNU-stack, "", @progbits
