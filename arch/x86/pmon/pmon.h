/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon/pmon.h: uncore performance monitors.
 *
 * What a generation has is constant data: a struct pmon_part lists its unit types (pmon_nhm.c, pmon_snbep.c, ...), a
 * struct pmon_unit says where the registers of one type lie and how their fields are cut. This driver programs any of
 * them, whether they are reached by MSR, PCI configuration space or memory. A box is one unit of one package; which
 * boxes a machine has is found by core/machine/boxes.c.
 *
 * Uncore MSRs are package scope: each box is driven from one processor of its package. PCI and memory-mapped registers
 * are reached from the boot processor. A box whose counters were found enabled belongs to somebody else and is left
 * alone.
 */
#pragma once
#include "arch/x86/cpu/cpuid.h"
#include "core/platform/ledger.h"
#include "core/platform/platform.h"

enum pmon_access { PMON_MSR, PMON_PCI, PMON_MMIO };

/* What a unit is, whatever its generation calls it: for checks that compare units. */
enum pmon_kind {
    PMON_UBOX,   /* system configuration controller; its fixed counter counts UCLK    */
    PMON_CHA,    /* CBo, CHA: one slice of the last-level cache                       */
    PMON_IMC,    /* one memory channel                                                */
    PMON_HA,     /* home agent                                                        */
    PMON_M2M,    /* mesh to memory                                                    */
    PMON_LINK,   /* QPI, UPI link layer                                               */
    PMON_UNCORE, /* Nehalem and Westmere: one uncore PMU for all                      */
    PMON_L3,     /* AMD: L3 of one CCX                                                */
    PMON_DF,     /* AMD: data fabric                                                  */
    PMON_UMC,    /* AMD: one memory channel                                           */
    PMON_FREE,   /* free-running counters of a memory controller, and nothing else    */
    PMON_OTHER,
};

/* Fields of a counter's control, as its generation has them; 0: it has none. */
struct pmon_control {
    uint64_t ev_sel, umask, rst, edge_det, ov_en, en, invert, thresh;
    uint64_t tid_en, ev_sel_ext;
    uint64_t occ_rst; /* write-only: clears what a queue's occupancy is counted from, not the counter */
    uint64_t extra;   /* bits that an event may ask for beside these: umask extension, channel and fc mask */
    uint64_t ones;    /* bits without which nothing is counted                                            */
    bool en_unused;   /* counters run without en: SPR and later                                           */
};

/* Fields of a box's control. A box without one has no pmon_box_control. */
struct pmon_box_control {
    uint64_t rst_ctrl, rst_ctrs; /* write-only; 0: has none                                             */
    uint64_t frz, frz_en;        /* frz_en 0: frz acts alone                                            */
    uint64_t run;                /* bits that must be set for counting: Nehalem's global enables        */
};

enum pmon_find {                      /* how many boxes a package has                                                 */
                 PMON_FIND_ONE,       /* MSRs: one                                                                    */
                 PMON_FIND_PROBE,     /* MSRs: from 0 on until one raises #GP                                         */
                 PMON_FIND_CAPID4,    /* MSRs: CAPID4[7:6], boxes beyond must not be read                             */
                 PMON_FIND_CCX,       /* MSRs: one for each L3 domain                                                 */
                 PMON_FIND_PLACES,    /* PCI: at these places                                                         */
                 PMON_FIND_MEMORY,    /* MMIO: where the memory map function says                                     */
                 PMON_FIND_UMC,       /* MSRs: CPUID 80000022H                                                        */
                 PMON_FIND_DISCOVERY, /* made from a discovery table                                                  */
};

struct pmon_place {
    uint8_t device, function;
    uint16_t did;
    bool optional; /* larger parts have it, smaller ones do not */
};

/* An event by name. */
struct pmon_named {
    const char *name; /* "cas_rd"                                                               */
    uint32_t ev_sel, umask;
    uint64_t extra;    /* or'ed into the control                                                */
    uint32_t counters; /* bit n: counter n can count it; 0: all can                             */
    uint32_t filter0, filter1;
    double bytes; /* one count stands for so many; 0: it is no traffic                      */
};

enum pmon_clock { PMON_CLOCK_NONE, PMON_CLOCK_OWN, PMON_CLOCK_UCLK, PMON_CLOCK_DCLK, PMON_CLOCK_PCU };

/* A counter that runs by itself, without enable, freeze or reset. */
struct pmon_free {
    const char *name; /* "dclk", as -count takes it                             */
    int32_t offset;   /* from the box's base                                    */
    uint32_t bits;
    enum pmon_clock clock; /* what it counts; NONE: it is no clock                   */
    double bytes;          /* one count stands for so many; 0: it is no traffic      */
};

#define PMON_MOST_COUNTERS 8u /* programmable ones of a box */

struct pmon_unit {
    const char *name;   /* "CBo"                                                           */
    const char *source; /* document and section, for reports                               */
    enum pmon_kind kind;
    enum pmon_access access;
    /* Registers, as offsets from the box: MSR number, PCI offset, or bytes. */
    uint32_t counters;       /* programmable ones                                          */
    uint32_t counter_bits;   /* what the generation's document says                        */
    uint32_t counter_bits_2; /* what another source says, 0: all agree                     */
    uint32_t ctl, ctl_step;  /* of counter 0; step 0: 1 for MSRs, 4 else                   */
    uint32_t ctl_bytes;      /* 0: 8 for MSRs, 4 else                                      */
    uint32_t ctr, ctr_step;  /* step 0: 1 for MSRs, 8 else                                 */
    const uint16_t *ctr_at;  /* where counters are not evenly spaced                       */
    uint32_t box_ctl;        /* with box                                                   */
    bool has_status;
    uint32_t status;
    uint32_t status_bit;   /* of counter 0                                             */
    uint32_t status_clear; /* register that clears it; 0: the status itself            */
    uint32_t filter0, filter1;
    uint32_t tid; /* bits of filter0 that name a core and thread; heeded where tid_en of the control is set */
    uint32_t fixed_ctl, fixed_ctr;
    uint32_t fixed_bits, fixed_bits_2; /* fixed_bits 0: no fixed counter                 */
    uint64_t fixed_en, fixed_rst;      /* fixed_rst 0: has none                          */
    const struct pmon_control *control;
    const struct pmon_box_control *box;
    bool slow_init;    /* bits of the box control are set one at a time (HSX SBo)             */
    bool saturates;    /* at its end a counter stops and sets the bit above its width                  */
    bool reset_unsure; /* sources disagree on the control's rst: what it does is only recorded */
    /* Where its boxes are. */
    enum pmon_find find;
    uint32_t first, stride, most; /* MSRs: box n at first + n*stride, or bases[n]          */
    const uint16_t *bases;
    const struct pmon_place *places;
    uint32_t n_places;
    /* Events. */
    enum pmon_clock clock; /* what clock_event counts                                      */
    uint32_t clock_event, clock_umask;
    uint32_t idle_ev_sel, idle_umask; /* an event that does not occur while nobody sends messages; both 0: none */
    const struct pmon_named *events;
    uint32_t n_events;
    const struct pmon_free *free_clock; /* NULL: none stands beside its boxes                            */
    const struct pmon_free *free;       /* a box is these n_free counters, and has no control            */
    uint32_t n_free;
    bool one_source; /* one public source alone has it: what is wrong with it is a WARN       */
};

/* A register that freezes or runs every box of a package at once. */
struct pmon_global {
    uint32_t msr; /* 0: none is known */
    uint64_t freeze, run;
    bool unsure; /* sources disagree */
};

enum pmon_buses {
    PMON_BUSES_BELOW,  /* to the next lower bus that has the function                          */
    PMON_BUSES_ABOVE,  /* to the next higher one                                               */
    PMON_BUSES_AROUND, /* to the bus just below where that has it, else to the next higher one */
};

struct pmon_part {
    const char *name;
    const struct pmon_unit *const *units;
    uint32_t n_units;
    struct pmon_global global;
    uint16_t ubox_did;               /* the PCI function that says which package a bus belongs to; 0: none       */
    uint16_t node_id, group;         /* offsets in it: node id, and three bits of node id for each package       */
    enum pmon_buses buses;           /* where a bus without that function belongs                               */
    bool bus_msr;                    /* MSR 300H names buses                                                    */
    uint16_t capid_did;              /* the PCU function that holds CAPID registers; 0: none                    */
    uint16_t capid4, capid6, capid7; /* offsets; 0: none                                                */
    uint16_t memory_did;             /* function with the base addresses of the memory controllers; 0: none     */
    bool discovery;                  /* discovery tables list the boxes                                         */
    bool invert_unsure;              /* sources disagree on the controls' invert                                */
};

/* The part's tables, NULL where there are none. */
const struct pmon_part *pmon_part_of(const struct cpu_identity *id);
/* Every part, for tests. */
extern const struct pmon_part *const pmon_parts[];
extern const uint32_t pmon_n_parts;

/* --- boxes -------------------------------------------------------------------------------------------------------- */

enum pmon_why { /* why a box is not used                                                       */
                PMON_USABLE,
                PMON_ABSENT,   /* its first register raises #GP, or no such function                          */
                PMON_HALF,     /* some of its registers answer and some raise #GP                             */
                PMON_ALL_ONES, /* its registers read all ones                                                 */
                PMON_NO_BASE,  /* its base address register is zero                                           */
                PMON_HIDDEN,   /* the function that leads to it is not to be seen                             */
                PMON_IN_USE,   /* a counter was found enabled                                                 */
                PMON_LOCKED,   /* it takes no writes                                                          */
                PMON_NO_CPU,   /* no processor of its package takes work                                      */
};

struct pmon_box {
    const struct pmon_unit *unit;
    uint32_t package; /* index                                                                      */
    uint32_t number;  /* among the boxes of this unit in this package                               */
    uint32_t cpu;     /* the processor that drives it                                               */
    uint64_t base;    /* added to offsets: MSR number, physical address                             */
    struct pci_address at;
    enum status status; /* ST_OK: it can be used. Else why below                                    */
    enum pmon_why why;
    uint64_t why_address, why_value; /* the register that says so, where one does                   */
    uint64_t found;                  /* its box control, as probed                                  */
    bool recorded;                   /* the ledger has all of its registers                         */
};

/* "package 0 CBo 3" */
void pmon_box_name(const struct pmon_box *box, char out[48]);
/* "MSR 0xd64", "16:14.1", "16:14.1 (segment 1)", "0xe000022800": where it is. */
void pmon_box_place(const struct pmon_box *box, char out[48]);
/* Why it is left alone, in words; "" where it is not. */
void pmon_box_reason(const struct pmon_box *box, char *out, size_t size);

/* What an MSR is on this part: "CHA 3 control 0", "CBo 0 box control", "L3 counter 5". false: none of its boxes has it,
 * or it is a UBox's, which register_name() spells as its guide does; *out is not written. part may be NULL. size: 48
 * holds every name. */
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
/* Of a unit of free-running counters: index of the one of that name, PMON_FIXED where it has none. */
uint32_t pmon_free_named(const struct pmon_unit *unit, const char *name);
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
    bool write;
    uint64_t value; /* written, or read */
    enum status status;
    uint64_t before, tsc; /* TSC before it began and when it was done, of the processor that did it */
};

/* Do all of them: those of each package in their order, packages at once; then those by PCI and memory in their order.
 * Every register of a box is in the ledger before the first write to it. Each op has its status; returns the first
 * that is bad. A PCI counter is read high, low, high, and again if a carry fell between. */
MUST_CHECK enum status pmon_run(struct platform *p, struct pmon_op *ops, uint32_t n);

MUST_CHECK enum status pmon_read(struct platform *p, const struct pmon_box *box, struct pmon_reg reg, uint64_t *value);
MUST_CHECK enum status pmon_write(struct platform *p, struct pmon_box *box, struct pmon_reg reg, uint64_t value);

/* --- programming -------------------------------------------------------------------------------------------------- */

struct pmon_event {
    uint32_t ev_sel, umask, thresh;
    uint64_t extra; /* bits of the unit's control.extra */
    bool edge_det, invert, enable, ov_en;
};
/* The control value of an event. ST_RANGE: a field cannot hold what it was given, the unit has no such field, or the
 * document forbids the combination (invert and edge_det need a threshold): *value is not written. */
MUST_CHECK enum status pmon_encode(const struct pmon_unit *unit, const struct pmon_event *event, uint64_t *value);
/* What a control says: pmon_encode() backwards. Bits that no field of the unit has are not looked at. */
void pmon_decode(const struct pmon_unit *unit, uint64_t value, struct pmon_event *event);
/* Every bit of a control that can be written and read back. */
uint64_t pmon_control_bits(const struct pmon_unit *unit);
/* The event of that name; NULL: the unit has none. */
const struct pmon_named *pmon_event_named(const struct pmon_unit *unit, const char *name);
/* Values of the box control: everything stands, everything counts. 0 where the unit has none. */
uint64_t pmon_freeze_value(const struct pmon_unit *unit);
uint64_t pmon_run_value(const struct pmon_unit *unit);

/* Single writes. All: ST_RANGE for an index that the unit has not, the box's status where that is bad, otherwise as
 * pmon_write(). */
MUST_CHECK enum status pmon_counter_write(struct platform *p, struct pmon_box *box, uint32_t index, uint64_t value);
MUST_CHECK enum status pmon_counter_read(struct platform *p, const struct pmon_box *box, uint32_t index,
                                         uint64_t *value);
MUST_CHECK enum status pmon_program(struct platform *p, struct pmon_box *box, uint32_t index,
                                    const struct pmon_event *event);
/* Set the control's reset bit once, enable off. ST_ABSENT: this control has none. */
MUST_CHECK enum status pmon_reset(struct platform *p, struct pmon_box *box, uint32_t index);
MUST_CHECK enum status pmon_fixed_enable(struct platform *p, struct pmon_box *box, bool on);
/* All controls to 0: nothing counts. */
MUST_CHECK enum status pmon_quiet(struct platform *p, struct pmon_box *box);

struct pmon_reading {
    uint64_t value, tsc; /* tsc: of the driving processor, when the read was done */
};
#define PMON_WINDOW_COUNTERS 3u
/* Read n counters of an MSR box, let `ticks` of the TSC pass, and read them again in the same order, all in one task,
 * so that no hand over lies between. n at most PMON_WINDOW_COUNTERS. On ST_OK first[] and last[] are filled. */
MUST_CHECK enum status pmon_window(struct platform *p, const struct pmon_box *box, const uint32_t *index, uint32_t n,
                                   uint64_t ticks, struct pmon_reading *first, struct pmon_reading *last);

/* last - first, modulo 2^bits. */
uint64_t pmon_delta(uint64_t first, uint64_t last, uint32_t bits);
