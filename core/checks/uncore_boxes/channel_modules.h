/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/checks/uncore_boxes/channel_modules.h: on how many memory channels SMBIOS shows a module. Which slot is of which
 * channel only locators tell, which are free text (DMTF DSP0134 7.18): "CPU1_DIMM_A1", "P0_Node0_Channel0_Dimm0" and their
 * like end with the number of the slot on its channel; "A1" to "A16" or "PROC 1 DIMM 1" to "16" do not. */
#pragma once
#include "arch/x86/tables/smbios.h"

enum modules_fit {
    MODULES_FIT,       /* each module may sit on a channel that answers                */
    MODULES_LEFT_OVER, /* some sit on a channel that does not: there are too many      */
    MODULES_UNKNOWN    /* SMBIOS lists no module of DDR                                */
};

/* Of a machine with `listed` channels, of which `answering` answer. */
enum modules_fit channel_modules_fit(const struct smbios_info *smbios, uint32_t listed, uint32_t answering);
