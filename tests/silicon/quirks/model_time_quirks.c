/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/quirks/model_time_quirks.c: what real parts do with time and the ideal model does not: SMIs that take
 * some, throttles that act late and unevenly, clocks that move. See realism.h.
 */
#include "core/base/ticks.h"
#include "tests/silicon/model/model_clock.h"
#include "tests/silicon/model/scramble.h"

static uint64_t ticks_of_us(const struct model *m, uint64_t us)
{
    return ticks_from_ns(us * 1000, m->tsc_hz);
}

/* --- SMIs */

/* SMIs of smi-period until then. The time when the next one comes is kept. */
static uint64_t smis_of_period(const struct model *m, struct cpu *c, uint64_t tsc)
{
    uint64_t period = ticks_of_us(m, m->realism.value[REALISM_SMI_PERIOD] * 1000);

    if (period == 0)
        return 0;
    c->smi_due = (tsc / period + 1) * period;
    return tsc / period;
}

/* While nobody looked, several may have come; a processor that waits for nothing loses the time of one. */
void quirk_smis(struct model *m, struct cpu *c, uint64_t tsc)
{
    const struct fault_set *f = &m->faults;
    uint64_t rate = (fault_on(f, FAULT_SMI_STORM) ? f->value[FAULT_SMI_STORM] : 0) +
                    (fault_on(f, FAULT_PQR_SMI_CLEARS) ? f->value[FAULT_PQR_SMI_CLEARS] : 0);
    uint64_t come = (uint64_t)((unsigned __int128)tsc * rate / m->tsc_hz) + smis_of_period(m, c, tsc);

    if (come <= c->smi_by_time)
        return;
    if (m->realism.value[REALISM_SMI_PERIOD]) {
        cache_smm(m, c, come - c->smi_by_time);
        c->lost_ticks += ticks_of_us(m, m->realism.value[REALISM_SMI_LENGTH]);
    }
    c->smi_by_time = come;
    flaw_smi(m, c);
    rdt_smi(m, c);
}

uint64_t model_clock_lost(struct model *m, uint32_t cpu)
{
    struct cpu *c = &m->cpu[cpu];
    uint64_t lost = c->lost_ticks;

    c->lost_ticks = 0;
    return lost;
}

uint64_t model_clock_smi(const struct model *m)
{
    uint64_t us = m->realism.value[REALISM_SMI_LENGTH];

    return ticks_of_us(m, us ? us : 100);
}

uint64_t model_clock_wbinvd(const struct model *m)
{
    uint64_t us = m->realism.value[REALISM_WBINVD_TIME];

    return us ? ticks_of_us(m, us) : CLOCK_WBINVD;
}

/* --- throttles */

/* What is left of the bandwidth beyond the L2, in percent. shallow: intel-cmt-cat and Linux 06bd03a57f8c, a Skylake-SP's
 * setting of 10 % gave 2 of 10 GB/s. steps: intel-cmt-cat issue 69, settings of 65 to 94 % act as one of 90. uneven: each
 * second step has 6 points more, the others 6 less, so that the rate does not always fall with the setting. */
static uint32_t rate_of_delay(const struct model *m, uint32_t delay)
{
    uint64_t curve = m->realism.value[REALISM_MBA_CURVE];
    uint32_t rate;

    if (curve == MBA_LINEAR)
        return 100 - delay;
    if (curve == MBA_STEPS && delay > 5 && delay < 36)
        delay = 10;
    rate = delay < 90 ? 20 + (90 - delay) * 80 / 90 : 20;
    if (curve == MBA_UNEVEN && delay < 90)
        rate = delay / 10 % 2 ? rate - 6 : rate + 6;
    return rate < 100 ? rate : 100;
}

/* The delay that acts: a new one from mba-reaction on after it was first met with. */
static uint32_t acting_delay(const struct model *m, struct cpu *c, uint64_t now)
{
    uint32_t delay = model_mba_delay(m, (uint32_t)(c - m->cpu));
    struct mba_quirk *h = &c->mba;

    if (delay != h->wanted) {
        h->wanted = delay;
        h->since = now;
    }
    if (h->acting != h->wanted && now - h->since >= ticks_of_us(m, m->realism.value[REALISM_MBA_REACTION]))
        h->acting = h->wanted;
    return h->acting;
}

uint64_t quirk_throttled(const struct model *m, struct cpu *c, uint64_t now, uint64_t ticks)
{
    uint32_t delay = acting_delay(m, c, now);
    uint64_t slow, floor = m->realism.value[REALISM_MBA_FLOOR], most;

    if (delay == 0)
        return ticks;
    slow = ticks * 100 / rate_of_delay(m, delay);
    most = floor ? (UINT64_C(1) << MODEL_LINE_SHIFT) * (m->tsc_hz / 1000) / (floor * 1000) : slow;
    if (slow <= most)
        return slow;
    return most > ticks ? most : ticks;
}

/* --- clocks that move: of the uncore, of cores */

#define CLOCK_SLOTS    16u /* ratios that follow each other, again and again */
#define UCLK_PERIOD_US 10000u
#define CORE_PERIOD_US 1000u
#define RATIO_HZ       UINT64_C(100000000)

struct moving {
    uint64_t key, slot; /* ticks of a slot */
    uint32_t most, least;
};

static struct moving moving_clock(const struct model *m, uint64_t key, uint64_t us, uint64_t hz, uint64_t percent)
{
    uint32_t most = (uint32_t)((hz + RATIO_HZ / 2) / RATIO_HZ);

    return (struct moving){ m->seed ^ key, ticks_of_us(m, us), most, most - most * (uint32_t)percent / 100 };
}

static struct moving uclk_of(const struct model *m, uint32_t package)
{
    uint64_t us = m->realism.value[REALISM_UNCORE_PERIOD];

    return moving_clock(m, UINT64_C(0x55434C4B) << 16 ^ (uint64_t)package << 8, us ? us : UCLK_PERIOD_US,
                        m->profile->uclk_hz, m->realism.value[REALISM_UNCORE_CLOCK]);
}

static struct moving core_clock_of(const struct model *m, const struct cpu *c)
{
    uint64_t core = (uint64_t)(c - m->cpu) / m->threads;

    return moving_clock(m, UINT64_C(0x434F5245) << 24 ^ core << 8, CORE_PERIOD_US, m->tsc_hz,
                        m->realism.value[REALISM_CORE_CLOCK]);
}

/* Of a slot, in 100 MHz: between the least and the greatest one. */
static uint32_t slot_ratio(const struct moving *k, uint64_t slot)
{
    return k->least + (uint32_t)(scramble(k->key ^ slot % CLOCK_SLOTS) % (k->most - k->least + 1));
}

/* Ticks of the TSC until then, each worth what the ratio of its slot is of the greatest one. */
static uint64_t ticks_moved(const struct moving *k, uint64_t tsc)
{
    uint64_t slots = tsc / k->slot, whole = 0, sum = 0;

    for (uint32_t i = 0; i < CLOCK_SLOTS; i++) {
        uint32_t ratio = slot_ratio(k, i);

        whole += ratio;
        sum += i < slots % CLOCK_SLOTS ? ratio : 0;
    }
    sum += slots / CLOCK_SLOTS * whole;
    return (uint64_t)(((unsigned __int128)sum * k->slot + (unsigned __int128)(tsc % k->slot) * slot_ratio(k, slots)) /
                      k->most);
}

uint32_t quirk_uclk_least(const struct model *m)
{
    return uclk_of(m, 0).least;
}

uint32_t quirk_uclk_now(const struct model *m, uint32_t package, uint64_t tsc)
{
    struct moving k = uclk_of(m, package);

    return slot_ratio(&k, tsc / k.slot);
}

uint64_t quirk_uclk_tsc(const struct model *m, uint32_t package, uint64_t tsc)
{
    struct moving k = uclk_of(m, package);

    return ticks_moved(&k, tsc);
}

uint32_t quirk_core_now(const struct model *m, const struct cpu *c, uint64_t tsc)
{
    struct moving k = core_clock_of(m, c);

    return slot_ratio(&k, tsc / k.slot);
}

uint64_t quirk_core_tsc(const struct model *m, const struct cpu *c, uint64_t tsc)
{
    struct moving k = core_clock_of(m, c);

    return m->realism.value[REALISM_CORE_CLOCK] ? ticks_moved(&k, tsc) : tsc;
}
