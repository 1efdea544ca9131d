/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: how units say where they are and how many: registers of the package, base addresses, discovery tables. One
 * row a fault; model.h has the columns. */

FAULT(FAULT_CHA_COUNT, .stands_for = "the register that counts CHAs knows of one less than there are", .rows = "D1,A1",
      .needs = { CAP_CHA_COUNT })
FAULT(FAULT_NODE_ID_SAME, .stands_for = "every package says that it is node 0", .rows = "A1,S1",
      .needs = { CAP_NODE_ID }, .tried_with = { CAP_IMC_FREE }, .packages = 2)
FAULT(FAULT_BUS_NUMBERS_INVALID, .stands_for = "firmware leaves the register of bus numbers without its valid bit",
      .rows = "A1", .needs = { CAP_BUS_NUMBERS })
FAULT(FAULT_MEM_BAR_ZERO, .stands_for = "the base address of the last memory controller is 0", .rows = "A1,V5",
      .needs = { CAP_MEM_BARS })
FAULT(FAULT_MMIO_ALL_ONES, .stands_for = "the registers of one memory channel read all ones", .rows = "A1,A2,D3",
      .needs = { CAP_IMC_MMIO }, .parameter = "channel", .value = ALL)
FAULT(FAULT_DISCOVERY_HIDDEN, .stands_for = "firmware hides the functions that lead to the discovery tables",
      .rows = "A1,D1", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_BAR_ZERO, .stands_for = "the base address of the discovery tables is 0", .rows = "A1,D1",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_NOT_DECODED,
      .stands_for = "firmware leaves memory decode off in the functions that lead to discovery tables and telemetry",
      .rows = "D1", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_RESERVED,
      .stands_for = "a reserved bit is set beside the number of the table's base address register", .rows = "D2",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_NO_UNITS, .stands_for = "a discovery table says that it has no units", .rows = "D1",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_STRIDE, .stands_for = "a discovery table's entries are nearer together than it says",
      .rows = "D1,D2", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_GLOBAL, .stands_for = "a discovery table has a wrong address of the global control",
      .rows = "D2,F4", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_UPI_MISSING, .stands_for = "a discovery table lists two UPI ports where there are three",
      .rows = "D1", .needs = { CAP_DISCOVERY, CAP_QPI }, .tried_with = { CAP_IMC_FREE })
FAULT(FAULT_DISCOVERY_UPI_ADDRESS,
      .stands_for = "a discovery table has UPI ports at functions that are not there (first Sapphire Rapids)",
      .rows = "D3", .needs = { CAP_DISCOVERY, CAP_QPI })
FAULT(FAULT_DISCOVERY_CHA_MISSING,
      .stands_for = "a discovery table lists one CHA less than there are (Sapphire Rapids firmware)", .rows = "D1",
      .needs = { CAP_DISCOVERY, CAP_CHA_COUNT })
FAULT(FAULT_DISCOVERY_PHANTOM_CHANNEL,
      .stands_for = "a discovery table lists a memory channel that nothing answers for", .rows = "D1,D3",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_PHANTOM_CHA,
      .stands_for = "a discovery table lists a CHA that the package does not have (Sapphire Rapids firmware)",
      .rows = "D1", .needs = { CAP_DISCOVERY, CAP_CHA_COUNT })
FAULT(FAULT_DISCOVERY_DUPLICATE_ID, .stands_for = "a discovery table gives two CHAs one number", .rows = "D2",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_WIDTH, .stands_for = "a discovery table has a wrong width of the counters of memory channels",
      .rows = "D2", .needs = { CAP_DISCOVERY }, .parameter = "bits", .value = 32)
FAULT(FAULT_DISCOVERY_ACCESS, .stands_for = "a discovery table says that PCI functions are memory-mapped",
      .rows = "D2,D3", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_ALL_ONES, .stands_for = "an entry of a discovery table reads all ones", .rows = "D2,D1",
      .needs = { CAP_DISCOVERY })
