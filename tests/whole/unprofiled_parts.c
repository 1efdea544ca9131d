/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sound hardware of shapes that no profile of the silicon model has: no check may fail it, and none may fall over. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/domain/alloc.h"
#include "core/platform/ledger.h"
#include "tests/support/simple_run.h"
#include "tests/support/turn.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

#define INTEL(number, revision) .vendor = VENDOR_INTEL, .family = 6, .model = (number), .stepping = (revision)
#define SHAPE(n_packages, n_cores, n_threads, n_domains)                                                               \
    .packages = (n_packages), .cores = (n_cores), .threads = (n_threads), .domains_per_package = (n_domains)
#define L3(size, ways) .l3_bytes = (size), .l3_ways = (ways)
#define MONITORING(rmid, factor, bits, which)                                                                          \
    .monitoring = true, .max_rmid = (rmid), .upscaling_factor = (factor), .width = (bits), .events = (which)
#define ALLOCATION(clos, length) .allocation = true, .max_clos = (clos), .cbm_len = (length)

/* The corners of what could come; parts[0] is as a real one, and others are profiles of the model. */
static struct simple_part parts[] = {
    { .name = "E5-2630 v4",
      INTEL(0x4F, 1),
      SHAPE(2, 3, 2, 1),
      L3(20 * MIB, 20),
      .inclusive = true,
      .l2_bytes = 256 * KIB,
      MONITORING(63, 0x8000, 24, 7),
      ALLOCATION(15, 20),
      .ubox = true,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "Emerald Rapids, 300 MiB",
      INTEL(0xCF, 2),
      SHAPE(1, 2, 1, 1),
      L3(300 * MIB, 20),
      .l2_bytes = 2 * MIB,
      MONITORING(479, 0x1E000, 32, 7),
      .width_field = 8,
      ALLOCATION(14, 20),
      .smi_count = true,
      .node_bytes = 4 * GIB },
    { .name = "Zen 5 with 4096 RMIDs",
      .vendor = VENDOR_AMD,
      .family = 0x1A,
      .model = 2,
      SHAPE(1, 4, 2, 2),
      L3(32 * MIB, 16),
      .l2_bytes = MIB,
      MONITORING(4095, 64, 44, 7),
      .width_field = 20,
      ALLOCATION(15, 16),
      .node_bytes = GIB },
    { .name = "one processor, 2 MiB of L3",
      INTEL(0x56, 4),
      SHAPE(1, 1, 1, 1),
      L3(2 * MIB, 16),
      .inclusive = true,
      .l2_bytes = 256 * KIB,
      MONITORING(7, 0x1000, 24, 7),
      .ubox = true,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "two RMIDs",
      INTEL(0x8F, 0),
      SHAPE(1, 2, 2, 1),
      L3(16 * MIB, 16),
      .inclusive = true,
      .l2_bytes = MIB,
      MONITORING(1, 0x8000, 32, 7),
      .width_field = 8,
      .smi_count = true,
      .node_bytes = GIB },
    { .name = "firmware left RMID 1 everywhere",
      INTEL(0x4F, 1),
      SHAPE(1, 2, 1, 1),
      L3(20 * MIB, 20),
      .inclusive = true,
      .l2_bytes = 256 * KIB,
      MONITORING(63, 0x8000, 24, 7),
      .smi_count = true,
      .node_bytes = GIB,
      .found_pqr = 1 },
};

/* Masks have no effect here, a wrap is but a matter of time, which costs nothing, and no such parts were sold. */
static const char *const not_simulated[] = { "mbm.wrap",         "enum.kind",     "cat.shares",      "cat.isolation",
                                             "cat.overlap",      "cat.moves",     "cat.every-class", "cat.places",
                                             "cat.every-thread", "cat.neighbour", "cat.kinds",       "cdp.data" };

ParameterizedTestParameters(unprofiled_parts, are_not_called_broken)
{
    static uint32_t numbers[sizeof parts / sizeof parts[0]]; /* a parameter must not hold pointers */
    uint32_t n = 0;

    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (in_turn(i))
            numbers[n++] = i;
    return cr_make_param_array(uint32_t, numbers, n);
}

static void expect_sound(const struct simple_part *part, const struct whole_result *r)
{
    if (part->found_pqr && strcmp(r->row->id, "reset.pqr") == 0)
        cr_expect_eq(r->verdict, VERDICT_WARN);
    else
        cr_expect(r->verdict == VERDICT_PASS || r->verdict == VERDICT_SKIP, "%s: %s is %s: %s", part->name, r->row->id,
                  verdict_text(r->verdict), r->reason);
}

ParameterizedTest(uint32_t *number, unprofiled_parts, are_not_called_broken)
{
    const struct simple_part *part = &parts[*number];
    struct simple_run *r = simple_run_new(part);

    memcpy(r->checks.skips, not_simulated, sizeof not_simulated);
    simple_run_all(r);
    for (uint32_t i = 0; i < r->checks.n; i++)
        expect_sound(part, &r->checks.checks[i]);
    cr_expect_gt(r->checks.counts.pass, 5, "%s", part->name);
    cr_expect_eq(r->checks.restored, ST_OK, "%s: a register does not read as it was found", part->name);
    if (getenv("PARTS_TEXT"))
        puts(r->checks.text);
    simple_run_free(r);
}

static char late_reason[256];

static enum verdict run_late(uint64_t ticks, const char *id)
{
    struct simple_part part = parts[0];

    part.late_ticks = ticks;
    return simple_run_verdict(&part, id, late_reason);
}

/* No document says how soon an occupancy shows what was filled: a millisecond is waited for, a second is not. */
Test(unprofiled_parts, occupancy_that_shows_late_is_waited_for)
{
    static const char *const ids[] = { "cmt.fill", "cmt.flush", "cmt.linearity", "cmt.recycled", "cmt.halves" };

    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        cr_expect_eq(run_late(2000000, ids[i]), VERDICT_PASS, "%s: %s", ids[i], late_reason);
    cr_expect_eq(run_late(2000000000, "cmt.fill"), VERDICT_FAIL);
}

static uint32_t least_bits_found(uint32_t least, bool ignored)
{
    struct simple_part part = parts[0];
    struct simple_run *r;
    struct check_state state = { 0 };
    struct check c = { .state = &state };
    struct ledger ledger;
    struct alloc_table t;
    uint32_t bits = 0;
    uint64_t left = 0;

    part.least_bits = least;
    part.short_ignored = ignored;
    r = simple_run_new(&part);
    c.machine = r->machine;
    c.platform = simple_silicon_platform(r->silicon);
    cr_assert_eq(ledger_init(c.platform, &ledger), ST_OK);
    t = alloc_l3_masks(&c);
    cr_expect_eq(alloc_least_bits(&c, &t, 0, 3, &bits), ST_OK);
    cr_expect_eq(msr_read(c.platform, 0, IA32_L3_MASK(1), &left), ST_OK);
    cr_expect_eq(left, low_bits(t.bits), "what was found goes back");
    ledger_free(&ledger);
    simple_run_free(r);
    return bits;
}

/* Linux resctrl, cache_alloc_hsw_probe(): E5 v3 takes no mask of one bit. Where two are refused as well, a check that
 * writes one says so. */
Test(unprofiled_parts, the_least_mask_is_found_by_trying)
{
    cr_expect_eq(least_bits_found(1, false), 1);
    cr_expect_eq(least_bits_found(2, false), 2);
    cr_expect_eq(least_bits_found(3, false), 1);
    cr_expect_eq(least_bits_found(2, true), 2, "no #GP, and what stood there is there still");
    cr_expect_eq(least_bits_found(1, true), 1);
}

/* L2 masks without RDT monitoring, as Atom parts have them: the core counts the requests. */
static void remove_monitoring(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_domains; i++)
        m->domains[i].upscaling_factor = m->domains[i].max_rmid = 0;
}

static enum verdict l2_without_monitoring(const char *fault)
{
    struct model_config config = MODEL("spr", 1, 2, 1, .slices = 4);
    struct whole_run w = { .tests = { "l2.misses" }, .described = remove_monitoring };
    enum verdict v;

    config.faults[0] = fault;
    cr_assert(whole_run(&config, &w));
    v = whole_run_find(&w, "l2.misses")->verdict;
    whole_run_free(&w);
    return v;
}

Test(unprofiled_parts, l2_masks_are_judged_without_rdt_monitoring)
{
    cr_expect_eq(l2_without_monitoring(NULL), VERDICT_PASS);
    cr_expect_eq(l2_without_monitoring("l2-mask-inert"), VERDICT_WARN);
}

/* 24 bits of 64 bytes are 1 GiB: the one shape in which a full wrap can be had on a host. */
static struct simple_part wraps_at_1_gib(bool saturates)
{
    return (struct simple_part){ .name = "1 GiB to the wrap",
                                 INTEL(0x6A, 0),
                                 SHAPE(1, 2, 1, 1),
                                 L3(4 * MIB, 16),
                                 .inclusive = true,
                                 .l2_bytes = 256 * KIB,
                                 MONITORING(7, 64, 24, 7),
                                 .smi_count = true,
                                 .node_bytes = GIB,
                                 .saturates = saturates };
}

static enum verdict run_wrap(bool saturates)
{
    struct simple_part part = wraps_at_1_gib(saturates);

    return simple_run_verdict(&part, "mbm.wrap", NULL);
}

/* SDM vol. 3B 17.16.8: a 24-bit counter rolls over; software that reads it in time sees no difference. */
Test(unprofiled_parts, a_counter_that_wraps_passes)
{
    cr_expect_eq(run_wrap(false), VERDICT_PASS);
}

Test(unprofiled_parts, a_counter_that_saturates_at_the_wrap_fails)
{
    cr_expect_eq(run_wrap(true), VERDICT_FAIL);
}

/* Arrays are sized by what firmware reports: 4096 processors is the most. */
Test(unprofiled_parts, all_of_4096_processors_are_checked)
{
    static const char *const tests[] = { "reset.*", "enum.*", "pqr.*", "cross.*", "cmt.unused", "mbm.idle" };
    struct simple_part part = wraps_at_1_gib(false);
    struct simple_run *r;

    part.packages = 8;
    part.cores = 256;
    part.threads = 2;
    part.domains_per_package = 2;
    part.max_rmid = 479;
    part.allocation = true;
    part.max_clos = 14;
    part.cbm_len = 16;
    r = simple_run_new(&part);
    memcpy(r->checks.tests, tests, sizeof tests);
    simple_run_all(r);
    cr_expect_eq(r->machine->n_cpus, 4096);
    cr_expect_eq(r->checks.counts.fail + r->checks.counts.error, 0);
    /* A way of this L3 is 4096 counts, no such part was sold, and it has two L3s a package. */
    cr_expect_eq(r->checks.counts.warn, 3, "enum.way-size, enum.kind, enum.nodes");
    cr_expect_eq(whole_run_find(&r->checks, "pqr.own-copy")->verdict, VERDICT_PASS);
    cr_expect_eq(r->checks.restored, ST_OK);
    simple_run_free(r);
}

/* No RDT, no L3, no UBox. */
Test(unprofiled_parts, without_any_monitor_every_check_is_skipped_with_a_reason)
{
    struct simple_part part = { .name = "nothing",
                                .vendor = VENDOR_AMD,
                                .family = 0xF,
                                .packages = 1,
                                .cores = 2,
                                .threads = 1,
                                .node_bytes = GIB };
    struct simple_run *r = simple_run_new(&part);

    simple_run_all(r);
    for (uint32_t i = 0; i < r->checks.n; i++) {
        const struct whole_result *result = &r->checks.checks[i];

        if (strcmp(result->row->id, "enum.microcode") == 0 || strcmp(result->row->id, "cross.tsc") == 0)
            continue; /* these need no RDT */
        cr_expect_eq(result->verdict, VERDICT_SKIP, "%s is %s: %s", result->row->id, verdict_text(result->verdict),
                     result->reason);
        cr_expect_neq(result->reason[0], '\0', "%s", result->row->id);
    }
    cr_expect_eq(r->checks.counts.fail + r->checks.counts.error, 0);
    simple_run_free(r);
}
