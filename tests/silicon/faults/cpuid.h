/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: what CPUID says. One row a fault; model.h has the columns. */
FAULT(FAULT_CPUID_BLANK_MONITORING,
      .stands_for = "monitoring is advertised over empty leaves 0FH (fuses, or a hypervisor's filter)", .rows = "EN-01",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_BLANK_ALLOCATION, .stands_for = "allocation is advertised over empty leaves 10H", .rows = "EN-02",
      .needs = { CAP_CAT })
FAULT(FAULT_CPUID_RMID_LIMITS, .stands_for = "the L3 claims more RMIDs than the processor", .rows = "EN-03",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_RESERVED, .stands_for = "a reserved field of leaf 0FH is not zero", .rows = "EN-04",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .parameter = "bit of 0FH.1:EDX", .value = 7)
FAULT(FAULT_CPUID_DIFFERS_ON_PROCESSOR,
      .stands_for = "one processor enumerates one RMID less than the others (mixed microcode or fuses)",
      .rows = "EN-05", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .cpus = 2, .parameter = "processor",
      .value = ALL)
FAULT(FAULT_CPUID_DIFFERS_ON_PACKAGE,
      .stands_for = "one package enumerates half the RMIDs (parts of different kinds in one machine)",
      .rows = "XC-01,EN-05", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL }, .packages = 2,
      .parameter = "package", .value = ALL)
FAULT(FAULT_CPUID_SCALE_ZERO, .stands_for = "the upscaling factor was never fused", .rows = "EN-06",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_SCALE_ODD, .stands_for = "the upscaling factor is no multiple of a line", .rows = "EN-06",
      .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_SCALE_DOUBLED, .stands_for = "the upscaling factor is twice what the counters count in",
      .rows = "EN-07,CM-02,MB-02", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_SCALE_HALVED,
      .stands_for = "the upscaling factor is half of what the counters count in (left by a cluster mode)",
      .rows = "CM-02,CM-03,MB-02", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_WIDTH, .stands_for = "the counter width field holds nonsense", .rows = "EN-08",
      .needs = { CAP_MBM_TOTAL }, .parameter = "value of 0FH.1:EAX[7:0]", .value = 50)
FAULT(FAULT_CPUID_EVENTS, .stands_for = "local bandwidth is enumerated without total bandwidth", .rows = "EN-09",
      .needs = { CAP_MBM_TOTAL }, .parameter = "value of 0FH.1:EDX", .value = 5)
FAULT(FAULT_CPUID_SUBLEAF_ECHO, .stands_for = "sub-leaves that do not exist repeat the one before",
      .rows = "EN-10,EN-04", .needs = { CAP_CMT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_BITS_CLEAR,
      .stands_for = "leaves 0FH and 10H are filled and the bits of leaf 7 that announce them are clear",
      .rows = "EN-17", .needs = { CAP_CMT }, .absent = { CAP_UNRECORDED }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_CLOS_LIMITED,
      .stands_for = "firmware has the processor show 4 classes of 16 (Xeon D-1518, intel-cmt-cat issue 42)",
      .rows = "EN-17", .needs = { CAP_CAT }, .absent = { CAP_UNRECORDED }, .tried_with = { CAP_INTEL })
FAULT(FAULT_CPUID_ONE_CLASS, .stands_for = "fuses leave the L3 a single class of service", .rows = "EN-13",
      .needs = { CAP_CAT })
FAULT(FAULT_CPUID_CLOS_BEYOND, .stands_for = "the highest class of the L3 lies beyond the addresses of mask registers",
      .rows = "EN-13", .needs = { CAP_CAT }, .parameter = "class", .value = 128)
FAULT(FAULT_CPUID_EVENT_HIDDEN, .stands_for = "fuses hide local bandwidth in CPUID, and QM_CTR answers with its data",
      .rows = "QM-07", .needs = { CAP_MBM_LOCAL })
FAULT(FAULT_CPUID_ASYMMETRIC,
      .stands_for =
          "asymmetric allocation is announced, and there is no leaf 28H (a bit left from a part of two core types)",
      .rows = "EN-16", .needs = { CAP_INTEL, CAP_LEAF_7_1 })
FAULT(FAULT_CPUID_CORE_TYPES,
      .stands_for = "a processor of another core type has half the RMIDs, and leaves 27H and 28H are not announced",
      .rows = "EN-21,EN-05", .needs = { CAP_INTEL, CAP_CMT }, .tried_with = { CAP_L2_CAT }, .cpus = 2,
      .parameter = "processor", .value = ALL)
FAULT(FAULT_CPUID_CLOS_ABOVE, .stands_for = "more classes are enumerated than there are mask registers",
      .rows = "AS-05,CA-02,CA-15", .needs = { CAP_CAT }, .parameter = "classes too many", .value = 1)
FAULT(FAULT_CPUID_CBM_LENGTH, .stands_for = "the mask length is not coded minus one", .rows = "EN-11,CA-02",
      .needs = { CAP_CAT }, .tried_with = { CAP_INTEL })
FAULT(FAULT_CPUID_CONTENTION_MAP, .stands_for = "the map of shared ways lies outside of the mask", .rows = "EN-12",
      .needs = { CAP_CAT })
FAULT(FAULT_CPUID_CONTENTION_FULL, .stands_for = "every way is said to be shared with other agents", .rows = "EN-12",
      .needs = { CAP_CAT })
FAULT(FAULT_CPUID_MBA_MAX, .stands_for = "the greatest delay is above 100 percent", .rows = "EN-14",
      .needs = { CAP_MBA }, .parameter = "value of 10H.3:EAX", .value = 119)
FAULT(FAULT_CPUID_MBA_STEP, .stands_for = "the greatest delay does not divide the range into whole steps",
      .rows = "EN-14", .needs = { CAP_MBA })
FAULT(FAULT_CPUID_ALLOC_RESERVED, .stands_for = "a reserved field of leaf 10H is not zero", .rows = "EN-04",
      .needs = { CAP_CAT }, .parameter = "bit of 10H.1:ECX", .value = 20)
FAULT(FAULT_CPUID_IO_HALF, .stands_for = "monitoring of I/O is enumerated without the register that enables it",
      .rows = "EN-19", .needs = { CAP_INTEL, CAP_CMT }, .absent = { CAP_IO_RDT }, .tried_with = { CAP_MBM_TOTAL })
FAULT(FAULT_CPUID_L3_SHARING, .stands_for = "the L3 is said to be of one core each", .rows = "EN-18,XC-06",
      .needs = { CAP_INTEL }, .tried_with = { CAP_CAT })
FAULT(FAULT_CPUID_SCALE_PACKAGE,
      .stands_for = "one package has another upscaling factor (parts of different kinds, or a wrong fuse)",
      .rows = "XC-11,XC-01,EN-05", .needs = { CAP_CMT }, .packages = 2, .parameter = "package", .value = ALL)
FAULT(FAULT_CPUID_LIMIT_LENGTH, .stands_for = "the length of AMD's bandwidth limits is none that a register can have",
      .rows = "EN-22", .needs = { CAP_CEILING }, .tried_with = { CAP_BMEC }, .parameter = "value of 80000020H.1:EAX",
      .value = 200)
FAULT(FAULT_CPUID_LIMIT_CLASSES, .stands_for = "bandwidth limits are enumerated for more classes than PQR_ASSOC takes",
      .rows = "EN-22", .needs = { CAP_CEILING }, .tried_with = { CAP_BMEC }, .parameter = "value of 80000020H.1:EDX",
      .value = 31)
