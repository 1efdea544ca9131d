/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/emulate/operand.h"

#include "tests/silicon/emulate/guest.h"

#define MSR_FSBASE 0xC0000100u
#define MSR_GSBASE 0xC0000101u

int native_rdmsr(uint32_t msr, uint64_t *value);

/* The host uses no FS and GS, so the guest's are in the processor and not in the VMCB. */
uint64_t operand_segment(const struct vcpu *v, enum insn_segment segment)
{
    const struct vmcb *b = &v->vmcb;
    uint64_t base = 0;

    if (segment == SEGMENT_FS || segment == SEGMENT_GS) {
        native_rdmsr(segment == SEGMENT_FS ? MSR_FSBASE : MSR_GSBASE, &base);
        return base;
    }
    if (guest_bits(v) == 64)
        return 0;
    return segment == SEGMENT_ES   ? b->es.base
           : segment == SEGMENT_CS ? b->cs.base
           : segment == SEGMENT_SS ? b->ss.base
                                   : b->ds.base;
}

static uint64_t register_of(const struct vcpu *v, const struct insn *i, uint32_t reg)
{
    switch (reg) {
    case INSN_NO_REGISTER:
        return 0;
    case INSN_RIP:
        return v->vmcb.rip + i->length;
    case RAX:
        return v->vmcb.rax;
    case RSP:
        return v->vmcb.rsp;
    default:
        return v->regs[reg];
    }
}

uint64_t operand_linear(const struct vcpu *v, const struct insn *i)
{
    const struct insn_address *a = &i->address;
    bool stack = a->base == RSP || a->base == RBP; /* SS is the default there, SDM vol. 1 table 3-5 */
    uint64_t offset = register_of(v, i, a->base) + register_of(v, i, a->index) * a->scale + a->displacement;
    enum insn_segment segment = i->segment != SEGMENT_NONE ? i->segment : stack ? SEGMENT_SS : SEGMENT_DS;

    if (i->address_bytes < 8)
        offset &= (1ull << 8 * i->address_bytes) - 1;
    offset += operand_segment(v, segment);
    return guest_bits(v) == 64 ? offset : (uint32_t)offset;
}
