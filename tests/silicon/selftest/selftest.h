/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/selftest/selftest.h: what the parts of the self-test share. */
#pragma once
#include <efi.h>

extern EFI_SYSTEM_TABLE *st;

/* "CHECK name ok value" or "CHECK name BAD value"; and "SKIP name why". */
void check(const CHAR16 *name, BOOLEAN fine, UINT64 value);
void skip(const CHAR16 *name, const CHAR16 *why);

#define IA32_PQR_ASSOC 0xC8Fu
/* fault.S: 0, or the vector of what it raised. */
int try_rdmsr(UINT32 msr, UINT64 *value);
int try_wrmsr(UINT32 msr, UINT64 value);
/* As shim/functions.h replaces them; pf_code: the error code of the last #PF. */
UINT32 read_port(UINT16 port);
int read_32(volatile void *address, UINT64 *value);
int read_64(volatile void *address, UINT64 *value);
int write_32(volatile void *address, UINT32 value);
int write_64(volatile void *address, UINT64 value);
extern UINT64 pf_code;
/* Bytes that the RMID has in the L3 of this processor. */
UINT64 occupancy(UINT32 rmid);

/* bus.c: PCI functions and memory-mapped registers of whatever silicon this is. */
void check_buses(void);
/* code.c */
void check_code(void);
