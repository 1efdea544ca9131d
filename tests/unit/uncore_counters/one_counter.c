/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rules that hold for each counter of a box, broken in one of them alone. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "tests/silicon/model/flaw.h"
#include "tests/silicon/model/model.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/run/model_run.h"

#define COUNTERS 4u /* of a box that are tried */

static const struct {
    const char *fault, *check, *profile;
    enum uncore_unit unit;
} rules[] = {
    { "pmon-threshold", "pmon.threshold", "bdx", UNIT_IMC },
    { "pmon-threshold-narrow", "pmon.threshold", "gnr", UNIT_IMC },
    { "pmon-invert", "pmon.invert", "icx", UNIT_IMC },
    { "pmon-invert-alone", "pmon.invert", "skx", UNIT_IMC },
    { "pmon-edge", "pmon.edge", "emr", UNIT_IMC },
    { "edge-alone-half", "pmon.edge", "ivbep", UNIT_IMC },
    { "pmon-frozen-write-lost", "pmon.freeze", "spr", UNIT_IMC },
    { "pmon-frz-en-ignored", "pmon.freeze", "snbep", UNIT_IMC },
    { "pmon-global-freeze-misses", "pmon.global-freeze", "srf", UNIT_IMC },
    { "pmon-threshold", "pmon.compare-load", "cfl", UNIT_CBO },
    { "pmon-threshold", "pmon.compare-load", "nhm", UNIT_SOCKET },
    { "pmon-invert", "pmon.compare-load", "adl", UNIT_CLIENT },
    { "pmon-invert-alone", "pmon.compare-load", "cfl", UNIT_CLIENT },
    { "pmon-invert-alone", "pmon.compare-load", "nhm", UNIT_SOCKET },
    { "pmon-edge", "pmon.compare-load", "cfl", UNIT_CBO },
    { "pmon-event-one-counter", "traffic.parts", "spr", UNIT_IMC },
    { "pmon-event-one-counter", "traffic.parts", "hsx", UNIT_QPI },
    { "pmon-event-one-counter", "traffic.parts", "ivbep", UNIT_HA },
    { "pmon-event-one-counter", "traffic.parts", "gnr", UNIT_CBO },
};

/* That the first box of that unit has. */
static uint32_t counters_of(const struct profile *p, enum uncore_unit unit)
{
    for (uint32_t i = 0; i < p->uncore->n_types; i++)
        if (p->uncore->types[i]->unit == unit)
            return p->uncore->types[i]->counters < COUNTERS ? p->uncore->types[i]->counters : COUNTERS;
    return 0;
}

Test(one_counter, a_rule_that_one_counter_alone_breaks_is_found_in_each)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct profile *part = profile_by_name(rules[i].profile);

        for (uint32_t k = 0; k < counters_of(part, rules[i].unit); k++) {
            char fault[64], place[24];
            struct model_run *r;
            enum verdict verdict;

            snprintf(fault, sizeof fault, "%s:%u:%u", rules[i].fault, (uint32_t)rules[i].unit, k);
            snprintf(place, sizeof place, "counter %u", k);
            r = model_run_on((struct model_config){ .profile = rules[i].profile,
                                                    .packages = profile_packages(part, 2),
                                                    .faults = { fault } },
                             rules[i].check, 0);
            verdict = model_run_check(r, rules[i].check)->verdict;
            cr_expect(verdict == VERDICT_FAIL || verdict == VERDICT_WARN, "%s on %s: %s", fault, rules[i].profile,
                      verdict_text(verdict));
            cr_expect(model_run_streams(r, place), "%s on %s: %s", fault, rules[i].profile, r->run->text);
            model_run_free(r);
        }
    }
}

/* Most counters of a box decide which of them is off, and not a chosen one. */
Test(one_counter, the_counter_that_is_named_is_the_one_that_counts_another_number)
{
    static const struct {
        const char *profile, *check;
    } runs[] = { { "bdx", "pmon.enable" }, { "zen3", "pmon.gate" } };

    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        for (uint32_t k = 0; k < 2; k++)
            for (uint32_t dead = 0; dead < 2; dead++) {
                const struct flaw flaw = { .monitor = FLAW_UNCORE,
                                           .scope = FLAW_COUNTER,
                                           .place = k,
                                           .kind = dead ? FLAW_DEAD : FLAW_LOST,
                                           .strength = 50 };
                char code[64], its[64], other[64];
                struct model_run *r;

                snprintf(code, sizeof code, "fail/%s", dead ? "counter-zero" : "counters-differ");
                snprintf(its, sizeof its, "counter %u: counts %s", k, dead ? "with en 1" : "of the same");
                snprintf(other, sizeof other, "counter %u: counts %s", 1 - k, dead ? "with en 1" : "of the same");
                r = model_run_on((struct model_config){ .profile = runs[i].profile, .packages = 1, .flaw = &flaw },
                                 runs[i].check, 0);
                cr_expect_eq(model_run_check(r, runs[i].check)->verdict, VERDICT_FAIL);
                cr_expect(model_run_streams(r, code), "%s on %s: %s", code, runs[i].profile, r->run->text);
                cr_expect(strstr(r->run->text, its), "%s on %s: %s", its, runs[i].profile, r->run->text);
                cr_expect_null(strstr(r->run->text, other), "%s on %s: %s", other, runs[i].profile, r->run->text);
                model_run_free(r);
            }
}

static const struct {
    const char *profile, *check, *box;
} pairs[] = { { "cfl", "pmon.gate", "CBo,box=0" },
              { "cfl", "pmon.gate", "ARB" },
              { "icx", "pmon.enable", "IRP,box=0" },
              { "icx", "ubox.enable", "UBox" },
              { "icx", "pmon.clock", "IRP,box=0" } };

/* The check on this machine; flaw NULL: a sound one. */
static struct model_run *run_pair(size_t i, const struct flaw *flaw, enum verdict verdict)
{
    struct model_run *r = model_run_on(
        (struct model_config){ .profile = pairs[i].profile, .packages = 1, .flaw = flaw }, pairs[i].check, 0);

    cr_expect_eq(model_run_check(r, pairs[i].check)->verdict, verdict, "%s on %s: %s", pairs[i].check, pairs[i].profile,
                 r->run->text);
    return r;
}

/* Whether a measurement or a finding has this place. */
static bool is_place(const struct model_run *r, const char *box, const char *counter)
{
    char place[64];

    snprintf(place, sizeof place, "unit=%s%s\"", box, counter);
    return model_run_streams(r, place);
}

/* Of two counters the one that counts nothing is off, whichever its number. */
Test(one_counter, of_two_counters_the_dead_one_is_named)
{
    static const struct flaw flaw = { .monitor = FLAW_UNCORE, .scope = FLAW_COUNTER, .kind = FLAW_DEAD };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct model_run *r = run_pair(i, &flaw, VERDICT_FAIL);

        cr_expect(model_run_streams(r, "fail/counter-zero"), "%s: %s", pairs[i].check, r->run->text);
        cr_expect(is_place(r, pairs[i].box, ",counter=0"), "%s: %s", pairs[i].check, r->run->text);
        cr_expect_not(is_place(r, pairs[i].box, ",counter=1"), "%s: %s", pairs[i].check, r->run->text);
        cr_expect_not(model_run_streams(r, "counters-differ"), "%s: %s", pairs[i].check, r->run->text);
        cr_expect_not(model_run_streams(r, "counts-zero"), "%s: %s", pairs[i].check, r->run->text);
        model_run_free(r);
        model_run_free(run_pair(i, NULL, VERDICT_PASS));
    }
}

/* Two counters that differ and both count: nothing says which of them is off. */
Test(one_counter, of_two_counters_that_differ_none_is_named)
{
    for (uint32_t place = 0; place < 2; place++)
        for (size_t i = 0; i + 1 < sizeof pairs / sizeof pairs[0]; i++) {
            const struct flaw flaw = {
                .monitor = FLAW_UNCORE, .scope = FLAW_COUNTER, .place = place, .kind = FLAW_LOST, .strength = 50
            };
            struct model_run *r = run_pair(i, &flaw, VERDICT_FAIL);

            cr_expect(model_run_streams(r, "fail/counters-differ"), "%s: %s", pairs[i].check, r->run->text);
            cr_expect(is_place(r, pairs[i].box, ""), "%s: %s", pairs[i].check, r->run->text);
            cr_expect_not(is_place(r, pairs[i].box, ",counter=0"), "%s: %s", pairs[i].check, r->run->text);
            cr_expect_not(is_place(r, pairs[i].box, ",counter=1"), "%s: %s", pairs[i].check, r->run->text);
            model_run_free(r);
        }
}

/* A fixed counter that does not advance beside others that do is one counter, and not its box. */
EXPECT_TEST(one_counter, a_dead_fixed_counter_is_named_as_one_counter, VERDICT_FAIL, "ubox.enable", ON("icx"),
            .defect = msr_reads(0x704, 0), .code = FOUND_COUNTER_ZERO, .finding = "fixed counter");

/* A count that is off since a read of it was wrong, now and then, is no fault of enables, comparisons or boxes: the next
 * reads say so, of the counter judged or of its witness. */
Test(one_counter, a_wrong_read_is_reported_as_one)
{
    static const struct {
        const char *profile, *check;
        struct flaw flaw;
    } reads[] = {
        { "cfl", "pmon.gate", { .scope = FLAW_BOX, .place = UNIT_CBO, .kind = FLAW_STICKY, .strength = 39, .nth = 7 } },
        { "cfl", "pmon.compare-load", { .scope = FLAW_COUNTER, .place = 1, .kind = FLAW_STALE, .nth = 9 } },
        { "bdx", "pmon.own-box", { .scope = FLAW_COUNTER, .place = 1, .kind = FLAW_STALE, .nth = 10 } },
    };

    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        struct flaw flaw = reads[i].flaw;
        struct model_run *r;

        flaw.monitor = FLAW_UNCORE;
        flaw.trigger = FLAW_NTH;
        r = model_run_on((struct model_config){ .profile = reads[i].profile, .packages = 1, .flaw = &flaw },
                         reads[i].check, 0);
        cr_expect_eq(model_run_check(r, reads[i].check)->verdict, VERDICT_FAIL, "%s on %s", reads[i].check,
                     reads[i].profile);
        cr_expect(model_run_streams(r, "fail/reads-differ"), "%s on %s: %s", reads[i].check, reads[i].profile,
                  r->run->text);
        model_run_free(r);
    }
}
