/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/tsc.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/insn.h"

#define PM_TIMER_HZ   UINT64_C(3579545)
#define PM_TIMER_BITS 0xFFFFFFu /* what every implementation has; with more it only wraps later */
#define MEASURE_TICKS (PM_TIMER_HZ / 10)
#define STALL_US      100000u
#define HZ_MIN        UINT64_C(100000000) /* what is outside cannot be a processor that has RDT or long mode */
#define HZ_MAX        UINT64_C(20000000000)

static uint64_t enumerated(struct platform *p)
{
    struct cpuid_source source;
    struct cpu_identity id;
    struct cpuid_live live;

    if (cpuid_live_source(p, p->bsp, &live, &source) != ST_OK || cpuid_identity(&source, &id) != ST_OK)
        return 0;
    return cpuid_tsc_hz(&source, &id);
}

static uint32_t pm_timer(uint16_t port)
{
    return port_read32(port) & PM_TIMER_BITS;
}

/* The timer's value and the TSC at one moment: the best of some tries, since an interrupt or SMI may fall between. */
static uint64_t moment(uint16_t port, uint32_t *timer)
{
    uint64_t best = UINT64_MAX, at = 0;

    for (int i = 0; i < 5; i++) {
        uint64_t before = insn_rdtsc();
        uint32_t t = pm_timer(port);
        uint64_t after = insn_rdtsc();

        if (after - before < best) {
            best = after - before;
            at = before + (after - before) / 2;
            *timer = t;
        }
    }
    return at;
}

static uint64_t by_pm_timer(uint16_t port)
{
    uint64_t begin, end, limit;
    uint32_t first = 0, last = 0;

    if (port == 0)
        return 0;
    begin = moment(port, &first);
    limit = begin + HZ_MAX; /* a second at most, even on the fastest: a timer that stands still ends here */
    do {
        last = pm_timer(port);
        if (insn_rdtsc() > limit)
            return 0;
    } while (((last - first) & PM_TIMER_BITS) < MEASURE_TICKS);
    end = moment(port, &last);
    last = (last - first) & PM_TIMER_BITS;
    return (end - begin) / last * PM_TIMER_HZ + (end - begin) % last * PM_TIMER_HZ / last;
}

static uint64_t by_stall(EFI_SYSTEM_TABLE *st)
{
    uint64_t begin = insn_rdtsc();

    st->BootServices->Stall(STALL_US);
    return (insn_rdtsc() - begin) * (1000000 / STALL_US);
}

static bool plausible(uint64_t hz)
{
    return hz >= HZ_MIN && hz <= HZ_MAX;
}

uint64_t tsc_rate(EFI_SYSTEM_TABLE *st, struct platform *p, const struct acpi_info *acpi, const char **source)
{
    uint64_t hz = enumerated(p);

    *source = "CPUID 15H";
    if (plausible(hz))
        return hz;
    hz = by_pm_timer((uint16_t)acpi->pm_timer_port);
    *source = "ACPI PM timer";
    if (plausible(hz))
        return hz;
    hz = by_stall(st);
    *source = "Stall";
    return hz ? hz : 1;
}
