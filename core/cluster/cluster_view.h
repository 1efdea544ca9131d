/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/cluster/cluster_view.h: makes the view of a machine with sub-NUMA clusters (core/domain/cluster.h) that a check
 * is passed. */
#pragma once
#include "core/domain/cluster.h"

/* *view becomes what a check of behaviour is passed: c itself, but where some L3 spans several nodes. There the view of
 * clusters is made at the first call (kept in c->state->clusters until cluster_view_free()), bit 0 of
 * MSR_RMID_SNC_CONFIG is cleared where clusters share or may share RMIDs, and view->machine and view->tools are the
 * view's. cluster_leave() must follow on ST_OK. ST_NO_MEMORY, and the errors of msr_write(): nothing is left to
 * undo. */
MUST_CHECK enum status cluster_enter(struct check *c, struct check *view);
/* Puts the register back. Errors of msr_write(). */
MUST_CHECK enum status cluster_leave(struct check *c, const struct check *view);

/* Runs what judges a whole machine, in its view. Returns the check's verdict. */
enum verdict cluster_check(struct check *c, void (*run)(struct check *view, void *context), void *context);

/* For checks of a machine outside of its view: domain_is_clustered() knows of clusters without an SRAT from then on. Errors
 * of cluster_enter() and cluster_leave(). */
MUST_CHECK enum status cluster_settle_unlisted(struct check *c);

/* v may be NULL. */
void cluster_view_free(struct cluster_view *v);
