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
