/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Uncore boxes behind hardware or firmware that answers badly: each is a named ERROR, SKIP or finding, the other boxes
 * are judged, and what was written goes back. */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/pmon_bench.h"

static struct platform_ops ops;
static uint32_t accesses, patience; /* accesses to the victim, and after how many it turns bad; 0: from the start */

static struct bench bad_bench(const char *profile, const char *tests, uint32_t turns_bad_after)
{
    struct bench b = bench_of(profile, 1, tests);

    real_ops = b.mp->platform.ops;
    ops = *real_ops;
    accesses = 0;
    patience = turns_bad_after;
    b.mp->platform.ops = &ops;
    return b;
}

/* --- a PCI function that answers all ones: hswep_uncore_imc, channel 0 at 20.0 --------------------------------------
 */

static enum status ones_behind_the_ids(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                       uint32_t *value)
{
    enum status st = real_ops->pci_read(machine, at, offset, width, value);

    if (at.device == 20 && at.function == 0 && offset >= 0x40 && accesses++ >= patience)
        *value = width == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * width) - 1;
    return st;
}

Test(pmon_bad_input, a_function_of_all_ones_is_named_and_the_others_are_judged)
{
    struct bench b = bad_bench("bdx", "pmon.*", 0);

    ops.pci_read = ones_behind_the_ids;
    cr_expect_eq(run_one(&b, "pmon.enable")->verdict, VERDICT_PASS, "the others are judged");
    cr_expect(says(&b, "iMC 0 (PCI ff:14.0): register 0x") && says(&b, "reads all ones"), "%s", b.run->text);
    cr_expect_neq(whole_run_find(b.run, "pmon.boxes")->verdict, VERDICT_PASS, "a box of the part is not there");
    cr_expect_eq(b.run->restored, ST_OK);
    bench_free(&b);
}

Test(pmon_bad_input, a_function_that_goes_away_while_it_is_used_is_no_pass)
{
    struct bench b = bad_bench("bdx", "pmon.enable", 60);
    const struct whole_result *r;

    ops.pci_read = ones_behind_the_ids;
    r = run_one(&b, "pmon.enable");
    cr_expect(r->verdict == VERDICT_FAIL || r->verdict == VERDICT_ERROR, "%s", verdict_text(r->verdict));
    cr_expect(strstr(r->reason, "iMC 0"), "%s", r->reason);
    bench_free(&b);
}

/* --- base addresses of zero: Linux uncore_snbep.c snr_uncore_mmio_map, MEMn_BAR at D8H + 4n --------------------------
 */

static enum status no_base(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    uint32_t id = 0;
    enum status st = real_ops->pci_read(machine, at, offset, width, value);

    if (offset == 0xDC && real_ops->pci_read(machine, at, 0, 4, &id) == ST_OK && id >> 16 == 0x3451)
        *value = 0;
    return st;
}

Test(pmon_bad_input, a_controller_without_a_base_address_is_named_and_the_others_are_judged)
{
    struct bench b = bad_bench("icx", "pmon.*", 0);

    ops.pci_read = no_base;
    cr_expect_eq(run_one(&b, "pmon.enable")->verdict, VERDICT_PASS);
    cr_expect(says(&b, "iMC 2: its base address register"), "%s", b.run->text);
    cr_expect_eq(b.run->restored, ST_OK);
    bench_free(&b);
}

static enum status no_table(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    uint32_t id = 0;
    enum status st = real_ops->pci_read(machine, at, offset, width, value);

    if (offset >= 0x10 && offset < 0x28 && real_ops->pci_read(machine, at, 0, 4, &id) == ST_OK && id >> 16 == 0x09A7)
        *value = 0;
    return st;
}

Test(pmon_bad_input, a_discovery_table_without_a_base_address_is_named)
{
    struct bench b = bad_bench("spr", "pmon.*", 0);

    ops.pci_read = no_table;
    cr_expect_neq(run_one(&b, "pmon.discovery")->verdict, VERDICT_PASS);
    cr_expect(says(&b, "base address register names"), "%s", b.run->text);
    cr_expect_neq(whole_run_find(b.run, "pmon.enable")->verdict, VERDICT_FAIL, "links by PCI are judged");
    cr_expect_eq(b.run->restored, ST_OK);
    bench_free(&b);
}

/* Firmware without an MCFG: the two ports alone, which have no offset above 255. */
static enum status by_ports(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    return at.segment || offset + width > 256 ? ST_ABSENT : real_ops->pci_read(machine, at, offset, width, value);
}

Test(pmon_bad_input, without_a_window_to_configuration_space_nobody_fails)
{
    static const char *const profiles[] = { "spr", "skx", "hsx" };

    for (uint32_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        struct bench b = bad_bench(profiles[i], "pmon.*", 0);

        ops.pci_read = by_ports;
        if (run_one(&b, "pmon.discovery")->verdict != VERDICT_SKIP)
            cr_expect(false, "%s: %s", profiles[i], whole_run_find(b.run, "pmon.discovery")->reason);
        cr_expect(i > 0 || says(&b, "MCFG"), "the reason is said");
        for (uint32_t k = 0; k < b.run->n; k++)
            cr_expect(b.run->checks[k].verdict != VERDICT_FAIL && b.run->checks[k].verdict != VERDICT_ERROR,
                      "%s, %s: %s", profiles[i], b.run->checks[k].row->id, b.run->checks[k].reason);
        bench_free(&b);
    }
}

/* --- registers in memory that stop answering while they are programmed ----------------------------------------------
 */

#define ICX_IMC_2 UINT64_C(0xA2800) /* of the model: controller 1, channel 0 */

static enum status fault_later(void *machine, uint64_t address, uint32_t width, uint64_t value)
{
    if ((address & 0xFFFFF) == ICX_IMC_2 + 0x44 && accesses++ == patience)
        return ST_PAGE_FAULT;
    return real_ops->mmio_write(machine, address, width, value);
}

Test(pmon_bad_input, a_register_in_memory_that_faults_while_it_is_programmed_is_a_named_error_and_goes_back)
{
    struct bench b = bad_bench("icx", "pmon.enable", 1);
    const struct whole_result *r;

    ops.mmio_write = fault_later;
    r = run_one(&b, "pmon.enable");
    cr_expect_eq(r->verdict, VERDICT_ERROR, "%s", r->reason);
    cr_expect(strstr(r->reason, "iMC 2"), "%s", r->reason);
    cr_expect_eq(b.run->restored, ST_OK);
    bench_free(&b);
}

/* --- discovery tables of noise: bits of the table's own memory turned over ------------------------------------------
 */

static uint64_t noise;

static uint64_t next_noise(void)
{
    noise ^= noise << 13;
    noise ^= noise >> 7;
    noise ^= noise << 17;
    return noise;
}

static enum status noisy(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    enum status st = real_ops->mmio_read(machine, address, width, value);

    if (st == ST_OK && width == 8 && accesses++ < patience && next_noise() % 8 == 0)
        *value ^= UINT64_C(1) << next_noise() % 64;
    return st;
}

Test(pmon_bad_input, tables_of_noise_end_in_verdicts_and_everything_goes_back)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct bench b = bad_bench("spr", "pmon.*", 400); /* the table is read before anything else in memory */

        noise = seed * UINT64_C(0x9E3779B97F4A7C15);
        ops.mmio_read = noisy;
        run_one(&b, "pmon.discovery");
        cr_expect_eq(b.run->restored, ST_OK, "seed %lu", seed);
        bench_free(&b);
    }
}
