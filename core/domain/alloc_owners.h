/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/alloc_owners.h: which processors share one set of allocation registers. */
#pragma once
#include "core/domain/alloc.h"

/* Rows XC-02, XC-03: each set (of an L3, of an L2) is written with values of its own through its first processor, then
 * through its last, and read on every processor; then through every processor in turn. values: two legal ones, which
 * sets and classes take in turn; NULL: masks of two bits. Deviations are findings; every register is put back. Errors:
 * check_unmeasured() has said why. */
MUST_CHECK enum status alloc_owners_walk(struct check *c, const struct alloc_table *t, const uint64_t *values);
/* The walk in turn alone, of one bit of a register, set and clear, whose others stay as each processor has them (Linux
 * monitor.c resctrl_abmc_set_one_amd(): a read, one bit, a write on every processor); the register is put back. */
MUST_CHECK enum status alloc_switch_walk(struct check *c, uint32_t msr, uint64_t enable);
