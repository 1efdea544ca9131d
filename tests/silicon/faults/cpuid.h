/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Faults: what CPUID says. One row a fault, see fault.c for the columns. */
FAULT(FAULT_CPUID_BLANK_MONITORING, "cpuid-blank-monitoring",
      "monitoring is advertised over empty leaves 0FH (fuses, or a hypervisor's filter)", RDT, "EN-01", false, NULL, 0)
FAULT(FAULT_CPUID_BLANK_ALLOCATION, "cpuid-blank-allocation", "allocation is advertised over empty leaves 10H", RDT,
      "EN-02", false, NULL, 0)
FAULT(FAULT_CPUID_RMID_LIMITS, "cpuid-rmid-limits", "the L3 claims more RMIDs than the processor", RDT, "EN-03", false,
      NULL, 0)
FAULT(FAULT_CPUID_RESERVED, "cpuid-reserved", "a reserved field of leaf 0FH is not zero", RDT, "EN-04", false,
      "bit of 0FH.1:EDX", 7)
FAULT(FAULT_CPUID_PROCESSOR, "cpuid-differs-on-processor",
      "one processor enumerates one RMID less than the others (mixed microcode or fuses)", RDT, "EN-05", false,
      "processor", ALL)
FAULT(FAULT_CPUID_PACKAGE, "cpuid-differs-on-package",
      "one package enumerates half the RMIDs (parts of different kinds in one machine)", RDT, "XC-01,EN-05", false,
      "package", ALL)
FAULT(FAULT_CPUID_SCALE_ZERO, "cpuid-scale-zero", "the upscaling factor was never fused", RDT, "EN-06", false, NULL, 0)
FAULT(FAULT_CPUID_SCALE_ODD, "cpuid-scale-odd", "the upscaling factor is no multiple of a line", RDT, "EN-06", false,
      NULL, 0)
FAULT(FAULT_CPUID_SCALE_DOUBLED, "cpuid-scale-doubled", "the upscaling factor is twice what the counters count in", RDT,
      "EN-07,CM-02,MB-02", false, NULL, 0)
FAULT(FAULT_CPUID_SCALE_HALVED, "cpuid-scale-halved",
      "the upscaling factor is half of what the counters count in (left by a cluster mode)", RDT, "CM-02,CM-03,MB-02",
      false, NULL, 0)
FAULT(FAULT_CPUID_WIDTH, "cpuid-width", "the counter width field holds nonsense", RDT, "EN-08", false,
      "value of 0FH.1:EAX[7:0]", 50)
FAULT(FAULT_CPUID_EVENTS, "cpuid-events", "local bandwidth is enumerated without total bandwidth", RDT, "EN-09", false,
      "value of 0FH.1:EDX", 5)
FAULT(FAULT_CPUID_ECHO, "cpuid-subleaf-echo", "sub-leaves that do not exist repeat the one before", RDT, "EN-10,EN-04",
      false, NULL, 0)
FAULT(FAULT_CPUID_BITS_CLEAR, "cpuid-bits-clear",
      "leaves 0FH and 10H are filled and the bits of leaf 7 that announce them are clear", RDT, "EN-17", false, NULL, 0)
FAULT(FAULT_CPUID_CLOS_LIMITED, "cpuid-clos-limited",
      "firmware has the processor show 4 classes of 16 (Xeon D-1518, intel-cmt-cat issue 42)", RDTI, "EN-17", false,
      NULL, 0)
FAULT(FAULT_CPUID_ONE_CLASS, "cpuid-one-class", "fuses leave the L3 a single class of service", RDT, "EN-13", false,
      NULL, 0)
FAULT(FAULT_CPUID_ASYMMETRIC, "cpuid-asymmetric",
      "asymmetric allocation is announced, and there is no leaf 28H (a bit left from a part of two core types)", "spr",
      "EN-16", false, NULL, 0)
FAULT(FAULT_CPUID_CORE_TYPES, "cpuid-core-types",
      "a processor of another core type has half the RMIDs, and leaves 27H and 28H are not announced", "spr",
      "EN-21,EN-05", false, "processor", ALL)
FAULT(FAULT_CPUID_CLOS_ABOVE, "cpuid-clos-above", "more classes are enumerated than there are mask registers", RDT,
      "AS-05,CA-02,CA-15", false, "classes too many", 1)
FAULT(FAULT_CPUID_CBM_LENGTH, "cpuid-cbm-length", "the mask length is not coded minus one", RDTI, "EN-11,CA-02", false,
      NULL, 0)
FAULT(FAULT_CPUID_CONTENTION, "cpuid-contention-map", "the map of shared ways lies outside of the mask", RDT, "EN-12",
      false, NULL, 0)
FAULT(FAULT_CPUID_CONTENTION_FULL, "cpuid-contention-full", "every way is said to be shared with other agents", RDT,
      "EN-12", false, NULL, 0)
FAULT(FAULT_CPUID_MBA_MAX, "cpuid-mba-max", "the greatest delay is above 100 percent", MBA, "EN-14", false,
      "value of 10H.3:EAX", 119)
FAULT(FAULT_CPUID_MBA_STEP, "cpuid-mba-step", "the greatest delay does not divide the range into whole steps", MBA,
      "EN-14", false, NULL, 0)
FAULT(FAULT_CPUID_ALLOC_RESERVED, "cpuid-alloc-reserved", "a reserved field of leaf 10H is not zero", RDT, "EN-04",
      false, "bit of 10H.1:ECX", 20)
FAULT(FAULT_CPUID_IO_HALF, "cpuid-io-half", "monitoring of I/O is enumerated without the register that enables it",
      "bdx,bdx-gp,bdx-80,skx,icx,spr", "EN-19", false, NULL, 0)
FAULT(FAULT_CPUID_SHARING, "cpuid-l3-sharing", "the L3 is said to be of one core each", RDTI, "EN-18,XC-06", false,
      NULL, 0)
FAULT(FAULT_CPUID_SCALE_PACKAGE, "cpuid-scale-package",
      "one package has another upscaling factor (parts of different kinds, or a wrong fuse)", CMT, "XC-11,XC-01,EN-05",
      false, "package", ALL)
