/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/boxes.h: the uncore boxes of this machine: where they are, and why some are left alone. boxes_find.h finds them. */
#pragma once
#include "arch/x86/pmon/pmon.h"
#include "arch/x86/pmon/pmon_discovery.h"
#include "core/machine/machine.h"

struct pci_function { /* an Intel function that answered */
    struct pci_address at;
    uint16_t did;
};

#define NO_COUNT UINT32_MAX

#define BUS_FAULTS 8u

struct pmon_package {           /* what a package says of itself */
    uint32_t slices;            /* NO_COUNT: it does not say */
    const char *slices_by;      /* where the number is from */
    uint32_t slices_most;       /* of those that discovery tables list, the first by their ids; NO_COUNT: all */
    uint32_t slices_2;          /* by the part's capabilities.slices_msr_2; NO_COUNT */
    uint32_t chop;              /* CAPID4[7:6]; NO_COUNT */
    uint32_t buses;             /* PCI functions that were found to be its own */
    uint32_t dies;              /* with a discovery table each, or MSRs of their own; 0: it has one die */
    uint64_t frozen;            /* bit n: no slice of die n counted before the global control was first written */
    bool near_memory;           /* it has memory of its own besides modules: HBM */
    struct pci_address near_at; /* with near_memory: the function that says so, and its register's value */
    uint32_t near_value;
    uint32_t rules, cached_rules, rule; /* rules of the address decoder that are enabled; of these, such as have that
                                           memory as a cache; the first of them; rules 0: they were not read      */
};

struct pmon_found_table { /* a discovery table */
    struct pci_address at;
    uint64_t address;   /* physical */
    uint32_t bar_dword; /* of the capability: bits 2:0 choose the base address register, the others are reserved */
    uint32_t bar_type;  /* bits 3:0 of that register */
    uint32_t package;
    bool by_msr;        /* its address is in an MSR: no function leads to it */
    bool again;         /* another capability of the package leads to it too */
    bool decoded_by_us; /* firmware left memory space enable of the function 0 */
    uint64_t control;   /* its global control, where that is in memory-mapped I/O; 0: it is an MSR or cannot be used */
    struct pmon_table table;
};

struct pmon_left { /* a register of the global status, as it was found */
    uint32_t package, die, cpu, msr;
    uint64_t value;
};

struct pmon {                     /* what was found on this machine                                             */
    const struct pmon_part *part; /* NULL: this part is not in the tables                                       */
    struct pmon_box *boxes;       /* UBoxes first, in package order; then unit by unit                          */
    uint32_t n_boxes;
    size_t capacity;
    const struct pmon_unit *ubox;  /* NULL: this part has none                                                   */
    uint32_t n_uboxes;             /* boxes[0 .. n_uboxes - 1]                                                   */
    struct pmon_package *packages; /* [machine->n_packages]                                                      */
    struct pci_function *functions;
    uint32_t n_functions;
    size_t functions_capacity;
    struct pmon_made_unit *made[256]; /* units that discovery tables describe                                       */
    uint32_t n_made;
    struct pmon_found_table *tables;
    uint32_t n_tables;
    size_t tables_capacity;
    bool tables_unreachable; /* configuration space from 100H on, where their capabilities are, cannot be reached */
    bool packages_guessed;   /* no register said which package a bus belongs to                            */
    uint32_t uboxes_shown;   /* functions with such a register, where firmware hides others; else 0        */
    bool thawed;             /* the global control was written: packages[].frozen says what it was      */
    bool global_refused;     /* it raised #GP then: nothing lifts the freeze of an overflow             */
    struct pmon_left *left;  /* global status registers that were not 0 at handoff */
    uint32_t n_left;
    uint32_t n_bus_faults;
    char bus_faults[BUS_FAULTS][128]; /* registers that say which package a bus belongs to contradict each other */
};

void boxes_free(struct pmon *pmon);

/* The global control: the documented one, else that of a discovery table; 0: none. A table's word is taken only where there
 * is no other, since it is going to be written. */
uint32_t boxes_global(const struct pmon *pmon);
/* First of *n registers that say whose unit overflowed: the documented ones, else those that the discovery table of the
 * global control lists (Linux uncore_discovery.h, struct uncore_global_discovery); *n 0: none. */
uint32_t boxes_global_status(const struct pmon *pmon, uint32_t *n);
/* The processor that drives a box may have been lost: take another of the package. false: there is none. */
bool box_alive(struct platform *p, const struct machine *m, struct pmon_box *box);
/* Its registers answer, whether or not it can be used. NULL is not there. */
bool box_is_there(const struct pmon_box *box);
/* Whether some package has the box of this unit and number. */
bool box_on_any_package(const struct pmon *pmon, const struct pmon_box *box);
/* Whether firmware hides a function that is there: one that no package shows though every board of the generation does, or
 * that another package shows; of a unit without places of its own the function that leads to its boxes. */
bool box_is_hidden(const struct pmon *pmon, const struct machine *m, const struct pmon_box *box);
/* Whether sound boards lack the place of a box: of larger parts, of a machine that needs no links. */
bool box_is_optional(const struct machine *m, const struct pmon_box *box);
/* Whether a discovery table's entry is of a slice and can be used. */
bool boxes_entry_is_slice(const struct pmon *pmon, const struct pmon_entry *e);
/* Some box but a UBox answers: where a UBox alone does, the others are kept from us as a whole. */
bool boxes_answer(const struct pmon *pmon);
