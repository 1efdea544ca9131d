/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/machine/machine.h: what Assay knows about the machine after enumeration.
 *
 * Everything here was enumerated (CPUID on every processor, SMBIOS, ACPI); nothing is assumed. Where processors
 * disagree, the reference is the lowest started processor and the others are in `disagreements`.
 */
#pragma once
#include "arch/x86/tables/acpi.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/rdt/rdt.h"
#include "arch/x86/tables/smbios.h"
#include "arch/x86/cpu/topology.h"
#include "core/platform/platform.h"

struct cpu {                /* one logical processor, index as in struct platform            */
    struct cpu_identity id; /* vendor, family, model, stepping                               */
    struct cpu_place place; /* package, die, core, thread ids, L3 id, from its own CPUID     */
    struct rdt_info rdt;    /* its own leaves 7, 0FH, 10H, decoded                           */
    uint32_t package;       /* index into packages[]; NO_PACKAGE: no processor of it could be asked */
    uint32_t domain;        /* index into domains[]; NO_DOMAIN: no L3                        */
    uint32_t node;          /* SRAT proximity domain as index into nodes[]; NO_NODE: unknown */
    uint64_t microcode;     /* IA32_BIOS_SIGN_ID[63:32], on AMD and Hygon [31:0]             */
    enum status microcode_status;
    uint64_t ppin;
    /* ST_ABSENT: not offered. ST_FAULT: locked out by firmware. ST_UNSUPPORTED: offered and not enabled, which takes a
     * write that Assay does not do. Others as msr_read(). */
    enum status ppin_status;
    /* ST_OK, or why this processor could not be asked: ST_NOT_RUN (not started: firmware has it disabled or calls it
     * unhealthy), ST_LOST, ST_TIMEOUT. Then id and rdt are zero, place is cut out of firmware's APIC id with the
     * reference's shifts, and the processor is in no count below. */
    enum status enumerated;
};
#define NO_PACKAGE UINT32_MAX
#define NO_DOMAIN  UINT32_MAX
#define NO_NODE    UINT32_MAX

struct package {
    uint32_t id; /* as in the APIC id */
    uint32_t first_cpu;
    uint32_t n_cpus; /* enumerated ones, as everywhere below */
};

struct l3_domain {    /* the processors that share one L3, and so one set of QM registers   */
    uint32_t package; /* index                                                              */
    uint32_t id;      /* APIC id >> shift of leaf 4                                         */
    uint32_t shift;   /* that shift: where L3s differ in size, ids of two shifts may be equal */
    uint32_t cpu;     /* the processor that reads for this domain (lowest started)          */
    uint32_t n_cpus;
    uint64_t l3_bytes;          /* that lines of any memory fill: without the next one                */
    uint64_t l3_reserved_bytes; /* AMD: ways that hold lines of a reserved range alone                */
    uint32_t l3_reserved_ways;  /* as bits: L3RangeReserveWayMask where En = 1, at handoff            */
    uint32_t l3_ways;           /* all of them                                                        */
    bool l3_inclusive;
    uint32_t max_rmid;         /* CPUID.(0FH,1):ECX on `cpu`, but no more than (0FH,0):EBX            */
    uint32_t first_rmid;       /* the L3's RMID that is called 0 here: not 0 for a cluster's (core/domain/cluster.h) */
    uint32_t upscaling_factor; /* CPUID.(0FH,1):EBX, bytes per count                                 */
    uint32_t counter_width;    /* of bandwidth counters, bits                                        */
    bool overflow_flag;        /* of IA32_QM_CTR, 0FH.1:EAX[8]                                       */
};

/* The size that CPUID enumerates, or a cluster's share of it. */
static inline uint64_t l3_whole_bytes(const struct l3_domain *d)
{
    return d->l3_bytes + d->l3_reserved_bytes;
}

struct node {
    uint32_t proximity; /* SRAT proximity domain                                              */
    uint32_t n_cpus;
    uint32_t package;      /* index, of its first processor; UINT32_MAX: memory only             */
    uint64_t memory_bytes; /* sum of its SRAT ranges, without those for memory that is not fitted */
    /* Has processors of several packages, or dies of an Intel part, and there is no node for each: memory is interleaved over
     * them (NPS0, node interleaving), or there is no SRAT. What of it is local to a processor is not known. */
    bool shared;
};

struct mem_range {
    uint64_t base, bytes;
    uint32_t node; /* index; NO_NODE: room for memory that is not fitted, of a node that is not there */
};

/* A processor whose enumeration differs from the reference: from the lowest enumerated processor of its core type (leaf
 * 1AH EAX[31:24]; on parts of one core type that is machine.reference). Compared are vendor and maximum leaf,
 * signature, leaf 7 EBX[12] and [15], leaves 0FH and 10H, AMD's 80000020H, and the microcode revision. What must differ
 * (APIC ids) is not looked at. A sub-leaf that only one of the two has counts as zeros on the other. */
struct disagreement {
    uint32_t cpu;
    uint32_t msr; /* 0: a CPUID leaf. Else this register differs (8BH), value in EDX:EAX, leaf does not apply */
    uint32_t leaf, subleaf;
    struct cpuid_regs reference, got;
};
#define MAX_DISAGREEMENTS 64u

struct machine {
    struct platform *platform;
    uint32_t n_cpus; /* = platform->n_cpus                                          */
    struct cpu *cpus;
    uint32_t reference; /* the processor that the summary fields below were taken from */
    uint32_t n_packages;
    struct package *packages;
    uint32_t n_domains;
    struct l3_domain *domains;
    uint32_t n_nodes; /* at least 1: without SRAT one node with all memory           */
    struct node *nodes;
    bool srat_present; /* it is there, and maps both processors and memory                    */
    uint32_t n_ranges; /* of SRAT, without non-volatile ones; 0 without SRAT                  */
    struct mem_range *ranges;
    uint32_t n_caches; /* of the reference processor                                  */
    struct cache_info caches[8];
    char brand[49];
    const char *generation; /* "Broadwell-EP", ...; "unknown" where no table row fits      */
    bool hypervisor;        /* CPUID.1:ECX[31]                                             */
    char hypervisor_name[13];
    uint32_t max_leaf, max_ext_leaf;
    uint64_t tsc_hz;
    const char *tsc_source;
    bool tsc_invariant;                      /* CPUID.80000007H:EDX[8]                                      */
    const struct prefetch_control *prefetch; /* of the reference processor; NULL: none is known          */
    struct smbios_info smbios;
    struct acpi_info acpi;
    bool secure_boot;
    bool secure_boot_known;
    char ran_on[128];         /* what firmware says that it is, in an OEM string; "" on hardware: for reports alone */
    uint64_t memory_bytes;    /* of the DIMMs in SMBIOS; without those, of SRAT; 0: not known   */
    uint32_t n_disagreements; /* all of them, of which the first MAX are kept               */
    struct disagreement disagreements[MAX_DISAGREEMENTS];
};

/* Enumerate on every started processor, at once. m is zeroed first; p must outlive it. secure_boot is left for the
 * caller. Nothing is written to the machine.
 * ST_NO_MEMORY; ST_ABSENT: no processor that answers with CPUID leaf 1. Missing tables are no error: their fields say
 * so. On anything but ST_OK there is nothing to free. */
MUST_CHECK enum status machine_enumerate(struct platform *p, struct machine *m);
void machine_free(struct machine *m);

/* "cpu 17 (APIC 0x22, package 1 core 3 thread 0)" */
size_t machine_cpu_name(const struct machine *m, uint32_t cpu, char *out, size_t size);
/* The first node with memory that belongs to a package; NO_NODE: none is known to. */
uint32_t machine_package_node(const struct machine *m, uint32_t package);
/* SNC or NPS: nodes with processors, for each package; at least 1. */
uint32_t machine_nodes_per_package(const struct machine *m);
/* Whether it has any; true where no SRAT says so. */
bool machine_package_has_memory(const struct machine *m, uint32_t package);
/* Whether an address is in a memory range of the SRAT. */
bool machine_is_memory(const struct machine *m, uint64_t address);
