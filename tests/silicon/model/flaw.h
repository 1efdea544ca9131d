/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/flaw.h: a defect that is composed and not listed: of which monitor, where, of which kind, how
 * strong, for which accesses and when. The catalogue (tests/silicon/faults) has defects with a name; this one is any
 * combination, so that what finds it cannot have been written for it.
 *
 * A few hooks ask for it, each of which sees one thing that hardware does: which RMID a line or a transfer is counted
 * under, what a read of a counter shows, which ways a fill may take, how long a throttle delays, what an uncore counter
 * gains. They follow the documents of those registers alone. A model without one has flaw.monitor FLAW_NONE.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum flaw_monitor {
    FLAW_NONE,
    FLAW_CMT,
    FLAW_MBM,       /* total and local alike */
    FLAW_MBM_LOCAL, /* local alone           */
    FLAW_PQR,
    FLAW_QM, /* what a read of QM_CTR shows of any event */
    FLAW_CAT,
    FLAW_CDP,
    FLAW_MBA, /* and AMD's bandwidth limits */
    FLAW_L2,
    FLAW_UNCORE,
    FLAW_ABMC, /* AMD's assigned counters */
    FLAW_MONITORS
};
enum flaw_scope {
    FLAW_EVERYWHERE,
    FLAW_L3,    /* place: its number */
    FLAW_SLICE, /* of each L3        */
    FLAW_CPU,
    FLAW_RMID,
    FLAW_HIGH, /* RMIDs, or classes, of the upper half */
    FLAW_CLASS,
    FLAW_BOX,     /* place: the unit of boxes (enum uncore_unit), of which the last one of a package */
    FLAW_COUNTER, /* of uncore boxes of all kinds, or an assigned one: its number */
    FLAW_SCOPES
};
enum flaw_kind {
    FLAW_DEAD,    /* counts nothing; masks and throttles: has no effect                        */
    FLAW_SCALED,  /* strength: percent more of what it is, or less                             */
    FLAW_LOST,    /* strength: percent that is not counted, or escapes                         */
    FLAW_LATE,    /* strength: lines that still go the former way after a change; what is read: for
                     so many microseconds it stays what it was                                 */
    FLAW_LEAKS,   /* strength: percent counted elsewhere; masks: ways more                     */
    FLAW_SWAPPED, /* with that of the next number                                              */
    FLAW_ALIASED, /* strength: a bit of the number that is taken for 0                         */
    FLAW_STICKY,  /* strength: a bit of what is read that is stuck at 1; of a mask: always set */
    FLAW_STALE,   /* shows what was read before in this L3, FLAW_MANY: in any; of masks and
                     PQR_ASSOC: of such a register                                               */
    FLAW_WRAPS,   /* strength: bits that the counter has                                       */
    FLAW_KINDS
};
enum flaw_access { FLAW_ANY, FLAW_LOADS, FLAW_STORES, FLAW_CODE, FLAW_NT, FLAW_ACCESSES };
enum flaw_trigger {
    FLAW_ALWAYS,
    FLAW_CONTENTION,    /* every processor of the L3 is at work                                    */
    FLAW_AFTER_IDLE,    /* the processor did nothing for a millisecond: it was in HLT or MWAIT     */
    FLAW_AFTER_SMI,     /* one came                                                                */
    FLAW_AFTER_CLOCK,   /* the ratio of the package's uncore, or of the core, has changed (quirks *-clock) */
    FLAW_AFTER_SIBLING, /* the RMID of the core's other thread was changed                         */
    FLAW_BETWEEN,       /* the same, after a store where loads are meant, after a load where stores are    */
    FLAW_NTH,           /* each n-th access, read or write: `nth`                                  */
    FLAW_AFTER_MWAIT,   /* the processor was in MWAIT (SDM vol. 2B)                                */
    FLAW_MANY,          /* another L3 was read within the last 2,000 ticks                         */
    FLAW_TRIGGERS
};

struct flaw {
    enum flaw_monitor monitor;
    enum flaw_scope scope;
    enum flaw_kind kind;
    enum flaw_access access;
    enum flaw_trigger trigger;
    uint32_t place, nth;
    int32_t strength;
};

#define FLAW(...) (&(const struct flaw){ __VA_ARGS__ })

/* For how many lines a defect acts after what triggers it; of PQR_ASSOC: until it is written again. */
#define FLAW_LINES 65536u
#define FLAW_RESTS 16u

struct model;
struct cpu;
struct domain;
struct uncore_box;

struct flaw_cpu { /* state of one processor, its own thread's but for `lines` */
    uint64_t now; /* when it was seen last */
    _Atomic uint64_t lines;
    uint32_t former;               /* the RMID before the last write */
    uint32_t ratio;                /* of the package's uncore, and of the core */
    _Atomic enum flaw_access last; /* its last line since PQR_ASSOC was written, of loads and stores; FLAW_ANY: none */
};
struct flaw_state {
    _Atomic uint64_t count, passed;
    _Atomic uint64_t rests[FLAW_RESTS]; /* hundredths of a count, of a share of what uncore counter i counts */
    _Atomic uint64_t last_tsc, last_value;
    _Atomic uint32_t last_domain;
    struct {
        uint64_t key, tsc, value;
    } shown[64];                    /* what was read, and when, of kind FLAW_LATE           */
    uint32_t former, former_number; /* a mask before its last write */
};

/* The RMID that a line that the processor fills, or a transfer of it, is counted under; m->rmids: none. */
uint32_t flaw_fill(struct model *m, struct cpu *c, uint32_t rmid, enum flaw_access access);
uint32_t flaw_line(struct model *m, struct cpu *c, uint32_t slice, uint32_t rmid, enum flaw_access access);
uint32_t flaw_transfer(struct model *m, struct cpu *c, uint32_t slice, uint32_t rmid, enum flaw_access access);
/* Is a local transfer not counted as local? c: whose it is, NULL: nobody's. */
bool flaw_loses_local(struct model *m, struct cpu *c, struct domain *p, uint32_t slice, uint32_t rmid,
                      enum flaw_access access);
/* Whose count is read where this RMID is selected. */
uint32_t flaw_selects(const struct model *m, const struct cpu *c, uint32_t event, uint32_t rmid);
/* What a read of QM_CTR, by this processor, shows instead of so many counts. event: of QM_EVTSEL; of assigned counters
 * FLAW_ASSIGNED, and their number for the RMID. */
#define FLAW_ASSIGNED 255u
uint64_t flaw_read(struct model *m, struct cpu *c, uint32_t event, uint32_t rmid, uint64_t tsc, uint64_t counts);
/* The ways that a processor may fill; in the L2. */
uint32_t flaw_ways(struct model *m, struct cpu *c, uint32_t ways, enum flaw_access access);
uint32_t flaw_l2_class(const struct model *m, uint32_t clos);
uint32_t flaw_l2_ways(struct model *m, struct cpu *c, uint32_t clos, uint32_t ways, uint32_t all,
                      enum flaw_access access);
/* What a register shows instead of what it holds; one was written that had another value. */
uint64_t flaw_register(struct model *m, const struct cpu *c, uint32_t msr, uint64_t value);
void flaw_written(struct model *m, struct cpu *c, uint32_t msr, uint64_t former);
/* The delay of a throttle, in percent; the ceiling of a class in bytes/s, 0: none. */
uint32_t flaw_delay(const struct model *m, const struct cpu *c, uint32_t delay);
uint64_t flaw_ceiling(const struct model *m, const struct cpu *c, uint64_t bytes);
/* Which assigned counter a number stands for; its lines. */
uint32_t flaw_assigned_number(const struct model *m, uint32_t counter);
uint64_t flaw_assigned(const struct model *m, const struct cpu *c, uint32_t counter, uint64_t lines);
/* What a counter of a box gains; what is read of it; its bits. */
uint64_t flaw_gain(struct model *m, const struct uncore_box *b, uint32_t index, uint64_t n);
uint64_t flaw_shows(struct model *m, const struct uncore_box *b, uint32_t index, uint64_t tsc, uint64_t value);
uint32_t flaw_bits(const struct model *m, const struct uncore_box *b, uint32_t bits);
/* Reads the processor 0 of the registers of boxes? */
bool flaw_is_blind(const struct model *m, const struct cpu *c);
/* PQR_ASSOC was written, time has passed, an SMI came, MWAIT was left. */
void flaw_associated(struct model *m, struct cpu *c, uint32_t former, uint32_t rmid);
void flaw_time(struct model *m, struct cpu *c, uint64_t now);
void flaw_smi(struct model *m, struct cpu *c);
void flaw_mwait(struct model *m, struct cpu *c);
/* An access of the processor goes beyond its L2: what throttles act on. */
void flaw_beyond_l2(struct model *m, struct cpu *c);
