/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory that runs out: every allocation of a small run is refused in turn, once or with all that follow; of these, an eighth has
 * a turn. A run that cannot begin says so; one that has begun finishes, its stream is valid, nothing passes that was not measured,
 * and registers are put back. NO_MEMORY=all: with all that follow for each, not for one in seven.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/data/ocp_stream.h"
#include "tests/support/machine/heap_host.h"
#include "tests/support/run/turn.h"
#include "tests/support/run/whole_run.h"

static struct whole_run run;
static char *stream;
static size_t length;
static uint32_t grants, refusals; /* of the next run */

static void limit_memory(struct model_platform *)
{
    heap_host_grants = grants;
    heap_host_refusals = refusals;
}

/* false: it takes no more memory than is granted. Each family takes memory of a kind: requests, tables of boxes, rounds of
 * loads, long lines of evidence. */
static bool run_with(uint32_t granted, uint32_t refused)
{
    const struct model_config config = MODEL("bdx", 1, 2, 2, .slices = 2);
    bool took_all;

    free(stream);
    grants = granted;
    refusals = refused;
    run = (struct whole_run){ .tests = { "enum.*", "qm.keyhole", "pqr.siblings", "cat.masks", "pmon.freeze", "ubox.*" },
                              .uncalibrated = true,
                              .unlooked = limit_memory,
                              .stream = open_memstream(&stream, &length) };
    cr_assert(run.stream);
    (void)whole_run(&config, &run);
    took_all = heap_host_grants == 0 || heap_host_grants == UINT32_MAX;
    heap_host_grants = heap_host_refusals = UINT32_MAX;
    cr_assert_eq(fclose(run.stream), 0);
    whole_run_free(&run);
    return took_all;
}

/* Every step-th allocation is refused, if it has this turn; returns the last one that is there. */
static uint32_t refuse_each(uint32_t step, uint32_t refused)
{
    struct verdict_counts whole;
    uint32_t last = 0;

    (void)run_with(UINT32_MAX, UINT32_MAX);
    cr_assert(run.begun && run.status == ST_OK && run.result == RUN_PASS, "%s", status_text(run.status));
    whole = run.counts;
    cr_log_info("%u checks PASS, %zu bytes", whole.pass, length);
    for (uint32_t n = 0;; n += step) {
        const struct verdict_counts *counts = &run.counts;
        struct ocp_result seen;

        if (!in_turn(n / step, 8))
            continue;
        if (!run_with(n, refused)) {
            cr_log_info("%u allocations", last + 1);
            return last;
        }
        last = n;
        if (!run.begun) {
            cr_expect_eq(run.status, ST_NO_MEMORY, "allocation %u: %s", n, status_text(run.status));
            continue;
        }
        cr_expect(run.status == ST_OK || run.status == ST_NO_MEMORY, "allocation %u: %s", n, status_text(run.status));
        cr_expect(ocp_check(stream, length, false, &seen), "allocation %u: %s", n, seen.fault);
        cr_expect(strstr(stream, "(null)") == NULL, "allocation %u: something has no name", n);
        cr_expect(seen.ended, "allocation %u: the stream has no end", n);
        cr_expect(run.refused == 0 || run.result == RUN_ERROR,
                  "allocation %u: %u lines are not there, and the run is no ERROR", n, run.refused);
        cr_expect_eq(counts->fail, 0, "allocation %u: a machine without a fault FAILs", n);
        cr_expect(counts->pass + counts->warn == whole.pass + whole.warn || counts->error > 0 ||
                      run.result == RUN_ERROR || counts->skip > whole.skip,
                  "allocation %u: %u PASS of %u, and nothing says why", n, counts->pass, whole.pass);
    }
}

Test(no_memory, once)
{
    cr_expect_gt(refuse_each(1, 1), 100);
}

Test(no_memory, from_then_on)
{
    cr_expect_gt(refuse_each(getenv("NO_MEMORY") ? 1 : 7, UINT32_MAX), 100);
}

static void tear_down(void)
{
    free(stream);
}

TestSuite(no_memory, .fini = tear_down);
