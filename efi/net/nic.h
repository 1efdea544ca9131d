/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/net/nic.h: network interfaces that are silent while something is measured, and the address of the one that is used.
 *
 * Firmware that has booted from a network leaves its interface on: it writes what arrives into memory, and firmware looks for it a
 * hundred times a second. nic_quiet() shuts each such interface down (EFI_SIMPLE_NETWORK_PROTOCOL.Shutdown() and Stop(); what is above it
 * in firmware then finds it stopped, and waits), nic_wake() takes it up again with the receive filters that it had. One whose link took
 * longer than NIC_SLOW_MS to come back is not shut down again: it receives nothing instead. Source: UEFI 2.10, 24.1.
 */
#pragma once
#include <efi.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

#define NIC_SLOW_MS 1000u
#define NIC_LINK_MS 20000u /* for a link that was there before: as EDK II waits (PXEBC_CHECK_MEDIA_WAITING_TIME) */

/* Every interface that is on, until nic_wake(). Nothing where they are quiet already. */
void nic_quiet(EFI_BOOT_SERVICES *bs);
void nic_wake(EFI_BOOT_SERVICES *bs);
bool nic_is_quiet(void);
/* "1 network interface is shut down while checks run"; "": there is none that was on. */
void nic_describe(char *out, size_t size);

/* An interface that firmware speaks HTTP on, with a link if one has it; drivers are connected where there is none at first.
 * NULL: none. */
EFI_HANDLE nic_with_http(EFI_BOOT_SERVICES *bs);
/* Whether firmware knows that the interface has no link. */
bool nic_without_link(EFI_BOOT_SERVICES *bs, EFI_HANDLE nic);
/* An IPv4 address of firmware's own for this interface (EFI_IP4_CONFIG2_PROTOCOL): where it has none, its policy becomes DHCP, and an
 * address is waited for. ST_TIMEOUT: there was no answer in NIC_DHCP_MS. ST_UNSUPPORTED. Source: UEFI 2.10, 28.5. */
#define NIC_DHCP_MS 20000u
MUST_CHECK enum status nic_address(EFI_BOOT_SERVICES *bs, EFI_HANDLE nic);
/* The policy as it was found. */
void nic_end(EFI_BOOT_SERVICES *bs);
