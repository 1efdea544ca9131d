/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon/pmon_unit.h: what a generation's uncore monitors are, as constant data.
 *
 * A struct pmon_part lists its unit types. A struct pmon_unit says of one type where its registers lie and how their
 * fields are cut (layout), how its boxes are found (location) and what they count (events). What is peculiar to a
 * generation is a field here, never a comparison in code: a new one is a file of tables and a line in pmon_parts.h.
 */
#pragma once
#include "arch/x86/cpu/cpuid.h"

enum pmon_access { PMON_MSR, PMON_PCI, PMON_MMIO };

/* What a unit is, whatever its generation calls it: for checks that compare units. */
enum pmon_kind {
    PMON_UBOX,      /* system configuration controller; its fixed counter counts UCLK */
    PMON_CHA,       /* CBo, CHA: one slice of the last-level cache */
    PMON_IMC,       /* one memory channel */
    PMON_HA,        /* home agent */
    PMON_M2M,       /* mesh to memory */
    PMON_LINK,      /* QPI, UPI link layer */
    PMON_MESH_LINK, /* M3UPI: between the mesh and a UPI link, one for each link */
    PMON_UNCORE,    /* Nehalem and Westmere: one uncore PMU for all */
    PMON_L3,        /* AMD: L3 of one CCX */
    PMON_DF,        /* AMD: data fabric */
    PMON_UMC,       /* AMD: one memory channel */
    PMON_FREE,      /* free-running counters of a memory controller, and nothing else */
    PMON_OTHER,
};

enum pmon_clock {
    PMON_CLOCK_NONE,
    PMON_CLOCK_OWN,
    PMON_CLOCK_UCLK,
    PMON_CLOCK_DCLK,
    PMON_CLOCK_HCLK, /* of a memory controller: half of DCLK */
    PMON_CLOCK_PCU,
};

/* --- layout: registers and their fields --------------------------------------------------------------------------- */

/* Fields of a counter's control, as its generation has them; 0: it has none. */
struct pmon_control {
    uint64_t ev_sel, umask, rst, edge_det, ov_en, en, invert, thresh;
    uint64_t tid_en;
    uint64_t ev_sel_ext;       /* bits of the event's number from bit 8 on */
    uint64_t umask_ext;        /* bits of the umask from bit 8 on */
    uint64_t occ_rst;          /* write-only: clears what a queue's occupancy is counted from, not the counter */
    uint64_t extra;            /* bits that an event may ask for besides: umask extension, channel and fc mask */
    uint64_t ch_mask, fc_mask; /* of extra: channels (ports) and flow classes, as event files call them */
    uint64_t ones;             /* bits without which nothing is counted */
    uint64_t slices;           /* AMD's L3: the slices that are counted, a bit each; with all_slices the id of one */
    uint64_t all_slices;       /* set: slices is ignored */
    uint64_t kept;             /* bits that a document says are stored, beside those that every control stores */
    uint64_t reserved;         /* bits that a document reserves: they are written 0, and read so */
    bool en_unused;            /* counters run without en */
    bool umask_is_number;      /* the umask is one of several codes: two of them or'ed are no event */
};

/* Fields of a box's control. A box without one has no pmon_box_control. */
struct pmon_box_control {
    uint64_t rst_ctrl, rst_ctrs; /* write-only; 0: has none */
    uint64_t frz, frz_en;        /* frz_en 0: frz acts alone */
    uint64_t ones;               /* reserved bits that are to be written 1 */
    uint64_t run;                /* bits that must be set for counting: bit n enables counter n */
    uint64_t kept;               /* other bits that a document says are stored */
    uint64_t kept_of_cores;      /* of these, a bit for each core that a part may have */
    uint64_t run_fixed;          /* of run, the bit that enables the fixed counter */
    uint64_t reserved;           /* bits that a document reserves: they are written 0, and read so */
};

struct pmon_fixed { /* a fixed counter */
    uint32_t ctl, ctr;
    uint32_t bits, bits_2; /* as counter_bits; bits 0: there is none */
    uint64_t en;
    uint64_t kept, reserved; /* as in a counter's control */
    uint64_t ov;             /* its bit in the box's status, 0: not documented */
    uint64_t ov_en;          /* with ov, unless the status needs none */
    enum pmon_clock clock;   /* what it counts; NONE: not documented */
};

/* A counter that runs by itself, without enable, freeze or reset. */
struct pmon_free {
    const char *name; /* "dclk", as -count takes it */
    int32_t offset;   /* from the box's base */
    uint32_t bits;
    enum pmon_clock clock; /* what it counts; NONE: it is no clock */
    double bytes;          /* bytes per count; 0: it counts no traffic */
};

#define PMON_MOST_PROGRAMMABLE 16u /* counters of a box: the data fabric's of Zen 4 */
#define PMON_MOST_COUNTERS     25u /* of a box, whichever: the free-running ones of Diamond Rapids' I/O */

/* A field of an event by the name that perf's formats have for it (/sys/bus/event_source/devices/uncore_*\/format). */
enum pmon_field_in {
    PMON_IN_CONTROL, /* the counter's control */
    PMON_IN_FILTER,  /* the box's filters: filter 0, and filter 1 as bits 63:32 */
    PMON_IN_MATCH,   /* pmon_match_write(), values[0] */
    PMON_IN_MASK,    /* values[1] */
};
struct pmon_field {
    const char *name; /* "filter_opc", "match_mc" */
    enum pmon_field_in in;
    uint64_t bits;
    bool in_place; /* a value has its bits where the register has them, as addresses do */
};

/* Registers, as offsets from the box: MSR number, PCI offset, or bytes. Generations may share one. */
struct pmon_layout {
    enum pmon_access access;
    uint32_t counters;        /* programmable ones */
    uint32_t counter_bits;    /* what the generation's document says */
    uint32_t counter_bits_2;  /* what another source says, 0: all agree */
    uint32_t ctl, ctl_step;   /* of counter 0; step 0: 1 for MSRs, ctl_bytes else */
    uint32_t ctl_bytes;       /* 0: 8 for MSRs, 4 else */
    uint32_t ctr, ctr_step;   /* step 0: 1 for MSRs, 8 else */
    const uint16_t *ctr_at;   /* where counters are not evenly spaced */
    uint32_t counters_unsure; /* bit n: sources disagree whether counter n counts; what it does is only recorded */
    const struct pmon_control *control;
    struct pmon_fixed fixed;
    uint32_t box_ctl; /* with box */
    const struct pmon_box_control *box;
    bool slow_init; /* bits of the box control are set one at a time: set in one go they may raise #GP */
    bool has_status;
    uint32_t status;
    uint32_t status_bit;       /* of counter 0 */
    uint64_t status_changed;   /* says that some bit of it was set; 0: there is none */
    uint64_t status_pmi;       /* says that an interrupt was asked for; 0: there is none */
    uint64_t status_reserved;  /* bits of it that a document reserves */
    uint32_t status_clear;     /* register that clears it; 0: the status itself */
    bool status_without_ov_en; /* an overflow shows in it whatever the control's ov_en is */
    uint32_t filter0, filter1; /* 0: none */
    uint32_t tid;              /* bits of filter0 that name a core and thread; used where the control's tid_en is set */
    /* Home agents, by PCI: bits 31:6 of an address; 4 after it bits 45:32; 8 after it an opcode in bits 5:0; 0: none. Used by
     * the events addr_match, opc_match and addr_opc_match. */
    uint32_t home_match;
    struct { /* links, by PCI: what packets event packets counts, in another function of the box' device */
        uint8_t function;
        uint16_t match, mask; /* of the first of two dwords each; 0: none */
    } packets;
    struct { /* links, by PCI: a bit of a dword that is set once the link was trained; 0: none */
        uint16_t at;
        uint32_t trained;
    } link;
    bool has_match; /* MSR_UNCORE_ADDR_OPCODE_MATCH is there */
    struct { /* by MSR, of the unit's first box: MATCH, with MASK after it, and what enables both by its bit 63 */
        uint16_t match, step, cfg; /* match 0: none; step from box to box; cfg 0: nothing enables them */
    } mm;
    const struct pmon_field *fields; /* those of control, filters and match registers that have names */
    uint32_t n_fields;
    bool saturates;                     /* at its end a counter stops and sets the bit above its width */
    bool reset_unsure;                  /* sources disagree on the resets of box and counters: nothing sets them */
    const struct pmon_free *free_clock; /* one at each of its boxes; NULL: none */
    const struct pmon_free *free;       /* a box is these n_free counters, and has no control */
    uint32_t n_free;
};

/* --- location: how boxes are found -------------------------------------------------------------------------------- */

/* How many boxes a package has. */
enum pmon_find {
    PMON_FIND_ONE,       /* MSRs: one, of each die where the part is by_die */
    PMON_FIND_PROBE,     /* MSRs: all that answer, up to most */
    PMON_FIND_CAPID4,    /* MSRs: by CAPID4, boxes beyond must not be read */
    PMON_FIND_CCX,       /* MSRs: one for each L3 domain */
    PMON_FIND_PLACES,    /* PCI: at these places */
    PMON_FIND_MEMORY,    /* MMIO: where the memory map function says */
    PMON_FIND_BAR,       /* MMIO: `most` of them, `stride` apart from the base in the host bridge's register `first` */
    PMON_FIND_FIXED,     /* MMIO: `most` of them at `addresses`, of the first package */
    PMON_FIND_DF,        /* MSRs: one, with as many counters as CPUID 80000022H says */
    PMON_FIND_UMC,       /* MSRs: boxes and counters as CPUID 80000022H says */
    PMON_FIND_DISCOVERY, /* made from a discovery table */
};

struct pmon_pci_place {
    uint8_t device, function;
    uint16_t did;
    bool optional; /* some boards show it and others do not: larger parts, or what firmware leaves */
};

/* Where memory controllers have their registers: a base that all share and one of each, in a PCI function. */
struct pmon_memory_map {
    uint16_t did;                   /* of the function */
    uint16_t base;                  /* offset of MMIO_BASE: bits 28:0 are address bits 51:23 */
    uint16_t bar;                   /* offset of MEM0_BAR, the others 4 bytes apart: bits 10:0 are address bits 22:12 */
    uint32_t controllers;           /* of a package */
    uint32_t channels;              /* of a controller */
    uint32_t channels_most;         /* channels that larger parts have room for */
    bool fewer;                     /* smaller parts have controllers without a base: all but the first may be so */
    uint32_t channel, channel_step; /* box control of channel n: channel + n * channel_step from the base */
};

struct pmon_location {
    enum pmon_find find;
    uint32_t first, stride, most; /* MSRs: box n at first + n*stride, or bases[n] */
    uint32_t most_limited;        /* CAPID4: so many where its chop field is 0 */
    const uint16_t *bases;
    const uint64_t *addresses; /* FIXED: of the boxes */
    const struct pmon_pci_place *places;
    uint32_t n_places;
    uint32_t fewest; /* places: so many of them a package shows, whichever; 0: each that is not optional */
    const struct pmon_memory_map *memory;
    bool of_controller; /* memory: one box a controller, at its base, and not one a channel */
    uint32_t feature;   /* AMD: bit of CPUID 80000001H ECX that enumerates it; 0: none does */
};

/* --- events and what is known of them ----------------------------------------------------------------------------- */

/* An event by name. */
struct pmon_named {
    const char *name;       /* "cas_rd" */
    uint32_t ev_sel, umask; /* with ev_sel_ext and umask_ext */
    uint64_t extra;         /* or'ed into the control */
    uint32_t counters;      /* bit n: counter n can count it; 0: all can */
    uint32_t filter0, filter1;
    double bytes;     /* bytes per count; 0: it counts no traffic */
    const char *rest; /* event that counts the rest of the same, on another counter: both are to be added; NULL: none */
    bool unpublished; /* the part's event file leaves it out: that it counts nothing is no finding */
};

/* Events that count one memory channel of those that a box sees. Boxes with more channels than counters
 * take several rounds. */
#define CHANNEL(number) (1u + (number))
struct pmon_channel {
    uint32_t channel;          /* CHANNEL(number); 0: the box counts one alone */
    const char *rd, *wr, *all; /* by direction, or both in one; NULL: none */
    uint32_t round;            /* in which it is counted */
};

struct pmon_events {
    enum pmon_clock clock; /* what clock_event counts */
    uint32_t clock_event, clock_umask;
    bool clock_unsure;                /* sources disagree on clock_umask: what it counts is only recorded */
    double clock_step_hz;             /* the unit's clock is a whole multiple of it; 0: of nothing that is known */
    uint32_t idle_ev_sel, idle_umask; /* an event that does not occur on an idle machine; both 0: none */
    const struct pmon_named *named;
    uint32_t n_named;
    bool two_states;                     /* a look-up finds a state in the cache and one in the snoop filter */
    uint32_t qualified_ev_sel;           /* event whose umask bits qualify each other and are no sub-events; 0: none */
    const struct pmon_channel *channels; /* NULL: its boxes count no memory channels */
    uint32_t n_channels;
    bool channels_again; /* other boxes of the part have the same channels, and are asked first */
};

/* CORRERRCNT_0 and on: errors of a memory channel that ECC corrected, in registers of 4 bytes one after the other. */
struct pmon_corrected {
    uint16_t offset; /* of the first, from the box; 0: no public source has them */
    uint8_t registers;
    uint8_t functions; /* PCI: they are in the function that is so many above the box's */
    bool ranks;        /* two ranks in each: bits 14:0 and 30:16 count, 15 and 31 say that more came than fit */
};

struct pmon_unit {
    const char *name;   /* "CBo" */
    const char *source; /* document and section, for reports */
    enum pmon_kind kind;
    const struct pmon_layout *layout;
    struct pmon_location location;
    struct pmon_events events;
    struct pmon_corrected corrected;
    const char
        *perf; /* the kernel's PMU where it is not called so; free-running counters are its events from 1 on; or NULL */
    bool one_source; /* one public source alone has it: what is wrong with it is a WARN */
    bool of_mesh;    /* its clock is that of the mesh between dies: it runs wherever another of the unit does */
    bool in_package; /* its memory channels are of memory in the package, not of modules */
};

/* --- parts -------------------------------------------------------------------------------------------------------- */

/* Processors that a part's tables are for. AMD's rows are for Hygon's too, which numbers families alike. */
struct pmon_model {
    enum cpu_vendor vendor;
    uint32_t family, first, last;
    uint32_t first_stepping; /* 0: every stepping */
};

/* A register that freezes or runs every box of a package at once. */
struct pmon_global {
    uint32_t msr;         /* 0: none is known, but discovery tables may name one */
    uint64_t freeze, run; /* values */
    bool unsure;          /* sources disagree on freeze */
    uint32_t status;      /* first of n_status registers that say whose box overflowed, cleared by writing 1 */
    uint32_t n_status;    /* 0: none is known */
};

/* How an overflow of a counter with ov_en interrupts processors: by their LVT performance counter register. */
struct pmon_pmi {
    uint32_t msr;      /* chooses cores; 0: no document names one. The global control, or a box control by MSR */
    uint64_t cores;    /* its bits: the nth of them is core n's */
    uint64_t freeze;   /* another bit of it: the interrupt stops all counters; 0: has none */
    uint64_t debugctl; /* bits of IA32_DEBUGCTL without which a processor takes none; other parts may do without */
    bool unsure;       /* sources disagree, or one public source alone has it */
};

enum pmon_buses {
    PMON_BUSES_BELOW,  /* to the next lower bus that has the function */
    PMON_BUSES_ABOVE,  /* to the next higher one */
    PMON_BUSES_ONE,    /* all to the one package that such a part has: nothing is read of the function */
    PMON_BUSES_AROUND, /* to the bus just below where that has it, else to the next higher one */
};

/* Which package a PCI bus belongs to. */
struct pmon_bus_map {
    uint16_t did;            /* the function that says it; 0: the part has no boxes by PCI */
    uint16_t node_id, group; /* offsets in it: node id, and three bits of node id for each package */
    enum pmon_buses buses;   /* where a bus without that function belongs */
    uint32_t msr;            /* names buses 0 to 5 in a byte each, bit 63: valid; 0: none */
};

#define PMON_CAPIDS 2u
/* What a package says of the boxes that it has, in capability registers of the power control unit's function. */
struct pmon_capabilities {
    uint16_t did;    /* of the function; 0: none */
    uint16_t capid4; /* offset; 0: none. Its chop field, bits 7:6, is 0 where there are fewer SBos */
    struct {
        uint16_t offset; /* 0: none */
        uint32_t slices; /* a bit for each slice that is there */
    } capid[PMON_CAPIDS];
    const char *slices_by; /* "CAPID6[27:0]": capid[], as reports name them */
    uint32_t slices_msr;   /* holds the number of slices in slices_bits; 0: none */
    uint64_t slices_bits;
    const char *slices_msr_by; /* "MSR 2FFEH" */
    bool slices_listed_more;   /* discovery tables may list slices with ids from that number on, which do not exist */
    uint32_t slices_msr_2;     /* a second register that says it, in bits 5:0; 0: none */
    uint16_t near_memory; /* offset; a part with memory of its own in the package has one of near_bits set; 0: none */
    uint32_t near_bits;
    struct { /* rules of the address decoder, in a function of the same bus, 8 bytes apart */
        uint8_t device, function;
        uint16_t first;
        uint32_t n;
        uint32_t enabled, cached; /* bits of a rule: the memory that it names has the other kind as a cache */
    } rules;
};

/* How the boxes of a type are reached: the code of discovery tables, plus 1. */
enum pmon_type_access { PMON_TYPE_ANY, PMON_TYPE_MSR, PMON_TYPE_MMIO, PMON_TYPE_PCI };

/* What discovery tables do not say of a box type. */
struct pmon_type {
    struct pmon_unit unit;              /* name, kind and events; its layout is the table's */
    enum pmon_type_access access;       /* as documented */
    bool wide_ctl;                      /* controls by memory are 8 bytes apart, not 4 */
    const struct pmon_control *control; /* where it is 8 bytes */
    const struct pmon_control *narrow;  /* where it is 4; NULL: as of all types */
    uint32_t filter0, tid;              /* from the unit's control; 0: has none */
    const struct pmon_free *free_clock;
    const struct pmon_fixed *fixed;  /* of boxes by memory */
    uint32_t status_bit;             /* with fixed */
    bool broken;                     /* Linux ignores it: its entries are no boxes */
    const struct pmon_unit *instead; /* its entries are known to be wrong or say too little: this unit is used */
    uint32_t first, stride, most;    /* documented MSRs of unit controls, by id below most */
    /* By PCI: entries of this type in other functions than 0 of their devices are of that type. NULL: they are alike. */
    const struct pmon_type *in_functions;
};

struct pmon_discovery {
    uint16_t did;                  /* the function that has the tables; where none is there, any may have them */
    uint32_t msr;                  /* that has the address of a table on each of a package's dies; 0: none has */
    bool msr_beside;               /* of other units than those of the function's tables, which are there as well */
    const struct pmon_type *types; /* by number; without a name: not documented */
    uint32_t n_types;
    struct pmon_type unknown;          /* what is taken for a type that is not documented */
    const struct pmon_control *narrow; /* controls of 4 bytes */
    const struct pmon_box_control *box;
};

/* Root ports of an I/O stack: PCI devices first_device and on are its ports 0 to n - 1, as ch_mask numbers them. n 0: not
 * known. */
struct pmon_ports {
    uint8_t first_device, n;
    uint16_t did;   /* those with this device id alone, which are one port of their stack; 0: the device counts ports */
    uint8_t number; /* with did, as ch_mask counts ports */
};

struct pmon_part {
    const char *name;
    const struct pmon_model *models;
    uint32_t n_models;
    const struct pmon_unit *const *units;
    uint32_t n_units;
    struct pmon_global global;
    struct pmon_pmi pmi;
    struct pmon_bus_map bus;
    struct pmon_capabilities capabilities;
    struct pmon_ports ports;
    const struct pmon_discovery *discovery; /* tables list its boxes; NULL: it has none */
    bool several_dies;                      /* a package has a discovery table for each of its dies */
    /* Its tables are drivers' alone. No guide says that its counters can be written, and what rst of a control does. */
    bool no_guide;
    bool by_die; /* each die that CPUID names has MSRs and PCI functions of its own */
};
