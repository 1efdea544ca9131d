/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/data/replay.h: recordings of real machines (docs/recording.md), as a source of CPUID and as a platform.
 *
 * cpu 0 has all its CPUID lines, each other processor those in which it differs. A line that is not in the file is unknown
 * and answers ST_ABSENT, never zero. Leaves above the recorded maxima are ST_ABSENT too, as from a live processor.
 */
#pragma once
#include "arch/x86/cpu/cpuid.h"
#include "tests/silicon/recorded/recording.h"

struct replay;

/* NULL: the file cannot be read or is malformed; stderr has the line. */
struct replay *replay_open(const char *path);
/* Of a recording that was opened, which is the replay's from now on. NULL: no memory. */
struct replay *replay_of(struct recording *recording);
void replay_free(struct replay *r);
const struct recording *replay_recording(const struct replay *r);
uint32_t replay_cpus(const struct replay *r);
/* Processor `cpu` in file order. The source is good for as long as r is. */
struct cpuid_source replay_source(struct replay *r, uint32_t cpu);
/* A platform of all its processors, all started, ascending by APIC id; where no CPUID was recorded, of the one that would
 * read the tables. Registers that were not recorded raise #GP. Firmware's tables lie at addresses of the platform's own. PCI
 * functions answer vendor, device and class, and what else was recorded; other offsets are ST_UNSUPPORTED, buses that are not
 * complete ST_ABSENT. Memory-mapped registers are those of the regions. */
struct platform *replay_platform(struct replay *r);
/* Reads of registers through the platform so far that the recording does not answer; pci: of configuration space alone. */
uint32_t replay_unknown(const struct replay *r, bool pci);
