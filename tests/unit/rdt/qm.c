/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/rdt/qm.h"

#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/platform/script.h"
#include "tests/support/machine/fake_platform.h"

#define SCALE 32768u

static const struct platform_ops *fake_ops;

/* The keyhole: QM_CTR holds what the selection stands for, 1000 x RMID + event; a test may say otherwise. */
struct keyhole {
    struct fake f;
    uint64_t says;      /* QM_CTR instead, if not 0                                */
    uint32_t clears_at; /* Unavailable until so many reads were made; 0: never set */
    uint32_t reads;
};

static enum status keyhole_run(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    struct keyhole *hole = machine; /* its first member is the fake */
    enum status st = ST_OK;

    for (uint32_t t = 0; t < n; t++)
        for (uint32_t s = 0; s < tasks[t].n_steps; s++) {
            struct step one = tasks[t].steps[s];
            struct task single = { .cpu = tasks[t].cpu, .n_steps = 1, .steps = &one };
            uint64_t selected = hole->f.msrs[0].value[tasks[t].cpu];

            if (one.op == STEP_RDMSR && one.reg == IA32_QM_CTR) {
                hole->reads++;
                hole->f.msrs[1].value[tasks[t].cpu] = hole->reads < hole->clears_at ? IA32_QM_CTR_UNAVAILABLE
                                                      : hole->says                  ? hole->says
                                                                   : 1000 * field_get(IA32_QM_EVTSEL_RMID, selected) +
                                                                         field_get(IA32_QM_EVTSEL_EVTID, selected);
            }
            st = status_first(st, fake_ops->run(&hole->f, &single, 1, budget_ms));
            tasks[t].steps[s] = one;
            tasks[t].status = single.status;
            if (single.status != ST_OK || (one.status != ST_OK && one.must))
                break;
        }
    return st;
}

static void stall(void *machine, uint64_t ns)
{
    ((struct keyhole *)machine)->f.tsc += ns;
}

static struct keyhole k;
static struct qm_domain d;

static void set_up(void)
{
    static struct platform_ops ops;

    fake_init(&k.f, 2);
    fake_msr(&k.f, IA32_QM_EVTSEL, 0);
    fake_msr(&k.f, IA32_QM_CTR, 0);
    fake_ops = k.f.platform.ops;
    ops = *fake_ops;
    ops.run = keyhole_run;
    ops.stall = stall;
    k.f.platform.ops = &ops;
    d = (struct qm_domain){ .cpu = 1, .max_rmid = 63, .upscaling_factor = SCALE, .counter_width = 24 };
}

static struct qm_sample s;

/* SDM vol. 3B 17.16.7: the pair is selected and read before anybody else selects. */
Test(qm_read, selects_and_reads_on_the_reader_with_nothing_between, .init = set_up)
{
    cr_expect_eq(qm_read(&k.f.platform, &d, 5, QM_EVENT_L3_TOTAL, &s), ST_OK);
    cr_expect_eq(s.counts, 5002);
    cr_expect_eq(k.f.platform.counts.runs, 1, "one task: no hand-over lies between the two");
    cr_assert_eq(k.f.n_log, 2);
    cr_expect_eq(k.f.log[0].kind, 'w');
    cr_expect_eq(k.f.log[0].cpu, 1);
    cr_expect_eq(k.f.log[0].value, UINT64_C(5) << 32 | 2);
    cr_expect_eq(k.f.log[1].kind, 'r');
    cr_expect_eq(k.f.log[1].reg, IA32_QM_CTR);
    cr_expect_eq(d.samples, 1);
    cr_expect_eq(d.msr_operations, 2);
}

/* APM vol. 2 19.3.3.3: EvtID 1 with ExtEvtID is an assigned counter, its number stands where RMIDs do. */
Test(qm_read_assigned, selects_the_counter_and_leaves_nothing_selected, .init = set_up)
{
    cr_expect_eq(qm_read_assigned(&k.f.platform, &d, 7, &s), ST_OK);
    cr_expect_eq(s.counts, 7001);
    cr_assert_eq(k.f.n_log, 3);
    cr_expect_eq(k.f.log[0].value, UINT64_C(0x780000001));
    cr_expect_eq(k.f.log[1].reg, IA32_QM_CTR);
    cr_expect_eq(k.f.log[2].kind, 'w');
    cr_expect_eq(k.f.log[2].value, 0, "legal no longer once counters are off");
    k.says = IA32_QM_CTR_ERROR | 5;
    cr_expect_eq(qm_read_assigned(&k.f.platform, &d, 0, &s), ST_QM_ERROR);
    cr_expect_eq(s.counts, 7001, "a refused read must leave the caller's count alone");
    cr_expect_eq(k.f.n_log, 6);
}

/* Counters that are off: the selection raises #GP. */
Test(qm_read_assigned, says_that_the_selection_was_refused, .init = set_up)
{
    s.counts = 0xDEAD;
    k.f.msrs[0].reserved = BIT(31);
    cr_expect_eq(qm_read_assigned(&k.f.platform, &d, 0, &s), ST_FAULT);
    cr_expect_eq(s.counts, 0xDEAD);
}

/* SDM vol. 3B 17.16.7: Data counts for something only while Error and Unavailable are both clear. */
Test(qm_read, hands_out_no_count_while_the_data_is_unavailable, .init = set_up)
{
    s.counts = 0xDEAD;
    k.says = IA32_QM_CTR_UNAVAILABLE | 77;
    cr_expect_eq(qm_read(&k.f.platform, &d, 1, QM_EVENT_L3_OCCUPANCY, &s), ST_UNAVAILABLE);
    cr_expect_eq(s.counts, 0xDEAD, "a refused read must leave the caller's count alone");
    cr_expect_eq(s.raw, IA32_QM_CTR_UNAVAILABLE | 77, "the raw value is evidence");
}

/* 0FH.1:EAX[8]: a flag between the data and Unavailable, on parts that have one. */
Test(qm_read, takes_an_overflow_flag_for_no_count_where_there_is_one, .init = set_up)
{
    k.says = BIT(61) | 77;
    cr_expect_eq(qm_read(&k.f.platform, &d, 1, QM_EVENT_L3_TOTAL, &s), ST_OK);
    cr_expect_eq(s.counts, BIT(61) | 77, "without a flag all 62 bits are data");
    d.overflow_flag = true;
    cr_expect_eq(qm_read(&k.f.platform, &d, 1, QM_EVENT_L3_TOTAL, &s), ST_OK);
    cr_expect_eq(s.counts, 77);
    cr_expect_eq(s.raw, BIT(61) | 77);
}

Test(qm_read, says_error_before_unavailable, .init = set_up)
{
    s.counts = 0xDEAD;
    k.says = IA32_QM_CTR_ERROR | IA32_QM_CTR_UNAVAILABLE;
    cr_expect_eq(qm_read(&k.f.platform, &d, 1, QM_EVENT_L3_OCCUPANCY, &s), ST_QM_ERROR);
    cr_expect_eq(s.counts, 0xDEAD);
    cr_expect_eq(qm_read_wait(&k.f.platform, &d, 1, QM_EVENT_L3_OCCUPANCY, 9, &s, NULL), ST_QM_ERROR,
                 "waiting does not help against Error");
    cr_expect_eq(k.reads, 2);
}

Test(qm_read, refuses_an_rmid_that_is_not_enumerated_without_touching_a_register, .init = set_up)
{
    struct qm_pair pairs[2] = { { .rmid = 1, .event = QM_EVENT_L3_TOTAL }, { .rmid = 64, .event = QM_EVENT_L3_TOTAL } };

    cr_expect_eq(qm_read(&k.f.platform, &d, 64, QM_EVENT_L3_OCCUPANCY, &s), ST_RANGE);
    cr_expect_eq(qm_read_many(&k.f.platform, &d, pairs, 2), ST_RANGE);
    cr_expect_eq(k.f.n_log, 0);
}

Test(qm_read, passes_on_a_selection_that_faults_and_does_not_read, .init = set_up)
{
    s.raw = 0xDEAD;
    k.f.msrs[0].write_faults = true;
    cr_expect_eq(qm_read(&k.f.platform, &d, 1, QM_EVENT_L3_OCCUPANCY, &s), ST_FAULT);
    cr_expect_eq(s.raw, 0xDEAD);
    cr_expect_eq(k.reads, 0);
    cr_expect_eq(d.keyhole.held, 0, "the lock is given back on every path");
}

Test(qm_read, of_a_lost_processor_is_lost_and_leaves_the_lock_free, .init = set_up)
{
    k.f.slots[1].flags |= CPU_LOST;
    cr_expect_eq(qm_read(&k.f.platform, &d, 1, QM_EVENT_L3_OCCUPANCY, &s), ST_LOST);
    cr_expect_eq(d.keyhole.held, 0);
}

Test(qm_read_wait, asks_again_until_the_data_is_there, .init = set_up)
{
    uint32_t asked = 0;

    k.clears_at = 3;
    cr_expect_eq(qm_read_wait(&k.f.platform, &d, 1, QM_EVENT_L3_TOTAL, 5, &s, &asked), ST_OK);
    cr_expect_eq(asked, 3);
    cr_expect_eq(s.counts, 1002);
    k.reads = 0;
    k.clears_at = 100;
    cr_expect_eq(qm_read_wait(&k.f.platform, &d, 1, QM_EVENT_L3_TOTAL, 5, &s, &asked), ST_UNAVAILABLE);
    cr_expect_eq(asked, 5);
}

Test(qm_read_many, gives_each_pair_its_own_count_in_few_tasks, .init = set_up)
{
    struct qm_pair pairs[1200];

    d.max_rmid = 4095;
    for (uint32_t i = 0; i < 1200; i++)
        pairs[i] = (struct qm_pair){ .rmid = i, .event = i & 1 ? QM_EVENT_L3_TOTAL : QM_EVENT_L3_LOCAL };
    cr_expect_eq(qm_read_many(&k.f.platform, &d, pairs, 1200), ST_OK);
    for (uint32_t i = 0; i < 1200; i++) {
        cr_expect_eq(pairs[i].status, ST_OK);
        cr_expect_eq(pairs[i].sample.counts, 1000 * i + (i & 1 ? 2 : 3));
    }
    cr_expect_leq(k.f.platform.counts.runs, 3);
    cr_expect_eq(d.samples, 1200);
}

Test(qm_read_many, of_nothing_asks_nothing, .init = set_up)
{
    cr_expect_eq(qm_read_many(&k.f.platform, &d, NULL, 0), ST_OK);
    cr_expect_eq(k.f.n_log, 0);
}

Test(qm_probe, reports_write_and_read_apart_and_leaves_nothing_illegal_selected, .init = set_up)
{
    struct step steps[QM_PROBE_STEPS];
    struct qm_probe probe;

    k.f.msrs[0].reserved = BIT(20);
    qm_probe_build(BIT(20), steps);
    cr_assert_eq(script_run(&k.f.platform, 1, steps, QM_PROBE_STEPS, 1000), ST_OK);
    probe = qm_probe_of(steps);
    cr_expect_eq(probe.selected, ST_FAULT);
    cr_expect_eq(probe.evtsel, probe.before);
    qm_probe_build(qm_evtsel(99, 4), steps);
    cr_assert_eq(script_run(&k.f.platform, 1, steps, QM_PROBE_STEPS, 1000), ST_OK);
    probe = qm_probe_of(steps);
    cr_expect_eq(probe.selected, ST_OK);
    cr_expect_eq(probe.evtsel, UINT64_C(99) << 32 | 4);
    cr_expect_eq(k.f.msrs[0].value[1], 0);
}

Test(qm_write, tells_what_the_write_did, .init = set_up)
{
    struct step steps[QM_WRITE_STEPS];
    enum status outcome = ST_NOT_RUN;
    uint64_t before = 0, after = 0;

    k.f.msrs[1].write_faults = true;
    qm_write_build(qm_evtsel(3, QM_EVENT_L3_TOTAL), steps);
    cr_assert_eq(script_run(&k.f.platform, 1, steps, QM_WRITE_STEPS, 1000), ST_OK);
    cr_assert_eq(qm_write_of(steps, &outcome, &before, &after), ST_OK);
    cr_expect_eq(outcome, ST_FAULT);
    cr_expect_eq(before, 3002);
    cr_expect_eq(after, 3002);
}

/* SDM vol. 3B 17.16.8: 24 bits at first, wider where enumerated; at most one roll-over between two reads. */
Test(qm_delta, is_modulo_the_enumerated_width, .init = set_up)
{
    cr_expect_eq(qm_delta(10, 15, 24), 5);
    cr_expect_eq(qm_delta(0xFFFFF0, 0x10, 24), 0x20);
    cr_expect_eq(qm_delta(0xFFFFFFF0, 0x10, 32), 0x20);
    cr_expect_eq(qm_delta(low_bits(62), 0, 62), 1);
    cr_expect_eq(qm_delta(0xFFFFF0, 0x10, 32), 0xFF000020, "the same reads at another width are another delta");
    cr_expect_eq(qm_delta(7, 7, 24), 0);
}

Test(qm_bytes, multiplies_without_losing_the_high_part, .init = set_up)
{
    d.upscaling_factor = 90112;
    cr_expect_eq(qm_bytes(&d, 640), 57671680);
    cr_expect_eq(qm_bytes(&d, low_bits(44)), low_bits(44) * 90112);
}

Test(qm_lock, gives_up_after_a_second, .init = set_up)
{
    k.f.tsc_step = 300000000;
    d.keyhole.held = 1;
    cr_expect_eq(qm_read(&k.f.platform, &d, 1, QM_EVENT_L3_OCCUPANCY, &s), ST_TIMEOUT);
    cr_expect_eq(k.f.n_log, 0, "who does not hold the lock selects nothing");
}

/* --- AMD: assigned counters ---------------------------------------------------------------------------------------- */

/* APM vol. 2 19.3.3.3, "Configuring ABMC", "Reading the ABMC Counters". */
Test(qm_read, of_assigned_counters_assigns_a_pair_once_and_reads_by_number, .init = set_up)
{
    fake_msr(&k.f, L3_QOS_ABMC_CFG, 0);
    d.counters = (struct qm_counters){ .n = 2, .types = { 0x7F, 0x15 } };
    cr_expect_eq(qm_read(&k.f.platform, &d, 3, QM_EVENT_L3_TOTAL, &s), ST_OK);
    cr_expect_eq(k.f.msrs[2].value[d.cpu], BIT(63) | BIT(62) | UINT64_C(3) << 32 | 0x7F);
    cr_expect_eq(s.counts, EVTID_L3CacheABMC, "counter 0");
    cr_expect_eq(qm_read(&k.f.platform, &d, 3, QM_EVENT_L3_LOCAL, &s), ST_OK);
    cr_expect_eq(k.f.msrs[2].value[d.cpu], BIT(63) | BIT(62) | UINT64_C(1) << 48 | UINT64_C(3) << 32 | 0x15);
    cr_expect_eq(s.counts, 1000 + EVTID_L3CacheABMC, "counter 1");
    cr_expect_eq(qm_evtsel_of(&d, 3, QM_EVENT_L3_LOCAL), BIT(31) | UINT64_C(1) << 32 | 1);
    k.f.msrs[2].value[d.cpu] = 0;
    cr_expect_eq(qm_read(&k.f.platform, &d, 3, QM_EVENT_L3_TOTAL, &s), ST_OK);
    cr_expect_eq(k.f.msrs[2].value[d.cpu], 0, "it is assigned already");
    cr_expect_eq(k.f.msrs[0].value[d.cpu], 0, "no selection stays that is illegal once counters are off");
    cr_expect_eq(qm_read(&k.f.platform, &d, 4, QM_EVENT_L3_TOTAL, &s), ST_RANGE, "both counters are assigned");
    cr_expect_eq(qm_read(&k.f.platform, &d, 4, QM_EVENT_L3_OCCUPANCY, &s), ST_OK);
    cr_expect_eq(s.counts, 4001, "occupancy is read by RMID");
}
