/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/selftest/selftest.h: what the parts of the self-test share. */
#pragma once
#include <efi.h>

extern EFI_SYSTEM_TABLE *st;

/* "CHECK name ok value" or "CHECK name BAD value"; and "SKIP name why". */
void check(const CHAR16 *name, BOOLEAN fine, UINT64 value);
void skip(const CHAR16 *name, const CHAR16 *why);

/* bus.c: PCI functions and memory-mapped registers of whatever silicon this is. */
void check_buses(void);
