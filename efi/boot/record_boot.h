/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/record_boot.h: -record, a recording of this machine beside the report (docs/recording.md). */
#pragma once
#include <efi.h>

#include "core/engine/engine.h"
#include "core/record/record.h"
#include "core/store/reports.h"

/* report.machine, where the option asks for it or, with auto, where the run so far has a FAIL, ERROR or WARN. While processors
 * still take tasks, and after every register was restored. What fails goes to the report's log. made_by: Assay's version
 * and commit. */
void record_boot(EFI_SYSTEM_TABLE *st, struct engine *e, struct reports *reports, bool broken, const char *made_by);
