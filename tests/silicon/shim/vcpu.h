/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/vcpu.h: one processor of the virtual silicon, and the VMCB that its guest lives in.
 *
 * A vcpu is page-aligned memory that stays for ever and belongs to one processor. Its first page is the VMCB, so that
 * one pointer serves VMRUN, the assembly and C. Offsets that the assembly uses are macros, checked below.
 *
 * Source: AMD64 Architecture Programmer's Manual vol. 2 (24593), chapter 15 and appendix B, "Layout of VMCB".
 */
#pragma once

#define VMCB_CR4       0x548
#define VMCB_CR3       0x550
#define VMCB_CR0       0x558
#define VMCB_RFLAGS    0x570
#define VMCB_RIP       0x578
#define VMCB_RSP       0x5D8
#define VMCB_RAX       0x5F8
#define VCPU_STACK_TOP 0x5000 /* of the host's stack, which lies below; 0x1000 is the host save area       */
#define VCPU_REGS      0x5000 /* the guest's general registers in encoding order; RAX, RSP are in the VMCB */
#define VCPU_GUEST_GDT 0x5080 /* what LGDT and LIDT take, when the guest is left                           */
#define VCPU_GUEST_IDT 0x5090
#define VCPU_BYTES     0x6000
#define HOST_STUB      16 /* bytes of one of host_stubs[]                  */
#define HOST_IDT       16 /* in struct host_tables, the GDT being first */
#define HOST_CR3       32

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/shim/channel.h"

struct vmcb_segment {
    uint16_t selector;
    uint16_t attrib; /* descriptor bits 55:52 and 47:40 */
    uint32_t limit;
    uint64_t base;
};

struct vmcb {
    uint32_t intercept_cr, intercept_dr, intercept_exceptions;
    uint32_t intercept_1, intercept_2; /* VMCB_I1_*, VMCB_I2_* */
    uint8_t reserved_014[0x2C];
    uint64_t iopm_base_pa, msrpm_base_pa, tsc_offset; /* 040h */
    uint32_t guest_asid, tlb_control;                 /* 058h */
    uint64_t v_intr, interrupt_shadow;                /* 060h */
    uint64_t exitcode, exitinfo1, exitinfo2, exitintinfo;
    uint64_t np_enable; /* 090h */
    uint8_t reserved_098[0x10];
    uint64_t eventinj, n_cr3; /* 0A8h */
    uint8_t reserved_0b8[0x400 - 0xB8];
    struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr; /* 400h */
    uint8_t reserved_4a0[0x4CB - 0x4A0];
    uint8_t cpl; /* 4CBh */
    uint32_t reserved_4cc;
    uint64_t efer; /* 4D0h */
    uint8_t reserved_4d8[0x548 - 0x4D8];
    uint64_t cr4, cr3, cr0, dr7, dr6, rflags, rip; /* 548h */
    uint8_t reserved_580[0x5D8 - 0x580];
    uint64_t rsp; /* 5D8h */
    uint8_t reserved_5e0[0x5F8 - 0x5E0];
    uint64_t rax; /* 5F8h */
    uint8_t reserved_600[0x640 - 0x600];
    uint64_t cr2; /* 640h */
    uint8_t reserved_648[0x668 - 0x648];
    uint64_t g_pat; /* 668h */
    uint8_t reserved_670[0x1000 - 0x670];
};
_Static_assert(sizeof(struct vmcb) == 0x1000, "a VMCB is a page");
_Static_assert(offsetof(struct vmcb, iopm_base_pa) == 0x40, "iopm_base_pa");
_Static_assert(offsetof(struct vmcb, guest_asid) == 0x58, "guest_asid");
_Static_assert(offsetof(struct vmcb, exitcode) == 0x70, "exitcode");
_Static_assert(offsetof(struct vmcb, np_enable) == 0x90, "np_enable");
_Static_assert(offsetof(struct vmcb, eventinj) == 0xA8, "eventinj");
_Static_assert(offsetof(struct vmcb, es) == 0x400, "es");
_Static_assert(offsetof(struct vmcb, cpl) == 0x4CB, "cpl");
_Static_assert(offsetof(struct vmcb, efer) == 0x4D0, "efer");
_Static_assert(offsetof(struct vmcb, cr4) == VMCB_CR4, "cr4");
_Static_assert(offsetof(struct vmcb, cr3) == VMCB_CR3, "cr3");
_Static_assert(offsetof(struct vmcb, cr0) == VMCB_CR0, "cr0");
_Static_assert(offsetof(struct vmcb, rflags) == VMCB_RFLAGS, "rflags");
_Static_assert(offsetof(struct vmcb, rip) == VMCB_RIP, "rip");
_Static_assert(offsetof(struct vmcb, rsp) == VMCB_RSP, "rsp");
_Static_assert(offsetof(struct vmcb, rax) == VMCB_RAX, "rax");
_Static_assert(offsetof(struct vmcb, cr2) == 0x640, "cr2");
_Static_assert(offsetof(struct vmcb, g_pat) == 0x668, "g_pat");

#define VMCB_ATTRIB_L  (1u << 9) /* of CS: 64-bit mode */
#define VMCB_NP_ENABLE 1ull
#define VMCB_V_INTR_MASKING                                                                                            \
    (1ull << 24) /* of v_intr: the host's IF is for devices' interrupts, the guest's for injected ones */
#define VMCB_I1_INTR    (1u << 0)
#define VMCB_I1_RDTSC   (1u << 14) /* QEMU has RDTSCP leave for it as well */
#define VMCB_I1_RDPMC   (1u << 15)
#define VMCB_I1_HLT     (1u << 24)
#define VMCB_I1_INVD    (1u << 22)
#define VMCB_I1_CPUID   (1u << 18)
#define VMCB_I1_INVLPGA (1u << 26)
#define VMCB_I1_IOIO    (1u << 27)
#define VMCB_I1_MSR     (1u << 28)
#define VMCB_EX_UD      (1u << 6) /* of intercept_exceptions */
#define VMCB_EX_GP      (1u << 13)
#define VMCB_EX_PF      (1u << 14)
#define VMCB_I2_SVM     0x7Fu /* VMRUN, VMMCALL, VMLOAD, VMSAVE, STGI, CLGI, SKINIT */
#define VMCB_I2_RDTSCP  (1u << 7)
#define VMCB_I2_WBINVD  (1u << 9)

enum vmexit {
    VMEXIT_UD = 0x46, /* 40h and the exception vector */
    VMEXIT_GP = 0x4D, /* EXITINFO1: the error code    */
    VMEXIT_PF = 0x4E, /* EXITINFO2: the address       */
    VMEXIT_INTR = 0x60,
    VMEXIT_RDTSC = 0x6E,
    VMEXIT_RDPMC = 0x6F,
    VMEXIT_CPUID = 0x72,
    VMEXIT_INVD = 0x76,
    VMEXIT_HLT = 0x78,
    VMEXIT_INVLPGA = 0x7A,
    VMEXIT_IOIO = 0x7B,
    VMEXIT_MSR = 0x7C, /* EXITINFO1: 0 read, 1 write */
    VMEXIT_VMRUN = 0x80,
    VMEXIT_VMMCALL,
    VMEXIT_VMLOAD,
    VMEXIT_VMSAVE,
    VMEXIT_STGI,
    VMEXIT_CLGI,
    VMEXIT_SKINIT,
    VMEXIT_RDTSCP = 0x87,
    VMEXIT_WBINVD = 0x89,
    VMEXIT_NPF = 0x400, /* EXITINFO2: the physical address */
};

#define EVENTINJ_INTERRUPT  (0ull << 8)
#define EVENTINJ_TYPE       (7ull << 8)
#define EVENTINJ_EXCEPTION  (3ull << 8)
#define EVENTINJ_EV         (1ull << 11)
#define EVENTINJ_V          (1ull << 31)
#define EVENTINJ_CODE_SHIFT 32u

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI }; /* encoding order */

struct pseudo_descriptor {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

struct vcpu {
    struct vmcb vmcb;
    uint8_t host_save[0x1000];
    uint8_t stack[VCPU_STACK_TOP - 0x2000];
    uint64_t regs[16];
    struct pseudo_descriptor guest_gdt __attribute__((aligned(16)));
    struct pseudo_descriptor guest_idt __attribute__((aligned(16)));
    volatile struct channel_slot *slot;
    const void *msrpm, *iopm;
    uint64_t n_cr3; /* nested page tables */
    bool own_time;  /* RDTSC is the plugin's, and functions may be replaced (functions.h) */
    struct {        /* firmware's timer interrupt, in ticks of the plugin's time; all 0: QEMU sends it */
        uint64_t period, next;
        uint32_t vector;
        uint32_t still; /* QEMU's interrupts in firmware since the guest last left for anything else */
    } tick;
    bool pmi; /* the silicon has sent it an interrupt that its local APIC has not delivered yet */
    struct {
        bool waits;
        uint64_t since;
    } disk;
    struct {
        uint64_t linear, cr3, physical; /* the page of the last emulated instruction (guest.c) */
    } code;
    uint32_t apic_id;
    uint32_t start_page; /* its next SIPI's vector, written by the sender */
    uint32_t logical_id; /* of its local APIC, as the guest wrote it last: another's interrupts may go by it */
} __attribute__((aligned(4096)));
_Static_assert(offsetof(struct vcpu, regs) == VCPU_REGS, "regs");
_Static_assert(offsetof(struct vcpu, guest_gdt) == VCPU_GUEST_GDT, "guest_gdt");
_Static_assert(offsetof(struct vcpu, guest_idt) == VCPU_GUEST_IDT, "guest_idt");
_Static_assert(sizeof(struct vcpu) == VCPU_BYTES, "vcpu");

#define MSRPM_BYTES 0x2000u

/* Fill the two pages of an MSR permission map: everything leaves the guest but the registers that VMRUN does not touch
 * and software changes often (segment bases, SYSCALL and SYSENTER). Source: APM vol. 2 15.11 "MSR Intercepts". */
void vcpu_fill_msrpm(uint8_t msrpm[MSRPM_BYTES]);

/* What the host runs on, all of it in reserved memory, since an operating system takes firmware's tables away: page
 * tables and a GDT that know firmware's CS and SS, and an interrupt table of the shim's own, by which #GP of an MSR
 * instruction is fixed up and all else is a panic. Once, before anybody enters. */
void vcpu_make_host(uint64_t cr3, uint64_t gdt, uint16_t gdt_limit);

/* Put the calling processor, which v is of, into the guest: returns there, with everything else as it was.
 * msrpm, n_cr3, slot and apic_id are set. Interrupts may be on; they stay as they are. */
void vcpu_enter(struct vcpu *v);

/* Called in the guest: return out of it, with control registers, GDT and IDT as the guest has them now. */
void vcpu_leave(void);

/* Called in the guest: firmware begins to wait for a disk, and has what it waited for, of so many bytes. In between it
 * gets no timer interrupts, and what it does takes no time. */
void vcpu_device_begins(void);
void vcpu_device_ends(uint64_t bytes);

/* The APIC id of the calling processor, outside of the guest (CPUID leaf 1). */
uint32_t vcpu_apic_id(void);

/* Ring the doorbell of a slot with what stands in it; also from inside the guest. Returns enum channel_answer. */
uint32_t channel_ring(volatile struct channel_slot *slot, enum channel_op op);

/* Have the plugin refuse an APIC id that no vcpu is for. Any other vcpu shows where the slots are. */
_Noreturn void channel_refuse(struct vcpu *const *vcpus, uint32_t apic_id);

/* Say it on the first serial port. From anywhere. */
void complain(const char *what, uint64_t a, uint64_t b);

/* The same, and end QEMU through isa-debug-exit with status 251, or halt. */
_Noreturn void panic(const char *what, uint64_t a, uint64_t b);
#endif
