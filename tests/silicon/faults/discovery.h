/* Faults: how units say where they are and how many: registers of the package, base addresses, discovery tables. One
 * row a fault, see fault.c for the columns. */
#define PMON_SERVER "skx,icx,spr"
FAULT(FAULT_CHA_COUNT, "cha-count", "the register that counts CHAs knows of one less than there are", PMON_SERVER,
      "D1,A1", false, NULL, 0)
FAULT(FAULT_NODE_ID_SAME, "node-id-same", "every package says that it is node 0", PMON_SERVER, "A1,S1", false, NULL, 0)
FAULT(FAULT_BUS_NUMBERS_INVALID, "bus-numbers-invalid",
      "firmware leaves the register of bus numbers without its valid bit", "skx", "A1", false, NULL, 0)
FAULT(FAULT_MEM_BAR_ZERO, "mem-bar-zero", "the base address of the last memory controller is 0", "icx,spr", "A1,V5",
      false, NULL, 0)
