/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/waves.h"

#include "core/base/text.h"

/* RMIDs with many bits set: one that is lost on a single thread shows in no other check. */
static uint32_t high_bit_rmids(struct check *c, uint32_t domain, const struct waves *w, uint32_t *rmids, uint32_t want)
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? domain_rmids_top(c, domain, rmids, want)
                                             : domain_rmids(c, domain, rmids, want);
}

static uint32_t free_rmids(struct check *c, uint32_t domain, const struct waves *w, uint32_t *rmids, uint32_t want)
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? domain_rmids_any(c, domain, rmids, want)
                                             : domain_rmids(c, domain, rmids, want);
}

static enum status wave_take(struct check *c, uint32_t cpu, const struct waves *w, uint64_t bytes, uint64_t *base)
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? memory_take_any(c, cpu, bytes, base)
                                             : memory_take_local(c, cpu, bytes, base);
}

/* n processors at once, each with an RMID and a buffer of its own. ratios may be NULL. Errors: those of
 * experiment_measure(). */
static enum status wave(struct check *c, uint32_t domain, const struct waves *w, const uint32_t *cpus,
                        const uint32_t *rmids, uint32_t n, uint64_t base, struct cpu_ratios *ratios)
{
    bool occupancy = w->event == QM_EVENT_L3_OCCUPANCY;
    struct traffic_part parts[WAVE_MOST];
    struct traffic_load loads[WAVE_MOST];
    struct reading r[WAVE_MOST];
    char names[WAVE_MOST][40];
    struct experiment e = { .check = c, .loads = loads, .n_loads = n, .readings = r, .n_readings = n };
    enum status st;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t own = base + i * w->bytes;

        parts[i] = occupancy ? part_fill(c, domain, rmids[i], own, w->bytes) : part_read(rmids[i], own, w->bytes);
        loads[i] = (struct traffic_load){ .cpu = cpus[i], .n_parts = 1, .parts = &parts[i] };
        text_format(names[i], sizeof names[i], "%s%u", w->name, cpus[i]);
        r[i] = reading_of(names[i], domain, rmids[i], w->event);
        if (occupancy)
            expect_occupancy(c, &r[i], (double)w->bytes, 1);
        else
            expect_bandwidth(c, &r[i], (double)w->bytes);
    }
    st = experiment_measure(&e);
    if (st != ST_OK)
        return st;
    for (uint32_t i = 0; ratios && i < n; i++)
        cpu_ratios_add(ratios, cpus[i], r[i].bytes / (double)w->bytes);
    experiment_judge(&e, w->stimulus);
    return ST_OK;
}

enum status waves_every_thread(struct check *c, uint32_t domain, const struct waves *w)
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[WAVE_MOST], at_once, n;
    uint32_t *cpus = check_alloc(c, (n_cpus + 1) * sizeof(cpus[0]));
    struct cpu_ratios ratios;
    uint64_t base = 0;
    enum status st;

    if (cpus == NULL)
        return unmeasured(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors");
    st = cpu_ratios_open(c, &ratios, n_cpus);
    if (st != ST_OK)
        return st;
    n = domain_cpus(c, domain, cpus, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    at_once = w->at_once < n ? w->at_once : n;
    at_once = high_bit_rmids(c, domain, w, rmids, at_once < WAVE_MOST ? at_once : WAVE_MOST);
    if (at_once == 0)
        return absent(c, "L3 domain %u: no processor or no free RMID", domain);
    st = wave_take(c, cpus[0], w, at_once * w->bytes, &base);
    if (st != ST_OK)
        return st;
    /* A processor that could not be measured is named, and the others follow. */
    for (uint32_t i = 0; i < n; i += at_once)
        check_conclude(c, wave(c, domain, w, cpus + i, rmids, n - i < at_once ? n - i : at_once, base, &ratios));
    return cpu_ratios_show(c, domain, &ratios, w->series, w->share);
}

enum status waves_siblings(struct check *c, uint32_t domain, const struct waves *w)
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[2], n, stride;
    uint32_t *first = check_alloc(c, (n_cpus + 1) * sizeof(first[0]));
    uint64_t base = 0;
    enum status st;

    if (first == NULL)
        return unmeasured(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors");
    n = sibling_pairs(c, domain, first, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    stride = n > SIBLING_CORES ? n / SIBLING_CORES : 1;
    if (n == 0 || free_rmids(c, domain, w, rmids, 2) < 2)
        return absent(c, "L3 domain %u: no two threads of one core, or fewer than two free RMIDs", domain);
    st = wave_take(c, first[0], w, 2 * w->bytes, &base);
    if (st != ST_OK)
        return st;
    for (uint32_t i = 0; i < n; i += stride) {
        uint32_t pair[2] = { first[i], sibling_of(c, first[i]) };

        if (pair[1] != UINT32_MAX)
            check_conclude(c, wave(c, domain, w, pair, rmids, 2, base, NULL));
    }
    return ST_OK;
}
