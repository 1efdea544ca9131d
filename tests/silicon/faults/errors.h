/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: errors that machine-check banks log. One row a fault; model.h has the columns. */
FAULT(FAULT_CORRECTED_MEMORY, "a DIMM gives bits that its ECC has to correct", "ER-01,ER-02",
      .parameter = "lines read for each error", .value = 512, .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_CORRECTED_COUNTED,
      "a DIMM gives bits that its ECC has to correct, and firmware takes what the banks say of it first", "ER-03",
      .needs = { CAP_IMC_MMIO }, .parameter = "lines that a channel reads for each error", .value = 512,
      .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_CORRECTED_CACHE, "an L2 has cells that its ECC has to correct", "ER-01,ER-02",
      .parameter = "fills for each error", .value = 512, .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_CORRECTED_LINK, "a link repeats transfers", "ER-01,ER-02", .found_as = "ERROR",
      .parameter = "lines read for each error", .value = 512, .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_UNCORRECTED_CACHE, "an L2 loses a line: machine check, after which software can continue", "ER-01,ER-02",
      .host_only = "no #MC is raised by a plugin", .parameter = "fills before it", .value = 512,
      .range = { 1, 1 << 30 })
FAULT(FAULT_CORRECTED_SLICE, "an L3 has cells that its ECC has to correct", "ER-01,ER-02",
      .parameter = "lines read for each error", .value = 512, .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
/* Tried with CMT: the recorded CPUID of Zen announces no scalable MCA, whose MCA_IPID alone says whose bank it is. */
FAULT(FAULT_ERRCNT_ALONE,
      "an L3 of AMD counts errors in MCA_MISC0, and firmware has taken what the status says of them first", "ER-02",
      .needs = { CAP_AMD }, .tried_with = { CAP_CMT }, .parameter = "lines read for each error", .value = 512,
      .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
FAULT(FAULT_CORRECTED_WRAPS,
      "the first rank of the last channel gives bits that its ECC has to correct, from a count near its end on",
      "ER-03", .needs = { CAP_IMC_MMIO }, .parameter = "lines that the channel reads for each error", .value = 512,
      .range = { 1, 1 << 30 }, .strength = STRENGTH_FALLS)
