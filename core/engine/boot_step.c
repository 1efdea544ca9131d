/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/boot_step.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/calendar.h"
#include "core/base/text.h"
#include "core/journal/resume.h"
#include "core/report/report_resume.h"

static const struct check_row boot_row = {
    .id = "resume",
    .title = "The run continues after a reset",
    .spec = "Assay's own rule: a hang costs one check",
    .covers = "",
    .detects = "",
    .risk = RISK_NONE,
    .grade = GRADE_W,
};

static void utc_text(uint64_t utc_ms, char out[25])
{
    struct calendar c = calendar_from_seconds(utc_ms / 1000);

    text_format(out, 25, "%04u-%02u-%02uT%02u:%02u:%02uZ", c.year, c.month, c.day, c.hour, c.minute, c.second);
}

static void armed_text(const struct journal_record *found, char *out, size_t size)
{
    if (found->armed)
        text_format(out, size, "a watchdog of %u s was armed", found->armed);
    else
        text_format(out, size, "no watchdog was armed");
}

void boot_hang_text(const struct journal_record *found, char *out, size_t size)
{
    char since[25], armed[48];

    if (found->medium != ST_OK) {
        text_format(out, size,
                    "the medium with the report failed (%s) within this: what boot %u found afterwards was shown on "
                    "its console alone",
                    status_text(found->medium), found->boot);
        return;
    }
    utc_text(found->utc_ms, since);
    armed_text(found, armed, sizeof armed);
    text_format(out, size, "interrupted by a hang or power loss in boot %u (started %s; %s)%s%s", found->boot,
                found->utc_ms ? since : "an unknown time", armed, found->last_steps[0] ? "; last steps: " : "",
                found->last_steps);
}

const char *boot_symptom(const struct journal_record *found)
{
    return found->medium == ST_OK ? SYMPTOM_HUNG : "medium-failed";
}

static void put_boot(struct engine *e, const struct journal_record *found, uint32_t boot)
{
    struct json *j = report_extension(e->report, "assay.boot");
    char text[JOURNAL_CHECK + 32];

    json_unsigned(j, "boot", boot);
    json_unsigned(j, "bootsWithoutProgress", found->stalled + (found->medium == ST_OK));
    resume_what(found, text, sizeof text);
    json_text(j, "interrupted", text);
    json_unsigned(j, "round", found->round);
    if (found->utc_ms) {
        utc_text(found->utc_ms, text);
        json_text(j, "begun", text);
    }
    json_unsigned(j, "seconds", found->seconds);
    json_unsigned(j, "watchdogSeconds", found->armed);
    json_text(j, "lastSteps", found->last_steps);
    report_artifact_end(e->report);
}

/* IA32_PQR_ASSOC is 0 after a power-on: SDM vol. 3B 17.16.6, "Monitoring Resource RMID Association". */
static void read_associations(struct engine *e, struct check *c)
{
    uint32_t n = 0, kept = 0, first = 0;
    uint64_t value, of_first = 0;

    for (uint32_t cpu = 0; cpu < e->platform->n_cpus; cpu++) {
        if (!cpu_takes_work(e->platform, cpu) || msr_read(e->platform, cpu, IA32_PQR_ASSOC, &value) != ST_OK)
            continue;
        n++;
        if (value == 0)
            continue;
        if (kept++ == 0) {
            first = cpu;
            of_first = value;
        }
        evidence_msr(c, cpu, IA32_PQR_ASSOC, value, e->platform->ops->tsc(e->platform->machine));
    }
    if (kept > 0)
        check_note(c, "after the reset IA32_PQR_ASSOC is not 0 on %u of %u processors, the first is cpu %u: 0x%lx",
                   kept, n, first, of_first);
    else
        check_note(c, "after the reset IA32_PQR_ASSOC is 0 on all %u processors", n);
}

/* All ones after a power-on: SDM vol. 3B 17.17.4, "Cache Allocation Technology Usage Model". */
static void read_masks(struct engine *e, struct check *c, uint32_t domain)
{
    uint32_t cpu = e->machine->domains[domain].cpu, kept = 0, n = 0, first = 0;
    const struct rdt_cat *l3 = &e->machine->cpus[cpu].rdt.l3;
    uint64_t value, of_first = 0, all = l3->cbm_len < 64 ? (UINT64_C(1) << l3->cbm_len) - 1 : UINT64_MAX;

    for (uint32_t clos = 0; clos < l3->clos && IA32_L3_MASK(clos) <= IA32_L3_MASK_LAST; clos++) {
        if (msr_read(e->platform, cpu, IA32_L3_MASK(clos), &value) != ST_OK)
            continue;
        n++;
        if (value == all)
            continue;
        if (kept++ == 0) {
            first = clos;
            of_first = value;
        }
        evidence_msr(c, cpu, IA32_L3_MASK(clos), value, e->platform->ops->tsc(e->platform->machine));
    }
    if (kept > 0)
        check_note(c, "after the reset %u of %u L3 masks of L3 domain %u are not 0x%lx, the first is CLOS %u: 0x%lx",
                   kept, n, domain, all, first, of_first);
    else
        check_note(c, "after the reset all %u L3 masks of L3 domain %u are 0x%lx", n, domain, all);
}

void boot_step(struct engine *e, const struct journal_record *found, uint32_t boot)
{
    struct check_state state = { .record = { .done = true } };
    struct check c = {
        .row = &boot_row, .platform = e->platform, .machine = e->machine, .report = e->report, .state = &state
    };
    const struct rdt_info *rdt = e->machine->n_cpus ? &e->machine->cpus[e->machine->reference].rdt : NULL;

    check_step_start(&c, 1);
    put_boot(e, found, boot);
    if (rdt && (rdt->monitoring || rdt->allocation))
        read_associations(e, &c);
    for (uint32_t i = 0; rdt && rdt->l3.present && i < e->machine->n_domains; i++)
        read_masks(e, &c, i);
    text_format(state.record.reason, sizeof state.record.reason, "boot %u", boot);
    check_step_end(&c);
}
