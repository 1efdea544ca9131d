/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/json_schema.h: JSON Schema 2020-12, as far as the Open Compute Project's schema of a line of a stream uses
 * it (tests/fixtures/ocp-diag). Of oneOf that branch counts whose required member is there. An object whose members the
 * schema names has no other ones. */
#pragma once
#include "tests/support/data/json_read.h"

/* false: *why says what is wrong. */
bool json_schema_takes(const struct json_value *line, char *why, size_t size);
