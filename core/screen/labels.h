/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/screen/labels.h: the screen's lines about the machine and the run as a whole. */
#pragma once
#include "core/machine/machine.h"
#include "core/screen/screen.h"

/* state->machine, firmware and processor. What firmware left empty is named as such. */
void labels_of_machine(struct screen_state *state, const struct machine *m);

/* state->qr_text: version, result, how many checks passed, failed, warned, were skipped, had errors, the report's folder
 * without the path to it, which says serial number and time, and the stream's digest. In characters that a QR code has
 * (qr_fold()). */
void labels_of_code(struct screen_state *state, enum run_result result, const char *sha256);
