/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/image/data.h"

#include <stdint.h>

/* linker.ld */
extern uint32_t assay_data[] __attribute__((visibility("hidden")));
extern const struct {
    uint32_t halves, packed; /* of .data's words; those that are in the image */
    uint8_t in_image[];      /* a bit for each half */
} assay_data_map __attribute__((visibility("hidden")));

void data_expand(void)
{
    uint32_t packed = assay_data_map.packed;

    /* From the last on: no half's place is below where it is packed. */
    for (uint32_t i = assay_data_map.halves; i-- > 0;)
        assay_data[i] = assay_data_map.in_image[i / 8] >> i % 8 & 1 ? assay_data[--packed] : 0;
}
