/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/quirks/realism_rows.h: the quirks, with what is known of each. Ranges: where the source says "assumed",
 * nothing is published, and the range is wide on purpose. */
#define WORDS(n, typical) BRACED({ 0, n, typical }, { 0, n, typical }, { 0, n, typical })

QUIRK(REALISM_L2_VICTIM_DROP, .name = "l2-victim-drop", .unit = "percent", .most = 100,
      .meaning = "clean lines given up by an L2 that the L3, not inclusive, does not take",
      .source =
          "Skylake-SP streams: about 0 (Intel community, \"Calculating L2 <-> L3/MEM bandwidth on Intel Skylake SP\"); "
          "mixed reuse: not published, assumed",
      .range = { { 0, 0, 0 }, { 0, 50, 30 }, { 0, 10, 5 } })
QUIRK(REALISM_L2_VICTIM_REUSE, .name = "l2-victim-reuse", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "lines that an L1 asked for again while the L2 had them are kept by the L3: l2-victim-drop is of the "
                 "others alone",
      .source = "a dead-line predictor is supposed on Skylake-SP and Ice Lake-SP (zzrcxb/LLCFeasible); not published, "
                "assumed",
      .range = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 1, 0 } })
QUIRK(
    REALISM_L2_VICTIM_TAG, .name = "l2-victim-tag", .unit = "", .choices = "fill|evict", .most = 1,
    .meaning = "the RMID that such a line has in the L3: of the processor that brought it in, or whose L2 gives it up",
    .source = "not published, assumed", .range = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 1, 0 } })
QUIRK(REALISM_L3_REPLACEMENT, .name = "l3-replacement", .unit = "", .choices = "lru|random|qlru|drrip", .most = 3,
      .meaning =
          "which line of a set makes room, among the ways of the class; drrip: set dueling, with leader sets 0 and "
          "33 of each 64",
      .source = "uops.info cache page (client Ice Lake: QLRU_H00_M1_R0_U1 and leader sets); Jaleel et al., ISCA 2010 "
                "(DRRIP); servers: not LRU on Skylake-SP, policy not published",
      .range = WORDS(3, REPLACE_DRRIP))
QUIRK(REALISM_L3_SET_HASH, .name = "l3-set-hash", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "the set's number within a slice is hashed with higher address bits",
      .source = "not published, assumed", .range = WORDS(1, 0))
QUIRK(REALISM_MBM_LAG, .name = "mbm-lag", .unit = "us", .most = 1000000,
      .meaning =
          "MBM counters show what was counted until their last update, one every so often; between two reads the "
          "count is taken to have grown evenly",
      .source = "not published, assumed", .range = { { 0, 10000, 100 }, { 0, 10000, 100 }, { 0, 10000, 100 } })
QUIRK(REALISM_MBM_START, .name = "mbm-start", .unit = "", .choices = "profile|zero|near-wrap|anywhere", .most = 3,
      .meaning = "what MBM counters hold at power-on; near-wrap: 16 to 2047 counts before they roll over",
      .source = "stated nowhere, assumed", .range = WORDS(3, MBM_START_ANYWHERE))
QUIRK(REALISM_MBM_OVERCOUNT, .name = "mbm-overcount", .unit = "percent", .most = 100,
      .meaning =
          "lines from memory that MBM counts twice where memory is read again at once; the longer ago in lines, the "
          "fewer, and none from 4 times the L3 on",
      .source = "errata GNR12 and SRF42, Linux 752b6939951f: \"insignificant\" above 4 times the L3; amount and course "
                "assumed",
      .range = { { 0, 0, 0 }, { 0, 50, 0 }, { 0, 0, 0 } }, .drawn_on = has_overcount_erratum)
QUIRK(REALISM_MBM_SAMPLING, .name = "mbm-sampling", .unit = "sets", .most = 256,
      .meaning = "MBM counts what moves in one set of each so many, so many times; 0 and 1: in all",
      .source = "supposed where a stride of 340000H misses and MBM shows 0 (intel-cmt-cat issue 283, Cascade Lake); "
                "not published, assumed",
      .range = { { 0, 32, 0 }, { 0, 32, 0 }, { 0, 32, 0 } })
QUIRK(REALISM_AMD_TRACKED_RMIDS, .name = "amd-tracked-rmids", .unit = "RMIDs of an L3", .most = 4096,
      .meaning =
          "RMIDs whose bandwidth is counted at a time, 0: all; one that comes to a processor takes the place of that "
          "which was longest ago on one, restarts at 0, and its first read is Unavailable; others are Unavailable",
      .source = "Linux 15292f1b4c55; the number and the choice are not published, assumed",
      .range = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 256, 32 } })
QUIRK(
    REALISM_DMA, .name = "dma", .unit = "KB/s of a package", .most = 10000000,
    .meaning =
        "lines that devices write under no RMID: into the ways of the L3 that CPUID leaf 10H:1 EBX shares with them "
        "(Intel), or to memory (AMD)",
    .source =
        "MBM does not count it: intel-cmt-cat issue 186; 2 ways: aliireza/ddio-bench; rates before an operating system "
        "runs: not published, assumed",
    .range = { { 0, 100000, 1000 }, { 0, 100000, 1000 }, { 0, 100000, 1000 } })
QUIRK(REALISM_PATROL_SCRUB, .name = "patrol-scrub", .unit = "KB/s of a node", .most = 10000000,
      .meaning = "lines that a memory controller reads by itself, one channel after the other",
      .source = "BIOS options: a pass in 1 to 48 h, mostly 24 h; 256 GB in 24 h are 3000 KB/s, 1 TiB in 1 h 305000",
      .range = { { 0, 305000, 3000 }, { 0, 305000, 3000 }, { 0, 305000, 3000 } })
QUIRK(REALISM_SMI_PERIOD, .name = "smi-period", .unit = "ms", .most = 1000000,
      .meaning = "an SMI on every processor each so often, counted by MSR 34H where the part has it; 0: none",
      .source = "none for long, 2 or 8 a second: reports of Linux users; machines are drawn with 10 a second at most",
      .range = { { 0, 10000, 500 }, { 0, 10000, 500 }, { 0, 10000, 500 } }, .drawn_least = 100)
QUIRK(REALISM_SMI_TRAFFIC, .name = "smi-traffic", .unit = "KiB of a processor", .most = 4096,
      .meaning = "what each SMI reads, under the RMID and class that it interrupts",
      .source = "SDM vol. 3B 17.16.8 (SMM code "
                "runs under the interrupted RMID); amount assumed",
      .range = { { 0, 256, 16 }, { 0, 256, 16 }, { 0, 256, 16 } })
QUIRK(REALISM_L2_PREFETCH, .name = "l2-prefetch", .unit = "", .choices = "off|on", .most = 1,
      .meaning =
          "the L2's stream and adjacent-line prefetchers act unless MSR 1A4H bits 1:0 (AMD: C0000108H bits 5, 3) "
          "stop them",
      .source = "Intel, \"Disclosure of Hardware Prefetcher Control on Some Intel Processors\": firmware mostly leaves "
                "all on; AMD: CPUID 80000021H EAX[13], bits as likwid has them",
      .range = WORDS(1, 1))
QUIRK(REALISM_L1_PREFETCH, .name = "l1-prefetch", .unit = "", .choices = "off|on", .most = 1,
      .meaning =
          "the L1's next-line and IP (stride) prefetchers act unless MSR 1A4H bits 3:2 (AMD: C0000108H bits 1:0) "
          "stop them",
      .source = "as for l2-prefetch", .range = WORDS(1, 1))
QUIRK(REALISM_AMP_PREFETCH, .name = "amp-prefetch", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "Sapphire Rapids and later: MSR 1A4H has bit 5, and the L2's AMP prefetcher acts unless it is set",
      .source = "intel/PerfSpect, prefetcher definitions (SPR, EMR, GNR); when it acts is not published, assumed",
      .range = { { 0, 0, 0 }, { 0, 1, 1 }, { 0, 0, 0 } }, .acts_on = has_amp)
QUIRK(REALISM_LLC_PREFETCH, .name = "llc-prefetch", .unit = "", .choices = "off|on", .most = 1,
      .meaning =
          "the L3 reads ahead of an L2 that misses, unless MSR 6DH bits 42 and 14 (Sierra and Clearwater Forest: "
          "1320H bit 43) stop it, so that lines come from memory and the core misses the L3 no more",
      .source =
          "intel/PerfSpect, prefetcher definitions (SPR, EMR, GNR, SRF, CWF); when it acts is not published, assumed",
      .range = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, .acts_on = has_llc_control, .drawn_on = is_never_drawn)
QUIRK(REALISM_IDLE_LINES, .name = "idle-lines", .unit = "lines/ms of a processor", .most = 10000,
      .meaning = "lines of its own that each processor reads, from 256 KiB in turn and into the L3, while nothing of a "
                 "load leaves its L2; under the RMID and class that it has",
      .source =
          "a quiet Skylake-SP socket under an operating system reads 17.5 MB/s, 270 lines/ms (Intel community, as "
          "for l2-victim-drop); under firmware: not published, assumed",
      .range = { { 0, 100, 1 }, { 0, 100, 1 }, { 0, 100, 1 } })
QUIRK(REALISM_TICK_LINES, .name = "tick-lines", .unit = "lines a tick", .most = 100000,
      .meaning = "lines that the boot processor's timer handler reads each 10 ms, under the RMID and class that it "
                 "interrupts",
      .source = "EDK II's timer drivers tick each 10 ms (DEFAULT_TIMER_TICK_DURATION); lines assumed",
      .range = { { 0, 1024, 64 }, { 0, 1024, 64 }, { 0, 1024, 64 } })
QUIRK(REALISM_PAGE_WALK, .name = "page-walk", .unit = "", .choices = "off|2m|4k", .most = 2,
      .meaning = "what misses the L1 on a page that a TLB of 1024 entries lacks reads the page's entry of the page "
                 "tables, under the RMID that runs; memory is mapped by pages of 2 MiB or 4 KiB",
      .source = "SDM vol. 3A 4.10 (TLBs) and 4.5 (8 bytes an entry); UEFI maps memory identically, EDK II by 2 MiB or "
                "1 GiB; the share of traffic is not published, assumed",
      .range = WORDS(2, WALK_2M))
QUIRK(REALISM_CODE_FETCH, .name = "code-fetch", .unit = "per mille", .most = 1000,
      .meaning =
          "lines of code, of 32 KiB that all processors run, that a processor fetches for each 1000 accesses that "
          "miss its L1",
      .source = "not published, assumed", .range = { { 0, 20, 1 }, { 0, 20, 1 }, { 0, 20, 1 } })
QUIRK(REALISM_SMI_LENGTH, .name = "smi-length", .unit = "us", .most = 100000,
      .meaning = "time that each SMI takes of every processor, in the model's clock; 0: none; drawn: a tenth of the "
                 "period at most",
      .source = "10 to 15 are tolerable, over 100 bad (Linux Foundation wiki, realtime), BITS warns above 150; poor "
                "handlers many ms (Red Hat MRG 1.3)",
      .range = { { 10, 10000, 100 }, { 10, 10000, 100 }, { 10, 10000, 100 } })
QUIRK(REALISM_WBINVD_TIME, .name = "wbinvd-time", .unit = "us", .most = 1000000,
      .meaning = "time that WBINVD takes, in the model's clock; 0: 2,000,000 clocks",
      .source = "not published (Xen allows a second a thread, since it can take \"relatively long\"), assumed",
      .range = { { 100, 50000, 3000 }, { 100, 50000, 3000 }, { 100, 50000, 3000 } })
QUIRK(REALISM_MBA_REACTION, .name = "mba-reaction", .unit = "us", .most = 1000000,
      .meaning =
          "time until a processor that meets with another delay, by its register or its class, is held to it, in "
          "the model's clock",
      .source = "not published, assumed", .range = { { 0, 0, 0 }, { 0, 10000, 100 }, { 0, 0, 0 } })
QUIRK(REALISM_MBA_CURVE, .name = "mba-curve", .unit = "", .choices = "linear|shallow|steps|uneven", .most = 3,
      .meaning = "what a delay of D percent leaves of the bandwidth: 100 - D; 20 where 10 are asked for and the others "
                 "in line; so that besides delays of 6 to 35 act as 10; or besides 6 points more and less in turn",
      .source = "Linux 06bd03a57f8c (10 % gave 2 of 10 GB/s), intel-cmt-cat issues 69 (65 to 94 % act as 90 on "
                "Skylake-SP), 171 and 176 (inaccurate steps; by how much is assumed)",
      .range = { { 0, 0, 0 }, { 0, 3, MBA_SHALLOW }, { 0, 0, 0 } })
QUIRK(
    REALISM_MBA_FLOOR, .name = "mba-floor", .unit = "MB/s of a processor", .most = 100000,
    .meaning = "what a delay leaves at least",
    .source = "about 2300 (intel-cmt-cat issue 277, 6 cores limited to 4000 MB/s had 13634), part not stated; assumed",
    .range = { { 0, 0, 0 }, { 0, 3000, 500 }, { 0, 0, 0 } })
QUIRK(REALISM_UNCORE_CLOCK, .name = "uncore-clock", .unit = "percent", .most = 80,
      .meaning = "the uncore's clock, with its clockticks and MSR 621H, goes between its greatest ratio and so much "
                 "less, on each package for itself, whatever MSR 620H holds",
      .source = "1.2 to 2.4 GHz on Skylake-SP, which cannot be pinned (Schoene et al., HPCS 2019); 0.8 to 2.5 on "
                "Granite Rapids (turbostat)",
      .range = { { 0, 60, 20 }, { 0, 68, 20 }, { 0, 0, 0 } }, .acts_on = has_uclk)
QUIRK(REALISM_UNCORE_PERIOD, .name = "uncore-period", .unit = "us", .most = 1000000,
      .meaning = "time for which the uncore's clock stays at one ratio; 0: 10000",
      .source = "a change takes about 10 ms on Skylake-SP (Schoene et al., HPCS 2019); elsewhere assumed",
      .range = { { 500, 100000, 10000 }, { 500, 100000, 10000 }, { 0, 0, 0 } }, .acts_on = has_uclk)
QUIRK(
    REALISM_CORE_CLOCK, .name = "core-clock", .unit = "percent", .most = 80,
    .meaning = "the clock of each core, with APERF, core cycles and MSR 198H, goes between the TSC's rate and so much "
               "less, for 1 ms at a time; accesses cost the same time; never drawn",
    .source = "Sapphire Rapids after idling: 0.8, 2, 3.1, 3.8 GHz; changes come each 0.5 ms on Haswell-EP (Hackenberg "
              "et al., IPDPSW 2015) and 1 ms on Zen 2 (Schoene et al., CLUSTER 2021)",
    .range = { { 0, 60, 0 }, { 0, 60, 0 }, { 0, 60, 0 } }, .drawn_on = is_never_drawn)
QUIRK(
    REALISM_UBOX_FILTER, .name = "ubox-filter", .unit = "", .choices = "off|on", .most = 1,
    .meaning =
        "the U-box counts messages to processors only where its filter (707H) names their thread and core, 0 and 0 at "
        "power-on; never drawn",
    .source =
        "327043-001 and 329468-002, EVENT_MSG (\"Specify the thread to filter on\"), UBoxFilter[3:0] in Intel's files "
        "of Skylake-SP; that it acts unasked is assumed",
    .range = { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, .acts_on = has_ubox_filter, .drawn_on = is_never_drawn)
QUIRK(REALISM_SNC_RMIDS, .name = "snc-rmids", .unit = "", .choices = "whole|split", .most = 1,
      .meaning = "with sub-NUMA clusters, or cluster on die, on parts before MSR CA0H: an RMID counts on the whole "
                 "package, or RMIDs are divided over the nodes as CA0H has them at power-on, and nothing shares them",
      .source =
          "Linux 67640e333b98 (RMIDs divided over the nodes of later parts); of parts before them: not published, "
          "assumed",
      .range = { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, .acts_on = has_clusters_alone)
QUIRK(REALISM_CLASSES, .name = "classes", .unit = "", .choices = "profile|32", .most = 1,
      .meaning = "classes of service that the L3 has, with a mask register each; not on parts with MSR CA0H",
      .source =
          "SDM vol. 3B 17.17.3.3 has room for 128 mask registers; Intel's parts so far have 16 at most; never drawn",
      .range = { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, .acts_on = has_room_for_classes, .drawn_on = is_never_drawn)
QUIRK(REALISM_L3_RMIDS, .name = "l3-rmids", .unit = "", .choices = "profile|half", .most = 1,
      .meaning =
          "the L3 has half of the RMIDs that the processor has: 0FH.1:ECX is below 0FH.0:EBX; what runs under one of "
          "the others is counted nowhere",
      .source = "SDM vol. 3B 17.16.5 has both; equal on every recorded part, so never drawn",
      .range = { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 1, 0 } }, .needs = CAP_CMT, .drawn_on = is_never_drawn)
QUIRK(REALISM_GLOBAL_LIMITS, .name = "global-limits", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "limits of bandwidth that L3s share (CPUID.80000020H.0:EBX[8:7], MSRs C0000600H and C0000680H), which "
                 "are stored and limit nothing",
      .source = "AMD 69193 Zen6 PQOS Extensions; Linux series \"Global (Slow) Memory Bandwidth Allocation\" (2026); no "
                "profile's part has them",
      .range = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } }, .needs = CAP_SMBE, .drawn_one_in = 8)
QUIRK(REALISM_EMPTY_NODE, .name = "empty-node", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "the last package of a machine with several has processors and no memory, as the SRAT says; not where "
                 "packages are cut into nodes",
      .source = "not published, assumed", .range = WORDS(1, 0))
QUIRK(REALISM_NODE_INTERLEAVING, .name = "node-interleaving", .unit = "", .choices = "off|one-node|no-srat", .most = 2,
      .meaning =
          "each 4 KiB of memory are on the next package, and the SRAT has one node with all processors, or there is "
          "no SRAT; not where packages are cut into nodes. The host model alone",
      .source =
          "Dell PowerEdge C6525 manual (NPS0: \"a single NUMA node for the system\"); intel-cmt-cat issues 81 and "
          "82 (two sockets, one node); the piece of 4 KiB is assumed",
      .range = WORDS(2, 0), .host_only = true, .drawn_one_in = 8)
QUIRK(REALISM_CHANNEL_INTERLEAVE, .name = "channel-interleave", .unit = "",
      .choices = "even|one-twice|half-twice|half|regions", .most = 4,
      .meaning =
          "memory is interleaved over the channels of a node in other shares: the first channel, or the first half "
          "of them, has two shares; the first half has all; every other 2 MiB are on the first half alone. SMBIOS "
          "lists modules of one size. Never drawn",
      .source = "Intel server board guides, unbalanced memory configurations (regions of several interleave sets); "
                "Linux skx_edac.c skx_tad_decode (channel ways and target by address)",
      .range = WORDS(4, 0), .drawn_on = is_never_drawn)
QUIRK(REALISM_MEMORY_EXTENTS, .name = "memory-extents", .unit = "MiB", .most = 1024,
      .meaning =
          "free memory of a node comes in extents of 1 to so many MiB with holes of up to 1 MiB; 0: in one piece. "
          "The host model alone: QEMU's firmware makes the memory map of a guest",
      .source = "not published, assumed", .range = { { 0, 64, 0 }, { 0, 64, 0 }, { 0, 64, 0 } }, .host_only = true)
QUIRK(
    REALISM_TABLE_ORDER, .name = "table-order", .unit = "", .choices = "by-id|alternate", .most = 1,
    .meaning =
        "MADT and SRAT list processors by APIC id, or the first threads of all cores before the second ones, packages "
        "in turn. The host model alone: QEMU's firmware makes a guest's tables",
    .source = "linuxhw/ACPI: PowerEdge R820, ProLiant DL360 G7, X8DTT", .range = WORDS(1, 0), .host_only = true)
QUIRK(REALISM_DISABLED_ENTRIES, .name = "disabled-entries", .unit = "", .choices = "none|absent|repeated|255",
      .most = 3,
      .meaning =
          "MADT and SRAT have disabled entries too, of processors that are not fitted: with ids that no processor has, "
          "with ids of those that are there, or with id 255. The host model alone",
      .source = "linuxhw/ACPI: PowerEdge R820, ProLiant DL165 G7, DL360 G7, H8DGU", .range = WORDS(3, 0),
      .host_only = true)
QUIRK(REALISM_SRAT_RANGES, .name = "srat-ranges", .unit = "", .choices = "whole|empty|hot-plug", .most = 2,
      .meaning =
          "the SRAT has disabled ranges without bytes as well, or one of 64 GiB for memory that is not fitted yet. The "
          "host model alone",
      .source = "linuxhw/ACPI: PowerEdge R820, ProLiant DL360 G7; ACPI 6.5, 5.2.16.2 (Hot Pluggable)",
      .range = WORDS(2, 0), .host_only = true)
QUIRK(REALISM_MEMORY_NODE, .name = "memory-node", .unit = "", .choices = "off|on", .most = 1,
      .meaning =
          "the SRAT has the upper half of the last node's memory as a node of its own, without processors, which is "
          "slow memory where the part has limits or events of that (AMD). The host model alone",
      .source = "ACPI 6.5, 5.2.16 and 17.4 (proximity domains of memory alone); Xeon Max in flat mode, CXL memory",
      .range = WORDS(1, 0), .host_only = true)
QUIRK(
    REALISM_PCI_SEGMENTS, .name = "pci-segments", .unit = "", .choices = "one|package|pair", .most = 2,
    .meaning = "each package, or each two, have a PCI segment of their own, which the MCFG lists; one: as the part has "
               "it. The host model alone",
    .source = "PCI Firmware Specification 3.3, 4.1.2; Linux maps packages by segment and bus (uncore_pcibus_to_dieid)",
    .range = { { 0, 2, 0 }, { 0, 2, 0 }, { 0, 0, 0 } }, .acts_on = has_pci_boxes, .host_only = true)
QUIRK(REALISM_BUS_NUMBERS, .name = "bus-numbers", .unit = "", .choices = "ends|uneven|reversed", .most = 2,
      .meaning = "the last buses of a package are not those at the end of its share of the numbers, and each package's "
                 "are elsewhere; or the first package has the last share. Where registers map buses to packages. The "
                 "host model alone",
      .source = "recorded boards end packages at 3FH and 7FH (PowerEdge R620), at 7FH and FFH (R630), or have their "
                "buses apart (X11DPi-N); Linux snbep_pci2phy_map_init() reads whose they are",
      .range = { { 0, 2, 0 }, { 0, 2, 0 }, { 0, 0, 0 } }, .acts_on = maps_buses, .host_only = true)
QUIRK(REALISM_PMON_KEPT, .name = "pmon-kept", .unit = "", .choices = "nothing|functions|msrs|writes|bases|memory",
      .most = 5,
      .meaning = "what firmware keeps of all uncore monitors from software: their PCI functions are hidden; their MSRs "
                 "raise #GP when they are read or written, or when they are written; base addresses of memory-mapped "
                 "ones and of discovery tables are 0; memory-mapped ones read all ones. Never drawn",
      .source = "functions: recorded boards (PowerEdge R620), device hide registers of BIOS (intel/pcm); the others: "
                "not published, assumed",
      .range = { { 0, 5, 0 }, { 0, 5, 0 }, { 0, 0, 0 } }, .acts_on = has_monitors, .drawn_on = is_never_drawn)
QUIRK(REALISM_HBM_ONLY, .name = "hbm-only", .unit = "", .choices = "off|on", .most = 1,
      .meaning =
          "no modules are fitted, and all memory is high bandwidth memory: its channels count what moves, those of "
          "the modules nothing; never drawn",
      .source = "Xeon Max, HBM-only mode (Intel, Xeon CPU Max Series configuration and tuning guide)",
      .range = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, .acts_on = has_hbm, .drawn_on = is_never_drawn)
QUIRK(REALISM_HBM_CACHE, .name = "hbm-cache", .unit = "", .choices = "off|on", .most = 1,
      .meaning =
          "high bandwidth memory is a direct-mapped cache of the modules, 256 MiB of a node, that software does not "
          "see: its channels count look-ups, fills and what is written, those of the modules misses and what makes "
          "room; not with hbm-only; never drawn",
      .source =
          "Xeon Max, cache mode (Intel, Xeon CPU Max Series configuration and tuning guide); look-ups and fills: as of "
          "Knights Landing (IEEE Micro 2016); size assumed",
      .range = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } }, .acts_on = has_hbm, .drawn_on = is_never_drawn)
/* What software that ran before, or firmware, leaves in registers: legal, and no defect. Linux' resctrl and pqos write
 * them; a warm reset need not reset them, and a BIOS has options for some. */
#define LEFT "SDM vol. 3B 17.16.6, 17.17.3.4 and APM vol. 2 chapter 19 give values at power-on; what is left is assumed"
QUIRK(REALISM_LEFT_CLASS, .name = "left-class", .unit = "", .choices = "off|all|some", .most = 2,
      .meaning = "processors, all or every other one, come in class 1, whose mask is the lowest two ways of the L3",
      .source = LEFT, .range = WORDS(2, 0), .needs = CAP_CAT, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_RMIDS, .name = "left-rmids", .unit = "", .choices = "off|on|highest", .most = 2,
      .meaning = "each processor comes with an RMID of its own, from 1 on; highest: every other one with the highest",
      .source = LEFT, .range = WORDS(2, 0), .needs = CAP_CMT, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_MASKS, .name = "left-masks", .unit = "", .choices = "off|classes|all|least", .most = 3,
      .meaning =
          "L3 masks of half of the ways, in turn, in classes from 1 on; all: class 0 lacks the highest two ways; "
          "least: one way, or as few as the part takes, in every class (AMD: every other way in class 0, none in "
          "the others)",
      .source = LEFT, .range = WORDS(3, 0), .needs = CAP_CAT, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_CDP, .name = "left-cdp", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "code and data prioritization is on in every L3", .source = LEFT, .range = WORDS(1, 0),
      .needs = CAP_CDP, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_L2_MASKS, .name = "left-l2-masks", .unit = "", .choices = "off|classes|all|cdp", .most = 3,
      .meaning = "L2 masks of half of the ways in classes from 1 on; all: in class 0 too; cdp: and code and data "
                 "prioritization is on in every L2 that has it",
      .source = LEFT, .range = WORDS(3, 0), .needs = CAP_L2_CAT, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_THROTTLES, .name = "left-throttles", .unit = "", .choices = "off|classes|all", .most = 2,
      .meaning = "MBA delays of half of the maximum, or limits of 4 GB/s (AMD, slow memory too), in classes from 1 on; "
                 "all: in class 0 too",
      .source = LEFT, .range = WORDS(2, 0), .needs = CAP_THROTTLE, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_SELECTION, .name = "left-selection", .unit = "", .choices = "off|on|reserved", .most = 2,
      .meaning = "QM_EVTSEL selects an event of an RMID; reserved: event F0H, which no part has, of the highest one",
      .source = LEFT, .range = WORDS(2, 0), .needs = CAP_CMT, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_PREFETCH, .name = "left-prefetch", .unit = "", .choices = "off|disabled", .most = 1,
      .meaning = "all prefetchers that software can stop are stopped, on every core", .source = LEFT,
      .range = WORDS(1, 0), .acts_on = has_prefetch_control, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_RMID_SHARING, .name = "left-rmid-sharing", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "MSR CA0H has RMIDs shared by the nodes of every package",
      .source = "Linux, resctrl with sub-NUMA "
                "clusters, writes it; that a warm reset keeps it is assumed",
      .range = WORDS(1, 0), .needs = CAP_SNC_REGISTER, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_IO, .name = "left-io", .unit = "", .choices = "off|on", .most = 1,
      .meaning = "I/O allocation and monitoring are enabled: IA32_L3_IO_QOS_CFG; AMD: SDCI allocation enforcement",
      .source = LEFT, .range = WORDS(1, 0), .acts_on = has_io_rdt, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_EVENTS, .name = "left-events", .unit = "", .choices = "off|reads|writes", .most = 2,
      .meaning =
          "total bandwidth (QOS_EVT_CFG_0) counts reads alone, or non-temporal stores and victims alone, in every L3",
      .source = LEFT, .range = WORDS(2, 0), .needs = CAP_BMEC, .drawn_one_in = LEFT_ONE_IN)
QUIRK(REALISM_LEFT_COUNTERS, .name = "left-counters", .unit = "", .choices = "off|enabled|assigned", .most = 2,
      .meaning = "counters are assignable in every L3; assigned: all of them follow an RMID each, from 1 on",
      .source = "Linux 6.18 enables them by default (intel-cmt-cat issue 311); what a warm reset leaves is assumed",
      .range = WORDS(2, 0), .needs = CAP_ABMC, .drawn_on = is_never_drawn, .drawn_one_in = LEFT_ONE_IN)
QUIRK(
    REALISM_LEFT_RANGE, .name = "left-range", .unit = "ways", .most = 8,
    .meaning = "L3 range reservation is enabled in every L3, for 16 MiB that no load has, with the lowest so many ways",
    .source = "APM vol. 2 7.6.6; which boards enable it is not published, assumed",
    .range = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 8, 0 } }, .needs = CAP_L3_RANGE, .drawn_one_in = LEFT_ONE_IN)
#undef LEFT
#undef WORDS
