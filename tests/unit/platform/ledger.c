/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/platform/ledger.h"

#include <criterion/criterion.h>

#include "tests/support/machine/fake_platform.h"

#define A 0xC8Fu
#define B 0xC8Du
#define C 0x704u

static struct fake f;
static struct ledger l;

static void begin(void)
{
    fake_init(&f, 4);
    fake_msr(&f, A, 10);
    fake_msr(&f, B, 20);
    fake_msr(&f, C, 30);
    cr_assert_eq(ledger_init(&f.platform, &l), ST_OK);
}

static void end(void)
{
    ledger_free(&l);
}

TestSuite(ledger, .init = begin, .fini = end);

Test(ledger, reads_a_register_on_every_started_processor_before_the_first_write)
{
    uint64_t found = 0;

    f.slots[3].flags &= ~(uint32_t)CPU_STARTED;
    f.msrs[0].value[2] = 77;
    cr_assert_eq(msr_write(&f.platform, 0, A, 1), ST_OK);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_lt(fake_find(&f, 'r', A, i), fake_find(&f, 'w', A, 0));
    cr_expect_eq(ledger_found_msr(&l, 2, A, &found), ST_OK);
    cr_expect_eq(found, 77);
    cr_expect_eq(ledger_found_msr(&l, 3, A, &found), ST_NOT_RUN, "never started, never read");
    cr_expect_eq(ledger_found_msr(&l, 0, B, &found), ST_ABSENT);
    cr_expect_eq(ledger_found_msr(&l, 9, A, &found), ST_ABSENT);
    cr_expect_eq(found, 77);
}

Test(ledger, puts_back_in_the_reverse_order_of_first_touch)
{
    cr_assert_eq(msr_write(&f.platform, 0, A, 1), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 0, B, 2), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 0, A, 3), ST_OK);
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_lt(fake_find(&f, 'w', B, 1), fake_find(&f, 'w', A, 2));
    cr_expect_eq(f.msrs[0].value[0], 10);
    cr_expect_eq(f.msrs[1].value[0], 20);
}

static uint32_t command;
static uint64_t after; /* a register in the function's memory */

static enum status function_read(void *, struct pci_address, uint32_t, uint32_t, uint32_t *value)
{
    *value = command;
    return ST_OK;
}

static enum status function_write(void *, struct pci_address, uint32_t, uint32_t, uint32_t value)
{
    command = value;
    return ST_OK;
}

static enum status memory_read(void *, uint64_t, uint32_t, uint64_t *value)
{
    *value = command & 2 ? after : UINT64_MAX;
    return ST_OK;
}

static enum status memory_write(void *, uint64_t, uint32_t, uint64_t value)
{
    after = command & 2 ? value : after;
    return ST_OK;
}

Test(ledger, verifies_memory_before_its_function_decodes_none_again)
{
    const struct pci_address at = { .bus = 1 };
    struct platform_ops ops = *f.platform.ops;

    ops.pci_read = function_read;
    ops.pci_write = function_write;
    ops.mmio_read = memory_read;
    ops.mmio_write = memory_write;
    f.platform.ops = &ops;
    command = 0;
    after = 5;
    cr_assert_eq(pci_write(&f.platform, at, PCI_COMMAND, 2, 2), ST_OK);
    cr_assert_eq(mmio_write(&f.platform, 0x1000, 8, 7), ST_OK);
    cr_expect_eq(after, 7);
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(after, 5);
    cr_expect_eq(command, 0);
    cr_expect_eq(l.entries[1].n_equal, 1);
}

Test(ledger, writes_only_where_something_differs)
{
    cr_assert_eq(msr_write(&f.platform, 1, A, 1), ST_OK);
    f.n_log = 0;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(fake_find(&f, 'w', A, 1), FAKE_LOG, "one write");
    cr_expect_eq(f.log[fake_find(&f, 'w', A, 0)].cpu, 1);
    cr_expect_eq(l.entries[0].n_equal, 4);
}

Test(ledger, reads_everything_again_after_the_last_write)
{
    cr_assert_eq(msr_write(&f.platform, 1, A, 1), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 1, B, 1), ST_OK);
    f.n_log = 0;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    uint32_t last_write = fake_find(&f, 'w', A, 0);
    uint32_t reads = 0;

    for (uint32_t i = last_write; i < f.n_log; i++)
        reads += f.log[i].kind == 'r';
    cr_expect_eq(reads, 8, "two registers on four processors");
}

Test(ledger, says_so_when_a_register_does_not_take_its_value_back)
{
    cr_assert_eq(msr_write(&f.platform, 2, A, 1), ST_OK);
    f.msrs[0].sticks = true;
    cr_expect_eq(ledger_restore(&f.platform), ST_CORRUPT);
    cr_expect_eq(l.entries[0].n_different, 1);
    cr_expect_eq(l.entries[0].n_equal, 3);
    cr_expect_eq(l.entries[0].different_cpu, 2);
    cr_expect_eq(l.entries[0].different_value, 1);
    f.msrs[0].sticks = false;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK, "it may be tried again");
    cr_expect_eq(l.entries[0].n_different, 0);
}

/* Two threads that share a register: what one wrote shows on the other, and both are put right. */
Test(ledger, puts_a_shared_register_back_on_all_that_share_it)
{
    f.msrs[0].shared = true;
    cr_assert_eq(msr_write(&f.platform, 0, A, 99), ST_OK);
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(f.msrs[0].value[i], 10);
}

Test(ledger, a_counter_is_written_back_but_need_not_stand_still)
{
    cr_assert_eq(ledger_touch_msr(&f.platform, C, LEDGER_COUNTER), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 0, C, 1), ST_OK);
    f.msrs[2].sticks = true; /* as good as a counter that has moved on */
    f.n_log = 0;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_neq(fake_find(&f, 'w', C, 0), FAKE_LOG);
    cr_expect_eq(l.entries[0].n_different, 1);
}

Test(ledger, a_read_only_register_is_never_written_back)
{
    cr_assert_eq(ledger_touch_msr(&f.platform, B, LEDGER_READONLY), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 0, B, 1), ST_OK);
    f.n_log = 0;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(fake_find(&f, 'w', B, 0), FAKE_LOG);
    cr_expect_eq(l.entries[0].kind, LEDGER_READONLY, "the first kind stays");
}

Test(ledger, what_could_not_be_read_is_not_written)
{
    f.msrs[0].absent[1] = true;
    cr_expect_eq(msr_write(&f.platform, 1, A, 1), ST_FAULT);
    cr_expect_eq(msr_write(&f.platform, 0, A, 1), ST_OK);
    f.n_log = 0;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    for (uint32_t i = 0; i < f.n_log; i++)
        cr_expect_not(f.log[i].kind == 'w' && f.log[i].cpu == 1);
    cr_expect_eq(l.entries[0].n_equal, 4, "still faulting is as it was found");
}

Test(ledger, a_processor_lost_since_counts_as_unread_and_is_named)
{
    cr_assert_eq(msr_write(&f.platform, 2, A, 1), ST_OK);
    f.slots[2].flags |= CPU_LOST;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK, "every processor that still answers is as it was found");
    cr_expect_eq(l.entries[0].n_unread, 1);
    cr_expect_eq(l.entries[0].unread_cpu, 2);
    cr_expect_eq(l.entries[0].n_equal, 3);
}

Test(ledger, what_was_written_and_nobody_reads_again_is_not_restored)
{
    cr_assert_eq(msr_write(&f.platform, 2, A, 1), ST_OK);
    for (uint32_t i = 0; i < 4; i++)
        f.slots[i].flags |= CPU_LOST;
    cr_expect_eq(ledger_restore(&f.platform), ST_LOST);
}

Test(ledger, a_processor_lost_while_putting_back_does_not_stop_the_others)
{
    cr_assert_eq(msr_write(&f.platform, 1, A, 1), ST_OK);
    cr_assert_eq(msr_write(&f.platform, 3, A, 1), ST_OK);
    f.hangs[1] = true;
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(f.msrs[0].value[3], 10);
    cr_expect_eq(l.entries[0].n_unread, 1);
    cr_expect_eq(l.entries[0].unread_cpu, 1);
}

Test(ledger, a_second_touch_does_not_forget_what_was_found)
{
    uint64_t found = 0;

    cr_assert_eq(msr_write(&f.platform, 0, A, 1), ST_OK);
    cr_assert_eq(ledger_touch_msr(&f.platform, A, LEDGER_COUNTER), ST_OK);
    cr_expect_eq(ledger_found_msr(&l, 0, A, &found), ST_OK);
    cr_expect_eq(found, 10);
    cr_expect_eq(l.n_entries, 1);
}

Test(ledger, holds_more_registers_than_it_began_with_room_for)
{
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(ledger_touch_msr(&f.platform, 0x1000 + i, LEDGER_CONTROL), ST_OK);
    cr_expect_eq(l.n_entries, 100);
    for (uint32_t i = 0; i < 100; i++)
        cr_expect_eq(l.entries[i].address, 0x1000 + i);
}

Test(ledger, lets_the_platform_go_when_it_is_given_back)
{
    cr_expect_eq(f.platform.ledger, &l);
    ledger_free(&l);
    cr_expect_null(f.platform.ledger);
    cr_expect_eq(ledger_touch_msr(&f.platform, A, LEDGER_CONTROL), ST_OK);
}
