/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/boot/resume.h: the machine and the console for a run that is resumed, and for its report. */
#pragma once
#include "core/store/resume_run.h"

extern const struct resume_ops resume_machine;
extern const struct report_console resume_console;
