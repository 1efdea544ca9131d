/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/driver_boxes.h: registers and fields of a row of boxes.tsv, as Linux and PCM have them, held to those of a
 * table of the tree or of the virtual silicon. A number that the table does not have is NONE (uncore_rows.h). */
#pragma once
#include "tests/support/data/uncore_rows.h"

struct box_table {
    uint64_t counters, counter_bits, ctl_bytes;
    uint64_t fixed_ctl, fixed_ctr, fixed_bits, fixed_en;
    uint64_t event_mask, event_enable; /* bits of a control that software sets, and the enable */
    uint64_t box_init, box_freeze;     /* fields of the box control                            */
    uint64_t filter[2], tid;           /* filter registers, and the thread's field             */
    bool addresses;                    /* registers are MSRs; false: offsets from the box      */
    uint32_t boxes;                    /* whose registers differ                               */
    uint32_t channels;                 /* of so many boxes the source has the offsets; 0: of all */
    uint64_t (*ctl)(const struct uncore_row *r, uint32_t box, uint32_t counter);
    uint64_t (*ctr)(const struct uncore_row *r, uint32_t box, uint32_t counter);
    uint64_t (*box_ctl)(const struct uncore_row *r, uint32_t box); /* NULL: is not compared */
};

void driver_boxes_compare(struct compared *c, const struct uncore_row *r, const struct box_table *t);
