/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/allocation/l2_misses.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/boxes/dies.h"
#include "core/checks/allocation/core_misses.h"
#include "core/domain/alloc.h"
#include "core/load/loads.h"
#include "core/load/memory.h"

/* No L2 has a monitor. Lines that it cannot keep are requested from the L3 again, and the core counts those
 * requests. Half an L2's size is read again and again in a class with one way of the L2: no more than that way and
 * the L1 can be hits, so that there is a least number of requests, whatever the replacement. Disturbance and
 * prefetches only add to it. */

struct l2_buffer {
    uint32_t cpu;
    uint64_t base, bytes;
    enum work_kind by; /* reads, stores */
    struct core_pmu pmu;
};

static uint64_t l1_bytes_of(const struct check *c)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < c->machine->n_caches; i++)
        if (c->machine->caches[i].level == 1 && c->machine->caches[i].kind != 'i')
            bytes = c->machine->caches[i].bytes;
    return bytes;
}

/* Flush the buffer and read it 1 + READ_AGAIN times in a class; *requests: those to the L3 meanwhile.
 * ST_UNSUPPORTED: prefetchers cannot be disabled (MSR 1A4H), and the counter may leave their requests out. */
static enum status count_requests(struct check *c, const struct l2_buffer *k, uint32_t clos, double *requests)
{
    struct traffic_part flush = part_flush(0, k->base, k->bytes), read = part_read(0, k->base, k->bytes);
    struct traffic_load loads[2] = { { .cpu = k->cpu, .n_parts = 1, .parts = &flush },
                                     { .cpu = k->cpu, .n_parts = 1, .parts = &read } };
    struct traffic_outcome outcome = { 0 };
    uint64_t before = 0, after = 0;
    uint32_t bad = 0;
    enum status st, back;

    read.clos = clos;
    read.work.kind = k->by;
    read.work.passes = 1 + READ_AGAIN;
    st = traffic_run(c->platform, &loads[0], 1, NULL, &outcome, &bad);
    if (st == ST_OK)
        st = core_pmu_read(c->platform, &k->pmu, false, &before);
    if (st == ST_OK)
        st = traffic_run(c->platform, &loads[1], 1, c->machine->prefetch, &outcome, &bad);
    back = core_pmu_read(c->platform, &k->pmu, true, &after);
    TRY(status_first(st, back));
    *requests = (double)core_pmu_delta(&k->pmu, before, after);
    evidence_msr(c, k->cpu, IA32_PMC(k->pmu.counter), before, 0);
    evidence_msr(c, k->cpu, IA32_PMC(k->pmu.counter), after, 0);
    return outcome.prefetch_found || outcome.found_off ? ST_OK : ST_UNSUPPORTED;
}

void l2_misses_judge(struct check *c, uint32_t cpu, uint32_t clos, double bytes, double kept, double all, double few)
{
    double least = core_misses_least(bytes, kept);
    struct place one_way = place_with_detail(place_cpu(cpu), "one L2 way");

    check_show(c, "requests to the L3", place_with_detail(place_cpu(cpu), "all L2 ways"), all, "lines");
    excludes(c, "an excess over a CBM", (few - least) * LINE / READ_AGAIN, "bytes");
    if (!check_measure(c, "requests to the L3", one_way, few, "lines", least, NO_BOUND))
        finding(c, FINDING_UNUSUAL, 0, FOUND_MASK_WITHOUT_EFFECT, one_way,
                "%lu requests to the L3 in %u reads of %lu bytes in CLOS %u; at least %lu if the mask acts",
                (uint64_t)few, 1 + READ_AGAIN, (uint64_t)bytes, clos, (uint64_t)least);
}

/* Without an L3 the L2 is the last level: its misses are the requests. */
static enum status l2_counter(struct check *c, struct l2_buffer *k)
{
    bool has_l3 = c->machine->cpus[k->cpu].domain != NO_DOMAIN;
    enum status st = core_pmu_find_event(c->platform, k->cpu, has_l3 ? PMU_LLC_REFERENCES : PMU_LLC_MISSES, &k->pmu);

    return st == ST_OK ? ST_OK
                       : check_absent(c, "L3-request event not available on cpu %u: %s", k->cpu, status_text(st));
}

/* The package's next processor that takes work, in turn; the same one where there is no other. */
static uint32_t next_cpu(const struct check *c, uint32_t package, uint32_t cpu)
{
    uint32_t n = c->platform->n_cpus;

    for (uint32_t i = 1; i < n; i++)
        if (c->machine->cpus[(cpu + i) % n].place.package == package && cpu_takes_work(c->platform, (cpu + i) % n))
            return (cpu + i) % n;
    return cpu;
}

/* A processor of the package, its counter and half of its L2's size. */
static enum status l2_buffer_init(struct check *c, uint32_t package, struct l2_buffer *k)
{
    k->cpu = dies_any_worker(c->platform, c->machine, package);
    if (!reference_is_intel(c) || k->cpu == UINT32_MAX)
        return check_absent(c, "package %u: no Intel processor that takes work", package);
    TRY(l2_counter(c, k));
    k->bytes = ROUND_DOWN(reference_l2_bytes(c) / 2);
    return k->bytes > 0 ? memory_take_any(c, k->cpu, k->bytes, &k->base) : check_absent(c, "no L2 is enumerated");
}

/* With CDP the mask registers of a class are two. */
static enum status l2_cdp_disabled(struct check *c, uint32_t cpu)
{
    TRY(reference_rdt(c)->l2.cdp ? alloc_record(c, IA32_L2_QOS_CFG) : ST_OK);
    if (reference_rdt(c)->l2.cdp && (alloc_found(c, cpu, IA32_L2_QOS_CFG) & IA32_L2_QOS_CFG_CDP_ENABLE))
        return check_absent(c, "CDP of the L2 is enabled, as firmware left it");
    return ST_OK;
}

static enum status requests_with(struct check *c, const struct l2_buffer *k, const struct alloc_table *t, uint32_t clos,
                                 uint64_t mask, double *requests)
{
    enum status st;

    TRY(alloc_write(c, t, clos, mask));
    st = count_requests(c, k, clos, requests);
    if (st == ST_UNSUPPORTED)
        return check_absent(c, "cpu %u: its prefetchers cannot be disabled", k->cpu);
    return st == ST_OK ? ST_OK : check_absent(c, "cpu %u: %s", k->cpu, status_text(st));
}

/* Every class, and every processor of the package, once at least: class after class, each on the next one: the class is
 * that of a thread. Class 0 comes after the others: processors without a load have it. */
static enum status judge_classes(struct check *c, uint32_t package, struct l2_buffer *k, const struct alloc_table *t,
                                 uint64_t one_way, double kept)
{
    uint32_t begin = k->cpu;
    double all = 0, few = 0;
    enum status st = requests_with(c, k, t, 1, low_bits(t->bits), &all);

    for (uint32_t i = 0; st == ST_OK && (i < t->classes || k->cpu != begin); i++) {
        uint32_t clos = (i + 1) % t->classes;

        st = requests_with(c, k, t, clos, one_way, &few);
        if (st == ST_OK)
            l2_misses_judge(c, k->cpu, clos, (double)k->bytes, kept, all, few);
        k->cpu = next_cpu(c, package, k->cpu);
        if (st == ST_OK)
            st = l2_counter(c, k);
    }
    k->by = WORK_WRITE; /* once: lines that are read for a store */
    if (st == ST_OK)
        st = requests_with(c, k, t, 1, low_bits(t->bits), &all);
    if (st == ST_OK)
        st = requests_with(c, k, t, 1, one_way, &few);
    if (st == ST_OK)
        l2_misses_judge(c, k->cpu, 1, (double)k->bytes, kept, all, few);
    return st;
}

static enum status l2_requests(struct check *c, uint32_t package)
{
    struct alloc_table t = alloc_l2_masks(c);
    struct l2_buffer k = { .by = WORK_READ };
    uint32_t first = 0, bits = alloc_exclusive_run(&t, &first);
    double kept = (double)(t.bits ? reference_l2_bytes(c) / t.bits : 0) + 2.0 * (double)l1_bytes_of(c);
    enum status st;

    if (t.classes == 0)
        return check_absent(c, "%s", alloc_l2_absent(c));
    if (t.classes < 2 || bits < 4)
        return check_absent(c, "%u CLOS of the L2 and %u mask bits that are not shareable; 2 and 4 are needed",
                            t.classes, bits);
    TRY(l2_buffer_init(c, package, &k));
    if ((double)k.bytes < 2 * kept)
        return check_absent(c, "half of the L2, %lu bytes, is less than twice one way and the L1", k.bytes);
    TRY(l2_cdp_disabled(c, k.cpu));
    TRY(alloc_record_table(c, &t));
    st = judge_classes(c, package, &k, &t, BIT(first), kept);
    return status_first(st, alloc_put_back_table(c, &t));
}

/* By package: there are parts with masks of the L2 and without monitoring, or without an L3. */
static enum status check_l2_requests(struct check *c)
{
    char why[256] = "", first_why[256] = "";
    uint32_t measured = 0;

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        enum status st;

        tools_reset(c->tools);
        st = l2_requests(c, p);
        measured += st != ST_ABSENT;
        if (st != ST_ABSENT) {
            check_conclude(c, st);
            continue;
        }
        check_take_reason(c, why, sizeof why);
        check_note(c, "not judged: %s", why);
        if (first_why[0] == '\0')
            text_format(first_why, sizeof first_why, "%s", why);
    }
    return measured > 0 ? ST_OK : check_absent(c, "%s", first_why);
}

static const struct check_row rows[] = {
    { .id = "l2.misses",
      .title = "A CLOS with one L2 way requests from the L3 what does not fit",
      .spec = "SDM vol. 3B 17.17.1 Cache Allocation Technology Architecture; 18.2.1.2 Pre-defined Architectural "
              "Performance Events: LLC reference",
      .covers = "L2-02",
      .means = "IA32_L2_MASK_n is stored and has no effect on the L2",
      .next = "`l2.masks`, which needs no traffic; requests with all ways and with one in the stream; prefetchers",
      .run = check_l2_requests },
};
CHECK_FAMILY(l2_misses, rows, .needs = NEED_L2_CAT | NEED_CLASSES, .risk = RISK_WORKLOAD, .grade = GRADE_W,
             .rests_on = RESTS_ON_MASKS, .by_experience = true, .excludes = true, .order = 510);
