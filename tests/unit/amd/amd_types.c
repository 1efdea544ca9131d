/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory of a node without processors, under the types of BMEC: here of the other package, whose reads are fills. */
#include <criterion/criterion.h>

#include "tests/support/whole_run.h"

static void without_processors(struct machine *m)
{
    m->nodes[1].n_cpus = 0;
    m->nodes[1].package = UINT32_MAX;
}

static void expect(const char *fault, enum verdict verdict, const char *reason)
{
    struct model_config config = MODEL("zen5", 2, 2, 1, .slices = 2, .seed = 3, .faults = { fault });
    struct whole_run w = { .tests = { "amd.events-types" }, .described = without_processors };

    cr_assert(whole_run(&config, &w));
    cr_expect_eq(w.checks[0].verdict, verdict, "%s: %s", verdict_text(w.checks[0].verdict), w.checks[0].reason);
    cr_expect(strstr(w.text, reason), "%s", w.text);
    whole_run_free(&w);
}

/* APM vol. 2 19.3.3.2, figure 19-4: one of the two kinds. */
Test(amd_types, reads_of_a_node_without_processors_are_of_one_kind)
{
    expect(NULL, VERDICT_PASS, "");
    expect("events-inert", VERDICT_WARN, "read of a node without processors");
}
