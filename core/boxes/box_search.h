/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/box_search.h: a search for boxes, and the boxes that it has found so far. */
#pragma once
#include "core/boxes/boxes.h"

struct box_search {
    struct platform *platform;
    const struct machine *machine;
    struct pmon *pmon;
    enum status status; /* ST_NO_MEMORY from then on nothing is added */
};

struct bus_owner { /* whose a bus is */
    uint32_t package, die;
};

/* A box that was probed already. */
void box_keep(struct box_search *s, const struct pmon_box *box);
/* Probe a box and keep it. Its cpu is set here. */
void box_add(struct box_search *s, struct pmon_box box);
/* One that cannot be probed. value: what why says about it. */
void box_add_missing(struct box_search *s, const struct pmon_unit *unit, uint32_t package, uint32_t number,
                     enum pmon_why why, uint64_t value);
/* A box by MSR, as its unit's location has it. */
struct pmon_box box_at_msr(const struct pmon_unit *u, struct bus_owner of, uint32_t number);
