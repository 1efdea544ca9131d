/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every profile of the virtual silicon, decoded by the decoders that a live processor is decoded with: what was
 * recorded of the part comes back, and the topology is that of the machine that was asked for.
 */
#include "arch/x86/rdt/rdt.h"
#include "arch/x86/cpu/topology.h"
#include "tests/silicon/model/model_state.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

/* What a right decoder finds in the recording: its row of the recordings' index. */
struct expected {
    const char *profile, *generation;
    uint32_t signature;
    bool monitoring, allocation;
    uint32_t max_rmid, upscale, events, width_field;
    uint32_t cbm_len, shareable;
    bool cdp;
    uint32_t clos;
    uint64_t l3_bytes;
    uint32_t l3_ways;
    bool inclusive;
    bool io; /* monitoring of I/O */
};
static const struct expected table[] = {
    { "nhm-ex", "Nehalem-EX", 0x206E6, false, false, 0, 0, 0, 0, 0, 0, false, 0, 25165824, 24, true, false },
    { "wsm-ex", "Westmere-EX", 0x206F2, false, false, 0, 0, 0, 0, 0, 0, false, 0, 31457280, 24, true, false },
    { "nhm", "Nehalem-EP", 0x106A2, false, false, 0, 0, 0, 0, 0, 0, false, 0, 8388608, 16, true, false },
    { "snbep", "Sandy Bridge-EP", 0x206D5, false, false, 0, 0, 0, 0, 0, 0, false, 0, 20971520, 20, true, false },
    { "ivbep", "Ivy Bridge-EP", 0x306E4, false, false, 0, 0, 0, 0, 0, 0, false, 0, 31457280, 20, true, false },
    { "hsx", "Haswell-EP", 0x306F2, true, false, 39, 40960, 1, 0, 0, 0, false, 0, 26214400, 20, true, false },
    { "bdx", "Broadwell-EP", 0x406F1, true, true, 63, 32768, 7, 0, 20, 0xC0000, true, 16, 20971520, 20, true, false },
    { "bdx-gp", "Broadwell-EP", 0x406F1, true, true, 63, 32768, 7, 0, 20, 0xC0000, true, 16, 20971520, 20, true,
      false },
    { "bdx-80", "Broadwell-EP", 0x406F1, true, true, 79, 40960, 7, 0, 20, 0xC0000, true, 16, 26214400, 20, true,
      false },
    { "bdx-de", "Broadwell-DE", 0x50662, true, true, 63, 32768, 7, 0, 12, 0xC00, false, 16, 12582912, 12, true, false },
    { "clx", "Cascade Lake-SP", 0x50657, true, true, 207, 106496, 7, 0, 11, 0x600, true, 16, 37486592, 11, false,
      false },
    { "clx-ap", "Cascade Lake-SP", 0x50657, true, true, 207, 106496, 7, 0, 11, 0x600, true, 16, 37486592, 11, false,
      false },
    { "icx-d", "Ice Lake-D", 0x606C1, true, true, 79, 20480, 7, 8, 12, 0xC00, false, 15, 15728640, 12, false, false },
    { "snr", "Tremont (Snow Ridge)", 0x80665, false, false, 0, 0, 0, 0, 0, 0, false, 0, 15728640, 20, false, false },
    { "emr", "Emerald Rapids", 0xC06F2, true, true, 479, 122880, 7, 8, 20, 0xC0000, true, 15, 314572800, 20, false,
      false },
    { "skx", "Skylake-SP", 0x50654, true, true, 191, 98304, 7, 0, 11, 0x600, true, 16, 34603008, 11, false, false },
    { "icx", "Ice Lake-SP", 0x606A6, true, true, 287, 73728, 7, 8, 12, 0xC00, false, 15, 56623104, 12, false, false },
    { "spr", "Sapphire Rapids", 0x806F8, true, true, 351, 90112, 7, 8, 15, 0x6000, true, 15, 86507520, 15, false,
      false },
    { "spr-hbm", "Sapphire Rapids", 0x806F8, true, true, 351, 90112, 7, 8, 15, 0x6000, true, 15, 86507520, 15, false,
      false },
    { "gnr", "Granite Rapids", 0xA06D1, true, true, 287, 73728, 7, 8, 16, 0xC000, true, 15, 150994944, 16, false,
      true },
    { "dmr", "Diamond Rapids", 0x400F10, true, true, 287, 73728, 7, 8, 16, 0xC000, true, 15, 150994944, 16, false,
      true },
    { "srf", "Sierra Forest", 0xA06F3, true, true, 287, 73728, 7, 8, 12, 0xC00, true, 15, 113246208, 12, false, false },
    { "cwf", "Clearwater Forest", 0xD06D0, true, true, 575, 147456, 7, 8, 16, 0xC000, true, 15, 301989888, 16, false,
      false },
    { "grr", "Grand Ridge", 0xB0660, false, false, 0, 0, 0, 0, 0, 0, false, 0, 18874368, 12, false, false },
    { "knl", "Knights Landing", 0x50671, false, false, 0, 0, 0, 0, 0, 0, false, 0, 0, 0, false, false },
    { "zen1", NULL, 0x800F12, false, false, 0, 0, 0, 0, 0, 0, false, 0, 8388608, 16, false, false },
    { "zen2", NULL, 0x830F10, true, true, 255, 64, 7, 0, 16, 0, true, 16, 16777216, 16, false, false },
    { "zen4", NULL, 0xA10F11, true, true, 255, 64, 7, 20, 16, 0, true, 16, 33554432, 16, false, false },
    { "zen3", NULL, 0xA00F11, true, true, 255, 64, 7, 0, 16, 0, true, 16, 33554432, 16, false, false },
    { "zen5", NULL, 0xB10F10, true, true, 4095, 64, 7, 20, 16, 0, true, 16, 33554432, 16, false, false },
    { "cfl", NULL, 0x906ED, false, false, 0, 0, 0, 0, 0, 0, false, 0, 16777216, 16, true, false },
    { "adl", NULL, 0x90672, false, false, 0, 0, 0, 0, 0, 0, false, 0, 18874368, 9, false, false },
    { "client", NULL, 0x606C1, true, true, 0, 0, 0, 0, 0, 0, false, 0, 10485760, 20, false, false },
};

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

static void expect_rdt(const struct expected *e, const struct rdt_info *i)
{
    cr_expect_eq(i->monitoring, e->monitoring, "%s", e->profile);
    cr_expect_eq(i->allocation, e->allocation, "%s", e->profile);
    cr_expect_eq(i->max_rmid_any, e->max_rmid, "%s: %u", e->profile, i->max_rmid_any);
    cr_expect_eq(i->l3_monitoring, e->upscale != 0, "%s", e->profile);
    cr_expect_eq(i->max_rmid, e->max_rmid, "%s: %u", e->profile, i->max_rmid);
    cr_expect_eq(i->upscaling_factor, e->upscale, "%s: %u", e->profile, i->upscaling_factor);
    cr_expect_eq((uint32_t)(i->occupancy | i->total << 1 | i->local << 2), e->events, "%s", e->profile);
    cr_expect_eq(i->width_field, e->width_field, "%s", e->profile);
    cr_expect_eq(i->l3.present, e->cbm_len != 0, "%s", e->profile);
    cr_expect_eq(i->l3.cbm_len, e->cbm_len, "%s: %u", e->profile, i->l3.cbm_len);
    cr_expect_eq(i->l3.shareable, e->shareable, "%s", e->profile);
    cr_expect_eq(i->l3.cdp, e->cdp, "%s", e->profile);
    cr_expect_eq(i->l3.clos, e->clos, "%s: %u", e->profile, i->l3.clos);
    cr_expect_not(i->overflow_bit, "%s", e->profile);
    cr_expect(i->non_cpu_cmt == e->io && i->non_cpu_mbm == e->io, "%s", e->profile);
}

/* Numbers, not pointers: each case runs in a process of its own. */
static struct criterion_test_params numbers_up_to(uint32_t n)
{
    static uint32_t numbers[64];

    for (uint32_t i = 0; i < n && i < 64; i++)
        numbers[i] = i;
    return cr_make_param_array(uint32_t, numbers, n);
}

ParameterizedTestParameters(model_profiles, show_what_was_recorded)
{
    return numbers_up_to(sizeof table / sizeof table[0]);
}

ParameterizedTest(uint32_t *number, model_profiles, show_what_was_recorded)
{
    const struct expected *e = &table[*number];
    struct model *m = model_of(e->profile, 0, 0, 0);
    struct one_cpu cpu = { m, model_cpus(m) - 1 };
    struct cpuid_source source = { ask, &cpu };
    struct cpu_identity id;
    struct rdt_info info;
    struct cache_info caches[8];
    uint32_t n, l3 = 8;
    const char *generation;

    cr_assert_eq(cpuid_identity(&source, &id), ST_OK);
    cr_expect_eq(id.signature, e->signature, "%s: %#x", e->profile, id.signature);
    generation = cpuid_generation(&id);
    if (e->generation)
        cr_expect(generation && !strcmp(generation, e->generation), "%s: %s", e->profile, generation);
    memset(&info, 0, sizeof info);
    cr_assert_eq(rdt_enumerate(&source, &id, &info), ST_OK);
    expect_rdt(e, &info);
    n = cpuid_caches(&source, &id, caches, 8);
    for (uint32_t i = 0; i < n; i++)
        l3 = caches[i].level == 3 ? i : l3;
    cr_expect_eq(l3 < n, e->l3_ways != 0, "%s", e->profile);
    if (l3 == 8) {
        model_free(m);
        return;
    }
    cr_expect_eq(caches[l3].bytes, e->l3_bytes, "%s: %lu", e->profile, caches[l3].bytes);
    cr_expect_eq(caches[l3].ways, e->l3_ways, "%s", e->profile);
    cr_expect_eq(caches[l3].inclusive, e->inclusive, "%s", e->profile);
    model_free(m);
}

Test(model_profiles, are_all_in_the_table)
{
    cr_expect_eq(sizeof table / sizeof table[0], profile_count());
    for (uint32_t p = 0; p < profile_count(); p++) {
        uint32_t found = 0;

        for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
            found += !strcmp(table[i].profile, profiles[p]->name);
        cr_expect_eq(found, 1, "%s", profiles[p]->name);
    }
}

/* Intel RDT Architecture Specification: 8 classes of MBA on Skylake-SP, 15 from Ice Lake-SP on, and L2 masks on
 * Sapphire Rapids as its leaf 10H.0 says. */
Test(model_profiles, enumerate_throttles_and_l2_masks_by_generation)
{
    static const struct {
        const char *profile;
        uint32_t mba_clos, l2_cbm_len;
    } cases[] = { { "bdx", 0, 0 },   { "skx", 8, 0 },    { "icx", 15, 0 },  { "spr", 15, 16 },
                  { "clx", 8, 0 },   { "icx-d", 15, 0 }, { "emr", 15, 16 }, { "srf", 15, 16 },
                  { "cwf", 15, 16 }, { "bdx-de", 0, 0 }, { "zen3", 0, 0 } };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = model_of(cases[i].profile, 1, 1, 1);
        struct one_cpu cpu = { m, 0 };
        struct cpuid_source source = { ask, &cpu };
        struct cpu_identity id;
        struct rdt_info info;

        cr_assert_eq(cpuid_identity(&source, &id), ST_OK);
        cr_assert_eq(rdt_enumerate(&source, &id, &info), ST_OK);
        cr_expect_eq(info.mba.clos, cases[i].mba_clos, "%s", cases[i].profile);
        cr_expect_eq(info.l2.cbm_len, cases[i].l2_cbm_len, "%s", cases[i].profile);
        if (cases[i].mba_clos)
            cr_expect(info.mba.max_delay == 90 && info.mba.linear && !info.mba.per_thread, "%s", cases[i].profile);
        model_free(m);
    }
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
