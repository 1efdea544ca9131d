/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/preflight.c FILE.machine [BANDS]... [OPTION]...: what Assay will do on a recorded machine (docs/recording.md): which
 * checks run, which are SKIP and why, which boxes it expects, whether there are bands. FILE is made a platform, on which
 * Assay's own enumeration, search for boxes and preconditions of checks decide; what depends on what was not recorded is
 * unknown. OPTION: as Assay's own, -quick or -pmi. `assay-report preflight` shows it. Exit status 2: FILE or an option is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bands/bands_choice.h"
#include "core/base/text.h"
#include "core/boxes/boxes_find.h"
#include "core/engine/engine.h"
#include "core/platform/mp_selftest.h"
#include "core/tools/tools.h"
#include "core/uncore/pmon_session.h"
#include "tests/support/replay.h"

enum box_state { BOX_USABLE, BOX_UNKNOWN, BOX_LEFT };

static struct preflight {
    struct replay *replay;
    struct platform platform;
    struct platform_ops ops;
    struct machine machine;
    struct tools tools;
    struct options options;
    struct bands_choice bands;
    struct engine engine;
    enum box_state *boxes; /* of tools.pmon.boxes */
    bool pci_unknown;      /* some function that the search for boxes asked for was not recorded */
} p;

/* --- what a need rests on */

static bool leaf_unknown(uint32_t leaf, uint32_t subleaf)
{
    const struct recording *r = replay_recording(p.replay);
    uint32_t last = leaf & 0x80000000u ? p.machine.max_ext_leaf : p.machine.max_leaf;

    return leaf <= last && !recording_leaf(r, 0, leaf, subleaf);
}

static bool is_met(uint32_t need)
{
    return !engine_missing(&p.engine, &(struct check_row){ .needs = need });
}

/* CPUID lines that say whether a need is met, once the one before it is. */
static const struct source {
    uint32_t needs, before, leaf, subleaf;
} sources[] = {
    { NEED_RDT_BIT | NEED_RDT_A_BIT, 0, 7, 0 },
    { NEED_RDT_M, NEED_RDT_BIT, 0xF, 0 },
    { NEED_OCCUPANCY | NEED_TOTAL | NEED_LOCAL | NEED_WIDTH_24, NEED_RDT_M, 0xF, 1 },
    { NEED_RDT_A | NEED_L2_CAT | NEED_MBA | NEED_CLASSES, NEED_RDT_A_BIT, 0x10, 0 },
    { NEED_CDP, NEED_RDT_A, 0x10, 1 },
    { NEED_AMD_QOS | NEED_AMD_ABMC, 0, 0x80000020u, 0 },
};

/* What was not recorded of that which decides a need; NULL: nothing. */
static const char *lacks(uint32_t need)
{
    static char text[48];
    const struct recording *r = replay_recording(p.replay);

    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (!(sources[i].needs & need))
            continue;
        if (sources[i].before && !is_met(sources[i].before))
            return lacks(sources[i].before);
        snprintf(text, sizeof text, "CPUID leaf %XH, sub-leaf %u", sources[i].leaf, sources[i].subleaf);
        return leaf_unknown(sources[i].leaf, sources[i].subleaf) ? text : NULL;
    }
    if (need & (NEED_2_CPUS | NEED_SMT | NEED_2_DOMAINS))
        return r->n_cpus == 1 ? "processors after the first" : NULL;
    if (need & NEED_2_NODES)
        return recording_table(r, "SRAT") ? NULL : "SRAT";
    if (need & (NEED_UBOX | NEED_PMON)) /* a part in no table may have discovery tables */
        return p.pci_unknown && !p.tools.pmon.part && p.machine.cpus[p.machine.reference].id.vendor == VENDOR_INTEL
                   ? "every PCI bus"
                   : NULL;
    return need == NEED_MP_SELFTEST && r->n_processors == 0 ? "firmware's processor services" : NULL;
}

/* --- boxes */

/* Whether every function of the buses that the search looks at was recorded. */
static bool ids_known(void)
{
    const struct acpi_info *acpi = &p.machine.acpi;
    bool known = true;

    for (uint32_t i = 0; i < acpi->n_mcfg; i++)
        for (uint32_t bus = acpi->mcfg[i].first_bus; bus <= acpi->mcfg[i].last_bus; bus++)
            known &= recording_bus_is_complete(replay_recording(p.replay), acpi->mcfg[i].segment, bus);
    for (uint32_t bus = 0; acpi->n_mcfg == 0 && bus < 256; bus++)
        known &= recording_bus_is_complete(replay_recording(p.replay), 0, bus);
    return known;
}

/* Functions at the box' place on all packages; one whose id was not recorded may be one. */
static uint32_t shown(const struct pmon_box *box)
{
    const struct pmon_pci_place *at = &box->unit->location.places[box->number];
    const struct recording *r = replay_recording(p.replay);
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n_functions; i++) {
        const struct recorded_function *f = &r->functions[i];

        n += f->vendor == PCI_VENDOR_ID_INTEL && (f->did == at->did || !f->did_known) && f->device == at->device &&
             f->function == at->function;
    }
    return n;
}

/* A box whose answer was recorded is usable or not; else it is unknown. Which package a function belongs to is unknown where
 * configuration space was not recorded: there only a place that no package shows is missing. */
static enum box_state state_of(const struct pmon_box *box)
{
    struct pmon_box again = *box;
    uint32_t before = replay_unknown(p.replay, false);
    enum status st;

    if (box->status == ST_OK)
        return BOX_USABLE;
    if (box->why == PMON_NO_FEATURE || box->why == PMON_OTHER_DIE)
        return BOX_LEFT;
    if (box->unit->location.find == PMON_FIND_PLACES && box->status == ST_ABSENT && ids_known() && shown(box) == 0)
        return BOX_LEFT;
    if (pmon_box_missing(box) || box->why == PMON_NO_BASE || box->unit->location.find == PMON_FIND_MEMORY)
        return p.pci_unknown ? BOX_UNKNOWN : BOX_LEFT;
    st = pmon_probe(&p.platform, &again);
    (void)st; /* of the recording it is known already */
    return replay_unknown(p.replay, false) != before ? BOX_UNKNOWN : BOX_LEFT;
}

static bool judge_boxes(void)
{
    p.boxes = calloc(p.tools.pmon.n_boxes + 1, sizeof p.boxes[0]);
    for (uint32_t i = 0; p.boxes && i < p.tools.pmon.n_boxes; i++)
        p.boxes[i] = state_of(&p.tools.pmon.boxes[i]);
    return p.boxes != NULL;
}

static void put_boxes(void)
{
    const struct pmon *pmon = &p.tools.pmon;
    uint32_t n[3] = { 0 };

    if (!pmon->part) {
        printf("boxes: %s\n",
               lacks(NEED_PMON) ? "unknown: every PCI bus was not recorded" : "none in the tables for this processor");
        return;
    }
    for (uint32_t i = 0; i < pmon->n_boxes; i++)
        n[p.boxes[i]]++;
    printf("boxes: %s: %u usable, %u not recorded, %u left alone\n", pmon->part->name, n[BOX_USABLE], n[BOX_UNKNOWN],
           n[BOX_LEFT]);
    if (pmon->part->discovery && pmon->n_tables == 0)
        printf("  those of discovery tables: %s\n",
               p.pci_unknown ? "unknown: no table was recorded" : "there is no table");
    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        enum box_state state = p.boxes[i];
        char name[48], why[PMON_TEXT] = "usable";

        pmon_box_name(&pmon->boxes[i], name);
        if (state == BOX_UNKNOWN)
            snprintf(why, sizeof why, "unknown: %s",
                     pmon->boxes[i].unit->location.find == PMON_FIND_PLACES && shown(&pmon->boxes[i])
                         ? "its function is shown, its registers were not recorded"
                         : "not recorded");
        else if (state == BOX_LEFT && p.pci_unknown && pmon->boxes[i].unit->location.find == PMON_FIND_PLACES)
            snprintf(why, sizeof why, "hidden or not populated: no function %04x:%04x is shown", PCI_VENDOR_ID_INTEL,
                     pmon->boxes[i].unit->location.places[pmon->boxes[i].number].did);
        else if (state == BOX_LEFT)
            pmon_box_reason(&pmon->boxes[i], why, sizeof why);
        printf("  %-22s %s\n", name, why);
    }
}

/* --- checks */

/* Boxes that the row's session would have: whether one is usable, and whether one is unknown. */
static void session_boxes(const struct check_row *row, bool *usable, bool *unknown)
{
    *usable = *unknown = false;
    for (uint32_t i = 0; i < p.tools.pmon.n_boxes; i++) {
        const struct pmon_box *box = &p.tools.pmon.boxes[i];

        if ((box->unit->layout->n_free && !row->free_running) || !row->wanted(box->unit))
            continue;
        *usable |= p.boxes[i] == BOX_USABLE;
        *unknown |= p.boxes[i] == BOX_UNKNOWN;
    }
    *unknown |= p.tools.pmon.part->discovery && p.tools.pmon.n_tables == 0 && p.pci_unknown;
}

enum plan { PLAN_RUNS, PLAN_SKIP, PLAN_UNKNOWN };

/* why: of a SKIP its reason, of what is unknown what was not recorded. A need that is known to be missing decides. */
static enum plan plan_of(const struct check_row *row, char why[256])
{
    enum plan plan = PLAN_RUNS;

    for (uint32_t bit = 1; bit && bit <= row->needs; bit <<= 1) {
        struct check_row one = { .needs = row->needs & bit };
        const char *missing = engine_missing(&p.engine, &one), *unknown = one.needs ? lacks(one.needs) : NULL;

        if (missing && !unknown) {
            snprintf(why, 256, "%s", missing);
            return PLAN_SKIP;
        }
        if (unknown && plan == PLAN_RUNS && (missing || one.needs == NEED_MP_SELFTEST)) {
            snprintf(why, 256, "%s: not recorded", unknown);
            plan = PLAN_UNKNOWN;
        }
    }
    if (plan == PLAN_RUNS && row->run_session) {
        bool usable, unknown;

        session_boxes(row, &usable, &unknown);
        if (usable)
            return PLAN_RUNS;
        snprintf(why, 256, "%s",
                 unknown ? "registers of its boxes: not recorded" : "no usable uncore box supports this check");
        return unknown ? PLAN_UNKNOWN : PLAN_SKIP;
    }
    return plan;
}

static void put_checks(void)
{
    static const char *const words[] = { "runs", "SKIP", "unknown" };
    uint32_t n[3] = { 0 }, slow = 0, by_experience = 0;
    char why[256];

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        enum plan plan;

        if (!engine_selects(&p.options, row))
            continue;
        plan = plan_of(row, why);
        n[plan]++;
        slow += plan == PLAN_RUNS && row->slow;
        by_experience += plan == PLAN_RUNS && row->by_experience;
    }
    printf("checks: %u run, %u are SKIP, %u are unknown\n", n[PLAN_RUNS], n[PLAN_SKIP], n[PLAN_UNKNOWN]);
    printf("  time: %u of those that run are long%s\n", slow, slow ? "; -quick leaves them out" : "");
    printf("  bands: %s; %u of those that run have a bound of experience\n",
           bands_taken(&p.bands) ? p.bands.path
           : p.bands.n_offered   ? "none of those given is for this machine"
                                 : "none given",
           by_experience);
    for (uint32_t i = 0; i < p.bands.n_said; i++)
        printf("  %s\n", p.bands.said[i]);
    if (p.bands.other[0])
        printf("  %s\n", p.bands.other);
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        enum plan plan;

        if (!engine_selects(&p.options, row))
            continue;
        plan = plan_of(row, why);
        printf("  %-7s %-22s %s\n", words[plan], row->id, plan != PLAN_RUNS ? why : row->slow ? "long" : "");
    }
}

/* --- the machine */

/* Firmware that lists processors by its services has them: their self-test is run. */
static const struct mp_selftest *services(void *machine)
{
    static const struct mp_selftest ran;

    (void)machine;
    return replay_recording(p.replay)->n_processors ? &ran : NULL;
}

static void open_machine(void)
{
    const struct recording *r = replay_recording(p.replay);
    uint32_t before;

    p.platform = *replay_platform(p.replay);
    p.ops = *p.platform.ops;
    p.ops.mp_selftest = services;
    p.platform.ops = &p.ops;
    printf("machine: %s\n", r->name[0] ? r->name : "without a name");
    if (r->n_cpus == 0 || machine_enumerate(&p.platform, &p.machine) != ST_OK) {
        printf("  unknown: which checks run, and which boxes there are: CPUID was not recorded\n");
        exit(0);
    }
    printf("  %s, %s, %u processors, %u packages, %u L3s; %u ACPI tables, %u SMBIOS structures, %u PCI functions "
           "recorded\n",
           p.machine.brand[0] ? p.machine.brand : "no brand", p.machine.generation, p.machine.n_cpus,
           p.machine.n_packages, p.machine.n_domains, r->n_tables, r->n_structures, r->n_functions);
    p.tools = (struct tools){ .platform = &p.platform, .machine = &p.machine };
    before = replay_unknown(p.replay, true);
    if (boxes_find(&p.platform, &p.machine, &p.tools.pmon) != ST_OK)
        exit(2);
    p.pci_unknown = r->n_buses == 0 || replay_unknown(p.replay, true) != before;
    p.engine =
        (struct engine){ .platform = &p.platform, .machine = &p.machine, .tools = &p.tools, .options = &p.options };
}

static void refuse(const char *what, const char *why)
{
    fprintf(stderr, "preflight: %s: %s\n", what, why);
    exit(2);
}

static void offer_bands(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (!f || getdelim(&text, &size, EOF, f) < 0)
        refuse(path, "cannot be read");
    fclose(f);
    bands_offer(&p.bands, &p.machine, path, text, strlen(text));
    free(text);
}

int main(int argc, char **argv)
{
    struct options_error error;
    char line[1024] = "";

    if (argc < 2 || argv[1][0] == '-')
        refuse("FILE.machine [BANDS]... [OPTION]...", "no file is named");
    for (int i = 2; i < argc; i++)
        if (argv[i][0] == '-' || line[0])
            text_format(line + strlen(line), sizeof line - strlen(line), "%s%s", line[0] ? " " : "", argv[i]);
    options_default(&p.options);
    if (options_parse_line(&p.options, line, &error) != ST_OK || engine_check_patterns(&p.options, &error) != ST_OK)
        refuse(line, error.text);
    p.replay = replay_open(argv[1]);
    if (!p.replay)
        return 2;
    open_machine();
    if (!judge_boxes())
        return 2;
    for (int i = 2; i < argc && argv[i][0] != '-'; i++)
        offer_bands(argv[i]);
    put_checks();
    put_boxes();
    return 0;
}
