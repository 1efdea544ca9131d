/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_platform.h: the silicon model as a struct platform, for tests on the host.
 *
 * Tasks are interpreted: a STEP_WORK feeds model_access() with exactly the accesses that the kernel of that kind makes.
 * Tasks of one run advance in turns of a few hundred lines, so that they compete for the cache; barriers are honoured.
 * Time is virtual: each access, register operation and spin costs TSC ticks, the same in every run. Memory addresses
 * need no backing store. There are no ACPI or SMBIOS tables unless the test builds some: model_platform makes an RSDP,
 * XSDT, MADT, SRAT and an SMBIOS 3 entry point that agree with the model, at made-up physical addresses.
 */
#pragma once
#include "core/platform/platform.h"
#include "tests/silicon/model/model.h"

struct model_platform {
    struct platform platform;
    struct model *model;
    void *state;
};

/* node_bytes: memory per node, 0: 1 GiB. NULL with a message on stderr where the configuration is bad. */
struct model_platform *model_platform_new(const struct model_config *config, uint64_t node_bytes);
void model_platform_free(struct model_platform *mp);

/* Make processor `cpu` miss every deadline from now on / answer the n-th task late: a dead AP. */
void model_platform_kill(struct model_platform *mp, uint32_t cpu);
/* Count an SMI on every processor in the middle of each STEP_WORK from the next on, n times. */
void model_platform_smi(struct model_platform *mp, uint32_t n);
