#include "tests/silicon/shim/startup.h"

#define PTE_P     1ull
#define PTE_RW    2ull
#define PTE_US    4ull /* nested walks are user accesses */
#define PTE_PS    0x80ull
#define PTE_ALL   (PTE_P | PTE_RW | PTE_US)
#define GIB       (1ull << 30)
#define ENTRIES   512u
#define APIC_PAGE 0xFEE00000ull

/* Local APIC, SDM vol. 3A 11.6.1 "Interrupt Command Register". */
#define ICR_LOW                   0x300u
#define ICR_HIGH                  0x310u
#define ICR_DELIVERY_MODE(icr)    ((icr) >> 8 & 7)
#define ICR_DELIVERY_STARTUP      6u
#define ICR_SHORTHAND(icr)        ((icr) >> 18 & 3)
#define ICR_SHORTHAND_NONE        0u
#define ICR_VECTOR                0xFFu
#define ICR_DESTINATION_EVERYBODY 0xFFu

/* The trampoline's own GDT lies in the same page. CS and SS get the selectors that firmware uses on the boot processor,
 * since the host's vectors are shared and name CS. */
#define GDT_OFFSET  0x800u
#define GDT_ENTRIES 64u
#define GDT_CODE_64 0x00AF9B000000FFFFull
#define GDT_DATA    0x00CF93000000FFFFull

extern const uint8_t trampoline_begin[], trampoline_end[], trampoline_gdtr[], trampoline_cr3[], trampoline_jump[],
    trampoline_ss[], trampoline_vcpus[], trampoline_known[], trampoline_unknown[], trampoline_long[];
void vcpu_start_guest(void);

static struct vcpu *const *vcpus;
static uint32_t trampoline_page; /* its number: a SIPI vector */

/* --- tables ----------------------------------------------------------------------------------------------------------
 */

static VOID *low_pages(EFI_BOOT_SERVICES *bs, UINTN pages, UINT64 below)
{
    EFI_PHYSICAL_ADDRESS at = below - 1;

    if (EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiReservedMemoryType, pages, &at)))
        return NULL;
    __builtin_memset((VOID *)at, 0, pages * 4096);
    return (VOID *)at;
}

/* 1 TiB mapped to itself in pages of 1 GiB: tables[0] is the PML4, the next two its page directory pointer tables. */
static void map_identity(uint64_t (*tables)[ENTRIES])
{
    for (uint32_t i = 0; i < 2; i++) {
        tables[0][i] = (uint64_t)tables[1 + i] | PTE_ALL;
        for (uint32_t j = 0; j < ENTRIES; j++)
            tables[1 + i][j] = (i * ENTRIES + j) * GIB | PTE_ALL | PTE_PS;
    }
}

/* Split what holds the APIC's page, by two more tables, and make that page read-only. */
static void protect_apic(uint64_t (*tables)[ENTRIES])
{
    uint64_t *directory = tables[3], *pages = tables[4];
    uint64_t gib = APIC_PAGE / GIB * GIB, two_mib = APIC_PAGE & ~0x1FFFFFull;

    for (uint32_t i = 0; i < ENTRIES; i++) {
        directory[i] = (gib + i * 0x200000ull) | PTE_ALL | PTE_PS;
        pages[i] = (two_mib + i * 0x1000ull) | PTE_ALL;
    }
    pages[(APIC_PAGE - two_mib) / 0x1000] = APIC_PAGE | PTE_P | PTE_US;
    directory[(two_mib - gib) / 0x200000] = (uint64_t)pages | PTE_ALL;
    tables[1][gib / GIB] = (uint64_t)directory | PTE_ALL;
}

/* --- the trampoline
 * -------------------------------------------------------------------------------------------------------- */

/* A processor started whose APIC id the model does not have: the plugin says so and ends QEMU. */
static _Noreturn void start_unknown(uint32_t apic_id)
{
    channel_refuse(vcpus, apic_id);
}

static VOID *field(uint8_t *page, const uint8_t *label)
{
    return page + ((UINTN)label - (UINTN)trampoline_begin);
}

static void put_16(VOID *at, uint16_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static void put_32(VOID *at, uint32_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static void put_64(VOID *at, uint64_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static void fill_trampoline(uint8_t *page, uint64_t host_cr3)
{
    uint64_t *gdt = (uint64_t *)(page + GDT_OFFSET);
    uint16_t cs, ss;

    __asm__("mov %%cs, %0" : "=r"(cs));
    __asm__("mov %%ss, %0" : "=r"(ss));
    if (cs / 8 >= GDT_ENTRIES || ss / 8 >= GDT_ENTRIES || cs / 8 == 0 || ss / 8 == 0)
        panic("firmware's CS or SS is not what a trampoline can copy:", cs, ss);
    __builtin_memcpy(page, trampoline_begin, (UINTN)trampoline_end - (UINTN)trampoline_begin);
    gdt[cs / 8] = GDT_CODE_64;
    gdt[ss / 8] = GDT_DATA;
    put_16(field(page, trampoline_gdtr), GDT_ENTRIES * 8 - 1);
    put_32((uint8_t *)field(page, trampoline_gdtr) + 2, (uint32_t)(uint64_t)gdt);
    put_32(field(page, trampoline_cr3), (uint32_t)host_cr3);
    put_32(field(page, trampoline_ss), ss);
    put_32(field(page, trampoline_jump), (uint32_t)(uint64_t)field(page, trampoline_long));
    put_16((uint8_t *)field(page, trampoline_jump) + 4, cs);
    put_64(field(page, trampoline_vcpus), (uint64_t)vcpus);
    put_64(field(page, trampoline_known), (uint64_t)vcpu_start_guest);
    put_64(field(page, trampoline_unknown), (uint64_t)start_unknown);
    trampoline_page = (uint32_t)((uint64_t)page >> 12);
}

BOOLEAN startup_prepare(EFI_BOOT_SERVICES *bs, struct vcpu *const *all)
{
    uint64_t(*nested)[ENTRIES] = low_pages(bs, 5, 4 * GIB);
    uint64_t(*host)[ENTRIES] = low_pages(bs, 3, 4 * GIB);
    uint8_t *page = low_pages(bs, 1, 0xA0000);

    if (!nested || !host || !page)
        return FALSE;
    vcpus = all;
    map_identity(host);
    map_identity(nested);
    protect_apic(nested);
    fill_trampoline(page, (uint64_t)host);
    for (uint32_t i = 0; i < CHANNEL_SLOTS; i++) {
        if (vcpus[i])
            vcpus[i]->n_cr3 = (uint64_t)nested;
    }
    vcpu_make_host((uint64_t)host, (uint64_t)page + GDT_OFFSET, GDT_ENTRIES * 8 - 1);
    return TRUE;
}

/* --- writes to the APIC
 * ------------------------------------------------------------------------------------------------------ */

/* Length of ModRM, SIB and displacement at p; 0: a register operand. SDM vol. 2A 2.1.5. */
static uint32_t modrm_length(const uint8_t *p)
{
    uint32_t mod = p[0] >> 6, rm = p[0] & 7, length = 1;

    if (mod == 3)
        return 0;
    if (rm == 4) {
        length++;
        if (mod == 0 && (p[1] & 7) == 5)
            return length + 4;
    }
    if (mod == 0)
        return rm == 5 ? length + 4 : length;
    return length + (mod == 1 ? 1 : 4);
}

/* The guest's 32-bit store at its RIP: MOV r32 to memory (89H), MOV imm32 to memory (C7H /0), MOV EAX to an offset
 * (A3H). These are what compilers make of a store to a device. */
static uint32_t decode_store(const struct vcpu *v, uint32_t *value)
{
    const uint8_t *begin = (const uint8_t *)(v->vmcb.cs.base + v->vmcb.rip), *p = begin;
    uint32_t rex = 0, reg, length;
    bool address_32 = false;

    while (*p == 0x67 || *p == 0x2E || *p == 0x36 || *p == 0x3E || *p == 0x26 || *p == 0x64 || *p == 0x65)
        address_32 |= *p++ == 0x67;
    if ((*p & 0xF0) == 0x40 && v->vmcb.cs.attrib & VMCB_ATTRIB_L)
        rex = *p++;
    reg = (p[1] >> 3 & 7) | (rex & 4) << 1;
    length = modrm_length(p + 1);
    if (rex & 8) /* a store of 64 bits */
        return 0;
    if (*p == 0x89 && length) {
        *value = (uint32_t)(reg == RAX ? v->vmcb.rax : reg == RSP ? v->vmcb.rsp : v->regs[reg]);
        return (uint32_t)(p - begin) + 1 + length;
    }
    if (*p == 0xC7 && length && (p[1] >> 3 & 7) == 0) {
        __builtin_memcpy(value, p + 1 + length, sizeof *value);
        return (uint32_t)(p - begin) + 1 + length + 4;
    }
    if (*p == 0xA3) {
        *value = (uint32_t)v->vmcb.rax;
        return (uint32_t)(p - begin) + 1 + (v->vmcb.cs.attrib & VMCB_ATTRIB_L && !address_32 ? 8 : 4);
    }
    return 0;
}

static volatile uint32_t *apic(uint32_t offset)
{
    return (volatile uint32_t *)(APIC_PAGE + offset);
}

/* The targets learn where their sender wants them; all of them where it is not one by its id: those that do not start
 * now will be told again before they do. */
static uint32_t redirect_startup(uint32_t icr)
{
    uint32_t destination = *apic(ICR_HIGH) >> 24;
    bool one = ICR_SHORTHAND(icr) == ICR_SHORTHAND_NONE && destination != ICR_DESTINATION_EVERYBODY;

    for (uint32_t i = 0; i < CHANNEL_SLOTS; i++) {
        if (vcpus[i] && (!one || i == destination))
            __atomic_store_n(&vcpus[i]->start_page, icr & ICR_VECTOR, __ATOMIC_SEQ_CST);
    }
    return (icr & ~ICR_VECTOR) | trampoline_page;
}

void vcpu_apic_write(struct vcpu *v)
{
    uint64_t address = v->vmcb.exitinfo2;
    uint32_t value = 0, length;

    if (address >> 12 != APIC_PAGE >> 12)
        panic("a nested page fault that is no APIC write, address and RIP:", address, v->vmcb.rip);
    length = decode_store(v, &value);
    if (!length)
        panic("a write to the APIC by an unknown instruction, address and RIP:", address, v->vmcb.rip);
    if ((address & 0xFFF) == ICR_LOW && ICR_DELIVERY_MODE(value) == ICR_DELIVERY_STARTUP)
        value = redirect_startup(value);
    *apic(address & 0xFFF) = value;
    v->vmcb.rip += length;
    v->vmcb.interrupt_shadow = 0;
}
