/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/rmids/rmid_swaps.h"

#define SWAP_RUNS 5u

struct swap {
    uint32_t slots[2];
};

static double counted(const struct rmid_series *s, uint32_t slot, uint32_t digit)
{
    return s->ratio[0][slot] * mbm_correction_factor(&s->known, (uint32_t)s->rmid[slot]) *
           (double)rmid_series_load(s, slot, digit);
}

/* Whether a slot counts a load of so many bytes. */
static bool counts_load(const struct rmid_series *s, uint32_t slot, uint32_t digit, uint64_t bytes)
{
    double slack = BW_SHARE * (double)bytes +
                   RMID_SERIES_ROUNDING * (double)s->check->machine->domains[s->domain].upscaling_factor;
    double off = counted(s, slot, digit) - (double)bytes;

    return off <= slack && off >= -slack;
}

static bool counts_own(const struct rmid_series *s, uint32_t slot, uint32_t digit)
{
    return counts_load(s, slot, digit, rmid_series_load(s, slot, digit));
}

/* Each counts what the other one moved, and neither its own. */
static bool are_swapped(const struct rmid_series *s, uint32_t a, uint32_t b, uint32_t digit)
{
    uint64_t of_a = rmid_series_load(s, a, digit), of_b = rmid_series_load(s, b, digit);

    return of_a != of_b && !counts_own(s, a, digit) && !counts_own(s, b, digit) && counts_load(s, a, digit, of_b) &&
           counts_load(s, b, digit, of_a);
}

static bool is_judged(const struct rmid_series *s, uint32_t slot)
{
    return !domain_rmid_in_background(s->check, (uint32_t)s->rmid[slot]);
}

/* The first pair from *from on, of RMIDs that may have been in one run. */
static bool find_pair(const struct rmid_series *s, uint32_t digit, uint32_t *from, struct swap *pair)
{
    for (; *from < s->n_kept; ++*from) {
        if (counts_own(s, *from, digit) || !is_judged(s, *from))
            continue;
        for (uint32_t i = *from + 1; i < s->n_kept && i < *from + RMIDS_A_RUN; i++)
            if (is_judged(s, i) && are_swapped(s, *from, i, digit)) {
                *pair = (struct swap){ { *from, i } };
                ++*from;
                return true;
            }
    }
    return false;
}

/* Again, by themselves: of thousands of pairs some look swapped once where counts scatter. */
static enum status judge_pair(struct rmid_series *s, uint32_t digit, const struct swap *pair, bool *swapped)
{
    uint32_t a = pair->slots[0], b = pair->slots[1];
    enum status st = ST_OK;

    *swapped = true;
    for (uint32_t run = 0; run < SWAP_RUNS && *swapped; run++) {
        st = rmid_series_unequal(s, pair->slots, 2, digit);
        *swapped = st == ST_OK && are_swapped(s, a, b, digit);
    }
    if (*swapped)
        finding(s->check, FINDING_FORBIDDEN, 0, FOUND_RMIDS_EXCHANGED, place_rmid(s->domain, (uint32_t)s->rmid[a]),
                "it moved %lu bytes and RMID %u %lu, and each counts the other's: %lu and %lu bytes",
                rmid_series_load(s, a, digit), (unsigned)s->rmid[b], rmid_series_load(s, b, digit),
                (uint64_t)counted(s, a, digit), (uint64_t)counted(s, b, digit));
    return st;
}

static enum status judge_digit(struct rmid_series *s, uint32_t digit, uint32_t *n)
{
    uint32_t from = 0;
    struct swap pair;
    enum status st = ST_OK;

    while (st == ST_OK && *n < RMID_SERIES_NAMED && find_pair(s, digit, &from, &pair)) {
        bool swapped;

        st = judge_pair(s, digit, &pair, &swapped);
        *n += swapped;
    }
    return st;
}

enum status rmid_swaps_judge(struct rmid_series *s)
{
    uint32_t *slots = check_alloc(s->check, (s->n_kept + 1) * sizeof slots[0]), found = 0;
    enum status st = slots ? ST_OK : check_unmeasured(s->check, ST_NO_MEMORY, s->cpu, "the list of RMIDs");

    for (uint32_t i = 0; slots && i < s->n_kept; i++)
        slots[i] = i;
    s->flags = EXPERIMENT_ONCE;
    s->n_events = 1; /* ratio[0] alone is looked at */
    for (uint32_t digit = 1; digit <= RMID_SERIES_DIGITS && st == ST_OK && !found; digit++) {
        st = rmid_series_unequal(s, slots, s->n_kept, digit);
        if (st == ST_OK)
            st = judge_digit(s, digit, &found);
    }
    TRY(st);
    check_measure(s->check, "pairs of RMIDs that count each other's bytes", place_domain(s->domain), found, "pairs", 0,
                  0);
    return ST_OK;
}
