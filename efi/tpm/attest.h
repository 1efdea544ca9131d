/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/tpm/attest.h: -pcr, which lets a TPM attest the report (docs/report.md, "A report in a TPM").
 *
 * pcr 0: it was not asked for, and nothing happens.
 */
#pragma once
#include <efi.h>
#include <stdbool.h>

#include "core/report/report.h"
#include "core/store/reports.h"

/* Whether the PCR can be extended, while there is still a stream to say so in. false: it was asked for, and cannot. */
bool attest_begin(EFI_SYSTEM_TABLE *st, struct report *report, uint32_t pcr);
/* The stream's SHA-256 into the PCR, and firmware's log beside the report: its own copy ends with the next reset. false: it was
 * asked for, and is not there; the console has the reason. */
bool attest_end(EFI_SYSTEM_TABLE *st, struct reports *reports, uint32_t pcr, const char sha256[65]);
