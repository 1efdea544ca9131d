/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Good hardware of shapes that nobody planned for: no check may call it broken, and none may fall over. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/platform/ledger.h"
#include "tests/support/odd_silicon.h"
#include "tests/support/whole_run.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* Values of real parts where the name says one, and the corners of what could come. */
static struct odd_part parts[] = {
    { .name = "E5-2630 v4",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0x4F,
      .stepping = 1,
      .packages = 2,
      .cores = 3,
      .threads = 2,
      .domains_per_package = 1,
      .l3_bytes = 20 * MIB,
      .l3_ways = 20,
      .inclusive = true,
      .l2_bytes = 262144,
      .monitoring = true,
      .allocation = true,
      .max_rmid = 63,
      .upscaling_factor = 0x8000,
      .width = 24,
      .events = 7,
      .max_clos = 15,
      .cbm_len = 20,
      .ubox = true,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "E5 v3: occupancy alone",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0x3F,
      .stepping = 2,
      .packages = 2,
      .cores = 2,
      .threads = 1,
      .domains_per_package = 1,
      .l3_bytes = 15 * MIB,
      .l3_ways = 20,
      .inclusive = true,
      .l2_bytes = 262144,
      .monitoring = true,
      .max_rmid = 23,
      .upscaling_factor = 0x6000,
      .width = 24,
      .events = 1,
      .ubox = true,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "Cascade Lake-SP",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0x55,
      .stepping = 7,
      .packages = 2,
      .cores = 4,
      .threads = 2,
      .domains_per_package = 1,
      .l3_bytes = 22 * MIB,
      .l3_ways = 11,
      .l2_bytes = MIB,
      .monitoring = true,
      .allocation = true,
      .max_rmid = 127,
      .upscaling_factor = 0x10000,
      .width = 24,
      .events = 7,
      .max_clos = 15,
      .cbm_len = 11,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "Emerald Rapids, 300 MiB",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0xCF,
      .stepping = 2,
      .packages = 1,
      .cores = 2,
      .threads = 1,
      .domains_per_package = 1,
      .l3_bytes = 300 * MIB,
      .l3_ways = 20,
      .l2_bytes = 2 * MIB,
      .monitoring = true,
      .allocation = true,
      .max_rmid = 479,
      .upscaling_factor = 0x1E000,
      .width_field = 8,
      .width = 32,
      .events = 7,
      .max_clos = 14,
      .cbm_len = 20,
      .smi_count = true,
      .node_bytes = 4 * GIB },
    { .name = "Zen 5 with 4096 RMIDs",
      .vendor = VENDOR_AMD,
      .family = 0x1A,
      .model = 2,
      .packages = 1,
      .cores = 4,
      .threads = 2,
      .domains_per_package = 2,
      .l3_bytes = 32 * MIB,
      .l3_ways = 16,
      .l2_bytes = MIB,
      .monitoring = true,
      .allocation = true,
      .max_rmid = 4095,
      .upscaling_factor = 64,
      .width_field = 20,
      .width = 44,
      .events = 7,
      .max_clos = 15,
      .cbm_len = 16,
      .node_bytes = GIB },
    { .name = "one processor, 2 MiB of L3",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0x56,
      .stepping = 4,
      .packages = 1,
      .cores = 1,
      .threads = 1,
      .domains_per_package = 1,
      .l3_bytes = 2 * MIB,
      .l3_ways = 16,
      .inclusive = true,
      .l2_bytes = 262144,
      .monitoring = true,
      .max_rmid = 7,
      .upscaling_factor = 0x1000,
      .width = 24,
      .events = 7,
      .ubox = true,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "two RMIDs",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0x8F,
      .packages = 1,
      .cores = 2,
      .threads = 2,
      .domains_per_package = 1,
      .l3_bytes = 16 * MIB,
      .l3_ways = 16,
      .inclusive = true,
      .l2_bytes = MIB,
      .monitoring = true,
      .max_rmid = 1,
      .upscaling_factor = 0x8000,
      .width_field = 8,
      .width = 32,
      .events = 7,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "RMIDs that are no power of two",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0x6A,
      .packages = 1,
      .cores = 6,
      .threads = 2,
      .domains_per_package = 1,
      .l3_bytes = 27 * MIB,
      .l3_ways = 12,
      .l2_bytes = 1280 * 1024,
      .monitoring = true,
      .allocation = true,
      .max_rmid = 143,
      .upscaling_factor = 0x9000,
      .width_field = 8,
      .width = 32,
      .events = 7,
      .max_clos = 14,
      .cbm_len = 12,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "firmware left RMID 1 everywhere",
      .vendor = VENDOR_INTEL,
      .family = 6,
      .model = 0x4F,
      .stepping = 1,
      .packages = 1,
      .cores = 2,
      .threads = 1,
      .domains_per_package = 1,
      .l3_bytes = 20 * MIB,
      .l3_ways = 20,
      .inclusive = true,
      .l2_bytes = 262144,
      .monitoring = true,
      .max_rmid = 63,
      .upscaling_factor = 0x8000,
      .width = 24,
      .events = 7,
      .smi_count = true,
      .node_bytes = GIB,
      .found_pqr = 1 },
};

ParameterizedTestParameters(odd_parts, are_not_called_broken)
{
    static uint32_t numbers[sizeof parts / sizeof parts[0]]; /* a parameter must not hold pointers */

    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        numbers[i] = i;
    return cr_make_param_array(uint32_t, numbers, sizeof parts / sizeof parts[0]);
}

ParameterizedTest(uint32_t *number, odd_parts, are_not_called_broken)
{
    const struct odd_part *part = &parts[*number];
    struct machine *m = calloc(1, sizeof *m);
    struct odd_silicon *o = odd_silicon_new(part, m);
    /* The wrap is a matter of time, and time costs nothing here; masks have no effect; and no such parts were sold. */
    struct whole_run w = { .skips = { "mbm.wrap", "enum.kind", "cat.shares", "cat.isolation", "cat.overlap",
                                      "cat.moves", "cat.every-class", "cat.every-thread", "cat.neighbour",
                                      "cdp.data" } };

    whole_run_on(odd_silicon_platform(o), m, &w);
    for (uint32_t i = 0; i < w.n; i++) {
        const struct whole_result *r = &w.checks[i];

        if (part->found_pqr && strcmp(r->row->id, "reset.pqr") == 0) {
            cr_expect_eq(r->verdict, VERDICT_WARN);
            continue;
        }
        cr_expect(r->verdict == VERDICT_PASS || r->verdict == VERDICT_SKIP, "%s: %s is %s: %s", part->name, r->row->id,
                  verdict_text(r->verdict), r->reason);
    }
    cr_expect_gt(w.counts.pass, 5, "%s", part->name);
    cr_expect_eq(w.restored, ST_OK, "%s: a register does not read as it was found", part->name);
    if (getenv("ODD_PARTS_TEXT"))
        puts(w.text);
    whole_run_free(&w);
    odd_silicon_free(o, m);
    free(m);
}

static enum verdict verdict_on(const struct odd_part *part, const char *id)
{
    struct machine *m = calloc(1, sizeof *m);
    struct odd_silicon *o = odd_silicon_new(part, m);
    struct whole_run w = { .tests = { id } };
    enum verdict v;

    whole_run_on(odd_silicon_platform(o), m, &w);
    cr_assert_eq(w.n, 1);
    v = w.checks[0].verdict;
    whole_run_free(&w);
    odd_silicon_free(o, m);
    free(m);
    return v;
}

static enum verdict run_late(uint64_t ticks, const char *id)
{
    struct odd_part part = parts[0];

    part.late_ticks = ticks;
    return verdict_on(&part, id);
}

/* No document says how soon an occupancy shows what was filled: a millisecond is waited for, a second is not. */
Test(odd_parts, occupancy_that_shows_late_is_waited_for)
{
    static const char *const ids[] = { "cmt.fill", "cmt.flush", "cmt.linearity", "cmt.recycled", "cmt.halves" };

    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        cr_expect_eq(run_late(2000000, ids[i]), VERDICT_PASS, "%s", ids[i]);
    cr_expect_eq(run_late(2000000000, "cmt.fill"), VERDICT_FAIL);
}

static uint32_t least_bits_found(uint32_t least, bool ignored)
{
    struct odd_part part = parts[0];
    struct machine *m = calloc(1, sizeof *m);
    struct check c = { .machine = m };
    struct ledger ledger;
    struct odd_silicon *o;
    struct alloc_table t;
    uint32_t bits;
    uint64_t left = 0;

    part.least_bits = least;
    part.short_ignored = ignored;
    o = odd_silicon_new(&part, m);
    c.platform = odd_silicon_platform(o);
    cr_assert_eq(ledger_init(c.platform, &ledger), ST_OK);
    t = alloc_l3_masks(&c);
    bits = alloc_least_bits(&c, &t, 0, 3);
    cr_expect_eq(msr_read(c.platform, 0, IA32_L3_MASK(1), &left), ST_OK);
    cr_expect_eq(left, low_bits(t.bits), "what was found goes back");
    ledger_free(&ledger);
    odd_silicon_free(o, m);
    free(m);
    return bits;
}

/* Linux resctrl, cache_alloc_hsw_probe(): E5 v3 takes no mask of one bit. Where two are refused as well, a check that
 * writes one says so. */
Test(odd_parts, the_least_mask_is_found_by_trying)
{
    cr_expect_eq(least_bits_found(1, false), 1);
    cr_expect_eq(least_bits_found(2, false), 2);
    cr_expect_eq(least_bits_found(3, false), 1);
    cr_expect_eq(least_bits_found(2, true), 2, "no #GP, and what stood there is there still");
    cr_expect_eq(least_bits_found(1, true), 1);
}

/* Masks of the L2 without monitoring, as Atoms have them: what counts requests is the core. */
static void take_monitoring(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_domains; i++)
        m->domains[i].upscaling_factor = m->domains[i].max_rmid = 0;
}

static enum verdict l2_without_monitoring(const char *fault)
{
    struct model_config config = { .profile = "spr", .packages = 1, .cores = 2, .threads = 1, .slices = 4 };
    struct whole_run w = { .tests = { "l2.misses" }, .described = take_monitoring };
    enum verdict v;

    config.faults[0] = fault;
    config.n_faults = fault != NULL;
    cr_assert(whole_run(&config, &w));
    v = whole_run_find(&w, "l2.misses")->verdict;
    whole_run_free(&w);
    return v;
}

Test(odd_parts, masks_of_the_l2_need_no_monitoring_to_be_judged)
{
    cr_expect_eq(l2_without_monitoring(NULL), VERDICT_PASS);
    cr_expect_eq(l2_without_monitoring("l2-mask-inert"), VERDICT_WARN);
}

/* 24 bits of 64 bytes are 1 GiB: the one shape in which a full wrap can be had on a host. */
static struct odd_part short_way_round(bool saturates)
{
    return (struct odd_part){ .name = "1 GiB to the wrap",
                              .vendor = VENDOR_INTEL,
                              .family = 6,
                              .model = 0x6A,
                              .packages = 1,
                              .cores = 2,
                              .threads = 1,
                              .domains_per_package = 1,
                              .l3_bytes = 4 * MIB,
                              .l3_ways = 16,
                              .inclusive = true,
                              .l2_bytes = 262144,
                              .monitoring = true,
                              .max_rmid = 7,
                              .upscaling_factor = 64,
                              .width = 24,
                              .events = 7,
                              .smi_count = true,
                              .node_bytes = GIB,
                              .saturates = saturates };
}

static enum verdict run_wrap(bool saturates)
{
    struct odd_part part = short_way_round(saturates);

    return verdict_on(&part, "mbm.wrap");
}

/* SDM vol. 3B 17.16.8: a 24-bit counter rolls over; software that reads it in time sees no difference. */
Test(odd_parts, a_wrap_within_reach_is_gone_through)
{
    cr_expect_eq(run_wrap(false), VERDICT_PASS);
}

Test(odd_parts, a_counter_that_saturates_at_the_wrap_fails)
{
    cr_expect_eq(run_wrap(true), VERDICT_FAIL);
}

/* Arrays are sized by what firmware reports: 4096 processors is the most. */
Test(odd_parts, four_thousand_and_ninety_six_processors_are_looked_at_one_by_one)
{
    struct odd_part part = short_way_round(false);
    struct machine *m = calloc(1, sizeof *m);
    struct whole_run w = { .tests = { "reset.*", "enum.*", "pqr.*", "cross.*", "cmt.unused", "mbm.idle" } };

    part.packages = 8;
    part.cores = 256;
    part.threads = 2;
    part.domains_per_package = 2;
    part.max_rmid = 479;
    part.allocation = true;
    part.max_clos = 14;
    part.cbm_len = 16;
    struct odd_silicon *o = odd_silicon_new(&part, m);

    whole_run_on(odd_silicon_platform(o), m, &w);
    cr_expect_eq(m->n_cpus, 4096);
    cr_expect_eq(w.counts.fail + w.counts.error, 0);
    /* A way of this L3 is 4096 counts, no such part was sold, and it has two L3s a package. */
    cr_expect_eq(w.counts.warn, 3, "enum.way-size, enum.kind, enum.nodes");
    cr_expect_eq(whole_run_find(&w, "pqr.own-copy")->verdict, VERDICT_PASS);
    cr_expect_eq(w.restored, ST_OK);
    whole_run_free(&w);
    odd_silicon_free(o, m);
    free(m);
}

/* No RDT, no L3, no UBox: every check says why it has nothing to do. */
Test(odd_parts, a_machine_without_anything_is_skipped_with_reasons)
{
    struct odd_part part = { .name = "nothing",
                             .vendor = VENDOR_AMD,
                             .family = 0xF,
                             .packages = 1,
                             .cores = 2,
                             .threads = 1,
                             .node_bytes = GIB };
    struct machine *m = calloc(1, sizeof *m);
    struct odd_silicon *o = odd_silicon_new(&part, m);
    struct whole_run w = { 0 };

    whole_run_on(odd_silicon_platform(o), m, &w);
    for (uint32_t i = 0; i < w.n; i++) {
        const struct whole_result *r = &w.checks[i];

        if (strcmp(r->row->id, "enum.microcode") == 0)
            continue; /* that needs no RDT */
        cr_expect_eq(r->verdict, VERDICT_SKIP, "%s is %s: %s", r->row->id, verdict_text(r->verdict), r->reason);
        cr_expect_neq(r->reason[0], '\0', "%s", r->row->id);
    }
    cr_expect_eq(w.counts.fail + w.counts.error, 0);
    whole_run_free(&w);
    odd_silicon_free(o, m);
    free(m);
}
