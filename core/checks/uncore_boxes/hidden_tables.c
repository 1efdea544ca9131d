/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/uncore_boxes/hidden_tables.h"

bool tables_may_be_hidden(const struct pmon *pmon)
{
    uint16_t did = pmon->part->discovery->did;
    uint32_t shown = HOW_MANY(i, pmon->n_functions, pmon->functions[i].did == did);

    return did && shown <= HOW_MANY(i, pmon->n_tables, !pmon->tables[i].by_msr);
}

bool tables_lack_die(const struct pmon *pmon, uint32_t package)
{
    uint32_t said = pmon->packages[package].slices, listed = 0, fewest = UINT32_MAX;

    for (uint32_t k = 0; k < pmon->n_tables; k++) {
        const struct pmon_table *t = &pmon->tables[k].table;
        bool its = pmon->tables[k].package == package;
        uint32_t n = its ? HOW_MANY(i, t->n_entries, boxes_entry_is_slice(pmon, &t->entries[i])) : 0;

        listed += n;
        fewest = n > 0 && n < fewest ? n : fewest;
    }
    return pmon->part->several_dies && tables_may_be_hidden(pmon) && said != NO_COUNT &&
           (listed == 0 || said >= listed + (fewest + 1) / 2);
}
