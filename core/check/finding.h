/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/finding.h: what a check says is wrong, as data with a sentence.
 *
 * Kind, code and place travel with the finding into the stream, the diagnosis and the page. The sentence is for people
 * alone: it can be reworded without any other change.
 *
 * Below the function of the row, enum status travels: a function that cannot continue gives the reason, with
 * check_absent(), check_unmeasured() or check_violated(), and returns that status; it is handed up untouched, and
 * check_conclude() at the top makes one verdict of it.
 */
#pragma once
#include "core/base/place.h"
#include "core/base/status.h"
#include "core/base/verdict.h"
#include "core/check/finding_codes.h"

struct check;

enum finding_code {
#define FINDING_CODE(name, word) FOUND_##name,
    FINDING_CODES(FINDING_CODE)
#undef FINDING_CODE
        FINDING_N_CODES
};
/* "counts-zero"; and back, FOUND_OTHER for a word that this version does not know. */
const char *finding_word(enum finding_code code);
enum finding_code finding_of_word(const char *word);

/* What was broken. Parts whose figures are estimates, and sub-NUMA clusters, may miss a bound of experience; a dead counter, a
 * tag that is ignored or another RMID's bytes are defects there too (core/check/grade.h). */
enum finding_kind {
    /* A rule, or a bound of experience of a row that is by_experience: FAIL, or WARN where the machine has no bands of good
     * machines or the figure is in theirs. */
    FINDING_EXPECTED,
    /* The specification or arithmetic excludes it on every part: a counter that stays at 0 while bytes move, another RMID's
     * bytes, twice the bytes, more than the cache holds. FAIL. */
    FINDING_FORBIDDEN,
    FINDING_UNUSUAL, /* no rule is broken: WARN */
};

enum finding_flags {
    FINDING_NO_ERRATUM = 1u << 0,     /* none of the part's published defects can be the reason         */
    FINDING_FACTOR_EXPLAINS = 1u << 1 /* the factor of its RMID's erratum is (core/check/errata.h)      */
};

/* A finding. The text of the report is "place: sentence"; the limit that makes it a WARN, and the errata that it may be, follow
 * as data of their own. flags: enum finding_flags; at: a place, by value. Returns the verdict so far, so that
 * `return finding(c, ...)` reads well. A check may have several findings and return check_verdict(c). After 16 findings
 * further ones are counted, not listed. */
enum verdict finding_at(struct check *c, enum finding_kind kind, uint32_t flags, enum finding_code code,
                        const struct place *place, const char *sentence, ...) __attribute__((format(printf, 6, 7)));
#define finding(c, kind, flags, code, at, ...) finding_at(c, kind, flags, code, PLACE_AT(at), __VA_ARGS__)

/* A precondition is missing: SKIP. */
enum verdict check_skip(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Assay itself could not measure: names status, processor and register. ST_DISTURBED is a SKIP. */
enum verdict check_cannot_measure(struct check *c, enum status st, uint32_t cpu, const char *what);
/* Something is wrong with Assay itself. symptom: a stable word for programs, "assay-check-contradicts-itself". */
enum verdict check_error(struct check *c, const char *symptom, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Below the top: why what is asked of the caller cannot be done. Each returns a status that is not ST_OK, to be handed
 * up; the first reason stands.
 * check_absent: what it takes is not there: ST_ABSENT, a SKIP.
 * check_unmeasured: Assay itself could not measure, with status, processor and register: st, an ERROR; a SKIP for
 * ST_DISTURBED, since SMIs left it no time.
 * check_violated: the machine broke its rules so that nothing more can be measured: st, a finding that is forbidden. */
MUST_CHECK enum status check_absent(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_set_unmeasured(struct check *c, enum status st, uint32_t cpu, const char *what);
MUST_CHECK static inline enum status check_unmeasured(struct check *c, enum status st, uint32_t cpu, const char *what)
{
    check_set_unmeasured(c, st, cpu, what);
    return st;
}
/* TRY() of what Assay measures by: another status than ST_OK is handed up as check_unmeasured(). */
#define TRY_MEASURE(c, call, cpu, what)                                                                                \
    do {                                                                                                               \
        enum status try_status = (call);                                                                               \
                                                                                                                       \
        if (try_status != ST_OK)                                                                                       \
            return check_unmeasured(c, try_status, cpu, what);                                                         \
    } while (0)
MUST_CHECK enum status check_violated(struct check *c, enum status st, enum finding_code code, struct place place,
                                      const char *sentence, ...) __attribute__((format(printf, 5, 6)));
/* The same where findings were recorded already, as for each of several processors: the top adds none. */
MUST_CHECK enum status check_already_reported(struct check *c, enum status st);
/* At the top: the verdict of a status that came up. ST_OK: that of the findings. A status without a reason is an ERROR. */
enum verdict check_conclude(struct check *c, enum status st);
/* The reason of a status that came up; it is on its way no more. */
void check_take_reason(struct check *c, char *why, size_t size);

/* --- what the engine and core/check call ------------------------------------------------------------------------- */

/* A finding with its whole text. */
struct found {
    enum verdict verdict;
    enum finding_code code;
    struct place place;
    const char *symptom; /* of an ERROR; outlives the report */
    const char *text;    /* place and sentence               */
    const char *limit;   /* what makes it a WARN and no FAIL; NULL: nothing. Outlives the report */
    uint32_t flags;      /* enum finding_flags               */
};
/* It counts at once, and is written at once or held back (struct held). */
void finding_add(struct check *c, const struct found *f);
/* Into the report; a PASS has the row's title as its text. */
void finding_write(struct check *c, const struct found *f);
/* A line of the log of this check's step. */
void finding_log(struct check *c, const char *severity, const char *message);
