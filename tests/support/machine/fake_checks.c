/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/machine/fake_checks.h"

#include <criterion/criterion.h>
#include <string.h>

void fake_checks_init(struct fake_checks *fc, uint32_t n_cpus)
{
    memset(fc, 0, sizeof *fc);
    fake_init(&fc->fake, n_cpus);
    fake_machine(&fc->fake, &fc->machine);
    cr_assert_eq(ledger_init(&fc->fake.platform, &fc->ledger), ST_OK);
    fc->qm = (struct qm_domain){ .max_rmid = 3, .upscaling_factor = 64, .counter_width = 44 };
    fc->tools = (struct tools){ .platform = &fc->fake.platform, .machine = &fc->machine, .qm = &fc->qm };
    fc->machine.domains[0].max_rmid = 3;
}

void fake_checks_free(struct fake_checks *fc)
{
    ledger_free(&fc->ledger);
    fake_machine_free(&fc->machine);
}

struct check_record fake_checks_run(struct fake_checks *fc, const char *id)
{
    return run_one(id, &fc->fake.platform, &fc->machine, &fc->tools);
}

enum verdict fake_checks_verdict(struct fake_checks *fc, const char *id)
{
    return fake_checks_run(fc, id).verdict;
}

struct check fake_checks_begin(struct fake_checks *fc, const struct check_row *row)
{
    fc->state = (struct check_state){ 0 };
    return (struct check){
        .row = row, .platform = &fc->fake.platform, .machine = &fc->machine, .tools = &fc->tools, .state = &fc->state
    };
}
