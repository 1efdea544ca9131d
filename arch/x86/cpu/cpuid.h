/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/cpu/cpuid.h: identity and caches from CPUID. Source: SDM vol. 2A "CPUID-CPU Identification"; APM vol. 3 app. E.
 *
 * Decoders take a source of registers, so that the same code reads a live processor and a recorded enumeration.
 */
#pragma once
#include "core/platform/platform.h"

/* Registers of one leaf. ST_ABSENT: the leaf is not available (beyond the maximum, or not in the recording). */
struct cpuid_source {
    enum status (*leaf)(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);
    void *context;
};

/* Whether a leaf may be asked at all. Above the maximum of its range an Intel processor answers with data of its
 * highest basic leaf, and QEMU does too, so every source must hold leaves against its maxima before it answers.
 * max_basic: leaf 0 EAX. max_extended: leaf 80000000H EAX, anything below 80000000H where there is none. Hypervisor
 * leaves (400000xxH) pass: the caller looks at leaf 1 ECX[31] first. */
bool cpuid_in_range(uint32_t leaf, uint32_t max_basic, uint32_t max_extended);

/* A started processor as a source. Leaves above the maximum of their range (0, 80000000H) answer ST_ABSENT: what the
 * instruction returns there is data of another leaf. */
struct cpuid_live {
    struct platform *platform;
    uint32_t cpu;
    uint32_t max_basic, max_extended; /* filled by cpuid_live_source() */
};
/* live and source are filled on ST_OK; live must outlive source. Errors as cpu_cpuid(). */
MUST_CHECK enum status cpuid_live_source(struct platform *p, uint32_t cpu, struct cpuid_live *live,
                                         struct cpuid_source *source);

enum cpu_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD, VENDOR_HYGON, VENDOR_CENTAUR, VENDOR_ZHAOXIN };

struct cpu_identity {
    enum cpu_vendor vendor;
    char vendor_string[13];
    uint32_t signature; /* leaf 1 EAX                                             */
    uint32_t family;    /* display family, SDM vol. 2A                            */
    uint32_t model;     /* display model                                          */
    uint32_t stepping;
};

/* AMD's, or Hygon's, whose processors are AMD's design. */
static inline bool cpu_is_amd(const struct cpu_identity *id)
{
    return id->vendor == VENDOR_AMD || id->vendor == VENDOR_HYGON;
}

struct cache_info {
    uint32_t level; /* 1, 2, 3, 4                                                        */
    char kind;      /* 'd', 'i', 'u'                                                     */
    bool inclusive;
    bool complex_index;
    uint32_t line_bytes, ways, sets, partitions;
    uint64_t bytes;
    uint32_t sharing_ids; /* leaf 4 EAX[25:14] + 1: addressable logical ids, not processors */
};

/* ST_ABSENT: no leaf 0 or no leaf 1. */
MUST_CHECK enum status cpuid_identity(const struct cpuid_source *s, struct cpu_identity *id);
/* "Intel(R) Xeon(R) ...", leading blanks dropped; "" where leaf 80000004H is absent. */
void cpuid_brand(const struct cpuid_source *s, char brand[49]);
/* "KVMKVMKVM", "TCGTCGTCGTCG", ...: leaf 40000000H where leaf 1 ECX[31] says that a hypervisor is there. false: it is
 * not, and name is "". Source: SDM vol. 2A, CPUID leaf 1 ECX[31] (not used by hardware, reads 0). */
bool cpuid_hypervisor(const struct cpuid_source *s, char name[13]);
/* Deterministic cache parameters: leaf 4, on AMD and Hygon leaf 8000001DH. Returns how many (at most max). Source: SDM
 * vol. 2A table 3-8, leaf 4; APM vol. 3 E.4.15 "Function 8000_001D". */
uint32_t cpuid_caches(const struct cpuid_source *s, const struct cpu_identity *id, struct cache_info *caches,
                      uint32_t max);
/* "Broadwell-EP", "Skylake-SP", ...: a table by vendor, family, model and where needed stepping. NULL: not in it. */
const char *cpuid_generation(const struct cpu_identity *id);
/* TSC rate from leaf 15H (with the crystal of leaf 15H, or of the SDM's table where ECX is 0). 0: not enumerated. */
uint64_t cpuid_tsc_hz(const struct cpuid_source *s, const struct cpu_identity *id);
