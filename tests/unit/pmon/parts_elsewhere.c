/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What tables say of whole parts held to drivers that run on real ones: processors, global controls, buses, the words of
 * discovery tables, free-running counters. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/pmon_parts/pmon_parts.h"
#include "core/base/bits.h"
#include "core/boxes/dvsec.h"
#include "tests/support/data/parts.h"
#include "tests/support/data/uncore_rows.h"

static const struct excused differences[] = {
    { "nhm model 6_1e", "the registers alone are judged: pmon_nehalem_client has no event of memory" },
    { "wsm model 6_25", "as 1EH" },
    { "*ex global run", "bit 0 is the U-box's own enable, which Linux sets with its counter" },
    { "hsx global freeze", "pcm writes 0 and sets no bit; bit 31 is likwid's" },
    { "bdx global freeze", "pcm writes 0 and sets no bit; bit 31 is likwid's" },
    { "skx global freeze", "pcm writes 0 and sets no bit; bit 63 is likwid's" },
    { "clx global freeze", "pcm writes 0 and sets no bit; bit 63 is likwid's" },
    { "icx* global freeze", "pcm writes 0 and sets no bit; bit 63 is likwid's" },
    { "icx* global buses without the function",
      "the bus just below is tried first: above the last there is no higher one" },
    { "spr global buses without the function", "as icx" },
    { "emr global buses without the function", "as icx" },
    { "snr global buses without the function", "as icx" },
};
static struct compared all = { .excused = differences, .n_excused = sizeof differences / sizeof differences[0] };

/* --- processors --------------------------------------------------------------------------------------------------- */

static void compare_model(const struct uncore_row *r, uint32_t family, uint32_t model)
{
    const struct pmon_part *part = part_of(family, model);
    char where[96];

    snprintf(where, sizeof where, "%s model %x_%02x", r->part, family, model);
    compared_text(&all, where, part ? part->name : NULL, r->of->part->name);
}

/* "17_30-4f,17_90-91" */
static void compare_models(const struct uncore_row *r)
{
    for (const char *at = tsv_cell(r->table, r->n, "cpu_models"); at;
         at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *end;
        uint32_t family = (uint32_t)strtoul(at, &end, 16), first = (uint32_t)strtoul(end + 1, &end, 16);
        uint32_t last = *end == '-' ? (uint32_t)strtoul(end + 1, NULL, 16) : first;

        for (uint32_t model = first; model <= last; model++)
            compare_model(r, family, model);
    }
}

/* --- a whole package's registers ---------------------------------------------------------------------------------- */

/* "b31" is a bit, "0x1" a value; false: the source does not say it. */
static bool value_of(const struct uncore_row *r, const char *const *keys, uint64_t *value)
{
    for (; *keys; keys++) {
        const char *at = tsv_after(r->table, r->n, "global_ctl", *keys);

        if (at == NULL)
            continue;
        *value = *at == 'b' ? BIT(strtoul(at + 1, NULL, 10)) : strtoull(at, NULL, 0);
        return true;
    }
    return false;
}

static void compare_global(const struct uncore_row *r)
{
    static const char *const address[] = { "ctl=", NULL }, *const freeze[] = { ";freeze=", "frz_all=", NULL };
    static const char *const run[] = { "unfreeze=", "unfrz_all=", "en_all=", "enable=", NULL };
    const struct pmon_box_control *box = r->of->part->units ? r->of->part->units[0]->layout->box : NULL;
    bool of_box =
        box && r->of->part->global.msr == 0 && r->of->part->n_units == 1; /* Nehalem: one box, and its control */
    uint64_t value;

    if (value_of(r, address, &value))
        uncore_same(&all, r, "control", of_box ? r->of->part->units[0]->layout->box_ctl : r->of->part->global.msr,
                    value);
    if (value_of(r, freeze, &value))
        uncore_same(&all, r, "freeze", r->of->part->global.freeze & ~r->of->part->global.run, value);
    if (value_of(r, run, &value))
        uncore_same(&all, r, "run", of_box ? box->run : r->of->part->global.run, value);
}

static void compare_buses(const struct uncore_row *r)
{
    const struct pmon_bus_map *map = &r->of->part->bus;
    const char *did = tsv_after(r->table, r->n, "pci_ids", "8086:"),
               *node = tsv_after(r->table, r->n, "notes", "CPUNODEID at ");
    const char *group = tsv_after(r->table, r->n, "notes", "GIDNIDMAP at ");

    if (did == NULL)
        return;
    uncore_same(&all, r, "function of the bus map", map->did, strtoull(did, NULL, 16));
    uncore_same(&all, r, "node id", map->node_id, strtoull(node, NULL, 0));
    uncore_same(&all, r, "group map", map->group, strtoull(group, NULL, 0));
    uncore_same(&all, r, "buses without the function", map->buses,
                tsv_after(r->table, r->n, "notes", "the next higher bus") ? PMON_BUSES_ABOVE : PMON_BUSES_BELOW);
}

/* --- words of discovery tables ------------------------------------------------------------------------------------ */

static const struct {
    const char *key;
    uint64_t field;
} words[] = {
    { "type=word0", PMON_DISCOVERY_TYPE },
    { "stride=word0", PMON_DISCOVERY_STRIDE },
    { "max_units=word0", PMON_DISCOVERY_MAX_UNITS },
    { "access_type=word0", PMON_DISCOVERY_ACCESS },
    { "status_offset=word2", PMON_DISCOVERY_STATUS },
    { "num_status=word2", PMON_DISCOVERY_N_STATUS },
    { "num_regs=word0", PMON_UNIT_COUNTERS },
    { "ctl_offset=word0", PMON_UNIT_CTL },
    { "bit_width=word0", PMON_UNIT_WIDTH },
    { "ctr_offset=word0", PMON_UNIT_CTR },
    { "status_offset=word0", PMON_UNIT_STATUS },
    { "box_type=word2", PMON_UNIT_TYPE },
    { "box_id=word2", PMON_UNIT_ID },
    { "domain=unit_ctl", PMON_UNIT_SEGMENT },
    { "bus=unit_ctl", PMON_UNIT_BUS },
    { "devfn=unit_ctl", PMON_UNIT_DEVICE | PMON_UNIT_FUNCTION },
    { "box_ctl=unit_ctl", PMON_UNIT_OFFSET },
    { "dvsec_id=dword(cap+0x8)", BITS(15, 0) },
};
static const struct {
    const char *key;
    uint64_t value;
} values[] = {
    { "ext_cap_id=", PCI_EXT_CAP_ID_DVSEC },
    { "dvsec_id=dword(cap+", DVSEC_HEADER2 },
    { "dvsec_id_pmon=", PMON_DVSEC_IS_PMON },
    { "bir=dword(cap+", PMON_DVSEC_BAR },
};

/* "type=" is not that of "box_type=". */
static const char *word_after(const struct uncore_row *r, const char *key)
{
    const char *cell = tsv_cell(r->table, r->n, "filters");

    for (const char *at = cell; (at = strstr(at, key)); at++)
        if (at == cell || at[-1] == ';')
            return at + strlen(key);
    return NULL;
}

static void compare_words(const struct uncore_row *r)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = word_after(r, words[i].key);
        char *end;

        if (at == NULL || *at != '[')
            continue;
        unsigned long high = strtoul(at + 1, &end, 10), low = strtoul(end + 1, NULL, 10);
        uncore_same(&all, r, words[i].key, words[i].field, BITS(high, low));
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const char *at = word_after(r, values[i].key);

        if (at)
            uncore_same(&all, r, values[i].key, values[i].value, strtoull(at, NULL, 0));
    }
}

/* --- free-running counters ---------------------------------------------------------------------------------------- */

/* "ddr:0x2290:8:2:48" has 22A8H-8H too: whether one of a row's groups has this register of this width. */
static bool runs_free(const char *groups, uint64_t offset, uint32_t bits)
{
    unsigned long long base, step, n, width;

    for (const char *at = strchr(groups, ':'); at; at = strchr(at, ',') ? strchr(strchr(at, ','), ':') : NULL)
        if (sscanf(at, ":%lli:%lli:%llu:%llu", (long long *)&base, (long long *)&step, &n, &width) == 4)
            for (unsigned long long i = 0; i < n; i++)
                if (base + i * step == offset && width == bits)
                    return true;
    return false;
}

static void compare_free(const struct uncore_row *r, const struct pmon_free *f, uint64_t base)
{
    const char *groups = tsv_cell(r->table, r->n, "freerunning");
    char ours[64];

    snprintf(ours, sizeof ours, "%#llx of %u bits", (unsigned long long)base + (unsigned long long)f->offset, f->bits);
    uncore_same_text(&all, r, f->name, ours, runs_free(groups, base + (uint64_t)f->offset, f->bits) ? ours : groups);
}

/* The row of stacks comes before that of their free-running counters. */
static void compare_free_row(const struct uncore_row *r, const struct uncore_row *iio)
{
    for (uint32_t i = 0; r->unit && i < r->unit->layout->n_free; i++)
        compare_free(r, &r->unit->layout->free[i],
                     r->unit->location.bases ? r->unit->location.bases[0] : r->unit->location.first);
    if (strcmp(r->box, "iio_free_running") == 0 && iio->unit && iio->unit->layout->free_clock)
        compare_free(r, iio->unit->layout->free_clock, strtoull(tsv_cell(iio->table, iio->n, "box_ctl"), NULL, 0));
}

static void each_row(void (*compare)(const struct uncore_row *), const char *box)
{
    struct tsv *t = uncore_boxes();

    for (uint32_t n = 0; n < tsv_rows(t); n++) {
        struct uncore_row r;

        uncore_row(t, n, &r);
        if (strcmp(r.box, box) == 0)
            compare(&r);
    }
    tsv_free(t);
}

static void all_free_rows(void)
{
    struct tsv *t = uncore_boxes();
    static struct uncore_row r, iio;

    for (uint32_t n = 0; n < tsv_rows(t); n++) {
        uncore_row(t, n, &r);
        if (strcmp(r.box, "iio") == 0)
            uncore_row(t, n, &iio);
        if (strstr(r.box, "free_running"))
            compare_free_row(&r, &iio);
    }
    tsv_free(t);
}

Test(parts_elsewhere, what_is_said_of_whole_parts_is_what_drivers_that_run_on_them_have)
{
    each_row(compare_models, "global");
    each_row(compare_global, "global");
    each_row(compare_buses, "global");
    each_row(compare_words, "discovery");
    all_free_rows();
    compared_end(&all, 600);
}
