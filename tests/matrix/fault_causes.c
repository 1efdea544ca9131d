/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/fault_causes.h"

#include <string.h>

#include "core/base/text.h"
#include "tests/support/run/whole_run.h"

/* Several causes where they do the same to all that can be measured. */
static const struct {
    const char *fault, *causes;
} listed[] = {
    { "cpuid-rmid-limits", "rmids-enumerated-above-counters" },
    { "cpuid-differs-on-*", "enumeration-differs" },
    { "cpuid-core-types", "enumeration-differs" },
    { "cpuid-scale-package", "enumeration-differs" },
    { "cpuid-scale-zero", "upscaling-factor-blank" },
    { "cpuid-scale-odd", "upscaling-factor-blank" },
    { "cpuid-scale-*", "upscaling-factor-wrong" },
    { "cpuid-width", "mbm-width-enumerated-wrong" },
    { "home-address-ignored", "home-match-ignored" },
    { "home-opcode-ignored", "home-match-ignored" },
    { "umask-first-only", "umasks-not-summed" },
    { "tor-hit-lost", "umasks-not-summed" },
    { "umask-reads-lost", "umasks-not-summed" },
    { "umask-writes-lost", "umasks-not-summed" },
    { "cpuid-events", "events-enumerated-wrong" },
    { "cpuid-clos-*", "clos-enumerated-wrong cat.class-limit" },
    { "cpuid-one-class", "clos-enumerated-wrong" },
    { "cpuid-cbm-length", "cbm-length-wrong" },
    { "cpuid-mba-*", "mba-delays-enumerated-wrong" },
    { "cpuid-l3-sharing", "l3-sharing-wrong" },
    { "pqr-clos-limit", "pqr-takes-illegal-clos" },
    { "cpuid-io-half", "io-register-missing" },
    { "pqr-loses-bit", "pqr-loses-bits" },
    { "pqr-rmid-narrow", "pqr-loses-bits" },
    { "pqr-same-value", "pqr-same-value-lost" },
    { "pqr-clos-clobbers-rmid", "pqr-clos-write-loses-rmid" },
    { "pqr-leaks-to-sibling", "pqr-shared" },
    { "pqr-broadcast", "pqr-shared" },
    { "qm-table-short", "rmids-without-counter" },
    { "qm-error-never", "qm-error-missing qm.error-bit" },
    { "evtsel-reserved-*", "evtsel-takes-reserved-bits" },
    { "evtsel-event-late", "qm-event-late" },
    { "pqr-upper-bits-late", "rmid-tag-loses-bit" },
    { "evtsel-shared-by-packages", "qm.scope qm.together" },
    { "qm-error-one-processor", "qm-error-missing" },
    { "qm-rmid-limit", "qm.rmid-limit qm-error-missing" },
    { "qm-error-sticky", "qm-error-sticky" },
    { "qm-unavailable", "qm-unavailable" },
    { "qm-flickers", "qm-unavailable" },
    { "qm-stale", "qm-ctr-stale" },
    { "qm-overflow-stuck", "mbm-bits-above-width" },
    { "mbm-wide", "mbm-bits-above-width" },
    { "mbm-bit-stuck", "qm-ctr-bit-stuck" },
    { "mbm-narrow", "mbm-counter-narrow" },
    { "mbm-local-narrow", "mbm-counter-narrow" },
    { "mbm-saturates", "mbm-counter-saturates" },
    { "mbm-read-resets", "mbm-read-clears mbm.reading-resets" },
    { "mbm-wbinvd-clears", "mbm-cleared-by-flush" },
    { "mbm-mask-clears", "mbm-cleared-by-flush" },
    { "mbm-steps-back", "mbm-steps-back" },
    { "mbm-torn-carry", "mbm-steps-back mbm.rested" },
    { "mbm-global", "mbm-of-all-domains" },
    { "mbm-ghost", "mbm-counts-idle-rmids" },
    { "mbm-half", "mbm-total-scaled" },
    { "mbm-loss", "mbm-total-scaled" },
    { "mbm-double", "mbm-total-scaled" },
    { "mbm-stores-lost", "mbm-loses-kind-of-access" },
    { "mbm-lost-at-clock", "mbm-total-scaled" },
    { "cluster-mbm-dead", "mbm-total-dead" },
    { "mbm-local-loss", "mbm-local-loses" },
    { "mbm-local-dead", "mbm-local-dead" },
    { "mbm-local-counts-remote", "mbm-local-counts-remote" },
    { "mbm-swapped", "mbm-events-swapped" },
    { "home-swapped", "nodes-exchanged" },
    { "srat-swapped", "nodes-exchanged" },
    { "mbm-rmid-factor", "mbm-of-one-rmid-scaled" },
    { "tag-swap", "rmids-exchanged" },
    { "tag-sibling-loads", "siblings-share-mbm-tag" },
    { "tag-sibling-stores", "siblings-share-mbm-tag" },
    { "mbm-high-rmids-low", "mbm-from-rmid-on" },
    { "erratum-factor-off", "mbm-from-rmid-on" },
    { "mbm-crowd-loses", "mbm-loses-in-a-crowd" },
    { "mbm-throttled-loses", "mbm-loses-throttled" },
    { "mbm-sibling-shared", "siblings-share-mbm-tag" },
    { "rmid-ignored", "rmid-ignored-by-processor" },
    { "tag-bit-lost", "rmid-tag-loses-bit" },
    { "tag-sibling-clears", "rmid-lost-by-sibling" },
    { "rmid-aliasing", "rmids-aliased" },
    { "mbm-local-aliases", "rmids-aliased" },
    { "rmid-upper-shifted", "rmids-shifted" },
    { "occupancy-zero-dead", "occupancy-of-one-rmid-dead" },
    { "rmid-stale-after-switch", "rmid-late-after-switch" },
    { "rmid-retag", "occupancy-retagged-by-switch" },
    { "rmid-step-low", "occupancy-from-rmid-on" },
    { "occupancy-kept-on-eviction", "occupancy-kept-after-eviction" },
    { "occupancy-kept-on-flush", "occupancy-kept-after-flush" },
    { "occupancy-kept-on-take", "occupancy-kept-when-taken" },
    { "occupancy-kept-far", "occupancy-kept-far" },
    { "occupancy-scaled-twice", "occupancy-scaled" },
    { "occupancy-halved", "occupancy-scaled" },
    { "occupancy-loss", "occupancy-scaled" },
    { "occupancy-wrong-rmid", "occupancy-under-other-rmid" },
    { "occupancy-stale", "queue-occupancy-kept" },
    { "occupancy-saturates", "occupancy-saturates" },
    { "occupancy-global", "occupancy-of-all-domains" },
    { "cmt-crowd", "occupancy-of-few-rmids" },
    { "capacity-unowned", "sets-uncounted" },
    { "cluster-rmids", "cluster-rmids-wrong" },
    { "cluster-cmt-dead", "cluster-rmids-wrong" },
    { "cluster-rmid-offset", "cluster-rmids-wrong" },
    { "cluster-sharing-ignored", "cluster-rmids-wrong" },
    { "cluster-leaks", "cluster-rmids-wrong" },
    { "cluster-scale-undivided", "cluster-scale-wrong" },
    { "cluster-class-ignored", "class-ignored" },
    { "clos-ignored", "clos-ignored-by-processor" },
    { "clos-of-sibling", "clos-ignored-by-processor" },
    { "mask-stuck-bit", "masks-store-wrong" },
    { "mask-next-written", "masks-store-wrong" },
    { "mask-neighbour-reset", "masks-store-wrong" },
    { "mask-broadcast", "masks-of-other-domain" },
    { "mask-one-processor", "masks-of-other-domain" },
    { "mask-inert", "masks-leak" },
    { "mask-leak", "masks-leak" },
    { "mask-limit", "clos-enumerated-wrong cat.class-limit" },
    { "mask-shifted", "mask-of-one-clos-acts-elsewhere" },
    { "mask-*-escape*", "kind-of-access-escapes-mask" },
    { "mask-one-way-open", "mask-of-one-way-open" },
    { "mba-stuck", "mba-delays-lose-bits" },
    { "mba-same-value", "mba-delays-lose-bits" },
    { "cdp-no-register", "cdp-register-missing" },
    { "cdp-refused", "cdp-not-switched-on" },
    { "cdp-stuck", "cdp-not-switched-off" },
    { "cdp-swapped", "cdp-masks-swapped" },
    { "cdp-left-by-firmware", "cdp-left-by-firmware" },
    { "masks-left-by-firmware", "masks-left-by-firmware" },
    { "mba-left-by-firmware", "throttles-left-by-firmware" },
    { "mba-cfg-left-by-firmware", "mba-options-left-by-firmware" },
    { "cba-*", "cba-registers-wrong" },
    { "events-one-processor", "amd-event-configuration" },
    { "events-both-written", "amd-event-configuration" },
    { "events-broadcast", "amd-event-configuration" },
    { "pmon-left-*", "pmon-left-by-firmware" },
    { "ubox-saturates", "ubox-counters-saturate" },
    { "uclk-stopped", "uclk-stopped" },
    { "uclk-ignores-enable", "fixed-counter-ignores-enable" },
    { "ubox-narrow", "ubox-counters-narrow counters-narrow" },
    { "ubox-stuck-bit", "ubox-counters-stuck counters-narrow" },
    { "ubox-invert", "ubox-invert-dead invert-dead" },
    { "ubox-threshold", "ubox-invert-dead threshold-wrong" },
    { "ubox-edge", "ubox.threshold edge-detect-dead" },
    { "ubox-umask-ignored", "ubox-selection-ignored" },
    { "ubox-event-ignored", "ubox-selection-ignored" },
    { "ubox-messages-half", "ubox.messages" },
    { "ubox-reset-dead", "ubox.reset box-reset-dead" },
    { "pmon-freeze-one-runs", "freeze-dead" },
    { "pmon-fixed-ignores-freeze", "freeze-dead" },
    { "pmon-narrow", "counters-narrow" },
    { "pmon-dead-counter", "counter-dead" },
    { "pmon-ignores-enable", "counters-ignore-enable" },
    { "pmon-enable-shared", "counters-ignore-enable" },
    { "pmon-reset-dead", "box-reset-dead" },
    { "pmon-reset-clears-controls", "reset-clears-others" },
    { "pmon-frozen-write-lost", "frozen-writes-lost" },
    { "pmon-low-clears-high", "counter-half-clears-other" },
    { "pmon-read-stale", "counters-stale" },
    { "pmon-invert-alone", "invert-without-threshold" },
    { "pmon-box-reset-dead", "box-reset-dead" },
    { "pmon-freeze-dead", "freeze-dead" },
    { "pmon-threshold", "threshold-wrong" },
    { "pmon-threshold-narrow", "threshold-wrong" },
    { "pmon-select-shared", "controls-not-stored" },
    { "pmon-umask-shared", "controls-not-stored" },
    { "cbo-filter-bit-stuck", "controls-not-stored" },
    { "pmon-invert", "invert-dead" },
    { "pmon-edge", "edge-detect-dead" },
    { "pmi-lost", "uncore-interrupt-lost" },
    { "pmi-twice", "uncore-interrupt-twice" },
    { "pmi-other-core", "uncore-interrupt-misrouted" },
    { "cbo-dead", "slice-dead" },
    { "imc-phantom-channel", "channel-dead" },
    { "dimm-not-counted", "channel-dead" },
    { "imc-counts-double", "channel-scaled" },
    { "pmon-lost-at-clock", "channel-dead" },
    { "pmon-smi-doubles", "channel-scaled" },
    { "umc-channel-dead", "channel-dead" },
    { "df-channel-dead", "fabric-channel-off channel-dead" },
    { "df-channel-double", "fabric-channel-off channel-scaled" },
    { "imc-cas-swapped", "cas-reads-writes-swapped" },
    { "home-remote-swapped", "home-remote-swapped" },
    { "qpi-directions-swapped", "link-directions-swapped" },
    { "core-llc-misses-half", "core-events-scaled" },
    { "imc-free-dead", "free-running-memory-wrong" },
    { "imc-free-double", "free-running-memory-wrong" },
    { "pci-hidden", "box-hidden discovery-wrong" },
    { "pci-all-ones", "box-hidden discovery-wrong" },
    { "qpi-port-missing", "box-hidden" },
    { "sbo-init-gp", "box-hidden" },
    { "cha-count", "box-hidden discovery-wrong" },
    { "discovery-phantom-cha", "discovery-wrong" },
    { "node-id-same", "box-hidden discovery-wrong" },
    { "bus-numbers-invalid", "box-hidden" },
    { "mem-bar-zero", "box-hidden discovery-wrong" },
    { "mmio-all-ones", "box-hidden discovery-wrong" },
    { "discovery-hidden", "discovery-hidden" },
    { "discovery-bar-zero", "discovery-hidden" },
    { "discovery-no-units", "discovery-hidden" },
    { "discovery-global", "discovery-wrong global-control-wrong pmon.global-freeze" },
    { "discovery-*", "discovery-wrong" },
    { "mp-never-wakes", "processor-not-woken" },
    { "mp-duplicate-id", "processor-ids-listed-twice" },
    { "srat-processor", "srat-wrong" },
    { "erdt-rmids", "erdt-factor-wrong" },
    { "erdt-scale", "erdt-factor-wrong" },
    { "erdt-processor-missing", "erdt-factor-wrong" },
};

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

bool fault_is_cause(const struct model_fault *fault, const char *id)
{
    const struct check_row *row = check_find(id);

    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        if (text_matches(listed[i].fault, fault->name))
            return has_word(listed[i].causes, id);
    return row && rows_meet(row->covers, fault->rows);
}

/* --- the part */

enum part_of { OF_CPU, OF_PACKAGE, ONE_BOX, OF_CLUSTER, SOME_RMIDS };

static const struct {
    const char *fault;
    enum part_of part;
} parts[] = {
    { "rmid-ignored", OF_CPU },
    { "tag-bit-lost", OF_CPU },
    { "clos-ignored", OF_CPU },
    { "qm-error-one-processor", OF_CPU },
    { "mask-one-processor", OF_CPU },
    { "cpuid-differs-on-processor", OF_CPU },
    { "events-one-processor", OF_CPU },
    { "processor-dead", OF_CPU },
    { "processor-faults", OF_CPU },
    { "cpuid-core-types", OF_CPU },
    { "cpuid-differs-on-package", OF_PACKAGE },
    { "cpuid-scale-package", OF_PACKAGE },
    { "uclk-stopped", OF_PACKAGE },
    { "microcode-differs", OF_PACKAGE },
    { "masks-left-by-firmware", OF_PACKAGE },
    { "mba-left-by-firmware", OF_PACKAGE },
    { "cdp-left-by-firmware", OF_PACKAGE },
    { "tsc-offset", OF_PACKAGE },
    { "cbo-dead", ONE_BOX },
    { "imc-counts-double", ONE_BOX },
    { "dimm-not-counted", ONE_BOX },
    { "umc-channel-dead", ONE_BOX },
    { "imc-phantom-channel", ONE_BOX },
    { "mmio-all-ones", ONE_BOX },

    { "pci-hidden", ONE_BOX },
    { "pci-all-ones", ONE_BOX },
    { "imc-free-dead", ONE_BOX },
    { "imc-free-double", ONE_BOX },
    { "pseudo-channel-dead", ONE_BOX },
    { "pseudo-channel-both", ONE_BOX },
    { "free-clock-stopped", ONE_BOX },
    { "mbm-rmid-factor", SOME_RMIDS },
    { "tag-swap", SOME_RMIDS },
    { "rmid-upper-shifted", SOME_RMIDS },
    { "rmid-step-low", SOME_RMIDS },
    { "mbm-high-rmids-low", SOME_RMIDS },
    { "qm-table-short", SOME_RMIDS },
    { "cluster-mbm-dead", OF_CLUSTER },
};

static const char *const part_names[] = { [OF_CPU] = "its processor",
                                          [OF_PACKAGE] = "its package",
                                          [ONE_BOX] = "one box",
                                          [OF_CLUSTER] = "its cluster",
                                          [SOME_RMIDS] = "its RMIDs" };

static int part_of_fault(const struct model_fault *fault)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].fault, fault->name) == 0)
            return (int)i;
    return -1;
}

const char *fault_part(const struct model_fault *fault)
{
    int i = part_of_fault(fault);

    return i < 0 ? NULL : part_names[parts[i].part];
}

/* Of n, as fault_place() has it. */
static uint32_t number_of(const struct model_fault *fault, uint32_t n)
{
    bool is_place = fault->parameter && (strstr(fault->parameter, "processor") || strstr(fault->parameter, "package"));

    return !is_place || fault->value == UINT64_MAX ? n - 1 : (uint32_t)(fault->value % n);
}

/* One box: a name with a number and no range or list. */
static bool is_one(const char *part)
{
    return part[0] && !strstr(part, " to ") && !strchr(part, ',');
}

bool fault_part_is_named(const struct model_fault *fault, const struct model_config *config, const char *part)
{
    char its[48];
    uint32_t cpus = config->packages * config->cores * config->threads;

    switch (parts[part_of_fault(fault)].part) {
    case OF_CPU:
        text_format(its, sizeof its, "cpu %u", number_of(fault, cpus));
        return text_equal(part, its);
    case OF_PACKAGE:
        text_format(its, sizeof its, "package %u", number_of(fault, config->packages));
        return config->packages == 1 || strncmp(part, its, strlen(its)) == 0;
    case OF_CLUSTER:
        text_format(its, sizeof its, "L3 domain %u", config->packages * config->clusters - 1);
        return text_equal(part, its);
    case ONE_BOX:
        return is_one(part) && strncmp(part, "package ", 8) == 0;
    case SOME_RMIDS:
        return strncmp(part, "RMID ", 5) == 0;
    }
    return false;
}
