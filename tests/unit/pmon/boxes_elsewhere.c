/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every constant of the uncore tables held to those of drivers that run on real parts: tests/fixtures/uncore. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/pmon/pmon.h"
#include "core/base/bits.h"
#include "tests/support/data/driver_boxes.h"

/* Rows of boxes that the tree does not drive. */
static const struct excused not_driven[] = {
    { "* discovery", "words of tables: compared with whole parts" },
    { "* global", "compared with whole parts" },
    { "bdxde sbox", "Xeon D-1500 has none: Linux drives what the die of Broadwell-EP may have" },
    { "bdxde qpi", "Xeon D-1500 has no link" },
    { "icxd *upi", "Xeon D-1700 and D-2700 have no link" },
};

static const struct excused differences[] = {
    { "nhm uncore box_ctl*", "Linux calls 391H the part's global control" },
    { "wsm uncore box_ctl*", "as nhm" },
    { "*ex ubox box*", "C00H starts and stops every box: here it is the part's global control" },
    { "*ex bbox event_mask", "bits 7:6 name the counter to Linux and are not written to the control" },
    { "ivbep r3qpi boxes", "Linux' table of functions has a third and its number of boxes does not" },
    { "hsx [us]box counter_bits", "likwid says 48, Linux 44: the width is asked of the counters (counter_bits_2)" },
    { "hsx ubox *filter", "no event that is counted here goes by it" },
    { "[gs]?[rf] cha MSR that counts boxes", "pcm has MSR 3FEDH, Linux the discovery table alone" },
    { "* pcu filter", "no event that is counted here goes by it" },
    { "??? m2m ctl_bytes", "Linux writes the low dword alone, as here" },
    { "* imc event_mask_ext", "bits 55:32 never reach the register, which Linux writes as a dword" },
    { "* hbm event_mask_ext", "bits 55:32 never reach the register, which Linux writes as a dword" },
    { "snr imc* bar", "there is one controller, and the source names its register without a sum" },
    { "zen* amd_l3 event_mask_ext", "event bits 35:32 have no format, and no check goes by slice, core or thread" },
};

static struct compared all = { .excused = differences, .n_excused = sizeof differences / sizeof differences[0] };
static struct compared rows = { .excused = not_driven, .n_excused = sizeof not_driven / sizeof not_driven[0] };

/* --- registers ---------------------------------------------------------------------------------------------------- */

static uint32_t boxes_here(const struct uncore_row *r)
{
    const struct pmon_location *at = &r->unit->location;

    if (at->find == PMON_FIND_MEMORY)
        return at->memory->controllers * (at->of_controller ? 1 : at->memory->channels_most);
    return at->find == PMON_FIND_ONE || at->find == PMON_FIND_CCX || at->find == PMON_FIND_DF || at->most == 0
               ? 1
               : at->most;
}

/* 0: the source leaves it to the machine. */
static uint64_t boxes_there(const struct uncore_row *r)
{
    const char *cell = tsv_cell(r->table, r->n, "boxes"), *most = tsv_after(r->table, r->n, "boxes", "at most ");

    if (most || (most = tsv_after(r->table, r->n, "boxes", "min(")))
        return strtoull(most, NULL, 0);
    if (strncmp(cell, "one set", 7) == 0)
        return 1;
    most = tsv_after(r->table, r->n, "boxes", "popcount(bits ");
    return most ? strtoull(most, NULL, 0) + 1 : strtoull(cell, NULL, 0);
}

static uint64_t base_here(const struct uncore_row *r, uint32_t box)
{
    const struct pmon_location *at = &r->unit->location;

    if (at->find == PMON_FIND_DISCOVERY)
        return r->made.layout.access == PMON_MSR ? strtoull(tsv_cell(r->table, r->n, "box_ctl"), NULL, 0) : 0;
    if (at->find == PMON_FIND_MEMORY && !at->of_controller)
        return at->memory->channel + (uint64_t)box * at->memory->channel_step;
    return at->bases ? at->bases[box] : at->first + (uint64_t)box * at->stride;
}

/* Boxes by PCI differ in their function, those of discovery tables in what the table says. */
static uint32_t boxes_apart(const struct uncore_row *r)
{
    const struct pmon_location *at = &r->unit->location;

    if (r->unit->layout->access == PMON_PCI || at->find == PMON_FIND_DISCOVERY)
        return 1;
    return at->find == PMON_FIND_MEMORY ? at->memory->channels_most : boxes_here(r);
}

static uint64_t control_at(const struct uncore_row *r, uint32_t box, uint32_t i)
{
    return pmon_ctl(r->unit, i).offset + (r->unit->layout->access == PMON_MMIO ? 0 : base_here(r, box));
}

static uint64_t counter_at(const struct uncore_row *r, uint32_t box, uint32_t i)
{
    return pmon_ctr(r->unit, i).offset + (r->unit->layout->access == PMON_MMIO ? 0 : base_here(r, box));
}

static uint64_t box_control_at(const struct uncore_row *r, uint32_t box)
{
    return r->unit->layout->box ? pmon_box_ctl(r->unit).offset + base_here(r, box) : NONE;
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* 0: none. */
static uint64_t some(uint64_t bits)
{
    return bits ? bits : NONE;
}

static struct box_table table_of(const struct uncore_row *r)
{
    const struct pmon_layout *l = r->unit->layout;
    const struct pmon_control *f = l->control;
    const struct pmon_box_control *box = l->box;
    bool fixed = pmon_has_fixed(r->unit), listed_memory = l->access == PMON_MMIO && r->listed;

    return (struct box_table){
        .counters = l->counters,
        .counter_bits = l->counter_bits,
        .ctl_bytes = pmon_ctl(r->unit, 0).bytes,
        .fixed_ctl = fixed ? l->fixed.ctl : NONE,
        .fixed_ctr = fixed ? l->fixed.ctr : NONE,
        .fixed_bits = fixed ? l->fixed.bits : NONE,
        .fixed_en = l->fixed.en,
        .event_mask =
            (pmon_control_bits(r->unit) & ~f->en) | f->tid_en | f->ev_sel_ext | f->umask_ext | f->extra | f->ones,
        .event_enable = f->en_unused ? NONE : f->en,
        .box_init = box ? box->rst_ctrl | box->rst_ctrs | box->frz_en : NONE,
        .box_freeze = box ? box->frz : NONE,
        .filter = { l->filter0 ? base_here(r, 0) + l->filter0 : NONE,
                    l->filter1 ? base_here(r, 0) + l->filter1 : NONE },
        .tid = some(l->tid),
        .addresses = l->access != PMON_MMIO,
        .boxes = boxes_apart(r),
        .ctl = control_at,
        .ctr = counter_at,
        .box_ctl = listed_memory ? NULL : box_control_at, /* a discovery table has the address */
    };
}

static void compare_box_fields(const struct uncore_row *r)
{
    const struct pmon_box_control *f = r->unit->layout->box;

    if (tsv_after(r->table, r->n, "notes", "per-box enable register"))
        uncore_same(&all, r, "box enables", f ? f->run & ~f->run_fixed : NONE, BIT(r->unit->layout->counters) - 1);
    if (tsv_after(r->table, r->n, "notes", "fixed counter: box_ctl b31"))
        uncore_same(&all, r, "box enable of the fixed counter", f ? f->run_fixed : NONE, BIT(31));
}

static void compare_link(const struct uncore_row *r)
{
    const char *theirs = tsv_after(r->table, r->n, "notes", "link state dword ");
    char ours[32] = "";

    if (theirs == NULL)
        return;
    snprintf(ours, sizeof ours, "%#x b%u", r->unit->layout->link.at,
             (unsigned)__builtin_ctz(r->unit->layout->link.trained));
    uncore_same_text(&all, r, "link state", ours, strncmp(theirs, ours, strlen(ours)) ? theirs : ours);
}

/* "mask:opc=0x1ff0000000000000": the field filter_opc. The driver calls all_op of its formats all_opc in its masks. */
static void compare_fields(const struct uncore_row *r)
{
    char name[32];
    struct pmon_field field;

    for (const char *at = tsv_cell(r->table, r->n, "filters"); at && (at = strstr(at, "mask:")); at++) {
        size_t n = strcspn(at + 5, "=");

        if (r->unit->layout->n_fields == 0 || !strncmp(at + 5, "tid", n))
            continue;
        if (r->unit->layout->mm.match) /* compare_mm() */
            continue;
        snprintf(name, sizeof name, "filter_%.*s", (int)(strncmp(at + 5, "all_opc", n) ? n : n - 1), at + 5);
        uncore_same(&all, r, name, pmon_field_named(r->unit, name, &field) ? field.bits : NONE,
                    strtoull(at + 5 + n + 1, NULL, 0));
    }
}

/* "reg:PKT_MATCH0=0x228": match and mask of a QPI port. */
static void compare_packets(const struct uncore_row *r)
{
    uncore_same(&all, r, "match of packets", some(r->unit->layout->packets.match),
                uncore_number_after(r, "filters", "reg:PKT_MATCH0="));
    uncore_same(&all, r, "mask of packets", some(r->unit->layout->packets.mask),
                uncore_number_after(r, "filters", "reg:PKT_MASK0="));
}

static void compare_field(const struct uncore_row *r, const char *name, const char *words)
{
    struct pmon_field field;
    uint64_t theirs = uncore_number_after(r, "filters", words);

    if (theirs != NONE)
        uncore_same(&all, r, name, pmon_field_named(r->unit, name, &field) ? field.bits : NONE, theirs);
}

/* "reg:MATCH=0xe45,0xe4d", "reg:MM_CFG=0xe48,0xe58": of two boxes of Nehalem-EX; MATCH is after MM_CFG where one is. */
static void compare_mm(const struct uncore_row *r)
{
    const struct pmon_layout *l = r->unit->layout;
    const char *cfg = tsv_after(r->table, r->n, "filters", "reg:MM_CFG="),
               *first = cfg ? cfg : tsv_after(r->table, r->n, "filters", "reg:MATCH=");
    uint64_t theirs = first ? strtoull(first, NULL, 0) : NONE;

    if (!(first && strchr(first, ',')) && !l->mm.match)
        return;
    uncore_same(&all, r, "MM_CFG", l->mm.cfg ? l->mm.cfg : NONE, cfg ? theirs : NONE);
    uncore_same(&all, r, "MATCH", l->mm.match ? l->mm.match : NONE, theirs + (cfg != NULL));
    uncore_same(&all, r, "MATCH of the second box", l->mm.match + l->mm.step,
                first ? strtoull(strchr(first, ',') + 1, NULL, 0) + (cfg != NULL) : NONE);
    compare_field(r, "filter_match", "mask:addr_match=");
    compare_field(r, "filter_mask", "mask:addr_mask=");
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static void compare_functions(const struct uncore_row *r)
{
    const struct pmon_location *at = &r->unit->location;
    const char *theirs = tsv_cell(r->table, r->n, "pci_ids");
    char ours[1024] = "";
    size_t n = 0;

    if (at->find == PMON_FIND_MEMORY)
        n = (size_t)snprintf(ours, sizeof ours, "8086:%04x", at->memory->did);
    for (uint32_t i = 0; i < at->n_places; i++) {
        n += (size_t)snprintf(ours + n, sizeof ours - n, "%s8086:%04x", n ? "," : "", at->places[i].did);
        if (strchr(theirs, '@'))
            n += (size_t)snprintf(ours + n, sizeof ours - n, "@%u.%u", at->places[i].device, at->places[i].function);
    }
    uncore_same_text(&all, r, "functions", n ? ours : NULL, theirs);
}

static void compare_memory_map(const struct uncore_row *r)
{
    const struct pmon_memory_map *m = r->unit->location.memory;

    if (m == NULL)
        return;
    uncore_same(&all, r, "base", m->base, uncore_number_after(r, "notes", "(dword "));
    uncore_same(&all, r, "bar", m->bar, uncore_number_after(r, "notes", "(dword ("));
}

static void compare_count_of_slices(const struct uncore_row *r)
{
    const struct pmon_capabilities *c = &r->of->part->capabilities;
    const char *rule = tsv_cell(r->table, r->n, "boxes"), *device = tsv_after(r->table, r->n, "boxes", "of PCI 8086:");
    const char *msr = tsv_after(r->table, r->n, "boxes", "MSR ");
    char offset[16];

    if (device)
        uncore_same(&all, r, "function that counts boxes", c->did, strtoull(device, NULL, 16));
    for (uint32_t i = 0; device && i < PMON_CAPIDS && r->unit->kind == PMON_CHA; i++) {
        snprintf(offset, sizeof offset, "dword %#x", c->capid[i].offset);
        if (c->capid[i].offset)
            uncore_same_text(&all, r, "register that counts boxes", offset, strstr(rule, offset) ? offset : rule);
    }
    if (device && r->unit->location.find == PMON_FIND_CAPID4)
        uncore_same_text(&all, r, "register that counts boxes", c->capid4 == 0x94 ? "0x94" : "another",
                         strstr(rule, "bits 7:6 of dword 0x94") ? "0x94" : rule);
    if (r->unit->kind == PMON_CHA && (msr || c->slices_msr))
        uncore_same(&all, r, "MSR that counts boxes", c->slices_msr ? c->slices_msr : NONE,
                    msr ? strtoull(msr, NULL, 0) : NONE);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void compare_programmable(const struct uncore_row *r)
{
    static const char *const how[] = { [PMON_MSR] = "msr", [PMON_PCI] = "pci", [PMON_MMIO] = "mmio" };
    const char *access = tsv_cell(r->table, r->n, "access");
    const struct box_table t = table_of(r);

    if (strcmp(access, "discovery") != 0)
        uncore_same_text(&all, r, "access", how[r->unit->layout->access], access);
    driver_boxes_compare(&all, r, &t);
    compare_box_fields(r);
    compare_link(r);
    compare_fields(r);
    compare_packets(r);
    compare_mm(r);
}

static void compare_row(const struct uncore_row *r)
{
    uint64_t boxes = boxes_there(r);

    if (boxes)
        uncore_same(&all, r, "boxes", boxes_here(r), boxes);
    if (r->unit->layout->n_free == 0)
        compare_programmable(r);
    compare_functions(r);
    compare_memory_map(r);
    compare_count_of_slices(r);
}

Test(boxes_elsewhere, registers_and_fields_are_those_of_drivers_that_run_on_real_parts)
{
    struct tsv *t = uncore_boxes();

    for (uint32_t n = 0; n < tsv_rows(t); n++) {
        struct uncore_row r;
        char where[64];

        uncore_row(t, n, &r);
        snprintf(where, sizeof where, "%s %s", r.part, r.box);
        if (r.unit)
            compare_row(&r);
        else if (!compared_excused(&rows, where))
            cr_expect_fail("%s: no table of the tree is for this row", where);
    }
    compared_end(&rows, 0);
    compared_end(&all, 8000);
    tsv_free(t);
}
