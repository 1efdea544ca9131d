/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/acpi_wdat.h"

#include <criterion/criterion.h>
#include <string.h>

/* ICH9's TCO as a table has it: period 600 ms, 4 to 3FFH periods. */
static uint8_t table[36 + 32 + 24 * 8];

static void put(uint32_t at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        table[at + i] = (uint8_t)(value >> (8 * i));
}

static void put_entry(uint32_t i, uint8_t action, uint8_t instruction, bool port, uint8_t bits, uint8_t shift,
                      uint64_t address, uint32_t value, uint32_t mask)
{
    uint32_t at = 68 + 24 * i;

    put(at, action, 1);
    put(at + 1, instruction, 1);
    put(at + 4, port, 1);
    put(at + 5, bits, 1);
    put(at + 6, shift, 1);
    put(at + 7, bits == 8 ? 1 : bits == 16 ? 2 : 3, 1);
    put(at + 8, address, 8);
    put(at + 16, value, 4);
    put(at + 20, mask, 4);
}

static void make(void)
{
    memset(table, 0, sizeof table);
    put(36, 32, 4);
    put(48, 600, 4);
    put(52, 0x3FF, 4);
    put(56, 4, 4);
    put(60, 1, 1);
    put(64, 8, 4);
    put_entry(0, WDAT_RESET, 2, true, 16, 0, 0x660, 1, 0xFFFF);
    put_entry(1, WDAT_SET_COUNTDOWN, 0x83, true, 16, 0, 0x672, 0, 0x3FF);
    put_entry(2, WDAT_GET_RUNNING_STATE, 0, true, 16, 11, 0x668, 0, 1);
    put_entry(3, WDAT_SET_RUNNING_STATE, 0x82, true, 16, 11, 0x668, 0, 1);
    put_entry(4, WDAT_SET_STOPPED_STATE, 0x82, true, 16, 11, 0x668, 1, 1);
    put_entry(5, WDAT_SET_REBOOT, 0x82, false, 32, 5, 0xFED1F410, 0, 1);
    put_entry(6, WDAT_GET_STATUS, 0, true, 16, 1, 0x666, 1, 1);
    put_entry(7, WDAT_SET_STATUS, 2, true, 16, 1, 0x666, 1, 1);
}

static struct {
    uint64_t address;
    uint32_t value;
} registers[8];

static uint32_t *cell(uint64_t address)
{
    uint32_t i = 0;

    while (registers[i].address && registers[i].address != address)
        i++;
    registers[i].address = address;
    return &registers[i].value;
}

static enum status get(void *, const struct wdat_entry *at, uint32_t *value)
{
    *value = *cell(at->address);
    return ST_OK;
}

static enum status set(void *, const struct wdat_entry *at, uint32_t value)
{
    *cell(at->address) = value;
    return ST_OK;
}

static const struct wdat_access access = { .read = get, .write = set };

Test(wdat, is_driven_as_its_table_says)
{
    struct wdat w;
    uint32_t is = 7;

    make();
    memset(registers, 0, sizeof registers);
    cr_assert_eq(wdat_decode(table, sizeof table, &w), ST_OK);
    cr_expect(w.enabled && w.n == 8 && w.period_ms == 600);
    *cell(0x668) = 0x8800;
    *cell(0x672) = 0xF004;
    *cell(0xFED1F410) = 0x33;
    cr_expect_eq(wdat_run(&w, &access, WDAT_GET_RUNNING_STATE, 0, &is), ST_OK);
    cr_expect_eq(is, 0, "TCO_TMR_HLT is set");
    cr_expect_eq(wdat_run(&w, &access, WDAT_SET_REBOOT, 0, NULL), ST_OK);
    cr_expect_eq(*cell(0xFED1F410), 0x13, "NO_REBOOT alone is another");
    cr_expect_eq(wdat_run(&w, &access, WDAT_SET_COUNTDOWN, wdat_periods(&w, 30), NULL), ST_OK);
    cr_expect_eq(*cell(0x672), 0xF000 + 50);
    cr_expect_eq(wdat_run(&w, &access, WDAT_SET_RUNNING_STATE, 0, NULL), ST_OK);
    cr_expect_eq(*cell(0x668), 0x8000);
    cr_expect_eq(wdat_run(&w, &access, WDAT_GET_RUNNING_STATE, 0, &is), ST_OK);
    cr_expect_eq(is, 1);
    cr_expect_eq(wdat_run(&w, &access, WDAT_RESET, 0, NULL), ST_OK);
    cr_expect_eq(*cell(0x660), 1);
    cr_expect_eq(wdat_run(&w, &access, WDAT_SET_STOPPED_STATE, 0, NULL), ST_OK);
    cr_expect_eq(*cell(0x668), 0x8800);
    cr_expect_eq(wdat_run(&w, &access, (enum wdat_action)19, 0, NULL), ST_ABSENT);
}

Test(wdat, has_a_time_within_what_it_can)
{
    struct wdat w;

    make();
    cr_assert_eq(wdat_decode(table, sizeof table, &w), ST_OK);
    cr_expect_eq(wdat_periods(&w, 1), 4);
    cr_expect_eq(wdat_periods(&w, 60), 100);
    cr_expect_eq(wdat_periods(&w, 100000), 0x3FF);
}

static void expect_refused(const char *what)
{
    struct wdat w = { .n = 77 };

    cr_expect_eq(wdat_decode(table, sizeof table, &w), ST_CORRUPT, "%s", what);
    cr_expect_eq(w.n, 77, "%s", what);
    make();
}

Test(wdat, is_refused_where_the_table_lies)
{
    struct wdat w;

    make();
    for (uint32_t n = 0; n < sizeof table; n++)
        cr_expect_eq(wdat_decode(table, n, &w), ST_CORRUPT, "cut to %u bytes", n);
    put(36, 31, 4);
    expect_refused("its own length");
    put(48, 0, 4);
    expect_refused("no period");
    put(56, 0x400, 4);
    expect_refused("least above most");
    put(64, 1000, 4);
    expect_refused("more entries than bytes");
    put(68, 2, 1);
    expect_refused("no reset");
    put(68 + 4, 2, 1);
    expect_refused("a register of PCI configuration");
    put(68 + 6, 16, 1);
    expect_refused("a field after its register");
    put(68 + 7, 4, 1);
    expect_refused("8 bytes");
    put(68 + 7, 54, 1);
    expect_refused("an access size that there is not");
    put(68 + 8, 0x661, 8);
    expect_refused("not aligned");
    put(68 + 8, 0x10000, 8);
    expect_refused("no port");
    cr_expect_eq(wdat_decode(table, sizeof table, &w), ST_OK);
}
