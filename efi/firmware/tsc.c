/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/firmware/tsc.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/insn.h"
#include "core/platform/tsc_rate.h"

#define PM_TIMER_HZ   UINT64_C(3579545)
#define PM_TIMER_BITS 0xFFFFFFu /* what every implementation has; with more it only wraps later */
#define MEASURE_TICKS (PM_TIMER_HZ / 10)
#define STALL_US      100000u
/* A second at most, even on the fastest processor: a timer that does not run ends here. */
#define POLL_TICKS UINT64_C(20000000000)

struct tsc_context {
    EFI_SYSTEM_TABLE *st;
    struct platform *platform;
    const struct acpi_info *acpi;
};

static uint64_t tsc_by_cpuid(void *context)
{
    struct platform *p = ((struct tsc_context *)context)->platform;
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

static uint64_t tsc_by_pm_timer(void *context)
{
    uint16_t port = (uint16_t)((struct tsc_context *)context)->acpi->pm_timer_port;
    uint64_t begin, end, limit;
    uint32_t first = 0, last = 0;

    if (port == 0)
        return 0;
    begin = moment(port, &first);
    limit = begin + POLL_TICKS;
    do {
        last = pm_timer(port);
        if (insn_rdtsc() > limit)
            return 0;
    } while (((last - first) & PM_TIMER_BITS) < MEASURE_TICKS);
    end = moment(port, &last);
    return tsc_rate_against(end - begin, (last - first) & PM_TIMER_BITS, PM_TIMER_HZ);
}

static uint64_t tsc_by_stall(void *context)
{
    uint64_t begin = insn_rdtsc();

    ((struct tsc_context *)context)->st->BootServices->Stall(STALL_US);
    return (insn_rdtsc() - begin) * (1000000 / STALL_US);
}

uint64_t tsc_rate(EFI_SYSTEM_TABLE *st, struct platform *p, const struct acpi_info *acpi, const char **source)
{
    static const struct tsc_source sources[] = { { "CPUID 15H", tsc_by_cpuid },
                                                 { "ACPI PM timer", tsc_by_pm_timer },
                                                 { "Stall", tsc_by_stall } };
    struct tsc_context context = { st, p, acpi };

    return tsc_rate_choose(sources, sizeof sources / sizeof *sources, &context, source);
}
