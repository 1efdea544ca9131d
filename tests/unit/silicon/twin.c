/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Twins of recorded machines: ids, topology and RDT are those of the recording, and what cannot be made is refused. */
#include "tests/silicon/twin/twin.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "core/base/search.h"
#include "core/boxes/boxes_find.h"
#include "tests/silicon/host/host_platform.h"
#include "tests/support/run/whole_run.h"

#define MACHINES ASSAY_ROOT "/tests/fixtures/machines/"

static struct recording *opened(const char *name)
{
    char path[512], error[256] = "";
    struct recording *r;

    snprintf(path, sizeof path, MACHINES "%s.machine", name);
    r = recording_open(path, error, sizeof error);
    cr_assert_not_null(r, "%s: %s", path, error);
    return r;
}

/* A twin of a recording, with firmware's tables and the functions of another one (NULL: with its own). */
static struct recording *recorded, *board;
static struct model_platform *mp;
static struct machine m;

static void make(struct recording *r, struct recording *of_board)
{
    static struct recording both;

    recorded = r;
    board = of_board;
    both = *r;
    if (board) {
        both.tables = board->tables;
        both.n_tables = board->n_tables;
        both.functions = board->functions;
        both.n_functions = board->n_functions;
        both.buses = board->buses;
        both.n_buses = board->n_buses;
    }
    mp = model_platform_new(&(struct model_config){ .recording = &both }, 0);
    cr_assert_not_null(mp, "%s", r->name);
    cr_assert_eq(machine_enumerate(&mp->platform, &m), ST_OK);
}

static void end(void)
{
    machine_free(&m);
    model_platform_free(mp);
    recording_free(board);
    recording_free(recorded);
}

static const struct {
    const char *name, *profile;
    uint32_t packages, l3s, rmids;
} twins[] = {
    { "cpuid/intel-broadwell-2xxeon-e5-2650lv4", "bdx", 2, 2, 112 },
    { "cpuid/intel-cascadelake-2xxeon6230", "clx", 2, 2, 160 },
    { "cpuid/intel-haswell-2xxeon-e5-2680v3", "hsx", 2, 4, 24 }, /* cluster on die */
    { "cpuid/intel-sandybridge-2xxeon-e5-2650", "snbep", 2, 2, 0 },
    { "cpuid/amd-19h-zen4-2xepyc-9654", "zen4", 2, 24, 256 },
};

Test(twin, processors_and_monitors_are_those_of_the_recording)
{
    for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++) {
        uint32_t alike = 0;

        make(opened(twins[i].name), NULL);
        cr_expect_str_eq(model_profile(mp->model), twins[i].profile);
        cr_expect_eq(m.n_cpus, recorded->n_cpus);
        cr_expect_eq(m.n_packages, twins[i].packages, "%s", twins[i].name);
        cr_expect_eq(m.n_domains, twins[i].l3s, "%s", twins[i].name);
        cr_expect_eq(m.domains[0].max_rmid, twins[i].rmids ? twins[i].rmids - 1 : 0, "%s: %u", twins[i].name,
                     m.domains[0].max_rmid);
        for (uint32_t a = 0; a < m.n_cpus; a++)
            alike += HOW_MANY(b, recorded->n_cpus, recorded->cpus[b].id == m.cpus[a].place.apic_id);
        cr_expect_eq(alike, recorded->n_cpus, "%s: APIC ids", twins[i].name);
        cr_expect(strstr(m.ran_on, recorded->name), "its report says what it is a model of: %s", m.ran_on);
        end();
    }
}

/* A Threadripper 7960X (public dump of InstLatx64): four of twelve channels, every third, and a signature that no profile has. */
Test(twin, channels_are_those_that_count_and_a_model_of_the_generation_is_near_enough)
{
    struct recording *r = opened("cpuid/amd-19h-zen4-2xepyc-9654");
    struct whole_run w = { .tests = { "traffic.closure" } };

    for (uint32_t i = 0; i < r->cpus[0].n_leaves; i++) {
        struct recorded_leaf *l = &r->cpus[0].leaves[i];

        if (l->leaf == 1)
            l->regs[0] = 0xA10F81;
        else if (l->leaf == 0x80000022u) {
            l->regs[1] = 0x104106;
            l->regs[2] = 0x249;
        }
    }
    cr_assert(whole_run(&(struct model_config){ .recording = r }, &w));
    cr_expect_str_eq(model_profile(w.mp->model), "zen4");
    cr_expect_eq(w.counts.pass, 1, "%s", w.checks[0].reason);
    whole_run_free(&w);
    recording_free(r);
}

/* The board's firmware shows two links and three M2PCIe of each package. */
Test(twin, functions_that_the_machine_does_not_show_are_hidden)
{
    struct pmon pmon;
    uint32_t links = 0, hidden = 0, channels = 0;

    make(opened("cpuid/intel-cascadelake-2xxeon6230"), opened("pci/supermicro-x11dpi-n-6d6f"));
    cr_assert_eq(boxes_find(&mp->platform, &m, &pmon), ST_OK);
    for (uint32_t i = 0; i < pmon.n_boxes; i++) {
        links += pmon.boxes[i].unit->kind == PMON_LINK && pmon.boxes[i].status == ST_OK;
        hidden += pmon.boxes[i].unit->kind == PMON_LINK && pmon_box_missing(&pmon.boxes[i]);
        channels += pmon.boxes[i].unit->kind == PMON_IMC && pmon.boxes[i].status == ST_OK;
    }
    cr_expect_eq(links, 4);
    cr_expect_eq(hidden, 2);
    cr_expect_eq(channels, 12);
    boxes_free(&pmon);
    end();
}

/* Every row of the tables is seen as on the recorded machine, and what firmware leaves free lies in the nodes that it names.
 * The processors are those of another machine of the generation, as no recording has both. */
static const struct {
    const char *tables;
    uint32_t listed, affinities, ranges, nodes, last_bus;
    uint64_t bytes;
} firmware[] = {
    { "acpi/x8dtt-ce92", 24, 16, 4, 2, 255, UINT64_C(51539214336) },
    { "acpi/proliant-dl360-g7-60dc", 32, 16, 3, 2, 63, UINT64_C(206158430208) },
};

static void expect_memory(void)
{
    struct platform *p = &mp->platform;

    for (uint32_t n = 0; n < m.n_nodes; n++) {
        uint64_t address = 0;
        bool inside = false;

        for (uint32_t i = 0; i < m.n_ranges; i++)
            if (m.ranges[i].node == n && p->ops->alloc(p->machine, m.ranges[i].base,
                                                       m.ranges[i].base + m.ranges[i].bytes, 4096, &address) == ST_OK)
                inside |= address >= m.ranges[i].base && address < m.ranges[i].base + m.ranges[i].bytes;
        cr_expect(inside, "node %u has no free memory", n);
    }
}

Test(twin, tables_and_memory_are_those_of_the_recording)
{
    for (size_t i = 0; i < sizeof firmware / sizeof firmware[0]; i++) {
        make(opened("cpuid/intel-nehalem-2xxeon-x5550"), opened(firmware[i].tables));
        cr_expect_eq(m.acpi.n_bad, 0);
        cr_expect_eq(m.acpi.n_cpus, firmware[i].listed);
        cr_expect_eq(m.acpi.n_affinity_cpus, firmware[i].affinities);
        cr_expect_eq(m.acpi.n_affinity_memory, firmware[i].ranges);
        cr_expect_eq(SUM_OF(uint64_t, k, m.acpi.n_affinity_memory, m.acpi.affinity_memory[k].bytes), firmware[i].bytes);
        cr_assert_eq(m.acpi.n_mcfg, 1);
        cr_expect_eq(m.acpi.mcfg[0].last_bus, firmware[i].last_bus);
        cr_expect_eq(m.n_nodes, firmware[i].nodes, "%s: %u nodes", firmware[i].tables, m.n_nodes);
        expect_memory();
        end();
    }
}

/* A lab's finding on a table is seen again: nothing of a recorded table is put right. */
Test(twin, a_table_that_is_recorded_with_a_wrong_checksum_has_it)
{
    struct recording *tables = opened("acpi/x8dtt-ce92");

    for (uint32_t i = 0; i < tables->n_tables; i++)
        if (!strcmp(tables->tables[i].signature, "SRAT")) {
            tables->tables[i].bytes.at[9] = 1;
            tables->tables[i].bytes.known[9] = 1;
        }
    make(opened("cpuid/intel-nehalem-2xxeon-x5550"), tables);
    cr_expect_eq(m.acpi.n_bad, 1);
    cr_expect_not(m.acpi.srat);
    cr_expect(m.acpi.madt);
    end();
}

/* A recording of the tree with further lines. */
static struct recording *with(const char *name, const char *lines)
{
    char path[512], error[256] = "";
    static char text[1 << 20];
    struct recording *r;
    size_t n;
    FILE *f;

    snprintf(path, sizeof path, MACHINES "%s.machine", name);
    f = fopen(path, "r");
    cr_assert_not_null(f);
    n = fread(text, 1, sizeof text / 2, f);
    fclose(f);
    strcpy(text + n, lines);
    r = recording_parse(text, strlen(text), error, sizeof error);
    cr_assert_not_null(r, "%s", error);
    return r;
}

/* twin.h: which value a register has, and what a write of it does. */
static const struct {
    uint32_t apic_id, msr;
    enum model_answer answer;
    uint64_t value, written;
    enum model_answer taken;
} registers[] = {
    { 0, 0x1A0, MODEL_DONE, 0x850089, 0x850088, MODEL_DONE },       /* the model does not have it: kept              */
    { 0x20, 0x1A0, MODEL_DONE, 0x850080, 0x850088, MODEL_DONE },    /* of one processor apart                        */
    { 0, 0xCE, MODEL_DONE, 0x80c3be2811500, 0, MODEL_GP },          /* says what the part is                         */
    { 0, 0xC90, MODEL_DONE, 0x3F, 0xFF, MODEL_DONE },               /* of the model: begins at the value             */
    { 0, 0xC8F, MODEL_DONE, UINT64_C(0x200000005), 0, MODEL_DONE }, /* the same                                    */
    { 0, 0xC91, MODEL_GP, 0, 1, MODEL_GP },                         /* it raised #GP there                           */
    { 0, 0x621, MODEL_DONE, 24, 0, MODEL_GP },                      /* a clock of the model, as fast as 620H lets it */
    { 0, 0xC8E, MODEL_DONE, UINT64_C(1) << 63, 0, MODEL_GP },       /* not recorded: the model's                     */
};

Test(twin, registers_have_the_recorded_values)
{
    static const char lines[] =
        "tsc 1700000000 x\nmsr all 1a0 850089\nmsr 1 1a0 850080\nmsr all ce 80c3be2811500\n"
        "msr all c90 3f\nmsr all c8f 200000005\nmsr all c91 #GP\nmsr all 620 c18\nmsr all 621 c\n";
    struct model *model;
    uint64_t value;

    make(with("cpuid/intel-broadwell-2xxeon-e5-2650lv4", lines), NULL);
    model = mp->model;
    cr_expect_eq(mp->platform.tsc_hz, 1700000000);
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        uint32_t cpu = 0;

        while (model_apic_id(model, cpu) != registers[i].apic_id)
            cpu++;
        value = 0;
        cr_expect_eq(model_rdmsr(model, cpu, registers[i].msr, 0, &value), registers[i].answer, "%x", registers[i].msr);
        cr_expect_eq(value, registers[i].value, "%x reads %llx", registers[i].msr, (unsigned long long)value);
        cr_expect_eq(model_wrmsr(model, cpu, registers[i].msr, 0, registers[i].written), registers[i].taken, "%x",
                     registers[i].msr);
        if (registers[i].taken == MODEL_DONE) {
            (void)model_rdmsr(model, cpu, registers[i].msr, 0, &value);
            cr_expect_eq(value, registers[i].written, "%x is kept as %llx", registers[i].msr,
                         (unsigned long long)value);
        }
    }
    end();
}

static bool has_table(const char *signature)
{
    return ANY_OF(i, m.acpi.n_tables, strcmp(m.acpi.tables[i].signature, signature) == 0);
}

/* Tables that name registers which the model does not decode are there; what was recorded at such an address is read, and at
 * another one nothing answers. A function that has no uncore registers has its recorded bytes, and what is not there has none. */
Test(twin, tables_functions_and_addresses_that_the_model_does_not_have_are_the_recorded_ones)
{
    static const char lines[] =
        "table WDAT length 24\n 0 57444154\ntable ERDT length 24\n 0 45524454\n"
        "region fe000000\n 10 78563412\ncomplete 0000\npci 0000:7f:05.0 0880 8086:6f28 rev 1\n 3c 55\n"
        "pci 0000:00:1f.0 0601 8086:8d44 rev 5\n 40 01020304\n";
    uint64_t wide = 0;
    uint32_t value = 0;

    make(with("cpuid/intel-broadwell-2xxeon-e5-2650lv4", lines), NULL);
    cr_expect(has_table("WDAT") && has_table("ERDT"));
    cr_expect_eq(mmio_read(&mp->platform, 0xFE000010, 4, &wide), ST_OK);
    cr_expect_eq(wide, 0x12345678);
    cr_expect_eq(mmio_read(&mp->platform, 0xFE000014, 4, &wide), ST_PAGE_FAULT);
    cr_expect_eq(pci_read(&mp->platform, (struct pci_address){ 0, 0, 0x1F, 0 }, 0x40, 4, &value), ST_OK);
    cr_expect_eq(value, 0x04030201);
    cr_expect_eq(pci_read(&mp->platform, (struct pci_address){ 0, 0, 0x1F, 0 }, 0, 4, &value), ST_OK);
    cr_expect_eq(value, 0x8D448086);
    cr_expect_eq(pci_read(&mp->platform, (struct pci_address){ 0, 0x7F, 5, 0 }, 0x3C, 1, &value), ST_OK);
    cr_expect_eq(value, 0x55);
    cr_expect_eq(pci_read(&mp->platform, (struct pci_address){ 0, 0x7F, 5, 6 }, 0, 4, &value), ST_OK);
    cr_expect_eq(value, UINT32_MAX);
    end();
}

Test(twin, what_the_model_cannot_be_is_refused_with_the_reason)
{
    static const struct {
        const char *name, *reason;
        uint32_t slices;
    } refused[] = {
        { "cpuid/intel-core-2xxeon-e5345", "no profile of signature 6f7", 0 },
        { "cpuid/amd-17h-zen-2xepyc-7451", "no level of leaf 0BH", 0 },
        { "smbios/dell-poweredge-t610-a592", "no CPUID was recorded", 0 },
        { "cpuid/intel-broadwell-2xxeon-e5-2650lv4", "not of a recorded one", 2 },
    };

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct recording *r = opened(refused[i].name);
        char error[512] = "";

        cr_expect_null(
            model_new(&(struct model_config){ .recording = r, .slices = refused[i].slices }, error, sizeof error));
        cr_expect(strstr(error, refused[i].reason), "%s: %s", refused[i].name, error);
        recording_free(r);
    }
}

/* Two processors of a Ryzen 9 7900X3D: an L3 of 96 MB, and one of 32 MB. */
static const char x3d_dump[] = "recording 1\nname x3d\ncpu 0 id 0\n0 0 10 68747541 444d4163 69746e65\n"
                               "1 0 a60f12 400800 7ef8320b 178bfbff\nb 0 1 2 100 0\nb 1 5 18 201 0\n"
                               "8000001d 3 2c163 3c0003f 17fff 1\ncpu 1 id 10\n8000001d 3 . . 7fff .\n";

Test(twin, l3s_of_unlike_sizes_are_refused)
{
    char error[512] = "";
    struct recording *r = recording_parse(x3d_dump, strlen(x3d_dump), error, sizeof error);

    cr_assert_not_null(r, "%s", error);
    cr_expect_null(model_new(&(struct model_config){ .recording = r }, error, sizeof error));
    cr_expect_str_eq(error, "its L3s have unlike sizes");
    recording_free(r);
}

/* Gold 6336Y: its dump (tests/fixtures/cpuid has those of its generation) ends at sub-leaf 0 of leaves 0FH and 10H. The
 * profile's part has 288 RMIDs of 12000H bytes. An i5-12400's enumerates L2 CAT without sub-leaf 2. */
static const char icx_dump[] = "recording 1\nname icx\ncpu 0 id 0\n0 0 1b 756e6547 6c65746e 49656e69\n"
                               "1 0 606a6 400800 7ffefbff bfebfbff\n4 3 7c0fc163 2c0003f bfff 4\n"
                               "7 0 0 f3bfbfff 40417f4e bc040412\nb 0 0 1 100 0\nb 1 0 1 201 0\nf 0 0 bf 0 2\n"
                               "10 0 0 2 0 0\n";
static const char adl_dump[] = "recording 1\nname adl\ncpu 0 id 0\n0 0 20 756e6547 6c65746e 49656e69\n"
                               "1 0 90672 400800 7ffafbff bfebfbff\n7 0 1 f3bfa7eb 98c05fee fc984510\n"
                               "b 0 0 1 100 0\nb 1 0 1 201 0\nf 0 0 0 0 0\n10 0 0 4 0 0\n";

static void make_of_text(const char *text)
{
    char error[256] = "";
    struct recording *r = recording_parse(text, strlen(text), error, sizeof error);

    cr_assert_not_null(r, "%s", error);
    make(r, NULL);
}

Test(twin, what_a_dump_lacks_of_rdt_is_no_other_parts)
{
    make_of_text(icx_dump);
    cr_expect_eq(m.cpus[0].rdt.max_rmid, 0xBF);
    cr_expect_eq(m.cpus[0].rdt.upscaling_factor, 0xC000);
    cr_expect(m.cpus[0].rdt.l3.known && !m.cpus[0].rdt.mba.present && m.cpus[0].rdt.leaf10[3].regs.eax == 0);
    end();
    make_of_text(adl_dump);
    cr_expect(!m.cpus[0].rdt.allocation && !m.cpus[0].rdt.l2.present);
    end();
}
