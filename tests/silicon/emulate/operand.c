/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/emulate/operand.h"

#define MSR_FSBASE 0xC0000100u
#define MSR_GSBASE 0xC0000101u

int native_rdmsr(uint32_t msr, uint64_t *value);

/* The host uses no FS and GS, so the guest's are in the processor and not in the VMCB. */
uint64_t operand_segment(enum insn_segment segment)
{
    uint64_t base = 0;

    if (segment != SEGMENT_NONE)
        native_rdmsr(segment == SEGMENT_FS ? MSR_FSBASE : MSR_GSBASE, &base);
    return base;
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
    uint64_t offset = register_of(v, i, a->base) + register_of(v, i, a->index) * a->scale + a->displacement;

    if (i->address_bytes < 8)
        offset &= (1ull << 8 * i->address_bytes) - 1;
    return offset + operand_segment(i->segment);
}
