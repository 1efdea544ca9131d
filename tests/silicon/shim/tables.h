/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/tables.h: ACPI tables of a recorded machine in place of QEMU's. */
#pragma once
#include <efi.h>

/* Each file \silicon\table0, table1, ... of the shim's volume stands in the XSDT in place of the table with its signature, or is
 * one more. FALSE: one cannot be, and was shown. Source: ACPI specification 6.5, 5.2.5.3 (RSDP), 5.2.8 (XSDT). */
BOOLEAN tables_install(EFI_SYSTEM_TABLE *st, EFI_HANDLE own);
