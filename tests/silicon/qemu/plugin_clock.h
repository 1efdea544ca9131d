/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_clock.h: the guest's time where it is the model's (clock=model). For plugin.c alone.
 *
 * Blocks of instructions, accesses, register operations and PAUSE move the clock of their processor on (model_clock.h);
 * turns.h has the clocks and says who runs. What the guest reads is its processor's clock: RDTSC and IA32_TIME_STAMP_
 * COUNTER with what was written to it, the ACPI timer at its own rate.
 */
#pragma once

#define PM_TIMER_HZ     UINT64_C(3579545) /* ACPI specification 6.5, 4.8.2.1 "Power Management Timer" */
#define BOOT_SECONDS    10u               /* that firmware took, by the first clock                  */
#define QUANTUM_US      20u               /* by which the one who runs may be ahead                  */
#define FIRMWARE_CLOCKS 16u               /* of an instruction                                       */
#define TICKS_AWAY      2000u             /* from the interrupt to the first instruction             */
#define FIRMWARE_TICKS  100u              /* timer interrupts of firmware in a second                */

enum { MSR_TSC = 0x10, MSR_TSC_ADJUST = 0x3B };

static uint64_t clock_offsets[CHANNEL_SLOTS]; /* what software added to the TSC */

static uint64_t ticks_of_us(uint64_t us)
{
    return model->tsc_hz / 1000000 * us;
}

#include "tests/silicon/qemu/plugin_wait.h"

static void clock_begin(uint32_t cpu)
{
    memset(clock_offsets, 0, sizeof clock_offsets);
    memset(waits, 0, sizeof waits);
    turns_begin(cpu, model_cpus(model), BOOT_SECONDS * model->tsc_hz, ticks_of_us(QUANTUM_US),
                model->tsc_hz / FIRMWARE_TICKS);
}

static inline void clock_spend(uint32_t cpu, uint64_t ticks)
{
    turns_set(cpu, turns_now(cpu) + ticks);
}

static inline void clock_access(uint32_t cpu, uint64_t address, enum model_kind kind, enum cache_level level,
                                bool dependent)
{
    wait_access(cpu, address, kind);
    if (level != LEVEL_L1 || dependent)
        turns_set(cpu, model_clock_access(model, cpu, turns_now(cpu), address, level, dependent));
}

static bool is_firmware(uint64_t address)
{
    for (uint32_t i = 0; i < CHANNEL_CODES && channel->firmware[i].bytes; i++)
        if (address - channel->firmware[i].base < channel->firmware[i].bytes)
            return true;
    return false;
}

/* One of firmware's counts as many: where it waits without PAUSE and without a clock, as StartupAllAPs does for its
 * processors, each turn would cost the host what it costs it to run instructions. */
static uint64_t clock_instruction(const struct qemu_plugin_insn *insn)
{
    return is_firmware(qemu_plugin_insn_vaddr(insn)) ? FIRMWARE_CLOCKS : CLOCK_INSTRUCTION;
}

static uint64_t clock_halt(uint32_t cpu, uint64_t until)
{
    uint64_t now = turns_now(cpu);

    turns_set(cpu, until > now ? until : now);
    return turns_now(cpu);
}

/* From a processor's clock to its TSC. */
static uint64_t clock_to_tsc(uint32_t cpu)
{
    return clock_offsets[cpu] - model_tsc_behind(model, cpu);
}

static uint64_t clock_rdtsc(uint32_t cpu)
{
    clock_spend(cpu, wait_rdtsc(cpu));
    return turns_now(cpu) + clock_to_tsc(cpu);
}

/* The port is reached halfway, so that the TSC before and after it stand around its value. */
static uint64_t clock_pm_timer(uint32_t cpu)
{
    uint64_t now = turns_now(cpu), step = wait_timer(cpu);

    clock_spend(cpu, step);
    return (uint64_t)((unsigned __int128)(now + step / 2) * PM_TIMER_HZ / model->tsc_hz) & 0xFFFFFF;
}

static void on_block(unsigned int cpu, void *ticks)
{
    if (atomic_load_explicit(&turns_on, memory_order_relaxed))
        turns_run(cpu, (uintptr_t)ticks);
}

static void on_idle(unsigned int cpu)
{
    if (own_time)
        turns_idle(cpu);
}

static void on_resume(unsigned int cpu)
{
    if (own_time)
        turns_resume(cpu);
}

/* What a request costs, and SMIs that came since the last one; returns when it is answered. */
static uint64_t clock_request(uint32_t cpu, uint32_t op)
{
    static const uint32_t ticks[CHANNEL_OPS] = {
        [CHANNEL_CPUID] = CLOCK_CPUID,       [CHANNEL_RDMSR] = CLOCK_RDMSR,      [CHANNEL_WRMSR] = CLOCK_WRMSR,
        [CHANNEL_PCI_READ] = CLOCK_DEVICE,   [CHANNEL_PCI_WRITE] = CLOCK_DEVICE, [CHANNEL_MMIO_READ] = CLOCK_DEVICE,
        [CHANNEL_MMIO_WRITE] = CLOCK_DEVICE,
    };
    uint64_t cost = op < CHANNEL_OPS ? ticks[op] : 0;

    if (op == CHANNEL_WBINVD)
        cost = model_clock_wbinvd(model);
    clock_spend(cpu, cost + model_clock_lost(model, cpu));
    return turns_now(cpu);
}

/* SDM vol. 3B 17.17.3 "Time-Stamp Counter Adjustment": whatever is written to one of the two is in the other one too. */
static bool clock_rdmsr(uint32_t cpu, struct channel_slot *s)
{
    if (s->number == MSR_TSC)
        s->value = s->tsc + clock_to_tsc(cpu);
    else if (s->number == MSR_TSC_ADJUST)
        s->value = clock_offsets[cpu];
    return s->number == MSR_TSC || s->number == MSR_TSC_ADJUST;
}

static bool clock_wrmsr(uint32_t cpu, const struct channel_slot *s)
{
    if (s->number == MSR_TSC)
        clock_offsets[cpu] = s->value - s->tsc + model_tsc_behind(model, cpu);
    else if (s->number == MSR_TSC_ADJUST)
        clock_offsets[cpu] = s->value;
    return s->number == MSR_TSC || s->number == MSR_TSC_ADJUST;
}

static void clock_interrupt(uint32_t cpu, uint32_t apic_id)
{
    for (uint32_t i = 0; i < model_cpus(model); i++)
        if (i != cpu && (apic_id == CHANNEL_OTHERS || apic_id == model_apic_id(model, i)))
            turns_wake(cpu, i, TICKS_AWAY);
}

static void clock_summary(FILE *f)
{
    struct turns_breaks b = turns_breaks();
    uint64_t latest = 0;

    for (uint32_t i = 0; i < model_cpus(model); i++)
        latest = turns_now(i) > latest ? turns_now(i) : latest;
    fprintf(f, "time: %.3f s; %" PRIu64 " blocks run without the turn, %" PRIu64 " processors not awake in time\n",
            (double)latest / (double)model->tsc_hz, b.passed, b.slept_on);
}
