/* Faults: tags and occupancy: what the caches do. One row a fault, see fault.c for the columns. */
FAULT(FAULT_RMID_IGNORED, "rmid-ignored", "one thread's lines are always tagged 0, whatever its PQR_ASSOC says", RDT,
      "CM-02,CM-06,MB-02,MB-13", false, "processor", 1)
FAULT(FAULT_RMID_ALIASING, "rmid-aliasing", "the tag memory is narrower than the RMIDs", RDT, "CM-12", false, "bits", 3)
FAULT(FAULT_RMID_STALE_AFTER_SWITCH, "rmid-stale-after-switch",
      "after a switch, lines go on being tagged with the former RMID", RDT, "CM-06,MB-13", false, "lines", 98304)
FAULT(FAULT_RMID_RETAG, "rmid-retag", "a write of PQR_ASSOC moves the lines that are there to the new RMID", RDT,
      "CM-05,CM-06", false, NULL, 0)
FAULT(FAULT_OCC_KEPT_ON_EVICTION, "occupancy-kept-on-eviction", "an evicted line goes on being counted", RDT,
      "CM-01,CM-02,CM-03,QM-10", false, NULL, 0)
FAULT(FAULT_OCC_KEPT_ON_FLUSH, "occupancy-kept-on-flush", "a flushed line goes on being counted", RDT, "CM-04,CM-01",
      false, NULL, 0)
FAULT(FAULT_OCC_SCALED_TWICE, "occupancy-scaled-twice", "the counter already holds bytes", RDT, "CM-02,CM-03,QM-10",
      false, NULL, 0)
FAULT(FAULT_OCC_HALVED, "occupancy-halved", "half of the slices report no occupancy", RDT, "CM-02,CM-03", false, NULL,
      0)
FAULT(FAULT_OCC_SATURATES, "occupancy-saturates", "occupancy stops growing at a limit", RDT, "CM-03,CM-02", false,
      "counts", 240)
FAULT(FAULT_OCC_GLOBAL, "occupancy-global", "each package reports the occupancy of all of them", RDT, "XC-04", false,
      NULL, 0)
FAULT(FAULT_CMT_CROWD, "cmt-crowd", "only so many RMIDs have lines counted at a time, those of the next go to RMID 0",
      CMT, "CM-10,CM-16", false, "RMIDs, at most 32", 3)
FAULT(FAULT_OCC_UPPER_LOW, "rmid-step-low", "RMIDs of the upper half report too little occupancy", CMT, "CM-13", false,
      "counted of 100", 60)
