/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/tpm/tcg2.h: the TPM, through firmware: the digest of a report goes into a PCR, and an event into firmware's log.
 *
 * A quote of that PCR, taken before the machine is reset, attests that this report existed then; no key of Assay's is needed.
 * Source: TCG EFI Protocol Specification 1.0 rev 0.13, 6 "EFI TCG2 Protocol".
 */
#pragma once
#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

/* ST_ABSENT: no firmware with a TPM 2.0; ST_UNSUPPORTED: without a PCR bank that is active. */
MUST_CHECK enum status tcg2_find(EFI_SYSTEM_TABLE *st);
/* Extends PCR `pcr` by the text of event_log_text(). *logged: whether firmware's log has the event: where it is full the PCR is
 * extended all the same (EFI_VOLUME_FULL; 6.6.5 "EFI_TCG2_PROTOCOL.HashLogExtendEvent"). Firmware's refusals as their status. */
MUST_CHECK enum status tcg2_extend(EFI_SYSTEM_TABLE *st, uint32_t pcr, const char sha256[65], bool *logged);
/* Firmware's log as it is now, in firmware's memory. ST_ABSENT: there is none, or it is truncated; ST_CORRUPT: its last entry is
 * none. */
MUST_CHECK enum status tcg2_log(EFI_SYSTEM_TABLE *st, const void **log, size_t *bytes);
