/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/dies.h: dies of a package, where each has uncore MSRs and PCI functions of its own: of those that CPUID names
 * (1FH, 8000001EH) in the order of their ids. */
#pragma once
#include "arch/x86/pmon/pmon_unit.h"
#include "core/machine/machine.h"

/* A processor of the package that takes work, UINT32_MAX where none does. */
uint32_t dies_any_worker(const struct platform *p, const struct machine *m, uint32_t package);
/* Dies of a package that have MSRs of their own: those that CPUID names where the part is by_die, else 1. part may be
 * NULL. */
uint32_t dies_count(const struct pmon_part *part, const struct machine *m, uint32_t package);
/* AMD: node id of a processor, CPUID 8000001EH:ECX[7:0]; 0 where it does not say. One I/O die's processors have one. */
uint32_t dies_node(struct platform *p, const struct machine *m, uint32_t cpu);
/* A processor of the nth of them that takes work, UINT32_MAX where none does. */
uint32_t dies_worker(const struct pmon_part *part, const struct platform *p, const struct machine *m, uint32_t package,
                     uint32_t die);
