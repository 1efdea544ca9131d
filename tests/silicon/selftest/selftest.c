/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/selftest/selftest.c: an EFI application that uses the virtual silicon as a payload may.
 *
 * Prints a line "CHECK name ok" or "CHECK name BAD what: value" for each thing, then "SELFTEST END n bad", and ends as
 * its LoadOptions say: "return", "port" (isa-debug-exit with value 9) or "shutdown". tests/drivers/silicon-selftest
 * runs it and judges.
 *
 * With "buses" it only looks at what bus.c knows of, which any profile may have; it returns then.
 *
 * The expectations about CPUID and MSRs are those of the bdx profile (Xeon E5 v4): leaf 7 EBX bit 12, leaves 0FH and
 * 10H, IA32_PQR_ASSOC, IA32_QM_EVTSEL and IA32_QM_CTR (SDM vol. 3B 17.16 and 17.17).
 */
#include "tests/silicon/selftest/selftest.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);
int try_vmmcall(void);
int try_vmrun(void);
void gp_vector(void);
void ud_vector(void);
void pf_vector(void);
void df_vector(void);
void *memcpy(void *to, const void *from, unsigned long n);

#define IA32_QM_EVTSEL 0xC8Du
#define IA32_QM_CTR    0xC8Eu
#define MSR_EFER       0xC0000080u
#define MAX_APS        256u
#define TSC_TICKS_MOST 1000000000ull /* in which firmware has some 40 timer interrupts */

typedef VOID(EFIAPI *AP_PROCEDURE)(VOID *argument);
typedef struct mp_services MP_SERVICES;
struct mp_services {
    EFI_STATUS(EFIAPI *get_number)(MP_SERVICES *mp, UINTN *all, UINTN *enabled);
    VOID *get_info;
    EFI_STATUS(EFIAPI *startup_all)
    (MP_SERVICES *mp, AP_PROCEDURE procedure, BOOLEAN single, EFI_EVENT event, UINTN timeout_us, VOID *argument,
     UINTN **failed);
    EFI_STATUS(EFIAPI *startup_this)
    (MP_SERVICES *mp, AP_PROCEDURE procedure, UINTN number, EFI_EVENT event, UINTN timeout_us, VOID *argument,
     BOOLEAN *finished);
    VOID *switch_bsp, *enable_disable;
    EFI_STATUS(EFIAPI *who_am_i)(MP_SERVICES *mp, UINTN *number);
};

struct pseudo_descriptor {
    UINT16 limit;
    UINT64 base;
} __attribute__((packed));
struct gate {
    UINT64 low, high;
};

EFI_SYSTEM_TABLE *st;
static MP_SERVICES *mp;
static UINTN bad, processors;
static struct gate gates[256] __attribute__((aligned(16)));

/* --- saying */

static void print(const CHAR16 *text)
{
    st->ConOut->OutputString(st->ConOut, (CHAR16 *)text);
}

static void print_hex(UINT64 value)
{
    CHAR16 text[19] = L"0x", *p = text + 2;

    for (int shift = 60; shift >= 0; shift -= 4) {
        if (value >> shift || shift == 0)
            *p++ = L"0123456789abcdef"[value >> shift & 15];
    }
    *p = 0;
    print(text);
}

void check(const CHAR16 *name, BOOLEAN fine, UINT64 value)
{
    print(L"CHECK ");
    print(name);
    print(fine ? L" ok " : L" BAD ");
    print_hex(value);
    print(L"\r\n");
    bad += !fine;
}

void skip(const CHAR16 *name, const CHAR16 *why)
{
    print(L"SKIP ");
    print(name);
    print(L" ");
    print(why);
    print(L"\r\n");
}

/* --- the machine */

static void cpuid(UINT32 leaf, UINT32 subleaf, UINT32 r[4])
{
    __asm__ volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf), "c"(subleaf));
}

static UINT64 rdtsc(void)
{
    UINT32 low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (UINT64)high << 32 | low;
}

static void set_gate(UINTN vector, void (*handler)(void))
{
    UINT64 at = (UINT64)handler;

    gates[vector].low = (gates[vector].low & 0x0000FFFFFFFF0000ull) | (at & 0xFFFF) | (at >> 16 & 0xFFFF) << 48;
    gates[vector].high = at >> 32;
}

static struct pseudo_descriptor take_vectors(void)
{
    struct pseudo_descriptor old, own = { sizeof gates - 1, (UINT64)gates };

    __asm__ volatile("sidt %0" : "=m"(old));
    __asm__ volatile("lidt %0" : : "m"(own));
    return old;
}

static void give_vectors_back(struct pseudo_descriptor old)
{
    __asm__ volatile("lidt %0" : : "m"(old));
}

static UINT64 read_ctr(UINT32 rmid, UINT32 event)
{
    UINT64 value = 0;

    try_wrmsr(IA32_QM_EVTSEL, (UINT64)rmid << 32 | event);
    try_rdmsr(IA32_QM_CTR, &value);
    return value;
}

UINT64 occupancy(UINT32 rmid)
{
    UINT32 r[4];

    cpuid(0xF, 1, r);
    return read_ctr(rmid, 1) * r[1];
}

/* --- on the boot processor */

static void check_msrs(void)
{
    UINT64 value = 0, before = ~0ull;
    int first, second;
    UINT32 r[4];

    cpuid(0x80000001u, 0, r);
    check(L"svm-is-hidden", !(r[2] >> 2 & 1), r[2]);
    first = try_rdmsr(IA32_PQR_ASSOC, &before);
    check(L"pqr-readable", first == 0, before);
    first = try_wrmsr(IA32_PQR_ASSOC, 3);
    second = try_rdmsr(IA32_PQR_ASSOC, &value);
    check(L"pqr-keeps-what-is-written", first == 0 && second == 0 && value == 3, value);
    first = try_wrmsr(IA32_PQR_ASSOC, 1ull << 20);
    check(L"pqr-reserved-bit-gp", first == 13, (UINT64)first);
    try_rdmsr(IA32_PQR_ASSOC, &value);
    check(L"pqr-unchanged-by-gp", value == 3, value);
    try_wrmsr(IA32_PQR_ASSOC, before);
    check(L"ctr-write-gp", try_wrmsr(IA32_QM_CTR, 0) == 13, 0);
    value = read_ctr(0, 0xEE);
    check(L"bad-event-is-error", value >> 63, value);
    first = try_rdmsr(MSR_EFER, &value);
    check(L"efer-hides-svme", first == 0 && value == 0xD00, value);
    check(L"efer-svme-gp", try_wrmsr(MSR_EFER, value | 0x1000) == 13, value);
    first = try_wrmsr(MSR_EFER, value | 1);
    second = try_rdmsr(MSR_EFER, &before);
    check(L"efer-writable", first == 0 && second == 0 && before == (value | 1), before);
    try_wrmsr(MSR_EFER, value);
    check(L"svm-register-gp", try_rdmsr(0xC0010117u, &value) == 13, 0);
    first = try_rdmsr(0x1B, &value);
    check(L"apic-base-passes", first == 0 && value >> 12 == 0xFEE00, value);
    first = try_wrmsr(0xC0000103u, 0x1234);
    second = try_rdmsr(0xC0000103u, &value);
    check(L"unowned-msr-keeps-its-value", first == 0 && second == 0 && value == 0x1234, value);
    check(L"vmmcall-ud", try_vmmcall() == 6, 0);
    check(L"vmrun-ud", try_vmrun() == 6, 0);
}

/* The functions that the shim replaces at their first exit: registers of the silicon, of the underlying processor, faults. */
static void check_msr_functions(void)
{
    UINT64 before = ~0ull, value = 0;
    int first, second;

    first = insn_rdmsr(IA32_PQR_ASSOC, &before);
    second = insn_wrmsr(IA32_PQR_ASSOC, 2);
    check(L"rdmsr-function-is-replaced", first == 0 && *(const UINT8 *)insn_rdmsr == 0xE9, before);
    check(L"wrmsr-function-is-replaced", second == 0 && *(const UINT8 *)insn_wrmsr == 0xE9, 0);
    insn_wrmsr(IA32_PQR_ASSOC, 3ull << 32 | 5);
    insn_rdmsr(IA32_PQR_ASSOC, &value);
    check(L"msr-functions-keep-64-bits", value == (3ull << 32 | 5), value);
    check(L"wrmsr-function-gp", insn_wrmsr(IA32_PQR_ASSOC, 1ull << 20) == 13, 0);
    check(L"rdmsr-function-gp", insn_rdmsr(0xC0010117u, &value) == 13, 0);
    try_rdmsr(IA32_PQR_ASSOC, &value);
    check(L"msr-functions-are-the-instructions", value == (3ull << 32 | 5), value);
    insn_wrmsr(IA32_PQR_ASSOC, before);
    first = insn_wrmsr(0xC0000103u, 0x123456789ull);
    second = insn_rdmsr(0xC0000103u, &value);
    check(L"msr-functions-of-an-unowned-msr", first == 0 && second == 0 && value == 0x123456789ull, value);
}

/* A #PF whose own gate is beyond the IDT's limit: #GP while it is delivered. */
static void check_double_fault(void)
{
    struct pseudo_descriptor own, less;
    UINT64 value = 0;
    int vector;

    __asm__ volatile("cli\n\tsidt %0" : "=m"(own));
    less = own;
    less.limit = 14 * sizeof gates[0] - 1;
    __asm__ volatile("lidt %0" : : "m"(less));
    vector = insn_read32((volatile void *)(1ull << 46), &value);
    __asm__ volatile("lidt %0\n\tsti" : : "m"(own));
    check(L"double-fault", vector == 8, (UINT64)vector);
}

static void check_xcr0(void)
{
    UINT64 cr4, changed;
    UINT32 r[4], low, high;

    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    cpuid(1, 0, r);
    check(L"osxsave-mirrors-cr4-clear", (r[2] >> 27 & 1) == (cr4 >> 18 & 1), r[2]);
    if (!(r[2] >> 26 & 1))
        return;
    changed = cr4 | 1ull << 18;
    __asm__ volatile("mov %0, %%cr4" : : "r"(changed));
    cpuid(1, 0, r);
    check(L"osxsave-mirrors-cr4-set", r[2] >> 27 & 1, r[2]);
    __asm__ volatile("xsetbv" : : "a"(3), "d"(0), "c"(0));
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    check(L"xcr0-set", low == 3, low);
    __asm__ volatile("xsetbv" : : "a"(1), "d"(0), "c"(0));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4));
}

/* SSE registers must outlive an exit, whatever the host did with them. */
static void check_sse(void)
{
    UINT64 in[2] = { 0x1122334455667788ull, 0x99AABBCCDDEEFF00ull }, out[2] = { 0, 0 };
    UINT32 a = 0, b, c = 0, d;

    __asm__ volatile("movups %5, %%xmm5\n\tcpuid\n\tmovups %%xmm5, %4"
                     : "+a"(a), "=&b"(b), "+c"(c), "=&d"(d), "=m"(out)
                     : "m"(in)
                     : "xmm5");
    check(L"sse-outlives-an-exit", in[0] == out[0] && in[1] == out[1], b | d);
}

static UINTN ticks;
static VOID EFIAPI tick(EFI_EVENT, VOID *)
{
    UINT32 r[4];

    cpuid(1, 0, r); /* an exit from inside an interrupt */
    ticks++;
}

static void check_interrupts(void)
{
    EFI_EVENT event;
    UINT64 value;

    st->BootServices->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, tick, NULL, &event);
    st->BootServices->SetTimer(event, TimerPeriodic, 100000);
    for (UINTN i = 0; i < 2000; i++) {
        try_rdmsr(IA32_PQR_ASSOC, &value);
        st->BootServices->Stall(100);
    }
    st->BootServices->CloseEvent(event);
    check(L"timer-ticks-arrive", ticks >= 3, ticks);
}

/* RDTSC and the function that the shim replaces are of one clock, and a loop that leaves the guest by neither has its timer
 * interrupts. */
static void check_tsc(void)
{
    UINT64 start = rdtsc(), last = start, back = 0;
    EFI_EVENT event;

    for (UINTN i = 0; i < 1000; i++) {
        UINT64 now = i % 2 ? rdtsc() : insn_rdtsc();

        back += now <= last;
        last = now;
    }
    check(L"tsc-increases", back == 0, back);
    check(L"tsc-function-is-replaced", *(const UINT8 *)insn_rdtsc == 0xE9, *(const UINT8 *)insn_rdtsc);
    ticks = 0;
    st->BootServices->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, tick, NULL, &event);
    st->BootServices->SetTimer(event, TimerPeriodic, 100000);
    for (start = insn_rdtsc(); *(volatile UINTN *)&ticks < 3 && insn_rdtsc() - start < TSC_TICKS_MOST;)
        ;
    st->BootServices->CloseEvent(event);
    check(L"timer-ticks-arrive-between-tscs", ticks >= 3, ticks);
}

/* --- on the others */

static struct {
    volatile UINT32 runs, wrong, stop;
    volatile UINT64 first_wrong;
} aps;
static UINT64 seen_rmid[MAX_APS];

static void ap_work(UINT32 times)
{
    struct pseudo_descriptor old = take_vectors();
    UINT64 wrong = 0, value = 0;
    UINT32 r[4];
    UINTN me = 0;

    mp->who_am_i(mp, &me);
    for (UINT32 i = 0; i < times; i++) {
        cpuid(0xF, 1, r);
        wrong |= !(r[3] & 1) << 0;
        wrong |= (UINT64)(try_wrmsr(IA32_PQR_ASSOC, me % 8) != 0) << 1;
        wrong |= (UINT64)(try_rdmsr(IA32_PQR_ASSOC, &value) != 0 || value != me % 8) << 2;
        wrong |= (UINT64)(try_wrmsr(IA32_PQR_ASSOC, 1ull << 31) != 13) << 3;
        wrong |= (UINT64)(try_wrmsr(IA32_PQR_ASSOC, 0) != 0) << 4;
    }
    seen_rmid[me % MAX_APS] = value;
    give_vectors_back(old);
    if (wrong) {
        __atomic_fetch_add(&aps.wrong, 1, __ATOMIC_SEQ_CST);
        aps.first_wrong = wrong << 32 | me;
    }
    __atomic_fetch_add(&aps.runs, 1, __ATOMIC_SEQ_CST);
}

static VOID EFIAPI ap_once(VOID *argument)
{
    ap_work(*(UINT32 *)argument);
}

static VOID EFIAPI ap_until_stopped(VOID *argument)
{
    ap_work(*(UINT32 *)argument);
    while (!aps.stop)
        __asm__ volatile("pause");
}

static void check_aps(void)
{
    UINT32 times = 20;
    UINTN enabled = 0, index;
    EFI_EVENT event;
    EFI_STATUS status;

    mp->get_number(mp, &processors, &enabled);
    check(L"processors", processors == enabled && processors <= MAX_APS, processors);
    if (processors < 2)
        return;
    for (int round = 1; round <= 2; round++) {
        status = mp->startup_all(mp, ap_once, FALSE, NULL, 0, &times, NULL);
        check(L"blocking-start", status == 0 && aps.runs == (UINT32)round * (processors - 1), aps.runs);
    }
    status = mp->startup_this(mp, ap_once, 1, NULL, 0, &times, NULL);
    check(L"this-ap", status == 0 && aps.runs == 2 * (processors - 1) + 1, aps.runs);
    aps.runs = 0;
    st->BootServices->CreateEvent(0, 0, NULL, NULL, &event);
    status = mp->startup_all(mp, ap_until_stopped, FALSE, event, 0, &times, NULL);
    check(L"non-blocking-start", status == 0, status);
    if (status == 0) {
        for (UINTN i = 0; i < 2000 && aps.runs < processors - 1; i++)
            st->BootServices->Stall(10000);
        check(L"boot-processor-goes-on-beside-them", aps.runs == processors - 1, aps.runs);
        aps.stop = 1;
        status = st->BootServices->WaitForEvent(1, &event, &index);
        check(L"they-return", status == 0, status);
    }
    st->BootServices->CloseEvent(event);
    check(L"every-ap-saw-the-silicon", aps.wrong == 0, aps.first_wrong);
    check(L"each-its-own-register", processors < 3 || (seen_rmid[1] == 1 && seen_rmid[2] == 2), seen_rmid[1]);
}

/* --- started as it should be */

static BOOLEAN starts_with(const CHAR16 *text, const CHAR16 *word)
{
    while (*word && *text == *word)
        text++, word++;
    return *word == 0;
}

static void check_start(EFI_LOADED_IMAGE *loaded)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_FILE_IO_INTERFACE *fs;
    EFI_FILE_HANDLE root, file;
    EFI_STATUS status = st->BootServices->HandleProtocol(loaded->DeviceHandle, &guid, (VOID **)&fs);

    if (status == 0)
        status = fs->OpenVolume(fs, &root);
    if (status == 0)
        status = root->Open(root, &file, L"\\selftest.txt", EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);
    check(L"device-handle-is-the-own-volume", status == 0, status);
    if (status == 0) {
        UINTN size = 6;
        status = file->Write(file, &size, "tested");
        file->Close(file);
        check(L"volume-is-writable", status == 0, status);
    }
}

/* What holds for the bdx profile. */
static void check_silicon(void)
{
    EFI_GUID mp_guid = { 0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 } };

    check_msrs();
    check_msr_functions();
    check_double_fault();
    check_xcr0();
    check_sse();
    check_interrupts();
    check_tsc();
    check_code();
    if (st->BootServices->LocateProtocol(&mp_guid, NULL, (VOID **)&mp) == 0)
        check_aps();
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_GUID loaded_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    struct pseudo_descriptor firmware;
    EFI_LOADED_IMAGE *loaded = NULL;
    const CHAR16 *options = L"";

    st = system;
    print(L"SELFTEST BEGIN\r\n");
    st->BootServices->HandleProtocol(image, &loaded_guid, (VOID **)&loaded);
    if (!loaded)
        return EFI_UNSUPPORTED;
    if (loaded->LoadOptionsSize > 0 && loaded->LoadOptions)
        options = loaded->LoadOptions;
    __asm__ volatile("sidt %0" : "=m"(firmware));
    memcpy(gates, (const void *)firmware.base, sizeof gates);
    set_gate(13, gp_vector);
    set_gate(6, ud_vector);
    set_gate(14, pf_vector);
    set_gate(8, df_vector);
    firmware = take_vectors();
    check_start(loaded);
    check_buses();
    if (!starts_with(options, L"buses"))
        check_silicon();
    give_vectors_back(firmware);
    print(L"SELFTEST END ");
    print_hex(bad);
    print(L" bad\r\n");
    if (starts_with(options, L"port"))
        __asm__ volatile("outl %0, %1" : : "a"(9), "Nd"((UINT16)0xF4));
    if (starts_with(options, L"shutdown"))
        st->RuntimeServices->ResetSystem(EfiResetShutdown, 0, 0, NULL);
    return starts_with(options, L"return") ? 5 : 6;
}
