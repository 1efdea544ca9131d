/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/preflight.c FILE.machine [BANDS]... [OPTION]...: what Assay will do on a recorded machine (docs/recording.md): which
 * checks run, which are SKIP and why, which boxes it expects, whether there are bands. FILE is made a platform, on which
 * Assay's own enumeration, search for boxes and preconditions of checks decide; what depends on what was not recorded is
 * unknown. OPTION: as Assay's own, -quick or -pmi. `assay-report preflight` shows it. Exit status 2: FILE or an option is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bands/bands_choice.h"
#include "core/base/bits.h"
#include "core/base/text.h"
#include "core/boxes/boxes_find.h"
#include "core/engine/engine.h"
#include "core/platform/mp_selftest.h"
#include "core/tools/tools.h"
#include "core/uncore/pmon_session.h"
#include "tests/support/data/replay.h"

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
    bool by_smbios;        /* the part is known by SMBIOS alone                                  */
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
    if (box->why == PMON_NO_FEATURE || box->why == PMON_UNEVEN || box->why == PMON_OTHER_DIE)
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

/* --- how long it takes */

/* tests/fixtures/costs/seconds.tsv: of each check the seconds that it takes of the model's clock on a Broadwell-EP with L3s of 20 MiB
 * and 64 RMIDs, AMD's on a Turin, and how many MB its loads move, with loads as on hardware. */
__asm__(".section .rodata\n"
        "seconds_table: .incbin \"tests/fixtures/costs/seconds.tsv\"\n"
        ".byte 0\n"
        ".text\n");
extern const char seconds_table[];

#define MEASURED_L3     (UINT64_C(20) << 20)
#define MEASURED_RMIDS  64.0
#define MB_PER_SECOND   10e3 /* what loads move on the model: the rest of a check's time is waits and tasks */
#define SECONDS_UNKNOWN 0.05

/* Loads grow with the L3, checks of every RMID with their number. */
static double seconds_of(const struct check_row *row)
{
    const struct l3_domain *d = p.machine.n_domains ? &p.machine.domains[0] : NULL;
    double seconds = SECONDS_UNKNOWN, mb = 0, loads, factor = 1;
    char key[64];
    const char *at;

    snprintf(key, sizeof key, "\n%s\t", row->id);
    at = strstr(seconds_table, key);
    if (at)
        sscanf(at + strlen(key), "%lf\t%lf", &seconds, &mb);
    loads = mb / MB_PER_SECOND < seconds ? mb / MB_PER_SECOND : seconds;
    if (d && d->l3_bytes > MEASURED_L3)
        factor = (double)d->l3_bytes / (double)MEASURED_L3;
    if (d && strstr(row->id, "every-rmid") && d->max_rmid > MEASURED_RMIDS)
        seconds *= ((double)d->max_rmid + 1) / MEASURED_RMIDS;
    return seconds + loads * (factor - 1);
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
    double seconds[3] = { 0 };
    char why[256];

    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        enum plan plan;

        if (!engine_selects(&p.options, row))
            continue;
        plan = plan_of(row, why);
        n[plan]++;
        seconds[plan] += seconds_of(row);
        slow += plan == PLAN_RUNS && row->slow;
        by_experience += plan == PLAN_RUNS && row->by_experience;
    }
    printf("checks: %u run, %u are SKIP, %u are unknown\n", n[PLAN_RUNS], n[PLAN_SKIP], n[PLAN_UNKNOWN]);
    printf("  time: about %.0f s, an estimate", seconds[PLAN_RUNS]);
    if (n[PLAN_UNKNOWN])
        printf(", and %.0f s more if all run that are unknown", seconds[PLAN_UNKNOWN]);
    printf("; %u of those that run are long%s\n", slow, slow ? ", and -quick leaves them out" : "");
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
static const struct mp_selftest *services(void *)
{
    static const struct mp_selftest ran;

    return replay_recording(p.replay)->n_processors ? &ran : NULL;
}

static bool has_text(const struct recorded_structure *s, const char *word)
{
    bool found = false;

    for (uint32_t at = 0; at < s->text_bytes; at += (uint32_t)strlen(s->text + at) + 1)
        found |= strstr(s->text + at, word) != NULL;
    return found;
}

/* Without CPUID the Processor ID of the first populated socket is leaf 1 EAX and EDX, and its Manufacturer the vendor of
 * leaf 0: all other leaves are unknown. DSP0134 3.6, 7.5 and 7.5.3. */
static bool take_socket(struct recording *r, const struct recorded_structure *s)
{
    uint32_t signature = 0, features = 0;
    bool amd;

    if (s->type != 4 || s->n < 0x1A || !(s->at[0x18] & BIT(6)))
        return false;
    memcpy(&signature, s->at + 8, sizeof signature);
    memcpy(&features, s->at + 12, sizeof features);
    amd = has_text(s, "AMD") || has_text(s, "Advanced Micro Devices");
    if (signature == 0 || (!amd && !has_text(s, "Intel")))
        return false;
    r->cpus = calloc(1, sizeof *r->cpus);
    if (!r->cpus || !(r->cpus[0].leaves = calloc(2, sizeof *r->cpus[0].leaves)))
        return false;
    r->cpus[0].n_leaves = 2;
    r->cpus[0].leaves[0] = (struct recorded_leaf){ 0, 0, { 0x20, 0x756E6547, 0x6C65746E, 0x49656E69 } };
    if (amd)
        r->cpus[0].leaves[0] = (struct recorded_leaf){ 0, 0, { 0x20, 0x68747541, 0x444D4163, 0x69746E65 } };
    r->cpus[0].leaves[1] = (struct recorded_leaf){ 1, 0, { signature, 0, 0, features } };
    r->n_cpus = 1;
    return true;
}

static void assume_part(struct recording *r)
{
    for (uint32_t i = 0; r->n_cpus == 0 && i < r->n_structures; i++)
        p.by_smbios = take_socket(r, &r->structures[i]);
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
        printf("  unknown: which checks run, and which boxes there are: neither CPUID nor a Processor ID (SMBIOS type "
               "4) was "
               "recorded\n");
        exit(0);
    }
    printf("  %s, %s, %u processors, %u packages, %u L3s; %u ACPI tables, %u SMBIOS structures, %u PCI functions "
           "recorded\n",
           p.machine.brand[0] ? p.machine.brand : "no brand", p.machine.generation, p.machine.n_cpus,
           p.machine.n_packages, p.machine.n_domains, r->n_tables, r->n_structures, r->n_functions);
    if (p.by_smbios)
        printf(
            "  CPUID was not recorded: the part is that of SMBIOS' Processor ID, processors and boxes are those of one "
            "package\n");
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
    struct recording *recording;
    char line[1024] = "", why[256] = "";

    if (argc < 2 || argv[1][0] == '-')
        refuse("FILE.machine [BANDS]... [OPTION]...", "no file is named");
    for (int i = 2; i < argc; i++)
        if (argv[i][0] == '-' || line[0])
            text_format(line + strlen(line), sizeof line - strlen(line), "%s%s", line[0] ? " " : "", argv[i]);
    options_default(&p.options);
    if (options_parse_line(&p.options, line, &error) != ST_OK || engine_check_patterns(&p.options, &error) != ST_OK)
        refuse(line, error.text);
    recording = recording_open(argv[1], why, sizeof why);
    if (!recording)
        refuse(argv[1], why);
    assume_part(recording);
    p.replay = replay_of(recording);
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
