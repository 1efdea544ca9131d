/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/journal/journal.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/journal/resume.h"

static struct journal_record example(uint64_t number)
{
    return (struct journal_record){ .number = number,
                                    .machine = { 1, 2, 3 },
                                    .settings = { 4, 5 },
                                    .phase = JOURNAL_CHECKING,
                                    .boot = 2,
                                    .stalled = 1,
                                    .round = 3,
                                    .seconds = 77,
                                    .armed = 300,
                                    .utc_ms = 1795000000123,
                                    .medium = ST_FULL,
                                    .untold = true,
                                    .stream = 123456789012,
                                    .sent = 123456789000,
                                    .sent_crc = 0xFEDCBA98,
                                    .sent_next = 17,
                                    .sent_name = 2,
                                    .folder = "CZ1-20261121T061000",
                                    .check = "mbm.total",
                                    .last_steps = "cpu 3 (APIC 0x6): step 2 of 5" };
}

static void put(uint8_t file[JOURNAL_FILE], uint32_t slot, uint64_t number)
{
    struct journal_record r = example(number);

    journal_encode(&r, file + (size_t)slot * JOURNAL_STRIDE);
}

Test(journal, reads_what_it_wrote)
{
    struct journal_record in = example(9), out;
    uint8_t sector[JOURNAL_RECORD];

    journal_encode(&in, sector);
    cr_assert_eq(journal_decode(sector, &out), ST_OK);
    cr_expect_eq(out.number, 9);
    cr_expect_eq(memcmp(out.machine, in.machine, sizeof in.machine), 0);
    cr_expect_eq(memcmp(out.settings, in.settings, sizeof in.settings), 0);
    cr_expect_eq(out.phase, JOURNAL_CHECKING);
    cr_expect_eq(out.boot, 2);
    cr_expect_eq(out.stalled, 1);
    cr_expect_eq(out.round, 3);
    cr_expect_eq(out.seconds, 77);
    cr_expect_eq(out.armed, 300);
    cr_expect_eq(out.utc_ms, 1795000000123);
    cr_expect_eq(out.medium, ST_FULL);
    cr_expect(out.untold);
    cr_expect_eq(out.stream, 123456789012);
    cr_expect_eq(out.sent, 123456789000);
    cr_expect_eq(out.sent_crc, 0xFEDCBA98);
    cr_expect_eq(out.sent_next, 17);
    cr_expect_eq(out.sent_name, 2);
    cr_expect_str_eq(out.folder, in.folder);
    cr_expect_str_eq(out.check, in.check);
    cr_expect_str_eq(out.last_steps, in.last_steps);
}

Test(journal, takes_no_sector_of_which_one_bit_is_another)
{
    struct journal_record in = example(9), out = { .boot = 77 };
    uint8_t sector[JOURNAL_RECORD];

    journal_encode(&in, sector);
    for (uint32_t bit = 0; bit < JOURNAL_RECORD * 8; bit++) {
        sector[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cr_assert_eq(journal_decode(sector, &out), ST_CORRUPT, "bit %u", bit);
        sector[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cr_expect_eq(out.boot, 77, "what is no record must leave the caller's alone");
    cr_expect_eq(journal_decode(sector, &out), ST_OK);
}

Test(journal, takes_the_newer_slot_and_writes_over_the_other)
{
    static uint8_t file[JOURNAL_FILE];
    struct journal_record r;
    uint32_t next = 7;

    cr_expect_eq(journal_find(file, sizeof file, &r, &next), ST_ABSENT);
    cr_expect_eq(next, 0);
    put(file, 0, 5);
    cr_assert_eq(journal_find(file, sizeof file, &r, &next), ST_OK);
    cr_expect(r.number == 5 && next == 1);
    put(file, 1, 6);
    cr_assert_eq(journal_find(file, sizeof file, &r, &next), ST_OK);
    cr_expect(r.number == 6 && next == 0);
    put(file, 0, 7);
    cr_assert_eq(journal_find(file, sizeof file, &r, &next), ST_OK);
    cr_expect(r.number == 7 && next == 1);
}

/* Whatever sectors of the write that a power cut interrupts are on the medium. */
Test(journal, keeps_the_other_slot_when_a_write_is_cut_in_two)
{
    static uint8_t before[JOURNAL_FILE], file[JOURNAL_FILE];
    struct journal_record r;
    uint32_t next;

    put(before, 0, 5);
    put(before, 1, 6);
    for (size_t cut = 1; cut < JOURNAL_RECORD; cut++) {
        struct journal_record newer = example(7);
        uint8_t sector[JOURNAL_RECORD];

        memcpy(file, before, sizeof file);
        newer.check[0] = 'X';
        journal_encode(&newer, sector);
        memcpy(file, sector, cut);
        cr_assert_eq(journal_find(file, sizeof file, &r, &next), ST_OK);
        if (memcmp(file, sector, sizeof sector) != 0) /* zeros at its end were zeros before */
            cr_assert(r.number == 6 && next == 0, "cut at %zu", cut);
    }
}

Test(journal, has_the_slots_that_are_whole_in_a_short_file)
{
    static uint8_t file[JOURNAL_FILE];
    struct journal_record r;
    uint32_t next;

    put(file, 0, 5);
    put(file, 1, 6);
    cr_assert_eq(journal_find(file, JOURNAL_STRIDE + JOURNAL_RECORD - 1, &r, &next), ST_OK);
    cr_expect_eq(r.number, 5);
    cr_expect_eq(journal_find(file, JOURNAL_RECORD - 1, &r, &next), ST_ABSENT);
    cr_expect_eq(journal_find(file, 0, &r, &next), ST_ABSENT);
}

Test(journal, has_no_text_that_could_not_be_shown)
{
    struct journal_record in = example(1), out;
    uint8_t sector[JOURNAL_RECORD];

    memcpy(in.check, "a\x1b[2J\xff", 7);
    memset(in.folder, 'x', sizeof in.folder);
    journal_encode(&in, sector);
    cr_assert_eq(journal_decode(sector, &out), ST_OK);
    cr_expect_str_eq(out.check, "a?[2J?");
    cr_expect_eq(strlen(out.folder), sizeof out.folder - 1);
}

/* --- what the next boot does -------------------------------------------------------------------------------------- */

static const uint8_t machine[16] = { 1, 2, 3 }, settings[16] = { 4, 5 }, other[16] = { 9 };

static struct journal_record r;

static void begin(void)
{
    r = example(1);
}

TestSuite(resume, .init = begin);

Test(resume, begins_a_new_run_without_a_journal_of_this_machine_and_these_options)
{
    cr_expect_eq(resume_decide(NULL, machine, settings).answer, RESUME_NEW);
    cr_expect_eq(resume_decide(NULL, machine, settings).boot, 1);
    cr_expect_null(resume_decide(NULL, machine, settings).why);
    cr_expect_eq(resume_decide(&r, other, settings).answer, RESUME_NEW);
    cr_expect_eq(resume_decide(&r, machine, other).answer, RESUME_NEW);
    cr_expect_not_null(resume_decide(&r, machine, other).why);
}

Test(resume, goes_on_until_three_boots_made_no_progress)
{
    struct resume_plan plan;

    r.boot = 1;
    r.stalled = 0;
    r.medium = ST_OK;
    for (uint32_t boot = 2; boot <= 3; boot++) {
        plan = resume_decide(&r, machine, settings);
        cr_expect_eq(plan.answer, RESUME_GO_ON);
        cr_expect_eq(plan.boot, boot);
        r.boot = plan.boot;
        r.stalled = plan.stalled;
    }
    plan = resume_decide(&r, machine, settings);
    cr_expect_eq(plan.answer, RESUME_END);
    cr_expect_eq(plan.boot, 4);
}

Test(resume, gives_no_run_up_whose_medium_is_full)
{
    for (r.boot = 1; r.boot < 10; r.boot++) {
        struct resume_plan plan = resume_decide(&r, machine, settings);

        cr_expect(plan.answer == RESUME_GO_ON && plan.stalled == 1 && plan.boot == r.boot + 1);
        r.stalled = plan.stalled;
    }
}

Test(resume, does_not_count_again)
{
    r.phase = JOURNAL_COUNTING;
    r.stalled = 0;
    cr_expect_eq(resume_decide(&r, machine, settings).answer, RESUME_END);
}

Test(resume, begins_again_after_a_run_that_has_its_end)
{
    struct resume_plan plan;

    r.phase = JOURNAL_ENDED;
    plan = resume_decide(&r, machine, settings);
    cr_expect_eq(plan.answer, RESUME_NEW);
    cr_expect_eq(plan.boot, 1);
    cr_expect_null(plan.why, "nothing was interrupted");
    r.machine[0]++;
    cr_expect_null(resume_decide(&r, machine, settings).why, "nor by another machine");
}

Test(resume, names_what_was_in_progress)
{
    char text[JOURNAL_CHECK + 16];

    resume_what(&r, text, sizeof text);
    cr_expect_str_eq(text, "check mbm.total");
    for (r.phase = JOURNAL_STARTING; r.phase < JOURNAL_PHASES; r.phase++) {
        resume_what(&r, text, sizeof text);
        cr_expect(strlen(text) > 4);
    }
    cr_expect_str_eq(journal_phase_text(JOURNAL_PHASES), "unknown");
}
