/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: IA32_PQR_ASSOC, IA32_QM_EVTSEL, IA32_QM_CTR, masks, throttles. One row a fault, see fault.c for the columns.
 */
FAULT(FAULT_PQR_LOSES_BIT, "pqr-loses-bit", "a bit of PQR_ASSOC always reads 0", CMT, "AS-02", false, "bit", 2)
FAULT(FAULT_PQR_RESERVED_ACCEPTED, "pqr-reserved-accepted", "reserved bits beside the RMID are dropped without a fault",
      RDT, "AS-04", true, NULL, 0)
FAULT(FAULT_PQR_RESERVED_CLOS_ACCEPTED, "pqr-reserved-clos-accepted",
      "reserved bits above the CLOS are dropped without a fault", RDT, "AS-06", true, NULL, 0)
FAULT(FAULT_PQR_CLOS_LIMIT, "pqr-clos-limit", "a CLOS above the highest is accepted", RDT, "AS-05", true, NULL, 0)
FAULT(FAULT_PQR_CLOS_CLOBBERS_RMID, "pqr-clos-clobbers-rmid", "a write that changes the CLOS loses the RMID", RDT,
      "AS-09", false, NULL, 0)
FAULT(FAULT_PQR_LEAKS_TO_SIBLING, "pqr-leaks-to-sibling", "both threads of a core share one PQR_ASSOC", RDT,
      "AS-07,AS-08", false, NULL, 0)
FAULT(FAULT_PQR_BROADCAST, "pqr-broadcast", "a write of PQR_ASSOC reaches every processor of the package", RDT,
      "AS-08,AS-07", false, NULL, 0)
FAULT(FAULT_QM_EVTSEL_LOSES_BIT, "evtsel-loses-bit", "a bit of QM_EVTSEL always reads 0", RDT, "QM-01", false, "bit",
      34)
FAULT(FAULT_QM_EVTSEL_RESERVED_ACCEPTED, "evtsel-reserved-accepted",
      "reserved bits of QM_EVTSEL are dropped without a fault", RDT, "QM-02", true, NULL, 0)
FAULT(FAULT_QM_RMID_LIMIT, "qm-rmid-limit", "an RMID above the maximum is answered with another RMID's data",
      "bdx,bdx-gp,bdx-80,skx,icx,spr,zen3", "QM-04", false, NULL, 0)
FAULT(FAULT_QM_TABLE_SHORT, "qm-table-short", "fewer RMIDs have counters than are enumerated", RDT, "QM-03", false,
      "RMIDs that have one", 10)
FAULT(FAULT_QM_GHOST_EVENT, "qm-ghost-event", "an event that is not enumerated answers with data", RDT, "QM-05", false,
      "event", 9)
FAULT(FAULT_QM_ERROR_NEVER, "qm-error-never", "QM_CTR.Error is stuck at 0", RDT, "QM-04,QM-05", false, NULL, 0)
FAULT(FAULT_QM_ERROR_STICKY, "qm-error-sticky", "QM_CTR.Error does not clear when a legal pair is selected", RDT,
      "QM-08", false, NULL, 0)
FAULT(FAULT_QM_UNAVAILABLE, "qm-unavailable", "QM_CTR.Unavailable is stuck at 1", RDT, "QM-14,QM-15", false,
      "RMID, all without", ALL)
FAULT(FAULT_QM_STALE, "qm-stale", "the first read after a selection still has the pair before it", RDT, "QM-11", false,
      NULL, 0)
FAULT(FAULT_QM_CTR_WRITABLE, "qm-ctr-writable", "a write of QM_CTR raises no fault", RDT, "QM-09", true, NULL, 0)
FAULT(FAULT_MBM_NARROW, "mbm-narrow", "the bandwidth counter has fewer bits than enumerated", WRAP, "MB-08,MB-02,MB-07",
      false, "bits", 20)
FAULT(FAULT_MBM_WIDE, "mbm-wide", "the bandwidth counter shows bits above its width", RDT, "QM-10", false, "bits", 48)
FAULT(FAULT_MBM_SATURATES, "mbm-saturates", "the bandwidth counter stops at its greatest value", WRAP, "MB-08,MB-02",
      false, NULL, 0)
FAULT(FAULT_MBM_READ_RESETS, "mbm-read-resets", "reading the bandwidth counter clears it", RDT, "MB-10,MB-02,MB-07",
      false, NULL, 0)
FAULT(FAULT_MBM_STEPS_BACK, "mbm-steps-back", "now and then a read returns an older count", RDT, "MB-07,MB-01,MB-10",
      false, "counts", 65536)
FAULT(FAULT_MBM_GHOST, "mbm-ghost", "counters advance for RMIDs that nobody runs under", RDT, "MB-01", false, "MB/s",
      100)
FAULT(FAULT_MBM_HALF, "mbm-half", "half of the slices report no bandwidth", RDT, "MB-02", false, NULL, 0)
FAULT(FAULT_MBM_DOUBLE, "mbm-double", "each line counts twice", RDT, "MB-02", false, NULL, 0)
FAULT(FAULT_MBM_LOCAL_COUNTS_REMOTE, "mbm-local-counts-remote", "local bandwidth includes lines from the other package",
      RDT, "MB-06", false, NULL, 0)
FAULT(FAULT_MBM_LOCAL_DEAD, "mbm-local-dead", "local bandwidth does not move", RDT, "MB-05", false, NULL, 0)
FAULT(FAULT_MBM_SWAPPED, "mbm-swapped", "the two bandwidth events are exchanged", RDT, "MB-04,MB-06", false, NULL, 0)
FAULT(FAULT_PQR_RMID_LIMIT, "pqr-rmid-limit", "an RMID above the maximum is accepted", ODD, "AS-03", true, NULL, 0)
FAULT(FAULT_PQR_RMID_NARROW, "pqr-rmid-narrow", "PQR_ASSOC refuses RMIDs whose highest bit is set", CMT, "AS-02", false,
      NULL, 0)
FAULT(FAULT_PQR_SAME_VALUE, "pqr-same-value",
      "a write of the value that PQR_ASSOC holds already leaves the RMID beside it", CMT, "AS-11", false, NULL, 0)
FAULT(FAULT_PQR_SMI_CLEARS, "pqr-smi-clears", "the SMM handler leaves PQR_ASSOC at 0", CMTI, "AS-10", false,
      "SMIs a second", 20)
FAULT(FAULT_QM_SHARED_BY_PACKAGES, "evtsel-shared-by-packages", "all packages reach the QM_EVTSEL of the first one",
      CMT, "QM-13,XC-08,QM-11", false, NULL, 0)
FAULT(FAULT_QM_FLICKERS, "qm-flickers", "every other read of QM_CTR is Unavailable", CMT, "QM-15,QM-14", false, NULL, 0)
FAULT(FAULT_QM_FIRST_READ_STALE, "qm-first-read-stale",
      "the first count of an RMID is handed out before its tracking has begun", AMD, "AM-03", false, NULL, 0)
FAULT(FAULT_QM_OVERFLOW_STUCK, "qm-overflow-stuck",
      "the overflow bit shows although it is not enumerated, and never clears", MBM, "QM-10,QM-16", false, NULL, 0)
FAULT(FAULT_OVERFLOW_FLAG_KEPT, "overflow-flag-kept", "the overflow bit is enumerated and a read does not clear it",
      WRAP, "QM-16", false, NULL, 0)
FAULT(FAULT_OVERFLOW_FLAG_STUCK, "overflow-flag-stuck", "the overflow bit is enumerated and stuck at 1", WRAP, "QM-16",
      false, NULL, 0)
FAULT(FAULT_EVTSEL_ZERO_REFUSED, "evtsel-zero-refused", "event 0, which is no event, is refused by QM_EVTSEL", CMT,
      "QM-06", false, NULL, 0)
FAULT(FAULT_EVTSEL_NOT_CLEARED, "evtsel-not-cleared", "a write of event 0 leaves the event before it selected", "bdx",
      "QM-06", false, NULL, 0)
FAULT(FAULT_RMID_UPPER_SHIFTED, "rmid-upper-shifted", "RMIDs of the upper half read the counter of the next one", CMT,
      "CM-13,CM-12,MB-15", false, NULL, 0)
FAULT(FAULT_MBM_BIT_STUCK, "mbm-bit-stuck", "a low bit of the bandwidth counters is stuck at 1", "bdx", "MB-09", false,
      "bit", 3)
FAULT(FAULT_MBM_LOCAL_NARROW, "mbm-local-narrow", "the local bandwidth counter alone has fewer bits than enumerated",
      "bdx", "MB-08", false, "bits", 20)
FAULT(FAULT_TAG_BIT_LOST, "tag-bit-lost",
      "lines of one thread lose a bit of their RMID, which its PQR_ASSOC still shows", "bdx", "CM-16", false, "bit", 3)
FAULT(FAULT_MBM_FACTOR, "mbm-high-rmids-low",
      "RMIDs above a threshold count too little, beyond what the erratum says (BDF102, SKX99)", MBM, "MB-12,X2", false,
      "counted of 100", 60)
FAULT(FAULT_MBM_CROWD_LOSES, "mbm-crowd-loses",
      "with every processor of an L3 at work, a part of the transfers is not counted", MBM, "MB-20", false,
      "lost of 100", 40)
FAULT(FAULT_MBM_THROTTLED_LOSES, "mbm-throttled-loses",
      "of what a processor moves while it is throttled a part is not counted", MBA, "MA-05", false, "lost of 100", 40)
FAULT(FAULT_MBM_STORES_LOST, "mbm-stores-lost", "lines that are read for a store are not counted", MBM, "MB-17", false,
      NULL, 0)
FAULT(FAULT_MASK_STUCK_BIT, "mask-stuck-bit", "a bit of the way masks is stuck at 1", RDT, "CA-02", false, "bit", 3)
FAULT(FAULT_MASK_ZERO_ACCEPTED, "mask-zero-accepted", "an empty way mask is accepted", RDTI, "CA-03", true, NULL, 0)
FAULT(FAULT_MASK_LENGTH_ACCEPTED, "mask-length-accepted",
      "bits beyond the length of a mask are dropped without a fault", RDTI, "CA-04", true, NULL, 0)
FAULT(FAULT_MASK_HOLE_ACCEPTED, "mask-hole-accepted", "a mask with a hole is accepted and not enumerated",
      "bdx,bdx-gp,bdx-80,skx,icx,spr", "CA-05", true, NULL, 0)
FAULT(FAULT_MASK_HOLE_REFUSED, "mask-hole-refused", "a mask with a hole is refused where it is legal", "gnr," AMD,
      "CA-05,AM-07", false, NULL, 0)
FAULT(FAULT_MASK_NEXT_WRITTEN, "mask-next-written", "a write of one mask register reaches the next one", RDT, "CA-02",
      false, NULL, 0)
FAULT(FAULT_MASK_BROADCAST, "mask-broadcast", "a mask written in one package changes in all of them", RDT, "XC-03",
      false, NULL, 0)
FAULT(FAULT_MASK_ONE_PROCESSOR, "mask-one-processor", "one processor reads masks of its own", RDT, "XC-02", false,
      "processor", ALL)
FAULT(FAULT_MASK_LIMIT, "mask-limit", "one mask register more answers than there are classes", MBA2, "CA-06", false,
      NULL, 0)
FAULT(FAULT_MASK_INERT, "mask-inert", "lines go into ways outside of the mask", RDT, "CA-08,CA-09,CA-10", false, NULL,
      0)
FAULT(FAULT_L2_MASK_STUCK, "l2-mask-stuck", "a bit of the L2's way masks is stuck at 1", "spr", "L2-01", false, "bit",
      3)
FAULT(FAULT_L2_MASK_INERT, "l2-mask-inert", "lines go into ways of the L2 outside of the mask", "spr,gnr", "L2-02",
      false, NULL, 0)
FAULT(FAULT_CLOS_IGNORED, "clos-ignored", "one processor stays in class 0 whatever its PQR_ASSOC says", RDT,
      "CA-08,CA-15", false, "processor", 1)
FAULT(FAULT_CLOS_BROADCAST, "clos-broadcast", "the class written on one processor acts on all of its package", RDT,
      "CA-16", false, NULL, 0)
FAULT(FAULT_CDP_NO_REGISTER, "cdp-no-register",
      "code and data prioritization is enumerated and its register is not there", CDP, "EN-15,CD-01", false, NULL, 0)
FAULT(FAULT_CDP_REFUSED, "cdp-refused", "code and data prioritization is enumerated and cannot be switched on", CDP,
      "EN-15,CD-01", false, NULL, 0)
FAULT(FAULT_CDP_STUCK, "cdp-stuck", "code and data prioritization does not switch off again", CDP, "CD-04,CD-01", false,
      NULL, 0)
FAULT(FAULT_CDP_SWAPPED, "cdp-swapped", "the masks of code and data are exchanged", CDP, "CD-02", false, NULL, 0)
FAULT(FAULT_MBA_INERT, "mba-inert", "throttles have no effect", MBA "," AMD, "MA-04,MA-08", false, NULL, 0)
FAULT(FAULT_MBA_ONE_THREAD, "mba-one-thread", "the delay of the other thread's class does not count", MBA, "MA-07",
      false, NULL, 0)
FAULT(FAULT_MBA_STUCK, "mba-stuck", "a bit of the delays always reads 0", MBA, "MA-02", false, "bit", 4)
FAULT(FAULT_MBA_LIMIT, "mba-limit", "a delay above the maximum is accepted", MBA, "MA-03", true, NULL, 0)
FAULT(FAULT_CEILING_STUCK, "ceiling-stuck", "a bit of the bandwidth limits always reads 0", AMD, "MA-08", false, "bit",
      5)
FAULT(FAULT_MBA_STEP_DEAD, "mba-step-dead", "one delay between the least and the greatest acts as none", "icx", "MA-04",
      false, "delay", 50)
FAULT(FAULT_MBA_LEAKS, "mba-leaks", "the delay of one class slows all of them", MBA, "MA-06", false, NULL, 0)
FAULT(FAULT_QM_SHARED_WHERE_PRIVATE, "evtsel-shared-where-private",
      "processors share a QM_EVTSEL on a part that has one for each", "zen5", "AM-09,QM-12", false, NULL, 0)
FAULT(FAULT_EVENTS_INERT, "events-inert", "what a bandwidth event counts cannot be changed", "zen5", "AM-04", false,
      NULL, 0)
FAULT(FAULT_EVENTS_KEEP_COUNT, "events-keep-count", "a changed event goes on from the count before", "zen5", "AM-04",
      false, NULL, 0)
FAULT(FAULT_EVENTS_ONE_PROCESSOR, "events-one-processor", "one processor reads another configuration of the events",
      "zen5", "RS-11", false, "processor", ALL)
FAULT(FAULT_EVENTS_LEFT_BY_FIRMWARE, "events-left-by-firmware", "firmware has total bandwidth count local reads alone",
      "zen5", "RS-10", false, NULL, 0)
FAULT(FAULT_ABMC_GATE, "abmc-gate", "counters can be assigned while assignable counters are off", "zen5", "AM-06", true,
      NULL, 0)
FAULT(FAULT_ABMC_LOSES_CONFIG, "abmc-loses-config", "the description of an assigned counter reads 0", "zen5", "AM-05",
      false, NULL, 0)
FAULT(FAULT_ABMC_INDEX, "abmc-index",
      "half of the counters are enumerated, and those beyond are taken without an error", "zen5", "AM-08", false, NULL,
      0)
FAULT(FAULT_ABMC_COUNT_KEPT, "abmc-count-kept", "a counter that is assigned again goes on from the count before",
      "zen5", "AM-05", false, NULL, 0)
/* Of parts with bandwidth allocation by core (CBA): model_levels.c. */
FAULT(FAULT_CBA_NO_REGISTER, "cba-no-register",
      "levels of cache bandwidth are enumerated and their registers are not there", "gnr", "MA-09", false, NULL, 0)
FAULT(FAULT_CBA_LIMIT, "cba-limit", "a level of cache bandwidth above the greatest is accepted", "gnr", "MA-09", true,
      NULL, 0)
FAULT(FAULT_CBA_STUCK, "cba-stuck", "a bit of the levels of cache bandwidth always reads 0", "gnr", "MA-09", false,
      "bit", 1)
