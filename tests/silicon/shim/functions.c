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
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->call, %rcx                  */
    0x89, 0x79, 0x0C,                         /* mov %edi, 12(%rcx): rdmsr; the plugin answers */
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
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->call, %rcx                   */
    0x48, 0x89, 0x31,                         /* mov %rsi, (%rcx): value                       */
    0x89, 0x79, 0x10,                         /* mov %edi, 16(%rcx): wrmsr; the plugin answers */
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

static const uint8_t in32_function[] = {
    0x89, 0xFA, /* mov %edi, %edx */
    0x31, 0xC0, /* xor %eax, %eax */
    0xED,       /* in %dx, %eax   */
    0xC3,       /* ret            */
};
static const uint8_t in32_code[] = {
    0x48, 0xB9, 0,    0, 0, 0, 0, 0, 0, 0, /* movabs $channel->call, %rcx                 */
    0x89, 0x79, 0x14,                      /* mov %edi, 20(%rcx): in32; the plugin answers */
    0x8B, 0x01,                            /* mov (%rcx), %eax: value                      */
    0x8B, 0x51, 0x08,                      /* mov 8(%rcx), %edx: leave                     */
    0x85, 0xD2,                            /* test %edx, %edx                              */
    0x74, 0x05,                            /* je 1f                                        */
    0x89, 0xFA,                            /* as above                                     */
    0x31, 0xC0,                            /*                                              */
    0xED,                                  /* in %dx, %eax                                 */
    0xC3,                                  /* 1: ret                                       */
};

static const uint8_t read32_function[] = {
    0x8B, 0x07,       /* mov (%rdi), %eax */
    0x48, 0x89, 0x06, /* mov %rax, (%rsi) */
    0x31, 0xC0,       /* xor %eax, %eax   */
    0xC3,             /* ret              */
};
static const uint8_t read32_code[] = {
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->call, %rcx                    */
    0x48, 0x89, 0x79, 0x18,                   /* mov %rdi, 24(%rcx): read32; the plugin answers */
    0x48, 0x8B, 0x01,                         /* mov (%rcx), %rax: value                        */
    0x8B, 0x51, 0x08,                         /* mov 8(%rcx), %edx: leave                       */
    0x85, 0xD2,                               /* test %edx, %edx                                */
    0x74, 0x02,                               /* je 1f                                          */
    0x8B, 0x07,                               /* as above                                       */
    0x48, 0x89, 0x06,                         /* 1: mov %rax, (%rsi)                            */
    0x31, 0xC0,                               /*                                                */
    0xC3,                                     /*                                                */
};

static const uint8_t read64_function[] = {
    0x48, 0x8B, 0x07, /* mov (%rdi), %rax */
    0x48, 0x89, 0x06, /* mov %rax, (%rsi) */
    0x31, 0xC0,       /* xor %eax, %eax   */
    0xC3,             /* ret              */
};
static const uint8_t read64_code[] = {
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->call, %rcx                    */
    0x48, 0x89, 0x79, 0x20,                   /* mov %rdi, 32(%rcx): read64; the plugin answers */
    0x48, 0x8B, 0x01,                         /* mov (%rcx), %rax: value                        */
    0x8B, 0x51, 0x08,                         /* mov 8(%rcx), %edx: leave                       */
    0x85, 0xD2,                               /* test %edx, %edx                                */
    0x74, 0x03,                               /* je 1f                                          */
    0x48, 0x8B, 0x07,                         /* as above                                       */
    0x48, 0x89, 0x06,                         /* 1: mov %rax, (%rsi)                            */
    0x31, 0xC0,                               /*                                                */
    0xC3,                                     /*                                                */
};

static const uint8_t write32_function[] = {
    0x89, 0x37, /* mov %esi, (%rdi) */
    0x31, 0xC0, /* xor %eax, %eax   */
    0xC3,       /* ret              */
};
static const uint8_t write32_code[] = {
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->call, %rcx                     */
    0x48, 0x89, 0x31,                         /* mov %rsi, (%rcx): value                         */
    0x48, 0x89, 0x79, 0x28,                   /* mov %rdi, 40(%rcx): write32; the plugin answers */
    0x8B, 0x41, 0x08,                         /* mov 8(%rcx), %eax: leave                        */
    0x85, 0xC0,                               /* test %eax, %eax                                 */
    0x74, 0x02,                               /* je 1f                                           */
    0x89, 0x37,                               /* as above                                        */
    0x31, 0xC0,                               /* 1: xor %eax, %eax                               */
    0xC3,                                     /* ret                                             */
};

static const uint8_t write64_function[] = {
    0x48, 0x89, 0x37, /* mov %rsi, (%rdi) */
    0x31, 0xC0,       /* xor %eax, %eax   */
    0xC3,             /* ret              */
};
static const uint8_t write64_code[] = {
    0x48, 0xB9, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $channel->call, %rcx                     */
    0x48, 0x89, 0x31,                         /* mov %rsi, (%rcx): value                         */
    0x48, 0x89, 0x79, 0x30,                   /* mov %rdi, 48(%rcx): write64; the plugin answers */
    0x8B, 0x41, 0x08,                         /* mov 8(%rcx), %eax: leave                        */
    0x85, 0xC0,                               /* test %eax, %eax                                 */
    0x74, 0x03,                               /* je 1f                                           */
    0x48, 0x89, 0x37,                         /* as above                                        */
    0x31, 0xC0,                               /* 1: xor %eax, %eax                               */
    0xC3,                                     /* ret                                             */
};
_Static_assert(offsetof(struct channel_call, value) == 0 && offsetof(struct channel_call, leave) == 8 &&
                   offsetof(struct channel_call, rdmsr) == 12 && offsetof(struct channel_call, wrmsr) == 16 &&
                   offsetof(struct channel_call, in32) == 20 && offsetof(struct channel_call, read32) == 24 &&
                   offsetof(struct channel_call, read64) == 32 && offsetof(struct channel_call, write32) == 40 &&
                   offsetof(struct channel_call, write64) == 48,
               "as the code has it");

#define ADDRESS_AT 2u /* in each code: of what it asks through */

#define CALL offsetof(struct channel, call)
#define KIND(name, left, again, from)                                                                                  \
    {                                                                                                                  \
        name##_function, name##_code, sizeof name##_function, sizeof name##_code, left, again, from                    \
    }

static const struct {
    const uint8_t *function, *code;
    uint32_t function_bytes, code_bytes;
    uint32_t left_at, again_at; /* the instruction that leaves, in either */
    uint32_t asks;              /* offset in the channel                  */
} kinds[FUNCTION_KINDS] = {
    [FUNCTION_RDTSC] = KIND(rdtsc, 3, 16, offsetof(struct channel, clock)),
    [FUNCTION_RDMSR] = KIND(rdmsr, 2, 25, CALL),
    [FUNCTION_WRMSR] = KIND(wrmsr, 11, 34, CALL),
    [FUNCTION_IN32] = KIND(in32, 4, 26, CALL),
    [FUNCTION_READ32] = KIND(read32, 0, 24, CALL),
    [FUNCTION_READ64] = KIND(read64, 0, 24, CALL),
    [FUNCTION_WRITE32] = KIND(write32, 0, 24, CALL),
    [FUNCTION_WRITE64] = KIND(write64, 0, 24, CALL),
};
_Static_assert(sizeof rdmsr_code <= COPY && sizeof wrmsr_code <= COPY, "a copy's bytes, of the longest");

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

void functions_prepare(uint64_t page, const volatile struct channel *channel)
{
    replaced.channel = (uint64_t)channel;
    replaced.code = page;
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

static void take(void)
{
    while (__atomic_exchange_n(&replaced.taken, true, __ATOMIC_ACQUIRE))
        ;
}

static void release(void)
{
    __atomic_store_n(&replaced.taken, false, __ATOMIC_RELEASE);
}

void functions_left(struct vcpu *v, enum function_kind kind)
{
    uint64_t function = v->vmcb.rip - kinds[kind].left_at, physical;
    volatile uint64_t *first;
    uint32_t error, copy;

    if (!replaced.code || !guest_is_64(v) || v->vmcb.rip - replaced.code < PAGE || function % 8 ||
        function % PAGE > PAGE - kinds[kind].function_bytes || !guest_translate(v, function, false, &physical, &error))
        return;
    first = (volatile uint64_t *)physical;
    take();
    copy = is_function((const volatile uint8_t *)first, kind) ? replace(v, function, first, kind)
                                                              : copy_of(function, *first);
    release();
    if (copy < COPIES)
        v->vmcb.rip = code_of(copy) + kinds[kind].again_at;
}

void functions_moved(struct vcpu *v)
{
    uint64_t rip = v->vmcb.rip;

    take();
    for (uint32_t i = 0; i < replaced.n; i++)
        if (replaced.of[i].function == rip && kinds[replaced.of[i].kind].left_at == 0)
            v->vmcb.rip = code_of(i) + kinds[replaced.of[i].kind].again_at;
    release();
}

void functions_faulted(struct vcpu *v)
{
    uint64_t offset = v->vmcb.rip - replaced.code;
    enum function_kind kind;

    if (!replaced.code || offset >= replaced.n * COPY)
        return;
    kind = replaced.of[offset / COPY].kind;
    if (offset % COPY == kinds[kind].again_at)
        v->vmcb.rip = replaced.of[offset / COPY].function + kinds[kind].left_at;
}
