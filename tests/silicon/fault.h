/* tests/silicon/fault.h: the defects that virtual silicon can be given.
 *
 * One row a fault: the enumerator here, its public description in fault.c, and the places in the model that ask
 * fault_on(). A fault changes what the silicon does and never what a check sees otherwise: it acts in the cache, the
 * counter or the register that would be broken.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model.h"

enum fault_id {
    /* CPUID */
    FAULT_CPUID_BLANK_MONITORING,
    FAULT_CPUID_BLANK_ALLOCATION,
    FAULT_CPUID_RMID_LIMITS,
    FAULT_CPUID_RESERVED,
    FAULT_CPUID_PROCESSOR,
    FAULT_CPUID_PACKAGE,
    FAULT_CPUID_SCALE_ZERO,
    FAULT_CPUID_SCALE_ODD,
    FAULT_CPUID_SCALE_DOUBLED,
    FAULT_CPUID_SCALE_HALVED,
    FAULT_CPUID_WIDTH,
    FAULT_CPUID_EVENTS,
    FAULT_CPUID_ECHO,
    FAULT_MICROCODE_DIFFERS,
    /* IA32_PQR_ASSOC */
    FAULT_PQR_LEFT_BY_FIRMWARE,
    FAULT_PQR_LOSES_BIT,
    FAULT_PQR_RESERVED_ACCEPTED,
    FAULT_PQR_RESERVED_CLOS_ACCEPTED,
    FAULT_PQR_CLOS_LIMIT,
    FAULT_PQR_CLOS_CLOBBERS_RMID,
    FAULT_PQR_LEAKS_TO_SIBLING,
    FAULT_PQR_BROADCAST,
    /* IA32_QM_EVTSEL, IA32_QM_CTR */
    FAULT_QM_EVTSEL_LOSES_BIT,
    FAULT_QM_EVTSEL_RESERVED_ACCEPTED,
    FAULT_QM_RMID_LIMIT,
    FAULT_QM_TABLE_SHORT,
    FAULT_QM_GHOST_EVENT,
    FAULT_QM_ERROR_NEVER,
    FAULT_QM_ERROR_STICKY,
    FAULT_QM_UNAVAILABLE,
    FAULT_QM_STALE,
    FAULT_QM_CTR_WRITABLE,
    /* tags and occupancy */
    FAULT_RMID_IGNORED,
    FAULT_RMID_ALIASING,
    FAULT_RMID_STALE_AFTER_SWITCH,
    FAULT_RMID_RETAG,
    FAULT_OCC_KEPT_ON_EVICTION,
    FAULT_OCC_KEPT_ON_FLUSH,
    FAULT_OCC_SCALED_TWICE,
    FAULT_OCC_HALVED,
    FAULT_OCC_SATURATES,
    FAULT_OCC_GLOBAL,
    /* bandwidth */
    FAULT_MBM_NARROW,
    FAULT_MBM_WIDE,
    FAULT_MBM_SATURATES,
    FAULT_MBM_READ_RESETS,
    FAULT_MBM_STEPS_BACK,
    FAULT_MBM_GHOST,
    FAULT_MBM_HALF,
    FAULT_MBM_DOUBLE,
    FAULT_MBM_LOCAL_COUNTS_REMOTE,
    FAULT_MBM_LOCAL_DEAD,
    FAULT_MBM_SWAPPED,
    /* UBox */
    FAULT_UCLK_STOPPED,
    FAULT_UCLK_SLOW,
    FAULT_UCLK_IGNORES_ENABLE,
    FAULT_UBOX_NARROW,
    FAULT_UBOX_SATURATES,
    FAULT_UBOX_STUCK_BIT,
    FAULT_UBOX_RESET_DEAD,
    FAULT_UBOX_IGNORES_ENABLE,
    FAULT_UBOX_THRESHOLD,
    FAULT_UBOX_INVERT,
    FAULT_UBOX_EDGE,
    FAULT_UBOX_SHARED,
    FAULTS
};

struct fault_set {
    bool on[FAULTS];
    uint64_t value[FAULTS]; /* parameter: as given, or the row's default */
};

/* Parse "NAME" or "NAME:VALUE" and switch it on. False: *error says what is wrong and lists the names. */
bool fault_parse(struct fault_set *set, const char *profile, const char *text, char *error, size_t error_size);

/* The processor, package ... that a fault is about, out of n: its parameter, the last one without. */
static inline uint32_t fault_place(const struct fault_set *set, enum fault_id id, uint32_t n)
{
    return set->value[id] == UINT64_MAX ? n - 1 : (uint32_t)(set->value[id] % n);
}

static inline bool fault_on(const struct fault_set *set, enum fault_id id)
{
    return __builtin_expect(set->on[id], 0);
}
