/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/fake_checks.h: checks on a machine of arrays (fake_platform.h), with what checks share there: a ledger,
 * and an L3 domain of four RMIDs. */
#pragma once
#include "core/tools/tools.h"
#include "core/platform/ledger.h"
#include "tests/support/machine/fake_platform.h"
#include "tests/support/run/one_check.h"

struct fake_checks {
    struct fake fake;
    struct machine machine;
    struct ledger ledger;
    struct tools tools;
    struct qm_domain qm;
    struct check_state state; /* of fake_checks_begin() */
};

void fake_checks_init(struct fake_checks *fc, uint32_t n_cpus);
void fake_checks_free(struct fake_checks *fc);
/* Runs the check of this id, whatever it needs. */
struct check_record fake_checks_run(struct fake_checks *fc, const char *id);
enum verdict fake_checks_verdict(struct fake_checks *fc, const char *id);
/* A check of that row that has not begun: for functions that judge figures. */
struct check fake_checks_begin(struct fake_checks *fc, const struct check_row *row);

/* A suite whose tests have such checks, fc, on two processors. */
#define FAKE_CHECKS_SUITE(suite)                                                                                       \
    static struct fake_checks fc;                                                                                      \
    static void set_up(void)                                                                                           \
    {                                                                                                                  \
        fake_checks_init(&fc, 2);                                                                                      \
    }                                                                                                                  \
    static void tear_down(void)                                                                                        \
    {                                                                                                                  \
        fake_checks_free(&fc);                                                                                         \
    }                                                                                                                  \
    TestSuite(suite, .init = set_up, .fini = tear_down)
