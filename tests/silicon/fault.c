/* tests/silicon/fault.c: the catalogue of defects. See fault.h.
 *
 * rows: rows of the conformance list, RDT ids first; ids without a letter pair (E1, O1, ...) are U-box rows. Where a
 * fault has a parameter, its default and meaning stand in `parameter`.
 */
#include "tests/silicon/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL UINT64_MAX
#define RDT "bdx,bdx-gp"
#define ANY "bdx,bdx-gp,snbep"

struct extra {
    const char *parameter; /* NULL: none */
    uint64_t value;
};

/* clang-format off: one row a fault */
#define ROWS(X)                                                                                                        \
    X(FAULT_CPUID_BLANK_MONITORING, "cpuid-blank-monitoring",                                                          \
      "monitoring is advertised over empty leaves 0FH (fuses, or a hypervisor's filter)", RDT, "EN-01", false, NULL,   \
      0)                                                                                                               \
    X(FAULT_CPUID_BLANK_ALLOCATION, "cpuid-blank-allocation", "allocation is advertised over empty leaves 10H", RDT,   \
      "EN-02", false, NULL, 0)                                                                                         \
    X(FAULT_CPUID_RMID_LIMITS, "cpuid-rmid-limits", "the L3 claims more RMIDs than the processor", RDT, "EN-03",       \
      false, NULL, 0)                                                                                                  \
    X(FAULT_CPUID_RESERVED, "cpuid-reserved", "a reserved field of leaf 0FH is not zero", RDT, "EN-04", false,         \
      "bit of 0FH.1:EDX", 7)                                                                                           \
    X(FAULT_CPUID_PROCESSOR, "cpuid-differs-on-processor",                                                             \
      "one processor enumerates one RMID less than the others (mixed microcode or fuses)", RDT, "EN-05", false,        \
      "processor", ALL)                                                                                                \
    X(FAULT_CPUID_PACKAGE, "cpuid-differs-on-package",                                                                 \
      "one package enumerates half the RMIDs (parts of different kinds in one machine)", RDT, "XC-01,EN-05", false,    \
      "package", ALL)                                                                                                  \
    X(FAULT_CPUID_SCALE_ZERO, "cpuid-scale-zero", "the upscaling factor was never fused", RDT, "EN-06", false, NULL,   \
      0)                                                                                                               \
    X(FAULT_CPUID_SCALE_ODD, "cpuid-scale-odd", "the upscaling factor is no multiple of a line", RDT, "EN-06", false,  \
      NULL, 0)                                                                                                         \
    X(FAULT_CPUID_SCALE_DOUBLED, "cpuid-scale-doubled", "the upscaling factor is twice what the counters count in",    \
      RDT, "EN-07,CM-02,MB-02", false, NULL, 0)                                                                        \
    X(FAULT_CPUID_SCALE_HALVED, "cpuid-scale-halved",                                                                  \
      "the upscaling factor is half of what the counters count in (left by a cluster mode)", RDT, "CM-02,CM-03,MB-02", \
      false, NULL, 0)                                                                                                  \
    X(FAULT_CPUID_WIDTH, "cpuid-width", "the counter width field holds nonsense", RDT, "EN-08", false,                 \
      "value of 0FH.1:EAX[7:0]", 50)                                                                                   \
    X(FAULT_CPUID_EVENTS, "cpuid-events", "local bandwidth is enumerated without total bandwidth", RDT, "EN-09",       \
      false, "value of 0FH.1:EDX", 5)                                                                                  \
    X(FAULT_CPUID_ECHO, "cpuid-subleaf-echo", "sub-leaves that do not exist repeat the one before", RDT,               \
      "EN-10,EN-04", false, NULL, 0)                                                                                   \
    X(FAULT_MICROCODE_DIFFERS, "microcode-differs", "one package was left out of the microcode update", ANY, "XC-01",  \
      false, "package", 1)                                                                                             \
    X(FAULT_PQR_LEFT_BY_FIRMWARE, "pqr-left-by-firmware", "firmware leaves its own RMID in every processor", RDT,      \
      "AS-01,RS-01", false, "RMID", 5)                                                                                 \
    X(FAULT_PQR_LOSES_BIT, "pqr-loses-bit", "a bit of PQR_ASSOC always reads 0", RDT, "AS-02", false, "bit", 5)        \
    X(FAULT_PQR_RESERVED_ACCEPTED, "pqr-reserved-accepted",                                                            \
      "reserved bits beside the RMID are dropped without a fault", RDT, "AS-04", true, NULL, 0)                        \
    X(FAULT_PQR_RESERVED_CLOS_ACCEPTED, "pqr-reserved-clos-accepted",                                                  \
      "reserved bits above the CLOS are dropped without a fault", RDT, "AS-06", true, NULL, 0)                         \
    X(FAULT_PQR_CLOS_LIMIT, "pqr-clos-limit", "a CLOS above the highest is accepted", RDT, "AS-05", true, NULL, 0)     \
    X(FAULT_PQR_CLOS_CLOBBERS_RMID, "pqr-clos-clobbers-rmid", "a write that changes the CLOS loses the RMID", RDT,     \
      "AS-07", false, NULL, 0)                                                                                         \
    X(FAULT_PQR_LEAKS_TO_SIBLING, "pqr-leaks-to-sibling", "both threads of a core share one PQR_ASSOC", RDT,           \
      "AS-07,AS-08", false, NULL, 0)                                                                                   \
    X(FAULT_PQR_BROADCAST, "pqr-broadcast", "a write of PQR_ASSOC reaches every processor of the package", RDT,        \
      "AS-08,AS-07", false, NULL, 0)                                                                                   \
    X(FAULT_QM_EVTSEL_LOSES_BIT, "evtsel-loses-bit", "a bit of QM_EVTSEL always reads 0", RDT, "QM-01", false, "bit",  \
      36)                                                                                                              \
    X(FAULT_QM_EVTSEL_RESERVED_ACCEPTED, "evtsel-reserved-accepted",                                                   \
      "reserved bits of QM_EVTSEL are dropped without a fault", RDT, "QM-02", true, NULL, 0)                           \
    X(FAULT_QM_RMID_LIMIT, "qm-rmid-limit", "an RMID above the maximum is answered with another RMID's data", RDT,     \
      "QM-04", false, NULL, 0)                                                                                         \
    X(FAULT_QM_TABLE_SHORT, "qm-table-short", "fewer RMIDs have counters than are enumerated", RDT, "QM-03", false,    \
      "RMIDs that have one", 48)                                                                                       \
    X(FAULT_QM_GHOST_EVENT, "qm-ghost-event", "an event that is not enumerated answers with data", RDT, "QM-05",       \
      false, "event", 9)                                                                                               \
    X(FAULT_QM_ERROR_NEVER, "qm-error-never", "QM_CTR.Error is stuck at 0", RDT, "QM-04,QM-05", false, NULL, 0)        \
    X(FAULT_QM_ERROR_STICKY, "qm-error-sticky", "QM_CTR.Error does not clear when a legal pair is selected", RDT,      \
      "QM-08", false, NULL, 0)                                                                                         \
    X(FAULT_QM_UNAVAILABLE, "qm-unavailable", "QM_CTR.Unavailable is stuck at 1", RDT, "QM-03,QM-08,QM-11,CM-02",      \
      false, "RMID, all without", ALL)                                                                                 \
    X(FAULT_QM_STALE, "qm-stale", "the first read after a selection still has the pair before it", RDT, "QM-11",       \
      false, NULL, 0)                                                                                                  \
    X(FAULT_QM_CTR_WRITABLE, "qm-ctr-writable", "a write of QM_CTR raises no fault", RDT, "QM-09", true, NULL, 0)      \
    X(FAULT_RMID_IGNORED, "rmid-ignored", "one thread's lines are always tagged 0, whatever its PQR_ASSOC says", RDT,  \
      "CM-02,CM-06,MB-02,MB-13", false, "processor", 1)                                                                \
    X(FAULT_RMID_ALIASING, "rmid-aliasing", "the tag memory is narrower than the RMIDs", RDT, "CM-12", false, "bits",  \
      5)                                                                                                               \
    X(FAULT_RMID_STALE_AFTER_SWITCH, "rmid-stale-after-switch",                                                        \
      "after a switch, lines go on being tagged with the former RMID", RDT, "CM-06,MB-13", false, "lines", 98304)      \
    X(FAULT_RMID_RETAG, "rmid-retag", "a write of PQR_ASSOC moves the lines that are there to the new RMID", RDT,      \
      "CM-05,CM-06", false, NULL, 0)                                                                                   \
    X(FAULT_OCC_KEPT_ON_EVICTION, "occupancy-kept-on-eviction", "an evicted line goes on being counted", RDT,          \
      "CM-01,CM-02,CM-03,QM-10", false, NULL, 0)                                                                       \
    X(FAULT_OCC_KEPT_ON_FLUSH, "occupancy-kept-on-flush", "a flushed line goes on being counted", RDT, "CM-04,CM-01",  \
      false, NULL, 0)                                                                                                  \
    X(FAULT_OCC_SCALED_TWICE, "occupancy-scaled-twice", "the counter already holds bytes", RDT, "CM-02,CM-03,QM-10",   \
      false, NULL, 0)                                                                                                  \
    X(FAULT_OCC_HALVED, "occupancy-halved", "half of the slices report no occupancy", RDT, "CM-02,CM-03", false, NULL, \
      0)                                                                                                               \
    X(FAULT_OCC_SATURATES, "occupancy-saturates", "occupancy stops growing at a limit", RDT, "CM-03,CM-02", false,     \
      "counts", 240)                                                                                                   \
    X(FAULT_OCC_GLOBAL, "occupancy-global", "each package reports the occupancy of all of them", RDT, "XC-04", false,  \
      NULL, 0)                                                                                                         \
    X(FAULT_MBM_NARROW, "mbm-narrow", "the bandwidth counter has fewer bits than enumerated", RDT,                     \
      "MB-08,MB-02,MB-07", false, "bits", 20)                                                                          \
    X(FAULT_MBM_WIDE, "mbm-wide", "the bandwidth counter shows bits above its width", RDT, "QM-10", false, "bits", 32) \
    X(FAULT_MBM_SATURATES, "mbm-saturates", "the bandwidth counter stops at its greatest value", RDT, "MB-08,MB-02",   \
      false, NULL, 0)                                                                                                  \
    X(FAULT_MBM_READ_RESETS, "mbm-read-resets", "reading the bandwidth counter clears it", RDT, "MB-10,MB-02,MB-07",   \
      false, NULL, 0)                                                                                                  \
    X(FAULT_MBM_STEPS_BACK, "mbm-steps-back", "now and then a read returns an older count", RDT, "MB-07,MB-01,MB-10",  \
      false, "counts", 65536)                                                                                          \
    X(FAULT_MBM_GHOST, "mbm-ghost", "counters advance for RMIDs that nobody runs under", RDT, "MB-01", false, "MB/s",  \
      100)                                                                                                             \
    X(FAULT_MBM_HALF, "mbm-half", "half of the slices report no bandwidth", RDT, "MB-02", false, NULL, 0)              \
    X(FAULT_MBM_DOUBLE, "mbm-double", "each line counts twice", RDT, "MB-02", false, NULL, 0)                          \
    X(FAULT_MBM_LOCAL_COUNTS_REMOTE, "mbm-local-counts-remote",                                                        \
      "local bandwidth includes lines from the other package", RDT, "MB-06", false, NULL, 0)                           \
    X(FAULT_MBM_LOCAL_DEAD, "mbm-local-dead", "local bandwidth does not move", RDT, "MB-05", false, NULL, 0)           \
    X(FAULT_MBM_SWAPPED, "mbm-swapped", "the two bandwidth events are exchanged", RDT, "MB-04,MB-06", false, NULL, 0)  \
    X(FAULT_UCLK_STOPPED, "uclk-stopped", "the uncore clock of one package does not reach its U-box", ANY, "K1,E1",    \
      false, "package", 1)                                                                                             \
    X(FAULT_UCLK_SLOW, "uclk-slow", "the U-box of one package counts every other clock", ANY, "K1", false, "package",  \
      1)                                                                                                               \
    X(FAULT_UCLK_IGNORES_ENABLE, "uclk-ignores-enable", "the fixed counter runs whether enabled or not", ANY, "E1,E2", \
      false, NULL, 0)                                                                                                  \
    X(FAULT_UBOX_NARROW, "ubox-narrow", "the counters have one bit less than documented", ANY, "O1,A2", false, NULL,   \
      0)                                                                                                               \
    X(FAULT_UBOX_SATURATES, "ubox-saturates", "the counters stop at their greatest value", ANY, "O1", false, NULL, 0)  \
    X(FAULT_UBOX_STUCK_BIT, "ubox-stuck-bit", "a bit of the counters is stuck at 1", ANY, "A2", false, "bit", 40)      \
    X(FAULT_UBOX_RESET_DEAD, "ubox-reset-dead", "the reset bit of a control does nothing", ANY, "R3", false, NULL, 0)  \
    X(FAULT_UBOX_IGNORES_ENABLE, "ubox-ignores-enable", "the counters run whether enabled or not", ANY, "E1,E2",       \
      false, NULL, 0)                                                                                                  \
    X(FAULT_UBOX_THRESHOLD, "ubox-threshold", "an increment is compared with the threshold less one", ANY, "T1",       \
      false, NULL, 0)                                                                                                  \
    X(FAULT_UBOX_INVERT, "ubox-invert", "the invert bit does nothing", ANY, "T4", false, NULL, 0)                      \
    X(FAULT_UBOX_EDGE, "ubox-edge", "the edge bit does nothing: levels are counted", ANY, "G1,G2", false, NULL, 0)     \
    X(FAULT_UBOX_SHARED, "ubox-shared", "every package reaches the U-box of the first one", ANY, "S1", false, NULL, 0)
/* clang-format on */

static const struct model_fault faults[FAULTS] = {
#define X(id, name_, stands_for_, profiles_, rows_, gp, parameter, value)                                              \
    [id] = { .name = name_, .stands_for = stands_for_, .profiles = profiles_, .rows = rows_, .needs_gp = gp },
    ROWS(X)
#undef X
};

static const struct extra extras[FAULTS] = {
#define X(id, name_, stands_for_, profiles_, rows_, gp, parameter_, value_)                                            \
    [id] = { .parameter = parameter_, .value = value_ },
    ROWS(X)
#undef X
};

const struct model_fault *model_faults(uint32_t *n)
{
    *n = FAULTS;
    return faults;
}

/* Is word one of the comma-separated words of list? */
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *p = list; (p = strstr(p, word)) != NULL; p += length)
        if ((p == list || p[-1] == ',') && (p[length] == '\0' || p[length] == ','))
            return true;
    return false;
}

static bool refuse(char *error, size_t size, const char *text, const char *why)
{
    size_t used;

    if (!error || size == 0)
        return false;
    snprintf(error, size, "fault %s: %s; there are:", text, why);
    for (uint32_t i = 0; i < FAULTS; i++) {
        used = strlen(error);
        snprintf(error + used, size - used, " %s", faults[i].name);
    }
    return false;
}

bool fault_parse(struct fault_set *set, const char *profile, const char *text, char *error, size_t error_size)
{
    size_t length = strcspn(text, ":");
    uint32_t id = 0;

    while (id < FAULTS && (strlen(faults[id].name) != length || memcmp(faults[id].name, text, length) != 0))
        id++;
    if (id == FAULTS)
        return refuse(error, error_size, text, "no such name");
    if (!list_has(faults[id].profiles, profile))
        return refuse(error, error_size, text, "this profile has not got what it breaks");
    set->value[id] = extras[id].value;
    if (text[length] == ':') {
        char *end;

        if (!extras[id].parameter)
            return refuse(error, error_size, text, "takes no value");
        errno = 0;
        set->value[id] = strtoull(text + length + 1, &end, 0);
        if (end == text + length + 1 || *end || errno)
            return refuse(error, error_size, text, "the value is no number");
    }
    set->on[id] = true;
    return true;
}
