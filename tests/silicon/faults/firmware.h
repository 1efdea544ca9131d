/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: what firmware left or tells, and processors that fail. One row a fault; model.h has the columns. */
FAULT(FAULT_MICROCODE_DIFFERS, "one package was left out of the microcode update", "XC-01", .packages = 2,
      .parameter = "package", .value = 1)
FAULT(FAULT_PQR_LEFT_BY_FIRMWARE, "firmware leaves its own RMID in every processor", "AS-01,RS-01",
      .needs = { CAP_CMT }, .parameter = "RMID", .value = 5)
FAULT(FAULT_RESIDENCY_AWAKE, "residency in C6 advances while every core is awake", "K7", .needs = { CAP_RESIDENCY },
      .tried_with = { CAP_CORE_STATES })
FAULT(FAULT_RESIDENCY_BACK, "the residency of packages in C2 goes back", "K7", .needs = { CAP_RESIDENCY_PC2 },
      .tried_with = { CAP_CORE_STATES })
FAULT(FAULT_MASKS_LEFT_BY_FIRMWARE, "firmware leaves one package part of its L3 only", "RS-02,CA-01",
      .needs = { CAP_CAT }, .parameter = "ways", .value = 7)
FAULT(FAULT_MBA_LEFT_BY_FIRMWARE, "firmware leaves one package throttled", "RS-04,MA-01,XC-09", .needs = { CAP_MBA },
      .packages = 2, .parameter = "delay", .value = 50)
FAULT(FAULT_CDP_LEFT_BY_FIRMWARE, "firmware leaves code and data prioritization on in one package", "RS-03,CD-05,XC-09",
      .needs = { CAP_CDP }, .packages = 2)
FAULT(FAULT_MBA_CFG_LEFT_BY_FIRMWARE, "firmware programs MBA_CFG in one package", "RS-05,XC-09",
      .needs = { CAP_MBA_CFG }, .packages = 2)
FAULT(FAULT_BW_LEFT_BY_FIRMWARE, "firmware leaves a ceiling on the bandwidth of every class", "RS-10",
      .needs = { CAP_CEILING }, .parameter = "units of 1/8 GB/s", .value = 64)
FAULT(FAULT_GLOBAL_BW_LEFT_BY_FIRMWARE, "firmware leaves a ceiling that L3s share on class 0", "RS-10",
      .needs = { CAP_SMBE }, .parameter = "0 of memory, 1 of slow memory", .value = 0, .range = { 0, 1 },
      .realism = "global-limits=on")
FAULT(FAULT_RANGE_LEFT_BY_FIRMWARE, "firmware leaves range reservation enabled in one L3", "RS-14",
      .needs = { CAP_L3_RANGE }, .parameter = "ways", .value = 4)
FAULT(FAULT_PRIORITY_LEFT_BY_FIRMWARE, "firmware gives the resources of one package priority", "RS-09",
      .needs = { CAP_PRIORITY }, .packages = 2)
FAULT(FAULT_STLB_LEFT_BY_FIRMWARE, "firmware divides the second-level TLB of one package", "RS-09",
      .needs = { CAP_STLB_QOS }, .packages = 2, .parameter = "mask", .value = 3)
FAULT(FAULT_RMID_SHARING_LEFT, "one package is left in RMID sharing mode", "RS-06", .needs = { CAP_SNC_REGISTER },
      .packages = 2)
FAULT(FAULT_TSC_OFFSET, "the last package's TSC lags the others'", "XC-13", .needs = { CAP_INTEL },
      .tried_with = { CAP_MBM_TOTAL }, .packages = 2, .parameter = "ticks", .value = 1000000,
      .range = { 1, INT64_C(1) << 32 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_PREFETCHERS_DIFFER, "firmware switched the prefetchers of one core off", "RS-08",
      .needs = { CAP_PREFETCH_CONTROL }, .tried_with = { CAP_CMT }, .cores = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_SRAT_PROCESSOR, "the SRAT puts the processors of the last package into the first node", "EN-20,EN-18",
      .packages = 2, .host_only = TABLES_OF_QEMU, .parameter = "processor, all of that package without", .value = ALL)
FAULT(FAULT_SRAT_SWAPPED, "the SRAT has the nodes of two packages exchanged for their memory", "MB-05,MB-06",
      .tried_with = { CAP_MBM_LOCAL }, .packages = 2, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_SMI_STORM, "firmware takes an SMI every few milliseconds", "AS-10", .needs = { CAP_CMT },
      .parameter = "a second", .value = 200)
FAULT(FAULT_PROCESSOR_DEAD, "one processor never answers", "EN-05,EN-18", .cpus = 2, .host_only = PROCESSORS_OF_QEMU,
      .found_as = "ERROR", .parameter = "processor", .value = ALL)
FAULT(FAULT_PROCESSOR_FAULTS, "one processor raises an exception at whatever register it is asked for", "EN-05",
      .cpus = 2, .host_only = PROCESSORS_OF_QEMU, .found_as = "ERROR", .parameter = "processor", .value = ALL)
FAULT(FAULT_MP_RESET_AFTER_500MS, "firmware ends a procedure that takes longer than 500 ms", "MP-05", .cpus = 2,
      .host_only = SERVICES_OF_QEMU)
FAULT(FAULT_MP_TIME_OUT_IGNORED, "StartupThisAP waits for the procedure's end whatever its time-out", "MP-06",
      .cpus = 2, .host_only = SERVICES_OF_QEMU)
FAULT(FAULT_MP_EVENT_EARLY, "StartupAllAPs signals its event when the processors have begun", "MP-04", .cpus = 2,
      .host_only = SERVICES_OF_QEMU)
FAULT(FAULT_MP_NEVER_WAKES, "firmware says success, and one processor has not run the procedure", "MP-03", .cpus = 2,
      .host_only = SERVICES_OF_QEMU, .parameter = "which of those that firmware starts", .value = ALL)
FAULT(FAULT_MP_DUPLICATE_ID, "firmware lists two processors under one APIC id", "MP-01", .cpus = 2,
      .host_only = SERVICES_OF_QEMU, .parameter = "which of those that firmware starts", .value = ALL)
FAULT(FAULT_MP_PLACES, "firmware lists a processor in a package that CPUID does not have it in", "MP-02", .cpus = 2,
      .host_only = SERVICES_OF_QEMU, .parameter = "which of those that firmware starts", .value = ALL)
