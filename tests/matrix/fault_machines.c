/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/fault_machines.h"

#include <stdio.h>
#include <string.h>

#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

/* Machines that hide a fault, whatever a check does. */
static const struct {
    const char *fault;
    const char *knob; /* as it is in the list of drawn habits, or NULL */
    uint32_t least_cores_of_node, least_cpus_of_package;
    const char *why;
} hidden[] = {
    { "mbm-narrow", "mbm-start=zero", 0, 0, "no counter comes to the bits that are missing" },
    { "mbm-local-narrow", "mbm-start=zero", 0, 0, "no counter comes to the bits that are missing" },
    { "mbm-saturates", "mbm-start=zero", 0, 0, "no counter comes to its greatest value" },
    { "mbm-saturates", "mbm-start=anywhere", 0, 0, "some counter stands near its greatest value by chance only" },
    { "clos-broadcast", NULL, 2, 0, "a neighbour has to be on another core of the same node" },
    { "mba-leaks", NULL, 2, 0, "a bystander has to be on another core of the same node" },
    { "cpuid-l3-sharing", NULL, 2, 0, "each core of a node has an L3 of its own, as the fault says" },
    { "cmt-crowd", NULL, 0, 2, "a package has one processor only, and no crowd" },
    { "srat-processor", "empty-node=on", 0, 0, "nothing is left of the node, as where the SRAT has one" },
    { "tid-shifted", NULL, 0, 2, "a package has one processor only, and no other thread to be told from" },
};

static bool has_habit(const struct drawn_machine *d, const char *knob)
{
    size_t length = strlen(knob);
    const char *at = strstr(d->realism, knob);

    return at && (at == d->realism || at[-1] == ',') && (at[length] == ',' || at[length] == 0);
}

static const char *hides(const struct drawn_machine *d, const char *fault)
{
    const struct model_config *c = &d->config;

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (!strcmp(hidden[i].fault, fault) && ((hidden[i].knob && has_habit(d, hidden[i].knob)) ||
                                                c->cores / c->clusters < hidden[i].least_cores_of_node ||
                                                c->cores * c->threads < hidden[i].least_cpus_of_package))
            return hidden[i].why;
    return NULL;
}

static bool takes(const struct drawn_machine *d, const struct model_fault *fault)
{
    const struct model_config *c = &d->config;
    struct profile *cut = c->slices ? profile_cut(d->profile, c->slices) : NULL;
    struct fault_machine machine = { .profile = cut ? cut : d->profile,
                                     .packages = c->packages,
                                     .clusters = c->clusters,
                                     .cores = c->packages * c->cores,
                                     .threads = c->threads };
    struct fault_set set = { 0 };
    bool can = fault_parse(&set, &machine, fault->name, NULL, 0);

    profile_cut_free(cut);
    return can;
}

bool fault_machine_shows(const struct drawn_machine *d, const struct model_fault *fault, const char **why)
{
    const char *reason = NULL;

    if (!fault_is_tried(fault, d->profile))
        reason = "the part has not what the fault's row names";
    else if (!takes(d, fault))
        reason = "the machine cannot have the fault";
    else
        reason = hides(d, fault->name);
    if (why)
        *why = reason;
    return !reason;
}
