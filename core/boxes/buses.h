/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/buses.h: PCI functions of the uncore, and which package they belong to. */
#pragma once
#include "core/boxes/box_search.h"

/* Every Intel function of every bus into pmon->functions. */
void buses_scan(struct box_search *s);
/* Of the package NO_PACKAGE: it belongs to one that no processor is known of. */
struct bus_owner buses_owner(struct box_search *s, struct pci_address at);
/* Whether node maps and bus number registers agree; what does not is kept in pmon->bus_faults. */
void buses_compare(struct box_search *s);
