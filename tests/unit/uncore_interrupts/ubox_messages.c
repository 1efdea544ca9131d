/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ubox.messages on the local APICs of the model; what its U-box counts of their interrupts the test decides, with its umask kept
 * at 0. Controls and counters: C10H, C16H (327043-001 table 2-1), from Haswell-EP on 705H, 709H (Linux uncore_snbep.c).
 * EVENT_MSG is 42H: IPI 04H, VLW 01H, MSI 02H, doorbell 08H. */
#include <criterion/criterion.h>

#include "core/base/bits.h"
#include "tests/support/run/model_run.h"

#define ID "ubox.messages"

struct wiring {      /* of a UBox */
    uint32_t counts; /* umask bits that count an interrupt */
    uint32_t ctl, ctr;
    bool every_thread;      /* the interrupts of all processors are counted, else those of the second     */
    bool once;              /* the first fifty of each window alone                                   */
    enum status open, send; /* what they end with in place of ST_OK         */
    uint32_t percent;       /* of it that a counter shows; 0: all           */
    uint32_t stray;         /* messages of others in each window            */
};

struct bench {
    struct wiring w;
    uint64_t control[2], count[2];
    uint32_t opened, closed;
};

static void before(struct interposer *i, uint32_t, struct step *s)
{
    struct bench *b = i->context;

    for (uint32_t k = 0; s->op == STEP_WRMSR && k < 2; k++) {
        if (s->reg == b->w.ctr + k)
            b->count[k] = 0;
        if (s->reg != b->w.ctl + k)
            continue;
        b->control[k] = s->value;
        s->value &= ~BITS(15, 8);
    }
}

/* What counter k counts of n interrupts to a processor. */
static uint64_t counted(const struct bench *b, uint32_t k, uint64_t n, bool second)
{
    bool counts = (b->control[k] & BIT(22)) && (b->control[k] & 0xFF) == 0x42 && (b->control[k] >> 8 & b->w.counts);

    if (!counts || !(second || b->w.every_thread))
        return 0;
    return (b->w.once && n > 50 ? 50 : n) * (b->w.percent ? b->w.percent : 100) / 100;
}

static void after(struct interposer *i, uint32_t, struct step *s)
{
    struct bench *b = i->context;

    for (uint32_t k = 0; k < 2; k++) {
        if (s->op == STEP_RDMSR && s->reg == b->w.ctl + k)
            s->value = b->control[k];
        if (s->op == STEP_RDMSR && s->reg == b->w.ctr + k)
            s->value += b->count[k];
        if (s->op == STEP_PMI_LISTEN)
            b->count[k] += counted(b, k, b->w.stray, true);
        if (s->op == STEP_IPI_SEND)
            b->count[k] += counted(b, k, s->ipi.sent, s->reg == i->platform->cpus[1].apic_id);
    }
    if (s->op == STEP_PMI_OPEN && b->w.open)
        s->status = b->w.open;
    if (s->op == STEP_IPI_SEND && b->w.send)
        s->status = b->w.send;
    b->opened += s->op == STEP_PMI_OPEN && s->status == ST_OK;
    b->closed += s->op == STEP_PMI_CLOSE;
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
    { "skx", { 0x04, SKX, .percent = 200 }, VERDICT_PASS, NULL },
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
      { 0x04, SKX, .open = ST_UNSUPPORTED },
      VERDICT_SKIP,
      "no local APIC has an LVT performance counter register that is free" },
    { "skx", { 0x04, SKX, .send = ST_UNSUPPORTED }, VERDICT_SKIP, "sends no interrupts to cpu 0" },
    { "skx", { 0x04, SKX, .send = ST_TIMEOUT }, VERDICT_ERROR, "interrupts to another processor" },
};

Test(ubox_messages, are_judged_by_what_ipi_rcvd_counts_of_them)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b = { .w = cases[i].wiring };

        expect(cases[i].verdict, ID, ON(cases[i].profile, b.w.every_thread ? 2 : 1), .before = before, .after = after,
               .context = &b, .finding = cases[i].finding);
        cr_expect_eq(b.opened, b.closed, "case %zu: %u processors listened, %u were closed", i, b.opened, b.closed);
        cr_expect_eq((b.control[0] | b.control[1]) & BIT(22), 0, "case %zu: a counter still counts", i);
    }
}

/* A filter that acts unasked: the first thread of a package alone is counted. */
EXPECT_TEST(ubox_messages, silicon_that_counts_for_one_thread_passes, VERDICT_PASS, ID,
            ON("skx", 2, .realism = "ubox-filter=on"), .stream = "and to 1 of 2 processors in all");

/* Doorbells alone, which no interrupt is. */
Test(ubox_messages, silicon_of_haswell_is_a_skip)
{
    static const char *const profiles[] = { "hsx", "bdx", "bdx-de" };

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++)
        expect(VERDICT_SKIP, ID, ON(profiles[i]), .finding = "EVENT_MSG counts no interrupts to any");
    expect(VERDICT_SKIP, ID, ON("knl"), .finding = "no event file has EVENT_MSG");
}
