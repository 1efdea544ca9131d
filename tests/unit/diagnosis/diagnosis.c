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
}

/* --- the choice */

/* The first cause of what was found so far. */
static const char *cause(void)
{
    diagnosis_run(&symptoms, NULL, &diagnosis);
    cr_assert_gt(diagnosis.n, 0);
    return diagnosed_id(&diagnosis.list[0]);
}

/* Whether it is one of them. */
static bool is_named(const char *id)
{
    diagnosis_run(&symptoms, NULL, &diagnosis);
    return ANY_OF(i, diagnosis.n, text_equal(diagnosed_id(&diagnosis.list[i]), id));
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

/* 4 %, which the finer band alone shows: warnings of one defect, and not of four. */
Test(diagnosis, mbm_that_is_scaled_by_little_is_one_cause, .fini = end)
{
    found("mbm.total", VERDICT_WARN, FOUND_TOTAL_LOW_FINE, "L3 domain 1, RMID 1: MBM total lacks 4.0 %");
    passed("mbm.gain");
    found("mbm.local", VERDICT_WARN, FOUND_TOTAL_LOW_FINE, "L3 domain 1, RMID 1: MBM total lacks 4.0 %");
    found("mbm.crowd", VERDICT_WARN, FOUND_TOTAL_LOW, "L3 domain 1: MBM total of their RMIDs is 4027202 bytes");
    passed("mbm.every-thread");
    found("traffic.mbm", VERDICT_WARN, FOUND_UNDERCOUNTS, "package 1: 4 % less than the load reads");
    passed("traffic.closure");
    cr_expect_str_eq(cause(), "mbm-total-scaled");
    cr_expect_eq(diagnosis.n, 1);
}

/* 15 % of one L3, another one is right: a limit would cut what is larger, and leave what is smaller. */
Test(diagnosis, occupancy_that_is_scaled_by_little_has_no_limit, .fini = end)
{
    begin("cmt.fill");
    symptoms_measured(&symptoms, "occupancy", 0.85, 0.9, 1.1);
    said(VERDICT_WARN, FOUND_OCCUPANCY_LOW_FINE, "L3 domain 1, RMID 1: occupancy 7798784 bytes");
    symptoms_end(&symptoms, VERDICT_WARN);
    begin("cmt.linearity");
    symptoms_measured(&symptoms, "occupancy of a working set", 0.85, 0.85, 1.15);
    symptoms_measured(&symptoms, "occupancy of a working set", 1, 0.85, 1.15);
    said(VERDICT_WARN, FOUND_SLOPE_OFF, "L3 domain 1: slope 0.851 bytes occupied per byte of working set");
    symptoms_end(&symptoms, VERDICT_WARN);
    passed("cmt.halves");
    passed("cmt.every-thread");
    passed("mbm.total");
    cr_expect_str_eq(cause(), "occupancy-scaled");
}

/* Every fourth RMID counts 90 %: a carry, a crowd and code are counted under one of these. */
Test(diagnosis, single_rmids_explain_what_is_counted_under_them, .fini = end)
{
    found("mbm.every-rmid", VERDICT_WARN, FOUND_TOTAL_LOW_FINE, "RMID 6: MBM total / bytes read is 89.8 %");
    passed("mbm.total");
    passed("mbm.gain");
    found("mbm.carry", VERDICT_FAIL, FOUND_TOTAL_LOW, "RMID 6: MBM total 3784704 bytes");
    found("cmt.code", VERDICT_FAIL, FOUND_TOTAL_LOW, "RMID 7: MBM total of code 3784704 bytes");
    found("mbm.crowd", VERDICT_WARN, FOUND_COUNTED_ELSEWHERE, "RMID 7: MBM total 3774503 bytes");
    cr_expect_str_eq(cause(), "mbm-of-one-rmid-scaled");
    cr_expect_eq(diagnosis.n, 1, "%s as well", diagnosed_id(&diagnosis.list[1]));
}

Test(diagnosis, occupancy_off_by_the_same_factor_speaks_against_mbm_alone, .fini = end)
{
    found("cmt.linearity", VERDICT_FAIL, FOUND_SLOPE_OFF,
          "L3 domain 0: slope 2 bytes occupied per byte of working set");
    found("mbm.total", VERDICT_FAIL, FOUND_TOTAL_HIGH,
          "L3 domain 0, RMID 1: MBM total 16 bytes, expected 7 to 9 bytes");
    found("mbm.gain", VERDICT_FAIL, FOUND_SLOPE_OFF, "L3 domain 0: slope 2.000 bytes counted per byte read");
    cr_expect_str_eq(cause(), "upscaling-factor-wrong");
    cr_expect_eq(diagnosis.n, 1);
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

Test(diagnosis, tags_leak_where_other_rmids_gained, .fini = end)
{
    found("mbm.total", VERDICT_FAIL, FOUND_TOTAL_LOW, "L3 domain 0, RMID 1: MBM total 4 bytes, expected 8 bytes");
    cr_expect_str_eq(cause(), "mbm.total", "half may be lost");
    found("cmt.alias", VERDICT_WARN, FOUND_OTHERS_GAINED, "L3 domain 0, RMID 2 has lines");
    cr_expect_str_eq(cause(), "tags-leak");
}

Test(diagnosis, local_bandwidth_that_is_dead_is_so_under_every_rmid, .fini = end)
{
    passed("mbm.total");
    passed("mbm.gain");
    found("mbm.local", VERDICT_FAIL, FOUND_LOCAL_ZERO, "MBM local is 0 of 8 bytes of MBM total");
    found("mbm.siblings", VERDICT_FAIL, FOUND_LOCAL_ZERO, "MBM local is 0 of 8 bytes of MBM total");
    found_at("mbm.every-rmid", place_rmid(0, 1), VERDICT_FAIL, FOUND_LOCAL_ZERO, "MBM local / bytes read is 0 %");
    cr_expect_str_eq(cause(), "mbm-local-dead");
    cr_expect_eq(diagnosis.n, 1);
}

/* RMIDs that have a bit lack the lines of any processor; of siblings one has such an RMID. */
Test(diagnosis, an_rmid_that_loses_a_bit_is_not_lost_by_the_sibling, .fini = end)
{
    passed("mbm.total");
    passed("cmt.fill");
    found_at("cmt.siblings", place_domain_cpu(0, 1), VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "RMID 2 has no lines");
    found_at("mbm.siblings", place_domain_cpu(0, 1), VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 2 has no bytes");
    cr_expect_str_eq(cause(), "rmid-lost-by-sibling");
    found("cmt.alias", VERDICT_FAIL, FOUND_COUNTED_ELSEWHERE, "RMID 1 has the lines of RMID 3");
    found("mbm.alias", VERDICT_FAIL, FOUND_COUNTED_ELSEWHERE, "RMID 1 has the bytes of RMID 3");
    cr_expect_str_neq(cause(), "rmid-lost-by-sibling");
}

/* The processor that has another one's traffic besides its own is not at fault. */
/* Bandwidth follows the RMID: it is no tag of the processor. */
Test(diagnosis, lines_alone_that_another_rmid_gained_are_of_the_l3, .fini = end)
{
    passed("mbm.total");
    found("cmt.alias", VERDICT_WARN, FOUND_OTHERS_GAINED, "RMIDs without a processor gained 3 bytes");
    found("cmt.crowd", VERDICT_WARN, FOUND_OTHERS_GAINED, "RMIDs without a processor gained 3 bytes");
    found("cmt.fill", VERDICT_FAIL, FOUND_OCCUPANCY_LOW, "occupancy 5 bytes, expected 7 to 9 bytes");
    cr_expect_str_eq(cause(), "occupancy-under-other-rmid");
}

static void working_sets_occupy_nothing(void)
{
    begin("cmt.linearity");
    symptoms_measured(&symptoms, "occupancy of a working set", 0, 0.85, 1.15);
    symptoms_measured(&symptoms, "slope of occupancy over working set", 0, 0.85, 1.15);
    symptoms_measured(&symptoms, "occupancy of a full L3 under all RMIDs", 1 << 23, 1 << 22, OPEN);
    said(VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "a working set of 8 bytes occupies 0 bytes");
    symptoms_end(&symptoms, VERDICT_FAIL);
    found("cat.moves", VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "occupancy 0 bytes");
}

static void bytes_move_under_no_rmid(void)
{
    begin("mbm.total");
    symptoms_measured(&symptoms, "MBM total", 0, 0.92, 1.08);
    said(VERDICT_FAIL, FOUND_TOTAL_ZERO, "MBM total 0 bytes");
    symptoms_end(&symptoms, VERDICT_FAIL);
}

/* With lines and bytes of all RMIDs under one no monitor is dead, and no mask. */
Test(diagnosis, neither_lines_nor_bytes_follow_the_rmid, .fini = end)
{
    working_sets_occupy_nothing();
    bytes_move_under_no_rmid();
    cr_expect_str_eq(cause(), "pqr-without-effect");
    cr_expect_eq(diagnosis.n, 1);
}

Test(diagnosis, where_lines_follow_the_rmid_bandwidth_is_dead, .fini = end)
{
    begin("cmt.linearity");
    symptoms_measured(&symptoms, "occupancy of a working set", 1, 0.85, 1.15);
    symptoms_measured(&symptoms, "slope of occupancy over working set", 1, 0.85, 1.15);
    symptoms_measured(&symptoms, "occupancy of a full L3 under all RMIDs", 1 << 23, 1 << 22, OPEN);
    symptoms_end(&symptoms, VERDICT_PASS);
    bytes_move_under_no_rmid();
    cr_expect_str_eq(cause(), "mbm-total-dead");
}

/* The other L3 is right. */
Test(diagnosis, neither_lines_nor_bytes_of_one_l3_follow_the_rmid, .fini = end)
{
    begin("cmt.linearity");
    for (uint32_t i = 0; i < 2; i++) {
        symptoms_measured(&symptoms, "occupancy of a working set", i, 0.85, 1.15);
        symptoms_measured(&symptoms, "slope of occupancy over working set", i, 0.85, 1.15);
        symptoms_measured(&symptoms, "occupancy of a full L3 under all RMIDs", 1 << 23, 1 << 22, OPEN);
    }
    said_at(place_domain(0), VERDICT_FAIL, FOUND_SLOPE_OFF, "slope 0");
    symptoms_end(&symptoms, VERDICT_FAIL);
    bytes_move_under_no_rmid();
    cr_expect_str_eq(cause(), "pqr-without-effect");
    cr_expect_str_eq(diagnosis.list[0].part, "L3 domain 0");
}

Test(diagnosis, neither_lines_nor_bytes_follow_the_rmid_in_clusters, .fini = end)
{
    found("cross.cluster-scale", VERDICT_FAIL, FOUND_RMID_IGNORED, "fills by node 0 count under no free RMID");
    cr_expect_str_eq(cause(), "pqr-without-effect");
}

/* As -quick has it, without cmt.fill. */
Test(diagnosis, occupancy_that_is_dead_is_neither_a_mask_nor_a_limit, .fini = end)
{
    passed("mbm.total");
    begin("cmt.linearity");
    symptoms_measured(&symptoms, "occupancy of a working set", 0, 0.85, 1.15);
    symptoms_measured(&symptoms, "slope of occupancy over working set", 0, 0.85, 1.15);
    said(VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "a working set of 8 bytes occupies 0 bytes");
    symptoms_end(&symptoms, VERDICT_FAIL);
    found("cat.moves", VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "occupancy 0 bytes");
    cr_expect_str_eq(cause(), "occupancy-dead");
    cr_expect_eq(diagnosis.n, 1);
}

Test(diagnosis, cdp_whose_masks_hold_nothing_back_is_one_cause, .fini = end)
{
    passed("cat.shares");
    found("cdp.code", VERDICT_FAIL, FOUND_OCCUPANCY_HIGH, "occupancy of code whose code mask has one way");
    found("cdp.data", VERDICT_FAIL, FOUND_OCCUPANCY_HIGH, "occupancy of data whose data mask has one way");
    cr_expect_str_eq(cause(), "cdp-masks-leak");
    cr_expect_eq(diagnosis.n, 1);
}

/* RMIDs with a bit lack bytes whose RMID without it has them; RMID 1, of most checks, has none of it. */
Test(diagnosis, bytes_of_rmids_with_a_bit_are_under_those_without_it, .fini = end)
{
    passed("mbm.total");
    passed("cmt.every-rmid");
    found("mbm.every-thread", VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 4 has 0 bytes");
    found("mbm.alias", VERDICT_FAIL, FOUND_COUNTED_ELSEWHERE, "RMID 0 has the bytes of RMID 4");
    found("mbm.every-rmid", VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 4 has 0 bytes");
    cr_expect_str_eq(cause(), "mbm-under-other-rmid");
    cr_expect_eq(diagnosis.n, 1);
}

/* Of two L3s: the figures are of both. */
Test(diagnosis, one_l3_that_is_scaled_has_no_limit, .fini = end)
{
    begin("cmt.linearity");
    symptoms_measured(&symptoms, "occupancy of a working set", 1, 0.85, 1.15);
    symptoms_measured(&symptoms, "occupancy of a working set", 0.7, 0.85, 1.15);
    symptoms_measured(&symptoms, "slope of occupancy over working set", 1, 0.85, 1.15);
    symptoms_measured(&symptoms, "slope of occupancy over working set", 0.7, 0.85, 1.15);
    said_at(place_domain(1), VERDICT_FAIL, FOUND_SLOPE_OFF, "slope 0.7");
    symptoms_end(&symptoms, VERDICT_FAIL);
    passed("mbm.total");
    passed("cmt.halves");
    found_at("cmt.fill", place_domain(1), VERDICT_FAIL, FOUND_OCCUPANCY_LOW, "occupancy 7 bytes");
    cr_expect_str_eq(cause(), "occupancy-scaled");
}

/* Any check that an RMID's wrap falls into fails, and none of them is at fault. */
Test(diagnosis, a_counter_that_is_too_narrow_explains_all_that_decrease, .fini = end)
{
    passed("mbm.total");
    passed("mbm.gain");
    found("cmt.code", VERDICT_FAIL, FOUND_STEPS_BACK, "decreased from 0xfff30 to 0x30");
    found("mbm.alias", VERDICT_FAIL, FOUND_STEPS_BACK, "decreased from 0xfff69 to 0x69");
    found("mbm.every-rmid", VERDICT_FAIL, FOUND_STEPS_BACK, "decreased from 0xfffe5 to 0x5");
    found("mbm.carry", VERDICT_WARN, FOUND_TOP_BITS_UNUSED, "all values are below bit 20");
    cr_expect_str_eq(cause(), "mbm-counter-narrow");
    cr_expect_eq(diagnosis.n, 1);
}

Test(diagnosis, one_processor_is_counted_elsewhere_where_another_gained, .fini = end)
{
    found_at("mbm.every-thread", place_domain_cpu(0, 6), VERDICT_WARN, FOUND_TOTAL_HIGH, "RMID 45 has 7 MiB");
    cr_expect_str_eq(cause(), "mbm-of-one-processor", "too much, and none lacks it");
    begin("mbm.every-thread");
    said_at(place_domain_cpu(0, 6), VERDICT_FAIL, FOUND_TOTAL_HIGH, "RMID 45 has 7 MiB");
    said_at(place_domain_cpu(0, 3), VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 44 has 0 bytes");
    symptoms_end(&symptoms, VERDICT_FAIL);
    found("mbm.siblings", VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 2 has 0 bytes");
    cr_expect_str_eq(cause(), "mbm-of-one-processor-elsewhere");
    cr_expect_str_eq(diagnosis.list[0].part, "cpu 3");
}

/* What explains no check that said FAIL comes after what one of those says. */
Test(diagnosis, a_fail_comes_before_the_cause_of_a_warn, .fini = end)
{
    found("qm.unavailable", VERDICT_WARN, FOUND_OTHER, "all reads are Unavailable");
    found("cmt.siblings", VERDICT_FAIL, FOUND_OCCUPANCY_LOW, "RMID 1 has 4 bytes");
    cr_expect_str_eq(cause(), "cmt.siblings");
    cr_assert_eq(diagnosis.n, 2);
    cr_expect_str_eq(diagnosed_id(&diagnosis.list[1]), "qm-unavailable");
}

/* It is the one that other checks measure on, and so they all fail. */
Test(diagnosis, one_processor_is_counted_elsewhere_for_occupancy_too, .fini = end)
{
    found("mbm.total", VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 1 has 0 bytes");
    found("mbm.gain", VERDICT_FAIL, FOUND_SLOPE_OFF, "slope 0");
    found("mbm.carry", VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 4 has 0 bytes");
    begin("mbm.every-thread");
    said_at(place_domain_cpu(0, 3), VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 44 has 0 bytes");
    said_at(place_domain_cpu(0, 3), VERDICT_WARN, FOUND_COUNTED_ELSEWHERE, "RMID 0 counted most of it");
    symptoms_end(&symptoms, VERDICT_FAIL);
    found_at("cmt.every-thread", place_domain_cpu(0, 3), VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "RMID 44 has 0 bytes");
    cr_expect_str_eq(cause(), "rmid-ignored-by-processor");
    cr_expect_str_eq(diagnosis.list[0].part, "cpu 3");
}

/* A CLOS of nearly all ways holds nothing: no way that leaks takes that away. */
Test(diagnosis, the_mask_of_another_clos_acts, .fini = end)
{
    found("cat.shares", VERDICT_WARN, FOUND_FILLS_OUTSIDE_MASK, "ways outside of the CBM are filled");
    found("cat.isolation", VERDICT_WARN, FOUND_EVICTS_OUTSIDE_MASK, "lines of other ways are gone");
    cr_expect_str_eq(cause(), "masks-leak");
    found("cat.moves", VERDICT_WARN, FOUND_OCCUPANCY_ZERO, "0 bytes in a CLOS of all ways but one");
    cr_expect_str_eq(cause(), "masks-of-other-clos");
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

static const char *cause_at_cpu(const char *check, enum finding_code code)
{
    const char *id;

    found_at(check, place_domain_cpu(0, 3), VERDICT_FAIL, code, "a processor");
    id = cause();
    end();
    return id;
}

Test(diagnosis, a_tag_that_is_late_or_a_bit_of_a_mask_of_one_processor)
{
    cr_expect_str_eq(cause_at_cpu("mbm.every-thread", FOUND_TAG_LATE), "rmid-late-after-switch");
    cr_expect_str_eq(cause_at_cpu("cat.every-thread", FOUND_FILLS_MORE_WAYS), "mask-leaks-on-processor");
    cr_expect_str_eq(cause_at_cpu("cat.every-thread", FOUND_FILLS_OUTSIDE_MASK), "clos-ignored-by-processor");
}

/* Its clock is another one, and what each counter compares right is off by the rounding of its own counts. */
Test(diagnosis, a_box_is_scaled, .fini = end)
{
    found("pmon.threshold", VERDICT_FAIL, FOUND_COUNTERS_DIFFER, "801723 of 801722");
    cr_expect_str_eq(cause(), "pmon.threshold", "which no comparison makes");
    found("pmon.clock", VERDICT_WARN, FOUND_CLOCK_DIFFERS, "clock is 320000003 Hz");
    cr_expect_str_eq(cause(), "box-scaled");
    found("traffic.slices", VERDICT_FAIL, FOUND_SLICE_UNEVEN, "74668 look-ups");
    cr_expect_str_eq(cause(), "box-scaled", "and not dead");
}

/* One counter of each box: what it is compared with, and what counts with it, is off as well. */
static void one_counter_is_off(enum finding_code alone)
{
    struct place counter = place_with(place_with(place_with_unit(PLACE_NONE, "CHA"), PLACE_PACKAGE, 0), PLACE_BOX, 3);

    found_at("ubox.enable", place_with_unit(PLACE_NONE, "UBox"), VERDICT_FAIL, alone, "counts with en 1");
    found("ubox.threshold", VERDICT_FAIL, FOUND_INVERT_IGNORED, "invert does not count the cycles below thresh");
    found_at("pmon.enable", place_with(counter, PLACE_COUNTER, 1), VERDICT_FAIL, alone, "counts with en 1");
    found("pmon.threshold", VERDICT_FAIL, FOUND_THRESHOLD_STOPS, "thresh 0 does not count every increment");
    found("pmon.invert", VERDICT_FAIL, FOUND_INVERT_IGNORED, "invert does not count the cycles below thresh");
    found("traffic.free-running", VERDICT_FAIL, FOUND_OVERCOUNTS, "8388608 bytes written, 2348800 by CAS");
    found("traffic.parts", VERDICT_FAIL, FOUND_COUNTERS_DIFFER, "llc_lookup, while the load reads");
}

Test(diagnosis, a_counter_that_is_scaled_is_no_defect_of_what_it_is_compared_with, .fini = end)
{
    one_counter_is_off(FOUND_COUNTERS_DIFFER);
    cr_expect_str_eq(cause(), "counter-scaled");
    cr_expect_eq(diagnosis.n, 1, "%s as well", diagnosed_id(&diagnosis.list[1]));
    cr_expect_str_eq(diagnosis.list[0].part, "UBox, package 0 CHA 3");
    found("pmon.width", VERDICT_FAIL, FOUND_BITS_STUCK, "value read differs from the value written");
    cr_expect_str_eq(cause(), "counter-bit-stuck");
}

Test(diagnosis, a_counter_that_is_dead_is_no_defect_of_what_it_is_compared_with, .fini = end)
{
    one_counter_is_off(FOUND_COUNTER_ZERO);
    cr_expect_str_eq(cause(), "counter-dead");
    cr_expect_eq(diagnosis.n, 1, "%s as well", diagnosed_id(&diagnosis.list[1]));
}

/* A box that is not there and a table that is not read are none of its. */
Test(diagnosis, a_counter_that_is_dead_leaves_what_no_counter_makes, .fini = end)
{
    one_counter_is_off(FOUND_COUNTER_ZERO);
    found("pmon.boxes", VERDICT_FAIL, FOUND_BOX_HIDDEN, "package 0 CHA 7 does not answer");
    cr_expect(is_named("counter-dead") && is_named("box-hidden"));
}

/* The other boxes' counters were compared too, and are alike. */
Test(diagnosis, a_counter_of_the_ubox_alone, .fini = end)
{
    passed("pmon.enable");
    passed("pmon.gate");
    found_at("ubox.enable", place_with_unit(PLACE_NONE, "UBox"), VERDICT_FAIL, FOUND_COUNTER_ZERO, "en 1");
    cr_expect_str_eq(cause(), "counter-dead");
}

/* thresh is not what stops it. */
Test(diagnosis, a_box_is_dead, .fini = end)
{
    found("pmon.enable", VERDICT_FAIL, FOUND_COUNTS_ZERO, "counter enabled on the box clock does not advance");
    found("pmon.global-freeze", VERDICT_FAIL, FOUND_NOT_RESUMED, "counter does not advance");
    found("pmon.threshold", VERDICT_FAIL, FOUND_COUNTS_ZERO, "clocks: counter of the box clock does not advance");
    found("pmon.edge", VERDICT_FAIL, FOUND_COUNTS_ZERO, "clocks: counter of the box clock does not advance");
    found("pmon.clock", VERDICT_FAIL, FOUND_COUNTS_ZERO, "the box clock does not advance");
    cr_expect_str_eq(cause(), "box-dead");
    cr_expect_eq(diagnosis.n, 1);
    found("traffic.slices", VERDICT_FAIL, FOUND_SLICE_UNEVEN, "0 look-ups");
    cr_expect_str_eq(cause(), "slice-dead");
}

/* From Sapphire Rapids on the reads of a buffer have stores among their look-ups. */
Test(diagnosis, a_slice_that_misses_stores_alone_is_not_dead, .fini = end)
{
    begin("traffic.slices");
    said(VERDICT_FAIL, FOUND_SLICE_UNEVEN, "30716 look-ups");
    said(VERDICT_FAIL, FOUND_UNEVEN, "0 look-ups for stores");
    symptoms_end(&symptoms, VERDICT_FAIL);
    cr_expect_str_eq(cause(), "traffic.slices");
}

/* What another RMID has did not stop at a limit. */
Test(diagnosis, counts_under_another_rmid_are_not_saturated, .fini = end)
{
    found("mbm.total", VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 1 has 0 bytes");
    found("mbm.gain", VERDICT_FAIL, FOUND_SLOPE_OFF, "slope 0");
    found("mbm.carry", VERDICT_FAIL, FOUND_TOTAL_ZERO, "RMID 4 has 0 bytes");
    cr_expect_str_eq(cause(), "mbm-counter-saturates");
    found("mbm.bits", VERDICT_WARN, FOUND_NEVER_WRAPS, "stays at 0xffffff");
    cr_expect_str_eq(cause(), "mbm-counter-saturates");
    found("mbm.alias", VERDICT_FAIL, FOUND_COUNTED_ELSEWHERE, "RMID 5 has the bytes of RMID 4");
    cr_expect_str_eq(cause(), "mbm-under-other-rmid");
}

Test(diagnosis, two_causes_are_both_named, .fini = end)
{
    found("pqr.siblings", VERDICT_FAIL, FOUND_REGISTER_SHARED, "cpu 1 (APIC 0x1): IA32_PQR_ASSOC reads");
    found("pqr.own-copy", VERDICT_FAIL, FOUND_REGISTER_SHARED, "cpu 1 (APIC 0x1): IA32_PQR_ASSOC reads");
    found("traffic.channels", VERDICT_FAIL, FOUND_CHANNEL_DEAD,
          "package 0 iMC 2 counts nothing, the other channels 9 bytes each");
    cr_expect(is_named("pqr-shared") && is_named("channel-dead") && diagnosis.n == 2);
}

/* A cause's checks may show what it cannot make: no upscaling factor turns bytes into none, and no factor of MBM is in the rate
 * of a load. */
Test(diagnosis, what_a_cause_cannot_make_is_left_for_another, .fini = end)
{
    found("mbm.total", VERDICT_FAIL, FOUND_TOTAL_LOW, "L3 domain 0, RMID 1: MBM total 4 bytes, expected 7 to 9 bytes");
    found("mbm.gain", VERDICT_FAIL, FOUND_SLOPE_OFF, "L3 domain 0: slope 0.500 bytes counted per byte read");
    found("mba.rate", VERDICT_WARN, FOUND_TOTAL_LOW, "L3 domain 0, RMID 1: MBM total over bytes of all streams: 0.5");
    cr_expect(is_named("mbm-total-scaled") && diagnosis.n == 1);
    found("mba.rate", VERDICT_FAIL, FOUND_DELAY_WITHOUT_EFFECT, "L3 domain 0: the largest delay slows nothing");
    cr_expect(is_named("mbm-total-scaled") && is_named("mba.rate") && diagnosis.n == 2);
    found("cmt.linearity", VERDICT_FAIL, FOUND_SLOPE_OFF, "L3 domain 0: slope 0.5 bytes per byte of working set");
    found("mbm.kinds", VERDICT_WARN, FOUND_TOTAL_ZERO, "L3 domain 0, RMID 1: stores over 8 bytes: MBM total is 0");
    cr_expect(is_named("upscaling-factor-wrong") && is_named("mbm.kinds"));
}

/* One figure that a cause cannot make is enough against it. */
Test(diagnosis, older_counts_are_no_narrow_counter_and_no_half_that_clears_another, .fini = end)
{
    passed("mbm.total");
    passed("mbm.gain");
    found("mbm.carry", VERDICT_FAIL, FOUND_STEPS_BACK, "MBM local decreased from 0x2220 to 0xd64");
    found("mbm.every-thread", VERDICT_FAIL, FOUND_STEPS_BACK, "MBM local decreased from 0x976 to 0x7f");
    found("mbm.local", VERDICT_FAIL, FOUND_STEPS_BACK, "MBM local decreased from 0xcb3c to 0x5418");
    cr_expect_str_eq(cause(), "mbm-counter-narrow");
    found("mbm.matrix", VERDICT_FAIL, FOUND_LOCAL_HIGH,
          "MBM local is 4079616 of 4202496 bytes, read from another node");
    cr_expect_str_eq(cause(), "mbm-steps-back");
    found("pmon.width", VERDICT_FAIL, FOUND_REGISTER_LOST, "value read differs from the value written");
    cr_expect(is_named("counter-half-clears-other"));
    found("ubox.width", VERDICT_FAIL, FOUND_READS_DIFFER, "value read differs from the value written");
    cr_expect(is_named("counter-reads-stale") && !is_named("counter-half-clears-other"));
}

/* What no read has data of has no bytes that could be too few. */
Test(diagnosis, unavailable_data_explains_no_figure, .fini = end)
{
    found("qm.unavailable", VERDICT_WARN, FOUND_UNAVAILABLE, "all 32 reads of event 2 are Unavailable");
    found("cmt.siblings", VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "occupancy 0 bytes");
    cr_expect(is_named("qm-unavailable") && is_named("cmt.siblings"));
}

/* Findings of another defect, which do not bear on what a cause is about. */
Test(diagnosis, a_cause_is_named_beside_another_defect_of_the_counters, .fini = end)
{
    found("qm.error-bit", VERDICT_FAIL, FOUND_NO_ERROR, "cpu 0: event 9 is answered with data");
    found("mbm.kept", VERDICT_WARN, FOUND_STEPS_BACK, "L3 domain 0, RMID 1: MBM total is less after WBINVD");
    cr_expect(is_named("mbm-cleared-by-flush") && diagnosis.n == 2);
    symptoms_free(&symptoms);
    found("mbm.bits", VERDICT_WARN, FOUND_BITS_STUCK, "L3 domain 0: bit 3 does not toggle");
    found("cmt.alias", VERDICT_FAIL, FOUND_OCCUPANCY_ZERO, "L3 domain 0, RMID 3: occupancy 0 bytes");
    cr_expect(is_named("qm-ctr-bit-stuck") && is_named("occupancy-of-one-rmid-dead"));
}

Test(diagnosis, a_crowd_that_counts_too_much_loses_nothing, .fini = end)
{
    passed("mbm.total");
    found("mbm.crowd", VERDICT_WARN, FOUND_TOTAL_HIGH, "L3 domain 0, RMID 3: MBM total 9 bytes, expected 7 to 8 bytes");
    cr_expect(is_named("mbm.crowd") && diagnosis.n == 1);
    found("mbm.crowd", VERDICT_FAIL, FOUND_TOTAL_LOW, "L3 domain 0, RMID 3: MBM total 4 bytes, expected 7 to 8 bytes");
    cr_expect(is_named("mbm-loses-in-a-crowd"));
}

/* What no other processor wrote was not written by one. */
Test(diagnosis, a_cause_that_one_figure_contradicts_is_not_named, .fini = end)
{
    found("pqr.own-copy", VERDICT_FAIL, FOUND_REGISTER_LOST, "cpu 1 (APIC 0x1): IA32_PQR_ASSOC reads");
    cr_expect(is_named("pqr-lost-while-waiting") && diagnosis.n == 1);
}

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
