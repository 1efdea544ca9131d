/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sound hardware of shapes that no profile of the silicon model has: no check may fail it, and none may fall over. */
#include <criterion/criterion.h>

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/domain/alloc.h"
#include "core/platform/ledger.h"
#include "tests/support/run/model_run.h"

static void expect_sound(const struct whole_run *w, const char *part)
{
    for (uint32_t i = 0; i < w->n; i++)
        cr_expect(w->checks[i].verdict == VERDICT_PASS || w->checks[i].verdict == VERDICT_SKIP, "%s: %s is %s: %s",
                  part, w->checks[i].row->id, verdict_text(w->checks[i].verdict), w->checks[i].reason);
    cr_expect_gt(w->counts.pass, 5, "%s", part);
    cr_expect_eq(w->restored, ST_OK, "%s: a register does not read as it was found", part);
}

static void expect_sound_part(struct model_config config, struct whole_run w, const char *part)
{
    cr_assert(whole_run(&config, &w));
    expect_sound(&w, part);
    whole_run_free(&w);
}

Test(unprofiled_parts, one_processor_and_a_small_l3)
{
    expect_sound_part(MODEL("bdx-de", 1, 1, 1, .slices = 1, .seed = 5), (struct whole_run){ .no_figures = true },
                      "one processor");
}

static void limit_rmids(struct machine *m, uint32_t max)
{
    for (uint32_t i = 0; i < m->n_cpus; i++)
        m->cpus[i].rdt.max_rmid = m->cpus[i].rdt.max_rmid_any = max;
    for (uint32_t i = 0; i < m->n_domains; i++)
        m->domains[i].max_rmid = max;
}

static void two_rmids(struct machine *m)
{
    limit_rmids(m, 1);
}

/* The model has more, so that what is said of RMIDs that do not exist is not judged. */
Test(unprofiled_parts, two_rmids)
{
    expect_sound_part(MODEL("bdx", 1, 2, 1, .slices = 4, .seed = 5),
                      (struct whole_run){ .no_figures = true,
                                          .described = two_rmids,
                                          .tests = { "cmt.*", "mbm.*", "cross.*" },
                                          .skips = { "mbm.wrap" } },
                      "two RMIDs");
}

static void one_rmid(struct machine *m)
{
    limit_rmids(m, 0);
}

/* 0FH.0:EBX 0 is legal. Here too the model has more. */
Test(unprofiled_parts, one_rmid)
{
    static const char *const parts[] = { "bdx", "zen5" };

    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        expect_sound_part(
            MODEL(parts[i], 1, 2, 1, .slices = 4, .seed = 5),
            (struct whole_run){ .no_figures = true,
                                .described = one_rmid,
                                .tests = { "enum.*", "pqr.*", "qm.*", "cmt.*", "mbm.*", "cat.*", "amd.*", "traffic.*" },
                                .skips = { "enum.kind", "pqr.reserved-bits", "*.rmid-limit" } },
            parts[i]);
}

/* --- occupancy that shows what it was at the last of moments that are `apart` ticks apart --------------------------- */

#define RMIDS 64u

static struct {
    struct model *model;
    uint64_t apart, moment, lines[RMIDS], selected;
} late;

static void show_late(struct interposer *i, uint32_t, struct step *s)
{
    uint64_t moment = i->real->tsc(i->real_machine) / late.apart;
    struct model_truth t;

    for (uint32_t rmid = 0; rmid < RMIDS && moment != late.moment; rmid++) {
        model_truth(late.model, 0, rmid, &t);
        late.lines[rmid] = t.rmid_lines;
    }
    late.moment = moment;
    if (s->op == STEP_WRMSR && s->reg == IA32_QM_EVTSEL)
        late.selected = s->value;
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && field_get(IA32_QM_EVTSEL_EVTID, late.selected) == 1)
        s->value = late.lines[field_get(IA32_QM_EVTSEL_RMID, late.selected) % RMIDS] / 512; /* bdx: a count is 32 KiB */
}

static void be_late(struct model_run *r)
{
    late.model = r->mp->model;
    r->interposer.after = show_late;
    r->run->mp->platform.load_limit = 0; /* 1 GiB is moved */
}

/* No document says how soon an occupancy shows what was filled: a millisecond is waited for, a second is not. */
Test(unprofiled_parts, occupancy_that_shows_late_is_waited_for)
{
    static const char *const ids[] = { "cmt.fill", "cmt.flush", "cmt.linearity", "cmt.recycled", "cmt.halves" };

    late.apart = 2000000;
    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        expect(VERDICT_PASS, ids[i], ON("bdx"), .change = be_late, .own_bounds = true);
    late.apart = 2000000000;
    expect(VERDICT_FAIL, "cmt.fill", ON("bdx"), .change = be_late, .own_bounds = true);
}

/* --- masks --------------------------------------------------------------------------------------------------------- */

static uint32_t least_bits_found(struct register_defect defect)
{
    struct model_run *r = model_run_new("bdx", 1, "cat.*");
    struct check_state state = { 0 };
    struct check c = { .state = &state, .machine = r->machine, .platform = &r->mp->platform };
    struct ledger ledger;
    struct alloc_table t;
    uint32_t bits = 0;
    uint64_t left = 0;

    cr_assert_eq(ledger_init(c.platform, &ledger), ST_OK);
    t = alloc_l3_masks(&c);
    r->interposer.defect = defect;
    cr_expect_eq(alloc_least_bits(&c, &t, 0, 3, &bits), ST_OK);
    cr_expect_eq(msr_read(c.platform, 0, IA32_L3_MASK(1), &left), ST_OK);
    cr_expect_eq(left, low_bits(t.bits), "what was found goes back");
    ledger_free(&ledger);
    model_run_free(r);
    return bits;
}

/* Linux resctrl, cache_alloc_hsw_probe(): E5 v3 takes no mask of one bit. Where two are refused as well, a check that
 * writes one says so. */
Test(unprofiled_parts, the_least_mask_is_found_by_trying)
{
    struct register_defect refused = { .access = ACCESS_WRMSR, .reg = IA32_L3_MASK(1), .raises = ST_FAULT },
                           ignored = msr_stuck_at_1(IA32_L3_MASK(1), low_bits(20));

    cr_expect_eq(least_bits_found((struct register_defect){ 0 }), 1);
    cr_expect_eq(least_bits_found(refused), 1);
    refused.once = ignored.once = true;
    cr_expect_eq(least_bits_found(refused), 2);
    cr_expect_eq(least_bits_found(ignored), 2, "no #GP, and what stood there is there still");
}

/* L2 masks without RDT monitoring, as Atom parts have them: the core counts the requests. */
static void remove_monitoring(struct model_run *r)
{
    for (uint32_t i = 0; i < r->machine->n_domains; i++)
        r->machine->domains[i].upscaling_factor = r->machine->domains[i].max_rmid = 0;
}

Test(unprofiled_parts, l2_masks_are_judged_without_rdt_monitoring)
{
    expect(VERDICT_PASS, "l2.misses", ON("spr"), .change = remove_monitoring);
    expect(VERDICT_WARN, "l2.misses", ON("spr", .faults = { "l2-mask-inert" }), .change = remove_monitoring);
}

/* 24 bits of 64 bytes are 1 GiB: the one shape in which a full wrap can be had on a host. */
#define WRAP_BITS 24u

static void wrap(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i, (void)cpu;
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && !(s->value >> 62))
        s->value &= low_bits(WRAP_BITS);
}

static void saturate(struct interposer *i, uint32_t cpu, struct step *s)
{
    (void)i, (void)cpu;
    if (s->op == STEP_RDMSR && s->reg == IA32_QM_CTR && !(s->value >> 62) && s->value > low_bits(WRAP_BITS))
        s->value = low_bits(WRAP_BITS);
}

static void narrow_counters(struct model_run *r)
{
    r->machine->domains[0].counter_width = r->machine->cpus[0].rdt.counter_width = WRAP_BITS;
    r->run->mp->platform.load_limit = 0; /* 1 GiB is moved */
}

/* SDM vol. 3B 17.16.8: a 24-bit counter rolls over; software that reads it in time sees no difference. */
Test(unprofiled_parts, a_counter_that_wraps_passes_and_one_that_saturates_fails)
{
    expect(VERDICT_PASS, "mbm.wrap", ON("zen3", .slices = 2), .change = narrow_counters, .after = wrap);
    expect(VERDICT_FAIL, "mbm.wrap", ON("zen3", .slices = 2), .change = narrow_counters, .after = saturate);
}

/* Arrays are sized by what firmware reports: 4096 processors is the most. */
Test(unprofiled_parts, all_of_4096_processors_are_checked)
{
    struct model_config config = MODEL("bdx", 8, 256, 2, .slices = 1, .seed = 5);
    struct whole_run w = { .tests = { "reset.*", "enum.*", "pqr.*", "cmt.unused", "mbm.idle" }, .no_figures = true };

    cr_assert(whole_run(&config, &w));
    expect_sound(&w, "4096 processors");
    cr_expect_eq(w.mp->platform.n_cpus, 4096);
    cr_expect_eq(whole_run_find(&w, "pqr.own-copy")->verdict, VERDICT_PASS);
    whole_run_free(&w);
}
