/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/domain/alloc.h: the allocation registers, one of each kind per class of service (CLOS): their addresses,
 * which processors share them, and walks over all sets of a machine at once.
 *
 * A set of masks or throttles serves several processors (an L3 domain, the threads above an L2). Walks write it
 * through one processor of each set, the lowest that takes work. The ledger reads every register before a walk
 * begins, so that its value as found is known, and each walk writes it back in the same task. */
#pragma once
#include "core/domain/rule.h"
#include "core/domain/sweep.h"

enum alloc_scope { ALLOC_L3, ALLOC_L2, ALLOC_CPU };

struct alloc_table {
    const char *name;    /* of one register: "IA32_L3_MASK"                                   */
    uint32_t first;      /* MSR of class 0                                                    */
    uint32_t classes;    /* as enumerated, and no more than the run of addresses holds        */
    uint32_t enumerated; /* as enumerated: those above `classes` have no register that is known */
    uint32_t bits;       /* of one register that may be set                                   */
    uint32_t shareable;  /* masks: 10H.n:EBX                                                  */
    uint32_t reserved;   /* masks: ways of L3 Range Reservation, of any L3: no class fills them */
    bool rounded;        /* a value may be stored as a smaller one                                   */
    enum alloc_scope scope;
};

/* "IA32_L3_MASK_3"; a table of one register is that register. */
struct alloc_name {
    char text[40];
};
struct alloc_name alloc_name_of(const struct alloc_table *t, uint32_t class);

/* The tables of this machine's reference processor; classes 0 where the resource is not enumerated. */
struct alloc_table alloc_l3_masks(const struct check *c);
struct alloc_table alloc_l2_masks(const struct check *c);
struct alloc_table alloc_throttles(const struct check *c);     /* MBA */
struct alloc_table alloc_amd_bandwidth(const struct check *c); /* bits: with U */
struct alloc_table alloc_amd_slow_bandwidth(const struct check *c);
struct alloc_table alloc_amd_global(const struct check *c);      /* GLBE */
struct alloc_table alloc_amd_global_slow(const struct check *c); /* GLSBE */

/* The longest run of mask bits that only processors fill (10H.n:EBX clear, and no range reserves them): its length, and
 * *first gets the lowest. */
uint32_t alloc_exclusive_run(const struct alloc_table *t, uint32_t *first);

/* The fewest contiguous bits that a mask of L3 class 1 may have on this part: 1, or 2 on E5 v3, which refuses or
 * ignores a mask of one bit (Linux resctrl, cache_alloc_hsw_probe()). `cpu` tries it from bit `first` on, and the
 * mask is put back. Where neither is accepted *bits is 1: the check that writes such a mask reports it. Errors:
 * check_unmeasured() has said why. */
MUST_CHECK enum status alloc_least_bits(struct check *c, const struct alloc_table *t, uint32_t cpu, uint32_t first,
                                        uint32_t *bits);

/* Why alloc_l2_masks() has no classes. */
const char *alloc_l2_absent(const struct check *c);

/* Whether `cpu` writes for the processors that it shares a register of this scope with. */
bool alloc_writes(const struct check *c, uint32_t cpu, enum alloc_scope scope);
/* Number of the L3, or L2, whose registers the processor writes. */
uint32_t alloc_set(const struct check *c, uint32_t cpu, enum alloc_scope scope);
/* Whether two processors share such a register. */
bool alloc_same(const struct check *c, uint32_t a, uint32_t b, enum alloc_scope scope);

/* The ledger reads one register, or each of a table, on every processor. Errors: check_unmeasured() has said why. */
MUST_CHECK enum status alloc_record(struct check *c, uint32_t msr);
MUST_CHECK enum status alloc_record_table(struct check *c, const struct alloc_table *t);
/* The value that a check finds: firmware's, or that of core/domain/working_state.h; 0 where it could not be read. */
uint64_t alloc_found(const struct check *c, uint32_t cpu, uint32_t msr);

/* Writes the same value into one register of a table on every set. */
MUST_CHECK enum status alloc_write(struct check *c, const struct alloc_table *t, uint32_t class, uint64_t value);
/* Writes the values of alloc_found(), on every processor; of a table each register, whatever the outcome of the
 * others. Errors of these three: a write was refused, and alloc_refused() reported it; or check_unmeasured() has said
 * why. */
MUST_CHECK enum status alloc_put_back(struct check *c, uint32_t msr);
MUST_CHECK enum status alloc_put_back_table(struct check *c, const struct alloc_table *t);

/* A finding that a legal write was refused: a WARN where a hypervisor intercepts it. */
void alloc_refused(struct check *c, uint32_t cpu, const struct step *write);

enum alloc_expect {
    ALLOC_STORED,  /* no #GP, and reads back the same, or with all shareable bits set           */
    ALLOC_REFUSED, /* #GP, and reads as before                                                   */
    ALLOC_ZEROED,  /* no #GP, and reads 0                                                        */
};

#define ALLOC_VALUES 96u /* that a walk may try in one register */

struct alloc_walk {
    struct sweep sweep;
    const struct alloc_table *table;
    const char *rule; /* as a sentence, for findings and evidence                          */
    enum alloc_expect expect;
    bool soft;       /* a deviation is a WARN                                             */
    bool first_last; /* only the first and the last class                                 */
    /* The values to try, at most ALLOC_VALUES, the same on every processor. Returns how many. */
    uint32_t (*values)(const struct alloc_walk *w, uint64_t *values);
    /* Stored values may be rounded: what may be read back instead. NULL: nothing else. */
    bool (*equals)(const struct alloc_walk *w, uint64_t written, uint64_t got);
    /* out */
    bool shown;
    struct rule tally; /* while it runs */
};
/* Tries every value in every register, and those that are to be stored in all classes at the same time as well, on all
 * sets at once, and reports deviations as findings. Errors:
 * check_unmeasured() has said why. */
MUST_CHECK enum status alloc_walk(struct check *c, struct alloc_walk *w);
