/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* RS-06, RS-08: prefetcher control and RMID mode, which have no reset value and are recorded. */
#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/cpu/prefetch.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/machine/register_name.h"
#include "core/domain/domains.h"
#include "core/domain/sweep.h"
#include "core/platform/ledger.h"
#include "core/platform/script.h"

static uint32_t build_reset_recorded(struct sweep *, uint32_t, struct step *steps)
{
    steps[0] = step_rdmsr(MSR_MISC_FEATURE_CONTROL);
    steps[1] = step_rdmsr(MSR_RMID_SNC_CONFIG);
    return 2;
}

struct recorded {
    struct sweep sweep;
    bool there[2], differs[2];
    uint64_t first[2];
};

static void judge_reset_recorded(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct recorded *r = s->context;

    for (uint32_t i = 0; i < n; i++) {
        if (steps[i].status != ST_OK)
            continue;
        if (!r->there[i] || (steps[i].value != r->first[i] && !r->differs[i]))
            evidence_msr(s->check, cpu, steps[i].reg, steps[i].value, steps[i].tsc);
        if (r->there[i] && steps[i].value != r->first[i] && !r->differs[i]) {
            r->differs[i] = true;
            finding(s->check, FINDING_UNUSUAL, 0, FOUND_READS_DIFFER, place_cpu(cpu),
                    "%s is 0x%lx, on the first processor 0x%lx: the same load gives different counts",
                    register_name(steps[i].reg), steps[i].value, r->first[i]);
        }
        if (!r->there[i])
            r->first[i] = steps[i].value;
        r->there[i] = true;
        s->compared++;
    }
}

/* Of the reference processor, by each register that turns some off. */
static void note_prefetchers(struct check *c)
{
    const struct prefetch_control *control = c->machine->prefetch;

    for (uint32_t r = 0; control && r < control->n; r++) {
        const struct prefetch_register *reg = &control->reg[r];
        uint32_t cpu = c->machine->reference;
        uint64_t value = 0;
        enum status st = ledger_found_msr(c->platform->ledger, cpu, reg->msr, &value);

        if (st == ST_ABSENT)
            st = msr_read(c->platform, cpu, reg->msr, &value);
        if (st != ST_OK)
            check_note(c, "prefetchers of MSR 0x%x: unknown (RDMSR raised %s)", reg->msr, status_text(st));
        else
            check_note(c, "prefetchers of MSR 0x%x (0x%lx, bits 0x%lx): %s", reg->msr, value, reg->masks[0],
                       (value & reg->masks[0]) == reg->masks[0] ? "off"
                       : value & reg->masks[0]                  ? "some on"
                                                                : "on");
    }
}

/* No document has a rule for the values: prefetchers may be set core by core, and both RMID modes are legal. A
 * difference between processors is a WARN all the same, because the same load then gives different counts on them. */
static enum status check_reset_recorded(struct check *c)
{
    struct recorded r = { 0 };

    if (!reference_is_intel(c))
        return check_absent(c, "MSR_MISC_FEATURE_CONTROL and MSR_RMID_SNC_CONFIG exist on Intel parts only");
    TRY(sweep_run(&r.sweep, c, 2, build_reset_recorded, judge_reset_recorded, "MSR_MISC_FEATURE_CONTROL", &r));
    if (!r.there[0] && !r.there[1])
        return check_absent(c, "neither MSR_MISC_FEATURE_CONTROL nor MSR_RMID_SNC_CONFIG exists (both raise #GP)");
    note_prefetchers(c);
    if (r.there[1])
        check_note(c, "MSR_RMID_SNC_CONFIG is 0x%lx: with SNC, RMIDs are %s", r.first[1],
                   r.first[1] & MSR_RMID_SNC_CONFIG_SPLIT ? "divided between clusters" : "shared by clusters");
    evidence_swept(c, "prefetcher control and RMID mode read on every processor", r.sweep.compared);
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "reset.recorded",
      .title = "Prefetcher control and RMID mode are the same on every processor",
      .spec = "SDM vol. 4 MSR_MISC_FEATURE_CONTROL; RDT Architecture Specification 356688 B.1.2",
      .covers = "RS-06 RS-08",
      .detects = "prefetchers disabled on some cores, packages in different RMID modes",
      .means = "processors differ in prefetchers or RMID mode: one load gives different counts on them",
      .next = "register and processor in the finding; firmware settings for prefetchers and SNC",
      .run = check_reset_recorded },
};
CHECK_FAMILY(reset_recorded, rows, .no_monitor = true, .needs = NEED_RDT_BIT, .grade = GRADE_W,
             .rests_on = RESTS_ON_REGISTERS, .order = 100);
