/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: IA32_PQR_ASSOC, IA32_QM_EVTSEL, IA32_QM_CTR, masks, throttles. One row a fault; model.h has the columns.
 */
FAULT(FAULT_PQR_LOSES_BIT, "a bit of PQR_ASSOC always reads 0", "AS-02", .needs = { CAP_CMT }, .parameter = "bit",
      .value = 2)
FAULT(FAULT_PQR_RESERVED_ACCEPTED, "reserved bits beside the RMID are dropped without a fault", "AS-04",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_PQR_RESERVED_CLOS_ACCEPTED, "reserved bits above the CLOS are dropped without a fault", "AS-06",
      .needs = { CAP_CAT })
FAULT(FAULT_PQR_CLOS_LIMIT, "a CLOS above the highest is accepted", "AS-05", .needs = { CAP_CAT })
FAULT(FAULT_PQR_CLOS_CLOBBERS_RMID, "a write that changes the CLOS loses the RMID", "AS-09", .needs = { CAP_CAT })
FAULT(FAULT_PQR_LEAKS_TO_SIBLING, "both threads of a core share one PQR_ASSOC", "AS-07,AS-08", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .threads = 2)
FAULT(FAULT_PQR_BROADCAST, "a write of PQR_ASSOC reaches every processor of the package", "AS-08,AS-07",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .cpus = 2)
FAULT(FAULT_EVTSEL_LOSES_BIT, "a bit of QM_EVTSEL always reads 0", "QM-01", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .parameter = "bit", .value = 34)
FAULT(FAULT_EVTSEL_RESERVED_ACCEPTED, "reserved bits of QM_EVTSEL are dropped without a fault", "QM-02",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_QM_RMID_LIMIT, "an RMID above the maximum is answered with another RMID's data", "QM-04",
      .needs = { CAP_RMID_ABOVE }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_QM_TABLE_SHORT, "fewer RMIDs have counters than are enumerated", "QM-03", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .parameter = "RMIDs that have one", .value = 10)
FAULT(FAULT_QM_GHOST_EVENT, "an event that is not enumerated answers with data", "QM-05", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .parameter = "event", .value = 9)
FAULT(FAULT_QM_ERROR_NEVER, "QM_CTR.Error is stuck at 0", "QM-04,QM-05", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_QM_ERROR_STICKY, "QM_CTR.Error does not clear when a legal pair is selected", "QM-08", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_QM_UNAVAILABLE, "QM_CTR.Unavailable is stuck at 1", "QM-14,QM-15", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .parameter = "RMID, all without", .value = ALL)
FAULT(FAULT_QM_STALE, "the first read after a selection still has the pair before it", "QM-11", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_QM_CTR_WRITABLE, "a write of QM_CTR raises no fault", "QM-09", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_MBM_NARROW, "the bandwidth counter has fewer bits than enumerated", "MB-08,MB-02,MB-07",
      .also = "counter-width", .needs = { CAP_MBM_NEAR_WRAP }, .parameter = "bits", .value = 20, .range = { 1, 61 },
      .strength = STRENGTH_FALLS)
FAULT(FAULT_MBM_WIDE, "the bandwidth counter shows bits above its width", "QM-10,MB-22",
      .needs = { CAP_MBM_TOTAL, CAP_MBM_BITS_ABOVE }, .parameter = "bits", .value = 48)
FAULT(FAULT_MBM_SATURATES, "the bandwidth counter stops at its greatest value", "MB-08,MB-02",
      .needs = { CAP_MBM_NEAR_WRAP })
FAULT(FAULT_MBM_READ_RESETS, "reading the bandwidth counter clears it", "MB-10,MB-02,MB-07", .needs = { CAP_MBM_TOTAL })
FAULT(FAULT_MBM_STEPS_BACK, "now and then a read returns an older count", "MB-07,MB-01,MB-10",
      .needs = { CAP_MBM_TOTAL }, .parameter = "counts", .value = 65536)
FAULT(FAULT_MBM_GHOST, "counters advance for RMIDs that nobody runs under", "MB-01", .needs = { CAP_MBM_TOTAL },
      .parameter = "MB/s", .value = 100)
FAULT(FAULT_MBM_HALF, "half of the slices report no bandwidth", "MB-02", .needs = { CAP_MBM_TOTAL },
      .acts_on_traffic = true)
FAULT(FAULT_MBM_LOSS, "a part of the transfers is not counted, in total and local alike", "MB-02",
      .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "percent of the transfers", .value = 25,
      .range = { 1, 99 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_LOCAL_LOSS, "a part of the transfers from the own node is counted in total alone", "MB-05",
      .needs = { CAP_MBM_LOCAL }, .acts_on_traffic = true, .parameter = "percent of the local transfers", .value = 25,
      .range = { 1, 99 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_RMID_FACTOR, "the bandwidth counters of one RMID count by a factor too much, or too little", "MB-02",
      .needs = { CAP_MBM_TOTAL }, .place = "RMID", .place_value = 3, .place_range = { 0, MODEL_MOST_RMID },
      .parameter = "percent more", .value = (uint64_t)-30, .range = { -100, 1000 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_DOUBLE, "each line counts twice", "MB-02", .needs = { CAP_MBM_TOTAL })
FAULT(FAULT_MBM_LOCAL_COUNTS_REMOTE, "local bandwidth of some RMIDs includes lines from the other package", "MB-06",
      .also = "local-is-total", .needs = { CAP_MBM_LOCAL }, .packages = 2, .place = "RMID", .place_value = ALL,
      .place_range = { 0, MODEL_MOST_RMID }, .parameter = "RMIDs from that one", .value = 1,
      .range = { 1, MODEL_MOST_RMID })
FAULT(FAULT_MBM_LOCAL_DEAD, "local bandwidth does not move", "MB-05", .needs = { CAP_MBM_LOCAL })
FAULT(FAULT_MBM_SWAPPED, "the two bandwidth events are exchanged", "MB-04,MB-06", .needs = { CAP_MBM_LOCAL },
      .packages = 2)
FAULT(FAULT_PQR_RMID_LIMIT, "an RMID above the maximum is accepted", "AS-03", .needs = { CAP_RMIDS_ODD })
FAULT(FAULT_PQR_RMID_NARROW, "PQR_ASSOC refuses RMIDs whose highest bit is set", "AS-02", .needs = { CAP_CMT })
FAULT(FAULT_PQR_SAME_VALUE, "a write of the value that PQR_ASSOC holds already leaves the RMID beside it", "AS-11",
      .needs = { CAP_CMT })
FAULT(FAULT_PQR_SMI_CLEARS, "the SMM handler leaves PQR_ASSOC at 0", "AS-10", .needs = { CAP_CMT },
      .parameter = "SMIs a second", .value = 20)
FAULT(FAULT_EVTSEL_SHARED_BY_PACKAGES, "all packages reach the QM_EVTSEL of the first one", "QM-13,XC-08,QM-11",
      .needs = { CAP_CMT }, .packages = 2)
FAULT(FAULT_QM_FLICKERS, "every other read of QM_CTR is Unavailable", "QM-15,QM-14", .needs = { CAP_CMT })
FAULT(FAULT_QM_FIRST_READ_STALE, "the first count of an RMID is handed out before its tracking has begun", "AM-03",
      .needs = { CAP_AMD, CAP_MBM_TOTAL })
FAULT(FAULT_QM_OVERFLOW_STUCK, "the overflow bit shows although it is not enumerated, and never clears", "QM-10,QM-16",
      .needs = { CAP_MBM_TOTAL })
FAULT(FAULT_OVERFLOW_FLAG_KEPT, "the overflow bit is enumerated and a read does not clear it", "QM-16",
      .needs = { CAP_MBM_NEAR_WRAP })
FAULT(FAULT_OVERFLOW_FLAG_STUCK, "the overflow bit is enumerated and stuck at 1", "QM-16",
      .needs = { CAP_MBM_NEAR_WRAP })
FAULT(FAULT_EVTSEL_ZERO_REFUSED, "event 0, which is no event, is refused by QM_EVTSEL", "QM-06", .needs = { CAP_CMT })
FAULT(FAULT_EVTSEL_NOT_CLEARED, "a write of event 0 leaves the event before it selected", "QM-06", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_RMID_UPPER_SHIFTED, "RMIDs of the upper half read the counter of the next one", "CM-13,CM-12,MB-15",
      .needs = { CAP_CMT })
FAULT(FAULT_MBM_BIT_STUCK, "a low bit of the bandwidth counters is stuck at 1", "MB-09", .needs = { CAP_MBM_TOTAL },
      .parameter = "bit", .value = 3)
FAULT(FAULT_MBM_LOCAL_NARROW, "the local bandwidth counter alone has fewer bits than enumerated", "MB-08",
      .needs = { CAP_MBM_NEAR_WRAP }, .parameter = "bits", .value = 20, .range = { 1, 61 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_TAG_BIT_LOST, "lines of one thread lose a bit of their RMID, which its PQR_ASSOC still shows", "CM-16",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "bit", .value = 3)
FAULT(FAULT_MBM_HIGH_RMIDS_LOW,
      "RMIDs above a threshold count too little, beyond what the erratum says (BDF102, SKX99)", "MB-12,X2",
      .needs = { CAP_MBM_TOTAL }, .parameter = "counted of 100", .value = 60, .range = { 0, 99 },
      .strength = STRENGTH_FALLS)
FAULT(FAULT_MBM_CROWD_LOSES, "with every processor of an L3 at work, a part of the transfers is not counted", "MB-20",
      .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "lost of 100", .value = 40, .range = { 1, 100 },
      .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_THROTTLED_LOSES, "of what a processor moves while it is throttled a part is not counted", "MA-05",
      .needs = { CAP_MBA }, .acts_on_traffic = true, .parameter = "lost of 100", .value = 40, .range = { 1, 100 },
      .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_EIGHTH_TWICE, "of the lines that a slice moves each eighth counts twice as bandwidth", "MB-03,MB-02",
      .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_MBM_STARTS_LATE, "of the first lines after a write of PQR_ASSOC no bandwidth is counted", "MB-09",
      .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .parameter = "lines", .value = 262144,
      .range = { 1, 1 << 30 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_IN_TURN_LOST, "while a slice moves lines of several RMIDs a part of them is not counted", "X4",
      .needs = { CAP_MBM_TOTAL }, .tried_with = { CAP_IMC }, .acts_on_traffic = true, .parameter = "lost of 100",
      .value = 40, .range = { 1, 100 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_LOCAL_SLICE_DEAD, "what the last slice moves for its own node is counted in total alone", "X5",
      .needs = { CAP_MBM_LOCAL }, .tried_with = { CAP_IMC }, .packages = 2, .acts_on_traffic = true)
FAULT(FAULT_MBM_WRAP_SKIPS, "after a roll-over the bandwidth counter continues from a sixteenth of its range",
      "X17,MB-08", .needs = { CAP_MBM_NEAR_WRAP })
FAULT(FAULT_MBM_STORES_LOST, "lines that are read for a store are not counted", "MB-17", .needs = { CAP_MBM_TOTAL },
      .acts_on_traffic = true)
FAULT(FAULT_MASK_STUCK_BIT, "a bit of the way masks is stuck at 1", "CA-02", .needs = { CAP_CAT }, .parameter = "bit",
      .value = 3)
FAULT(FAULT_MASK_ZERO_ACCEPTED, "an empty way mask is accepted", "CA-03", .needs = { CAP_INTEL, CAP_CAT })
FAULT(FAULT_MASK_LENGTH_ACCEPTED, "bits beyond the length of a mask are dropped without a fault", "CA-04",
      .needs = { CAP_INTEL, CAP_CAT })
FAULT(FAULT_MASK_HOLE_ACCEPTED, "a mask with a hole is accepted and not enumerated", "CA-05", .needs = { CAP_CAT },
      .absent = { CAP_CAT_HOLES })
FAULT(FAULT_MASK_HOLE_REFUSED, "a mask with a hole is refused where it is legal", "CA-05,AM-07",
      .needs = { CAP_CAT_HOLES })
FAULT(FAULT_MASK_NEXT_WRITTEN, "a write of one mask register reaches the next one", "CA-02", .needs = { CAP_CAT })
FAULT(FAULT_MASK_BROADCAST, "a mask written in one package changes in all of them", "XC-03", .needs = { CAP_CAT },
      .packages = 2)
FAULT(FAULT_MASK_ONE_PROCESSOR, "one processor reads masks of its own", "XC-02", .needs = { CAP_CAT }, .cpus = 2,
      .parameter = "processor", .value = ALL)
FAULT(FAULT_ALLOC_WRITE_LOST, "masks, throttles, limits and enables of an L3 lose what one of its processors writes",
      "XC-02", .needs = { CAP_CAT }, .cpus = 2, .parameter = "processor", .value = 1)
FAULT(FAULT_MASK_LIMIT, "one mask register more answers than there are classes", "CA-06", .needs = { CAP_CAT_SPARE })
FAULT(FAULT_MASK_INERT, "lines go into ways outside of the mask", "CA-08,CA-09,CA-10", .needs = { CAP_CAT })
FAULT(FAULT_MASK_LEAK, "lines go into some ways beside those of the mask as well", "CA-08,CA-10", .needs = { CAP_CAT },
      .parameter = "ways", .value = 4, .range = { 1, MODEL_MOST_WAYS }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MASK_SHIFTED, "the mask of one class acts shifted by a way, and reads as written", "CA-10,CA-15",
      .needs = { CAP_CAT }, .parameter = "class", .value = 1, .range = { 0, MODEL_MOST_CLASS })
FAULT(FAULT_MASK_CLASS_OPEN, "the mask of one class acts as one of all ways, and reads as written", "CA-08,CA-15",
      .needs = { CAP_CAT }, .parameter = "class", .value = 2, .range = { 1, MODEL_MOST_CLASS })
FAULT(FAULT_MASK_TOP_WAY_LOST, "the highest way of a mask with several, and not all, is not filled", "X14,CA-08",
      .needs = { CAP_CAT }, .tried_with = { CAP_CMT })
FAULT(FAULT_L2_MASK_STUCK, "a bit of the L2's way masks is stuck at 1", "L2-01", .needs = { CAP_L2_CAT },
      .parameter = "bit", .value = 3)
FAULT(FAULT_L2_MASK_INERT, "lines go into ways of the L2 outside of the mask", "L2-02", .needs = { CAP_L2_CAT })
FAULT(FAULT_L2_MASK_ANY, "the L2's way masks take an empty one, one with a hole, and one with bits beyond its length",
      "L2-01", .needs = { CAP_INTEL, CAP_L2_CAT })
FAULT(FAULT_CLOS_IGNORED, "one processor stays in class 0 whatever its PQR_ASSOC says", "CA-08,CA-15",
      .needs = { CAP_CAT }, .parameter = "processor", .value = 1)
FAULT(FAULT_CLOS_BROADCAST, "the class written on one processor acts on all of its package", "CA-16",
      .needs = { CAP_CAT }, .cpus = 2)
FAULT(FAULT_CDP_NO_REGISTER, "code and data prioritization is enumerated and its register is not there", "EN-15,CD-01",
      .needs = { CAP_CDP })
FAULT(FAULT_CDP_REFUSED, "code and data prioritization is enumerated and cannot be switched on", "EN-15,CD-01",
      .needs = { CAP_CDP })
FAULT(FAULT_CDP_STUCK, "code and data prioritization does not switch off again", "CD-04,CD-01", .needs = { CAP_CDP })
FAULT(FAULT_CDP_SWAPPED, "the masks of code and data are exchanged", "CD-02", .needs = { CAP_CDP })
FAULT(FAULT_MBA_INERT, "throttles have no effect", "MA-04,MA-08", .needs = { CAP_THROTTLE })
FAULT(FAULT_THROTTLE_OFF, "throttles slow by less than they say, or by more", "MA-04,MA-08", .needs = { CAP_THROTTLE },
      .parameter = "percent less of the delay, or more of the limit", .value = 80, .range = { -99, 99 },
      .strength = STRENGTH_GROWS)
FAULT(FAULT_MBA_MISSES_CORE, "throttles do not reach one core", "MA-04,MA-08", .needs = { CAP_THROTTLE }, .cores = 2,
      .parameter = "core", .value = ALL, .range = { 0, MODEL_MOST_CORE })
FAULT(FAULT_MBA_ONE_THREAD,
      "the delay of the other thread's class counts where it should not, or does not where it should", "MA-07",
      .needs = { CAP_MBA }, .threads = 2)
FAULT(FAULT_MBA_STUCK, "a bit of the delays always reads 0", "MA-02", .needs = { CAP_MBA }, .parameter = "bit",
      .value = 4)
FAULT(FAULT_MBA_LIMIT, "a delay above the maximum is accepted", "MA-03", .needs = { CAP_MBA })
FAULT(FAULT_CEILING_STUCK, "a bit of the bandwidth limits always reads 0", "MA-08", .needs = { CAP_CEILING },
      .parameter = "bit", .value = 5)
FAULT(FAULT_GLOBAL_BW_STUCK, "a bit of the ceilings that L3s share always reads 0", "MA-11", .needs = { CAP_SMBE },
      .parameter = "bit", .value = 5, .realism = "global-limits=on")
FAULT(FAULT_MBA_STEP_DEAD, "one delay between the least and the greatest acts as none", "MA-04", .needs = { CAP_MBA },
      .tried_with = { CAP_MBA_CFG }, .parameter = "delay", .value = 50)
FAULT(FAULT_MBA_LEAKS, "the delay of one class slows all of them", "MA-06", .needs = { CAP_MBA })
FAULT(FAULT_EVTSEL_SHARED_WHERE_PRIVATE, "processors share a QM_EVTSEL on a part that has one for each", "AM-09,QM-12",
      .needs = { CAP_EVTSEL_PRIVATE }, .cpus = 2)
FAULT(FAULT_EVENTS_INERT, "what a bandwidth event counts cannot be changed", "AM-04", .needs = { CAP_BMEC })
FAULT(FAULT_EVENTS_KEEP_COUNT, "a changed event continues from the count before", "AM-04", .needs = { CAP_BMEC })
FAULT(FAULT_EVENTS_ONE_PROCESSOR, "one processor reads another configuration of the events", "RS-11",
      .needs = { CAP_BMEC }, .cpus = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_EVENTS_LEFT_BY_FIRMWARE, "firmware has total bandwidth count local reads alone", "RS-10",
      .needs = { CAP_BMEC })
FAULT(FAULT_ABMC_GATE, "counters can be assigned while assignable counters are off", "AM-06", .needs = { CAP_ABMC })
FAULT(FAULT_ABMC_LOSES_CONFIG, "the description of an assigned counter reads 0", "AM-05", .needs = { CAP_ABMC })
FAULT(FAULT_ABMC_INDEX, "half of the counters are enumerated, and those beyond are taken without an error", "AM-08",
      .needs = { CAP_ABMC })
FAULT(FAULT_ABMC_COUNT_KEPT, "a counter that is assigned again continues from the count before", "AM-05",
      .needs = { CAP_ABMC })
/* Of parts with bandwidth allocation by core (CBA): model_levels.c. */
FAULT(FAULT_CBA_NO_REGISTER, "levels of cache bandwidth are enumerated and their registers are not there", "MA-09",
      .needs = { CAP_CBA })
FAULT(FAULT_CBA_LIMIT, "a level of cache bandwidth above the greatest is accepted", "MA-09", .needs = { CAP_CBA })
FAULT(FAULT_CBA_STUCK, "a bit of the levels of cache bandwidth always reads 0", "MA-09", .needs = { CAP_CBA },
      .parameter = "bit", .value = 1)
/* Of one processor: registers that each has for itself. */
FAULT(FAULT_QM_ERROR_ONE_PROCESSOR, "one processor is answered with data where it asks for an RMID above the maximum",
      "QM-04", .needs = { CAP_RMID_ABOVE }, .tried_with = { CAP_MBM_TOTAL }, .cpus = 2, .parameter = "processor",
      .value = ALL)
FAULT(FAULT_QM_EVENT_ONE_PROCESSOR,
      "one processor is answered with data where it asks for an event that is not enumerated", "QM-05",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .cpus = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_EVTSEL_RESERVED_ONE_PROCESSOR, "one processor drops reserved bits of QM_EVTSEL without a fault", "QM-02",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .cpus = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_PQR_RESERVED_ONE_PROCESSOR,
      "one processor drops reserved bits beside the RMID of PQR_ASSOC without a fault", "AS-04", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .cpus = 2, .parameter = "processor", .value = ALL)
/* With a trigger. */
FAULT(FAULT_TAG_SIBLING_CLEARS,
      "a write of PQR_ASSOC that changes the RMID has the core's other thread tag its lines 0", "CM-16",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .threads = 2)
FAULT(FAULT_TAG_LOST_IN_HALT,
      "a processor that did nothing for a millisecond tags its lines 0 until PQR_ASSOC is written again", "AS-12",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_TAG_LOST_IN_MWAIT,
      "a processor that was in MWAIT tags its lines 0 until PQR_ASSOC is written again; HLT does nothing", "AS-12",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .cpus = 2,
      .host_only = MWAIT_OF_QEMU)
FAULT(FAULT_CLASS_LOST_IN_MWAIT,
      "a processor that was in MWAIT is in class 0 until PQR_ASSOC is written again; its RMID stays", "CD-02,CA-17",
      .needs = { CAP_CAT }, .tried_with = { CAP_CMT, CAP_CDP }, .cpus = 2, .host_only = MWAIT_OF_QEMU)
FAULT(FAULT_PQR_SMI_FIRST, "the SMM handler gives each processor the PQR_ASSOC of the first one", "AS-10",
      .needs = { CAP_CMT }, .cpus = 2)
FAULT(FAULT_PQR_SMI_CLASS, "the SMM handler writes the RMID of PQR_ASSOC back and class 0", "AS-10",
      .needs = { CAP_CAT, CAP_CMT })
FAULT(FAULT_TAG_LOST_IN_SMI,
      "after an SMI a processor tags its lines 0 until another RMID is written to PQR_ASSOC, which reads as before",
      "AS-10,MB-02", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_MBM_LOST_IN_SMI, "of the first 65,536 lines that a processor moves after an SMI no bandwidth is counted",
      "AS-10,MB-02", .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_TAG_SIBLING_LOADS,
      "a processor whose sibling's RMID changes after a store of its own tags what it loads then 0",
      "CM-16,XC-10,MB-19", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .threads = 2)
FAULT(FAULT_TAG_SIBLING_STORES,
      "a processor whose sibling's RMID changes after a load of its own tags what it stores to then 0",
      "CM-16,XC-10,MB-19", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .threads = 2)
FAULT(FAULT_TAG_OF_WRITER, "a write of PQR_ASSOC has the core's other thread tag some lines with the RMID written",
      "XC-10", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true, .threads = 2,
      .parameter = "lines", .value = 512, .range = { 1, 1 << 20 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_LOST_IN_HALT,
      "of the first 65,536 lines of a processor that did nothing for a millisecond no bandwidth is counted", "AS-12",
      .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_TAG_LOST_AT_CLOCK, "a core whose clock changes tags its lines 0 until PQR_ASSOC is written again",
      "CM-02,MB-02", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_OCCUPANCY_LOST_AT_CLOCK, "the first 65,536 lines after a change of the core's clock have no occupancy",
      "CM-02,CM-12", .needs = { CAP_CMT }, .acts_on_traffic = true)
FAULT(FAULT_MBM_LOST_AT_CLOCK, "of the first 65,536 lines after a change of the core's clock no bandwidth is counted",
      "MB-02,MB-09,MB-15", .needs = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_QM_READ_RACE, "two L3s that are read within so many ticks are answered with the count of the first one",
      "QM-13,XC-08", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL, CAP_INTEL }, .packages = 2,
      .parameter = "ticks", .value = 2000)
/* Of RMID 0, and of what changes without a load. */
FAULT(FAULT_MBM_ZERO_DEAD, "RMID 0 counts no bandwidth", "MB-15", .needs = { CAP_MBM_TOTAL })
FAULT(FAULT_OCCUPANCY_ZERO_DEAD, "RMID 0 has no occupancy", "CM-12", .needs = { CAP_CMT })
FAULT(FAULT_MBM_WBINVD_CLEARS, "WBINVD clears the bandwidth counts of its L3", "MB-23", .needs = { CAP_MBM_TOTAL })
FAULT(FAULT_MBM_MASK_CLEARS, "a write of an L3 mask clears the bandwidth counts of its L3", "MB-23",
      .needs = { CAP_MBM_TOTAL }, .tried_with = { CAP_CAT })
FAULT(FAULT_MBM_DELAY_CLEARS, "a write of an MBA delay clears the bandwidth counts of its L3", "MB-23",
      .needs = { CAP_MBM_TOTAL, CAP_MBA })
FAULT(FAULT_OCCUPANCY_AT_POWER_ON, "the occupancy counter of one RMID comes out of reset with lines that nobody has",
      "RS-07", .needs = { CAP_CMT }, .place = "RMID", .place_value = ALL, .place_range = { 0, MODEL_MOST_RMID },
      .parameter = "lines", .value = 65536, .range = { 1, 1 << 30 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_OF_READER, "one processor of an L3 is answered without the lines of half of the slices", "CM-17",
      .needs = { CAP_CMT }, .cpus = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_OCCUPANCY_KEPT_FAR, "a line that another package flushes or stores to stays in the occupancy of its RMID",
      "CM-23", .needs = { CAP_CMT }, .acts_on_traffic = true, .packages = 2)
/* What a class has is taken over by a processor when it gets the class, and not when it is written. */
FAULT(FAULT_MASK_AT_ASSOCIATION, "an L3 mask acts from the next write of PQR_ASSOC on", "CA-08", .needs = { CAP_CAT },
      .tried_with = { CAP_CMT })
FAULT(FAULT_MBA_AT_ASSOCIATION, "a delay acts from the next write of PQR_ASSOC on", "MA-04", .needs = { CAP_MBA })
/* Of counters that are assigned, and of what is configured beside them. */
FAULT(FAULT_SLOW_LIMIT_STUCK, "limits of slow memory are not stored", "MA-08", .needs = { CAP_SMBE })
FAULT(FAULT_SLOW_LIMIT_INERT, "limits of slow memory limit nothing", "MA-10", .needs = { CAP_SMBE },
      .realism = "memory-node=on", .host_only = NODES_OF_QEMU)
FAULT(FAULT_SLOW_LIMIT_OF_ALL, "limits of slow memory limit the other memory as well", "MA-10", .needs = { CAP_SMBE },
      .realism = "memory-node=on", .host_only = NODES_OF_QEMU)
FAULT(FAULT_ABMC_LOCAL_IS_TOTAL, "event 3 of an RMID reads the assigned counter that event 2 does", "AM-05",
      .needs = { CAP_ABMC })
FAULT(FAULT_ABMC_DEAD, "one assignable counter counts nothing", "AM-05", .needs = { CAP_ABMC }, .parameter = "counter",
      .value = 17)
FAULT(FAULT_ABMC_SHARED, "two assignable counters, of numbers that differ in one bit, share their storage", "AM-05",
      .needs = { CAP_ABMC }, .parameter = "bit", .value = 3)
FAULT(FAULT_ABMC_ID_STUCK, "a bit of the counter's number in L3_QOS_ABMC_CFG is stuck at 0", "AM-05",
      .needs = { CAP_ABMC }, .parameter = "bit", .value = 4)
FAULT(FAULT_ABMC_TYPES_IGNORED, "an assigned counter counts every kind of transfer", "AM-05", .needs = { CAP_ABMC })
FAULT(FAULT_ABMC_SOURCE_IGNORED, "an assigned counter counts every RMID", "AM-05", .needs = { CAP_ABMC })
FAULT(FAULT_EVENT_BIT_IGNORED, "a bit of QOS_EVT_CFG_n is stored, and its kind of transfer counts as at reset", "AM-10",
      .needs = { CAP_BMEC }, .place = "QOS_EVT_CFG_n", .place_value = ALL, .place_range = { 0, 1 }, .parameter = "bit",
      .value = 6)
FAULT(FAULT_SDCIAE_DIFFERS, "one processor has an enable of SDCI allocation of its own", "RS-11,AM-11",
      .needs = { CAP_SDCIAE }, .cpus = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_PQR_RMID_UNCHECKED, "the RMID field of AMD's PQR_ASSOC takes all of its 12 bits, whatever the highest RMID",
      "AM-01", .needs = { CAP_AMD, CAP_CMT, CAP_RMID_ABOVE })
FAULT(FAULT_CDP_RESERVED_SET, "a reserved bit of L3_QOS_CFG1 reads 1", "AM-02", .needs = { CAP_AMD, CAP_CDP },
      .parameter = "bit", .value = 1, .range = { 1, 63 })
FAULT(FAULT_ABMC_DSC_UNGATED,
      "L3_QOS_ABMC_DSC is read without a fault while counters are not assignable; L3_QOS_ABMC_CFG is not", "AM-06",
      .needs = { CAP_ABMC })
FAULT(FAULT_EVTSEL_SHARED_BY_SIBLINGS,
      "the two threads of a core share a QM_EVTSEL on a part that has one for each processor", "AM-09",
      .needs = { CAP_EVTSEL_PRIVATE }, .threads = 2)
/* Telemetry by RMID. */
FAULT(FAULT_TELEMETRY_DEAD, "telemetry of an RMID does not advance", "ET-02", .needs = { CAP_TELEMETRY },
      .parameter = "RMID, all without", .value = ALL)
FAULT(FAULT_TELEMETRY_IDLE_COUNTS, "telemetry of every RMID gains an eighth of what all do", "ET-02",
      .needs = { CAP_TELEMETRY })
FAULT(FAULT_TELEMETRY_OTHER_RMID, "telemetry of neighbouring RMIDs is exchanged", "ET-02", .needs = { CAP_TELEMETRY })
FAULT(FAULT_TELEMETRY_FEW_RMIDS, "telemetry has fewer RMIDs than CPUID", "ET-01", .needs = { CAP_TELEMETRY },
      .parameter = "RMIDs", .value = 16)
/* Of one write, or one selection, after another. */
FAULT(FAULT_PQR_UPPER_BITS_LATE, "a write of PQR_ASSOC that changes the upper bits of the RMID alone leaves the tag",
      "CM-12,CM-16", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true,
      .parameter = "lower bits", .value = 3, .range = { 1, 31 })
FAULT(FAULT_PQR_BOTH_AT_ONCE, "a write of PQR_ASSOC that changes CLOS and RMID leaves the tag", "CA-08,CA-10",
      .needs = { CAP_CAT, CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .acts_on_traffic = true)
FAULT(FAULT_EVTSEL_EVENT_LATE, "a selection of another event of the same RMID is answered with the event before",
      "MB-06", .needs = { CAP_MBM_LOCAL }, .packages = 2)
FAULT(FAULT_MBM_TORN_CARRY, "after a carry into bit 16 of a bandwidth counter its upper part is a carry late",
      "MB-07,AS-12", .needs = { CAP_MBM_TOTAL }, .parameter = "counts after a carry", .value = 4096,
      .range = { 1, 65535 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_MBM_GLOBAL, "each L3 counts the bandwidth of an RMID in all of them", "XC-05", .needs = { CAP_MBM_TOTAL },
      .packages = 2)
FAULT(FAULT_MASK_ONE_WAY_OPEN, "a mask of a single way acts as one of all ways", "CA-08,CA-09", .needs = { CAP_CAT })
FAULT(FAULT_CDP_ONE_CORE, "code and data prioritization acts on the core that switched it on alone", "CD-02",
      .needs = { CAP_CDP }, .tried_with = { CAP_CMT }, .cores = 2)
FAULT(FAULT_CLOS_OF_SIBLING, "lines go to the ways of the class of the core's other thread", "CA-08,CA-16",
      .needs = { CAP_CAT }, .threads = 2)
FAULT(FAULT_L2_MASK_BROADCAST, "a write of an L2 mask reaches every L2 of the package", "L2-01,L2-02",
      .needs = { CAP_L2_CAT }, .cores = 2)
FAULT(FAULT_ABMC_CFG_EN_IGNORED, "a write of L3_QOS_ABMC_CFG configures the counter although CfgEn is 0", "AM-05",
      .needs = { CAP_ABMC })
FAULT(FAULT_MBA_SAME_VALUE, "the register of a delay that another class has already reads 0", "MA-02",
      .needs = { CAP_MBA })
FAULT(FAULT_MASK_WRITE_FLUSHES, "a write of an L3 mask flushes the ways that the class loses by it", "CA-12,CA-13",
      .needs = { CAP_CAT }, .tried_with = { CAP_CMT })
FAULT(FAULT_LIMIT_UNDER_UNLIMITED, "a limit of L3 bandwidth acts although its U bit is set", "MA-08",
      .needs = { CAP_CEILING })
FAULT(FAULT_EVENTS_BOTH_WRITTEN, "QOS_EVT_CFG_0 and QOS_EVT_CFG_1 are one register", "AM-04,AM-10",
      .needs = { CAP_BMEC })
FAULT(FAULT_ABMC_RUNS_DISABLED, "an assigned counter counts although its CtrEn is 0", "AM-05", .needs = { CAP_ABMC })
FAULT(FAULT_MASK_NEIGHBOUR_RESET, "a write of the L3 mask of a class sets that of the next one to all ways", "CA-02",
      .needs = { CAP_CAT })
FAULT(FAULT_MBA_RELEASE_LOST, "a delay of 0 that follows the greatest one reads 0, and the greatest acts on", "MA-04",
      .needs = { CAP_MBA })
FAULT(FAULT_MBA_BROADCAST, "a write of a delay reaches every package", "MA-02,MA-06", .needs = { CAP_MBA },
      .packages = 2)
FAULT(FAULT_EVENTS_BROADCAST, "a write of QOS_EVT_CFG_n reaches every L3", "RS-11,AM-04,AM-10", .needs = { CAP_BMEC },
      .packages = 2)
FAULT(FAULT_LIMIT_BROADCAST, "a write of a limit of L3 bandwidth reaches every L3", "MA-08", .needs = { CAP_CEILING },
      .packages = 2)
FAULT(FAULT_CDP_CODE_LOW_CLASSES, "code masks of the upper half of the classes do not act", "CD-02",
      .needs = { CAP_CDP })
FAULT(FAULT_ABMC_CFG_SHARED, "processors of an L3 share one L3_QOS_ABMC_CFG", "AM-05", .needs = { CAP_ABMC }, .cpus = 2)
FAULT(FAULT_MBM_LOCAL_ALIASES, "local bandwidth of an RMID of the upper half is that of the one half of them below",
      "MB-04,MB-05,MB-15", .needs = { CAP_MBM_LOCAL })
FAULT(FAULT_MASK_HOLE_PART, "of an L3 mask with a hole the ways below it alone act", "CA-09",
      .needs = { CAP_CAT_HOLES }, .tried_with = { CAP_CMT })
FAULT(FAULT_CDP_CLASSES_HALF, "with code and data apart, classes of the upper half have the masks of those below",
      "CD-02", .needs = { CAP_CDP })
FAULT(FAULT_EVENT_BITS_SWAPPED, "two bits of QOS_EVT_CFG_n act for each other's kind of transfer", "AM-10",
      .needs = { CAP_BMEC }, .parameter = "bit, which is exchanged with the next one", .value = 2, .range = { 0, 5 })
FAULT(FAULT_SLOW_LIMIT_OTHER_CLASS, "a limit of slow memory acts on the next class", "MA-10", .needs = { CAP_SMBE },
      .realism = "memory-node=on", .host_only = NODES_OF_QEMU)
FAULT(FAULT_SLOW_LIMIT_OFF, "limits of slow memory are of another unit", "MA-10", .needs = { CAP_SMBE },
      .realism = "memory-node=on", .host_only = NODES_OF_QEMU, .parameter = "percent more", .value = 100,
      .range = { -90, 900 })
