/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/amd/amd_counters.h: what the checks of AMD bandwidth counters share. */
#pragma once
#include "core/check/check.h"

#define COUNTED_LEAST 0.5 /* of the bytes read: other traffic may add, half of it must not be missing */

/* QOS_EVT_CFG_`event` on every processor of the L3 that takes work. Errors of msr_write(): a finding has said which. */
MUST_CHECK enum status amd_write_types(struct check *c, uint32_t domain, uint32_t event, uint64_t types);

/* Writes L3_QOS_ABMC_CFG and reads L3_QOS_ABMC_DSC on a processor, as one task: PC6 resets the former, which says what
 * the latter returns. Errors: ST_FAULT (either raised #GP), ST_LOST, ST_TIMEOUT. */
MUST_CHECK enum status amd_assign(struct check *c, uint32_t cpu, uint64_t value, uint64_t *echo);

/* A rule about counters of one L3 while ABMC is enabled; cpu: a processor of it that takes work. Errors: check_absent()
 * or check_unmeasured() has said why. */
typedef enum status (*amd_counter_rule)(struct check *c, uint32_t domain, uint32_t cpu);
/* ABMC enabled on every processor of the L3, the rule, and ABMC as found. Before it amd_abmc_ready(). */
MUST_CHECK enum status amd_with_abmc(struct check *c, uint32_t domain, amd_counter_rule rule);
/* Records the registers. */
MUST_CHECK enum status amd_abmc_ready(struct check *c);

/* Share of a read of a node without processors that BMEC counts as one of slow memory (QOS_EVT_CFG_0 bits 5:4; APM vol. 2
 * 19.3.3.2). ST_ABSENT: there is no such node, or no such event. Errors: check_unmeasured() or a finding has said why. */
MUST_CHECK enum status amd_slow_share(struct check *c, uint32_t domain, double *share);
