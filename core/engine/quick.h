/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/quick.h: which checks -quick leaves out. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Is the check of this id left out by -quick? */
bool is_thorough(const char *id);
/* All their ids; returns how many. */
uint32_t quick_leaves_out(const char *const **ids);
