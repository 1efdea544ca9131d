/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: performance monitors outside of the cores. One row a fault, see fault.c for the columns. */
FAULT(FAULT_UCLK_STOPPED, "uclk-stopped", "the uncore clock of one package does not reach its U-box", ANY, "K1,E1",
      false, "package", 1)
FAULT(FAULT_UCLK_SLOW, "uclk-slow", "the U-box of one package counts every other clock", ANY, "K1", false, "package", 1)
FAULT(FAULT_UCLK_IGNORES_ENABLE, "uclk-ignores-enable", "the fixed counter runs whether enabled or not", ANY, "E1,E2",
      false, NULL, 0)
FAULT(FAULT_UBOX_NARROW, "ubox-narrow", "the counters have one bit less than documented", ANY, "O1,A2", false, NULL, 0)
FAULT(FAULT_UBOX_SATURATES, "ubox-saturates", "the counters stop at their greatest value", ANY, "O1", false, NULL, 0)
FAULT(FAULT_UBOX_STUCK_BIT, "ubox-stuck-bit", "a bit of the counters is stuck at 1", ANY, "A2", false, "bit", 40)
FAULT(FAULT_UBOX_RESET_DEAD, "ubox-reset-dead", "the reset bit of a control does nothing", ANY, "R3", false, NULL, 0)
FAULT(FAULT_UBOX_IGNORES_ENABLE, "ubox-ignores-enable", "the counters run whether enabled or not", ANY, "E1,E2", false,
      NULL, 0)
FAULT(FAULT_UBOX_THRESHOLD, "ubox-threshold", "an increment is compared with the threshold less one", ANY, "T1", false,
      NULL, 0)
FAULT(FAULT_UBOX_INVERT, "ubox-invert", "the invert bit does nothing", ANY, "T4", false, NULL, 0)
FAULT(FAULT_UBOX_EDGE, "ubox-edge", "the edge bit does nothing: levels are counted", ANY, "G1,G2", false, NULL, 0)
FAULT(FAULT_UBOX_SHARED, "ubox-shared", "every package reaches the U-box of the first one", ANY, "S1", false, NULL, 0)
FAULT(FAULT_MBM_WRITES_PART, "mbm-writes-part", "bandwidth counts half of the lines written",
      "bdx,bdx-gp,bdx-80,skx,icx,spr", "X3", false, NULL, 0)
FAULT(FAULT_CORE_LLC_MISSES_HALF, "core-llc-misses-half", "the counters of the cores count half of the LLC's misses",
      "bdx,bdx-gp,bdx-80,hsx,snbep,nhm,skx,icx,spr", "X1", false, NULL, 0)

/* Parts with monitors; with boxes that have controls of their own; with a global freeze; with an overflow report. */
#define PMON_ANY      "bdx,bdx-gp,bdx-80,hsx,snbep,nhm,skx,icx,spr"
#define PMON_BOXES    "bdx,bdx-gp,bdx-80,hsx,snbep,skx,icx,spr"
#define PMON_GLOBAL   "bdx,bdx-gp,bdx-80,hsx,skx,icx,spr"
#define PMON_OVERFLOW "bdx,bdx-gp,bdx-80,hsx,nhm,skx,icx,spr"
#define PMON_ENABLES  "bdx,bdx-gp,bdx-80,hsx,snbep,nhm,skx,icx" /* counters need an enable of their own */
/* Without Sapphire Rapids: how many links it has only its table says, and no check looks there at requests by home or
 * at lookups by state. */
#define PMON_UNTABLED "bdx,bdx-gp,bdx-80,hsx,snbep,skx,icx"
#define PMON_FREE     "skx,icx,spr"                       /* clocks that run by themselves                        */
#define PMON_BANDS    "bdx,bdx-gp,bdx-80,hsx,snbep"       /* a PCU that counts clocks by frequency          */
#define PMON_OV_EN    "bdx,bdx-gp,bdx-80,hsx,skx,icx,spr" /* a counter asks for its overflow's report      */
#define PMON_SUMS     "bdx,bdx-gp,bdx-80,hsx,snbep,nhm,skx,icx" /* a umask asks for several things         */
#define PMON_READS    "bdx,bdx-gp,bdx-80,hsx,snbep,skx,icx,spr" /* one event counts reads and writes      */
#define PMON_HOMES    "bdx,bdx-gp,bdx-80,hsx,skx,icx,spr"       /* a table that knows where memory is     */
#define PMON_TID      "bdx,bdx-gp,bdx-80,hsx,snbep"             /* slices that filter by thread           */
#define PMON_RATIO    "bdx,bdx-gp,bdx-80,hsx,skx,icx,spr"       /* MSR 621H                               */
#define PMON_PHANTOM  "bdx,bdx-gp,bdx-80,hsx"                   /* there is a place for one channel more */

/* Every kind of box, or the unit of model_uncore.h that the parameter names. */
FAULT(FAULT_PMON_DEAD_COUNTER, "pmon-dead-counter", "the last counter of a box never counts", PMON_ANY, "E1,E5", false,
      "unit", ALL)
FAULT(FAULT_PMON_NARROW, "pmon-narrow", "the counters have one bit less than documented", PMON_ANY, "A2,O1", false,
      "unit", ALL)
FAULT(FAULT_PMON_IGNORES_ENABLE, "pmon-ignores-enable", "counters run whether enabled or not", PMON_ENABLES, "E1,E2",
      false, "unit", ALL)
FAULT(FAULT_PMON_RESET_DEAD, "pmon-reset-dead", "the reset bit of a control does nothing", PMON_BOXES, "R3", false,
      "unit", ALL)
FAULT(FAULT_PMON_BOX_RESET_DEAD, "pmon-box-reset-dead", "the reset bits of a box control do nothing", PMON_BOXES,
      "R1,R2", false, "unit", ALL)
FAULT(FAULT_PMON_FREEZE_DEAD, "pmon-freeze-dead", "neither box nor global freeze stops the counters", PMON_BOXES,
      "F1,F4", false, "unit", ALL)
FAULT(FAULT_PMON_GLOBAL_FREEZE_MISSES, "pmon-global-freeze-misses", "the global freeze does not reach a unit",
      PMON_GLOBAL, "F4", false, "unit", ALL)
FAULT(FAULT_PMON_THRESHOLD, "pmon-threshold", "an increment is compared with the threshold less one", PMON_ANY, "T1",
      false, "unit", ALL)
FAULT(FAULT_PMON_INVERT, "pmon-invert", "the invert bit does nothing", PMON_ANY, "T4", false, "unit", ALL)
FAULT(FAULT_PMON_EDGE, "pmon-edge", "the edge bit does nothing: levels are counted", PMON_ANY, "G1,G2", false, "unit",
      ALL)
FAULT(FAULT_PMON_OVERFLOW_STUCK, "pmon-overflow-stuck", "an overflow that was reported cannot be cleared",
      PMON_OVERFLOW, "O2", false, "unit", ALL)
FAULT(FAULT_PMON_CLOCK_DRIFTS, "pmon-clock-drifts", "the clock of the last box of a kind is a part in 128 too fast",
      PMON_ANY, "K1,K2,K5", false, "unit", ALL)
FAULT(FAULT_PMON_LEFT_RUNNING, "pmon-left-running", "firmware leaves its own events programmed and enabled", PMON_ANY,
      "S2", false, "unit", ALL)
FAULT(FAULT_PMON_LEFT_FROZEN, "pmon-left-frozen", "firmware leaves the monitors frozen", PMON_BOXES, "S2", false,
      "unit", ALL)
FAULT(FAULT_QPI_PORT_MISSING, "qpi-port-missing", "one link port less shows its monitor than the part has",
      PMON_UNTABLED, "A1,X7", false, NULL, 0)
FAULT(FAULT_IMC_PHANTOM_CHANNEL, "imc-phantom-channel", "a memory channel shows its monitor that has no memory",
      PMON_PHANTOM, "A1,V5", false, NULL, 0)
FAULT(FAULT_IMC_COUNTS_DOUBLE, "imc-counts-double", "one memory channel counts each access twice", PMON_ANY, "V3,V5,X1",
      false, "channel", ALL)
FAULT(FAULT_IMC_CAS_SWAPPED, "imc-cas-swapped", "reads count as writes, and writes as reads", PMON_ANY, "V3,V4", false,
      NULL, 0)
FAULT(FAULT_HOME_REMOTE_SWAPPED, "home-remote-swapped",
      "the home agent takes local requests for remote ones, and remote ones for local", PMON_UNTABLED ",nhm", "X9",
      false, NULL, 0)
FAULT(FAULT_CBO_DEAD, "cbo-dead", "the monitor of one slice counts nothing", PMON_BOXES, "K5,V6", false, "slice", ALL)
FAULT(FAULT_CBO_FILTER_IGNORED, "cbo-filter-ignored", "lookups are counted whatever states the filter asks for",
      PMON_UNTABLED, "V7", false, NULL, 0)
FAULT(FAULT_QPI_DIRECTIONS_SWAPPED, "qpi-directions-swapped", "data flits received count as sent, and sent as received",
      PMON_BOXES, "X7", false, NULL, 0)
FAULT(FAULT_PCI_HIDDEN, "pci-hidden", "firmware hides one PCI function that holds a monitor", PMON_BOXES, "A1,D3",
      false, "which of the package's", ALL)
FAULT(FAULT_PCI_ALL_ONES, "pci-all-ones", "the registers of one PCI function read all ones", PMON_BOXES, "A1,A2", false,
      "which of the package's", ALL)
FAULT(FAULT_SBO_INIT_GP, "sbo-init-gp",
      "setting several bits of an SBo's control at once is refused (Linux sets one by one)", "hsx", "A1", true, NULL, 0)
FAULT(FAULT_FREE_CLOCK_STOPPED, "free-clock-stopped", "a clock that should run by itself stands still in one box",
      PMON_FREE, "K6", false, NULL, 0)
FAULT(FAULT_FREE_CLOCK_FROZEN, "free-clock-frozen", "a freeze reaches the clocks that should run by themselves",
      PMON_FREE, "K6", false, NULL, 0)
FAULT(FAULT_L3PMC_ENABLE_STUCK, "l3pmc-enable-stuck", "the L3's counters run whether enabled or not", AMD, "E1", false,
      NULL, 0)
FAULT(FAULT_L3PMC_DEAD, "l3pmc-dead", "one counter of the L3 never counts", AMD, "E5", false, "counter", ALL)
FAULT(FAULT_UMC_NO_OVERFLOW, "umc-no-overflow",
      "a memory controller's counter stops at its end without its overflow bit", "zen5", "O5", false, NULL, 0)
FAULT(FAULT_OCCUPANCY_DEAD, "occupancy-dead", "the occupancy of a table or queue counts nothing", PMON_ANY, "Q2", false,
      "unit", ALL)
FAULT(FAULT_INSERTS_DEAD, "inserts-dead", "what enters a table or queue is not counted", PMON_ANY, "Q2", false, "unit",
      ALL)
FAULT(FAULT_OCCUPANCY_THRESHOLD_IGNORED, "occupancy-threshold-ignored",
      "an occupancy is added up whatever the threshold asks for", PMON_ANY, "T2,T3", false, "unit", ALL)
FAULT(FAULT_OCCUPANCY_EDGE_LEVEL, "occupancy-edge-level", "an occupancy's edge bit does nothing: levels are counted",
      PMON_ANY, "G1", false, "unit", ALL)
FAULT(FAULT_OCC_RST_READS_1, "occ-rst-reads-1", "the bit that resets an occupancy reads as it was written", "nhm", "Q1",
      false, NULL, 0)
FAULT(FAULT_OCCUPANCY_STALE, "occupancy-stale", "an entry stays in a queue's occupancy, whatever resets it", "nhm",
      "Q1", false, NULL, 0)
FAULT(FAULT_STATUS_WITHOUT_OV_EN, "status-without-ov-en", "an overflow is reported that no counter asked for",
      PMON_OV_EN, "O3", false, "unit", ALL)
FAULT(FAULT_EDGE_ALONE_HALF, "edge-alone-half", "the edge bit without a threshold counts every other increment",
      PMON_BOXES, "G3", false, "unit", ALL)
FAULT(FAULT_PCU_BANDS_SWAPPED, "pcu-bands-swapped", "frequency bands go by the filter's bytes in the other order",
      PMON_BANDS, "V10", false, NULL, 0)
FAULT(FAULT_TOR_HIT_LOST, "tor-hit-lost", "requests that hit are lost where those that miss are asked for as well",
      PMON_FREE, "V1,V2", false, NULL, 0)
FAULT(FAULT_DIMM_NOT_COUNTED, "dimm-not-counted", "a memory channel that has a module counts none of its accesses",
      PMON_ANY, "D1,V3,V5", false, "channel", ALL)
FAULT(FAULT_OCCUPANCY_DOUBLE, "occupancy-double", "an occupancy adds each entry of its queue twice", PMON_ANY, "Q2",
      false, "unit", ALL)
FAULT(FAULT_OCCUPANCY_HALF, "occupancy-half", "an occupancy knows of every other entry of its queue", PMON_ANY, "Q2",
      false, "unit", ALL)
FAULT(FAULT_UMASK_FIRST_ONLY, "umask-first-only", "of several things that a umask asks for, the first alone is counted",
      PMON_SUMS, "V1,V2", false, "unit", ALL)
FAULT(FAULT_UMASK_READS_LOST, "umask-reads-lost",
      "of a umask that asks for reads and writes of memory, writes alone are counted", PMON_READS, "V1,V2", false, NULL,
      0)
FAULT(FAULT_UMASK_WRITES_LOST, "umask-writes-lost",
      "of a umask that asks for reads and writes of memory, reads alone are counted", PMON_READS, "V1,V2", false, NULL,
      0)
FAULT(FAULT_TOR_OPCODE_IGNORED, "tor-opcode-ignored", "every entry of the table passes the filter by opcode",
      PMON_BOXES, "V9", false, NULL, 0)
FAULT(FAULT_TOR_HOME_IGNORED, "tor-home-ignored", "every entry of the table passes the filter by memory", PMON_HOMES,
      "V9,X8", false, NULL, 0)
FAULT(FAULT_TID_IGNORED, "tid-ignored", "the monitor of one slice counts every thread's requests whatever tid says",
      PMON_TID, "V8", false, "slice", ALL)
FAULT(FAULT_TID_SHIFTED, "tid-shifted", "tid is taken from one bit beside its own", PMON_TID, "V8", false, NULL, 0)
FAULT(FAULT_NHM_MATCH_IGNORED, "nhm-match-ignored", "requests are counted whatever address is to be matched", "nhm",
      "A2", false, NULL, 0)
FAULT(FAULT_IMC_FREE_DEAD, "imc-free-dead", "the free-running counters of one memory controller stand still", "icx,spr",
      "K6", false, "controller", ALL)
FAULT(FAULT_IMC_FREE_DOUBLE, "imc-free-double",
      "the free-running counters of one memory controller count each line twice", "icx", "K6,V3,V4", false,
      "controller", ALL)
FAULT(FAULT_IMC_FREE_CLOCK, "imc-free-clock", "the free-running clock of the memory controllers is another than DCLK",
      "icx,spr", "K6,K2", false, "percent of DCLK", 50)
FAULT(FAULT_UCLK_OTHER_RATIO, "uclk-other-ratio", "the uncore clock is faster than the ratio in MSR 621H says",
      PMON_RATIO, "K1", false, "ratio steps", 2)
FAULT(FAULT_DF_NARROW, "df-narrow", "a counter of the data fabric does not carry into bit 47", "zen3", "O1", false,
      NULL, 0)
