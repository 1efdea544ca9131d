/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors/apic.h"

#include "arch/x86/cpu/insn.h"
#include "arch/x86/cpu/msr_regs.h"

/* Interrupt command register: SDM vol. 3A figure 10-12, "Interrupt Command Register (ICR)". */
#define APIC_ICR_LOW         0x300u
#define ICR_DELIVERY_NMI     0x400u
#define ICR_DELIVERY_INIT    0x500u
#define ICR_DELIVERY_STARTUP 0x600u
#define ICR_DELIVERY_STATUS  BIT(12)
#define ICR_LEVEL_ASSERT     0x4000u
#define IA32_X2APIC_ICR      0x830u
#define X2APIC_MSR(offset)   (0x800u + (offset) / 16) /* SDM vol. 3A table 10-6 */
#define XAPIC_ID_MAX         0xFEu                    /* 0xFF is the broadcast address */
#define DELIVERY_POLLS       100000

static struct apic_registers apic; /* of the boot processor */

enum status apic_registers_find(struct apic_registers *a)
{
    uint64_t base;

    if (insn_rdmsr(IA32_APIC_BASE, &base) != ST_OK || !(base & IA32_APIC_BASE_EN))
        return ST_UNSUPPORTED;
    a->x2apic = (base & IA32_APIC_BASE_EXTD) != 0;
    a->base = base & IA32_APIC_BASE_APIC_BASE;
    return ST_OK;
}

enum status apic_register_read(const struct apic_registers *a, uint32_t offset, uint32_t *value)
{
    uint64_t wide = 0;

    TRY(a->x2apic ? insn_rdmsr(X2APIC_MSR(offset), &wide) : insn_read32(a->base + offset, &wide));
    *value = (uint32_t)wide;
    return ST_OK;
}

enum status apic_register_write(const struct apic_registers *a, uint32_t offset, uint32_t value)
{
    return a->x2apic ? insn_wrmsr(X2APIC_MSR(offset), value) : insn_write32(a->base + offset, value);
}

enum status apic_find(uint32_t max_apic_id)
{
    TRY(apic_registers_find(&apic));
    return apic.x2apic || max_apic_id <= XAPIC_ID_MAX ? ST_OK : ST_UNSUPPORTED;
}

static enum status send_in_memory(const struct apic_registers *a, uint32_t apic_id, uint32_t command)
{
    uint32_t low = ICR_DELIVERY_STATUS;

    TRY(apic_register_write(a, APIC_ICR_HIGH, apic_id << 24));
    TRY(apic_register_write(a, APIC_ICR_LOW, command));
    for (int i = 0; i < DELIVERY_POLLS && (low & ICR_DELIVERY_STATUS); i++)
        TRY(apic_register_read(a, APIC_ICR_LOW, &low));
    return low & ICR_DELIVERY_STATUS ? ST_TIMEOUT : ST_OK;
}

/* Interrupts off: the two halves of the register belong together. */
static enum status send(const struct apic_registers *a, uint32_t apic_id, uint32_t command)
{
    uint64_t rflags = insn_interrupts_off();
    enum status st;

    insn_mfence(); /* what was stored before is seen by the interrupted processor: WRMSR to an x2APIC does not serialize */
    if (a->x2apic)
        st = insn_wrmsr(IA32_X2APIC_ICR, (uint64_t)apic_id << 32 | command);
    else
        st = send_in_memory(a, apic_id, command);
    insn_interrupts_restore(rflags);
    return st;
}

enum status apic_send_fixed(const struct apic_registers *a, uint32_t apic_id, uint32_t vector)
{
    if (!a->x2apic && apic_id > XAPIC_ID_MAX)
        return ST_UNSUPPORTED;
    return send(a, apic_id, ICR_LEVEL_ASSERT | vector);
}

enum status apic_send_init(uint32_t apic_id)
{
    return send(&apic, apic_id, ICR_DELIVERY_INIT | ICR_LEVEL_ASSERT);
}

enum status apic_send_startup(uint32_t apic_id, uint64_t page)
{
    return send(&apic, apic_id, ICR_DELIVERY_STARTUP | ICR_LEVEL_ASSERT | (uint32_t)(page >> 12));
}

enum status apic_send_nmi(uint32_t apic_id)
{
    return send(&apic, apic_id, ICR_DELIVERY_NMI | ICR_LEVEL_ASSERT);
}
