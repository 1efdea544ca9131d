/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/faults/fault_machines.h"

#include <string.h>

#include "core/base/text.h"
#include "tests/matrix/faults/fault_lists.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/profiles/profile.h"

/* Machines that hide a fault, whatever a check does. */
static const struct {
    const char *faults;
    const char *quirk; /* as it is in the list of drawn quirks, or NULL */
    uint32_t least_cores_of_node, least_cpus_of_package;
    uint32_t clusters; /* a package of so many; 0: of any number */
    bool odd_cpus;     /* an odd number of processors in a package */
    const char *why;
} hidden[] = {
    { .faults = "mbm-narrow mbm-local-narrow mbm-saturates mbm-wrap-skips",
      .quirk = "mbm-start=zero",
      .why = "no counter comes to the bits that are missing, or to its greatest value" },
    { .faults = "mbm-saturates",
      .quirk = "mbm-start=anywhere",
      .why = "some counter stands near its greatest value by chance only" },
    { .faults = "mbm-wrap-skips",
      .quirk = "mbm-start=anywhere",
      .why = "no load comes to a roll-over but that of mbm.wrap, which takes hours on the model" },
    { .faults = "cpuid-scale-halved",
      .quirk = "snc-rmids=split",
      .clusters = 2,
      .why = "two clusters: a count is worth half the part's factor, as the fault enumerates it" },
    { .faults = "clos-broadcast mba-leaks",
      .least_cores_of_node = 2,
      .why = "a neighbour has to be on another core of the same node" },
    { .faults = "cpuid-l3-sharing",
      .least_cores_of_node = 2,
      .why = "each core of a node has an L3 of its own, as the fault says" },
    { .faults = "cmt-crowd tid-shifted",
      .least_cpus_of_package = 2,
      .why = "a package has one processor only: nothing is concurrent, and no other thread to distinguish" },
    { .faults = "srat-processor",
      .quirk = "empty-node=on",
      .why = "nothing is left of the node, as where the SRAT has one" },
    { .faults = "events-one-processor",
      .odd_cpus = true,
      .why = "the processor is alone on its L3, which has a configuration of its own" },
    { .faults = "nt-counted-twice events-inert events-keep-count qm-first-read-stale",
      .quirk = "amd-tracked-rmids=1",
      .why = "the one RMID that is tracked is the idle processors' as soon as the load has ended" },
    { .faults = "mbm-local-counts-remote",
      .quirk = "empty-node=on",
      .why = "all memory is one node's, and no other package has any to read" },
    { .faults = "capacity-unowned",
      .least_cores_of_node = 2,
      .why = "a node has one core only, and nothing competes with it" },
};

static bool has_quirk(const struct drawn_machine *d, const char *quirk)
{
    size_t length = strlen(quirk);
    const char *at = strstr(d->realism, quirk);

    return at && (at == d->realism || at[-1] == ',') && (at[length] == ',' || at[length] == 0);
}

static const char *hides(const struct drawn_machine *d, const char *fault)
{
    const struct model_config *c = &d->config;

    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (text_matches_any(hidden[i].faults, fault) && (!hidden[i].clusters || c->clusters == hidden[i].clusters) &&
            ((hidden[i].quirk && has_quirk(d, hidden[i].quirk)) || (hidden[i].odd_cpus && c->cores * c->threads % 2) ||
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
        reason = fault_is_missed(fault->name, d->profile->name);
    if (!reason && fault->realism && !has_quirk(d, fault->realism))
        reason = "the machine has not the quirk that the fault acts on";
    if (!reason)
        reason = hides(d, fault->name);
    if (why)
        *why = reason;
    return !reason;
}
