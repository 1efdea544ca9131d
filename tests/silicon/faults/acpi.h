/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: ACPI tables, and the RDT registers in memory that they list. One row a fault; model.h has the columns. */
FAULT(FAULT_ACPI_CHECKSUM, .name = "acpi-checksum",
      .stands_for = "a table was patched by firmware and its checksum not made good", .rows = "AC-01",
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_LENGTH, .name = "erdt-length", .stands_for = "a domain of ERDT is longer than what it holds",
      .rows = "AC-01", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_ORDER, .name = "erdt-order", .stands_for = "structures of a domain are not in ascending order",
      .rows = "AC-01", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_DOMAIN_TWICE, .name = "erdt-domain-twice", .stands_for = "two domains of ERDT have one number",
      .rows = "AC-02", .needs = { CAP_ERDT }, .packages = 2, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_DANGLING, .name = "erdt-dangling",
      .stands_for = "processors are listed for a domain that is not there", .rows = "AC-02", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_RMIDS, .name = "erdt-rmids", .stands_for = "ERDT has half the RMIDs of CPUID", .rows = "AC-03",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_PROCESSOR, .name = "erdt-processor-missing", .stands_for = "a processor is in no domain of ERDT",
      .rows = "AC-04", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_BASE, .name = "erdt-base", .stands_for = "a register block does not begin with a page",
      .rows = "AC-05", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_SHORT, .name = "erdt-short", .stands_for = "the last RMIDs' registers lie beyond their block",
      .rows = "AC-05", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_INDEX, .name = "erdt-index", .stands_for = "a block has an index function that does not exist",
      .rows = "AC-05", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_SCALE, .name = "erdt-scale", .stands_for = "ERDT has twice the upscaling factor of CPUID",
      .rows = "AC-06", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_WIDTH, .name = "erdt-width", .stands_for = "a bandwidth counter is said to reach into its flags",
      .rows = "AC-07", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_LIST, .name = "erdt-list", .stands_for = "there are two correction factors, for 288 RMIDs",
      .rows = "AC-07", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_THROTTLE_LEFT, .name = "erdt-throttle-left",
      .stands_for = "firmware left region mode on and a class throttled", .rows = "AC-08", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_MODE_MIXED, .name = "erdt-mode-mixed",
      .stands_for = "one domain is in region mode, the others in total mode", .rows = "AC-09", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_ERDT_OCCUPANCY, .name = "erdt-occupancy", .stands_for = "occupancy in memory is that of the next RMID",
      .rows = "AC-10", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_MRRM_RANGE, .name = "mrrm-range", .stands_for = "a region of MRRM covers half of its memory",
      .rows = "AC-11", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_MRRM_REGION, .name = "mrrm-region", .stands_for = "a region has a number beyond the last one",
      .rows = "AC-11", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_TWICE, .name = "irdt-twice", .stands_for = "two control structures of IRDT have one number",
      .rows = "AC-12", .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_DANGLING, .name = "irdt-dangling",
      .stands_for = "a device goes by a control structure that is not there", .rows = "AC-12", .needs = { CAP_ERDT },
      .host_only = TABLES_OF_QEMU)
FAULT(FAULT_IRDT_FLAGS, .name = "irdt-flags", .stands_for = "CPUID has RDT of I/O and IRDT denies it", .rows = "AC-13",
      .needs = { CAP_ERDT }, .host_only = TABLES_OF_QEMU)
