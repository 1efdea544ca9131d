/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which processors execute WBINVD so that no cache of an L3 domain keeps a line. */
#include <criterion/criterion.h>

#include "core/base/search.h"
#include "tests/support/run/model_run.h"

#define CORES   4u
#define THREADS 2u

static uint32_t wbinvds[CORES * THREADS];

static void count_wbinvd(struct interposer *, uint32_t cpu, struct step *s)
{
    if (s->op == STEP_WBINVD && s->status == ST_OK)
        wbinvds[cpu]++;
}

/* Processors 2n and 2n + 1 are the threads of a core. */
static uint32_t run_cmt_unused(const char *profile, void (*change)(struct model_run *r))
{
    expect(VERDICT_PASS, "cmt.unused", MODEL(profile, 1, CORES, THREADS, .seed = 5), .after = count_wbinvd,
           .change = change);
    return SUM_OF(uint32_t, i, CORES * THREADS, wbinvds[i]);
}

Test(domains, one_thread_of_each_core_executes_wbinvd)
{
    uint32_t sum = run_cmt_unused("spr", NULL);

    cr_assert_gt(sum, 0);
    for (uint32_t core = 0; core < CORES; core++)
        cr_expect_eq(wbinvds[2 * core] + wbinvds[2 * core + 1], sum / CORES, "core %u", core);
    for (uint32_t core = 1; core < CORES; core++)
        cr_expect_eq(wbinvds[2 * core + 1], 0, "core %u", core);
}

static void lose_cpu_2(struct model_run *r)
{
    r->mp->platform.cpus[2].flags |= CPU_LOST;
}

Test(domains, the_sibling_of_a_lost_thread_executes_it)
{
    run_cmt_unused("spr", lose_cpu_2);
    cr_expect_eq(wbinvds[2], 0);
    cr_expect_eq(wbinvds[3], wbinvds[4]);
    cr_expect_gt(wbinvds[3], 0);
}

Test(domains, one_processor_empties_an_inclusive_l3)
{
    uint32_t sum = run_cmt_unused("bdx", NULL);

    cr_assert_gt(sum, 0);
    for (uint32_t i = 0; i < CORES * THREADS; i++)
        cr_expect(wbinvds[i] == 0 || wbinvds[i] == sum, "cpu %u", i);
}
