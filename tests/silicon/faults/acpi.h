/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: ACPI tables, and the RDT registers in memory that they list. One row a fault; model.h has the columns. */
FAULT(FAULT_ACPI_CHECKSUM, "a table was patched by firmware and its checksum not made good", "AC-01",
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_LENGTH, "a domain of ERDT is longer than what it holds", "AC-01", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_ORDER, "structures of a domain are not in ascending order", "AC-01", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_DOMAIN_TWICE, "two domains of ERDT have one number", "AC-02", .needs = { CAP_ERDT }, .packages = 2,
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_DANGLING, "processors are listed for a domain that is not there", "AC-02", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_RMIDS, "ERDT has half the RMIDs of CPUID", "AC-03", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_PROCESSOR_MISSING, "a processor is in no domain of ERDT", "AC-04", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_BASE, "a register block does not begin with a page", "AC-05", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_SHORT, "the last RMIDs' registers lie beyond their block", "AC-05", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_INDEX, "a block has an index function that does not exist", "AC-05", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_SCALE, "ERDT has twice the upscaling factor of CPUID", "AC-06", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_WIDTH, "a bandwidth counter is said to reach into its flags", "AC-07", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_LIST, "there are two correction factors, for 288 RMIDs", "AC-07", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_THROTTLE_LEFT, "firmware left region mode on and a class throttled", "AC-08", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_MODE_MIXED, "one domain is in region mode, the others in total mode", "AC-09", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_OCCUPANCY, "occupancy in memory is that of the next RMID", "AC-10", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_MRRM_RANGE, "a region of MRRM covers half of its memory", "AC-11", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_MRRM_REGION, "a region has a number beyond the last one", "AC-11", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_TWICE, "two control structures of IRDT have one number", "AC-12", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_DANGLING, "a device goes by a control structure that is not there", "AC-12", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_FLAGS, "CPUID has RDT of I/O and IRDT denies it", "AC-13", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
