/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_work.c: the workloads of the model platform, which feed the model exactly the accesses
 * that the payload's kernel of that kind makes, and what they cost in virtual time.
 */
#include "tests/silicon/host/host_platform_internal.h"
#include "tests/silicon/model/model_clock.h"

#include <stdlib.h>

#define TURN_LINES 256u

static void touch(struct machine *k, struct runner *r, uint64_t address, enum model_kind kind, bool dependent)
{
    enum cache_level level = model_access_level(k->model, r->task->cpu, address, 8, kind);

    r->clock = model_clock_access(k->model, r->task->cpu, r->clock, address, level, dependent);
}

/* A line of code: NOPs of eight bytes each, or the return. */
static void fetch(struct machine *k, struct runner *r, uint64_t address, bool last)
{
    enum cache_level level = model_access_level(k->model, r->task->cpu, address, 8, MODEL_FETCH);

    r->clock = model_clock_fetch(k->model, r->task->cpu, r->clock, address, level) + (last ? 1 : 8) * CLOCK_INSTRUCTION;
}

static bool overlaps(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* --- orders of chases, and code */

static void forget(struct prepared *p)
{
    free(p->next);
    *p = (struct prepared){ 0 };
}

/* Whoever stores to lines that hold a chase's order or code destroys it. */
static void forget_all(struct machine *k, uint64_t base, uint64_t bytes)
{
    for (uint32_t i = 0; i < PREPARED; i++) {
        struct prepared *p = &k->prepared[i];

        if (p->lines && overlaps(p->base, p->lines * 64, base, bytes))
            forget(p);
    }
}

static struct prepared *find_prepared(struct machine *k, enum work_kind by, uint64_t base, uint64_t lines)
{
    for (uint32_t i = 0; i < PREPARED; i++) {
        struct prepared *p = &k->prepared[i];

        if (p->lines == lines && p->by == by && p->base == base)
            return p;
    }
    return NULL;
}

static struct prepared *make_prepared(struct machine *k, const struct work *w)
{
    struct prepared *p = &k->prepared[k->n_prepared++ % PREPARED];

    forget(p);
    *p = (struct prepared){ .base = w->base, .lines = w->bytes / 64, .by = w->kind };
    if (w->kind == WORK_CHASE_PREPARE)
        p->next = calloc(p->lines, sizeof p->next[0]);
    if (p->next || w->kind == WORK_CODE_PREPARE)
        return p;
    p->lines = 0;
    return NULL;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* CHASE_PREPARE: number the lines, then shuffle them to one cycle (Sattolo). Line 0 .. n-1 of the first half are the
 * numbering stores, n .. 2n-2 the swaps. */
static void prepare_line(struct machine *k, struct runner *r, const struct work *w, uint64_t lines)
{
    struct progress *p = &r->work;
    uint64_t i = p->line < lines ? p->line : 2 * lines - 1 - p->line, j;
    uint32_t *next = p->prepared->next, kept;

    if (p->line < lines) {
        next[i] = (uint32_t)i;
        touch(k, r, w->base + i * 64, MODEL_STORE, false);
        p->accesses++;
        return;
    }
    j = (uint64_t)((unsigned __int128)next_random(&p->cursor) * i >> 64);
    touch(k, r, w->base + i * 64, MODEL_LOAD, false);
    touch(k, r, w->base + j * 64, MODEL_LOAD, false);
    touch(k, r, w->base + i * 64, MODEL_STORE, false);
    touch(k, r, w->base + j * 64, MODEL_STORE, false);
    kept = next[i];
    next[i] = next[j];
    next[j] = kept;
    p->accesses += 4;
}

/* As the payload's kernel: the rest of the page is loaded where the pass enters it, and each line again before its flush. */
static void flush_line(struct machine *k, struct runner *r, const struct work *w, uint64_t lines)
{
    struct progress *p = &r->work;
    uint64_t address = w->base + p->line * 64, end = w->base + lines * 64;

    if (p->line == 0 || address % 4096 == 0)
        for (uint64_t a = address; a < end && a / 4096 == address / 4096; a += 64)
            touch(k, r, a, MODEL_LOAD, false);
    touch(k, r, address, MODEL_LOAD, false);
    model_clflush(k->model, r->task->cpu, address);
    r->clock += CLOCK_FLUSH;
    p->accesses += 2;
}

static void work_line(struct machine *k, struct runner *r, struct work *w, uint64_t lines)
{
    struct progress *p = &r->work;
    uint64_t address = w->base + p->line * 64;

    switch (w->kind) {
    case WORK_READ:
        touch(k, r, address, MODEL_LOAD, false);
        p->accesses++;
        break;
    case WORK_WRITE:
        touch(k, r, address, MODEL_STORE, false);
        p->accesses++;
        break;
    case WORK_CODE_PREPARE: /* a store an instruction */
        for (uint64_t i = 0; i < (p->line == lines - 1 ? 1 : 8); i++, p->accesses++)
            touch(k, r, address + i * 8, MODEL_STORE, false);
        break;
    case WORK_RMW:
        touch(k, r, address, MODEL_LOAD, false);
        touch(k, r, address, MODEL_STORE, false);
        p->accesses += 2;
        break;
    case WORK_NT_WRITE: /* four stores that the write-combining buffer makes one */
        touch(k, r, address, MODEL_NT_STORE, false);
        p->accesses += 4;
        break;
    case WORK_COPY:
        touch(k, r, address, MODEL_LOAD, false);
        touch(k, r, w->dst + p->line * 64, MODEL_STORE, false);
        p->accesses += 2;
        break;
    case WORK_CHASE:
        touch(k, r, w->base + p->cursor * 64, MODEL_LOAD, true);
        p->cursor = p->prepared->next[p->cursor];
        p->proof += p->cursor;
        p->accesses++;
        break;
    case WORK_FLUSH:
        flush_line(k, r, w, lines);
        break;
    case WORK_CHASE_PREPARE:
        prepare_line(k, r, w, lines);
        break;
    case WORK_CODE:
        fetch(k, r, address, p->line == lines - 1);
        break;
    case WORK_KINDS:
        break;
    }
    p->line++;
}

static bool work_in_range(const struct work *w)
{
    if ((unsigned)w->kind >= WORK_KINDS || w->passes == 0 || w->bytes == 0 || w->bytes % 64 || w->base % 64 ||
        w->base + w->bytes < w->base)
        return false;
    return w->kind != WORK_COPY ||
           (w->dst % 64 == 0 && w->dst + w->bytes >= w->dst && !overlaps(w->base, w->bytes, w->dst, w->bytes));
}

static bool stores(enum work_kind kind)
{
    return kind == WORK_WRITE || kind == WORK_RMW || kind == WORK_NT_WRITE || kind == WORK_CHASE_PREPARE ||
           kind == WORK_CODE_PREPARE;
}

static enum status work_begin(struct machine *k, struct runner *r, struct work *w)
{
    struct progress *p = &r->work;
    uint64_t lines = w->bytes / 64;

    if (!work_in_range(w))
        return ST_RANGE;
    *p = (struct progress){ .under_way = true, .begin = r->clock };
    if (stores(w->kind))
        forget_all(k, w->base, w->bytes);
    if (w->kind == WORK_COPY)
        forget_all(k, w->dst, w->bytes);
    if (w->kind == WORK_CHASE || w->kind == WORK_CODE)
        p->prepared = find_prepared(k, w->kind == WORK_CODE ? WORK_CODE_PREPARE : WORK_CHASE_PREPARE, w->base, lines);
    if (w->kind == WORK_CHASE_PREPARE || w->kind == WORK_CODE_PREPARE) {
        p->prepared = make_prepared(k, w);
        if (!p->prepared)
            return ST_NO_MEMORY;
        p->cursor = w->seed;
    }
    return ST_OK;
}

static void work_report(const struct machine *k, struct runner *r, struct work *w, bool whole)
{
    uint64_t behind = model_tsc_behind(k->model, r->task->cpu);
    struct progress *p = &r->work;
    uint64_t areas = w->kind == WORK_COPY ? 2 : 1, lines = w->bytes / 64;

    w->moved_bytes = whole ? areas * w->bytes * w->passes : p->accesses * 64;
    w->touched_lines = whole ? areas * lines : p->accesses;
    w->accesses = p->accesses;
    w->proof = p->proof;
    w->tsc_begin = p->begin - behind;
    w->tsc_end = r->clock - behind;
    p->under_way = false;
}

/* Memory that names no line: the first load shows it. Memory without code is not run at all. */
static enum status work_refused(struct machine *k, struct runner *r, struct work *w)
{
    if (w->kind == WORK_CHASE) {
        touch(k, r, w->base, MODEL_LOAD, true);
        r->work.accesses = 1;
    }
    work_report(k, r, w, false);
    return ST_CORRUPT;
}

bool work_turn(struct machine *k, struct runner *r, struct work *w, enum status *st)
{
    struct progress *p = &r->work;
    uint64_t lines = w->bytes / 64, per_pass = w->kind == WORK_CHASE_PREPARE ? 2 * lines - 1 : lines;

    if (!p->under_way) {
        *st = work_begin(k, r, w);
        if (*st != ST_OK)
            return true;
        if ((w->kind == WORK_CHASE || w->kind == WORK_CODE) && !p->prepared) {
            *st = work_refused(k, r, w);
            return true;
        }
    }
    for (uint32_t n = 0; n < TURN_LINES && p->line < per_pass; n++)
        work_line(k, r, w, lines);
    if (!p->smi_done && k->smi_left && 2 * (p->pass * per_pass + p->line) >= w->passes * per_pass) {
        p->smi_done = true;
        k->smi_left--;
        model_smi(k->model);
        r->clock += model_clock_smi(k->model);
    }
    if (p->line == per_pass) {
        p->line = 0;
        p->pass++;
        if (w->kind == WORK_CHASE_PREPARE)
            p->cursor = w->seed;
    }
    if (p->pass < w->passes)
        return false;
    work_report(k, r, w, true);
    *st = ST_OK;
    return true;
}
