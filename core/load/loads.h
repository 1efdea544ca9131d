/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/load/loads.h: parts of a load, and how large a load has to be. */
#pragma once
#include "core/check/check.h"
#include "core/load/traffic.h"

/* One sequential read of a buffer under an RMID, CLOS kept. */
struct traffic_part part_read(uint32_t rmid, uint64_t base, uint64_t bytes);
/* The same as a fill of the L3: on a non-inclusive one a second pass drives the lines out of L2. */
struct traffic_part part_fill(const struct check *c, uint32_t domain, uint32_t rmid, uint64_t base, uint64_t bytes);
/* CLFLUSH of a buffer. */
struct traffic_part part_flush(uint32_t rmid, uint64_t base, uint64_t bytes);
/* Under an RMID without memory access, for TSC ticks. */
struct traffic_part part_idle(uint32_t rmid, uint64_t ticks);

/* Bytes of a read that is judged against T_bw: many counts long, and short enough for an emulator. */
uint64_t load_stream_bytes(const struct check *c, uint32_t domain);
/* Bytes of a fill that T_occ tells from no occupancy, at most a quarter of the L3; three eighths where it is not
 * inclusive. */
uint64_t load_small_fill_bytes(const struct check *c, uint32_t domain);
/* Half the L3, or the platform's limit of a load (core/platform/platform.h) where that is less. */
uint64_t load_half_l3(const struct check *c, uint32_t domain);
/* The least traffic that is worth counting: 32 counts, one more or less is 3 %. */
uint64_t load_slice_bytes(const struct check *c, uint32_t domain);
