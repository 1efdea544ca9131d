/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: tags and occupancy: what the caches do. One row a fault; model.h has the columns. */
FAULT(FAULT_RMID_IGNORED, .stands_for = "one thread's lines are always tagged 0, whatever its PQR_ASSOC says",
      .rows = "CM-02,CM-06,MB-02,MB-11,MB-13", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL },
      .acts_on_traffic = true, .parameter = "processor", .value = 1)
FAULT(FAULT_RMID_ALIASING, .stands_for = "the tag memory is narrower than the RMIDs", .rows = "CM-12",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "bits", .value = 3)
FAULT(FAULT_RMID_STALE_AFTER_SWITCH, .stands_for = "after a switch, lines continue to be tagged with the former RMID",
      .rows = "CM-06,MB-13", .also = "tag-late", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL },
      .acts_on_traffic = true, .parameter = "lines", .value = 98304, .range = { 1, 1 << 30 },
      .strength = STRENGTH_GROWS)
FAULT(FAULT_TAG_SWAP, .stands_for = "the lines of two RMIDs are tagged with each other's", .rows = "CM-13,MB-02",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .place = "RMID", .place_value = 3,
      .place_range = { 0, MODEL_MOST_RMID }, .parameter = "other RMID", .value = 6, .range = { 0, MODEL_MOST_RMID })
FAULT(FAULT_RMID_RETAG, .stands_for = "a write of PQR_ASSOC moves the lines that are there to the new RMID",
      .rows = "CM-05,CM-06", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_KEPT_ON_EVICTION, .also = "occupancy-kept",
      .stands_for = "an evicted line continues to be counted", .rows = "CM-01,CM-02,CM-03,CM-07,CM-08,QM-10",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true,
      .parameter = "percent of the evictions", .value = 100, .range = { 1, 100 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_KEPT_ON_FLUSH, .stands_for = "a flushed line continues to be counted", .rows = "CM-04,CM-01",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_SLICE_KEEPS, .stands_for = "the last slice continues to count what WBINVD takes from it",
      .rows = "X10,CM-01", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_SCALED_TWICE, .stands_for = "the counter already holds bytes", .rows = "CM-02,CM-03,QM-10",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_OCCUPANCY_HALVED, .stands_for = "half of the slices report no occupancy", .rows = "CM-02,CM-03,X10",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_LOSS, .stands_for = "a part of the lines is counted under no RMID", .rows = "CM-02,CM-03",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true,
      .parameter = "percent of the lines", .value = 40, .range = { 1, 99 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_WRONG_RMID, .stands_for = "a part of the lines that come in is counted under another RMID",
      .rows = "CM-02,CM-12", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true,
      .parameter = "percent of the fills", .value = 40, .range = { 1, 100 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_SATURATES, .stands_for = "occupancy stops growing at a limit", .rows = "CM-03,CM-02",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .parameter = "counts", .value = 240)
FAULT(FAULT_OCCUPANCY_GLOBAL, .stands_for = "each package reports the occupancy of all of them", .rows = "XC-04",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .packages = 2)
FAULT(FAULT_CMT_CROWD, .stands_for = "only so many RMIDs have lines counted at a time, those of the next go to RMID 0",
      .rows = "CM-10,CM-16", .needs = { CAP_CMT }, .acts_on_traffic = true, .parameter = "RMIDs, at most 32",
      .value = 3)
FAULT(FAULT_RMID_STEP_LOW, .stands_for = "RMIDs of the upper half report too little occupancy", .rows = "CM-13",
      .needs = { CAP_CMT }, .parameter = "counted of 100", .value = 60, .range = { 0, 99 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_HIT_RETAGS, .stands_for = "a hit moves the line to the reader's RMID", .rows = "CM-11",
      .needs = { CAP_CMT, CAP_L3_INCLUSIVE }, .acts_on_traffic = true)
FAULT(FAULT_NT_STORES_STAY, .stands_for = "non-temporal stores allocate in the L3", .rows = "CM-14",
      .needs = { CAP_CMT }, .acts_on_traffic = true)
FAULT(FAULT_WBINVD_SPREADS, .stands_for = "WBINVD empties the other packages' L3 too", .rows = "CM-15",
      .needs = { CAP_CMT }, .packages = 2)
FAULT(FAULT_L3_SHRINKS_IDLE, .stands_for = "lines are lost while nothing runs, a way of the L3 at a time",
      .rows = "CM-19", .needs = { CAP_CMT }, .parameter = "ms a way", .value = 50)
FAULT(FAULT_PREFETCH_UNTAGGED, .stands_for = "lines that the L2's prefetchers bring in go to RMID 0",
      .rows = "CM-20,MB-16", .needs = { CAP_CMT, CAP_PREFETCH_CONTROL }, .acts_on_traffic = true)
FAULT(FAULT_CODE_UNTAGGED, .stands_for = "lines that are fetched as code go to RMID 0", .rows = "CM-18",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_STORES_UNTAGGED, .stands_for = "lines that are read for a store are counted under no RMID",
      .rows = "CM-02,CM-22", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_MASK_STORES_ESCAPE, .stands_for = "lines that were written go into any way, whatever the mask",
      .rows = "CA-08,CA-17", .needs = { CAP_CMT, CAP_CAT })
FAULT(FAULT_MASK_CODE_ESCAPES, .stands_for = "lines of code go into any way, whatever the mask", .rows = "CA-08,CA-17",
      .needs = { CAP_CMT, CAP_CAT })
FAULT(FAULT_MASK_PREFETCH_ESCAPES,
      .stands_for = "lines that the L2's prefetchers bring in go into any way, whatever the mask",
      .rows = "CA-08,CA-17", .needs = { CAP_CAT, CAP_PREFETCH_CONTROL, CAP_L3_INCLUSIVE })
FAULT(FAULT_CAPACITY_UNOWNED, .stands_for = "lines in part of the sets are counted under no RMID", .rows = "CM-10",
      .needs = { CAP_CMT }, .acts_on_traffic = true, .parameter = "sets of 100", .value = 30, .range = { 1, 100 },
      .strength = STRENGTH_GROWS)
FAULT(FAULT_HOME_SWAPPED, .stands_for = "one package takes another's memory for its own, and its own for another's",
      .rows = "MB-05,MB-06,XC-07", .needs = { CAP_MBM_LOCAL }, .packages = 2, .acts_on_traffic = true,
      .parameter = "package", .value = 0)
FAULT(FAULT_NT_COUNTED_TWICE, .stands_for = "a non-temporal store counts twice as bandwidth", .rows = "MB-18",
      .needs = { CAP_MBM_NT_STORES }, .acts_on_traffic = true)
FAULT(FAULT_MBM_SIBLING_SHARED, .stands_for = "both threads of a core have the first one's tag for bandwidth",
      .rows = "MB-19", .needs = { CAP_MBM_TOTAL }, .threads = 2, .acts_on_traffic = true)
/* Of a package that is cut into clusters. */
FAULT(FAULT_CLUSTER_RMIDS, .stands_for = "what the last cluster reads is counted under the RMIDs of the first one",
      .rows = "CM-02,MB-02", .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_MBM_DEAD, .stands_for = "the last cluster counts no bandwidth", .rows = "MB-02",
      .needs = { CAP_CLUSTERS, CAP_MBM_TOTAL }, .tried_with = { CAP_PMON }, .clusters = 2, .acts_on_traffic = true)
FAULT(FAULT_CLUSTER_CMT_DEAD, .stands_for = "the last cluster counts no occupancy", .rows = "CM-02,XC-12",
      .needs = { CAP_CLUSTERS, CAP_CMT }, .tried_with = { CAP_PMON }, .clusters = 2, .acts_on_traffic = true)
FAULT(FAULT_CLUSTER_CLASS_IGNORED,
      .stands_for = "processors of the last cluster stay in class 0 whatever their PQR_ASSOC says", .rows = "CA-08",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_SCALE_UNDIVIDED, .stands_for = "a count stands for the whole upscaling factor in each cluster",
      .rows = "XC-12", .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_RMID_OFFSET,
      .stands_for = "the RMIDs of each cluster begin one further up than those of the one before", .rows = "XC-12",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_SHARING_IGNORED,
      .stands_for = "RMIDs stay divided over the clusters although they are to be shared", .rows = "XC-12",
      .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_CLUSTER_LEAKS, .stands_for = "each cluster's counters have what the other clusters count as well",
      .rows = "XC-12", .needs = { CAP_SNC }, .tried_with = { CAP_PMON }, .clusters = 2)
FAULT(FAULT_ERRATUM_FACTOR_OFF, .stands_for = "the factor of BDF102 and SKX99 is other than documented",
      .rows = "MB-12", .needs = { CAP_MBM_ERRATUM }, .parameter = "millionths", .value = 1400000)
FAULT(FAULT_MBM_HITS_COUNTED, .stands_for = "lines that the L3 has count as bandwidth", .rows = "MB-14",
      .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_PREFETCH_COUNTED_TWICE, .stands_for = "lines that the L2's prefetchers bring in count twice as bandwidth",
      .rows = "MB-16", .needs = { CAP_MBM_TOTAL, CAP_PREFETCH_CONTROL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_KEPT_ON_TAKE, .stands_for = "a line that goes from the L3 back to a core stays in the occupancy",
      .rows = "CM-02,CM-03", .needs = { CAP_CMT }, .absent = { CAP_L3_INCLUSIVE }, .acts_on_traffic = true)
