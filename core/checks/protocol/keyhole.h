/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/protocol/keyhole.h: what the checks of IA32_QM_EVTSEL and IA32_QM_CTR share. */
#pragma once
#include "core/measure/legacy.h"

/* Events that leaf 0FH.1 advertises, in ascending order. Returns how many. */
uint32_t advertised(const struct check *c, enum qm_event events[3]);
/* The selection of a pair and what was read, as evidence. */
void show_pair(struct check *c, const struct qm_domain *d, const struct qm_pair *pair);

/* Walks the domains whose reader still answers. one() returns whether the domain had what it needs. */
typedef bool (*qm_walk)(struct check *c, struct qm_domain *d);
enum verdict each_keyhole(struct check *c, qm_walk one);
