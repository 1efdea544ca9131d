/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/firmware/reset.h: registers at handoff compared with their reset values. */
#pragma once
#include "core/domain/alloc.h"

struct reset_registers {
    struct sweep sweep;
    uint32_t first, n; /* a run of registers */
    uint64_t reset;
    uint64_t bits; /* that are compared; 0: all */
    enum alloc_scope scope;
    const char *means;     /* what a deviation does to the machine                            */
    bool optional;         /* #GP: the register does not exist, which is legal                */
    bool first_is_serious; /* a deviation of the first register is a FAIL                     */
    bool alike;            /* no reset value: compared with the first set that has it         */
    bool reset_known;
    uint32_t there;
    /* What deviates, for one finding: the first register of the first set, and of how many sets. */
    uint32_t sets, wrong_sets, wrong_cpu, wrong_msr;
    uint64_t wrong_value;
    bool serious;         /* the first register of some set is among it, */
    bool several;         /* and its values are not the same everywhere  */
    uint64_t first_value; /* of the first set's first register           */
};

/* Reads the registers on every set (every L3, L2 or processor) and reports those that differ as one finding; returns how
 * many registers exist. */
uint32_t reset_compare(struct check *c, struct reset_registers *l);
#define RESET_FAMILY                                                                                                   \
    .no_monitor = true, .rests_on = RESTS_ON_REGISTERS, .order = 100,                                                  \
    .means = "a register does not have its reset value, or differs between processors",                                \
    .next = "register and processor in the finding; firmware settings; the same run after a cold boot"
