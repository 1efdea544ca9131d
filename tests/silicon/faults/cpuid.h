/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: what CPUID says. One row a fault; model.h has the columns. */
FAULT(FAULT_CPUID_BLANK_MONITORING, "monitoring is advertised over empty leaves 0FH (fuses, or a hypervisor's filter)",
      "EN-01", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_BLANK_ALLOCATION, "allocation is advertised over empty leaves 10H", "EN-02", .needs = { CAP_CAT })
FAULT(FAULT_CPUID_RMID_LIMITS, "the L3 claims more RMIDs than the processor", "EN-03", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_RESERVED, "a reserved field of leaf 0FH is not zero", "EN-04", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL }, .parameter = "bit of 0FH.1:EDX", .value = 7)
FAULT(FAULT_CPUID_DIFFERS_ON_PROCESSOR,
      "one processor enumerates one RMID less than the others (mixed microcode or fuses)", "EN-05",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .cpus = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_CPUID_DIFFERS_ON_PACKAGE, "one package enumerates half the RMIDs (parts of different kinds in one machine)",
      "XC-01,EN-05", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .packages = 2, .parameter = "package",
      .value = ALL)
FAULT(FAULT_CPUID_SCALE_ZERO, "the upscaling factor was never fused", "EN-06", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_SCALE_ODD, "the upscaling factor is no multiple of a line", "EN-06", .needs = { CAP_CMT },
      .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_SCALE_DOUBLED, "the upscaling factor is twice what the counters count in", "EN-07,CM-02,MB-02",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_SCALE_HALVED, "the upscaling factor is half of what the counters count in (left by a cluster mode)",
      "CM-02,CM-03,MB-02", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_WIDTH, "the counter width field holds nonsense", "EN-08", .needs = { CAP_MBM_TOTAL },
      .parameter = "value of 0FH.1:EAX[7:0]", .value = 50)
FAULT(FAULT_CPUID_EVENTS, "local bandwidth is enumerated without total bandwidth", "EN-09", .needs = { CAP_MBM_TOTAL },
      .parameter = "value of 0FH.1:EDX", .value = 5)
FAULT(FAULT_CPUID_SUBLEAF_ECHO, "sub-leaves that do not exist repeat the one before", "EN-10,EN-04",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_BITS_CLEAR, "leaves 0FH and 10H are filled and the bits of leaf 7 that announce them are clear",
      "EN-17", .needs = { CAP_CMT }, .absent = { CAP_UNRECORDED }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_CLOS_LIMITED, "firmware has the processor show 4 classes of 16 (Xeon D-1518, intel-cmt-cat issue 42)",
      "EN-17", .needs = { CAP_CAT }, .absent = { CAP_UNRECORDED }, .tried_with = { CAP_INTEL })
FAULT(FAULT_CPUID_ONE_CLASS, "fuses leave the L3 a single class of service", "EN-13", .needs = { CAP_CAT })
FAULT(FAULT_CPUID_CLOS_BEYOND, "the highest class of the L3 lies beyond the addresses of mask registers", "EN-13",
      .needs = { CAP_CAT }, .parameter = "class", .value = 128)
FAULT(FAULT_CPUID_EVENT_HIDDEN, "fuses hide local bandwidth in CPUID, and QM_CTR answers with its data", "QM-07",
      .needs = { CAP_MBM_LOCAL })
FAULT(FAULT_CPUID_ASYMMETRIC,
      "asymmetric allocation is announced, and there is no leaf 28H (a bit left from a part of two core types)",
      "EN-16", .needs = { CAP_INTEL, CAP_LEAF_7_1 })
FAULT(FAULT_CPUID_CORE_TYPES,
      "a processor of another core type has half the RMIDs, and leaves 27H and 28H are not announced", "EN-21,EN-05",
      .needs = { CAP_INTEL, CAP_CMT }, .tried_with = { CAP_L2_CAT }, .cpus = 2, .parameter = "processor", .value = ALL)
FAULT(FAULT_CPUID_CLOS_ABOVE, "more classes are enumerated than there are mask registers", "AS-05,CA-02,CA-15",
      .needs = { CAP_CAT }, .parameter = "classes too many", .value = 1)
FAULT(FAULT_CPUID_CBM_LENGTH, "the mask length is not coded minus one", "EN-11,CA-02", .needs = { CAP_CAT },
      .tried_with = { CAP_INTEL })
FAULT(FAULT_CPUID_CONTENTION_MAP, "the map of shared ways lies outside of the mask", "EN-12", .needs = { CAP_CAT })
FAULT(FAULT_CPUID_CONTENTION_FULL, "every way is said to be shared with other agents", "EN-12", .needs = { CAP_CAT })
FAULT(FAULT_CPUID_MBA_MAX, "the greatest delay is above 100 percent", "EN-14", .needs = { CAP_MBA },
      .parameter = "value of 10H.3:EAX", .value = 119)
FAULT(FAULT_CPUID_MBA_STEP, "the greatest delay does not divide the range into whole steps", "EN-14",
      .needs = { CAP_MBA })
FAULT(FAULT_CPUID_ALLOC_RESERVED, "a reserved field of leaf 10H is not zero", "EN-04", .needs = { CAP_CAT },
      .parameter = "bit of 10H.1:ECX", .value = 20)
FAULT(FAULT_CPUID_IO_HALF, "monitoring of I/O is enumerated without the register that enables it", "EN-19",
      .needs = { CAP_INTEL, CAP_CMT }, .absent = { CAP_IO_RDT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_L3_SHARING, "the L3 is said to be of one core each", "EN-18,XC-06", .needs = { CAP_INTEL },
      .tried_with = { CAP_CAT })
FAULT(FAULT_CPUID_SCALE_PACKAGE, "one package has another upscaling factor (parts of different kinds, or a wrong fuse)",
      "XC-11,XC-01,EN-05", .needs = { CAP_CMT }, .packages = 2, .parameter = "package", .value = ALL)
FAULT(FAULT_CPUID_LIMIT_LENGTH, "the length of AMD's bandwidth limits is none that a register can have", "EN-22",
      .needs = { CAP_CEILING }, .tried_with = { CAP_BMEC }, .parameter = "value of 80000020H.1:EAX", .value = 200)
FAULT(FAULT_CPUID_LIMIT_PACKAGE,
      "bandwidth limits of one package are a bit shorter (parts of different kinds, or fuses)", "EN-05,XC-01",
      .needs = { CAP_CEILING }, .tried_with = { CAP_BMEC }, .packages = 2, .parameter = "package", .value = ALL)
FAULT(FAULT_CPUID_LIMIT_CLASSES, "bandwidth limits are enumerated for more classes than PQR_ASSOC takes", "EN-22",
      .needs = { CAP_CEILING }, .tried_with = { CAP_BMEC }, .parameter = "value of 80000020H.1:EDX", .value = 31)
