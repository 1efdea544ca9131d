/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/load/memory.h: working memory for a processor, from the arenas of core/tools/tools.h. */
#pragma once
#include "core/check/check.h"

/* Whether what memory_take_local() hands out counts as local: of the processor's own node, where that is of one package, or
 * of the only one of its package that has memory. Else no document says which of them is its. */
bool memory_is_local(const struct check *c, uint32_t cpu);
/* Whether memory at an address, which memory_take_any() or memory_scatter_any() handed out for `cpu`, counts as local. */
bool memory_at_is_local(const struct check *c, uint32_t cpu, uint64_t address);
/* Of the processor's own node, or of one of its package where that has no memory. ST_ABSENT: check_absent() has named
 * node and size. */
MUST_CHECK enum status memory_take_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address);
struct memory_piece {
    uint64_t base, bytes;
};
/* memory_take_local() in up to max pieces, as few as its free memory allows. pieces: [max]. */
MUST_CHECK enum status memory_take_pieces(struct check *c, uint32_t cpu, uint64_t bytes, struct memory_piece *pieces,
                                          uint32_t max, uint32_t *n);
/* memory_take_any(), memory_take_local() for loads of core/load/traffic.h: where no piece is as large, several pieces
 * of the processor's own node in one range of addresses (core/tools/scatter.h), and a note says how many. */
MUST_CHECK enum status memory_scatter_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address);
MUST_CHECK enum status memory_scatter_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address);
/* Likewise of a node in another package than `cpu`'s. ST_ABSENT. */
MUST_CHECK enum status memory_scatter_remote(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address);
/* Likewise of a node that no processor is of, as CXL memory is. ST_ABSENT. */
MUST_CHECK enum status memory_scatter_apart(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address);
/* Likewise of this node. false: it has not as much. */
MUST_CHECK bool memory_scatter_node(struct check *c, uint32_t cpu, uint32_t node, uint64_t bytes, uint64_t *address);
/* memory_take_local(), or of any other node: for occupancy, which is the same whatever node a line is of. */
MUST_CHECK enum status memory_take_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address);
/* How much memory_take_any() could hand out in one piece for `cpu`. */
uint64_t memory_left_any(struct check *c, uint32_t cpu);
/* How much memory_scatter_any() could. */
uint64_t memory_left_scattered(struct check *c, uint32_t cpu);
