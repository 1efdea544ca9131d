/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/apic.h"

#include "tests/silicon/shim/vcpu_internal.h"

/* Local APIC, SDM vol. 3A 11.8.5 "Signaling Interrupt Servicing Completion", 11.6.1 "Interrupt Command Register". */
#define TASK_PRIORITY             0x80u
#define LOGICAL_DESTINATION       0xD0u
#define END_OF_INTERRUPT          0xB0u
#define LVT_PC                    0x340u
#define LVT_VECTOR                0xFFu
#define LVT_MASKED                0x10000u
#define ICR_LOW                   0x300u
#define ICR_HIGH                  0x310u
#define ICR_DELIVERY_MODE(icr)    ((icr) >> 8 & 7)
#define ICR_DELIVERY_LOWEST       1u
#define ICR_DELIVERY_NMI          4u
#define ICR_DELIVERY_STARTUP      6u
#define ICR_LOGICAL               0x800u
#define ICR_SHORTHAND(icr)        ((icr) >> 18 & 3)
#define ICR_SHORTHAND_NONE        0u
#define ICR_SHORTHAND_ITSELF      1u
#define ICR_VECTOR                0xFFu
#define ICR_DESTINATION_EVERYBODY 0xFFu

static struct vcpu *const *vcpus; /* by APIC id, NULL where there is no processor */
static uint32_t trampoline_page;  /* its number: a SIPI vector */
static bool x2apic;

void apic_redirect_startup(struct vcpu *const *all, uint32_t page)
{
    vcpus = all;
    trampoline_page = page;
}

static volatile uint32_t *apic_register(uint32_t offset)
{
    return (volatile uint32_t *)(APIC_PAGE + offset);
}

/* The targets learn where their sender wants them; all of them where it is not one by its id: those that do not start
 * now get it again before they do. */
static uint32_t redirected(uint32_t icr)
{
    uint32_t destination = *apic_register(ICR_HIGH) >> 24;
    bool one = ICR_SHORTHAND(icr) == ICR_SHORTHAND_NONE && destination != ICR_DESTINATION_EVERYBODY;

    for (uint32_t i = 0; i < CHANNEL_SLOTS; i++) {
        if (vcpus[i] && (!one || i == destination))
            __atomic_store_n(&vcpus[i]->start_page, icr & ICR_VECTOR, __ATOMIC_SEQ_CST);
    }
    return (icr & ~ICR_VECTOR) | trampoline_page;
}

bool apic_has(uint64_t physical)
{
    return physical >> 12 == APIC_PAGE >> 12;
}

uint64_t apic_read(uint64_t physical, uint32_t bytes)
{
    if (bytes != 4)
        panic("a read of the APIC that is not of 32 bits, address and bytes:", physical, bytes);
    if (x2apic)
        panic("a read of the page of an APIC in x2APIC mode, address and bytes:", physical, bytes);
    return *apic_register(physical & 0xFFF);
}

/* Who is halted and will not be is known before it happens. */
static void announce(struct vcpu *v, uint32_t icr)
{
    uint32_t mode = ICR_DELIVERY_MODE(icr);

    if (mode != ICR_DELIVERY_NMI && mode != ICR_DELIVERY_STARTUP)
        return;
    v->slot->number =
        ICR_SHORTHAND(icr) == ICR_SHORTHAND_NONE ? *apic_register(ICR_HIGH) >> 24 : ICR_DESTINATION_EVERYBODY;
    channel_ring(v->slot, CHANNEL_WAKE);
}

int32_t apic_take_pmi(int32_t priority)
{
    uint32_t lvt = *apic_register(LVT_PC), vector = lvt & LVT_VECTOR;

    if (lvt & LVT_MASKED)
        return 0;
    if (priority < 0)
        priority = (int32_t)(*apic_register(TASK_PRIORITY) >> 4 & 0xF);
    if ((int32_t)(vector >> 4) <= priority)
        return -1;
    *apic_register(LVT_PC) = lvt | LVT_MASKED;
    return (int32_t)vector;
}

void apic_end_interrupt(void)
{
    *apic_register(END_OF_INTERRUPT) = 0;
}

/* Does a command go to the processor of this APIC id, over what connects processors? Logical ids are those of the flat model
 * (SDM vol. 3A 11.6.2.2). */
static bool reaches(const struct vcpu *sender, uint32_t icr, uint32_t id)
{
    uint32_t destination = *apic_register(ICR_HIGH) >> 24;

    if (ICR_SHORTHAND(icr) != ICR_SHORTHAND_NONE)
        return ICR_SHORTHAND(icr) != ICR_SHORTHAND_ITSELF && id != sender->apic_id;
    if (icr & ICR_LOGICAL)
        return destination & vcpus[id]->logical_id;
    return destination == ICR_DESTINATION_EVERYBODY || destination == id;
}

/* Interrupts and NMIs from processor to processor are messages that the silicon counts. It hears of them as they are sent. */
static void tell_messages(struct vcpu *v, uint32_t icr)
{
    uint32_t mode = ICR_DELIVERY_MODE(icr);

    if (!vcpus || (mode > ICR_DELIVERY_LOWEST && mode != ICR_DELIVERY_NMI))
        return;
    for (uint32_t id = 0; id < CHANNEL_SLOTS; id++) {
        if (!vcpus[id] || !reaches(v, icr, id))
            continue;
        v->slot->number = id;
        channel_ring(v->slot, CHANNEL_IPI);
    }
}

static void write_register(struct vcpu *v, uint32_t offset, uint32_t value)
{
    if (offset == LOGICAL_DESTINATION)
        v->logical_id = value >> 24;
    if (offset == ICR_LOW)
        announce(v, value);
    if (offset == ICR_LOW)
        tell_messages(v, value);
    if (offset == ICR_LOW && ICR_DELIVERY_MODE(value) == ICR_DELIVERY_STARTUP)
        value = redirected(value);
    *apic_register(offset) = value;
}

void apic_write(struct vcpu *v, uint64_t physical, uint32_t bytes, uint64_t value)
{
    if (bytes != 4)
        panic("a write to the APIC that is not of 32 bits, address and bytes:", physical, bytes);
    if (x2apic)
        panic("a write to the page of an APIC in x2APIC mode, address and value:", physical, value);
    write_register(v, physical & 0xFFF, (uint32_t)value);
}

/* --- x2APIC ------------------------------------------------------------------------------------------------------------- */

/* Source: SDM vol. 3A table 11-6 "Local APIC Register Address Map Supported by x2APIC". */
enum { X2APIC_ID = 0x802, X2APIC_EOI = 0x80B, X2APIC_LDR = 0x80D, X2APIC_ICR = 0x830, X2APIC_SELF_IPI = 0x83F };
#define ID                 0x20u
#define ICR_SHORTHAND_SELF (1u << 18)
#define MSR_APIC_BASE      0x1Bu
#define APIC_BASE_MODE     (1ull << 10 | 1ull << 11) /* EXTD, EN */

void apic_show_x2apic(void)
{
    x2apic = true;
}

bool apic_is_x2apic(void)
{
    return x2apic;
}

bool apic_has_msr(uint32_t msr)
{
    return x2apic && (msr == MSR_APIC_BASE || (msr >= 0x800 && msr <= 0xBFF));
}

/* Those that the xAPIC has in the same place, 16 bytes apart. */
static bool is_alike(uint32_t msr)
{
    return msr == 0x803 || msr == 0x808 || msr == 0x80A || msr == 0x80F || (msr >= 0x810 && msr <= 0x828) ||
           msr == 0x82F || (msr >= 0x832 && msr <= 0x839) || msr == 0x83E;
}

static uint32_t offset_of(uint32_t msr)
{
    return (msr - 0x800) * 16;
}

bool apic_read_msr(uint32_t msr, uint64_t *value)
{
    uint32_t id = *apic_register(ID) >> 24;

    if (msr == MSR_APIC_BASE) {
        native_rdmsr(msr, value);
        *value |= APIC_BASE_MODE;
    } else if (msr == X2APIC_ID) {
        *value = id;
    } else if (msr == X2APIC_LDR) { /* SDM vol. 3A 11.12.10.2 "Deriving Logical x2APIC ID from the Local x2APIC ID" */
        *value = (id >> 4) << 16 | 1u << (id & 15);
    } else if (msr == X2APIC_ICR) {
        *value = (uint64_t)(*apic_register(ICR_HIGH) >> 24) << 32 | *apic_register(ICR_LOW);
    } else if (is_alike(msr)) {
        *value = *apic_register(offset_of(msr));
    } else {
        return false;
    }
    return true;
}

bool apic_write_msr(struct vcpu *v, uint32_t msr, uint64_t value)
{
    uint32_t destination = (uint32_t)(value >> 32);

    if (msr == MSR_APIC_BASE)
        return (value & APIC_BASE_MODE) == APIC_BASE_MODE;
    if (msr == X2APIC_ICR) {
        if (destination >= ICR_DESTINATION_EVERYBODY && destination != UINT32_MAX)
            return true; /* nobody's, for the silicon has no such processor */
        *apic_register(ICR_HIGH) = destination << 24;
        write_register(v, ICR_LOW, (uint32_t)value);
    } else if (destination) {
        return false;
    } else if (msr == X2APIC_SELF_IPI) {
        write_register(v, ICR_LOW, ((uint32_t)value & ICR_VECTOR) | ICR_SHORTHAND_SELF);
    } else if (msr == X2APIC_EOI ? value == 0 : is_alike(msr)) {
        write_register(v, offset_of(msr), (uint32_t)value);
    } else {
        return false;
    }
    return true;
}
