/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/faults/fault_found.h"

#include <string.h>

#include "core/base/search.h"
#include "tests/silicon/faults/fault.h"

/* The three checks that read under one RMID after the other take several seconds where there are thousands of them, as
 * on zen5, and minutes where many of them are off. There they run on faultless machines, and cmt.every-rmid for faults
 * of its rows alone and mbm.every-rmid for faults of one RMID; others of those that it finds are found by others. */
#define RMIDS_MANY 1024u
static const struct {
    const char *id;
    bool for_its_rows, for_one_rmid;
} every_rmid[] = { { .id = "cmt.every-rmid", .for_its_rows = true },
                   { .id = "mbm.every-rmid", .for_one_rmid = true },
                   { .id = "mbm.every-rmid-remote" } };

static bool runs_for(size_t i, const struct model_fault *fault)
{
    return (every_rmid[i].for_its_rows && !strcmp(check_find(every_rmid[i].id)->covers, fault->rows)) ||
           (every_rmid[i].for_one_rmid && fault->place && !strcmp(fault->place, "RMID"));
}

static bool has_many_rmids(const struct profile *part)
{
    return profile_cpuid(part, 0xF, 1, 2) >= RMIDS_MANY; /* ECX: highest RMID */
}

uint32_t fault_profiles(const struct model_fault *fault, const struct profile **has, uint32_t most)
{
    uint32_t n = 0;

    /* Those that are like another one where no other can have it. */
    for (uint32_t like = 0; like < 2 && n == 0; like++)
        for (const struct profile *const *p = profiles; *p && n < most; p++)
            if (!(*p)->like == !like && fault_is_tried(fault, *p))
                has[n++] = *p;
    return n;
}

void fault_select_all(const struct model_fault *fault, const struct profile *part, struct whole_run *w)
{
    uint32_t n = 0;

    w->skips[n++] = MACHINE_RUN_NEVER;
    for (size_t i = 0; fault && has_many_rmids(part) && i < sizeof every_rmid / sizeof every_rmid[0]; i++)
        if (!runs_for(i, fault))
            w->skips[n++] = every_rmid[i].id;
}

void fault_select(const struct model_fault *fault, const struct profile *part, bool every_check, struct whole_run *w)
{
    uint32_t n = 0, n_skips = 0;

    w->skips[n_skips++] = MACHINE_RUN_NEVER;
    for (size_t i = 0; fault && has_many_rmids(part) && i < sizeof every_rmid / sizeof every_rmid[0]; i++)
        if (!runs_for(i, fault))
            w->skips[n_skips++] = every_rmid[i].id;
    for (const struct check_row *row = check_next(NULL); row; row = check_next(row)) {
        bool holds = fault && rows_meet(row->covers, fault->rows);

        if (every_check && row->slow && !holds && n_skips < OPTIONS_PATTERNS)
            w->skips[n_skips++] = row->id;
        if (!every_check && holds && n < OPTIONS_PATTERNS)
            w->tests[n++] = row->id;
    }
    if (n == 0 && !every_check)
        w->tests[0] = "restore.*"; /* nobody holds its row: that is said when nobody finds it */
}

void fault_select_in_clusters(const struct model_fault *fault, const struct profile *part, uint32_t clusters,
                              struct whole_run *w)
{
    uint32_t n = 0;

    fault_select(fault, part, false, w);
    while (n < OPTIONS_PATTERNS && w->tests[n])
        n++;
    for (const struct check_row *row = check_next(NULL); clusters > 1 && row; row = check_next(row))
        if (row->about_clusters && n < OPTIONS_PATTERNS)
            w->tests[n++] = row->id;
}

bool verdict_is_bad(const char *verdict)
{
    return !strcmp(verdict, "FAIL") || !strcmp(verdict, "WARN");
}

bool finding_is_bad(const char *id, const char *verdict)
{
    return verdict_is_bad(verdict) && strncmp(id, "reset.", 6) != 0;
}

static bool says_so(const struct model_fault *fault, const char *verdict)
{
    return verdict_is_bad(verdict) || (fault->found_as && !strcmp(verdict, fault->found_as));
}

bool fault_is_found_by(const struct model_fault *fault, const struct check_row *row, const char *verdict)
{
    return says_so(fault, verdict) && (row->about_clusters || rows_meet(row->covers, fault->rows));
}

/* A check that holds one of these rows finds the fault; clusters: or one that is about clusters. */
static bool is_found_by(const struct model_fault *fault, const char *answer, const char *rows, bool clusters)
{
    bool found = false;
    struct finding f;

    for (const char *at = answer; (at = machine_run_next(at, &f)) != NULL;) {
        const struct check_row *row = check_find(f.id);

        found |=
            row && says_so(fault, f.verdict) && ((clusters && row->about_clusters) || rows_meet(row->covers, rows));
    }
    return found;
}

bool fault_is_found(const struct model_fault *fault, const char *answer)
{
    return is_found_by(fault, answer, fault->rows, false);
}

bool fault_is_found_in_clusters(const struct model_fault *fault, const char *answer)
{
    return is_found_by(fault, answer, fault->rows, true);
}

bool fault_proves(const struct model_fault *fault, const char *answer, const char *row)
{
    return rows_meet(fault->rows, row) && is_found_by(fault, answer, row, false);
}

bool rows_of_rdt(const char *rows)
{
    static const char *const families[] = { "CM-", "MB-", "CA-", "CD-", "MA-" };

    return ANY_OF(i, sizeof families / sizeof families[0], strstr(rows, families[i]));
}
