/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/simple_silicon.h: a machine of any shape, also of one that no profile of the silicon model has.
 *
 * Its L3 is one first-in first-out list of lines, its registers are tables. It has few defects and no timing but a
 * clock that moves with each access; the model in tests/silicon is the one that checks are proven on.
 */
#pragma once
#include "core/machine/machine.h"

/* What the model in tests/silicon does not have. */
enum simple_defect {
    SIMPLE_SOUND,
    SIMPLE_FIRST_RMID_PINNED,    /* lines of the lowest RMID that has any are never replaced              */
    SIMPLE_NODES_SWAPPED,        /* the second package counts the other one's memory as local             */
    SIMPLE_CONCURRENT_MISTAGGED, /* every fourth line of a processor has the tag of the processor below it */
    SIMPLE_TAGS_EXCHANGED,       /* lines of RMID 2n, from 2 on, have the tag of 2n + 1, and the reverse   */
    SIMPLE_CODE_UNKEPT,          /* the L3 keeps no line that is fetched as code                          */
    SIMPLE_CODE_PARTLY_TAGGED,   /* every fourth line that is fetched as code has RMID 0                  */
    SIMPLE_NO_EXECUTE,           /* firmware maps memory no-execute                                       */
};

struct simple_part {
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
    enum simple_defect defect;
    uint64_t found_pqr;  /* firmware left this in every IA32_PQR_ASSOC */
    uint32_t least_bits; /* a mask with fewer is refused; 0: 1 */
    bool short_ignored;  /* or without #GP not taken           */
    uint64_t
        late_ticks; /* occupancy shows what it was at the last multiple of so many ticks of the TSC; 0: what it is */
};

struct simple_silicon;

/* The machine description is filled without enumeration. Aborts where the host has no memory. */
struct simple_silicon *simple_silicon_new(const struct simple_part *part, struct machine *m);
struct platform *simple_silicon_platform(struct simple_silicon *o);
void simple_silicon_free(struct simple_silicon *o, struct machine *m);
