/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the machine logged while the run lasted, and under a load of all processors at once. */
#include "core/check/check.h"
#include "core/domain/domains.h"
#include "core/load/memory.h"
#include "core/platform/script.h"
#include "core/tools/tools.h"

#define LOAD_MOST (64 * MIB) /* of an L3's processors */

/* Parts of twice an L3 for its processors. Returns how many tasks it made. */
static uint32_t load_domain(struct check *c, uint32_t domain, struct task *tasks, struct step *steps, struct work *work)
{
    uint32_t *cpus = check_alloc(c, c->platform->n_cpus * sizeof *cpus);
    uint32_t n = cpus ? domain_cpus(c, domain, cpus, c->platform->n_cpus) : 0;
    uint64_t bytes = 2 * c->machine->domains[domain].l3_bytes, left, base;

    if (n == 0)
        return 0;
    left = memory_left_any(c, cpus[0]);
    bytes = bytes < LOAD_MOST ? bytes : LOAD_MOST;
    bytes = c->platform->load_limit && bytes > c->platform->load_limit ? c->platform->load_limit : bytes;
    bytes = ROUND_DOWN((bytes < left ? bytes : left) / n);
    if (bytes == 0 || memory_take_any(c, cpus[0], bytes * n, &base) != ST_OK)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        work[i] = (struct work){ .kind = WORK_RMW, .passes = 1, .base = base + i * bytes, .bytes = bytes };
        steps[i] = step_work(&work[i]);
        tasks[i] = (struct task){ .cpu = cpus[i], .n_steps = 1, .steps = &steps[i] };
    }
    return n;
}

static enum status load_all(struct check *c)
{
    uint32_t n = 0, most = c->platform->n_cpus;
    struct task *tasks;
    struct step *steps;
    struct work *work;

    TRY_ALLOC(c, tasks, most, "load");
    TRY_ALLOC(c, steps, most, "load");
    TRY_ALLOC(c, work, most, "load");
    for (uint32_t i = 0; i < c->machine->n_domains; i++)
        n += load_domain(c, i, tasks + n, steps + n, work + n);
    TRY_MEASURE(c, n ? platform_run(c->platform, tasks, n, work_budget_ms(n * LOAD_MOST)) : ST_OK, c->platform->bsp,
                "load");
    return ST_OK;
}

/* Silicon faults: corrected-memory, corrected-cache, corrected-bus, uncorrected-cache. */
static enum status check_banks(struct check *c)
{
    struct error_banks *b = &c->tools->errors;
    uint32_t first;
    char text[256];

    if (b->n_banks == 0 && b->n_channels == 0)
        return check_absent(c, "CPUID.1:EDX.MCA is 0, or IA32_MCG_CAP cannot be read");
    TRY(load_all(c));
    error_banks_look(b, &first);
    evidence_swept(c, "machine-check banks read", (uint64_t)b->n_banks * c->platform->n_cpus);
    evidence_swept(c, "memory channels with counters of corrected errors", b->n_channels);
    if (b->n_channels == 0)
        check_note(
            c, "no counters of the memory channels are read: AMD's are those of the banks, and of this part no public "
               "source has any, or they do not answer");
    if (b->n_before > 0) {
        logged_error_text(&b->before, text);
        check_note(c, "logged before the run, and not judged: %s%s", text, b->n_before > 1 ? "; and others" : "");
    }
    if (b->n_lost > 0) {
        machine_cpu_name(c->machine, b->lost, text, sizeof text);
        check_error(c, "processor-lost", "%s: no answer while its banks were read", text);
    }
    for (uint32_t i = 0; i < b->n && i < ERRORS_KEPT; i++) {
        const struct logged_error *e = &b->kept[i];

        logged_error_text(e, text);
        if (e->msr)
            evidence_msr(c, e->cpu, e->msr, e->status, 0);
        if (e->of_memory)
            finding(c, FINDING_FORBIDDEN, FINDING_NO_ERRATUM, FOUND_ERROR_LOGGED, e->place, "%s", e->text);
        else
            check_error(c, "error-logged", "%s", text);
    }
    if (b->n > ERRORS_KEPT)
        check_note(c, "%u further errors are not listed", b->n - ERRORS_KEPT);
    b->n_judged = b->n;
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "errors.banks",
      .title = "No machine-check bank or memory channel logs an error during the run",
      .spec = "SDM vol. 3B 16.3.2.2 IA32_MCi_STATUS MSRS; APM vol. 2 9.3 Machine Check Architecture MSRs; E5-2600 "
              "datasheet vol. 2 4.2.16.8 CORRERRCNT_0",
      .covers = "ER-01 ER-02 ER-03",
      .detects = "corrected, deferred and uncorrected errors of memory, caches and links that a load brings out",
      .means = "memory or a cache of the part has errors: what was measured may be right, the part is not",
      .next =
          "bank and address in the finding against the board's DIMM map; the checks that the report's errors name; the "
          "system event log; the same run with other DIMMs",
      .run = check_banks },
};
CHECK_FAMILY(errors, rows, .risk = RISK_WORKLOAD, .rests_on = RESTS_ON_REGISTERS, .no_monitor = true, .order = 990);
