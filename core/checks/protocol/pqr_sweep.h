/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/protocol/pqr_sweep.h: what the checks of IA32_PQR_ASSOC share: a script on every processor that begins
 * with the value found there. */
#pragma once
#include "arch/x86/rdt/pqr.h"
#include "core/domain/rule.h"
#include "core/domain/sweep.h"

/* A processor, what it enumerates of IA32_PQR_ASSOC, and the value found there. */
struct pqr_on {
    const struct check *check;
    uint32_t cpu;
    struct pqr_layout layout;
    uint64_t found;
};

struct pqr_sweep {
    struct sweep sweep;
    uint64_t *found;       /* [n_cpus], as read by pqr_sweep_begin()  */
    enum status *readable; /* [n_cpus], what came of that read        */
    const char *rule;
    uint32_t (*script)(const struct pqr_on *on, struct step *steps); /* returns the number of steps */
    struct rule tally;                                               /* of pqr_sweep_run() */
    bool shown; /* the first processor's steps are in the evidence; of the others, only what is wrong */
};

/* Reads IA32_PQR_ASSOC of every processor that takes work; a #GP is a finding. The memory is the check's. Errors:
 * check_unmeasured() has said why. */
MUST_CHECK enum status pqr_sweep_begin(struct pqr_sweep *p, struct check *c);
/* What the processor enumerates of IA32_PQR_ASSOC. */
void pqr_layout_for(const struct check *c, uint32_t cpu, struct pqr_layout *layout);
