/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The U-box of virtual silicon against 327043-001 2.2.3 and figures computed by hand: UCLK of bdx is 2.2 GHz, its
 * TSC 2.1 GHz, so 2100 ticks are 2200 clocks.
 */
#include "tests/support/uncore_part.h"

#define MSG 0x0842u /* EVENT_MSG, doorbell */
#define IPI 0x0442u

/* 327043-001 table 2-2: control bits; U-box messages as the one event. */
Test(ubox, compares_increments_with_the_threshold)
{
    static const struct {
        uint64_t ctl, expected; /* of 2200 cycles with 5 messages */
    } cases[] = {
        { MSG, 5 },
        { MSG | THRESH(1), 5 },
        { MSG | THRESH(2), 0 },
        { MSG | INVERT, 5 }, /* needs a threshold */
        { MSG | THRESH(1) | INVERT, 2195 },
        { MSG | THRESH(2) | INVERT, 2200 },
        { MSG | THRESH(31) | INVERT, 2200 },
        { MSG | EDGE, 5 }, /* needs a threshold */
        { MSG | THRESH(1) | EDGE, 5 },
        { MSG | THRESH(2) | EDGE, 0 },
        { MSG | THRESH(1) | INVERT | EDGE, 6 }, /* idle begins at once, and after each message */
        { MSG | THRESH(2) | INVERT | EDGE, 1 },
        { 0x0142 | THRESH(1), 0 },             /* messages of another kind */
        { 0x0843 | THRESH(1), 0 },             /* another event */
        { 0x0843 | THRESH(1) | INVERT, 2200 }, /* which never happens */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model *m = part_with("bdx", 1, 0, NULL);

        wr(m, 0, 0x705, 0, cases[i].ctl | EN);
        for (int n = 0; n < 5; n++)
            model_ubox_message(m, 0, MESSAGE_DOORBELL);
        cr_expect_eq(rd(m, 0, 0x709, 2100), cases[i].expected, "%#lx: %lu", cases[i].ctl, rd(m, 0, 0x709, 2100));
        cr_expect_eq(rd(m, 0, 0x70A, 2100), 0);
        wr(m, 0, 0x705, 2100, cases[i].ctl);
        model_ubox_message(m, 0, MESSAGE_DOORBELL);
        cr_expect_eq(rd(m, 0, 0x709, 4200), cases[i].expected, "stopped");
        model_free(m);
    }
}

/* --- messages: 327043-001 2.2 EVENT_MSG; intel/perfmon event files */

/* What counter 0 of package 0 and 1 count by that control while two interrupts are sent to a processor of package 0 and three to
 * processors of package 1, whose U-box gets one by a device too. */
static void send_and_count(const char *part, const char *fault, uint64_t ctl, uint64_t counts[2])
{
    struct model *m = part_with(part, 2, 0, fault);

    for (uint32_t package = 0; package < 2; package++)
        wr(m, 2 * package, 0x705, 1000, ctl | EN);
    for (int i = 0; i < 5; i++)
        model_ipi(m, i < 2 ? 1 : 2 + (uint32_t)i % 2);
    model_ubox_message(m, 1, MESSAGE_MSI);
    for (uint32_t package = 0; package < 2; package++) {
        counts[package] = rd(m, 2 * package, 0x709, 2000);
        wr(m, 2 * package, 0x705, 2000, 0);
    }
    model_ipi(m, 2);
    cr_expect_eq(rd(m, 2, 0x709, 3000), counts[1], "it stands");
    model_free(m);
}

Test(ubox, counts_interrupts_to_processors_of_its_package)
{
    static const struct {
        const char *part, *fault;
        uint64_t ctl, counts[2];
    } cases[] = {
        { "skx", NULL, IPI, { 2, 3 } },
        { "skx", NULL, 0x0242, { 0, 1 } },
        { "skx", NULL, 0x0642, { 2, 4 } }, /* either kind */
        { "skx", NULL, 0x1942, { 0, 0 } }, /* the other kinds */
        { "skx", NULL, 0x0042, { 0, 0 } },
        { "skx", NULL, 0x0443, { 0, 0 } }, /* another event */
        { "clx", NULL, IPI, { 2, 3 } },
        { "icx", NULL, IPI, { 2, 3 } },
        { "bdx", NULL, IPI, { 0, 0 } }, /* its file has doorbells alone */
        { "hsx", NULL, 0x1F42, { 0, 0 } },
        { "skx", "ubox-umask-ignored", 0x0142, { 2, 4 } },
        { "skx", "ubox-umask-ignored", 0x0443, { 0, 0 } },
        { "skx", "ubox-event-ignored", 0x0443, { 2, 3 } },
        { "skx", "ubox-event-ignored", 0x0143, { 0, 0 } },
        { "skx", "ubox-messages-half", IPI, { 1, 1 } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t counts[2];

        send_and_count(cases[i].part, cases[i].fault, cases[i].ctl, counts);
        cr_expect(counts[0] == cases[i].counts[0] && counts[1] == cases[i].counts[1], "%s %s %#lx: %lu %lu",
                  cases[i].part, cases[i].fault ? cases[i].fault : "", cases[i].ctl, counts[0], counts[1]);
    }
}
