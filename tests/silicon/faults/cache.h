/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: tags and occupancy: what the caches do. One row a fault; model.h has the columns. */
FAULT(FAULT_RMID_IGNORED, "one thread's lines are always tagged 0, whatever its PQR_ASSOC says",
      "CM-02,CM-06,MB-02,MB-11,MB-13", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true,
      .parameter = "processor", .value = 1)
FAULT(FAULT_RMID_ALIASING, "the tag memory is narrower than the RMIDs", "CM-12", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "bits", .value = 3)
FAULT(FAULT_RMID_STALE_AFTER_SWITCH, "after a switch, lines continue to be tagged with the former RMID", "CM-06,MB-13",
      .also = "tag-late", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true,
      .parameter = "lines", .value = 98304, .range = { 1, 1 << 30 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_TAG_SWAP, "the lines of two RMIDs are tagged with each other's", "CM-13,MB-02", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .place = "RMID", .place_value = 3,
      .place_range = { 0, MODEL_MOST_RMID }, .parameter = "other RMID", .value = 6, .range = { 0, MODEL_MOST_RMID })
FAULT(FAULT_RMID_RETAG, "a write of PQR_ASSOC moves the lines that are there to the new RMID", "CM-05,CM-06",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_KEPT_ON_EVICTION, "an evicted line continues to be counted",
      "CM-01,CM-02,CM-03,CM-07,CM-08,QM-10", .also = "occupancy-kept", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "percent of the evictions", .value = 100,
      .range = { 1, 100 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_KEPT_ON_FLUSH, "a flushed line continues to be counted", "CM-04,CM-01", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_SLICE_KEEPS, "the last slice continues to count what WBINVD takes from it", "X10,CM-01",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_SCALED_TWICE, "the counter already holds bytes", "CM-02,CM-03,QM-10", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_OCCUPANCY_HALVED, "half of the slices report no occupancy", "CM-02,CM-03,X10", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_LOSS, "a part of the lines is counted under no RMID", "CM-02,CM-03", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "percent of the lines", .value = 40,
      .range = { 1, 99 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_WRONG_RMID, "a part of the lines that come in is counted under another RMID", "CM-02,CM-12",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true,
      .parameter = "percent of the fills", .value = 40, .range = { 1, 100 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_SATURATES, "occupancy stops growing at a limit", "CM-03,CM-02", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .parameter = "counts", .value = 240)
FAULT(FAULT_OCCUPANCY_GLOBAL, "each package reports the occupancy of all of them", "XC-04", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .packages = 2)
FAULT(FAULT_CMT_CROWD, "only so many RMIDs have lines counted at a time, those of the next go to RMID 0", "CM-10,CM-16",
      .needs = { CAP_CMT }, .acts_on_traffic = true, .parameter = "RMIDs, at most 32", .value = 3)
FAULT(FAULT_RMID_STEP_LOW, "RMIDs of the upper half report too little occupancy", "CM-13", .needs = { CAP_CMT },
      .parameter = "counted of 100", .value = 60, .range = { 0, 99 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_HIT_RETAGS, "a hit moves the line to the reader's RMID", "CM-11", .needs = { CAP_CMT, CAP_L3_INCLUSIVE },
      .acts_on_traffic = true)
FAULT(FAULT_NT_STORES_STAY, "non-temporal stores allocate in the L3", "CM-14", .needs = { CAP_CMT },
      .acts_on_traffic = true)
FAULT(FAULT_WBINVD_SPREADS, "WBINVD empties the other packages' L3 too", "CM-15", .needs = { CAP_CMT }, .packages = 2)
FAULT(FAULT_L3_SHRINKS_IDLE, "lines are lost while nothing runs, a way of the L3 at a time", "CM-19",
      .needs = { CAP_CMT }, .parameter = "ms a way", .value = 50)
FAULT(FAULT_PREFETCH_UNTAGGED, "lines that the L2's prefetchers bring in go to RMID 0", "CM-20,MB-16",
      .needs = { CAP_CMT, CAP_PREFETCH_CONTROL }, .acts_on_traffic = true)
FAULT(FAULT_CODE_UNTAGGED, "lines that are fetched as code go to RMID 0", "CM-18", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_STORES_UNTAGGED, "lines that are read for a store are counted under no RMID", "CM-02,CM-22",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_MASK_STORES_ESCAPE, "lines that were written go into any way, whatever the mask", "CA-08,CA-17",
      .needs = { CAP_CMT, CAP_CAT })
FAULT(FAULT_MASK_CODE_ESCAPES, "lines of code go into any way, whatever the mask", "CA-08,CA-17",
      .needs = { CAP_CMT, CAP_CAT })
FAULT(FAULT_MASK_PREFETCH_ESCAPES, "lines that the L2's prefetchers bring in go into any way, whatever the mask",
      "CA-08,CA-17", .needs = { CAP_CAT, CAP_PREFETCH_CONTROL, CAP_L3_INCLUSIVE })
FAULT(FAULT_CAPACITY_UNOWNED, "lines in part of the sets are counted under no RMID", "CM-10", .needs = { CAP_CMT },
      .acts_on_traffic = true, .parameter = "sets of 100", .value = 30, .range = { 1, 100 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_HOME_SWAPPED, "one package takes another's memory for its own, and its own for another's",
      "MB-05,MB-06,XC-07", .needs = { CAP_MBM_LOCAL }, .packages = 2, .acts_on_traffic = true, .parameter = "package",
      .value = 0)
FAULT(FAULT_NT_COUNTED_TWICE, "a non-temporal store counts twice as bandwidth", "MB-18", .needs = { CAP_MBM_NT_STORES },
      .acts_on_traffic = true)
FAULT(FAULT_MBM_SIBLING_SHARED, "both threads of a core have the first one's tag for bandwidth", "MB-19",
      .needs = { CAP_MBM_TOTAL }, .threads = 2, .acts_on_traffic = true)
/* Of a package that is cut into clusters. */
FAULT(FAULT_CLUSTER_RMIDS, "what the last cluster reads is counted under the RMIDs of the first one", "CM-02,MB-02",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_MBM_DEAD, "the last cluster counts no bandwidth", "MB-02", .needs = { CAP_CLUSTERS, CAP_MBM_TOTAL },
      .tried_with = { CAP_PMON }, .clusters = 2, .acts_on_traffic = true)
FAULT(FAULT_CLUSTER_CMT_DEAD, "the last cluster counts no occupancy", "CM-02,XC-12", .needs = { CAP_CLUSTERS, CAP_CMT },
      .tried_with = { CAP_PMON }, .clusters = 2, .acts_on_traffic = true)
FAULT(FAULT_CLUSTER_CLASS_IGNORED, "processors of the last cluster stay in class 0 whatever their PQR_ASSOC says",
      "CA-08", .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_SCALE_UNDIVIDED, "a count stands for the whole upscaling factor in each cluster", "XC-12",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_RMID_OFFSET, "the RMIDs of each cluster begin one further up than those of the one before", "XC-12",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_SHARING_IGNORED, "RMIDs stay divided over the clusters although they are to be shared", "XC-12",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_LEAKS, "each cluster's counters have what the other clusters count as well", "XC-12",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_ERRATUM_FACTOR_OFF, "the factor of BDF102 and SKX99 is other than documented", "MB-12",
      .needs = { CAP_MBM_ERRATUM }, .parameter = "millionths", .value = 1400000)
FAULT(FAULT_MBM_HITS_COUNTED, "lines that the L3 has count as bandwidth", "MB-14", .needs = { CAP_MBM_TOTAL },
      .acts_on_traffic = true)
FAULT(FAULT_PREFETCH_COUNTED_TWICE, "lines that the L2's prefetchers bring in count twice as bandwidth", "MB-16",
      .needs = { CAP_MBM_TOTAL, CAP_PREFETCH_CONTROL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_KEPT_ON_TAKE, "a line that goes from the L3 back to a core stays in the occupancy", "CM-02,CM-03",
      .needs = { CAP_CMT }, .absent = { CAP_L3_INCLUSIVE }, .acts_on_traffic = true)
