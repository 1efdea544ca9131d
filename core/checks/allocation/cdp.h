/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/allocation/cdp.h: turning code and data prioritization on and off. */
#pragma once
#include "core/measure/alloc.h"

/* On every L3 domain, as SDM vol. 3B 17.17.4 asks: first every mask full and every processor in class 0. On AMD through
 * every processor of a domain (APM vol. 2 19.4.2), else through one. false: a finding or cannot_measure() was made.
 * Data of class n then obeys mask 2n, code mask 2n + 1. */
bool cdp_switch(struct check *c, bool on);
/* Everything as the ledger found it. */
void cdp_put_back(struct check *c);
