/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* qm.behaviour waits a second after a read only where loads are as long as on hardware. */
#include <criterion/criterion.h>

#include "tests/support/run/model_run.h"

static void as_on_hardware(struct model_run *r)
{
    r->mp->platform.load_limit = 0;
}

Test(behaviour, an_rmid_that_counts_a_second_after_its_traffic_warns)
{
    expect(VERDICT_PASS, "qm.behaviour", ON("spr"), .change = as_on_hardware);
    expect(VERDICT_WARN, "qm.behaviour", ON("spr", .faults = { "mbm-ghost" }), .change = as_on_hardware,
           .code = FOUND_COUNTED_ELSEWHERE);
}
