/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory that firmware interleaves over the packages, or over dies of one: one node, or no SRAT. Half of what is read is remote, and
 * no check may take it for local, or for memory of one package. Source: Dell PowerEdge C6525 installation manual, "NPS0: ... Dual processor
 * systems create a single NUMA node for the system"; intel-cmt-cat issue 82. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

#define ONE_NODE "node-interleaving=one-node"
#define NO_SRAT  "node-interleaving=no-srat"

static void both(enum verdict verdict, const char *profile, const char *id)
{
    expect(verdict, id, ON(profile, .packages = 2, .realism = ONE_NODE));
    expect(verdict, id, ON(profile, .packages = 2, .realism = NO_SRAT));
}

Test(interleaved_memory, is_local_to_nobody)
{
    expect(VERDICT_SKIP, "mbm.local", ON("bdx", .packages = 2, .realism = ONE_NODE),
           .finding = "SRAT has processors of several packages or dies on node 0");
    expect(VERDICT_SKIP, "mbm.local", ON("bdx", .packages = 2, .realism = NO_SRAT),
           .finding = "several packages and no SRAT");
}

Test(interleaved_memory, counts_as_total_alone)
{
    both(VERDICT_PASS, "bdx", "mbm.every-thread");
    both(VERDICT_PASS, "bdx", "mbm.rested");
    both(VERDICT_PASS, "bdx", "mbm.every-rmid");
    both(VERDICT_PASS, "bdx", "mbm.bits");
}

Test(interleaved_memory, belongs_to_no_package)
{
    both(VERDICT_SKIP, "bdx", "traffic.remote");
    both(VERDICT_SKIP, "bdx", "pmon.match-links");
}

Test(interleaved_memory, is_counted_by_types_of_local_and_remote_memory_together)
{
    both(VERDICT_PASS, "zen5", "amd.events-types");
    both(VERDICT_PASS, "zen5", "amd.events-clear");
    both(VERDICT_PASS, "zen5", "amd.assign-all");
}

/* Beside a node of memory alone: the same table as one that has a package's processors on another's node, and says so. */
Test(interleaved_memory, beside_a_node_of_memory_alone_is_named_as_a_reason)
{
    expect(VERDICT_PASS, "enum.nodes", ON("zen4", .packages = 2, .realism = ONE_NODE));
    expect(VERDICT_WARN, "enum.nodes", ON("zen4", .packages = 2, .realism = ONE_NODE ",memory-node=on"),
           .finding = "right if firmware interleaves");
}

/* Two nodes, and what the first has is local to nobody all the same. */
Test(interleaved_memory, beside_a_node_of_memory_alone_is_local_to_nobody)
{
    expect(VERDICT_PASS, "mbm.matrix", ON("zen4", .packages = 2, .realism = ONE_NODE ",memory-node=on"));
    expect(VERDICT_PASS, "mbm.matrix", ON("bdx", .packages = 2, .realism = ONE_NODE ",memory-node=on"));
    expect(VERDICT_SKIP, "mbm.local", ON("zen4", .packages = 2, .realism = ONE_NODE ",memory-node=on"));
}

Test(interleaved_memory, of_two_dies_of_a_package_is_local_to_neither)
{
    expect(VERDICT_SKIP, "mbm.local", ON("clx-ap", .packages = 2, .realism = ONE_NODE), .finding = "dies on node 0");
    expect(VERDICT_PASS, "mbm.every-thread", ON("clx-ap", .packages = 2, .realism = ONE_NODE));
    expect(VERDICT_PASS, "traffic.slices", ON("clx-ap", .packages = 2, .realism = ONE_NODE));
}
