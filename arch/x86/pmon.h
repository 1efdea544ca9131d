/* arch/x86/pmon.h: uncore performance monitors.
 *
 * A unit type of a generation is constant data (struct pmon_unit, tables in pmon_units.c); this driver programs any of
 * them. A box is one unit in one package. Uncore MSRs are package scope: each box is driven from one processor of its
 * package. A box whose enable bits were found set belongs to somebody else, and is left alone.
 */
#pragma once
#include "arch/x86/cpuid.h"
#include "core/platform.h"

enum pmon_access { PMON_MSR };

struct pmon_unit {
    const char *name;   /* "UBox"                                                          */
    const char *source; /* document and section, for reports                               */
    enum pmon_access access;
    uint32_t counters;       /* programmable ones                                          */
    uint32_t counter_bits;   /* what the generation's document says                        */
    uint32_t counter_bits_2; /* what another source says, 0: all agree                     */
    uint32_t ctl, ctr;       /* of counter 0; the others follow                            */
    uint32_t fixed_ctl, fixed_ctr;
    uint32_t fixed_bits, fixed_bits_2;
    uint64_t ev_sel, umask, rst, edge_det, en, invert, thresh; /* fields of a control      */
    uint64_t fixed_en, fixed_rst;                              /* fixed_rst 0: has none    */
    uint32_t idle_ev_sel, idle_umask; /* an event that does not occur while nobody sends messages */
};

/* The UBox of this part, NULL where the tables have none. */
const struct pmon_unit *pmon_ubox_of(const struct cpu_identity *id);
/* Every UBox descriptor, for tests. */
extern const struct pmon_unit *const pmon_ubox_units[];
extern const uint32_t pmon_n_ubox_units;

struct pmon_box {
    const struct pmon_unit *unit;
    uint32_t package; /* index */
    uint32_t cpu;     /* the processor that drives it */
    enum status
        status;  /* ST_OK; ST_FAULT: the registers are not there; ST_LOST: no processor; ST_UNSUPPORTED: in use */
    bool in_use; /* an enable bit was found set; in_use_msr and in_use_value say which */
    uint32_t in_use_msr;
    uint64_t in_use_value;
};

struct pmon {                     /* what was found on this machine                                              */
    const struct pmon_unit *ubox; /* NULL: this part's UBox is not in the tables                               */
    struct pmon_box *boxes;       /* one UBox a package, in package order                                      */
    uint32_t n_boxes;
};

/* Read the controls of `unit` on `cpu`, write nothing, and fill *box. Returns box->status. */
MUST_CHECK enum status pmon_probe(struct platform *p, const struct pmon_unit *unit, uint32_t package, uint32_t cpu,
                                  struct pmon_box *box);

struct pmon_event {
    uint32_t ev_sel, umask, thresh;
    bool edge_det, invert, enable;
};
/* The control value of an event. ST_RANGE: a field cannot hold what it was given, or the document forbids the
 * combination (invert and edge_det need a threshold): *value is not written. */
MUST_CHECK enum status pmon_encode(const struct pmon_unit *unit, const struct pmon_event *event, uint64_t *value);

#define PMON_FIXED UINT32_MAX /* counter index of the fixed counter */

/* MSR numbers and widths. index: 0 .. unit->counters - 1, or PMON_FIXED; anything else gives 0. */
uint32_t pmon_ctl_msr(const struct pmon_unit *unit, uint32_t index);
uint32_t pmon_ctr_msr(const struct pmon_unit *unit, uint32_t index);
uint32_t pmon_bits(const struct pmon_unit *unit, uint32_t index);
uint64_t pmon_en_bit(const struct pmon_unit *unit, uint32_t index);

/* Each touches the ledger before the first write, so that the box goes back as found. All: ST_RANGE for an index that
 * the unit has not, ST_UNSUPPORTED for a box in use, otherwise as msr_read() and msr_write(). */
MUST_CHECK enum status pmon_control(struct platform *p, const struct pmon_box *box, uint32_t index, uint64_t value);
MUST_CHECK enum status pmon_counter_write(struct platform *p, const struct pmon_box *box, uint32_t index,
                                          uint64_t value);
MUST_CHECK enum status pmon_counter_read(struct platform *p, const struct pmon_box *box, uint32_t index,
                                         uint64_t *value);
/* Program a counter. */
MUST_CHECK enum status pmon_program(struct platform *p, const struct pmon_box *box, uint32_t index,
                                    const struct pmon_event *event);
/* Set the control's reset bit once, enable off. ST_ABSENT: this control has none. */
MUST_CHECK enum status pmon_reset(struct platform *p, const struct pmon_box *box, uint32_t index);
MUST_CHECK enum status pmon_fixed_enable(struct platform *p, const struct pmon_box *box, bool on);
/* All controls to 0: nothing counts. */
MUST_CHECK enum status pmon_quiet(struct platform *p, const struct pmon_box *box);

struct pmon_reading {
    uint64_t value, tsc; /* tsc: of the driving processor, when the read was done */
};
#define PMON_WINDOW_COUNTERS 3u
/* Read n counters, let `ticks` of the TSC pass, and read them again in the same order, all in one task, so that no hand
 * over lies between. n at most PMON_WINDOW_COUNTERS. On ST_OK first[] and last[] are filled. */
MUST_CHECK enum status pmon_window(struct platform *p, const struct pmon_box *box, const uint32_t *index, uint32_t n,
                                   uint64_t ticks, struct pmon_reading *first, struct pmon_reading *last);

/* last - first, modulo 2^bits. */
uint64_t pmon_delta(uint64_t first, uint64_t last, uint32_t bits);
