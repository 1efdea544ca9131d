/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_clock.h: the guest's time where it is the model's (clock=model).
 *
 * Blocks of instructions, accesses, register operations and PAUSE move the clock of their processor on (model_clock.h);
 * turns.h has the clocks and says who runs. What the guest reads is its processor's clock: RDTSC and IA32_TIME_STAMP_
 * COUNTER with what was written to it, the ACPI timer at its own rate.
 */
#pragma once
#include "tests/silicon/qemu/plugin_state.h"
#include "tests/silicon/qemu/plugin_wait.h"
#include "tests/silicon/qemu/turns.h"

/* A machine starts, and this processor of it. */
void clock_begin(uint32_t cpu);
/* It was reset: what follows is firmware's, in the host's time. */
void clock_end(void);

static inline void clock_spend(uint32_t cpu, uint64_t ticks)
{
    turns_set(cpu, turns_now(cpu) + ticks);
}

static inline void clock_access(uint32_t cpu, uint64_t address, enum model_kind kind, enum cache_level level,
                                bool dependent)
{
    wait_access(cpu, address, kind);
    if (level != LEVEL_L1)
        wait_work(cpu);
    if (level != LEVEL_L1 || dependent)
        turns_set(cpu, model_clock_access(plugin.model, cpu, turns_now(cpu), address, level, dependent));
}

/* What an instruction at this address costs beside its accesses; whether it is firmware's. */
uint64_t clock_instruction(uint64_t address);
bool clock_is_firmware(uint64_t address);

/* What a request costs, and SMIs that came since the last one; returns when it is answered. */
uint64_t clock_request(uint32_t cpu, const struct channel_slot *s);
uint64_t clock_halt(uint32_t cpu, uint64_t until);
void clock_pause(uint32_t cpu);
uint64_t clock_rdtsc(uint32_t cpu);
uint64_t clock_pm_timer(uint32_t cpu);
/* Firmware on that processor waits for a disk of QEMU's: what it does until it has what it waited for is not seen by the
 * model, and the wait then has taken what a request of so many bytes takes. Only while all other processors are halted:
 * else the wait takes the time that firmware took. clock_device_end() returns the time. */
void clock_device_begin(uint32_t cpu);
uint64_t clock_device_end(uint32_t cpu, uint64_t bytes);
/* Whether the register is a clock's. */
bool clock_rdmsr(uint32_t cpu, struct channel_slot *s);
bool clock_wrmsr(uint32_t cpu, const struct channel_slot *s);
/* An interrupt is about to be sent there. */
void clock_interrupt(uint32_t cpu, uint32_t apic_id);
void clock_summary(FILE *f);
