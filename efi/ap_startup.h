/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/ap_startup.h: the four ways to get the other processors, and the order in which they are tried.
 *
 *   auto      non-blocking StartupAllAPs; refused: the blocking call, with the work in a timer callback; no MP
 * services: INIT-SIPI of our own; none of these: the boot processor alone blocking, sipi, bsp: that one, and else the
 * boot processor alone
 */
#pragma once
#include "core/options/options.h"
#include "efi/processors.h"

struct start {
    struct processors *ps;
    enum mp_choice choice;
    uint32_t others;             /* enabled and healthy processors beside the boot processor that take part */
    void (*body)(void *context); /* called once, when the processors are there; stops them before it returns */
    void *context;
    const char **method; /* set before body is called */
    char *why;
    size_t why_size;
    EFI_TPL tpl; /* of whoever called */
};

/* Start the processors and call s->body once, in every case. Returns ST_OK; ST_LOST where firmware's call did not come
 * back and was left behind. */
MUST_CHECK enum status start_and_call(struct start *s);

/* TSC ticks that a blocking StartupThisAP with an empty procedure takes, best of 3; 0: refused. Before start_and_call()
 * only: afterwards firmware would kill a worker for it. */
uint64_t start_cost_of_this_ap(struct processors *ps);
