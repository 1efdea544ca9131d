/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A machine is recorded, its twin is made of that and recorded again: the two recordings are the same, line by line. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/heap.h"
#include "core/boxes/boxes_find.h"
#include "core/record/record.h"
#include "tests/silicon/host/host_platform.h"
#include "tests/silicon/quirks/realism.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/recorded/recording.h"

/* An event in the first counter of every box, and a count, as somebody before left them; not enabled. */
static uint32_t taken; /* writes */

static void program(struct platform *p, struct pmon *pmon)
{
    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        struct pmon_box *box = &pmon->boxes[i];
        uint32_t counter = pmon_n_counters(box->unit) ? pmon_nth(box->unit, 0) : 0;

        if (!box_is_there(box) || pmon_n_counters(box->unit) == 0)
            continue;
        taken += pmon_write(p, box, pmon_ctl(box->unit, counter), 3) == ST_OK;
        taken += pmon_write(p, box, pmon_ctr(box->unit, counter), 0x12345) == ST_OK;
    }
}

static struct record_text recorded(const struct model_config *config, bool programmed)
{
    struct model_platform *mp = model_platform_new(config, 0);
    static struct machine machine;
    struct pmon pmon;
    struct record_source source = { .machine = &machine, .pmon = &pmon, .full = true, .made_by = "assay" };
    struct record_text text;

    cr_assert_not_null(mp, "%s", config->profile);
    source.platform = &mp->platform;
    cr_assert_eq(machine_enumerate(source.platform, &machine), ST_OK);
    cr_assert_eq(boxes_find(source.platform, &machine, &pmon), ST_OK);
    if (programmed)
        program(source.platform, &pmon);
    cr_assert_eq(record_machine(&source, &text), ST_OK);
    boxes_free(&pmon);
    machine_free(&machine);
    model_platform_free(mp);
    text.at[text.length - 1] = 0;
    return text;
}

/* The next line, which is cut off *at; without where a table lies. */
static const char *line_of(char **at)
{
    char *line = *at, *end = strchr(line, '\n'), *length;

    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    length = strncmp(line, "table ", 6) == 0 ? strstr(line, " length") : NULL;
    return length ? memmove(line, length, strlen(length) + 1) : line;
}

static struct recording *parsed(const struct record_text *text)
{
    char error[256] = "";
    struct recording *r = recording_parse(text->at, text->length - 1, error, sizeof error);

    cr_assert_not_null(r, "%s", error);
    return r;
}

/* Free-running: DCLK of a memory controller, of Ice Lake on; the clock of Diamond Rapids' I/O. */
static bool runs(const char *line)
{
    return strncmp(line, " 22b0 ", 6) == 0 || strncmp(line, " 2318 ", 6) == 0 || strncmp(line, " 2320 ", 6) == 0 ||
           strncmp(line, " 6bb0 ", 6) == 0;
}

static void expect_again(const struct model_config *config, bool programmed)
{
    struct record_text first = recorded(config, programmed), second;
    struct recording *r = parsed(&first);
    char *a = first.at, *b;
    uint32_t apart = 0, lines = 0;

    second = recorded(&(struct model_config){ .profile = config->profile, .recording = r, .seed = 77 }, false);
    b = second.at;
    for (; (*a || *b) && apart < 8; lines++) {
        const char *x = line_of(&a), *y = line_of(&b);

        if (runs(x) && strncmp(x, y, 6) == 0)
            continue;
        apart += strcmp(x, y) != 0;
        cr_expect_str_eq(x, y, "%s, line %u: %.160s -> %.160s", config->profile, lines + 1, x, y);
    }
    cr_expect_gt(lines, 80);
    heap_free(first.at);
    heap_free(second.at);
    recording_free(r);
}

/* What firmware and software that ran before leave, and tables as boards have them, as far as the part can have it. */
static void left_on(const struct profile *part, char *out, size_t size)
{
    static const char *const all[] = { "left-class=some",       "left-rmids=on",
                                       "left-masks=all",        "left-cdp=on",
                                       "left-l2-masks=all",     "left-io=on",
                                       "left-throttles=all",    "left-selection=on",
                                       "left-events=reads",     "left-prefetch=disabled",
                                       "left-counters=enabled", "left-rmid-sharing=on",
                                       "table-order=alternate", "srat-ranges=hot-plug",
                                       "disabled-entries=255",  "pci-segments=package" };
    static struct realism realism;
    char error[256];

    *out = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (realism_parse(&realism, part, all[i], error, sizeof error)) {
            strncat(out, *out ? "," : "", size - strlen(out) - 1);
            strncat(out, all[i], size - strlen(out) - 1);
        }
}

Test(again, every_part_is_recorded_again_as_it_was)
{
    char left[512];

    for (uint32_t i = 0; i < profile_count(); i++) {
        uint32_t clusters = profiles[i]->max_clusters > 1 ? 2 : 1, slices = profiles[i]->l3_ways ? 2 : 0;

        left_on(profiles[i], left, sizeof left);
        expect_again(&MODEL(profiles[i]->name, 2, 4, 2, .seed = 5, .slices = slices), false);
        expect_again(
            &MODEL(profiles[i]->name, 2, 4, 2, .seed = 5, .slices = slices, .clusters = clusters, .realism = left),
            true);
    }
    cr_expect_gt(taken, 1000);
}

/* Tables that the model does not make, after those that it makes. */
Test(again, every_table_is_recorded_again)
{
    static const char *const signatures[] = { "HMAT", "CEDT", "WDAT", "FACP", "SLIT" };
    struct record_text first = recorded(&MODEL("gnr", 2, 4, 2, .slices = 2), false), second;
    char *text = calloc(1, first.length + 4096);
    struct recording *r, *again;
    size_t n = first.length - 1;

    cr_assert_not_null(text);
    memcpy(text, first.at, n);
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        n += (size_t)sprintf(text + n, "\ntable %s length 40\n 0 %02x%02x%02x%02x400000000%zu\n 30 %zu5aa55aa\n",
                             signatures[i], signatures[i][0], signatures[i][1], signatures[i][2], signatures[i][3],
                             i + 1, i + 1);
    r = parsed(&(struct record_text){ text, n + 1 });
    second = recorded(&(struct model_config){ .profile = "gnr", .recording = r }, false);
    again = parsed(&second);
    cr_expect_eq(again->n_tables, r->n_tables);
    for (uint32_t i = 0; i < r->n_tables; i++) {
        const struct recorded_table *was = &r->tables[i], *is = recording_table(again, was->signature);
        uint8_t *image = recording_table_image(was);

        cr_assert(is && image && is->bytes.n == was->bytes.n, "%s", was->signature);
        cr_expect_arr_eq(is->bytes.at, image, was->bytes.n, "%s", was->signature);
        free(image);
    }
    heap_free(first.at);
    heap_free(second.at);
    free(text);
    recording_free(r);
    recording_free(again);
}
