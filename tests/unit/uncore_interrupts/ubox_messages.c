/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ubox.messages with local APICs and counts that the test has: the steps STEP_PMI_* and STEP_IPI_SEND are answered here, and
 * what they count is added to what the model's counters read. Controls and counters: C10H, C16H (327043-001 table 2-1),
 * from Haswell-EP on 705H, 709H (Linux uncore_snbep.c). EVENT_MSG is 42H: IPI 04H, VLW 01H, MSI 02H, doorbell 08H. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define ID    "ubox.messages"
#define CPUS  16u
#define STEPS 16u

struct wiring {      /* of a UBox */
    uint32_t counts; /* umask bits that count an interrupt                                  */
    uint32_t ctl, ctr;
    bool every_thread; /* the interrupts of all processors are counted, else those of the second */
    bool once;         /* the first fifty of each window alone                                   */
    bool no_apic, no_send, times_out;
    uint32_t skew[2]; /* percent of it that a counter counts; 0: all          */
    uint32_t stray;   /* messages of others in each window                     */
};

struct bench {
    struct wiring w;
    struct platform *platform;
    uint64_t control[2], count[2];
    bool open[CPUS];
    uint32_t opened, closed, sent[CPUS];
    struct {
        struct step *step;
        struct step was;
    } kept[STEPS]; /* steps that the model is not to see */
    uint32_t n;
};

static void hide(struct interposer *i, uint32_t, struct step *s)
{
    struct bench *b = i->context;

    b->platform = i->platform;
    for (uint32_t k = 0; k < 2; k++) {
        if (s->op == STEP_WRMSR && s->reg == b->w.ctl + k)
            b->control[k] = s->value;
        if (s->op == STEP_WRMSR && s->reg == b->w.ctr + k)
            b->count[k] = 0;
    }
    if (s->op < STEP_PMI_OPEN)
        return;
    cr_assert_lt(b->n, STEPS);
    b->kept[b->n].step = s;
    b->kept[b->n++].was = *s;
    *s = (struct step){ .op = STEP_SPIN, .value = s->op == STEP_PMI_LISTEN ? s->value : 0 };
}

static bool counts(const struct bench *b, uint32_t k)
{
    return (b->control[k] & BIT(22)) && (b->control[k] & 0xFF) == 0x42 && (b->control[k] >> 8 & b->w.counts);
}

static enum status deliver(struct bench *b, const struct step *s)
{
    uint32_t to = 0;

    while (to < b->platform->n_cpus && b->platform->cpus[to].apic_id != s->reg)
        to++;
    cr_assert_lt(to, CPUS);
    cr_assert(b->open[to], "cpu %u does not listen", to);
    cr_assert(s->value > 0 && s->value <= IPI_MOST);
    if (b->w.no_send)
        return ST_UNSUPPORTED;
    b->sent[to] += (uint32_t)s->value;
    for (uint32_t k = 0; k < 2; k++)
        if (counts(b, k) && (b->w.every_thread || to == 1))
            b->count[k] += (b->w.once && s->value > 50 ? 50 : s->value) * (b->w.skew[k] ? b->w.skew[k] : 100) / 100;
    return b->w.times_out ? ST_TIMEOUT : ST_OK;
}

static enum status apic_step(struct bench *b, uint32_t cpu, const struct step *s)
{
    switch (s->op) {
    case STEP_PMI_OPEN:
        cr_assert_not(b->open[cpu]);
        if (b->w.no_apic)
            return ST_UNSUPPORTED;
        b->opened++;
        b->open[cpu] = true;
        return ST_OK;
    case STEP_PMI_CLOSE:
        cr_assert(b->open[cpu]);
        b->closed++;
        b->open[cpu] = false;
        return ST_OK;
    case STEP_PMI_LISTEN:
        for (uint32_t k = 0; k < 2; k++)
            b->count[k] += counts(b, k) ? b->w.stray : 0;
        return b->open[cpu] ? ST_OK : ST_ABSENT;
    default:
        return deliver(b, s);
    }
}

static void answer(struct interposer *i, uint32_t cpu, struct step *s)
{
    struct bench *b = i->context;

    for (uint32_t k = 0; k < 2; k++)
        if (s->op == STEP_RDMSR && s->reg == b->w.ctr + k && s->status == ST_OK)
            s->value += b->count[k];
    for (uint32_t k = 0; k < b->n; k++) {
        if (b->kept[k].step != s)
            continue;
        *s = b->kept[k].was;
        s->status = apic_step(b, cpu, s);
        s->pmi = (struct pmi_count){ .interrupts = s->op == STEP_PMI_CLOSE ? b->sent[cpu] : 0 };
        b->kept[k] = b->kept[--b->n];
        return;
    }
}

#define SNBEP .ctl = 0xC10, .ctr = 0xC16
#define SKX   .ctl = 0x705, .ctr = 0x709
#define SKIPS "EVENT_MSG counts no interrupts to any"

/* As the documents have it IPI_RCVD counts one for each, of one thread. */
static const struct {
    const char *profile;
    struct wiring wiring;
    enum verdict verdict;
    const char *finding;
} cases[] = {
    { "skx", { 0x04, SKX }, VERDICT_PASS, NULL },
    { "icx", { 0x04, SKX }, VERDICT_PASS, NULL },
    { "snbep", { 0x04, SNBEP }, VERDICT_PASS, NULL },
    { "ivbep", { 0x04, SNBEP }, VERDICT_PASS, NULL },
    /* A doorbell and a priority come with each. */
    { "skx", { 0x1C, SKX, .every_thread = true, .stray = 3 }, VERDICT_PASS, NULL },
    { "skx", { 0x04, SKX, .skew = { 200, 200 } }, VERDICT_PASS, NULL },
    /* Doorbells alone, where the part has no more. */
    { "hsx", { 0x08, SKX }, VERDICT_PASS, NULL },
    { "bdx", { 0x08, SKX }, VERDICT_PASS, NULL },
    { "hsx", { 0x04, SKX }, VERDICT_SKIP, SKIPS },
    { "skx", { 0, SKX }, VERDICT_SKIP, SKIPS },
    { "skx", { 0x04, SKX, .every_thread = true, .once = true }, VERDICT_SKIP, SKIPS },
    /* A message of another kind. */
    { "skx", { 0x05, SKX }, VERDICT_WARN, "UBox counter 0: with vlw_rcvd (ev_sel 0x42, umask 0x1) it counts" },
    { "skx", { 0x06, SKX }, VERDICT_WARN, "UBox counter 0: with msi_rcvd (ev_sel 0x42, umask 0x2) it counts" },
    { "skx",
      { 0x04, SKX, .no_apic = true },
      VERDICT_SKIP,
      "no local APIC has an LVT performance counter register that is free" },
    { "skx", { 0x04, SKX, .no_send = true }, VERDICT_SKIP, "sends no interrupts to cpu 0" },
    { "skx", { 0x04, SKX, .times_out = true }, VERDICT_ERROR, "interrupts to another processor" },
};

Test(ubox_messages, are_judged_by_what_ipi_rcvd_counts_of_them)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b = { .w = cases[i].wiring };

        expect(cases[i].verdict, ID, ON(cases[i].profile, b.w.every_thread ? 2 : 1), .before = hide, .after = answer,
               .context = &b, .finding = cases[i].finding);
        cr_expect_eq(b.opened, b.closed, "case %zu: %u processors listened, %u were closed", i, b.opened, b.closed);
        cr_expect_eq((b.control[0] | b.control[1]) & BIT(22), 0, "case %zu: a counter still counts", i);
    }
}

/* A filter that acts unasked: the first thread of a package alone is counted. */
Test(ubox_messages, silicon_that_counts_for_one_thread_passes)
{
    expect(VERDICT_PASS, ID, ON("skx", 2, .realism = "ubox-filter=on"), .stream = "and to 1 of 2 processors in all");
}

/* Doorbells alone, which no interrupt is. */
Test(ubox_messages, silicon_of_haswell_is_a_skip)
{
    static const char *const profiles[] = { "hsx", "bdx", "bdx-de" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_SKIP, ID, ON(profiles[i]), .finding = "EVENT_MSG counts no interrupts to any");
    expect(VERDICT_SKIP, ID, ON("knl"), .finding = "no event file has EVENT_MSG");
}
