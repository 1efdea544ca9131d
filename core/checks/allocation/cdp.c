/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Code and data prioritization: the switch. What it does to the cache: cat_effect.c. */
#include "core/checks/allocation/cdp.h"

#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/platform/script.h"

#define SDM_CDP "SDM vol. 3B 17.17.4 Code and Data Prioritization (CDP): Enumerating and Enabling L3 CDP Technology"
#define APM_CDP "APM vol. 2 19.4.2 Code and Data Prioritization"

/* --- the switch */

struct flip {
    struct sweep sweep;
    uint32_t msr;
    bool on, refused;
};

static uint32_t build_class_0(struct sweep *s, uint32_t cpu, struct step *steps)
{
    uint64_t found = alloc_found(s->check, cpu, IA32_PQR_ASSOC);

    steps[0] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_clos(found, 0));
    return pqr_decode(found).clos ? 1 : 0;
}

static uint32_t build_flip(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct flip *f = s->context;

    if (is_intel(s->check) && !alloc_writes(s->check, cpu, ALLOC_L3))
        return 0;
    steps[0] = step_wrmsr(IA32_L3_QOS_CFG, f->on ? IA32_L3_QOS_CFG_CDP_ENABLE : 0);
    return 1;
}

static void judge_flip(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct flip *f = s->context;

    (void)n;
    if (s->compared++ == 0 || steps[0].status != ST_OK)
        evidence_wrmsr(s->check, cpu, steps[0].reg, steps[0].value, steps[0].status, steps[0].tsc);
    if (steps[0].status == ST_OK)
        return;
    f->refused = true;
    alloc_refused(s->check, cpu, &steps[0]);
}

static bool flip_all(struct check *c, struct flip *f, uint32_t (*build)(struct sweep *, uint32_t, struct step *))
{
    f->sweep = (struct sweep){
        .check = c, .max_steps = 1, .build = build, .judge = judge_flip, .what = "IA32_L3_QOS_CFG", .context = f
    };
    if (sweep_processors(&f->sweep) == ST_OK)
        return !f->refused;
    cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_L3_QOS_CFG");
    return false;
}

static bool masks_full(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    for (uint32_t class = 0; class < t.classes; class ++)
        if (!alloc_write(c, &t, class, low_bits(t.bits)))
            return false;
    return true;
}

bool cdp_switch(struct check *c, bool on)
{
    struct alloc_table t = alloc_l3_masks(c);
    struct flip f = { .on = on };

    return alloc_touch_table(c, &t) && alloc_touch(c, IA32_L3_QOS_CFG) && alloc_touch(c, IA32_PQR_ASSOC) &&
           masks_full(c) && flip_all(c, &f, build_class_0) && flip_all(c, &f, build_flip) && masks_full(c);
}

void cdp_put_back(struct check *c)
{
    struct alloc_table t = alloc_l3_masks(c);

    if (alloc_put_back(c, IA32_L3_QOS_CFG) && alloc_put_back(c, IA32_PQR_ASSOC))
        alloc_put_back_table(c, &t);
}

/* --- CD-01, CD-05: it switches, everywhere */

static uint32_t build_look(struct sweep *s, uint32_t cpu, struct step *steps)
{
    (void)s;
    (void)cpu;
    steps[0] = step_rdmsr(IA32_L3_QOS_CFG);
    return 1;
}

static void judge_look(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    const struct flip *f = s->context;
    uint64_t wanted = f->on ? IA32_L3_QOS_CFG_CDP_ENABLE : 0;
    bool wrong = steps[0].status != ST_OK || steps[0].value != wanted;

    (void)n;
    if (s->compared++ == 0 || wrong)
        evidence_msr(s->check, cpu, IA32_L3_QOS_CFG, steps[0].value, steps[0].tsc);
    if (steps[0].status != ST_OK)
        fail(s->check, "cpu %u: RDMSR IA32_L3_QOS_CFG raised %s", cpu, status_text(steps[0].status));
    else if (wrong)
        fail(s->check, "cpu %u: IA32_L3_QOS_CFG was set to 0x%llx on every L3 and reads 0x%llx", cpu,
             (unsigned long long)wanted, (unsigned long long)steps[0].value);
}

static void look(struct check *c, bool on)
{
    struct flip f = { .on = on };

    f.sweep = (struct sweep){
        .check = c, .max_steps = 1, .build = build_look, .judge = judge_look, .what = "IA32_L3_QOS_CFG", .context = &f
    };
    if (sweep_processors(&f.sweep) != ST_OK)
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_L3_QOS_CFG");
    else
        evidence_swept(c, on ? "IA32_L3_QOS_CFG read on every processor while on" : "the same while off",
                       f.sweep.compared);
}

static enum verdict check_switch(struct check *c)
{
    if (cdp_switch(c, true)) {
        look(c, true);
        if (cdp_switch(c, false))
            look(c, false);
    }
    cdp_put_back(c);
    return check_verdict(c);
}

/* --- reserved bits */

static uint32_t reserved_bits(const struct alloc_walk *w, uint64_t *values)
{
    uint32_t n = 0;

    (void)w;
    for (uint32_t bit = 1; bit < 64; bit++)
        values[n++] = BIT(bit);
    return n;
}

static enum verdict check_reserved(struct check *c)
{
    struct alloc_table t = {
        .name = "IA32_L3_QOS_CFG", .first = IA32_L3_QOS_CFG, .classes = 1, .bits = 1, .scope = ALLOC_L3
    };
    struct alloc_walk w = { .table = &t,
                            .rule = is_intel(c) ? "bits other than bit 0 raise #GP" : "bits 63:1 read as zero",
                            .expect = is_intel(c) ? ALLOC_REFUSED : ALLOC_ZEROED,
                            .values = reserved_bits };

    alloc_walk(c, &w);
    return check_verdict(c);
}

/* --- CD-03: recorded */

static uint32_t build_high_class(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct check *c = s->check;
    uint64_t found = alloc_found(c, cpu, IA32_PQR_ASSOC);

    if (!alloc_writes(c, cpu, ALLOC_L3))
        return 0;
    steps[0] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_clos(found, reference_rdt(c)->l3.clos - 1));
    steps[1] = step_rdmsr(IA32_PQR_ASSOC);
    steps[2] = step_wrmsr(IA32_PQR_ASSOC, pqr_with_clos(found, 0));
    return 3;
}

static void judge_high_class(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    (void)n;
    evidence_wrmsr(s->check, cpu, IA32_PQR_ASSOC, steps[0].value, steps[0].status, steps[0].tsc);
    evidence_msr(s->check, cpu, IA32_PQR_ASSOC, steps[1].value, steps[1].tsc);
    if (s->compared++ == 0)
        note(s->check, "cpu %u: a class that has no masks while code and data are apart %s", cpu,
             steps[0].status == ST_OK ? "is taken" : "raises #GP");
}

/* The manual asks for no fault and leaves the effect open. */
static enum verdict check_high_class(struct check *c)
{
    struct sweep s = {
        .check = c, .max_steps = 3, .build = build_high_class, .judge = judge_high_class, .what = "IA32_PQR_ASSOC"
    };

    if (cdp_switch(c, true) && sweep_processors(&s) != ST_OK)
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "IA32_PQR_ASSOC");
    cdp_put_back(c);
    return check_verdict(c);
}

#define MEANS_USUAL "code and data are not told apart, or the switch does not do what it says"
#define NEXT_USUAL  "`enum.cdp-register`; the state of every L3 in the evidence"

static const struct check_row rows[] = {
    { .id = "cdp.switch",
      .title = "Code and data prioritization turns on and off on every L3",
      .spec = SDM_CDP "; " APM_CDP,
      .rows = "CD-01 CD-05",
      .detects = "a switch that is not there or sticks; an L3 in another state than the others",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_CDP,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 340,
      .run = check_switch },
    { .id = "cdp.reserved",
      .title = "The reserved bits of IA32_L3_QOS_CFG are refused, on AMD read as zero",
      .spec = SDM_CDP "; " APM_CDP,
      .rows = "CD-01 AM-02",
      .detects = "a reserved bit that is stored",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_CDP,
      .risk = RISK_MSR,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 340,
      .run = check_reserved },
    { .id = "cdp.high-class",
      .title = "What a class without masks of its own does is recorded",
      .spec = SDM_CDP,
      .rows = "CD-03",
      .detects = "nothing: the documents leave it open",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A | NEED_CDP,
      .risk = RISK_MSR,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 340,
      .run = check_high_class },
};
CHECK_FAMILY(cdp, rows);
