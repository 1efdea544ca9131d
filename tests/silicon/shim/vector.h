/* tests/silicon/shim/vector.h: the halves of the guest's YMM registers that FXSAVE does not keep.
 *
 * The host uses no AVX, so they stay in the processor while the guest is out. SDM vol. 1 13.4 "XSAVE Area".
 */
#pragma once
#include <stdint.h>

#define VECTOR_HIGH_BYTES 16u

/* Bits 255:128 of YMM0 .. YMM15. The guest has just used AVX, so it has enabled it. */
void vector_high_get(uint32_t reg, uint8_t high[VECTOR_HIGH_BYTES]);
void vector_high_put(uint32_t reg, const uint8_t high[VECTOR_HIGH_BYTES]);
