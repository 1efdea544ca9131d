/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/machine/interposer.h: stands between the code under test and a platform, and makes one register answer
 * otherwise than it does: a bit that is stuck, a count that is wrong, an access that raises #GP.
 *
 * Where data does not say what is wrong, a test sets `before` and `after`, or replaces one of `ops` by a function that
 * calls the same one of `real` with `real_machine`; both get the interposer, as `machine`, and reach what is their own
 * by `context`.
 */
#pragma once
#include "core/platform/platform.h"

enum register_access {
    ACCESS_NONE,
    ACCESS_RDMSR,
    ACCESS_WRMSR,
    ACCESS_PCI_READ,
    ACCESS_PCI_WRITE,
    ACCESS_MMIO_READ,
    ACCESS_MMIO_WRITE,
};

struct register_defect {
    enum register_access access;
    uint64_t reg;         /* MSR; PCI_REGISTER(); physical address                                     */
    uint64_t last;        /* the same defect in all from reg to this one; 0: in reg alone              */
    uint64_t cpus;        /* bits: steps of these processors alone; 0: of all                          */
    uint64_t any;         /* bits of reg that do not matter: the same defect in several registers      */
    uint32_t did;         /* of functions with this device id, whose offset reg is; 0: PCI_REGISTER()  */
    uint64_t times, over; /* value * times / over; over 0: as it is                                    */
    uint64_t clear, set;  /* then these bits are 0, and these 1                                        */
    enum status raises;   /* not ST_OK: the access is not made and ends with this                      */
    uint32_t spared;      /* so many accesses come before that are as they should be                   */
    bool once;            /* one access is wrong, those after it are as they should be                 */
};

#define PCI_REGISTER(device, function, offset) ((uint64_t)(device) << 15 | (uint64_t)(function) << 12 | (offset))

/* The MSR reads as `value`, or is written with these bits set or clear. */
struct register_defect msr_reads(uint32_t msr, uint64_t value);
struct register_defect msr_stuck_at_1(uint32_t msr, uint64_t bits);
struct register_defect msr_stuck_at_0(uint32_t msr, uint64_t bits);

#define INTERPOSER_REFUSED 16u

struct interposer {
    struct register_defect defect; /* access ACCESS_NONE: none */
    /* Called for each step of a run before any is done, and after all are. May be NULL. */
    void (*before)(struct interposer *i, uint32_t cpu, struct step *s);
    void (*after)(struct interposer *i, uint32_t cpu, struct step *s);
    void *context;
    struct platform_ops ops;
    struct platform *platform;
    const struct platform_ops *real;
    void *real_machine;
    uint32_t accesses; /* to the register of the defect, so far */
    struct step *refused[INTERPOSER_REFUSED];
    uint32_t n_refused;
    struct interposer_written {
        struct step *step;
        uint64_t value;
    } * written; /* of the run under way: steps whose value the defect changed */
    uint32_t n_written, written_room;
};

/* From now on p is reached through i, until interposer_remove() or the end of p. i keeps its place in memory. */
void interposer_install(struct interposer *i, struct platform *p);
void interposer_remove(struct interposer *i);

/* As the platform reads it. */
static inline enum status interposer_pci_read(struct interposer *i, struct pci_address at, uint32_t offset,
                                              uint32_t width, uint32_t *value)
{
    return i->real->pci_read(i->real_machine, at, offset, width, value);
}
/* Whether the function has this device id. */
bool interposer_is_device(struct interposer *i, struct pci_address at, uint32_t did);
