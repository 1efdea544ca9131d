/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/register_name.h: registers by the names that their specifications give them. */
#pragma once
#include "core/machine/machine.h"

/* The name of an MSR as its specification spells it, NULL where the table has none. */
const char *register_name(uint32_t msr);
/* The same on this machine (NULL: not known yet): numbers that are an uncore box's on its part go by that box, whatever
 * other parts have there. words is where a name is put together. */
#define MACHINE_REGISTER_NAME 48
const char *machine_register_name(const struct machine *m, uint32_t msr, char words[MACHINE_REGISTER_NAME]);
