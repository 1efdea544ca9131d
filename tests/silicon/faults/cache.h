/* SPDX-License-Identifier: BSD-2-Clause-Patent */
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
FAULT(FAULT_HIT_RETAGS, "hit-retags", "a hit moves the line to the reader's RMID", INCL, "CM-11", false, NULL, 0)
FAULT(FAULT_NT_STORES_STAY, "nt-stores-stay", "non-temporal stores allocate in the L3", CMT, "CM-14", false, NULL, 0)
FAULT(FAULT_WBINVD_SPREADS, "wbinvd-spreads", "WBINVD empties the other packages' L3 too", CMT, "CM-15", false, NULL, 0)
FAULT(FAULT_L3_SHRINKS_IDLE, "l3-shrinks-idle", "lines are lost while nothing runs, a way of the L3 at a time", CMT,
      "CM-19", false, "ms a way", 50)
FAULT(FAULT_PREFETCH_UNTAGGED, "prefetch-untagged", "lines that the L2's prefetchers bring in go to RMID 0", CMTI,
      "CM-20,MB-16", false, NULL, 0)
FAULT(FAULT_CAPACITY_UNOWNED, "capacity-unowned", "lines in part of the sets are counted under no RMID", CMT, "CM-10",
      false, "sets of 100", 30)
FAULT(FAULT_HOME_SWAPPED, "home-swapped", "one package takes another's memory for its own, and its own for another's",
      RDT, "MB-05,MB-06,XC-07", false, "package", 0)
FAULT(FAULT_NT_COUNTED_TWICE, "nt-counted-twice", "a non-temporal store counts twice as bandwidth", AMD, "MB-18", false,
      NULL, 0)
FAULT(FAULT_MBM_SIBLING_SHARED, "mbm-sibling-shared", "both threads of a core have the first one's tag for bandwidth",
      RDT, "MB-19", false, NULL, 0)
/* Of a package that is cut into clusters: model_fault_clusters(). */
FAULT(FAULT_CLUSTER_RMIDS, "cluster-rmids", "what the last cluster reads is counted under the RMIDs of the first one",
      CLUSTERS, "CM-02,MB-02", false, NULL, 0)
FAULT(FAULT_CLUSTER_MBM_DEAD, "cluster-mbm-dead", "the last cluster counts no bandwidth", CLUSTERS, "MB-02", false,
      NULL, 0)
FAULT(FAULT_CLUSTER_CLASS_IGNORED, "cluster-class-ignored",
      "processors of the last cluster stay in class 0 whatever their PQR_ASSOC says", CLUSTERS, "CA-08", false, NULL, 0)
FAULT(FAULT_CLUSTER_SCALE_UNDIVIDED, "cluster-scale-undivided",
      "a count stands for the whole upscaling factor in each cluster", CLUSTERS, "XC-12", false, NULL, 0)
FAULT(FAULT_CLUSTER_RMID_OFFSET, "cluster-rmid-offset",
      "the RMIDs of each cluster begin one further up than those of the one before", CLUSTERS, "XC-12", false, NULL, 0)
FAULT(FAULT_CLUSTER_SHARING_IGNORED, "cluster-sharing-ignored",
      "RMIDs stay divided over the clusters although they are to be shared", CLUSTERS, "XC-12", false, NULL, 0)
FAULT(FAULT_CLUSTER_LEAKS, "cluster-leaks", "each cluster's counters have what the other clusters count as well",
      CLUSTERS, "XC-12", false, NULL, 0)
FAULT(FAULT_ERRATUM_FACTOR_OFF, "erratum-factor-off", "the factor of BDF102 and SKX99 is other than documented",
      "bdx-80,skx", "MB-12", false, "millionths", 1400000)
