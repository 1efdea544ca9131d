/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: how units say where they are and how many: registers of the package, base addresses, discovery tables. One
 * row a fault; model.h has the columns. */

FAULT(FAULT_CHA_COUNT, "the register that counts CHAs knows of one less than there are", "D1,A1",
      .needs = { CAP_CHA_COUNT })
FAULT(FAULT_NODE_ID_SAME, "every package says that it is node 0", "A1,S1", .needs = { CAP_NODE_ID },
      .tried_with = { CAP_IMC_FREE }, .packages = 2)
FAULT(FAULT_BUS_NUMBERS_INVALID, "firmware leaves the register of bus numbers without its valid bit", "A1",
      .needs = { CAP_BUS_NUMBERS })
FAULT(FAULT_MEM_BAR_ZERO, "the base address of the last memory controller is 0", "A1,V5", .needs = { CAP_MEM_BARS })
FAULT(FAULT_MMIO_ALL_ONES, "the registers of one memory channel read all ones", "A1,A2,D3", .needs = { CAP_IMC_MMIO },
      .parameter = "channel", .value = ALL)
FAULT(FAULT_DISCOVERY_HIDDEN, "firmware hides the functions that lead to the discovery tables", "A1,D1",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_BAR_ZERO, "the base address of the discovery tables is 0", "A1,D1", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_NOT_DECODED,
      "firmware leaves memory decode off in the functions that lead to discovery tables and telemetry", "D1",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_RESERVED, "a reserved bit is set beside the number of the table's base address register", "D2",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_NO_UNITS, "a discovery table says that it has no units", "D1", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_STRIDE, "a discovery table's entries are nearer together than it says", "D1,D2",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_GLOBAL, "a discovery table has a wrong address of the global control", "D2,F4",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_UPI_MISSING, "a discovery table lists two UPI ports where there are three", "D1",
      .needs = { CAP_DISCOVERY, CAP_QPI }, .tried_with = { CAP_IMC_FREE })
FAULT(FAULT_DISCOVERY_UPI_ADDRESS,
      "a discovery table has UPI ports at functions that are not there (first Sapphire Rapids)", "D3",
      .needs = { CAP_DISCOVERY, CAP_QPI })
FAULT(FAULT_DISCOVERY_CHA_MISSING, "a discovery table lists one CHA less than there are (Sapphire Rapids firmware)",
      "D1", .needs = { CAP_DISCOVERY, CAP_CHA_COUNT })
FAULT(FAULT_DISCOVERY_PHANTOM_CHANNEL, "a discovery table lists a memory channel that nothing answers for", "D1,D3",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_PHANTOM_CHA,
      "a discovery table lists a CHA that the package does not have (Sapphire Rapids firmware)", "D1",
      .needs = { CAP_DISCOVERY, CAP_CHA_COUNT })
FAULT(FAULT_DISCOVERY_DUPLICATE_ID, "a discovery table gives two CHAs one number", "D2", .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_WIDTH, "a discovery table has a wrong width of the counters of memory channels", "D2",
      .needs = { CAP_DISCOVERY }, .parameter = "bits", .value = 32)
FAULT(FAULT_DISCOVERY_CHANNEL_TYPE, "a discovery table lists a memory channel under an undocumented type", "V3,V4,X5",
      .needs = { CAP_DISCOVERY, CAP_IMC })
FAULT(FAULT_DISCOVERY_ACCESS, "a discovery table says that PCI functions are memory-mapped", "D2,D3",
      .needs = { CAP_DISCOVERY })
FAULT(FAULT_DISCOVERY_ALL_ONES, "an entry of a discovery table reads all ones", "D2,D1", .needs = { CAP_DISCOVERY })
