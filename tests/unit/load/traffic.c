/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/load/traffic.h"

#include <criterion/criterion.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/tools/scatter.h"
#include "tests/support/machine/fake_platform.h"

#define FOUND (UINT64_C(3) << 32 | 2)

static struct traffic_part part(uint32_t rmid)
{
    return (struct traffic_part){
        .rmid = rmid,
        .clos = TRAFFIC_KEEP,
        .work = { .kind = WORK_READ, .passes = 2, .base = 0x100000, .bytes = 4096 },
    };
}

static const struct prefetch_control core = { 1, { { MSR_MISC_FEATURE_CONTROL, { BITS(3, 0) } } } };

static struct fake f;
static struct traffic_part parts[3];
static struct traffic_outcome outcome;

static void set_up(void)
{
    fake_init(&f, 2);
    fake_msr(&f, IA32_PQR_ASSOC, FOUND);
    for (uint32_t i = 0; i < 3; i++)
        parts[i] = part(5 + i);
}

TestSuite(traffic, .init = set_up);

/* The nth value that was written to the register. */
static uint64_t written(uint32_t msr, uint32_t nth)
{
    uint32_t at = fake_find(&f, 'w', msr, nth);

    cr_assert_lt(at, FAKE_LOG, "MSR %#x was not written %u times", msr, nth + 1);
    return f.log[at].value;
}

static struct traffic_load load;
static uint32_t bad_cpu;

/* The first parts, on this processor. */
static enum status run_on(uint32_t cpu, uint32_t n_parts, const struct prefetch_control *control)
{
    load = (struct traffic_load){ .cpu = cpu, .n_parts = n_parts, .parts = parts };
    return traffic_run(&f.platform, &load, 1, control, &outcome, &bad_cpu);
}

Test(traffic, tags_works_and_puts_the_tag_back)
{
    cr_expect_eq(run_on(1, 2, NULL), ST_OK);
    cr_expect_eq(load.status, ST_OK);
    cr_expect_eq(load.found_pqr, FOUND);
    cr_expect_eq(outcome.moved_bytes, 2 * 2 * 4096);
    cr_expect_eq(written(IA32_PQR_ASSOC, 0), UINT64_C(3) << 32 | 5, "the class is kept");
    cr_expect_eq(written(IA32_PQR_ASSOC, 1), UINT64_C(3) << 32 | 6);
    cr_expect_eq(written(IA32_PQR_ASSOC, 2), FOUND);
    cr_expect_eq(f.msrs[0].value[1], FOUND);
}

Test(traffic, a_class_of_its_own_is_written_with_the_rmid)
{
    parts[0].clos = 7;
    cr_expect_eq(run_on(0, 1, NULL), ST_OK);
    cr_expect_eq(written(IA32_PQR_ASSOC, 0), UINT64_C(7) << 32 | 5);
}

/* The tag of the second part is refused: nothing runs under the wrong tag, and the first one is taken off again. */
Test(traffic, a_refused_tag_stops_the_load_and_the_found_tag_goes_back)
{
    parts[1] = part(64);
    f.msrs[0].reserved = BIT(6);
    cr_expect_eq(run_on(1, 2, NULL), ST_FAULT);
    cr_expect_eq(load.status, ST_FAULT);
    cr_expect_eq(bad_cpu, 1);
    cr_expect_eq(parts[1].work.moved_bytes, 0);
    cr_expect_eq(f.msrs[0].value[1], FOUND);
}

Test(traffic, a_lost_processor_is_named_and_the_others_run)
{
    struct traffic_load loads[2] = { { .cpu = 0, .n_parts = 1, .parts = &parts[0] },
                                     { .cpu = 1, .n_parts = 1, .parts = &parts[1] } };

    f.hangs[1] = true;
    cr_expect_eq(traffic_run(&f.platform, loads, 2, NULL, &outcome, &bad_cpu), ST_TIMEOUT);
    cr_expect_eq(bad_cpu, 1);
    cr_expect_eq(f.msrs[0].value[0], FOUND);
    cr_expect_eq(traffic_run(&f.platform, loads, 2, NULL, &outcome, &bad_cpu), ST_LOST);
    cr_expect_eq(bad_cpu, 1);
}

/* MSR 1A4H, bits 3:0: a 1 turns a prefetcher off. */
Test(traffic, prefetchers_are_off_for_the_run_alone)
{
    fake_msr(&f, MSR_MISC_FEATURE_CONTROL, 0x102);
    cr_expect_eq(run_on(1, 1, &core), ST_OK);
    cr_expect_eq(outcome.prefetch_found, 1);
    cr_expect_eq(written(MSR_MISC_FEATURE_CONTROL, 0), 0x10F);
    cr_expect_lt(fake_find(&f, 'w', MSR_MISC_FEATURE_CONTROL, 0), fake_find(&f, 'w', IA32_PQR_ASSOC, 0));
    cr_expect_lt(fake_find(&f, 'w', IA32_PQR_ASSOC, 1), fake_find(&f, 'w', MSR_MISC_FEATURE_CONTROL, 1));
    cr_expect_eq(f.msrs[1].value[1], 0x102);
}

Test(traffic, prefetchers_that_firmware_turned_off_are_no_missing_ones)
{
    fake_msr(&f, MSR_MISC_FEATURE_CONTROL, 0x10F);
    cr_expect_eq(run_on(1, 1, &core), ST_OK);
    cr_expect_eq(outcome.prefetch_found, 0);
    cr_expect_eq(outcome.found_off, 1);
}

/* A part that is listed as having more prefetchers than it has: its reserved bits raise #GP. */
Test(traffic, fewer_bits_are_written_where_one_of_them_is_reserved)
{
    static const struct prefetch_control amp = {
        1, { { MSR_MISC_FEATURE_CONTROL, { BIT(5) | BITS(3, 0), BITS(3, 0) } } }
    };
    fake_msr(&f, MSR_MISC_FEATURE_CONTROL, 0x2)->reserved = BIT(5);
    cr_expect_eq(run_on(1, 1, &amp), ST_OK);
    cr_expect_eq(written(MSR_MISC_FEATURE_CONTROL, 0), 0x2F, "refused");
    cr_expect_eq(written(MSR_MISC_FEATURE_CONTROL, 1), 0xF);
    cr_expect_eq(written(MSR_MISC_FEATURE_CONTROL, 2), 0x2);
    cr_expect_eq(f.msrs[1].value[1], 0x2);
}

Test(traffic, a_part_without_that_register_runs_with_its_prefetchers)
{
    cr_expect_eq(run_on(0, 1, &core), ST_OK);
    cr_expect_eq(outcome.prefetch_found, 0);
    cr_expect_eq(outcome.found_off, 0);
    cr_expect_eq(outcome.moved_bytes, 2 * 4096);
}

/* As an OS does: the register is written when the next task is another one, and only then. */
Test(traffic, the_same_tag_is_not_written_twice)
{
    parts[1] = part(5);
    parts[2] = part(6);
    cr_expect_eq(run_on(0, 3, NULL), ST_OK);
    cr_expect_eq(fake_find(&f, 'w', IA32_PQR_ASSOC, 3), FAKE_LOG);
    cr_expect_neq(fake_find(&f, 'w', IA32_PQR_ASSOC, 2), FAKE_LOG);
}

/* Two passes over a buffer of two pieces, and a copy into it whose source is in one. */
Test(traffic, memory_in_pieces_is_gone_over_piece_by_piece)
{
    static const uint64_t bases[] = { 0x201000, 0x800000, 0x201000, 0x800000, 0x300000, 0x300C00 };
    struct scatter s = { .n = 0 };

    cr_assert(scatter_add(&s, 0x200000, 0x2000) && scatter_add(&s, 0x800000, 0x4000));
    f.platform.scatter = &s;
    parts[0].work.base = SCATTER_BASE + 0x1000;
    parts[0].work.bytes = 0x3000;
    parts[1].work = (struct work){ .kind = WORK_COPY, .passes = 1, .base = 0x300000, .bytes = 0x1000 };
    parts[1].work.dst = SCATTER_BASE + 0x1400;
    cr_expect_eq(run_on(1, 2, NULL), ST_OK);
    for (uint32_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
        cr_expect_lt(fake_find(&f, 'k', bases[i], i / 2 == 1), FAKE_LOG, "%u", i);
    cr_expect_eq(f.log[fake_find(&f, 'k', 0x201000, 0)].value, 0x1000);
    cr_expect_eq(f.log[fake_find(&f, 'k', 0x300000, 0)].value, 0xC00);
    cr_expect_eq(parts[0].work.moved_bytes, 2 * 0x3000);
    cr_expect_eq(parts[0].work.base, SCATTER_BASE + 0x1000, "as it was asked for");
    cr_expect_eq(written(IA32_PQR_ASSOC, 2), FOUND, "one tag for all pieces of a part");
    cr_expect_eq(outcome.moved_bytes, 2 * 0x3000 + parts[1].work.moved_bytes);
}
