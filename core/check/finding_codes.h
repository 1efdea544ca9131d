/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/finding_codes.h: what a finding says is wrong, as a code.
 *
 * A code goes with the id of its check: COUNTS_ZERO of mbm.total is that MBM total counts nothing. The diagnosis
 * (core/diagnosis), the page and scripts read check, code and place, and none of them reads the sentence. The word is what the
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
    X(ALWAYS_ERROR, "always-error") /* on every read; so the next one */                                               \
    X(ALWAYS_UNAVAILABLE, "always-unavailable")                                                                        \
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
    X(OTHER_DIRECTION, "other-direction")       /* bytes are counted in the direction that nothing moved in */         \
    X(CHANNEL_DEAD, "channel-dead")             /* one channel counts nothing, the others do */                        \
    X(CHANNEL_OFF_MEDIAN, "channel-off-median") /* one channel against the median of its package */                    \
    X(MEMORY_READS_OFF, "memory-reads-off")     /* all channels of a package together; so the next one */              \
    X(MEMORY_WRITES_OFF, "memory-writes-off")                                                                          \
    X(CHANNEL_UNEVEN, "channel-uneven") /* one channel counts another share than the others */                         \
    X(SLICE_UNEVEN, "slice-uneven")     /* the same of a slice */                                                      \
    X(UNEVEN, "uneven")                 /* of two or more that should be alike */                                      \
    X(SUM_OFF, "sum-off")               /* parts do not sum to the whole */                                            \
    X(FILLS_OFF, "fills-off")                                                                                          \
    X(VICTIMS_OFF, "victims-off")                                                                                      \
    X(LOCAL_SHARE_OFF, "mbm-local-share-off") /* MBM local over MBM total */                                           \
    X(REMOTE_READS_OFF, "remote-reads-off")   /* at the home: the next one too */                                      \
    X(LOCAL_READS_OFF, "local-reads-off")                                                                              \
    X(HOME_AGENTS_OFF, "home-agents-off")                                                                              \
    X(MESH_OFF, "mesh-off")                                                                                            \
    X(LINKS_SENT_OFF, "links-sent-off")                                                                                \
    X(LINK_WRITES_OFF, "link-writes-off")                                                                              \
    X(LINKS_RECEIVED_OFF, "links-received-off")                                                                        \
    X(MORE_THAN_CACHE, "more-than-cache") /* occupancy above the size of the L3 */                                     \
    X(FILL_UNCOUNTED, "fill-uncounted")   /* a fill counts under no RMID */                                            \
    X(RMID_IGNORED, "rmid-ignored")       /* fills count under RMID 0, whatever IA32_PQR_ASSOC has */                  \
    X(TSC_DIFFERS, "tsc-differs")                                                                                      \
    /* occupancy and bandwidth of RMIDs */                                                                             \
    X(OTHERS_GAINED, "others-gained")       /* all RMIDs without a load together have lines */                         \
    X(LESS_THAN_CACHE, "less-than-cache")   /* all RMIDs together, and the cache is full */                            \
    X(KEPT_AFTER_FLUSH, "kept-after-flush") /* occupancy of lines that CLFLUSH or WBINVD removed */                    \
    X(KEPT_AFTER_EVICTION, "kept-after-eviction")                                                                      \
    X(CHANGED_AT_REST, "changed-at-rest")       /* occupancy, while nothing was filled under its RMID */               \
    X(L2_VICTIMS_MISSING, "l2-victims-missing") /* a non-inclusive L3 does not keep or count all of them */            \
    X(FEW_LINES_MISSING, "few-lines-missing")   /* RMIDs with few lines show none of them */                           \
    X(FROM_RMID_ON, "from-rmid-on")             /* RMIDs from one on differ from those below it */                     \
    X(FOLDED_RMIDS, "folded-rmids")             /* those from one on count nothing, those below it twice */            \
    X(RMID_BIT_LOST, "rmid-bit-lost")           /* those with one bit set count nothing, those without it do */        \
    X(RMID_DIFFERS, "rmid-differs")             /* from the other RMIDs, under the same load */                        \
    X(CLUSTER_DIFFERS, "cluster-differs")       /* all RMIDs of a cluster, from those of another one */                \
    X(RMIDS_EXCHANGED, "rmids-exchanged")       /* each counts what the other one moved */                             \
    X(TAG_LATE, "tag-late")                     /* bytes go under the RMID before a change, or none */                 \
    X(CORRECTION_OFF, "correction-off")         /* an erratum's correction factor does not fit */                      \
    X(OFFSET_OFF, "offset-off")                 /* the value at no load, extrapolated */                               \
    X(GROWS_WITH_TIME, "grows-with-time")       /* and not with the load alone */                                      \
    X(CHANGED_BY_READING, "changed-by-reading") /* reads of other RMIDs change a count */                              \
    X(LOCAL_OVER_TOTAL, "local-over-total")                                                                            \
    X(NEVER_WRAPS, "never-wraps")                                                                                      \
    X(WRAP_LOSES, "wrap-loses")           /* the sample with the wrap differs from the others */                       \
    X(TOP_BITS_UNUSED, "top-bits-unused") /* no counter of many has one of the highest bits set */                     \
    X(BITS_STUCK, "bits-stuck")           /* bits that the loads reach do not toggle */                                \
    /* allocation */                                                                                                   \
    X(FILLS_OUTSIDE_MASK, "fills-outside-mask") /* a CLOS holds more than the ways of its CBM; so the next one */      \
    X(FILLS_OUTSIDE_TOGETHER, "fills-outside-mask-together") /* several processors at once */                          \
    X(FILLS_OUTSIDE_CONTENDED,                                                                                         \
      "fills-outside-mask-contended")     /* with all processors of the L3 at work, and not else */                    \
    X(FILLS_MORE_WAYS, "fills-more-ways") /* but not every way */                                                      \
    X(EVICTS_OUTSIDE_MASK, "evicts-outside-mask")                                                                      \
    X(WAYS_UNFILLED, "ways-unfilled")               /* a CLOS holds less than the ways of its CBM */                   \
    X(OTHER_WAYS, "other-ways")                     /* a CBM acts on other ways than it names */                       \
    X(OTHER_MASK_ACTS, "other-mask-acts")           /* CDP: data by the mask of code */                                \
    X(OTHER_CLOS_ACTS, "other-clos-acts")           /* CDP: by the mask of another CLOS */                             \
    X(CDP_OFF, "cdp-off")                           /* enabled, and masks act as without it */                         \
    X(MASK_WITHOUT_EFFECT, "mask-without-effect")   /* fewer ways, and no more misses */                               \
    X(HITS_DIFFER, "hits-differ")                   /* occupancy and L3 hits of one buffer */                          \
    X(SHAREABLE_BITS_SET, "shareable-bits-set")     /* a mask is stored with all shareable bits */                     \
    X(DELAY_REVERSED, "delay-reversed")             /* the rate rises with the delay */                                \
    X(DELAY_WITHOUT_EFFECT, "delay-without-effect") /* at the largest delay; so the next one */                        \
    X(DELAY_TOO_WEAK, "delay-too-weak")                                                                                \
    X(DELAY_TOO_STRONG, "delay-too-strong") /* it leaves half of what it asks for, or less */                          \
    X(DELAY_KEPT, "delay-kept")             /* none was written after it, and it still acts; so a limit */             \
    X(UNLIMITED_SLOWED, "unlimited-slowed") /* a limit acts although U is set */                                       \
    X(OTHER_CLOS_SLOWED, "other-clos-slowed")                                                                          \
    X(SIBLING_DELAY_OFF, "sibling-delay-off") /* delays of two threads of a core combine otherwise than documented */  \
    X(LIMIT_EXCEEDED, "limit-exceeded")       /* a rate above the limit of its CLOS */                                 \
    X(LIMIT_TOO_LOW, "limit-too-low")         /* a rate far below the limit of its CLOS */                             \
    X(NOT_CLEARED, "not-cleared")             /* a count that starts again has the bytes before */                     \
    /* registers */                                                                                                    \
    X(NOT_STORED, "not-stored")                 /* a legal value was written, and another one is read */               \
    X(CONTROL_NOT_STORED, "control-not-stored") /* of a control or filter of uncore counters */                        \
    X(LEGAL_REFUSED, "legal-refused")           /* a legal value raised #GP */                                         \
    X(ILLEGAL_ACCEPTED, "illegal-accepted")     /* a value that has to raise #GP, or to be dropped, was accepted */    \
    X(READS_DIFFER, "reads-differ")             /* a register that should be stable, or the same on all processors */  \
    X(NOT_RESET_VALUE, "not-reset-value")       /* left by firmware in another state than that of a reset */           \
    X(REFUSED_WRITE_CHANGED, "refused-write-changed")     /* a write that raised #GP changed the register */           \
    X(REGISTER_MISSING, "register-missing")               /* enumerated, and accesses raise #GP */                     \
    X(REGISTER_NOT_ENUMERATED, "register-not-enumerated") /* it exists, CPUID does not have it */                      \
    X(REGISTER_SHARED, "register-shared")                 /* processors or boxes share it */                           \
    X(REGISTER_LOST, "register-lost")                     /* it held a value, and holds none that anyone wrote */      \
    X(OTHER_RMID_READ, "other-rmid-read")                 /* a read returned the count of the RMID selected before */  \
    X(NO_ERROR, "no-error")                               /* an illegal selection is answered without Error */         \
    X(ERROR_OF_LEGAL, "error-of-legal")                   /* a legal selection is answered with Error */               \
    X(UNAVAILABLE, "unavailable")                         /* Unavailable where data is due */                          \
    X(BITS_ABOVE_WIDTH, "bits-above-width")                                                                            \
    X(OVERFLOW_STICKS, "overflow-sticks") /* the overflow bit stays after a read */                                    \
    X(LOST_IN_SMI, "lost-in-smi")         /* an SMI changed a register */                                              \
    X(MANY_SMIS, "many-smis")                                                                                          \
    /* enumeration and tables */                                                                                       \
    X(NOT_ENUMERATED, "not-enumerated") /* what parts of this kind have, or what the processor needs */                \
    X(RESERVED_BITS, "reserved-bits")                                                                                  \
    X(UNUSUAL_VALUE, "unusual-value")         /* legal, and no known part has it */                                    \
    X(LEAVES_CONTRADICT, "leaves-contradict") /* two fields of CPUID */                                                \
    X(LEAVES_DIFFER, "leaves-differ")         /* a leaf differs between processors */                                  \
    X(UPSCALING_FACTOR_OFF, "upscaling-factor-off")                                                                    \
    X(RMID_COUNT_OFF, "rmid-count-off")                                                                                \
    X(CLOS_COUNT_OFF, "clos-count-off")                                                                                \
    X(CBM_LENGTH_OFF, "cbm-length-off")                                                                                \
    X(L3_COUNT_OFF, "l3-count-off") /* L3 domains against packages and nodes */                                        \
    X(NODE_SPANS_PACKAGES, "node-spans-packages")                                                                      \
    X(DOMAINS_DIFFER, "domains-differ") /* L3 domains enumerate differently */                                         \
    X(MICROCODE_DIFFERS, "microcode-differs")                                                                          \
    X(SAME_APIC_ID, "same-apic-id")                                                                                    \
    X(BSP_DISAGREES, "bsp-disagrees")                                                                                  \
    X(UNHEALTHY, "unhealthy") /* a processor failed its self-test */                                                   \
    X(MP_CALL_FAILED, "mp-call-failed")                                                                                \
    X(PROCEDURE_RUNS_OFF, "procedure-runs-off") /* not on every AP, or on one that is not listed */                    \
    X(PROCEDURE_NOT_AWAITED, "procedure-not-awaited")                                                                  \
    X(PROCEDURE_REPEATED, "procedure-repeated")                                                                        \
    X(TIME_OUT_OFF, "time-out-off")                                                                                    \
    X(NOT_RESTARTED, "not-restarted")                                                                                  \
    X(PROCESSORS_DIFFER, "processors-differ") /* processors enumerate differently */                                   \
    X(OUT_OF_RANGE, "out-of-range")           /* an enumerated number that no part can have */                         \
    X(TABLES_DISAGREE, "tables-disagree")     /* two tables, or a table and CPUID */                                   \
    X(TABLE_INVALID, "table-invalid")         /* a firmware table that breaks its format */                            \
    /* uncore: boxes and tables of them */                                                                             \
    X(BOX_ABSENT, "box-absent")      /* no box answers where the part, or another package, has one */                  \
    X(BOX_HALF, "box-partly-absent") /* some of its registers answer */                                                \
    X(BOX_ALL_ONES, "box-reads-all-ones")                                                                              \
    X(BOX_LOCKED, "box-locked") /* it takes no writes */                                                               \
    X(BOX_HIDDEN, "box-hidden")                                                                                        \
    X(BOX_UNREACHABLE, "box-unreachable") /* no window leads to its registers */                                       \
    X(NO_BASE_ADDRESS, "no-base-address")                                                                              \
    X(BOXES_MISCOUNTED, "boxes-miscounted")   /* registers, tables or packages give another number of boxes */         \
    X(BUS_MAPS_DISAGREE, "bus-maps-disagree") /* about which package a PCI bus belongs to */                           \
    X(LEFT_ENABLED, "left-enabled")           /* counters that firmware or a debugger uses */                          \
    X(LEFT_FROZEN, "left-frozen")                                                                                      \
    X(NOT_DECODED, "not-decoded")               /* a function's region, at handoff */                                  \
    X(TABLE_MISSING, "table-missing")           /* no discovery table can be read */                                   \
    X(TABLE_MISSING_HERE, "table-missing-here") /* for this package */                                                 \
    X(ADDRESS_OFF, "address-off")               /* not the documented address of a register */                         \
    /* uncore: clocks */                                                                                               \
    X(NO_CLOCK, "no-clock") /* no box of a kind has one */                                                             \
    X(CLOCK_OUT_OF_RANGE, "clock-out-of-range")                                                                        \
    X(CLOCK_DIFFERS, "clock-differs")         /* from that of the same clock elsewhere */                              \
    X(CLOCK_OFF_RATIO, "clock-off-ratio")     /* not the ratio times the base clock */                                 \
    X(RESIDENT_AWAKE, "resident-while-awake") /* residency in an idle state of a core or package that is awake */      \
    /* uncore: registers */                                                                                            \
    X(WRITE_ONLY_READS, "write-only-bit-reads-1")                                                                      \
    X(NOT_RESET, "not-reset")       /* a reset does not clear what it names */                                         \
    X(RESET_BEYOND, "reset-beyond") /* a reset changes what it does not name */                                        \
    /* uncore: what lets a counter count */                                                                            \
    X(COUNTS_DISABLED, "counts-while-disabled")                                                                        \
    X(FIXED_COUNTS_DISABLED, "fixed-counter-counts-while-disabled")                                                    \
    X(COUNTS_UNGATED, "counts-while-globally-disabled")                                                                \
    X(COUNTS_AFTER_DISABLE, "counts-after-disable") /* enabled, then disabled while it counts */                       \
    X(ENABLE_NEEDED, "enable-needed")               /* where it is documented to be unused */                          \
    X(COUNTS_FROZEN, "counts-while-frozen")                                                                            \
    X(BEYOND_FREEZE, "beyond-freeze")     /* a freeze that may not be its own does not stop it */                      \
    X(FREEZES_UNASKED, "freezes-unasked") /* frz acts without frz_en */                                                \
    X(NOT_RESUMED, "not-resumed")         /* after a freeze */                                                         \
    /* uncore: what a counter counts */                                                                                \
    X(COUNTERS_DIFFER, "counters-differ")         /* of one event in one window */                                     \
    X(COUNTER_ZERO, "counter-zero")               /* where others of its box count the same event */                   \
    X(THRESHOLD_STOPS, "threshold-stops")         /* increments that reach it */                                       \
    X(THRESHOLD_PASSES, "threshold-passes")       /* increments below it */                                            \
    X(THRESHOLD_MISCOUNTS, "threshold-miscounts") /* counts at several thresholds do not add up */                     \
    X(INVERT_IGNORED, "invert-ignored")                                                                                \
    X(INVERT_UNASKED, "invert-unasked")     /* acts with thresh 0 */                                                   \
    X(INVERT_MISCOUNTS, "invert-miscounts") /* a condition and its inverse are not all cycles */                       \
    X(EDGES_COUNT_CYCLES, "edges-count-cycles")                                                                        \
    X(EDGES_IN_PART, "edges-count-part-of-cycles")                                                                     \
    X(EDGES_MISCOUNTED, "edges-miscounted")   /* more or fewer than entries come and go */                             \
    X(SELECTION_IGNORED, "selection-ignored") /* ev_sel or umask selects nothing */                                    \
    X(FILTER_STOPS, "filter-stops")           /* what it is set to */                                                  \
    X(FILTER_PASSES, "filter-passes")         /* what it is not set to */                                              \
    X(FILTER_OF_ANOTHER, "filter-of-another") /* what another value should pass */                                     \
    X(ENTRIES_COUNT_TWICE, "entries-count-twice")                                                                      \
    X(OCCUPANCY_STALE, "occupancy-stale")     /* of an empty queue */                                                  \
    X(RESIDENCY_LONG, "residency-long")       /* an entry stays longer than what waits for it */                       \
    X(BACKGROUND_VARIES, "background-varies") /* too much to judge the load */                                         \
    /* uncore: overflow and its interrupt */                                                                           \
    X(CARRY_MISCOUNTS, "carry-miscounts") /* over a wrap, or a carry into the highest bit */                           \
    X(OVERFLOW_NOT_SHOWN, "overflow-not-shown")                                                                        \
    X(STATUS_WRONG, "status-wrong")     /* not exactly the bits of what happened */                                    \
    X(STATUS_UNASKED, "status-unasked") /* of an overflow with ov_en 0 */                                              \
    X(STATUS_KEPT, "status-kept")       /* not cleared by writing 1 */                                                 \
    X(INTERRUPT_LOST, "interrupt-lost")                                                                                \
    X(INTERRUPT_REPEATED, "interrupt-repeated")                                                                        \
    X(INTERRUPT_ON_OTHER_CORE, "interrupt-on-other-core")                                                              \
    X(INTERRUPT_ON_SEVERAL_CORES, "interrupt-on-several-cores")                                                        \
    X(MASK_CLEAR, "mask-clear") /* the LVT mask bit after an interrupt */                                              \
    /* the machine */                                                                                                  \
    X(ERROR_LOGGED, "error-logged") /* in a machine-check bank or an error counter */                                  \
    /* restoration */                                                                                                  \
    X(NOT_RESTORED, "not-restored") /* a register does not hold what was found */                                      \
    X(NOT_READ_AGAIN, "not-read-again")                                                                                \
    X(NOT_RECORDED, "not-recorded") /* before its first write: the write was refused */                                \
    /* rounds */                                                                                                       \
    X(VERDICTS_DIFFER, "verdicts-differ") /* between rounds of one run */
