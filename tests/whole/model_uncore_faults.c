/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every fault of uncore monitors changes something that software can see: everything that it can see of every box is
 * folded into a number, without a fault and with each. Nothing here knows what a fault is about.
 */
#include "tests/support/uncore_part.h"

#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#define SLICES 2u
#define WORDS  512u
#define STAGES 160u

/* What the faultless part showed by the end of each stage of the session. */
struct trail {
    uint32_t n;
    uint64_t sums[STAGES];
};

struct witness {
    struct model *m;
    uint64_t tsc, sum;
    const struct trail *good; /* to be compared with: the session ends with the first stage that differs; or NULL */
    struct trail own;
};

/* The end of a stage. True: it differs from the faultless part's, and enough was seen. */
static bool stage(struct witness *w)
{
    uint32_t i = w->own.n++;

    cr_assert_lt(i, STAGES);
    w->own.sums[i] = w->sum;
    return w->good && w->good->sums[i] != w->sum;
}

static void see(struct witness *w, uint64_t value)
{
    w->sum = (w->sum ^ value) * UINT64_C(0x100000001B3) + 1;
    w->sum ^= w->sum >> 29; /* a product alone keeps high bits high, where two differences can cancel out */
}

static uint32_t processor_of(struct model *m, uint32_t package)
{
    return package * m->cpus / m->packages;
}

/* A status may be cleared by a register of its own. */
static bool is_of(const struct uncore_reg *r, enum uncore_reg_kind kind, bool set)
{
    return r->kind == kind || (kind == REG_STATUS && r->kind == (set ? REG_STATUS_CLEAR : REG_STATUS_READ));
}

/* Registers of a kind of one box, by the ways that software has. */
static void see_or_set(struct witness *w, const struct uncore_box *b, enum uncore_reg_kind kind, uint32_t index,
                       const uint64_t *set)
{
    uint32_t cpu = processor_of(w->m, b->package);

    for (uint32_t i = 0; i < b->type->n_regs; i++) {
        const struct uncore_reg *r = &b->type->regs[i];
        uint32_t at = b->base + r->offset + (index - r->first) * r->step, n = r->count ? r->count : 1;
        uint64_t value = 0;

        if (!is_of(r, kind, set != NULL) || index < r->first || index >= r->first + n)
            continue;
        w->tsc += 200;
        if (b->type->access == UNCORE_MSR && set) {
            see(w, model_wrmsr(w->m, cpu, at, w->tsc, *set));
        } else if (b->type->access == UNCORE_MSR) {
            see(w, model_rdmsr(w->m, cpu, at, w->tsc, &value));
            see(w, value);
        } else if (b->type->access == UNCORE_MMIO) {
            uint64_t physical = MODEL_MMIO_BASE + b->package * w->m->profile->uncore->mmio_bytes + at;

            if (set)
                model_mmio_write(w->m, physical, r->bytes ? r->bytes : 4, w->tsc, *set);
            else
                see(w, model_mmio_read(w->m, physical, r->bytes ? r->bytes : 4, w->tsc));
        } else {
            uint32_t function = uncore_bus(w->m, b->package, b->type->places[b->index].bus) << 8 | b->base;

            at -= b->base;
            for (uint32_t k = 0; k < 8 && k < (r->bytes ? r->bytes : 4); k += 4)
                if (set)
                    model_pci_write(w->m, function, at + k, 4, w->tsc, (uint32_t)(*set >> 8 * k));
                else
                    see(w, model_pci_read(w->m, function, at + k, 4, w->tsc));
        }
    }
}

static void set_all(struct witness *w, struct uncore *u, enum uncore_reg_kind kind, uint64_t value)
{
    for (uint32_t b = 0; b < u->boxes; b++)
        for (uint32_t i = 0; i < 8; i++)
            see_or_set(w, &u->box[b], kind, i, &value);
}

/* Bits of the global control without which boxes do not count. */
static uint64_t run_bits(const struct uncore_part *part)
{
    uint64_t run = 0;

    for (uint32_t k = 0; k < part->n_types; k++)
        run |= part->types[k]->run_by;
    return run;
}

/* Freeze or reset every box by its own control, whose layout is the part's, with its counters enabled there. */
static void set_boxes(struct witness *w, struct uncore *u, bool freeze, bool reset)
{
    for (uint32_t b = 0; b < u->boxes; b++) {
        const struct uncore_box_ctl *f = u->box[b].type->box_ctl;
        uint64_t value =
            f ? (freeze ? f->frz | f->frz_en : 0) | (reset ? f->rst_ctrl | f->rst_ctrs : 0) | f->run | f->run_fixed : 0;

        see_or_set(w, &u->box[b], REG_BOX_CTL, 0, &value);
    }
}

static void see_all(struct witness *w, struct uncore *u, enum uncore_reg_kind kind)
{
    for (uint32_t b = 0; b < u->boxes; b++)
        for (uint32_t i = 0; i < 8; i++)
            see_or_set(w, &u->box[b], kind, i, NULL);
}

/* What tells where units are and how many: all of it but the end of a discovery table, which is empty. */
static void see_places(struct witness *w, uint32_t package)
{
    struct uncore *u = &w->m->package[package].uncore;

    for (uint32_t b = 0; b < u->boxes; b++)
        for (uint32_t i = 0; i < u->box[b].type->n_regs; i++) {
            const struct uncore_reg *r = &u->box[b].type->regs[i];

            for (uint32_t k = 0; r->kind == REG_VALUE && k < (r->count ? r->count : 1) && k < WORDS; k++)
                see_or_set(w, &u->box[b], REG_VALUE, r->first + k, NULL);
        }
}

/* The fixed counters, which run for 10000 ticks, and do not. */
static void see_fixed(struct witness *w, struct uncore *u)
{
    for (uint32_t enabled = 0; enabled < 2; enabled++) {
        set_all(w, u, REG_FIXED_CTL, enabled ? EN | BIT(0) : 0);
        see_all(w, u, REG_FIXED_CTR);
        w->tsc += 10000;
        see_all(w, u, REG_FIXED_CTR);
    }
}

/* What overflows have sent to each processor up to now. */
static void see_interrupts(struct witness *w)
{
    for (uint32_t cpu = 0; cpu < w->m->cpus; cpu++) {
        uint32_t n = 0;

        while (n < 4 && model_pmi(w->m, cpu, w->tsc))
            n++;
        see(w, n);
    }
}

/* To the second of the cores that can be chosen: one that comes to another is seen. */
static uint64_t chosen_core(struct witness *w)
{
    const struct uncore_part *part = w->m->profile->uncore;
    uint64_t but_first = part->pmi_cores & (part->pmi_cores - 1);

    for (uint32_t cpu = 0; part->pmi_debugctl && cpu < w->m->cpus; cpu++)
        see(w, model_wrmsr(w->m, cpu, 0x1D9, w->tsc, BIT(13)));
    return but_first & -but_first;
}

/* An overflow that is reported freezes the package, and no box after it overflows: so the first box of each kind alone,
 * by events of which one is its clock's. */
static void see_overflow_of(struct witness *w, struct uncore *u, const struct uncore_box *b)
{
    const struct uncore_part *part = w->m->profile->uncore;
    const uint64_t clocks[] = { 0x00, 0x42 | UMASK(4) | THRESH(1) | INVERT, 0x01, 0x14 }, near = BITS(47, 0) - 100,
                   all = UINT64_MAX;
    const uint64_t status = UINT32_MAX, off = 0;

    set_all(w, u, REG_GLOBAL_CLEAR, all);
    set_all(w, u, REG_GLOBAL_CTL,
            chosen_core(w) | (part->global_enables ? UINT64_C(0x1000000FF) : part->global_unfrz | run_bits(part)));
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t control = clocks[i & 3] | EN | OV_EN;

        see_or_set(w, b, REG_CTR, i, &near);
        see_or_set(w, b, REG_CTL, i, &control);
    }
    w->tsc += 10000;
    see_interrupts(w);
    for (uint32_t cleared = 0; cleared < 2; cleared++) {
        see_all(w, u, REG_GLOBAL_STATUS);
        see_or_set(w, b, REG_STATUS, 0, NULL);
        see_or_set(w, b, REG_STATUS, 0, &status);
        set_all(w, u, REG_GLOBAL_CLEAR, all);
    }
    for (uint32_t i = 0; i < 8; i++)
        see_or_set(w, b, REG_CTL, i, &off);
}

/* Its fixed counter alone, which asks by its own control. */
static void see_overflow_of_fixed(struct witness *w, struct uncore *u, const struct uncore_box *b)
{
    const struct uncore_part *part = w->m->profile->uncore;
    const uint64_t near = BITS(47, 0) - 100, ask = EN | OV_EN | BIT(0) | BIT(2), off = 0, status = UINT32_MAX;

    set_all(w, u, REG_GLOBAL_CLEAR, UINT64_MAX);
    set_all(w, u, REG_GLOBAL_CTL,
            chosen_core(w) | (part->global_enables ? UINT64_C(0x1000000FF) : part->global_unfrz | run_bits(part)));
    see_or_set(w, b, REG_FIXED_CTR, 0, &near);
    see_or_set(w, b, REG_FIXED_CTL, 0, &ask);
    w->tsc += 10000;
    see_interrupts(w);
    see_or_set(w, b, REG_FIXED_CTR, 0, NULL);
    see_all(w, u, REG_GLOBAL_STATUS);
    see_or_set(w, b, REG_STATUS, 0, NULL);
    see_or_set(w, b, REG_STATUS, 0, &status);
    see_or_set(w, b, REG_FIXED_CTL, 0, &off);
}

static void see_overflows(struct witness *w, struct uncore *u)
{
    set_all(w, u, REG_CTL, 0);
    set_all(w, u, REG_STATUS, UINT32_MAX);
    set_boxes(w, u, false, false);
    for (uint32_t b = 0; b < u->boxes; b++)
        if (u->box[b].index == 0)
            see_overflow_of(w, u, &u->box[b]);
    for (uint32_t b = 0; b < u->boxes; b++)
        if (u->box[b].index == 0 && u->box[b].type->fixed_bits)
            see_overflow_of_fixed(w, u, &u->box[b]);
}

static bool see_package(struct witness *w, uint32_t package)
{
    struct uncore *u = &w->m->package[package].uncore;
    static const uint64_t controls[] = { 0x00,
                                         0x00 | THRESH(1),
                                         0x00 | THRESH(2),
                                         0x00 | THRESH(1) | INVERT,
                                         0x00 | THRESH(1) | EDGE,
                                         0x01,
                                         0x42 | UMASK(4) | THRESH(1) | INVERT,
                                         0x42 | UMASK(4) | THRESH(2),
                                         0x42 | UMASK(4) | THRESH(1) | INVERT | EDGE,
                                         0x0304,
                                         0x0C04,
                                         0x0101,
                                         0x0201,
                                         0x0200,
                                         0x0201,
                                         0x0A35,
                                         0x1134,
                                         0x072C,
                                         0x1020,
                                         0x1008 | THRESH(1),
                                         0x0150,
                                         0x0250,
                                         0x0F02,
                                         0x0F03,
                                         0xCF05,
                                         0xF034 | UINT64_C(0x1FFF) << 32,
                                         0x0109 | THRESH(1) | INVERT };
    const struct uncore_part *part = w->m->profile->uncore;
    uint64_t base = package * NODE, run = run_bits(part);
    uint64_t enables = part->global_enables ? UINT64_C(0x1000000FF) : part->global_unfrz | run;

    see_all(w, u, REG_CTL);
    see_all(w, u, REG_BOX_CTL);
    see_all(w, u, REG_CTR);
    see_all(w, u, REG_STATUS);
    see_places(w, package);
    see_fixed(w, u);
    if (stage(w))
        return true;
    set_all(w, u, REG_CTL, 0x42 | UMASK(4) | THRESH(1) | INVERT | EN); /* whatever firmware left frozen is */
    see_all(w, u, REG_CTR);
    set_all(w, u, REG_FILTER, BIT(19));
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        set_all(w, u, REG_CTR, BITS(47, 0) - 1000);
        set_all(w, u, REG_GLOBAL_CTL, enables);
        set_all(w, u, REG_CTL, controls[i] | EN | OV_EN);
        set_boxes(w, u, false, false);
        touch(w->m, processor_of(w->m, package), base + i * 0x100000, 64, MODEL_LOAD);
        touch(w->m, processor_of(w->m, package), base + i * 0x100000 + 0x80000, 32, MODEL_NT_STORE);
        touch(w->m, 0, (w->m->packages - 1) * NODE + 0x20000000 + i * 0x100000, 48, MODEL_LOAD);
        w->tsc += 10000;
        see_all(w, u, REG_CTR);
        see_all(w, u, REG_STATUS);
        set_all(w, u, REG_STATUS, UINT32_MAX);
        see_all(w, u, REG_STATUS);
        set_boxes(w, u, true, false);
        set_all(w, u, REG_GLOBAL_CTL, i & 1 ? part->global_frz | run : enables);
        see_all(w, u, REG_CTR);
        w->tsc += 10000;
        see_all(w, u, REG_CTR);
        set_all(w, u, REG_GLOBAL_CTL, part->global_unfrz | run);
        set_all(w, u, REG_CTL, controls[i] | RST);
        see_all(w, u, REG_CTR);
        set_boxes(w, u, false, true); /* an SBo may refuse two at once (fault sbo-init-gp) */
        see_all(w, u, REG_CTL);
        see_all(w, u, REG_CTR);
        set_all(w, u, REG_CTL, controls[i]); /* not enabled */
        w->tsc += 10000;
        see_all(w, u, REG_CTR);
        set_all(w, u, REG_CTL, controls[i] | EN);
        set_all(w, u, REG_GLOBAL_CTL, part->global_frz | run); /* all frozen, or none enabled */
        see_all(w, u, REG_CTR);
        w->tsc += 10000;
        see_all(w, u, REG_CTR);
        if (stage(w))
            return true;
    }
    see_all(w, u, REG_GLOBAL_STATUS);
    set_all(w, u, REG_GLOBAL_CLEAR, UINT64_MAX);
    see_all(w, u, REG_GLOBAL_STATUS);
    see_overflows(w, u);
    return stage(w);
}

/* The U-box's messages, over the counters' greatest value: where it has no invert, nothing else makes it count. */
static void see_messages(struct witness *w, uint32_t package)
{
    struct uncore *u = &w->m->package[package].uncore;

    for (uint32_t enabled = 0; enabled < 2; enabled++) {
        set_all(w, u, REG_CTL, 0x1F42 | (enabled ? EN : 0));
        set_all(w, u, REG_CTR, BITS(47, 0) - 4);
        for (uint32_t message = 0; message < 8; message++)
            model_ubox_message(w->m, package, 0x1F);
        see_all(w, u, REG_CTR);
    }
    for (uint32_t other = 0; other < 2; other++) { /* by another umask, by another event */
        set_all(w, u, REG_CTL, (other ? 0x0443 : 0x0142) | EN);
        for (uint32_t message = 0; message < 8; message++)
            model_ipi(w->m, processor_of(w->m, package));
        see_all(w, u, REG_CTR);
    }
}

/* Requests for whatever device is behind a port, by the masks of ports and flow classes. */
static void see_devices(struct witness *w, uint32_t package)
{
    static const uint64_t masks[][2] = {
        { UINT64_MAX, 0 }, { BIT(2), UINT64_MAX }, { BIT(3), UINT64_MAX }, { UINT64_MAX, UINT64_MAX }
    };
    struct uncore *u = &w->m->package[package].uncore;

    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        for (uint32_t b = 0; b < u->boxes; b++) {
            const struct uncore_ctl *f = u->box[b].type->ctl;
            uint64_t ctl = 0x40C1 | EN | RST;

            if (u->box[b].type->counters == 0 || f->ch_mask == 0)
                continue;
            ctl |= field_put(f->ch_mask, masks[i][0] & field_get(f->ch_mask, f->ch_mask));
            ctl |= masks[i][1] ? f->fc_mask : 0;
            see_or_set(w, &u->box[b], REG_CTL, 0, &ctl);
        }
        for (uint32_t bus = 0; bus < 256 * uncore_segments(w->m); bus++)
            if (model_pci_bus(w->m, bus))
                (void)model_pci_read(w->m, bus << 8, 0, 4, w->tsc);
        see_all(w, u, REG_CTR);
    }
}

/* Lines of each memory channel as AMD's data fabric and its memory controllers count them: events of Zen to Zen 3, of both
 * directions, and of Zen 4 and later, of each; of a controller its own. */
static void see_fabric(struct witness *w, uint32_t package)
{
    struct uncore *u = &w->m->package[package].uncore;
    bool amd = false;

    for (uint32_t b = 0; b < u->boxes; b++)
        amd |= u->box[b].type->unit == UNIT_DF;
    for (uint64_t channel = 0; channel < 12 && amd; channel++) {
        const uint64_t early = 0x07 + 0x40 * channel, late = 0x1F + 0x40 * channel;
        const uint64_t events[] = { (early & 0xFF) | 0x3800 | early >> 8 << 32,
                                    (late & 0xFF) | 0xFE00 | 0xF000000 | late >> 8 << 32,
                                    (late & 0xFF) | 0xFF00 | 0xF000000 | late >> 8 << 32 };

        for (uint32_t b = 0; b < u->boxes; b++)
            for (uint32_t i = 0; i < 3; i++) {
                uint64_t ctl = u->box[b].type->unit == UNIT_UMC ? 0x0A | BIT(31) : events[i] | BIT(22);

                see_or_set(w, &u->box[b], REG_CTL, i, &ctl);
            }
        touch(w->m, processor_of(w->m, package), package * NODE + 0x4000000 + channel * 0x100000, 512, MODEL_LOAD);
        see_all(w, u, REG_CTR);
    }
}

/* Requests that a home agent matches by a line's address and opcode RdData, packets that a link matches by class DRS, and
 * headers of a class that no load has. */
static void see_matches(struct witness *w, uint32_t package)
{
    static const uint64_t controls[] = { 0x0120, 0x0220, 0x0320, 0x38 | BIT(21), 0x0E04 };
    const uint64_t line = package * NODE + 0xA00000;
    const uint64_t kept[8] = { line & BITS(31, 6), line >> 32, 0x2, 0, 0xE << 9, 0, 0xF << 9, 0 };
    struct uncore *u = &w->m->package[package].uncore;

    for (uint32_t b = 0; b < u->boxes; b++)
        for (uint32_t i = 0; i < 8; i++)
            see_or_set(w, &u->box[b], REG_KEPT, i, &kept[i]);
    set_boxes(w, u, false, false);
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        set_all(w, u, REG_CTL, controls[i] | EN);
        touch(w->m, processor_of(w->m, package), line, 1, MODEL_NT_STORE); /* of another opcode */
        touch(w->m, processor_of(w->m, package), line + i * 0x10000, 40, MODEL_LOAD);
        touch(w->m, processor_of(w->m, package), line + i * 0x10000 + 0x8000, 20, MODEL_NT_STORE);
        touch(w->m, processor_of(w->m, 1 - package), line + 0x100000 + i * 0x10000, 30, MODEL_LOAD);
        w->tsc += 10000;
        see_all(w, u, REG_CTR);
    }
}

/* Events that go by a filter, a queue, a thread mask or a clock of their own; what wraps without asking for a report;
 * what runs although its box is frozen. */
static bool see_more(struct witness *w, uint32_t package)
{
    static const uint64_t controls[] = { 0x0B,
                                         0x0E,
                                         0x80,
                                         0x80 | THRESH(1),
                                         0x80 | THRESH(1) | EDGE,
                                         0x10,
                                         0x0310,
                                         0x0F04,
                                         0x3F04,
                                         0xFF05,
                                         0x0102,
                                         0x0102 | THRESH(1),
                                         0x0102 | THRESH(1) | EDGE,
                                         0x0103,
                                         0x0135 | UINT64_C(0xC001FF) << 32,
                                         0x0135 | UINT64_C(0xC8177E) << 32,
                                         0x0135 | UINT64_C(0xC807FE) << 32,
                                         0x3135,
                                         0x00 | EDGE,
                                         0x01 | EDGE,
                                         0x0103 | EDGE,
                                         0xFF04 | BITS(57, 56) | BIT(46),
                                         0x3807,
                                         0xFE1F | BITS(27, 24),
                                         0xFF1F | BITS(27, 24),
                                         BIT(31),
                                         0x4080,
                                         0x4080 | THRESH(2) | BIT(30),
                                         0x4080 | THRESH(1) | BIT(31),
                                         0x3010,
                                         0x0135 | UINT64_C(0xC8277E) << 32,
                                         0xFF04 | BITS(63, 56) | BITS(51, 48) };
    /* Filter, its second half and control: other packages' memory alone, twice; opcode RFO alone; the second core alone, by
     * bit 1, and by bit 3, of the thread's number. */
    static const uint64_t filtered[][3] = { { 0x39, 0x39, 0x3135 },
                                            { 0x39, 0x39, 0x8A35 },
                                            { 0x33 | 0x200 << 9, 0x33 | 0x200 << 9, 0x3135 },
                                            { 2, 2, 0x0A35 | BIT(19) },
                                            { 8, 0x3B, 0x3135 | BIT(19) },
                                            { 8, 0, 0x0135 | UINT64_C(0xC001FF) << 32 | BIT(19) },
                                            { 8, 0, 0x0135 | UINT64_C(0xC001FF) << 32 | BIT(16) } };
    struct uncore *u = &w->m->package[package].uncore;
    const struct uncore_part *part = w->m->profile->uncore;

    set_all(w, u, REG_FILTER, 0x3B);
    for (uint64_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        uint64_t base = package * NODE + i * 0x10000;

        set_all(w, u, REG_GLOBAL_CTL,
                part->global_enables ? UINT64_C(0x1000000FF) : part->global_unfrz | run_bits(part));
        set_boxes(w, u, false, false);
        set_all(w, u, REG_CTR, BITS(47, 0) - 4);
        for (uint32_t enabled = 0; enabled < 2; enabled++) {
            set_all(w, u, REG_CTL, controls[i] | (enabled ? EN | RST : 0));
            see_all(w, u, REG_CTL);
            touch(w->m, processor_of(w->m, package), base + enabled * 0x8000, 100, MODEL_LOAD);
            touch(w->m, processor_of(w->m, package) + 1, base + enabled * 0x8000, 150, MODEL_LOAD);
            touch(w->m, processor_of(w->m, package), base + 0x800000, 70, MODEL_NT_STORE);
            w->tsc += 1000000;
            see_all(w, u, REG_CTR);
            see_all(w, u, REG_STATUS);
        }
        see_all(w, u, REG_FREE);
        set_boxes(w, u, true, false);
        w->tsc += 1000000;
        see_all(w, u, REG_FREE);
        if (stage(w))
            return true;
    }
    for (uint64_t i = 0; i < sizeof filtered / sizeof filtered[0]; i++) {
        uint64_t base = package * NODE + 0x900000 + i * 0x10000;

        set_boxes(w, u, false, false);
        for (uint32_t b = 0; b < u->boxes; b++)
            for (uint32_t half = 0; half < 2; half++)
                see_or_set(w, &u->box[b], REG_FILTER, half, &filtered[i][half]);
        set_all(w, u, REG_CTL, filtered[i][2] | EN);
        touch(w->m, processor_of(w->m, package), base, 70, MODEL_LOAD);
        touch(w->m, processor_of(w->m, package) + 1, base + 0x8000, 100, MODEL_LOAD);
        see_all(w, u, REG_CTR);
    }
    see_messages(w, package);
    see_devices(w, package);
    see_fabric(w, package);
    see_matches(w, package);
    return stage(w);
}

static bool see_all_of_it(struct witness *w)
{
    bool enough;

    for (uint32_t bus = 0; bus < 256 * uncore_segments(w->m); bus++)
        for (uint32_t f = 0; model_pci_bus(w->m, bus) && f < 256; f++)
            see(w, model_pci_read(w->m, bus << 8 | f, 0, 4, w->tsc));
    enough = stage(w);
    for (uint32_t p = 0; p < 2 && !enough; p++)
        enough = see_package(w, p);
    for (uint32_t p = 0; p < 2 && !enough; p++)
        enough = see_more(w, p);
    return enough;
}

/* What the faultless part shows. */
static struct trail session(const char *profile)
{
    struct witness w = { .m = part_with(profile, 2, SLICES, NULL), .tsc = 1000000, .sum = 1 };

    cr_expect_not(see_all_of_it(&w));
    model_free(w.m);
    return w.own;
}

/* Does the part with the fault show something else? */
static bool shows(const char *profile, const char *fault, const struct trail *good)
{
    struct witness w = { .m = part_with(profile, 2, SLICES, fault), .tsc = 1000000, .sum = 1, .good = good };
    bool differs = see_all_of_it(&w);

    model_free(w.m);
    return differs;
}

/* The monitor of a kind; NULL: the part lacks it. */
static const struct uncore_box_type *type_of(const struct uncore_part *part, uint32_t unit)
{
    for (uint32_t i = 0; i < part->n_types; i++)
        if ((uint32_t)part->types[i]->unit == unit && part->types[i]->counters)
            return part->types[i];
    return NULL;
}

/* Does it report overflows, somewhere? */
static bool reports(const struct uncore_box_type *t)
{
    for (uint32_t i = 0; i < t->n_regs; i++)
        if (t->regs[i].kind == REG_STATUS || t->regs[i].kind == REG_GLOBAL_CLEAR)
            return t->ctl->ov_en || t->overflow_always;
    return false;
}

/* What a unit must have for a fault to show there: a box control, a global freeze, an overflow report ... */
static bool can_have(const struct uncore_part *part, uint32_t unit, enum fault_id id)
{
    const struct uncore_box_type *t = type_of(part, unit);

    switch (id) {
    case FAULT_PMON_BOX_RESET_DEAD:
        return t->box_ctl;
    case FAULT_PMON_IGNORES_ENABLE:
        return t->ctl->en || part->global_enables;
    case FAULT_PMON_LEFT_FROZEN:
    case FAULT_PMON_FREEZE_DEAD:
        return t->box_ctl || part->global_frz;
    case FAULT_PMON_GLOBAL_FREEZE_MISSES:
        return part->global_frz;
    case FAULT_PMON_RESET_DEAD: /* Nehalem's and the E5-2600's channels have no reset of a counter's own */
        return t->ctl->rst;
    case FAULT_PMON_OVERFLOW_STUCK:
        return reports(t);
    default:
        return true;
    }
}

/* Those whose parameter may be any unit that counts. */
static bool is_of_every_unit(const struct model_fault *fault)
{
    return !strncmp(fault->name, "pmon-", 5);
}

Test(faults, each_shows_on_every_unit_that_can_have_it)
{
    static const char *const names[] = { "bdx", "hsx", "snbep", "nhm", "skx", "icx", "spr" };
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (size_t p = 0; p < sizeof names / sizeof names[0]; p++) {
        const struct profile *part = profile_by_name(names[p]);
        struct trail good = session(names[p]);

        cr_expect_not(shows(names[p], NULL, &good));
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t unit = 0; unit < UNITS && is_of_every_unit(&faults[i]); unit++) {
                char name[80];

                if (!type_of(part->uncore, unit) || !fault_fits(&faults[i], part))
                    continue;
                snprintf(name, sizeof name, "%s:%u", faults[i].name, unit);
                cr_expect_eq(shows(names[p], name, &good), can_have(part->uncore, unit, i), "%s: %s", names[p], name);
            }
    }
}

/* A capability that is derived where it is not there shows as a fault that changes nothing. */
ParameterizedTestParameters(faults, show_on_each_part_that_can_have_them)
{
    static uint32_t numbers[64];

    for (uint32_t i = 0; i < profile_count() && i < 64; i++)
        numbers[i] = i;
    return cr_make_param_array(uint32_t, numbers, profile_count());
}

ParameterizedTest(uint32_t *number, faults, show_on_each_part_that_can_have_them)
{
    const struct profile *profile = profiles[*number];
    struct profile *cut = profile_cut(profile, SLICES);
    struct trail good = profile->uncore ? session(profile->name) : (struct trail){ 0 };
    uint32_t n;
    const struct model_fault *faults = model_faults(&n);

    for (uint32_t i = 0; i < n && profile->uncore; i++)
        if (fault_is_of_uncore(&faults[i]) && fault_fits_anew(&faults[i], cut))
            cr_expect(shows(profile->name, faults[i].name, &good), "%s on %s", faults[i].name, profile->name);
    profile_cut_free(cut);
}
