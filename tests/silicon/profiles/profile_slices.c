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
#include <string.h>

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

static void cut_monitoring(const struct profile *p, struct profile_leaf *l, uint32_t slices)
{
    if (l->subleaf == 0 && (l->regs[EDX] & 2))
        l->regs[EBX] = (l->regs[EBX] + 1) / p->l3_slices * slices - 1;
    if (l->subleaf == 1 && l->regs[EBX]) {
        l->regs[EBX] = l->regs[EBX] / p->l3_slices * slices;
        l->regs[ECX] = (l->regs[ECX] + 1) / p->l3_slices * slices - 1;
    }
}

struct profile *profile_cut(const struct profile *p, uint32_t slices)
{
    struct profile *out = malloc(sizeof *out);
    struct profile_leaf *leaves = malloc(p->n_leaves * sizeof leaves[0]);

    if (!out || !leaves) {
        free(out);
        free(leaves);
        return NULL;
    }
    *out = *p;
    memcpy(leaves, p->leaves, p->n_leaves * sizeof leaves[0]);
    for (uint32_t i = 0; i < p->n_leaves; i++) {
        if (leaves[i].leaf == 4 || leaves[i].leaf == 0x8000001Du)
            cut_cache(p, &leaves[i], slices);
        if (leaves[i].leaf == 0xF && !p->amd)
            cut_monitoring(p, &leaves[i], slices);
        if (leaves[i].leaf == 0x80000006u && p->amd)
            leaves[i].regs[EDX] =
                (leaves[i].regs[EDX] & 0x3FFFF) | slices * p->l3_sets * p->l3_ways * 64 / EXT6_EDX_UNIT << EXT6_EDX_L3;
    }
    out->leaves = leaves;
    out->l3_slices = slices;
    return out;
}

void profile_cut_free(struct profile *p)
{
    if (p)
        free((void *)p->leaves);
    free(p);
}

const struct profile *profile_by_name(const char *name)
{
    for (const struct profile *const *p = profiles; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}
