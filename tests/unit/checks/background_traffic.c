/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Somebody else who reads memory while Assay measures: a management controller, a network card, graphics. Such a
 * machine is sound (V3 and V4 of docs/conformance.tsv: above the idle baseline). The reader here is a processor outside of every task,
 * which reads fresh lines of each node at a steady rate of the time stamp counter. */
#include <criterion/criterion.h>

#include "tests/support/pmon_bench.h"

#define STREAM_TICKS 28u /* a line takes a stream of one processor about so long on the model */

static struct {
    struct bench *bench;
    struct platform_ops ops;
    uint64_t ticks_a_line, until, read;
    uint64_t spell_ticks; /* it reads in every other spell of so many ticks; 0: always */
} other;

static void read_lines(void)
{
    const struct machine *m = other.bench->machine;
    uint64_t now = real_ops->tsc(other.bench->mp->platform.machine);

    for (; other.until + other.ticks_a_line <= now; other.until += other.ticks_a_line) {
        if (other.spell_ticks && other.until / other.spell_ticks % 2)
            continue;
        other.read++;
        for (uint32_t i = 0; i < m->n_ranges; i++)
            for (uint32_t cpu = m->n_cpus; cpu-- > 0;)
                if (m->cpus[cpu].node == m->ranges[i].node) {
                    model_access(other.bench->mp->model, cpu,
                                 m->ranges[i].base + m->ranges[i].bytes - 64 * (1 + other.read % (1 << 20)), 8,
                                 MODEL_LOAD);
                    break;
                }
    }
}

static enum status run(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    read_lines();
    return real_ops->run(machine, tasks, n, budget_ms);
}

static enum status pci(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    read_lines();
    return real_ops->pci_write(machine, at, offset, width, value);
}

static enum status mmio(void *machine, uint64_t address, uint32_t width, uint64_t value)
{
    read_lines();
    return real_ops->mmio_write(machine, address, width, value);
}

/* Whoever reads takes `percent` of what a stream takes. */
static struct bench background(const char *profile, uint32_t packages, const char *id, uint32_t percent,
                               uint64_t spell_ticks)
{
    static struct bench b;

    b = bench_of(profile, packages, id);
    real_ops = b.mp->platform.ops;
    other.bench = &b;
    other.ops = *real_ops;
    other.ops.run = run;
    other.ops.pci_write = pci;
    other.ops.mmio_write = mmio;
    other.ticks_a_line = STREAM_TICKS * 100 / percent;
    other.until = real_ops->tsc(b.mp->platform.machine);
    other.spell_ticks = spell_ticks;
    b.mp->platform.ops = &other.ops;
    return b;
}

static enum verdict verdict_of(const char *profile, uint32_t packages, const char *id, uint32_t percent,
                               uint64_t spell_ticks, const char *words)
{
    struct bench b = background(profile, packages, id, percent, spell_ticks);
    const struct whole_result *r = run_one(&b, id);
    enum verdict v = r->verdict;

    cr_expect(words == NULL || says(&b, words), "%s on %s: \"%s\" is not said: %s", id, profile, words, r->reason);
    if (v == VERDICT_FAIL)
        cr_log_error("%s on %s beside %u %%: %s", id, profile, percent, r->reason);
    bench_free(&b);
    return v;
}

static const char *const checks[] = { "traffic.channels", "traffic.mbm", "traffic.closure", "traffic.remote" };

Test(background, a_steady_reader_is_taken_off)
{
    for (uint32_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        cr_expect_eq(verdict_of("bdx", 2, checks[i], 4, 0, NULL), VERDICT_PASS, "%s", checks[i]);
        cr_expect_eq(verdict_of("bdx", 2, checks[i], 10, 0, NULL), VERDICT_PASS, "%s", checks[i]);
        cr_expect_eq(verdict_of("skx", 2, checks[i], 10, 0, NULL), VERDICT_PASS, "%s", checks[i]);
    }
}

Test(background, a_reader_that_comes_and_goes_is_no_fault)
{
    for (uint32_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        for (uint64_t spell = 1000000; spell < 100000000; spell *= 3)
            cr_expect_neq(verdict_of("bdx", 2, checks[i], 10, spell, NULL), VERDICT_FAIL, "%s", checks[i]);
}

Test(background, a_reader_as_busy_as_the_load_is_said)
{
    for (uint32_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        cr_expect_neq(verdict_of("bdx", 2, checks[i], 60, 0, NULL), VERDICT_FAIL, "%s", checks[i]);
    cr_expect_eq(verdict_of("bdx", 1, "traffic.channels", 60, 0, "something else"), VERDICT_WARN);
    cr_expect_eq(verdict_of("bdx", 1, "traffic.mbm", 60, 0, "something else"), VERDICT_WARN);
}
