/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/detection.h: strengths of a fault, for those that search the smallest one that is found. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "tests/matrix/faults/strength_search.h"
#include "tests/silicon/model/model.h"

/* From the weakest on, beside which there is no defect, or none that has this sign. */
void detection_ladder(const struct model_fault *f, struct strength_ladder *l);
/* As model_config.faults takes it; seed: draws the RMIDs of a fault that is of some. */
void detection_name(const struct model_fault *f, int64_t strength, uint32_t seed, char *out, size_t size);
