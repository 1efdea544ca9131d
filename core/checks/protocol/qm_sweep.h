/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/protocol/qm_sweep.h: selections that every processor makes in its own IA32_QM_EVTSEL, and what its
 * IA32_QM_CTR reads. The processors of an L3 come one after the other, since they may share the registers. */
#pragma once
#include "arch/x86/rdt/qm.h"
#include "core/domain/rule.h"
#include "core/domain/sweep.h"

#define QM_SELECTIONS 256u /* that one processor may make */

struct qm_sweep {
    const char *what;    /* was compared, of the evidence                                         */
    const char *nothing; /* why, where no processor had anything to select; NULL: no event is advertised */
    bool firm;           /* struct rule                                                           */
    bool writes;         /* qm_write_build() of each instead of a probe                           */
    uint32_t shown;      /* selections of the first processor that are evidence, whatever they read */
    /* Which selections, at most QM_SELECTIONS. Returns how many. */
    uint32_t (*select)(const struct check *c, const struct qm_domain *d, uint64_t *evtsel);
    /* The i-th probe of one processor, or the task that wrote the counter where `writes` is set; what breaks the rule is
     * said by rule_broken(). */
    void (*judge)(struct rule *r, uint32_t cpu, uint32_t i, uint64_t evtsel, const struct qm_probe *probe);
    void (*judge_write)(struct rule *r, uint32_t cpu, const struct step *steps);
};
MUST_CHECK enum status qm_sweep_run(struct check *c, const struct qm_sweep *q);
/* The function of a row that is one of them. */
#define QM_SWEEP(name, ...)                                                                                            \
    static enum status name(struct check *c)                                                                           \
    {                                                                                                                  \
        return qm_sweep_run(c, &(struct qm_sweep){ __VA_ARGS__ });                                                     \
    }                                                                                                                  \
    struct qm_sweep
