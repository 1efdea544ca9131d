/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/processors/mp_selftest.h: firmware's processor services, tried when the run is over (core/platform/mp_selftest.h says what
 * comes of it). */
#pragma once
#include "core/platform/mp_selftest.h"
#include "efi/processors/processors.h"

/* About a second: procedures of 600 ms, and a time-out that is let pass on one processor. A call that does not come
 * back is left by force after MP_WAIT_MS, and nothing further is tried. Only while firmware has every other
 * processor: before ap_startup() or after processors_stop(). NULL: no memory,
 * or ps->mp is NULL. */
struct mp_selftest *mp_selftest(struct processors *ps);
/* What mp_selftest() gave, and its list of processors; NULL does no harm. */
void mp_selftest_free(struct mp_selftest *t);
