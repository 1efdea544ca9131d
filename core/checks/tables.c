/* Every check table, in running order: what firmware left and what needs no witness first, then occupancy, then
 * bandwidth, then packages against each other. */
#include "core/checks/families.h"

#define TABLE(rows)                                                                                                    \
    {                                                                                                                  \
        rows, sizeof(rows) / sizeof(rows)[0]                                                                           \
    }

const struct check_table check_tables[] = {
    TABLE(reset_checks),
    TABLE(enumeration_checks),
    TABLE(enum_alloc_checks),
    TABLE(pqr_checks),
    TABLE(protocol_checks),
    TABLE(cat_checks),
    TABLE(cdp_checks),
    TABLE(mba_checks),
    TABLE(amd_checks),
    TABLE(cmt_checks),
    TABLE(cat_effect_checks),
    TABLE(mbm_checks),
    TABLE(mba_effect_checks),
    TABLE(cross_checks),
    TABLE(ubox_checks),
    /* uncore boxes */
    TABLE(pmon_boxes_checks),
    TABLE(pmon_enable_checks),
    TABLE(pmon_compare_checks),
    TABLE(pmon_clock_checks),
    TABLE(traffic_checks),
    TABLE(witness_checks),
};
const uint32_t n_check_tables = sizeof check_tables / sizeof check_tables[0];
