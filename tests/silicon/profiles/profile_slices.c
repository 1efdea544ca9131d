/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_slices.c: a part with fewer or more L3 slices than the recorded one.
 *
 * Parts of one generation are sold with many numbers of slices, and what their enumerations have in common is the size
 * of a slice and, on Intel, RMIDs and bytes a count by slice (InstLatx64 dumps of each generation from Haswell-EP on:
 * RMIDs and upscaling factor are the same multiple of the slices on all of them). So another number of slices is
 * another part of the family.
 */
#include "tests/silicon/profiles/profile.h"

#include <stdlib.h>

enum { EAX, EBX, ECX, EDX };

#define LEAF4_TYPE     0x1Fu
#define LEAF4_LEVEL(a) ((a) >> 5 & 7)
#define L3_LEVEL       3u
#define EXT6_EDX_L3    18u /* 80000006H:EDX[31:18]: L3 in units of 512 KiB (AMD); Intel leaves it 0 */
#define EXT6_EDX_UNIT  (512u << 10)

static void cut_cache(const struct profile *p, struct profile_leaf *l, uint32_t slices)
{
    if ((l->regs[EAX] & LEAF4_TYPE) && LEAF4_LEVEL(l->regs[EAX]) == L3_LEVEL)
        l->regs[ECX] = slices * p->l3_sets - 1;
}

static void cut_size(const struct profile *p, struct profile_leaf *l, uint32_t slices)
{
    if (p->amd)
        l->regs[EDX] = (l->regs[EDX] & 0x3FFFF) | slices * p->l3_sets * p->l3_ways * 64 / EXT6_EDX_UNIT << EXT6_EDX_L3;
}

static void cut_monitoring(const struct profile *p, struct profile_leaf *l, uint32_t slices)
{
    if (p->amd)
        return;
    if (l->subleaf == 0 && (l->regs[EDX] & 2))
        l->regs[EBX] = (l->regs[EBX] + 1) / p->l3_slices * slices - 1;
    if (l->subleaf == 1 && l->regs[EBX]) {
        l->regs[EBX] = l->regs[EBX] / p->l3_slices * slices;
        l->regs[ECX] = (l->regs[ECX] + 1) / p->l3_slices * slices - 1;
    }
}

/* Leaves that have to do with slices. */
static const struct {
    uint32_t leaf, subleaves;
    void (*cut)(const struct profile *p, struct profile_leaf *l, uint32_t slices);
} cuts[] = {
    { 4, 4, cut_cache }, { 0x8000001Du, 4, cut_cache }, { 0x80000006u, 1, cut_size }, { 0xF, 2, cut_monitoring }
};

struct cut {
    struct profile profile; /* first: profile_cut_free() */
    struct cpuid_table cpuid;
    struct profile_leaf leaves[4 + 4 + 1 + 2];
};

struct profile *profile_cut(const struct profile *p, uint32_t slices)
{
    struct cut *c = malloc(sizeof *c);

    if (!c)
        return NULL;
    c->profile = *p;
    c->profile.cpuid = &c->cpuid;
    c->profile.l3_slices = slices;
    c->cpuid = (struct cpuid_table){ .base = p->cpuid, .leaves = c->leaves };
    for (uint32_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++)
        for (uint32_t k = 0; k < cuts[i].subleaves; k++) {
            struct profile_leaf *l = &c->leaves[c->cpuid.n_leaves];

            *l = (struct profile_leaf){ .leaf = cuts[i].leaf, .subleaf = k };
            if (!profile_find(p, l->leaf, k, l->regs))
                continue;
            cuts[i].cut(p, l, slices);
            c->cpuid.n_leaves++;
        }
    return &c->profile;
}

void profile_cut_free(struct profile *p)
{
    free(p);
}
