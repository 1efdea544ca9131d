/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of what narrows a count (opcode, address) with a register that answers otherwise than it
 * should. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

/* --- pmon.filter-opcode ------------------------------------------------------------------------------------------- */

/* 329468-002, Linux HSWEP_CB0_MSR_PMON_BOX_FILTER_OPC: opc 28:20, 182H DRd. Without its bit 1 it is 180H, RFO. */
EXPECT_TEST(pmon_filters, an_opcode_in_the_filter_that_loses_a_bit_warns, VERDICT_WARN, "pmon.filter-opcode", ON("bdx"),
            .defect = msr_stuck_at_0(0xE06, BIT(21)), .code = FOUND_FILTER_STOPS, .finding = "CBo 0");

/* Event files: IA_MISS_DRD C817FEH, IA_MISS_RFO C807FEH, from bit 32 of the control on: CHA 0's first is E01H. */
EXPECT_TEST(pmon_filters, an_opcode_in_the_control_that_loses_a_bit_warns, VERDICT_WARN, "pmon.filter-opcode",
            ON("icx"), .defect = msr_stuck_at_0(0xE01, BIT(44)), .code = FOUND_FILTER_STOPS, .finding = "CHA 0");

/* --- pmon.match on Nehalem: MSR 396H, SDM vol. 3B 18.8.2.3 -------------------------------------------------------- */

#define ADDR_OPCODE_MATCH 0x396u

EXPECT_TEST(pmon_filters, a_match_register_that_loses_a_bit_fails_and_goes_back, VERDICT_FAIL, "pmon.match", ON("nhm"),
            .defect = msr_stuck_at_0(ADDR_OPCODE_MATCH, BIT(41)), .finding = "MSR 0x396: 0x", .restored = true);
