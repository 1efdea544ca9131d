/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/vcpu.c: a processor's way into the guest, the host that it leaves there, and the channel to the plugin.
 * What happens when the guest leaves for a moment is in exits.c.
 */
#include "tests/silicon/shim/vcpu_internal.h"

#define VECTOR_GP  13u
#define TICK_TRIES 100000000u

struct host_tables { /* enter.S knows where the parts are */
    struct pseudo_descriptor gdt __attribute__((aligned(16)));
    struct pseudo_descriptor idt __attribute__((aligned(16)));
    uint64_t cr3 __attribute__((aligned(16)));
};
_Static_assert(offsetof(struct host_tables, idt) == HOST_IDT && offsetof(struct host_tables, cr3) == HOST_CR3, "host");

void vcpu_enter_guest(struct vcpu *v, const struct host_tables *tables);
void vcpu_started(struct vcpu *v);
void host_gp(void);
extern const uint8_t host_stubs[32][HOST_STUB], host_interrupts[256 - 32][HOST_STUB];
void vcpu_prepared(struct vcpu *v); /* called by enter.S */
_Noreturn void host_faulted(uint64_t vector, uint64_t a, uint64_t b);

struct gate {
    uint16_t offset_0, selector, attributes, offset_16;
    uint32_t offset_32, reserved;
};
static struct gate host_gates[256];
static struct host_tables host;

static uint16_t cs_selector(void)
{
    uint16_t selector;

    __asm__("mov %%cs, %0" : "=r"(selector));
    return selector;
}

void vcpu_make_host(uint64_t cr3, uint64_t gdt, uint16_t gdt_limit)
{
    for (uint32_t i = 0; i < sizeof host_gates / sizeof host_gates[0]; i++) {
        uint64_t handler = (uint64_t)(i == VECTOR_GP ? (const void *)host_gp
                                      : i < 32       ? host_stubs[i]
                                                     : host_interrupts[i - 32]);

        host_gates[i] = (struct gate){
            .offset_0 = (uint16_t)handler,
            .selector = cs_selector(),
            .attributes = 0x8E00,
            .offset_16 = (uint16_t)(handler >> 16),
            .offset_32 = (uint32_t)(handler >> 32),
        };
    }
    host = (struct host_tables){
        .gdt = { gdt_limit, gdt },
        .idt = { sizeof host_gates - 1, (uint64_t)host_gates },
        .cr3 = cr3,
    };
}

/* --- panic */

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void serial_byte(char c)
{
    while (!(in8(0x3FD) & 0x20))
        ;
    out8(0x3F8, (uint8_t)c);
}

static void serial_text(const char *text)
{
    while (*text)
        serial_byte(*text++);
}

static void serial_hex(uint64_t value)
{
    serial_text(" 0x");
    for (int shift = 60; shift >= 0; shift -= 4)
        serial_byte("0123456789abcdef"[value >> shift & 15]);
}

void complain(const char *what, uint64_t a, uint64_t b)
{
    serial_text("\r\nsilicon shim: ");
    serial_text(what);
    serial_hex(a);
    serial_hex(b);
    serial_text("\r\n");
}

void panic(const char *what, uint64_t a, uint64_t b)
{
    complain(what, a, b);
    __asm__ volatile("outl %0, %1" : : "a"(125), "Nd"((uint16_t)0xF4));
    for (;;)
        __asm__ volatile("cli; hlt");
}

/* SDM vol. 3A table 6-1: which exceptions push an error code, before RIP. */
void host_faulted(uint64_t vector, uint64_t a, uint64_t b)
{
    panic("exception in the host, vector and RIP:", vector, 0x60227D00u >> vector & 1 ? b : a);
}

/* --- requests */

static uint64_t tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

uint32_t channel_ring(volatile struct channel_slot *slot, enum channel_op op)
{
    uint64_t value = slot->value, now = tsc(); /* first: in the guest this is a request by itself, in the same slot */

    slot->value = value;
    slot->op = op;
    slot->answer = CHANNEL_PENDING;
    slot->tsc = now;
    slot->doorbell = op; /* the answer is there when this store is done */
    if (slot->answer == CHANNEL_PENDING)
        panic("nobody answers the doorbell, operation and APIC id:", op, slot->apic_id);
    return slot->answer;
}

void channel_refuse(struct vcpu *const *vcpus, uint32_t apic_id)
{
    for (uint32_t i = 0; i < CHANNEL_SLOTS; i++) {
        if (vcpus[i]) {
            volatile struct channel_slot *slot = vcpus[i]->slot + apic_id - i;

            slot->apic_id = apic_id;
            channel_ring(slot, CHANNEL_HERE);
        }
    }
    panic("a processor started that the model does not have, APIC id:", apic_id, 0);
}

uint32_t vcpu_apic_id(void)
{
    uint32_t regs[4];

    native_cpuid(1, 0, regs);
    return regs[1] >> 24;
}

/* --- entering */

void vcpu_fill_msrpm(uint8_t msrpm[MSRPM_BYTES])
{
    static const uint32_t free_msrs[] = {
        0x174,       0x175,       0x176,                    /* SYSENTER_CS, _ESP, _EIP  */
        0xC0000081u, 0xC0000082u, 0xC0000083u, 0xC0000084u, /* STAR, LSTAR, CSTAR, FMASK */
        0xC0000100u, 0xC0000101u, 0xC0000102u,              /* FS, GS and kernel GS base */
    };

    for (uint32_t i = 0; i < MSRPM_BYTES; i++)
        msrpm[i] = 0xFF;
    for (uint32_t i = 0; i < sizeof free_msrs / sizeof free_msrs[0]; i++) {
        uint32_t msr = free_msrs[i];
        uint32_t bit = 2 * (msr & 0x1FFF) + (msr >= 0xC0000000u ? 0x800 * 8 : 0);

        msrpm[bit / 8] &= (uint8_t) ~(3u << bit % 8);
    }
}

static struct vmcb_segment segment_of(uint16_t selector, const struct pseudo_descriptor *gdt)
{
    struct vmcb_segment s = { .selector = selector };
    uint64_t d;

    if ((selector & ~7u) == 0)
        return s;
    d = *(const uint64_t *)(gdt->base + (selector & ~7u));
    s.attrib = (uint16_t)((d >> 40 & 0xFF) | (d >> 44 & 0xF00));
    s.limit = (uint32_t)((d & 0xFFFF) | (d >> 32 & 0xF0000));
    if (d >> 55 & 1)
        s.limit = s.limit << 12 | 0xFFF;
    s.base = (d >> 16 & 0xFFFFFF) | (d >> 32 & 0xFF000000);
    return s;
}

#define READ(into, from) __asm__ volatile("mov %%" from ", %0" : "=r"(into))

static void copy_state(struct vmcb *b)
{
    struct pseudo_descriptor gdt, idt;
    uint16_t es, cs, ss, ds;

    __asm__ volatile("sgdt %0" : "=m"(gdt));
    __asm__ volatile("sidt %0" : "=m"(idt));
    READ(es, "es");
    READ(cs, "cs");
    READ(ss, "ss");
    READ(ds, "ds");
    b->es = segment_of(es, &gdt);
    b->cs = segment_of(cs, &gdt);
    b->ss = segment_of(ss, &gdt);
    b->ds = segment_of(ds, &gdt);
    b->gdtr = (struct vmcb_segment){ .limit = gdt.limit, .base = gdt.base };
    b->idtr = (struct vmcb_segment){ .limit = idt.limit, .base = idt.base };
    READ(b->cr0, "cr0");
    READ(b->cr2, "cr2");
    READ(b->cr3, "cr3");
    READ(b->cr4, "cr4");
    READ(b->dr6, "dr6");
    READ(b->dr7, "dr7");
}

/* What both ways into the guest share. Returns EFER, with SVM on. */
static uint64_t begin(struct vcpu *v)
{
    struct vmcb *b = &v->vmcb;
    uint64_t efer = 0;
    uint32_t regs[4];

    if (native_rdmsr(MSR_EFER, &efer) || native_wrmsr(MSR_EFER, efer | EFER_SVME) ||
        native_wrmsr(MSR_VM_HSAVE_PA, (uint64_t)v->host_save))
        panic("no SVM here, EFER and APIC id:", efer, v->apic_id);
    for (volatile uint64_t *p = (uint64_t *)b, *end = p + sizeof *b / 8; p < end; p++)
        *p = 0;
    for (int i = 0; i < 16; i++)
        v->regs[i] = 0;
    b->intercept_1 = VMCB_I1_CPUID | VMCB_I1_INVD | VMCB_I1_INVLPGA | VMCB_I1_IOIO | VMCB_I1_MSR | VMCB_I1_RDPMC;
    b->intercept_2 = VMCB_I2_SVM | VMCB_I2_WBINVD;
    if (v->own_time) {
        b->intercept_1 |= VMCB_I1_RDTSC;
        b->intercept_2 |= VMCB_I2_RDTSCP;
        b->intercept_exceptions = VMCB_EX_GP | VMCB_EX_PF; /* of functions that were replaced */
    }
    native_cpuid(1, 0, regs);
    if (!(regs[3] & CPUID_1_CLFSH)) /* CLFLUSH is done by the shim, which sees what it flushes */
        b->intercept_exceptions |= VMCB_EX_UD;
    b->iopm_base_pa = (uint64_t)v->iopm;
    b->msrpm_base_pa = (uint64_t)v->msrpm;
    b->np_enable = VMCB_NP_ENABLE;
    b->n_cr3 = v->n_cr3;
    b->guest_asid = 1;
    b->tlb_control = 1;
    native_rdmsr(MSR_PAT, &b->g_pat);
    v->slot->apic_id = v->apic_id;
    channel_ring(v->slot, CHANNEL_HERE);
    return efer | EFER_SVME;
}

/* On the host's tables, before the guest runs. Firmware's timer interrupts come in QEMU's time, which is the host's: where
 * the silicon has its own, one is taken here, to learn its vector, and from then on exits.c gives the guest one a period
 * of that time, while those that QEMU sends end in the host. */
void vcpu_prepared(struct vcpu *v)
{
    for (uint32_t i = 0; v->tick.period && !v->tick.vector && i < TICK_TRIES; i++) {
        v->tick.vector = host_interrupt();
        __builtin_ia32_pause();
    }
    vcpu_own_ticks(v);
}

void vcpu_enter(struct vcpu *v)
{
    v->vmcb.efer = begin(v);
    copy_state(&v->vmcb);
    vcpu_enter_guest(v, &host);
}

void vcpu_leave(void)
{
    uint64_t efer = 0;

    vcpu_leave_guest();
    if (native_rdmsr(MSR_EFER, &efer) == 0)
        native_wrmsr(MSR_EFER, efer & ~EFER_SVME);
}

/* The processor comes from the trampoline: the guest begins as a SIPI begins. SDM vol. 3A table 9-1, column INIT, and
 * 8.4.3 "MP Initialization Protocol". */
void vcpu_started(struct vcpu *v)
{
    const struct vmcb_segment data = { .attrib = 0x93, .limit = 0xFFFF };
    const struct vmcb_segment table = { .limit = 0xFFFF };
    struct vmcb *b = &v->vmcb;
    uint32_t page = __atomic_load_n(&v->start_page, __ATOMIC_SEQ_CST), regs[4];

    begin(v);
    __asm__ volatile("lidt %0" : : "m"(host.idt));
    native_cpuid(1, 0, regs);
    b->efer = EFER_SVME;
    b->cs = (struct vmcb_segment){
        .selector = (uint16_t)(page << 8), .attrib = 0x9B, .limit = 0xFFFF, .base = (uint64_t)page << 12
    };
    b->ds = b->es = b->ss = data;
    b->gdtr = b->idtr = table;
    b->cr0 = 0x60000010;
    b->dr6 = 0xFFFF0FF0;
    b->dr7 = 0x400;
    b->rflags = 2;
    v->regs[RDX] = regs[0];
}
