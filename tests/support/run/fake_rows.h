/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/run/fake_rows.h: checks of a test's own, which take the place of the real ones in its program. */
#pragma once
#include "core/base/braced.h"
#include "core/check/check.h"

#define FAKE_ROW(id_, run_, ...)                                                                                       \
    BRACED(.id = id_, .title = "A rule", .spec = "a section", .covers = "XX-01", .detects = "a defect",                \
           .means = "a meaning", .next = "a place to look", .run = run_, __VA_ARGS__)
#define FAKE_FAMILY(rows_)                                                                                             \
    static const struct check_family family = { .rows = rows_, .n = sizeof(rows_) / sizeof(rows_)[0] };                \
    const struct check_family *const check_families[] = { &family, NULL }
