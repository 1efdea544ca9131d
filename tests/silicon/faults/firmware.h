/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: what firmware left or tells, and processors that fail. One row a fault; model.h has the columns. */
FAULT(FAULT_MICROCODE_DIFFERS, .name = "microcode-differs",
      .stands_for = "one package was left out of the microcode update", .rows = "XC-01", .packages = 2,
      .parameter = "package", .value = 1)
FAULT(FAULT_PQR_LEFT_BY_FIRMWARE, .name = "pqr-left-by-firmware",
      .stands_for = "firmware leaves its own RMID in every processor", .rows = "AS-01,RS-01", .needs = { CAP_CMT },
      .parameter = "RMID", .value = 5)
FAULT(FAULT_RESIDENCY_AWAKE, .name = "residency-awake",
      .stands_for = "residency in C6 advances while every core is awake", .rows = "K7", .needs = { CAP_RESIDENCY },
      .tried_with = { CAP_CORE_STATES })
FAULT(FAULT_RESIDENCY_BACK, .name = "residency-back", .stands_for = "the residency of packages in C2 goes back",
      .rows = "K7", .needs = { CAP_RESIDENCY_PC2 }, .tried_with = { CAP_CORE_STATES })
FAULT(FAULT_MASKS_LEFT_BY_FIRMWARE, .name = "masks-left-by-firmware",
      .stands_for = "firmware leaves one package part of its L3 only", .rows = "RS-02,CA-01", .needs = { CAP_CAT },
      .parameter = "ways", .value = 7)
FAULT(FAULT_MBA_LEFT_BY_FIRMWARE, .name = "mba-left-by-firmware", .stands_for = "firmware leaves one package throttled",
      .rows = "RS-04,MA-01,XC-09", .needs = { CAP_MBA }, .packages = 2, .parameter = "delay", .value = 50)
FAULT(FAULT_CDP_LEFT_BY_FIRMWARE, .name = "cdp-left-by-firmware",
      .stands_for = "firmware leaves code and data prioritization on in one package", .rows = "RS-03,CD-05,XC-09",
      .needs = { CAP_CDP }, .packages = 2)
FAULT(FAULT_MBA_CFG_LEFT_BY_FIRMWARE, .name = "mba-cfg-left-by-firmware",
      .stands_for = "firmware programs MBA_CFG in one package", .rows = "RS-05,XC-09", .needs = { CAP_MBA_CFG },
      .packages = 2)
FAULT(FAULT_BW_LEFT_BY_FIRMWARE, .name = "bw-left-by-firmware",
      .stands_for = "firmware leaves a ceiling on the bandwidth of every class", .rows = "RS-10",
      .needs = { CAP_CEILING }, .parameter = "units of 1/8 GB/s", .value = 64)
FAULT(FAULT_GLOBAL_LEFT, .name = "global-bw-left-by-firmware",
      .stands_for = "firmware leaves a ceiling that L3s share on class 0", .rows = "RS-10", .needs = { CAP_SMBE },
      .parameter = "0 of memory, 1 of slow memory", .value = 0, .range = { 0, 1 }, .realism = "global-limits=on")
FAULT(FAULT_RANGE_LEFT, .name = "range-left-by-firmware",
      .stands_for = "firmware leaves range reservation enabled in one L3", .rows = "RS-14", .needs = { CAP_L3_RANGE },
      .parameter = "ways", .value = 4)
FAULT(FAULT_PRIORITY_LEFT, .name = "priority-left-by-firmware",
      .stands_for = "firmware gives the resources of one package priority", .rows = "RS-09", .needs = { CAP_PRIORITY },
      .packages = 2)
FAULT(FAULT_STLB_LEFT, .name = "stlb-left-by-firmware",
      .stands_for = "firmware divides the second-level TLB of one package", .rows = "RS-09", .needs = { CAP_STLB_QOS },
      .packages = 2, .parameter = "mask", .value = 3)
FAULT(FAULT_RMID_SHARING_LEFT, .name = "rmid-sharing-left", .stands_for = "one package is left in RMID sharing mode",
      .rows = "RS-06", .needs = { CAP_SNC_REGISTER }, .packages = 2)
FAULT(FAULT_TSC_OFFSET, .name = "tsc-offset", .stands_for = "the last package's TSC lags the others'", .rows = "XC-13",
      .needs = { CAP_INTEL }, .tried_with = { CAP_MBM_TOTAL }, .packages = 2, .parameter = "ticks", .value = 1000000,
      .range = { 1, INT64_C(1) << 32 }, .strength = STRENGTH_GROWS)
FAULT(FAULT_PREFETCHERS_DIFFER, .name = "prefetchers-differ",
      .stands_for = "firmware switched the prefetchers of one core off", .rows = "RS-08",
      .needs = { CAP_PREFETCH_CONTROL }, .tried_with = { CAP_CMT }, .cores = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_SRAT_PROCESSOR, .name = "srat-processor",
      .stands_for = "the SRAT puts the processors of the last package into the first node", .rows = "EN-20,EN-18",
      .packages = 2, .host_only = TABLES_OF_QEMU, .parameter = "processor, all of that package without", .value = ALL)
FAULT(FAULT_SRAT_SWAPPED, .name = "srat-swapped",
      .stands_for = "the SRAT has the nodes of two packages exchanged for their memory", .rows = "MB-05,MB-06",
      .tried_with = { CAP_MBM_LOCAL }, .packages = 2, .host_only = TABLES_OF_QEMU)
FAULT(FAULT_SMI_STORM, .name = "smi-storm", .stands_for = "firmware takes an SMI every few milliseconds",
      .rows = "AS-10", .needs = { CAP_CMT }, .parameter = "a second", .value = 200)
FAULT(FAULT_CPU_DEAD, .name = "processor-dead", .stands_for = "one processor never answers", .rows = "EN-05,EN-18",
      .cpus = 2, .host_only = PROCESSORS_OF_QEMU, .found_as = "ERROR", .parameter = "processor", .value = ALL)
FAULT(FAULT_CPU_FAULTS, .name = "processor-faults",
      .stands_for = "one processor raises an exception at whatever register it is asked for", .rows = "EN-05",
      .cpus = 2, .host_only = PROCESSORS_OF_QEMU, .found_as = "ERROR", .parameter = "processor", .value = ALL)
FAULT(FAULT_MP_RESET, .name = "mp-reset-after-500ms",
      .stands_for = "firmware ends a procedure that takes longer than 500 ms", .rows = "MP-05", .cpus = 2,
      .host_only = SERVICES_OF_QEMU)
FAULT(FAULT_MP_TIMEOUT_IGNORED, .name = "mp-time-out-ignored",
      .stands_for = "StartupThisAP waits for the procedure's end whatever its time-out", .rows = "MP-06", .cpus = 2,
      .host_only = SERVICES_OF_QEMU)
FAULT(FAULT_MP_EVENT_EARLY, .name = "mp-event-early",
      .stands_for = "StartupAllAPs signals its event when the processors have begun", .rows = "MP-04", .cpus = 2,
      .host_only = SERVICES_OF_QEMU)
FAULT(FAULT_MP_NEVER_WAKES, .name = "mp-never-wakes",
      .stands_for = "firmware says success, and one processor has not run the procedure", .rows = "MP-03", .cpus = 2,
      .host_only = SERVICES_OF_QEMU, .parameter = "which of those that firmware starts", .value = ALL)
FAULT(FAULT_MP_DUPLICATE_ID, .name = "mp-duplicate-id", .stands_for = "firmware lists two processors under one APIC id",
      .rows = "MP-01", .cpus = 2, .host_only = SERVICES_OF_QEMU, .parameter = "which of those that firmware starts",
      .value = ALL)
FAULT(FAULT_MP_PLACES, .name = "mp-places",
      .stands_for = "firmware lists a processor in a package that CPUID does not have it in", .rows = "MP-02",
      .cpus = 2, .host_only = SERVICES_OF_QEMU, .parameter = "which of those that firmware starts", .value = ALL)
