/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The silicon's tables of uncore boxes against those of Linux and PCM: tests/fixtures/uncore/boxes.tsv, which was made
 * without sight of them. Every constant that both have is compared; a difference is an error, or stands below. */
#include "core/base/bits.h"
#include "core/base/search.h"
#include "tests/support/data/driver_boxes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct excused excused[] = {
    { "[nw][hs]mex ubox box_ctl*", "it is the global control" },
    { "[nw][hs]mex [sm]box filter", "MM_CFG and what follows are box types of their own" },
    { "[nw][hs]mex mbox event_mask", "bit 20, which asks for an interrupt elsewhere, is of set_flag_sel there" },
    { "[nw][hs]mex bbox event_mask", "bits 7:6 choose the counter in Linux, which does not write them" },
    { "ivbep ha boxes", "parts of few cores have one" },
    { "ivbep imc boxes", "parts of few cores have one controller" },
    { "ivbep qpi boxes", "the third is of -EX parts" },
    { "hsx ha boxes", "parts of few cores have one" },
    { "bdx ha boxes", "parts of few cores have one" },
    { "[hb][sd]x qpi boxes", "the third is of -EX parts" },
    { "[hb][sd]x r3qpi boxes", "the third is of -EX parts" },
    { "bdxde sbox is there", "Xeon D-1500 has none: Linux drives what the die of Broadwell-EP may have" },
    { "bdxde *qpi is there", "Xeon D-1500 has no link" },
    { "bdxde ha boxes", "it has one" },
    { "hsx r3qpi counters of event 0x1", "the event file counts clocks on all three, Linux on two" },
    { "* pcu event_mask", "bit 21 is the extended select of event files, which Linux does not offer; bit 22 as below" },
    { "hsx ubox thread of the filter", "the register is kept, and no event goes by it" },
    { "[bsci][dklc]x* ubox filter", "the documents have it, and no event of Linux goes by it" },
    { "[segs][pmnr][rf] pcu filter", "no event of the silicon goes by it" },
    { "knl cha thread of the filter", "the register is kept, and no event goes by it" },
    { "skx cha filter", "bit 61 (c6) is defined in Linux, but not in its mask" },
    { "clx cha filter", "as on Skylake-SP, which has the same tables" },
    { "icx cha filter", "Linux offers the thread alone; likwid has state, too" },
    { "icxd cha filter", "as on Ice Lake-SP" },
    { "snr cha counters of event 0x36", "Linux lets any counter count it, the event file counter 0 alone" },
    { "icxd *upi is there", "Xeon D-1700 and D-2700 have no link" },
    { "icxd m2m boxes", "a part with one controller" },
    { "spr * event_mask", "bit 22 is kept and does nothing: PCM sets it, Linux never" },
    { "emr * event_mask", "as on Sapphire Rapids" },
    { "spr imc event_mask_ext", "no 32-bit control has these bits" },
    { "emr imc event_mask_ext", "no 32-bit control has these bits" },
    { "spr *upi boxes", "a part with three links" },
    { "spr uncore_type_* is there", "units that have no name" },
    { "emr uncore_type_* is there", "units that have no name" },
    { "spr hbm box_ctl of *", "they count from a base address of the machine's" },
    { "spr hbm event_mask_ext", "no 32-bit control has these bits" },
    { "emr [chm][xbd]* is there", "no profile has CXL, HBM or MDF" },
    { "gnr * event_mask", "as on Sapphire Rapids" },
    { "srf * event_mask", "as on Sapphire Rapids" },
    { "[gs][nr][rf] cxlcm counters of event 0x1", "the event file counts clocks on four of the eight, Linux on all" },
    { "gnr imc event_mask_ext", "no 32-bit control has these bits" },
    { "srf imc event_mask_ext", "no 32-bit control has these bits" },
    { "gnr uncore_type_* is there", "units that have no name" },
    { "srf uncore_type_* is there", "units that have no name" },
    { "zen[12345] amd_l3 event_mask_ext", "bits 35:32 are in Linux' mask, but in no field of its formats" },
};

/* --- registers and fields ---------------------------------------------------------------------------------------- */

/* MSRs are absolute, offsets of PCI functions too; of memory-mapped boxes they count from the box control. */
static uint64_t register_at(const struct uncore_box_type *t, uint32_t box, enum uncore_reg_kind kind, uint32_t k)
{
    uint64_t offset = uncore_reg_at(t, kind, k, NULL);

    return offset == NONE ? NONE : t->access == UNCORE_MSR ? uncore_base_at(t, box) + offset : offset;
}

static uint64_t control_at(const struct uncore_row *r, uint32_t box, uint32_t i)
{
    return register_at(r->boxes, box, REG_CTL, i);
}

static uint64_t counter_at(const struct uncore_row *r, uint32_t box, uint32_t i)
{
    return register_at(r->boxes, box, REG_CTR, i);
}

/* --- where the boxes are */

static uint32_t boxes_of(const struct uncore_box_type *t)
{
    return t->number ? t->n_places : t->count;
}

/* Offset of box i in its memory controller's part of the window. */
#define CONTROLLER UINT64_C(0x3FFFF)

/* Channels that count from one base: of a controller, or all. */
static uint32_t channels_of_base(const char *part)
{
    return strcmp(part, "gnr") == 0 || strcmp(part, "srf") == 0 ? 12 : strcmp(part, "icxd") == 0 ? 3 : 2;
}

static uint64_t box_control_at(const struct uncore_row *r, uint32_t box)
{
    if (r->boxes->access != UNCORE_MMIO)
        return register_at(r->boxes, box, REG_BOX_CTL, 0);
    return uncore_base_at(r->boxes, box) & (channels_of_base(r->part) == 12 ? UINT64_MAX : CONTROLLER);
}

/* "8086:2042@10.2,8086:2046@10.6": as many as the silicon has. */
static void compare_functions(struct compared *c, const struct uncore_row *r)
{
    const char *at = tsv_cell(r->table, r->n, "pci_ids");
    uint32_t i = 0;

    if (r->boxes->access != UNCORE_PCI)
        return;
    for (; *at && i < r->boxes->n_places; i++) {
        uint32_t vendor, did, device, function;
        int fields = sscanf(at, "%x:%x@%u.%u", &vendor, &did, &device, &function);
        char what[32];

        cr_assert_geq(fields, 2, "%s", at);
        snprintf(what, sizeof what, "device of %u", i);
        uncore_same(c, r, what, r->of->silicon->did | r->boxes->places[i].did, did);
        snprintf(what, sizeof what, "function of %u", i);
        if (fields == 4)
            uncore_same(c, r, what, r->boxes->places[i].base, UNCORE_DEVFN(device, function));
        at += strcspn(at, ",");
        at += *at == ',';
    }
    uncore_same_cell(c, r, "boxes", boxes_of(r->boxes));
}

/* Bit 20 asks for an interrupt or a message on overflow, which no driver offers. */
static uint64_t settable(const struct uncore_ctl *f)
{
    return (f->ev_sel | f->ev_sel_ext | f->umask | f->edge_det | f->invert | f->thresh | f->tid_en | f->kept) &
           ~BIT(20);
}

static uint64_t some(uint64_t bits)
{
    return bits ? bits : NONE;
}

static struct box_table table_of(const struct uncore_row *r)
{
    const struct uncore_box_type *t = r->boxes;
    const struct uncore_ctl *f = t->ctl;
    const struct uncore_box_ctl *box = t->box_ctl;
    const struct uncore_reg *ctl = NULL;
    bool msr = t->access == UNCORE_MSR;

    (void)uncore_reg_at(t, REG_CTL, 0, &ctl);
    cr_assert(ctl);
    return (struct box_table){
        .counters = t->counters,
        .counter_bits = t->counter_bits,
        .ctl_bytes = msr          ? 8
                     : ctl->bytes ? ctl->bytes
                                  : 4,
        .fixed_ctl = register_at(t, 0, REG_FIXED_CTL, 0),
        .fixed_ctr = register_at(t, 0, REG_FIXED_CTR, 0),
        .fixed_bits = some(t->fixed_bits),
        .fixed_en = f->fixed_en,
        .event_mask = settable(f),
        .event_enable = some(f->en),
        .box_init = box ? box->rst_ctrl | box->rst_ctrs | box->frz_en : NONE,
        .box_freeze = box ? box->frz : NONE,
        .filter = { msr ? register_at(t, 0, REG_FILTER, 0) : NONE, msr ? register_at(t, 0, REG_FILTER, 1) : NONE },
        .tid = some(t->filter_tid),
        .addresses = msr,
        .boxes = t->access == UNCORE_PCI ? 1
                 : boxes_of(t)           ? boxes_of(t)
                                         : 24,
        .channels = t->access == UNCORE_MMIO ? channels_of_base(r->part) : 0,
        .ctl = control_at,
        .ctr = counter_at,
        .box_ctl = box_control_at,
    };
}

static void compare_control(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_ctl *f = r->boxes->ctl;
    uint64_t tid = uncore_bit_after(r, "notes", "tid_en=b"), ext = uncore_bit_after(r, "notes", "ev_sel_ext=b");
    const struct uncore_reg *ctr = NULL;

    if (tid != NONE)
        uncore_same(c, r, "tid_en", (f->tid_en | f->kept) & tid, tid);
    if (ext != NONE)
        uncore_same(c, r, "ev_sel_ext", f->ev_sel_ext, ext);
    (void)uncore_reg_at(r->boxes, REG_CTR, 0, &ctr);
    cr_assert(ctr);
    if (r->boxes->access != UNCORE_MSR)
        uncore_same(c, r, "ctr_bytes", ctr->bytes, 8);
}

/* --- filters */

static uint64_t all_fields(const struct uncore_row *r)
{
    const char *at = tsv_cell(r->table, r->n, "filters");
    uint64_t all = 0;

    while ((at = strstr(at, "mask:")) != NULL) {
        at = strchr(at, '=') + 1;
        all |= strtoull(at, NULL, 0);
    }
    return all;
}

static void compare_filters(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_box_type *t = r->boxes;
    static const char *const fields[] = { "mask:state=", "mask:nid=", "mask:opc=" };
    const uint64_t ours[] = { t->filter_state, t->filter_nid, t->filter_opc };

    if (t->access != UNCORE_MSR || tsv_after(r->table, r->n, "filters", "reg:") == NULL)
        return;
    if (all_fields(r))
        uncore_same(c, r, "filter", t->filter_kept, all_fields(r));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (ours[i])
            uncore_same(c, r, fields[i], ours[i], uncore_number_after(r, "filters", fields[i]));
}

/* --- which counter can count what */

static void compare_constraints(struct compared *c, const struct uncore_row *r)
{
    uint64_t all = low_bits(r->boxes->counters);

    if (strncmp(r->part, "zen", 3) == 0 || strcmp(r->part, "nhm") == 0)
        return;
    EACH(const struct uncore_event, e, r->boxes->events, r->boxes->n_events) {
        char what[48];

        snprintf(what, sizeof what, "counters of event %#x", e->ev_sel);
        uncore_same(c, r, what, e->counters ? e->counters : all,
                    tsv_allowed(tsv_cell(r->table, r->n, "constraints"), e->ev_sel, all));
    }
}

/* --- free-running counters: "ioclk:0xa45:1:1:36,bw:0xb00:1:8:36" */

/* The register that is there, of the type or, for a clock, of its neighbours. */
static const struct uncore_reg *free_reg(const struct uncore_row *r, uint64_t address)
{
    for (uint32_t k = 0; k < r->of->silicon->n_types; k++) {
        const struct uncore_box_type *t = r->of->silicon->types[k];

        if (t->access != r->boxes->access || (t->access == UNCORE_MMIO && t != r->boxes))
            continue;
        for (uint32_t i = 0; i < t->n_regs; i++)
            for (uint32_t n = 0; n < (t->regs[i].count ? t->regs[i].count : 1); n++)
                if ((t->regs[i].kind == REG_FREE || t->regs[i].kind == REG_VALUE) &&
                    (t->access == UNCORE_MSR ? uncore_base_at(t, 0) : 0) + t->regs[i].offset + n * t->regs[i].step ==
                        address)
                    return &t->regs[i];
    }
    return NULL;
}

static void compare_free_running(struct compared *c, const struct uncore_row *r)
{
    const char *at = tsv_cell(r->table, r->n, "freerunning");

    while (*at) {
        uint32_t base, count, bits;
        int stride; /* some in hexadecimal */
        char name[16], what[48];

        cr_assert_eq(sscanf(at, "%15[^:]:%x:%i:%u:%u", name, &base, &stride, &count, &bits), 5, "%s", at);
        for (uint32_t i = 0; i < count; i++) {
            const struct uncore_reg *reg = free_reg(r, base + (uint64_t)i * (uint32_t)stride);

            snprintf(what, sizeof what, "free-running %s %u", name, i);
            uncore_same(c, r, what, reg != NULL, 1);
            if (reg && reg->kind == REG_FREE)
                uncore_same(c, r, what, (uint64_t)__builtin_popcountll(reg->mask), bits);
        }
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

/* --- the part's own registers */

static const struct uncore_box_type *with(const struct uncore_part *p, enum uncore_reg_kind kind, uint64_t offset)
{
    return FIND(k, p->n_types,
                uncore_reg_at(p->types[k], kind, 0, NULL) != UINT64_MAX &&
                    (offset == UINT64_MAX || uncore_reg_at(p->types[k], kind, 0, NULL) == offset),
                p->types[k], NULL);
}

static void compare_global(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_part *p = r->of->silicon;
    const struct uncore_box_type *global = with(p, REG_GLOBAL_CTL, UINT64_MAX), *ubox;
    uint64_t ctl = uncore_number_after(r, "global_ctl", "ctl="), id = uncore_number_after(r, "notes", "CPUNODEID at "),
             freeze = uncore_bit_after(r, "global_ctl", ";freeze=b"),
             thaw = uncore_bit_after(r, "global_ctl", "unfreeze=b");
    uint32_t did;

    if (ctl != NONE)
        uncore_same(c, r, "control", global ? register_at(global, 0, REG_GLOBAL_CTL, 0) : NONE, ctl);
    if (freeze != NONE)
        uncore_same(c, r, "freeze", p->global_frz, freeze);
    if (thaw != NONE)
        uncore_same(c, r, "unfreeze", p->global_unfrz, thaw);
    if (id == NONE)
        return;
    ubox = with(p, REG_VALUE, id);
    cr_assert_eq(sscanf(tsv_cell(r->table, r->n, "pci_ids"), "8086:%x", &did), 1);
    uncore_same(c, r, "U-box function", ubox ? p->did | ubox->places[0].did : 0, did);
}

Test(tables, boxes_are_those_of_drivers_for_real_parts)
{
    struct tsv *boxes = uncore_boxes();
    struct compared c = { .excused = excused, .n_excused = sizeof excused / sizeof excused[0] };

    for (uint32_t n = 0; n < tsv_rows(boxes); n++) {
        struct uncore_row r;
        struct box_table t;

        uncore_row(boxes, n, &r);
        if (!r.of->silicon || strcmp(r.box, "discovery") == 0)
            continue;
        if (strcmp(r.box, "global") == 0) {
            compare_global(&c, &r);
            continue;
        }
        uncore_same(&c, &r, "is there", r.boxes != NULL, 1);
        if (!r.boxes)
            continue;
        compare_free_running(&c, &r);
        if (!r.boxes->counters)
            continue;
        t = table_of(&r);
        driver_boxes_compare(&c, &r, &t);
        compare_functions(&c, &r);
        compare_control(&c, &r);
        compare_filters(&c, &r);
        compare_constraints(&c, &r);
    }
    compared_end(&c, 12000);
    tsv_free(boxes);
}
