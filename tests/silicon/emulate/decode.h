/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/emulate/decode.h: what one instruction does with its operand in memory.
 *
 * For instructions that reached memory which the virtual silicon answers itself: what compilers make of reads and
 * writes of volatile objects, and of copies. No machine state but the code bytes, no side effect: trap.c does what is
 * decoded here. Addresses are not computed, since whoever trapped the access knows where it went, but for CLFLUSH,
 * which makes none: what its address is made of is in `address`. Code is that of 64-bit mode, as firmware and kernels
 * are once they reach devices.
 *
 * Source: SDM vol. 2A 2.1 "Instruction Format for Protected Mode, Real-Address Mode, and Virtual-8086 Mode", 2.2
 * "IA-32e Mode"; vol. 2D appendix A "Opcode Map".
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum insn_op {
    /* As ModRM.reg and opcode bits 5:3 number them; the destination is memory or the register. */
    INSN_ADD,
    INSN_OR,
    INSN_ADC,
    INSN_SBB,
    INSN_AND,
    INSN_SUB,
    INSN_XOR,
    INSN_CMP,
    INSN_MOV,
    INSN_TEST,
    INSN_XCHG,
    INSN_NOT,
    INSN_NEG,
    INSN_INC,
    INSN_DEC,
    INSN_BT, /* and three more, as ModRM.reg 4 .. 7 of 0FBAH number them */
    INSN_BTS,
    INSN_BTR,
    INSN_BTC,
    INSN_XADD,
    INSN_CMPXCHG,
    INSN_MOVS, /* memory to memory: which of the two trapped is not said by the code */
    INSN_STOS,
    INSN_LODS,
    INSN_MOV_XMM, /* a load of less than the register clears the rest of it, of YMM only with VEX */
    INSN_CLFLUSH, /* its operand is a byte of the line                                          */
};

enum insn_segment { SEGMENT_NONE, SEGMENT_FS, SEGMENT_GS };

#define INSN_NO_REGISTER 16u
#define INSN_RIP         17u /* of the next instruction */
struct insn_address {
    uint32_t base, index; /* 0 .. 15, or one of the two above; index is never INSN_RIP */
    uint32_t scale;       /* 1, 2, 4, 8                                                */
    uint64_t displacement;
};

struct insn {
    enum insn_op op;
    enum insn_segment segment; /* override prefix; the others have no effect in 64-bit mode                  */
    uint32_t length;           /* of the instruction                                                         */
    uint32_t bytes;            /* of the operand in memory: 1, 2, 4, 8, 16, 32                               */
    uint32_t reg_bytes;        /* of the register: more than `bytes` for MOVZX, MOVSX, MOVSXD                */
    uint32_t address_bytes;    /* 4, 8: how much of RSI   , RDI and RCX a string instruction uses            */
    uint32_t reg;              /* 0 .. 15, general or XMM                                                    */
    bool vex;                  /* an AVX instruction: reg is a YMM register                                  */
    bool high_byte;            /* reg 4 .. 7 are AH, CH, DH, BH                                              */
    bool to_memory;            /* memory is the destination (or the first operand, of CMP, TEST and BT)      */
    bool sign;                 /* the value from memory is sign-extended to reg_bytes                        */
    bool immediate;            /* the other operand is `value`, sign-extended                                */
    bool rep;                  /* a string instruction that counts RCX down                                  */
    uint64_t value;

    struct insn_address address; /* where there is a ModRM byte */
};

#define INSN_MAX_LENGTH 15u

/* Decode.
 *
 * code, n  the bytes at the instruction pointer, and how many of them are known; INSN_MAX_LENGTH always suffice
 * Returns false, and nothing in *i means anything, for an instruction that is not of those above, that has no operand
 * in memory, or that does not end within n.
 */
bool insn_decode(struct insn *i, const uint8_t *code, uint32_t n);
