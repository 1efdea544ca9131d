/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/measure/waves.h"

#include "core/base/heap.h"
#include "core/base/text.h"

/* Every thread by itself: RMIDs of many bits, as a tag that loses one on one thread alone shows nowhere else. */
static uint32_t tell_tale_rmids(struct check *c, uint32_t domain, const struct waves *w, uint32_t *rmids, uint32_t want)
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? domain_rmids_top(c, domain, rmids, want)
                                             : domain_rmids(c, domain, rmids, want);
}

static uint32_t free_rmids(struct check *c, uint32_t domain, const struct waves *w, uint32_t *rmids, uint32_t want)
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? domain_rmids_any(c, domain, rmids, want)
                                             : domain_rmids(c, domain, rmids, want);
}

static bool take(struct check *c, uint32_t cpu, const struct waves *w, uint64_t bytes, uint64_t *base,
                 char why[WHY_SIZE])
{
    return w->event == QM_EVENT_L3_OCCUPANCY ? take_any(c, cpu, bytes, base, why)
                                             : take_local(c, cpu, bytes, base, why);
}

/* n processors at once, each with an RMID and a buffer of its own. ratios may be NULL. false: it could not be measured,
 * and that was said. */
static bool wave(struct check *c, uint32_t domain, const struct waves *w, const uint32_t *cpus, const uint32_t *rmids,
                 uint32_t n, uint64_t base, struct cpu_ratios *ratios)
{
    bool occupancy = w->event == QM_EVENT_L3_OCCUPANCY;
    struct traffic_part parts[WAVE_MOST];
    struct traffic_load loads[WAVE_MOST];
    struct reading r[WAVE_MOST];
    char names[WAVE_MOST][40];
    struct experiment e = { .check = c, .loads = loads, .n_loads = n, .readings = r, .n_readings = n };

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
    if (!experiment_run(&e))
        return false;
    for (uint32_t i = 0; ratios && i < n; i++)
        cpu_ratios_add(ratios, cpus[i], r[i].bytes / (double)w->bytes);
    experiment_judge(&e, w->defect);
    return true;
}

bool waves_every_thread(struct check *c, uint32_t domain, const struct waves *w, char why[WHY_SIZE])
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[WAVE_MOST], at_once, n;
    uint32_t *cpus = heap_alloc((n_cpus + 1) * sizeof(cpus[0]));
    struct cpu_ratios ratios;
    uint64_t base = 0;
    bool done = false;

    if (cpus == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors"), true;
    if (!cpu_ratios_open(c, &ratios, n_cpus))
        return heap_free(cpus), true;
    n = domain_cpus(c, domain, cpus, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    at_once = w->at_once < n ? w->at_once : n;
    at_once = tell_tale_rmids(c, domain, w, rmids, at_once < WAVE_MOST ? at_once : WAVE_MOST);
    if (at_once == 0)
        text_format(why, WHY_SIZE, "L3 domain %u: no processor or no free RMID", domain);
    else
        done = take(c, cpus[0], w, at_once * w->bytes, &base, why);
    for (uint32_t i = 0; done && i < n; i += at_once)
        if (!wave(c, domain, w, cpus + i, rmids, n - i < at_once ? n - i : at_once, base, &ratios))
            continue; /* the others go on; the processor is named */
    cpu_ratios_close(c, domain, &ratios, w->series, w->share);
    heap_free(cpus);
    return done;
}

bool waves_siblings(struct check *c, uint32_t domain, const struct waves *w, char why[WHY_SIZE])
{
    uint32_t n_cpus = c->machine->domains[domain].n_cpus, rmids[2], n, stride;
    uint32_t *first = heap_alloc((n_cpus + 1) * sizeof(first[0]));
    uint64_t base = 0;
    bool done;

    if (first == NULL)
        return cannot_measure(c, ST_NO_MEMORY, c->tools->qm[domain].cpu, "the list of processors"), true;
    n = sibling_pairs(c, domain, first, n_cpus);
    n = n < n_cpus ? n : n_cpus;
    stride = n > SIBLING_CORES ? n / SIBLING_CORES : 1;
    done = n > 0 && free_rmids(c, domain, w, rmids, 2) == 2;
    if (!done)
        text_format(why, WHY_SIZE, "L3 domain %u: no two threads of one core, or fewer than two free RMIDs", domain);
    else
        done = take(c, first[0], w, 2 * w->bytes, &base, why);
    for (uint32_t i = 0; done && i < n; i += stride) {
        uint32_t pair[2] = { first[i], sibling_of(c, first[i]) };

        if (pair[1] != UINT32_MAX && !wave(c, domain, w, pair, rmids, 2, base, NULL))
            continue;
    }
    heap_free(first);
    return done;
}
