/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/simple_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct simple_run *simple_run_new(const struct simple_part *part)
{
    struct simple_run *r = calloc(1, sizeof *r);

    cr_assert(r);
    r->machine = calloc(1, sizeof *r->machine);
    cr_assert(r->machine);
    r->silicon = simple_silicon_new(part, r->machine);
    return r;
}

void simple_run_all(struct simple_run *r)
{
    whole_run_on(simple_silicon_platform(r->silicon), r->machine, &r->checks);
}

void simple_run_free(struct simple_run *r)
{
    whole_run_free(&r->checks);
    simple_silicon_free(r->silicon, r->machine);
    free(r->machine);
    free(r);
}

struct simple_part simple_part_monitored(uint32_t packages, uint32_t cores, enum simple_defect defect)
{
    return (struct simple_part){ .name = "16 RMIDs",
                                 .vendor = VENDOR_INTEL,
                                 .family = 6,
                                 .model = 0x6A,
                                 .packages = packages,
                                 .cores = cores,
                                 .threads = 1,
                                 .domains_per_package = 1,
                                 .l3_bytes = UINT64_C(16) << 20,
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
                                 .node_bytes = UINT64_C(1024) << 20,
                                 .defect = defect };
}

enum verdict simple_run_verdict(const struct simple_part *part, const char *id, char reason[256])
{
    struct simple_run *r = simple_run_new(part);
    enum verdict v;

    r->checks.tests[0] = id;
    simple_run_all(r);
    cr_assert_eq(r->checks.n, 1, "%s", id);
    v = r->checks.checks[0].verdict;
    if (reason)
        memcpy(reason, r->checks.checks[0].reason, sizeof r->checks.checks[0].reason);
    simple_run_free(r);
    return v;
}
