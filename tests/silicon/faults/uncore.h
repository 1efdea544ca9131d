/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: performance monitors outside of the cores. One row a fault; model.h has the columns. */
FAULT(FAULT_UCLK_STOPPED, .stands_for = "the uncore clock of one package does not reach its U-box", .rows = "K1,E1",
      .needs = { CAP_UBOX }, .parameter = "package", .value = 1)
FAULT(FAULT_UCLK_SLOW, .stands_for = "the U-box of one package counts every other clock", .rows = "K1",
      .needs = { CAP_UBOX }, .packages = 2, .parameter = "package", .value = 1)
FAULT(FAULT_UCLK_IGNORES_ENABLE, .stands_for = "the fixed counter runs whether enabled or not", .rows = "E1,E2",
      .needs = { CAP_UBOX })
FAULT(FAULT_UBOX_NARROW, .stands_for = "the counters have one bit less than documented", .rows = "O1,A2",
      .needs = { CAP_UBOX })
FAULT(FAULT_UBOX_SATURATES, .stands_for = "the counters stop at their greatest value", .rows = "O1",
      .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_STUCK_BIT, .stands_for = "a bit of the counters is stuck at 1", .rows = "A2", .needs = { CAP_UBOX },
      .parameter = "bit", .value = 40)
FAULT(FAULT_UBOX_RESET_DEAD, .stands_for = "the reset bit of a control does nothing", .rows = "R3",
      .needs = { CAP_UBOX })
FAULT(FAULT_UBOX_IGNORES_ENABLE, .stands_for = "the counters run whether enabled or not", .rows = "E1,E2",
      .needs = { CAP_UBOX_INVERT, CAP_COUNTER_ENABLE })
FAULT(FAULT_UBOX_THRESHOLD, .stands_for = "an increment is compared with the threshold less one", .rows = "T1",
      .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_INVERT, .stands_for = "the invert bit does nothing", .rows = "T4", .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_EDGE, .stands_for = "the edge bit does nothing: levels are counted", .rows = "G1,G2",
      .needs = { CAP_UBOX_INVERT })
FAULT(FAULT_UBOX_SHARED, .stands_for = "every package reaches the U-box of the first one", .rows = "S1",
      .needs = { CAP_UBOX }, .packages = 2)
FAULT(FAULT_UBOX_UMASK_IGNORED, .stands_for = "the U-box counts messages of every kind, whatever the umask asks for",
      .rows = "V11", .needs = { CAP_UBOX_IPI })
/* Tried with FIXED_UNITS: files of Granite Rapids and later have no other event of the U-box. */
FAULT(FAULT_UBOX_EVENT_IGNORED, .stands_for = "the U-box counts messages whatever event is selected", .rows = "V11",
      .needs = { CAP_UBOX_IPI }, .tried_with = { CAP_FIXED_UNITS })
FAULT(FAULT_UBOX_MESSAGES_HALF, .stands_for = "the first counter of the U-box counts every other message",
      .rows = "V11", .needs = { CAP_UBOX_IPI })
FAULT(FAULT_MBM_WRITES_PART, .stands_for = "bandwidth counts half of the lines written", .rows = "X3",
      .needs = { CAP_INTEL, CAP_MBM_TOTAL }, .tried_with = { CAP_IMC })
FAULT(FAULT_CORE_LLC_MISSES_HALF, .stands_for = "the counters of the cores count half of the LLC's misses",
      .rows = "X1", .needs = { CAP_CORE_PMU }, .tried_with = { CAP_IMC }, .host_only = COUNTERS_OF_QEMU)

/* Every kind of box, or the unit of uncore.h that the parameter names. */
FAULT(FAULT_PMON_DEAD_COUNTER, .stands_for = "the last counter of a box never counts", .rows = "E1,E5",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_NARROW, .stands_for = "the counters have one bit less than documented", .rows = "A2,O1",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_IGNORES_ENABLE, .stands_for = "counters run whether enabled or not", .rows = "E1,E2",
      .needs = { CAP_PMON, CAP_COUNTER_ENABLE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_ENABLE_SHARED, .stands_for = "the last counter of a box runs while the first one is enabled",
      .rows = "E1,E2", .needs = { CAP_PMON, CAP_COUNTER_ENABLE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_READ_STALE, .stands_for = "a running counter shows what it had when it was read last", .rows = "E1,E2",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_RESET_DEAD, .stands_for = "the reset bit of a control does nothing", .rows = "R3",
      .needs = { CAP_PMON, CAP_COUNTER_RESET }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_BOX_RESET_DEAD, .stands_for = "the reset bits of a box control do nothing", .rows = "R1,R2",
      .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FREEZE_DEAD, .stands_for = "neither box nor global freeze stops the counters", .rows = "F1,F4",
      .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_GLOBAL_FREEZE_MISSES, .stands_for = "the global freeze does not reach a unit", .rows = "F4",
      .needs = { CAP_GLOBAL_FREEZE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_THRESHOLD, .stands_for = "an increment is compared with the threshold less one", .rows = "T1",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_INVERT, .stands_for = "the invert bit does nothing", .rows = "T4", .needs = { CAP_PMON, CAP_INVERT },
      .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_EDGE, .stands_for = "the edge bit does nothing: levels are counted", .rows = "G1,G2",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_OVERFLOW_STUCK, .stands_for = "an overflow that was reported cannot be cleared", .rows = "O2",
      .needs = { CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_CLOCK_DRIFTS, .stands_for = "the clock of the last box of a kind is a part in 128 too fast",
      .rows = "K1,K2,K5", .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_LEFT_RUNNING, .stands_for = "firmware leaves its own events programmed and enabled", .rows = "S2",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_LEFT_FROZEN, .stands_for = "firmware leaves the monitors frozen", .rows = "S2",
      .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
/* Of two packages: firmware may hide the links of one alone. Tried with FIXED_UNITS: how many links a later part has only its
 * table says. With PMON: no check adds up umask bits of AMD's
 * counters. With TID: the rule of frequency bands is that of the E5 parts. */
FAULT(FAULT_QPI_PORT_MISSING, .stands_for = "one link port less shows its monitor than the part has", .rows = "A1,X7",
      .needs = { CAP_QPI }, .tried_with = { CAP_FIXED_UNITS }, .packages = 2)
FAULT(FAULT_IMC_PHANTOM_CHANNEL, .stands_for = "a memory channel shows its monitor that has no memory", .rows = "A1,V5",
      .needs = { CAP_IMC_SPARE })
FAULT(FAULT_IMC_COUNTS_DOUBLE, .stands_for = "one memory channel counts each access twice", .rows = "V3,V5,X1",
      .needs = { CAP_IMC }, .tried_with = { CAP_IMC_FREE }, .parameter = "channel", .value = ALL)
FAULT(FAULT_IMC_CAS_SWAPPED, .stands_for = "reads count as writes, and writes as reads", .rows = "V3,V4",
      .needs = { CAP_IMC })
FAULT(FAULT_HOME_REMOTE_SWAPPED,
      .stands_for = "the home agent takes local requests for remote ones, and remote ones for local", .rows = "X9",
      .needs = { CAP_HOME_EVENTS }, .packages = 2)
FAULT(FAULT_CBO_DEAD, .stands_for = "the monitor of one slice counts nothing", .rows = "K5,V6", .needs = { CAP_CBO },
      .parameter = "slice", .value = ALL)
FAULT(FAULT_CBO_FILTER_IGNORED, .stands_for = "lookups are counted whatever states the filter asks for", .rows = "V7",
      .needs = { CAP_CBO })
FAULT(FAULT_QPI_DIRECTIONS_SWAPPED, .stands_for = "data flits received count as sent, and sent as received",
      .rows = "X7", .needs = { CAP_QPI }, .packages = 2)
FAULT(FAULT_PCI_HIDDEN, .stands_for = "firmware hides one PCI function that holds a monitor", .rows = "A1,D3",
      .needs = { CAP_PCI_BOXES }, .parameter = "which of the package's", .value = ALL)
FAULT(FAULT_PCI_ALL_ONES, .stands_for = "the registers of one PCI function read all ones", .rows = "A1,A2",
      .needs = { CAP_PCI_BOXES }, .parameter = "which of the package's", .value = ALL)
FAULT(FAULT_SBO_INIT_GP,
      .stands_for = "setting several bits of an SBo's control at once is refused (Linux sets one by one)", .rows = "A1",
      .needs = { CAP_SBO })
FAULT(FAULT_FREE_CLOCK_STOPPED, .stands_for = "a clock that should run by itself does not advance in one box",
      .rows = "K6", .needs = { CAP_FREE_CLOCK })
FAULT(FAULT_FREE_CLOCK_FROZEN, .stands_for = "a freeze reaches the clocks that should run by themselves", .rows = "K6",
      .needs = { CAP_FREE_CLOCK })
FAULT(FAULT_IIO_BANDWIDTH_BACK, .stands_for = "the free-running bandwidth of an I/O stack goes back", .rows = "K6",
      .needs = { CAP_IIO_BANDWIDTH })
FAULT(FAULT_IIO_BANDWIDTH_HIGH_BITS,
      .stands_for = "the free-running bandwidth of I/O stacks shows a bit above its width", .rows = "K6",
      .needs = { CAP_IIO_BANDWIDTH })
FAULT(FAULT_HOME_ADDRESS_IGNORED,
      .stands_for = "a home agent's match counts requests to every address, whatever its registers hold", .rows = "V16",
      .needs = { CAP_HOME_MATCH })
FAULT(FAULT_HOME_OPCODE_IGNORED,
      .stands_for = "a home agent's match counts requests of every opcode, whatever its register holds", .rows = "V16",
      .needs = { CAP_HOME_MATCH })
FAULT(FAULT_PACKET_MATCH_IGNORED,
      .stands_for = "a QPI port counts packets of every class, whatever match and mask ask for", .rows = "V17",
      .needs = { CAP_PACKETS }, .packages = 2)
FAULT(FAULT_HEADER_CLASS_IGNORED, .stands_for = "a UPI port counts headers of every class, whatever the umask asks for",
      .rows = "V17", .needs = { CAP_UPI_HEADERS }, .packages = 2)
FAULT(FAULT_IIO_PORT_IGNORED, .stands_for = "an I/O stack counts requests of every port, whatever ch_mask asks for",
      .rows = "V15", .needs = { CAP_IIO_PORTS })
FAULT(FAULT_IIO_PORT_SHIFTED, .stands_for = "the bits of ch_mask are those of the port before", .rows = "V15",
      .needs = { CAP_IIO_PORTS })
FAULT(FAULT_IIO_FC_IGNORED, .stands_for = "an I/O stack counts requests of every flow class, whatever fc_mask asks for",
      .rows = "V15", .needs = { CAP_IIO_PORTS })
FAULT(FAULT_IIO_STACK_DEAD, .stands_for = "an I/O stack counts its clock, and no requests", .rows = "V15",
      .needs = { CAP_IIO_PORTS })
FAULT(FAULT_L3PMC_ENABLE_STUCK, .stands_for = "the L3's counters run whether enabled or not", .rows = "E1",
      .needs = { CAP_L3_PMC })
FAULT(FAULT_L3PMC_DEAD, .stands_for = "one counter of the L3 never counts", .rows = "E5", .needs = { CAP_L3_PMC },
      .parameter = "counter", .value = ALL)
FAULT(FAULT_UMC_NO_OVERFLOW, .stands_for = "a memory controller's counter stops at its end without its overflow bit",
      .rows = "O5", .needs = { CAP_UMC })
FAULT(FAULT_UMC_CHANNEL_DEAD, .stands_for = "one memory controller of AMD's counts its clock, and none of its accesses",
      .rows = "V3,V4,V5", .needs = { CAP_UMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_OCCUPANCY_DEAD, .stands_for = "the occupancy of a table or queue counts nothing", .rows = "Q2",
      .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_INSERTS_DEAD, .stands_for = "what enters a table or queue is not counted", .rows = "Q2",
      .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_OCCUPANCY_THRESHOLD_IGNORED, .stands_for = "an occupancy is added up whatever the threshold asks for",
      .rows = "T2,T3", .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_OCCUPANCY_EDGE_LEVEL, .stands_for = "an occupancy's edge bit does nothing: levels are counted",
      .rows = "G1", .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_OCC_RST_READS_1, .stands_for = "the bit that resets an occupancy reads as it was written", .rows = "Q1",
      .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_OCCUPANCY_STALE, .stands_for = "an entry stays in a queue's occupancy, whatever resets it", .rows = "Q1",
      .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_STATUS_WITHOUT_OV_EN, .stands_for = "an overflow is reported that no counter asked for", .rows = "O3",
      .needs = { CAP_OV_EN, CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_FIXED_OVERFLOW_LOST,
      .stands_for = "an overflow of the fixed counter shows in no status, freezes nothing and interrupts nobody",
      .rows = "O2", .needs = { CAP_FIXED_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMI_LOST, .stands_for = "an overflow interrupts no processor", .rows = "O4", .needs = { CAP_PMI })
FAULT(FAULT_PMI_TWICE, .stands_for = "an overflow interrupts a core twice", .rows = "O4", .needs = { CAP_PMI })
FAULT(FAULT_PMI_OTHER_CORE, .stands_for = "an overflow interrupts the core beside the one that was chosen",
      .rows = "O4", .needs = { CAP_PMI })
FAULT(FAULT_EDGE_ALONE_HALF, .stands_for = "the edge bit without a threshold counts every other increment",
      .rows = "G3", .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PCU_BANDS_SWAPPED, .stands_for = "frequency bands go by the filter's bytes in the other order",
      .rows = "V10", .needs = { CAP_BANDS }, .tried_with = { CAP_TID })
FAULT(FAULT_PCU_CORES_HALF, .stands_for = "the power control unit knows the state of every other core alone",
      .rows = "T1,T2,K7,V13", .needs = { CAP_CORE_STATES })
FAULT(FAULT_PCU_OCC_INVERT_DEAD,
      .stands_for = "occ_invert is stored and does nothing: cores in a state are compared as without it", .rows = "V13",
      .needs = { CAP_OCC_COMPARE })
FAULT(FAULT_PCU_OCC_EDGE_LEVEL,
      .stands_for = "occ_edge_det is stored and does nothing: clocks are counted, not changes", .rows = "V13",
      .needs = { CAP_OCC_COMPARE })
FAULT(FAULT_PSEUDO_CHANNEL_DEAD,
      .stands_for = "queues of the second pseudo channel of one memory channel count nothing", .rows = "Q2,V14",
      .needs = { CAP_PSEUDO_CHANNELS }, .parameter = "channel", .value = ALL)
FAULT(FAULT_PSEUDO_CHANNEL_BOTH,
      .stands_for = "a pseudo channel's queues of one memory channel count both pseudo channels", .rows = "Q2,V14",
      .needs = { CAP_PSEUDO_CHANNELS }, .parameter = "channel", .value = ALL)
FAULT(FAULT_TOR_HIT_LOST, .stands_for = "requests that hit are lost where those that miss are asked for as well",
      .rows = "V1,V2", .needs = { CAP_TOR_HIT_MISS })
FAULT(FAULT_DIMM_NOT_COUNTED, .stands_for = "a memory channel that has a module counts none of its accesses",
      .rows = "D1,V3,V5", .needs = { CAP_IMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_OCCUPANCY_DOUBLE, .stands_for = "an occupancy adds each entry of its queue twice", .rows = "Q2",
      .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_OCCUPANCY_HALF, .stands_for = "an occupancy knows of every other entry of its queue", .rows = "Q2",
      .needs = { CAP_QUEUES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_UMASK_FIRST_ONLY, .stands_for = "of several things that a umask asks for, the first alone is counted",
      .rows = "V1,V2", .needs = { CAP_UMASK_SUMS }, .tried_with = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_UMASK_READS_LOST,
      .stands_for = "of a umask that asks for reads and writes of memory, writes alone are counted", .rows = "V1,V2",
      .needs = { CAP_CAS_SUMS })
FAULT(FAULT_UMASK_WRITES_LOST,
      .stands_for = "of a umask that asks for reads and writes of memory, reads alone are counted", .rows = "V1,V2",
      .needs = { CAP_CAS_SUMS })
FAULT(FAULT_TOR_OPCODE_IGNORED, .stands_for = "every entry of the table passes the filter by opcode", .rows = "V9",
      .needs = { CAP_TOR })
FAULT(FAULT_TOR_HOME_IGNORED, .stands_for = "every entry of the table passes the filter by memory", .rows = "V9,X8",
      .needs = { CAP_TOR_HOMES }, .packages = 2)
FAULT(FAULT_TID_IGNORED, .stands_for = "the monitor of one slice counts every thread's requests whatever tid says",
      .rows = "V8", .needs = { CAP_TID }, .parameter = "slice", .value = ALL)
FAULT(FAULT_TID_SHIFTED, .stands_for = "tid is taken from one bit beside its own", .rows = "V8", .needs = { CAP_TID })
FAULT(FAULT_NHM_MATCH_IGNORED, .stands_for = "requests are counted whatever address is to be matched", .rows = "A2",
      .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_IMC_FREE_DEAD, .stands_for = "the free-running counters of one memory controller do not advance",
      .rows = "K6", .needs = { CAP_IMC_FREE }, .parameter = "controller", .value = ALL)
FAULT(FAULT_IMC_FREE_DOUBLE, .stands_for = "the free-running counters of one memory controller count each line twice",
      .rows = "K6,V3,V4", .needs = { CAP_IMC_FREE_LINES }, .parameter = "controller", .value = ALL)
FAULT(FAULT_IMC_FREE_HALF, .stands_for = "the free-running counters of all memory controllers count every other line",
      .rows = "K6,V3,V4", .needs = { CAP_IMC_FREE_LINES })
FAULT(FAULT_GLOBAL_ENABLE_DEAD, .stands_for = "counters run whatever the global control enables", .rows = "F4,E1,E2",
      .needs = { CAP_GLOBAL_ENABLE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_IMC_FREE_CLOCK, .stands_for = "the free-running clock of the memory controllers is another than DCLK",
      .rows = "K6,K2", .needs = { CAP_IMC_FREE }, .parameter = "percent of DCLK", .value = 50)
FAULT(FAULT_UCLK_OTHER_RATIO, .stands_for = "the uncore clock is faster than the ratio in MSR 621H says", .rows = "K1",
      .needs = { CAP_PMON, CAP_UNCORE_RATIO }, .parameter = "ratio steps", .value = 2)
FAULT(FAULT_DF_CHANNEL_DEAD, .stands_for = "the data fabric counts nothing of one memory channel", .rows = "V3,V4,V5",
      .needs = { CAP_DF }, .tried_with = { CAP_UMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_DF_CHANNEL_DOUBLE, .stands_for = "the data fabric counts each line of one memory channel twice",
      .rows = "V3,V4,V5", .needs = { CAP_DF }, .tried_with = { CAP_UMC }, .parameter = "channel", .value = ALL)
FAULT(FAULT_DF_NARROW, .stands_for = "a counter of the data fabric does not carry into bit 47", .rows = "O1",
      .needs = { CAP_DF }, .tried_with = { CAP_DF_BOTH_WAYS })
FAULT(FAULT_PMON_RESET_CLEARS_CONTROLS, .stands_for = "a box control's reset of counters clears the controls too",
      .rows = "R1", .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FREEZE_ONE_RUNS, .stands_for = "a freeze does not stop the last counter of a box", .rows = "F1,F4",
      .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FROZEN_WRITE_LOST, .stands_for = "a write of a counter is lost while it is frozen", .rows = "F3",
      .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_FRZ_EN_IGNORED, .stands_for = "a box freezes by frz without frz_en", .rows = "F2",
      .needs = { CAP_FRZ_EN }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_STATUS_SHIFTED, .stands_for = "an overflow sets the status bit of the next counter", .rows = "O2",
      .needs = { CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_CARRY_LOST, .stands_for = "the carry of a counter into bit 32 is lost", .rows = "O1",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_EDGE_BOTH, .stands_for = "the edge bit counts falling edges as well", .rows = "G1",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_INVERT_ALONE, .stands_for = "the invert bit without a threshold stops the counter", .rows = "T5",
      .needs = { CAP_PMON, CAP_INVERT }, .tried_with = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_LINK_SLOW, .stands_for = "the last port of the links runs at half its rate", .rows = "K4",
      .needs = { CAP_QPI }, .packages = 2)
FAULT(FAULT_PMON_FIXED_IGNORES_FREEZE, .stands_for = "neither box nor global freeze stops a fixed counter",
      .rows = "F1,F4", .needs = { CAP_FIXED_FREEZE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_SELECT_SHARED, .stands_for = "the last two counters of a box share one event select field",
      .rows = "A2,E5", .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_UMASK_SHARED, .stands_for = "the last two counters of a box share one umask field", .rows = "A2,E5",
      .needs = { CAP_PMON }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_STATUS_AT_32,
      .stands_for = "a carry into bit 32 of a counter sets its overflow status, and not the one out of its width",
      .rows = "O2,O3", .needs = { CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_THRESHOLD_NARROW, .stands_for = "the low 5 bits of a threshold of 8 or more bits are compared",
      .rows = "T1,T3", .needs = { CAP_PMON, CAP_THRESHOLD_8 }, .parameter = "unit", .value = ALL)
FAULT(FAULT_CBO_FILTER_BIT_STUCK, .stands_for = "a bit of the filter's states is stuck at 1", .rows = "V7,A2",
      .needs = { CAP_STATE_FILTER }, .parameter = "bit of the states", .value = 0)
FAULT(FAULT_PMON_LOW_CLEARS_HIGH, .stands_for = "a write of the low dword of a PCI counter clears the high one",
      .rows = "A2", .needs = { CAP_PCI_BOXES }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_STATUS_CLEARS_ALL, .stands_for = "a 1 written to one bit of a box's status clears all of them",
      .rows = "O2", .needs = { CAP_OVERFLOW }, .parameter = "unit", .value = ALL)
FAULT(FAULT_PMON_LOST_AT_CLOCK,
      .stands_for = "a memory channel's counters gain nothing for 65,536 lines after a core's clock has changed",
      .rows = "K2,V4,V5", .needs = { CAP_IMC }, .absent = { CAP_NHM_UNCORE })
FAULT(FAULT_PMON_SMI_DOUBLES, .stands_for = "a memory channel's counters count twice for 65,536 lines after an SMI",
      .rows = "K2,V4,V5", .needs = { CAP_IMC }, .absent = { CAP_NHM_UNCORE })
FAULT(FAULT_L3PMC_SLICE_IGNORED, .stands_for = "the L3's counters count every slice, whatever the control asks for",
      .rows = "V7", .needs = { CAP_L3_PMC })
FAULT(FAULT_PMON_BOX_RESET_NEXT, .stands_for = "a reset by a box control reaches the next box of its kind as well",
      .rows = "A3", .needs = { CAP_BOX_CTL }, .parameter = "unit", .value = ALL)
FAULT(FAULT_NHM_ENABLE_EITHER,
      .stands_for = "a counter runs by its own enable or by its bit of the global control, and does not ask for both",
      .rows = "E3", .needs = { CAP_NHM_UNCORE })
FAULT(FAULT_CLOCK_STARTS_LATE,
      .stands_for = "the last box of a kind counts its clock from a while after it was started", .rows = "F5",
      .needs = { CAP_PMON }, .absent = { CAP_NHM_UNCORE }, .parameter = "clocks", .value = 100000,
      .range = { 1, 1 << 30 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_OCCUPANCY_LAST_COUNTER,
      .stands_for = "of the counters that may count an occupancy the last one counts none", .rows = "Q3",
      .needs = { CAP_QUEUES }, .absent = { CAP_NHM_UNCORE }, .parameter = "unit", .value = ALL)
FAULT(FAULT_LINK_RECEIVED_TWICE,
      .stands_for = "a link port counts the data flits that it receives twice, those that it sends once", .rows = "V12",
      .needs = { CAP_QPI }, .packages = 2)
FAULT(FAULT_IMC_COUNTS_READER,
      .stands_for = "what processors read in another package's memory counts as CAS in their own as well", .rows = "X6",
      .needs = { CAP_IMC }, .packages = 2)
FAULT(FAULT_VICTIMS_HALF, .stands_for = "every other line that makes room is counted", .rows = "X13",
      .needs = { CAP_CBO, CAP_L3_INCLUSIVE })
FAULT(FAULT_VICTIMS_OF_FILLS,
      .stands_for = "each line that comes in counts as one that made room, into an empty way as well", .rows = "X11",
      .needs = { CAP_CBO, CAP_L3_INCLUSIVE })
FAULT(FAULT_NHM_LINES_OUT, .stands_for = "L3_LINES_OUT counts every other line", .rows = "X11a",
      .needs = { CAP_NHM_UNCORE })
