/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/emulate/guest.h"

#define CR0_WP       (1ull << 16)
#define CR0_PG       (1ull << 31)
#define CR4_LA57     (1ull << 12)
#define EFER_LMA     (1ull << 10)
#define PTE_P        1u
#define PTE_RW       2u
#define PTE_US       4u
#define PTE_A        0x20u
#define PTE_D        0x40u
#define PTE_PS       0x80u
#define PTE_ADDRESS  0x000FFFFFFFFFF000ull
#define PF_P         1u
#define PF_W         2u
#define PF_U         4u
#define VECTOR_PF    14u
#define PAGE         4096u
#define MAX_LEVELS   5
#define PAGE_OF(a)   ((a) & ~(uint64_t)(PAGE - 1))
#define OFFSET_IN(a) ((uint32_t)(a) & (PAGE - 1))

bool guest_is_64(const struct vcpu *v)
{
    return v->vmcb.efer & EFER_LMA && v->vmcb.cs.attrib & VMCB_ATTRIB_L;
}

/* --- the walk */

static bool is_page(uint32_t level, uint64_t entry)
{
    return level == 1 || (entry & PTE_PS && level <= 3);
}

/* Entries' places, first level first; returns how many were gone through, 0 where one is not present. */
static uint32_t walk(const struct vmcb *b, uint64_t linear, uint64_t at[MAX_LEVELS], uint64_t *physical,
                     uint32_t *rights)
{
    uint64_t table = b->cr3 & PTE_ADDRESS;
    uint32_t n = 0;

    *rights = PTE_RW | PTE_US;
    for (uint32_t level = b->cr4 & CR4_LA57 ? 5 : 4; level > 0; level--) {
        uint32_t shift = 12 + (level - 1) * 9;
        uint64_t in_page = (1ull << shift) - 1, entry;

        at[n] = table + (linear >> shift & 511) * sizeof entry;
        entry = *(const volatile uint64_t *)at[n++];
        if (!(entry & PTE_P))
            return 0;
        *rights &= (uint32_t)entry;
        table = entry & PTE_ADDRESS;
        if (is_page(level, entry)) {
            *physical = (table & ~in_page) | (linear & in_page);
            return n;
        }
    }
    return 0;
}

bool guest_translate(const struct vcpu *v, uint64_t linear, bool write, uint64_t *physical, uint32_t *error)
{
    const struct vmcb *b = &v->vmcb;
    uint64_t at[MAX_LEVELS];
    uint32_t rights, n;
    bool user = b->cpl == 3;

    if (!guest_is_64(v))
        linear &= 0xFFFFFFFFu;
    if (!(b->cr0 & CR0_PG)) {
        *physical = linear;
        return true;
    }
    if (!(b->efer & EFER_LMA))
        panic("the guest has paging outside of IA-32e mode, CR4 and RIP:", b->cr4, b->rip);
    *error = (write ? PF_W : 0) | (user ? PF_U : 0);
    n = walk(b, linear, at, physical, &rights);
    if (n == 0)
        return false;
    if ((user && !(rights & PTE_US)) || (write && !(rights & PTE_RW) && (user || b->cr0 & CR0_WP))) {
        *error |= PF_P;
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = PTE_A | (write && i + 1 == n ? PTE_D : 0);

        if ((*(const volatile uint64_t *)at[i] & bits) != bits)
            __atomic_fetch_or((uint32_t *)at[i], bits, __ATOMIC_SEQ_CST);
    }
    return true;
}

bool guest_reach(struct vcpu *v, uint64_t linear, uint32_t bytes, bool write, struct guest_span *s)
{
    uint32_t left = PAGE - OFFSET_IN(linear), error = 0;
    uint64_t failed = linear;
    bool fine = guest_translate(v, linear, write, &s->physical[0], &error);

    s->first = bytes < left ? bytes : left;
    if (fine && s->first < bytes) {
        failed = linear + left;
        fine = guest_translate(v, failed, write, &s->physical[1], &error);
    }
    if (!fine) {
        v->vmcb.cr2 = failed;
        v->vmcb.eventinj = VECTOR_PF | EVENTINJ_EXCEPTION | EVENTINJ_V | EVENTINJ_EV | (uint64_t)error << 32;
    }
    return fine;
}

/* --- its code */

static uint64_t linear_rip(const struct vcpu *v)
{
    return guest_is_64(v) ? v->vmcb.rip : (v->vmcb.cs.base + v->vmcb.rip) & 0xFFFFFFFFu;
}

uint32_t guest_code(const struct vcpu *v, uint8_t code[INSN_MAX_LENGTH])
{
    uint64_t linear = linear_rip(v), physical = 0;
    uint32_t error, left = PAGE - OFFSET_IN(linear);

    for (uint32_t i = 0; i < INSN_MAX_LENGTH; i++) {
        if ((i == 0 || i == left) && !guest_translate(v, linear + i, false, &physical, &error))
            return i;
        code[i] = *(const volatile uint8_t *)physical++;
    }
    return INSN_MAX_LENGTH;
}

void guest_advance(struct vcpu *v, uint32_t length)
{
    v->vmcb.rip += length;
    v->vmcb.interrupt_shadow = 0;
    v->vmcb.rflags &= ~RFLAGS_RF;
}

/* Most exits come from few places: the page of the last one is remembered with its tables, and its code believed if it
 * is the instruction. */
bool guest_try_skip(struct vcpu *v, uint8_t opcode)
{
    uint64_t linear = linear_rip(v), page = PAGE_OF(linear);
    uint32_t offset = OFFSET_IN(linear), n, error;
    uint8_t code[INSN_MAX_LENGTH];

    if (v->code.linear == page && v->code.cr3 == v->vmcb.cr3 && offset < PAGE - 1) {
        const volatile uint8_t *at = (const volatile uint8_t *)(v->code.physical + offset);

        if (at[0] == 0x0F && at[1] == opcode) {
            guest_advance(v, 2);
            return true;
        }
    }
    n = guest_code(v, code);
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (code[i] != 0x0F)
            continue; /* a prefix: nothing else brings the guest here */
        if (code[i + 1] != opcode)
            return false;
        if (guest_translate(v, page, false, &v->code.physical, &error)) {
            v->code.linear = page;
            v->code.cr3 = v->vmcb.cr3;
        }
        guest_advance(v, i + 2);
        return true;
    }
    return false;
}

void guest_skip(struct vcpu *v, uint8_t opcode)
{
    if (!guest_try_skip(v, opcode))
        panic("no such instruction at the guest's RIP:", opcode, v->vmcb.rip);
}
