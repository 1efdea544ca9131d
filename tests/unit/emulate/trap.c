/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The shim does a guest's instruction in its place: every one it knows must leave the same registers, flags and memory
 * behind as the processor does. So each is run twice, by the processor on plain memory and by trap_memory() on a device
 * made of the same bytes.
 */
#include <criterion/criterion.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/silicon/shim/device.h"
#include "tests/silicon/shim/functions.h"
#include "tests/silicon/emulate/guest.h"
#include "tests/silicon/emulate/trap.h"
#include "tests/silicon/shim/vector.h"
#include "tests/silicon/model/scramble.h"
#include "tests/support/machine/native_run.h"

static struct dice dice;

int native_rdmsr(uint32_t msr, uint64_t *value);

#define PAGE        4096u
#define OPERAND     0x100u
#define ROUNDS      24u
#define FLAG_AF     0x010u
#define FLAGS_ALL   0x8D5u /* OF SF ZF AF PF CF */
#define FLAGS_LOGIC (FLAGS_ALL & ~FLAG_AF)
#define FLAGS_BT    0x041u /* ZF CF: the others are undefined after bit tests */
#define FLAG_DF     0x400u
#define EFER_LMA    0x400u

static uint8_t *device, *ram, *code; /* the device: a page; RAM: two */
static struct vcpu v;
static jmp_buf panicked;

/* --- what the shim would find around trap.c --- */

bool device_has(uint64_t physical)
{
    return physical - (uint64_t)device < PAGE;
}
void device_read(struct vcpu *, uint64_t physical, void *data, uint32_t bytes)
{
    cr_assert(device_has(physical));
    memcpy(data, (const void *)physical, bytes);
}
void device_write(struct vcpu *, uint64_t physical, const void *data, uint32_t bytes)
{
    cr_assert(device_has(physical));
    memcpy((void *)physical, data, bytes);
}
uint32_t device_in(struct vcpu *, uint32_t port, uint32_t bytes)
{
    return (uint32_t)((0x123456789ABCDEF0ull >> 8 * (port & 3)) & ((1ull << 8 * bytes) - 1));
}
/* Accesses of functions that the shim replaces. */
static enum function_kind left_by;
static uint32_t n_left;
void functions_left(struct vcpu *, enum function_kind kind)
{
    left_by = kind;
    n_left++;
}
static bool moved;
void functions_moved(struct vcpu *vcpu)
{
    if (moved)
        vcpu->vmcb.rip = (uint64_t)code;
}
static uint32_t port_written, value_written;
void device_out(struct vcpu *, uint32_t port, uint32_t value, uint32_t bytes)
{
    port_written = port;
    value_written = value & (uint32_t)((1ull << 8 * bytes) - 1);
}
int native_rdmsr(uint32_t, uint64_t *value)
{
    *value = 0;
    return 0;
}
static uint8_t low[16][VECTOR_LOW_BYTES], high[16][VECTOR_HIGH_BYTES]; /* of the vcpu's YMM registers */
void vector_low_get(uint32_t reg, uint8_t to[VECTOR_LOW_BYTES])
{
    memcpy(to, low[reg], VECTOR_LOW_BYTES);
}
void vector_low_put(uint32_t reg, const uint8_t from[VECTOR_LOW_BYTES])
{
    memcpy(low[reg], from, VECTOR_LOW_BYTES);
}
void vector_high_get(uint32_t reg, uint8_t to[VECTOR_HIGH_BYTES])
{
    memcpy(to, high[reg], VECTOR_HIGH_BYTES);
}
void vector_high_put(uint32_t reg, const uint8_t from[VECTOR_HIGH_BYTES])
{
    memcpy(high[reg], from, VECTOR_HIGH_BYTES);
}
void complain(const char *, uint64_t, uint64_t)
{
}
void panic(const char *, uint64_t, uint64_t)
{
    longjmp(panicked, 1);
}

/* --- one instruction, twice --- */

static void make_memory(void)
{
    const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;

    device = mmap(NULL, PAGE, prot, flags, -1, 0);
    ram = mmap(NULL, 2 * PAGE, prot, flags, -1, 0);
    code = mmap(NULL, PAGE, prot | PROT_EXEC, flags, -1, 0);
    cr_assert(device != MAP_FAILED && ram != MAP_FAILED && code != MAP_FAILED);
}

static void fill(uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)dice_word(&dice);
}

static void to_vcpu(const struct native_state *s)
{
    memset(&v, 0, sizeof v);
    memcpy(v.regs, s->regs, sizeof v.regs);
    v.vmcb.rax = s->regs[RAX];
    v.vmcb.rsp = s->regs[RSP];
    v.vmcb.rflags = s->flags;
    v.vmcb.rip = (uint64_t)code;
    v.vmcb.efer = EFER_LMA;
    v.vmcb.cs.attrib = VMCB_ATTRIB_L;
    memcpy(low[1], s->xmm1, 16);
    memcpy(low[9], s->xmm9, 16);
}

static void from_vcpu(struct native_state *s)
{
    memcpy(s->regs, v.regs, sizeof v.regs);
    s->regs[RAX] = v.vmcb.rax;
    s->regs[RSP] = v.vmcb.rsp;
    s->flags = v.vmcb.rflags;
    memcpy(s->xmm1, low[1], 16);
    memcpy(s->xmm9, low[9], 16);
}

static const char *hex(const uint8_t *bytes, uint32_t n)
{
    static char text[3 * INSN_MAX_LENGTH + 1];

    for (uint32_t i = 0; i < n; i++)
        sprintf(text + 3 * i, "%02x ", bytes[i]);
    return text;
}

/* Where the nested tables would stop it next. */
static void next_exit(enum insn_op op)
{
    bool reads = op == INSN_LODS || (op == INSN_MOVS && device_has(v.regs[RSI]));
    bool string = op == INSN_MOVS || op == INSN_STOS || op == INSN_LODS;

    v.vmcb.exitinfo1 = string && !reads ? 2 : 0;
    v.vmcb.exitinfo2 = !string ? (uint64_t)device + OPERAND : reads ? v.regs[RSI] : v.regs[RDI];
}

/* insn, n: what to run; op: INSN_MOVS, _STOS, _LODS, and any other for an operand at RDI. flags: which of them mean
 * something afterwards. */
static void both(const uint8_t *insn, uint32_t n, enum insn_op op, const struct native_state *before, uint64_t flags)
{
    uint8_t saved[3 * PAGE], expected[3 * PAGE];
    struct native_state native = *before, emulated = *before;
    volatile uint32_t exits = 0;

    memcpy(code, insn, n);
    code[n] = 0xC3;
    memcpy(saved, device, PAGE);
    memcpy(saved + PAGE, ram, 2 * PAGE);
    native_run(&native, code);
    memcpy(expected, device, PAGE);
    memcpy(expected + PAGE, ram, 2 * PAGE);
    memcpy(device, saved, PAGE);
    memcpy(ram, saved + PAGE, 2 * PAGE);
    to_vcpu(before);
    if (setjmp(panicked)) {
        cr_expect_fail("not known: %s", hex(insn, n));
        return;
    }
    do {
        next_exit(op);
        trap_memory(&v);
    } while (v.vmcb.rip == (uint64_t)code && ++exits < 100);
    from_vcpu(&emulated);
    cr_expect_eq(v.vmcb.rip, (uint64_t)code + n, "%s: %d bytes", hex(insn, n), (int)(v.vmcb.rip - (uint64_t)code));
    for (int r = 0; r < 16; r++)
        cr_expect(r == RSP || native.regs[r] == emulated.regs[r], "%s: register %d is %#lx, not %#lx", hex(insn, n), r,
                  emulated.regs[r], native.regs[r]);
    cr_expect_eq(native.flags & flags, emulated.flags & flags, "%s: flags %#lx, not %#lx", hex(insn, n),
                 emulated.flags & flags, native.flags & flags);
    cr_expect_arr_eq(native.xmm1, emulated.xmm1, 32, "%s: XMM", hex(insn, n));
    cr_expect_arr_eq(expected, device, PAGE, "%s: device", hex(insn, n));
    cr_expect_arr_eq(expected + PAGE, ram, 2 * PAGE, "%s: memory", hex(insn, n));
}

static struct native_state random_state(void)
{
    struct native_state s;

    fill((uint8_t *)&s, sizeof s);
    for (int r = 0; r < 16; r++)
        s.regs[r] = dice_word(&dice) & 3 ? s.regs[r] : s.regs[r] & 0x7F; /* small ones carry and borrow differently */
    s.regs[RDI] = (uint64_t)device + OPERAND;
    s.flags = (s.flags & FLAGS_ALL) | 2;
    fill(device + OPERAND - 16, 48);
    return s;
}

/* --- operands in memory --- */

struct form {
    uint8_t opcode[2], bytes;
    uint8_t immediate; /* bytes; 4: as the operand size has it */
    int8_t group;      /* ModRM.reg, or -1: a register */
    uint64_t flags;
};

static void try_form(const struct form *f, const uint8_t *prefix, uint32_t prefixes)
{
    uint8_t insn[INSN_MAX_LENGTH];
    uint32_t n = 0, reg, immediate = f->immediate;
    struct native_state s = random_state();
    bool operand_16 = prefixes && prefix[0] == 0x66;
    uint8_t rex = prefixes && (prefix[prefixes - 1] & 0xF0) == 0x40 ? prefix[prefixes - 1] : 0;

    memcpy(insn, prefix, prefixes);
    n = prefixes;
    memcpy(insn + n, f->opcode, f->bytes);
    n += f->bytes;
    do
        reg = f->group >= 0 ? (uint32_t)f->group : (uint32_t)dice_word(&dice) & 7;
    while (f->group < 0 && reg == RSP && !(rex & 4));
    insn[n++] = (uint8_t)(0x47 | reg << 3); /* disp8(%rdi) */
    insn[n++] = 0;
    if (immediate == 4 && operand_16 && !(rex & 8))
        immediate = 2;
    fill(insn + n, immediate);
    n += immediate;
    if (f->flags == FLAGS_BT) /* a bit of this operand, and of none beside it */
        s.regs[reg | (rex & 4 ? 8 : 0)] &= reg == RDI && !(rex & 4) ? UINT64_MAX : 15;
    if (f->flags == FLAGS_BT && reg == RDI && !(rex & 4) && f->group < 0)
        return; /* its own base is the bit number */
    if (f->opcode[0] == 0x0F && (f->opcode[1] & 0xFE) == 0xB0 && dice_word(&dice) & 1)
        memcpy(&s.regs[RAX], device + OPERAND, 8); /* CMPXCHG that finds what it looks for */
    both(insn, n, INSN_MOV, &s, f->flags);
}

/* Opcodes from the first to the last; after 0FH or alone. */
static const struct {
    uint8_t escape, first, last, immediate;
    uint8_t groups; /* bit g: ModRM.reg is g; 0: a register */
    uint64_t flags;
} forms[] = {
    { 0, 0x80, 0x80, 1, 0xAD, FLAGS_ALL },   { 0, 0x80, 0x80, 1, 0x52, FLAGS_LOGIC },
    { 0, 0x81, 0x81, 4, 0x81, FLAGS_ALL },   { 0, 0x81, 0x81, 4, 0x10, FLAGS_LOGIC },
    { 0, 0x83, 0x83, 1, 0x88, FLAGS_ALL },   { 0, 0x83, 0x83, 1, 0x02, FLAGS_LOGIC },
    { 0, 0x84, 0x85, 0, 0, FLAGS_LOGIC },    { 0, 0x86, 0x8B, 0, 0, FLAGS_ALL },
    { 0, 0xC6, 0xC6, 1, 0x01, FLAGS_ALL },   { 0, 0xC7, 0xC7, 4, 0x01, FLAGS_ALL },
    { 0, 0xF6, 0xF6, 1, 0x01, FLAGS_LOGIC }, { 0, 0xF7, 0xF7, 4, 0x01, FLAGS_LOGIC },
    { 0, 0xF6, 0xF7, 0, 0x0C, FLAGS_ALL },   { 0, 0xFE, 0xFF, 0, 0x03, FLAGS_ALL },
    { 0x0F, 0xB6, 0xB7, 0, 0, FLAGS_ALL },   { 0x0F, 0xBE, 0xBF, 0, 0, FLAGS_ALL },
    { 0, 0x63, 0x63, 0, 0, FLAGS_ALL },      { 0x0F, 0xBA, 0xBA, 1, 0xF0, FLAGS_BT },
    { 0x0F, 0xA3, 0xA3, 0, 0, FLAGS_BT },    { 0x0F, 0xAB, 0xAB, 0, 0, FLAGS_BT },
    { 0x0F, 0xB3, 0xB3, 0, 0, FLAGS_BT },    { 0x0F, 0xBB, 0xBB, 0, 0, FLAGS_BT },
    { 0x0F, 0xB0, 0xB1, 0, 0, FLAGS_ALL },   { 0x0F, 0xC0, 0xC1, 0, 0, FLAGS_ALL },
};

static const struct {
    uint8_t bytes[2];
    uint32_t n;
} prefixes[] = { { { 0 }, 0 },    { { 0x66 }, 1 },       { { 0x48 }, 1 }, { { 0x44 }, 1 },
                 { { 0x40 }, 1 }, { { 0x66, 0x44 }, 2 }, { { 0x4C }, 1 }, { { 0x2E }, 1 } };
#define N_PREFIXES (sizeof prefixes / sizeof prefixes[0])

static void try_in_all_sizes(const struct form *f)
{
    for (uint32_t p = 0; p < N_PREFIXES; p++)
        for (uint32_t round = 0; round < ROUNDS; round++)
            try_form(f, prefixes[p].bytes, prefixes[p].n);
}

Test(trap, instructions_with_an_operand_in_memory_do_what_the_processor_does, .init = make_memory)
{
    for (uint32_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (uint32_t opcode = forms[i].first; opcode <= forms[i].last; opcode++)
            for (int8_t g = forms[i].groups ? 0 : -1; g < (forms[i].groups ? 8 : 0); g++) {
                struct form f = { { (uint8_t)opcode }, 1, forms[i].immediate, g, forms[i].flags };

                if (forms[i].escape)
                    f = (struct form){ { 0x0F, (uint8_t)opcode }, 2, forms[i].immediate, g, forms[i].flags };
                if (g < 0 || forms[i].groups >> g & 1)
                    try_in_all_sizes(&f);
            }
}

/* SDM vol. 2D appendix A: 00H .. 3BH, eight operations in four forms. */
Test(trap, arithmetic_with_a_register_does_what_the_processor_does, .init = make_memory)
{
    for (uint8_t opcode = 0; opcode < 0x40; opcode++) {
        bool logic = opcode >> 3 == INSN_OR || opcode >> 3 == INSN_AND || opcode >> 3 == INSN_XOR;
        struct form f = { { opcode }, 1, 0, -1, logic ? FLAGS_LOGIC : FLAGS_ALL };

        if ((opcode & 7) < 4)
            try_in_all_sizes(&f);
    }
}

Test(trap, moves_of_the_accumulator_have_an_address_of_eight_bytes, .init = make_memory)
{
    for (uint8_t opcode = 0xA0; opcode <= 0xA3; opcode++)
        for (uint32_t p = 0; p < 3; p++) {
            uint8_t insn[INSN_MAX_LENGTH];
            uint64_t address = (uint64_t)device + OPERAND;
            struct native_state s = random_state();

            memcpy(insn, prefixes[p].bytes, prefixes[p].n);
            insn[prefixes[p].n] = opcode;
            memcpy(insn + prefixes[p].n + 1, &address, 8);
            both(insn, prefixes[p].n + 9, INSN_MOV, &s, FLAGS_ALL);
        }
}

Test(trap, vector_moves_take_the_whole_register, .init = make_memory)
{
    static const uint8_t moves[][2] = {
        { 0x00, 0x10 }, { 0x00, 0x11 }, { 0x66, 0x10 }, { 0xF3, 0x10 }, { 0xF3, 0x11 }, { 0xF2, 0x10 }, { 0xF2, 0x11 },
        { 0x00, 0x28 }, { 0x00, 0x29 }, { 0x66, 0x28 }, { 0x00, 0x2B }, { 0x66, 0xE7 }, { 0x66, 0x6F }, { 0x66, 0x7F },
        { 0xF3, 0x6F }, { 0xF3, 0x7F }, { 0x66, 0x6E }, { 0x66, 0x7E }, { 0xF3, 0x7E }, { 0x66, 0xD6 }, { 0xF2, 0xF0 },
    };

    for (uint32_t m = 0; m < sizeof moves / sizeof moves[0]; m++)
        for (uint8_t rex = 0x40; rex <= 0x4C; rex += 4) {
            uint8_t insn[INSN_MAX_LENGTH];
            uint32_t n = 0;
            struct native_state s = random_state();

            if (moves[m][0])
                insn[n++] = moves[m][0];
            insn[n++] = rex;
            insn[n++] = 0x0F;
            insn[n++] = moves[m][1];
            insn[n++] = 0x0F; /* XMM1 or XMM9, (%rdi) */
            both(insn, n, INSN_MOV, &s, FLAGS_ALL);
        }
}

/* SDM vol. 2A 2.3: VEX. A load of 16 bytes clears the upper half, one of 32 fills it. */
Test(trap, avx_moves_take_or_clear_the_upper_half, .init = make_memory)
{
    static const struct {
        uint8_t insn[5], n, reg, bytes;
        bool load;
    } moves[] = {
        { { 0xC5, 0xFA, 0x6F, 0x07 }, 4, 0, 16, true },       /* vmovdqu (%rdi), %xmm0  */
        { { 0xC5, 0xFE, 0x6F, 0x0F }, 4, 1, 32, true },       /* vmovdqu (%rdi), %ymm1  */
        { { 0xC5, 0x7E, 0x7F, 0x0F }, 4, 9, 32, false },      /* vmovdqu %ymm9, (%rdi)  */
        { { 0xC5, 0xFC, 0x11, 0x0F }, 4, 1, 32, false },      /* vmovups %ymm1, (%rdi)  */
        { { 0xC5, 0xF9, 0x7F, 0x0F }, 4, 1, 16, false },      /* vmovdqa %xmm1, (%rdi)  */
        { { 0xC5, 0xFA, 0x7E, 0x0F }, 4, 1, 8, true },        /* vmovq (%rdi), %xmm1    */
        { { 0xC4, 0xE1, 0xF9, 0x7E, 0x0F }, 5, 1, 8, false }, /* vmovq %xmm1, (%rdi)    */
        { { 0xC4, 0x61, 0x79, 0x6E, 0x0F }, 5, 9, 4, true },  /* vmovd (%rdi), %xmm9    */
    };

    for (uint32_t m = 0; m < sizeof moves / sizeof moves[0]; m++) {
        struct native_state s = random_state();
        uint8_t expected[32] = { 0 }, now[32];

        fill(high[0], sizeof high);
        memcpy(code, moves[m].insn, moves[m].n);
        to_vcpu(&s);
        if (!moves[m].load) {
            memcpy(expected, low[moves[m].reg], 16);
            memcpy(expected + 16, high[moves[m].reg], 16);
        } else {
            memcpy(expected, device + OPERAND, moves[m].bytes);
        }
        next_exit(INSN_MOV);
        trap_memory(&v);
        memcpy(now, low[moves[m].reg], 16);
        memcpy(now + 16, high[moves[m].reg], 16);
        if (moves[m].load)
            cr_expect_arr_eq(now, expected, 32, "%s", hex(moves[m].insn, moves[m].n));
        else
            cr_expect_arr_eq(device + OPERAND, expected, moves[m].bytes, "%s", hex(moves[m].insn, moves[m].n));
        cr_expect_eq(v.vmcb.rip, (uint64_t)code + moves[m].n);
    }
}

/* --- string instructions --- */

static void try_string(uint8_t opcode, enum insn_op op, uint64_t source, uint64_t destination)
{
    static const uint8_t sizes[] = { 0, 0x66, 0x48 };

    for (uint32_t i = 0; i < 12; i++) {
        uint8_t insn[4];
        uint32_t n = 0;
        struct native_state s = random_state();

        fill(device, PAGE);
        fill(ram, 2 * PAGE);
        s.regs[RSI] = source;
        s.regs[RDI] = destination;
        s.regs[RCX] = i & 1 ? 5 : s.regs[RCX];
        s.flags |= i & 2 ? FLAG_DF : 0;
        if (i & 1)
            insn[n++] = 0xF3;
        if (sizes[i / 4])
            insn[n++] = sizes[i / 4];
        insn[n++] = opcode;
        both(insn, n, op, &s, FLAGS_ALL);
        opcode |= 1; /* the first four were bytes */
    }
}

Test(trap, string_instructions_copy_from_and_to_devices_in_both_directions, .init = make_memory)
{
    uint64_t port = (uint64_t)device + OPERAND, near_a_page = (uint64_t)ram + PAGE - 3;

    try_string(0xA4, INSN_MOVS, port, near_a_page);
    try_string(0xA4, INSN_MOVS, near_a_page, port);
    try_string(0xA4, INSN_MOVS, port, port + 256);
    try_string(0xAA, INSN_STOS, near_a_page, port);
    try_string(0xAC, INSN_LODS, port, near_a_page);
}

/* --- what is not done in its place --- */

Test(trap, an_unknown_instruction_is_a_panic_and_changes_nothing, .init = make_memory)
{
    static const uint8_t unknown[][3] = { { 0x0F, 0xAF, 0x07 },   /* IMUL (%rdi), %eax */
                                          { 0x8B, 0xC0, 0x90 },   /* no operand in memory */
                                          { 0xFF, 0x37, 0x90 },   /* PUSH (%rdi)          */
                                          { 0xA6, 0x90, 0x90 } }; /* CMPSB                */

    for (uint32_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct native_state s = random_state(), after = s;
        volatile bool done = false;

        memcpy(code, unknown[i], 3);
        to_vcpu(&s);
        from_vcpu(&s);
        next_exit(INSN_MOV);
        if (!setjmp(panicked)) {
            trap_memory(&v);
            done = true;
        }
        from_vcpu(&after);
        cr_expect(!done, "%s was done", hex(unknown[i], 3));
        cr_expect_arr_eq(&s, &after, sizeof s);
    }
}

/* --- ports --- */

Test(trap, ports_move_the_width_of_the_instruction, .init = make_memory)
{
    struct native_state s = random_state();
    uint64_t next;

    s.regs[RAX] = 0x1122334455667788;
    to_vcpu(&s);
    next = v.vmcb.rip + 2;
    v.vmcb.exitinfo1 = 0xCFCull << 16 | 1u << 4 | 1; /* IN AL */
    v.vmcb.exitinfo2 = next;
    trap_port(&v);
    cr_expect_eq(v.vmcb.rax, 0x11223344556677F0);
    cr_expect_eq(v.vmcb.rip, next);
    v.vmcb.exitinfo1 = 0xCFCull << 16 | 4u << 4 | 1; /* IN EAX: clears the upper half */
    trap_port(&v);
    cr_expect_eq(v.vmcb.rax, 0x9ABCDEF0);
    cr_expect(n_left == 1 && left_by == FUNCTION_IN32);
    v.vmcb.exitinfo1 = 0xCFEull << 16 | 2u << 4; /* OUT AX */
    trap_port(&v);
    cr_expect(port_written == 0xCFE && value_written == 0xDEF0);
}

/* --- functions that the shim replaces --- */

static void leaves_by(const uint8_t *bytes, uint32_t n, enum function_kind kind)
{
    struct native_state s = random_state();

    s.regs[RDI] = (uint64_t)device + OPERAND;
    memcpy(code, bytes, n);
    to_vcpu(&s);
    next_exit(INSN_MOV);
    v.vmcb.exitinfo2 = s.regs[RDI];
    n_left = 0;
    trap_memory(&v);
    cr_expect_eq(n_left, kind < FUNCTION_KINDS, "%s", hex(bytes, n));
    cr_expect(n_left == 0 || left_by == kind, "%s: %u", hex(bytes, n), left_by);
}

Test(trap, moves_of_four_and_eight_bytes_may_be_of_a_function_that_is_replaced, .init = make_memory)
{
    leaves_by((const uint8_t[]){ 0x8B, 0x07 }, 2, FUNCTION_READ32);
    leaves_by((const uint8_t[]){ 0x48, 0x8B, 0x07 }, 3, FUNCTION_READ64);
    leaves_by((const uint8_t[]){ 0x89, 0x37 }, 2, FUNCTION_WRITE32);
    leaves_by((const uint8_t[]){ 0x48, 0x89, 0x37 }, 3, FUNCTION_WRITE64);
    leaves_by((const uint8_t[]){ 0x66, 0x8B, 0x07 }, 3, FUNCTION_KINDS);
    leaves_by((const uint8_t[]){ 0x09, 0x37 }, 2, FUNCTION_KINDS);
}

Test(trap, an_access_of_a_function_that_another_processor_has_replaced_is_done_by_its_code, .init = make_memory)
{
    static const uint8_t old[] = { 0x48, 0x8B, 0x07, 0xE9, 0, 0, 0, 0 }; /* MOV (%rdi), %rax; JMP */
    struct native_state s = random_state();

    s.regs[RDI] = (uint64_t)device + OPERAND;
    memcpy(code, old, sizeof old);
    to_vcpu(&s);
    v.vmcb.rip += 3;
    next_exit(INSN_MOV);
    v.vmcb.exitinfo2 = s.regs[RDI];
    moved = true;
    trap_memory(&v);
    cr_expect_eq(v.vmcb.rip, (uint64_t)code + 3);
}
