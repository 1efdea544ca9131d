/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/protocol/keyhole.h: what the checks of IA32_QM_EVTSEL and IA32_QM_CTR share. */
#pragma once
#include "core/domain/domains.h"

/* Events that CPUID.(EAX=0FH,ECX=1):EDX advertises, in ascending order. Returns how many. */
uint32_t keyhole_advertised_events(const struct check *c, enum qm_event events[3]);

/* How far two counts are apart, whichever is the larger. */
uint64_t keyhole_counts_apart(uint64_t a, uint64_t b);

/* AMD's PQoS after V2.0, where each logical processor has its own pair: family 19H from model 10H on but for 20H-5FH,
 * and later families. */
bool keyhole_has_evtsel_per_processor(const struct check *c);
