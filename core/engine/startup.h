/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/engine/startup.h: which processors are started, and in which ways it is tried. efi/processors/ap_startup.c does it. */
#pragma once
#include "core/options/options.h"
#include "core/platform/platform.h"

enum startup_method {
    STARTUP_NONBLOCKING, /* StartupAllAPs with an event                                         */
    STARTUP_BLOCKING,    /* StartupAllAPs without one, the work in a timer's notification       */
    STARTUP_SIPI,        /* INIT and SIPI of our own                                            */
};

struct startup_plan {
    uint32_t n; /* 0: the boot processor alone, as after all methods have failed */
    enum startup_method tries[2];
    const char *why;       /* what decided it; NULL: nothing but firmware's answers */
    const char *otherwise; /* the option that starts them where none of these does; NULL: there is none */
};

/* others: processors besides the boot processor that are used.
 *
 *   auto           non-blocking; where firmware refuses it, blocking. Without MP services: INIT-SIPI
 *   blocking, sipi that one; blocking without MP services: none
 *   bsp            none
 */
struct startup_plan startup_plan(enum mp_choice choice, uint32_t others, bool has_mp_services);

/* Whether a processor other than the boot processor is used. flags: as firmware lists it; chosen: by -cpus. */
bool startup_takes_part(uint32_t flags, enum mp_choice choice, bool chosen);

/* Whether firmware's processor services are tried when the workers have left: only where a check looks at what they did,
 * and not where firmware is not asked to start processors. */
bool startup_wants_mp_selftest(const struct options *o);
