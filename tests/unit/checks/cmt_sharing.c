/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks of occupancy and bandwidth in company: each passes on a sound machine, and sees the defect that it is there
 * for. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "tests/support/odd_silicon.h"
#include "tests/support/whole_run.h"

#define MIB UINT64_C(0x100000)

/* Two packages of four cores, an inclusive L3 of 16 MiB each, 16 RMIDs. */
static struct odd_part part_with(enum odd_defect defect)
{
    return (struct odd_part){ .name = "company",
                              .vendor = VENDOR_INTEL,
                              .family = 6,
                              .model = 0x6A,
                              .packages = 2,
                              .cores = 4,
                              .threads = 1,
                              .domains_per_package = 1,
                              .l3_bytes = 16 * MIB,
                              .l3_ways = 16,
                              .inclusive = true,
                              .l2_bytes = 262144,
                              .monitoring = true,
                              .max_rmid = 15,
                              .upscaling_factor = 16384,
                              .width_field = 8,
                              .width = 32,
                              .events = 7,
                              .smi_count = true,
                              .node_bytes = 1024 * MIB,
                              .defect = defect };
}

/* The verdict of one check, and its first finding. */
static enum verdict verdict_on(enum odd_defect defect, const char *id, char reason[256])
{
    struct odd_part part = part_with(defect);
    struct machine *m = calloc(1, sizeof *m);
    struct odd_silicon *o = odd_silicon_new(&part, m);
    struct whole_run w = { .tests = { id } };
    enum verdict v;

    whole_run_on(odd_silicon_platform(o), m, &w);
    cr_assert_eq(w.n, 1, "%s", id);
    v = w.checks[0].verdict;
    memcpy(reason, w.checks[0].reason, 256);
    whole_run_free(&w);
    odd_silicon_free(o, m);
    free(m);
    return v;
}

static void sees(enum odd_defect defect, const char *id, enum verdict expected, const char *words)
{
    char reason[256];
    enum verdict sound = verdict_on(ODD_SOUND, id, reason), v;

    cr_expect_eq(sound, VERDICT_PASS, "%s on a sound machine: %s %s", id, verdict_text(sound), reason);
    v = verdict_on(defect, id, reason);
    cr_expect_eq(v, expected, "%s: %s %s", id, verdict_text(v), reason);
    cr_expect(strstr(reason, words), "%s: \"%s\" is not in \"%s\"", id, words, reason);
}

/* RDT Architecture Specification 7.1.1.5: lines keep the RMID that brought them in. */
Test(company, a_hit_that_takes_the_line_is_seen)
{
    sees(ODD_HIT_RETAGS, "cmt.readers", VERDICT_WARN, "a hit moves no line");
}

Test(company, stores_that_stay_are_seen)
{
    sees(ODD_STORES_STAY, "cmt.past-caches", VERDICT_WARN, "went past the caches");
}

Test(company, a_flush_that_reaches_another_package_is_seen)
{
    sees(ODD_FLUSH_SPREADS, "cmt.flushed-alone", VERDICT_WARN, "after another package's WBINVD");
}

Test(company, lines_that_go_by_themselves_are_seen)
{
    sees(ODD_LEAKS, "cmt.drift", VERDICT_WARN, "after half a second without work");
}

Test(company, capacity_that_neither_of_two_shows_is_seen)
{
    sees(ODD_CROWD_STRAYS, "cmt.competition", VERDICT_WARN, "their RMIDs hold");
}

Test(company, an_rmid_that_does_not_let_go_is_seen)
{
    sees(ODD_FIRST_STAYS, "cmt.recycled", VERDICT_WARN, "its lines still hold");
}

Test(company, lines_of_a_neighbour_are_seen)
{
    sees(ODD_CROWD_STRAYS, "cmt.crowd", VERDICT_FAIL, "all processors filled at once");
}

Test(company, reads_for_ownership_that_do_not_count_are_seen)
{
    sees(ODD_OWNERS_UNREAD, "mbm.kinds", VERDICT_WARN, "stores over");
}

Test(company, homes_that_are_confused_are_seen)
{
    sees(ODD_HOMES_SWAPPED, "mbm.matrix", VERDICT_FAIL, "package 1 to node 0: local bandwidth");
}

Test(company, traffic_that_many_lose_is_seen)
{
    sees(ODD_MANY_LOSE, "mbm.crowd", VERDICT_WARN, "processors at once");
}

/* As BDF102 and SKX99, on a part for which no correction is documented: 8 of 16 RMIDs. */
Test(company, the_rmid_at_which_counts_step_is_named)
{
    sees(ODD_HIGH_RMIDS_LOW, "mbm.every-rmid", VERDICT_FAIL, "from RMID 8 on");
    sees(ODD_HIGH_RMIDS_LOW, "cmt.every-rmid", VERDICT_WARN, "from RMID 8 on");
}
