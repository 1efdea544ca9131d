/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/rdt/qm.h: read what RDT counted for one RMID.
 *
 * Owns IA32_QM_EVTSEL and IA32_QM_CTR. The pair is a keyhole: what was selected must be read before the
 * next selection. So both are steps of one task on the domain's reader processor, under the domain's lock, and no other file
 * touches either register. One sample costs two MSR operations.
 *
 * Source: SDM vol. 3B 17.16.7 "Monitoring Resource Selection and Reporting Infrastructure", 17.16.8 "Monitoring
 * Programming Considerations".
 */
#pragma once
#include "core/platform/platform.h"

enum qm_event { /* EvtID; CPUID.(EAX=0FH,ECX=1):EDX bit number + 1 */
                QM_EVENT_NONE = 0,
                QM_EVENT_L3_OCCUPANCY = 1,
                QM_EVENT_L3_TOTAL = 2, /* external bandwidth */
                QM_EVENT_L3_LOCAL = 3,
                QM_EVENT_RESERVED = 4, /* the first that no processor defines */
};

struct qm_lock {
    uint32_t held;
};

/* AMD: assignable counters that events of bandwidth are counted by while ABMC is enabled. */
#define QM_COUNTERS_MOST 32u
struct qm_counters {
    uint32_t n;        /* that may be assigned; 0: events are read by RMID                */
    uint32_t used;     /* so many of them, from 0 on, are                                 */
    uint64_t types[2]; /* transaction types of QM_EVENT_L3_TOTAL and of QM_EVENT_L3_LOCAL */
    struct {
        uint32_t rmid;
        enum qm_event event;
    } of[QM_COUNTERS_MOST];
};

/* Processors that share one set of QM registers: one L3. Or one of its sub-NUMA clusters, where they share RMIDs: then
 * logical RMID r of the tag is read as first_rmid + r (RDT Architecture Specification 356688, B.1.2). */
struct qm_domain {
    struct qm_lock keyhole;
    uint32_t index;            /* of the domain in struct machine                          */
    uint32_t cpu;              /* the processor that reads for this domain                 */
    uint32_t first_rmid;       /* what IA32_QM_EVTSEL takes for RMID 0: 0 but for sub-NUMA clusters */
    uint32_t max_rmid;         /* CPUID.(EAX=0FH,ECX=1):ECX; of a cluster its share        */
    uint32_t upscaling_factor; /* bytes per count, CPUID.(EAX=0FH,ECX=1):EBX; likewise     */
    uint32_t counter_width;    /* of bandwidth counters, bits                              */
    bool overflow_flag;        /* IA32_QM_CTR has one: 0FH.1:EAX[8]; it is none of the counts */
    struct qm_counters counters;
    uint64_t samples;        /* pairs read so far                                        */
    uint64_t msr_operations; /* that took                                                */
};

struct qm_sample {
    uint64_t raw;        /* IA32_QM_CTR as read: this goes into the evidence                  */
    uint64_t counts;     /* its Data field; counts, not bytes                                 */
    uint64_t tsc;        /* of the reader, when the read was done                             */
    uint64_t tsc_select; /* when IA32_QM_EVTSEL had been written; of qm_read_many(): tsc     */
};

/* Read one monitored count.
 *
 * rmid    0 .. d->max_rmid
 * s       raw and both TSCs are set whenever the register was read, counts only on ST_OK
 * Errors: ST_RANGE (nothing was written), ST_FAULT (the selection or the read raised #GP), ST_QM_ERROR,
 *         ST_UNAVAILABLE, ST_LOST, ST_TIMEOUT. Error wins over Unavailable: only the latter can clear by waiting.
 * Where d->counters.n is not 0, an event of bandwidth is that of an assigned counter, as Linux reads it: the first read
 * of a pair assigns the next one, which begins at 0 (APM vol. 2 19.3.3.3). ST_RANGE: all are assigned.
 */
MUST_CHECK enum status qm_read(struct platform *p, struct qm_domain *d, uint32_t rmid, enum qm_event event,
                               struct qm_sample *s);

/* The same, and while the answer is Unavailable ask again, at most `tries` times in all with 1 ms between. *asked, if
 * not NULL, gets the number of reads. */
MUST_CHECK enum status qm_read_wait(struct platform *p, struct qm_domain *d, uint32_t rmid, enum qm_event event,
                                    uint32_t tries, struct qm_sample *s, uint32_t *asked);

/* Read an assigned counter of AMD's, by its number; assignable counters must be on. Then EVTSEL is set to its reset
 * value 0, since the selection is legal no longer once they are off.
 *
 * s       as of qm_read()
 * Errors: as qm_read(); ST_QM_ERROR where there is no such counter.
 * Source: APM vol. 2 19.3.3.3 "Assignable Bandwidth Monitoring Counters", ExtEvtID; Linux resctrl monitor.c.
 */
MUST_CHECK enum status qm_read_assigned(struct platform *p, struct qm_domain *d, uint32_t counter, struct qm_sample *s);

struct qm_pair {
    uint32_t rmid;
    enum qm_event event;
    enum status status; /* out: as qm_read() */
    struct qm_sample sample;
};
/* Read many pairs by RMID, in the order given, as few tasks as their number allows. Each pair has its own status; the return is
 * ST_OK when all were asked, ST_RANGE (a pair is out of range: none was asked), ST_NO_MEMORY, ST_LOST or ST_TIMEOUT
 * (the pairs not asked have that status). */
MUST_CHECK enum status qm_read_many(struct platform *p, struct qm_domain *d, struct qm_pair *pairs, uint32_t n);

/* Select anything, legal or not, and look at what happens: for checks of the protocol itself. Steps of a task on any
 * processor; nothing else may select on its L3 meanwhile. */
struct qm_probe {
    uint64_t before;         /* EVTSEL before                                             */
    enum status selected;    /* of the WRMSR: ST_OK or ST_FAULT                           */
    uint64_t evtsel;         /* EVTSEL read back after it                                 */
    enum status evtsel_read; /* of that read                                              */
    uint64_t ctr;            /* QM_CTR after it                                           */
    enum status ctr_read;
    uint64_t tsc;
};
#define QM_PROBE_STEPS 5u
/* evtsel is written as given; then EVTSEL is set to its reset value 0 (RMID 0, no event), so that nothing illegal stays
 * selected. */
void qm_probe_build(uint64_t evtsel, struct step steps[QM_PROBE_STEPS]);
struct qm_probe qm_probe_of(const struct step steps[QM_PROBE_STEPS]);

/* Select a legal pair, read IA32_QM_CTR, write 0 to it (it is read-only), read it again, and select nothing. */
#define QM_WRITE_STEPS 5u
void qm_write_build(uint64_t evtsel, struct step steps[QM_WRITE_STEPS]);
/* *outcome: what the write of the counter did; *before and *after: what was read. Errors: ST_FAULT, the selection or a
 * read raised #GP. */
MUST_CHECK enum status qm_write_of(const struct step steps[QM_WRITE_STEPS], enum status *outcome, uint64_t *before,
                                   uint64_t *after);

/* EVTSEL for a pair; nothing is cut off that the register's architectural fields (EvtID 7:0, RMID 63:32) hold. */
uint64_t qm_evtsel(uint32_t rmid, uint32_t event);
/* EVTSEL that asks this domain for the RMID of a tag, or for the counter that is assigned to it: what qm_read() writes. */
uint64_t qm_evtsel_of(const struct qm_domain *d, uint32_t rmid, uint32_t event);
/* What one read says. */
enum status qm_status(uint64_t raw);
/* later - earlier modulo 2^width: right as long as at most one roll-over lies between. width 1 .. 62. */
uint64_t qm_delta(uint64_t earlier_counts, uint64_t later_counts, uint32_t width);
/* Bytes from one read to a later one of bandwidth; below 0: the counter decreased (core/base/rollover.h). */
double qm_moved_bytes(const struct qm_domain *d, uint64_t earlier_counts, uint64_t later_counts);
/* Counts to bytes. */
uint64_t qm_bytes(const struct qm_domain *d, uint64_t counts);

/* The lock: take waits at most one second of TSC. ST_TIMEOUT. */
MUST_CHECK enum status qm_lock_take(struct platform *p, struct qm_lock *lock);
void qm_lock_release(struct qm_lock *lock);
