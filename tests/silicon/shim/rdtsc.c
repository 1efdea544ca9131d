/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/rdtsc.h"

#include "tests/silicon/emulate/guest.h"
#include "tests/silicon/shim/vcpu_internal.h"

#define PAGE     4096u
#define GIB      (1ull << 30)
#define JMP      0xE9u /* rel32 */
#define JMP_SIZE 5u

static const uint8_t function[] = {
    0x0F, 0xAE, 0xE8,       /* lfence      */
    0x0F, 0x31,             /* rdtsc       */
    0x48, 0xC1, 0xE2, 0x20, /* shl $32, %rdx */
    0x48, 0x09, 0xD0,       /* or %rdx, %rax */
    0xC3,                   /* ret         */
};
#define RDTSC_AT 3u /* in it */
#define RET_AT   12u

/* Without the LFENCE: it is not such a function itself. */
static const uint8_t code[] = {
    0x48, 0xA1, 0,    0,    0,    0,    0,    0, 0, 0, /* movabs channel->clock, %rax            */
    0x48, 0x85, 0xC0,                                  /* test %rax, %rax                        */
    0x78, 0x01,                                        /* js 1f: CHANNEL_CLOCK_EXIT              */
    0xC3,                                              /* ret                                    */
    0x0F, 0x31,                                        /* 1: rdtsc                               */
    0x48, 0xC1, 0xE2, 0x20, 0x48, 0x09, 0xD0,          /* as above                               */
    0xC3,
};
#define CLOCK_AT 2u

static struct {
    uint8_t *code;     /* NULL: nothing is replaced        */
    uint64_t clock;    /* where it loads from              */
    uint64_t function; /* the one that was replaced last   */
} replaced;

void rdtsc_prepare(EFI_BOOT_SERVICES *bs, const volatile struct channel *channel)
{
    EFI_PHYSICAL_ADDRESS at = 4 * GIB - 1;

    if (EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiBootServicesCode, 1, &at)))
        return;
    replaced.clock = (uint64_t)&channel->clock;
    __builtin_memcpy((VOID *)at, code, sizeof code);
    __builtin_memcpy((uint8_t *)at + CLOCK_AT, &replaced.clock, sizeof replaced.clock);
    replaced.code = (uint8_t *)at;
}

static bool is_identical(const struct vcpu *v, uint64_t linear)
{
    uint64_t physical;
    uint32_t error;

    return guest_translate(v, linear, false, &physical, &error) && physical == linear;
}

/* One store, so that a processor that comes there finds the old function or the new one. False: it is no such function,
 * or the code cannot be reached from there. */
static bool replace(const struct vcpu *v, uint64_t at)
{
    uint64_t physical, distance = (uint64_t)replaced.code - (at + JMP_SIZE), first;
    uint32_t error;

    if (at % 8 || at % PAGE > PAGE - sizeof function || distance + 2 * GIB >= 4 * GIB ||
        !guest_translate(v, at, false, &physical, &error))
        return false;
    for (uint32_t i = 0; i < sizeof function; i++)
        if (((const volatile uint8_t *)physical)[i] != function[i])
            return false;
    if (!is_identical(v, (uint64_t)replaced.code) || !is_identical(v, replaced.clock))
        return false;
    first = *(const volatile uint64_t *)physical >> 8 * JMP_SIZE << 8 * JMP_SIZE;
    *(volatile uint64_t *)physical = first | (uint32_t)distance << 8 | JMP;
    replaced.function = at;
    return true;
}

/* RDTSC is 0F 31; RDTSCP, 0F 01 F9, has IA32_TSC_AUX in ECX. Of a function that is, or was, the one above its other
 * instructions are done too: what stood there may be gone. */
void rdtsc_emulate(struct vcpu *v)
{
    uint64_t at = v->vmcb.rip - RDTSC_AT, aux = 0;
    bool whole = replaced.code && guest_bits(v) == 64 && (at == replaced.function || replace(v, at));

    channel_ring(v->slot, CHANNEL_RDTSC);
    v->pmi = v->pmi || v->slot->number;
    if (whole) {
        v->vmcb.rax = v->slot->value;
        guest_advance(v, RET_AT - RDTSC_AT);
        return;
    }
    v->vmcb.rax = (uint32_t)v->slot->value;
    v->regs[RDX] = v->slot->value >> 32;
    if (guest_try_skip(v, 0x31))
        return;
    guest_skip(v, 0x01);
    guest_advance(v, 1);
    native_rdmsr(MSR_TSC_AUX, &aux);
    v->regs[RCX] = (uint32_t)aux;
}
