/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/faults/fault.h: the defects that virtual silicon can be given.
 *
 * One row a fault in the files that all.h lists, with the columns of struct model_fault (model.h), and the one place in
 * the model that asks fault_on(). A fault changes what the silicon does and never what a check sees otherwise: it acts
 * in the cache, the counter or the register that would be broken.
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
    uint64_t place[FAULTS]; /* the number before it                      */
    bool act_on_traffic;    /* one of those that are on does             */
};

/* What a machine has, for the faults that it is asked for. */
struct fault_machine {
    const struct profile *profile;
    uint32_t packages, clusters /* of a package */, cores /* in all */, threads /* of a core */;
    bool qemu;
    bool counters; /* and is shown the counters of the cores, as an operating system is */
};

/* Parse "NAME", "NAME:VALUE" or "NAME:PLACE:VALUE" and switch it on. False: *error says in a sentence why the machine cannot have it. */
bool fault_parse(struct fault_set *set, const struct fault_machine *machine, const char *text, char *error,
                 size_t error_size);

/* Can the fault act on this part? */
bool fault_fits(const struct model_fault *fault, const struct profile *part);
/* And has the part what the fault matrix tries it with? */
bool fault_is_tried(const struct model_fault *fault, const struct profile *part);

/* Is it a defect of monitors outside of the cores: does it need one of theirs? */
bool fault_is_of_uncore(const struct model_fault *fault);

/* The processor, package ... that a fault is about, out of n: its parameter, the last one without. */
static inline uint32_t fault_place(const struct fault_set *set, enum fault_id id, uint32_t n)
{
    return set->value[id] == UINT64_MAX ? n - 1 : (uint32_t)(set->value[id] % n);
}

/* A number that may be negative. */
static inline int64_t fault_signed(const struct fault_set *set, enum fault_id id)
{
    return (int64_t)set->value[id];
}

static inline bool fault_on(const struct fault_set *set, enum fault_id id)
{
    return __builtin_expect(set->on[id], 0);
}
