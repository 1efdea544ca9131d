/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every constant of the uncore tables held to those of drivers that run on real parts: tests/fixtures/uncore. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/pmon/pmon.h"
#include "core/base/bits.h"
#include "tests/support/data/compared.h"
#include "tests/support/data/uncore_tables.h"

/* Rows of boxes that the tree does not drive. */
static const struct excused not_driven[] = {
    { "* discovery", "words of tables: compared with whole parts" },
    { "* global", "compared with whole parts" },
    { "bdxde sbox", "Xeon D-1500 has none: Linux drives what the die of Broadwell-EP may have" },
    { "bdxde qpi", "Xeon D-1500 has no link" },
    { "icxd *upi", "Xeon D-1700 and D-2700 have no link" },
};

static const struct excused differences[] = {
    { "nhm uncore box control", "Linux calls 391H the part's global control" },
    { "wsm uncore box control", "as nhm" },
    { "*ex ubox box *", "C00H starts and stops every box: here it is the part's global control" },
    { "*ex bbox event mask", "bits 7:6 name the counter to Linux and are not written to the control" },
    { "ivbep r3qpi boxes", "Linux' table of functions has a third and its number of boxes does not" },
    { "hsx [us]box width", "likwid says 48, Linux 44: the width is asked of the counters (counter_bits_2)" },
    { "hsx ubox *filter", "no event that is counted here goes by it" },
    { "[gs]?[rf] cha MSR that counts boxes", "pcm has MSR 3FEDH, Linux the discovery table alone" },
    { "* pcu filter", "no event that is counted here goes by it" },
    { "??? m2m bytes of a control", "Linux writes the low dword alone, as here" },
    { "* imc event mask", "bits 55:32 never reach the register, which Linux writes as a dword" },
    { "* hbm event mask", "bits 55:32 never reach the register, which Linux writes as a dword" },
    { "snr imc* bar", "there is one controller, and the source names its register without a sum" },
    { "zen* amd_l3 event mask", "event bits 35:32 have no format, and no check goes by slice, core or thread" },
};

static struct compared all = { .excused = differences, .n_excused = sizeof differences / sizeof differences[0] };
static struct compared rows = { .excused = not_driven, .n_excused = sizeof not_driven / sizeof not_driven[0] };

/* --- values as text ----------------------------------------------------------------------------------------------- */

struct text {
    char at[16384];
    size_t n;
};

static void put(struct text *t, const char *format, unsigned long long a, unsigned long long b)
{
    t->n += (size_t)snprintf(t->at + t->n, sizeof t->at - t->n, "%s", t->n ? "," : "");
    t->n += (size_t)snprintf(t->at + t->n, sizeof t->at - t->n, format, a, b);
}

static void compare(const struct boxes_row *r, const char *field, const char *ours, const char *theirs)
{
    char where[96];

    snprintf(where, sizeof where, "%s %s %s", r->name, r->box, field);
    compared_text(&all, where, ours, theirs && *theirs ? theirs : NULL);
}

/* NONE: has no such thing. */
#define NONE UINT64_MAX
static void compare_number(const struct boxes_row *r, const char *field, uint64_t ours, uint64_t theirs)
{
    struct text a = { .n = 0 }, b = { .n = 0 };

    if (ours != NONE)
        put(&a, "%#llx", ours, 0);
    if (theirs != NONE)
        put(&b, "%#llx", theirs, 0);
    compare(r, field, a.n ? a.at : NULL, b.n ? b.at : NULL);
}

static uint64_t number(const char *cell)
{
    return tsv_is_number(cell) ? strtoull(cell, NULL, 0) : NONE;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

static uint32_t boxes_here(const struct boxes_row *r)
{
    const struct pmon_location *at = &r->unit->location;

    if (at->find == PMON_FIND_MEMORY)
        return at->memory->controllers * (at->of_controller ? 1 : at->memory->channels_most);
    return at->find == PMON_FIND_ONE || at->find == PMON_FIND_CCX || at->find == PMON_FIND_DF || at->most == 0
               ? 1
               : at->most;
}

/* 0: the source leaves it to the machine. */
static uint64_t boxes_there(const struct boxes_row *r)
{
    const char *cell = tsv_cell(r->table, r->n, "boxes"), *most = tsv_after(r->table, r->n, "boxes", "at most ");

    if (most || (most = tsv_after(r->table, r->n, "boxes", "min(")))
        return strtoull(most, NULL, 0);
    if (strncmp(cell, "one set", 7) == 0)
        return 1;
    most = tsv_after(r->table, r->n, "boxes", "popcount(bits ");
    return most ? strtoull(most, NULL, 0) + 1 : strtoull(cell, NULL, 0);
}

static uint64_t base_here(const struct boxes_row *r, uint32_t box)
{
    const struct pmon_location *at = &r->unit->location;

    if (at->find == PMON_FIND_DISCOVERY)
        return r->made.layout.access == PMON_MSR ? strtoull(tsv_cell(r->table, r->n, "box_ctl"), NULL, 0) : 0;
    if (at->find == PMON_FIND_MEMORY && !at->of_controller)
        return at->memory->channel + (uint64_t)box * at->memory->channel_step;
    return at->bases ? at->bases[box] : at->first + (uint64_t)box * at->stride;
}

/* Boxes by PCI differ in their function, those of discovery tables in what the table says. */
static uint32_t boxes_apart(const struct boxes_row *r)
{
    const struct pmon_location *at = &r->unit->location;

    if (r->unit->layout->access == PMON_PCI || at->find == PMON_FIND_DISCOVERY)
        return 1;
    return at->find == PMON_FIND_MEMORY ? at->memory->channels_most : boxes_here(r);
}

static uint64_t offset_there(const struct boxes_row *r, uint32_t box)
{
    const char *cell = tsv_cell(r->table, r->n, "box_stride");

    if (box == 0 && strchr(cell, ',') == NULL)
        return 0;
    return strncmp(cell, "2*", 2) == 0 ? UINT64_C(2) * box * r->unit->layout->counters : tsv_step(cell, box);
}

static bool memory_row(const struct boxes_row *r)
{
    return r->unit->layout->access == PMON_MMIO;
}

/* Of boxes by memory the source counts registers from the box's control. */
static void compare_registers(const struct boxes_row *r, const char *field, const char *first, const char *step,
                              struct pmon_reg (*here)(const struct pmon_unit *, uint32_t))
{
    const char *cell = tsv_cell(r->table, r->n, first), *apart = tsv_cell(r->table, r->n, step);
    bool addresses = strchr(apart, ',') != NULL;
    struct text ours = { .n = 0 }, theirs = { .n = 0 };

    if (!tsv_is_number(cell))
        return;
    for (uint32_t box = 0; box < boxes_apart(r); box++)
        for (uint32_t i = 0; i < r->unit->layout->counters; i++) {
            uint64_t at = strtoull(cell, NULL, 0) + (memory_row(r) ? 0 : offset_there(r, box));

            put(&ours, "%#llx", here(r->unit, i).offset + (memory_row(r) ? 0 : base_here(r, box)), 0);
            put(&theirs, "%#llx", addresses ? tsv_step(apart, i) : at + tsv_step(apart, i), 0);
        }
    compare(r, field, ours.at, theirs.at);
}

static void compare_box_control(const struct boxes_row *r)
{
    const char *cell = tsv_cell(r->table, r->n, "box_ctl");
    struct text ours = { .n = 0 }, theirs = { .n = 0 };

    if (*cell && !tsv_is_number(cell))
        return;
    for (uint32_t box = 0; box < boxes_apart(r); box++) {
        if (r->unit->layout->box)
            put(&ours, "%#llx", pmon_box_ctl(r->unit).offset + base_here(r, box), 0);
        if (*cell)
            put(&theirs, "%#llx", strtoull(cell, NULL, 0) + offset_there(r, box), 0);
    }
    if (!memory_row(r) || !r->type) /* a discovery table has the address */
        compare(r, "box control", ours.n ? ours.at : NULL, theirs.n ? theirs.at : NULL);
}

static void compare_fixed(const struct boxes_row *r)
{
    const struct pmon_fixed *f = &r->unit->layout->fixed;
    bool has = pmon_has_fixed(r->unit);

    compare_number(r, "fixed control", has ? f->ctl : NONE, number(tsv_cell(r->table, r->n, "fixed_ctl")));
    compare_number(r, "fixed counter", has ? f->ctr : NONE, number(tsv_cell(r->table, r->n, "fixed_ctr")));
    if (*tsv_cell(r->table, r->n, "fixed_bits"))
        compare_number(r, "fixed width", has ? f->bits : NONE, number(tsv_cell(r->table, r->n, "fixed_bits")));
    if (tsv_after(r->table, r->n, "notes", "writing 0x400000 (b22) to fixed_ctl"))
        compare_number(r, "fixed enable", f->en, BIT(22));
    if (tsv_after(r->table, r->n, "notes", "0x1 written to fixed_ctl") ||
        tsv_after(r->table, r->n, "notes", "writing 0x1 (b0) to fixed"))
        compare_number(r, "fixed enable", f->en, BIT(0));
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

static void compare_mask(const struct boxes_row *r)
{
    const struct pmon_control *f = r->unit->layout->control;
    uint64_t theirs = strtoull(tsv_cell(r->table, r->n, "event_mask"), NULL, 0);

    if (*tsv_cell(r->table, r->n, "event_mask") == '\0')
        return;
    theirs |= strtoull(tsv_cell(r->table, r->n, "event_mask_ext"), NULL, 0) << 32;
    compare_number(
        r, "event mask",
        (pmon_control_bits(r->unit) & ~f->en) | f->tid_en | f->ev_sel_ext | f->umask_ext | f->extra | f->ones, theirs);
}

static void compare_enable(const struct boxes_row *r)
{
    const struct pmon_control *f = r->unit->layout->control;
    const char *bit = tsv_after(r->table, r->n, "notes", "event_enable=b");

    if (bit)
        compare_number(r, "enable", f->en_unused ? NONE : f->en, BIT(strtoul(bit, NULL, 10)));
    else if (tsv_after(r->table, r->n, "notes", "no event enable bit"))
        compare_number(r, "enable", f->en_unused ? NONE : f->en, NONE);
}

static void compare_box_fields(const struct boxes_row *r)
{
    const struct pmon_box_control *f = r->unit->layout->box;
    const char *init = tsv_after(r->table, r->n, "notes", "box_init="),
               *frz = tsv_after(r->table, r->n, "notes", "box_freeze=b");

    if (init)
        compare_number(r, "box init", f ? f->rst_ctrl | f->rst_ctrs | f->frz_en : NONE, strtoull(init, NULL, 0));
    if (frz)
        compare_number(r, "box freeze", f ? f->frz : NONE, BIT(strtoul(frz, NULL, 10)));
    else if ((frz = tsv_after(r->table, r->n, "notes", "box_freeze writes ")))
        compare_number(r, "box freeze", f ? f->frz : NONE, strtoull(frz, NULL, 0));
    if (tsv_after(r->table, r->n, "notes", "per-box enable register"))
        compare_number(r, "box enables", f ? f->run & ~f->run_fixed : NONE, BIT(r->unit->layout->counters) - 1);
    if (tsv_after(r->table, r->n, "notes", "fixed counter: box_ctl b31"))
        compare_number(r, "box enable of the fixed counter", f ? f->run_fixed : NONE, BIT(31));
}

/* "mask:opc=0x1ff0000000000000": the field filter_opc. The driver calls all_op of its formats all_opc in its masks. */
static void compare_fields(const struct boxes_row *r)
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
        compare_number(r, name, pmon_field_named(r->unit, name, &field) ? field.bits : NONE,
                       strtoull(at + 5 + n + 1, NULL, 0));
    }
}

/* "reg:PKT_MATCH0=0x228": match and mask of a QPI port. */
static void compare_packets(const struct boxes_row *r)
{
    const char *match = tsv_after(r->table, r->n, "filters", "reg:PKT_MATCH0="),
               *mask = tsv_after(r->table, r->n, "filters", "reg:PKT_MASK0=");

    if (match || r->unit->layout->packets.match)
        compare_number(r, "match of packets", r->unit->layout->packets.match, match ? strtoull(match, NULL, 0) : NONE);
    if (mask || r->unit->layout->packets.mask)
        compare_number(r, "mask of packets", r->unit->layout->packets.mask, mask ? strtoull(mask, NULL, 0) : NONE);
}

static void compare_field(const struct boxes_row *r, const char *name, const char *theirs)
{
    struct pmon_field field;

    if (theirs)
        compare_number(r, name, pmon_field_named(r->unit, name, &field) ? field.bits : NONE, strtoull(theirs, NULL, 0));
}

/* "reg:MATCH=0xe45,0xe4d", "reg:MM_CFG=0xe48,0xe58": of two boxes of Nehalem-EX; MATCH is behind MM_CFG where one is. */
static void compare_mm(const struct boxes_row *r)
{
    const struct pmon_layout *l = r->unit->layout;
    const char *cfg = tsv_after(r->table, r->n, "filters", "reg:MM_CFG="),
               *first = cfg ? cfg : tsv_after(r->table, r->n, "filters", "reg:MATCH=");
    uint64_t theirs = first ? strtoull(first, NULL, 0) : NONE;

    if (!(first && strchr(first, ',')) && !l->mm.match)
        return;
    compare_number(r, "MM_CFG", l->mm.cfg ? l->mm.cfg : NONE, cfg ? theirs : NONE);
    compare_number(r, "MATCH", l->mm.match ? l->mm.match : NONE, theirs + (cfg != NULL));
    compare_number(r, "MATCH of the second box", l->mm.match + l->mm.step,
                   first ? strtoull(strchr(first, ',') + 1, NULL, 0) + (cfg != NULL) : NONE);
    compare_field(r, "filter_match", tsv_after(r->table, r->n, "filters", "mask:addr_match="));
    compare_field(r, "filter_mask", tsv_after(r->table, r->n, "filters", "mask:addr_mask="));
}

static void compare_filters(const struct boxes_row *r)
{
    const struct pmon_layout *l = r->unit->layout;
    const char *first = tsv_after(r->table, r->n, "filters", "reg:FILTER0="),
               *second = tsv_after(r->table, r->n, "filters", "reg:FILTER1=");
    const char *tid = tsv_after(r->table, r->n, "filters", "mask:tid=");

    first = first ? first : tsv_after(r->table, r->n, "filters", "reg:FILTER=");
    if (first || l->filter0)
        compare_number(r, "filter", l->filter0 ? base_here(r, 0) + l->filter0 : NONE,
                       first ? strtoull(first, NULL, 0) + offset_there(r, 0) : NONE);
    if (second || l->filter1)
        compare_number(r, "filter 1", l->filter1 ? base_here(r, 0) + l->filter1 : NONE,
                       second ? strtoull(second, NULL, 0) : NONE);
    if (tid || l->tid)
        compare_number(r, "thread of the filter", l->tid ? l->tid : NONE, tid ? strtoull(tid, NULL, 0) : NONE);
    compare_fields(r);
    compare_packets(r);
    compare_mm(r);
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static void compare_functions(const struct boxes_row *r)
{
    const struct pmon_location *at = &r->unit->location;
    const char *theirs = tsv_cell(r->table, r->n, "pci_ids");
    struct text ours = { .n = 0 };

    if (at->find == PMON_FIND_MEMORY)
        put(&ours, "8086:%04llx", at->memory->did, 0);
    for (uint32_t i = 0; i < at->n_places; i++) {
        put(&ours, "8086:%04llx", at->places[i].did, 0);
        if (strchr(theirs, '@'))
            ours.n += (size_t)snprintf(ours.at + ours.n, sizeof ours.at - ours.n, "@%u.%u", at->places[i].device,
                                       at->places[i].function);
    }
    compare(r, "functions", ours.n ? ours.at : NULL, theirs);
}

static void compare_memory_map(const struct boxes_row *r)
{
    const struct pmon_memory_map *m = r->unit->location.memory;
    const char *base = tsv_after(r->table, r->n, "notes", "(dword "),
               *bar = tsv_after(r->table, r->n, "notes", "(dword (");

    if (m == NULL)
        return;
    compare_number(r, "base", m->base, base ? strtoull(base, NULL, 0) : NONE);
    compare_number(r, "bar", m->bar, bar ? strtoull(bar, NULL, 0) : NONE);
}

static void compare_count_of_slices(const struct boxes_row *r)
{
    const struct pmon_capabilities *c = &r->part->capabilities;
    const char *rule = tsv_cell(r->table, r->n, "boxes"), *device = tsv_after(r->table, r->n, "boxes", "of PCI 8086:");
    const char *msr = tsv_after(r->table, r->n, "boxes", "MSR ");
    char offset[16];

    if (device)
        compare_number(r, "function that counts boxes", c->did, strtoull(device, NULL, 16));
    for (uint32_t i = 0; device && i < PMON_CAPIDS && r->unit->kind == PMON_CHA; i++) {
        snprintf(offset, sizeof offset, "dword %#x", c->capid[i].offset);
        if (c->capid[i].offset)
            compare(r, "register that counts boxes", offset, strstr(rule, offset) ? offset : rule);
    }
    if (device && r->unit->location.find == PMON_FIND_CAPID4)
        compare(r, "register that counts boxes", c->capid4 == 0x94 ? "0x94" : "another",
                strstr(rule, "bits 7:6 of dword 0x94") ? "0x94" : rule);
    if (r->unit->kind == PMON_CHA && (msr || c->slices_msr))
        compare_number(r, "MSR that counts boxes", c->slices_msr ? c->slices_msr : NONE,
                       msr ? strtoull(msr, NULL, 0) : NONE);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void compare_programmable(const struct boxes_row *r)
{
    static const char *const how[] = { [PMON_MSR] = "msr", [PMON_PCI] = "pci", [PMON_MMIO] = "mmio" };
    const char *access = tsv_cell(r->table, r->n, "access"), *bytes = tsv_cell(r->table, r->n, "ctl_bytes");

    if (strcmp(access, "discovery") != 0)
        compare(r, "access", how[r->unit->layout->access], access);
    if (tsv_is_number(tsv_cell(r->table, r->n, "counters")))
        compare_number(r, "counters", r->unit->layout->counters, number(tsv_cell(r->table, r->n, "counters")));
    if (tsv_is_number(tsv_cell(r->table, r->n, "counter_bits")))
        compare_number(r, "width", r->unit->layout->counter_bits, number(tsv_cell(r->table, r->n, "counter_bits")));
    compare_registers(r, "controls", "ctl0", "ctl_stride", pmon_ctl);
    compare_registers(r, "counters' registers", "ctr0", "ctr_stride", pmon_ctr);
    if (*bytes)
        compare_number(r, "bytes of a control", pmon_ctl(r->unit, 0).bytes, number(bytes));
    compare_box_control(r);
    compare_fixed(r);
    compare_mask(r);
    compare_enable(r);
    compare_box_fields(r);
    compare_filters(r);
}

static void compare_row(const struct boxes_row *r)
{
    uint64_t boxes = boxes_there(r);

    if (boxes)
        compare_number(r, "boxes", boxes_here(r), boxes);
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
        struct boxes_row r;
        char where[64];

        uncore_row(t, n, &r);
        snprintf(where, sizeof where, "%s %s", r.name, r.box);
        if (r.unit)
            compare_row(&r);
        else if (!compared_excused(&rows, where))
            cr_expect_fail("%s: no table of the tree is for this row", where);
    }
    compared_end(&rows, 0);
    compared_end(&all, 2400);
    tsv_free(t);
}
