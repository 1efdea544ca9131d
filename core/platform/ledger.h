/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/platform/ledger.h: every register that Assay writes, as it was found.
 *
 * platform_run(), pci_write() and mmio_write() show each write to the ledger before it happens. On the first write to
 * an MSR the ledger reads that MSR on every started processor, not only on the one that writes: which processors share
 * the register is one of the things under test, so it must not be assumed. ledger_restore() writes what differs back,
 * in reverse order of first touch, and reads everything again: the report's last section is this list. Command registers of
 * PCI functions follow then: without memory space enable nothing in their memory can be read.
 */
#pragma once
#include "core/platform/platform.h"

enum ledger_space { LEDGER_MSR, LEDGER_PCI, LEDGER_MMIO };

enum ledger_kind {
    LEDGER_CONTROL,  /* must read as it was found                                                        */
    LEDGER_COUNTER,  /* is written back, but runs by itself: equality is not asked                       */
    LEDGER_READONLY, /* written only to see the write refused; never written back                        */
};

struct ledger_entry {
    enum ledger_space space;
    enum ledger_kind kind;
    uint64_t address; /* MSR number, or PCI (segment<<32|bus<<20|dev<<15|fn<<12|offset), or physical address */
    uint32_t width;
    uint32_t next;     /* of the same bucket, as in ledger.first */
    uint32_t n_values; /* MSR: n_cpus; else 1                                             */
    uint64_t *found;   /* [n_values]                                                      */
    uint8_t *status;   /* [n_values], enum status of reading it at first touch            */
    uint64_t *working; /* [n_values], values that the run works with; NULL: those found     */
    uint32_t writes;   /* how often Assay wrote it                                        */
    /* after ledger_restore() */
    uint32_t n_equal, n_different, n_unread; /* processors                                          */
    uint32_t different_cpu;                  /* the first that differs                              */
    uint64_t different_value;
    uint32_t unread_cpu; /* the first that could not be read again                                      */
};

#define LEDGER_BUCKET_BITS 12u
struct ledger {
    struct ledger_entry *entries; /* in order of first touch                                        */
    uint32_t n_entries;
    size_t capacity;
    uint32_t first[1 << LEDGER_BUCKET_BITS]; /* by address: 1 + the number of an entry, 0: none           */
    bool lost;                               /* a first touch could not be recorded: that write was refused       */
    /* Scratch for one access on every processor, taken at the start: putting back must not depend on memory. */
    struct platform *platform;
    struct task *tasks;
    struct step *steps;
};

/* An empty ledger for p, which from now on shows its writes to it (p->ledger = l). Memory for restoring is taken here,
 * for p->n_cpus processors: those must be known. ST_NO_MEMORY: p->ledger is left alone. */
MUST_CHECK enum status ledger_init(struct platform *p, struct ledger *l);
/* Forgets everything and lets the platform go (p->ledger = NULL). Restores nothing. */
void ledger_free(struct ledger *l);

/* Record an MSR on every started processor now, before anything is written. A second call does nothing.
 * ST_NO_MEMORY: not recorded, and the write that asked for it must not happen. */
MUST_CHECK enum status ledger_touch_msr(struct platform *p, uint32_t msr, enum ledger_kind kind);

/* The same for a PCI configuration register (width 1, 2, 4) and a memory-mapped one (1, 2, 4, 8); pci_write() and
 * mmio_write() call these before each write, and each call counts one. Another width at the same address is another
 * entry. ST_NO_MEMORY as above; a register that cannot be read is recorded with that status and not written back. */
MUST_CHECK enum status ledger_touch_pci(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width);
MUST_CHECK enum status ledger_touch_mmio(struct platform *p, uint64_t address, uint32_t width);
/* Record such a register now, before anything is written, and say what kind it is: without this it is a control. A
 * second call does nothing, and no write is counted. Errors as above. */
MUST_CHECK enum status ledger_expect_pci(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width,
                                         enum ledger_kind kind);
MUST_CHECK enum status ledger_expect_mmio(struct platform *p, uint64_t address, uint32_t width, enum ledger_kind kind);

/* The entry of an MSR, NULL where there is none. It moves when another register is touched. */
struct ledger_entry *ledger_find_msr(struct ledger *l, uint32_t msr);

/* What the ledger found, ST_ABSENT where it has no such entry, else the status of the first read. */
MUST_CHECK enum status ledger_found_msr(struct ledger *l, uint32_t cpu, uint32_t msr, uint64_t *value);

/* The value that the run works with, and that a check puts back: the found one, or that of the last
 * ledger_set_working_msr(). Errors as ledger_found_msr(). */
MUST_CHECK enum status ledger_working_msr(struct ledger *l, uint32_t cpu, uint32_t msr, uint64_t *value);
/* From now on the run works with this value on this processor; writes no register. ST_ABSENT: there is no such entry;
 * ST_NO_MEMORY. */
MUST_CHECK enum status ledger_set_working_msr(struct ledger *l, uint32_t cpu, uint32_t msr, uint64_t value);

/* Put everything back and read it again. Returns ST_OK if every control reads as found on every processor that still
 * answers; ST_CORRUPT if one differs, ST_LOST if one that was written answers on none. May be called again.
 *
 * Only processors whose present value differs from what was found are written. A register whose first read failed is
 * not written; it counts as equal while it still answers alike. A processor that was lost since counts as unread. */
MUST_CHECK enum status ledger_restore(struct platform *p);
