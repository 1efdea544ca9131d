/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: a file of bands from the stick, and what is found in it. */
#include <string.h>

#include "core/bands/bands_choice.h"
#include "core/base/text.h"
#include "tests/fuzz/fuzz.h"

/* The one that the seeds are for. */
static struct cpu cpu = { .id = { .vendor_string = "GenuineIntel", .family = 6, .model = 0x4F, .stepping = 1 },
                          .enumerated = ST_OK,
                          .microcode_status = ST_OK,
                          .microcode = 0x0B000038 };
static struct node node = { .n_cpus = 1 };
static const struct machine machine = { .ran_on = "Virtual silicon: Assay model, profile bdx",
                                        .n_cpus = 1,
                                        .cpus = &cpu,
                                        .n_packages = 1,
                                        .n_nodes = 1,
                                        .nodes = &node };

static void must_be_whole(const struct bands *b)
{
    char why[2 * BANDS_TEXT + 160] = "";

    MUST(b->n_figures <= BANDS_FIGURES && b->machines >= BANDS_MACHINES);
    must_be_text(b->kind.vendor, 2 * BANDS_TEXT);
    cpu.microcode_status = ST_UNAVAILABLE;
    MUST(!bands_fit(b, &machine, why, sizeof why));
    must_be_text(why, sizeof why);
    cpu.microcode_status = ST_OK;
    why[0] = '\0';
    MUST(bands_fit(b, &machine, why, sizeof why) == (why[0] == '\0'));
    must_be_text(why, sizeof why);
    for (uint32_t i = 0; i < b->n_figures; i++) {
        const struct bands_figure *f = &b->figures[i];
        struct figure_band found;
        char check[BANDS_TEXT];
        double value;

        must_be_text(f->check, BANDS_TEXT);
        must_be_text(f->name, BANDS_TEXT);
        must_be_text(f->place, BANDS_TEXT);
        MUST(f->band.from <= f->band.centre && f->band.centre <= f->band.to && f->band.spread >= 0);
        MUST(bands_find(b, f->check, 0, f->name, f->place, &found) && found.from <= found.to);
        MUST(!bands_outdated(b, f->check, 0) && bands_outdated(b, f->check, 1));
        text_format(check, sizeof check, "%.*s", (int)strcspn(f->check, "@"), f->check);
        MUST(!bands_find(b, check, 0, f->name, f->place, &found) || !bands_outdated(b, check, 0));
        (void)bands_value(f->band.unit, f->band.centre, f->band.from, f->band.to, &value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bands_choice choice;
    const char *text = (const char *)data;
    struct bands_error error = { 0 };
    struct bands b;
    enum status st;

    st = bands_parse(&b, text, size, &error);
    MUST(st == ST_OK || st == ST_CORRUPT);
    if (st == ST_OK) {
        must_be_whole(&b);
        bands_free(&b);
    } else {
        MUST(must_be_text(error.text, sizeof error.text) > 0);
    }
    memset(&choice, 0, sizeof choice);
    bands_offer(&choice, &machine, "a.bands", text, size);
    bands_offer(&choice, &machine, "b.bands", text, size);
    for (uint32_t i = 0; i <= BANDS_SAID; i++)
        bands_unread(&choice, "c.bands", "medium error");
    MUST(choice.n_offered == 3 + BANDS_SAID && choice.n_fitting != 1 &&
         bands_taken(&choice) == NULL); /* two alike, or none */
    for (uint32_t i = 0; i < choice.n_said && i < BANDS_SAID; i++)
        must_be_text(choice.said[i], sizeof choice.said[i]);
    bands_choice_free(&choice);
    return 0;
}
