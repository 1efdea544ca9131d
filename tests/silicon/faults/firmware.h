/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: what firmware left or tells, and processors that fail. One row a fault, see fault.c for the columns. */
FAULT(FAULT_MICROCODE_DIFFERS, "microcode-differs", "one package was left out of the microcode update", EVERY, "XC-01",
      false, "package", 1)
FAULT(FAULT_PQR_LEFT_BY_FIRMWARE, "pqr-left-by-firmware", "firmware leaves its own RMID in every processor", CMT,
      "AS-01,RS-01", false, "RMID", 5)
FAULT(FAULT_MASKS_LEFT_BY_FIRMWARE, "masks-left-by-firmware", "firmware leaves one package part of its L3 only", RDT,
      "RS-02,CA-01", false, "ways", 7)
FAULT(FAULT_MBA_LEFT_BY_FIRMWARE, "mba-left-by-firmware", "firmware leaves one package throttled", MBA,
      "RS-04,MA-01,XC-09", false, "delay", 50)
FAULT(FAULT_CDP_LEFT_BY_FIRMWARE, "cdp-left-by-firmware",
      "firmware leaves code and data prioritization on in one package", CDP, "RS-03,CD-05,XC-09", false, NULL, 0)
FAULT(FAULT_MBA_CFG_LEFT_BY_FIRMWARE, "mba-cfg-left-by-firmware", "firmware programs MBA_CFG in one package", MBA2,
      "RS-05,XC-09", false, NULL, 0)
FAULT(FAULT_BW_LEFT_BY_FIRMWARE, "bw-left-by-firmware", "firmware leaves a ceiling on the bandwidth of every class",
      AMD, "RS-10", false, "units of 1/8 GB/s", 64)
FAULT(FAULT_PRIORITY_LEFT, "priority-left-by-firmware", "firmware gives the resources of one package priority", "gnr",
      "RS-09", false, NULL, 0)
FAULT(FAULT_STLB_LEFT, "stlb-left-by-firmware", "firmware divides the second-level TLB of one package", "spr", "RS-09",
      false, "mask", 3)
FAULT(FAULT_RMID_SHARING_LEFT, "rmid-sharing-left", "one package is left in RMID sharing mode", MBA2, "RS-06", false,
      NULL, 0)
FAULT(FAULT_PREFETCHERS_DIFFER, "prefetchers-differ", "firmware switched the prefetchers of one core off", CMTI,
      "RS-08", false, "processor", ALL)
FAULT(FAULT_SRAT_PROCESSOR, "srat-processor", "the SRAT puts the processors of the last package into the first node",
      EVERY, "EN-20,EN-18", false, "processor, all of that package without", ALL)
FAULT(FAULT_SRAT_SWAPPED, "srat-swapped", "the SRAT has the nodes of two packages exchanged for their memory", RDT,
      "MB-05,MB-06", false, NULL, 0)
FAULT(FAULT_SMI_STORM, "smi-storm", "firmware takes an SMI every few milliseconds", CMTI, "AS-10", false, "a second",
      200)
FAULT(FAULT_CPU_DEAD, "processor-dead", "one processor never answers", EVERY, "EN-05,EN-18", false, "processor", ALL)
FAULT(FAULT_CPU_FAULTS, "processor-faults", "one processor raises an exception at whatever register it is asked for",
      EVERY, "EN-05", false, "processor", ALL)
FAULT(FAULT_MP_RESET, "mp-reset-after-500ms", "firmware ends a procedure that takes longer than 500 ms", EVERY, "MP-05",
      false, NULL, 0)
FAULT(FAULT_MP_TIMEOUT_IGNORED, "mp-time-out-ignored",
      "StartupThisAP waits for the procedure's end whatever its time-out", EVERY, "MP-06", false, NULL, 0)
FAULT(FAULT_MP_EVENT_EARLY, "mp-event-early", "StartupAllAPs signals its event when the processors have begun", EVERY,
      "MP-04", false, NULL, 0)
FAULT(FAULT_MP_NEVER_WAKES, "mp-never-wakes", "firmware says success, and one processor has not run the procedure",
      EVERY, "MP-03", false, "which of those that firmware starts", ALL)
FAULT(FAULT_MP_DUPLICATE_ID, "mp-duplicate-id", "firmware lists two processors under one APIC id", EVERY, "MP-01",
      false, "which of those that firmware starts", ALL)
FAULT(FAULT_MP_PLACES, "mp-places", "firmware lists a processor in a package that CPUID does not have it in", EVERY,
      "MP-02", false, "which of those that firmware starts", ALL)
