/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where processors of whole machines sit, held to what hwloc says of the same CPUID (tests/fixtures/machines/README.md). */
#include "arch/x86/cpu/topology.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/recordings.h"

#define MACHINES 23u
#define CPUS     512u

struct places {
    struct cpu_place at[CPUS];
    uint64_t l2[CPUS]; /* its L2: UINT64_MAX where none is described */
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

static void place_all(struct replay *r, struct places *p)
{
    p->n = replay_cpus(r);
    cr_assert_leq(p->n, CPUS);
    for (uint32_t i = 0; i < p->n; i++) {
        struct cpuid_source s = replay_source(r, i);
        struct cpu_identity id;

        cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
        cr_assert_eq(topology_place(&s, &id, &p->at[i]), ST_OK);
        p->l2[i] = l2_of(&s, &id, p->at[i].apic_id);
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
    return p->at[cpu].apic_id >> p->at[cpu].core_shift;
}
static uint64_t l3_of(const struct places *p, uint32_t cpu)
{
    return p->at[cpu].has_l3 ? (uint64_t)p->at[cpu].l3_shift << 32 | p->at[cpu].l3_id : UINT64_MAX;
}
static uint64_t l2_id(const struct places *p, uint32_t cpu)
{
    return p->l2[cpu];
}

/* How many unlike values there are. */
static uint32_t kinds(const struct places *p, uint64_t (*of)(const struct places *, uint32_t))
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n; i++) {
        bool again = of(p, i) == UINT64_MAX;

        for (uint32_t j = 0; j < i && !again; j++)
            again = of(p, j) == of(p, i);
        n += !again;
    }
    return n;
}

/* Set of a processor by a list "0-2,48-50;3-5": UINT32_MAX, it is in none. */
static void read_sets(const char *text, uint32_t set[CPUS])
{
    uint32_t n = 0;

    memset(set, 0xFF, CPUS * sizeof *set);
    while (*text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        cr_assert(first <= last && last < CPUS);
        for (unsigned long i = first; i <= last; i++)
            set[i] = n;
        n += *end == ';';
        text = end + (*end != 0);
    }
}

/* Two processors share it by CPUID if and only if they do by hwloc. */
static void expect_sets(const struct places *p, const struct replay_index *x, uint32_t row, const char *column,
                        uint64_t (*of)(const struct places *, uint32_t))
{
    const char *text = replay_index_get(x, row, column);
    static uint32_t set[CPUS];
    uint32_t wrong = 0;

    if (!text || !*text)
        return;
    read_sets(text, set);
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t j = 0; j < i; j++)
            wrong += set[i] != UINT32_MAX && (set[i] == set[j]) != (of(p, i) == of(p, j));
    cr_expect_eq(wrong, 0, "%s: %s of %u pairs", replay_index_get(x, row, "machine"), column, wrong);
}

static void expect_count(const struct places *p, const struct replay_index *x, uint32_t row, const char *column,
                         uint64_t (*of)(const struct places *, uint32_t))
{
    uint32_t expected = (uint32_t)strtoul(replay_index_get(x, row, column), NULL, 10), n = kinds(p, of);

    cr_expect_eq(n, expected, "%s: %u %s, hwloc has %u", replay_index_get(x, row, "machine"), n, column, expected);
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

static void check_machine(struct replay *r, const struct replay_index *x, uint32_t row)
{
    static struct places p;

    place_all(r, &p);
    cr_expect_eq(p.n, strtoul(replay_index_get(x, row, "processors"), NULL, 10));
    expect_count(&p, x, row, "packages", package_of);
    expect_count(&p, x, row, "cores", core_of);
    if (strcmp(replay_index_get(x, row, "dies"), "0") != 0)
        expect_count(&p, x, row, "dies", die_of);
    expect_sets(&p, x, row, "package_sets", package_of);
    if (!describes_caches(r)) {
        cr_expect_eq(kinds(&p, l3_of) + kinds(&p, l2_id), 0, "%s", replay_index_get(x, row, "machine"));
        return;
    }
    expect_count(&p, x, row, "l3", l3_of);
    expect_count(&p, x, row, "l2", l2_id);
    expect_sets(&p, x, row, "l3_sets", l3_of);
    expect_sets(&p, x, row, "l2_sets", l2_id);
}

Test(topology_machines, packages_dies_cores_and_caches_are_those_that_hwloc_finds)
{
    recordings_of_machines(REPLAY_TOPOLOGY, MACHINES, check_machine);
}
