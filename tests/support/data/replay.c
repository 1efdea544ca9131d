/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/replay.h"
#include "core/base/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/cpu/topology.h"

struct processor { /* what a source of CPUID points at */
    const struct recording *recording;
    uint32_t cpu, max_basic, max_extended, apic_id;
};

#define TABLES     32u
#define TABLE_AT   UINT64_C(0x10000000) /* the first, and each next one a MiB after it */
#define TABLE_STEP UINT64_C(0x100000)

struct image {
    uint64_t address;
    uint8_t *at;
    size_t bytes;
};

struct replay {
    struct recording *recording;
    struct processor *cpus;
    bool has_microcode; /* by a comment of a dump that has it there */
    uint64_t microcode;
    struct platform platform;
    struct cpu_slot *slots;
    uint32_t *order; /* platform index -> file order */
    struct image images[TABLES];
    uint32_t n_images;
    uint32_t unknown, unknown_pci; /* reads that the recording does not answer */
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
    for (uint32_t i = 0; i < r->n_images; i++)
        free(r->images[i].at);
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
    const struct replay *r = machine;

    EACH(const struct image, m, r->images, r->n_images) {
        if (address < m->address || bytes > m->bytes || address - m->address > m->bytes - bytes)
            continue;
        memcpy(buffer, m->at + (address - m->address), bytes);
        return ST_OK;
    }
    return ST_PAGE_FAULT;
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

static uint64_t map_image(struct replay *r, uint8_t *at, size_t bytes)
{
    uint64_t address = TABLE_AT + r->n_images * TABLE_STEP;

    if (!at || r->n_images == TABLES || bytes > TABLE_STEP) {
        free(at);
        return 0;
    }
    r->images[r->n_images++] = (struct image){ address, at, bytes };
    return address;
}

static void put_number(uint8_t *at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void make_sum(uint8_t *at, uint32_t n, uint32_t checksum)
{
    uint8_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + at[i]);
    at[checksum] = (uint8_t)-sum;
}

/* An RSDP and an XSDT over the recorded tables: ACPI 6.5, 5.2.5.3 and 5.2.8. */
static void map_acpi(struct replay *r)
{
    uint32_t n = r->recording->n_tables < TABLES - 4 ? r->recording->n_tables : TABLES - 4, bytes = 36 + 8 * n;
    uint8_t *xsdt = calloc(1, bytes), *rsdp = calloc(1, 36);

    for (uint32_t i = 0; xsdt && i < n; i++) {
        const struct recorded_table *t = &r->recording->tables[i];

        put_number(xsdt + 36 + 8 * i, map_image(r, recording_table_image(t), t->bytes.n), 8);
    }
    if (!xsdt || !rsdp || n == 0) {
        free(xsdt);
        free(rsdp);
        return;
    }
    memcpy(xsdt, "XSDT", 4);
    put_number(xsdt + 4, bytes, 4);
    xsdt[8] = 1;
    make_sum(xsdt, bytes, 9);
    memcpy(rsdp, "RSD PTR ", 8);
    rsdp[15] = 2;
    put_number(rsdp + 20, 36, 4);
    put_number(rsdp + 24, map_image(r, xsdt, bytes), 8);
    make_sum(rsdp, 20, 8);
    make_sum(rsdp, 36, 32);
    r->platform.rsdp = map_image(r, rsdp, 36);
}

/* An entry point of 64 bits over the recorded structures: DSP0134 3.6, 5.2.2. */
static void map_smbios(struct replay *r)
{
    size_t bytes = 0;
    uint8_t *table = recording_smbios_image(r->recording, &bytes), *entry = table ? calloc(1, 24) : NULL;
    unsigned major = 0, minor = 0;

    if (!entry) {
        free(table);
        return;
    }
    sscanf(r->recording->smbios_version, "%u.%u", &major, &minor);
    memcpy(entry, "_SM3_", 5);
    entry[6] = 24;
    entry[7] = (uint8_t)major;
    entry[8] = (uint8_t)minor;
    entry[10] = 1;
    put_number(entry + 12, bytes, 4);
    put_number(entry + 16, map_image(r, table, bytes), 8);
    make_sum(entry, 24, 5);
    r->platform.smbios = map_image(r, entry, 24);
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
    map_acpi(r);
    map_smbios(r);
    return &r->platform;
}
