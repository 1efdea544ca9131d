/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/probe.h: the model's own truth, for software in the guest that wants to compare.
 *
 * Registers that no part has, far from any that one has: a program that knows them reads at one moment what the silicon
 * says and what is so. They are there only where the plugin has probe=on, so that nothing else ever meets them.
 */
#pragma once
#include "tests/silicon/model/model.h"

#define PROBE_FEED    0x53494C00u /* 1: memory accesses reach the model; 0: they do not, time passes as ever      */
#define PROBE_SELECT  0x53494C01u /* domain << 32 | RMID: whose figures the following three are                  */
#define PROBE_LINES   0x53494C02u /* struct model_truth: rmid_lines, rmid_total_lines, rmid_local_lines; read-only */
#define PROBE_TOTAL   0x53494C03u
#define PROBE_LOCAL   0x53494C04u
#define PROBE_DOMAIN  0x53494C06u /* model_domain() of the processor that asks; read-only                          */
#define PROBE_SUMMARY 0x53494C05u /* write: the summary so far is appended to the summary file; not readable      */

struct probe {
    uint32_t domain, rmid;
};

/* One of PROBE_SELECT .. PROBE_LOCAL, PROBE_DOMAIN. The others are whose registers they are: MODEL_NOT_MINE.
 * PROBE_SELECT refuses a domain that the model does not have (an RMID that it does not have reads zeros), the figures
 * refuse to be written: MODEL_GP. */
enum model_answer probe_read(const struct probe *p, struct model *m, uint32_t cpu, uint32_t msr, uint64_t *value);
enum model_answer probe_write(struct probe *p, struct model *m, uint32_t msr, uint64_t value);
