/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/uncore/model_uncore_match.h: what is counted by address, opcode and packet. Caller holds the package's lock. */
#pragma once
#include "tests/silicon/uncore/uncore.h"

/* Lines that package `from` asked package `home` for, or wrote there. */
uint64_t uncore_lines_between(const struct model *m, uint32_t from, uint32_t home, bool write);

/* Packets of a link port, sent (received false) or received: requests for a line, what comes back with its data, and lines
 * that are written, each of which is one packet with data. */
enum link_packets { PACKETS_REQUESTS, PACKETS_RESPONSES, PACKETS_WRITES };
uint64_t uncore_link_packets(const struct uncore_look *l, bool received, enum link_packets which);

/* A register that is kept was written: the first write of a match register begins the count of requests by kind. */
void uncore_match_written(struct model *m, const struct uncore_box *b);
