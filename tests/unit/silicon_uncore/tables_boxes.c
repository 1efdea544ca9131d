/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The silicon's tables of uncore boxes against those of Linux and PCM: tests/fixtures/uncore/boxes.tsv, which was made
 * without sight of them. Every constant that both have is compared; a difference is an error, or stands below. */
#include "core/base/bits.h"
#include "tests/support/data/uncore_rows.h"

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

/* --- registers of one box */

/* MSRs are absolute, offsets of PCI functions too; of memory-mapped boxes they count from the box control. */
static uint64_t address_of(const struct uncore_box_type *t, uint32_t box, uint64_t offset)
{
    return t->access == UNCORE_MSR ? uncore_base_at(t, box) + offset : offset;
}

/* Of addresses that count from another box than the first. */
static uint64_t first_box(const struct uncore_row *r)
{
    const char *stride = tsv_cell(r->table, r->n, "box_stride");

    return r->type->access == UNCORE_MSR && strchr(stride, ',') ? strtoull(stride, NULL, 0) : 0;
}

static void compare_series(struct compared *c, const struct uncore_row *r, enum uncore_reg_kind kind, const char *first,
                           const char *stride, const char *what)
{
    const char *at = tsv_cell(r->table, r->n, first), *step = tsv_cell(r->table, r->n, stride);
    bool list = strchr(step, ',') != NULL;

    for (uint32_t i = 0; tsv_is_number(at) && i < r->type->counters; i++) {
        uint64_t theirs = (list ? 0 : strtoull(at, NULL, 0)) + tsv_step(step, i) + first_box(r), offset;
        char name[48];

        offset = uncore_reg_at(r->type, kind, i, NULL);
        snprintf(name, sizeof name, "%s %u", what, i);
        uncore_same_number(c, r, name, offset == UINT64_MAX ? offset : address_of(r->type, 0, offset), theirs);
    }
}

static void compare_one(struct compared *c, const struct uncore_row *r, enum uncore_reg_kind kind, const char *column)
{
    uint64_t offset = uncore_reg_at(r->type, kind, 0, NULL);

    uncore_same(c, r, column, offset == UINT64_MAX ? offset : address_of(r->type, 0, offset),
                tsv_cell(r->table, r->n, column));
}

static void compare_sizes(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_reg *ctl = NULL, *ctr = NULL;
    uint64_t bytes;

    (void)uncore_reg_at(r->type, REG_CTL, 0, &ctl);
    (void)uncore_reg_at(r->type, REG_CTR, 0, &ctr);
    cr_assert(ctl && ctr);
    bytes = r->type->access == UNCORE_MSR ? 8 : ctl->bytes ? ctl->bytes : 4;
    uncore_same(c, r, "ctl_bytes", bytes, tsv_cell(r->table, r->n, "ctl_bytes"));
    if (r->type->access != UNCORE_MSR)
        uncore_same_number(c, r, "ctr_bytes", ctr->bytes, 8);
}

static void compare_registers(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_box_type *t = r->type;

    uncore_same(c, r, "counters", t->counters, tsv_cell(r->table, r->n, "counters"));
    uncore_same(c, r, "counter_bits", t->counter_bits, tsv_cell(r->table, r->n, "counter_bits"));
    uncore_same(c, r, "fixed_bits", t->fixed_bits, tsv_cell(r->table, r->n, "fixed_bits"));
    compare_series(c, r, REG_CTL, "ctl0", "ctl_stride", "control");
    compare_series(c, r, REG_CTR, "ctr0", "ctr_stride", "counter");
    compare_one(c, r, REG_FIXED_CTL, "fixed_ctl");
    compare_one(c, r, REG_FIXED_CTR, "fixed_ctr");
    compare_sizes(c, r);
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

static void compare_places(struct compared *c, const struct uncore_row *r)
{
    const char *first = tsv_cell(r->table, r->n, "box_ctl"), *stride = tsv_cell(r->table, r->n, "box_stride");
    uint64_t offset = uncore_reg_at(r->type, REG_BOX_CTL, 0, NULL);
    uint32_t boxes = boxes_of(r->type) ? boxes_of(r->type) : 24, channels = channels_of_base(r->part);

    if (!tsv_is_number(first))
        return;
    if (r->type->access == UNCORE_PCI)
        boxes = 1;
    for (uint32_t i = 0; i < boxes; i++) {
        uint64_t ours = address_of(r->type, i, offset), theirs = strtoull(first, NULL, 0);
        char what[32];

        if (r->type->access == UNCORE_MMIO)
            ours = uncore_base_at(r->type, i) & (channels == 12 ? UINT64_MAX : CONTROLLER);
        if (tsv_step(stride, i) == UINT64_MAX)
            break;
        theirs += tsv_step(stride, r->type->access == UNCORE_MMIO ? i % channels : i);
        snprintf(what, sizeof what, "box_ctl of %u", i);
        uncore_same_number(c, r, what, ours, theirs);
    }
}

/* "8086:2042@10.2,8086:2046@10.6": as many as the silicon has. */
static void compare_functions(struct compared *c, const struct uncore_row *r)
{
    const char *at = tsv_cell(r->table, r->n, "pci_ids");
    uint32_t i = 0;

    if (r->type->access != UNCORE_PCI)
        return;
    for (; *at && i < r->type->n_places; i++) {
        uint32_t vendor, did, device, function;
        int fields = sscanf(at, "%x:%x@%u.%u", &vendor, &did, &device, &function);
        char what[32];

        cr_assert_geq(fields, 2, "%s", at);
        snprintf(what, sizeof what, "device of %u", i);
        uncore_same_number(c, r, what, r->silicon->did | r->type->places[i].did, did);
        snprintf(what, sizeof what, "function of %u", i);
        if (fields == 4)
            uncore_same_number(c, r, what, r->type->places[i].base, UNCORE_DEVFN(device, function));
        at += strcspn(at, ",");
        at += *at == ',';
    }
    uncore_same(c, r, "boxes", boxes_of(r->type), tsv_cell(r->table, r->n, "boxes"));
}

/* --- fields */

static uint64_t bit_after(const struct uncore_row *r, const char *key)
{
    const char *at = tsv_after(r->table, r->n, "notes", key);

    return at ? BIT(strtoull(at, NULL, 10)) : 0;
}

/* Bit 20 asks for an interrupt or a message on overflow, which no driver offers. */
static uint64_t settable(const struct uncore_ctl *f)
{
    return (f->ev_sel | f->ev_sel_ext | f->umask | f->edge_det | f->invert | f->thresh | f->tid_en | f->kept) &
           ~BIT(20);
}

static void compare_control(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_ctl *f = r->type->ctl;
    const char *mask = tsv_cell(r->table, r->n, "event_mask"), *ext = tsv_cell(r->table, r->n, "event_mask_ext");

    uncore_same(c, r, "event_mask", settable(f) & UINT32_MAX, mask);
    if (tsv_is_number(mask))
        uncore_same(c, r, "event_mask_ext", settable(f) >> 32, *ext ? ext : "0");
    if (bit_after(r, "event_enable=b"))
        uncore_same_number(c, r, "event_enable", f->en, bit_after(r, "event_enable=b"));
    if (bit_after(r, "tid_en=b"))
        uncore_same_number(c, r, "tid_en", (f->tid_en | f->kept) & bit_after(r, "tid_en=b"), bit_after(r, "tid_en=b"));
    if (bit_after(r, "ev_sel_ext=b"))
        uncore_same_number(c, r, "ev_sel_ext", f->ev_sel_ext, bit_after(r, "ev_sel_ext=b"));
    if (*tsv_cell(r->table, r->n, "fixed_ctl") && strstr(tsv_cell(r->table, r->n, "notes"), "writing 0x400000"))
        uncore_same_number(c, r, "fixed_en", f->fixed_en, BIT(22));
}

static void compare_box_control(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_box_ctl *f = r->type->box_ctl;
    const char *init = tsv_after(r->table, r->n, "notes", "box_init="),
               *freeze = tsv_after(r->table, r->n, "notes", "writes ");

    if (init)
        uncore_same_number(c, r, "box_init", f ? f->rst_ctrl | f->rst_ctrs | f->frz_en : 0, strtoull(init, NULL, 0));
    if (bit_after(r, "box_freeze=b"))
        uncore_same_number(c, r, "box_freeze", f ? f->frz : 0, bit_after(r, "box_freeze=b"));
    else if (freeze && strstr(tsv_cell(r->table, r->n, "notes"), "box_freeze writes"))
        uncore_same_number(c, r, "box_freeze", f ? f->frz : 0, strtoull(freeze, NULL, 0));
}

/* --- filters */

static uint64_t field_after(const struct uncore_row *r, const char *key)
{
    const char *at = tsv_after(r->table, r->n, "filters", key);

    return at ? strtoull(at, NULL, 0) : 0;
}

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

static void compare_filter_register(struct compared *c, const struct uncore_row *r, const char *key, uint32_t k)
{
    uint64_t offset = uncore_reg_at(r->type, REG_FILTER, k, NULL);
    const char *at = tsv_after(r->table, r->n, "filters", key);

    if (at && *at != 'b') /* box_ctl+0xe */
        uncore_same_number(c, r, key, offset == UINT64_MAX ? offset : address_of(r->type, 0, offset),
                           strtoull(at, NULL, 0) + first_box(r));
}

static void compare_filters(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_box_type *t = r->type;
    static const char *const fields[] = { "mask:tid=", "mask:state=", "mask:nid=", "mask:opc=" };
    const uint64_t ours[] = { t->filter_tid, t->filter_state, t->filter_nid, t->filter_opc };

    if (t->access != UNCORE_MSR || tsv_after(r->table, r->n, "filters", "reg:") == NULL)
        return;
    compare_filter_register(c, r, "reg:FILTER=", 0);
    compare_filter_register(c, r, "reg:FILTER0=", 0);
    compare_filter_register(c, r, "reg:FILTER1=", 1);
    if (all_fields(r))
        uncore_same_number(c, r, "filter", t->filter_kept, all_fields(r));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (ours[i])
            uncore_same_number(c, r, fields[i], ours[i], field_after(r, fields[i]));
}

/* --- which counter can count what */

static void compare_constraints(struct compared *c, const struct uncore_row *r)
{
    uint64_t all = low_bits(r->type->counters);

    if (strncmp(r->part, "zen", 3) == 0 || strcmp(r->part, "nhm") == 0)
        return;
    for (uint32_t i = 0; i < r->type->n_events; i++) {
        const struct uncore_event *e = &r->type->events[i];
        char what[48];

        snprintf(what, sizeof what, "counters of event %#x", e->ev_sel);
        uncore_same_number(c, r, what, e->counters ? e->counters : all,
                           tsv_allowed(tsv_cell(r->table, r->n, "constraints"), e->ev_sel, all));
    }
}

/* --- free-running counters: "ioclk:0xa45:1:1:36,bw:0xb00:1:8:36" */

/* The register that is there, of the type or, for a clock, of its neighbours. */
static const struct uncore_reg *free_reg(const struct uncore_row *r, uint64_t address)
{
    for (uint32_t k = 0; k < r->silicon->n_types; k++) {
        const struct uncore_box_type *t = r->silicon->types[k];

        if (t->access != r->type->access || (t->access == UNCORE_MMIO && t != r->type))
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
            uncore_same_number(c, r, what, reg != NULL, 1);
            if (reg && reg->kind == REG_FREE)
                uncore_same_number(c, r, what, (uint64_t)__builtin_popcountll(reg->mask), bits);
        }
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

/* --- the part's own registers */

static const struct uncore_box_type *with(const struct uncore_part *p, enum uncore_reg_kind kind, uint64_t offset)
{
    for (uint32_t k = 0; k < p->n_types; k++)
        if (uncore_reg_at(p->types[k], kind, 0, NULL) != UINT64_MAX &&
            (offset == UINT64_MAX || uncore_reg_at(p->types[k], kind, 0, NULL) == offset))
            return p->types[k];
    return NULL;
}

static void compare_global(struct compared *c, const struct uncore_row *r)
{
    const struct uncore_box_type *global = with(r->silicon, REG_GLOBAL_CTL, UINT64_MAX), *ubox;
    const char *ctl = tsv_after(r->table, r->n, "global_ctl", "ctl="),
               *freeze = tsv_after(r->table, r->n, "global_ctl", ";freeze=b"),
               *thaw = tsv_after(r->table, r->n, "global_ctl", "unfreeze=b");
    const char *id = tsv_after(r->table, r->n, "notes", "CPUNODEID at ");
    uint32_t did;

    if (ctl)
        uncore_same_number(c, r, "control",
                           global ? uncore_base_at(global, 0) + uncore_reg_at(global, REG_GLOBAL_CTL, 0, NULL) : 0,
                           strtoull(ctl, NULL, 0));
    if (freeze)
        uncore_same_number(c, r, "freeze", r->silicon->global_frz, BIT(strtoull(freeze, NULL, 10)));
    if (thaw)
        uncore_same_number(c, r, "unfreeze", r->silicon->global_unfrz, BIT(strtoull(thaw, NULL, 10)));
    if (!id)
        return;
    ubox = with(r->silicon, REG_VALUE, strtoull(id, NULL, 0));
    cr_assert_eq(sscanf(tsv_cell(r->table, r->n, "pci_ids"), "8086:%x", &did), 1);
    uncore_same_number(c, r, "U-box function", ubox ? r->silicon->did | ubox->places[0].did : 0, did);
}

Test(tables, boxes_are_those_of_drivers_for_real_parts)
{
    struct tsv *boxes = tsv_open(ASSAY_ROOT "/tests/fixtures/uncore/boxes.tsv");
    struct compared c = { .excused = excused, .n_excused = sizeof excused / sizeof excused[0] };

    for (uint32_t n = 0; n < tsv_rows(boxes); n++) {
        struct uncore_row r = uncore_row_at(boxes, n);

        if (!r.silicon || strcmp(r.box, "discovery") == 0)
            continue;
        if (strcmp(r.box, "global") == 0) {
            compare_global(&c, &r);
            continue;
        }
        uncore_same_number(&c, &r, "is there", r.type != NULL, 1);
        if (!r.type)
            continue;
        compare_free_running(&c, &r);
        if (!r.type->counters)
            continue;
        compare_registers(&c, &r);
        compare_places(&c, &r);
        compare_functions(&c, &r);
        compare_control(&c, &r);
        compare_box_control(&c, &r);
        compare_filters(&c, &r);
        compare_constraints(&c, &r);
    }
    compared_end(&c, 2500);
    tsv_free(boxes);
}
