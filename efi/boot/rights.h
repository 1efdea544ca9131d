/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/rights.h: whether firmware's page tables let Assay's own memory be written or executed, and not both.
 *
 * The image's sections ask for it (linker.ld, scripts/pe_fix.c); firmware may map memory as it likes. */
#pragma once
#include <efi.h>

#include "core/report/report.h"

/* To the report's log: rights on each section of the image, on stacks and on the page that processors start in, and in a
 * line of its own, what is writable and executable at once. Boot processor, while processors are with Assay. */
void rights_report(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, struct report *r);
