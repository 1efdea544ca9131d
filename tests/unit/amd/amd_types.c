/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Types of BMEC: each event has its own; memory of a node without processors, here of the other package, whose reads are
 * fills. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

static void without_processors(struct model_run *r)
{
    r->machine->nodes[1].n_cpus = 0;
    r->machine->nodes[1].package = UINT32_MAX;
}

#define TWO_PACKAGES(...) MODEL("zen5", 2, 2, 1, .slices = 2, .seed = 3, __VA_ARGS__)

/* APM vol. 2 19.3.3.2, figure 19-4: one of the two kinds. */
Test(amd_types, reads_of_a_node_without_processors_are_of_one_kind)
{
    expect(VERDICT_PASS, "amd.events-types", TWO_PACKAGES(), .change = without_processors);
    expect(VERDICT_WARN, "amd.events-types", TWO_PACKAGES(.faults = { "events-inert" }), .change = without_processors,
           .report = "read of a node without processors");
}

Test(amd_types, each_event_has_a_configuration_of_its_own)
{
    expect(VERDICT_WARN, "amd.events-types", TWO_PACKAGES(.faults = { "event-bit-ignored:1:0" }),
           .finding = "in QOS_EVT_CFG_1: MBM local is");
    expect(VERDICT_WARN, "amd.events-types", TWO_PACKAGES(.faults = { "event-bit-ignored:0:0" }),
           .finding = "in QOS_EVT_CFG_0: MBM total is");
}
