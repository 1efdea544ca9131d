/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/uncore/uncore_pin.h"

#include "arch/x86/cpu/msr_regs.h"
#include "core/base/bits.h"
#include "core/boxes/dies.h"
#include "core/domain/domains.h"

#define SETTLE_NS UINT64_C(2000000) /* a change of the ratio takes less than a millisecond */

/* Of the nth die of all, each package having so many. */
static uint32_t pin_worker(const struct check *c, const struct uncore_pin *pin, uint32_t die)
{
    return dies_worker(c->tools->pmon.part, c->platform, c->machine, die / pin->dies, die % pin->dies);
}

static uint64_t ratio_of(struct check *c, const struct uncore_pin *pin, uint32_t die)
{
    uint32_t cpu = pin_worker(c, pin, die);
    uint64_t value = 0;

    if (cpu == UINT32_MAX || msr_read(c->platform, cpu, MSR_UNCORE_PERF_STATUS, &value) != ST_OK)
        return 0;
    return field_get(MSR_UNCORE_PERF_STATUS_RATIO, value);
}

static enum status write_limits(struct check *c, const struct uncore_pin *pin, uint32_t die, uint64_t value)
{
    uint32_t cpu = pin_worker(c, pin, die);

    return cpu == UINT32_MAX ? ST_LOST : msr_write(c->platform, cpu, MSR_UNCORE_RATIO_LIMIT, value);
}

/* false: this die's cannot be held, or says nothing. */
static bool hold_one(struct check *c, struct uncore_pin *pin, uint32_t die)
{
    uint32_t cpu = pin_worker(c, pin, die);
    uint64_t ratio = ratio_of(c, pin, die), limits = 0;

    if (cpu == UINT32_MAX || ratio == 0 || msr_read(c->platform, cpu, MSR_UNCORE_RATIO_LIMIT, &limits) != ST_OK ||
        limits == 0)
        return false;
    pin->found[die] = limits;
    limits &= ~(MSR_UNCORE_RATIO_LIMIT_MAX | MSR_UNCORE_RATIO_LIMIT_MIN);
    limits |= field_put(MSR_UNCORE_RATIO_LIMIT_MAX, ratio) | field_put(MSR_UNCORE_RATIO_LIMIT_MIN, ratio);
    if (limits != pin->found[die] && write_limits(c, pin, die, limits) == ST_OK)
        return true;
    pin->found[die] = 0;
    return false;
}

enum status uncore_pin_hold(struct check *c, struct uncore_pin *pin)
{
    uint32_t held = 0;

    pin->dies = 1;
    for (uint32_t i = 0; i < c->machine->n_packages; i++) {
        uint32_t dies = dies_count(c->tools->pmon.part, c->machine, i);

        pin->dies = dies > pin->dies ? dies : pin->dies;
    }
    pin->n = c->machine->n_packages * pin->dies;
    TRY_ALLOC(c, pin->found, pin->n, "the uncore's ratios");
    TRY_ALLOC(c, pin->ratio, pin->n, "the uncore's ratios");
    for (uint32_t i = 0; i < pin->n; i++) {
        pin->found[i] = pin->ratio[i] = 0;
        held += hold_one(c, pin, i);
    }
    if (held > 0)
        platform_stall(c->platform, SETTLE_NS);
    return ST_OK;
}

void uncore_pin_mark(struct check *c, struct uncore_pin *pin)
{
    for (uint32_t i = 0; i < pin->n; i++)
        pin->ratio[i] = ratio_of(c, pin, i);
}

bool uncore_pin_unknown(const struct uncore_pin *pin, uint32_t package)
{
    uint64_t any = 0;

    for (uint32_t die = package * pin->dies; die < (package + 1) * pin->dies; die++)
        any |= pin->ratio[die];
    return any == 0;
}

bool uncore_pin_moved(struct check *c, const struct uncore_pin *pin, uint32_t package)
{
    bool moved = false;

    for (uint32_t die = package * pin->dies; die < (package + 1) * pin->dies; die++)
        moved |= ratio_of(c, pin, die) != pin->ratio[die];
    return moved;
}

void uncore_pin_release(struct check *c, struct uncore_pin *pin)
{
    for (uint32_t i = 0; i < pin->n; i++)
        if (pin->found[i]) {
            enum status st = write_limits(c, pin, i, pin->found[i]);

            (void)st; /* the ledger has it too, and says what it could not put back */
        }
}
