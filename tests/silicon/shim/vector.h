/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/shim/vector.h: the guest's XMM and YMM registers.
 *
 * The host is compiled without SSE and AVX and uses no x87, so all of them stay in the processor while the guest is
 * out, and only an access to a device by a vector instruction touches one. Not only for speed: FXRSTOR on any processor
 * of QEMU 7.2 changes a word of processor 0's state (hflags2, for IGNNE#) that VMRUN and #VMEXIT on that one change
 * too, and now and then leaves the host on nested page tables. SDM vol. 1 13.4 "XSAVE Area".
 */
#pragma once
#include <stdint.h>

#define VECTOR_LOW_BYTES  16u
#define VECTOR_HIGH_BYTES 16u

/* Bits 127:0 of XMM0 .. XMM15; reg is below 16. CR4.OSFXSR is set. Writing them leaves what is above alone. */
void vector_low_get(uint32_t reg, uint8_t low[VECTOR_LOW_BYTES]);
void vector_low_put(uint32_t reg, const uint8_t low[VECTOR_LOW_BYTES]);

/* Bits 255:128 of YMM0 .. YMM15. The guest has just used AVX, so it has enabled it. */
void vector_high_get(uint32_t reg, uint8_t high[VECTOR_HIGH_BYTES]);
void vector_high_put(uint32_t reg, const uint8_t high[VECTOR_HIGH_BYTES]);
