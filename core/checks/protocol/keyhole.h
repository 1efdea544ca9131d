/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/protocol/keyhole.h: what the checks of IA32_QM_EVTSEL and IA32_QM_CTR share. */
#pragma once
#include "core/measure/domains.h"

/* Events that CPUID.(EAX=0FH,ECX=1):EDX advertises, in ascending order. Returns how many. */
uint32_t qm_advertised_events(const struct check *c, enum qm_event events[3]);
/* The selection of a pair and what was read, as evidence. */
void evidence_qm_pair(struct check *c, const struct qm_domain *d, const struct qm_pair *pair);

/* AMD's PQoS after V2.0, where each logical processor has its own pair: family 19H from model 10H on but for 20H-5FH,
 * and later families. */
bool has_evtsel_per_processor(const struct check *c);

/* A selection that may be illegal, and what was read. */
void evidence_qm_probe(struct check *c, const struct qm_domain *d, uint64_t evtsel, const struct qm_probe *probe);

/* one() for each L3 domain of the machine, clusters not apart; a domain without a processor that takes work is an
 * ERROR. A status other than ST_OK and ST_ABSENT is concluded for its domain, and the others follow; SKIP with the
 * last reason where every domain was ST_ABSENT. What one() allocated is freed behind it. */
typedef enum status (*qm_domain_rule)(struct check *c, struct qm_domain *d);
enum verdict qm_each_domain(struct check *c, qm_domain_rule one);
