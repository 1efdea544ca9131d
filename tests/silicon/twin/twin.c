/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/silicon/twin/twin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "core/base/search.h"

enum { EAX, EBX, ECX, EDX };

#define SIGN_ID        0x8Bu
#define UNCORE_LIMIT   0x620u
#define LIMIT_MOST     BITS(6, 0)
#define RATIO_HZ       100000000u
#define LEAF1_TOPOLOGY 0xFFFF0000u /* EBX: APIC id, ids of the package */
#define NO_ID          UINT32_MAX

static void *refused(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void *refused(char *error, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return NULL;
}

/* --- which part it is */

/* The Zen generation of an AMD signature by its model's range (Linux, arch/x86/kernel/cpu/amd.c); 0: none. */
static uint32_t zen_generation(uint32_t signature)
{
    static const struct {
        uint32_t family, first, last, zen;
    } ranges[] = {
        { 0x17, 0x00, 0x2F, 1 }, { 0x17, 0x50, 0x5F, 1 }, { 0x17, 0x30, 0xAF, 2 }, { 0x19, 0x10, 0x1F, 4 },
        { 0x19, 0x00, 0x5F, 3 }, { 0x19, 0x60, 0xAF, 4 }, { 0x1A, 0x00, 0x4F, 5 }, { 0x1A, 0x60, 0x7F, 5 },
    };
    uint32_t family = (signature >> 8 & 0xF) + (signature >> 20 & 0xFF);
    uint32_t model = (signature >> 4 & 0xF) | (signature >> 12 & 0xF0);

    return FIND(i, sizeof ranges / sizeof ranges[0],
                family == ranges[i].family && model >= ranges[i].first && model <= ranges[i].last, ranges[i].zen, 0);
}

/* Steppings of a model are nearest, then models of a Zen generation; no others are alike. */
static uint32_t distance(uint32_t a, uint32_t b)
{
    uint32_t step = (a & 0xF) > (b & 0xF) ? (a & 0xF) - (b & 0xF) : (b & 0xF) - (a & 0xF);

    if ((a >> 4) == (b >> 4))
        return step;
    return zen_generation(a) && zen_generation(a) == zen_generation(b) ? 16 : UINT32_MAX;
}

static const struct profile *nearest_profile(uint32_t signature)
{
    const struct profile *best = NULL;
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < profile_count(); i++) {
        uint32_t d = distance(profile_cpuid(profiles[i], 1, 0, EAX), signature);

        if (d < least) {
            least = d;
            best = profiles[i];
        }
    }
    return best;
}

/* --- its shape */

struct shape {
    uint32_t thread, l3, package; /* where these fields begin in an APIC id; package: where it ends */
};

/* Extended topology of leaves 0BH and 1FH: SDM vol. 2A; of AMD's 80000026H: APM vol. 3 E.4.24. */
static bool shape_by_levels(const struct recording *r, uint32_t leaf, struct shape *s)
{
    const struct recorded_leaf *l = recording_leaf(r, 0, leaf, 0);

    if (!l || l->regs[EBX] == 0)
        return false;
    s->thread = l->regs[EAX] & 0x1F;
    for (uint32_t sub = 0; l && (l->regs[ECX] & 0xFF00); l = recording_leaf(r, 0, leaf, ++sub))
        s->package = l->regs[EAX] & 0x1F;
    return true;
}

static bool find_shape(const struct recording *r, bool amd, struct shape *s)
{
    if (!(amd && shape_by_levels(r, 0x80000026u, s)) && !shape_by_levels(r, 0x1F, s) && !shape_by_levels(r, 0xB, s))
        return false;
    s->l3 = s->package;
    for (uint32_t sub = 0; sub < 8; sub++) {
        const struct recorded_leaf *l = recording_leaf(r, 0, amd ? 0x8000001Du : 4, sub);

        if (l && (l->regs[EAX] & 0x1F) && (l->regs[EAX] >> 5 & 7) == 3)
            s->l3 = bits_for(l->regs[EAX] >> 14 & 0xFFF);
    }
    if (s->l3 > s->package)
        s->l3 = s->package;
    return true;
}

static const uint32_t *sorted_ids;

static int by_id(const void *a, const void *b)
{
    uint32_t x = sorted_ids[*(const uint32_t *)a], y = sorted_ids[*(const uint32_t *)b];

    return x < y ? -1 : x > y;
}

/* The number of processors whose ids agree from bit `shift` on with the first's; 0: groups are unlike. */
static uint32_t group_size(const struct twin *t, uint32_t shift)
{
    uint32_t size = 0;

    for (uint32_t i = 0, n; i < t->n; i += n) {
        for (n = 1; i + n < t->n && t->ids[i + n] >> shift == t->ids[i] >> shift; n++)
            ;
        if (size && n != size)
            return 0;
        size = n;
    }
    return size;
}

static bool take_ids(struct twin *t, char *error, size_t error_size)
{
    uint32_t *ids = pool_zeroed(&t->pool, t->n, sizeof *ids);

    t->recorded = pool_zeroed(&t->pool, t->n, sizeof *t->recorded);
    t->ids = pool_zeroed(&t->pool, t->n, sizeof *t->ids);
    for (uint32_t i = 0; i < t->n; i++) {
        ids[i] = t->recording->cpus[i].has_id ? t->recording->cpus[i].id : NO_ID;
        t->recorded[i] = i;
    }
    sorted_ids = ids;
    qsort(t->recorded, t->n, sizeof *t->recorded, by_id);
    for (uint32_t i = 0; i < t->n; i++)
        t->ids[i] = ids[t->recorded[i]];
    return t->ids[t->n - 1] != NO_ID || refused(error, error_size, "a processor's APIC id was not recorded");
}

static bool take_shape(struct twin *t, char *error, size_t error_size)
{
    struct shape s = { 0 };
    uint32_t threads, of_package, of_l3;

    if (!find_shape(t->recording, t->profile.amd, &s))
        return refused(error, error_size, "no level of leaf 0BH, 1FH or 80000026H was recorded");
    s.package -= bits_for(profile_dies(&t->profile) - 1); /* each is a package of the model */
    s.l3 = s.l3 > s.package ? s.package : s.l3;
    threads = group_size(t, s.thread);
    of_package = group_size(t, s.package);
    of_l3 = group_size(t, s.l3);
    if (!threads || !of_package || !of_l3)
        return refused(error, error_size, "its cores, L3s or packages have unlike numbers of processors");
    t->clusters = t->profile.amd ? 1 : of_package / of_l3; /* cluster on die: each has an L3 and memory */
    if (t->clusters > 1 && t->clusters > t->profile.max_clusters)
        return refused(error, error_size, "it has several L3s in a package, and the generation one");
    t->thread_bits = s.thread;
    t->package_bit = s.package;
    t->profile.threads = threads;
    t->profile.cores = of_package / threads;
    t->profile.packages = t->n / of_package;
    t->profile.cores_per_l3 = of_l3 < of_package ? of_l3 / threads : 0;
    return true;
}

static bool same_cache(const struct recorded_leaf *a, const struct recorded_leaf *b)
{
    return b && a->regs[EBX] == b->regs[EBX] && a->regs[ECX] == b->regs[ECX];
}

/* Slices are as large as those of the profile. */
static bool take_l3(struct twin *t, char *error, size_t error_size)
{
    for (uint32_t sub = 0; sub < 8; sub++) {
        const struct recorded_leaf *l = recording_leaf(t->recording, 0, t->profile.amd ? 0x8000001Du : 4, sub);
        uint32_t ways, sets;

        if (!l || (l->regs[EAX] & 0x1F) == 0 || (l->regs[EAX] >> 5 & 7) != 3)
            continue;
        if (ANY_OF(i, t->n, !same_cache(l, recording_leaf(t->recording, i, l->leaf, sub))))
            return refused(error, error_size, "its L3s have unlike sizes");
        ways = (l->regs[EBX] >> 22) + 1;
        sets = l->regs[ECX] + 1;
        if (t->profile.l3_sets == 0 || sets % t->profile.l3_sets)
            return refused(error, error_size, "an L3 of %u sets, and slices of the generation have %u", sets,
                           t->profile.l3_sets);
        t->profile.l3_ways = ways;
        t->profile.l3_slices = sets / t->profile.l3_sets;
    }
    return true;
}

/* Sub-leaves of RDT that a dump may lack. Those of the profile are another part's: RMIDs and bytes a count are the same
 * multiple of the slices on every part of a generation (profile_slices.c). A resource of which neither has the sub-leaf is
 * not shown, and one that is not enumerated has none. */
static const struct {
    uint32_t leaf, subleaf, reg; /* which has the resource's bit in sub-leaf 0 */
} resources[] = { { 0xF, 1, EDX }, { 0x10, 1, EBX }, { 0x10, 2, EBX }, { 0x10, 3, EBX } };
#define RESOURCES (sizeof resources / sizeof resources[0])

#define LEAF7_EBX_RDT_A BIT(15)

static struct profile_leaf *leaf_of(struct profile_leaf *leaves, uint32_t n, uint32_t leaf, uint32_t subleaf)
{
    return FIND(i, n, leaves[i].leaf == leaf && leaves[i].subleaf == subleaf, &leaves[i], NULL);
}

static void hide_resource(struct profile_leaf *all, struct profile_leaf *seven, uint32_t number)
{
    all->regs[EBX] &= ~(uint32_t)BIT(number);
    if (seven && all->regs[EBX] == 0)
        seven->regs[EBX] &= ~(uint32_t)LEAF7_EBX_RDT_A;
}

/* n: leaves that were recorded; RESOURCES more have room. Returns how many there are then. */
static uint32_t complete_rdt(const struct twin *t, struct profile_leaf *leaves, uint32_t n)
{
    for (size_t i = 0; i < RESOURCES; i++) {
        struct profile_leaf *all = leaf_of(leaves, n, resources[i].leaf, 0), *l = &leaves[n];

        if (!all || leaf_of(leaves, n, resources[i].leaf, resources[i].subleaf))
            continue;
        *l = (struct profile_leaf){ .leaf = resources[i].leaf, .subleaf = resources[i].subleaf };
        n++;
        if (!(all->regs[resources[i].reg] & BIT(l->subleaf)))
            continue;
        if (!profile_find(&t->profile, l->leaf, l->subleaf, l->regs) && l->leaf == 0x10)
            hide_resource(all, leaf_of(leaves, n, 7, 0), l->subleaf);
        if (l->leaf != 0xF)
            continue;
        if (!t->profile.amd)
            l->regs[EBX] = l->regs[EBX] / (l->regs[ECX] + 1) * (all->regs[EBX] + 1);
        l->regs[ECX] = all->regs[EBX];
    }
    return n;
}

static void take_leaves(struct twin *t)
{
    const struct recorded_cpu *c = &t->recording->cpus[0];
    struct profile_leaf *leaves = pool_zeroed(&t->pool, c->n_leaves + RESOURCES, sizeof *leaves);
    uint32_t n = c->n_leaves;

    for (uint32_t i = 0; i < n; i++) {
        leaves[i] = (struct profile_leaf){ .leaf = c->leaves[i].leaf, .subleaf = c->leaves[i].subleaf };
        memcpy(leaves[i].regs, c->leaves[i].regs, sizeof leaves[i].regs);
    }
    n = complete_rdt(t, leaves, n);
    t->cpuid = (struct cpuid_table){ .base = t->profile.cpuid, .leaves = leaves, .n_leaves = n };
    t->profile.cpuid = &t->cpuid;
    t->profile.brand = NULL;
}

static void take_microcode(struct twin *t)
{
    const struct recorded_msr *m = recording_msr(t->recording, 0, SIGN_ID);

    if (m && !m->fault)
        t->profile.microcode = (uint32_t)(t->profile.amd ? m->value : m->value >> 32);
}

/* The uncore runs at the greatest ratio that it may have. */
static void take_clocks(struct twin *t)
{
    const struct recorded_msr *m = recording_msr(t->recording, 0, UNCORE_LIMIT);
    uint64_t ratio = m && !m->fault && t->profile.uncore_ratio ? m->value & LIMIT_MOST : 0;

    if (t->recording->tsc_hz)
        t->profile.tsc_hz = t->recording->tsc_hz;
    if (ratio && ratio != (t->profile.uclk_hz + RATIO_HZ / 2) / RATIO_HZ)
        t->profile.uclk_hz = ratio * RATIO_HZ;
}

/* AMD: as many memory channels as have a UMC that counts, CPUID.80000022H:ECX (APM vol. 3 E.4.23); their counters follow one
 * another whichever these are (Linux, arch/x86/events/amd/uncore.c). */
static void take_channels(struct twin *t)
{
    const struct recorded_leaf *l = recording_leaf(t->recording, 0, 0x80000022u, 0);

    if (l && l->regs[ECX] && t->profile.package_channels)
        t->profile.package_channels = (uint32_t)__builtin_popcount(l->regs[ECX]);
}

/* How many proximity domains the SRAT has of a package's processors: sub-NUMA clusters, of the size that the generation has. */
static void take_nodes(struct twin *t)
{
    uint32_t each = t->n / t->profile.packages, domain, last = UINT32_MAX, n = 0;

    for (uint32_t i = 0; i < each; i++) {
        if (!recording_affinity(t->recording, t->ids[i], &domain))
            return;
        n += domain != last;
        last = domain;
    }
    if (n && n <= t->profile.max_clusters && t->profile.cores % n == 0)
        t->nodes = n;
}

struct twin *twin_new(const struct recording *r, const struct profile *profile, char *error, size_t error_size)
{
    const struct recorded_leaf *one = r->n_cpus ? recording_leaf(r, 0, 1, 0) : NULL;
    struct pool pool = { NULL };
    struct twin *t;

    if (!one)
        return refused(error, error_size, "no CPUID was recorded");
    if (!profile)
        profile = nearest_profile(one->regs[EAX]);
    if (!profile)
        return refused(error, error_size, "there is no profile of signature %x", one->regs[EAX]);
    t = pool_zeroed(&pool, 1, sizeof *t);
    t->pool = pool;
    t->profile = *profile;
    t->recording = r;
    t->n = r->n_cpus;
    take_microcode(t);
    take_channels(t);
    if (take_ids(t, error, error_size) && take_shape(t, error, error_size) && take_l3(t, error, error_size)) {
        take_leaves(t);
        take_clocks(t);
        take_nodes(t);
        return t;
    }
    twin_free(t);
    return NULL;
}

void twin_free(struct twin *t)
{
    struct pool pool = t ? t->pool : (struct pool){ NULL };

    pool_free(&pool);
}

void twin_cpuid(const struct twin *t, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    const struct recorded_leaf *l = recording_leaf(t->recording, t->recorded[cpu], leaf, subleaf);

    if (!l)
        return;
    switch (leaf) {
    case 1:
        regs[EBX] = (regs[EBX] & ~LEAF1_TOPOLOGY) | (l->regs[EBX] & LEAF1_TOPOLOGY);
        break;
    case 4:
    case 0xB:
    case 0x1F:
    case 0x8000001Du:
    case 0x8000001Eu:
    case 0x80000026u:
        memcpy(regs, l->regs, sizeof l->regs);
        break;
    case 0x80000008u: /* bits of an APIC id, threads of the package */
        regs[ECX] = l->regs[ECX];
        break;
    default:
        break;
    }
}
