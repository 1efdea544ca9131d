/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/selftest/bus.c: PCI configuration space and memory-mapped registers, as software on metal reaches them.
 *
 * Everything is found by looking: the ECAM by the chipset's PCIEXBAR, the silicon's functions on buses other than 0,
 * which is the host's, its memory controllers through 8086:3451 where there is one (MMIO_BASE, MEM0_BAR). What a
 * profile lacks is a SKIP.
 */
#include "tests/silicon/selftest/selftest.h"

#define CFG_ADDRESS    0xCF8u
#define CFG_DATA       0xCFCu
#define PCIEXBAR       0x60u
#define HOST_BRIDGE    0x29C08086u
#define ALL_ONES       0xFFFFFFFFu
#define ECAM_BYTES     0x1000u
#define LAST_FUNCTION  0xFFFFu
#define IMC_MAP        0x34518086u /* memory controller map of Ice Lake-SP */
#define MMIO_BASE      0xD0u
#define MEM0_BAR       0xD8u
#define CHANNEL_0      0x22800u /* box control; counters follow at 8 */
#define CTR0           0x08u
#define CTL0           0x40u
#define PTE_PRESENT_RW 3ull
#define PTE_LARGE_UC   0x98ull /* PS, PCD, PWT */
#define PTE_LARGE      0x80ull
#define PTE_ADDRESS    0x000FFFFFFFFFF000ull
#define TWO_MIB        0x200000ull
#define LPC            (0x1Fu << 3)
#define TIMER_SOON     3579545u /* of the ACPI timer: a second */
#define PMBASE         0x40u
#define NOT_MAPPED     (1ull << 46)
#define NOT_CANONICAL  (1ull << 62)

static void out32(UINT16 port, UINT32 value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static UINT32 in32(UINT16 port)
{
    UINT32 value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static UINT32 cfg32(UINT32 function, UINT32 offset)
{
    out32(CFG_ADDRESS, 0x80000000u | function << 8 | (offset & 0xFC));
    return in32(CFG_DATA);
}

static UINT32 cfg16(UINT32 function, UINT32 offset)
{
    UINT16 value;

    out32(CFG_ADDRESS, 0x80000000u | function << 8 | (offset & 0xFC));
    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"((UINT16)(CFG_DATA + (offset & 3))));
    return value;
}

static UINT32 cfg8(UINT32 function, UINT32 offset)
{
    UINT8 value;

    out32(CFG_ADDRESS, 0x80000000u | function << 8 | (offset & 0xFC));
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"((UINT16)(CFG_DATA + (offset & 3))));
    return value;
}

/* --- reads of every kind */

/* 32 bytes in one AVX load, which the upper half of a register takes part in. TRUE: as the dwords are, or no AVX here.
 */
static BOOLEAN same_by_avx(volatile UINT8 *at)
{
    UINT32 a = 1, b, c = 0, d, low, high, vector[8];
    BOOLEAN same = TRUE;
    UINT64 cr4;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(c >> 26 & 1) || !(c >> 28 & 1)) /* XSAVE, AVX */
        return TRUE;
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | 1ull << 18));
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    __asm__ volatile("xsetbv" : : "a"(low | 7), "d"(high), "c"(0));
    __asm__ volatile("vmovdqu %1, %%ymm7\n\tvmovdqu %%ymm7, %0\n\tvzeroupper"
                     : "=m"(vector)
                     : "m"(*(volatile UINT8(*)[32])at)
                     : "xmm7");
    __asm__ volatile("xsetbv" : : "a"(low), "d"(high), "c"(0));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4));
    for (int i = 0; i < 8; i++)
        same &= vector[i] == ((volatile UINT32 *)at)[i];
    return same;
}

/* The same 16 bytes by the instructions that software uses for them. What is not equal to dword reads sets a bit. */
static UINT64 read_in_all_ways(volatile UINT8 *at)
{
    volatile UINT32 *dword = (volatile UINT32 *)at;
    UINT32 expected[4], copy[4], vector[4], carry = 0, extended;
    UINT64 wrong = 0, quad;
    const void *from = (const void *)at;
    void *to = copy;
    UINTN n = 4;

    for (int i = 0; i < 4; i++)
        expected[i] = dword[i];
    __asm__ volatile("movq %1, %0" : "=r"(quad) : "m"(*(volatile UINT64 *)at));
    wrong |= (UINT64)(quad != (expected[0] | (UINT64)expected[1] << 32)) << 0;
    for (int i = 0; i < 16; i++)
        wrong |= (UINT64)(at[i] != (UINT8)(expected[i / 4] >> 8 * (i % 4))) << 1;
    for (int i = 0; i < 8; i++)
        wrong |= (UINT64)(((volatile UINT16 *)at)[i] != (UINT16)(expected[i / 2] >> 16 * (i % 2))) << 2;
    __asm__ volatile("movswl %1, %0" : "=r"(extended) : "m"(*(volatile UINT16 *)at));
    wrong |= (UINT64)(extended != (UINT32)(INT16)expected[0]) << 3;
    __asm__ volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
    for (int i = 0; i < 4; i++)
        wrong |= (UINT64)(copy[i] != expected[i]) << 4;
    wrong |= (UINT64)(n != 0 || to != copy + 4) << 5;
    __asm__ volatile("movdqu %1, %%xmm6\n\tmovdqu %%xmm6, %0"
                     : "=m"(vector)
                     : "m"(*(volatile UINT8(*)[16])at)
                     : "xmm6");
    for (int i = 0; i < 4; i++)
        wrong |= (UINT64)(vector[i] != expected[i]) << 6;
    __asm__ volatile("cmpl %2, %1\n\tsetne %b0" : "+q"(carry) : "m"(*dword), "r"(expected[0]) : "cc");
    wrong |= (UINT64)carry << 7;
    extended = 1;
    __asm__ volatile("addl %1, %0" : "+r"(extended) : "m"(*dword) : "cc");
    wrong |= (UINT64)(extended != expected[0] + 1) << 8;
    wrong |= (UINT64)!same_by_avx(at) << 9;
    return wrong;
}

/* --- configuration space */

/* The next function after this one that answers; 0: none. */
static UINT32 next_function(UINT32 after)
{
    for (UINT32 function = after + 1; function <= LAST_FUNCTION; function++) {
        if (cfg32(function, 0) != ALL_ONES)
            return function;
    }
    return 0;
}

static void check_function(volatile UINT8 *ecam, UINT32 function)
{
    volatile UINT8 *config = ecam + function * ECAM_BYTES;
    UINT32 id = cfg32(function, 0), differ = 0;
    UINT64 wrong;

    check(L"pci-ecam-and-ports-agree", *(volatile UINT32 *)config == id, *(volatile UINT32 *)config);
    for (UINT32 offset = 0; offset < 16; offset++) {
        differ += cfg8(function, offset) != config[offset];
        differ += !(offset & 1) && cfg16(function, offset) != *(volatile UINT16 *)(config + offset);
    }
    check(L"pci-ports-of-all-widths", differ == 0, differ);
    wrong = read_in_all_ways(config);
    check(L"pci-reads-of-all-kinds", wrong == 0, wrong);
    *(volatile UINT32 *)config = ~id;
    check(L"pci-id-is-read-only", *(volatile UINT32 *)config == id, *(volatile UINT32 *)config);
}

static BOOLEAN is_replaced(const void *function)
{
    return *(const UINT8 *)function == 0xE9;
}

static UINT64 cr2(void)
{
    UINT64 value;

    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

/* Whether some register of this PCI function, those of a monitor are from 80H to 700H, keeps a bit that is written. */
static BOOLEAN keeps_a_write(volatile UINT8 *config)
{
    for (UINT32 offset = 0x80; offset < 0x700; offset += 4) {
        volatile UINT32 *at = (volatile UINT32 *)(config + offset);
        UINT32 old = *at, now;

        insn_write32(at, old ^ 1);
        now = *at;
        *at = old;
        if (now == (old ^ 1))
            return TRUE;
    }
    return FALSE;
}

/* Functions that the shim replaces: registers of the silicon, of the machine below, memory, and faults. */
static void check_functions(volatile UINT8 *ecam, UINT32 function)
{
    volatile UINT8 *config = ecam + function * ECAM_BYTES, *nowhere = (volatile UINT8 *)NOT_MAPPED;
    UINT64 value = 0, again = 0, here = 0x1122334455667788ull;
    UINT32 id = cfg32(function, 0);
    int first, second;

    first = insn_read32(config, &value);
    second = insn_read32(config, &again);
    check(L"read-function-is-replaced", first == 0 && second == 0 && value == id && is_replaced(insn_read32), value);
    check(L"read-function-reads-the-same", again == id, again);
    first = insn_write32(config, ~id);
    second = insn_write32(config, ~id);
    check(L"write-function-is-replaced", first == 0 && second == 0 && is_replaced(insn_write32), cfg32(function, 0));
    first = insn_read32(ecam, &value);
    check(L"read-function-of-the-host-bridge", first == 0 && value == HOST_BRIDGE, value);
    first = insn_read32(&here, &value);
    second = insn_write32(&here, 5);
    check(L"functions-of-memory", first == 0 && second == 0 && value == 0x55667788 && here == 0x1122334400000005ull,
          here);
    first = insn_read32(nowhere, &value);
    check(L"read-function-pf", first == 14 && pf_code == 0 && cr2() == NOT_MAPPED, cr2());
    first = insn_write32(nowhere + 8, 0);
    check(L"write-function-pf", first == 14 && pf_code == 2 && cr2() == NOT_MAPPED + 8, pf_code);
    check(L"read-function-gp", insn_read32((volatile void *)NOT_CANONICAL, &value) == 13, 0);
}

/* The ACPI timer's port is the silicon's, that of configuration space the machine's below. */
static void check_port_function(UINT32 function)
{
    UINT16 timer = (UINT16)((cfg32(LPC, PMBASE) & 0xFF80) + 8);
    UINT32 before, first, then, after, id = cfg32(function, 0);

    port_read32(timer);
    before = in32(timer);
    first = then = port_read32(timer);
    for (UINTN i = 0; i < 1000; i++)
        then = port_read32(timer);
    after = in32(timer);
    check(L"port-function-is-replaced", is_replaced(port_read32), 0);
    check(L"port-function-counts",
          ((first - before) & 0xFFFFFF) < TIMER_SOON && ((then - first) & 0xFFFFFF) - 1 < TIMER_SOON &&
              ((after - then) & 0xFFFFFF) < TIMER_SOON,
          then - first);
    out32(CFG_ADDRESS, 0x80000000u | function << 8);
    check(L"port-function-of-configuration-space", port_read32(CFG_DATA) == id, id);
}

/* A function that is not there, on a bus that has some. */
static void check_absent(volatile UINT8 *ecam, UINT32 function)
{
    UINT32 absent = (function & 0xFF00) | 0xFF;
    UINT32 by_port, by_memory;

    while (cfg32(absent, 0) != ALL_ONES && absent > (function & 0xFF00))
        absent--;
    by_port = cfg32(absent, 0);
    *(volatile UINT32 *)(ecam + absent * ECAM_BYTES) = 0;
    by_memory = *(volatile UINT32 *)(ecam + absent * ECAM_BYTES);
    check(L"pci-absent-function-reads-ones", by_port == ALL_ONES && by_memory == ALL_ONES, absent);
}

/* --- memory-mapped registers */

static UINT64 *new_table(void)
{
    EFI_PHYSICAL_ADDRESS at = 0;

    if (EFI_ERROR(st->BootServices->AllocatePages(AllocateAnyPages, EfiBootServicesData, 1, &at)))
        return NULL;
    st->BootServices->SetMem((void *)at, 4096, 0);
    return (UINT64 *)at;
}

/* Firmware maps what it uses. Map 2 MiB more to themselves, uncached, in its own four-level tables. */
static volatile UINT8 *map(UINT64 physical)
{
    UINT64 *table, cr0;

    __asm__ volatile("mov %%cr3, %0" : "=r"(table));
    __asm__ volatile("mov %%cr0, %0" : "=r"(cr0));
    __asm__ volatile("mov %0, %%cr0" : : "r"(cr0 & ~0x10000ull)); /* WP: its tables may be read-only */
    table = (UINT64 *)((UINT64)table & PTE_ADDRESS);
    for (int shift = 39; table && shift > 21; shift -= 9) {
        UINT64 *entry = &table[physical >> shift & 511];

        if (*entry & 1 && *entry & PTE_LARGE && shift == 30)
            break; /* is mapped */
        if (!(*entry & 1)) {
            UINT64 *below = new_table();

            if (below)
                *entry = (UINT64)below | PTE_PRESENT_RW;
        }
        table = (UINT64 *)(*entry & PTE_ADDRESS);
        if (shift == 30 && table && !(table[physical >> 21 & 511] & 1))
            table[physical >> 21 & 511] = (physical & ~(TWO_MIB - 1)) | PTE_LARGE_UC | PTE_PRESENT_RW;
    }
    __asm__ volatile("mov %0, %%cr0" : : "r"(cr0));
    return table ? (volatile UINT8 *)physical : NULL;
}

static void check_registers(UINT32 imc_map)
{
    UINT64 base = (UINT64)(cfg32(imc_map, MMIO_BASE) & 0x1FFFFFFF) << 23;
    UINT64 value = 0x123456789ABCull, wrong;
    volatile UINT8 *box = map(base + ((UINT64)(cfg32(imc_map, MEM0_BAR) & 0x7FF) << 12) + CHANNEL_0);

    if (!box) {
        check(L"mmio-mapped", FALSE, base);
        return;
    }
    check(L"mmio-box-answers", *(volatile UINT32 *)box != ALL_ONES, *(volatile UINT32 *)box);
    *(volatile UINT64 *)(box + CTR0) = value;
    check(L"mmio-counter-keeps-64-bits", *(volatile UINT64 *)(box + CTR0) == value, *(volatile UINT64 *)(box + CTR0));
    check(L"mmio-counter-in-halves",
          *(volatile UINT32 *)(box + CTR0) == (UINT32)value && *(volatile UINT32 *)(box + CTR0 + 4) == value >> 32,
          *(volatile UINT32 *)(box + CTR0 + 4));
    wrong = read_in_all_ways(box + CTR0);
    check(L"mmio-reads-of-all-kinds", wrong == 0, wrong);
    *(volatile UINT32 *)(box + CTL0) = 0x0304;
    *(volatile UINT32 *)(box + CTL0) |= 1u << 18;
    *(volatile UINT32 *)(box + CTL0) &= ~0x0300u;
    check(L"mmio-control-read-modify-write", *(volatile UINT32 *)(box + CTL0) == 0x40004,
          *(volatile UINT32 *)(box + CTL0));
    *(volatile UINT32 *)(box + CTL0) = 0;
    *(volatile UINT64 *)(box + CTR0) = 0;
    insn_read64(box + CTR0, &value);
    check(L"mmio-function-of-a-page-that-is-not-mapped",
          insn_read64(box - (UINT64)box % TWO_MIB + TWO_MIB, &value) == 14 && pf_code == 0, pf_code);
    insn_write64(box + CTR0, 1);
    insn_write64(box + CTR0, 0x0000123456789ABCull);
    insn_read64(box + CTR0, &value);
    check(L"mmio-functions-are-replaced", is_replaced(insn_write64) && is_replaced(insn_read64), value);
    check(L"mmio-functions-keep-64-bits", value == 0x0000123456789ABCull, value);
    insn_write32(box + CTR0, 7);
    insn_read64(box + CTR0, &value);
    check(L"mmio-function-writes-a-half", value == 0x0000123400000007ull, value);
    *(volatile UINT64 *)(box + CTR0) = 0;
}

void check_buses(void)
{
    volatile UINT8 *ecam = (volatile UINT8 *)((UINT64)(cfg32(0, PCIEXBAR) & 0xFC000000u));
    UINT32 function = 0, own = 0, imc_map = 0;
    BOOLEAN written = FALSE;

    check(L"pci-bus-0-is-the-hosts", cfg32(0, 0) == HOST_BRIDGE && *(volatile UINT32 *)ecam == HOST_BRIDGE,
          cfg32(0, 0));
    while ((function = next_function(function))) {
        if (!own && function >> 8)
            own = function;
        written = written || (function >> 8 && keeps_a_write(ecam + function * ECAM_BYTES));
        if (!imc_map && cfg32(function, 0) == IMC_MAP)
            imc_map = function;
    }
    if (own) {
        check_function(ecam, own);
        check_absent(ecam, own);
        check_functions(ecam, own);
        check_port_function(own);
        check(L"write-function-writes", written, 0);
    } else {
        skip(L"pci-function", L"this silicon has none");
    }
    if (imc_map)
        check_registers(imc_map);
    else
        skip(L"mmio-registers", L"this silicon has none that are found through 8086:3451");
}
