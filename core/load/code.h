/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/load/code.h: code of which there is more than a loop: each line of a buffer is NOPs to its end, so that as many
 * lines are fetched as the buffer has. */
#pragma once
#include "core/check/check.h"
#include "core/load/traffic.h"

/* Writes the code, and runs it once, by this processor under RMID 0. ST_ABSENT: firmware has mapped the memory so that
 * it cannot be run. Other errors: check_unmeasured() has said why. */
MUST_CHECK enum status code_write(struct check *c, uint32_t cpu, uint64_t base, uint64_t bytes);
/* Goes through all lines `passes` times: fetched as code (WORK_CODE) or read as data (WORK_READ). CLOS kept. */
struct traffic_part code_part(enum work_kind kind, uint32_t rmid, uint64_t base, uint64_t bytes, uint32_t passes);
/* An L3 that is not inclusive takes lines from the L2, which keeps fewer than a buffer has: 2, else 1. */
uint32_t code_passes(const struct check *c, uint32_t domain);
