/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/page_rights.h"

#include "arch/x86/cpu/insn.h"
#include "arch/x86/cpu/msr_regs.h"

#define PAGE_BYTES 4096u
#define MEMORY_XP  UINT64_C(0x4000)  /* EFI_MEMORY_XP */
#define MEMORY_RO  UINT64_C(0x20000) /* EFI_MEMORY_RO */

/* Source: PI specification 1.7, volume 2, 12.3 "CPU Architectural Protocol"; members in order. */
struct cpu_arch {
    VOID *flush, *enable, *disable, *get_state, *init, *register_handler, *get_timer;
    EFI_STATUS(EFIAPI *set_attributes)
    (struct cpu_arch *self, EFI_PHYSICAL_ADDRESS base, UINT64 length, UINT64 attributes);
};

static EFI_GUID cpu_arch_guid = { 0x26baccb1, 0x6f42, 0x11d4, { 0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 } };

static uint64_t table_entry(void *, uint64_t physical)
{
    return *(const volatile uint64_t *)(uintptr_t)physical; /* firmware maps memory one to one */
}

enum status page_tables_now(struct page_tables *t)
{
    uint64_t efer;

    if (insn_rdmsr(IA32_EFER, &efer) != ST_OK)
        return ST_UNSUPPORTED;
    *t = (struct page_tables){
        .cr0 = insn_read_cr0(), .cr3 = insn_read_cr3(), .cr4 = insn_read_cr4(), .efer = efer, .read = table_entry
    };
    return ST_OK;
}

static EFI_STATUS set_rights(EFI_SYSTEM_TABLE *st, uint64_t page, uint32_t rights)
{
    uint64_t attributes = (rights & PAGE_WRITE ? 0 : MEMORY_RO) | (rights & PAGE_EXECUTE ? 0 : MEMORY_XP);
    struct cpu_arch *cpu;
    EFI_STATUS s = st->BootServices->LocateProtocol(&cpu_arch_guid, NULL, (void **)&cpu);

    return EFI_ERROR(s) ? s : cpu->set_attributes(cpu, page, PAGE_BYTES, attributes);
}

uint32_t page_only_code(EFI_SYSTEM_TABLE *st, uint64_t page)
{
    struct page_tables t;
    uint64_t end;
    uint32_t had;

    if (page_tables_now(&t) != ST_OK)
        return 0;
    had = paging_rights(&t, page, &end);
    return EFI_ERROR(set_rights(st, page, PAGE_READ | PAGE_EXECUTE)) ? 0 : had;
}

void page_restore(EFI_SYSTEM_TABLE *st, uint64_t page, uint32_t rights)
{
    if (rights != 0)
        (void)set_rights(st, page, rights); /* what was taken is given back by the same call */
}
