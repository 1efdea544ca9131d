/* SPDX-License-Identifier: BSD-2-Clause-Patent */
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
FAULT(FAULT_MMIO_ALL_ONES, "mmio-all-ones", "the registers of one memory channel read all ones", "icx,spr", "A1,A2,D3",
      false, "channel", ALL)
FAULT(FAULT_DISCOVERY_HIDDEN, "discovery-hidden", "firmware hides the functions that lead to the discovery tables",
      "spr", "A1,D1", false, NULL, 0)
FAULT(FAULT_DISCOVERY_BAR_ZERO, "discovery-bar-zero", "the base address of the discovery tables is 0", "spr", "A1,D1",
      false, NULL, 0)
FAULT(FAULT_DISCOVERY_RESERVED, "discovery-reserved",
      "a reserved bit is set beside the number of the table's base address register", "spr", "D2", false, NULL, 0)
FAULT(FAULT_DISCOVERY_NO_UNITS, "discovery-no-units", "a discovery table says that it has no units", "spr", "D1", false,
      NULL, 0)
FAULT(FAULT_DISCOVERY_STRIDE, "discovery-stride", "a discovery table's entries are nearer together than it says", "spr",
      "D1,D2", false, NULL, 0)
FAULT(FAULT_DISCOVERY_GLOBAL, "discovery-global", "a discovery table has a wrong address of the global control", "spr",
      "D2,F4", false, NULL, 0)
FAULT(FAULT_DISCOVERY_UPI_MISSING, "discovery-upi-missing",
      "a discovery table lists two UPI ports where there are three", "spr", "D1", false, NULL, 0)
FAULT(FAULT_DISCOVERY_UPI_ADDRESS, "discovery-upi-address",
      "a discovery table has UPI ports at functions that are not there (first Sapphire Rapids)", "spr", "D3", false,
      NULL, 0)
FAULT(FAULT_DISCOVERY_CHA_MISSING, "discovery-cha-missing",
      "a discovery table lists one CHA less than there are (Sapphire Rapids firmware)", "spr", "D1", false, NULL, 0)
FAULT(FAULT_DISCOVERY_PHANTOM, "discovery-phantom-channel",
      "a discovery table lists a memory channel that nothing answers for", "spr", "D1,D3", false, NULL, 0)
FAULT(FAULT_DISCOVERY_DUPLICATE, "discovery-duplicate-id", "a discovery table gives two CHAs one number", "spr", "D2",
      false, NULL, 0)
FAULT(FAULT_DISCOVERY_WIDTH, "discovery-width",
      "a discovery table has a wrong width of the counters of memory channels", "spr", "D2", false, "bits", 32)
FAULT(FAULT_DISCOVERY_ACCESS, "discovery-access", "a discovery table says that PCI functions are memory-mapped", "spr",
      "D2,D3", false, NULL, 0)
FAULT(FAULT_DISCOVERY_ALL_ONES, "discovery-all-ones", "an entry of a discovery table reads all ones", "spr", "D2,D1",
      false, NULL, 0)
