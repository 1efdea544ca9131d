/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/vcpu.c: what happens when the guest leaves for a moment.
 *
 * CPUID, RDMSR, WRMSR, WBINVD and INVD go to the plugin; its word counts. What the model does not own is executed here,
 * on the underlying processor. The SVM instructions and registers do not exist for the guest: it sees no hypervisor by
 * them.
 */
#include "tests/silicon/shim/vcpu.h"
#include "tests/silicon/emulate/guest.h"
#include "tests/silicon/emulate/trap.h"

#define MSR_EFER        0xC0000080u
#define EFER_SVME       (1ull << 12)
#define EFER_LMA        (1ull << 10)
#define EFER_GUEST      0xD01ull /* SCE, LME, LMA, NXE: what the guest may see and set */
#define MSR_PAT         0x277u
#define MSR_VM_CR       0xC0010114u
#define MSR_VM_HSAVE_PA 0xC0010117u
#define MSR_SVM_KEY     0xC0010118u
#define CR4_OSXSAVE     (1ull << 18)
#define CR4_PKE         (1ull << 22)
#define VECTOR_UD       6u
#define VECTOR_GP       13u

struct host_tables { /* enter.S knows where the parts are */
    struct pseudo_descriptor gdt __attribute__((aligned(16)));
    struct pseudo_descriptor idt __attribute__((aligned(16)));
    uint64_t cr3 __attribute__((aligned(16)));
};
_Static_assert(offsetof(struct host_tables, idt) == HOST_IDT && offsetof(struct host_tables, cr3) == HOST_CR3, "host");

void vcpu_enter_guest(struct vcpu *v, const struct host_tables *tables);
void vcpu_leave_guest(void);
int vcpu_exit(struct vcpu *v);
void vcpu_started(struct vcpu *v);
int native_rdmsr(uint32_t msr, uint64_t *value);
int native_wrmsr(uint32_t msr, uint64_t value);
void host_gp(void);
extern const uint8_t host_stubs[32][HOST_STUB];
_Noreturn void host_faulted(uint64_t vector, uint64_t a, uint64_t b);

struct gate {
    uint16_t offset_0, selector, attributes, offset_16;
    uint32_t offset_32, reserved;
};
static struct gate host_gates[32];
static struct host_tables host;

static uint16_t cs_selector(void)
{
    uint16_t selector;

    __asm__("mov %%cs, %0" : "=r"(selector));
    return selector;
}

void vcpu_make_host(uint64_t cr3, uint64_t gdt, uint16_t gdt_limit)
{
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t handler = (uint64_t)(i == VECTOR_GP ? (const void *)host_gp : host_stubs[i]);

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
    slot->op = op;
    slot->answer = CHANNEL_PENDING;
    slot->tsc = tsc();
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

static void native_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    __asm__ volatile("cpuid" : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3]) : "a"(leaf), "c"(subleaf));
}

uint32_t vcpu_apic_id(void)
{
    uint32_t regs[4];

    native_cpuid(1, 0, regs);
    return regs[1] >> 24;
}

/* --- the guest's instructions */

static void inject(struct vcpu *v, uint32_t vector, bool error_code)
{
    v->vmcb.eventinj = vector | EVENTINJ_EXCEPTION | EVENTINJ_V | (error_code ? EVENTINJ_EV : 0); /* code 0 */
}

static void emulate_cpuid(struct vcpu *v)
{
    volatile struct channel_slot *s = v->slot;
    uint32_t leaf = (uint32_t)v->vmcb.rax, subleaf = (uint32_t)v->regs[RCX];
    uint32_t regs[4];

    native_cpuid(leaf, subleaf, regs);
    if (leaf == 1) /* these two mirror CR4, and the guest's is meant */
        regs[2] = (regs[2] & ~(1u << 27)) | (v->vmcb.cr4 & CR4_OSXSAVE ? 1u << 27 : 0);
    if (leaf == 7 && subleaf == 0)
        regs[2] = (regs[2] & ~(1u << 4)) | (v->vmcb.cr4 & CR4_PKE ? 1u << 4 : 0);
    if (leaf == 0x80000001u)
        regs[2] &= ~(1u << 2 | 1u << 12); /* SVM, SKINIT */
    if (leaf == 0x8000000Au)
        regs[0] = regs[1] = regs[2] = regs[3] = 0;
    s->number = leaf;
    s->subleaf = subleaf;
    for (int i = 0; i < 4; i++)
        s->regs[i] = regs[i];
    channel_ring(s, CHANNEL_CPUID);
    v->vmcb.rax = s->regs[0];
    v->regs[RBX] = s->regs[1];
    v->regs[RCX] = s->regs[2];
    v->regs[RDX] = s->regs[3];
    guest_skip(v, 0xA2);
}

static bool is_svm_register(uint32_t msr)
{
    return msr == MSR_VM_CR || msr == MSR_VM_HSAVE_PA || msr == MSR_SVM_KEY;
}

/* SDM vol. 3A 11.12.2 "IA32_PAT MSR": eight memory types, each UC, WC, WT, WP, WB or UC-. */
static bool pat_is_valid(uint64_t value)
{
    for (uint32_t i = 0; i < 8; i++) {
        uint8_t type = (uint8_t)(value >> 8 * i);

        if (type > 7 || type == 2 || type == 3)
            return false;
    }
    return true;
}

/* EFER and PAT are part of the VMCB. EFER's SVME bit must be set in a guest: the guest sees and sets the rest. */
static bool read_own_msr(struct vcpu *v, uint32_t msr, uint64_t *value)
{
    if (is_svm_register(msr))
        return false;
    if (msr == MSR_EFER)
        *value = v->vmcb.efer & ~EFER_SVME;
    else if (msr == MSR_PAT)
        *value = v->vmcb.g_pat;
    else
        return native_rdmsr(msr, value) == 0;
    return true;
}

static bool write_own_msr(struct vcpu *v, uint32_t msr, uint64_t value)
{
    if (is_svm_register(msr))
        return false;
    if (msr == MSR_PAT) {
        if (!pat_is_valid(value))
            return false;
        v->vmcb.g_pat = value;
        return true;
    }
    if (msr != MSR_EFER)
        return native_wrmsr(msr, value) == 0;
    if (value & ~EFER_GUEST)
        return false;
    v->vmcb.efer = (value & ~EFER_LMA) | (v->vmcb.efer & EFER_LMA) | EFER_SVME;
    return true;
}

static void emulate_rdmsr(struct vcpu *v)
{
    volatile struct channel_slot *s = v->slot;
    uint32_t msr = (uint32_t)v->regs[RCX], answer;
    uint64_t value = 0;
    bool fine = true;

    s->number = msr;
    s->value = 0;
    answer = channel_ring(s, CHANNEL_RDMSR);
    if (answer == CHANNEL_DONE)
        value = s->value;
    else
        fine = answer == CHANNEL_NOT_MINE && read_own_msr(v, msr, &value);
    if (!fine) {
        inject(v, VECTOR_GP, true);
        return;
    }
    v->vmcb.rax = (uint32_t)value;
    v->regs[RDX] = value >> 32;
    guest_skip(v, 0x32);
}

static void emulate_wrmsr(struct vcpu *v)
{
    volatile struct channel_slot *s = v->slot;
    uint32_t msr = (uint32_t)v->regs[RCX], answer;
    uint64_t value = (uint64_t)(uint32_t)v->regs[RDX] << 32 | (uint32_t)v->vmcb.rax;

    s->number = msr;
    s->value = value;
    answer = channel_ring(s, CHANNEL_WRMSR);
    if (answer == CHANNEL_DONE || (answer == CHANNEL_NOT_MINE && write_own_msr(v, msr, value)))
        guest_skip(v, 0x30);
    else
        inject(v, VECTOR_GP, true);
}

/* INVD drops what WBINVD writes back; the model has no data to lose, and both empty the cache. */
static void emulate_wbinvd(struct vcpu *v, uint8_t opcode)
{
    channel_ring(v->slot, CHANNEL_WBINVD);
    guest_skip(v, opcode);
}

/* Called with the guest's state in v. Returns 0 to go on in the guest, 1 to leave it. */
int vcpu_exit(struct vcpu *v)
{
    v->vmcb.eventinj = v->vmcb.exitintinfo & EVENTINJ_V ? v->vmcb.exitintinfo : 0; /* an event on its way is not lost */
    v->vmcb.tlb_control = 0; /* flushed at the first VMRUN; the tables do not change after that */
    switch (v->vmcb.exitcode) {
    case VMEXIT_CPUID:
        emulate_cpuid(v);
        return 0;
    case VMEXIT_MSR:
        if (v->vmcb.exitinfo1 & 1)
            emulate_wrmsr(v);
        else
            emulate_rdmsr(v);
        return 0;
    case VMEXIT_WBINVD:
        emulate_wbinvd(v, 0x09);
        return 0;
    case VMEXIT_INVD:
        emulate_wbinvd(v, 0x08);
        return 0;
    case VMEXIT_VMMCALL:
        if (v->vmcb.rip == (uint64_t)vcpu_leave_guest) {
            v->guest_gdt = (struct pseudo_descriptor){ (uint16_t)v->vmcb.gdtr.limit, v->vmcb.gdtr.base };
            v->guest_idt = (struct pseudo_descriptor){ (uint16_t)v->vmcb.idtr.limit, v->vmcb.idtr.base };
            return 1;
        }
        inject(v, VECTOR_UD, false);
        return 0;
    case VMEXIT_VMRUN:
    case VMEXIT_VMLOAD:
    case VMEXIT_VMSAVE:
    case VMEXIT_STGI:
    case VMEXIT_CLGI:
    case VMEXIT_SKINIT:
    case VMEXIT_INVLPGA:
        inject(v, VECTOR_UD, false);
        return 0;
    case VMEXIT_NPF:
        trap_memory(v);
        return 0;
    case VMEXIT_IOIO:
        trap_port(v);
        return 0;
    default:
        panic("the guest left for an unknown reason, EXITCODE and RIP:", v->vmcb.exitcode, v->vmcb.rip);
    }
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

    if (native_rdmsr(MSR_EFER, &efer) || native_wrmsr(MSR_EFER, efer | EFER_SVME) ||
        native_wrmsr(MSR_VM_HSAVE_PA, (uint64_t)v->host_save))
        panic("no SVM here, EFER and APIC id:", efer, v->apic_id);
    for (volatile uint64_t *p = (uint64_t *)b, *end = p + sizeof *b / 8; p < end; p++)
        *p = 0;
    for (int i = 0; i < 16; i++)
        v->regs[i] = 0;
    b->intercept_1 = VMCB_I1_CPUID | VMCB_I1_INVD | VMCB_I1_INVLPGA | VMCB_I1_IOIO | VMCB_I1_MSR;
    b->intercept_2 = VMCB_I2_SVM | VMCB_I2_WBINVD;
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
