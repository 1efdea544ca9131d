/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/mmio.h"

#include "arch/x86/cpu/insn.h"
#include "core/base/bits.h"
#include "efi/firmware/heap.h"

#define ENTRY_PRESENT BIT(0)
#define ENTRY_WRITE   BIT(1)
#define ENTRY_PWT     BIT(3) /* with PCD: PAT entry 3, uncacheable as after reset */
#define ENTRY_PCD     BIT(4)
#define ENTRY_PS      BIT(7)
#define ENTRY_ADDRESS BITS(51, 12)
#define CR0_WP        BIT(16)
#define CR4_LA57      BIT(12)
#define LEVEL_BITS    9u
#define PAGE_BITS     12u
#define TABLES        32u
#define ENTRIES       1024u /* with the windows of MCFG: 128 for 256 buses */
#define EXTENDED_MAX  0x80000000u
#define ADDRESS_SIZES 0x80000008u

/* Entries that were set, in order; tables for them, of which used are in use. */
static struct {
    EFI_PHYSICAL_ADDRESS tables;
    uint32_t used;
    volatile uint64_t *entries[ENTRIES];
    uint32_t n_entries;
} state;

static bool can_exist(uint64_t address)
{
    struct cpuid_regs regs;
    uint32_t bits = 36;

    insn_cpuid(EXTENDED_MAX, 0, &regs);
    if (regs.eax >= ADDRESS_SIZES) {
        insn_cpuid(ADDRESS_SIZES, 0, &regs);
        bits = regs.eax & 0xFF;
    }
    return bits >= 64 || address >> bits == 0;
}

/* Firmware may keep its page tables read-only. */
static void set_entry(volatile uint64_t *entry, uint64_t value)
{
    uint64_t rflags = insn_interrupts_off(), cr0 = insn_read_cr0();

    insn_write_cr0(cr0 & ~CR0_WP);
    *entry = value;
    insn_write_cr0(cr0);
    insn_write_cr3(insn_read_cr3()); /* what the processor remembers of it is dropped */
    insn_interrupts_restore(rflags);
}

static enum status take_tables(void)
{
    if (state.tables)
        return ST_OK;
    if (EFI_ERROR(heap_pages(AllocateAnyPages, EfiBootServicesData, TABLES, &state.tables))) {
        state.tables = 0;
        return ST_NO_MEMORY;
    }
    return ST_OK;
}

static uint64_t *new_table(void)
{
    uint64_t *table;

    if (state.used == TABLES)
        return NULL;
    table = (uint64_t *)(uintptr_t)(state.tables + ((uint64_t)state.used++ << PAGE_BITS));
    for (uint32_t i = 0; i < 1u << LEVEL_BITS; i++)
        table[i] = 0;
    return table;
}

static bool mmio_entry_set(volatile uint64_t *entry, uint64_t value)
{
    if (state.n_entries == ENTRIES)
        return false;
    state.entries[state.n_entries++] = entry;
    set_entry(entry, value);
    return true;
}

static enum status mmio_walk(uint64_t address)
{
    volatile uint64_t *table = (volatile uint64_t *)(uintptr_t)(insn_read_cr3() & ENTRY_ADDRESS);

    for (uint32_t level = insn_read_cr4() & CR4_LA57 ? 5 : 4; level > 0; level--) {
        uint32_t shift = PAGE_BITS + LEVEL_BITS * (level - 1);
        volatile uint64_t *entry = &table[address >> shift & (BIT(LEVEL_BITS) - 1)];
        uint64_t leaf = ENTRY_PRESENT | ENTRY_WRITE | ENTRY_PWT | ENTRY_PCD;

        if (*entry & ENTRY_PRESENT) {
            if (level == 1 || (*entry & ENTRY_PS))
                return ST_ABSENT; /* it is mapped: the fault has another reason */
            table = (volatile uint64_t *)(uintptr_t)(*entry & ENTRY_ADDRESS);
            continue;
        }
        if (level <= 2)
            return mmio_entry_set(entry, (address & ~(BIT(shift) - 1)) | leaf | (level == 2 ? ENTRY_PS : 0))
                       ? ST_OK
                       : ST_NO_MEMORY;
        table = new_table();
        if (!table || !mmio_entry_set(entry, (uint64_t)(uintptr_t)table | ENTRY_PRESENT | ENTRY_WRITE))
            return ST_NO_MEMORY;
    }
    return ST_ABSENT;
}

static enum status mmio_map(uint64_t address)
{
    TRY(can_exist(address) ? take_tables() : ST_ABSENT);
    return mmio_walk(address);
}

static enum status access_once(uint64_t address, uint32_t width, bool write, uint64_t *value)
{
    if (width == 0 || address % width)
        return ST_RANGE;
    switch (width) {
    case 1:
        return write ? insn_write8(address, *value) : insn_read8(address, value);
    case 2:
        return write ? insn_write16(address, *value) : insn_read16(address, value);
    case 4:
        return write ? insn_write32(address, *value) : insn_read32(address, value);
    case 8:
        return write ? insn_write64(address, *value) : insn_read64(address, value);
    default:
        return ST_RANGE;
    }
}

static enum status access_mapped(uint64_t address, uint32_t width, bool write, uint64_t *value)
{
    enum status st = access_once(address, width, write, value);

    return st == ST_PAGE_FAULT && mmio_map(address) == ST_OK ? access_once(address, width, write, value) : st;
}

enum status mmio_load(uint64_t address, uint32_t width, uint64_t *value)
{
    return access_mapped(address, width, false, value);
}

enum status mmio_store(uint64_t address, uint32_t width, uint64_t value)
{
    return access_mapped(address, width, true, &value);
}

void mmio_unmap_all(EFI_SYSTEM_TABLE *st)
{
    while (state.n_entries > 0)
        set_entry(state.entries[--state.n_entries], 0);
    if (state.tables)
        (void)st->BootServices->FreePages(state.tables, TABLES);
    state.tables = 0;
    state.used = 0;
}
