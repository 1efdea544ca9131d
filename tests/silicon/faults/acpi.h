/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: ACPI tables, and the RDT registers in memory that they list. One row a fault, see fault.c for the columns. */
FAULT(FAULT_ACPI_CHECKSUM, "acpi-checksum", "a table was patched by firmware and its checksum not made good", EVERY,
      "AC-01", false, NULL, 0)
FAULT(FAULT_ERDT_LENGTH, "erdt-length", "a domain of ERDT is longer than what it holds", ERDT, "AC-01", false, NULL, 0)
FAULT(FAULT_ERDT_ORDER, "erdt-order", "structures of a domain are not in ascending order", ERDT, "AC-01", false, NULL,
      0)
FAULT(FAULT_ERDT_DOMAIN_TWICE, "erdt-domain-twice", "two domains of ERDT have one number", ERDT, "AC-02", false, NULL,
      0)
FAULT(FAULT_ERDT_DANGLING, "erdt-dangling", "processors are listed for a domain that is not there", ERDT, "AC-02",
      false, NULL, 0)
FAULT(FAULT_ERDT_RMIDS, "erdt-rmids", "ERDT has half the RMIDs of CPUID", ERDT, "AC-03", false, NULL, 0)
FAULT(FAULT_ERDT_PROCESSOR, "erdt-processor-missing", "a processor is in no domain of ERDT", ERDT, "AC-04", false, NULL,
      0)
FAULT(FAULT_ERDT_BASE, "erdt-base", "a register block does not begin with a page", ERDT, "AC-05", false, NULL, 0)
FAULT(FAULT_ERDT_SHORT, "erdt-short", "the last RMIDs' registers lie beyond their block", ERDT, "AC-05", false, NULL, 0)
FAULT(FAULT_ERDT_INDEX, "erdt-index", "a block has an index function that does not exist", ERDT, "AC-05", false, NULL,
      0)
FAULT(FAULT_ERDT_SCALE, "erdt-scale", "ERDT has twice the upscaling factor of CPUID", ERDT, "AC-06", false, NULL, 0)
FAULT(FAULT_ERDT_WIDTH, "erdt-width", "a bandwidth counter is said to reach into its flags", ERDT, "AC-07", false, NULL,
      0)
FAULT(FAULT_ERDT_LIST, "erdt-list", "there are two correction factors, for 288 RMIDs", ERDT, "AC-07", false, NULL, 0)
FAULT(FAULT_ERDT_THROTTLE_LEFT, "erdt-throttle-left", "firmware left region mode on and a class throttled", ERDT,
      "AC-08", false, NULL, 0)
FAULT(FAULT_ERDT_MODE_MIXED, "erdt-mode-mixed", "one domain is in region mode, the others in total mode", ERDT, "AC-09",
      false, NULL, 0)
FAULT(FAULT_ERDT_OCCUPANCY, "erdt-occupancy", "occupancy in memory is that of the next RMID", ERDT, "AC-10", false,
      NULL, 0)
FAULT(FAULT_MRRM_RANGE, "mrrm-range", "a region of MRRM covers half of its memory", ERDT, "AC-11", false, NULL, 0)
FAULT(FAULT_MRRM_REGION, "mrrm-region", "a region has a number beyond the last one", ERDT, "AC-11", false, NULL, 0)
FAULT(FAULT_IRDT_TWICE, "irdt-twice", "two control structures of IRDT have one number", ERDT, "AC-12", false, NULL, 0)
FAULT(FAULT_IRDT_DANGLING, "irdt-dangling", "a device goes by a control structure that is not there", ERDT, "AC-12",
      false, NULL, 0)
FAULT(FAULT_IRDT_FLAGS, "irdt-flags", "CPUID has RDT of I/O and IRDT denies it", ERDT, "AC-13", false, NULL, 0)
