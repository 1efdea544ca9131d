/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors/sipi.h"

#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "efi/processors/apic.h"
#include "efi/firmware/heap.h"
#include "efi/firmware/page_rights.h"

#define PAGE            4096u
#define BELOW           0x9FFFFu            /* below the video memory and the BIOS areas */
#define CR4_EARLY       (BIT(5) | BIT(12))  /* PAE; LA57, which cannot be set later */
#define EFER_LATER      BIT(10)             /* LMA: the processor's own */
#define CR4_NOT_AT_ONCE (BIT(17) | BIT(23)) /* PCIDE needs CR3's low bits zero, CET needs its MSRs */
#define INIT_WAIT_US    10000u
#define SIPI_WAIT_MS    10u

struct sipi_data { /* as at sipi_data in efi/processors/sipi.S */
    uint64_t cr3, cr4, cr0, argument, entry;
    uint32_t cr4_early, efer, mxcsr;
    uint32_t far_offset;
    uint16_t far_selector;
    uint16_t cs, ss;
    struct insn_table_register gdtr, idtr;
    uint16_t gdtr_early_limit;
    uint32_t gdtr_early_base;
    /* 8-byte aligned: the table itself */
} __attribute__((packed));
_Static_assert(offsetof(struct sipi_data, far_offset) == 52, "sipi.S");
_Static_assert(offsetof(struct sipi_data, gdtr) == 62, "sipi.S");
_Static_assert(offsetof(struct sipi_data, gdtr_early_base) == 84, "sipi.S");

extern const uint8_t sipi_code[], sipi_long[], sipi_data[], sipi_code_end[];
void sipi_arrived(void);

static EFI_PHYSICAL_ADDRESS page; /* 0: none */
static uint32_t page_had;         /* its rights before it became code alone; 0: they are as they were */

/* INIT leaves a processor in wait-for-SIPI, whatever it did. */
static void force(struct processors *ps, uint32_t apic_id)
{
    if (apic_send_init(apic_id) == ST_OK)
        ps->st->BootServices->Stall(100);
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static enum status place_code(struct processors *ps)
{
    size_t data_at = (size_t)(sipi_data - sipi_code);
    struct sipi_data d;
    uint64_t efer;
    EFI_PHYSICAL_ADDRESS at = BELOW;

    if (insn_read_cr3() > UINT32_MAX || insn_rdmsr(IA32_EFER, &efer) != ST_OK)
        return ST_UNSUPPORTED;
    /* Code that is made at run time: under strict firmware only memory of a code type is executable. */
    if (EFI_ERROR(heap_pages(AllocateMaxAddress, EfiLoaderCode, 1, &at)))
        return ST_NO_MEMORY;
    memcpy(&d, sipi_data, sizeof d);
    d.cr3 = insn_read_cr3();
    d.cr4 = insn_read_cr4() & ~CR4_NOT_AT_ONCE;
    d.cr0 = insn_read_cr0();
    d.cr4_early = (uint32_t)(d.cr4 & CR4_EARLY);
    d.efer = (uint32_t)(efer & ~EFER_LATER);
    d.mxcsr = 0x1F80;
    d.argument = (uint64_t)(uintptr_t)ps;
    d.entry = (uint64_t)(uintptr_t)sipi_arrived;
    d.far_offset = (uint32_t)at + (uint32_t)(sipi_long - sipi_code);
    d.cs = insn_read_cs();
    d.ss = insn_read_ss();
    insn_sgdt(&d.gdtr);
    d.idtr = processor_of(ps->workers.boot)->vectors.found;
    d.gdtr_early_base = (uint32_t)at + (uint32_t)(sipi_code_end - sipi_code) - 24;
    memcpy((void *)(uintptr_t)at, sipi_code, (size_t)(sipi_code_end - sipi_code));
    memcpy((void *)(uintptr_t)(at + data_at), &d, sizeof d);
    page = at;
    page_had = page_only_code(ps->st, page);
    return ST_OK;
}

enum status sipi_start(struct processors *ps)
{
    struct workers *ws = &ps->workers;
    enum status st = apic_find(ws->worker[ws->n - 1]->apic_id);

    TRY(st);
    TRY(place_code(ps));
    ps->force = force;
    for (uint32_t i = 0; i < ws->n; i++) {
        if (!ws->worker[i]->takes_part)
            continue;
        ws->worker[i]->own_start = true;
        st = status_first(st, apic_send_init(ws->worker[i]->apic_id));
    }
    ps->st->BootServices->Stall(INIT_WAIT_US);
    for (uint32_t i = 0; i < ws->n; i++)
        if (ws->worker[i]->takes_part)
            st = status_first(st, apic_send_startup(ws->worker[i]->apic_id, page));
    /* SDM vol. 3A 8.4.4.1 sends two; one is enough on what is built today, and the second is lost on a processor that
     * runs already. */
    (void)workers_wait_for_arrival(ws, SIPI_WAIT_MS);
    for (uint32_t i = 0; i < ws->n; i++)
        if (ws->worker[i]->takes_part && worker_state(ws->worker[i]) == WORKER_ABSENT)
            st = status_first(st, apic_send_startup(ws->worker[i]->apic_id, page));
    return st == ST_TIMEOUT ? ST_OK : st; /* a processor that did not get its IPI does not arrive, and is reported so */
}

uint64_t sipi_page(void)
{
    return page;
}

void sipi_end(struct processors *ps)
{
    if (page) {
        page_restore(ps->st, page, page_had);
        (void)ps->st->BootServices->FreePages(page, 1);
    }
    page = 0;
}
