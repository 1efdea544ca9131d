/* Faults: IA32_PQR_ASSOC, IA32_QM_EVTSEL, IA32_QM_CTR, masks, throttles. One row a fault, see fault.c for the columns.
 */
FAULT(FAULT_PQR_LOSES_BIT, "pqr-loses-bit", "a bit of PQR_ASSOC always reads 0", RDT, "AS-02", false, "bit", 5)
FAULT(FAULT_PQR_RESERVED_ACCEPTED, "pqr-reserved-accepted", "reserved bits beside the RMID are dropped without a fault",
      RDT, "AS-04", true, NULL, 0)
FAULT(FAULT_PQR_RESERVED_CLOS_ACCEPTED, "pqr-reserved-clos-accepted",
      "reserved bits above the CLOS are dropped without a fault", RDT, "AS-06", true, NULL, 0)
FAULT(FAULT_PQR_CLOS_LIMIT, "pqr-clos-limit", "a CLOS above the highest is accepted", RDT, "AS-05", true, NULL, 0)
FAULT(FAULT_PQR_CLOS_CLOBBERS_RMID, "pqr-clos-clobbers-rmid", "a write that changes the CLOS loses the RMID", RDT,
      "AS-07", false, NULL, 0)
FAULT(FAULT_PQR_LEAKS_TO_SIBLING, "pqr-leaks-to-sibling", "both threads of a core share one PQR_ASSOC", RDT,
      "AS-07,AS-08", false, NULL, 0)
FAULT(FAULT_PQR_BROADCAST, "pqr-broadcast", "a write of PQR_ASSOC reaches every processor of the package", RDT,
      "AS-08,AS-07", false, NULL, 0)
FAULT(FAULT_QM_EVTSEL_LOSES_BIT, "evtsel-loses-bit", "a bit of QM_EVTSEL always reads 0", RDT, "QM-01", false, "bit",
      36)
FAULT(FAULT_QM_EVTSEL_RESERVED_ACCEPTED, "evtsel-reserved-accepted",
      "reserved bits of QM_EVTSEL are dropped without a fault", RDT, "QM-02", true, NULL, 0)
FAULT(FAULT_QM_RMID_LIMIT, "qm-rmid-limit", "an RMID above the maximum is answered with another RMID's data", RDT,
      "QM-04", false, NULL, 0)
FAULT(FAULT_QM_TABLE_SHORT, "qm-table-short", "fewer RMIDs have counters than are enumerated", RDT, "QM-03", false,
      "RMIDs that have one", 48)
FAULT(FAULT_QM_GHOST_EVENT, "qm-ghost-event", "an event that is not enumerated answers with data", RDT, "QM-05", false,
      "event", 9)
FAULT(FAULT_QM_ERROR_NEVER, "qm-error-never", "QM_CTR.Error is stuck at 0", RDT, "QM-04,QM-05", false, NULL, 0)
FAULT(FAULT_QM_ERROR_STICKY, "qm-error-sticky", "QM_CTR.Error does not clear when a legal pair is selected", RDT,
      "QM-08", false, NULL, 0)
FAULT(FAULT_QM_UNAVAILABLE, "qm-unavailable", "QM_CTR.Unavailable is stuck at 1", RDT, "QM-03,QM-08,QM-11,CM-02", false,
      "RMID, all without", ALL)
FAULT(FAULT_QM_STALE, "qm-stale", "the first read after a selection still has the pair before it", RDT, "QM-11", false,
      NULL, 0)
FAULT(FAULT_QM_CTR_WRITABLE, "qm-ctr-writable", "a write of QM_CTR raises no fault", RDT, "QM-09", true, NULL, 0)
FAULT(FAULT_MBM_NARROW, "mbm-narrow", "the bandwidth counter has fewer bits than enumerated", RDT, "MB-08,MB-02,MB-07",
      false, "bits", 20)
FAULT(FAULT_MBM_WIDE, "mbm-wide", "the bandwidth counter shows bits above its width", RDT, "QM-10", false, "bits", 32)
FAULT(FAULT_MBM_SATURATES, "mbm-saturates", "the bandwidth counter stops at its greatest value", RDT, "MB-08,MB-02",
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
