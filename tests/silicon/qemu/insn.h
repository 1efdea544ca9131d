/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/insn.h: which instructions mean more to the silicon than their accesses say. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum insn_class {
    INSN_PLAIN,
    INSN_CHASE,    /* loads the register that it finds the address in: the next one waits for the data       */
    INSN_NT_STORE, /* MOVNT of all kinds                                                                     */
    INSN_FLUSH,    /* CLFLUSH, CLFLUSHOPT, CLWB                                                              */
    INSN_PAUSE,
};

/* Of 64-bit mode, from its first byte on. */
enum insn_class insn_class(const uint8_t *bytes, size_t size);
