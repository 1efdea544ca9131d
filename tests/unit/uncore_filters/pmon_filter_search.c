/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* pmon.filter-thread where the field is too wide for every value: Sapphire Rapids. Linux spr_uncore_chabox and PCM: CHA n at
 * 2000H + 10H n, control of counter 0 at 2 with tid_en in bit 16, the filter at EH with tid in 9:0, counter 0 at 8. The
 * silicon's own filter is kept from acting; here slices filter: the tid of a processor is its number after three bits for
 * its thread, and `first` more cores. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define ID     "pmon.filter-thread"
#define SLICES 144u
#define TID_EN BIT(16)
#define ALL    UINT32_MAX

struct slices {
    uint64_t ctl[SLICES], filter[SLICES];
    uint32_t worker; /* that had a load last */
    uint32_t first, deaf;
    bool same; /* one tid for all */
};

static bool of_slice(const struct step *s, uint32_t offset, uint32_t *slice)
{
    *slice = (s->reg - 0x2000) / 0x10;
    return s->reg >= 0x2000 && *slice < SLICES && s->reg % 0x10 == offset;
}

static void slices_note(struct interposer *i, uint32_t cpu, struct step *s)
{
    struct slices *f = i->context;
    uint32_t n;

    if (s->op == STEP_WORK)
        f->worker = cpu;
    else if (s->op == STEP_WRMSR && of_slice(s, 2, &n))
        f->ctl[n] = s->value, s->value &= ~TID_EN;
    else if (s->op == STEP_WRMSR && of_slice(s, 0xE, &n))
        f->filter[n] = s->value;
}

static void slices_count(struct interposer *i, uint32_t, struct step *s)
{
    const struct slices *f = i->context;
    uint32_t n, tid = 8 * (f->first + (f->same ? 0 : f->worker));

    if (s->op == STEP_RDMSR && of_slice(s, 8, &n) && (f->ctl[n] & TID_EN) && n != f->deaf &&
        (f->filter[n] & 0x3FF) != tid)
        s->value = 0;
}

static void expect_slices(struct slices f, enum verdict verdict, const char *finding)
{
    expect(verdict, ID, ON("spr"), .before = slices_note, .after = slices_count, .context = &f, .finding = finding);
}

Test(pmon_filter_search, a_processors_own_value_is_found)
{
    expect_slices((struct slices){ .deaf = ALL }, VERDICT_PASS, NULL);
    expect_slices((struct slices){ .deaf = ALL, .first = 5 }, VERDICT_PASS, NULL);
}

Test(pmon_filter_search, a_slice_that_lets_all_pass_warns)
{
    expect_slices((struct slices){ .deaf = 1 }, VERDICT_WARN, "CHA 1: all misses pass with each of 4 values of tid");
}

Test(pmon_filter_search, a_value_that_passes_anothers_misses_warns)
{
    expect_slices((struct slices){ .deaf = ALL, .same = true, .first = 3 }, VERDICT_WARN,
                  "misses of another processor pass with tid 0x18");
}

Test(pmon_filter_search, a_filter_that_no_value_opens_warns)
{
    expect_slices((struct slices){ .deaf = ALL, .first = 200 }, VERDICT_WARN, "no value of tid passes");
}

/* Where no slice filters it, nothing says that one should. */
Test(pmon_filter_search, slices_that_do_not_filter_are_not_judged)
{
    static const char *const profiles[] = { "spr", "emr", "gnr" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_SKIP, ID, ON(profiles[i]), .before = slices_note, .context = &(struct slices){ .deaf = ALL },
               .finding = "no slice filters");
}
