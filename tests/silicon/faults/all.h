/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every fault: FAULT(FAULT_NAME, "what it stands for", "rows of docs/conformance.tsv", other columns). FAULT() is defined
 * by whoever includes this, more than once. */
#include "tests/silicon/faults/cpuid.h"
#include "tests/silicon/faults/registers.h"
#include "tests/silicon/faults/cache.h"
#include "tests/silicon/faults/uncore.h"
#include "tests/silicon/faults/discovery.h"
#include "tests/silicon/faults/firmware.h"
#include "tests/silicon/faults/acpi.h"
#include "tests/silicon/faults/errors.h"
