/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/diagnosis/diagnosis_report.h: the step "diagnosis", with a verdict on each monitor and the causes of the findings. */
#pragma once
#include "core/diagnosis/monitors.h"
#include "core/report/report.h"

/* Each cause as a diagnosis of Open Compute's format, with the part of the machine where it has one (hardwareInfoId,
 * subcomponent), and as an extension "assay.diagnosis"; in the text a paragraph. Before them "assay.run" says whether the
 * run was stopped on request, and an extension "assay.monitor" the verdict on each monitor, unless there was no memory for
 * some check. r may be NULL. The step is no check: it is not counted. */
void diagnosis_report(struct report *r, const struct symptoms *s, const struct diagnosis *d, const struct monitors *m);
/* "MBM total (factor 0.5): MBM total counts ...": a cause in a line. Returns the length needed. */
size_t diagnosis_report_line(const struct diagnosed *d, char *out, size_t size);
