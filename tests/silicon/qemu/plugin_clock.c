/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/qemu/plugin_clock.h"

#include <inttypes.h>
#include <string.h>

#define PM_TIMER_HZ     UINT64_C(3579545) /* ACPI specification 6.5, 4.8.2.1 "Power Management Timer" */
#define BOOT_SECONDS    10u               /* that firmware took, by the first clock                  */
#define QUANTUM_US      20u               /* by which the one who runs may be ahead                  */
#define FIRMWARE_CLOCKS 16u               /* of an instruction                                       */
#define TICKS_AWAY      2000u             /* from the interrupt to the first instruction             */
#define FIRMWARE_TICKS  100u              /* timer interrupts of firmware in a second                */
#define DEVICE_US       100u              /* of a request to a disk                                  */
#define DEVICE_MB_S     100u              /* and of its bytes                                        */

enum { MSR_TSC = 0x10, MSR_TSC_ADJUST = 0x3B };

static uint64_t clock_offsets[CHANNEL_SLOTS]; /* what software added to the TSC */
static struct {
    bool waits; /* a processor, for it */
    uint64_t since;
    struct wait wait;
} device;

static void lock_caches(void)
{
    plugin.model->alone = plugin.model->cpus == 1;
}

void clock_begin(uint32_t cpu)
{
    turns_gave_way = lock_caches;
    memset(clock_offsets, 0, sizeof clock_offsets);
    device.waits = false;
    wait_begin();
    turns_begin(cpu, model_cpus(plugin.model), BOOT_SECONDS * plugin.model->tsc_hz, plugin_ticks(QUANTUM_US),
                plugin.model->tsc_hz / FIRMWARE_TICKS);
}

void clock_end(void)
{
    memset(plugin.channel->firmware, 0, sizeof plugin.channel->firmware);
    turns_end();
}

bool clock_is_firmware(uint64_t address)
{
    for (uint32_t i = 0; i < CHANNEL_CODES && plugin.channel->firmware[i].bytes; i++)
        if (address - plugin.channel->firmware[i].base < plugin.channel->firmware[i].bytes)
            return true;
    return false;
}

/* One of firmware's counts as many: where it waits without PAUSE and without a clock, as StartupAllAPs does for its
 * processors, each turn would cost the host what it costs it to run instructions. */
uint64_t clock_instruction(uint64_t address)
{
    return clock_is_firmware(address) ? FIRMWARE_CLOCKS : CLOCK_INSTRUCTION;
}

uint64_t clock_halt(uint32_t cpu, uint64_t until)
{
    uint64_t now = turns_now(cpu);

    turns_set(cpu, until > now ? until : now);
    return turns_now(cpu);
}

/* From a processor's clock to its TSC. */
static uint64_t to_tsc(uint32_t cpu)
{
    return clock_offsets[cpu] - model_tsc_behind(plugin.model, cpu);
}

/* One that listens waits for those whose clocks are earlier: a store of theirs, before its round ends, ends the round. */
void clock_pause(uint32_t cpu)
{
    clock_spend(cpu, wait_pause(cpu));
    if (waits[cpu].parked)
        turns_order(cpu);
}

uint64_t clock_rdtsc(uint32_t cpu)
{
    wait_rdtsc(cpu);
    clock_spend(cpu, CLOCK_RDTSC);
    turns_order(cpu);
    return turns_now(cpu) + to_tsc(cpu);
}

/* The port is reached halfway, so that the TSC before and after it stand around its value. */
uint64_t clock_pm_timer(uint32_t cpu)
{
    uint64_t now = turns_now(cpu), step = wait_timer(cpu);

    clock_spend(cpu, step);
    return (uint64_t)((unsigned __int128)(now + step / 2) * PM_TIMER_HZ / plugin.model->tsc_hz) & 0xFFFFFF;
}

/* A register operation of firmware's while no other processor runs: how many there are depends on how it came up. */
static bool is_free(const struct channel_slot *s)
{
    return (s->op == CHANNEL_CPUID || s->op == CHANNEL_RDMSR || s->op == CHANNEL_WRMSR) &&
           clock_is_firmware(s->address) && turns_alone();
}

uint64_t clock_request(uint32_t cpu, const struct channel_slot *s)
{
    static const uint32_t ticks[CHANNEL_OPS] = {
        [CHANNEL_CPUID] = CLOCK_CPUID,       [CHANNEL_RDMSR] = CLOCK_RDMSR,      [CHANNEL_WRMSR] = CLOCK_WRMSR,
        [CHANNEL_PCI_READ] = CLOCK_DEVICE,   [CHANNEL_PCI_WRITE] = CLOCK_DEVICE, [CHANNEL_MMIO_READ] = CLOCK_DEVICE,
        [CHANNEL_MMIO_WRITE] = CLOCK_DEVICE,
    };
    uint64_t cost = s->op < CHANNEL_OPS && !is_free(s) ? ticks[s->op] : 0;

    if (s->op == CHANNEL_WBINVD)
        cost = model_clock_wbinvd(plugin.model);
    if (!device.waits)
        cost += model_clock_lost(plugin.model, cpu);
    if (cost > 0)
        wait_work(cpu);
    clock_spend(cpu, cost);
    return turns_now(cpu);
}

void clock_device_begin(uint32_t cpu)
{
    if (!turns_alone())
        return;
    device.waits = true;
    device.since = turns_now(cpu);
    device.wait = waits[cpu];
}

uint64_t clock_device_end(uint32_t cpu, uint64_t bytes)
{
    if (!device.waits)
        return turns_now(cpu);
    device.waits = false;
    waits[cpu] = device.wait;
    turns_set(cpu, device.since + plugin_ticks(DEVICE_US + bytes / DEVICE_MB_S));
    return turns_now(cpu);
}

/* SDM vol. 3B 17.17.3 "Time-Stamp Counter Adjustment": whatever is written to one of the two is in the other one too. */
bool clock_rdmsr(uint32_t cpu, struct channel_slot *s)
{
    if (s->number == MSR_TSC)
        s->value = s->tsc + to_tsc(cpu);
    else if (s->number == MSR_TSC_ADJUST)
        s->value = clock_offsets[cpu];
    return s->number == MSR_TSC || s->number == MSR_TSC_ADJUST;
}

bool clock_wrmsr(uint32_t cpu, const struct channel_slot *s)
{
    if (s->number == MSR_TSC)
        clock_offsets[cpu] = s->value - s->tsc + model_tsc_behind(plugin.model, cpu);
    else if (s->number == MSR_TSC_ADJUST)
        clock_offsets[cpu] = s->value;
    return s->number == MSR_TSC || s->number == MSR_TSC_ADJUST;
}

void clock_interrupt(uint32_t cpu, uint32_t apic_id)
{
    for (uint32_t i = 0; i < model_cpus(plugin.model); i++)
        if (i != cpu && (apic_id == CHANNEL_OTHERS || apic_id == model_apic_id(plugin.model, i)))
            turns_wake(cpu, i, TICKS_AWAY);
}

void clock_summary(FILE *f)
{
    struct turns_breaks b = turns_breaks();
    uint64_t latest = 0;

    for (uint32_t i = 0; i < model_cpus(plugin.model); i++)
        latest = turns_now(i) > latest ? turns_now(i) : latest;
    fprintf(f, "time: %.3f s; %" PRIu64 " blocks run without the turn, %" PRIu64 " processors not awake in time\n",
            (double)latest / (double)plugin.model->tsc_hz, b.passed, b.slept_on);
}
