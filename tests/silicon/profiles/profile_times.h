/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_times.h: how long a part takes to get at data, and how much it moves: model_clock.h
 * makes time of it. profile_times.c has a row a part, and where its figures come from.
 */
#pragma once
#include <stdint.h>

struct profile_times {
    uint32_t l1, l2, l3;          /* from load to use, in clocks of the TSC                                    */
    uint32_t local_ns, remote_ns; /* the same, of memory of the processor's package, of another one            */
    uint32_t misses;              /* that a core has under way at once where loads do not wait for each other  */
    uint32_t package_mb;          /* a second: what the memory of one package hands out, of all of its nodes   */
    uint32_t link_mb;             /* a second: what one package gets from the memory of others                 */
};

extern const struct profile_times times_nhm, times_snbep, times_hsx, times_bdx, times_knl, times_skx, times_icx,
    times_spr, times_gnr, times_grr, times_zen3, times_zen5, times_client;
