/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore_parts/uncore_nhm.c: the uncore of Nehalem-EP: eight counters and a fixed one for the whole package, behind a
 * global enable.
 *
 * Sources: SDM vol. 3B 18.8.2 "Performance Monitoring Facility Located in the Uncore", public event files, Linux
 * uncore_snb.c (nhm_*).
 *
 * - 394H is the fixed counter and 395H its control, as the SDM and Linux have them for these parts.
 * - Bit 17 of an event select clears the queue's occupancy accumulator. Here that is always the occupancy of the queue,
 *   so the bit does nothing, and reads 0.
 * - An overflow shows in 392H whether or not the counter asks for an interrupt, with bit 63 (something has changed), and
 *   bit 61 if it does; 393H clears them. No interrupt is raised: the target cores are kept. With bit 63 of 391H one that
 *   asks clears all enables in 391H (18.8.2.1: software "must explicitly re-enable").
 * - QMC umask bit 3 is a channel that these parts lack, so 07H and 0FH are the same.
 * - Event 35H counts what passes the match of 396H: 02H requests of other sockets, 04H the own socket's; 01H, those of
 *   I/O, stays 0 (SDM's event table of these parts; 18.8.2.3).
 * - The model does not know in which state a line came in: all count as E.
 */
#include "tests/silicon/uncore_parts/uncore_e5.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

static const struct uncore_ctl ctl = {
    .ev_sel = BITS(7, 0),
    .umask = BITS(15, 8),
    .edge_det = BIT(18),
    .en = BIT(22),
    .invert = BIT(23),
    .thresh = BITS(31, 24),
    .ov_en = BIT(20),
    .fixed_en = BIT(0),
    .fixed_ov_en = BIT(2),
};

static const struct uncore_reg regs[] = {
    REG(GLOBAL_CTL, 0x391),    REG(GLOBAL_STATUS, 0x392),
    REG(GLOBAL_CLEAR, 0x393),  REG(FIXED_CTR, 0x394),
    REG(FIXED_CTL, 0x395),     REG(KEPT, 0x396, .mask = BITS(63, 61) | BITS(47, 3)), /* address and opcode match */
    REG_RUN(CTR, 0x3B0, 8, 1), REG_RUN(CTL, 0x3C0, 8, 1),
};

/* Requests that 396H lets pass. arg: HOME_LOCAL or HOME_REMOTE. */
static uint64_t source_match(const struct uncore_look *l, uint64_t arg)
{
    if (fault_on(&l->m->faults, FAULT_NHM_MATCH_IGNORED))
        return source_home(l, arg | HOME_READ | HOME_WRITE);
    return atomic_load_explicit(&l->m->package[l->box->package].match.passed[arg == HOME_LOCAL], memory_order_relaxed);
}

#define READS  (BIT(0) | BIT(1) | BIT(2)) /* of enum lookup: data, code, ownership */
#define WRITES BIT(3)
#define SNOOPS BIT(4)

static const struct uncore_event events[] = {
    EVENT(0x02, BIT(0), source_lookup, .arg = READS | SLICE_HIT, .cycles = TOR_HIT_CLOCKS, .most = QUEUE_ENTRIES),
    EVENT(0x02, BIT(0), source_lookup, .arg = READS | SLICE_MISS, .cycles = TOR_MISS_CLOCKS, .most = QUEUE_ENTRIES),
    EVENT(0x03, BIT(0), source_lookup, .arg = READS),
    EVENT(0x03, BIT(1), source_lookup, .arg = READS | SLICE_MISS),
    EVENT(0x08, BIT(0), source_lookup, .arg = READS | SLICE_HIT),
    EVENT(0x08, BIT(1), source_lookup, .arg = WRITES | SLICE_HIT),
    EVENT(0x08, BIT(2), source_lookup, .arg = SNOOPS | SLICE_HIT),
    EVENT(0x09, BIT(0), source_lookup, .arg = READS | SLICE_MISS),
    EVENT(0x09, BIT(1), source_lookup, .arg = WRITES | SLICE_MISS),
    EVENT(0x09, BIT(2), source_lookup, .arg = SNOOPS | SLICE_MISS),
    EVENT(0x0A, BIT(1), source_fill),
    EVENT(0x0B, BIT(0), source_victim, .arg = BIT(3)), /* M */
    EVENT(0x0B, BIT(1), source_victim, .arg = BIT(2)), /* E */
    EVENT(0x0B, BIT(2), source_victim, .arg = BIT(1)), /* S */
    EVENT(0x0B, BIT(4), source_victim, .arg = BIT(4)), /* F */
    EVENT(0x20, BIT(2), source_home, .arg = HOME_READ | HOME_REMOTE),
    EVENT(0x20, BIT(3), source_home, .arg = HOME_WRITE | HOME_REMOTE),
    EVENT(0x20, BIT(4), source_home, .arg = HOME_READ | HOME_LOCAL),
    EVENT(0x20, BIT(5), source_home, .arg = HOME_WRITE | HOME_LOCAL),
    EVENT(0x2C, BIT(0), source_cas_read, .arg = 1),
    EVENT(0x2C, BIT(1), source_cas_read, .arg = 2),
    EVENT(0x2C, BIT(2), source_cas_read, .arg = 3),
    EVENT(0x2F, BIT(0), source_cas_write, .arg = 1),
    EVENT(0x2F, BIT(1), source_cas_write, .arg = 2),
    EVENT(0x2F, BIT(2), source_cas_write, .arg = 3),
    EVENT(0x35, BIT(1), source_match, .arg = HOME_REMOTE),
    EVENT(0x35, BIT(2), source_match, .arg = HOME_LOCAL),
};

BOX_TYPE(socket, .name = "uncore", .unit = UNIT_SOCKET, .count = 1, .counters = 8, .counter_bits = 48, .fixed_bits = 48,
         .ctl = &ctl, ROWS(regs), EVENTS(events), .overflow_always = true, .status_fixed = 32);

const struct uncore_part uncore_nhm = {
    OF_TYPES(TYPE_LIST(&socket)), .global_kept = BIT(63) | BITS(51, 48) | BIT(32) | BITS(7, 0),
    .global_enables = true,       .global_report = GLOBAL_REPORT_COUNTERS,
    .freezes_on_overflow = true,  .freezes_if = BIT(63),
    .pmi_cores = BITS(51, 48),    .pmi_debugctl = true,
};
