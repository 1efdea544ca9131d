/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: ACPI tables, and the RDT registers in memory that they list. One row a fault; model.h has the columns. */
FAULT(FAULT_ACPI_CHECKSUM, .stands_for = "a table was patched by firmware and its checksum not made good",
      .rows = "AC-01", .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_LENGTH, .stands_for = "a domain of ERDT is longer than what it holds", .rows = "AC-01",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_ORDER, .stands_for = "structures of a domain are not in ascending order", .rows = "AC-01",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_DOMAIN_TWICE, .stands_for = "two domains of ERDT have one number", .rows = "AC-02",
      .needs = { CAP_ERDT }, .packages = 2, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_DANGLING, .stands_for = "processors are listed for a domain that is not there", .rows = "AC-02",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_RMIDS, .stands_for = "ERDT has half the RMIDs of CPUID", .rows = "AC-03", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_PROCESSOR_MISSING, .stands_for = "a processor is in no domain of ERDT", .rows = "AC-04",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_BASE, .stands_for = "a register block does not begin with a page", .rows = "AC-05",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_SHORT, .stands_for = "the last RMIDs' registers lie beyond their block", .rows = "AC-05",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_INDEX, .stands_for = "a block has an index function that does not exist", .rows = "AC-05",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_SCALE, .stands_for = "ERDT has twice the upscaling factor of CPUID", .rows = "AC-06",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_WIDTH, .stands_for = "a bandwidth counter is said to reach into its flags", .rows = "AC-07",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_LIST, .stands_for = "there are two correction factors, for 288 RMIDs", .rows = "AC-07",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_THROTTLE_LEFT, .stands_for = "firmware left region mode on and a class throttled", .rows = "AC-08",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_MODE_MIXED, .stands_for = "one domain is in region mode, the others in total mode", .rows = "AC-09",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_OCCUPANCY, .stands_for = "occupancy in memory is that of the next RMID", .rows = "AC-10",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_MRRM_RANGE, .stands_for = "a region of MRRM covers half of its memory", .rows = "AC-11",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_MRRM_REGION, .stands_for = "a region has a number beyond the last one", .rows = "AC-11",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_TWICE, .stands_for = "two control structures of IRDT have one number", .rows = "AC-12",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_DANGLING, .stands_for = "a device goes by a control structure that is not there", .rows = "AC-12",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_FLAGS, .stands_for = "CPUID has RDT of I/O and IRDT denies it", .rows = "AC-13", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
