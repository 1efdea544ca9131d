/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/nearest.h: which names are like one that there is not, for what a refusal says. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Append up to three of the names 0 .. n - 1, nearest first, "a, b, c", to what out has; of two that are as near, the
 * earlier first. */
void nearest_names(const char *text, const char *(*name)(uint32_t number), uint32_t n, char *out, size_t size);
