#include "efi/sipi.h"

#include <string.h>

#include "arch/x86/msr_regs.h"

#define PAGE            4096u
#define BELOW           0x9FFFFu            /* below the video memory and the BIOS areas */
#define CR4_EARLY       (BIT(5) | BIT(12))  /* PAE; LA57, which cannot be set later */
#define EFER_LATER      BIT(10)             /* LMA: the processor's own */
#define CR4_NOT_AT_ONCE (BIT(17) | BIT(23)) /* PCIDE needs CR3's low bits zero, CET needs its MSRs */
#define INIT_WAIT_US    10000u
#define SIPI_WAIT_MS    10u

/* Interrupt command register: SDM vol. 3A figure 10-12, "Interrupt Command Register (ICR)". */
#define APIC_ICR_LOW         0x300u
#define APIC_ICR_HIGH        0x310u
#define ICR_DELIVERY_INIT    0x500u
#define ICR_DELIVERY_STARTUP 0x600u
#define ICR_LEVEL_ASSERT     BIT(14)
#define ICR_DELIVERY_STATUS  BIT(12)
#define IA32_X2APIC_ICR      0x830u

struct sipi_data { /* as at sipi_data in efi/sipi.S */
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

static struct {
    EFI_PHYSICAL_ADDRESS page; /* 0: none */
    bool x2apic;
    uint64_t base; /* of the memory-mapped local APIC */
} apic;

/* --- interprocessor interrupts
 * ----------------------------------------------------------------------------------------- */

static enum status ipi(uint32_t apic_id, uint32_t command)
{
    uint64_t rflags = insn_interrupts_off(); /* high and low half belong together */
    enum status st;

    if (apic.x2apic) {
        insn_mfence(); /* this WRMSR does not serialize: SDM vol. 3A 10.12.3 */
        st = insn_wrmsr(IA32_X2APIC_ICR, (uint64_t)apic_id << 32 | command);
    } else {
        uint64_t low = ICR_DELIVERY_STATUS;

        st = insn_write32(apic.base + APIC_ICR_HIGH, (uint64_t)apic_id << 24);
        if (st == ST_OK)
            st = insn_write32(apic.base + APIC_ICR_LOW, command);
        for (int i = 0; i < 100000 && st == ST_OK && (low & ICR_DELIVERY_STATUS); i++)
            st = insn_read32(apic.base + APIC_ICR_LOW, &low);
        if (st == ST_OK && (low & ICR_DELIVERY_STATUS))
            st = ST_TIMEOUT;
    }
    insn_interrupts_restore(rflags);
    return st;
}

static enum status send_init(uint32_t apic_id)
{
    return ipi(apic_id, ICR_DELIVERY_INIT | ICR_LEVEL_ASSERT);
}

static enum status send_startup(uint32_t apic_id)
{
    return ipi(apic_id, ICR_DELIVERY_STARTUP | ICR_LEVEL_ASSERT | (uint32_t)(apic.page / PAGE));
}

/* INIT leaves a processor in wait-for-SIPI, whatever it did. */
static void force(struct processors *ps, uint32_t apic_id)
{
    if (send_init(apic_id) == ST_OK)
        ps->st->BootServices->Stall(100);
}

static enum status find_apic(const struct processors *ps)
{
    uint64_t base;
    enum status st = insn_rdmsr(IA32_APIC_BASE, &base);

    if (st != ST_OK || !(base & IA32_APIC_BASE_EN))
        return ST_UNSUPPORTED;
    apic.x2apic = (base & IA32_APIC_BASE_EXTD) != 0;
    apic.base = base & IA32_APIC_BASE_APIC_BASE;
    for (uint32_t i = 0; i < ps->n; i++)
        if (ps->worker[i]->takes_part && !apic.x2apic && ps->worker[i]->apic_id >= 0xFF)
            return ST_UNSUPPORTED;
    return ST_OK;
}

/* --- the page
 * ---------------------------------------------------------------------------------------------------------- */

static enum status place_code(struct processors *ps)
{
    size_t data_at = (size_t)(sipi_data - sipi_code);
    struct sipi_data d;
    uint64_t efer;
    EFI_PHYSICAL_ADDRESS at = BELOW;

    if (insn_read_cr3() > UINT32_MAX || insn_rdmsr(IA32_EFER, &efer) != ST_OK)
        return ST_UNSUPPORTED;
    /* Code that is made at run time: under strict firmware only memory of a code type is executable. */
    if (EFI_ERROR(ps->st->BootServices->AllocatePages(AllocateMaxAddress, EfiLoaderCode, 1, &at)))
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
    d.idtr = ps->bsp->vectors.found;
    d.gdtr_early_base = (uint32_t)at + (uint32_t)(sipi_code_end - sipi_code) - 24;
    memcpy((void *)(uintptr_t)at, sipi_code, (size_t)(sipi_code_end - sipi_code));
    memcpy((void *)(uintptr_t)(at + data_at), &d, sizeof d);
    apic.page = at;
    return ST_OK;
}

static bool is_absent(const struct worker *w)
{
    return __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) == WORKER_ABSENT;
}

enum status sipi_start(struct processors *ps)
{
    enum status st = find_apic(ps);

    if (st == ST_OK)
        st = place_code(ps);
    if (st != ST_OK)
        return st;
    ps->force = force;
    for (uint32_t i = 0; i < ps->n; i++) {
        if (!ps->worker[i]->takes_part)
            continue;
        ps->worker[i]->own_start = true;
        st = status_first(st, send_init(ps->worker[i]->apic_id));
    }
    ps->st->BootServices->Stall(INIT_WAIT_US);
    for (uint32_t i = 0; i < ps->n; i++)
        if (ps->worker[i]->takes_part)
            st = status_first(st, send_startup(ps->worker[i]->apic_id));
    /* SDM vol. 3A 8.4.4.1 sends two; one is enough on what is built today, and the second is lost on a processor that
     * runs already. */
    (void)processors_wait(ps, SIPI_WAIT_MS);
    for (uint32_t i = 0; i < ps->n; i++)
        if (ps->worker[i]->takes_part && is_absent(ps->worker[i]))
            st = status_first(st, send_startup(ps->worker[i]->apic_id));
    return st == ST_TIMEOUT ? ST_OK : st; /* whoever did not get its IPI does not arrive, and is told so */
}

void sipi_end(struct processors *ps)
{
    if (apic.page)
        (void)ps->st->BootServices->FreePages(apic.page, 1);
    apic.page = 0;
}
