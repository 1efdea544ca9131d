/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/faults/fault.h: the defects that virtual silicon can be given.
 *
 * One row a fault in faults/, and the places in the model that ask fault_on(). A fault changes what the silicon does
 * and never what a check sees otherwise: it acts in the cache, the counter or the register that would be broken.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model/model.h"

#define FAULT(id, ...) id,
enum fault_id {
#include "tests/silicon/faults/all.h"
    FAULTS
};
#undef FAULT

struct fault_set {
    bool on[FAULTS];
    uint64_t value[FAULTS]; /* parameter: as given, or the row's default */
};

/* Parse "NAME" or "NAME:VALUE" and switch it on. False: *error says what is wrong and lists the names. */
bool fault_parse(struct fault_set *set, const char *profile, const char *text, char *error, size_t error_size);

/* The processor, package ... that a fault is about, out of n: its parameter, the last one without. */
static inline uint32_t fault_place(const struct fault_set *set, enum fault_id id, uint32_t n)
{
    return set->value[id] == UINT64_MAX ? n - 1 : (uint32_t)(set->value[id] % n);
}

static inline bool fault_on(const struct fault_set *set, enum fault_id id)
{
    return __builtin_expect(set->on[id], 0);
}
