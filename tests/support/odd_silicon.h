/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/odd_silicon.h: a healthy machine of a shape that no profile of the silicon model has.
 *
 * For one question only: do the checks leave good hardware in peace, whatever its sizes? Its L3 is one first-in
 * first-out list of lines, its registers are tables. It has few faults and no timing but a clock that moves with each
 * access; the model in tests/silicon is the one that checks are proven on.
 */
#pragma once
#include "core/machine/machine.h"

/* What checks of occupancy and bandwidth in company are there for; the model in tests/silicon has the common ones. */
enum odd_defect {
    ODD_SOUND,
    ODD_HIT_RETAGS,     /* a hit moves the line to the reader's RMID                            */
    ODD_STORES_STAY,    /* non-temporal stores leave their lines in the cache                   */
    ODD_FLUSH_SPREADS,  /* WBINVD empties every L3 of the machine                               */
    ODD_LEAKS,          /* half of the lines are gone after a while without work                */
    ODD_FIRST_STAYS,    /* lines of the lowest RMID that has any are never replaced             */
    ODD_OWNERS_UNREAD,  /* reads for ownership are not counted                                  */
    ODD_HOMES_SWAPPED,  /* the second package takes the other one's memory for its own          */
    ODD_HIGH_RMIDS_LOW, /* RMIDs in the upper half count and occupy three lines of four         */
    ODD_CROWD_STRAYS,   /* every fourth line of a processor is tagged as the one before it does */
    ODD_MANY_LOSE,      /* traffic of every processor but the first two of an L3 counts half    */
};

struct odd_part {
    const char *name;
    enum cpu_vendor vendor;
    uint32_t family, model, stepping;
    uint32_t packages, cores, threads, domains_per_package;
    uint64_t l3_bytes;
    uint32_t l3_ways;
    bool inclusive;
    uint64_t l2_bytes;
    bool monitoring, allocation;
    uint32_t max_rmid, upscaling_factor, width_field, width, events; /* events: 0FH.1:EDX */
    uint32_t max_clos, cbm_len;
    bool ubox, smi_count;
    uint64_t node_bytes;
    bool saturates; /* bandwidth counters stop at their greatest value */
    enum odd_defect defect;
    uint64_t found_pqr;  /* firmware left this in every IA32_PQR_ASSOC */
    uint32_t least_bits; /* a mask with fewer is refused; 0: 1 */
    bool short_ignored;  /* or without #GP not taken           */
    uint64_t
        late_ticks; /* occupancy shows what it was at the last multiple of so many ticks of the TSC; 0: what it is */
};

struct odd_silicon;

/* The machine description is filled without enumeration. Aborts where the host has no memory. */
struct odd_silicon *odd_silicon_new(const struct odd_part *part, struct machine *m);
struct platform *odd_silicon_platform(struct odd_silicon *o);
void odd_silicon_free(struct odd_silicon *o, struct machine *m);
