/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: CPUID. The input is a list of records of 24 bytes (leaf, sub-leaf, EAX, EBX, ECX, EDX), little endian;
 * bit 28 to 30 of the leaf are the processor that it is for, 7: all. Decoders must survive what no processor would say.
 */
#include <string.h>

#include "core/base/search.h"
#include "core/machine/machine.h"
#include "tests/fuzz/fuzz.h"

#define CPUS   5u
#define RECORD 24u

struct input {
    const uint8_t *data;
    size_t n; /* records */
    struct cpu_slot slots[CPUS];
};

static uint32_t word(const uint8_t *at)
{
    uint32_t w;

    memcpy(&w, at, sizeof w);
    return w;
}

static enum status look_up(const struct input *in, uint32_t cpu, uint32_t leaf, uint32_t subleaf,
                           struct cpuid_regs *regs)
{
    for (size_t i = in->n; i-- > 0;) {
        const uint8_t *r = in->data + RECORD * i;
        uint32_t whom = word(r) >> 28 & 7;

        if ((word(r) & 0x8FFFFFFFu) != leaf || word(r + 4) != subleaf || (whom != 7 && whom != cpu))
            continue;
        *regs = (struct cpuid_regs){ word(r + 8), word(r + 12), word(r + 16), word(r + 20) };
        return ST_OK;
    }
    return ST_ABSENT;
}

static enum status run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t)
{
    const struct input *in = machine;

    for (uint32_t t = 0; t < n_tasks; t++) {
        EACH(struct step, step, tasks[t].steps, tasks[t].n_steps) {
            step->status = ST_OK;
            step->value = UINT64_C(0x0123456789ABCDEF); /* whatever MSR it is */
            if (step->op == STEP_CPUID)
                step->status = look_up(in, tasks[t].cpu, step->reg, step->subleaf, &step->regs);
            MUST(step->op == STEP_CPUID || step->op == STEP_RDMSR);
        }
        tasks[t].status = ST_OK;
    }
    return ST_OK;
}

static void check(const struct machine *m)
{
    uint32_t enumerated = 0, with_l3 = 0;

    must_be_text(m->brand, sizeof m->brand);
    must_be_text(m->hypervisor_name, sizeof m->hypervisor_name);
    MUST(m->n_packages >= 1 && m->n_packages <= m->n_cpus && m->n_domains <= m->n_cpus);
    MUST(m->cpus[m->reference].enumerated == ST_OK);
    EACH(const struct cpu, c, m->cpus, m->n_cpus) {
        must_be_text(c->id.vendor_string, sizeof c->id.vendor_string);
        if (c->enumerated != ST_OK)
            continue;
        enumerated++;
        MUST(c->package < m->n_packages);
        MUST(c->place.package_shift < 32 && c->place.l3_shift <= c->place.package_shift);
        MUST(c->domain == NO_DOMAIN || c->domain < m->n_domains);
        with_l3 += c->domain != NO_DOMAIN;
        MUST(c->rdt.l3_known || c->rdt.counter_width == 0);
    }
    MUST(SUM_OF(uint32_t, i, m->n_packages, m->packages[i].n_cpus) == enumerated);
    MUST(SUM_OF(uint32_t, i, m->n_domains, m->domains[i].n_cpus) == with_l3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct platform_ops ops = { .run = run };
    static struct machine m;
    struct input in = { .data = data, .n = size / RECORD < 400 ? size / RECORD : 400 };
    struct platform p = { .ops = &ops, .machine = &in, .n_cpus = CPUS, .cpus = in.slots };
    enum status st;

    for (uint32_t i = 0; i < CPUS; i++)
        in.slots[i] = (struct cpu_slot){ .apic_id = 3 * i, .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED };
    in.slots[4].flags = 0;
    st = machine_enumerate(&p, &m);
    MUST(st == ST_OK || st == ST_ABSENT);
    if (st != ST_OK)
        return 0;
    check(&m);
    machine_free(&m);
    return 0;
}
