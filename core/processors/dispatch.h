/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/processors/dispatch.h: one run: tasks handed to workers, waited for, collected. */
#pragma once
#include "core/processors/workers.h"

/* platform_ops.run: see core/platform/platform.h. ST_NO_MEMORY: nothing was run, and the next run may succeed. */
enum status workers_run(struct workers *ws, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);

/* An exception ended the boot processor's part of a run: the others end theirs, as after a deadline, and are waited for, so
 * that they take tasks again. One that does not answer within 10 s, or has an exception too, gets CPU_LOST. Nothing where
 * no run is under way. */
void workers_call_off(struct workers *ws);

/* What processors are at that have not answered in the last run, the boot processor included, as far as there is room: "cpu 3
 * (APIC 0x6) in step 2 of 5 (WRMSR)". For the boot processor between two steps of its own; "": there was no run. */
void workers_last_steps(const struct workers *ws, char *out, size_t size);

/* Free what runs took from the heap. After workers_stop() that left none unreturned, and only then: a worker that is
 * late writes to it. */
void workers_free_runs(struct workers *ws);
