/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/replay.h"
#include "core/base/search.h"

#include <stdio.h>
#include <stdlib.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/cpu/topology.h"
#include "tests/support/machine/memory.h"

struct processor { /* what a source of CPUID points at */
    const struct recording *recording;
    uint32_t cpu, max_basic, max_extended, apic_id;
};

#define TABLE_AT   UINT64_C(0x10000000) /* the first, and each next one a MiB after it */
#define TABLE_STEP UINT64_C(0x100000)

struct replay {
    struct recording *recording;
    struct processor *cpus;
    bool has_microcode; /* by a comment of a dump that has it there */
    uint64_t microcode;
    struct platform platform;
    struct cpu_slot *slots;
    uint32_t *order;      /* platform index -> file order */
    struct memory memory; /* firmware's tables: the recorded ones ... */
    uint8_t *owned[MEMORY_PIECES];
    uint32_t n_owned;
    struct blob rsdp, xsdt, smbios; /* ... and what leads to them */
    uint32_t unknown, unknown_pci;  /* reads that the recording does not answer */
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* "# msr 8B (microcode revision): 2100-0283-0000-0000" */
static void read_comments(struct replay *r, const char *path)
{
    FILE *f = fopen(path, "r");
    unsigned a, b, c, d;
    char text[1024];

    while (f && !r->has_microcode && fgets(text, sizeof text, f) && text[0] == '#')
        if (sscanf(text, "# msr 8B (microcode revision): %4x-%4x-%4x-%4x", &a, &b, &c, &d) == 4) {
            r->microcode = (uint64_t)a << 48 | (uint64_t)b << 32 | (uint64_t)c << 16 | d;
            r->has_microcode = true;
        }
    if (f)
        fclose(f);
}

struct replay *replay_of(struct recording *recording)
{
    struct replay *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->recording = recording;
    r->cpus = calloc(recording->n_cpus + 1, sizeof *r->cpus);
    for (uint32_t i = 0; i < recording->n_cpus; i++) {
        const struct recorded_leaf *basic = recording_leaf(recording, i, 0, 0),
                                   *extended = recording_leaf(recording, i, 0x80000000u, 0);

        r->cpus[i] =
            (struct processor){ recording, i, basic ? basic->regs[0] : 0, extended ? extended->regs[0] : 0, 0 };
    }
    return r;
}

struct replay *replay_open(const char *path)
{
    char error[256] = "no memory";
    struct recording *recording = recording_open(path, error, sizeof error);
    struct replay *r = recording ? replay_of(recording) : NULL;

    if (r)
        read_comments(r, path);
    else
        fprintf(stderr, "%s: %s\n", path, error);
    return r;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_owned; i++)
        free(r->owned[i]);
    recording_free(r->recording);
    free(r->cpus);
    free(r->slots);
    free(r->order);
    free(r);
}

const struct recording *replay_recording(const struct replay *r)
{
    return r->recording;
}

uint32_t replay_cpus(const struct replay *r)
{
    return r->recording->n_cpus;
}

uint32_t replay_unknown(const struct replay *r, bool pci)
{
    return r->unknown_pci + (pci ? 0 : r->unknown);
}

/* --- as a source -------------------------------------------------------------------------------------------------- */

static bool look_up(const struct processor *c, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct recorded_leaf *l = recording_leaf(c->recording, c->cpu, leaf, subleaf);

    if (l)
        *regs = (struct cpuid_regs){ l->regs[0], l->regs[1], l->regs[2], l->regs[3] };
    return l != NULL;
}

static enum status recorded_leaf(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct processor *c = context;

    if (!cpuid_in_range(leaf, c->max_basic, c->max_extended))
        return ST_ABSENT;
    return look_up(c, leaf, subleaf, regs) ? ST_OK : ST_ABSENT;
}

struct cpuid_source replay_source(struct replay *r, uint32_t cpu)
{
    return (struct cpuid_source){ .leaf = recorded_leaf, .context = &r->cpus[cpu] };
}

/* --- as a platform ------------------------------------------------------------------------------------------------ */

static enum status recorded_msr(struct replay *r, uint32_t cpu, uint32_t number, uint64_t *value)
{
    const struct recorded_msr *m = recording_msr(r->recording, cpu, number);

    if (m && !m->fault)
        *value = m->value;
    else if (!m && number == IA32_BIOS_SIGN_ID && r->has_microcode)
        *value = r->microcode;
    else {
        r->unknown += !m;
        return ST_FAULT;
    }
    return ST_OK;
}

static void run_recorded_step(struct replay *r, const struct processor *c, struct step *s)
{
    switch (s->op) {
    case STEP_CPUID: /* the instruction knows no maximum: what the file lists is what it answers */
        s->status = c->recording && look_up(c, s->reg, s->subleaf, &s->regs) ? ST_OK : ST_ABSENT;
        break;
    case STEP_RDMSR:
        s->status = recorded_msr(r, c->cpu, s->reg, &s->value);
        break;
    case STEP_WRMSR:
        s->status = ST_FAULT;
        break;
    default:
        s->status = ST_UNSUPPORTED;
        break;
    }
}

static enum status replay_run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t)
{
    struct replay *r = machine;

    for (uint32_t t = 0; t < n_tasks; t++) {
        for (uint32_t s = 0; s < tasks[t].n_steps; s++)
            run_recorded_step(r, &r->cpus[r->order[tasks[t].cpu]], &tasks[t].steps[s]);
        tasks[t].status = ST_OK;
    }
    return ST_OK;
}

static enum status replay_phys_read(void *machine, uint64_t address, void *buffer, size_t bytes)
{
    return memory_read(&((struct replay *)machine)->memory, address, buffer, bytes);
}

static enum status replay_pci_read(void *machine, struct pci_address at, uint32_t offset, uint32_t width,
                                   uint32_t *value)
{
    struct replay *replay = machine;
    const struct recording *r = replay->recording;
    const struct recorded_function *f = recording_function(r, at.segment, at.bus, at.device, at.function);
    uint64_t recorded;

    if (!f && recording_bus_is_complete(r, at.segment, at.bus)) {
        *value = UINT32_MAX >> (32 - 8 * width);
        return ST_OK;
    }
    if (!f) {
        replay->unknown_pci++;
        return ST_ABSENT;
    }
    if (recorded_value(&f->config, offset, width, &recorded))
        *value = (uint32_t)recorded;
    else if (offset == 0 && width == 4 && f->did_known)
        *value = (uint32_t)f->did << 16 | f->vendor;
    else if (offset == 8 && width == 4 && f->revision >= 0)
        *value = (uint32_t)f->class_code << 16 | (uint32_t)f->revision;
    else {
        replay->unknown_pci++;
        return ST_UNSUPPORTED;
    }
    return ST_OK;
}

static enum status replay_mmio_read(void *machine, uint64_t address, uint32_t width, uint64_t *value)
{
    struct replay *r = machine;

    EACH(const struct recorded_bytes, b, r->recording->regions, r->recording->n_regions) {
        if (address >= b->base && recorded_value(b, address - b->base, width, value))
            return ST_OK;
    }
    r->unknown++;
    return ST_PAGE_FAULT;
}

/* --- firmware's tables */

static uint64_t map_image(struct replay *r, const void *bytes, size_t n)
{
    uint64_t address = TABLE_AT + r->memory.n_pieces * TABLE_STEP;

    memory_add(&r->memory, address, bytes, n);
    return address;
}

static void map_acpi(struct replay *r)
{
    const struct recording *of = r->recording;

    if (of->n_tables == 0)
        return;
    acpi_begin(&r->xsdt, "XSDT", 1);
    for (uint32_t i = 0; i < of->n_tables; i++)
        if ((r->owned[r->n_owned] = recording_table_image(&of->tables[i])) != NULL)
            blob_put(&r->xsdt, map_image(r, r->owned[r->n_owned++], of->tables[i].bytes.n), 8);
    acpi_finish(&r->xsdt);
    acpi_rsdp(&r->rsdp, 2, 0, map_image(r, r->xsdt.at, r->xsdt.n));
    r->platform.rsdp = map_image(r, r->rsdp.at, r->rsdp.n);
}

static void map_smbios(struct replay *r)
{
    size_t bytes = 0;
    uint8_t *table = recording_smbios_image(r->recording, &bytes), version[2] = { 0 };

    if (!table)
        return;
    r->owned[r->n_owned++] = table;
    sscanf(r->recording->smbios_version, "%hhu.%hhu", &version[0], &version[1]);
    smbios_entry_3x(&r->smbios, version, map_image(r, table, bytes), (uint32_t)bytes);
    r->platform.smbios = map_image(r, r->smbios.at, r->smbios.n);
}

static const struct replay *sorting;

static int by_apic_id(const void *a, const void *b)
{
    uint32_t x = sorting->cpus[*(const uint32_t *)a].apic_id, y = sorting->cpus[*(const uint32_t *)b].apic_id;

    return x < y ? -1 : x > y;
}

struct platform *replay_platform(struct replay *r)
{
    static const struct platform_ops ops = {
        .run = replay_run, .phys_read = replay_phys_read, .pci_read = replay_pci_read, .mmio_read = replay_mmio_read
    };
    uint32_t n_cpus = replay_cpus(r), n_slots = n_cpus ? n_cpus : 1;

    r->slots = calloc(n_slots, sizeof *r->slots);
    r->order = calloc(n_slots, sizeof *r->order);
    for (uint32_t i = 0; i < n_cpus; i++) {
        struct cpuid_source s = replay_source(r, i);
        struct cpu_identity id;
        struct cpu_place place = { 0 };

        if (cpuid_identity(&s, &id) == ST_OK && topology_place(&s, &id, &place) == ST_OK)
            r->cpus[i].apic_id = place.apic_id;
        r->order[i] = i;
    }
    sorting = r;
    qsort(r->order, n_cpus, sizeof *r->order, by_apic_id);
    for (uint32_t i = 0; i < n_slots; i++)
        r->slots[i] = (struct cpu_slot){ .apic_id = r->cpus[r->order[i]].apic_id,
                                         .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED | (i ? 0 : CPU_BSP) };
    r->platform = (struct platform){
        .ops = &ops, .machine = r, .n_cpus = n_slots, .cpus = r->slots, .tsc_hz = 1000000000, .tsc_source = "recording"
    };
    memory_init(&r->memory);
    map_acpi(r);
    map_smbios(r);
    return &r->platform;
}
