/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/emulate/decode.h"

#define REX_W 8u
#define REX_R 4u
#define REX_X 2u
#define REX_B 1u

struct decoder {
    const uint8_t *at, *end;
    bool over;         /* wanted more bytes than there are */
    bool operand_size; /* prefix 66H       */
    uint8_t repeat;    /* F2H, F3H or 0    */
    uint8_t rex;
    bool vex, vex_256;
};

static uint8_t next(struct decoder *d)
{
    if (d->at == d->end) {
        d->over = true;
        return 0;
    }
    return *d->at++;
}

/* Little endian, sign-extended; 0 bytes are nothing. */
static uint64_t number(struct decoder *d, uint32_t bytes)
{
    uint64_t value = 0;
    uint32_t shift = 64 - 8 * bytes;

    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)next(d) << 8 * i;
    return bytes ? (uint64_t)((int64_t)(value << shift) >> shift) : 0;
}

/* Legacy prefixes and REX. Returns the first byte of the opcode. */
static uint8_t prefixes(struct decoder *d, struct insn *i)
{
    bool address_size = false;
    uint8_t byte;

    for (;;) {
        byte = next(d);
        if (byte == 0x66)
            d->operand_size = true;
        else if (byte == 0x67)
            address_size = true;
        else if (byte == 0xF2 || byte == 0xF3)
            d->repeat = byte;
        else if (byte == 0x64 || byte == 0x65)
            i->segment = SEGMENT_FS + (byte & 1);
        else if (byte != 0xF0 && (byte & 0xE7) != 0x26) /* LOCK: nobody else is at the register meanwhile; ES to DS */
            break;
    }
    i->address_bytes = address_size ? 4 : 8;
    if ((byte & 0xF0) == 0x40) {
        d->rex = byte;
        byte = next(d);
    }
    return byte;
}

/* Of an operand that is not a byte. */
static uint32_t operand_bytes(const struct decoder *d)
{
    return d->rex & REX_W ? 8 : d->operand_size ? 2 : 4;
}

static void set_bytes(struct insn *i, uint32_t bytes)
{
    i->bytes = i->reg_bytes = bytes;
}

static void sib(struct decoder *d, struct insn_address *a)
{
    uint8_t byte = next(d);
    uint32_t index = (byte >> 3 & 7) | (d->rex & REX_X ? 8 : 0);

    a->scale = 1u << (byte >> 6);
    a->index = index == 4 ? INSN_NO_REGISTER : index; /* RSP is none */
    a->base = (byte & 7) | (d->rex & REX_B ? 8 : 0);
}

/* ModRM, SIB and displacement. Sets i->reg and i->address, and returns ModRM.reg, which often is more opcode. */
static uint32_t modrm(struct decoder *d, struct insn *i)
{
    struct insn_address *a = &i->address;
    uint8_t byte = next(d);
    uint32_t mod = byte >> 6, rm = byte & 7;
    bool relative = mod == 0 && rm == 5, no_base = relative;

    if (mod == 3)
        d->over = true; /* no operand in memory: not what is looked for */
    *a = (struct insn_address){ .base = rm | (d->rex & REX_B ? 8 : 0), .index = INSN_NO_REGISTER, .scale = 1 };
    if (rm == 4) {
        sib(d, a);
        no_base = mod == 0 && (a->base & 7) == 5;
    }
    if (no_base)
        a->base = relative ? INSN_RIP : INSN_NO_REGISTER;
    if (mod == 1)
        a->displacement = number(d, 1);
    else if (mod == 2 || no_base)
        a->displacement = number(d, 4);
    i->reg = (byte >> 3 & 7) | (d->rex & REX_R ? 8 : 0);
    i->high_byte = !d->rex && i->reg_bytes == 1 && i->reg >= 4;
    return byte >> 3 & 7;
}

static void take_immediate(struct decoder *d, struct insn *i, uint32_t bytes)
{
    i->immediate = true;
    i->value = number(d, bytes > 4 ? 4 : bytes);
}

/* Groups 1, 3, 4, 5 and 11: ModRM.reg is the operation, the other operand is an immediate or none. */
static bool group(struct decoder *d, struct insn *i, uint8_t opcode)
{
    uint32_t reg = modrm(d, i);

    i->to_memory = true;
    i->high_byte = false;
    switch (opcode & ~1) {
    case 0x80:
    case 0x82: /* of which 82H is none */
        i->op = reg;
        take_immediate(d, i, opcode == 0x83 ? 1 : i->bytes);
        return opcode != 0x82;
    case 0xC6:
        i->op = INSN_MOV;
        take_immediate(d, i, i->bytes);
        return reg == 0;
    case 0xF6:
        i->op = reg < 2 ? INSN_TEST : reg == 2 ? INSN_NOT : INSN_NEG;
        if (reg < 2)
            take_immediate(d, i, i->bytes);
        return reg <= 3;
    default: /* FEH, FFH */
        i->op = reg == 0 ? INSN_INC : INSN_DEC;
        return reg <= 1;
    }
}

static bool with_register(struct decoder *d, struct insn *i, enum insn_op op, bool to_memory)
{
    i->op = op;
    i->to_memory = to_memory;
    modrm(d, i);
    return true;
}

static bool string(struct decoder *d, struct insn *i, enum insn_op op)
{
    i->op = op;
    i->rep = d->repeat != 0;
    i->to_memory = op == INSN_STOS;
    return true;
}

/* MOV between the accumulator and an offset that stands in the instruction. */
static bool offset(struct decoder *d, struct insn *i, bool to_memory)
{
    i->op = INSN_MOV;
    i->to_memory = to_memory;
    i->reg = 0;
    number(d, i->address_bytes);
    return true;
}

static bool one_byte(struct decoder *d, struct insn *i, uint8_t opcode)
{
    set_bytes(i, opcode & 1 ? operand_bytes(d) : 1);
    if (opcode < 0x40 && (opcode & 7) < 4)
        return with_register(d, i, opcode >> 3, !(opcode & 2));
    switch (opcode) {
    case 0x63: /* MOVSXD */
        i->bytes = i->bytes < 4 ? i->bytes : 4;
        i->sign = true;
        return with_register(d, i, INSN_MOV, false);
    case 0x80 ... 0x83:
    case 0xC6 ... 0xC7:
    case 0xF6 ... 0xF7:
    case 0xFE ... 0xFF:
        return group(d, i, opcode);
    case 0x84 ... 0x85:
        return with_register(d, i, INSN_TEST, true);
    case 0x86 ... 0x87:
        return with_register(d, i, INSN_XCHG, true);
    case 0x88 ... 0x8B:
        return with_register(d, i, INSN_MOV, !(opcode & 2));
    case 0xA0 ... 0xA3:
        return offset(d, i, opcode & 2);
    case 0xA4 ... 0xA5:
        return string(d, i, INSN_MOVS);
    case 0xAA ... 0xAB:
        return string(d, i, INSN_STOS);
    case 0xAC ... 0xAD:
        return string(d, i, INSN_LODS);
    default:
        return false;
    }
}

/* What follows C5H or C4H says the same as REX and the prefixes, and the length. SDM vol. 2A 2.3.5. Returns false for
 * opcodes of another map than 0FH's. */
static bool vex_prefix(struct decoder *d, bool three_bytes)
{
    static const uint8_t mandatory[] = { 0, 0x66, 0xF3, 0xF2 };
    uint8_t byte = next(d), map = 1;

    d->vex = true;
    d->rex = byte & 0x80 ? 0 : REX_R;
    if (three_bytes) {
        map = byte & 0x1F;
        byte = next(d);
        d->rex |= byte & 0x80 ? REX_W : 0;
    }
    d->vex_256 = byte >> 2 & 1;
    d->operand_size = mandatory[byte & 3] == 0x66;
    d->repeat = d->operand_size ? 0 : mandatory[byte & 3];
    return map == 1;
}

/* SSE and AVX moves by mandatory prefix and second byte of the opcode. */
static bool sse(struct decoder *d, struct insn *i, uint8_t opcode)
{
    static const struct {
        uint8_t prefix, opcode, bytes, to_memory; /* bytes 0: 4, or 8 with REX.W */
    } moves[] = {
        { 0x00, 0x10, 16, 0 }, { 0x00, 0x11, 16, 1 }, { 0x66, 0x10, 16, 0 }, { 0x66, 0x11, 16, 1 }, /* MOVUPS, MOVUPD */
        { 0xF3, 0x10, 4, 0 },  { 0xF3, 0x11, 4, 1 },  { 0xF2, 0x10, 8, 0 },  { 0xF2, 0x11, 8, 1 },  /* MOVSS, MOVSD   */
        { 0x00, 0x28, 16, 0 }, { 0x00, 0x29, 16, 1 }, { 0x66, 0x28, 16, 0 }, { 0x66, 0x29, 16, 1 }, /* MOVAPS, MOVAPD */
        { 0x00, 0x2B, 16, 1 }, { 0x66, 0x2B, 16, 1 }, { 0x66, 0xE7, 16, 1 },                        /* MOVNT*         */
        { 0x66, 0x6F, 16, 0 }, { 0x66, 0x7F, 16, 1 }, { 0xF3, 0x6F, 16, 0 }, { 0xF3, 0x7F, 16, 1 }, /* MOVDQA, MOVDQU */
        { 0x66, 0x6E, 0, 0 },  { 0x66, 0x7E, 0, 1 },  { 0xF3, 0x7E, 8, 0 },  { 0x66, 0xD6, 8, 1 },  /* MOVD, MOVQ     */
        { 0xF2, 0xF0, 16, 0 },                                                                      /* LDDQU          */
    };
    uint8_t prefix = d->repeat ? d->repeat : d->operand_size ? 0x66 : 0;

    for (uint32_t m = 0; m < sizeof moves / sizeof moves[0]; m++) {
        if (moves[m].prefix != prefix || moves[m].opcode != opcode)
            continue;
        i->bytes = moves[m].bytes ? moves[m].bytes : d->rex & REX_W ? 8 : 4;
        if (d->vex_256 && i->bytes == 16)
            i->bytes = 32;
        i->reg_bytes = 16;
        i->vex = d->vex;
        return with_register(d, i, INSN_MOV_XMM, moves[m].to_memory);
    }
    return false;
}

static bool extend(struct decoder *d, struct insn *i, uint32_t bytes, bool sign)
{
    i->bytes = bytes;
    i->reg_bytes = operand_bytes(d);
    i->sign = sign;
    return with_register(d, i, INSN_MOV, false);
}

static bool two_bytes(struct decoder *d, struct insn *i, uint8_t opcode)
{
    set_bytes(i, operand_bytes(d));
    switch (opcode) {
    case 0x38: /* MOVNTDQA */
        set_bytes(i, 16);
        return next(d) == 0x2A && d->operand_size && with_register(d, i, INSN_MOV_XMM, false);
    case 0xB6:
    case 0xB7:
        return extend(d, i, opcode & 1 ? 2 : 1, false);
    case 0xBE:
    case 0xBF:
        return extend(d, i, opcode & 1 ? 2 : 1, true);
    case 0xA3:
    case 0xAB:
    case 0xB3:
    case 0xBB:
        return with_register(d, i, INSN_BT + (opcode >> 3 & 3), true);
    case 0xBA: {
        uint32_t reg = modrm(d, i);

        i->op = INSN_BT + (reg & 3);
        i->to_memory = true;
        take_immediate(d, i, 1);
        return reg >= 4;
    }
    case 0xAE:
        set_bytes(i, 1);
        i->op = INSN_CLFLUSH;
        return modrm(d, i) == 7 && !d->operand_size && !d->repeat;
    case 0xB0 ... 0xB1:
        set_bytes(i, opcode & 1 ? i->bytes : 1);
        return with_register(d, i, INSN_CMPXCHG, true);
    case 0xC0 ... 0xC1:
        set_bytes(i, opcode & 1 ? i->bytes : 1);
        return with_register(d, i, INSN_XADD, true);
    case 0xC3: /* MOVNTI */
        return with_register(d, i, INSN_MOV, true);
    default:
        return sse(d, i, opcode);
    }
}

bool insn_decode(struct insn *i, const uint8_t *code, uint32_t n)
{
    struct decoder d = { .at = code, .end = code + (n < INSN_MAX_LENGTH ? n : INSN_MAX_LENGTH) };
    uint8_t opcode;
    bool known;

    *i = (struct insn){ .segment = SEGMENT_NONE };
    opcode = prefixes(&d, i);
    if ((opcode & 0xFE) == 0xC4)
        known = vex_prefix(&d, opcode == 0xC4) && sse(&d, i, next(&d));
    else
        known = opcode == 0x0F ? two_bytes(&d, i, next(&d)) : one_byte(&d, i, opcode);
    i->length = (uint32_t)(d.at - code);
    return known && !d.over;
}
