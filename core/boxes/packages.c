/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/boxes/packages.h"

#include "core/base/bits.h"
#include "core/boxes/buses.h"
#include "core/boxes/dies.h"

#define CAPID4_CHOP BITS(7, 6) /* Linux uncore_snbep.c hswep_get_chop() */
#define MOST_SLICES 144u       /* intel/pcm types.h: MSRs of Granite Rapids from 2000H on, of 144 slices */

static uint32_t boxes_capid(struct box_search *s, const struct pci_function *fn, uint16_t offset)
{
    uint32_t value = 0;

    if (offset == 0 || pci_read(s->platform, fn->at, offset, 4, &value) != ST_OK)
        return 0;
    return value;
}

/* What the package does with memory of its own: nothing that software sees, where it is a cache. */
static void read_near_memory(struct box_search *s, const struct pci_function *fn, struct pmon_package *package)
{
    const struct pmon_capabilities *has = &s->pmon->part->capabilities;
    struct pci_function rules = { .at = fn->at };

    package->near_at = fn->at;
    package->near_value = boxes_capid(s, fn, has->near_memory);
    package->near_memory = package->near_value != UINT32_MAX && (package->near_value & has->near_bits) != 0;
    rules.at.device = has->rules.device;
    rules.at.function = has->rules.function;
    for (uint32_t i = 0; package->near_memory && i < has->rules.n; i++) {
        uint32_t rule = boxes_capid(s, &rules, (uint16_t)(has->rules.first + 8 * i));

        if (rule == UINT32_MAX || !(rule & has->rules.enabled))
            continue;
        package->rules++;
        if ((rule & has->rules.cached) && package->cached_rules++ == 0)
            package->rule = i;
    }
}

static void read_capabilities(struct box_search *s, const struct pci_function *fn)
{
    const struct pmon_capabilities *has = &s->pmon->part->capabilities;
    uint32_t number = buses_owner(s, fn->at).package;
    struct pmon_package *package;

    if (number == NO_PACKAGE)
        return;
    package = &s->pmon->packages[number];
    if (has->capid4)
        package->chop = (uint32_t)field_get(CAPID4_CHOP, boxes_capid(s, fn, has->capid4));
    read_near_memory(s, fn, package);
    if (has->capid[0].offset == 0)
        return;
    package->slices = 0;
    package->slices_by = has->slices_by;
    for (uint32_t i = 0; i < PMON_CAPIDS; i++)
        package->slices += count_bits(boxes_capid(s, fn, has->capid[i].offset) & has->capid[i].slices);
}

/* 0: it could not be read. */
static uint64_t package_msr(struct box_search *s, uint32_t package, uint32_t msr)
{
    uint32_t cpu = dies_any_worker(s->platform, s->machine, package);
    uint64_t value = 0;

    return msr && cpu != UINT32_MAX && msr_read(s->platform, cpu, msr, &value) == ST_OK ? value : 0;
}

/* Registers that say 0 do not say it: on Emerald Rapids MSR 2FFEH does. */
static void read_slice_counts(struct box_search *s, uint32_t package)
{
    const struct pmon_capabilities *has = &s->pmon->part->capabilities;
    struct pmon_package *said = &s->pmon->packages[package];
    uint64_t n = field_get(has->slices_bits, package_msr(s, package, has->slices_msr));
    uint64_t second = field_get(BITS(5, 0), package_msr(s, package, has->slices_msr_2));

    if (n != 0 && n <= MOST_SLICES) {
        said->slices = (uint32_t)n;
        said->slices_most = has->slices_listed_more ? said->slices : NO_COUNT;
        said->slices_by = has->slices_msr_by;
    }
    if (second != 0)
        said->slices_2 = (uint32_t)second;
}

void packages_read(struct box_search *s)
{
    uint16_t did = s->pmon->part->capabilities.did;

    for (uint32_t i = 0; i < s->machine->n_packages; i++) {
        uint32_t dies = dies_count(s->pmon->part, s->machine, i);

        s->pmon->packages[i] = (struct pmon_package){ .slices = NO_COUNT,
                                                      .slices_2 = NO_COUNT,
                                                      .slices_most = NO_COUNT,
                                                      .chop = NO_COUNT,
                                                      .dies = dies > 1 ? dies : 0 };
        read_slice_counts(s, i);
    }
    for (uint32_t i = 0; i < s->pmon->n_functions; i++)
        if (did && s->pmon->functions[i].did == did)
            read_capabilities(s, &s->pmon->functions[i]);
}

bool package_cpuid(struct box_search *s, uint32_t package, uint32_t leaf, struct cpuid_regs *regs)
{
    uint32_t cpu = dies_any_worker(s->platform, s->machine, package);

    return cpu != UINT32_MAX && cpu_cpuid(s->platform, cpu, leaf, 0, regs) == ST_OK;
}
