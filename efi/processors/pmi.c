/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/processors/pmi.h"

#include "core/base/bits.h"

#define PMI_GATE     0xF2u /* any of class 15, which no other source in reach uses */
#define PMI_PRIORITY 14u   /* classes above it are let in: 15 alone */

/* Local APIC registers: SDM vol. 3A table 10-1. */
#define APIC_VERSION         0x030u
#define APIC_VERSION_MAX_LVT BITS(23, 16)
#define APIC_EOI             0x0B0u
#define APIC_SVR             0x0F0u
#define APIC_SVR_VECTOR      BITS(7, 0)
#define APIC_SVR_ENABLE      BIT(8)
#define APIC_IRR(vector)     (0x200u + (vector) / 32 * 16)
#define APIC_LVT_PC          0x340u
#define APIC_LVT_MASK        BIT(16)

#define MAX_LVT_WITH_PC 4u /* entries less 1: timer, LINT0, LINT1, error, performance counter */
#define DRAIN_PAUSES    1000u
#define DRAIN_TRIES     10u

extern const unsigned char vector_pmi[], vector_spurious[];

static void pmi_interrupt(struct vectors *v, uint64_t vector)
{
    struct pmi *p = &v->pmi;
    uint32_t lvt = 0;
    enum status st;

    if (vector == VECTOR_SPURIOUS) { /* not in service: takes no EOI */
        p->count.spurious++;
        return;
    }
    st = apic_register_read(&p->apic, APIC_LVT_PC, &lvt);
    p->count.interrupts++;
    p->count.masked += st == ST_OK && (lvt & APIC_LVT_MASK);
    st = status_first(st, apic_register_write(&p->apic, APIC_EOI, 0));
    if (st == ST_OK && p->open && p->count.interrupts < PMI_MOST)
        st = apic_register_write(&p->apic, APIC_LVT_PC, PMI_GATE);
    (void)st; /* what could be done is done; PMI_CLOSE reads the register again */
}

static bool lvt_is_there(const struct apic_registers *a)
{
    uint32_t version = 0;

    return apic_register_read(a, APIC_VERSION, &version) == ST_OK &&
           field_get(APIC_VERSION_MAX_LVT, version) >= MAX_LVT_WITH_PC;
}

/* Interrupts off. A disabled APIC keeps the mask bits of its LVT set. */
static enum status take(struct vectors *v)
{
    struct pmi *p = &v->pmi;
    uint32_t svr = p->svr_found | (uint32_t)APIC_SVR_ENABLE;

    p->spurious_vector = (uint32_t)field_get(APIC_SVR_VECTOR, svr);
    if (p->spurious_vector == PMI_GATE)
        return ST_UNSUPPORTED;
    p->interrupt = pmi_interrupt;
    vectors_hook(v, PMI_GATE, vector_pmi, &p->gate);
    vectors_hook(v, p->spurious_vector, vector_spurious, &p->spurious_gate);
    p->open = p->used = true;
    TRY(svr == p->svr_found ? ST_OK : apic_register_write(&p->apic, APIC_SVR, svr));
    return apic_register_write(&p->apic, APIC_LVT_PC, PMI_GATE);
}

enum status pmi_open(struct vectors *v, struct pmi_count *count)
{
    struct pmi *p = &v->pmi;
    uint64_t rflags;
    enum status st;

    *count = (struct pmi_count){ 0 };
    if (p->open)
        return ST_RANGE;
    st = apic_registers_find(&p->apic);
    if (st != ST_OK || !lvt_is_there(&p->apic))
        return ST_UNSUPPORTED;
    TRY(apic_register_read(&p->apic, APIC_LVT_PC, &p->lvt_found));
    TRY(apic_register_read(&p->apic, APIC_SVR, &p->svr_found));
    count->lvt = p->lvt_found;
    p->count = *count;
    if (!(p->lvt_found & APIC_LVT_MASK))
        return ST_UNSUPPORTED;
    rflags = insn_interrupts_off();
    st = take(v);
    insn_interrupts_restore(rflags);
    return st;
}

/* Interrupts on for so long, of our priority class alone. */
static void let_in(uint64_t ticks)
{
    uint64_t rflags = insn_interrupts_off(), priority = insn_read_cr8();

    insn_write_cr8(PMI_PRIORITY);
    insn_interrupts_on();
    insn_spin(ticks);
    (void)insn_interrupts_off();
    insn_write_cr8(priority);
    insn_interrupts_restore(rflags);
}

enum status pmi_listen(struct vectors *v, uint64_t ticks, struct pmi_count *count)
{
    struct pmi *p = &v->pmi;
    enum status st;

    *count = (struct pmi_count){ 0 };
    if (!p->open)
        return ST_ABSENT;
    let_in(ticks);
    st = apic_register_read(&p->apic, APIC_LVT_PC, &p->count.lvt);
    *count = p->count;
    return st;
}

/* What was accepted before the LVT was masked is taken while our gate is there. ST_TIMEOUT: it waits for ever. */
static enum status drain(const struct pmi *p)
{
    uint32_t waiting = 0;

    for (uint32_t i = 0; i < DRAIN_TRIES; i++) {
        TRY(apic_register_read(&p->apic, APIC_IRR(PMI_GATE), &waiting));
        if (!(waiting & BIT(PMI_GATE % 32)))
            return ST_OK;
        let_in(DRAIN_PAUSES);
    }
    return ST_TIMEOUT;
}

enum status pmi_close(struct vectors *v, struct pmi_count *count)
{
    struct pmi *p = &v->pmi;
    uint64_t rflags;
    enum status st;

    *count = (struct pmi_count){ 0 };
    if (!p->open)
        return ST_ABSENT;
    rflags = insn_interrupts_off();
    p->open = false; /* the handler leaves the LVT alone */
    st = apic_register_write(&p->apic, APIC_LVT_PC, p->lvt_found);
    st = status_first(st, drain(p));
    st = status_first(st, apic_register_write(&p->apic, APIC_SVR, p->svr_found));
    vectors_unhook(v, PMI_GATE, &p->gate);
    vectors_unhook(v, p->spurious_vector, &p->spurious_gate);
    st = status_first(st, apic_register_read(&p->apic, APIC_LVT_PC, &p->lvt_left));
    st = status_first(st, apic_register_read(&p->apic, APIC_SVR, &p->svr_left));
    insn_interrupts_restore(rflags);
    p->count.lvt = p->lvt_left;
    *count = p->count;
    return st;
}

/* The destination as it was found before the first command. An x2APIC has no register of its own for it. */
static enum status destination_restore(struct pmi *p)
{
    enum status st = ST_OK;

    if (p->apic.x2apic)
        return ST_OK;
    st = apic_register_write(&p->apic, APIC_ICR_HIGH, p->icr_found);
    return status_first(st, apic_register_read(&p->apic, APIC_ICR_HIGH, &p->icr_left));
}

enum status pmi_send(struct vectors *v, uint32_t apic_id, uint64_t n, uint32_t ticks, struct ipi_count *count)
{
    struct pmi *p = &v->pmi;
    enum status st = apic_registers_find(&p->apic);

    *count = (struct ipi_count){ 0 };
    if (n == 0 || n > IPI_MOST)
        return ST_RANGE;
    if (st == ST_OK && !p->apic.x2apic)
        st = apic_register_read(&p->apic, APIC_ICR_HIGH, &p->icr_found);
    TRY(st);
    p->icr_left = p->icr_found;
    while (count->sent < n && st == ST_OK) {
        st = apic_send_fixed(&p->apic, apic_id, PMI_GATE);
        if (st == ST_UNSUPPORTED)
            return st;
        count->sent++;
        p->sent = !p->apic.x2apic;
        insn_spin(ticks);
    }
    return status_first(st, destination_restore(p));
}

void pmi_abandon(struct vectors *v)
{
    struct pmi_count count;

    if (v->pmi.open && pmi_close(v, &count) != ST_OK)
        v->pmi.lvt_left = ~v->pmi.lvt_found; /* the certificate shows both */
}
