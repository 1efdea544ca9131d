/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/diagnosis/fault_causes.h: the cause that a diagnosis is to name for each fault. */
#pragma once
#include <stdbool.h>

#include "tests/silicon/model/model.h"

/* Whether it is the fault's: the cause that fault_causes.c lists for it; of other faults the rule of a check that holds
 * one of the fault's rows. */
bool fault_is_cause(const struct model_fault *fault, const char *id);

/* The part of the machine that the fault is in where it is given without a number, in words ("its processor"); NULL: it
 * is in none, or in all of a kind. */
const char *fault_part(const struct model_fault *fault);
/* Whether this text names it, on this machine. */
bool fault_part_is_named(const struct model_fault *fault, const struct model_config *config, const char *part);
