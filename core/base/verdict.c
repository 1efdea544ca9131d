/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/base/verdict.h"

const char *verdict_text(enum verdict v)
{
    static const char *const texts[] = {
        [VERDICT_PASS] = "PASS", [VERDICT_FAIL] = "FAIL",   [VERDICT_WARN] = "WARN",
        [VERDICT_SKIP] = "SKIP", [VERDICT_ERROR] = "ERROR",
    };

    return (unsigned)v < VERDICTS ? texts[v] : "?";
}

static int rank(enum verdict v)
{
    return v == VERDICT_FAIL ? 4 : v == VERDICT_ERROR ? 3 : v == VERDICT_WARN ? 2 : v == VERDICT_SKIP ? 1 : 0;
}

enum verdict verdict_worst(enum verdict a, enum verdict b)
{
    return rank(b) > rank(a) ? b : a;
}

void verdict_count(struct verdict_counts *counts, enum verdict v, bool of_monitor)
{
    if (of_monitor) {
        counts->monitors += v == VERDICT_PASS || v == VERDICT_FAIL;
        counts->monitors_warned += v == VERDICT_WARN;
        counts->monitors_skipped += v == VERDICT_SKIP;
    }
    counts->pass += v == VERDICT_PASS;
    counts->fail += v == VERDICT_FAIL;
    counts->warn += v == VERDICT_WARN;
    counts->skip += v == VERDICT_SKIP;
    counts->error += v == VERDICT_ERROR;
}

bool verdict_no_monitor(const struct verdict_counts *counts)
{
    uint32_t warned = counts->monitors_warned;

    if (counts->monitors > 0 || (warned > 0 && !counts->hypervisor))
        return false;
    return warned + counts->monitors_skipped > 0;
}

uint32_t run_result_code(enum run_result r, enum warn_exit warn)
{
    static const uint32_t codes[RUN_RESULTS] = { [RUN_PASS] = 0, [RUN_FAIL] = 1, [RUN_ERROR] = 2,  [RUN_NOTHING] = 0x26,
                                                 [RUN_DONE] = 0, [RUN_WARN] = 5, [RUN_STOPPED] = 2 };

    if (r == RUN_WARN && warn != WARN_IS_OWN)
        r = warn == WARN_IS_FAIL ? RUN_FAIL : RUN_PASS;
    return (unsigned)r < RUN_RESULTS ? codes[r] : 2;
}

bool run_result_is_whole(enum run_result r)
{
    return r == RUN_PASS || r == RUN_WARN || r == RUN_DONE;
}

const char *run_result_text(enum run_result r)
{
    static const char *const words[RUN_RESULTS] = {
        [RUN_PASS] = "PASS", [RUN_FAIL] = "FAIL", [RUN_ERROR] = "ERROR",    [RUN_NOTHING] = "NOTHING",
        [RUN_DONE] = "DONE", [RUN_WARN] = "WARN", [RUN_STOPPED] = "STOPPED"
    };

    return (unsigned)r < RUN_RESULTS ? words[r] : "ERROR";
}
