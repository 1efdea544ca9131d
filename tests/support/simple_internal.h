/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/simple_internal.h: what simple_silicon.c and its cache, simple_l3.c, share. */
#pragma once
#include "core/base/bits.h"
#include "tests/support/simple_silicon.h"

#define LINE     64u
#define NO_SLOT  UINT32_MAX /* end of a bucket */
#define NODE_GAP (UINT64_C(1) << 40)
#define TSC_HZ   UINT64_C(2000000000)

struct l3 { /* of one domain */
    uint64_t *line;
    uint32_t *owner, *next; /* next: of the same bucket */
    uint32_t *bucket;
    uint32_t capacity, used, hand;
    uint64_t *occupancy, *total, *local; /* [max_rmid + 1] lines */
    uint64_t *shown, shown_at;           /* [max_rmid + 1] occupancy as it was then: late_ticks */
    uint64_t *evtsel;                    /* [processors of the domain]; one for all where they share it */
    uint64_t mask[128];                  /* stored, and without effect */
};

struct ubox {
    uint64_t ctl[3], base[3], since[3]; /* two programmable, the fixed one last */
};

struct simple_silicon {
    struct platform platform;
    struct simple_part part;
    struct cpu_slot *slots;
    uint64_t *pqr;
    struct l3 *l3;
    struct ubox *ubox;
    uint64_t *taken; /* [nodes] */
    uint32_t n_domains, n_nodes, cpus_per_domain, cpus_per_package;
    uint64_t tsc;
};

/* The work of one task, line by line. */
void simple_l3_work(struct simple_silicon *o, uint32_t cpu, struct work *w);
void simple_l3_empty(struct l3 *c);
/* Lines of the RMID as IA32_QM_CTR shows them. */
uint64_t simple_l3_shown(const struct simple_silicon *o, const struct l3 *c, uint64_t rmid);
/* To be called before they are read: takes over what is there, where the part shows it late. */
void simple_l3_update_shown(const struct simple_silicon *o, struct l3 *c);
