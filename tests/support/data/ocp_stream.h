/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/ocp_stream.h: the project's own reading of the Open Compute Project's Test & Validation output
 * format 2.0 (github.com/opencomputeproject/ocp-diag-core, json_spec), for whoever has no schema tool at hand.
 *
 * A line is held to the format's schema (json_schema.h). Beside that it knows what a schema of single lines cannot say: steps
 * and series opened and closed once, and what end states may stand together. What stands in the stream, and whether its lines are in order, it has
 * from the reader that the payload has (core/stream/stream_reader.h). Whether lines contradict each other is for
 * scripts/report/verdict.py, which scripts/validate-report asks.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ocp_result {
    char fault[640]; /* "line 12: ..."; "" where there is none */
    uint32_t lines, steps, measurements, diagnoses, extensions, errors, logs, series;
    bool ended;           /* testRunEnd was there                          */
    char result[64];      /* its result                                    */
    char status[64];      /* its status                                    */
    char unfinished[64];  /* name of the step that is open at the end, ""  */
    char dut_name[128];   /* dutInfo.name                                  */
    bool virtual_silicon; /* dutInfo.metadata.virtualSilicon               */
};

/* partial: the stream may stop anywhere between two lines, and its last line may lack its end (what a power cut
 * leaves): such a last line is not read. Returns whether it is valid; a valid one is also written to the folder that
 * ASSAY_STREAMS names, as N.jsonl, or N.torn where it has no end. */
bool ocp_check(const char *text, size_t length, bool partial, struct ocp_result *result);
