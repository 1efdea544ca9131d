/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/machines/machine_census.h"

#include <string.h>

#include "tests/matrix/machines/machine_run.h"
#include "tests/silicon/profiles/profile.h"

/* --- counting */

static struct census_check *check_of(struct census *c, const char *id)
{
    uint32_t i = 0;

    while (i < c->n_checks && strcmp(c->checks[i].id, id) != 0)
        i++;
    if (i == CENSUS_CHECKS)
        return NULL;
    if (i == c->n_checks)
        snprintf(c->checks[c->n_checks++].id, sizeof c->checks[i].id, "%s", id);
    return &c->checks[i];
}

static enum verdict verdict_of(const char *text)
{
    enum verdict v = VERDICT_ERROR;

    for (enum verdict i = 0; i <= VERDICT_ERROR; i++)
        if (!strcmp(verdict_text(i), text))
            v = i;
    return v;
}

static void count_share(struct census_share *s, bool bad)
{
    s->machines++;
    s->bad += bad;
}

static void count_profile(struct census *c, const struct profile *p, bool bad)
{
    uint32_t i = 0;

    while (i < c->n_profiles && strcmp(c->profiles[i].name, p->name) != 0)
        i++;
    if (i == CENSUS_PROFILES)
        return;
    c->profiles[i].name = p->name;
    c->n_profiles += i == c->n_profiles;
    count_share(&c->profiles[i].share, bad);
}

/* A quirk that cannot act on the part is in neither column. */
static void count_quirks(struct census *c, const struct drawn_machine *d, bool bad)
{
    struct realism r;
    char error[256];

    if (!realism_parse(&r, d->profile, d->config.realism, error, sizeof error))
        return;
    for (uint32_t k = 0; k < REALISM_QUIRKS; k++)
        if (realism_quirks()[k].range[realism_class(d->profile)].high > 0)
            count_share(&c->quirk[k][r.value[k] != 0], bad);
}

/* What was left in the machine's registers is reported by one of these. */
static bool reports_left_state(const struct drawn_machine *d, const char *check)
{
    struct realism r;
    char error[256];

    return !strncmp(check, "reset.", 6) && realism_parse(&r, d->profile, d->config.realism, error, sizeof error) &&
           realism_has_left_state(&r);
}

bool census_add(struct census *c, const struct drawn_machine *d, const char *answer, bool ended_well)
{
    bool bad = !ended_well;
    struct finding f;

    c->ended_badly += !ended_well;
    for (const char *at = answer; (at = machine_run_next(at, &f)) != NULL;) {
        enum verdict v = verdict_of(f.verdict);
        struct census_check *check = check_of(c, f.id);

        if (v == VERDICT_WARN && reports_left_state(d, f.id)) {
            c->left++;
            continue;
        }
        bad |= v == VERDICT_FAIL || v == VERDICT_ERROR;
        c->verdicts[v]++;
        if (check)
            check->verdicts[v]++;
    }
    count_share(&c->all, bad);
    count_profile(c, d->profile, bad);
    count_quirks(c, d, bad);
    return bad;
}

/* --- the bound */

uint32_t census_pairs(const struct census *c)
{
    uint32_t sum = 0;

    for (uint32_t v = 0; v <= VERDICT_ERROR; v++)
        sum += c->verdicts[v];
    return sum;
}

bool census_no_false_verdict(const struct census *c)
{
    return c->verdicts[VERDICT_FAIL] == 0 && c->verdicts[VERDICT_ERROR] == 0 && c->ended_badly == 0;
}

bool census_few_warnings(const struct census *c)
{
    return c->verdicts[VERDICT_WARN] * WARN_ONE_IN <= census_pairs(c);
}

/* --- tables */

static double percent(struct census_share s)
{
    return s.machines ? 100.0 * s.bad / s.machines : 0;
}

static bool says_something(const struct census_check *k)
{
    return k->verdicts[VERDICT_FAIL] || k->verdicts[VERDICT_ERROR] || k->verdicts[VERDICT_WARN];
}

static void print_checks(const struct census *c, FILE *out)
{
    fprintf(out,
            "\nMachines on which a check says so; checks that say PASS and SKIP alone are left out.\n"
            "%-34s %6s %6s %6s %6s %6s\n",
            "check", "FAIL", "ERROR", "WARN", "SKIP", "PASS");
    for (uint32_t i = 0; i < c->n_checks; i++) {
        const struct census_check *k = &c->checks[i];

        if (says_something(k))
            fprintf(out, "%-34s %6u %6u %6u %6u %6u\n", k->id, k->verdicts[VERDICT_FAIL], k->verdicts[VERDICT_ERROR],
                    k->verdicts[VERDICT_WARN], k->verdicts[VERDICT_SKIP], k->verdicts[VERDICT_PASS]);
    }
}

static void print_quirks(const struct census *c, FILE *out)
{
    fprintf(out, "\nBad machines where the quirk is off and where it is on.\n%-34s %17s %17s\n", "quirk", "off", "on");
    for (uint32_t k = 0; k < REALISM_QUIRKS; k++) {
        struct census_share off = c->quirk[k][false], on = c->quirk[k][true];

        if (on.machines)
            fprintf(out, "%-34s %4.0f %% of %3u     %4.0f %% of %3u\n", realism_quirks()[k].name, percent(off),
                    off.machines, percent(on), on.machines);
    }
}

void census_print(const struct census *c, FILE *out)
{
    print_checks(c, out);
    fprintf(out, "\nA machine is bad where a check says FAIL or ERROR, or where its run did not end.\n%-34s %17s\n",
            "profile", "bad");
    for (uint32_t i = 0; i < c->n_profiles; i++)
        fprintf(out, "%-34s %4.0f %% of %3u\n", c->profiles[i].name, percent(c->profiles[i].share),
                c->profiles[i].share.machines);
    fprintf(out, "%-34s %4.0f %% of %3u\n", "all", percent(c->all), c->all.machines);
    fprintf(out, "\nreset.* says WARN of what was left in registers %u times, which is right.\n", c->left);
    print_quirks(c, out);
}
