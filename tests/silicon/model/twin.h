/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/twin.h: a machine that exists, from its recording (docs/recording.md), on the model of its generation.
 *
 * Its CPUID is what the recording has, and where that has no line the profile's: so are the number of packages, cores, threads and
 * L3s, RMIDs, classes and the size of the L3. Each processor has its recorded APIC id and topology leaves. How caches, monitors and
 * registers behave is the profile's. PCI functions that the recorded machine does not show are hidden. On the host MADT, SRAT,
 * SLIT, MCFG, memory (host_twin.c) and SMBIOS' system, board, sockets and modules are the recorded ones; what of them QEMU acts
 * out scripts/twin_qemu.c says. Machines whose packages or L3s are unlike are refused.
 */
#pragma once
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/recorded/recording.h"

struct twin {
    struct profile profile; /* the generation's, with what was recorded */
    struct cpuid_table cpuid;
    const struct recording *recording; /* the caller's */
    uint32_t n;
    uint32_t clusters; /* nodes of a package: of Intel's parts an L3 each (cluster on die) */
    uint32_t thread_bits,
        package_bit;    /* of an APIC id: how many number the threads of a core; where the package begins */
    uint32_t *recorded; /* of a processor, as the model numbers them: its index in the recording */
    uint32_t *ids;      /* its x2APIC id                                                         */
    bool *hidden;       /* PCI functions that the recorded machine does not show, by number; NULL: none is hidden */
};

/* NULL: error says what the machine has that cannot be made. profile: NULL, the one that is nearest by signature. The
 * recording must outlive it. */
struct twin *twin_new(const struct recording *r, const struct profile *profile, char *error, size_t error_size);
void twin_free(struct twin *t);

/* Once the model has its functions: which of them are hidden, of a twin; false: no memory (twin_functions.c). */
struct model;
bool twin_hide(struct model *m);
bool twin_hides(const struct model *m, uint32_t function);
/* What the processor of that number answers in a leaf of topology or caches, where it was recorded; regs else untouched. */
void twin_cpuid(const struct twin *t, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
