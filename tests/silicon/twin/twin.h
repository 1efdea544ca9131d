/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/twin/twin.h: a machine that exists, from its recording (docs/recording.md), on the model of its generation.
 *
 * Its CPUID is what the recording has, and where that has no line the profile's: so are the number of packages, cores, threads and
 * L3s, RMIDs, classes and the size of the L3. Each processor has its recorded APIC id and topology leaves. How caches, monitors and
 * registers behave is the profile's. On the host ACPI tables, PCI functions, memory (host_twin.c) and SMBIOS' system, board, sockets
 * and modules are the recorded ones; what of them QEMU acts out scripts/twin_qemu.c says. Machines whose packages or L3s are
 * unlike are refused.
 *
 * Registers (twin_registers.c), of each processor, MSRs and those of boxes in PCI and in memory:
 *   - one that raised #GP raises it;
 *   - one that the model has and software can write begins at the recorded value, as firmware would leave it;
 *   - one that the model has and software cannot write is the model's (counts, status, addresses of boxes), but for those that
 *     say what the part is: IA32_PLATFORM_ID, MSR_PPIN, MSR_PLATFORM_INFO, IA32_CORE_CAPABILITIES; the clocks of the TSC and of
 *     the uncore fit them;
 *   - one that the model does not have is kept: it reads what was recorded until it is written. In QEMU those of the local APIC, of
 *     the TSC and of the operating mode are QEMU's. Which boxes there are in the model's own blocks is the model's.
 *
 * PCI functions: a bus of the model is the recorded one that shows its functions (in QEMU it keeps its number); those that the
 * recorded machine does not show are hidden. Bytes that no register of the model is in are the recorded ones.
 */
#pragma once
#include "tests/silicon/model/model.h"
#include "tests/silicon/model/pool.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/recorded/recording.h"

#define TWIN_NONE UINT32_MAX

struct twin_register { /* by model's processor: enum in twin_registers.c, and what is read */
    uint32_t msr;
    uint8_t *how;
    uint64_t *value;
};

struct twin {
    struct pool pool;       /* this, and all that it points to */
    struct profile profile; /* the generation's, with what was recorded */
    struct cpuid_table cpuid;
    const struct recording *recording; /* the caller's */
    uint32_t n;
    uint32_t clusters; /* nodes of a package: of Intel's parts an L3 each (cluster on die) */
    uint32_t thread_bits,
        package_bit;    /* of an APIC id: how many number the threads of a core; where the package begins */
    uint32_t *recorded; /* of a processor, as the model numbers them: its index in the recording */
    uint32_t *ids;      /* its x2APIC id                                                         */
    uint32_t nodes;     /* of a package, by the recorded SRAT; 0: it does not say */
    bool begun;         /* registers answer as recorded */
    uint32_t n_registers;
    struct twin_register *registers; /* ascending */
    /* PCI functions; not placed: the machine's were not recorded whole, and the model's are there as they are */
    bool functions_placed;
    uint32_t n_segments;
    const struct recorded_function **functions; /* by segment << 16 | bus << 8 | device << 3 | function */
    uint32_t *bus_of;                           /* the recorded bus of a model's; TWIN_NONE */
    uint32_t *bus_at;                           /* the model's bus of a recorded one; TWIN_NONE */
};

/* NULL: error says what the machine has that cannot be made. profile: NULL, the one that is nearest by signature, of
 * its model or else of its Zen generation. The recording must outlive it. */
struct twin *twin_new(const struct recording *r, const struct profile *profile, char *error, size_t error_size);
void twin_free(struct twin *t);

/* Once the model has its registers and functions: they become those of the recorded machine. */
struct model;
void twin_begin(struct model *m);
void twin_begin_functions(struct model *m);
/* twin_registers.c. MODEL_NOT_MINE: the model answers. */
enum model_answer twin_rdmsr(const struct twin *t, uint32_t cpu, uint32_t msr, uint64_t *value);
enum model_answer twin_wrmsr(const struct twin *t, uint32_t cpu, uint32_t msr, uint64_t value);
/* twin_functions.c, of a twin or not. Whether a function of the model, of that device and vendor id, is hidden; what was recorded
 * of it, NULL: nothing was. */
bool twin_hides(const struct model *m, uint32_t function, uint32_t id);
const struct recorded_function *twin_shows(const struct model *m, uint32_t function, uint32_t id);
/* The number of a bus of the model, as software finds it. */
uint32_t twin_bus(const struct model *m, uint32_t bus);
/* A byte of its configuration space; `otherwise` where it was not recorded. */
uint8_t twin_config(const struct recorded_function *f, uint32_t offset, uint8_t otherwise);
/* What the processor of that number answers in a leaf of topology or caches, where it was recorded; regs else untouched. */
void twin_cpuid(const struct twin *t, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
