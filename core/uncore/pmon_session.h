/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/uncore/pmon_session.h: experiments on every uncore box at once.
 *
 * All boxes of a kind are programmed while stopped, enabled one after another, left running for a while, stopped in the
 * same order and then read. A box's own window is bracketed by the TSC before and after each of the two
 * writes, so that a rate is an interval that holds however slow the writes were; inside one box the freeze stops all
 * counters at once, so that they can be compared exactly. MSR boxes of different packages are accessed in parallel.
 */
#pragma once
#include "core/domain/domains.h"
#include "core/load/memory.h"

#define PMON_SESSION_COUNTERS (PMON_MOST_COUNTERS + 1) /* the fixed one last */
#define PMON_TEXT             160u                     /* bytes of a box's reason or of a defect */

struct pmon_session_box {
    struct pmon_box *box;
    const struct pmon_unit *unit;
    uint32_t n;                          /* counters, the fixed one included                            */
    uint64_t ctl[PMON_SESSION_COUNTERS]; /* to be programmed, en included where it is to count          */
    uint64_t preset[PMON_SESSION_COUNTERS];
    uint64_t dead;                        /* a bit for each counter that did not advance with en 1: reported once */
    uint32_t bits[PMON_SESSION_COUNTERS]; /* width: the table's, or what pmon_session_widths() found              */
    uint32_t filter[2];
    bool filtered[2];                    /* written: goes back to 0 in pmon_session_close()                      */
    uint64_t match[PMON_MATCHES];        /* of match registers; written where it is not 0                        */
    bool matched;                        /* as filtered                                                          */
    uint64_t got[PMON_SESSION_COUNTERS]; /* read after the last window                                  */
    uint64_t run_before, run_after, stop_before, stop_after; /* TSC                                          */
    enum status status; /* of the first access that failed: the box is left out since  */
    struct pmon_reg bad;
    char name[48];
};

struct pmon_session {
    struct check *check;
    struct pmon_session_box *boxes;
    uint32_t n;
    struct pmon_op *ops;
    struct pmon_session_box **owner; /* of each op */
    uint32_t n_ops, capacity;
    uint32_t done; /* ops of the last pmon_session_execute()                 */
    uint64_t held; /* comparisons that passed */
};

/* Each box of the session, as b. */
#define pmon_session_each(session, b)                                                                                  \
    for (struct pmon_session_box *b = (session)->boxes; b < (session)->boxes + (session)->n; b++)

/* Each counter k of each box that answers so far. */
#define pmon_session_each_counter(session, b, k)                                                                       \
    pmon_session_each(session, b)                                                                                      \
        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)

typedef bool (*pmon_session_wanted)(const struct pmon_unit *unit);
/* The UBox, which most parts give no box control. Rules that it has in common with other units are rows of their own
 * for it (ubox.*), and those of pmon.* leave it out. */
bool pmon_session_ubox(const struct pmon_unit *unit);
/* Units that can be frozen and have an event for every clock: most rules are tried on these. */
bool pmon_session_clocked(const struct pmon_unit *unit);
/* Those, and units that can be frozen and have a fixed counter alone that counts by itself, of which no document says what:
 * memory channels of Diamond Rapids. */
bool pmon_session_driven(const struct pmon_unit *unit);
/* Whether rst_ctrs of the box control resets its counters, by every source. */
bool pmon_session_resets(const struct pmon_unit *unit);
/* Of the clocked ones, units whose box control has an enable for each counter as well. */
bool pmon_session_two_levels(const struct pmon_unit *unit);

/* What a check does with its boxes. Errors: check_absent(), check_unmeasured() or check_violated() has said why. */
typedef enum status (*pmon_session_body)(struct pmon_session *session);
/* The whole of a check: opens a session, leaves out boxes without a running clock, hands it
 * to body and closes it, and makes the verdict of what body returned: of a row with .sums a SKIP where other software
 * counts on one of the wanted boxes. */
enum verdict pmon_session_check(struct check *c, pmon_session_wanted wanted, bool free_running, pmon_session_body body);

/* Boxes of wanted units that can be used; those in use, locked or partly decoded are noted. free_running: units of
 * free-running counters too. Nothing is written to these: preset is what they read when the others had been let run,
 * got what they read before the others were stopped. The session's memory is the check's. Errors: ST_ABSENT: there is
 * none; ST_NO_MEMORY. check_absent() or check_unmeasured() has said so, and there is nothing to close. */
MUST_CHECK enum status pmon_session_open(struct pmon_session *session, struct check *c, pmon_session_wanted wanted,
                                         bool free_running);
/* Quiets all boxes, notes those that could not be measured, records what was compared. Returns the check's verdict. */
enum verdict pmon_session_close(struct pmon_session *session);

/* --- what has to hold before a box is judged: no freeze is left, and its clock runs at all (pmon_session_open.c) */

/* The global freeze, where one is documented, is lifted and the global status cleared: firmware may have left them, and
 * an overflow that is reported freezes every box of its package (329468-002 2.1.1.1). The first time, packages[].frozen is
 * found out before. */
void pmon_session_thaw(struct check *c);

/* ST_ABSENT, with its reason: the freeze that an overflow may leave could not be lifted. Of an open session. */
MUST_CHECK enum status pmon_session_may_overflow(struct check *c);

/* Whether counter 0 of a box without a freeze of its own counts the box' clock. Its control is left set. */
bool pmon_session_counts_clock(struct check *c, struct pmon_box *box);

/* Whether the package has boxes of that kind and none of them counts its clock. */
bool pmon_session_none_alive(const struct check *c, enum pmon_kind kind, uint32_t package);

/* --- events and widths */

/* The event that occurs in every clock, as the unit spells it: its clock event, or one that never occurs compared with
 * "less than 1". false: it has none. */
bool pmon_session_every_clock(const struct pmon_unit *unit, struct pmon_event *event);
/* The same as a control value, 0 where there is none. */
uint64_t pmon_session_clock_ctl(const struct pmon_unit *unit);

/* Where sources disagree on a width, ask the counters: all ones are written and read. Frozen boxes only. */
void pmon_session_widths(struct pmon_session *session);
/* All controls, filters and presets 0. */
void pmon_session_clear(struct pmon_session *session);
/* The same control in every programmable counter of every box, 0 where the unit has none such; fixed counters on. */
void pmon_session_set_all(struct pmon_session *session, uint64_t (*ctl)(const struct pmon_unit *unit), bool fixed);

/* One access for a box that still answers; pmon_session_execute() runs what was added since the last
 * pmon_session_execute(). */
void pmon_session_write(struct pmon_session *session, struct pmon_session_box *b, struct pmon_reg reg, uint64_t value);
void pmon_session_read(struct pmon_session *session, struct pmon_session_box *b, struct pmon_reg reg);
void pmon_session_execute(struct pmon_session *session);
/* The value of the i-th access of the last pmon_session_execute() that belongs to b. */
uint64_t pmon_session_value(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t i);

/* Write the global control, which is an MSR (boxes_global() is not 0), on one processor of each package and of each die that has
 * MSRs of its own, with the write as evidence. Returns the first failure. */
enum status pmon_session_set_global(struct check *c, uint64_t value);

/* Stop all, then write controls, filters and presets. */
void pmon_session_program(struct pmon_session *session);
void pmon_session_run(struct pmon_session *session);  /* lets all boxes run; sets run_before, run_after */
void pmon_session_stop(struct pmon_session *session); /* sets stop_before, stop_after                   */
void pmon_session_wait(struct pmon_session *session, uint64_t ticks);
void pmon_session_fetch(struct pmon_session *session); /* read every counter into got */
/* pmon_session_run, pmon_session_wait, pmon_session_stop, pmon_session_fetch. */
void pmon_session_window(struct pmon_session *session, uint64_t ticks);
/* pmon_session_program(), and a window. */
void pmon_session_measure(struct pmon_session *session, uint64_t ticks);
/* Nothing is programmed: no counter counts. */
void pmon_session_silence(struct pmon_session *session);
/* What every counter has counted becomes its preset. */
void pmon_session_keep(struct pmon_session *session);
uint64_t pmon_session_ticks(const struct pmon_session *session); /* of a usual window: 10 ms */

/* Counter index of got[i]. */
uint32_t pmon_session_index(const struct pmon_session_box *b, uint32_t i);
/* Counts in the window: got - preset modulo the width. */
uint64_t pmon_session_counts(const struct pmon_session_box *b, uint32_t i);
/* What another counter of the box may count of the same clock in the same window. A freeze stops all at once: exactly
 * as many. Without one the box's counters are started and stopped one after another: as many as in the shortest and in
 * the longest time that a counter may have run, and PMON_SESSION_AGREEMENT. */
#define PMON_SESSION_AGREEMENT 0.01
void pmon_session_same(const struct pmon_session_box *b, double counts, double *lo, double *hi);
/* Has another programmable counter of the box counted in the window? If so, it is counter k that is dead, and not the box. */
bool pmon_session_others_count(const struct pmon_session_box *b, uint32_t k);
/* Of counters that count one event, dead ones left out, the one that most agree with; of several such the one that has
 * counted most. tied: as many agree with another number, so that nothing says which of them is off. */
struct pmon_usual {
    uint32_t counter;
    bool tied;
};
/* Of the programmable counters, by pmon_session_same(). */
struct pmon_usual pmon_session_usual(const struct pmon_session_box *b);
/* Of the first n: those agree with counter k that have counted lo[k] to hi[k]. */
struct pmon_usual pmon_session_usual_of(const struct pmon_session_box *b, uint32_t n, const double *lo,
                                        const double *hi);
/* Counts per second, at least and at most. */
void pmon_session_rate(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t i, double *lo,
                       double *hi);

/* All sources agree that counter i counts: a defect of another one is a WARN. */
bool pmon_session_sure(const struct pmon_session_box *b, uint32_t i);
/* The counter by which the box is seen to count: 0, and the fixed one where no event drives counter 0. */
uint32_t pmon_session_first(const struct pmon_session_box *b);
/* Programmable counters. */
uint32_t pmon_session_programmable(const struct pmon_session_box *b);
/* Notes the boxes that have no event for every clock: their fixed counter alone is judged where a clock is to be
 * counted. */
void pmon_session_note_fixed_alone(const struct pmon_session *session);
/* The most counters that a box of the session has, the fixed one included. */
uint32_t pmon_session_most(const struct pmon_session *session);
/* Where got[i] is read. */
struct place pmon_session_place(const struct pmon_session_box *b, uint32_t i);
/* The counter of a stopped box whose read in got[] was wrong, as two more of it show: i, or else another that counts;
 * PMON_FIXED: none. */
uint32_t pmon_session_read_wrong(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t i);
/* value must lie in [lo, hi]: else a finding "<box> counter <i>: <what>: <defect>" with measurement and evidence. Where the
 * code is of counts that stand and pmon_session_read_wrong() names a counter, the finding is READS_DIFFER, there. */
bool pmon_session_expect(struct pmon_session *session, const struct pmon_session_box *b, uint32_t i, const char *what,
                         double value, const char *unit, double lo, double hi, enum finding_code code,
                         const char *defect);
/* The same of what counter i has counted, by the usual one: where that is tied and both count, the place is the box. */
bool pmon_session_expect_usual(struct pmon_session *session, const struct pmon_session_box *b, uint32_t i,
                               struct pmon_usual usual, const char *what, double lo, double hi, enum finding_code code,
                               const char *defect);
/* A register as it was read, as evidence. */
void pmon_session_show(struct pmon_session *session, const struct pmon_session_box *b, struct pmon_reg reg,
                       uint64_t value);
/* A finding that is expected, and unusual where one public source alone has the unit. */
void pmon_session_finding(struct check *c, const struct pmon_unit *unit, enum finding_code code, struct place place,
                          const char *sentence, ...) __attribute__((format(printf, 5, 6)));
