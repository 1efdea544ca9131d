/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/diagnosis/symptoms_stream.h: what the checks of an earlier boot came to, out of their report.jsonl. */
#pragma once
#include "core/check/symptoms.h"
#include "core/stream/stream_reader.h"

/* The line() of a stream_reader whose context is a struct symptoms. Steps that are no checks are left out. */
void symptoms_take_line(void *context, const struct stream_line *line, const char *check);
