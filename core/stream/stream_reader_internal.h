/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/stream/stream_reader_internal.h: what the two halves of the reader share: stream_members.c knows what a line may
 * have, stream_reader.c in which order lines may come. */
#pragma once
#include "core/stream/stream_reader.h"

/* A scalar of the line that is being read, into reader->now. */
void stream_take_scalar(void *reader, const char *path, enum json_scalar scalar, const char *text);
/* An array or an object of it begins. */
void stream_take_open(void *reader, const char *path, bool array);
/* Whether what was taken is a line of the format: every member that must be there, and each of its type. */
bool stream_is_line(const struct stream_reader *r);
