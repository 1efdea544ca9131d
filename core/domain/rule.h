/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/rule.h: a rule of a register that is asked of many processors, and what those that break it come to.
 *
 * A rule of what a register refuses or reports, which no software relies on, may be wrong for a part that was not
 * known when it was written. So where every processor that was asked breaks it alike, on a machine without bands of
 * good machines, that is a WARN which says "rule or part"; where some break it and others do not, it is a FAIL.
 */
#pragma once
#include "core/domain/domains.h"

struct rule_unit;

struct rule {
    struct check *check;
    bool firm;               /* software relies on it: broken by all alike it is a FAIL too              */
    bool by_l3;              /* an L3 all of whose processors break it is the place of one finding        */
    struct rule_unit *units; /* [n_cpus] */
    uint32_t n_texts;
    char (*texts)[192]; /* of the first breaks */
};

/* ST_NO_MEMORY: check_unmeasured() has said so. The memory is the check's. */
MUST_CHECK enum status rule_open(struct rule *r, struct check *c);
/* The processor, or the set of processors that it stands for, was asked. */
void rule_asked(struct rule *r, uint32_t cpu);
/* It breaks the rule: the first break of each processor counts, and any makes it one that was asked. */
void rule_broken(struct rule *r, uint32_t cpu, enum finding_kind kind, enum finding_code code, const char *sentence,
                 ...) __attribute__((format(printf, 5, 6)));
/* Whether it has broken it already. */
bool rule_is_broken(const struct rule *r, uint32_t cpu);
#define RULE_BROKEN "processors that break the rule" /* a measurement */
/* The measurement and the findings, once all were asked. */
void rule_conclude(struct rule *r);
