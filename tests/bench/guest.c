/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/bench/guest.c: an EFI application whose loops are timed under different machines. tests/bench/guests runs it.
 *
 * Each case is a fixed number of accesses. Prints "BENCH name" when it begins and "BENCH name n" after n accesses, to the
 * first serial port: who reads that measures the time, since a guest's clock may be the model's. Then "BENCH OTHERS n",
 * the processors that worked besides the first, and "BENCH END", and ends the machine by isa-debug-exit. Loops over
 * lines are Assay's own kernels; those of 8 bytes after 8 bytes stand here.
 */
#include <efi.h>

#include "arch/x86/cpu/kernels.h"
#include "efi/processors/efi_mp.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

#define MIB      (1u << 20)
#define PIECE    (256u << 10)
#define ACCESSES (16 * MIB) /* of a case, about: whole passes */

#define COM1          0x3F8u
#define COM1_STATUS   (COM1 + 5)
#define COM1_MAY_SEND 0x20u

static EFI_SYSTEM_TABLE *st;

static uint8_t line_status(void)
{
    uint8_t status;

    __asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"((uint16_t)COM1_STATUS));
    return status;
}

static void put(char c)
{
    while (!(line_status() & COM1_MAY_SEND)) {
    }
    __asm__ volatile("outb %0, %1" : : "a"(c), "Nd"((uint16_t)COM1));
}

static void print(const char *text)
{
    while (*text)
        put(*text++);
}

static void print_number(uint64_t value)
{
    char text[21], *p = text + 20;

    *p = 0;
    do
        *--p = (char)('0' + value % 10);
    while (value /= 10);
    print(p);
}

/* One access each 8 bytes. */
static void words(volatile uint64_t *at, uint64_t n, BOOLEAN store)
{
    if (store)
        for (uint64_t i = 0; i < n; i++)
            at[i] = i;
    else
        for (uint64_t i = 0; i < n; i++)
            (void)at[i];
}

struct bench_case {
    const char *name;
    uint64_t bytes;
    enum work_kind kind; /* WORK_KINDS: words, of `store` */
    BOOLEAN store;
};

static const struct bench_case cases[] = {
    { "l1-read", 16 << 10, WORK_READ, FALSE },
    { "l2-read", 128 << 10, WORK_READ, FALSE },
    { "l3-read", 4 * MIB, WORK_READ, FALSE },
    { "l3-write", 4 * MIB, WORK_WRITE, FALSE },
    { "stream-read-lines", 64 * MIB, WORK_READ, FALSE },
    { "stream-write-lines", 64 * MIB, WORK_WRITE, FALSE },
    { "stream-nt-write", 64 * MIB, WORK_NT_WRITE, FALSE },
    { "l1-read-words", 16 << 10, WORK_KINDS, FALSE },
    { "stream-read-words", 64 * MIB, WORK_KINDS, FALSE },
    { "stream-write-words", 64 * MIB, WORK_KINDS, TRUE },
};

/* So many passes over the memory. How many accesses that was; 0: it could not run. */
static uint64_t pass(const struct bench_case *b, uint64_t base, uint32_t passes)
{
    struct work w = { .kind = b->kind, .passes = passes, .base = base, .bytes = b->bytes };

    if (b->kind != WORK_KINDS)
        return kernel_run(&w) == ST_OK ? w.accesses : 0;
    for (uint32_t p = 0; p < passes; p++)
        words((volatile uint64_t *)base, b->bytes / 8, b->store);
    return passes * b->bytes / 8;
}

static void run_case(const struct bench_case *b, uint64_t base)
{
    uint64_t of_pass = pass(b, base, 1), n;

    print("BENCH ");
    print(b->name);
    print("\nBENCH ");
    n = of_pass ? pass(b, base, (uint32_t)(ACCESSES / of_pass)) : 0;
    print(b->name);
    print(" ");
    print_number(n);
    print("\n");
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
        words((volatile uint64_t *)(c->base + mine % (64 * MIB / PIECE) * PIECE), PIECE / 8, FALSE);
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

EFI_STATUS efi_main(EFI_HANDLE, EFI_SYSTEM_TABLE *system)
{
    EFI_PHYSICAL_ADDRESS base = 0;

    st = system;
    if (EFI_ERROR(st->BootServices->AllocatePages(AllocateAnyPages, EfiLoaderData, 65 * MIB / 4096, &base)))
        return EFI_OUT_OF_RESOURCES;
    base = (base + MIB - 1) / MIB * MIB;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_case(&cases[i], base);
    print("BENCH OTHERS ");
    print_number(run_concurrent(base));
    print("\nBENCH END\n");
    __asm__ volatile("outb %0, $0xF4" : : "a"((uint8_t)1));
    return EFI_SUCCESS;
}
