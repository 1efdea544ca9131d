/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/matrix/faults/fault_found.h: which checks look for a fault, and whether they found it. */
#pragma once
#include "tests/matrix/machines/machine_run.h"
#include "tests/silicon/model/model.h"
#include "tests/silicon/profiles/profile.h"

/* The profiles that it is tried on, less those that are like another; the first ones, at most so many. */
uint32_t fault_profiles(const struct model_fault *fault, const struct profile **has, uint32_t most);
/* The checks that hold one of the fault's rows; with every_check all of them but the long ones (those that -quick
 * leaves out) that hold none. fault NULL: all but the long ones. */
void fault_select(const struct model_fault *fault, const struct profile *part, bool every_check, struct whole_run *w);
/* All checks but MACHINE_RUN_NEVER, and with a fault on parts of many RMIDs those that read under each, unless the
 * fault is theirs. fault NULL: none. */
void fault_select_all(const struct model_fault *fault, const struct profile *part, struct whole_run *w);
/* The same as fault_select() on a machine with so many clusters: beside them the check that says what keeps all others
 * of an L3 from judging, that no rule has its clusters' RMIDs. What it finds, the fault does. */
void fault_select_in_clusters(const struct model_fault *fault, const struct profile *part, uint32_t clusters,
                              struct whole_run *w);
/* The check of this row holds one of the fault's rows, or is about clusters, and says FAIL or WARN, or the verdict that
 * the fault names. */
bool fault_is_found_by(const struct model_fault *fault, const struct check_row *row, const char *verdict);
/* One of the checks that answered holds one of its rows and says so. */
bool fault_is_found(const struct model_fault *fault, const char *answer);
/* The same, or one that is about clusters says so. */
bool fault_is_found_in_clusters(const struct model_fault *fault, const char *answer);
/* The same of one row: a check that holds this one says so. */
bool fault_proves(const struct model_fault *fault, const char *answer, const char *row);
/* A check that holds one of the RDT rows (CM, MB, CA, CD, MA) must find a fault on an L3 that is not inclusive as well.
 */
bool rows_of_rdt(const char *rows);
bool verdict_is_bad(const char *verdict); /* FAIL or WARN */
/* The same of a check which firmware does not make say so: reset.* does of what it left. */
bool finding_is_bad(const char *id, const char *verdict);
