/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A recording of a machine: it is read again, has what the machine answers, and nothing that names it. */
#include "core/record/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/base/heap.h"
#include "core/boxes/boxes_find.h"
#include "tests/silicon/host/host_platform.h"
#include "tests/silicon/recorded/recording.h"
#include "tests/support/data/replay.h"

struct made {
    struct model_platform *mp;
    struct machine machine;
    struct pmon pmon;
    struct record_text text;
    struct recording *recording;
};

static struct made *recorded_of(const struct model_config *config, bool full)
{
    static struct made m;
    struct record_source source = { .machine = &m.machine, .pmon = &m.pmon, .full = full, .made_by = "assay" };
    char error[256] = "";

    m.mp = model_platform_new(config, 0);
    cr_assert_not_null(m.mp);
    source.platform = &m.mp->platform;
    cr_assert_eq(machine_enumerate(source.platform, &m.machine), ST_OK);
    cr_assert_eq(boxes_find(source.platform, &m.machine, &m.pmon), ST_OK);
    cr_assert_eq(record_machine(&source, &m.text), ST_OK);
    m.recording = recording_parse(m.text.at, m.text.length, error, sizeof error);
    cr_assert_not_null(m.recording, "%s", error);
    return &m;
}

static struct made *recorded(const char *profile, uint32_t packages, uint32_t cores, bool full)
{
    return recorded_of(&MODEL(profile, packages, cores, 2, .seed = 5), full);
}

static void forget(struct made *m)
{
    recording_free(m->recording);
    heap_free(m->text.at);
    boxes_free(&m->pmon);
    machine_free(&m->machine);
    model_platform_free(m->mp);
}

Test(record, every_processor_answers_cpuid_as_the_recording_says)
{
    static const uint32_t leaves[][2] = { { 0, 0 },   { 1, 0 },   { 4, 3 },   { 7, 0 },
                                          { 0xB, 0 }, { 0xB, 1 }, { 0xF, 1 }, { 0x10, 1 } };
    struct made *m = recorded("spr", 2, 4, false);
    struct platform *p = &m->mp->platform;

    cr_assert_eq(m->recording->n_cpus, p->n_cpus);
    for (uint32_t i = 0; i < p->n_cpus; i++)
        for (size_t k = 0; k < sizeof leaves / sizeof leaves[0]; k++) {
            const struct recorded_leaf *l = recording_leaf(m->recording, i, leaves[k][0], leaves[k][1]);
            struct cpuid_regs regs;

            cr_assert_eq(cpu_cpuid(p, m->recording->cpus[i].number, leaves[k][0], leaves[k][1], &regs), ST_OK);
            cr_assert_not_null(l, "leaf %x", leaves[k][0]);
            cr_expect_arr_eq(l->regs, &regs, sizeof regs, "cpu %u leaf %x", i, leaves[k][0]);
        }
    forget(m);
}

/* In the ledger's sense nothing is written. */
Test(record, registers_tables_and_functions_are_read_and_nothing_is_written)
{
    struct made *m = recorded("icx", 2, 4, false);
    const struct recording *r = m->recording;
    const struct recorded_table *madt = recording_table(r, "APIC");
    const struct pmon_box *imc = NULL;
    uint64_t value;

    cr_expect_eq(m->mp->platform.counts.wrmsr, 0);
    cr_assert_not_null(madt);
    cr_expect_eq(madt->bytes.n, madt->bytes.at[4] | madt->bytes.at[5] << 8);
    cr_expect(recording_msr(r, 0, 0xC8F) && !recording_msr(r, 0, 0xC8F)->fault);
    cr_expect_null(recording_msr(r, 0, 0xC8E), "its reading clears the overflow flag");
    cr_expect(recording_msr(r, 0, 0xC90) && recording_msr(r, 0, 0xC90)->value);
    for (uint32_t i = 0; i < m->pmon.n_boxes; i++)
        if (m->pmon.boxes[i].unit->layout->access == PMON_PCI && m->pmon.boxes[i].status == ST_OK)
            imc = &m->pmon.boxes[i];
    cr_assert_not_null(imc);
    cr_expect(
        recorded_value(&recording_function(r, imc->at.segment, imc->at.bus, imc->at.device, imc->at.function)->config,
                       imc->base + pmon_ctr(imc->unit, 0).offset, 4, &value));
    cr_expect(recording_bus_is_complete(r, 0, imc->at.bus));
    cr_expect_eq(r->n_processors, m->mp->platform.n_cpus);
    forget(m);
}

/* As registers are put back before a recording is made. */
Test(record, a_table_whose_function_decodes_no_memory_is_left_out)
{
    struct made *m = recorded_of(&MODEL("spr", 1, 2, 1, .seed = 5, .faults = { "discovery-not-decoded" }), false);
    struct record_source source = {
        .platform = &m->mp->platform, .machine = &m->machine, .pmon = &m->pmon, .made_by = "assay"
    };
    struct record_text without = { 0 };
    char region[32];

    cr_assert_eq(m->pmon.n_tables, 1);
    snprintf(region, sizeof region, "region %lx\n", m->pmon.tables[0].address);
    m->text.at[m->text.length - 1] = 0;
    cr_expect(strstr(m->text.at, region), "%s is not there", region);
    cr_expect_eq(pci_write(source.platform, m->pmon.tables[0].at, 4, 2, 0), ST_OK);
    cr_assert_eq(record_machine(&source, &without), ST_OK);
    without.at[without.length - 1] = 0;
    cr_expect(!strstr(without.at, region), "%s is there", region);
    heap_free(without.at);
    forget(m);
}

/* AMD 69193: 8000_0020H.0:EBX[8:7], a ceiling of each class. */
Test(record, ceilings_that_l3s_share_are_recorded_where_they_are_announced)
{
    static const char *const realism[] = { "", "global-limits=on" };

    for (uint32_t on = 0; on < 2; on++) {
        struct made *m = recorded_of(&MODEL("zen5", 1, 4, 2, .realism = realism[on]), false);
        uint32_t clos = m->machine.cpus[0].rdt.glbe.clos;

        cr_expect_eq(clos > 0, on);
        for (uint32_t n = 0; n < 64; n++) {
            cr_expect_eq(recording_msr(m->recording, 0, 0xC0000600 + n) != NULL, n < clos);
            cr_expect_eq(recording_msr(m->recording, 0, 0xC0000680 + n) != NULL, n < clos);
        }
        forget(m);
    }
}

/* What the recording has of tables and boxes is enough to find them again: a twin, or preflight, has the machine's boxes. */
Test(record, tables_and_boxes_are_found_again_in_the_recording)
{
    static const char *const profiles[] = { "bdx", "icx", "spr", "gnr" };
    static struct machine again;

    for (size_t k = 0; k < sizeof profiles / sizeof profiles[0]; k++) {
        struct made *m = recorded(profiles[k], 2, 4, false);
        struct replay *replay = replay_of(recording_parse(m->text.at, m->text.length, NULL, 0));
        struct platform *p;
        struct pmon found;
        uint32_t mapped = 0;

        cr_assert_not_null(replay);
        p = replay_platform(replay);
        cr_assert_eq(machine_enumerate(p, &again), ST_OK);
        cr_assert_eq(boxes_find(p, &again, &found), ST_OK);
        cr_expect_eq(found.n_tables, m->pmon.n_tables, "%s: %u tables", profiles[k], found.n_tables);
        cr_assert_eq(found.n_boxes, m->pmon.n_boxes, "%s: %u boxes", profiles[k], found.n_boxes);
        for (uint32_t i = 0; i < found.n_boxes; i++) {
            char name[48];

            pmon_box_name(&found.boxes[i], name);
            cr_expect_eq(found.boxes[i].status, m->pmon.boxes[i].status, "%s: %s: %s", profiles[k], name,
                         status_text(found.boxes[i].status));
            mapped += found.boxes[i].unit->layout->access == PMON_MMIO && found.boxes[i].status == ST_OK;
        }
        cr_expect_eq(mapped > 0, k > 0, "%s: %u boxes in memory", profiles[k], mapped);
        boxes_free(&found);
        machine_free(&again);
        replay_free(replay);
        forget(m);
    }
}

static void expect_names(bool full)
{
    static const char *const names[] = { "MODEL-0001", "BOARD-0001", "4a11c0de00000001", "01000000dec0114a" };
    struct made *m = recorded("spr", 1, 2, full);
    uint32_t found = 0;
    char digits[17];

    m->text.at[m->text.length - 1] = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        found += strstr(m->text.at, names[i]) != NULL;
    for (uint32_t i = 0; i < m->machine.n_packages; i++) {
        const struct cpu *c = &m->machine.cpus[m->machine.packages[i].first_cpu];

        snprintf(digits, sizeof digits, "%llx", (unsigned long long)c->ppin);
        found += c->ppin_status == ST_OK && strstr(m->text.at, digits) != NULL;
    }
    cr_expect_eq(strstr(m->text.at, "serials full") != NULL, full);
    if (full)
        cr_expect_geq(found, 3);
    else
        cr_expect_eq(found, 0, "%u names of the machine are in it", found);
    forget(m);
}

Test(record, serial_numbers_uuid_and_ppin_are_digests)
{
    expect_names(false);
}

Test(record, they_are_as_on_the_machine_where_all_is_asked_for)
{
    expect_names(true);
}

/* Two recordings of one machine are compared: a digest is the same. */
Test(record, a_recording_that_is_made_again_is_the_same)
{
    struct made *m = recorded("zen4", 1, 4, false);
    struct record_source source = {
        .platform = &m->mp->platform, .machine = &m->machine, .pmon = &m->pmon, .made_by = "assay"
    };
    struct record_text again;

    cr_assert_eq(record_machine(&source, &again), ST_OK);
    cr_expect_eq(again.length, m->text.length);
    cr_expect_arr_eq(again.at, m->text.at, again.length);
    heap_free(again.at);
    forget(m);
}
