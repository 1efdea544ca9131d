/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: performance monitors outside of the cores. One row a fault; model.h has the columns. */
FAULT(FAULT_UCLK_STOPPED, "the uncore clock of one package does not reach its U-box", "K1,E1", .needs = { CAP_UBOX },
      .parameter = "package", .value = 1)
FAULT(FAULT_UCLK_SLOW, "the U-box of one package counts every other clock", "K1", .needs = { CAP_UBOX }, .packages = 2,
      .parameter = "package", .value = 1)
FAULT(FAULT_UCLK_IGNORES_ENABLE, "the fixed counter runs whether enabled or not", "E1,E2", .needs = { CAP_UBOX })
FAULT(FAULT_UBOX_NARROW, "the counters have one bit less than documented", "O1,A2", .needs = { CAP_UBOX })
FAULT(FAULT_UBOX_SATURATES, "the counters stop at their greatest value", "O1", .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_STUCK_BIT, "a bit of the counters is stuck at 1", "A2", .needs = { CAP_UBOX }, .parameter = "bit",
      .value = 40)
FAULT(FAULT_UBOX_RESET_DEAD, "the reset bit of a control does nothing", "R3", .needs = { CAP_UBOX })
FAULT(FAULT_UBOX_IGNORES_ENABLE, "the counters run whether enabled or not", "E1,E2",
      .needs = { CAP_UBOX_INVERT, CAP_COUNTER_ENABLE })
FAULT(FAULT_UBOX_THRESHOLD, "an increment is compared with the threshold less one", "T1", .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_INVERT, "the invert bit does nothing", "T4", .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_EDGE, "the edge bit does nothing: levels are counted", "G1,G2", .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_SHARED, "every package reaches the U-box of the first one", "S1", .needs = { CAP_UBOX }, .packages = 2)
FAULT(FAULT_UBOX_UMASK_IGNORED, "the U-box counts messages of every kind, whatever the umask asks for", "V11",
      .needs = { CAP_UBOX_IPI })
/* Tried with FIXED_UNITS: files of Granite Rapids and later have no other event of the U-box. */
FAULT(FAULT_UBOX_EVENT_IGNORED, "the U-box counts messages whatever event is selected", "V11",
      .needs = { CAP_UBOX_IPI }, .tried_with = { CAP_FIXED_UNITS })
FAULT(FAULT_UBOX_MESSAGES_HALF, "the first counter of the U-box counts every other message", "V11",
      .needs = { CAP_UBOX_IPI })
FAULT(FAULT_MBM_WRITES_PART, "bandwidth counts half of the lines written", "X3", .needs = { CAP_INTEL, CAP_MBM_TOTAL },
      .tried_with = { CAP_IMC })
FAULT(FAULT_CORE_LLC_MISSES_HALF, "the counters of the cores count half of the LLC's misses", "X1",
      .needs = { CAP_CORE_PMU }, .tried_with = { CAP_IMC }, .host_only = COUNTERS_OF_QEMU)

/* Every kind of box, or the unit of uncore.h that the parameter names. */
#define UNIT_AND_COUNTER .place = "unit", .place_value = ALL, .parameter = "counter", .value = ALL
FAULT(FAULT_PMON_DEAD_COUNTER, "the last counter of a box never counts", "E1,E5", .needs = { CAP_PMON },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_NARROW, "the counters have one bit less than documented", "A2,O1", .needs = { CAP_PMON },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_IGNORES_ENABLE, "counters run whether enabled or not", "E1,E2",
      .needs = { CAP_PMON, CAP_COUNTER_ENABLE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_ENABLE_SHARED, "the last counter of a box runs while the first one is enabled", "E1,E2",
      .needs = { CAP_PMON, CAP_COUNTER_ENABLE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_READ_STALE, "a running counter shows what it had when it was read last", "E1,E2",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_RESET_DEAD, "the reset bit of a control does nothing", "R3", .needs = { CAP_PMON, CAP_COUNTER_RESET },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_BOX_RESET_DEAD, "the reset bits of a box control do nothing", "R1,R2", .needs = { CAP_BOX_CTL },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FREEZE_DEAD, "neither box nor global freeze stops the counters", "F1,F4", .needs = { CAP_BOX_CTL },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_GLOBAL_FREEZE_MISSES, "the global freeze does not reach a unit", "F4", .needs = { CAP_GLOBAL_FREEZE },
      UNIT_AND_COUNTER)
FAULT(FAULT_PMON_THRESHOLD, "an increment is compared with the threshold less one", "T1", .needs = { CAP_PMON },
      UNIT_AND_COUNTER)
FAULT(FAULT_PMON_INVERT, "the invert bit does nothing", "T4", .needs = { CAP_PMON, CAP_INVERT }, UNIT_AND_COUNTER)
FAULT(FAULT_PMON_EDGE, "the edge bit does nothing: levels are counted", "G1,G2", .needs = { CAP_PMON },
      UNIT_AND_COUNTER)
FAULT(FAULT_PMON_OVERFLOW_STUCK, "an overflow that was reported cannot be cleared", "O2", .needs = { CAP_OVERFLOW },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_CLOCK_DRIFTS, "the clock of the last box of a kind is a part in 128 too fast", "K1,K2,K5",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_LEFT_RUNNING, "firmware leaves its own events programmed and enabled", "S2", .needs = { CAP_PMON },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_LEFT_FROZEN, "firmware leaves the monitors frozen", "S2", .needs = { CAP_BOX_CTL },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_LEFT_FROZEN_GLOBALLY, "firmware leaves the monitors frozen by the global control", "S2",
      .needs = { CAP_GLOBAL_FREEZE }, .tried_with = { CAP_TOR })
/* Of two packages: firmware may hide the links of one alone. Tried with FIXED_UNITS: how many links a later part has only its
 * table says. With PMON: no check adds up umask bits of AMD's
 * counters. With TID: the rule of frequency bands is that of the E5 parts. */
FAULT(FAULT_QPI_PORT_MISSING, "one link port less shows its monitor than the part has", "A1,X7", .needs = { CAP_QPI },
      .tried_with = { CAP_FIXED_UNITS }, .packages = 2)
FAULT(FAULT_IMC_PHANTOM_CHANNEL, "a memory channel shows its monitor that has no memory", "A1,V5",
      .needs = { CAP_IMC_SPARE })
FAULT(FAULT_IMC_COUNTS_DOUBLE, "one memory channel counts each access twice", "V3,V5,X1", .needs = { CAP_IMC },
      .tried_with = { CAP_IMC_FREE }, .parameter = "channel", .value = ALL)
FAULT(FAULT_IMC_CAS_SWAPPED, "reads count as writes, and writes as reads", "V3,V4", .needs = { CAP_IMC })
FAULT(FAULT_HOME_REMOTE_SWAPPED, "the home agent takes local requests for remote ones, and remote ones for local", "X9",
      .needs = { CAP_HOME_EVENTS }, .packages = 2)
FAULT(FAULT_CBO_DEAD, "the monitor of one slice counts nothing", "K5,V6", .needs = { CAP_CBO }, .parameter = "slice",
      .value = ALL)
FAULT(FAULT_CBO_STORES_LOST, "the monitor of one slice counts no look-ups for stores", "V6",
      .needs = { CAP_CBO, CAP_DISCOVERY }, .parameter = "slice", .value = ALL)
FAULT(FAULT_CBO_FILTER_IGNORED, "lookups are counted whatever states the filter asks for", "V7", .needs = { CAP_CBO },
      .parameter = "slice", .value = ALL)
FAULT(FAULT_QPI_DIRECTIONS_SWAPPED, "data flits received count as sent, and sent as received", "X7",
      .needs = { CAP_QPI }, .packages = 2)
FAULT(FAULT_PCI_HIDDEN, "firmware hides one PCI function that holds a monitor", "A1,D3", .needs = { CAP_PCI_BOXES },
      .parameter = "which of the package's", .value = ALL)
FAULT(FAULT_PCI_ALL_ONES, "the registers of one PCI function read all ones", "A1,A2", .needs = { CAP_PCI_BOXES },
      .parameter = "which of the package's", .value = ALL)
FAULT(FAULT_SBO_INIT_GP, "setting several bits of an SBo's control at once is refused (Linux sets one by one)", "A1",
      .needs = { CAP_SBO })
FAULT(FAULT_FREE_CLOCK_STOPPED, "a clock that should run by itself does not advance in one box", "K6",
      .needs = { CAP_FREE_CLOCK })
FAULT(FAULT_FREE_CLOCK_FROZEN, "a freeze reaches the clocks that should run by themselves", "K6",
      .needs = { CAP_FREE_CLOCK })
FAULT(FAULT_IIO_BANDWIDTH_BACK, "the free-running bandwidth of an I/O stack goes back", "K6",
      .needs = { CAP_IIO_BANDWIDTH })
FAULT(FAULT_IIO_BANDWIDTH_HIGH_BITS, "the free-running bandwidth of I/O stacks shows a bit above its width", "K6",
      .needs = { CAP_IIO_BANDWIDTH })
FAULT(FAULT_HOME_ADDRESS_IGNORED, "a home agent's match counts requests to every address, whatever its registers hold",
      "V16", .needs = { CAP_HOME_MATCH })
FAULT(FAULT_HOME_OPCODE_IGNORED, "a home agent's match counts requests of every opcode, whatever its register holds",
      "V16", .needs = { CAP_HOME_MATCH })
FAULT(FAULT_PACKET_MATCH_IGNORED, "a QPI port counts packets of every class, whatever match and mask ask for", "V17",
      .needs = { CAP_PACKETS }, .packages = 2)
FAULT(FAULT_HEADER_CLASS_IGNORED, "a UPI port counts headers of every class, whatever the umask asks for", "V17",
      .needs = { CAP_UPI_HEADERS }, .packages = 2, .parameter = "port", .value = ALL)
FAULT(FAULT_IIO_PORT_IGNORED, "an I/O stack counts requests of every port, whatever ch_mask asks for", "V15",
      .needs = { CAP_IIO_PORTS })
FAULT(FAULT_IIO_PORT_SHIFTED, "the bits of ch_mask are those of the port before", "V15", .needs = { CAP_IIO_PORTS })
FAULT(FAULT_IIO_FC_IGNORED, "an I/O stack counts requests of every flow class, whatever fc_mask asks for", "V15",
      .needs = { CAP_IIO_PORTS })
FAULT(FAULT_IIO_STACK_DEAD, "an I/O stack counts its clock, and no requests", "V15", .needs = { CAP_IIO_PORTS })
FAULT(FAULT_L3PMC_ENABLE_STUCK, "the L3's counters run whether enabled or not", "E1", .needs = { CAP_L3_PMC })
FAULT(FAULT_L3PMC_DEAD, "one counter of the L3 never counts", "E5", .needs = { CAP_L3_PMC }, .parameter = "counter",
      .value = ALL)
FAULT(FAULT_UMC_NO_OVERFLOW, "a memory controller's counter stops at its end without its overflow bit", "O5",
      .needs = { CAP_UMC })
FAULT(FAULT_UMC_CHANNEL_DEAD, "one memory controller of AMD's counts its clock, and none of its accesses", "V3,V4,V5",
      .needs = { CAP_UMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_OCCUPANCY_DEAD, "the occupancy of a table or queue counts nothing", "Q2", .needs = { CAP_QUEUES },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_INSERTS_DEAD, "what enters a table or queue is not counted", "Q2", .needs = { CAP_QUEUES },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_OCCUPANCY_THRESHOLD_IGNORED, "an occupancy is added up whatever the threshold asks for", "T2,T3",
      .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_OCCUPANCY_EDGE_LEVEL, "an occupancy's edge bit does nothing: levels are counted", "G1",
      .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_OCC_RST_READS_1, "the bit that resets an occupancy reads as it was written", "Q1",
      .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_OCCUPANCY_STALE, "an entry stays in a queue's occupancy, whatever resets it", "Q1",
      .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_STATUS_WITHOUT_OV_EN, "an overflow is reported that no counter asked for", "O3",
      .needs = { CAP_OV_EN, CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_FIXED_OVERFLOW_LOST,
      "an overflow of the fixed counter shows in no status, freezes nothing and interrupts nobody", "O2",
      .needs = { CAP_FIXED_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMI_LOST, "an overflow interrupts no processor", "O4", .needs = { CAP_PMI })
FAULT(FAULT_PMI_TWICE, "an overflow interrupts a core twice", "O4", .needs = { CAP_PMI })
FAULT(FAULT_PMI_OTHER_CORE, "an overflow interrupts the core beside the one that was chosen", "O4",
      .needs = { CAP_PMI })
FAULT(FAULT_EDGE_ALONE_HALF, "the edge bit without a threshold counts every other increment", "G3",
      .needs = { CAP_BOX_CTL }, UNIT_AND_COUNTER)
FAULT(FAULT_PCU_BANDS_SWAPPED, "frequency bands go by the filter's bytes in the other order", "V10",
      .needs = { CAP_BANDS }, .tried_with = { CAP_TID })
FAULT(FAULT_PCU_CORES_HALF, "the power control unit knows the state of every other core alone", "T1,T2,K7,V13",
      .needs = { CAP_CORE_STATES })
FAULT(FAULT_PCU_OCC_INVERT_DEAD, "occ_invert is stored and does nothing: cores in a state are compared as without it",
      "V13", .needs = { CAP_OCC_COMPARE })
FAULT(FAULT_PCU_OCC_EDGE_LEVEL, "occ_edge_det is stored and does nothing: clocks are counted, not changes", "V13",
      .needs = { CAP_OCC_COMPARE })
FAULT(FAULT_PSEUDO_CHANNEL_DEAD, "queues of the second pseudo channel of one memory channel count nothing", "Q2,V14",
      .needs = { CAP_PSEUDO_CHANNELS }, .parameter = "channel", .value = ALL)
FAULT(FAULT_PSEUDO_CHANNEL_BOTH, "a pseudo channel's queues of one memory channel count both pseudo channels", "Q2,V14",
      .needs = { CAP_PSEUDO_CHANNELS }, .parameter = "channel", .value = ALL)
FAULT(FAULT_TOR_HIT_LOST, "requests that hit are lost where those that miss are asked for as well", "V1,V2",
      .needs = { CAP_TOR_HIT_MISS })
FAULT(FAULT_DIMM_NOT_COUNTED, "a memory channel that has a module counts none of its accesses", "D1,V3,V5",
      .needs = { CAP_IMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_OCCUPANCY_DOUBLE, "an occupancy adds each entry of its queue twice", "Q2", .needs = { CAP_QUEUES },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_OCCUPANCY_HALF, "an occupancy knows of every other entry of its queue", "Q2", .needs = { CAP_QUEUES },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_UMASK_FIRST_ONLY, "of several things that a umask asks for, the first alone is counted", "V1,V2",
      .needs = { CAP_UMASK_SUMS }, .tried_with = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_UMASK_READS_LOST, "of a umask that asks for reads and writes of memory, writes alone are counted", "V1,V2",
      .needs = { CAP_CAS_SUMS })
FAULT(FAULT_UMASK_WRITES_LOST, "of a umask that asks for reads and writes of memory, reads alone are counted", "V1,V2",
      .needs = { CAP_CAS_SUMS })
FAULT(FAULT_TOR_OPCODE_IGNORED, "every entry of the table passes the filter by opcode", "V9", .needs = { CAP_TOR })
FAULT(FAULT_TOR_HOME_IGNORED, "every entry of the table passes the filter by memory", "V9,X8",
      .needs = { CAP_TOR_HOMES }, .packages = 2)
FAULT(FAULT_TID_IGNORED, "the monitor of one slice counts every thread's requests whatever tid says", "V8",
      .needs = { CAP_TID }, .parameter = "slice", .value = ALL)
FAULT(FAULT_TID_SHIFTED, "tid is taken from one bit beside its own", "V8", .needs = { CAP_TID })
FAULT(FAULT_NHM_MATCH_IGNORED, "requests are counted whatever address is to be matched", "A2",
      .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_IMC_FREE_DEAD, "the free-running counters of one memory controller do not advance", "K6",
      .needs = { CAP_IMC_FREE }, .parameter = "controller", .value = ALL)
FAULT(FAULT_IMC_FREE_DOUBLE, "the free-running counters of one memory controller count each line twice", "K6,V3,V4",
      .needs = { CAP_IMC_FREE_LINES }, .parameter = "controller", .value = ALL)
FAULT(FAULT_IMC_FREE_HALF, "the free-running counters of all memory controllers count every other line", "K6,V3,V4",
      .needs = { CAP_IMC_FREE_LINES })
FAULT(FAULT_GLOBAL_ENABLE_DEAD, "counters run whatever the global control enables", "F4,E1,E2",
      .needs = { CAP_GLOBAL_ENABLE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_IMC_FREE_CLOCK, "the free-running clock of the memory controllers is another than DCLK", "K6,K2",
      .needs = { CAP_IMC_FREE }, .parameter = "percent of DCLK", .value = 50)
FAULT(FAULT_UCLK_OTHER_RATIO, "the uncore clock is faster than the ratio in MSR 621H says", "K1",
      .needs = { CAP_PMON, CAP_UNCORE_RATIO }, .parameter = "ratio steps", .value = 2)
FAULT(FAULT_DF_CHANNEL_DEAD, "the data fabric counts nothing of one memory channel", "V3,V4,V5", .needs = { CAP_DF },
      .tried_with = { CAP_UMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_DF_CHANNEL_DOUBLE, "the data fabric counts each line of one memory channel twice", "V3,V4,V5",
      .needs = { CAP_DF }, .tried_with = { CAP_UMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_DF_NARROW, "a counter of the data fabric does not carry into bit 47", "O1", .needs = { CAP_DF },
      .tried_with = { CAP_DF_BOTH_WAYS })
FAULT(FAULT_PMON_RESET_CLEARS_CONTROLS, "a box control's reset of counters clears the controls too", "R1",
      .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FREEZE_ONE_RUNS, "a freeze does not stop the last counter of a box", "F1,F4", .needs = { CAP_BOX_CTL },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FROZEN_WRITE_LOST, "a write of a counter is lost while it is frozen", "F3", .needs = { CAP_BOX_CTL },
      UNIT_AND_COUNTER)
FAULT(FAULT_PMON_FRZ_EN_IGNORED, "a box freezes by frz without frz_en", "F2", .needs = { CAP_FRZ_EN }, UNIT_AND_COUNTER)
FAULT(FAULT_PMON_STATUS_SHIFTED, "an overflow sets the status bit of the next counter", "O2", .needs = { CAP_OVERFLOW },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_CARRY_LOST, "the carry of a counter into bit 32 is lost", "O1", .needs = { CAP_PMON },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_EDGE_BOTH, "the edge bit counts falling edges as well", "G1", .needs = { CAP_PMON },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_INVERT_ALONE, "the invert bit without a threshold stops the counter", "T5",
      .needs = { CAP_PMON, CAP_INVERT }, .tried_with = { CAP_BOX_CTL }, UNIT_AND_COUNTER)
FAULT(FAULT_LINK_SLOW, "the last port of the links runs at half its rate", "K4", .needs = { CAP_QPI }, .packages = 2)
FAULT(FAULT_PMON_FIXED_IGNORES_FREEZE, "neither box nor global freeze stops a fixed counter", "F1,F4",
      .needs = { CAP_FIXED_FREEZE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_SELECT_SHARED, "the last two counters of a box share one event select field", "A2,E5",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_UMASK_SHARED, "the last two counters of a box share one umask field", "A2,E5", .needs = { CAP_PMON },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FREEZE_LATE, "an overflow freezes the counters a while after it", "O2,F4",
      .needs = { CAP_OV_EN, CAP_OVERFLOW, CAP_GLOBAL_FREEZE }, .parameter = "ns", .value = 20000,
      .range = { 1, 1 << 30 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_PMON_STATUS_AT_32,
      "a carry into bit 32 of a counter sets its overflow status, and not the one out of its width", "O2,O3",
      .needs = { CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_THRESHOLD_NARROW, "the low 5 bits of a threshold of 8 or more bits are compared", "T1,T3",
      .needs = { CAP_PMON, CAP_THRESHOLD_8 }, UNIT_AND_COUNTER)
FAULT(FAULT_CBO_FILTER_BIT_STUCK, "a bit of the filter's states is stuck at 1", "V7,A2", .needs = { CAP_STATE_FILTER },
      .parameter = "bit of the states", .value = 0)
FAULT(FAULT_PMON_LOW_CLEARS_HIGH, "a write of the low dword of a PCI counter clears the high one", "A2",
      .needs = { CAP_PCI_BOXES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_STATUS_CLEARS_ALL, "a 1 written to one bit of a box's status clears all of them", "O2",
      .needs = { CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_LOST_AT_CLOCK,
      "a memory channel's counters gain nothing for 65,536 lines after a core's clock has changed", "K2,V4,V5",
      .needs = { CAP_IMC }, .absent = { CAP_NHM_UNCORE })
FAULT(FAULT_PMON_SMI_DOUBLES, "a memory channel's counters count twice for 65,536 lines after an SMI", "K2,V4,V5",
      .needs = { CAP_IMC }, .absent = { CAP_NHM_UNCORE })
FAULT(FAULT_L3PMC_SLICE_IGNORED, "the L3's counters count every slice, whatever the control asks for", "V7",
      .needs = { CAP_L3_PMC })
FAULT(FAULT_PMON_BOX_RESET_NEXT, "a reset by a box control reaches the next box of its kind as well", "A3",
      .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_NHM_ENABLE_EITHER,
      "a counter runs by its own enable or by its bit of the global control, and does not ask for both", "E3",
      .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_CLOCK_STARTS_LATE, "the last box of a kind counts its clock from a while after it was started", "F5",
      .needs = { CAP_PMON }, .absent = { CAP_NHM_UNCORE }, .parameter = "clocks", .value = 100000,
      .range = { 1, 1 << 30 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_LAST_COUNTER, "of the counters that may count an occupancy the last one counts none", "Q3",
      .needs = { CAP_QUEUES }, .absent = { CAP_NHM_UNCORE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_LINK_RECEIVED_TWICE, "a link port counts the data flits that it receives twice, those that it sends once",
      "V12", .needs = { CAP_QPI }, .packages = 2)
FAULT(FAULT_LINK_WRITES_LOST, "a link port counts no data of what is written to another package's memory", "X7,V12",
      .needs = { CAP_QPI }, .packages = 2)
FAULT(FAULT_IMC_COUNTS_READER, "what processors read in another package's memory counts as CAS in their own as well",
      "X6", .needs = { CAP_IMC }, .packages = 2)
FAULT(FAULT_VICTIMS_HALF, "every other line that makes room is counted", "X13", .needs = { CAP_CBO, CAP_L3_INCLUSIVE })
FAULT(FAULT_VICTIMS_OF_FILLS, "each line that comes in counts as one that made room, into an empty way as well", "X11",
      .needs = { CAP_CBO, CAP_L3_INCLUSIVE })
FAULT(FAULT_NHM_LINES_OUT, "L3_LINES_OUT counts every other line", "X11a", .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_PMON_EVENT_ONE_COUNTER, "a counter of a box counts its clock, and half of any other event", "E5",
      .needs = { CAP_UMASK_SUMS }, .tried_with = { CAP_BOX_CTL }, .place = "unit", .place_value = ALL,
      .parameter = "counter", .value = 1)
#undef UNIT_AND_COUNTER
