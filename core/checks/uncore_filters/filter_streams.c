/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/checks/uncore_filters/filter_streams.h"

enum status filter_streams_add(struct check *c, struct traffic_window traffics[2], uint64_t bytes)
{
    char why[PMON_TEXT];

    for (uint32_t p = 0; p < c->machine->n_packages; p++) {
        struct traffic_window both = { .n = 0 };

        if (!machine_package_has_memory(c->machine, p)) {
            check_note(c, "package %u has no memory of its own (SRAT): not judged", p);
            continue;
        }
        for (uint32_t k = 0; k < 2; k++) {
            enum status st = traffic_window_add(&both, c, p, NO_NODE, bytes);

            if (st == ST_ABSENT && k == 1) {
                check_take_reason(c, why, sizeof why);
                check_note(c, "no second processor, whose misses must not pass: %s", why);
                continue;
            }
            TRY(st);
            if (traffics[k].n == TRAFFIC_WINDOW_STREAMS)
                return check_absent(c, "more than %u packages", TRAFFIC_WINDOW_STREAMS);
        }
        for (uint32_t k = 0; k < 2 && k < both.n; k++)
            traffics[k].streams[traffics[k].n++] = both.streams[k];
    }
    return traffics[0].n ? ST_OK : check_absent(c, "no package has memory of its own (SRAT)");
}
