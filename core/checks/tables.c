/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every check table, in running order: what firmware left, and AMD's, where the first read of a count says something;
 * what needs no witness; occupancy, and what masks do to it; bandwidth, and what throttles do to it; packages against
 * each other; uncore boxes. */
#include "core/checks/families.h"

#define TABLE(rows)                                                                                                    \
    {                                                                                                                  \
        rows, sizeof(rows) / sizeof(rows)[0]                                                                           \
    }

/* One a line, so that one more is a line more. */
/* clang-format off */
const struct check_table check_tables[] = {
    TABLE(reset_checks),
    TABLE(amd_checks),
    TABLE(amd_counter_checks),
    TABLE(enumeration_checks),
    TABLE(enum_alloc_checks),
    TABLE(acpi_checks),
    TABLE(mp_checks),
    TABLE(record_checks),
    TABLE(pqr_checks),
    TABLE(protocol_checks),
    TABLE(keyhole_checks),
    TABLE(cat_checks),
    TABLE(cdp_checks),
    TABLE(mba_checks),
    TABLE(cba_checks),
    TABLE(cmt_checks),
    TABLE(cmt_growth_checks),
    TABLE(cmt_tags_checks),
    TABLE(cmt_company_checks),
    TABLE(cat_effect_checks),
    TABLE(core_misses_checks),
    TABLE(mbm_checks),
    TABLE(mbm_local_checks),
    TABLE(mbm_tags_checks),
    TABLE(mbm_kinds_checks),
    TABLE(mbm_width_checks),
    TABLE(rmid_series_checks),
    TABLE(mba_effect_checks),
    TABLE(cross_checks),
    TABLE(cluster_checks),
    TABLE(ubox_checks),
    TABLE(ubox_counters_checks),
    TABLE(pmon_boxes_checks),
    TABLE(pmon_tables_checks),
    TABLE(pmon_storage_checks),
    TABLE(pmon_enable_checks),
    TABLE(pmon_compare_checks),
    TABLE(pmon_clock_checks),
    TABLE(pmon_free_checks),
    TABLE(pmon_free_memory_checks),
    TABLE(pmon_gate_checks),
    TABLE(pmon_queue_checks),
    TABLE(pmon_bands_checks),
    TABLE(pmon_filter_checks),
    TABLE(pmon_match_checks),
    TABLE(traffic_checks),
    TABLE(parts_checks),
    TABLE(witness_checks),
    TABLE(closure_checks),
};
/* clang-format on */
const uint32_t n_check_tables = sizeof check_tables / sizeof check_tables[0];
