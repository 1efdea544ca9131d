/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Free-running counters of memory controllers: figures worked out by hand, and whole checks with a register that
 * answers otherwise than it should. Addresses: Linux uncore_snbep.c icx_imc_freerunning, spr_imc_freerunning. */
#include "core/checks/uncore_boxes/pmon_free_memory.h"

#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

/* --- figures ------------------------------------------------------------------------------------------------------ */

static struct pmon_box box_at(enum pmon_access access, uint32_t package, uint64_t base)
{
    static const struct pmon_box_control control = { .frz = 1 };
    static const struct pmon_memory_map map = { .channel = 0x22800, .channel_step = 0x4000, .channels_most = 3 };
    static const struct pmon_layout mmio_layout = { .access = PMON_MMIO, .counters = 4, .box = &control };
    static const struct pmon_layout msr_layout = { .access = PMON_MSR, .counters = 4, .box = &control };
    static const struct pmon_unit by_memory = { .layout = &mmio_layout, .location = { .memory = &map } };
    static const struct pmon_unit by_msr = { .layout = &msr_layout };

    return (struct pmon_box){ .unit = access == PMON_MSR ? &by_msr : &by_memory, .package = package, .base = base };
}

/* Channel n at 22800H + 4000H * n. */
Test(free_memory, a_channel_is_known_by_where_it_stands)
{
    struct pmon_box mc = box_at(PMON_MMIO, 1, 0xE0000000), channel;
    static const struct {
        uint32_t package;
        uint64_t base;
        bool owns;
    } cases[] = {
        { 1, 0xE0022800, true },  { 1, 0xE0026800, true },  { 1, 0xE002A800, true },  { 1, 0xE002E800, false },
        { 1, 0xE0022000, false }, { 1, 0xE0024800, false }, { 0, 0xE0022800, false }, { 1, 0xE0062800, false },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        channel = box_at(PMON_MMIO, cases[i].package, cases[i].base);
        cr_expect_eq(free_memory_owns(&mc, &channel), cases[i].owns, "package %u, %#lx", cases[i].package,
                     (unsigned long)cases[i].base);
    }
    channel = box_at(PMON_MSR, 1, 0xE0022800);
    cr_expect_not(free_memory_owns(&mc, &channel), "an MSR");
}

static struct free_window at(double hz)
{
    return (struct free_window){ .counts = (uint64_t)(hz / 50), .lo = hz * 0.9999, .hi = hz * 1.0001 };
}

static const struct free_window stands = { .counts = 0, .lo = -50, .hi = 50 };

Test(free_memory, a_clock_that_is_its_channels_clock_is_alike)
{
    struct free_window channels[2] = { at(1600e6), at(1600e6) }, w = at(1601e6);
    uint32_t alike;

    cr_expect_eq(free_memory_clock(&w, channels, 2, &alike), FREE_CLOCK_ALIKE);
    cr_expect_eq(alike, 2);
    channels[1] = stands;
    cr_expect_eq(free_memory_clock(&w, channels, 2, &alike), FREE_CLOCK_ALIKE, "a channel without memory");
    cr_expect_eq(alike, 1);
}

Test(free_memory, a_clock_at_another_rate_is_found)
{
    struct free_window channels[2] = { at(1600e6), at(1600e6) }, twice = at(3200e6), half = at(800e6),
                       slow = at(1590e6);
    uint32_t alike;

    cr_expect_eq(free_memory_clock(&twice, channels, 2, &alike), FREE_CLOCK_OTHER);
    cr_expect_eq(free_memory_clock(&half, channels, 2, &alike), FREE_CLOCK_OTHER);
    cr_expect_eq(free_memory_clock(&slow, channels, 2, &alike), FREE_CLOCK_OTHER, "six in a thousand");
}

/* Without memory a controller may have no clock: that is no fault. */
Test(free_memory, a_clock_that_stands_is_dead_only_where_every_channel_runs)
{
    struct free_window channels[2] = { at(1600e6), at(1600e6) }, w = at(1600e6);
    uint32_t alike;

    cr_expect_eq(free_memory_clock(&stands, channels, 2, &alike), FREE_CLOCK_DEAD);
    channels[1] = stands;
    cr_expect_eq(free_memory_clock(&stands, channels, 2, &alike), FREE_CLOCK_OPEN);
    channels[0] = stands;
    cr_expect_eq(free_memory_clock(&stands, channels, 2, &alike), FREE_CLOCK_OPEN);
    cr_expect_eq(free_memory_clock(&w, channels, 2, &alike), FREE_CLOCK_OPEN, "the channels are the odd ones");
    cr_expect_eq(free_memory_clock(&w, channels, 0, &alike), FREE_CLOCK_OPEN, "no channel is to be had");
}

/* A finding compares with a channel that runs: the first may have no memory. */
Test(free_memory, a_clock_is_compared_with_a_channel_that_runs)
{
    struct free_window channels[2] = { stands, at(1600e6) };

    cr_expect_float_eq(free_memory_background(channels, 2), 1600e6 * 0.9999, 1);
    cr_expect_eq(free_memory_background(channels, 1), 0);
    cr_expect_eq(free_memory_background(channels, 0), 0);
}

/* 4 MB of a load are one controller's even share. */
Test(free_memory, bytes_are_alike_within_a_twentieth)
{
    static const struct {
        double free, cas;
        enum free_bytes_verdict says;
    } cases[] = {
        { 4e6, 4e6, FREE_BYTES_ALIKE },    { 4.19e6, 4e6, FREE_BYTES_ALIKE }, { 3.81e6, 4e6, FREE_BYTES_ALIKE },
        { 4.21e6, 4e6, FREE_BYTES_OTHER }, { 0, 4e6, FREE_BYTES_OTHER },      { 8e6, 4e6, FREE_BYTES_OTHER },
        { 2e6, 4e6, FREE_BYTES_OTHER },    { 0, 0, FREE_BYTES_OPEN },         { 1e5, -1e3, FREE_BYTES_OPEN },
        { 4e6, 1e3, FREE_BYTES_OTHER },    { 8e6, 8e6, FREE_BYTES_ALIKE },    { -64, 4e6, FREE_BYTES_OTHER },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq(free_memory_bytes(cases[i].free, cases[i].cas, 4e6), cases[i].says, "%.0f by it, %.0f by CAS",
                     cases[i].free, cases[i].cas);
}

/* --- whole checks ------------------------------------------------------------------------------------------------- */

#define DCLK   0x2B0u /* offsets within the page 2000H of a controller */
#define DDR_RD 0x290u
/* Every register with that offset reads times / over, with these bits set: of iMC boxes none lies there. */
static void expect_register(enum verdict verdict, const char *profile, const char *id, uint32_t offset,
                            struct register_defect defect)
{
    defect.access = ACCESS_MMIO_READ;
    defect.reg = 0x2000 + offset;
    defect.any = ~UINT64_C(0x3FFF);
    expect(verdict, id, ON(profile), .defect = defect);
}

#define READS(...) ((struct register_defect){ __VA_ARGS__ })

Test(free_memory_checks, a_clock_that_linux_alone_describes_warns)
{
    expect_register(VERDICT_WARN, "spr", "pmon.free-dclk", DCLK, READS(.clear = UINT64_MAX));
    expect_register(VERDICT_WARN, "spr", "pmon.free-dclk", DCLK, READS(.times = 2, .over = 1));
}

Test(free_memory_checks, bits_above_the_width_are_found)
{
    expect_register(VERDICT_FAIL, "icx", "pmon.free-running", DDR_RD, READS(.set = BIT(50)));
    expect_register(VERDICT_WARN, "spr", "pmon.free-running", DCLK, READS(.set = BIT(50)));
    expect_register(VERDICT_PASS, "icx", "pmon.free-running", DDR_RD, READS());
}

/* A controller that answers all ones is not there, and nothing of it is judged. */
Test(free_memory_checks, registers_that_read_all_ones_are_left_out)
{
    expect_register(VERDICT_SKIP, "spr", "pmon.free-dclk", DCLK, READS(.set = UINT64_MAX));
}
