/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/bench/guest.c: an EFI application whose loops are timed under different machines. tests/bench/guests runs it.
 *
 * Prints "BENCH name ticks" for each case, the median of many short pieces in ticks of the TSC for one access, times
 * 1000, then "BENCH OTHERS n", the processors that worked besides the first, and "BENCH END", and ends the machine by
 * isa-debug-exit. Loops over lines are Assay's own kernels; those of 8 bytes after 8 bytes stand here.
 */
#include <efi.h>

#include "arch/x86/cpu/kernels.h"
#include "efi/processors/efi_mp.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

#define MIB     (1u << 20)
#define PIECE   (256u << 10)
#define SAMPLES 401u

static EFI_SYSTEM_TABLE *st;

static void print(const CHAR16 *text)
{
    st->ConOut->OutputString(st->ConOut, (CHAR16 *)text);
}

static void print_number(UINT64 value)
{
    CHAR16 text[21], *p = text + 20;

    *p = 0;
    do
        *--p = (CHAR16)(L'0' + value % 10);
    while (value /= 10);
    print(p);
}

static uint64_t timestamp(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* One access each 8 bytes. */
static uint64_t words(volatile uint64_t *at, uint64_t n, BOOLEAN store)
{
    uint64_t from = timestamp();

    if (store)
        for (uint64_t i = 0; i < n; i++)
            at[i] = i;
    else
        for (uint64_t i = 0; i < n; i++)
            (void)at[i];
    return timestamp() - from;
}

struct bench_case {
    const CHAR16 *name;
    uint64_t bytes;
    enum work_kind kind; /* WORK_KINDS: words, of `store` */
    BOOLEAN store;
};

static const struct bench_case cases[] = {
    { L"l1-read", 16 << 10, WORK_READ, FALSE },
    { L"l2-read", 128 << 10, WORK_READ, FALSE },
    { L"l3-read", 4 * MIB, WORK_READ, FALSE },
    { L"l3-write", 4 * MIB, WORK_WRITE, FALSE },
    { L"stream-read-lines", 64 * MIB, WORK_READ, FALSE },
    { L"stream-write-lines", 64 * MIB, WORK_WRITE, FALSE },
    { L"stream-nt-write", 64 * MIB, WORK_NT_WRITE, FALSE },
    { L"l1-read-words", 16 << 10, WORK_KINDS, FALSE },
    { L"stream-read-words", 64 * MIB, WORK_KINDS, FALSE },
    { L"stream-write-words", 64 * MIB, WORK_KINDS, TRUE },
};

/* Thousandths of a tick that an access of this piece costs; 0: it could not run. */
static uint64_t cost_of_piece(const struct bench_case *b, uint64_t base, uint64_t bytes)
{
    struct work w = { .kind = b->kind, .passes = (uint32_t)(PIECE / bytes), .base = base, .bytes = bytes };
    uint64_t ticks = 0, accesses = 0;

    if (b->kind != WORK_KINDS)
        return kernel_run(&w) == ST_OK && w.accesses ? (w.tsc_end - w.tsc_begin) * 1000 / w.accesses : 0;
    for (uint32_t p = 0; p < w.passes; p++, accesses += bytes / 8)
        ticks += words((volatile uint64_t *)base, bytes / 8, b->store);
    return accesses ? ticks * 1000 / accesses : 0;
}

/* Each piece is timed by itself, so that most of them run without the host taking the processor away. */
static uint64_t thousandths(const struct bench_case *b, uint64_t base)
{
    static uint64_t sample[SAMPLES];
    uint64_t bytes = b->bytes < PIECE ? b->bytes : PIECE;

    if (bytes < 8)
        return 0;
    for (uint64_t at = 0; at < b->bytes; at += bytes) /* once for warmth */
        (void)cost_of_piece(b, base + at, bytes);
    for (uint64_t n = 0, at = 0; n < SAMPLES; n++, at = (at + bytes) % b->bytes) {
        uint64_t cost = cost_of_piece(b, base + at, bytes), i = n;

        for (; i > 0 && sample[i - 1] > cost; i--)
            sample[i] = sample[i - 1];
        sample[i] = cost;
    }
    return sample[SAMPLES / 2];
}

/* --- all processors at once */

struct concurrent {
    uint64_t base;
    UINTN arrived; /* also which piece is whose */
};

static VOID EFIAPI read_own_piece(VOID *argument)
{
    struct concurrent *c = argument;
    UINTN mine = __atomic_fetch_add(&c->arrived, 1, __ATOMIC_RELAXED);

    for (unsigned pass = 0; pass < 4; pass++)
        (void)words((volatile uint64_t *)(c->base + mine % (64 * MIB / PIECE) * PIECE), PIECE / 8, FALSE);
}

/* Each other processor reads a piece of its own, all at the same time. Says how many did. */
static UINTN run_concurrent(uint64_t base)
{
    EFI_GUID guid = EFI_MP_SERVICES_PROTOCOL_GUID;
    EFI_MP_SERVICES_PROTOCOL *mp = NULL;
    struct concurrent c = { base, 0 };

    if (!EFI_ERROR(st->BootServices->LocateProtocol(&guid, NULL, (VOID **)&mp)))
        (void)mp->StartupAllAPs(mp, read_own_piece, FALSE, NULL, 0, &c, NULL);
    return c.arrived;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_PHYSICAL_ADDRESS base = 0;

    (void)image;
    st = system;
    if (EFI_ERROR(st->BootServices->AllocatePages(AllocateAnyPages, EfiLoaderData, 65 * MIB / 4096, &base)))
        return EFI_OUT_OF_RESOURCES;
    base = (base + MIB - 1) / MIB * MIB;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print(L"BENCH ");
        print(cases[i].name);
        print(L" ");
        print_number(thousandths(&cases[i], base));
        print(L"\r\n");
    }
    print(L"BENCH OTHERS ");
    print_number(run_concurrent(base));
    print(L"\r\nBENCH END\r\n");
    __asm__ volatile("outb %0, $0xF4" : : "a"((uint8_t)1));
    return EFI_SUCCESS;
}
