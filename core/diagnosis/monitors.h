/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/diagnosis/monitors.h: a verdict on each monitor of the machine, for those who will use it.
 *
 * A check belongs to one monitor; what a cause explains (core/diagnosis/diagnosis.h) counts against the monitor that the
 * cause names. A finding of a check of the uncore counts against the unit of its place. So each check that FAILs makes one
 * monitor FAIL. Readers of a stream print this and compute none of it.
 */
#pragma once
#include "core/boxes/boxes.h"
#include "core/diagnosis/diagnosis.h"

enum monitor_state {
    MONITOR_FAIL,
    MONITOR_ERROR,
    MONITOR_WARN,
    MONITOR_UNCALIBRATED, /* figures are out of bounds of experience, and the machine has no bands */
    MONITOR_GOOD,
    MONITOR_NOT_JUDGED,
    MONITOR_ABSENT,
};
/* "FAIL", "ERROR", "WARN", "UNCALIBRATED", "GOOD", "NOT JUDGED", "ABSENT" */
const char *monitor_state_text(enum monitor_state s);

#define MONITOR_SAYS  160u
#define MONITORS_MOST 48u

struct monitor {
    const char *name;             /* "MBM total", "CHA"          */
    const struct pmon_unit *unit; /* of an uncore unit; else NULL */
    enum monitor_state state;
    double excludes; /* the smallest defect that this run would have found, in unit_of_excludes; 0: not known */
    const char *unit_of_excludes;
    char says[MONITOR_SAYS]; /* "good to 1.8 %", "not judged: hidden by firmware" */
};

struct monitors {
    uint32_t n;
    uint8_t shown[MONITORS_MOST]; /* their indices as people are shown them: FAIL first, what is not there last */
    struct monitor list[MONITORS_MOST];
};

/* The monitor that a check belongs to. */
const char *monitor_of_check(const struct check_row *row);
/* missing: enum check_needs that the machine does not meet. pmon: the boxes that were found; NULL: none were looked for.
 * calibrated: there are bands of good machines. */
void monitors_judge(const struct symptoms *s, const struct diagnosis *d, uint32_t missing, const struct pmon *pmon,
                    bool calibrated, struct monitors *out);
/* What a check that said FAIL, WARN or ERROR says of one of the monitors; VERDICT_PASS where it does not count against it. */
enum verdict monitor_verdict_of(const struct monitors *m, const struct diagnosis *d, const struct symptom *s,
                                const struct monitor *of);
/* In a line for people: the one that is shown at this place and those after it of which the same is to be said, "CDP, L2 CAT: not
 * there". Returns the length needed; 0: a line before it has it. */
size_t monitors_line(const struct monitors *m, uint32_t place, char *out, size_t size);
