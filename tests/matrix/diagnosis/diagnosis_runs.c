/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/diagnosis/diagnosis_runs.h"

#include <stdlib.h>
#include <string.h>

#include "tests/matrix/diagnosis/fault_causes.h"
#include "tests/matrix/faults/fault_found.h"
#include "tests/matrix/machines/machine_draw.h"
#include "tests/matrix/diagnosis/symptoms_file.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

#define SEED 9u

/* --- what is to be run */

static uint32_t topology_of(const struct diagnosis_run *r, bool of_clusters)
{
    uint32_t most = 1;

    for (uint32_t i = 0; i < r->n_faults; i++) {
        uint32_t n = of_clusters ? r->faults[i]->clusters : r->faults[i]->packages;

        most = n > most ? n : most;
    }
    return most;
}

static void select_checks(const struct machine_run *machine, struct whole_run *w)
{
    const struct diagnosis_run *r = machine->context;
    struct model_fault both = r->n_faults ? *r->faults[0] : (struct model_fault){ 0 };
    const struct model_fault *fault = r->n_faults ? &both : NULL;
    char rows[256];

    if (r->n_faults == 2) {
        snprintf(rows, sizeof rows, "%s,%s", both.rows, r->faults[1]->rows);
        both.rows = rows;
    }
    if (r->whole)
        fault_select_all(fault, profile_by_name(r->profile), w);
    else
        fault_select(fault, profile_by_name(r->profile), true, w);
}

static void put_answer(const struct machine_run *machine, const struct whole_run *w, FILE *out);

static const char *name_of(const struct diagnosis_run *r)
{
    return r->n_faults ? r->faults[0]->name : "no-fault";
}

static void name_kept(struct diagnosis_run *r, const char *keep)
{
    if (keep)
        snprintf(r->kept, sizeof r->kept, "%s/%s-%s%s%s-%s", keep, r->profile, name_of(r), r->n_faults == 2 ? "-" : "",
                 r->n_faults == 2 ? r->faults[1]->name : "", r->whole ? "whole" : "quick");
}

void diagnosis_run_prepare(struct diagnosis_run *r, const char *keep)
{
    r->machine = (struct machine_run){ .context = r, .select = select_checks, .put = put_answer };
    r->machine.config =
        machine_small(profile_by_name(r->profile), r->n_faults ? topology_of(r, false) : 2, topology_of(r, true), SEED);
    for (uint32_t i = 0; i < r->n_faults; i++)
        r->machine.config.faults[i] = r->faults[i]->name;
    name_kept(r, keep);
}

/* --- in the run's process */

static void put_diagnosis(const struct diagnosis *d, FILE *out)
{
    for (uint32_t i = 0; i < d->n; i++)
        fprintf(out, "%s|%s|%s|%s\n", diagnosed_id(&d->list[i]), d->list[i].part, d->list[i].amount,
                confidence_text(d->list[i].sure));
    for (uint32_t i = 0; i < ALTERNATIVES && d->n > 0; i++)
        if (d->list[0].or_else[i])
            fprintf(out, "or %s|||\n", d->list[0].or_else[i]->id);
}

/* Whole, or not there: it is taken for the run later. */
static void keep_symptoms(const char *path, const struct symptoms *s)
{
    char begun[520];
    FILE *out;

    snprintf(begun, sizeof begun, "%s.begun", path);
    out = fopen(begun, "w");
    if (!out) {
        perror(begun);
        exit(EXIT_FAILURE);
    }
    symptoms_write(s, out);
    if (fclose(out) != 0 || rename(begun, path) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static void put_answer(const struct machine_run *machine, const struct whole_run *w, FILE *out)
{
    const struct diagnosis_run *r = machine->context;

    if (r->kept[0])
        keep_symptoms(r->kept, &w->symptoms);
    if (r->kept[0] && w->brief && !machine_run_leave_text(r->kept, w->brief))
        exit(EXIT_FAILURE);
    put_diagnosis(&w->diagnosis, out);
    fprintf(out, "lines %u\n", machine_run_lines(w->brief));
}

/* --- without a run */

/* The machine as it is enumerated, for the names of parts. */
static struct machine *machine_of(const struct model_config *config)
{
    struct model_platform *mp = model_platform_new(config, 0);
    struct machine *m = calloc(1, sizeof *m);

    if (!mp || !m || machine_enumerate(&mp->platform, m) != ST_OK) {
        fprintf(stderr, "diagnosis: the machine of %s is not enumerated\n", config->profile);
        exit(EXIT_FAILURE);
    }
    model_platform_free(mp);
    return m;
}

static char *diagnosis_text(const struct diagnosis_run *r, const struct symptoms *s)
{
    struct machine *m = machine_of(&r->machine.config);
    struct diagnosis d;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        exit(EXIT_FAILURE);
    diagnosis_run(s, m, &d);
    put_diagnosis(&d, out);
    if (fclose(out) != 0)
        exit(EXIT_FAILURE);
    machine_free(m);
    free(m);
    return text;
}

bool diagnosis_run_again(struct diagnosis_run *r)
{
    struct symptoms s = { 0 };
    FILE *in = r->kept[0] ? fopen(r->kept, "r") : NULL;

    if (!in)
        return false;
    if (!symptoms_read(&s, in)) {
        fprintf(stderr, "diagnosis: %s is none of this form\n", r->kept);
        exit(EXIT_FAILURE);
    }
    fclose(in);
    r->machine.answer = diagnosis_text(r, &s);
    symptoms_free(&s);
    return true;
}

/* --- what came out */

const char *diagnosis_named_next(const char *at, struct diagnosis_named *n)
{
    memset(n, 0, sizeof *n);
    if (!*at)
        return NULL;
    if (strncmp(at, "lines ", 6) == 0)
        return NULL;
    n->alternative = strncmp(at, "or ", 3) == 0;
    at += n->alternative ? 3 : 0;
    if (sscanf(at, "%63[^|\n]|%127[^|\n]|", n->cause, n->part) < 1)
        return NULL;
    at = strchr(at, '\n');
    return at ? at + 1 : NULL;
}

uint32_t diagnosis_place(const struct diagnosis_run *r, const struct model_fault *fault, struct diagnosis_named *found)
{
    uint32_t place = 0, n = 0;
    struct diagnosis_named now;

    for (const char *at = r->machine.answer; (at = diagnosis_named_next(at, &now)) != NULL;) {
        bool is = fault_is_cause(fault, now.cause);

        n += !now.alternative;
        if (is && place == 0 && (now.alternative || n <= 3)) {
            place = n == 1 && !now.alternative ? 1 : 2;
            *found = now;
        }
    }
    return place;
}

static void judge_one(const struct diagnosis_run *r, struct diagnosis_score *score)
{
    struct diagnosis_named found = { .cause = "" };
    uint32_t place = diagnosis_place(r, r->faults[0], &found);
    const char *part = fault_part(r->faults[0]), *of = r->whole ? "whole " : "";

    if (!diagnosis_named_next(r->machine.answer,
                              &found)) /* the checks' affair: the fault matrix says where a fault has to be found */
        return;
    score->runs++;
    score->first += place == 1;
    score->three += place != 0;
    if (place != 0 && part) {
        score->parts++;
        score->parts_named += fault_part_is_named(r->faults[0], &r->machine.config, found.part);
    }
    if (place != 1)
        printf("%s %s%s on %s: %.*s\n", place ? "third" : "MISSED", of, r->faults[0]->name, r->profile,
               (int)strcspn(r->machine.answer, "\n"), r->machine.answer);
    else if (part && !fault_part_is_named(r->faults[0], &r->machine.config, found.part))
        printf("part   %s%s on %s: %s, and not %s\n", of, r->faults[0]->name, r->profile, found.part, part);
}

static void judge_pair(const struct diagnosis_run *r, struct diagnosis_score *score)
{
    bool both = true;
    struct diagnosis_named now;

    for (uint32_t i = 0; i < 2; i++) {
        bool named = false;

        for (const char *at = r->machine.answer; (at = diagnosis_named_next(at, &now)) != NULL;)
            named |= !now.alternative && fault_is_cause(r->faults[i], now.cause);
        both &= named;
    }
    score->pairs++;
    score->pairs_named += both;
    if (!both)
        printf("pair   %s%s and %s on %s: %.*s\n", r->whole ? "whole " : "", r->faults[0]->name, r->faults[1]->name,
               r->profile, (int)strcspn(r->machine.answer, "\n"), r->machine.answer);
}

/* Of a run that was made now, and not taken from what is kept. */
static void judge_lines(const struct diagnosis_run *r, struct diagnosis_score *score)
{
    const char *at = strstr(r->machine.answer, "lines ");
    uint32_t n = at ? (uint32_t)strtoul(at + 6, NULL, 10) : 0;
    bool within = n > 0 && n <= (at > r->machine.answer ? DIAGNOSIS_FAIL_LINES : DIAGNOSIS_PASS_LINES);

    if (!at || r->n_faults == 2)
        return;
    score->reports++;
    score->short_ones += within;
    if (!within)
        printf("lines  %s%s on %s: report.txt has %u\n", r->whole ? "whole " : "", name_of(r), r->profile, n);
    if (at > r->machine.answer)
        score->longest = n > score->longest ? n : score->longest;
    else
        score->longest_pass = n > score->longest_pass ? n : score->longest_pass;
}

void diagnosis_run_judge(const struct diagnosis_run *r, struct diagnosis_score *score)
{
    judge_lines(r, score);
    if (r->n_faults == 2)
        judge_pair(r, score);
    else if (r->n_faults == 1)
        judge_one(r, score);
}

static bool say(const char *of, const char *what, uint32_t got, uint32_t all, uint32_t wanted)
{
    bool enough = got * 100 >= all * wanted;

    if (all > 0)
        printf("%s %s: %s: %u of %u (%.1f %%, wanted %u %%)\n", enough ? "PASS" : "FAIL", of, what, got, all,
               100.0 * got / all, wanted);
    return enough;
}

bool diagnosis_score_say(const struct diagnosis_score *score, const char *of)
{
    bool first = say(of, "the fault's cause is named first", score->first, score->runs, 90);
    bool three = say(of, "it is among the first three", score->three, score->runs, 98);
    bool part = say(of, "the part is named", score->parts_named, score->parts, 90);
    bool pairs = say(of, "both of two faults are named", score->pairs_named, score->pairs, 70);

    bool lines = say(of, "report.txt has at most 120 lines where nothing was found, else 150", score->short_ones,
                     score->reports, 100);

    if (score->reports > 0)
        printf("%s: the longest report.txt has %u lines where nothing was found, else %u\n", of, score->longest_pass,
               score->longest);
    return first && three && part && pairs && lines;
}
