/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/profiles/profile_times.c: figures of parts, each measured on one or a few machines by others.
 *
 *   MLC   Intel Memory Latency Checker's logs in github.com/hpcleuven/VscDocumentation at f320f4f8: E5-2680 v3, E5-2680
 * v4 (cluster on die: remote is the other socket of an E5-2680 v3), Xeon Gold 6132, Xeon Platinum 8360Y AT AnandTech:
 * "The Intel Skylake-X Review" (2017), caches: 77 clocks; "AMD Rome Second Generation EPYC Review" (2019): memory 113
 * to 134 ns, L3 34 to 46 clocks CC    Chips and Cheese, EPYC 9355P and 9575F (2025): memory about 130 ns where a
 * package is one node OPT   Intel 64 and IA-32 Architectures Optimization Reference Manual (248966): L1 4 or 5 clocks,
 * L2 10 to 14, 10 line fill buffers of a core up to Skylake
 *
 * MLC and AT stand after a row's local_ns, remote_ns, package_mb and link_mb where it names them. All else is assumed:
 * plausible between the parts before and after.
 */
#include "tests/silicon/profiles/profile_times.h"

#define TIMES(part) const struct profile_times times_##part

/* clang-format off */
/*                       L1  L2   L3  local remote misses package   link */
TIMES(nhm)    =         { 4, 10,  40,   65,   105,   10,   20000, 10000 }; /* caches, misses: OPT; memory: assumed   */
TIMES(snbep)  =         { 4, 12,  45,   80,   130,   10,   40000, 20000 }; /* the same                                */
TIMES(hsx)    =         { 4, 12,  50,   91,   128,   10,   61000, 31000 }; /* memory: MLC; L3: assumed                */
TIMES(bdx)    =         { 4, 12,  50,   75,   128,   10,   73000, 31000 }; /* memory: MLC; L3: assumed                */
TIMES(knl)    =         { 4, 17, 150,  130,   130,   12,   90000, 10000 }; /* assumed; its L3 is another tile's L2    */
TIMES(skx)    =         { 4, 14,  77,   78,   131,   10,  111000, 34000 }; /* memory: MLC; L3: AT                     */
TIMES(icx)    =         { 5, 14,  75,   89,   143,   12,  176000, 56000 }; /* memory: MLC; L3, misses: assumed        */
/* Xeon Gold 4416+ and Xeon 6980P (no clusters): MLC's logs of 2023 and 2025 that owners published. */
TIMES(spr)    =         { 5, 15, 100,  109,   169,   16,  113000, 63000 }; /* L3, misses: assumed                     */
TIMES(gnr)    =         { 5, 16, 110,  130,   430,   16,  554000, 247000 }; /* the same                               */
TIMES(grr)    =         { 5, 16,  90,  130,   130,   16,   76000, 10000 }; /* assumed; two channels of DDR5-4800      */
TIMES(zen3)   =         { 4, 12,  46,  110,   200,   24,  150000, 60000 }; /* L3: AT, of the part before; all else: assumed */
TIMES(zen5)   =         { 4, 14,  50,  130,   220,   24,  400000, 100000 }; /* local: CC; all else: assumed           */
TIMES(client) =         { 5, 14,  45,   60,    60,   10,   30000, 30000 }; /* assumed                                 */
/* clang-format on */
