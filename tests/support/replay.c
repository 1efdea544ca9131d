/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/cpu/topology.h"
#include "tests/support/tsv.h"

#ifndef ASSAY_ROOT
#define ASSAY_ROOT "."
#endif

struct line {
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};

struct lines {
    struct line *at;
    uint32_t n, capacity;
};

struct recorded {
    struct lines lines;
    uint32_t max_basic, max_extended, apic_id;
};

struct replay {
    struct recorded *cpus;
    uint32_t n_cpus;
    bool has_microcode;
    uint64_t microcode;
    struct platform platform;
    struct cpu_slot *slots;
    uint32_t *order; /* platform index -> file order */
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static struct line *find(const struct lines *l, uint32_t leaf, uint32_t subleaf)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i].leaf == leaf && l->at[i].subleaf == subleaf)
            return &l->at[i];
    return NULL;
}

static void put_line(struct lines *l, struct line line)
{
    struct line *there = find(l, line.leaf, line.subleaf);

    if (there) {
        *there = line;
        return;
    }
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 128;
        l->at = realloc(l->at, sizeof *l->at * l->capacity);
    }
    l->at[l->n++] = line;
}

static void drop_line(struct lines *l, uint32_t leaf, uint32_t subleaf)
{
    struct line *there = find(l, leaf, subleaf);

    if (there)
        *there = l->at[--l->n];
}

static struct recorded *add_cpu(struct replay *r)
{
    struct recorded *c;

    r->cpus = realloc(r->cpus, sizeof *r->cpus * (r->n_cpus + 1));
    c = &r->cpus[r->n_cpus++];
    memset(c, 0, sizeof *c);
    if (r->n_cpus > 1) {
        c->lines = r->cpus[0].lines;
        c->lines.capacity = c->lines.n;
        c->lines.at = malloc(sizeof *c->lines.at * c->lines.n);
        memcpy(c->lines.at, r->cpus[0].lines.at, sizeof *c->lines.at * c->lines.n);
    }
    return c;
}

/* "# msr 8B (microcode revision): 2100-0283-0000-0000" */
static void read_comment(struct replay *r, const char *text)
{
    unsigned a, b, c, d;

    if (sscanf(text, "# msr 8B (microcode revision): %4x-%4x-%4x-%4x", &a, &b, &c, &d) == 4) {
        r->microcode = (uint64_t)a << 48 | (uint64_t)b << 32 | (uint64_t)c << 16 | d;
        r->has_microcode = true;
    }
}

static bool read_text_line(struct replay *r, const char *text)
{
    struct recorded *c = r->n_cpus ? &r->cpus[r->n_cpus - 1] : NULL;
    struct line l;
    unsigned number;

    if (text[0] == '#' || text[0] == '\n') {
        read_comment(r, text);
        return true;
    }
    if (sscanf(text, "cpu %u", &number) == 1) {
        add_cpu(r);
        return number == r->n_cpus - 1;
    }
    if (!c)
        return false;
    if (sscanf(text, "absent %8x %8x", &l.leaf, &l.subleaf) == 2) {
        drop_line(&c->lines, l.leaf, l.subleaf);
        return true;
    }
    if (sscanf(text, "%8x %8x %8x %8x %8x %8x", &l.leaf, &l.subleaf, &l.regs.eax, &l.regs.ebx, &l.regs.ecx,
               &l.regs.edx) != 6)
        return false;
    put_line(&c->lines, l);
    return true;
}

static void finish(struct replay *r)
{
    for (uint32_t i = 0; i < r->n_cpus; i++) {
        struct recorded *c = &r->cpus[i];
        const struct line *basic = find(&c->lines, 0, 0), *extended = find(&c->lines, 0x80000000u, 0);

        c->max_basic = basic ? basic->regs.eax : 0;
        c->max_extended = extended ? extended->regs.eax : 0;
    }
}

struct replay *replay_open(const char *path)
{
    FILE *f = fopen(path, "r");
    struct replay *r;
    char text[1024];
    unsigned n = 0;

    if (!f) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return NULL;
    }
    r = calloc(1, sizeof *r);
    while (fgets(text, sizeof text, f)) {
        n++;
        if (!read_text_line(r, text)) {
            fprintf(stderr, "%s:%u: malformed\n", path, n);
            fclose(f);
            replay_free(r);
            return NULL;
        }
    }
    fclose(f);
    if (r->n_cpus == 0) {
        fprintf(stderr, "%s: no processor\n", path);
        replay_free(r);
        return NULL;
    }
    finish(r);
    return r;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_cpus; i++)
        free(r->cpus[i].lines.at);
    free(r->cpus);
    free(r->slots);
    free(r->order);
    free(r);
}

uint32_t replay_cpus(const struct replay *r)
{
    return r->n_cpus;
}

/* --- as a source -------------------------------------------------------------------------------------------------- */

static enum status recorded_leaf(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct recorded *c = context;
    const struct line *l = find(&c->lines, leaf, subleaf);

    if (!l || !cpuid_in_range(leaf, c->max_basic, c->max_extended))
        return ST_ABSENT;
    *regs = l->regs;
    return ST_OK;
}

struct cpuid_source replay_source(struct replay *r, uint32_t cpu)
{
    return (struct cpuid_source){ .leaf = recorded_leaf, .context = &r->cpus[cpu] };
}

/* --- as a platform ------------------------------------------------------------------------------------------------ */

static void run_recorded_step(struct replay *r, const struct recorded *c, struct step *s)
{
    const struct line *l;

    switch (s->op) {
    case STEP_CPUID: /* the instruction knows no maximum: what the file lists is what it answers */
        l = find(&c->lines, s->reg, s->subleaf);
        s->status = l ? ST_OK : ST_ABSENT;
        if (l)
            s->regs = l->regs;
        break;
    case STEP_RDMSR:
        s->status = s->reg == IA32_BIOS_SIGN_ID && r->has_microcode ? ST_OK : ST_FAULT;
        if (s->status == ST_OK)
            s->value = r->microcode;
        break;
    case STEP_WRMSR:
        s->status = ST_FAULT;
        break;
    default:
        s->status = ST_UNSUPPORTED;
        break;
    }
}

static enum status replay_run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    struct replay *r = machine;

    (void)budget_ms;
    for (uint32_t t = 0; t < n_tasks; t++) {
        for (uint32_t s = 0; s < tasks[t].n_steps; s++)
            run_recorded_step(r, &r->cpus[r->order[tasks[t].cpu]], &tasks[t].steps[s]);
        tasks[t].status = ST_OK;
    }
    return ST_OK;
}

static enum status replay_phys_read(void *machine, uint64_t address, void *buffer, size_t bytes)
{
    (void)machine, (void)address, (void)buffer, (void)bytes;
    return ST_PAGE_FAULT;
}

static const struct replay *sorting;

static int by_apic_id(const void *a, const void *b)
{
    uint32_t x = sorting->cpus[*(const uint32_t *)a].apic_id, y = sorting->cpus[*(const uint32_t *)b].apic_id;

    return x < y ? -1 : x > y;
}

struct platform *replay_platform(struct replay *r)
{
    static const struct platform_ops ops = { .run = replay_run, .phys_read = replay_phys_read };

    r->slots = calloc(r->n_cpus, sizeof *r->slots);
    r->order = calloc(r->n_cpus, sizeof *r->order);
    for (uint32_t i = 0; i < r->n_cpus; i++) {
        struct cpuid_source s = replay_source(r, i);
        struct cpu_identity id;
        struct cpu_place place = { 0 };

        if (cpuid_identity(&s, &id) == ST_OK && topology_place(&s, &id, &place) == ST_OK)
            r->cpus[i].apic_id = place.apic_id;
        r->order[i] = i;
    }
    sorting = r;
    qsort(r->order, r->n_cpus, sizeof *r->order, by_apic_id);
    for (uint32_t i = 0; i < r->n_cpus; i++)
        r->slots[i] = (struct cpu_slot){ .apic_id = r->cpus[r->order[i]].apic_id,
                                         .flags = CPU_ENABLED | CPU_HEALTHY | CPU_STARTED | (i ? 0 : CPU_BSP) };
    r->platform = (struct platform){ .ops = &ops,
                                     .machine = r,
                                     .n_cpus = r->n_cpus,
                                     .cpus = r->slots,
                                     .tsc_hz = 1000000000,
                                     .tsc_source = "recording" };
    return &r->platform;
}

/* --- folders and index -------------------------------------------------------------------------------------------- */

const char *replay_folder(enum replay_folder which)
{
    static char folder[2][512];
    const char *chosen = which == REPLAY_FIXTURES ? ASSAY_ROOT "/tests/fixtures/cpuid" : getenv("ASSAY_CPUID_DATA");
    char index[600];
    FILE *f;

    if (!chosen)
        return "";
    snprintf(index, sizeof index, "%s/index.tsv", chosen);
    f = fopen(index, "r");
    if (!f) {
        fprintf(stderr, "replay: no %s\n", index);
        return "";
    }
    fclose(f);
    snprintf(folder[which], sizeof folder[which], "%s", chosen);
    return folder[which];
}

struct replay_index {
    char folder[512];
    struct tsv *table;
};

struct replay_index *replay_index_open(const char *folder)
{
    struct replay_index *x = calloc(1, sizeof *x);
    char path[600];

    snprintf(path, sizeof path, "%s/index.tsv", folder);
    snprintf(x->folder, sizeof x->folder, "%s", folder);
    x->table = tsv_open(path);
    return x;
}

void replay_index_free(struct replay_index *x)
{
    if (!x)
        return;
    tsv_free(x->table);
    free(x);
}

uint32_t replay_index_rows(const struct replay_index *x)
{
    return tsv_rows(x->table);
}

const char *replay_index_get(const struct replay_index *x, uint32_t row, const char *column)
{
    return tsv_get(x->table, row, column);
}

struct replay *replay_index_open_row(const struct replay_index *x, uint32_t row)
{
    char path[1200];

    snprintf(path, sizeof path, "%s/%s", x->folder, replay_index_get(x, row, "file"));
    return replay_open(path);
}
