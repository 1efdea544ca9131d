/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/processors/dispatch.h: one run: tasks handed to workers, waited for, collected. */
#pragma once
#include "core/processors/workers.h"

/* platform_ops.run: see core/platform/platform.h. ST_NO_MEMORY: nothing was run, and the next run may succeed. */
enum status workers_run(struct workers *ws, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);

/* Free what runs took from the heap. After workers_stop() that left none unreturned, and only then: a worker that is
 * late writes to it. */
void workers_free_runs(struct workers *ws);
