/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every profile of the virtual silicon: what was recorded of the part comes back, and the topology, as the decoders of a live
 * processor find it, is that of the machine that was asked for.
 */
#include "arch/x86/cpu/topology.h"
#include "tests/silicon/model/model_state.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>

struct one_cpu {
    struct model *m;
    uint32_t cpu;
};

static enum status ask(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct one_cpu *c = context;
    uint32_t r[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX }, basic[4] = { 0 }, extended[4] = { 0 };

    model_cpuid(c->m, c->cpu, 0, 0, basic);
    model_cpuid(c->m, c->cpu, 0x80000000u, 0, extended);
    if (!cpuid_in_range(leaf, basic[0], extended[0]))
        return ST_ABSENT;
    model_cpuid(c->m, c->cpu, leaf, subleaf, r);
    *regs = (struct cpuid_regs){ r[0], r[1], r[2], r[3] };
    return ST_OK;
}

static struct model *model_of(const char *profile, uint32_t packages, uint32_t cores, uint32_t threads)
{
    struct model_config config = MODEL(profile, packages, cores, threads);
    char error[4096] = "";
    struct model *m = model_new(&config, error, sizeof error);

    cr_assert(m, "%s: %s", profile, error);
    return m;
}

/* Numbers, not pointers: each case runs in a process of its own. */
static struct criterion_test_params numbers_up_to(uint32_t n)
{
    static uint32_t numbers[64];

    for (uint32_t i = 0; i < n && i < 64; i++)
        numbers[i] = i;
    return cr_make_param_array(uint32_t, numbers, n);
}

ParameterizedTestParameters(model_profiles, show_their_leaves_of_rdt_and_caches)
{
    return numbers_up_to(profile_count());
}

/* Of the leaf of caches, level 3, all but how many processors share it. */
static void expect_leaf(struct model *m, const struct profile *p, uint32_t leaf, uint32_t subleaf)
{
    bool cache = leaf == 4 || leaf == 0x8000001Du;
    uint32_t wanted[4] = { 0 }, shown[4] = { 0 };

    if (!profile_find(p, leaf, subleaf, wanted))
        return;
    model_cpuid(m, 0, leaf, subleaf, shown);
    for (uint32_t k = cache; k < 4; k++)
        cr_expect_eq(shown[k], wanted[k], "%s: leaf %X.%u: %#x", p->name, leaf, subleaf, shown[k]);
}

ParameterizedTest(uint32_t *number, model_profiles, show_their_leaves_of_rdt_and_caches)
{
    const struct profile *p = profiles[*number];
    struct model *m = model_of(p->name, 0, 0, 0);

    for (uint32_t subleaf = 0; subleaf < 6; subleaf++) {
        expect_leaf(m, p, 0xF, subleaf);
        expect_leaf(m, p, 0x10, subleaf);
        expect_leaf(m, p, 0x80000020u, subleaf);
    }
    expect_leaf(m, p, 4, 3);
    expect_leaf(m, p, 0x8000001Du, 3);
    model_free(m);
}

/* Processors of one L3 have one L3 id and of one package one package id, and nobody else has. */
static void expect_places(struct model *m)
{
    uint32_t cpus = model_cpus(m);
    struct cpu_place *places = calloc(cpus, sizeof places[0]);

    cr_assert(places);
    for (uint32_t i = 0; i < cpus; i++) {
        struct one_cpu cpu = { m, i };
        struct cpuid_source source = { ask, &cpu };
        struct cpu_identity id;

        cr_assert_eq(cpuid_identity(&source, &id), ST_OK);
        cr_assert_eq(topology_place(&source, &id, &places[i]), ST_OK);
        cr_expect_eq(places[i].apic_id, model_apic_id(m, i));
        cr_expect_eq(places[i].has_l3, m->l3.ways != 0, "%s", model_profile(m));
    }
    for (uint32_t i = 0; i < cpus; i++)
        for (uint32_t j = 0; j < i; j++) {
            cr_expect_eq(places[i].package == places[j].package,
                         model_package(m, i) / model_dies(m) == model_package(m, j) / model_dies(m),
                         "%s: processors %u and %u", model_profile(m), i, j);
            if (places[i].has_l3)
                cr_expect_eq(places[i].l3_id == places[j].l3_id, model_domain(m, i) == model_domain(m, j),
                             "%s: processors %u and %u", model_profile(m), i, j);
        }
    free(places);
}

ParameterizedTestParameters(model_profiles, have_any_number_of_packages_cores_and_threads)
{
    return numbers_up_to(profile_count());
}

ParameterizedTest(uint32_t *number, model_profiles, have_any_number_of_packages_cores_and_threads)
{
    static const struct {
        uint32_t packages, cores, threads;
    } shapes[] = { { 1, 1, 1 }, { 2, 3, 2 }, { 2, 4, 1 }, { 8, 7, 2 } };

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct model *m = model_of(profiles[*number]->name, shapes[i].packages, shapes[i].cores, shapes[i].threads);

        cr_expect_eq(model_cpus(m), shapes[i].packages * shapes[i].cores * shapes[i].threads);
        expect_places(m);
        model_free(m);
    }
}

/* AMD's Fn8000_0020, which checks size their work by: a profile that leaves a feature out differs from its part. */
Test(model_profiles, enumerate_bandwidth_features_as_recorded)
{
    uint32_t compared = 0;

    for (uint32_t i = 0; profiles[i]; i++) {
        const struct cpuid_table *recorded = profiles[i]->cpuid;

        while (recorded && recorded->base)
            recorded = recorded->base;
        for (uint32_t k = 0; recorded && k < recorded->n_leaves; k++) {
            const struct profile_leaf *l = &recorded->leaves[k];
            uint32_t regs[4] = { 0 };

            if (l->leaf != 0x80000020u)
                continue;
            cr_expect(profile_find(profiles[i], l->leaf, l->subleaf, regs), "%s", profiles[i]->name);
            cr_expect_arr_eq(regs, l->regs, sizeof regs, "%s: 80000020H.%u", profiles[i]->name, l->subleaf);
            compared++;
        }
    }
    cr_expect_geq(compared, 10, "Zen 2 to Zen 5");
}
