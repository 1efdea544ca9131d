/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The caches of the virtual silicon: their sizes on each generation, what they hold, and what stays true when many use
 * them at once. Figures are worked out by hand from the enumerations and from the rules in model_l3.c. */
#include "core/base/search.h"
#include "tests/silicon/cache/model_set.h"
#include "tests/support/run/silicon.h"

#include <criterion/parameterized.h>
#include <pthread.h>

#define PQR 0xC8Fu

/* --- who holds what: tests/whole/reference_l3.c, but for flushes */

Test(caches, flushes_reach_lines_that_only_cores_have)
{
    struct model *m = silicon_of("spr", 2, 2, 1);

    for (uint32_t i = 0; i < 4; i++)
        silicon_touch(m, i, i * 6400, 100, MODEL_STORE);
    model_clflush(m, 3, 0);
    cr_expect_eq(cache_write_backs(m, &m->domain[0]), 1);
    cr_expect_eq(model_access_level(m, 0, 0, 8, MODEL_LOAD), LEVEL_MEMORY);
    model_wbinvd(m, 0);
    cr_expect_eq(cache_write_backs(m, &m->domain[0]), 100, "the 99 other lines of core 0");
    cr_expect_eq(model_access_level(m, 0, 64, 8, MODEL_LOAD), LEVEL_MEMORY);
    cr_expect_eq(model_access_level(m, 1, 6400, 8, MODEL_STORE), LEVEL_L1, "the other core keeps its own");
}

/* --- clusters */

/* Two clusters share an L3 of 24 slices: each line lies in the 12 of the cluster that it is home to. */
static uint64_t sum_of(_Atomic uint64_t *from, uint32_t n)
{
    return SUM_OF(uint64_t, i, n, from[i]);
}

Test(clusters, have_slices_of_their_own)
{
    struct model *m = silicon_of("skx", 1, 2, 1, .clusters = 2);
    uint64_t looked_at[2] = { 0, 0 };
    struct traffic_sum sum;

    silicon_touch(m, 0, SILICON_NODE, 4800, MODEL_LOAD);
    for (uint32_t s = 0; s < 24; s++)
        looked_at[s / 12] += sum_of(m->domain[0].slice[s].lookup[LOOKUP_READ], STATES);
    cr_expect_eq(looked_at[0], 0);
    cr_expect_eq(looked_at[1], 4800);
    cr_expect_eq(silicon_truth(m, 0, 0).rmid_local_lines, 0, "the other cluster's memory");
    silicon_touch(m, 1, SILICON_NODE, 4800, MODEL_LOAD);
    cr_expect_eq(silicon_truth(m, 0, 0).rmid_total_lines, 4800, "the L3 is one");
    silicon_touch(m, 1, SILICON_NODE + 4800 * 64, 100, MODEL_LOAD);
    cr_expect_eq(silicon_truth(m, 0, 0).rmid_local_lines, 100);
    sum = traffic_of(m, m->domain[0].truth, 0, 1);
    cr_expect_eq(transfers_of(&sum, m->event_types[0]), 4900);
}

/* --- counts */

static uint64_t cas_of(const struct model *m, uint32_t node, bool write)
{
    return SUM_OF(uint64_t, channel, m->channels, memory_cas(m, node, channel, write));
}

/* 40960 lines are stored to, twice what L2 and half of what L3 (of 2 slices) hold; then as many others are read. */
Test(counts, add_up)
{
    struct model *m = silicon_of("bdx", 2, 1, 1, .slices = 2);
    struct domain *p = &m->domain[0];
    uint64_t lookups[LOOKUPS] = { 0 }, fills = 0, victims[STATES] = { 0 }, misses = 0, back = 0;

    silicon_touch(m, 0, SILICON_NODE, 81920, MODEL_STORE);
    silicon_touch(m, 0, 0, 81920, MODEL_LOAD);
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t why = 0; why < LOOKUPS; why++)
            lookups[why] += sum_of(p->slice[s].lookup[why], STATES);
        for (uint32_t state = 0; state < STATES; state++)
            victims[state] += p->slice[s].victim[state];
        fills += p->slice[s].fill;
        misses += p->slice[s].tor[TOR_DRD][TOR_MISS_LOCAL] + p->slice[s].tor[TOR_RFO][TOR_MISS_REMOTE];
        back += p->slice[s].tor[TOR_WRITE_BACK][TOR_HIT];
    }
    cr_expect_eq(lookups[LOOKUP_RFO], 81920);
    cr_expect_eq(lookups[LOOKUP_READ], 81920);
    cr_expect_eq(fills, 2 * 81920);
    cr_expect_eq(misses, 2 * 81920);
    cr_expect_eq(victims[STATE_M], 81920, "what was read took the place of what was written");
    cr_expect_eq(lookups[LOOKUP_WRITE], 81920, "each line was given up by the L2, dirty");
    cr_expect_eq(back, 81920);
    cr_expect_eq(cas_of(m, 1, false), 81920);
    cr_expect_eq(cas_of(m, 1, true), 81920);
    cr_expect_eq(cas_of(m, 0, false), 81920);
    for (uint32_t channel = 0; channel < 4; channel++)
        cr_expect_eq(memory_cas(m, 0, channel, false), 81920 / 4, "neighbours go round the channels");
    cr_expect_eq(memory_lines(m, 1, 0, false), 81920);
    cr_expect_eq(memory_lines(m, 1, 0, true), 81920);
    cr_expect_eq(m->cpu[0].counts.accesses, 2 * 81920);
    cr_expect_eq(m->cpu[0].counts.l3_misses, 2 * 81920);
}

/* --- threads */

struct hammer {
    struct model *m;
    uint32_t cpu;
};

static void *hammer(void *argument)
{
    static const enum model_kind kinds[8] = { [4] = MODEL_STORE, MODEL_STORE, MODEL_FETCH, MODEL_NT_STORE };
    struct hammer *h = argument;
    uint64_t state = h->cpu + 1;

    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t address;

        state = state * 6364136223846793005u + 1442695040888963407u;
        /* Few lines, and all with the same low bits, so that everybody works on the same sets. */
        address = (state >> 40 & 0xFF) << 17 | (state >> 20 & 3) << 6;
        if (state >> 60 == 0)
            model_clflush(h->m, h->cpu, address);
        else
            model_access(h->m, h->cpu, address, 8, kinds[state >> 57 & 7]);
        if (i % 1000 == 0)
            model_wrmsr(h->m, h->cpu, PQR, 0, i / 1000 % h->m->rmids);
        if (i == 100000)
            model_wbinvd(h->m, h->cpu);
    }
    return NULL;
}

/* The line's entry in an L3, or 0; there may be one. */
static uint32_t entry_of(struct model *m, struct domain *p, uint64_t line)
{
    struct place at = l3_place(m, line);
    struct l3_row row = row_of(m, p, at.index);
    uint32_t found = 0;

    for (uint32_t e = 0; e < m->l3_entries; e++)
        if ((row.word[e] & ENTRY_STATE) && place_in(m, row, e, at.slice, at.index).line == line) {
            cr_assert_eq(found, 0, "line %#lx has two entries", line);
            found = row.word[e];
        }
    return found;
}

static void look_at_core(struct model *m, struct domain *p, uint32_t core)
{
    const struct core *k = &p->cores[core];

    for (uint32_t i = 0; i < m->l2.sets * m->l2_stride; i++) {
        uint64_t line = (uint64_t)(k->l2[i] >> L2_TAG_SHIFT) << m->l2.set_bits | i / m->l2_stride;
        uint32_t entry;

        if (!k->l2[i])
            continue;
        entry = entry_of(m, p, line);
        cr_assert(field_get(ENTRY_PRESENCE, entry) >> core % ENTRY_CORES & 1,
                  "a core has line %#lx, its L3 knows nothing", line);
        if (!(k->l2[i] & L2_OWNED)) {
            cr_assert(!(k->l2[i] & L2_DIRTY));
            continue;
        }
        for (uint32_t d = 0; d < m->domains; d++) {
            cr_assert(&m->domain[d] == p || !entry_of(m, &m->domain[d], line));
            for (uint32_t c = 0; c < m->cores_per_domain; c++)
                cr_assert(&m->domain[d].cores[c] == k || !private_has(m, &m->domain[d].cores[c], line),
                          "line %#lx has an owner and another holder", line);
        }
    }
    for (uint32_t i = 0; i < m->l1.sets * L1_STRIDE; i++) {
        uint64_t line = (uint64_t)(k->l1[i] >> L1_TAG_SHIFT) << m->l1.set_bits | i / L1_STRIDE;

        if (!k->l1[i])
            continue;
        cr_assert(private_has(m, k, line), "the L2 holds what the L1 holds");
        if (k->l1[i] & L1_WRITE)
            cr_assert(private_snoop(m, &p->cores[core], line, false) & L2_DIRTY, "stores continue unseen");
    }
}

static void look_at_set(struct model *m, struct domain *p, uint32_t index, uint64_t *in_ways)
{
    struct l3_row row = row_of(m, p, index);
    uint32_t seen = 0;
    bool invalid = false;

    for (uint32_t i = 0; i < m->l3.ways; i++) {
        bool valid = row.word[row.order[i]] & ENTRY_STATE;

        seen |= 1u << row.order[i];
        cr_assert(!(valid && invalid), "invalid ways stand last");
        invalid |= !valid;
        *in_ways += valid;
    }
    cr_assert_eq(seen, low_bits(m->l3.ways), "each way has its place in the order");
    for (uint32_t e = m->l3.ways; e < m->l3_entries; e++)
        cr_assert(!(row.word[e] & ENTRY_STATE) || (row.word[e] & ENTRY_PRESENCE), "the directory knows who has it");
}

struct crowd {
    char profile[8];
    uint32_t cores, threads;
};

ParameterizedTestParameters(caches, keep_their_invariants_with_eight_processors_at_once)
{
    /* With 18 cores some share a bit of the presence. */
    static struct crowd cases[] = {
        { "bdx", 2, 2 }, { "bdx", 18, 1 }, { "skx", 2, 2 }, { "skx", 18, 1 }, { "zen3", 2, 2 }
    };

    return cr_make_param_array(struct crowd, cases, sizeof cases / sizeof cases[0]);
}

ParameterizedTest(struct crowd *t, caches, keep_their_invariants_with_eight_processors_at_once)
{
    struct model *m = silicon_of(t->profile, 2, t->cores, t->threads, .parallel = true);
    struct hammer h[8];
    pthread_t thread[8];

    for (uint32_t i = 0; i < 8; i++) {
        h[i] = (struct hammer){ m, t->cores == 2 ? i : i / 4 * 18 + i % 2 * 8 + i / 2 % 2 };
        cr_assert_eq(pthread_create(&thread[i], NULL, hammer, &h[i]), 0);
    }
    for (uint32_t i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
    for (uint32_t d = 0; d < m->domains; d++) {
        struct domain *p = &m->domain[d];
        uint64_t in_ways = 0;

        for (uint32_t index = 0; index < m->l3_slices << m->l3.set_bits; index++)
            look_at_set(m, p, index, &in_ways);
        cr_expect_eq(in_ways, silicon_truth(m, d, 0).l3_valid_lines, "the books agree with the lines");
        cr_expect_gt(p->slice[0].fill, 1000);
        for (uint32_t c = 0; c < m->cores_per_domain; c++)
            look_at_core(m, p, c);
    }
}
