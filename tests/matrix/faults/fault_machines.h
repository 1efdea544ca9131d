/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/fault_machines.h: on which drawn machines a fault can act and be seen. */
#pragma once
#include <stdbool.h>

#include "tests/matrix/machines/machine_draw.h"
#include "tests/silicon/model/model.h"

/* The part has what the fault's row names, the model takes the fault on this machine, and nothing of the machine hides
 * it from everybody. *why, where it is not NULL and the answer is false: the reason. */
bool fault_machine_shows(const struct drawn_machine *d, const struct model_fault *fault, const char **why);
