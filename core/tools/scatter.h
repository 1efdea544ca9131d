/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/tools/scatter.h: buffers in several pieces of memory, for loads.
 *
 * On a node whose free memory is in many extents a buffer may be in several pieces. Its addresses are then in a range of
 * their own, in which the pieces follow one another, so that a part of a buffer is what it is of one in one piece. The
 * loads of core/load/traffic.h find the memory that they stand for; nothing else accesses such a buffer. The range begins
 * where no physical address is: they have 52 bits at most (SDM vol. 3A 4.1.4 "Enumeration of Paging Features by CPUID").
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define SCATTER_BASE (UINT64_C(1) << 56)
#define SCATTER_MOST 128u

struct scatter {
    uint32_t n;
    uint64_t bytes; /* of all pieces: after them the next one begins */
    struct {
        uint64_t at, base, bytes; /* at: offset in the range */
    } piece[SCATTER_MOST];
};

static inline bool is_scattered(uint64_t address)
{
    return address >= SCATTER_BASE;
}

/* Of no piece any more. */
void scatter_reset(struct scatter *s);
/* Where the next piece will be. */
uint64_t scatter_next(const struct scatter *s);
/* Memory from `base` on is there. false: there is no room in the table. */
bool scatter_add(struct scatter *s, uint64_t base, uint64_t bytes);
/* The memory behind an address, which is itself where it is not in the range. *bytes, those from it on that are asked for,
 * becomes what of them is in one piece; 0: the address is of no piece. s may be NULL. */
uint64_t scatter_find(const struct scatter *s, uint64_t address, uint64_t *bytes);
