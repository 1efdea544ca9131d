/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is kept of the checks, which parts findings name, and which cause is chosen. */
#include "core/base/search.h"
#include "core/diagnosis/diagnosis.h"

#include <criterion/criterion.h>

#include "core/base/text.h"
#include "core/diagnosis/parts.h"
#include "core/diagnosis/symptoms_stream.h"
#include "core/machine/machine.h"

#define OPEN __builtin_inf()

static struct symptoms symptoms;
static struct diagnosis diagnosis;

static void begin(const char *check)
{
    const struct check_row *row = check_find(check);

    cr_assert_not_null(row, "%s", check);
    cr_assert_eq(symptoms_begin(&symptoms, row), ST_OK);
}

static void said_at(struct place place, enum verdict v, enum finding_code code, const char *text)
{
    symptoms_found(&symptoms, &(struct found){ .verdict = v, .code = code, .place = place, .text = text });
}

static void said(enum verdict v, enum finding_code code, const char *text)
{
    said_at(PLACE_NONE, v, code, text);
}

static void found_at(const char *check, struct place place, enum verdict v, enum finding_code code, const char *text)
{
    begin(check);
    said_at(place, v, code, text);
    symptoms_end(&symptoms, v);
}

static void found(const char *check, enum verdict v, enum finding_code code, const char *text)
{
    found_at(check, PLACE_NONE, v, code, text);
}

static void passed(const char *check)
{
    begin(check);
    symptoms_end(&symptoms, VERDICT_PASS);
}

static void end(void)
{
    symptoms_free(&symptoms);
}

/* --- symptoms */

Test(diagnosis, a_figure_is_kept_in_parts_of_what_was_expected, .fini = end)
{
    begin("mbm.gain");
    symptoms_measured(&symptoms, "slope", 0.5, 0.9, 1.1);
    symptoms_measured(&symptoms, "slope", 2, 0.9, 1.1);
    symptoms_measured(&symptoms, "open", 7, -OPEN, 10);
    symptoms_measured(&symptoms, "none", 0.0 / 0.0, 0, 1);
    symptoms_end(&symptoms, VERDICT_FAIL);
    cr_assert_eq(symptoms.first->n_figures, 2);
    cr_expect_float_eq(symptoms.first->figures[0].least, 0.5, 1e-9);
    cr_expect_float_eq(symptoms.first->figures[0].most, 2, 1e-9);
    cr_expect_float_eq(symptoms.first->figures[1].least, 7, 1e-9,
                       "of a value with one bound there is nothing to divide by");
}

Test(diagnosis, the_worst_round_stands_and_what_does_not_count_is_forgotten, .fini = end)
{
    found("mbm.total", VERDICT_WARN, FOUND_OTHER, "first");
    passed("mbm.total");
    cr_expect_str_eq(symptoms.first->findings[0].text, "first");
    found("mbm.total", VERDICT_FAIL, FOUND_OTHER, "second");
    cr_assert_not_null(symptoms.first);
    cr_expect_str_eq(symptoms.first->findings[0].text, "second");
    cr_expect_null(symptoms.first->next);
    begin("mbm.total");
    said(VERDICT_FAIL, FOUND_OTHER, "disturbed");
    symptoms_drop(&symptoms);
    symptoms_end(&symptoms, VERDICT_FAIL);
    cr_expect_str_eq(symptoms.first->findings[0].text, "second");
}

Test(diagnosis, more_findings_than_are_kept_are_counted, .fini = end)
{
    begin("mbm.total");
    for (uint32_t i = 0; i < SYMPTOM_LISTED + 3; i++)
        said_at(place_cpu(i), VERDICT_FAIL, FOUND_OTHER, "one");
    said(VERDICT_SKIP, FOUND_OTHER, "no finding");
    symptoms_end(&symptoms, VERDICT_FAIL);
    cr_expect_eq(symptoms.first->n_findings, SYMPTOM_LISTED);
    cr_expect_eq(symptoms.first->n_unlisted, 3);
}

Test(diagnosis, what_is_said_again_and_again_leaves_room_for_something_else, .fini = end)
{
    begin("mbm.bits");
    for (uint32_t i = 0; i < SYMPTOM_LISTED + 3; i++)
        said(VERDICT_WARN, FOUND_STEPS_BACK, "again");
    said(VERDICT_WARN, FOUND_BITS_STUCK, "the bits");
    symptoms_end(&symptoms, VERDICT_WARN);
    cr_expect_eq(symptoms.first->n_unlisted, 0);
    cr_expect_eq(symptoms.first->findings[SYMPTOM_LISTED - 1].code, FOUND_BITS_STUCK);
}

/* --- one processor */

Test(diagnosis, a_processor_that_findings_name_alone_is_the_part, .fini = end)
{
    struct l3_domain domain = { .n_cpus = 2 };
    struct cpu cpus[2] = { { .domain = 0 }, { .domain = 0 } };
    struct machine m = { .n_cpus = 2, .cpus = cpus, .n_domains = 1, .domains = &domain, .n_packages = 1 };
    struct diagnosis d;

    begin("mba.rate");
    said_at(place_domain_cpu(0, 1), VERDICT_FAIL, FOUND_DELAY_WITHOUT_EFFECT, "class 1");
    said_at(place_domain_cpu(0, 1), VERDICT_FAIL, FOUND_DELAY_WITHOUT_EFFECT, "class 2");
    symptoms_end(&symptoms, VERDICT_FAIL);
    diagnosis_run(&symptoms, &m, &d);
    cr_expect_str_eq(d.list[0].part, "cpu 1");
    domain.n_cpus = 1;
    diagnosis_run(&symptoms, &m, &d);
    cr_expect_str_eq(d.list[0].part, "");
}

/* --- parts */

static const char *part_of(const struct place *places, uint32_t n, enum part_kind kind, const struct machine *m)
{
    static char text[128];
    struct parts p = { 0 };

    for (uint32_t i = 0; i < n; i++)
        parts_add(&p, &places[i], kind);
    parts_text(&p, m, text, sizeof text);
    return text;
}
#define PART_OF(kind, machine, ...)                                                                                    \
    part_of((const struct place[]){ __VA_ARGS__ },                                                                     \
            sizeof((const struct place[]){ __VA_ARGS__ }) / sizeof(struct place), kind, machine)

static struct place box(uint32_t package, const char *unit, uint32_t number)
{
    return place_with(place_with_unit(place_package(package), unit), PLACE_BOX, number);
}

Test(diagnosis, parts_are_boxes_packages_domains_and_processors)
{
    struct place cha = place_with(place_with(box(0, "CHA", 5), PLACE_DIE, 1), PLACE_COUNTER, 2);

    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, box(0, "iMC", 1)), "package 0 iMC 1");
    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, box(0, "iMC", 1), box(0, "iMC", 3), box(0, "iMC", 2)),
                     "package 0 iMC 1 to 3");
    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, cha), "package 0 die 1 CHA 5", "its counter is left out");
    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, place_with_unit(place_package(1), "UBox")), "package 1 UBox");
    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, place_rmid(1, 4)), "L3 domain 1");
    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, place_cpu(3), place_cpu(1), place_cpu(2), place_cpu(9)),
                     "cpu 1 to 3, 9");
    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, place_package(0), box(0, "iMC", 2)), "package 0 iMC 2");
    cr_expect_str_eq(PART_OF(PART_FIRST, NULL, PLACE_NONE, place_of("0FH.1:ECX")), "");
}

Test(diagnosis, a_cause_may_be_about_the_processor_or_the_rmid_of_a_place)
{
    struct place p = place_with(place_rmid(0, 16), PLACE_CPU, 2);

    cr_expect_str_eq(PART_OF(PART_CPU, NULL, p), "cpu 2");
    cr_expect_str_eq(PART_OF(PART_RMID, NULL, p), "RMID 16");
    cr_expect_str_eq(PART_OF(PART_CPU, NULL, place_domain(0)), "");
}

Test(diagnosis, processors_of_a_whole_package_are_that_package)
{
    struct cpu cpus[4] = { 0 };
    struct l3_domain domains[2] = { { .package = 0 }, { .package = 1 } };
    struct machine m = { .n_cpus = 4, .n_packages = 2, .n_domains = 2, .cpus = cpus, .domains = domains };

    cpus[2].place.package = cpus[3].place.package = 1;
    cr_expect_str_eq(PART_OF(PART_FIRST, &m, place_cpu(2), place_cpu(3)), "package 1");
    cr_expect_str_eq(PART_OF(PART_FIRST, &m, place_cpu(3)), "cpu 3");
    cr_expect_str_eq(PART_OF(PART_FIRST, &m, place_cpu(0), place_cpu(1), place_cpu(2), place_cpu(3)), "",
                     "all of them");
    cr_expect_str_eq(PART_OF(PART_FIRST, &m, place_domain(0), place_domain(1)), "");
    cr_expect_str_eq(PART_OF(PART_FIRST, &m, place_domain(1), place_package(1)), "L3 domain 1", "its package");
    cr_expect_str_eq(PART_OF(PART_FIRST, &m, place_domain(1), place_package(0)), "L3 domain 1, package 0");
    m.n_domains = 0;
    cr_expect_str_eq(PART_OF(PART_FIRST, &m, box(0, "CHA", 37)), "package 0 CHA 37", "of a part without an L3");
}

/* --- the choice */

/* The first cause of what was found so far. */
static const char *cause(void)
{
    diagnosis_run(&symptoms, NULL, &diagnosis);
    cr_assert_gt(diagnosis.n, 0);
    return diagnosed_id(&diagnosis.list[0]);
}

Test(diagnosis, nothing_failed_is_no_diagnosis, .fini = end)
{
    passed("mbm.total");
    diagnosis_run(&symptoms, NULL, &diagnosis);
    cr_expect_eq(diagnosis.n, 0);
}

Test(diagnosis, mbm_scaled_explains_what_follows_and_says_by_how_much, .fini = end)
{
    passed("cmt.fill");
    found("mbm.total", VERDICT_FAIL, FOUND_TOTAL_LOW, "L3 domain 0, RMID 1: MBM total 4 bytes, expected 7 to 9 bytes");
    begin("mbm.gain");
    symptoms_measured(&symptoms, "slope of MBM total over bytes read", 0.5, 0.92, 1.08);
    said(VERDICT_FAIL, FOUND_SLOPE_OFF, "L3 domain 0: slope 0.500 bytes counted per byte read");
    symptoms_end(&symptoms, VERDICT_FAIL);
    found("mbm.every-thread", VERDICT_FAIL, FOUND_TOTAL_LOW, "L3 domain 0, RMID 1: MBM total of cpu 0 4 bytes");
    cr_expect_str_eq(cause(), "mbm-total-scaled");
    cr_assert_eq(diagnosis.n, 1);
    cr_expect_str_eq(diagnosis.list[0].amount, "factor 0.5");
    cr_expect_eq(diagnosis.list[0].n_follow, 3);
    cr_expect_eq(diagnosis.list[0].verdict, VERDICT_FAIL);
    cr_expect_eq(diagnosis.n_left, 0);
}

Test(diagnosis, a_check_that_is_alone_is_its_own_cause_and_a_fail_comes_before_a_warn, .fini = end)
{
    found("enum.kind", VERDICT_WARN, FOUND_OTHER, "number of RMIDs is 3");
    found("pmon.match", VERDICT_WARN, FOUND_OTHER, "package 0 uncore: 3 reads");
    found_at("mba.limit", place_cpu(0), VERDICT_FAIL, FOUND_ILLEGAL_ACCEPTED, "cpu 0: WRMSR raised no #GP");
    cr_expect_str_eq(cause(), "mba.limit");
    cr_assert_eq(diagnosis.n, 3);
    cr_expect_str_eq(diagnosis.list[0].part, "cpu 0");
    cr_expect_str_eq(diagnosed_id(&diagnosis.list[1]), "pmon.match");
    cr_expect_str_eq(diagnosed_id(&diagnosis.list[2]), "enum.kind");
}

/* Of RMIDs of one L3 of several, the L3 is named as well. */
Test(diagnosis, rmids_of_one_domain_are_named_with_it, .fini = end)
{
    struct cpu cpus[2] = { 0 };
    struct l3_domain domains[2] = { 0 };
    struct machine m = { .n_cpus = 2, .n_packages = 1, .n_domains = 2, .cpus = cpus, .domains = domains };

    found_at("mbm.every-rmid", place_rmid(1, 4), VERDICT_FAIL, FOUND_RMIDS_EXCHANGED,
             "RMID 4 counts what RMID 5 moved");
    diagnosis_run(&symptoms, &m, &diagnosis);
    cr_expect_str_eq(diagnosis.list[0].part, "L3 domain 1, RMID 4");
    found_at("cmt.alias", place_rmid(0, 4), VERDICT_FAIL, FOUND_RMIDS_EXCHANGED, "RMID 4 counts what RMID 5 moved");
    diagnosis_run(&symptoms, &m, &diagnosis);
    cr_expect_str_eq(diagnosis.list[0].part, "RMID 4");
}

/* Checks number the clusters, where L3s have some. */
Test(diagnosis, the_clusters_of_one_l3_are_not_every_l3, .fini = end)
{
    struct l3_domain domains[2] = { 0 };
    struct cpu cpus[2] = { 0 };
    struct machine m = { .n_cpus = 2, .n_packages = 2, .n_domains = 2, .cpus = cpus, .domains = domains };

    begin("cmt.code");
    said_at(place_domain(0), VERDICT_FAIL, FOUND_COUNTED_ELSEWHERE, "code");
    said_at(place_domain(1), VERDICT_FAIL, FOUND_COUNTED_ELSEWHERE, "code");
    symptoms_end(&symptoms, VERDICT_FAIL);
    symptoms.n_domains = 4;
    diagnosis_run(&symptoms, &m, &diagnosis);
    cr_expect_str_eq(diagnosis.list[0].part, "L3 domain 0 to 1");
    symptoms.n_domains = 0;
    diagnosis_run(&symptoms, &m, &diagnosis);
    cr_expect_str_eq(diagnosis.list[0].part, "");
}

/* --- which cause findings and figures have */

/* A finding of a check, or a figure, or that it passed. Those of one check that follow each other are of one run. */
struct fact {
    const char *check;
    enum verdict verdict;
    enum finding_code code;
    const char *at; /* the location of a finding; NULL: none */
    const char *figure;
    double value, lo, hi;
};
#define PASSES(id)              BRACED(.check = id)
#define WARNS(id, found, ...)   BRACED(.check = id, .verdict = VERDICT_WARN, .code = found, __VA_ARGS__)
#define FAILS(id, found, ...)   BRACED(.check = id, .verdict = VERDICT_FAIL, .code = found, __VA_ARGS__)
#define MEASURES(id, name, ...) BRACED(.check = id, .figure = name, __VA_ARGS__)

#define WORKING_SETS(share)                                                                                            \
    MEASURES("cmt.linearity", "occupancy of a working set", share, 0.85, 1.15),                                        \
        MEASURES("cmt.linearity", "slope of occupancy over working set", share, 0.85, 1.15)
#define L3_IS_FULL   MEASURES("cmt.linearity", "occupancy of a full L3 under all RMIDs", 1 << 23, 1 << 22, OPEN)
#define NO_OCCUPANCY FAILS("cmt.linearity", FOUND_OCCUPANCY_ZERO), FAILS("cat.moves", FOUND_OCCUPANCY_ZERO)
#define NO_BYTES     MEASURES("mbm.total", "MBM total", 0, 0.92, 1.08), FAILS("mbm.total", FOUND_TOTAL_ZERO)
#define NO_BYTES_GAIN                                                                                                  \
    FAILS("mbm.total", FOUND_TOTAL_ZERO), FAILS("mbm.gain", FOUND_SLOPE_OFF), FAILS("mbm.carry", FOUND_TOTAL_ZERO)
/* One counter of each box: what it is compared with, and what counts with it, is off as well. */
#define ONE_COUNTER_IS_OFF(code)                                                                                       \
    FAILS("ubox.enable", code, "unit=UBox"), FAILS("ubox.threshold", FOUND_INVERT_IGNORED),                            \
        FAILS("pmon.enable", code, "package=0,unit=CHA,box=3,counter=1"),                                              \
        FAILS("pmon.threshold", FOUND_THRESHOLD_STOPS), FAILS("pmon.invert", FOUND_INVERT_IGNORED),                    \
        FAILS("traffic.free-running", FOUND_OVERCOUNTS), FAILS("traffic.parts", FOUND_COUNTERS_DIFFER)
#define CPU_3 "domain=0,cpu=3"

/* What is found, after that of the rows above of the same story. */
static const struct story {
    const char *says; /* begins a story; NULL: it continues */
    struct fact facts[9];
    const char *causes; /* then: "the first of its part, the second"; may be a pattern */
} stories[] = {
    { "4 %, which the finer band alone shows, are warnings of one defect, and not of four",
      { WARNS("mbm.total", FOUND_TOTAL_LOW_FINE), PASSES("mbm.gain"), WARNS("mbm.local", FOUND_TOTAL_LOW_FINE),
        WARNS("mbm.crowd", FOUND_TOTAL_LOW), PASSES("mbm.every-thread"), WARNS("traffic.mbm", FOUND_UNDERCOUNTS),
        PASSES("traffic.closure") },
      "mbm-total-scaled" },
    { "a limit would cut what is larger than 15 % of one L3, and leave what is smaller; another L3 is right",
      { MEASURES("cmt.fill", "occupancy", 0.85, 0.9, 1.1), WARNS("cmt.fill", FOUND_OCCUPANCY_LOW_FINE),
        MEASURES("cmt.linearity", "occupancy of a working set", 0.85, 0.85, 1.15),
        MEASURES("cmt.linearity", "occupancy of a working set", 1, 0.85, 1.15), WARNS("cmt.linearity", FOUND_SLOPE_OFF),
        PASSES("cmt.halves"), PASSES("cmt.every-thread"), PASSES("mbm.total") },
      "occupancy-scaled" },
    { "of two L3s one is scaled: the figures are of both",
      { WORKING_SETS(1), WORKING_SETS(0.7), FAILS("cmt.linearity", FOUND_SLOPE_OFF, "domain=1"), PASSES("mbm.total"),
        PASSES("cmt.halves"), FAILS("cmt.fill", FOUND_OCCUPANCY_LOW, "domain=1") },
      "occupancy-scaled of L3 domain 1" },
    { "every fourth RMID counts 90 %: a carry, a crowd and code are counted under one of these",
      { WARNS("mbm.every-rmid", FOUND_TOTAL_LOW_FINE), PASSES("mbm.total"), PASSES("mbm.gain"),
        FAILS("mbm.carry", FOUND_TOTAL_LOW), FAILS("cmt.code", FOUND_TOTAL_LOW),
        WARNS("mbm.crowd", FOUND_COUNTED_ELSEWHERE) },
      "mbm-of-one-rmid-scaled" },
    { "occupancy off by the same factor speaks against MBM alone",
      { FAILS("cmt.linearity", FOUND_SLOPE_OFF), FAILS("mbm.total", FOUND_TOTAL_HIGH),
        FAILS("mbm.gain", FOUND_SLOPE_OFF) },
      "upscaling-factor-wrong" },
    { "half may be lost", { FAILS("mbm.total", FOUND_TOTAL_LOW) }, "mbm.total" },
    { NULL, { WARNS("cmt.alias", FOUND_OTHERS_GAINED) }, "tags-leak" },
    { "local bandwidth that is dead is so under every RMID",
      { PASSES("mbm.total"), PASSES("mbm.gain"), FAILS("mbm.local", FOUND_LOCAL_ZERO),
        FAILS("mbm.siblings", FOUND_LOCAL_ZERO), FAILS("mbm.every-rmid", FOUND_LOCAL_ZERO, "domain=0,rmid=1") },
      "mbm-local-dead" },
    { "RMIDs that have a bit lack the lines of any processor; of siblings one has such an RMID",
      { PASSES("mbm.total"), PASSES("cmt.fill"), FAILS("cmt.siblings", FOUND_OCCUPANCY_ZERO, "domain=0,cpu=1"),
        FAILS("mbm.siblings", FOUND_TOTAL_ZERO, "domain=0,cpu=1") },
      "rmid-lost-by-sibling of cpu 1" },
    { NULL,
      { FAILS("cmt.alias", FOUND_COUNTED_ELSEWHERE), FAILS("mbm.alias", FOUND_COUNTED_ELSEWHERE) },
      "rmids-aliased, *" },
    { "bandwidth follows the RMID: it is no tag of the processor",
      { PASSES("mbm.total"), WARNS("cmt.alias", FOUND_OTHERS_GAINED), WARNS("cmt.crowd", FOUND_OTHERS_GAINED),
        FAILS("cmt.fill", FOUND_OCCUPANCY_LOW) },
      "occupancy-under-other-rmid" },
    { "with lines and bytes of all RMIDs under one no monitor is dead, and no mask",
      { WORKING_SETS(0), L3_IS_FULL, NO_OCCUPANCY, NO_BYTES },
      "pqr-without-effect" },
    { "where lines follow the RMID bandwidth is dead", { WORKING_SETS(1), L3_IS_FULL, NO_BYTES }, "mbm-total-dead" },
    { "neither lines nor bytes of one L3 follow the RMID, and the other L3 is right",
      { WORKING_SETS(0), L3_IS_FULL, WORKING_SETS(1), FAILS("cmt.linearity", FOUND_SLOPE_OFF, "domain=0"), NO_BYTES },
      "pqr-without-effect of L3 domain 0" },
    { "the same in clusters", { FAILS("cross.cluster-scale", FOUND_RMID_IGNORED) }, "pqr-without-effect" },
    { "occupancy that is dead is neither a mask nor a limit, as -quick has it, without cmt.fill",
      { PASSES("mbm.total"), WORKING_SETS(0), NO_OCCUPANCY },
      "occupancy-dead" },
    { "CDP whose masks hold nothing back is one cause",
      { PASSES("cat.shares"), FAILS("cdp.code", FOUND_OCCUPANCY_HIGH), FAILS("cdp.data", FOUND_OCCUPANCY_HIGH) },
      "cdp-masks-leak" },
    { "RMIDs with a bit lack bytes whose RMID without it has them; RMID 1, of most checks, has none of it",
      { PASSES("mbm.total"), PASSES("cmt.every-rmid"), FAILS("mbm.every-thread", FOUND_TOTAL_ZERO),
        FAILS("mbm.alias", FOUND_COUNTED_ELSEWHERE), FAILS("mbm.every-rmid", FOUND_TOTAL_ZERO) },
      "mbm-under-other-rmid" },
    { "any check that an RMID's wrap falls into fails, and none of them is at fault",
      { PASSES("mbm.total"), PASSES("mbm.gain"), FAILS("cmt.code", FOUND_STEPS_BACK),
        FAILS("mbm.alias", FOUND_STEPS_BACK), FAILS("mbm.every-rmid", FOUND_STEPS_BACK),
        WARNS("mbm.carry", FOUND_TOP_BITS_UNUSED) },
      "mbm-counter-narrow" },
    { "a processor has too much, and none lacks it",
      { WARNS("mbm.every-thread", FOUND_TOTAL_HIGH, "domain=0,cpu=6") },
      "mbm-of-one-processor of cpu 6" },
    { NULL,
      { FAILS("mbm.every-thread", FOUND_TOTAL_HIGH, "domain=0,cpu=6"),
        FAILS("mbm.every-thread", FOUND_TOTAL_ZERO, CPU_3), FAILS("mbm.siblings", FOUND_TOTAL_ZERO) },
      "mbm-of-one-processor-elsewhere of cpu 3" },
    { "the processor that other checks measure on is counted elsewhere, and so they all fail",
      { NO_BYTES_GAIN, FAILS("mbm.every-thread", FOUND_TOTAL_ZERO, CPU_3),
        WARNS("mbm.every-thread", FOUND_COUNTED_ELSEWHERE, CPU_3),
        FAILS("cmt.every-thread", FOUND_OCCUPANCY_ZERO, CPU_3) },
      "rmid-ignored-by-processor of cpu 3" },
    { "what explains no check that said FAIL comes after what one of those says",
      { WARNS("qm.unavailable", FOUND_OTHER), FAILS("cmt.siblings", FOUND_OCCUPANCY_LOW) },
      "cmt.siblings, qm-unavailable" },
    { "a CLOS of nearly all ways holds nothing: no way that leaks takes that away",
      { WARNS("cat.shares", FOUND_FILLS_OUTSIDE_MASK), WARNS("cat.isolation", FOUND_EVICTS_OUTSIDE_MASK) },
      "masks-leak" },
    { NULL, { WARNS("cat.moves", FOUND_OCCUPANCY_ZERO) }, "masks-of-other-clos" },
    { "a tag of one processor is late",
      { FAILS("mbm.every-thread", FOUND_TAG_LATE, CPU_3) },
      "rmid-late-after-switch of L3 domain 0" },
    { "a bit of a mask is of one processor",
      { FAILS("cat.every-thread", FOUND_FILLS_MORE_WAYS, CPU_3) },
      "mask-leaks-on-processor of cpu 3" },
    { "a processor has no mask",
      { FAILS("cat.every-thread", FOUND_FILLS_OUTSIDE_MASK, CPU_3) },
      "clos-ignored-by-processor of cpu 3" },
    { "what each counter of a box compares right is off by the rounding of its own counts, which no comparison makes",
      { FAILS("pmon.threshold", FOUND_COUNTERS_DIFFER) },
      "pmon.threshold" },
    { NULL, { WARNS("pmon.clock", FOUND_CLOCK_DIFFERS) }, "box-scaled" },
    { NULL, { FAILS("traffic.slices", FOUND_SLICE_UNEVEN) }, "box-scaled" },
    { "a counter that is scaled is no defect of what it is compared with",
      { ONE_COUNTER_IS_OFF(FOUND_COUNTERS_DIFFER) },
      "counter-scaled of UBox, package 0 CHA 3" },
    { NULL, { FAILS("pmon.width", FOUND_BITS_STUCK) }, "counter-bit-stuck" },
    { "counters that lack their highest bits lose what others write and what is written while they are frozen",
      { FAILS("pmon.width", FOUND_TOP_BITS_UNUSED), FAILS("pmon.own-box", FOUND_REGISTER_SHARED),
        FAILS("pmon.freeze", FOUND_NOT_STORED) },
      "counters-narrow" },
    { "nor is one that is dead", { ONE_COUNTER_IS_OFF(FOUND_COUNTER_ZERO) }, "counter-dead of UBox, package 0 CHA 3" },
    { NULL, { FAILS("pmon.boxes", FOUND_BOX_HIDDEN) }, "counter-dead of UBox, package 0 CHA 3, box-hidden" },
    { "a counter of the UBox alone: the other boxes' counters were compared too, and are alike",
      { PASSES("pmon.enable"), PASSES("pmon.gate"), FAILS("ubox.enable", FOUND_COUNTER_ZERO, "unit=UBox") },
      "counter-dead of UBox" },
    { "a counter that counts without its enable does with it: reads that are wrong now and then show both",
      { FAILS("pmon.gate", FOUND_COUNTS_UNGATED), FAILS("pmon.gate", FOUND_COUNTS_ZERO) },
      "pmon.gate" },
    { "UBox counters that read late have no bit that is stuck",
      { FAILS("ubox.width", FOUND_NOT_STORED), FAILS("ubox.reset", FOUND_RESET_BEYOND) },
      "ubox.width, ubox.reset" },
    { "a bit that is stuck is not the comparisons' fault",
      { FAILS("ubox.enable", FOUND_COUNTS_DISABLED), FAILS("ubox.reset", FOUND_NOT_RESET),
        FAILS("ubox.width", FOUND_BITS_STUCK), FAILS("ubox.threshold", FOUND_INVERT_IGNORED) },
      "ubox-counters-stuck" },
    { "a link at another rate carries all data: a port that counts fewer of them too is scaled",
      { WARNS("pmon.clock", FOUND_CLOCK_DIFFERS, "package=0,unit=UPI,box=2"),
        MEASURES("traffic.remote", "data that the home's links sent", 0.83, 0.95, 1.05),
        FAILS("traffic.remote", FOUND_LINKS_SENT_OFF), FAILS("traffic.remote", FOUND_LINKS_RECEIVED_OFF) },
      "box-scaled of package 0 UPI 2" },
    { "data that a link loses are those of a port that is dead",
      { WARNS("pmon.clock", FOUND_COUNTS_ZERO, "package=0,unit=UPI,box=2"),
        FAILS("traffic.remote", FOUND_LINKS_SENT_OFF), FAILS("traffic.remote", FOUND_LINKS_RECEIVED_OFF) },
      "box-dead of package 0 UPI 2" },
    { "so they are where the others' share of a load shows it",
      { FAILS("traffic.remote", FOUND_LINKS_SENT_OFF), FAILS("traffic.remote", FOUND_LINKS_RECEIVED_OFF),
        WARNS("traffic.remote", FOUND_COUNTS_ZERO, "package=0,unit=UPI,box=3") },
      "box-dead of package 0 UPI 3" },
    { "a box is dead: thresh is not what stops it",
      { FAILS("pmon.enable", FOUND_COUNTS_ZERO), FAILS("pmon.global-freeze", FOUND_NOT_RESUMED),
        FAILS("pmon.threshold", FOUND_COUNTS_ZERO), FAILS("pmon.edge", FOUND_COUNTS_ZERO),
        FAILS("pmon.clock", FOUND_COUNTS_ZERO) },
      "box-dead" },
    { NULL, { FAILS("traffic.slices", FOUND_SLICE_UNEVEN) }, "slice-dead" },
    { "from Sapphire Rapids on the reads of a buffer have stores among their look-ups: a slice that misses them is not "
      "dead",
      { FAILS("traffic.slices", FOUND_SLICE_UNEVEN), FAILS("traffic.slices", FOUND_UNEVEN) },
      "traffic.slices" },
    { "what another RMID has did not stop at a limit", { NO_BYTES_GAIN }, "mbm-counter-saturates" },
    { NULL, { WARNS("mbm.bits", FOUND_NEVER_WRAPS) }, "mbm-counter-saturates" },
    { NULL, { FAILS("mbm.alias", FOUND_COUNTED_ELSEWHERE) }, "mbm-under-other-rmid" },
    { "two causes are both named",
      { FAILS("pqr.siblings", FOUND_REGISTER_SHARED), FAILS("pqr.own-copy", FOUND_REGISTER_SHARED),
        FAILS("traffic.channels", FOUND_CHANNEL_DEAD) },
      "pqr-shared, channel-dead" },
    { "no factor of MBM is in the rate of a load",
      { FAILS("mbm.total", FOUND_TOTAL_LOW), FAILS("mbm.gain", FOUND_SLOPE_OFF), WARNS("mba.rate", FOUND_TOTAL_LOW) },
      "mbm-total-scaled" },
    { NULL, { FAILS("mba.rate", FOUND_DELAY_WITHOUT_EFFECT) }, "mbm-total-scaled, mba.rate" },
    { NULL, /* and no upscaling factor turns bytes into none */
      { FAILS("cmt.linearity", FOUND_SLOPE_OFF), WARNS("mbm.kinds", FOUND_TOTAL_ZERO) },
      "upscaling-factor-wrong, mba.rate, mbm.kinds" },
    { "one figure that a cause cannot make is enough against it",
      { PASSES("mbm.total"), PASSES("mbm.gain"), FAILS("mbm.carry", FOUND_STEPS_BACK),
        FAILS("mbm.every-thread", FOUND_STEPS_BACK), FAILS("mbm.local", FOUND_STEPS_BACK) },
      "mbm-counter-narrow" },
    { NULL, { FAILS("mbm.matrix", FOUND_LOCAL_HIGH) }, "mbm-steps-back" },
    { NULL, { FAILS("pmon.width", FOUND_REGISTER_LOST) }, "counter-half-clears-other, mbm-steps-back" },
    { NULL, { FAILS("ubox.width", FOUND_READS_DIFFER) }, "counter-reads-stale, mbm-steps-back" },
    { "what no read has data of has no bytes that could be too few",
      { WARNS("qm.unavailable", FOUND_UNAVAILABLE), FAILS("cmt.siblings", FOUND_OCCUPANCY_ZERO) },
      "cmt.siblings, qm-unavailable" },
    { "a finding of another defect does not bear on what a cause is about",
      { FAILS("qm.error-bit", FOUND_NO_ERROR), WARNS("mbm.kept", FOUND_STEPS_BACK) },
      "qm-error-missing, mbm-cleared-by-flush" },
    { "nor does occupancy on a bit of bandwidth",
      { WARNS("mbm.bits", FOUND_BITS_STUCK), FAILS("cmt.alias", FOUND_OCCUPANCY_ZERO) },
      "occupancy-of-one-rmid-dead, qm-ctr-bit-stuck" },
    { "a crowd that counts too much loses nothing",
      { PASSES("mbm.total"), WARNS("mbm.crowd", FOUND_TOTAL_HIGH) },
      "mbm.crowd" },
    { NULL, { FAILS("mbm.crowd", FOUND_TOTAL_LOW) }, "mbm-loses-in-a-crowd" },
    { "what is lost between RMIDs in turn is not under the sibling's",
      { FAILS("mbm.switching", FOUND_TOTAL_LOW), FAILS("mbm.siblings", FOUND_TOTAL_LOW) },
      "mbm-loses-between-rmids" },
    { "a counter that counts of long reads alone is not dead",
      { NO_BYTES, WARNS("mbm.bits", FOUND_TOTAL_LOW) },
      "mbm-starts-late" },
    { "a count that adds up over many reads is not cleared by one",
      { PASSES("mbm.total"), PASSES("mbm.idle"), PASSES("mbm.bits"), FAILS("mbm.reading-resets", FOUND_STEPS_BACK),
        FAILS("mbm.local-not-above-total", FOUND_STEPS_BACK), FAILS("mbm.gain", FOUND_STEPS_BACK),
        FAILS("mbm.carry", FOUND_STEPS_BACK) },
      "mbm-counter-narrow" },
    { "what pauses and rests lose is lost after them",
      { PASSES("mbm.total"), FAILS("mbm.gain", FOUND_TOTAL_LOW), FAILS("mbm.rested", FOUND_TOTAL_ZERO) },
      "mbm-loses-after-idle" },
    { "and if lines are lost with the bytes, it is the tag",
      { FAILS("mbm.gain", FOUND_TOTAL_LOW), FAILS("mbm.rested", FOUND_TOTAL_ZERO), PASSES("mbm.switching"),
        FAILS("cmt.retag", FOUND_OCCUPANCY_LOW) },
      "rmid-lost-after-idle" },
    { "lines alone",
      { FAILS("cmt.flush", FOUND_OCCUPANCY_LOW), FAILS("cmt.retag", FOUND_OCCUPANCY_LOW), PASSES("cmt.shared"),
        FAILS("cross.sharing", FOUND_OCCUPANCY_LOW) },
      "occupancy-lost-after-idle" },
    { "what a flush takes away was not kept by one",
      { PASSES("cmt.flush"), FAILS("cmt.unused", FOUND_KEPT_AFTER_FLUSH, "domain=0,rmid=3") },
      "occupancy-of-unused-rmid of RMID 3" },
    { "where single processors read less, no line was kept",
      { PASSES("cmt.flush"), FAILS("qm.keyhole", FOUND_READS_DIFFER, "cpu=3"),
        FAILS("cross.sharing", FOUND_OCCUPANCY_LOW, "domain=0,cpu=3") },
      "qm-ctr-of-reader of cpu 3" },
    { "fills under no RMID where CLOS and RMID change together are outside of no mask",
      { FAILS("cat.isolation", FOUND_OCCUPANCY_ZERO), FAILS("cat.moves", FOUND_OCCUPANCY_ZERO) },
      "rmid-lost-with-clos" },
    { "a bit of one RMID's counter is not of the processor that has the RMID",
      { FAILS("mbm.every-thread", FOUND_TOTAL_LOW, CPU_3), FAILS("mbm.every-rmid", FOUND_STEPS_BACK, "domain=0,rmid=3"),
        WARNS("cmt.every-rmid", FOUND_OCCUPANCY_HIGH) },
      "counter-of-one-rmid-stuck of RMID 3" },
    { "what no other processor wrote was not written by one",
      { FAILS("pqr.own-copy", FOUND_REGISTER_LOST) },
      "pqr-lost-while-waiting" },
};

/* The facts of a check, up to those of another. */
static const struct fact *tell_check(const struct fact *f, const struct fact *end)
{
    const char *check = f->check;
    enum verdict worst = VERDICT_PASS;

    begin(check);
    for (; f < end && f->check && text_equal(f->check, check); f++) {
        struct place place = PLACE_NONE;

        cr_assert(!f->at || place_parse(f->at, &place), "%s", f->at);
        if (f->figure)
            symptoms_measured(&symptoms, f->figure, f->value, f->lo, f->hi);
        else if (f->verdict != VERDICT_PASS)
            said_at(place, f->verdict, f->code, "found");
        worst = verdict_worst(worst, f->verdict);
    }
    symptoms_end(&symptoms, worst);
    return f;
}

static void tell(const struct story *s, const char *says)
{
    const struct fact *end = s->facts + sizeof s->facts / sizeof s->facts[0];
    char causes[256];
    size_t n = 0;

    for (const struct fact *f = s->facts; f < end && f->check;)
        f = tell_check(f, end);
    diagnosis_run(&symptoms, NULL, &diagnosis);
    EACH(const struct diagnosed, d, diagnosis.list, diagnosis.n)
        n += text_format(causes + n, sizeof causes - n, "%s%s%s%s", n ? ", " : "", diagnosed_id(d),
                         d->part[0] ? " of " : "", d->part);
    cr_expect(text_matches(s->causes, causes), "%s: %s, not %s", says, causes, s->causes);
}

Test(diagnosis, each_story_has_its_causes, .fini = end)
{
    const char *says = NULL;

    EACH(const struct story, s, stories, sizeof stories / sizeof stories[0]) {
        if (s->says)
            end();
        says = s->says ? s->says : says;
        tell(s, says);
    }
}

/* --- clues */

/* A clue that names a check or a figure that does not exist would never hold. */
Test(diagnosis, clues_name_checks_that_exist)
{
    for (const struct cause_family *const *f = cause_families; *f; f++)
        for (uint32_t i = 0; i < (*f)->n; i++) {
            const struct cause *c = &(*f)->causes[i];

            cr_expect(c->says && c->next && c->monitor && c->follows, "%s", c->id);
            for (const struct clue *clue = c->clues; clue->check; clue++) {
                bool any = false;

                cr_assert_lt(clue - c->clues, CAUSE_CLUES, "%s", c->id);
                for (const struct check_row *row = check_next(NULL); row; row = check_next(row))
                    any |= text_matches(clue->check, row->id);
                cr_expect(any, "%s: no check is %s", c->id, clue->check);
                cr_expect(clue->weight != 0, "%s: a clue without weight", c->id);
            }
        }
}

/* --- an earlier boot's */

static const char stream[] =
    "{\"schemaVersion\":{\"major\":2,\"minor\":0},\"sequenceNumber\":0,\"timestamp\":\"2026-11-21T06:19:00.000Z\"}\n"
    "{\"testRunArtifact\":{\"testRunStart\":{\"name\":\"assay\",\"version\":\"1\",\"commandLine\":\"\",\"parameters\":{"
    "},"
    "\"dutInfo\":{\"dutInfoId\":\"1\"}}},\"sequenceNumber\":1,\"timestamp\":\"2026-11-21T06:19:00.000Z\"}\n"
    "{\"testStepArtifact\":{\"testStepId\":\"0\",\"testStepStart\":{\"name\":\"mba.limit\"}},\"sequenceNumber\":2,"
    "\"timestamp\":\"2026-11-21T06:19:00.000Z\"}\n"
    "{\"testStepArtifact\":{\"testStepId\":\"0\",\"measurement\":{\"name\":\"delay\",\"value\":3,\"unit\":\"\","
    "\"validators\":["
    "{\"type\":\"GREATER_THAN_OR_EQUAL\",\"value\":1},{\"type\":\"LESS_THAN_OR_EQUAL\",\"value\":2}]}},"
    "\"sequenceNumber\":3,"
    "\"timestamp\":\"2026-11-21T06:19:00.000Z\"}\n"
    "{\"testStepArtifact\":{\"testStepId\":\"0\",\"diagnosis\":{\"verdict\":\"assay-mba-limit-fail/"
    "illegal-accepted\",\"type\":\"FAIL\","
    "\"message\":\"cpu 0: WRMSR raised no #GP\",\"subcomponent\":{\"name\":\"cpu "
    "0\",\"location\":\"cpu=0\"}}},\"sequenceNumber\":4,\"timestamp\":\"2026-11-21T06:19:00.000Z\"}\n"
    "{\"testStepArtifact\":{\"testStepId\":\"0\",\"testStepEnd\":{\"status\":\"COMPLETE\"}},\"sequenceNumber\":5,"
    "\"timestamp\":\"2026-11-21T06:19:00.000Z\"}\n"
    "{\"testStepArtifact\":{\"testStepId\":\"1\",\"testStepStart\":{\"name\":\"resume\"}},\"sequenceNumber\":6,"
    "\"timestamp\":\"2026-11-21T06:19:00.000Z\"}\n";

Test(diagnosis, a_stream_gives_what_its_checks_came_to, .fini = end)
{
    static struct stream_reader r;

    r = (struct stream_reader){ .context = &symptoms, .line = symptoms_take_line };
    stream_reader_add(&r, stream, sizeof stream - 1);
    stream_reader_end(&r);
    cr_assert_not_null(symptoms.first);
    cr_expect_str_eq(symptoms.first->row->id, "mba.limit");
    cr_expect_eq(symptoms.first->verdict, VERDICT_FAIL);
    cr_expect_str_eq(symptoms.first->findings[0].text, "cpu 0: WRMSR raised no #GP");
    cr_expect_eq(symptoms.first->findings[0].code, FOUND_ILLEGAL_ACCEPTED);
    cr_expect_eq(symptoms.first->findings[0].place.number[PLACE_CPU], 0);
    cr_expect(place_has(&symptoms.first->findings[0].place, PLACE_CPU));
    cr_expect_float_eq(symptoms.first->figures[0].most, 2, 1e-9);
    cr_expect_null(symptoms.first->next, "steps that are no checks are left out");
    cr_expect_null(symptoms.open);
}

/* --- how sure */

/* Half of the bytes, as a machine without bands and one with them find it. */
static const struct diagnosed *half_of_the_bytes(enum verdict worst)
{
    passed("cmt.fill");
    found("mbm.total", VERDICT_WARN, FOUND_TOTAL_LOW, "L3 domain 0, RMID 1: MBM total 4 bytes, expected 7 to 9 bytes");
    found("mbm.gain", VERDICT_WARN, FOUND_SLOPE_OFF, "L3 domain 0: slope 0.500 bytes counted per byte read");
    found("mbm.every-thread", worst, FOUND_TOTAL_LOW, "L3 domain 0, RMID 1: MBM total of cpu 0 4 bytes");
    cr_expect_str_eq(cause(), "mbm-total-scaled");
    cr_assert_eq(diagnosis.n, 1);
    return &diagnosis.list[0];
}

Test(diagnosis, one_fail_of_what_a_cause_explains_makes_it_certain, .fini = end)
{
    const struct diagnosed *d = half_of_the_bytes(VERDICT_FAIL);

    cr_expect_eq(d->sure, SURE_CERTAIN);
    cr_expect_eq(d->verdict, VERDICT_FAIL, "whatever the check that speaks for it most says");
}

Test(diagnosis, a_cause_of_warnings_alone_is_likely_at_most, .fini = end)
{
    const struct diagnosed *d = half_of_the_bytes(VERDICT_WARN);

    cr_expect_eq(d->sure, SURE_LIKELY);
    cr_expect_eq(d->verdict, VERDICT_WARN);
}
