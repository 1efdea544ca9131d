/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which findings are a WARN on which machine: by what the row rests on, and by what kind of bound was broken. */
#include "core/check/grade.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/check/check.h"
#include "core/domain/cluster.h"
#include "core/domain/domains.h"
#include "core/experiment/experiment.h"

#define KIB 1024.0

static struct cpu cpus[4];
static struct l3_domain domain;
static struct machine machine;

static void set_up(void)
{
    memset(cpus, 0, sizeof cpus);
    cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_INTEL, .family = 6, .model = 0x8F, .stepping = 8 };
    domain = (struct l3_domain){ .l3_bytes = 32 << 20, .upscaling_factor = 65536, .counter_width = 32 };
    domain.l3_inclusive = true;
    machine = (struct machine){ .n_cpus = 4, .cpus = cpus, .n_domains = 1, .domains = &domain };
}

static const char *limit(uint32_t rests_on, enum grade_clusters clusters, enum finding_kind kind)
{
    const struct check_row row = { .rests_on = rests_on, .risk = RISK_WORKLOAD };

    return grade_limit(&machine, clusters, &row, kind);
}

TestSuite(grade, .init = set_up);

Test(grade, clusters_limit_what_is_expected_and_not_what_is_forbidden)
{
    const uint32_t figures[] = { RESTS_ON_OCCUPANCY, RESTS_ON_BANDWIDTH, RESTS_ON_MASKS };

    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_null(limit(figures[i], CLUSTERS_NONE, FINDING_EXPECTED));
        cr_expect_not_null(limit(figures[i], CLUSTERS_SHOWN, FINDING_EXPECTED));
        cr_expect_null(limit(figures[i], CLUSTERS_SHOWN, FINDING_FORBIDDEN));
        cr_expect_not_null(limit(figures[i], CLUSTERS_UNSURE, FINDING_FORBIDDEN),
                           "an RMID may be another cluster's until a fill has shown whose it is");
    }
    cr_expect_null(limit(RESTS_ON_REGISTERS, CLUSTERS_UNSURE, FINDING_EXPECTED));
    cr_expect_null(limit(RESTS_ON_UNCORE | RESTS_ON_BANDWIDTH, CLUSTERS_UNSURE, FINDING_EXPECTED));
}

Test(grade, an_estimate_of_amd_may_be_off_and_not_absent)
{
    cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 2 };
    cr_expect_not_null(limit(RESTS_ON_OCCUPANCY, CLUSTERS_NONE, FINDING_EXPECTED));
    cr_expect_null(limit(RESTS_ON_OCCUPANCY, CLUSTERS_NONE, FINDING_FORBIDDEN));
    cr_expect_null(limit(RESTS_ON_BANDWIDTH, CLUSTERS_UNSURE, FINDING_EXPECTED), "its nodes are no clusters of an L3");
}

Test(grade, a_published_erratum_limits_both_kinds)
{
    cpus[0].id.model = 0x55;
    cpus[0].id.stepping = 4;
    cr_expect_not_null(limit(RESTS_ON_BANDWIDTH, CLUSTERS_NONE, FINDING_FORBIDDEN));
    cpus[0].id.stepping = 7;
    cr_expect_null(limit(RESTS_ON_BANDWIDTH, CLUSTERS_NONE, FINDING_FORBIDDEN));
    cr_expect_not_null(limit(RESTS_ON_MASKS, CLUSTERS_NONE, FINDING_FORBIDDEN));
}

Test(grade, nodes_that_share_an_l3_are_unsure_until_a_fill)
{
    struct cluster_l3 l3 = { .n = 2, .rule = CLUSTER_UNKNOWN };
    struct cluster_view view = { .n_l3 = 1, .l3 = &l3 };
    struct l3_domain two[2] = { domain, domain };

    cpus[2].node = cpus[3].node = 1;
    cr_expect_eq(grade_clusters_by_nodes(&machine), CLUSTERS_NONE, "without an SRAT there are no nodes");
    machine.srat_present = true;
    cr_expect_eq(grade_clusters_by_nodes(&machine), CLUSTERS_UNSURE);
    cr_expect_eq(cluster_known(&view), CLUSTERS_UNSURE);
    l3.rule = CLUSTER_ODD;
    cr_expect_eq(cluster_known(&view), CLUSTERS_UNSURE);
    l3.rule = CLUSTER_SHARED;
    cr_expect_eq(cluster_known(&view), CLUSTERS_SHOWN);
    l3.rule = CLUSTER_NONE;
    cr_expect_eq(cluster_known(&view), CLUSTERS_NONE, "nodes that share an L3 as one share its RMIDs");
    two[1].id = 1;
    cpus[2].domain = cpus[3].domain = 1;
    machine.domains = two;
    cr_expect_eq(grade_clusters_by_nodes(&machine), CLUSTERS_NONE, "a node and an L3 each is plain NUMA");
}

/* The row that says why they are not known says it as it found it, but where Intel has advised against both. */
Test(grade, what_is_about_clusters_is_limited_by_no_rule_that_is_not_known)
{
    const struct check_row row = { .rests_on = RESTS_ON_OCCUPANCY, .risk = RISK_WORKLOAD, .about_clusters = true };

    cr_expect_null(grade_limit(&machine, CLUSTERS_UNSURE, &row, FINDING_FORBIDDEN));
    cpus[0].id.model = 0x55;
    cpus[0].id.stepping = 7;
    cr_expect_not_null(grade_limit(&machine, CLUSTERS_UNSURE, &row, FINDING_FORBIDDEN));
    cr_expect_null(grade_limit(&machine, CLUSTERS_NONE, &row, FINDING_FORBIDDEN));
}

/* One L3's rule says nothing of another's. */
Test(grade, clusters_of_an_l3_are_known_by_its_own_rule)
{
    struct cluster_l3 l3[] = { { .n = 1, .rule = CLUSTER_UNKNOWN }, { .n = 1, .rule = CLUSTER_FOUND } };
    struct cluster_domain of[] = { { .l3 = 0 }, { .l3 = 1 } };
    struct l3_domain two[2] = { domain, domain };
    struct cluster_view view = { .n_l3 = 2, .l3 = l3, .domain = of }, *made = &view;
    struct check_state state = { .clusters = &made, .clusters_known = CLUSTERS_UNSURE };
    struct check c = { .machine = &view.machine, .state = &state };

    view.machine = (struct machine){ .n_domains = 2, .domains = two };
    cr_expect_eq(cluster_known(&view), CLUSTERS_UNSURE);
    cr_expect_eq(cluster_known_in(&c, 0), CLUSTERS_UNSURE);
    cr_expect_eq(cluster_known_in(&c, 1), CLUSTERS_SHOWN);
    l3[1].rule = CLUSTER_NONE;
    cr_expect_eq(cluster_known_in(&c, 1), CLUSTERS_NONE);
    c.machine = &machine;
    cr_expect_eq(cluster_known_in(&c, 0), CLUSTERS_UNSURE, "outside of the view it is the machine's");
}

static enum verdict on_amd(enum finding_kind kind, enum check_grade grade)
{
    const struct check_row row = { .id = "grade.test", .grade = grade, .rests_on = RESTS_ON_OCCUPANCY };
    struct check_state state = { 0 };
    struct check c = { .row = &row, .machine = &machine, .state = &state };

    cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 2 };
    return finding(&c, kind, 0, FOUND_OTHER, PLACE_NONE, "said");
}

Test(grade, what_is_forbidden_fails_where_what_is_expected_warns)
{
    cr_expect_eq(on_amd(FINDING_EXPECTED, GRADE_F), VERDICT_WARN);
    cr_expect_eq(on_amd(FINDING_FORBIDDEN, GRADE_F), VERDICT_FAIL);
    cr_expect_eq(on_amd(FINDING_FORBIDDEN, GRADE_W), VERDICT_WARN, "a row that is not architectural stays one");
}

Test(grade, what_the_machine_violates_on_the_way_up_is_forbidden)
{
    const struct check_row row = { .id = "grade.test", .rests_on = RESTS_ON_OCCUPANCY };
    struct check_state state = { 0 };
    struct check c = { .row = &row, .machine = &machine, .state = &state };

    cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 2 };
    cr_expect_eq(
        check_conclude(&c, check_violated(&c, ST_QM_ERROR, FOUND_ALWAYS_ERROR, PLACE_NONE, "Error on every read")),
        VERDICT_FAIL);
}

/* --- bands -------------------------------------------------------------------------------------------------------- */

static struct check shown(void)
{
    return (struct check){ .machine = &machine };
}

Test(grade, nothing_and_twice_the_bytes_are_no_matter_of_tolerance)
{
    struct check c = shown();
    struct reading r = reading_of("r", 0, 1, QM_EVENT_L3_TOTAL);

    expect_bandwidth(&c, &r, 8 << 20);
    cr_expect_not(reading_may_be(&r, 0));
    cr_expect(reading_may_be(&r, 4 << 20), "half of it is out of the band alone");
    cr_expect_not(reading_may_be(&r, 16 << 20));
    expect_occupancy(&c, &r, 8 << 20, 1);
    cr_expect_not(reading_may_be(&r, 0));
    cr_expect(reading_may_be(&r, 2 << 20), "how many lines an L3 keeps is no rule");
    cr_expect_not(reading_may_be(&r, 16 << 20));
    expect_occupancy(&c, &r, 256 * KIB, 1);
    cr_expect(reading_may_be(&r, 512 * KIB), "within 2000000 bytes nothing is twice as much");
    cr_expect(reading_may_be(&r, 0), "nor nothing");
}

Test(grade, an_rmid_holds_no_more_than_the_cache)
{
    struct check c = shown();
    struct reading r = reading_of("r", 0, 1, QM_EVENT_L3_OCCUPANCY);

    expect_occupancy(&c, &r, 30 << 20, 1);
    cr_expect(reading_may_be(&r, 33 << 20));
    cr_expect_not(reading_may_be(&r, 34 << 20));
    cpus[0].id.vendor = VENDOR_AMD;
    expect_occupancy(&c, &r, 30 << 20, 1);
    cr_expect(reading_may_be(&r, 40 << 20), "an estimate may be off");
    cr_expect_not(reading_may_be(&r, 49 << 20));
}

Test(grade, half_of_what_another_rmid_filled_is_its_lines)
{
    struct check c = shown();
    struct reading r = reading_of("r", 0, 1, QM_EVENT_L3_OCCUPANCY);

    expect_no_occupancy(&c, &r);
    cr_expect(reading_may_be(&r, 5 << 20));
    expect_none_of(&r, 8 << 20);
    cr_expect(reading_may_be(&r, 3 << 20));
    cr_expect_not(reading_may_be(&r, 5 << 20));
    expect_none_of(&r, 1 << 20);
    cr_expect(reading_may_be(&r, OCC_BYTES), "what the band passes is never forbidden");
}
