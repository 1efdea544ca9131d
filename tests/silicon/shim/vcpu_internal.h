/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/vcpu_internal.h: what vcpu.c and exits.c share: the underlying processor's own registers. */
#pragma once
#include "tests/silicon/shim/vcpu.h"

#define MSR_EFER        0xC0000080u
#define EFER_SVME       (1ull << 12)
#define EFER_LMA        (1ull << 10)
#define EFER_GUEST      0xD01ull   /* SCE, LME, LMA, NXE: what the guest may see and set */
#define CPUID_1_CLFSH   (1u << 19) /* of EDX */
#define MSR_PAT         0x277u
#define MSR_TSC_AUX     0xC0000103u
#define MSR_VM_CR       0xC0010114u
#define MSR_VM_HSAVE_PA 0xC0010117u
#define MSR_SVM_KEY     0xC0010118u

/* enter.S. 0, or not 0 where the processor raised #GP. */
int native_rdmsr(uint32_t msr, uint64_t *value);
int native_wrmsr(uint32_t msr, uint64_t value);
/* enter.S: leaves the guest by a VMMCALL. */
void vcpu_leave_guest(void);
/* enter.S: take a device's interrupt that is pending; its vector or 0. */
uint32_t host_interrupt(void);

/* Devices' interrupts and HLT leave the guest of a processor whose timer interrupts the shim sends. */
static inline void vcpu_own_ticks(struct vcpu *v)
{
    if (!v->tick.vector)
        return;
    v->vmcb.v_intr |= VMCB_V_INTR_MASKING;
    v->vmcb.intercept_1 |= VMCB_I1_INTR | VMCB_I1_HLT;
}

static inline void native_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    __asm__ volatile("cpuid" : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3]) : "a"(leaf), "c"(subleaf));
}
