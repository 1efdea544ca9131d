/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/pmon/pmon_discovery.h: the discovery tables of Sapphire Rapids and later, which list the uncore's boxes.
 *
 * They are firmware output and may be anything: every field is held against the rules below before it is used, and an
 * entry that breaks one is kept with the rule it breaks. Source: Linux uncore_discovery.c; intel/pcm
 * uncore_pmu_discovery.cpp.
 */
#pragma once
#include "arch/x86/pmon/pmon.h"

/* DVSEC of a function (core/boxes/dvsec.h): entry id 1 is PMON. */
#define PMON_DVSEC_BAR     0x0Cu
#define PMON_DVSEC_IS_PMON 1u

/* Global state. */
#define PMON_DISCOVERY_TYPE      BITS(7, 0)
#define PMON_DISCOVERY_STRIDE    BITS(15, 8)
#define PMON_DISCOVERY_MAX_UNITS BITS(25, 16)
#define PMON_DISCOVERY_ACCESS    BITS(63, 62) /* of units too */
#define PMON_DISCOVERY_STATUS    BITS(7, 0)
#define PMON_DISCOVERY_N_STATUS  BITS(23, 8)
/* Units. */
#define PMON_UNIT_COUNTERS BITS(7, 0)
#define PMON_UNIT_CTL      BITS(15, 8)
#define PMON_UNIT_WIDTH    BITS(23, 16)
#define PMON_UNIT_CTR      BITS(31, 24)
#define PMON_UNIT_STATUS   BITS(39, 32)
#define PMON_UNIT_TYPE     BITS(15, 0)
#define PMON_UNIT_ID       BITS(31, 16)
/* Unit control address where access is PCI. */
#define PMON_UNIT_SEGMENT  BITS(30, 28)
#define PMON_UNIT_BUS      BITS(27, 20)
#define PMON_UNIT_DEVICE   BITS(19, 15)
#define PMON_UNIT_FUNCTION BITS(14, 12)
#define PMON_UNIT_OFFSET   BITS(11, 0)

enum { PMON_TABLE_MSR, PMON_TABLE_MMIO, PMON_TABLE_PCI }; /* access; 3 is none */

struct pmon_entry {
    uint32_t index;   /* in the table                                               */
    uint64_t word[3]; /* as read                                                    */
    uint32_t access, counters, ctl, ctr, width, status_offset;
    uint32_t type, id;
    uint64_t address;   /* of its unit control                                        */
    const char *defect; /* NULL; else the rule that it breaks                         */
    bool fatal;         /* it cannot be used                                          */
    bool unused;        /* Linux uncore_discovery_invalid_unit(): left out without a message, as an empty one is */
    bool alias;         /* another box's registers under an undocumented type: set by the search, as the next */
    bool phantom;       /* of a slice that the package does not have: set by the search, not by the parser */
};

struct pmon_table {
    enum status status; /* ST_OK, ST_CORRUPT (defect says why), or that of reading it */
    const char *defect;
    uint32_t type, stride, max_units, access, status_offset, n_status;
    uint64_t global;  /* global control address                                     */
    uint32_t n_empty; /* entries that are all zero                                  */
    uint32_t n_entries;
    struct pmon_entry *entries; /* the others                                        */
};

/* How a table is read: offset in bytes, a multiple of 8. */
typedef enum status (*pmon_table_read)(void *context, uint64_t offset, uint64_t *qword);

/* What is known of a box type by its number; the unknown one where nothing is. */
const struct pmon_type *pmon_type_of(const struct pmon_discovery *discovery, uint32_t number);

/* Read and judge a table. *t is written in any case; free it with pmon_table_free(). Returns ST_NO_MEMORY or ST_OK;
 * t->status says whether there is a usable table. */
MUST_CHECK enum status pmon_table_parse(const struct pmon_discovery *discovery, pmon_table_read read, void *context,
                                        struct pmon_table *t);
void pmon_table_free(struct pmon_table *t);

struct pmon_made_unit { /* unit.layout points to layout: it is not to be copied */
    const struct pmon_type *type;
    struct pmon_unit unit;
    struct pmon_layout layout;
};
/* The unit that a usable entry describes, and its box (package, cpu and number are the caller's). */
void pmon_entry_unit(const struct pmon_discovery *discovery, const struct pmon_entry *e, struct pmon_made_unit *made);
void pmon_entry_box(const struct pmon_entry *e, const struct pmon_unit *unit, struct pmon_box *box);
