/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/uncore/ubox_session.h: the UBox of each package, one after another, read between two readings of the TSC.
 *
 * The UBoxes of most parts have no box control to freeze them, so pmon_session.h is of no use here: their
 * counters are read at two times, each with its own, and rates are compared.
 */
#pragma once
#include "core/domain/domains.h"
#include "core/base/stats.h"
#include "core/uncore/pmon_session.h"

#define UBOX_WINDOWS          7u
#define UBOX_WINDOWS_A_SECOND 100u /* 10 ms each                                                   */
#define UBOX_SPREAD           0.05 /* of windows on one package, and between packages: UCLK may scale a little */
#define UBOX_MARK             UINT64_C(0x123456789) /* fits every width                                             */

#define UBOX_GUIDE_CONTROL "E5-2600 Uncore Guide 327043-001 2.2.3.2 UBox PMON state, table 2-2 U_MSR_PMON_CTL"
#define UBOX_GUIDE_COUNTER "E5-2600 Uncore Guide 327043-001 2.2.3.2 UBox PMON state, table 2-3 U_MSR_PMON_CTR"

/* Errors: check_absent(), check_unmeasured() or check_violated() has said why. */
typedef enum status (*ubox_check)(struct check *c, struct pmon_box *box);
/* Calls one() for every usable UBox, and quiets it; the others are noted, and where none is usable the check is SKIP. */
enum verdict ubox_each(struct check *c, ubox_check one);

uint32_t ubox_ctl_msr(const struct pmon_box *box, uint32_t index);
uint32_t ubox_ctr_msr(const struct pmon_box *box, uint32_t index);
/* "package 0 UBox: absent: ..." */
void ubox_reason(const struct pmon_box *box, char why[PMON_TEXT]);
/* "package 0 UBox counter 1" */
void ubox_counter_name(const struct pmon_box *box, uint32_t index, char out[64]);
/* Some processor of its package takes work. */
bool ubox_runs(struct check *c, struct pmon_box *box);

/* Programmable counters that can be made to count every cycle: all, or none where the control has no invert. */
uint32_t ubox_cycle_counters(const struct pmon_unit *unit);
/* A note for the PASS of a check that can only have judged the fixed counter, where that is so. */
void ubox_note_fixed_alone(struct check *c, const struct pmon_box *box);
/* The event that does not occur on an idle machine. */
struct pmon_event ubox_idle_event(const struct pmon_unit *unit);
/* The fixed counter on or off; a programmable one on every cycle ("is event increment < threshold?"), or off. */
MUST_CHECK enum status ubox_start(struct check *c, struct pmon_box *box, uint32_t index, bool on);
/* TSC ticks of a usual window. */
uint64_t ubox_ticks(const struct check *c);
/* A reading as evidence. */
void ubox_show(struct check *c, const struct pmon_box *box, uint32_t index, const struct pmon_reading *r);
/* One window over one counter: how far it went. On ST_OK *delta is written. */
MUST_CHECK enum status ubox_moved(struct check *c, const struct pmon_box *box, uint32_t index, uint64_t *delta);
/* What a counter that is off reads after a value was written to it. On ST_OK *back is written. */
MUST_CHECK enum status ubox_store(struct check *c, struct pmon_box *box, uint32_t index, uint64_t value,
                                  uint64_t *back);

struct ubox_rate {
    double hz[UBOX_WINDOWS];
    struct summary summary; /* of hz, in another order */
    uint32_t still;         /* windows in which it did not advance */
    uint32_t back;          /* windows in which it decreased        */
};

/* UCLK by the fixed counter, which is left running. *r is written in any case. */
MUST_CHECK enum status ubox_rates(struct check *c, struct pmon_box *box, struct ubox_rate *r);

/* UCLK over the ratio in MSR 621H, in windows of a hundredth of a usual one at whose ends it reads the same. */
struct uclk_by_ratio {
    double over[UBOX_WINDOWS]; /* ascending; 1: the clock is the ratio times 100 MHz */
    uint32_t n;
    uint64_t least, most; /* ratios that were read */
};

/* By the fixed counter, which is left running. ST_ABSENT: no such register, or it reads 0. */
MUST_CHECK enum status uclk_by_ratio(struct check *c, struct pmon_box *box, struct uclk_by_ratio *u);
