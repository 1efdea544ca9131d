/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/measure/pmon_lab.h: experiments on every uncore box at once.
 *
 * All boxes of a kind are programmed while they stand, let run one after another, left alone for a while, stopped in
 * the same order and read at leisure. A box's own window is bracketed by the TSC before and after each of the two
 * writes, so that a rate is an interval that holds however slow the writes were; inside one box the freeze stops all
 * counters at once, so that they can be compared exactly. MSR boxes of different packages are driven in parallel.
 */
#pragma once
#include "core/measure/common.h"

#define LAB_COUNTERS (PMON_MOST_COUNTERS + 1) /* the fixed one last */

struct lab_box {
    struct pmon_box *box;
    const struct pmon_unit *unit;
    uint32_t n;                 /* counters, the fixed one included                            */
    uint64_t ctl[LAB_COUNTERS]; /* to be programmed, en included where it is to count          */
    uint64_t preset[LAB_COUNTERS];
    uint32_t bits[LAB_COUNTERS]; /* width: the table's, or what lab_widths() found              */
    uint32_t filter[2];
    bool filtered[2];           /* written: goes back to 0 in lab_close()                      */
    uint64_t got[LAB_COUNTERS]; /* read after the last window                                  */
    uint64_t run_before, run_after, stop_before, stop_after; /* TSC                                          */
    enum status status; /* of the first access that failed: the box is left out since  */
    struct pmon_reg bad;
    char name[48];
};

struct lab {
    struct check *check;
    struct lab_box *boxes;
    uint32_t n;
    struct pmon_op *ops;
    struct lab_box **owner; /* of each op */
    uint32_t n_ops, capacity;
    uint32_t done; /* ops of the last lab_do()                 */
    uint64_t held; /* comparisons that came out as they should */
};

typedef bool (*lab_wanted)(const struct pmon_unit *unit);
/* Units that can be frozen and have an event for every clock: what most rules are tried on. */
bool lab_clocked(const struct pmon_unit *unit);

/* Boxes of wanted units that can be used; those in use, locked or half there are noted. false: there is none, or no
 * memory, and the check has its verdict; *lab needs no close. */
bool lab_open(struct lab *lab, struct check *c, lab_wanted wanted);
/* The same with units of free-running counters, which lab_open() leaves out. Nothing is written to them: preset is what
 * they read when the others had been let run, got what they read before the others were stopped. */
bool lab_open_free(struct lab *lab, struct check *c, lab_wanted wanted);
/* Quiet all, say which boxes could not be measured, show what was compared. Returns the check's verdict. */
enum verdict lab_close(struct lab *lab);

/* The global freeze, where one is documented, is lifted: firmware may have left it. */
void lab_thaw(struct check *c);
/* The event that occurs in every clock, as the unit spells it: its clock event, or one that never occurs compared with
 * "less than 1". false: it has none. */
bool lab_every_clock(const struct pmon_unit *unit, struct pmon_event *event);
/* The same as a control value, 0 where there is none. */
uint64_t lab_clock_ctl(const struct pmon_unit *unit);

/* Where sources disagree on a width, ask the counters: all ones are written and read. Frozen boxes only. */
void lab_widths(struct lab *lab);
/* All controls, filters and presets 0. */
void lab_clear(struct lab *lab);
/* The same control in every programmable counter of every box, 0 where the unit has none such; fixed counters on. */
void lab_all(struct lab *lab, uint64_t (*ctl)(const struct pmon_unit *unit), bool fixed);

/* One access for a box that still answers; lab_do() runs what was added since the last lab_do(). */
void lab_write(struct lab *lab, struct lab_box *b, struct pmon_reg reg, uint64_t value);
void lab_read(struct lab *lab, struct lab_box *b, struct pmon_reg reg);
void lab_do(struct lab *lab);
/* The value of the i-th access of the last lab_do() that belongs to b. */
uint64_t lab_value(const struct lab *lab, const struct lab_box *b, uint32_t i);

/* Stop all, then write controls, filters and presets. */
void lab_program(struct lab *lab);
void lab_run(struct lab *lab);  /* let all boxes run; sets run_before, run_after                            */
void lab_stop(struct lab *lab); /* sets stop_before, stop_after                                             */
void lab_wait(struct lab *lab, uint64_t ticks);
void lab_fetch(struct lab *lab); /* read every counter into got                                              */
/* lab_run, lab_wait, lab_stop, lab_fetch. */
void lab_window(struct lab *lab, uint64_t ticks);
uint64_t lab_ticks(const struct lab *lab); /* of a usual window: 10 ms */

/* Counter index of got[i]. */
uint32_t lab_index(const struct lab_box *b, uint32_t i);
/* Counts in the window: got - preset modulo the width. */
uint64_t lab_counts(const struct lab_box *b, uint32_t i);
/* Counts per second, at least and at most. */
void lab_rate(const struct lab *lab, const struct lab_box *b, uint32_t i, double *lo, double *hi);

/* Programmable counters. */
uint32_t lab_programmable(const struct lab_box *b);
/* value must lie in [lo, hi]: else a finding "<box> counter <i>: <defect>" with measurement and evidence. */
bool lab_expect(struct lab *lab, const struct lab_box *b, uint32_t i, const char *what, double value, const char *unit,
                double lo, double hi, const char *defect);
/* A register as it was read, as evidence. */
void lab_show(struct lab *lab, const struct lab_box *b, struct pmon_reg reg, uint64_t value);
/* "<where>: <defect>" as a FAIL, and as a WARN where one public source alone has the unit. */
void lab_find(struct check *c, const struct pmon_unit *unit, const char *where, const char *defect);

/* A row of a check that writes registers of boxes and moves no memory. */
#define LAB_ROW(name, says, source, list, defects, function)                                                           \
    {                                                                                                                  \
        .id = name, .title = says, .spec = source, .rows = list, .catches = defects, .needs = NEED_PMON,               \
        .risk = RISK_MSR, .grade = GRADE_F, .run = function                                                            \
    }
