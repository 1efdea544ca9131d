/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/families.h: the tables that core/checks/tables.c gathers. The numbers are how many rows each has: the
 * compiler refuses a table whose definition differs, so a new check cannot be forgotten here. */
#pragma once
#include "core/check/check.h"

extern const struct check_row reset_checks[8];
extern const struct check_row enumeration_checks[11];
extern const struct check_row enum_alloc_checks[9];
extern const struct check_row acpi_checks[8];
extern const struct check_row mp_checks[6];
extern const struct check_row record_checks[3];
extern const struct check_row amd_counter_checks[4];
extern const struct check_row cluster_checks[1];
extern const struct check_row cba_checks[1];
extern const struct check_row pqr_checks[8];
extern const struct check_row protocol_checks[9];
extern const struct check_row keyhole_checks[4];
extern const struct check_row cat_checks[8];
extern const struct check_row cdp_checks[3];
extern const struct check_row mba_checks[2];
extern const struct check_row amd_checks[4];
extern const struct check_row cmt_checks[5];
extern const struct check_row cmt_growth_checks[2];
extern const struct check_row cmt_company_checks[7];
extern const struct check_row cmt_tags_checks[7];
extern const struct check_row cat_effect_checks[8];
extern const struct check_row core_misses_checks[3];
extern const struct check_row mbm_checks[6];
extern const struct check_row mbm_local_checks[4];
extern const struct check_row mbm_tags_checks[5];
extern const struct check_row mbm_kinds_checks[2];
extern const struct check_row mbm_width_checks[4];
extern const struct check_row rmid_series_checks[2];
extern const struct check_row mba_effect_checks[4];
extern const struct check_row cross_checks[5];
extern const struct check_row ubox_checks[4];
extern const struct check_row ubox_counters_checks[3];
extern const struct check_row pmon_enable_checks[5];
extern const struct check_row pmon_boxes_checks[2];
extern const struct check_row pmon_tables_checks[1];
extern const struct check_row pmon_storage_checks[2];
extern const struct check_row pmon_compare_checks[6];
extern const struct check_row pmon_clock_checks[2];
extern const struct check_row pmon_free_checks[1];
extern const struct check_row pmon_free_memory_checks[2];
extern const struct check_row pmon_gate_checks[1];
extern const struct check_row pmon_queue_checks[2];
extern const struct check_row pmon_bands_checks[1];
extern const struct check_row pmon_filter_checks[2];
extern const struct check_row pmon_match_checks[1];
extern const struct check_row traffic_checks[3];
extern const struct check_row parts_checks[2];
extern const struct check_row witness_checks[4];
extern const struct check_row closure_checks[1];
