/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Units in front of memory channels, held to a stream over another package's memory. */
#include <criterion/criterion.h>

#include "tests/silicon/model/flaw.h"
#include "tests/silicon/uncore/uncore.h"
#include "tests/support/run/model_run.h"

static void expect_named(const char *profile, uint64_t counter, const char *words)
{
    expect(VERDICT_FAIL, "traffic.remote", ON(profile, 2),
           .defect = { .access = ACCESS_PCI_READ, .reg = counter, .times = 2, .over = 1 }, .finding = words);
}

/* Linux uncore_snbep.c: M2M 0 of Skylake-SP is 8.0, its counter 0 at 200H; of Sapphire Rapids 12.0 and 440H. */
Test(traffic_remote, a_unit_between_mesh_and_memory_that_counts_twice_is_named)
{
    expect_named("skx", PCI_REGISTER(8, 0, 0x200), "reads between the home's mesh and memory");
    expect_named("spr", PCI_REGISTER(12, 0, 0x440), "reads between the home's mesh and memory");
}

/* Home agent 0 of E5 v4 is 18.1; counter 2 at B0H (327043-001 table 1-3). */
Test(traffic_remote, a_home_agent_that_passes_on_twice_is_named)
{
    expect_named("bdx", PCI_REGISTER(18, 1, 0xB0), "reads that the home's agents passed on");
}

/* A stream of reads moves no data to the home; one of non-temporal stores moves nothing else. */
EXPECT_TEST(traffic_remote, a_link_that_counts_no_writes_is_named, VERDICT_WARN, "traffic.remote",
            ON("gnr", 2, .faults = { "link-writes-lost" }), .finding = "data of writes that the writer's links sent");

/* The last of them, at both ends, where no register says which ports have a link. */
Test(traffic_remote, a_dead_link_is_named_by_what_the_others_count)
{
    static const struct flaw dead = { .monitor = FLAW_UNCORE, .scope = FLAW_BOX, .place = UNIT_QPI, .kind = FLAW_DEAD };
    static const struct {
        const char *profile, *says;
    } parts[] = { { "gnr", "UPI 3: none of its counters counts a clock, and of the data that links sent the 3 others" },
                  { "bdx",
                    "QPI 1: none of its counters counts a clock, and of the data that links sent the 1 other" } };

    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        expect(VERDICT_FAIL, "traffic.remote", ON(parts[i].profile, 2, .flaw = &dead), .stream = parts[i].says);
}
