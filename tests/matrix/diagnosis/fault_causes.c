/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/diagnosis/fault_causes.h"

#include <string.h>

#include "core/base/text.h"
#include "tests/support/run/whole_run.h"

/* Several causes where they do the same to all that can be measured. */
static const struct {
    const char *faults, *causes;
} listed[] = {
    { "cpuid-rmid-limits", "rmids-enumerated-above-counters" },
    { "cpuid-differs-on-* cpuid-core-types cpuid-scale-package cpuid-limit-package", "enumeration-differs" },
    { "cpuid-scale-zero cpuid-scale-odd", "upscaling-factor-blank" },
    { "cpuid-scale-*", "upscaling-factor-wrong" },
    { "cpuid-width", "mbm-width-enumerated-wrong" },
    { "home-address-ignored home-opcode-ignored", "home-match-ignored" },
    { "umask-first-only tor-hit-lost umask-reads-lost umask-writes-lost", "umasks-not-summed" },
    { "cpuid-events", "events-enumerated-wrong" },
    { "cpuid-event-hidden", "events-enumerated-wrong qm.error-bit" },
    { "cpuid-clos-* mask-limit", "clos-enumerated-wrong cat.class-limit" },
    { "cpuid-one-class", "clos-enumerated-wrong" },
    { "cpuid-cbm-length", "cbm-length-wrong" },
    { "cpuid-mba-*", "mba-delays-enumerated-wrong" },
    { "cpuid-l3-sharing", "l3-sharing-wrong" },
    { "pqr-clos-limit", "pqr-takes-illegal-clos" },
    { "cpuid-io-half", "io-register-missing" },
    { "pqr-loses-bit pqr-rmid-narrow", "pqr-loses-bits" },
    { "pqr-same-value", "pqr-same-value-lost" },
    { "pqr-clos-clobbers-rmid", "pqr-clos-write-loses-rmid" },
    { "pqr-leaks-to-sibling pqr-broadcast", "pqr-shared" },
    { "qm-table-short", "rmids-without-counter" },
    { "qm-error-never", "qm-error-missing qm.error-bit" },
    { "evtsel-reserved-*", "evtsel-takes-reserved-bits" },
    { "evtsel-event-late", "qm-event-late" },
    { "pqr-upper-bits-late tag-bit-lost", "rmid-tag-loses-bit" },
    { "evtsel-shared-by-packages", "qm.scope qm.together" },
    { "qm-error-one-processor", "qm-error-missing" },
    { "qm-rmid-limit", "qm.rmid-limit qm-error-missing" },
    { "qm-error-sticky", "qm-error-sticky" },
    { "qm-unavailable qm-flickers", "qm-unavailable" },
    { "qm-stale", "qm-ctr-stale" },
    { "qm-overflow-stuck mbm-wide", "mbm-bits-above-width" },
    { "mbm-bit-stuck", "qm-ctr-bit-stuck" },
    { "mbm-narrow mbm-local-narrow", "mbm-counter-narrow" },
    { "mbm-saturates", "mbm-counter-saturates" },
    { "mbm-read-resets", "mbm-read-clears mbm.reading-resets" },
    { "mbm-wbinvd-clears mbm-mask-clears mbm-delay-clears", "mbm-cleared-by-flush" },
    { "mbm-steps-back", "mbm-steps-back" },
    { "mbm-wrap-skips", "mbm-skips-at-carry" },
    { "mbm-torn-carry", "mbm-steps-back mbm.rested" },
    { "mbm-global", "mbm-of-all-domains" },
    { "mbm-ghost", "mbm-counts-idle-rmids" },
    { "mbm-half mbm-loss mbm-double mbm-eighth-twice", "mbm-total-scaled" },
    { "mbm-starts-late", "mbm-starts-late" },
    { "mbm-lost-in-halt", "mbm-loses-after-idle" },
    { "mbm-lost-at-clock", "mbm-loses-after-idle mbm-total-scaled" },
    { "mbm-stores-lost", "mbm-loses-kind-of-access" },
    { "cluster-mbm-dead", "mbm-total-dead" },
    { "mbm-local-loss mbm-local-slice-dead", "mbm-local-loses" },
    { "mbm-local-dead", "mbm-local-dead" },
    { "mbm-local-counts-remote", "mbm-local-counts-remote" },
    { "mbm-swapped", "mbm-events-swapped" },
    { "home-swapped srat-swapped", "nodes-exchanged" },
    { "mbm-rmid-factor", "mbm-of-one-rmid-scaled" },
    { "tag-swap", "rmids-exchanged" },
    { "tag-sibling-loads tag-sibling-stores mbm-sibling-shared", "siblings-share-mbm-tag" },
    { "mbm-high-rmids-low erratum-factor-off", "mbm-from-rmid-on" },
    { "mbm-crowd-loses", "mbm-loses-in-a-crowd" },
    { "mbm-in-turn-lost", "mbm-loses-between-rmids" },
    { "mbm-throttled-loses", "mbm-loses-throttled" },
    { "rmid-ignored", "rmid-ignored-by-processor" },
    { "tag-sibling-clears", "rmid-lost-by-sibling" },
    { "tag-of-writer", "rmid-lost-by-sibling cmt.restless-sibling" },
    { "rmid-aliasing mbm-local-aliases", "rmids-aliased" },
    { "rmid-upper-shifted", "rmids-shifted" },
    { "stores-untagged", "occupancy-loses-kind-of-access occupancy-dead" }, /* AMD: fills store, all of them */
    { "occupancy-zero-dead", "occupancy-of-one-rmid-dead" },
    { "rmid-stale-after-switch", "rmid-late-after-switch" },
    { "tag-lost-at-clock", "rmid-lost-after-idle" },
    { "occupancy-lost-at-clock", "occupancy-lost-after-idle" },
    { "occupancy-at-power-on", "occupancy-of-unused-rmid" },
    { "occupancy-of-reader", "qm-ctr-of-reader" },
    { "pqr-both-at-once", "rmid-lost-with-clos" },
    { "cpuid-limit-classes", "limit-classes-enumerated-wrong" },
    { "rmid-retag", "occupancy-retagged-by-switch" },
    { "rmid-step-low", "occupancy-from-rmid-on" },
    { "occupancy-kept-on-eviction", "occupancy-kept-after-eviction" },
    { "occupancy-kept-on-flush occupancy-slice-keeps", "occupancy-kept-after-flush" },
    { "occupancy-kept-on-take", "occupancy-kept-when-taken" },
    { "occupancy-kept-far", "occupancy-kept-far" },
    { "occupancy-scaled-twice occupancy-halved occupancy-loss", "occupancy-scaled" },
    { "occupancy-wrong-rmid", "occupancy-under-other-rmid" },
    { "occupancy-stale", "queue-occupancy-kept" },
    { "occupancy-saturates", "occupancy-saturates" },
    { "occupancy-global", "occupancy-of-all-domains" },
    { "cmt-crowd", "occupancy-of-few-rmids" },
    { "capacity-unowned", "sets-uncounted" },
    { "cluster-rmids cluster-cmt-dead cluster-rmid-offset cluster-sharing-ignored cluster-leaks",
      "cluster-rmids-wrong" },
    { "cluster-scale-undivided", "cluster-scale-wrong" },
    { "cluster-class-ignored", "class-ignored" },
    { "clos-ignored", "clos-ignored-by-processor" },
    { "clos-of-sibling cdp-classes-half", "masks-of-other-clos" },
    { "mask-stuck-bit mask-next-written mask-neighbour-reset", "masks-store-wrong" },
    { "mask-broadcast mask-one-processor", "masks-of-other-domain" },
    { "alloc-write-lost", "masks-lose-writes" },
    { "mask-inert mask-leak", "masks-leak" },
    { "mask-shifted mask-class-open", "mask-of-one-clos-acts-elsewhere" },
    { "mask-*-escape*", "kind-of-access-escapes-mask" },
    { "mask-one-way-open", "mask-of-one-way-open" },
    { "mba-stuck mba-same-value", "mba-delays-lose-bits" },
    { "cdp-no-register", "cdp-register-missing" },
    { "cdp-refused", "cdp-not-switched-on" },
    { "cdp-stuck", "cdp-not-switched-off" },
    { "cdp-swapped", "cdp-masks-swapped" },
    { "cdp-one-core", "cdp-off-on-processor" },
    { "cdp-reserved-set", "cdp.reserved cdp.switch" },
    { "cdp-left-by-firmware", "cdp-left-by-firmware" },
    { "masks-left-by-firmware", "masks-left-by-firmware" },
    { "mba-left-by-firmware", "throttles-left-by-firmware" },
    { "mba-cfg-left-by-firmware", "mba-options-left-by-firmware" },
    { "cba-*", "cba-registers-wrong" },
    { "events-one-processor events-inert events-both-written events-broadcast", "amd-event-configuration" },
    { "pmon-left-*", "pmon-left-by-firmware" },
    { "ubox-saturates", "ubox-counters-saturate" },
    { "uclk-stopped", "uclk-stopped" },
    { "uclk-ignores-enable", "fixed-counter-ignores-enable" },
    { "ubox-shared", "ubox-of-other-package" },
    { "ubox-narrow", "ubox-counters-narrow counters-narrow" },
    { "ubox-stuck-bit", "ubox-counters-stuck counters-narrow" },
    { "ubox-invert", "ubox-invert-dead invert-dead" },
    { "ubox-threshold", "ubox-invert-dead threshold-wrong" },
    { "ubox-edge", "ubox.threshold edge-detect-dead" },
    { "ubox-umask-ignored ubox-event-ignored", "ubox-selection-ignored" },
    { "ubox-messages-half", "ubox.messages" },
    { "ubox-reset-dead", "ubox.reset box-reset-dead" },
    { "pmon-freeze-one-runs pmon-fixed-ignores-freeze pmon-freeze-dead", "freeze-dead" },
    { "pmon-narrow", "counters-narrow" },
    { "pmon-dead-counter l3pmc-dead", "counter-dead" },
    { "pmon-event-one-counter", "counter-events-off" },
    { "pmon-ignores-enable pmon-enable-shared nhm-enable-either global-enable-dead", "counters-ignore-enable" },
    { "pmon-reset-dead pmon-box-reset-dead", "box-reset-dead" },
    { "pmon-reset-clears-controls", "reset-clears-others" },
    { "pmon-frozen-write-lost", "frozen-writes-lost" },
    { "pmon-low-clears-high", "counter-half-clears-other" },
    { "pmon-read-stale", "counters-stale" },
    { "pmon-invert-alone", "invert-without-threshold" },
    { "pmon-threshold pmon-threshold-narrow", "threshold-wrong" },
    { "pmon-select-shared pmon-umask-shared cbo-filter-bit-stuck", "controls-not-stored" },
    { "pmon-invert", "invert-dead" },
    { "pmon-edge", "edge-detect-dead" },
    { "pmi-lost", "uncore-interrupt-lost" },
    { "pmi-twice", "uncore-interrupt-twice" },
    { "pmi-other-core", "uncore-interrupt-misrouted" },
    { "cbo-dead", "slice-dead" },
    { "imc-phantom-channel dimm-not-counted pmon-lost-at-clock umc-channel-dead", "channel-dead" },
    { "imc-counts-double pmon-smi-doubles", "channel-scaled" },
    { "df-channel-dead", "fabric-channel-off channel-dead" },
    { "df-channel-double", "fabric-channel-off channel-scaled" },
    { "imc-cas-swapped", "cas-reads-writes-swapped" },
    { "home-remote-swapped", "home-remote-swapped" },
    { "qpi-directions-swapped", "link-directions-swapped" },
    { "link-writes-lost", "link-data-lost" },
    { "core-llc-misses-half", "core-events-scaled" },
    { "imc-free-dead imc-free-double imc-free-half", "free-running-memory-wrong" },
    { "pci-hidden pci-all-ones cha-count node-id-same mem-bar-zero mmio-all-ones", "box-hidden discovery-wrong" },
    { "qpi-port-missing sbo-init-gp bus-numbers-invalid", "box-hidden" },
    { "discovery-hidden discovery-bar-zero discovery-no-units", "discovery-hidden" },
    { "discovery-not-decoded", "discovery-not-decoded" },
    { "discovery-global", "discovery-wrong global-control-wrong pmon.global-freeze" },
    { "discovery-channel-type", "channels-off" },
    { "discovery-*", "discovery-wrong" },
    { "mp-never-wakes", "processor-not-woken" },
    { "mp-duplicate-id", "processor-ids-listed-twice" },
    { "srat-processor", "srat-wrong" },
    { "erdt-rmids erdt-scale erdt-processor-missing", "erdt-factor-wrong" },
};

bool fault_is_cause(const struct model_fault *fault, const char *id)
{
    const struct check_row *row = check_find(id);

    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        if (text_matches_any(listed[i].faults, fault->name))
            return text_matches_any(listed[i].causes, id);
    return row && rows_meet(row->covers, fault->rows);
}

/* --- the part */

enum part_of { OF_CPU, OF_PACKAGE, ONE_BOX, OF_CLUSTER, SOME_RMIDS, PARTS };

static const struct {
    const char *name, *faults;
} parts[PARTS] = {
    [OF_CPU] = { "its processor", "rmid-ignored tag-bit-lost clos-ignored qm-error-one-processor mask-one-processor "
                                  "cpuid-differs-on-processor occupancy-of-reader events-one-processor processor-dead "
                                  "processor-faults cpuid-core-types" },
    [OF_PACKAGE] = { "its package",
                     "cpuid-differs-on-package cpuid-scale-package cpuid-limit-package uclk-stopped microcode-differs "
                     "masks-left-by-firmware mba-left-by-firmware cdp-left-by-firmware tsc-offset" },
    [ONE_BOX] = { "one box",
                  "cbo-dead imc-counts-double dimm-not-counted umc-channel-dead imc-phantom-channel mmio-all-ones "
                  "pci-hidden pci-all-ones imc-free-dead imc-free-double pseudo-channel-dead pseudo-channel-both "
                  "free-clock-stopped" },
    [OF_CLUSTER] = { "its cluster", "cluster-mbm-dead" },
    [SOME_RMIDS] = { "its RMIDs", "mbm-rmid-factor tag-swap rmid-upper-shifted rmid-step-low occupancy-at-power-on "
                                  "mbm-high-rmids-low qm-table-short" },
};

static enum part_of part_of_fault(const struct model_fault *fault)
{
    enum part_of part = 0;

    while (part < PARTS && !text_matches_any(parts[part].faults, fault->name))
        part++;
    return part;
}

const char *fault_part(const struct model_fault *fault)
{
    enum part_of part = part_of_fault(fault);

    return part < PARTS ? parts[part].name : NULL;
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

    switch (part_of_fault(fault)) {
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
    case PARTS:
        break;
    }
    return false;
}
