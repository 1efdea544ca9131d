/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Background traffic: something else reads memory while Assay measures, a management controller, a network card,
 * graphics. Such a machine is sound (V3 and V4 of docs/conformance.tsv: above the idle baseline). The reader here is a
 * processor outside of every task, which reads fresh lines of each node at a steady rate of the time stamp counter. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"
#include "tests/support/run/turn.h"

#define STREAM_TICKS 28u /* a line takes a stream of one processor about so long on the model */

struct reader {
    struct model_run *run;
    uint64_t ticks_a_line, until, read;
    uint64_t spell_ticks; /* it reads in every other spell of so many ticks; 0: always */
    uint32_t follows;     /* percent of the lines that a load has moved, and none without a load */
};

static void read_line(const struct reader *reader)
{
    const struct machine *m = reader->run->machine;

    for (uint32_t i = 0; i < m->n_ranges; i++)
        for (uint32_t cpu = m->n_cpus; cpu-- > 0;)
            if (m->cpus[cpu].node == m->ranges[i].node) {
                model_access(reader->run->mp->model, cpu,
                             m->ranges[i].base + m->ranges[i].bytes - 64 * (1 + reader->read % (1 << 20)), 8,
                             MODEL_LOAD);
                break;
            }
}

/* What it has read by now. */
static void catch_up(struct interposer *i)
{
    struct reader *reader = i->context;
    uint64_t now = i->real->tsc(i->real_machine);

    for (; reader->ticks_a_line && reader->until + reader->ticks_a_line <= now; reader->until += reader->ticks_a_line) {
        if (reader->spell_ticks && reader->until / reader->spell_ticks % 2)
            continue;
        reader->read++;
        read_line(reader);
    }
}

static void follow(struct reader *reader, const struct task *tasks, uint32_t n)
{
    uint64_t lines = 0;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < tasks[i].n_steps; k++)
            if (tasks[i].steps[k].op == STEP_WORK && tasks[i].steps[k].work->kind != WORK_FLUSH)
                lines += tasks[i].steps[k].work->touched_lines;
    for (lines = lines * reader->follows / 100 / reader->run->machine->n_ranges; lines > 0; lines--) {
        reader->read++;
        read_line(reader);
    }
}

static enum status run_tasks(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    struct interposer *i = machine;
    struct reader *reader = i->context;
    enum status st;

    catch_up(i);
    st = i->real->run(i->real_machine, tasks, n, budget_ms);
    follow(reader, tasks, n);
    return st;
}

static enum status write_pci(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    struct interposer *i = machine;

    catch_up(i);
    return i->real->pci_write(i->real_machine, at, offset, width, value);
}

static enum status write_mmio(void *machine, uint64_t address, uint32_t width, uint64_t value)
{
    struct interposer *i = machine;

    catch_up(i);
    return i->real->mmio_write(i->real_machine, address, width, value);
}

static void add_reader(struct model_run *r)
{
    struct interposer *i = &r->interposer;
    struct reader *reader = i->context;

    reader->run = r;
    reader->until = i->real->tsc(i->real_machine);
    i->ops.run = run_tasks;
    i->ops.pci_write = write_pci;
    i->ops.mmio_write = write_mmio;
}

#define expect_with(verdict_, id_, on_, report_, ...)                                                                  \
    expect(verdict_, id_, on_, .change = add_reader, .context = &(struct reader){ __VA_ARGS__ }, .report = report_)
/* The background reads so many percent of what a stream reads. */
#define PERCENT(percent) .ticks_a_line = STREAM_TICKS * 100 / (percent)

static const char *const checks[] = { "traffic.channels", "traffic.mbm", "traffic.closure", "traffic.remote" };

Test(background_traffic, at_a_steady_rate_is_taken_off)
{
    for (uint32_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        expect_with(VERDICT_PASS, checks[i], ON("skx", 2), NULL, PERCENT(10));
}

Test(background_traffic, that_comes_and_goes_fails_no_check)
{
    for (uint32_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        for (uint64_t spell = 1000000, k = i; spell < 100000000; spell *= 3, k++)
            if (in_turn(k, 8))
                expect_with(VERDICT_PASS, checks[i], ON("bdx", 2), NULL, PERCENT(10), .spell_ticks = spell);
}

/* How much it adds is known, however much it is. */
Test(background_traffic, as_busy_as_the_load_fails_no_check)
{
    for (uint32_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        expect_with(VERDICT_PASS, checks[i], ON("bdx", 2), NULL, PERCENT(60));
}

Test(background_traffic, as_busy_as_the_load_that_comes_and_goes_warns)
{
    for (uint32_t i = 0; i < 2; i++)
        expect_with(VERDICT_WARN, checks[i], ON("bdx"), "the idle baseline varies", PERCENT(90),
                    .spell_ticks = 10000000);
}

/* What comes with the load alone, as prefetches and what RAS features read do, no idle window shows. */
Test(background_traffic, that_follows_the_load_passes_within_the_tolerance_and_warns_beyond)
{
    for (uint32_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        expect_with(VERDICT_PASS, checks[i], ON("bdx", 2), NULL, .follows = 4);
    expect_with(VERDICT_PASS, "traffic.channels", ON("spr"), NULL, .follows = 4);
    expect_with(VERDICT_PASS, "traffic.channels", ON("zen5"), NULL, .follows = 4);
    for (uint32_t i = 0; i < 3; i++)
        expect_with(VERDICT_WARN, checks[i], ON("bdx", 2), NULL, .follows = 15);
}
