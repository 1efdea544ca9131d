/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/machine/interposer.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/base/bits.h"

struct register_defect msr_reads(uint32_t msr, uint64_t value)
{
    return (struct register_defect){ .access = ACCESS_RDMSR, .reg = msr, .clear = UINT64_MAX, .set = value };
}

struct register_defect msr_stuck_at_1(uint32_t msr, uint64_t bits)
{
    return (struct register_defect){ .access = ACCESS_WRMSR, .reg = msr, .set = bits };
}

struct register_defect msr_stuck_at_0(uint32_t msr, uint64_t bits)
{
    return (struct register_defect){ .access = ACCESS_WRMSR, .reg = msr, .clear = bits };
}

/* Whether this access is one that goes wrong; counts it. */
static bool is_hit(struct interposer *i, enum register_access access, uint64_t reg)
{
    const struct register_defect *d = &i->defect;
    uint64_t last = d->last ? d->last : d->reg;
    uint32_t before;

    if (d->access != access || (reg & ~d->any) < (d->reg & ~d->any) || (reg & ~d->any) > (last & ~d->any))
        return false;
    before = i->accesses++;
    return d->once ? before == d->spared : before >= d->spared;
}

static bool is_step_hit(struct interposer *i, enum register_access access, uint32_t cpu, const struct step *s)
{
    return (!i->defect.cpus || i->defect.cpus >> cpu & 1) && is_hit(i, access, s->reg);
}

static uint64_t altered(const struct register_defect *d, uint64_t value)
{
    if (d->over)
        value = value * d->times / d->over;
    return (value & ~d->clear) | d->set;
}

/* --- steps of a processor ----------------------------------------------------------------------------------------- */

/* What the code under test writes: it sees that again after the run, whatever the register got. */
static void keep_written(struct interposer *i, struct step *s, uint64_t value)
{
    if (i->n_written == i->written_room) {
        i->written_room = i->written_room ? 2 * i->written_room : 64;
        i->written = realloc(i->written, i->written_room * sizeof i->written[0]);
        cr_assert_not_null(i->written);
    }
    i->written[i->n_written++] = (struct interposer_written){ .step = s, .value = value };
}

static void refuse(struct interposer *i, struct step *s)
{
    cr_assert_lt(i->n_refused, INTERPOSER_REFUSED);
    s->op = STEP_CPUID; /* it changes nothing: the steps after it are done all the same */
    i->refused[i->n_refused++] = s;
}

static void before_step(struct interposer *i, uint32_t cpu, struct step *s)
{
    bool writes = s->op == STEP_WRMSR;
    uint64_t value = s->value;

    if (i->before)
        i->before(i, cpu, s);
    if (s->op == STEP_WRMSR && is_step_hit(i, ACCESS_WRMSR, cpu, s)) {
        if (i->defect.raises == ST_OK)
            s->value = altered(&i->defect, s->value);
        else
            refuse(i, s);
    }
    if (writes && s->value != value)
        keep_written(i, s, value);
}

static void after_step(struct interposer *i, uint32_t cpu, struct step *s)
{
    if (s->op == STEP_RDMSR && is_step_hit(i, ACCESS_RDMSR, cpu, s))
        s->value = altered(&i->defect, s->value);
    if (i->after)
        i->after(i, cpu, s);
}

static void each_step(struct interposer *i, struct task *tasks, uint32_t n,
                      void (*call)(struct interposer *i, uint32_t cpu, struct step *s))
{
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t k = 0; k < tasks[t].n_steps; k++)
            call(i, tasks[t].cpu, &tasks[t].steps[k]);
}

static enum status run(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms)
{
    struct interposer *i = machine;
    enum status st;

    each_step(i, tasks, n, before_step);
    st = i->real->run(i->real_machine, tasks, n, budget_ms);
    for (; i->n_refused > 0; i->n_refused--) {
        i->refused[i->n_refused - 1]->op = STEP_WRMSR;
        i->refused[i->n_refused - 1]->status = i->defect.raises;
    }
    for (; i->n_written > 0; i->n_written--)
        if (i->written[i->n_written - 1].step->op == STEP_WRMSR)
            i->written[i->n_written - 1].step->value = i->written[i->n_written - 1].value;
    each_step(i, tasks, n, after_step);
    return st;
}

/* --- PCI and memory ----------------------------------------------------------------------------------------------- */

bool interposer_is_device(struct interposer *i, struct pci_address at, uint32_t did)
{
    uint32_t id = 0;

    return interposer_pci_read(i, at, 0, 4, &id) == ST_OK && id >> 16 == did;
}

static enum status read_pci(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    struct interposer *i = machine;
    enum status st = interposer_pci_read(i, at, offset, width, value);
    uint64_t reg = i->defect.did ? offset : PCI_REGISTER(at.device, at.function, offset);

    if ((!i->defect.did || interposer_is_device(i, at, i->defect.did)) && is_hit(i, ACCESS_PCI_READ, reg))
        *value = (uint32_t)(altered(&i->defect, *value) & low_bits(8 * width));
    return st;
}

static enum status write_pci(void *machine, struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    struct interposer *i = machine;

    if (is_hit(i, ACCESS_PCI_WRITE, PCI_REGISTER(at.device, at.function, offset))) {
        if (i->defect.raises != ST_OK)
            return i->defect.raises;
        value = (uint32_t)altered(&i->defect, value);
    }
    return i->real->pci_write(i->real_machine, at, offset, width, value);
}

static enum status read_mmio(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct interposer *i = machine;
    enum status st = i->real->mmio_read(i->real_machine, address, width, value);

    if (is_hit(i, ACCESS_MMIO_READ, address))
        *value = altered(&i->defect, *value);
    return st;
}

static enum status write_mmio(void *machine, uint64_t address, uint32_t width, uint64_t value)
{
    struct interposer *i = machine;

    if (is_hit(i, ACCESS_MMIO_WRITE, address)) {
        if (i->defect.raises != ST_OK)
            return i->defect.raises;
        value = altered(&i->defect, value);
    }
    return i->real->mmio_write(i->real_machine, address, width, value);
}

/* --- what passes through ------------------------------------------------------------------------------------------ */

#define REAL(machine)         (((struct interposer *)(machine))->real)
#define REAL_MACHINE(machine) (((struct interposer *)(machine))->real_machine)

static enum status read_memory(void *machine, uint64_t address, void *buffer, size_t bytes)
{
    return REAL(machine)->phys_read(REAL_MACHINE(machine), address, buffer, bytes);
}

static enum status take(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    return REAL(machine)->alloc(REAL_MACHINE(machine), lo, hi, bytes, address);
}

static uint64_t largest_free(void *machine, uint64_t lo, uint64_t hi)
{
    return REAL(machine)->largest_free(REAL_MACHINE(machine), lo, hi);
}

static uint64_t tsc(void *machine)
{
    return REAL(machine)->tsc(REAL_MACHINE(machine));
}

static uint64_t utc_ns(void *machine)
{
    return REAL(machine)->utc_ns(REAL_MACHINE(machine));
}

static void stall(void *machine, uint64_t ns)
{
    REAL(machine)->stall(REAL_MACHINE(machine), ns);
}

static const struct mp_selftest *mp_selftest(void *machine)
{
    struct interposer *i = machine;

    return i->real->mp_selftest ? i->real->mp_selftest(i->real_machine) : NULL;
}

void interposer_install(struct interposer *i, struct platform *p)
{
    i->platform = p;
    i->real = p->ops;
    i->real_machine = p->machine;
    i->ops = (struct platform_ops){ .run = run,
                                    .pci_read = read_pci,
                                    .pci_write = write_pci,
                                    .mmio_read = read_mmio,
                                    .mmio_write = write_mmio,
                                    .phys_read = read_memory,
                                    .alloc = take,
                                    .largest_free = largest_free,
                                    .tsc = tsc,
                                    .utc_ns = utc_ns,
                                    .stall = stall,
                                    .mp_selftest = mp_selftest };
    p->ops = &i->ops;
    p->machine = i;
}

void interposer_remove(struct interposer *i)
{
    i->platform->ops = i->real;
    i->platform->machine = i->real_machine;
    free(i->written);
    i->written = NULL;
    i->written_room = 0;
}
