/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/device.h: which physical addresses and ports the shim answers in the machine's stead, and how.
 *
 * Four kinds: the local APIC's page, of which writes are looked at (apic.h); the configuration space of those PCI
 * buses that the model claims, memory-mapped (ECAM) and through ports CF8H and CFCH; and the window of the model's
 * memory-mapped registers; and the function that the channel itself is (own), which the guest must not find: an
 * operating system tries each base register and has the page away for a while. startup.c leaves them out of the nested
 * page tables, trap.c comes here.
 */
#pragma once
#include "tests/silicon/shim/vcpu.h"

#define DEVICE_BUSES      256u
#define DEVICE_BUS_BYTES  (1ull << 20) /* of ECAM: 32 devices, 8 functions, 4 KiB */
#define DEVICE_CFG_DATA   0xCFCu       /* and the three ports after it            */
#define DEVICE_IOPM_BYTES 0x3000u

/* Take over what the plugin wrote into the header, find the chipset's ECAM, and tell the plugin. own: the channel's function.
 * False: the model claims buses, and the chipset has no ECAM that covers them. */
bool device_open(volatile struct channel *channel, uint32_t own);

/* The memory of one claimed bus; false: the bus is the host's. */
bool device_bus(uint32_t bus, uint64_t *base);
/* The page of the channel's own function; false: there is no ECAM. */
bool device_own(uint64_t *base);
/* The window; 0 bytes: there is none. */
uint64_t device_window(uint64_t *base);
/* What else is answered as it is. */
uint64_t device_tables(uint64_t *base);

/* Does the shim answer this address? */
bool device_has(uint64_t physical);

/* Read or write 1 to 32 bytes of it, in naturally aligned parts of at most 8 bytes (4 in configuration space). */
void device_read(struct vcpu *v, uint64_t physical, void *data, uint32_t bytes);
void device_write(struct vcpu *v, uint64_t physical, const void *data, uint32_t bytes);

/* The same for ports CFCH .. CFFH, 1, 2 or 4 bytes, of which what is not of a claimed bus goes to the ports; and for the
 * ACPI timer's, where the silicon has its own time. */
uint32_t device_in(struct vcpu *v, uint32_t port, uint32_t bytes);
void device_out(struct vcpu *v, uint32_t port, uint32_t value, uint32_t bytes);

/* Fill an I/O permission map so that the guest leaves at the ports above. APM vol. 2 15.10 "IOIO Intercepts". */
void device_fill_iopm(uint8_t iopm[DEVICE_IOPM_BYTES]);
