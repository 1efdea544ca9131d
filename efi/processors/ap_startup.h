/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/ap_startup.h: the ways to get the other processors. Which are tried, in which order: core/engine/startup.h. Where
 * none works the boot processor is alone. */
#pragma once
#include "core/engine/startup.h"
#include "efi/processors/processors.h"

struct ap_startup {
    struct processors *ps;
    enum mp_choice choice;
    uint32_t others;             /* enabled and healthy processors, without the boot processor, that are used */
    void (*work)(void *context); /* called once, when the processors are there; stops them before it returns */
    void *context;
    const char **method; /* set before work is called */
    char *why;
    size_t why_size;
    EFI_TPL tpl; /* of the caller */
};

/* Start the processors and call s->work once, unless ST_NO_MEMORY. Returns ST_OK; ST_LOST where firmware's call did not come
 * back and was left behind. */
MUST_CHECK enum status ap_startup(struct ap_startup *s);

/* TSC ticks that a blocking StartupThisAP with an empty procedure takes, best of 3; 0: refused. Before ap_startup()
 * only: afterwards firmware would kill a worker for it. */
uint64_t ap_startup_cost_of_this_ap(struct processors *ps);
