/* arch/x86/cpuid.h: identity and caches from CPUID. Source: SDM vol. 2A "CPUID-CPU Identification"; APM vol. 3 app. E.
 *
 * Decoders take a source of registers, so that the same code reads a live processor and a recorded enumeration.
 */
#pragma once
#include "core/platform.h"

/* Registers of one leaf. ST_ABSENT: the leaf is not to be had (beyond the maximum, or not in the recording). */
struct cpuid_source {
    enum status (*leaf)(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);
    void *context;
};

/* A started processor as a source. Leaves above the maximum of their range (0, 80000000H) answer ST_ABSENT: what the
 * instruction returns there is data of another leaf. */
struct cpuid_live {
    struct platform *platform;
    uint32_t cpu;
    uint32_t max_basic, max_extended; /* filled by cpuid_live_source() */
};
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

struct cache_info {
    uint32_t level; /* 1, 2, 3, 4                                                        */
    char kind;      /* 'd', 'i', 'u'                                                     */
    bool inclusive;
    bool complex_index;
    uint32_t line_bytes, ways, sets, partitions;
    uint64_t bytes;
    uint32_t sharing_ids; /* leaf 4 EAX[25:14] + 1: addressable logical ids, not processors */
};

MUST_CHECK enum status cpuid_identity(const struct cpuid_source *s, struct cpu_identity *id);
/* "Intel(R) Xeon(R) ...", leading blanks dropped; "" where leaf 80000004H is absent. */
void cpuid_brand(const struct cpuid_source *s, char brand[49]);
/* Deterministic cache parameters: leaf 4, on AMD and Hygon leaf 8000001DH. Returns how many (at most max). */
uint32_t cpuid_caches(const struct cpuid_source *s, const struct cpu_identity *id, struct cache_info *caches,
                      uint32_t max);
/* "Broadwell-EP", "Skylake-SP", ...: a table by vendor, family, model and where needed stepping. NULL: not in it. */
const char *cpuid_generation(const struct cpu_identity *id);
/* TSC rate from leaf 15H (with the crystal of leaf 15H, or of the SDM's table where ECX is 0). 0: not enumerated. */
uint64_t cpuid_tsc_hz(const struct cpuid_source *s, const struct cpu_identity *id);
