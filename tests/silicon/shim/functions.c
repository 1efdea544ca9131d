/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/shim/functions.h"

#include "tests/silicon/emulate/guest.h"

#define PAGE     4096u
#define GIB      (1ull << 30)
#define JMP      0xE9u /* rel32 */
#define JMP_SIZE 5u
#define COPY     64u /* bytes from one function's code to the next one's */
#define COPIES   (PAGE / COPY)

static const uint8_t rdtsc_function[] = {
    0x0F, 0xAE, 0xE8,       /* lfence        */
    0x0F, 0x31,             /* rdtsc         */
    0x48, 0xC1, 0xE2, 0x20, /* shl $32, %rdx */
    0x48, 0x09, 0xD0,       /* or %rdx, %rax */
    0xC3,                   /* ret           */
};
/* Without the LFENCE: it is no such function itself. */
static const uint8_t rdtsc_code[] = {
    0x48, 0xA1, 0,    0,    0,    0,    0,    0, 0, 0, /* movabs channel->clock, %rax */
    0x48, 0x85, 0xC0,                                  /* test %rax, %rax             */
    0x78, 0x01,                                        /* js 1f: CHANNEL_CLOCK_EXIT   */
    0xC3,                                              /* ret                         */
    0x0F, 0x31,                                        /* 1: rdtsc                    */
    0x48, 0xC1, 0xE2, 0x20, 0x48, 0x09, 0xD0,          /* as above                    */
    0xC3,
};

static const uint8_t rdmsr_function[] = {
    0x89, 0xF9,             /* mov %edi, %ecx   */
    0x0F, 0x32,             /* rdmsr            */
    0x48, 0xC1, 0xE2, 0x20, /* shl $32, %rdx    */
    0x48, 0x09, 0xD0,       /* or %rdx, %rax    */
    0x48, 0x89, 0x06,       /* mov %rax, (%rsi) */
    0x31, 0xC0,             /* xor %eax, %eax   */
    0xC3,                   /* ret              */
};
/* One block until the branch, so that no interrupt comes between the question and its answer. */
static const uint8_t rdmsr_code[] = {
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->msr, %rcx                  */
    0x89, 0x79, 0x0C,                         /* mov %edi, 12(%rcx): read; the plugin answers */
    0x48, 0x8B, 0x01,                         /* mov (%rcx), %rax: value                      */
    0x8B, 0x51, 0x08,                         /* mov 8(%rcx), %edx: leave                     */
    0x85, 0xD2,                               /* test %edx, %edx                              */
    0x74, 0x0B,                               /* je 1f                                        */
    0x89, 0xF9,                               /* as above                                     */
    0x0F, 0x32,                               /* rdmsr                                        */
    0x48, 0xC1, 0xE2, 0x20,                   /*                                              */
    0x48, 0x09, 0xD0,                         /*                                              */
    0x48, 0x89, 0x06,                         /* 1: mov %rax, (%rsi)                          */
    0x31, 0xC0,                               /* xor %eax, %eax                               */
    0xC3,                                     /* ret                                          */
};

static const uint8_t wrmsr_function[] = {
    0x89, 0xF9,             /* mov %edi, %ecx */
    0x89, 0xF0,             /* mov %esi, %eax */
    0x48, 0x89, 0xF2,       /* mov %rsi, %rdx */
    0x48, 0xC1, 0xEA, 0x20, /* shr $32, %rdx  */
    0x0F, 0x30,             /* wrmsr          */
    0x31, 0xC0,             /* xor %eax, %eax */
    0xC3,                   /* ret            */
};
static const uint8_t wrmsr_code[] = {
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->msr, %rcx                   */
    0x48, 0x89, 0x31,                         /* mov %rsi, (%rcx): value                       */
    0x89, 0x79, 0x10,                         /* mov %edi, 16(%rcx): write; the plugin answers */
    0x8B, 0x41, 0x08,                         /* mov 8(%rcx), %eax: leave                      */
    0x85, 0xC0,                               /* test %eax, %eax                               */
    0x74, 0x0D,                               /* je 1f                                         */
    0x89, 0xF9,                               /* as above                                      */
    0x89, 0xF0,                               /*                                               */
    0x48, 0x89, 0xF2,                         /*                                               */
    0x48, 0xC1, 0xEA, 0x20,                   /*                                               */
    0x0F, 0x30,                               /* wrmsr                                         */
    0x31, 0xC0,                               /* 1: xor %eax, %eax                             */
    0xC3,                                     /* ret                                           */
};
_Static_assert(offsetof(struct channel_msr, value) == 0 && offsetof(struct channel_msr, leave) == 8 &&
                   offsetof(struct channel_msr, read) == 12 && offsetof(struct channel_msr, write) == 16,
               "as the code has it");

#define ADDRESS_AT 2u /* in each code: of what it asks through */

static const struct {
    const uint8_t *function, *code;
    uint32_t function_bytes, code_bytes;
    uint32_t left_at, again_at; /* the instruction that leaves, in either */
    uint32_t asks;              /* offset in the channel                  */
} kinds[FUNCTION_KINDS] = {
    [FUNCTION_RDTSC] = { rdtsc_function, rdtsc_code, sizeof rdtsc_function, sizeof rdtsc_code, 3, 16,
                         offsetof(struct channel, clock) },
    [FUNCTION_RDMSR] = { rdmsr_function, rdmsr_code, sizeof rdmsr_function, sizeof rdmsr_code, 2, 25,
                         offsetof(struct channel, msr) },
    [FUNCTION_WRMSR] = { wrmsr_function, wrmsr_code, sizeof wrmsr_function, sizeof wrmsr_code, 11, 34,
                         offsetof(struct channel, msr) },
};
_Static_assert(sizeof rdtsc_code <= COPY && sizeof rdmsr_code <= COPY && sizeof wrmsr_code <= COPY, "a copy's bytes");

/* Each function that was replaced has a copy of the code of its own, by which its fault finds back to it. */
static struct {
    uint64_t code, channel; /* code 0: nothing is replaced */
    bool taken;             /* by a processor, for all of it */
    uint32_t n;
    struct {
        uint64_t function;
        enum function_kind kind;
    } of[COPIES];
} replaced;

void functions_prepare(EFI_BOOT_SERVICES *bs, const volatile struct channel *channel)
{
    EFI_PHYSICAL_ADDRESS at = 4 * GIB - 1;

    if (EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiLoaderCode, 1, &at)))
        return;
    replaced.channel = (uint64_t)channel;
    replaced.code = at;
}

static bool is_identical(const struct vcpu *v, uint64_t linear)
{
    uint64_t physical;
    uint32_t error;

    return guest_translate(v, linear, false, &physical, &error) && physical == linear;
}

static uint64_t code_of(uint32_t copy)
{
    return replaced.code + copy * COPY;
}

/* The function's first eight bytes with a jump to the copy. */
static uint64_t with_jump(uint64_t first, uint64_t function, uint32_t copy)
{
    return first >> 8 * JMP_SIZE << 8 * JMP_SIZE | (uint64_t)(uint32_t)(code_of(copy) - (function + JMP_SIZE)) << 8 |
           JMP;
}

static bool is_function(const volatile uint8_t *bytes, enum function_kind kind)
{
    for (uint32_t i = 0; i < kinds[kind].function_bytes; i++)
        if (bytes[i] != kinds[kind].function[i])
            return false;
    return true;
}

/* Replace it by a store, so that a processor that comes there finds the old function or the new one. Its copy, or COPIES:
 * the code cannot be reached from there. */
static uint32_t replace(const struct vcpu *v, uint64_t function, volatile uint64_t *first, enum function_kind kind)
{
    uint64_t asks = replaced.channel + kinds[kind].asks;
    uint32_t copy = replaced.n;

    if (copy == COPIES || code_of(copy) - (function + JMP_SIZE) + 2 * GIB >= 4 * GIB ||
        !is_identical(v, code_of(copy)) || !is_identical(v, asks))
        return COPIES;
    __builtin_memcpy((void *)code_of(copy), kinds[kind].code, kinds[kind].code_bytes);
    __builtin_memcpy((uint8_t *)code_of(copy) + ADDRESS_AT, &asks, sizeof asks);
    replaced.of[copy].function = function;
    replaced.of[copy].kind = kind;
    __atomic_store_n(first, with_jump(*first, function, copy), __ATOMIC_RELEASE);
    return replaced.n++;
}

/* The copy of a function that was replaced since this processor came there, or COPIES. */
static uint32_t copy_of(uint64_t function, uint64_t first)
{
    for (uint32_t i = 0; i < replaced.n; i++)
        if (replaced.of[i].function == function && first == with_jump(first, function, i))
            return i;
    return COPIES;
}

void functions_left(struct vcpu *v, enum function_kind kind)
{
    uint64_t function = v->vmcb.rip - kinds[kind].left_at, physical;
    volatile uint64_t *first;
    uint32_t error, copy;

    if (!replaced.code || guest_bits(v) != 64 || v->vmcb.rip - replaced.code < PAGE || function % 8 ||
        function % PAGE > PAGE - kinds[kind].function_bytes || !guest_translate(v, function, false, &physical, &error))
        return;
    first = (volatile uint64_t *)physical;
    while (__atomic_exchange_n(&replaced.taken, true, __ATOMIC_ACQUIRE))
        ;
    copy = is_function((const volatile uint8_t *)first, kind) ? replace(v, function, first, kind)
                                                              : copy_of(function, *first);
    __atomic_store_n(&replaced.taken, false, __ATOMIC_RELEASE);
    if (copy < COPIES)
        v->vmcb.rip = code_of(copy) + kinds[kind].again_at;
}

void functions_faulted(struct vcpu *v)
{
    uint64_t offset = v->vmcb.rip - replaced.code;

    if (replaced.code && offset < PAGE)
        v->vmcb.rip = replaced.of[offset / COPY].function + kinds[replaced.of[offset / COPY].kind].left_at;
}
