/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/packages.h: what packages say of their own slices, dies and memory. */
#pragma once
#include "core/boxes/box_search.h"

/* Fills pmon->packages. */
void packages_read(struct box_search *s);
/* false: no processor of the package answers. */
bool package_cpuid(struct box_search *s, uint32_t package, uint32_t leaf, struct cpuid_regs *regs);
