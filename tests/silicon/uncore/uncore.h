/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/uncore.h: uncore performance monitors. One engine, boxes as data.
 *
 * Who adds a part writes data and no code: a struct uncore_part (uncore_*.c) lists its box types. A type says how its
 * boxes are reached (MSR, PCI configuration, MMIO), how many there are and where; which registers lie at which offset
 * from a box's base (struct uncore_reg, a row a register family); where the fields of its counter controls and of its
 * box control are (masks; 0: this part lacks that bit); and which events it counts (struct uncore_event). The
 * engine does the rest: widths, wrap, enable, freeze, resets, overflow, threshold, invert, edge, PCI headers.
 *
 * Counting. A source is a function that says how often something has happened up to now; it never falls. Caches and
 * memory keep such numbers anyway (model_counts.h), clocks are computed from the TSC. Nothing is counted when it
 * happens: when software looks at a box, or changes what gates it (control, filter, box control, global control), each
 * of its running counters takes the difference since the last look. An access to memory pays nothing.
 *
 * Threshold, invert and edge compare what is added in one clock of the box, so a difference has to be laid out in time.
 * The layout: the n things of a window come evenly spaced and each stays `cycles` clocks (1 for what merely happens, a
 * fixed latency for entries of a queue), which makes I = n * cycles increments in c clocks. Each clock then has I / c
 * of them, and I % c clocks have one more. So, for threshold t: clocks with t or more are c while t <= I / c, then
 * I % c, then none, and their sum over all t is I; inverted ones are the others of the c clocks; and up to one entry
 * per clock, t = 1 sees as many edges as there were entries, since they do not overlap. A clock event adds 1 in every
 * clock: it passes t = 1 always and t = 2 never, and has one edge, when it begins. Where more came than the event can
 * add (`most` a clock), because several things happened between two looks at the same time, the window is made as long
 * as it takes.
 *
 * Threads: everything of a package is under its lock (struct package); sources read relaxed atomics.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/braced.h"
#include "core/base/bits.h"
#include "tests/silicon/model/model.h"

struct cpu;
struct uncore_look;

/* Faults take it as a parameter: the numbers stay. */
enum uncore_unit {
    UNIT_UBOX,     /* 0  */
    UNIT_CBO,      /* 1: CBo, CHA */
    UNIT_PCU,      /* 2  */
    UNIT_SBO,      /* 3  */
    UNIT_HA,       /* 4  */
    UNIT_IMC,      /* 5: one box a channel */
    UNIT_QPI,      /* 6: QPI, UPI link layer */
    UNIT_R2PCIE,   /* 7: R2PCIe, M2PCIe */
    UNIT_R3QPI,    /* 8: R3QPI, M3UPI, B2UPI */
    UNIT_IRP,      /* 9  */
    UNIT_IIO,      /* 10 */
    UNIT_M2M,      /* 11: M2M, B2CMI */
    UNIT_SOCKET,   /* 12: the one monitor of a Nehalem package */
    UNIT_L3,       /* 13: AMD L3 PMC */
    UNIT_DF,       /* 14: AMD data fabric */
    UNIT_UMC,      /* 15: AMD memory controller */
    UNIT_FUNCTION, /* 16: PCI function, or registers, without counters */
    UNIT_MDF,      /* 17: between dies */
    UNIT_B2HOT,    /* 18: between the mesh and I/O dies */
    UNIT_EX,       /* 19: boxes of Nehalem-EX but for those of its slices */
    UNIT_EX_C,     /* 20: slice of Nehalem-EX */
    UNIT_PCIE,     /* 21: PCI Express root port */
    UNIT_HBM,      /* 22: one box a channel of high bandwidth memory */
    UNIT_CXL,      /* 23: CXLCM, CXLDP: ports of CXL */
    UNIT_EDC,      /* 24: memory of Knights Landing, channels and MCDRAM, by the clock that a box is on */
    UNIT_DMR,      /* 25: units of Diamond Rapids but channels, CBOs and PCIe's */
    UNIT_CLIENT,   /* 26: ARB and memory controllers of clients */
    UNITS
};

enum uncore_access { UNCORE_MSR, UNCORE_PCI, UNCORE_MMIO };
enum uncore_scope { SCOPE_PACKAGE, SCOPE_DOMAIN, SCOPE_NODE }; /* which copy of an MSR box a processor reaches */
/* OFF: of a unit without power, for example since no device is there. */
enum uncore_clock {
    CLOCK_UCLK,
    CLOCK_DCLK,
    CLOCK_PCU,
    CLOCK_LINK,
    CLOCK_IO,
    CLOCK_IO_DIE,
    CLOCK_CORE,
    CLOCK_OFF,
    CLOCKS
};

/* How often it has happened, at l->tsc. arg: the row's. Nobody may come later with a smaller answer. */
typedef uint64_t uncore_source(const struct uncore_look *l, uint64_t arg);

/* Fields of a counter's control. What no mask names is reserved: it reads 0, and a write of 1 is ignored. */
struct uncore_ctl {
    uint64_t ev_sel, ev_sel_ext; /* the event's number is ev_sel | ev_sel_ext << (bits of ev_sel)     */
    uint64_t umask;
    uint64_t rst; /* write 1: this counter := 0; reads 0                                    */
    uint64_t edge_det, invert, thresh;
    uint64_t en;    /* 0: a counter needs no enable of its own                                */
    uint64_t ov_en; /* 0: see overflow_always                                                 */
    uint64_t tid_en;
    uint64_t occ_invert, occ_edge; /* invert and edge of the PCU's occupancy events, bit 7 of ev_sel    */
    uint64_t ch_mask, fc_mask;     /* of kept: ports of an I/O stack, flow classes of their requests        */
    uint64_t kept;                 /* further bits that are kept: PMI, umask extension ...                   */
    uint64_t fixed_en, fixed_rst, fixed_ov_en; /* of the fixed counter's control                      */
};

/* Fields of a box control. A box is frozen while frz is set, and frz_en as well where there is one. */
struct uncore_box_ctl {
    uint64_t rst_ctrl, rst_ctrs; /* write 1: controls := 0, counters := 0; read 0                     */
    uint64_t frz, frz_en;
    uint64_t run, run_fixed; /* bit n enables counter n; the fixed counter; 0: no such enables            */
    uint64_t kept;           /* further bits that are kept                                                      */
};

/* One row: units that the event offers while one of the umask bits is set. Rows with the same number add up. */
struct uncore_event {
    uint32_t ev_sel;
    uint64_t umask; /* 0: whatever the umask is                                                       */
    uncore_source *source;
    uint64_t arg;
    uint32_t cycles;   /* that each unit stays, 0: 1                                                  */
    uint32_t most;     /* largest increment in one clock, 0: 1                                        */
    uint32_t counters; /* mask of counters that can count it, 0: all                                  */
};

/* A row, by its three fields that all rows have, and others by name. */
#define EVENT(ev_sel_, umask_, source_, ...) BRACED(.ev_sel = ev_sel_, .umask = umask_, .source = source_, __VA_ARGS__)

enum uncore_reg_kind {
    REG_CTL,
    REG_CTR,
    REG_FIXED_CTL,
    REG_FIXED_CTR,
    REG_BOX_CTL,
    REG_STATUS,        /* overflows, write 1 to clear                                                 */
    REG_STATUS_READ,   /* the same, read only: REG_STATUS_CLEAR clears them                           */
    REG_STATUS_CLEAR,  /* write 1 clears the bits of the box's status; reads 0                        */
    REG_FILTER,        /* 32 bits each; together 64, the first one low: uncore_filter()               */
    REG_KEPT,          /* kept under `mask`, without effect in the engine: uncore_box.kept[]          */
    REG_COMMAND,       /* of a PCI function, and its status: memory decode, by what it was at reset: kept[0] */
    REG_VALUE,         /* read only: `source`, or `mask` where there is none                          */
    REG_FREE,          /* free-running counter: `source` & `mask`; read only, no freeze, no reset     */
    REG_GLOBAL_CTL,    /* of the part: struct uncore_part says what it does                           */
    REG_GLOBAL_STATUS, /* bits of `mask`: write 1 to clear; mask 0: read only                         */
    REG_GLOBAL_CLEAR,  /* write 1 clears the bits of the global status; reads 0                       */
};

/* `count` registers (0: 1) of one kind, `step` apart (MSRs, or bytes). */
struct uncore_reg {
    enum uncore_reg_kind kind;
    uint32_t offset; /* from the box's base                                                           */
    uint32_t count, step;
    uint32_t first; /* index of the first one                                                         */
    uint32_t bytes; /* PCI, MMIO: 1, 2, 4 or 8 (an 8-byte PCI register is two dwords, low first); 0: 4 */
    uint64_t mask;
    uncore_source *source;
    uint64_t arg;
};

/* One register, and a run of them; the other fields by name. */
#define REG(kind_, offset_, ...)                    BRACED(REG_##kind_, .offset = offset_, __VA_ARGS__)
#define REG_RUN(kind_, offset_, count_, step_, ...) REG(kind_, offset_, .count = count_, .step = step_, __VA_ARGS__)

struct uncore_place {
    uint32_t base; /* MSR; PCI: UNCORE_DEVFN(); MMIO: offset in the package's part of the window      */
    uint16_t did;  /* PCI                                                                             */
    uint8_t bus;   /* PCI: 0 is the package's first bus                                               */
};
#define UNCORE_DEVFN(device, function)       ((device) << 3 | (function))
#define PCI_AT(device, function, did_, bus_) BRACED(UNCORE_DEVFN(device, function), did_, bus_)

struct uncore_box_type {
    const char *name;
    enum uncore_unit unit;
    enum uncore_access access;
    enum uncore_scope scope; /* MSR boxes alone; others than SCOPE_PACKAGE: one box each, all at `base`    */
    /* Boxes: `count`, or what the function says. Box i lies at places[i], or at base + i * step. */
    uint32_t count;
    uint32_t (*number)(const struct model *m);
    uint32_t base, step;
    const struct uncore_place *places;
    uint32_t n_places; /* more boxes than that are not made                                           */
    const struct uncore_box_type *behind; /* function of the same index whose region it lies in; NULL: always decoded */
    uint32_t pci_class; /* 0: 088000H, "other system peripheral"                                       */
    uint32_t counters, counter_bits, fixed_bits; /* fixed_bits 0: no fixed counter                    */
    enum uncore_clock clock;                     /* of the box, and of its fixed counter              */
    uint32_t fixed_divisor;                      /* which counts each so many of its clocks; 0: 1             */
    const struct uncore_ctl *ctl;
    const struct uncore_box_ctl *box_ctl; /* NULL: none                                               */
    const struct uncore_reg *regs;
    uint32_t n_regs;
    const struct uncore_event *events;
    uint32_t n_events;
    uint64_t filter_kept;  /* bits of the 64-bit filter that exist                                    */
    uint64_t filter_state; /* fields of it, for the sources                                           */
    uint64_t filter_nid, filter_opc;
    uint64_t filter_tid;   /* core above, thread below; used by counters with tid_en of the control       */
    uint32_t tid_thread;   /* bits of the thread in it, 0: 1                                                */
    bool hbm;              /* a channel of HBM, or what leads to some: uncore_hbm_lines()                */
    bool overflow_always;  /* the status reports overflows whatever ov_en says                        */
    bool saturates;        /* a counter stops at its greatest value, with the bit above set (AMD UMC) */
    uint32_t status_first; /* status bit of counter 0                                                 */
    uint32_t status_fixed; /* status bit of the fixed counter, 32 or more: in the global status alone */
    uint64_t run_by;     /* bits of the global control: the box counts while one of them is set; 0: nothing gates it */
    uint32_t table_type; /* discovery tables list it as this type less 1; 0: they do not, see model_discovery.h */
    uint32_t table_id;   /* with its first box under this number                                              */
    uint32_t die, dies;  /* whose table lists its first boxes, and of how many it is in equal shares, 0: 1 */
    uint32_t global_first; /* GLOBAL_REPORT_UNITS: bit of the first boxes, 0: none shows                */
    uint32_t global_share; /* and so many boxes share a bit, 0: 1                                     */
};

enum global_report { GLOBAL_REPORT_NONE, GLOBAL_REPORT_COUNTERS, GLOBAL_REPORT_BOXES, GLOBAL_REPORT_UNITS };

/* A bus behind a root port, of the buses of a package. */
struct uncore_port {
    uint8_t bus;            /* 0: there is none                                                       */
    uint8_t root_bus;       /* that the root port is on                                               */
    uint8_t stack, channel; /* box of the stack that it belongs to, and its bit in a ch_mask          */
};

struct uncore_part {
    const struct uncore_box_type *const *types;
    uint32_t n_types;
    uint64_t hz[CLOCKS]; /* but UCLK, which is the profile's                                          */
    uint32_t pci_buses;  /* of a package, 0 where no box is on PCI                                     */
    uint16_t did;        /* what device ids of its places have in common, which they leave out         */
    struct uncore_port port;
    uint64_t mmio_bytes; /* a package's part of the window, a power of 2, 0: none                     */
    struct { /* an address outside the window where `bytes` of the first package's part of it are too, from `at` on */
        uint64_t address;
        uint32_t at, bytes;
    } beside;
    bool bus_zero;     /* the buses are the first ones, but in QEMU, which has its own there                      */
    bool pci_segments; /* the buses of each package are a PCI segment of its own, but in QEMU, whose bus has one */
    /* Global control. global_unfrz 0: the state is that of global_frz as last written; else both are commands that
     * read 0. */
    uint64_t global_frz, global_unfrz, global_kept;
    bool global_enables;              /* bit n of it gates counter n, bit 32 the fixed one (Nehalem)               */
    uint64_t global_rst;              /* write 1: controls and counters of all boxes := 0; reads 0 (Nehalem-EX) */
    enum global_report global_report; /* what the global status shows: a bit a counter, as the boxes' status; a bit
                                         a box in their order; bits that the types name; or nothing   */
    /* An overflow of a counter that has ov_en freezes all counters of the package, while the global control has all of
     * these bits: until software unfreezes them or, where they have enables, sets those again. The next overflow does
     * so when the status of this one has been cleared. */
    bool freezes_on_overflow;
    uint64_t freezes_if;
    uint64_t pmi_cores; /* bits of the global control: an overflow interrupts core n by the nth of them; 0: none is */
    bool pmi_debugctl;  /* a processor takes it with bit 13 of its IA32_DEBUGCTL alone                          */
    bool frozen_at_power_on, events_unpublished;
    uint32_t die_ids; /* tables number units of each further die from so much higher on; 0: through all dies    */
};

extern const struct uncore_part uncore_nhm, uncore_nhmex, uncore_wsmex, uncore_snbep, uncore_ivbep, uncore_hsx,
    uncore_bdx, uncore_knl;
extern const struct uncore_part uncore_bdx_de, uncore_clx, uncore_icx_d, uncore_emr;
extern const struct uncore_part uncore_skx, uncore_icx, uncore_snr, uncore_spr, uncore_spr_hbm, uncore_gnr, uncore_srf,
    uncore_cwf, uncore_grr, uncore_dmr, uncore_cfl, uncore_adl;
extern const struct uncore_part uncore_zen1, uncore_zen2, uncore_zen3, uncore_zen4;

/* --- state */

#define UNCORE_COUNTERS      16u
#define UNCORE_KEPT          16u
#define UNCORE_GLOBAL_STATUS 4u /* registers of 64 bits */

struct uncore_counter {
    uint64_t ctl, value, read;        /* read: its value when it was read last                        */
    uint64_t seen_units, seen_starts; /* of its sources, at the last look                             */
    bool runs;                        /* since then                                                   */
    bool level;                       /* of the compared event in the last clock                      */
};

struct uncore_box {
    const struct uncore_box_type *type;
    uint32_t package;
    uint32_t index;         /* among the boxes of its type                                                    */
    uint32_t base, span;    /* of its registers, from base on                                          */
    uint64_t tsc;           /* up to date until here                                                            */
    uint64_t frozen_clocks; /* that a free-running clock has lost, see free_clock_frozen()             */
    uint64_t box_ctl, status, filter;
    uint64_t kept[UNCORE_KEPT];
    bool armed; /* an overflow of one of its counters may freeze                                      */
    struct uncore_counter counter[UNCORE_COUNTERS], fixed;
};

struct uncore { /* of a package */
    struct uncore_box *box;
    uint32_t boxes;
    uint64_t global_ctl;
    uint64_t global_status[UNCORE_GLOBAL_STATUS];
    bool frozen;
    uint64_t config[2]; /* configuration requests that went down the root port: reads, writes        */
};

struct uncore_look {
    struct model *m;
    const struct uncore_box *box;
    uint64_t ctl; /* of the counter that asks; 0 for a register                                       */
    uint64_t tsc;
    uint32_t number; /* of the register among its row's; 0 for a counter                              */
};

/* --- engine */

/* Boxes of every package at power-on, and faults that firmware leaves. */
void uncore_reset(struct model *m);
/* Register access; locks the package. */
enum model_answer uncore_msr_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value);
enum model_answer uncore_msr_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t value);
/* Has the part a monitor that filters by thread? */
bool uncore_knows_threads(const struct model *m);
/* One interprocessor interrupt to a processor, not by the shorthand "self", passes the U-box of its package
 * (model_uncore_sources.c). Locks the package. What the receiver's local APIC does with it is its owner's. */
void model_ipi(struct model *m, uint32_t cpu);

/* Takes one of the interrupts that uncore monitors have sent to a processor up to now, if there is one; locks the
 * package. What the processor's local APIC does with it is its owner's. */
bool model_pmi(struct model *m, uint32_t cpu, uint64_t tsc);
/* May model_pmi() have one for it, now or when counters overflow? Locks the package. */
bool model_pmi_enabled(struct model *m, uint32_t cpu);

/* For model_bus.c; caller holds the package's lock. The register of the box that covers `offset`: its row, its number
 * among the row's, and where it begins. False: none. */
struct uncore_at {
    const struct uncore_reg *reg;
    uint32_t number, start;
};
uint32_t uncore_span(const struct uncore_box_type *t); /* of its registers, from the base of a box on */
bool uncore_find(const struct uncore_box *b, uint32_t offset, struct uncore_at *at);
/* Whether a memory-mapped box answers: the function that it lies behind decodes memory. */
bool uncore_is_decoded(struct model *m, const struct uncore_box *b);
/* What it holds, and what a read shows of that. */
uint64_t uncore_reg_held(struct model *m, struct uncore_box *b, const struct uncore_at *at, uint64_t tsc);
uint64_t uncore_reg_read(struct model *m, struct uncore_box *b, const struct uncore_at *at, uint64_t tsc);
/* False: it cannot be written. */
bool uncore_reg_write(struct model *m, struct uncore_box *b, const struct uncore_at *at, uint64_t tsc, uint64_t value);

/* --- sources and numbers of boxes, model_uncore_sources.c. For more: add them there. */

uncore_source source_clock; /* clocks of the box, times arg (0: 1)                                  */
/* Messages of the kinds that the umask has. arg: the kinds that the part counts. */
#define MESSAGE_VLW      BIT(0)
#define MESSAGE_MSI      BIT(1)
#define MESSAGE_IPI      BIT(2)
#define MESSAGE_DOORBELL BIT(3)
#define MESSAGE_INT_PRIO BIT(4)
uncore_source source_message;
/* Memory. arg 0: the box's channel (UNIT_IMC); n: channel n - 1 of the package; UNCORE_ALL: the package's. */
#define UNCORE_ALL UINT64_MAX
uncore_source source_cas_read, source_cas_write, source_cas;
uncore_source source_corrected; /* CORRERRCNT of a channel. arg 0: two ranks a register; 1: a counter a register */
/* Lines of a client's memory controller (uncore_client.c). */
uncore_source source_client_lines;
/* Lines of channel arg of the package in both directions, as AMD's data fabric counts them. */
uncore_source source_fabric_cas;
/* Lines of a channel of HBM: each channel of the model's memory is two of them, which take turns. */
uint64_t uncore_hbm_lines(const struct uncore_look *l, uint32_t channel, bool write);
/* Requests that reached the package's memory. arg: HOME_* bits. */
#define HOME_READ   1u
#define HOME_WRITE  2u
#define HOME_LOCAL  4u
#define HOME_REMOTE 8u
uncore_source source_home;
/* Slices: the box's own (UNIT_CBO), its domain's (UNIT_L3), else the whole package's.
 *   lookup      arg: LOOKUP_* bits | SLICE_HIT, SLICE_MISS; states by filter_state where the type has one, by
 *               SLICE_STATES(bits of enum line_state) where that is not 0
 *   victim      arg: bits of enum line_state
 *   fill        lines that came in
 *   tor         requests of arg: bits of enum tor_opcode | TOR_AT(bits of enum tor_place) */
#define SLICE_HIT            BIT(8)
#define SLICE_MISS           BIT(9)
#define SLICE_STATES(states) ((uint64_t)(states) << 16)
#define SLICE_ONLY(n)        (((n) + UINT64_C(1)) << 40) /* UNIT_L3: of the domain's slices this one, if it is there */
#define TOR_AT(places)       ((uint64_t)(places) << 8)
uncore_source source_lookup, source_victim, source_fill, source_tor;
/* CBo of the E5 family, whose umask and filter say what is counted. arg: TOR_AT(...), TOR_ANY_HOME or not; 0. */
#define TOR_ANY_HOME BIT(16) /* the part does not tell requests for its own memory from others                */
uncore_source source_e5_tor, source_e5_lookup;
/* Home agent, ADDR_OPC_MATCH: requests that its match registers, kept[0] to kept[2], let pass. arg: HOME_MATCH_ALWAYS, or 0
 * where umask bits say which of them act. */
#define HOME_MATCH_ALWAYS 1u
uncore_source source_home_match;
/* QPI port, CTO_COUNT: packets received that the match and mask registers of its filter function let pass. */
uncore_source source_packets;
/* Link port: data flits, 8 of a line; flits without data. arg: 0 sent, 1 received. Lines go round the ports. */
uncore_source source_data_flits, source_other_flits;
/* The port's share of the lines of data. arg as above. */
uncore_source source_link_lines;
/* KTIPCSTS of a UPI port (Linux SKX_KTIPCSTS_OFFSET, skx_upi_get_topology()): bit 4 where its link was trained. */
uncore_source source_link_state;
/* The share of n things that the box has when they go round all boxes of its type. */
uint64_t uncore_share(const struct uncore_look *l, uint64_t n);
/* PCU: clocks at or above band arg of the filter, in units of 100 MHz; clocks times cores in the state arg, by its number in
 * occ_sel (1: C0, 2: C3, 3: C6), of which occ_sel is the umask where arg is 0. */
uncore_source source_band, source_core_states;
/* U-box function: node id, and 3 bits a node of which node is whose. */
uncore_source source_node_id, source_node_map;

/* Numbers of boxes in a package. */
uint32_t uncore_slices(const struct model *m);
uint32_t uncore_channels(const struct model *m);
/* Number of a package's bus: segment in bits 15:8, bus in bits 7:0. */
uint32_t uncore_bus(const struct model *m, uint32_t package, uint32_t which);
/* How many PCI segments there are, 1 or more. */
uint32_t uncore_segments(const struct model *m);
