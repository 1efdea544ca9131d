/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where processors sit: recordings of real machines, of which hwloc says of the same CPUID where those of whole ones sit
 * (tests/fixtures/machines/README.md), and registers made by hand for what none of them shows. */
#include "arch/x86/cpu/topology.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/machine/hand_cpuid.h"
#include "tests/support/data/recordings.h"

/* --- recordings */

#define MAX_CPUS 512

struct places {
    struct cpu_place at[MAX_CPUS];
    uint64_t l2[MAX_CPUS]; /* its L2: UINT64_MAX where none is described */
    struct cpu_identity id;
    uint32_t n;
};

/* Ids that share a cache are consecutive, as many as the next power of 2: SDM vol. 3A 8.9.3; APM vol. 3 E.4.15. */
static uint64_t l2_of(const struct cpuid_source *s, const struct cpu_identity *id, uint32_t apic_id)
{
    struct cache_info caches[8];
    uint32_t n = cpuid_caches(s, id, caches, 8), shift = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (caches[i].level != 2)
            continue;
        while (1u << shift < caches[i].sharing_ids)
            shift++;
        return (uint64_t)shift << 32 | apic_id >> shift;
    }
    return UINT64_MAX;
}

static void place_all(struct replay *r, struct places *p, const char *file)
{
    p->n = replay_cpus(r);
    cr_assert_leq(p->n, MAX_CPUS);
    for (uint32_t i = 0; i < p->n; i++) {
        struct cpuid_source s = replay_source(r, i);

        cr_assert_eq(cpuid_identity(&s, &p->id), ST_OK, "%s", file);
        cr_assert_eq(topology_place(&s, &p->id, &p->at[i]), ST_OK, "%s", file);
        cr_assert_eq(topology_apic_id(&s), p->at[i].apic_id, "%s", file);
        p->l2[i] = l2_of(&s, &p->id, p->at[i].apic_id);
    }
}

static uint64_t package_of(const struct places *p, uint32_t cpu)
{
    return p->at[cpu].package;
}
static uint64_t die_of(const struct places *p, uint32_t cpu)
{
    return (uint64_t)p->at[cpu].package << 32 | p->at[cpu].die;
}
static uint64_t core_of(const struct places *p, uint32_t cpu)
{
    return (uint64_t)p->at[cpu].package << 32 | p->at[cpu].core;
}
static uint64_t l3_of(const struct places *p, uint32_t cpu)
{
    return p->at[cpu].has_l3 ? (uint64_t)p->at[cpu].l3_shift << 32 | p->at[cpu].l3_id : UINT64_MAX;
}
static uint64_t l2_id(const struct places *p, uint32_t cpu)
{
    return p->l2[cpu];
}

/* How many unlike values there are, and how many processors share the commonest. */
static uint32_t count(const struct places *p, uint64_t (*what)(const struct places *, uint32_t), uint32_t *largest)
{
    uint32_t kinds = 0, most = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t same = 0, before = 0;

        if (what(p, i) == UINT64_MAX)
            continue;
        for (uint32_t j = 0; j < p->n; j++) {
            same += what(p, j) == what(p, i);
            before += j < i && what(p, j) == what(p, i);
        }
        kinds += before == 0;
        if (same > most)
            most = same;
    }
    if (largest)
        *largest = most;
    return kinds;
}

static uint64_t number(const struct tsv *x, uint32_t row, const char *column, int base)
{
    const char *text = tsv_get(x, row, column);

    cr_assert_not_null(text, "no column %s", column);
    return strtoull(text, NULL, base);
}

static uint32_t counted;

static void expect_index_figures(struct replay *r, const struct tsv *x, uint32_t row)
{
    const char *file = tsv_get(x, row, "file");
    uint32_t largest, highest = 0;
    static struct places p;

    if (*tsv_get(x, row, "packages") == '?')
        return;
    place_all(r, &p, file);
    for (uint32_t i = 0; i < p.n; i++)
        highest = p.at[i].apic_id > highest ? p.at[i].apic_id : highest;
    cr_expect_eq(count(&p, package_of, NULL), number(x, row, "packages", 10), "%s: packages", file);
    cr_expect_eq(count(&p, core_of, NULL), number(x, row, "cores", 10), "%s: cores", file);
    cr_expect_eq(count(&p, l3_of, &largest), number(x, row, "l3_domains", 10), "%s: L3 domains", file);
    cr_expect_eq(largest, number(x, row, "largest_l3_cpus", 10), "%s: processors of an L3", file);
    cr_expect_eq(p.at[0].source_leaf, number(x, row, "topology_leaf", 16), "%s: leaf %x", file, p.at[0].source_leaf);
    cr_expect_eq(highest, number(x, row, "highest_apic_id", 10), "%s: APIC id", file);
    counted++;
}

Test(topology, places_every_processor_of_the_fixtures_as_their_index_says)
{
    recordings_of_fixtures(expect_index_figures);
    cr_expect_eq(counted, 20, "recordings with packages and cores in the index");
}

/* What must hold on any machine, and so needs no figures of the index. */
static void check_rules(const struct places *p, const char *file, uint64_t l3_ids)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct cpu_place *a = &p->at[i];
        uint32_t sharing = 0;

        cr_expect(a->core_shift <= a->die_shift && a->die_shift <= a->package_shift, "%s", file);
        cr_expect_eq((uint64_t)a->package << a->package_shift | (uint64_t)a->core << a->core_shift | a->thread,
                     a->apic_id, "%s: the ids of %x put together", file, a->apic_id);
        for (uint32_t j = 0; j < p->n; j++) {
            const struct cpu_place *b = &p->at[j];

            cr_expect(i == j || a->apic_id != b->apic_id, "%s: APIC id %x twice", file, a->apic_id);
            if (l3_of(p, i) == UINT64_MAX || l3_of(p, i) != l3_of(p, j))
                continue;
            sharing++;
            cr_expect_eq(a->package, b->package, "%s: an L3 in two packages", file);
        }
        if (i == 0 && l3_ids)
            cr_expect(sharing <= l3_ids && sharing > 0, "%s: %u processors on an L3 of %llu ids", file, sharing,
                      (unsigned long long)l3_ids);
    }
}

/* 8000001EH ECX[7:0] is the node that the processor itself names; APM vol. 3 E.4.16. */
static void check_nodes(struct replay *r, const struct places *p, const char *file)
{
    for (uint32_t i = 0; i < p->n && p->at[0].source_leaf != 0x80000026u; i++) {
        struct cpuid_source s = replay_source(r, i);
        struct cpuid_regs regs;
        uint32_t nodes;

        if ((p->id.vendor != VENDOR_AMD && p->id.vendor != VENDOR_HYGON) || p->id.family < 0x17 ||
            s.leaf(s.context, 0x8000001E, 0, &regs) != ST_OK)
            return;
        nodes = (regs.ecx >> 8 & 7) + 1;
        cr_expect_eq(p->at[i].die, (regs.ecx & 0xFF) % nodes, "%s: APIC %x is on die %u, says node %u", file,
                     p->at[i].apic_id, p->at[i].die, regs.ecx & 0xFF);
    }
}

static void check_recorded(struct replay *r, const struct tsv *x, uint32_t row)
{
    const char *file = tsv_get(x, row, "file");
    static struct places p;

    place_all(r, &p, file);
    check_rules(&p, file, strtoull(tsv_get(x, row, "l3_threads"), NULL, 0));
    check_nodes(r, &p, file);
}

TEST_RECORDINGS(topology, hold_together, check_recorded)

static const struct places *places_of(const char *name)
{
    static struct places p;
    struct replay *r = fixture_open(name);

    place_all(r, &p, name);
    replay_free(r);
    return &p;
}

/* Two packages of 18 cores with 2 threads; core ids 0-4, 8-12, 16-19, 24-27: fuses leave gaps. */
Test(topology, ids_with_gaps_stay_ids)
{
    const struct places *p = places_of("intel-406f1-broadwell-e-5.cpuid");

    cr_expect_eq(p->at[71].apic_id, 119);
    cr_expect(p->at[71].package == 1 && p->at[71].core == 27 && p->at[71].thread == 1);
    cr_expect_eq(p->at[71].die, 0);
    cr_expect_eq(p->at[71].l3_id, 1);
}

Test(topology, hybrid_cores_without_an_l3_belong_to_no_l3)
{
    const struct places *p = places_of("intel-b06d1-lunar-lake.cpuid");

    for (uint32_t i = 0; i < p->n; i++)
        cr_expect_eq(p->at[i].has_l3, p->at[i].apic_id < 64, "APIC %u", p->at[i].apic_id);
}

/* APM vol. 3 E.4.15: sharing of 6 takes 3 bits; ids 6 and 7 of each group do not exist. */
Test(topology, an_l3_of_six_threads_takes_three_bits)
{
    const struct places *p = places_of("amd-870f10-matisse-2.cpuid");

    cr_expect_eq(p->at[0].l3_shift, 3);
    cr_expect_eq(p->at[5].l3_id, 0);
    cr_expect_eq(p->at[6].apic_id, 8);
    cr_expect_eq(p->at[6].l3_id, 1);
}

/* Naples: four dies in one package, 8000001EH ECX[10:8] = 3. */
Test(topology, dies_of_a_zen_1_package_are_told_apart)
{
    const struct places *p = places_of("amd-800f12-zen-2.cpuid");

    cr_expect(p->at[0].die == 0 && p->at[12].die == 1 && p->at[24].die == 2 && p->at[47].die == 3);
    cr_expect_eq(p->at[47].package, 0);
}

/* --- whole machines, held to what hwloc finds */

#define MACHINES 23u

/* Set of a processor by a list "0-2,48-50;3-5": UINT32_MAX, it is in none. */
static void read_sets(const char *text, uint32_t set[MAX_CPUS])
{
    uint32_t n = 0;

    memset(set, 0xFF, MAX_CPUS * sizeof *set);
    while (*text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        cr_assert(first <= last && last < MAX_CPUS);
        for (unsigned long i = first; i <= last; i++)
            set[i] = n;
        n += *end == ';';
        text = end + (*end != 0);
    }
}

/* Two processors share it by CPUID if and only if they do by hwloc. */
static void expect_sets(const struct places *p, const struct tsv *x, uint32_t row, const char *column,
                        uint64_t (*of)(const struct places *, uint32_t))
{
    const char *text = tsv_get(x, row, column);
    static uint32_t set[MAX_CPUS];
    uint32_t wrong = 0;

    if (!text || !*text)
        return;
    read_sets(text, set);
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t j = 0; j < i; j++)
            wrong += set[i] != UINT32_MAX && (set[i] == set[j]) != (of(p, i) == of(p, j));
    cr_expect_eq(wrong, 0, "%s: %s of %u pairs", tsv_get(x, row, "machine"), column, wrong);
}

static void expect_count(const struct places *p, const struct tsv *x, uint32_t row, const char *column,
                         uint64_t (*of)(const struct places *, uint32_t))
{
    uint32_t expected = (uint32_t)strtoul(tsv_get(x, row, column), NULL, 10), n = count(p, of, NULL);

    cr_expect_eq(n, expected, "%s: %u %s, hwloc has %u", tsv_get(x, row, "machine"), n, column, expected);
}

/* hwloc takes caches of such a processor from leaves 80000005H and 80000006H, which do not say who shares them. */
static bool describes_caches(struct replay *r)
{
    struct cpuid_source s = replay_source(r, 0);
    struct cpu_identity id;
    struct cpuid_regs regs;

    return cpuid_identity(&s, &id) == ST_OK &&
           (id.vendor != VENDOR_AMD ||
            (s.leaf(s.context, 0x80000001u, 0, &regs) == ST_OK && (regs.ecx & 1u << 22))); /* TopologyExtensions */
}

static void check_machine(struct replay *r, const struct tsv *x, uint32_t row)
{
    static struct places p;

    place_all(r, &p, tsv_get(x, row, "machine"));
    cr_expect_eq(p.n, strtoul(tsv_get(x, row, "processors"), NULL, 10));
    expect_count(&p, x, row, "packages", package_of);
    expect_count(&p, x, row, "cores", core_of);
    if (strcmp(tsv_get(x, row, "dies"), "0") != 0)
        expect_count(&p, x, row, "dies", die_of);
    expect_sets(&p, x, row, "package_sets", package_of);
    if (!describes_caches(r)) {
        cr_expect_eq(count(&p, l3_of, NULL) + count(&p, l2_id, NULL), 0, "%s", tsv_get(x, row, "machine"));
        return;
    }
    expect_count(&p, x, row, "l3", l3_of);
    expect_count(&p, x, row, "l2", l2_id);
    expect_sets(&p, x, row, "l3_sets", l3_of);
    expect_sets(&p, x, row, "l2_sets", l2_id);
}

Test(topology, packages_dies_cores_and_caches_are_those_that_hwloc_finds)
{
    recordings_of_machines(RECORDINGS_TOPOLOGY, MACHINES, check_machine);
}

/* --- registers made by hand */

static struct hand h;

static struct cpu_place place(enum cpu_vendor vendor)
{
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id = { .vendor = vendor, .family = vendor == VENDOR_AMD ? 0x17 : 6 };
    struct cpu_place p;

    cr_assert_eq(topology_place(&s, &id, &p), ST_OK);
    cr_assert_eq(topology_apic_id(&s), p.apic_id);
    return p;
}

Test(topology, without_leaf_1_there_is_no_place)
{
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id = { .vendor = VENDOR_INTEL };
    struct cpu_place p = { .package = 0xDEAD };

    cr_expect_eq(topology_place(&s, &id, &p), ST_ABSENT);
    cr_expect_eq(p.package, 0xDEAD);
}

static struct cpu_place p;

/* SDM vol. 3A 8.9.1: leaf 1FH is preferred over 0BH; its levels may be thread, core, module, tile, die. */
Test(topology, leaf_1fh_wins_and_gives_the_die)
{
    h = HAND({ 1, 0, { 0, 0x11000000, 0, 0 } }, { 0xB, 0, { 1, 2, 0x100, 0x1234 } },
             { 0xB, 1, { 9, 256, 0x201, 0x1234 } }, { 0x1F, 0, { 1, 2, 0x100, 0x12345 } },
             { 0x1F, 1, { 5, 32, 0x201, 0x12345 } }, { 0x1F, 2, { 7, 64, 0x502, 0x12345 } },
             { 0x1F, 3, { 0, 0, 3, 0x12345 } });
    p = place(VENDOR_INTEL);
    cr_expect_eq(p.source_leaf, 0x1F);
    cr_expect_eq(p.apic_id, 0x12345);
    cr_expect(p.core_shift == 1 && p.die_shift == 5 && p.package_shift == 7);
    cr_expect(p.thread == 1 && p.core == 0x22 && p.die == 2 && p.package == 0x246);
    cr_expect(!p.has_l3 && p.l3_id == p.package, "without an L3 the package stands in");
}

/* SDM vol. 3A 8.9.1: EBX = 0 in sub-leaf 0 says that the leaf is not there. */
Test(topology, a_blank_leaf_0bh_is_no_topology)
{
    h = HAND({ 1, 0, { 0, 0x23100000, 0, 1u << 28 } } /* 16 ids in the package */,
             { 4, 0, { 7u << 26 | 0x121, 0, 0, 0 } } /* 8 cores */, { 0xB, 0, { 0, 0, 0, 0 } });
    p = place(VENDOR_INTEL);
    cr_expect_eq(p.source_leaf, 4);
    cr_expect(p.apic_id == 0x23 && p.core_shift == 1 && p.package_shift == 4);
    cr_expect(p.thread == 1 && p.core == 1 && p.package == 2);
}

Test(topology, before_leaf_4_a_package_is_one_core)
{
    h = HAND({ 1, 0, { 0, 0x07020000, 0, 1u << 28 } });
    p = place(VENDOR_INTEL);
    cr_expect(p.source_leaf == 1 && p.thread == 1 && p.core == 0 && p.package == 3);
    h.at[0].regs.edx = 0; /* no multi-threading: the count means nothing */
    p = place(VENDOR_INTEL);
    cr_expect(p.thread == 0 && p.core == 0 && p.package == 7);
}

/* APM vol. 3 E.4.7: ApicIdSize, and the core count where that is 0. */
Test(topology, amd_packages_are_as_wide_as_80000008h_says)
{
    h = HAND({ 1, 0, { 0, 0x13000000, 0, 1u << 28 } }, { 0x80000008u, 0, { 0, 0, 0x400B, 0 } });
    p = place(VENDOR_AMD);
    cr_expect(p.source_leaf == 0x80000008u && p.package == 1 && p.core == 3 && p.thread == 0);
    h.at[1].regs.ecx = 5; /* 6 cores: 3 bits */
    p = place(VENDOR_AMD);
    cr_expect(p.package == 2 && p.core == 3);
}

/* APM vol. 3 E.4.24: levels of 80000026H are core, complex, die, socket. */
Test(topology, amd_extended_topology_gives_the_die)
{
    h = HAND({ 1, 0, { 0, 0, 0, 0 } }, { 0x80000026u, 0, { 1, 2, 0x100, 0x1B5 } },
             { 0x80000026u, 1, { 3, 8, 0x201, 0x1B5 } }, { 0x80000026u, 2, { 4, 16, 0x302, 0x1B5 } },
             { 0x80000026u, 3, { 7, 96, 0x403, 0x1B5 } });
    p = place(VENDOR_AMD);
    cr_expect_eq(p.source_leaf, 0x80000026u);
    cr_expect(p.thread == 1 && p.core == 0x1A && p.die == 3 && p.package == 3);
}

/* Seen under hypervisors that pass the host's leaf 4 through. */
Test(topology, an_l3_ends_with_its_package)
{
    h = HAND({ 1, 0, { 0, 0, 0, 0 } }, { 0xB, 0, { 0, 1, 0x100, 5 } }, { 0xB, 1, { 1, 2, 0x201, 5 } },
             { 4, 0, { 31u << 14 | 0x163, 0, 0, 0 } });
    p = place(VENDOR_INTEL);
    cr_expect(p.has_l3 && p.package == 2 && p.l3_id == 2);
}

Test(topology, shifts_that_go_down_or_beyond_the_id_are_survived)
{
    h = HAND({ 1, 0, { 0, 0, 0, 0 } }, { 0xB, 0, { 31, 2, 0x100, 0xFFFFFFFF } },
             { 0xB, 1, { 4, 2, 0x201, 0xFFFFFFFF } });
    p = place(VENDOR_INTEL);
    cr_expect_eq(p.package_shift, 31, "the level that goes down again is not believed");
    cr_expect(p.thread == 0x7FFFFFFF && p.package == 1);
}

Test(topology, a_silent_processors_place_is_cut_out_of_its_apic_id)
{
    struct cpu_place like = { .apic_id = 1, .core_shift = 1, .die_shift = 5, .package_shift = 5, .l3_shift = 5 };

    p = topology_of_apic_id(&like, 0x47);
    cr_expect(p.apic_id == 0x47 && p.thread == 1 && p.core == 3 && p.package == 2 && p.l3_id == 2);
}
