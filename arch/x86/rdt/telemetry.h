/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/rdt/telemetry.h: energy, activity and core events by RMID, which packages from Clearwater Forest on count in
 * memory (Intel Platform Monitoring Technology; Linux: application energy telemetry).
 *
 * Layouts are known by GUID. A region has the events of RMID 0, then those of RMID 1 ..., 64 bits each, and three status
 * registers. Source: intel/Intel-PMT xml/CWF/OOBMSM/RMID-ENERGY and RMID-PERF; Linux
 * arch/x86/kernel/cpu/resctrl/intel_aet.c, drivers/platform/x86/intel/pmt: class.c, telemetry.c, discovery.c.
 */
#pragma once
#include <stdint.h>

#include "core/base/bits.h"

#define VSEC_ID_TELEMETRY 2u
#define VSEC_ID_DISCOVERY 12u

/* Entry of a discovery table of either. Its dwords: access, type or version, and size in dwords; GUID or feature id;
 * offset. Access is LOCAL: from the end of the entry on; BARID: from a base address register. */
#define PMT_ACCESS         BITS(3, 0)
#define PMT_ACCESS_BARID   2u
#define PMT_ACCESS_LOCAL   3u
#define PMT_VERSION        BITS(11, 4) /* of a feature: 0 is known */
#define PMT_SIZE           BITS(27, 12)
#define PMT_OFFSET_BIR     BITS(2, 0)
#define PMT_OFFSET_ADDRESS BITS(31, 3)

#define PMT_FEATURE_PER_RMID_PERF_TELEM   0x3u
#define PMT_FEATURE_PER_RMID_ENERGY_TELEM 0xBu
/* Table of a feature: attributes in dwords and GUIDs; its attributes, of which the second has the RMIDs; GUIDs. */
#define PMT_FEATURE_ATTR_SIZE BITS(7, 0)
#define PMT_FEATURE_NUM_GUIDS BITS(15, 8)
#define PMT_FEATURE_RMIDS     8u /* offset in bytes */
#define PMT_FEATURE_NUM_RMIDS BITS(15, 0)

#define TELEMETRY_VALID BIT(63) /* of an event: else the RMID has not been counted */
#define TELEMETRY_DATA  BITS(62, 0)
/* Status registers after the last event. */
enum { AGG_DATA_LOSS_COUNT, AGG_DATA_LOSS_TIMESTAMP, LAST_UPDATE_TIMESTAMP, TELEMETRY_STATUS };

struct telemetry_group {
    uint32_t guid, rmids, events;
    const char *name;
    uint32_t busy; /* index of an event that rises while a core works under the RMID */
    const char *busy_name;
};

#define TELEMETRY_GROUPS 4u
extern const struct telemetry_group telemetry_groups[TELEMETRY_GROUPS];

static inline uint32_t telemetry_bytes(const struct telemetry_group *g)
{
    return 8 * (g->rmids * g->events + TELEMETRY_STATUS);
}
