/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/machine_internal.h: what machine.c takes from machine_cpus.c: the processors.
 *
 * Every started processor gets the same script of CPUID leaves, hundreds of processors in one run; their answers are
 * decoded one after the other, sorted into packages and L3 domains, and held against the first of their core type.
 */
#pragma once
#include "core/machine/machine.h"

/* Fills cpus, packages, domains, disagreements, the reference and what comes from its CPUID; nodes are left for later.
 * m->platform and m->n_cpus (not 0) are set by the caller, who gives everything back by machine_free() on any outcome.
 * ST_NO_MEMORY; ST_ABSENT: no processor answered. */
MUST_CHECK enum status machine_ask_processors(struct machine *m);
