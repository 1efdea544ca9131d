/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/selftest/code.c: lines that are fetched as code, and neither loaded nor stored to, count for the RMID of
 * the processor that runs them. Also where the code was rewritten after it had run. On the boot processor, with the
 * registers of the bdx profile. */
#include "tests/silicon/selftest/selftest.h"

#define CODE_BYTES (1u << 20) /* more than the L2 has */
#define LINE       64u
#define FIRST_RMID 4u

/* JMP rel32 and RET: SDM vol. 2. */
#define JMP       0xE9u
#define JMP_BYTES 5u
#define RET       0xC3u

/* Each `stride` bytes a jump to the next one, and a return at the end. */
static void write_code(UINT8 *at, UINT32 stride)
{
    for (UINT32 i = 0; i < CODE_BYTES; i += stride) {
        at[i] = i + stride < CODE_BYTES ? JMP : RET;
        *(UINT32 *)(at + i + 1) = stride - JMP_BYTES;
    }
}

/* The bytes that it brought into the caches. */
static UINT64 run(const UINT8 *code, UINT32 rmid)
{
    UINT64 before = 0;

    __asm__ volatile("wbinvd" : : : "memory");
    try_rdmsr(IA32_PQR_ASSOC, &before);
    try_wrmsr(IA32_PQR_ASSOC, rmid);
    __asm__ volatile("call *%0" : : "r"(code) : "memory");
    try_wrmsr(IA32_PQR_ASSOC, before);
    return occupancy(rmid);
}

static BOOLEAN near(UINT64 bytes, UINT64 wanted)
{
    return bytes > wanted * 9 / 10 && bytes < wanted * 11 / 10;
}

void check_code(void)
{
    EFI_PHYSICAL_ADDRESS at = 0;
    UINT64 bytes;

    if (EFI_ERROR(st->BootServices->AllocatePages(AllocateAnyPages, EfiLoaderCode, CODE_BYTES / 4096, &at))) {
        check(L"memory-for-code", FALSE, 0);
        return;
    }
    write_code((UINT8 *)at, LINE);
    bytes = run((UINT8 *)at, FIRST_RMID);
    check(L"code-is-fetched", near(bytes, CODE_BYTES), bytes);
    write_code((UINT8 *)at, 2 * LINE);
    bytes = run((UINT8 *)at, FIRST_RMID + 1);
    check(L"rewritten-code-is-fetched", near(bytes, CODE_BYTES / 2), bytes);
    st->BootServices->FreePages(at, CODE_BYTES / 4096);
}
