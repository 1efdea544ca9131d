/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: errors that machine-check banks log. One row a fault; model.h has the columns. */
FAULT(FAULT_CORRECTED_MEMORY, .name = "corrected-memory", .stands_for = "a DIMM gives bits that its ECC has to correct",
      .rows = "ER-01,ER-02", .parameter = "lines read for each error", .value = 512, .range = { 1, 1 << 30 },
      .strength = STRENGTH_FALLS)
FAULT(FAULT_CORRECTED_COUNTED, .name = "corrected-counted",
      .stands_for = "a DIMM gives bits that its ECC has to correct, and firmware takes what the banks say of it first",
      .rows = "ER-03", .needs = { CAP_IMC_MMIO }, .parameter = "lines that a channel reads for each error",
      .value = 512, .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_CORRECTED_CACHE, .name = "corrected-cache", .stands_for = "an L2 has cells that its ECC has to correct",
      .rows = "ER-01,ER-02", .parameter = "fills for each error", .value = 512, .range = { 1, 1 << 30 },
      .strength = STRENGTH_FALLS)
FAULT(FAULT_CORRECTED_LINK, .name = "corrected-link", .stands_for = "a link repeats transfers", .rows = "ER-01,ER-02",
      .found_as = "ERROR", .parameter = "lines read for each error", .value = 512, .range = { 1, 1 << 30 },
      .strength = STRENGTH_FALLS)
FAULT(FAULT_UNCORRECTED_CACHE, .name = "uncorrected-cache",
      .stands_for = "an L2 loses a line: machine check, after which software can continue", .rows = "ER-01,ER-02",
      .host_only = "no #MC is raised by a plugin", .parameter = "fills before it", .value = 512,
      .range = { 1, 1 << 30 })
