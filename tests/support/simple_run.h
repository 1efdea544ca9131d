/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/simple_run.h: chosen checks on a machine of simple_silicon.h. */
#pragma once
#include "tests/support/simple_silicon.h"
#include "tests/support/whole_run.h"

struct simple_run {
    struct machine *machine;
    struct simple_silicon *silicon;
    struct whole_run checks;
};

/* The machine, on which nothing has run yet: simple_run_all() runs what checks.tests and checks.skips select. */
struct simple_run *simple_run_new(const struct simple_part *part);
void simple_run_all(struct simple_run *r);
void simple_run_free(struct simple_run *r);

/* Packages of so many cores, an inclusive L3 of 16 MiB each, CMT and MBM with 16 RMIDs. */
struct simple_part simple_part_monitored(uint32_t packages, uint32_t cores, enum simple_defect defect);

/* One check alone. reason: gets its first finding, may be NULL. */
enum verdict simple_run_verdict(const struct simple_part *part, const char *id, char reason[256]);
