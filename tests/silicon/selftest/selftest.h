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
/* arch/x86/cpu/insn.S: the payload's, which the shim replaces (shim/functions.h); the vector of what one raised, or 0. */
UINT64 insn_rdtsc(void);
int insn_rdmsr(UINT32 msr, UINT64 *value);
int insn_wrmsr(UINT32 msr, UINT64 value);
UINT32 port_read32(UINT16 port);
int insn_read32(volatile void *address, UINT64 *value);
int insn_read64(volatile void *address, UINT64 *value);
int insn_write32(volatile void *address, UINT64 value);
int insn_write64(volatile void *address, UINT64 value);
/* The error code of the last #PF. */
extern UINT64 pf_code;
/* Bytes that the RMID has in the L3 of this processor. */
UINT64 occupancy(UINT32 rmid);

/* bus.c: PCI functions and memory-mapped registers of whatever silicon this is. */
void check_buses(void);
/* code.c */
void check_code(void);
