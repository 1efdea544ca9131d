/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every fault of the virtual silicon changes something that software can see: one long session of CPUID, register
 * operations, accesses and firmware tables is run on the faultless part and on the faulty one, and what came back is
 * compared. Nothing here knows what a fault is about.
 */
#include "core/platform/mp_selftest.h"
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/host/host_platform.h"
#include "tests/silicon/uncore/model_uncore_internal.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#define NODE_BYTES  (UINT64_C(1) << 30)
#define MEMORY_BASE UINT64_C(0x100000000)
#define STAGES      16u
#define SECOND      UINT64_C(2000000000)
#define SLICES      5u

enum { PQR = 0xC8F, EVTSEL = 0xC8D, CTR = 0xC8E, MASK0 = 0xC90, QOS_CFG = 0xC81, THROTTLE0 = 0xD50, BW0 = 0xC0000200 };
enum { SLOW0 = 0xC0000280 };
enum { L2_MASK0 = 0xD10, LEVELS0 = 0xE00, ASSIGN = 0xC00003FD, ASSIGNED, EXTENSIONS, EVENTS0 };

struct stage {
    uint64_t sum, gp;
};

struct witness {
    struct model_platform *mp;
    struct model *m;
    uint64_t tsc, sum, gp; /* gp: which accesses faulted, alone */
    /* Stages' sums: written in the session of the faultless part, compared in the others, which end with the first
     * stage that differs. */
    uint32_t n_stages;
    bool compare, needs_gp, seen;
};

/* True: enough was seen. */
static bool stage(struct witness *w, struct stage *stages)
{
    struct stage *s = &stages[w->n_stages++];

    cr_assert_lt(w->n_stages, STAGES);
    if (w->compare)
        w->seen = s->sum != w->sum && (!w->needs_gp || s->gp != w->gp);
    else
        *s = (struct stage){ w->sum, w->gp };
    return w->seen;
}

static void see(struct witness *w, uint64_t value)
{
    w->sum = (w->sum ^ value) * UINT64_C(0x100000001B3) + 1;
    w->sum ^= w->sum >> 29; /* a product alone keeps high bits high, where two differences can cancel out */
}

static void see_rd(struct witness *w, uint32_t cpu, uint32_t msr)
{
    uint64_t value = 0;
    enum model_answer answer = model_rdmsr(w->m, cpu, msr, w->tsc += 100, &value);

    see(w, (uint64_t)answer << 60 ^ value);
    w->gp = w->gp * 31 + answer;
}

static void see_wr(struct witness *w, uint32_t cpu, uint32_t msr, uint64_t value)
{
    enum model_answer answer = model_wrmsr(w->m, cpu, msr, w->tsc += 100, value);

    see(w, answer);
    w->gp = w->gp * 31 + answer;
}

static uint64_t node_base(uint32_t node)
{
    return MEMORY_BASE + node * NODE_BYTES;
}

static void touch_lines(struct witness *w, uint32_t cpu, uint64_t base, uint64_t lines, enum model_kind kind)
{
    for (uint64_t i = 0; i < lines; i++)
        model_access(w->m, cpu, base + i * 64, 8, kind);
}

static uint64_t l3_lines(const struct witness *w)
{
    struct model_truth t;

    model_truth(w->m, 0, 0, &t);
    return t.l3_lines;
}

/* --- what the session consists of */

static void see_cpuid(struct witness *w)
{
    static const uint32_t first[] = { 0, 0x80000000 };

    for (uint32_t cpu = 0; cpu < model_cpus(w->m); cpu++)
        for (size_t f = 0; f < 2; f++)
            for (uint32_t leaf = first[f]; leaf <= first[f] + 0x21; leaf++)
                for (uint32_t subleaf = 0; subleaf < 6; subleaf++) {
                    uint32_t r[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };

                    model_cpuid(w->m, cpu, leaf, subleaf, r);
                    for (int i = 0; i < 4; i++)
                        see(w, r[i]);
                }
}

/* Every register of allocation, and who a processor is, as firmware left them. */
static void see_registers(struct witness *w)
{
    static const uint32_t ranges[][2] = { { 0x10, 0x10 },   { 0x17, 0x17 },           { 0x34, 0x34 },
                                          { 0x8B, 0x8B },   { 0xCE, 0xCF },           { 0x1A4, 0x1A4 },
                                          { 0xC81, 0xC89 }, { 0xC8F, 0xCA1 },         { 0xD10, 0xD1F },
                                          { 0xD50, 0xD5F }, { 0x700, 0x70F },         { BW0, BW0 + 15 },
                                          { 0x620, 0x621 }, { EVENTS0, EVENTS0 + 1 }, { 0x3F8, 0x3F9 },
                                          { 0x3FC, 0x3FD }, { 0x60D, 0x60D },         { 0xC0011095, 0xC001109A } };

    for (uint32_t cpu = 0; cpu < model_cpus(w->m); cpu++)
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
            for (uint32_t msr = ranges[i][0]; msr <= ranges[i][1]; msr++)
                see_rd(w, cpu, msr);
}

static void see_association(struct witness *w)
{
    uint32_t cpus = model_cpus(w->m), rmid = w->m->rmids / 2 + 1;

    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        see_wr(w, cpu, PQR, UINT64_C(1) << 32 | (rmid + cpu));
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        see_rd(w, cpu, PQR);
    see_wr(w, 0, PQR, UINT64_C(2) << 32 | rmid);
    see_rd(w, 0, PQR);
    for (uint64_t clos = 0; clos < 18; clos++)
        see_wr(w, 0, PQR, clos << 32);
    for (uint32_t cpu = 0; cpu < cpus; cpu += cpus - 1) /* the first and the last */
        for (uint32_t bit = 0; bit < 64; bit++) {
            see_wr(w, cpu, PQR, BIT(0) << bit);
            see_rd(w, cpu, PQR);
        }
    see_wr(w, 0, PQR, w->m->rmids);
    see_wr(w, 0, PQR, 1);
    see_wr(w, 0, PQR, 1);
    see_rd(w, 0, PQR);
    see_wr(w, 0, PQR, 1);
    model_smi(w->m);
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        see_rd(w, cpu, PQR);
        see_rd(w, cpu, 0x34);
    }
}

/* All RMIDs, and two more; all events, and some more. */
static void see_counts(struct witness *w)
{
    uint32_t half = model_cpus(w->m) / 2;

    for (uint32_t package = 0; package < 2; package++)
        for (uint64_t rmid = 0; rmid < w->m->rmids + 2; rmid++)
            for (uint32_t event = 0; event < 10; event++) {
                see_wr(w, package * half, EVTSEL, rmid << 32 | event);
                see_rd(w, package * half, EVTSEL);
                see_rd(w, half - package * half, EVTSEL); /* of the other package */
                see_rd(w, package * half + 1, EVTSEL);    /* of the same L3 */
                see_rd(w, package * half, CTR);
            }
    for (uint32_t bit = 8; bit < 32; bit++) /* the last processor's own */
        see_wr(w, 2 * half - 1, EVTSEL, BIT(0) << bit | 1);
    for (uint64_t rmid = w->m->rmids - 1; rmid < w->m->rmids + 2; rmid++)
        for (uint32_t event = 0; event < 10; event++) {
            see_wr(w, 2 * half - 1, EVTSEL, rmid << 32 | event);
            see_rd(w, 2 * half - 1, CTR);
        }
}

static void see_monitoring(struct witness *w)
{
    uint32_t cpus = model_cpus(w->m), first = w->m->rmids / 2 + 1;
    uint64_t part = l3_lines(w) / 5;

    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        see_wr(w, cpu, PQR, first + cpu % (first - 2));
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        touch_lines(w, cpu, node_base(model_package(w->m, cpu)) + cpu * part * 64, part, MODEL_LOAD);
    touch_lines(w, 0, node_base(1) + NODE_BYTES / 2, 4 * part, MODEL_LOAD); /* remote, and past the L3's size */
    see_wr(w, 0, PQR, 2);
    touch_lines(w, 0, node_base(0) + NODE_BYTES / 2, part, MODEL_STORE);
    see_counts(w);
    see_wr(w, 0, PQR, 3);
    for (uint64_t i = 0; i < part; i++)
        model_clflush(w->m, 0, node_base(0) + NODE_BYTES / 2 + i * 64);
    w->tsc += SECOND;
    see_counts(w);
    see_counts(w); /* nothing moved since */
    for (uint32_t bit = 8; bit < 64; bit++)
        see_wr(w, 0, EVTSEL, BIT(0) << bit | 1);
    see_wr(w, 0, CTR, 0);
}

/* Every processor at once, under an RMID of its own: of its lines it reads the one and stores to the next. */
static void see_crowd(struct witness *w)
{
    uint32_t cpus = model_cpus(w->m);
    uint64_t lines = l3_lines(w) / 2;

    model_wbinvd(w->m, 0);
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        see_wr(w, cpu, PQR, 4 + cpu);
    for (uint64_t i = 0; i < lines; i++)
        for (uint32_t cpu = 0; cpu < cpus; cpu++)
            model_access(w->m, cpu, node_base(model_package(w->m, cpu)) + (cpu * lines + i) * 64, 8,
                         i % 2 ? MODEL_LOAD : MODEL_STORE);
    for (uint32_t cpu = 0; cpu < cpus; cpu += cpus - 1)
        for (uint64_t rmid = 0; rmid < 4 + cpus; rmid++)
            for (uint64_t event = 1; event < 4; event++) {
                see_wr(w, cpu, EVTSEL, rmid << 32 | event);
                see_rd(w, cpu, CTR);
                see_rd(w, cpu, CTR);
            }
}

/* What two processors in class 1 and one in class 0 may keep of the L3. */
static void see_shares(struct witness *w)
{
    static const uint32_t cpus[] = { 0, 1, 3 };
    uint64_t lines = l3_lines(w) / 3;

    model_wbinvd(w->m, 0);
    for (uint32_t i = 0; i < 3; i++)
        see_wr(w, cpus[i], PQR, UINT64_C(1) << 32 | (4 + i));
    see_wr(w, 2, PQR, 7);
    for (uint32_t i = 0; i < 3; i++)
        touch_lines(w, cpus[i], node_base(0) + i * lines * 64, lines, MODEL_LOAD);
    touch_lines(w, 2, node_base(0) + 3 * lines * 64, lines, MODEL_LOAD);
    for (uint64_t rmid = 4; rmid < 8; rmid++) {
        see_wr(w, 0, EVTSEL, rmid << 32 | 1);
        see_rd(w, 0, CTR);
    }
}

static void see_masks(struct witness *w)
{
    uint32_t cpus = model_cpus(w->m);
    static const uint64_t masks[] = { 0, 1, 3, 5, 0x10, 0x600, 0x7FF, 0x1000000, BIT(63) | 3, 0x30, 0xF0 };

    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++)
        for (uint32_t n = 0; n < 17; n++) {
            see_wr(w, 0, MASK0 + n, masks[i]);
            see_wr(w, cpus / 2, MASK0 + n, masks[i] << 1);
            for (uint32_t cpu = 0; cpu < cpus; cpu++)
                see_rd(w, cpu, MASK0 + n);
        }
    see_wr(w, 0, MASK0, w->m->l3_way_mask);
    see_wr(w, 0, MASK0 + 1, 7);
    see_shares(w);
    see_wr(w, 0, MASK0, 0x38); /* none of class 1's */
    see_shares(w);
    see_wr(w, 0, MASK0, w->m->l3_way_mask);
    for (uint64_t level = 15; level < 17; level++) { /* the greatest, and one above */
        see_wr(w, 0, LEVELS0, level);
        see_rd(w, 0, LEVELS0);
    }
    see_wr(w, 0, QOS_CFG, 1);
    see_rd(w, 0, QOS_CFG);
    see_wr(w, 0, MASK0 + 2, 3);
    see_wr(w, 0, MASK0 + 3, 0x3C);
    see_shares(w);
    see_wr(w, 0, QOS_CFG, 0);
    see_rd(w, 0, QOS_CFG);
}

static void see_events(struct witness *w, uint64_t rmid)
{
    uint32_t half = model_cpus(w->m) / 2;

    for (uint32_t package = 0; package < 2; package++)
        for (uint32_t event = 1; event <= 3; event++) {
            see_wr(w, package * half, EVTSEL, rmid << 32 | event);
            see_rd(w, package * half, CTR);
            see_rd(w, package * half, CTR); /* the first one may be Unavailable */
        }
}

/* What AMD lets software choose: the counts of events before and after, and of assigned counters. */
static void see_choices(struct witness *w)
{
    static const uint64_t types[] = { 0x04, 0x7F, 0x80 };

    see_wr(w, 0, PQR, 9);
    see_wr(w, 0, ASSIGN, BIT(63) | 1);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        touch_lines(w, 0, node_base(0) + (8 + i) * 65536, 100, MODEL_LOAD);
        see_wr(w, 0, EVENTS0, types[i]);
        see_rd(w, 0, EVENTS0);
        see_wr(w, 0, EVTSEL, UINT64_C(9) << 32 | 2);
        see_rd(w, 0, CTR);
        see_rd(w, 0, CTR);
    }
    see_wr(w, 0, EVENTS0, 0x3F); /* all but dirty lines that leave */
    touch_lines(w, 0, node_base(0) + UINT64_C(32) * 65536, 100, MODEL_STORE);
    model_wbinvd(w->m, 0);
    see_events(w, 9);
    for (uint32_t cpu = 0; cpu < model_cpus(w->m); cpu++) {
        see_wr(w, cpu, EXTENSIONS, 3);
        see_rd(w, cpu, EXTENSIONS);
    }
    for (uint64_t counter = 0; counter < 32; counter++) {
        uint64_t kinds = counter % 2 ? 0x7F : 0x04, rmid = counter < 30 ? 9 : 10; /* nobody runs under the other one */

        see_wr(w, 0, ASSIGN, BITS(63, 62) | counter << 48 | rmid << 32 | kinds);
        touch_lines(w, 0, node_base(0) + (40 + counter) * 65536, 10, MODEL_LOAD);
    }
    for (uint64_t counter = 0; counter < 32; counter++) {
        see_wr(w, 0, EVTSEL, counter << 32 | BIT(31) | 1);
        see_rd(w, 0, CTR);
    }
    see_wr(w, 0, EXTENSIONS, 1);
    for (uint64_t counter = 0; counter < 2; counter++) {
        see_wr(w, 0, ASSIGN, BITS(63, 62) | UINT64_C(9) << 32 | 0x7F);
        see_rd(w, 0, ASSIGNED);
        see_wr(w, 0, EVTSEL, BIT(31) | 1);
        touch_lines(w, 0, node_base(0) + (16 + counter) * 65536, 100, MODEL_LOAD);
        see_rd(w, 0, CTR);
    }
    see_wr(w, 0, ASSIGN, BITS(63, 62) | BITS(52, 48) | BITS(43, 32) | 0x7F);
    see_rd(w, 0, ASSIGNED);
    see_wr(w, 0, EXTENSIONS, 0);
}

/* Lines by kind of access, each under an RMID of its own; lines that another core finds there; a flush elsewhere. */
static void see_kinds(struct witness *w)
{
    static const enum model_kind kinds[] = { MODEL_NT_STORE, MODEL_STORE };
    uint32_t half = model_cpus(w->m) / 2, lines = 20000;
    uint64_t base = node_base(0) + NODE_BYTES / 4;

    model_wbinvd(w->m, 0);
    model_wbinvd(w->m, half);
    for (uint32_t i = 0; i < 2; i++) {
        see_wr(w, 2 * i, PQR, 4 + i);
        touch_lines(w, 2 * i, base, lines, MODEL_LOAD);
        see_wr(w, 0, PQR, 6 + i);
        touch_lines(w, 0, base + (i + 1) * lines * 64, lines, kinds[i]);
    }
    see_wr(w, 1, PQR, 8);
    touch_lines(w, 1, base + UINT64_C(3) * lines * 64, lines, MODEL_LOAD);
    see_wr(w, 0, PQR, w->m->rmids - 1);
    touch_lines(w, 0, base + UINT64_C(4) * lines * 64, lines, MODEL_LOAD);
    see_wr(w, 2, PQR, 9);
    touch_lines(w, 2, base + UINT64_C(5) * lines * 64, lines, MODEL_FETCH);
    see_wr(w, 3, PQR, 3);
    touch_lines(w, 3, base + UINT64_C(6) * lines * 64, lines, MODEL_LOAD);
    see_wr(w, 0, MASK0 + 1, 3);
    see_wr(w, 0, PQR, UINT64_C(1) << 32 | 5); /* code, of more than these ways hold */
    touch_lines(w, 0, base + UINT64_C(7) * lines * 64, l3_lines(w) / 2, MODEL_FETCH);
    see_wr(w, half, PQR, 4);
    touch_lines(w, half, node_base(1) + NODE_BYTES / 4, l3_lines(w), MODEL_LOAD);
    for (uint64_t rmid = 3; rmid < 10; rmid++)
        see_events(w, rmid);
    see_events(w, w->m->rmids - 1);
    see_events(w, w->m->rmids / 2 + 4); /* of another node, where RMIDs are shared */
    model_wbinvd(w->m, 0);
    see_events(w, 4);
}

/* Registers in memory, where there are any but those of boxes. */
static void see_memory(struct witness *w)
{
    uint64_t bytes = rdt_erdt_bytes(w->m);

    see_wr(w, 0, PQR, 3);
    touch_lines(w, 0, node_base(0) + (24 << 16), 5000, MODEL_LOAD);
    for (uint64_t at = 0; at < bytes; at += 8)
        see(w, model_mmio_read(w->m, rdt_erdt_base(w->m) + at, 8, w->tsc));
}

/* How long a stream takes in class 1 and in class 0 with throttles set. */
static void see_throttles(struct witness *w)
{
    struct platform *p = &w->mp->platform;
    uint32_t last = model_cpus(w->m) - 1;

    for (uint32_t delay = 0; delay <= 100; delay += 5) {
        see_wr(w, 0, THROTTLE0 + 1, delay);
        see_rd(w, 0, THROTTLE0 + 1);
    }
    see_wr(w, 0, THROTTLE0 + 1, 90);
    for (uint32_t i = 0; i < 8; i++) {
        see_wr(w, 0, BW0 + 1, UINT64_C(9) << i);
        see_rd(w, 0, BW0 + 1);
        see_wr(w, 0, SLOW0 + 1, UINT64_C(9) << i);
        see_rd(w, 0, SLOW0 + 1);
        see_wr(w, 0, L2_MASK0 + 1, UINT64_C(3) << i);
        see_rd(w, 0, L2_MASK0 + 1);
    }
    see_wr(w, 0, L2_MASK0 + 1, 1);
    see_wr(w, 0, BW0 + 1, 8);
    see_wr(w, last, THROTTLE0 + 1, 90);
    see_wr(w, last, BW0 + 1, 8);
    for (uint32_t run = 0; run < 5; run++) { /* 2: class 0, and the sibling's class 1; 3: with half of the delay */
        struct work work = { .kind = WORK_READ, .base = node_base(0), .bytes = 1 << 20, .passes = 2 };
        struct step steps[] = { { .op = STEP_WRMSR, .reg = PQR, .value = (uint64_t)(run % 2) << 32 },
                                { .op = STEP_WBINVD },
                                { .op = STEP_WORK, .work = &work } };
        struct task task = { .cpu = run == 4 ? last : 0, .steps = steps, .n_steps = 3 };

        if (run == 4)
            steps[0].value = BIT(32);
        if (run == 3)
            see_wr(w, 0, THROTTLE0 + 1, 50);
        see_wr(w, 1, PQR, (uint64_t)(run == 2) << 32);
        see(w, (uint64_t)p->ops->run(p->machine, &task, 1, 10000));
        see(w, work.tsc_end - work.tsc_begin);
    }
}

/* What firmware lists, and what its calls did. */
static void see_trial(struct witness *w)
{
    const struct mp_selftest *t = w->mp->platform.ops->mp_selftest(w->mp->platform.machine);

    for (uint32_t i = 0; i < t->n; i++) {
        const struct mp_processor *cpu = &t->cpus[i];

        see(w, (uint64_t)cpu->package << 48 ^ (uint64_t)cpu->core << 40 ^ (uint64_t)cpu->thread << 36 ^ cpu->apic_id);
        see(w, cpu->woken);
    }
    for (uint32_t i = 0; i < MP_CALLS; i++) {
        see(w, t->calls[i].code ^ t->calls[i].ran << 8 ^ t->calls[i].ended);
        see(w, t->calls[i].returned ^ t->calls[i].signalled << 1);
    }
    see(w, t->unlisted_aps);
}

/* Can every processor be asked, and what do the tables say? */
static void see_platform(struct witness *w)
{
    struct platform *p = &w->mp->platform;
    uint64_t at = p->rsdp & ~UINT64_C(4095);
    uint8_t byte;

    see_trial(w);
    for (uint32_t cpu = 0; cpu < p->n_cpus; cpu++) {
        struct step step = { .op = STEP_RDMSR, .reg = 0x10 };
        struct task task = { .cpu = cpu, .steps = &step, .n_steps = 1 };

        see(w, (uint64_t)p->ops->run(p->machine, &task, 1, 1000));
        see(w, (uint64_t)task.status << 8 | (uint64_t)step.status);
    }
    while (p->ops->phys_read(p->machine, at++, &byte, 1) == ST_OK)
        see(w, byte);
}

/* Misses of the LLC, as a counter of the core has them. */
static void see_core_counters(struct witness *w)
{
    see_wr(w, 0, 0x186, 0x43412E); /* enabled, in every ring */
    touch_lines(w, 0, node_base(0) + (40 << 16), 1000, MODEL_LOAD);
    see_rd(w, 0, 0xC1);
    see_wr(w, 0, 0x186, 0);
}

/* The stages of a session; true if it ended before the last one. */
static bool run_stages(struct witness *w, struct stage *stages)
{
    static void (*const parts[])(struct witness *) = { see_platform,    see_cpuid,   see_registers, see_core_counters,
                                                       see_association, see_masks,   see_throttles, see_monitoring,
                                                       see_crowd,       see_choices, see_memory,    see_kinds,
                                                       see_registers };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (w->m->profile->rdt || parts[i] == see_registers || i < 4)
            parts[i](w);
        w->tsc += SECOND;
        if (stage(w, stages))
            return true;
    }
    return false;
}

/* fault NULL: the stages are written. Otherwise: does the fault show? */
static bool session(const char *profile, uint32_t clusters, const struct model_fault *fault, struct stage *stages)
{
    struct model_config config = MODEL(profile, 2, 2, 2, .slices = clusters > 1 ? 8 : SLICES, .clusters = clusters);
    struct witness w = { .tsc = 1000000, .sum = 1, .compare = fault != NULL };

    if (fault) {
        config.faults[0] = fault->name;
        w.needs_gp = fault->needs_gp;
    }
    w.mp = model_platform_new(&config, NODE_BYTES);
    cr_assert(w.mp, "%s on %s", fault ? fault->name : "no fault", profile);
    w.m = w.mp->model;
    (void)run_stages(&w, stages);
    model_platform_free(w.mp);
    return w.seen;
}

/* --- tests */

ParameterizedTestParameters(fault_visible, each_on_each_of_its_profiles)
{
    static uint32_t numbers[64];

    for (uint32_t i = 0; i < profile_count() && i < 64; i++)
        numbers[i] = i;
    return cr_make_param_array(uint32_t, numbers, profile_count());
}

ParameterizedTest(uint32_t *number, fault_visible, each_on_each_of_its_profiles)
{
    const char *profile = profiles[*number]->name;
    struct profile *cut = profile_cut(profiles[*number], SLICES);
    struct stage stages[STAGES], again[STAGES], clustered[STAGES];
    bool has_clusters = false;
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    memset(stages, 0, sizeof stages);
    memset(again, 0, sizeof again);
    memset(clustered, 0, sizeof clustered);
    (void)session(profile, 1, NULL, stages);
    (void)session(profile, 1, NULL, again);
    cr_expect_arr_eq(stages, again, sizeof stages, "%s: two sessions differ", profile);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t clusters = faults[i].clusters;

        if (fault_is_of_uncore(&faults[i]) || !fault_fits_anew(&faults[i], cut))
            continue;
        if (clusters > 1 && !has_clusters)
            (void)session(profile, clusters, NULL, clustered);
        has_clusters |= clusters > 1;
        cr_expect(session(profile, clusters, &faults[i], clusters > 1 ? clustered : stages), "%s cannot be seen on %s",
                  faults[i].name, profile);
    }
    profile_cut_free(cut);
}

Test(fault_visible, the_catalogue_has_more_than_eighty_rows_and_each_a_part_that_it_applies_to)
{
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    cr_expect_gt(n, 80);
    for (uint32_t i = 0; i < n; i++) {
        bool some = false;

        for (uint32_t p = 0; p < profile_count(); p++)
            some |= fault_is_tried(&faults[i], profiles[p]);
        cr_expect(some, "the matrix tries %s on no profile", faults[i].name);
    }
}
