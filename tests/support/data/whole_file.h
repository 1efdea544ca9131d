/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#pragma once
#include <stddef.h>

/* All bytes of a file, with a 0 after them; to be freed. NULL: it cannot be read. */
char *whole_file(const char *path, size_t *length);
