/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/boot_step.h: the step "resume" of a report that continues after a hang, a reset or a power cut. */
#pragma once
#include "core/engine/engine.h"
#include "core/journal/journal.h"

/* A step of Assay's own, which judges nothing: which boot this is, what was under way, since when, with which watchdog, and
 * what the registers that a check may have changed hold now: IA32_PQR_ASSOC of each processor that takes work and the L3
 * masks of each L3 domain. A warm reset need not put them back. found: the record of the boot before. */
void boot_step(struct engine *e, const struct journal_record *found, uint32_t boot);

/* What the report says of the check or phase that the record names, and the symptom of that error. */
void boot_hang_text(const struct journal_record *found, char *out, size_t size);
const char *boot_symptom(const struct journal_record *found);
