/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/finding_codes.h: what a finding says is wrong, as a code.
 *
 * A code goes with the id of its check: COUNTS_ZERO of mbm.total is that MBM total counts nothing. The diagnosis
 * (core/diagnosis), the page and scripts read check, code and place, and nobody reads the sentence. The word is what the
 * stream has, after the slash of a diagnosis' verdict ("assay-mbm-total-fail/counts-zero"); it is stable for ever. A check
 * that tells two defects apart uses two codes; codes are shared between checks where the defect is of the same kind.
 */
#pragma once

/* X(name, word) */
#define FINDING_CODES(X)                                                                                               \
    X(OTHER, "other")                                                                                                  \
    /* readings of IA32_QM_CTR, in this order for each event: finding_of_reading() (core/experiment) */                \
    X(OCCUPANCY_ZERO, "occupancy-zero")                                                                                \
    X(OCCUPANCY_LOW, "occupancy-low")                                                                                  \
    X(OCCUPANCY_LOW_FINE, "occupancy-low-fine") /* within the tolerance, below the finer band */                       \
    X(OCCUPANCY_HIGH, "occupancy-high")                                                                                \
    X(OCCUPANCY_HIGH_FINE, "occupancy-high-fine")                                                                      \
    X(TOTAL_ZERO, "mbm-total-zero")                                                                                    \
    X(TOTAL_LOW, "mbm-total-low")                                                                                      \
    X(TOTAL_LOW_FINE, "mbm-total-low-fine")                                                                            \
    X(TOTAL_HIGH, "mbm-total-high")                                                                                    \
    X(TOTAL_HIGH_FINE, "mbm-total-high-fine")                                                                          \
    X(LOCAL_ZERO, "mbm-local-zero")                                                                                    \
    X(LOCAL_LOW, "mbm-local-low")                                                                                      \
    X(LOCAL_LOW_FINE, "mbm-local-low-fine")                                                                            \
    X(LOCAL_HIGH, "mbm-local-high")                                                                                    \
    X(LOCAL_HIGH_FINE, "mbm-local-high-fine")                                                                          \
    X(NEVER_AVAILABLE, "never-available") /* Error or Unavailable on every read */                                     \
    /* figures */                                                                                                      \
    X(UNDERCOUNTS, "undercounts")             /* less than a load is known to move or to fill */                       \
    X(OVERCOUNTS, "overcounts")               /* more than that */                                                     \
    X(COUNTS_ZERO, "counts-zero")             /* nothing at all */                                                     \
    X(OFF_KIND_BAND, "off-kind-band")         /* outside of the band of reference machines */                          \
    X(STEPS_BACK, "steps-back")               /* a counter that only grows decreased */                                \
    X(SLOPE_OFF, "slope-off")                 /* the slope over a series of loads */                                   \
    X(NOT_MONOTONIC, "not-monotonic")         /* a larger load shows less */                                           \
    X(COUNTED_ELSEWHERE, "counted-elsewhere") /* under an RMID, domain or box that has no part in the load */          \
    X(MONITORS_DISAGREE, "monitors-disagree") /* several monitors of one load, in no order */                          \
    X(LOAD_DISAGREES, "load-disagrees")       /* the monitors agree, with each other and not with the load */          \
    X(MBM_DISAGREES, "mbm-disagrees")         /* alone among the monitors of one load; so the next ones */             \
    X(MEMORY_DISAGREES, "memory-channels-disagree")                                                                    \
    X(SLICES_DISAGREE, "slices-disagree")                                                                              \
    X(LINKS_DISAGREE, "links-disagree")                                                                                \
    X(CORE_DISAGREES, "core-pmu-disagrees")                                                                            \
    /* registers */                                                                                                    \
    X(NOT_STORED, "not-stored")             /* a legal value was written, and another one is read */                   \
    X(LEGAL_REFUSED, "legal-refused")       /* a legal value raised #GP */                                             \
    X(ILLEGAL_ACCEPTED, "illegal-accepted") /* a value that has to raise #GP, or to be dropped, was accepted */        \
    X(READS_DIFFER, "reads-differ")         /* a register that should be stable, or the same on all processors */      \
    X(NOT_RESET_VALUE, "not-reset-value")   /* left by firmware in another state than that of a reset */               \
    /* enumeration and tables */                                                                                       \
    X(PROCESSORS_DIFFER, "processors-differ") /* processors enumerate differently */                                   \
    X(OUT_OF_RANGE, "out-of-range")           /* an enumerated number that no part can have */                         \
    X(TABLES_DISAGREE, "tables-disagree")     /* two tables, or a table and CPUID */                                   \
    X(TABLE_INVALID, "table-invalid")         /* a firmware table that breaks its format */                            \
    /* rounds */                                                                                                       \
    X(VERDICTS_DIFFER, "verdicts-differ") /* between rounds of one run */
