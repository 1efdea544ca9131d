/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore_internal.h: what the engine's files share. Caller holds the package's lock throughout.
 *
 *   model_uncore.c          what is counted
 *   model_uncore_look.c     until when, what stops it, overflows
 *   model_uncore_pmi.c      interrupts of overflows
 *   model_uncore_regs.c     registers: which one, what a read and a write do
 *   model_uncore_sources.c  what can be counted
 *   model_uncore_match.c    what can be counted by address, opcode and packet
 *   model_bus.c             PCI functions and the memory-mapped window
 */
#pragma once
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/uncore/uncore.h"

const struct uncore_part *uncore_part(const struct model *m); /* NULL: none */
struct uncore *uncore_of(struct model *m, uint32_t package);

/* Has the box this fault? Its parameter is an enum uncore_unit, without one every unit has it. */
bool uncore_broken(const struct model *m, const struct uncore_box *b, enum fault_id id);
/* FAULT_CBO_FILTER_IGNORED, of every slice or of this one. */
bool uncore_ignores_states(const struct uncore_look *l);
/* As uncore_broken() of a fault of every counter, or of the one that its number names; its place is the unit. */
bool uncore_counter_broken(const struct model *m, const struct uncore_box *b, uint32_t index, enum fault_id id);
bool uncore_ubox_broken(const struct model *m, const struct uncore_box *b, enum fault_id id);
/* Boxes of a type in a package. */
uint32_t uncore_number_of(const struct model *m, const struct uncore_box_type *t);
/* Is it the last box of its type? */
bool uncore_is_last(const struct model *m, const struct uncore_box *b);
/* Clocks of the box from power-on to tsc. */
uint64_t uncore_clock_at(const struct model *m, const struct uncore_box *b, uint64_t tsc);
/* A free-running register that should read `value`, of clocks or not, as the box's faults leave it. */
uint64_t uncore_free_value(const struct model *m, const struct uncore_box *b, bool is_clock, uint64_t value);
/* As many bits of a value as a counter keeps. */
uint64_t uncore_counter_kept(const struct model *m, const struct uncore_box *b, uint64_t value);

/* What has come since its last sample to counter `index`, which c is or is a copy of; that is c's sample then. */
uint64_t uncore_gain(struct model *m, const struct uncore_box *b, uint32_t index, struct uncore_counter *c,
                     uint64_t tsc, uint64_t cycles);
void uncore_sample(struct model *m, struct uncore_box *b, uint32_t index);

/* Of a global enable: counters 7 to 0 and the fixed one (SDM vol. 3B 18.8.2.1). */
#define GLOBAL_ENABLES (BIT(32) | BITS(7, 0))

/* An overflow that was asked for: those processors of the package that the global control chooses get an interrupt. */
void uncore_interrupt(struct model *m, uint32_t package);
/* IA32_DEBUGCTL of parts whose processors take interrupts by it. */
enum model_answer uncore_debugctl_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t *value);
enum model_answer uncore_debugctl_write(const struct model *m, struct cpu *c, uint32_t msr, uint64_t value);

/* Bring a box's counters up to date, before a register of it is read or written. */
void uncore_look_at(struct model *m, struct uncore_box *b, uint64_t tsc);
/* After a write: which counters run now, and from where they count. resample: what they count is another thing. */
void uncore_settle(struct model *m, struct uncore_box *b, bool resample);
/* By its own control, or the package's. */
bool uncore_is_frozen(struct model *m, const struct uncore_box *b);
void uncore_look_at_all(struct model *m, uint32_t package, uint64_t tsc);
void uncore_settle_all(struct model *m, uint32_t package);
