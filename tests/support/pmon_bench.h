/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/pmon_bench.h: checks of uncore monitors on the host model, with a register between that does
 * otherwise than it should.
 */
#pragma once
#include "core/platform/ledger.h"
#include "core/machine/machine.h"
#include "tests/support/whole_run.h"

struct bench {
    struct model_platform *mp;
    struct machine *machine;
    struct ledger ledger;
    struct whole_run *run;
};

/* A machine of two cores a package, and the pattern of the checks to be run on it. */
struct bench bench_of(const char *profile, uint32_t packages, const char *tests);
/* Runs them; the result of the check of that id. */
const struct whole_result *run_one(struct bench *b, const char *id);
void bench_free(struct bench *b);
/* Whether the text report has these words: it is wrapped, so few of them. */
bool says(const struct bench *b, const char *words);

/* The model's own operations while a hook stands before them, and what the hooks below do and to which MSR. */
extern const struct platform_ops *real_ops;
extern uint32_t told_msr;
extern uint64_t told_value;

typedef enum status (*run_hook)(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms);
/* The MSR reads as told; is written with these bits set; is written without them; has these bits alone. */
enum status tell(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms);
enum status stick(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms);
enum status lose(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms);
enum status narrow(void *machine, struct task *tasks, uint32_t n, uint64_t budget_ms);
/* run_one() with a hook in front of the processors. */
const struct whole_result *run_hooked(struct bench *b, const char *id, run_hook hook, uint32_t msr, uint64_t value);
