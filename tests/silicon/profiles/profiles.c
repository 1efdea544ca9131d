/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profiles.c: the list of all profiles, oldest part first. */
#include "tests/silicon/profiles/profile.h"

const struct profile *const profiles[] = { &profile_nhm,    &profile_snbep,  &profile_hsx,  &profile_bdx,
                                           &profile_bdx_gp, &profile_bdx_80, &profile_skx,  &profile_icx,
                                           &profile_spr,    &profile_gnr,    &profile_zen3, &profile_zen5,
                                           &profile_client };
const uint32_t n_profiles = sizeof profiles / sizeof profiles[0];
