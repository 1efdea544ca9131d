/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/apic.h"

/* Local APIC, SDM vol. 3A 11.8.5 "Signaling Interrupt Servicing Completion", 11.6.1 "Interrupt Command Register". */
#define TASK_PRIORITY             0x80u
#define END_OF_INTERRUPT          0xB0u
#define LVT_PC                    0x340u
#define LVT_VECTOR                0xFFu
#define LVT_MASKED                0x10000u
#define ICR_LOW                   0x300u
#define ICR_HIGH                  0x310u
#define ICR_DELIVERY_MODE(icr)    ((icr) >> 8 & 7)
#define ICR_DELIVERY_NMI          4u
#define ICR_DELIVERY_STARTUP      6u
#define ICR_SHORTHAND(icr)        ((icr) >> 18 & 3)
#define ICR_SHORTHAND_NONE        0u
#define ICR_VECTOR                0xFFu
#define ICR_DESTINATION_EVERYBODY 0xFFu

static struct vcpu *const *vcpus; /* by APIC id, NULL where there is no processor */
static uint32_t trampoline_page;  /* its number: a SIPI vector */

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
 * now will be told again before they do. */
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

void apic_write(struct vcpu *v, uint64_t physical, uint32_t bytes, uint64_t value)
{
    if (bytes != 4)
        panic("a write to the APIC that is not of 32 bits, address and bytes:", physical, bytes);
    if ((physical & 0xFFF) == ICR_LOW)
        announce(v, (uint32_t)value);
    if ((physical & 0xFFF) == ICR_LOW && ICR_DELIVERY_MODE(value) == ICR_DELIVERY_STARTUP)
        value = redirected((uint32_t)value);
    *apic_register(physical & 0xFFF) = (uint32_t)value;
}
