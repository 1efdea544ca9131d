/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon/pmon.h: uncore performance monitors.
 *
 * This driver programs the units that pmon_unit.h describes and the files of tables list, whether they are reached by
 * MSR, PCI configuration space or memory. A box is one unit of one package; which boxes a machine has is found by
 * core/boxes/boxes.c.
 *
 * Uncore MSRs are package scope: each box is driven from one processor of its package. PCI and memory-mapped registers
 * are reached from the boot processor. A box whose counters were found enabled is in use by
 * firmware or a debugger and is left alone.
 */
#pragma once
#include "arch/x86/pmon/pmon_unit.h"
#include "core/base/place.h"
#include "core/platform/ledger.h"
#include "core/platform/platform.h"

/* --- boxes -------------------------------------------------------------------------------------------------------- */

enum pmon_why { /* why a box is not used                                                       */
                PMON_USABLE,
                PMON_ABSENT,        /* its first register raises #GP, or no such function                          */
                PMON_HALF,          /* some of its registers answer and some raise #GP                             */
                PMON_ALL_ONES,      /* its registers read all ones                                                 */
                PMON_NO_BASE,       /* its base address register is zero                                           */
                PMON_HIDDEN,        /* its device shows other functions and not this one, or nothing leads to it   */
                PMON_NOT_POPULATED, /* its device shows no function at all                                      */
                PMON_FUSED_OFF,     /* its function shows its id, with class FFFFFFH                              */
                PMON_OTHER_SEGMENT, /* no function of its package is on the segments that ACPI's MCFG lists     */
                PMON_NO_FEATURE,    /* AMD: its bit of CPUID 80000001H ECX is 0                                   */
                PMON_UNEVEN,        /* AMD: CPUID 80000022H has no whole number of counters for each channel  */
                PMON_IN_USE,        /* a counter was found enabled                                                 */
                PMON_LOCKED,        /* it takes no writes                                                          */
                PMON_REFUSED,       /* its controls can be read and raise #GP when they are written                */
                PMON_READ_ONLY,     /* its counters count and take no writes, which no document forbids             */
                PMON_NO_CPU,        /* no processor of its package takes work                                      */
                PMON_OTHER_DIE,     /* its MSR is another die's for the processors that are known to reach it     */
};

enum pmon_writes { PMON_WRITES_UNKNOWN, PMON_TAKES_WRITES, PMON_TAKES_NONE };
enum pmon_life { PMON_LIFE_UNKNOWN, PMON_LIVES, PMON_LIES_STILL };

struct pmon_box {
    const struct pmon_unit *unit;
    uint32_t package; /* index                                                                      */
    uint32_t die;     /* of the package, from 0: one has a discovery table, or MSRs and functions of its own */
    uint32_t number;  /* among the boxes of this unit in this package                               */
    uint32_t cpu;     /* the processor that drives it                                               */
    uint32_t node;    /* AMD's DF and UMC: node id of its processors, CPUID 8000001EH:ECX[7:0]      */
    uint64_t base;    /* added to offsets: MSR number, physical address                             */
    struct pci_address at;
    enum status status; /* ST_OK: it can be used. Else why below                                    */
    enum pmon_why why;
    uint64_t why_address, why_value;     /* the register that says so, where one does                   */
    uint64_t found;                      /* its box control, as probed                                  */
    uint64_t status_found;               /* its status, the same; 0 where it has none or it raises #GP  */
    uint32_t controls_set, counters_set; /* registers that were not 0 then                          */
    bool recorded;                       /* the ledger has all of its registers                         */
    enum pmon_writes writes;             /* whether its counters take them, where no document says so */
    enum pmon_life life;                 /* whether some counter of it was seen to count its clock      */
};

/* A box, and a counter of it: index as in pmon_ctr(). */
struct place pmon_place(const struct pmon_box *box);
struct place pmon_counter_place(const struct pmon_box *box, uint32_t index);
/* The words of the place: "package 0 CBo 3" */
void pmon_box_name(const struct pmon_box *box, char out[48]);
/* Where its registers are: "MSR 0xd64", "PCI 16:14.1", "PCI 0001:16:14.1", "0xe000022800". */
void pmon_box_address(const struct pmon_box *box, char out[48]);
/* Why it is left alone, in words; "" where it is not. */
void pmon_box_reason(const struct pmon_box *box, char *out, size_t size);
/* There is no such box for software, and nothing of it can be read. */
bool pmon_box_missing(const struct pmon_box *box);
/* Whether its registers lie in extended configuration space to which no window of ACPI's MCFG leads. */
bool pmon_box_unreachable(const struct pmon_box *box);

/* What an MSR is on this part: "CHA 3 control 0", "CBo 0 box control", "L3 counter 5"; a UBox's as its guide spells it:
 * "U_MSR_PMON_CTL0". false: none of its boxes has it; *out is not written. part may be NULL. size: 48 holds every
 * name. */
bool pmon_msr_name(const struct pmon_part *part, uint32_t msr, char *out, size_t size);

/* Read every register of the box, write nothing, and settle status and why. Returns box->status. */
MUST_CHECK enum status pmon_probe(struct platform *p, struct pmon_box *box);

/* --- registers ---------------------------------------------------------------------------------------------------- */

#define PMON_FIXED UINT32_MAX /* counter index of the fixed counter */

struct pmon_reg {
    uint32_t offset;
    uint32_t bytes; /* 4 or 8; 0: the unit has no such register */
    enum ledger_kind kind;
};

/* index: 0 .. counters - 1, or PMON_FIXED; of free-running counters 0 .. n_free - 1, and they have no control. Anything
 * else gives bytes 0. */
struct pmon_reg pmon_ctl(const struct pmon_unit *unit, uint32_t index);
struct pmon_reg pmon_ctr(const struct pmon_unit *unit, uint32_t index);
struct pmon_reg pmon_box_ctl(const struct pmon_unit *unit);
struct pmon_reg pmon_status(const struct pmon_unit *unit);
struct pmon_reg pmon_status_clear(const struct pmon_unit *unit);
struct pmon_reg pmon_filter(const struct pmon_unit *unit, uint32_t n); /* n 0 or 1 */
/* Of a free-running counter's register: those of 32 bits may lie 4 bytes apart. */
uint32_t pmon_free_bytes(const struct pmon_free *counter);
/* Of a unit of free-running counters: index of the one of that name, PMON_FIXED where it has none. */
uint32_t pmon_free_named(const struct pmon_unit *unit, const char *name);
/* Whether one uncore clock drives both: each die of a package has its own. */
bool pmon_same_die(const struct pmon_box *a, const struct pmon_box *b);
/* A walk over all counters: n from 0 to pmon_n_counters() - 1 gives the programmable ones, then the fixed one. */
uint32_t pmon_n_counters(const struct pmon_unit *unit);
uint32_t pmon_nth(const struct pmon_unit *unit, uint32_t n);
uint32_t pmon_bits(const struct pmon_unit *unit, uint32_t index);
uint64_t pmon_en_bit(const struct pmon_unit *unit, uint32_t index);
bool pmon_has_fixed(const struct pmon_unit *unit);
/* Number or address of a register, for evidence; PCI: as in struct ledger_entry. */
uint64_t pmon_address(const struct pmon_box *box, struct pmon_reg reg);

struct pmon_op { /* one access to a register of a box */
    struct pmon_box *box;
    struct pmon_reg reg;
    bool write, timed;
    uint64_t value; /* written, or read */
    enum status status;
    uint64_t before, tsc; /* timed: TSC before it began and when it was done, of the processor that did it */
};

/* Do all of them: those of each package in their order, packages at once; then those by PCI and memory in their order.
 * Every register of a box is in the ledger before the first write to it. Each op has its status; returns the first
 * that is bad. A PCI counter is read high, low, high, and again if a carry fell between. */
MUST_CHECK enum status pmon_run(struct platform *p, struct pmon_op *ops, uint32_t n);

MUST_CHECK enum status pmon_read(struct platform *p, const struct pmon_box *box, struct pmon_reg reg, uint64_t *value);
MUST_CHECK enum status pmon_write(struct platform *p, struct pmon_box *box, struct pmon_reg reg, uint64_t value);

/* --- match registers (pmon_matches.c): of home agents, QPI ports, Nehalem's and Nehalem-EX' ------------------------ */

#define PMON_MATCHES                                                                                                   \
    2u /* of 64 bits: what is to match; which bits of it (QPI, Nehalem-EX), or an opcode (home agents) */

/* Whether they are there: the third QPI ports of some parts have none that is known. */
bool pmon_match_there(struct platform *p, const struct pmon_box *box);
/* All of them. QPI: match and mask, each two dwords; home agents: address bits 45:6 in their places, opcode; Nehalem:
 * MSR 396H, and nothing; Nehalem-EX: MATCH and MASK, enabled unless both are 0. ST_ABSENT: the unit has none; otherwise as pci_read(), pci_write(), msr_read(), msr_write(). */
MUST_CHECK enum status pmon_match_read(struct platform *p, const struct pmon_box *box, uint64_t values[PMON_MATCHES]);
MUST_CHECK enum status pmon_match_write(struct platform *p, const struct pmon_box *box,
                                        const uint64_t values[PMON_MATCHES]);
/* The field of that name; false: the unit has none. */
bool pmon_field_named(const struct pmon_unit *unit, const char *name, struct pmon_field *field);

/* --- programming -------------------------------------------------------------------------------------------------- */

struct pmon_event {
    uint32_t ev_sel, thresh;
    uint32_t
        umask; /* bits 15:8 of the control, of which a unit may have some: occ_sel 3 of a PCU is C0H; umask_ext above */
    uint64_t extra; /* bits of the unit's control.extra */
    bool edge_det, invert, enable, ov_en;
};
/* The control value of an event. ST_RANGE: a field cannot hold what it was given, the unit has no such field, or the
 * document forbids the combination (invert and edge_det need a threshold): *value is not written. */
MUST_CHECK enum status pmon_encode(const struct pmon_unit *unit, const struct pmon_event *event, uint64_t *value);
/* What a control says: pmon_encode() backwards. Bits that no field of the unit has are not looked at. */
void pmon_decode(const struct pmon_unit *unit, uint64_t value, struct pmon_event *event);
/* The fields of a programmable counter's control: every bit of it that can be written and read back. */
uint64_t pmon_control_bits(const struct pmon_unit *unit);
/* Bits of a counter's control that are stored: its fields, and what else a document says is. */
uint64_t pmon_stored_bits(const struct pmon_unit *unit, uint32_t index);
/* Bits of it that the document reserves. */
uint64_t pmon_reserved_bits(const struct pmon_unit *unit, uint32_t index);
/* The event of that name; NULL: the unit has none. */
const struct pmon_named *pmon_event_named(const struct pmon_unit *unit, const char *name);
/* Values of the box control: frozen, and counting. 0 where the unit has none. */
uint64_t pmon_freeze_value(const struct pmon_unit *unit);
uint64_t pmon_run_value(const struct pmon_unit *unit);

/* Single writes. All: ST_RANGE for an index that the unit has not, the box's status where that is bad, otherwise as
 * pmon_write(). */
MUST_CHECK enum status pmon_counter_write(struct platform *p, struct pmon_box *box, uint32_t index, uint64_t value);
MUST_CHECK enum status pmon_counter_read(struct platform *p, const struct pmon_box *box, uint32_t index,
                                         uint64_t *value);
MUST_CHECK enum status pmon_program(struct platform *p, struct pmon_box *box, uint32_t index,
                                    const struct pmon_event *event);
/* All controls to 0: nothing counts. */
MUST_CHECK enum status pmon_quiet(struct platform *p, struct pmon_box *box);

/* last - first, modulo 2^bits. */
uint64_t pmon_delta(uint64_t first, uint64_t last, uint32_t bits);
