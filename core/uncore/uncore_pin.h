/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/uncore/uncore_pin.h: the uncore's clock held still while boxes that have it are compared.
 *
 * The power control unit moves UCLK within milliseconds. MSR 620H has its lowest and highest ratio (Linux
 * drivers/platform/x86/intel/uncore-frequency/uncore-frequency.c): both are set to the present one where it can be
 * written, and MSR 621H shows whether the ratio moved. */
#pragma once
#include "core/check/check.h"

struct uncore_pin {
    uint32_t n, dies; /* of all packages; of each */
    uint64_t *found;  /* MSR 620H of each die; 0: not held */
    uint64_t *ratio;  /* by MSR 621H; 0: it does not say */
};

/* Errors: ST_NO_MEMORY; check_unmeasured() has said so. */
MUST_CHECK enum status uncore_pin_hold(struct check *c, struct uncore_pin *pin);
/* Note the present ratios: uncore_pin_moved() compares with them. */
void uncore_pin_mark(struct check *c, struct uncore_pin *pin);
/* No register says the package's: MSR 621H raises #GP or reads 0. */
bool uncore_pin_unknown(const struct uncore_pin *pin, uint32_t package);
/* That of some die of the package did. */
bool uncore_pin_moved(struct check *c, const struct uncore_pin *pin, uint32_t package);
/* MSR 620H as it was found. */
void uncore_pin_release(struct check *c, struct uncore_pin *pin);
