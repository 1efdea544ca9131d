/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/startup.h"

#include "core/engine/engine.h"

struct startup_plan startup_plan(enum mp_choice choice, uint32_t others, bool has_mp_services)
{
    static const char no_services[] = "firmware has no MP services", sipi[] = "-mp sipi starts them without firmware";

    if (choice == MP_BSP)
        return (struct startup_plan){ .why = "chosen by -mp bsp" };
    if (others == 0)
        return (struct startup_plan){ .why = "no other processor is used" };
    if (choice == MP_SIPI)
        return (struct startup_plan){ .n = 1, .tries = { STARTUP_SIPI }, .why = "chosen by -mp sipi" };
    if (!has_mp_services)
        return (struct startup_plan){ .n = choice == MP_AUTO,
                                      .tries = { STARTUP_SIPI },
                                      .why = no_services,
                                      .otherwise = choice == MP_AUTO ? NULL : sipi };
    if (choice == MP_BLOCKING)
        return (struct startup_plan){
            .n = 1, .tries = { STARTUP_BLOCKING }, .why = "chosen by -mp blocking", .otherwise = sipi
        };
    return (struct startup_plan){ .n = 2, .tries = { STARTUP_NONBLOCKING, STARTUP_BLOCKING }, .otherwise = sipi };
}

bool startup_takes_part(uint32_t flags, enum mp_choice choice, bool chosen)
{
    uint32_t needs = CPU_ENABLED | CPU_HEALTHY;

    return (flags & needs) == needs && choice != MP_BSP && chosen;
}

bool startup_wants_mp_selftest(const struct options *o)
{
    return o->list == LIST_NOTHING && !o->n_counts && !o->top_seconds && o->mp != MP_SIPI && o->mp != MP_BSP &&
           engine_wants(o, NEED_MP_SELFTEST);
}
