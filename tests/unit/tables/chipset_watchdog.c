/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Chipsets' watchdogs, on registers as their guides have them. */
#include "arch/x86/tables/chipset_watchdog.h"

#include <criterion/criterion.h>

static struct chipset {
    struct platform platform;
    uint32_t smbus, revision, lpc, pm_base, rcba; /* configuration space */
    uint8_t pm[8];                                /* FED80300H */
    bool read_only;                               /* of PM 00H: the timer stays off */
    bool running, fired, disabled;
    uint32_t action, count, left; /* of the timer */
    uint32_t writes;
} chip;

static enum status chip_pci_read(void *, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    *value = UINT32_MAX >> (32 - 8 * width);
    if (at.bus == 0 && at.device == 20 && at.function == 0 && chip.smbus)
        *value = offset == 0 ? chip.smbus : offset == 8 ? chip.revision : 0;
    if (at.bus == 0 && at.device == 31 && at.function == 0 && chip.lpc)
        *value = offset == 0 ? chip.lpc : offset == 0x40 ? chip.pm_base : offset == 0xF0 ? chip.rcba : 0;
    return ST_OK;
}

/* The timer's registers, or all ones where nothing decodes them. */
static bool decodes(uint64_t address, uint32_t *reg)
{
    uint64_t base = address >= 0xFED80B00 ? 0xFED80B00 : 0xFEB00000;

    *reg = (uint32_t)(address - base);
    return chip.pm[0] >> 7 && *reg <= 4 && (base == 0xFEB00000 || (chip.pm[4] & 2));
}

static enum status chip_mmio_read(void *, uint64_t address, uint32_t width, uint64_t *value)
{
    uint32_t reg;

    *value = UINT64_MAX >> (64 - 8 * width);
    if (address >= 0xFED80300 && address < 0xFED80308 && width == 1)
        *value = chip.pm[address & 7];
    else if (width == 4 && decodes(address, &reg))
        *value = reg ? chip.left : chip.running | chip.fired << 1 | chip.action << 2 | (uint32_t)chip.disabled << 3;
    return ST_OK;
}

static enum status chip_mmio_write(void *, uint64_t address, uint32_t width, uint64_t value)
{
    uint32_t reg;

    chip.writes++;
    if (address == 0xFED80300 && width == 1 && chip.read_only)
        return ST_OK;
    if (address >= 0xFED80300 && address < 0xFED80308 && width == 1) {
        chip.pm[address & 7] = (uint8_t)value;
        chip.disabled = (chip.pm[3] & 0xC) != 0;
    } else if (width == 4 && decodes(address, &reg) && reg == 4) {
        chip.count = (uint32_t)value & 0xFFFF;
    } else if (width == 4 && decodes(address, &reg) && reg == 0) {
        chip.running = value & 1;
        chip.fired &= !(value & 2);
        chip.action = value >> 2 & 1;
        if (value & 0x80)
            chip.left = chip.count;
    }
    return ST_OK;
}

static enum status read_register(void *context, const struct wdat_entry *at, uint32_t *value)
{
    uint64_t wide;
    enum status st = chip_mmio_read(context, at->address, at->bytes, &wide);

    cr_expect_not(at->port);
    *value = (uint32_t)wide;
    return st;
}

static enum status write_register(void *context, const struct wdat_entry *at, uint32_t value)
{
    return chip_mmio_write(context, at->address, at->bytes, value);
}

static const struct wdat_access access = { .read = read_register, .write = write_register };

static enum status act(const struct wdat *w, enum wdat_action action, uint32_t parameter, uint32_t *result)
{
    return wdat_run(w, &access, action, parameter, result);
}

static const struct platform *make(uint32_t smbus, uint32_t revision, uint8_t decode, uint8_t isa)
{
    static const struct platform_ops ops = { .pci_read = chip_pci_read,
                                             .mmio_read = chip_mmio_read,
                                             .mmio_write = chip_mmio_write };

    chip = (struct chipset){ .smbus = smbus, .revision = revision, .pm = { decode, 0, 0, 0xC, isa }, .disabled = true };
    chip.platform.ops = &ops;
    return &chip.platform;
}

Test(chipset_watchdog, of_an_fch_counts_resets_and_is_put_back)
{
    struct wdat w = { 0 };
    uint32_t is = 7;

    cr_assert_str_eq(chipset_watchdog(make(0x790B1022, 0x61, 0x80, 2), &w), "AMD FCH");
    cr_expect_eq(chip.writes, 0, "looking writes nothing");
    chip.fired = true;
    chip.action = 1;
    cr_expect(act(&w, WDAT_GET_STATUS, 0, &is) == ST_OK && is == 1);
    cr_expect(act(&w, WDAT_SET_STATUS, 0, NULL) == ST_OK && !chip.fired);
    cr_expect(act(&w, WDAT_GET_RUNNING_STATE, 0, &is) == ST_OK && is == 0);
    cr_expect_eq(act(&w, WDAT_SET_REBOOT, 0, NULL), ST_OK);
    cr_expect(chip.pm[3] == 3 && chip.pm[0] == 0x80, "periods of 1 s, not disabled");
    cr_expect_eq(act(&w, WDAT_SET_COUNTDOWN, wdat_periods(&w, 60), NULL), ST_OK);
    cr_expect_eq(act(&w, WDAT_SET_RUNNING_STATE, 0, NULL), ST_OK);
    cr_expect(chip.running && chip.action == 0 && chip.count == 60 && chip.left == 0);
    cr_expect_eq(act(&w, WDAT_RESET, 0, NULL), ST_OK);
    cr_expect(chip.running && chip.left == 60, "the trigger loads the count");
    cr_expect(act(&w, WDAT_GET_RUNNING_STATE, 0, &is) == ST_OK && is == 1);
    cr_expect(act(&w, WDAT_SET_STOPPED_STATE, 0, NULL) == ST_OK && !chip.running);
}

Test(chipset_watchdog, of_an_fch_that_firmware_left_off_is_turned_on)
{
    struct wdat w = { 0 };
    uint32_t is = 7;

    cr_assert_str_eq(chipset_watchdog(make(0x790B1022, 0x51, 0, 0), &w), "AMD FCH");
    cr_expect_eq(act(&w, WDAT_GET_STATUS, 0, &is), ST_ABSENT, "its registers are not decoded yet");
    cr_expect_eq(act(&w, WDAT_SET_REBOOT, 0, NULL), ST_OK);
    cr_expect_eq(act(&w, WDAT_SET_COUNTDOWN, 60, NULL), ST_OK);
    cr_expect_eq(act(&w, WDAT_SET_RUNNING_STATE, 0, NULL), ST_OK);
    cr_expect(act(&w, WDAT_GET_RUNNING_STATE, 0, &is) == ST_OK && is == 1 && chip.running);
}

/* Nothing decodes its registers then, and all ones are read. */
Test(chipset_watchdog, of_an_fch_that_stays_off_says_so)
{
    struct wdat w = { 0 };
    uint32_t is = 7;

    cr_assert(chipset_watchdog(make(0x790B1022, 0x61, 0, 2), &w));
    chip.read_only = true;
    cr_expect_eq(act(&w, WDAT_SET_REBOOT, 0, NULL), ST_OK);
    cr_expect_eq(act(&w, WDAT_SET_RUNNING_STATE, 0, NULL), ST_OK);
    cr_expect(act(&w, WDAT_GET_RUNNING_STATE, 0, &is) == ST_OK && is == 0);
}

Test(chipset_watchdog, of_another_chipset_is_left_alone)
{
    struct wdat w = { .n = 3 };

    cr_expect_null(chipset_watchdog(make(0x790B1022, 0x4B, 0x80, 2), &w), "registers behind ports CD6H and CD7H");
    cr_expect_null(chipset_watchdog(make(0x780B1022, 0x61, 0x80, 2), &w));
    cr_expect_null(chipset_watchdog(make(0x790B1022, 0x61, 0xFF, 0xFF), &w), "no registers in memory");
    cr_expect_null(chipset_watchdog(make(0, 0, 0, 0), &w));
    cr_expect(w.n == 3 && chip.writes == 0);
}

Test(chipset_watchdog, of_an_ich9_is_where_its_bridge_says)
{
    struct wdat w = { 0 };
    const struct platform *p = make(0, 0, 0, 0);

    chip.lpc = 0x29188086;
    chip.pm_base = 0x601;
    chip.rcba = 0xFED1C001;
    cr_assert_str_eq(chipset_watchdog(p, &w), "Intel TCO");
    cr_expect(w.entries[0].port && w.entries[0].address == 0x660 && w.entries[4].address == 0xFED1F410);
    chip.rcba = 0xFED1C000;
    cr_expect_null(chipset_watchdog(p, &w), "its memory is not decoded");
    chip.rcba = 0xFED1C001;
    chip.lpc = 0xA1C18086;
    cr_expect_null(chipset_watchdog(p, &w), "a C620 has its TCO elsewhere");
}
