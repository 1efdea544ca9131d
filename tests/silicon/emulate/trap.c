/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/emulate/trap.h"
#include "tests/silicon/shim/device.h"
#include "tests/silicon/shim/functions.h"
#include "tests/silicon/emulate/guest.h"
#include "tests/silicon/emulate/operand.h"
#include "tests/silicon/shim/vector.h"

/* EXITINFO1 of a nested page fault, APM vol. 2 15.25.6 "Nested versus Guest Page Faults, Fault Ordering". */
#define NPF_WRITE      (1ull << 1)
#define NPF_FETCH      (1ull << 4)
#define NPF_PAGE_TABLE (1ull << 33)

/* EXITINFO1 of an intercepted IN or OUT, APM vol. 2 15.10.2. */
#define IOIO_IN          (1ull << 0)
#define IOIO_STRING      (1ull << 2)
#define IOIO_BYTES(info) ((uint32_t)((info) >> 4 & 7))
#define IOIO_PORT(info)  ((uint32_t)((info) >> 16 & 0xFFFF))

#define FLAG_CF (1ull << 0)
#define FLAG_PF (1ull << 2)
#define FLAG_AF (1ull << 4)
#define FLAG_ZF (1ull << 6)
#define FLAG_SF (1ull << 7)
#define FLAG_OF (1ull << 11)
#define FLAGS   (FLAG_CF | FLAG_PF | FLAG_AF | FLAG_ZF | FLAG_SF | FLAG_OF)

#define PAGE 4096u

/* --- registers */

static uint64_t mask_of(uint32_t bytes)
{
    return bytes >= 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
}

static uint64_t *whole(struct vcpu *v, uint32_t reg)
{
    return reg == RAX ? &v->vmcb.rax : reg == RSP ? &v->vmcb.rsp : &v->regs[reg];
}

/* A part of a register changes; 4 bytes clear what is above them. SDM vol. 1 3.4.1.1. */
static void put(uint64_t *reg, uint64_t value, uint32_t bytes)
{
    if (bytes >= 4)
        *reg = value & mask_of(bytes);
    else
        *reg = (*reg & ~mask_of(bytes)) | (value & mask_of(bytes));
}

static uint64_t reg_get(struct vcpu *v, const struct insn *i)
{
    return i->high_byte ? *whole(v, i->reg & 3) >> 8 & 0xFF : *whole(v, i->reg) & mask_of(i->reg_bytes);
}

static void reg_put(struct vcpu *v, const struct insn *i, uint64_t value)
{
    uint64_t *reg = whole(v, i->high_byte ? i->reg & 3 : i->reg);

    if (i->high_byte)
        *reg = (*reg & ~0xFF00ull) | (value & 0xFF) << 8;
    else
        put(reg, value, i->reg_bytes);
}

/* --- arithmetic */

static void set_flags(struct vcpu *v, uint64_t which, uint64_t flags)
{
    v->vmcb.rflags = (v->vmcb.rflags & ~which) | (flags & which);
}

/* Flags of a result; carries: of each bit, into the one above. SDM vol. 1 3.4.3.1 "Status Flags". */
static uint64_t flags_of(uint64_t result, uint64_t carries, uint32_t bytes)
{
    uint32_t top = 8 * bytes - 1;
    uint64_t flags = 0;

    flags |= carries >> top & 1 ? FLAG_CF : 0;
    flags |= (carries >> top ^ carries >> (top - 1)) & 1 ? FLAG_OF : 0;
    flags |= carries >> 3 & 1 ? FLAG_AF : 0;
    flags |= (result & mask_of(bytes)) == 0 ? FLAG_ZF : 0;
    flags |= result >> top & 1 ? FLAG_SF : 0;
    flags |= __builtin_parity((uint32_t)result & 0xFF) ? 0 : FLAG_PF;
    return flags;
}

/* a OP b as the eight operations of group 1 have it; CMP returns the difference. Changes the guest's flags. */
static uint64_t compute(struct vcpu *v, enum insn_op op, uint64_t a, uint64_t b, uint32_t bytes)
{
    uint64_t carry = v->vmcb.rflags & FLAG_CF ? 1 : 0, r, carries = 0;

    switch (op) {
    case INSN_ADD:
    case INSN_ADC:
        r = a + b + (op == INSN_ADC ? carry : 0);
        carries = (a & b) | ((a | b) & ~r);
        break;
    case INSN_SUB:
    case INSN_SBB:
    case INSN_CMP:
        r = a - b - (op == INSN_SBB ? carry : 0);
        carries = (~a & b) | ((~a | b) & r);
        break;
    case INSN_OR:
        r = a | b;
        break;
    case INSN_XOR:
        r = a ^ b;
        break;
    default: /* AND, TEST */
        r = a & b;
        break;
    }
    set_flags(v, FLAGS, flags_of(r, carries, bytes));
    return r & mask_of(bytes);
}

/* INC and DEC leave CF alone. */
static uint64_t step(struct vcpu *v, uint64_t a, bool up, uint32_t bytes)
{
    uint64_t carry = v->vmcb.rflags & FLAG_CF;
    uint64_t r = compute(v, up ? INSN_ADD : INSN_SUB, a, 1, bytes);

    set_flags(v, FLAG_CF, carry);
    return r;
}

static uint64_t bit_operation(struct vcpu *v, enum insn_op op, uint64_t memory, uint64_t number, uint32_t bytes)
{
    uint64_t bit = 1ull << (number & (8 * bytes - 1));

    set_flags(v, FLAG_CF, memory & bit ? FLAG_CF : 0);
    return op == INSN_BTS ? memory | bit : op == INSN_BTR ? memory & ~bit : op == INSN_BTC ? memory ^ bit : memory;
}

/* --- one instruction */

/* What an instruction that reads memory, and perhaps writes it back, makes of the value. Returns true if *memory is to
 * be written. */
static bool modify(struct vcpu *v, const struct insn *i, uint64_t *memory)
{
    uint64_t other = i->immediate ? i->value & mask_of(i->bytes) : reg_get(v, i), was = *memory;

    switch (i->op) {
    case INSN_TEST:
        compute(v, INSN_TEST, was, other, i->bytes);
        return false;
    case INSN_CMP:
        compute(v, INSN_CMP, i->to_memory ? was : other, i->to_memory ? other : was, i->bytes);
        return false;
    case INSN_XCHG:
        *memory = other;
        reg_put(v, i, was);
        return true;
    case INSN_XADD:
        *memory = compute(v, INSN_ADD, was, other, i->bytes);
        reg_put(v, i, was);
        return true;
    case INSN_CMPXCHG:
        compute(v, INSN_CMP, v->vmcb.rax & mask_of(i->bytes), was, i->bytes);
        if (v->vmcb.rflags & FLAG_ZF)
            *memory = other;
        else
            put(&v->vmcb.rax, was, i->bytes);
        return true; /* memory is written in either case */
    case INSN_NOT:
        *memory = ~was;
        return true;
    case INSN_NEG:
        *memory = compute(v, INSN_SUB, 0, was, i->bytes);
        return true;
    case INSN_INC:
    case INSN_DEC:
        *memory = step(v, was, i->op == INSN_INC, i->bytes);
        return true;
    case INSN_BT:
    case INSN_BTS:
    case INSN_BTR:
    case INSN_BTC:
        *memory = bit_operation(v, i->op, was, other, i->bytes);
        return i->op != INSN_BT;
    default: /* ADD .. XOR */
        if (i->to_memory) {
            *memory = compute(v, i->op, was, other, i->bytes);
            return true;
        }
        reg_put(v, i, compute(v, i->op, other, was, i->bytes));
        return false;
    }
}

static void move(struct vcpu *v, const struct insn *i, uint64_t physical)
{
    uint64_t value = i->immediate ? i->value : reg_get(v, i);

    if (i->to_memory) {
        device_write(v, physical, &value, i->bytes);
        return;
    }
    value = 0;
    device_read(v, physical, &value, i->bytes);
    if (i->sign && value >> (8 * i->bytes - 1) & 1)
        value |= ~mask_of(i->bytes);
    reg_put(v, i, value);
}

static void move_xmm(struct vcpu *v, const struct insn *i, uint64_t physical)
{
    uint8_t data[VECTOR_LOW_BYTES + VECTOR_HIGH_BYTES] = { 0 }, *high = data + VECTOR_LOW_BYTES;

    if (i->to_memory) {
        vector_low_get(i->reg, data);
        if (i->bytes > VECTOR_LOW_BYTES)
            vector_high_get(i->reg, high);
        device_write(v, physical, data, i->bytes);
        return;
    }
    device_read(v, physical, data, i->bytes);
    vector_low_put(i->reg, data);
    if (i->vex)
        vector_high_put(i->reg, high);
}

/* --- string instructions */

static void span_copy(struct vcpu *v, const struct guest_span *s, uint8_t *data, uint32_t bytes, bool write)
{
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t n = p ? bytes - s->first : s->first;
        uint64_t physical = s->physical[p];

        if (n && device_has(physical))
            write ? device_write(v, physical, data, n) : device_read(v, physical, data, n);
        else if (n)
            write ? __builtin_memcpy((void *)physical, data, n) : __builtin_memcpy(data, (const void *)physical, n);
        data += n;
    }
}

static void pass_on(struct vcpu *v, const struct insn *i, uint32_t reg)
{
    put(&v->regs[reg], v->regs[reg] + (v->vmcb.rflags & RFLAGS_DF ? 0 - (uint64_t)i->bytes : i->bytes),
        i->address_bytes);
}

/* One element; the other operand of MOVS is wherever the guest's registers point to. */
static void string(struct vcpu *v, const struct insn *i, uint64_t physical, bool write)
{
    uint64_t addresses = mask_of(i->address_bytes), data = v->vmcb.rax;
    struct guest_span s;

    if (i->op == INSN_MOVS) {
        uint64_t base = write ? operand_segment(i->segment) : 0;

        if (!guest_reach(v, base + (v->regs[write ? RSI : RDI] & addresses), i->bytes, !write, &s))
            return; /* the guest takes its #PF, and comes back */
    }
    if (i->op == INSN_MOVS && write)
        span_copy(v, &s, (uint8_t *)&data, i->bytes, false);
    if (write)
        device_write(v, physical, &data, i->bytes);
    else
        device_read(v, physical, &data, i->bytes);
    if (i->op == INSN_MOVS && !write)
        span_copy(v, &s, (uint8_t *)&data, i->bytes, true);
    if (i->op == INSN_LODS)
        put(&v->vmcb.rax, data, i->bytes);
    if (i->op != INSN_STOS)
        pass_on(v, i, RSI);
    if (i->op != INSN_LODS)
        pass_on(v, i, RDI);
    if (i->rep)
        put(&v->regs[RCX], v->regs[RCX] - 1, i->address_bytes);
    if (!i->rep || (v->regs[RCX] & addresses) == 0)
        guest_advance(v, i->length);
}

/* --- exits */

static _Noreturn void panic_code(const char *what, const struct vcpu *v, const uint8_t *code, uint32_t n)
{
    uint64_t bytes[2] = { 0, 0 }; /* in the order of memory */

    for (uint32_t i = 0; i < n; i++)
        bytes[i / 8] |= (uint64_t)code[i] << (56 - 8 * (i % 8));
    complain("an access to a device, address and RIP:", v->vmcb.exitinfo2, v->vmcb.rip);
    panic(what, bytes[0], bytes[1]);
}

void trap_memory(struct vcpu *v)
{
    uint64_t physical = v->vmcb.exitinfo2, info = v->vmcb.exitinfo1, memory = 0;
    uint8_t code[INSN_MAX_LENGTH];
    uint32_t n;
    struct insn i;

    if (!device_has(physical) || info & (NPF_FETCH | NPF_PAGE_TABLE))
        panic("a nested page fault that is no access to a device, address and RIP:", physical, v->vmcb.rip);
    functions_moved(v);
    n = guest_code(v, code);
    if (!guest_is_64(v) || !insn_decode(&i, code, n) || (physical & (PAGE - 1)) + i.bytes > PAGE)
        panic_code("no instruction that can be done in its place, its bytes:", v, code, n);
    if (i.op == INSN_MOV && i.bytes >= 4)
        functions_left(v, i.bytes == 8 ? (i.to_memory ? FUNCTION_WRITE64 : FUNCTION_READ64)
                                       : (i.to_memory ? FUNCTION_WRITE32 : FUNCTION_READ32));
    switch (i.op) {
    case INSN_MOVS:
    case INSN_STOS:
    case INSN_LODS:
        string(v, &i, physical, info & NPF_WRITE);
        return;
    case INSN_MOV:
        move(v, &i, physical);
        break;
    case INSN_MOV_XMM:
        move_xmm(v, &i, physical);
        break;
    case INSN_CLFLUSH: /* no access */
        break;
    default:
        device_read(v, physical, &memory, i.bytes);
        if (modify(v, &i, &memory))
            device_write(v, physical, &memory, i.bytes);
    }
    guest_advance(v, i.length);
}

void trap_port(struct vcpu *v)
{
    uint64_t info = v->vmcb.exitinfo1;
    uint32_t port = IOIO_PORT(info), bytes = IOIO_BYTES(info), length = (uint32_t)(v->vmcb.exitinfo2 - v->vmcb.rip);

    if (info & IOIO_STRING)
        panic("INS or OUTS at a configuration port, EXITINFO1 and RIP:", info, v->vmcb.rip);
    if (info & IOIO_IN && bytes == 4)
        functions_left(v, FUNCTION_IN32);
    if (info & IOIO_IN)
        put(&v->vmcb.rax, device_in(v, port, bytes), bytes);
    else
        device_out(v, port, (uint32_t)v->vmcb.rax, bytes);
    guest_advance(v, length);
}
