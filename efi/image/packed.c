/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/image/packed.h"

#include "core/encoding/inflate.h"

/* linker.ld */
#define OF_LINKER __attribute__((visibility("hidden")))
extern uint32_t assay_data[] OF_LINKER;
extern uint8_t assay_strings[] OF_LINKER;
extern const struct {
    uint32_t halves, packed; /* of .data's words; those that are in the image */
    uint8_t in_image[];      /* a bit for each half */
} assay_data_map OF_LINKER;
extern const struct {
    uint32_t bytes, packed; /* of .strings; those that are in the image */
    uint8_t at[];
} assay_packed OF_LINKER;

bool packed_expand(void)
{
    uint32_t packed = assay_data_map.packed;

    /* From the last on: no half's place is below where it is packed. */
    for (uint32_t i = assay_data_map.halves; i-- > 0;)
        assay_data[i] = assay_data_map.in_image[i / 8] >> i % 8 & 1 ? assay_data[--packed] : 0;
    return !assay_packed.packed || inflate(assay_packed.at, assay_packed.packed, assay_strings, assay_packed.bytes);
}
