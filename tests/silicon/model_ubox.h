/* tests/silicon/model_ubox.h: messages to the U-box, for whoever models interrupts. */
#pragma once
#include "tests/silicon/model.h"

/* One message (EVENT_MSG) of the kinds in umask reaches the U-box of a package: VLW, MSI, IPI, doorbell, interrupt
 * priority in bits 0 to 4. A package that does not exist is ignored. */
void model_ubox_message(struct model *m, uint32_t package, uint32_t umask);
