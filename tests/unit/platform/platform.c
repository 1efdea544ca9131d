/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/platform/platform.h"

#include <criterion/criterion.h>

#include "core/platform/ledger.h"
#include "tests/support/machine/fake_platform.h"

static struct fake f;

#define REG   0xC8Fu
#define OTHER 0xC8Du

Test(platform, reads_and_writes_one_register_of_one_processor)
{
    uint64_t value = 0;

    fake_init(&f, 4);
    fake_msr(&f, REG, 5);
    cr_expect_eq(msr_write(&f.platform, 2, REG, 9), ST_OK);
    cr_expect_eq(msr_read(&f.platform, 2, REG, &value), ST_OK);
    cr_expect_eq(value, 9);
    cr_expect_eq(msr_read(&f.platform, 1, REG, &value), ST_OK);
    cr_expect_eq(value, 5);
}

Test(platform, a_fault_is_a_status_and_leaves_the_value_alone)
{
    uint64_t value = 0xDEAD;

    fake_init(&f, 1);
    cr_expect_eq(msr_read(&f.platform, 0, REG, &value), ST_FAULT);
    cr_expect_eq(value, 0xDEAD);
    cr_expect_eq(f.platform.counts.faults, 1);
}

Test(platform, a_processor_that_was_not_started_is_never_asked)
{
    uint64_t value = 0xDEAD;
    struct cpuid_regs regs = { 1, 2, 3, 4 };

    fake_init(&f, 3);
    fake_msr(&f, REG, 5);
    f.slots[1].flags &= ~(uint32_t)CPU_STARTED;
    f.slots[2].flags |= CPU_LOST;
    for (uint32_t cpu = 1; cpu < 5; cpu++) {
        cr_expect_eq(msr_read(&f.platform, cpu, REG, &value), ST_LOST);
        cr_expect_eq(msr_write(&f.platform, cpu, REG, 1), ST_LOST);
        cr_expect_eq(cpu_cpuid(&f.platform, cpu, 0, 0, &regs), ST_LOST);
    }
    cr_expect_eq(value, 0xDEAD);
    cr_expect_eq(regs.eax, 1);
    cr_expect_eq(f.n_log, 0);
}

static struct step steps[3];
static struct task tasks[3];

/* The register, by a task of each of the first three processors. */
static enum status read_on_three(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        steps[i] = (struct step){ .op = STEP_RDMSR, .reg = REG };
        tasks[i] = (struct task){ .cpu = i, .n_steps = 1, .steps = &steps[i] };
    }
    return platform_run(&f.platform, tasks, 3, 1000);
}

Test(platform, the_other_tasks_of_a_run_are_done_when_one_processor_takes_no_work)
{
    fake_init(&f, 3);
    fake_msr(&f, REG, 5)->value[2] = 7;
    f.slots[1].flags |= CPU_LOST;
    cr_expect_eq(read_on_three(), ST_LOST);
    cr_expect_eq(tasks[0].status, ST_OK);
    cr_expect_eq(tasks[1].status, ST_LOST);
    cr_expect_eq(tasks[2].status, ST_OK);
    cr_expect_eq(steps[0].value, 5);
    cr_expect_eq(steps[1].status, ST_NOT_RUN);
    cr_expect_eq(steps[2].value, 7);
}

Test(platform, a_processor_lost_in_the_run_keeps_its_own_result_apart)
{
    fake_init(&f, 3);
    fake_msr(&f, REG, 5);
    f.slots[0].flags |= CPU_LOST;
    f.hangs[1] = true;
    cr_expect_eq(read_on_three(), ST_LOST);
    cr_expect_eq(tasks[1].status, ST_TIMEOUT);
    cr_expect_eq(tasks[2].status, ST_OK);
    cr_expect_eq(steps[2].value, 5);
}

Test(platform, shows_every_write_to_the_ledger_before_anything_runs)
{
    struct ledger l;
    struct step writes[3] = { { .op = STEP_WRMSR, .reg = REG, .value = 1 },
                              { .op = STEP_WRMSR, .reg = OTHER, .value = 2 },
                              { .op = STEP_WRMSR, .reg = REG, .value = 3 } };
    struct task task = { .cpu = 1, .n_steps = 3, .steps = writes };
    uint64_t found = 0;

    fake_init(&f, 2);
    fake_msr(&f, REG, 5);
    fake_msr(&f, OTHER, 6);
    cr_assert_eq(ledger_init(&f.platform, &l), ST_OK);
    cr_expect_eq(platform_run(&f.platform, &task, 1, 1000), ST_OK);
    cr_expect_eq(l.n_entries, 2);
    cr_expect_lt(fake_find(&f, 'r', OTHER, 1), fake_find(&f, 'w', REG, 0),
                 "both registers are read on both processors before the first write");
    cr_expect_eq(ledger_found_msr(&l, 0, REG, &found), ST_OK);
    cr_expect_eq(found, 5);
    cr_expect_eq(ledger_find_msr(&l, REG)->writes, 2);
    cr_expect_eq(ledger_find_msr(&l, OTHER)->writes, 1);
    ledger_free(&l);
}

Test(platform, counts_what_was_asked_of_the_hardware)
{
    struct work work = { .kind = WORK_READ, .passes = 2, .bytes = 4096 };
    struct step each[4] = { { .op = STEP_RDMSR, .reg = REG },
                            { .op = STEP_WRMSR, .reg = REG },
                            { .op = STEP_CPUID, .reg = 7 },
                            { .op = STEP_WORK, .work = &work } };
    struct task task = { .cpu = 0, .n_steps = 4, .steps = each };

    fake_init(&f, 1);
    fake_msr(&f, REG, 5);
    cr_expect_eq(platform_run(&f.platform, &task, 1, 1000), ST_OK);
    cr_expect_eq(f.platform.counts.rdmsr, 1);
    cr_expect_eq(f.platform.counts.wrmsr, 1);
    cr_expect_eq(f.platform.counts.cpuid, 1);
    cr_expect_eq(f.platform.counts.work_bytes, 8192);
    cr_expect_eq(f.platform.counts.runs, 1);
}

Test(platform, steps_after_a_failed_must_are_not_counted)
{
    struct step two[2] = { { .op = STEP_WRMSR, .reg = REG, .must = true }, { .op = STEP_RDMSR, .reg = REG } };
    struct task task = { .cpu = 0, .n_steps = 2, .steps = two };

    fake_init(&f, 1);
    cr_expect_eq(platform_run(&f.platform, &task, 1, 1000), ST_OK, "every step was tried that could be");
    cr_expect_eq(two[0].status, ST_FAULT);
    cr_expect_eq(two[1].status, ST_NOT_RUN);
    cr_expect_eq(f.platform.counts.rdmsr, 0);
}

Test(platform, pci_and_mmio_writes_are_shown_to_the_ledger_too)
{
    struct ledger l;
    struct pci_address at = { .bus = 0x7F, .device = 20, .function = 1 };

    fake_init(&f, 1);
    fake_cell(&f, true, 0x7F << 20 | 20 << 15 | 1 << 12 | 0xD8, 0x11);
    fake_cell(&f, false, 0xFE000010, 0x22);
    cr_assert_eq(ledger_init(&f.platform, &l), ST_OK);
    cr_expect_eq(pci_write(&f.platform, at, 0xD8, 4, 0x33), ST_OK);
    cr_expect_eq(mmio_write(&f.platform, 0xFE000010, 8, 0x44), ST_OK);
    cr_assert_eq(l.n_entries, 2);
    cr_expect_eq(l.entries[0].space, LEDGER_PCI);
    cr_expect_eq(l.entries[0].found[0], 0x11);
    cr_expect_eq(l.entries[1].found[0], 0x22);
    cr_expect_eq(ledger_restore(&f.platform), ST_OK);
    cr_expect_eq(f.cells[0].value, 0x11);
    cr_expect_eq(f.cells[1].value, 0x22);
    ledger_free(&l);
}

Test(platform, physical_memory_does_not_wrap_round)
{
    char buffer[16];

    fake_init(&f, 1);
    cr_expect_eq(phys_read(&f.platform, UINT64_MAX - 4, buffer, sizeof buffer), ST_PAGE_FAULT);
}

Test(platform, a_budget_grows_with_the_bytes_and_never_wraps_small)
{
    cr_expect_geq(work_budget_ms(0), 10000);
    cr_expect_geq(work_budget_ms(64 << 20), work_budget_ms(0) + 16000);
    cr_expect_geq(work_budget_ms(UINT64_MAX), work_budget_ms(UINT64_C(1) << 60));
}
