/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/quick.c: what -quick leaves out. Every family keeps the checks that find its plain defects; what looks at every
 * RMID, thread, class or box one by one, waits long, or moves many times an L3's size stays for a whole run.
 */
#include "core/engine/quick.h"
#include "core/base/text.h"

static const char *const thorough[] = {
    "qm.together",        "cmt.drift",
    "cmt.every-rmid",     "cmt.every-thread",
    "cmt.competition",    "cmt.crowd",
    "cmt.eviction",       "cmt.fill",
    "cmt.past-caches",    "cmt.prefetch",
    "cmt.recycled",       "cmt.restless-sibling",
    "cmt.siblings",       "mbm.carry",
    "mbm.crowd",          "mbm.every-rmid",
    "mbm.every-thread",   "mbm.idle",
    "mbm.kinds",          "mbm.matrix",
    "mbm.steady",         "cat.every-class",
    "cat.every-thread",   "cat.neighbour",
    "cat.shares",         "cat.windows",
    "mba.bystander",      "mba.siblings",
    "pmon.edge",          "pmon.filter-opcode",
    "pmon.filter-thread", "pmon.invert",
    "pmon.occupancy",     "pmon.occupancy-reset",
    "pmon.overflow",      "pmon.reset",
    "pmon.threshold",     "pmon.unasked-overflow",
    "ubox.threshold",     "ubox.wrap",
    "traffic.channels",   "traffic.mbm",
    "traffic.parts",      "traffic.remote",
    "traffic.states",     "traffic.writes",
};

uint32_t quick_leaves_out(const char *const **ids)
{
    *ids = thorough;
    return sizeof thorough / sizeof thorough[0];
}

bool is_thorough(const char *id)
{
    for (size_t i = 0; i < sizeof thorough / sizeof thorough[0]; i++)
        if (text_equal(thorough[i], id))
            return true;
    return false;
}
