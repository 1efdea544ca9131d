/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/platform/ledger.h"

#include <string.h>

#include "core/base/heap.h"

/* --- the list ----------------------------------------------------------------------------------------------------- */

enum status ledger_init(struct platform *p, struct ledger *l)
{
    memset(l, 0, sizeof *l);
    l->tasks = heap_alloc(sizeof *l->tasks * p->n_cpus);
    l->steps = heap_alloc(sizeof *l->steps * p->n_cpus);
    if (!l->tasks || !l->steps) {
        heap_free(l->tasks);
        heap_free(l->steps);
        memset(l, 0, sizeof *l);
        return ST_NO_MEMORY;
    }
    l->platform = p;
    p->ledger = l;
    return ST_OK;
}

void ledger_free(struct ledger *l)
{
    for (uint32_t i = 0; i < l->n_entries; i++) {
        heap_free(l->entries[i].found);
        heap_free(l->entries[i].status);
        heap_free(l->entries[i].working);
    }
    heap_free(l->entries);
    heap_free(l->tasks);
    heap_free(l->steps);
    if (l->platform && l->platform->ledger == l)
        l->platform->ledger = NULL;
    memset(l, 0, sizeof *l);
}

/* The bucket of an address: Knuth's multiplier. */
static uint32_t *bucket_of(struct ledger *l, uint64_t address)
{
    return &l->first[address * UINT64_C(0x9E3779B97F4A7C15) >> (64 - LEDGER_BUCKET_BITS)];
}

static struct ledger_entry *find(struct ledger *l, enum ledger_space space, uint64_t address, uint32_t width)
{
    struct ledger_entry *e = NULL;

    for (uint32_t i = *bucket_of(l, address); i > 0; i = e->next) {
        e = &l->entries[i - 1];
        if (e->space == space && e->address == address && e->width == width)
            return e;
    }
    return NULL;
}

struct ledger_entry *ledger_find_msr(struct ledger *l, uint32_t msr)
{
    return find(l, LEDGER_MSR, msr, 8);
}

/* A new entry at the end of the list, nothing read yet. NULL: no memory, and l->lost says so from now on. */
static struct ledger_entry *ledger_append(struct ledger *l, struct ledger_entry e)
{
    e.found = heap_alloc(sizeof *e.found * e.n_values);
    e.status = heap_alloc(sizeof *e.status * e.n_values);
    if (!e.found || !e.status || !HEAP_GROW(&l->entries, &l->capacity, l->n_entries + 1)) {
        heap_free(e.found);
        heap_free(e.status);
        l->lost = true;
        return NULL;
    }
    memset(e.status, ST_NOT_RUN, e.n_values);
    e.next = *bucket_of(l, e.address);
    l->entries[l->n_entries++] = e;
    *bucket_of(l, e.address) = l->n_entries;
    return &l->entries[l->n_entries - 1];
}

/* --- one access on many processors -------------------------------------------------------------------------------- */

/* op is STEP_RDMSR, or STEP_WRMSR of what was found. Straight to the machine: through platform_run() the ledger would
 * be shown its own accesses. The results are in l->steps, in the order of l->tasks. */
static uint32_t access_all(struct platform *p, struct ledger_entry *e, enum step_op op,
                           bool (*wanted)(const struct ledger_entry *e, uint32_t cpu))
{
    struct ledger *l = p->ledger;
    uint32_t n = 0;

    for (uint32_t cpu = 0; cpu < e->n_values; cpu++) {
        if (!cpu_takes_work(p, cpu) || (wanted && !wanted(e, cpu)))
            continue;
        l->steps[n] = (struct step){ .op = op, .reg = (uint32_t)e->address, .status = ST_NOT_RUN };
        if (op == STEP_WRMSR)
            l->steps[n].value = e->found[cpu];
        l->tasks[n] = (struct task){ .cpu = cpu, .n_steps = 1, .steps = &l->steps[n] };
        n++;
    }
    if (n == 0)
        return 0;
    /* The outcome of each processor is looked at by the caller; the run's own is the first of them. */
    (void)p->ops->run(p->machine, l->tasks, n, work_budget_ms(0));
    p->counts.runs++;
    for (uint32_t i = 0; i < n; i++) {
        enum status st = l->steps[i].status;

        *(op == STEP_RDMSR ? &p->counts.rdmsr : &p->counts.wrmsr) += st != ST_NOT_RUN;
        p->counts.faults += st == ST_FAULT;
    }
    return n;
}

static enum status outcome(const struct task *t)
{
    return status_first(t->status, t->steps[0].status);
}

/* --- first touch -------------------------------------------------------------------------------------------------- */

enum status ledger_touch_msr(struct platform *p, uint32_t msr, enum ledger_kind kind)
{
    struct ledger *l = p->ledger;
    struct ledger_entry *e;

    if (!l || ledger_find_msr(l, msr))
        return ST_OK;
    e = ledger_append(l, (struct ledger_entry){
                             .space = LEDGER_MSR, .kind = kind, .address = msr, .width = 8, .n_values = p->n_cpus });
    if (!e)
        return ST_NO_MEMORY;
    uint32_t n = access_all(p, e, STEP_RDMSR, NULL);
    EACH(const struct task, t, l->tasks, n) {
        e->found[t->cpu] = t->steps[0].value;
        e->status[t->cpu] = (uint8_t)outcome(t);
    }
    return ST_OK;
}

static struct pci_address pci_of(const struct ledger_entry *e)
{
    return (struct pci_address){ .segment = (uint16_t)(e->address >> 32),
                                 .bus = (uint8_t)(e->address >> 20),
                                 .device = (uint8_t)(e->address >> 15 & 31),
                                 .function = (uint8_t)(e->address >> 12 & 7) };
}

static enum status ledger_read_one(struct platform *p, const struct ledger_entry *e, uint64_t *value)
{
    uint32_t narrow = 0;

    if (e->space == LEDGER_MMIO)
        return mmio_read(p, e->address, e->width, value);
    TRY(pci_read(p, pci_of(e), (uint32_t)(e->address & 0xFFF), e->width, &narrow));
    *value = narrow;
    return ST_OK;
}

/* Not through pci_write() and mmio_write(): those would count it as a write of Assay's. */
static void write_back(struct platform *p, const struct ledger_entry *e)
{
    if (e->space == LEDGER_MMIO) {
        (void)p->ops->mmio_write(p->machine, e->address, e->width, e->found[0]);
        p->counts.mmio++;
    } else {
        (void)p->ops->pci_write(p->machine, pci_of(e), (uint32_t)(e->address & 0xFFF), e->width, (uint32_t)e->found[0]);
        p->counts.pci++;
    }
}

/* The entry of a register outside the processors, made and filled on first touch. ST_NO_MEMORY: *found is NULL. */
static enum status entry_of(struct platform *p, enum ledger_space space, uint64_t address, uint32_t width,
                            enum ledger_kind kind, struct ledger_entry **found)
{
    struct ledger *l = p->ledger;
    struct ledger_entry *e = l ? find(l, space, address, width) : NULL;

    *found = e;
    if (!l || e)
        return ST_OK;
    e = ledger_append(
        l, (struct ledger_entry){ .space = space, .kind = kind, .address = address, .width = width, .n_values = 1 });
    if (!e)
        return ST_NO_MEMORY;
    e->status[0] = (uint8_t)ledger_read_one(p, e, &e->found[0]);
    *found = e;
    return ST_OK;
}

static uint64_t pci_key(struct pci_address at, uint32_t offset)
{
    return (uint64_t)at.segment << 32 | (uint64_t)at.bus << 20 | (uint64_t)at.device << 15 |
           (uint64_t)at.function << 12 | offset;
}

static enum status touch_one(struct platform *p, enum ledger_space space, uint64_t address, uint32_t width)
{
    struct ledger_entry *e = NULL;
    enum status st = entry_of(p, space, address, width, LEDGER_CONTROL, &e);

    if (e)
        e->writes++;
    return st;
}

enum status ledger_touch_pci(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width)
{
    return offset > 0xFFF ? ST_RANGE : touch_one(p, LEDGER_PCI, pci_key(at, offset), width);
}

enum status ledger_touch_mmio(struct platform *p, uint64_t address, uint32_t width)
{
    return touch_one(p, LEDGER_MMIO, address, width);
}

enum status ledger_expect_pci(struct platform *p, struct pci_address at, uint32_t offset, uint32_t width,
                              enum ledger_kind kind)
{
    struct ledger_entry *e;

    return offset > 0xFFF ? ST_RANGE : entry_of(p, LEDGER_PCI, pci_key(at, offset), width, kind, &e);
}

enum status ledger_expect_mmio(struct platform *p, uint64_t address, uint32_t width, enum ledger_kind kind)
{
    struct ledger_entry *e;

    return entry_of(p, LEDGER_MMIO, address, width, kind, &e);
}

enum status ledger_found_msr(struct ledger *l, uint32_t cpu, uint32_t msr, uint64_t *value)
{
    const struct ledger_entry *e = l ? ledger_find_msr(l, msr) : NULL;

    if (!e || cpu >= e->n_values)
        return ST_ABSENT;
    if (e->status[cpu] == ST_OK)
        *value = e->found[cpu];
    return (enum status)e->status[cpu];
}

enum status ledger_working_msr(struct ledger *l, uint32_t cpu, uint32_t msr, uint64_t *value)
{
    const struct ledger_entry *e = l ? ledger_find_msr(l, msr) : NULL;

    TRY(ledger_found_msr(l, cpu, msr, value));
    if (e->working)
        *value = e->working[cpu];
    return ST_OK;
}

enum status ledger_set_working_msr(struct ledger *l, uint32_t cpu, uint32_t msr, uint64_t value)
{
    struct ledger_entry *e = l ? ledger_find_msr(l, msr) : NULL;

    if (!e || cpu >= e->n_values)
        return ST_ABSENT;
    if (!e->working) {
        TRY_HEAP(e->working, e->n_values);
        memcpy(e->working, e->found, sizeof *e->working * e->n_values);
    }
    e->working[cpu] = value;
    return ST_OK;
}

/* --- putting back ------------------------------------------------------------------------------------------------- */

static bool was_read(const struct ledger_entry *e, uint32_t cpu)
{
    return e->status[cpu] == ST_OK;
}

static void restore_msr(struct platform *p, struct ledger_entry *e)
{
    struct ledger *l = p->ledger;
    uint32_t n = access_all(p, e, STEP_RDMSR, was_read), n_write = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t cpu = l->tasks[i].cpu;

        if (outcome(&l->tasks[i]) == ST_OK && l->steps[i].value == e->found[cpu])
            continue;
        if (!cpu_takes_work(p, cpu))
            continue;
        /* n_write <= i: what is overwritten here was looked at already */
        l->steps[n_write] = (struct step){
            .op = STEP_WRMSR, .reg = (uint32_t)e->address, .value = e->found[cpu], .status = ST_NOT_RUN
        };
        l->tasks[n_write] = (struct task){ .cpu = cpu, .n_steps = 1, .steps = &l->steps[n_write] };
        n_write++;
    }
    if (n_write == 0)
        return;
    (void)p->ops->run(p->machine, l->tasks, n_write, work_budget_ms(0)); /* what came of it is read again below */
    p->counts.runs++;
    p->counts.wrmsr += n_write;
}

static void restore_one(struct platform *p, struct ledger_entry *e)
{
    uint64_t now = 0;

    if (e->status[0] == ST_OK && (ledger_read_one(p, e, &now) != ST_OK || now != e->found[0]))
        write_back(p, e);
}

static void ledger_judge(struct ledger_entry *e, uint32_t cpu, enum status st, uint64_t value)
{
    enum status found = (enum status)e->status[cpu];

    if (found == st && (st != ST_OK || value == e->found[cpu])) {
        e->n_equal++;
        return;
    }
    if (st == ST_OK) {
        if (e->n_different++ == 0) {
            e->different_cpu = cpu;
            e->different_value = value;
        }
        return;
    }
    if (e->n_unread++ == 0)
        e->unread_cpu = cpu;
}

static void verify_msr(struct platform *p, struct ledger_entry *e)
{
    struct ledger *l = p->ledger;
    uint32_t n = access_all(p, e, STEP_RDMSR, NULL), i = 0;

    for (uint32_t cpu = 0; cpu < e->n_values; cpu++) {
        bool asked = i < n && l->tasks[i].cpu == cpu;
        enum status st = asked ? outcome(&l->tasks[i]) : ST_LOST;
        uint64_t value = asked ? l->steps[i].value : 0;

        i += asked;
        if (e->status[cpu] != ST_NOT_RUN) /* it was never started: nothing was read, and nothing written */
            ledger_judge(e, cpu, st, value);
    }
}

static void verify(struct platform *p, struct ledger_entry *e)
{
    e->n_equal = e->n_different = e->n_unread = 0;
    if (e->space == LEDGER_MSR) {
        verify_msr(p, e);
        return;
    }
    uint64_t value = 0;
    enum status st = ledger_read_one(p, e, &value);

    ledger_judge(e, 0, st, value);
}

/* The command register of a PCI function, which registers in its memory are reached by. */
static bool is_command(const struct ledger_entry *e)
{
    return e->space == LEDGER_PCI && (e->address & 0xFFF) == PCI_COMMAND;
}

/* st: of what was put back before. */
static enum status put_back(struct platform *p, bool commands, enum status st)
{
    struct ledger *l = p->ledger;

    for (uint32_t i = l->n_entries; i-- > 0;) {
        struct ledger_entry *e = &l->entries[i];

        if (e->kind == LEDGER_READONLY || is_command(e) != commands)
            continue;
        if (e->space == LEDGER_MSR)
            restore_msr(p, e);
        else
            restore_one(p, e);
    }
    /* Only now, because one register's way back may change another. */
    EACH(struct ledger_entry, e, l->entries, l->n_entries) {
        if (is_command(e) != commands)
            continue;
        verify(p, e);
        if (e->kind == LEDGER_CONTROL && e->n_different > 0)
            st = ST_CORRUPT;
        else if (e->writes > 0 && e->n_equal + e->n_different == 0 && e->n_unread > 0)
            st = status_first(st, ST_LOST);
    }
    return st;
}

enum status ledger_restore(struct platform *p)
{
    return p->ledger ? put_back(p, true, put_back(p, false, ST_OK)) : ST_OK;
}
