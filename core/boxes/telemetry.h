/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/boxes/telemetry.h: regions of telemetry by RMID (arch/x86/rdt/telemetry.h), found as Linux finds them: through
 * DVSECs of Intel functions. */
#pragma once
#include "arch/x86/rdt/telemetry.h"
#include "core/boxes/boxes.h"

#define TELEMETRY_REGIONS 64u /* more are not kept */

struct telemetry_region {
    const struct telemetry_group *group;
    struct pci_address at;
    uint32_t package;
    uint64_t entry;   /* address of its entry in the discovery table */
    uint64_t address; /* 0: the entry leads nowhere */
    uint32_t header;  /* the entry's first dword */
    uint32_t bytes;
    uint32_t rmids; /* that the function's feature table counts at the same time; 0: none lists the GUID */
};

/* Those of known layout, in the order of functions; of a package that no processor is known of, none. Returns how many. */
uint32_t telemetry_find(struct platform *p, const struct machine *m, struct pmon *pmon,
                        struct telemetry_region regions[TELEMETRY_REGIONS]);
