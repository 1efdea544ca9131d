/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/rdt/model_counts.h: what the caches and the memory did, for whoever counts it (uncore, core counters).
 *
 * Written on the miss path only, by model_cache.c; read at any time by the counters, which take differences: nobody who
 * programs a counter costs an access anything. Everything counts from the start of the model and never falls.
 *
 * A slice's counts are written under the slice's lock.
 */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

/* Why a slice was looked at. */
enum lookup {
    LOOKUP_READ,  /* a load that missed L2: data read                                             */
    LOOKUP_CODE,  /* an instruction fetch                                                         */
    LOOKUP_RFO,   /* a store that missed L2 or has no right to the line                           */
    LOOKUP_WRITE, /* a line that L2 gives up is written to the slice (dirty, or a victim)         */
    LOOKUP_SNOOP, /* another domain asks                                                          */
    LOOKUPS
};
/* What it found, or what a victim was. */
enum line_state {
    STATE_I,
    STATE_S,
    STATE_E,
    STATE_M,
    STATE_F,
    STATE_SF_S, /* not in the L3, but its directory (snoop filter) knows that cores have it: others may as well */
    STATE_SF_E, /* the same: nobody beyond this L3 has it                                                        */
    STATES
};

/* Requests that entered a slice's table of requests (TOR). Where an L3 miss went: by the home of the line. */
enum tor_place { TOR_HIT, TOR_MISS_LOCAL, TOR_MISS_REMOTE, TOR_PLACES };
enum tor_opcode { TOR_DRD, TOR_CRD, TOR_RFO, TOR_WRITE_BACK, TOR_NT_STORE, TOR_OPCODES };

struct slice_counts {
    _Alignas(64) _Atomic uint64_t lookup[LOOKUPS][STATES];
    _Atomic uint64_t fill;           /* lines that came into the slice                                   */
    _Atomic uint64_t victim[STATES]; /* lines that left it to make room; [STATE_I] stays 0               */
    _Atomic uint64_t tor[TOR_OPCODES][TOR_PLACES];
    _Atomic uint64_t write_backs; /* dirty lines that this L3's side wrote to memory                     */
    _Atomic uint64_t nt_lines;    /* lines that its processors stored past the caches                    */
};

#define MODEL_MAX_CHANNELS 16u /* of one node */
#define MODEL_MAX_SOCKETS  8u

/* Memory of one node, as far as lines of one slice number are concerned: memory_cas() and memory_lines() add them up.
 * Lines are dealt to channels in turn by a hash of their number (cache_channel). A line is one CAS of 64 bytes. */
struct node_counts {
    _Alignas(64) _Atomic uint64_t cas_read[MODEL_MAX_CHANNELS];
    _Atomic uint64_t cas_write[MODEL_MAX_CHANNELS];
    /* by the package that asked: lines read here, written here; not its own: they went over the links */
    _Atomic uint64_t read_by[MODEL_MAX_SOCKETS], written_by[MODEL_MAX_SOCKETS];
};

/* One processor's own, written by its thread alone. user: of the others, what programs made (model_ring). */
struct cpu_counts {
    uint64_t accesses;                 /* loads and stores that it made                                      */
    uint64_t l3_references, l3_misses; /* architectural events 2EH/4FH, 2EH/41H: SDM vol. 3B 18.2.1.2        */
    /* Lines that came into its L2 for it, and lines that made room for them and that the L3 was given: the dirty ones
     * alone where the L3 is inclusive. */
    uint64_t l2_fills, l2_write_backs;
    struct {
        uint64_t l3_references, l3_misses, l2_fills, l2_write_backs;
    } user;
};
