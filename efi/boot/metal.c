/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/boot/metal.h"

#include <string.h>

#include "arch/x86/cpu/machine_check.h"
#include "core/engine/startup.h"
#include "core/base/heap.h"
#include "core/base/stats.h"
#include "core/base/text.h"
#include "core/base/ticks.h"
#include "core/processors/dispatch.h"
#include "efi/firmware/heap.h"
#include "efi/firmware/memory.h"
#include "efi/firmware/mmio.h"
#include "efi/firmware/pci.h"
#include "efi/processors/pmi.h"
#include "efi/processors/sipi.h"
#include "efi/processors/ap_startup.h"
#include "efi/processors/mp_selftest.h"
#include "efi/firmware/shell.h"
#include "efi/firmware/tsc.h"

#define TSC_HZ_PROVISIONAL UINT64_C(20000000000)
#define ASLEEP_NS          200000u /* after that a worker sleeps */
#define COST_ROUNDS        31u
#define ITEMS              6u /* of a processor: IDTR, CR4, XCR0, LVT PC, APIC SVR, APIC ICR high */

static struct metal {
    EFI_SYSTEM_TABLE *st;
    EFI_HANDLE image;
    struct platform *platform;
    const struct metal_config *config;
    struct processors processors;
    struct cpu_slot alone; /* the list before metal_run() */
    struct worker *alone_table;
    struct acpi_info acpi;
    struct metal_info info;
    struct mp_selftest *selftest; /* NULL: not tried */
    EFI_TPL tpl;
    uint64_t utc_base_ns, tsc_base;
    bool open, ran, crashed;
    struct restored_item *items; /* ITEMS a processor at most */
    uint32_t n_items;
} metal;

/* The boot processor's: it is in use before there is a list. Aligned by its own type. */
static struct processor boot;

/* --- the platform's operations ------------------------------------------------------------------------------------ */

static enum status op_run(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    struct metal *m = machine;

    return workers_run(&m->processors.workers, tasks, n_tasks, budget_ms);
}

static enum status op_pci_read(void *, struct pci_address at, uint32_t offset, uint32_t width, uint32_t *value)
{
    return pci_config_read(at, offset, width, value);
}

static enum status op_pci_write(void *, struct pci_address at, uint32_t offset, uint32_t width, uint32_t value)
{
    return pci_config_write(at, offset, width, value);
}

static enum status op_mmio_read(void *, uint64_t address, uint32_t width, uint64_t *value)
{
    return mmio_load(address, width, value);
}

static enum status op_mmio_write(void *, uint64_t address, uint32_t width, uint64_t value)
{
    return mmio_store(address, width, value);
}

/* A non-canonical address raises #GP instead of #PF; to the caller both say that nothing is there. */
static enum status op_phys_read(void *, uint64_t address, void *buffer, size_t bytes)
{
    return insn_copy(buffer, address, bytes) == ST_OK ? ST_OK : ST_PAGE_FAULT;
}

static enum status op_alloc(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    struct metal *m = machine;

    return memory_take(m->st, lo, hi, bytes, address);
}

static uint64_t op_largest_free(void *machine, uint64_t lo, uint64_t hi)
{
    struct metal *m = machine;

    return memory_largest(m->st, lo, hi);
}

static uint64_t op_tsc(void *)
{
    return insn_rdtsc();
}

static uint64_t op_utc_ns(void *machine)
{
    const struct metal *m = machine;

    if (m->utc_base_ns == 0)
        return 0;
    return m->utc_base_ns + ticks_to_ns(insn_rdtsc() - m->tsc_base, m->platform->tsc_hz);
}

static void op_stall(void *machine, uint64_t ns)
{
    const struct metal *m = machine;

    insn_spin(ticks_from_ns(ns, m->platform->tsc_hz));
}

static const struct mp_selftest *op_mp_selftest(void *machine)
{
    const struct metal *m = machine;

    return m->selftest;
}

/* Counted by the processors' handlers, also while they work. */
static uint32_t op_machine_checks(void *machine, char *text, size_t size)
{
    const struct metal *m = machine;
    const struct vectors *latest = NULL;
    uint32_t n = 0, cpu = 0;

    for (uint32_t i = 0; i < m->processors.workers.n; i++) {
        const struct vectors *v = &processor_of(m->processors.workers.worker[i])->vectors;
        uint32_t own = __atomic_load_n(&v->machine_checks, __ATOMIC_ACQUIRE);

        n += own;
        if (own > 0 && (!latest || v->machine_check_tsc > latest->machine_check_tsc)) {
            latest = v;
            cpu = i;
        }
    }
    if (latest)
        text_format(text, size, "cpu %u: bank %u, %s error, status 0x%lx, address 0x%lx, MCG_STATUS 0x%lx", cpu,
                    latest->bank, machine_check_kind(latest->bank_status), latest->bank_status, latest->bank_address,
                    latest->mcg_status);
    return n;
}

static const struct platform_ops metal_ops = {
    .run = op_run,
    .pci_read = op_pci_read,
    .pci_write = op_pci_write,
    .mmio_read = op_mmio_read,
    .mmio_write = op_mmio_write,
    .phys_read = op_phys_read,
    .alloc = op_alloc,
    .largest_free = op_largest_free,
    .tsc = op_tsc,
    .utc_ns = op_utc_ns,
    .stall = op_stall,
    .mp_selftest = op_mp_selftest,
    .machine_checks = op_machine_checks,
};

/* --- open --------------------------------------------------------------------------------------------------------- */

static uint64_t table_address(EFI_SYSTEM_TABLE *st, const EFI_GUID *guid)
{
    for (UINTN i = 0; i < st->NumberOfTableEntries; i++)
        if (memcmp(&st->ConfigurationTable[i].VendorGuid, guid, sizeof *guid) == 0)
            return (uint64_t)(uintptr_t)st->ConfigurationTable[i].VendorTable;
    return 0;
}

static uint64_t first_address(EFI_SYSTEM_TABLE *st, const EFI_GUID *better, const EFI_GUID *older)
{
    uint64_t at = table_address(st, better);

    return at ? at : table_address(st, older);
}

/* The clock at the moment of `tsc_base`, 0: not set. Local time = UTC - TimeZone: UEFI specification 2.10, 8.3 GetTime().
 */
static uint64_t clock_ns(EFI_SYSTEM_TABLE *st)
{
    struct calendar c;
    int16_t zone;

    return metal_calendar(st, &c, &zone) ? calendar_clock_ns(&c, zone) : 0;
}

bool metal_calendar(EFI_SYSTEM_TABLE *st, struct calendar *c, int16_t *zone)
{
    EFI_TIME t;

    memset(&t, 0, sizeof t);
    if (EFI_ERROR(st->RuntimeServices->GetTime(&t, NULL)))
        return false;
    *c = (struct calendar){ t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second };
    *zone = t.TimeZone;
    return true;
}

/* The list has the boot processor alone. */
static void metal_init(struct metal *m, struct platform *p, EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    memset(m, 0, sizeof *m);
    memset(&boot, 0, sizeof boot);
    m->st = system;
    m->platform = p;
    m->image = image;
    m->alone = (struct cpu_slot){ .apic_id = processors_my_apic_id(),
                                  .flags = CPU_BSP | CPU_ENABLED | CPU_HEALTHY | CPU_STARTED };
    m->alone_table = &boot.worker;
    boot.worker.apic_id = m->alone.apic_id;
    boot.worker.ops = &processors_ops;
    boot.worker.machine = &m->processors;
    m->processors =
        (struct processors){ .st = system,
                             .workers = { .platform = p, .boot = &boot.worker, .n = 1, .worker = &m->alone_table } };
}

static void metal_init_platform(struct platform *p, struct metal *m)
{
    static const EFI_GUID acpi2 = ACPI_20_TABLE_GUID, acpi1 = ACPI_TABLE_GUID;
    static const EFI_GUID smbios3 = SMBIOS3_TABLE_GUID, smbios2 = SMBIOS_TABLE_GUID;

    *p = (struct platform){ .ops = &metal_ops,
                            .machine = m,
                            .n_cpus = 1,
                            .cpus = &m->alone,
                            .tsc_hz = TSC_HZ_PROVISIONAL,
                            .mp_method = "boot processor alone",
                            .rsdp = first_address(m->st, &acpi2, &acpi1),
                            .smbios = first_address(m->st, &smbios3, &smbios2) };
}

static void drop_windows(void *context, uint64_t base, uint64_t bytes)
{
    (void)acpi_drop_windows(context, base, bytes);
}

void metal_drop_windows(struct acpi_info *acpi)
{
    memory_each(metal.st, acpi, drop_windows);
}

enum status metal_open(struct platform *p, EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    struct metal *m = &metal;
    enum status st;

    heap_init(system);
    metal_init(m, p, image, system);
    metal_init_platform(p, m);
    shell_watchdog_disarm(system);
    vectors_install(&boot.vectors, true);
    boot.found_cr4 = insn_read_cr4();
    boot.has_xcr0 = insn_xgetbv(0, &boot.found_xcr0) == ST_OK;
    m->open = true;
    st = acpi_read(p, &m->acpi);
    if (st != ST_OK) {
        metal_close(false);
        return st;
    }
    metal_drop_windows(&m->acpi);
    pci_set_mcfg(m->acpi.mcfg, m->acpi.n_mcfg);
    p->tsc_hz = tsc_rate(system, p, &m->acpi, &p->tsc_source);
    m->utc_base_ns = clock_ns(system);
    m->tsc_base = insn_rdtsc();
    m->info.method = p->mp_method;
    return ST_OK;
}

void metal_own_memory(void *context, void (*take)(void *context, const char *name, uint64_t base, uint64_t bytes))
{
    const struct processors *ps = &metal.processors;
    uint64_t page = sipi_page();

    if (ps->stacks)
        take(context, "processors' stacks", (uintptr_t)ps->stacks, (uint64_t)ps->n_stacks * WORKER_STACK);
    if (page)
        take(context, "start page", page, 1);
}

const struct metal_info *metal_info(void)
{
    return &metal.info;
}

const struct acpi_info *metal_acpi(void)
{
    return &metal.acpi;
}

void metal_last_steps(char *out, size_t size)
{
    workers_last_steps(&metal.processors.workers, out, size);
}

/* --- run ---------------------------------------------------------------------------------------------------------- */

/* Returns how many are used, without the boot processor. */
static uint32_t choose_aps(struct metal *m)
{
    const struct metal_config *c = m->config;
    const struct workers *ws = &m->processors.workers;
    uint32_t n = 0;

    for (uint32_t i = 0; i < ws->n; i++) {
        if (ws->worker[i] == ws->boot)
            continue;
        ws->worker[i]->takes_part =
            startup_takes_part(m->platform->cpus[i].flags, c->mp, !c->takes_part || c->takes_part(c->context, i));
        n += ws->worker[i]->takes_part;
    }
    return n;
}

/* An empty task there and back, each time after pause_ns: the median. 0: one did not come back. */
static uint64_t round_trip(struct metal *m, uint32_t cpu, uint64_t pause_ns)
{
    double took[COST_ROUNDS]; /* TSC ticks of one task: far below 2^53 */

    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        struct task task = { .cpu = cpu, .status = ST_NOT_RUN };
        uint64_t begin;

        op_stall(m, pause_ns);
        begin = insn_rdtsc();
        if (workers_run(&m->processors.workers, &task, 1, work_budget_ms(0)) != ST_OK)
            return 0;
        took[i] = (double)(insn_rdtsc() - begin);
    }
    stats_sort(took, COST_ROUNDS);
    return (uint64_t)stats_sorted_median(took, COST_ROUNDS);
}

static void measure_dispatch(struct metal *m)
{
    uint32_t cpu = INDEX_OF(i, m->processors.workers.n, i != m->platform->bsp && cpu_takes_work(m->platform, i));

    if (cpu == m->processors.workers.n)
        return;
    m->info.dispatch_tsc = round_trip(m, cpu, 0);
    m->info.wake_tsc = round_trip(m, cpu, ASLEEP_NS);
}

static void call_work(void *context)
{
    struct metal *m = context;

    m->config->work(m->config->context);
}

static void call_off(void *context)
{
    struct metal *m = context;

    m->config->called_off(m->config->context);
}

static void tell_crash(struct metal *m)
{
    char frame[448], text[512];

    vectors_describe(&boot.vectors, frame, sizeof frame);
    text_format(text, sizeof text, "boot processor, cpu %u (APIC 0x%x): %s", boot.worker.cpu, boot.worker.apic_id,
                frame);
    if (m->config->exception)
        m->config->exception(m->config->context, text);
}

/* Whether an exception ended it. */
static bool broke_off(struct metal *m, void (*function)(void *), EFI_TPL tpl)
{
    EFI_BOOT_SERVICES *bs = m->st->BootServices;

    if (catch_base(&boot.vectors, function, m) == ST_OK)
        return false;
    (void)bs->RaiseTPL(TPL_HIGH_LEVEL); /* the exception may have come from code that had raised it */
    bs->RestoreTPL(tpl);
    tell_crash(m);
    boot.vectors.crashed = 0;
    return true;
}

/* With the processors there: the work, and whatever it did, the way back. */
static void metal_run_work(void *context)
{
    struct metal *m = context;
    EFI_BOOT_SERVICES *bs = m->st->BootServices;
    EFI_TPL tpl = bs->RaiseTPL(TPL_HIGH_LEVEL); /* reads it: TPL_CALLBACK where firmware's call blocks */

    bs->RestoreTPL(tpl);
    m->platform->mp_method = m->info.method;
    measure_dispatch(m);
    if (broke_off(m, call_work, tpl)) {
        m->crashed = true;
        m->platform->gather = NULL; /* of a check that measured several L3s at once, on a stack that is gone */
        workers_call_off(&m->processors.workers);
        if (m->config->called_off)
            (void)broke_off(m, call_off, tpl);
    }
    metal_stop(NULL, NULL);
}

static EFI_MP_SERVICES_PROTOCOL *find_mp(EFI_SYSTEM_TABLE *st)
{
    EFI_GUID guid = EFI_MP_SERVICES_PROTOCOL_GUID;
    VOID *mp = NULL;

    return EFI_ERROR(st->BootServices->LocateProtocol(&guid, NULL, &mp)) ? NULL : mp;
}

/* After metal_stop(): the processors are firmware's again, which may be asked to start them. */
static void try_mp_services(struct metal *m)
{
    const struct metal_config *c = m->config;

    if (!m->processors.mp || c->mp == MP_BSP || !c->wants_mp_selftest || !c->wants_mp_selftest(c->context))
        return;
    vectors_install(&boot.vectors, true);
    m->selftest = mp_selftest(&m->processors);
    vectors_remove(&boot.vectors);
}

enum status metal_run(struct platform *, const struct metal_config *config)
{
    struct metal *m = &metal;
    EFI_BOOT_SERVICES *bs = m->st->BootServices;
    struct ap_startup s = { .ps = &m->processors,
                            .choice = config->mp,
                            .work = metal_run_work,
                            .context = m,
                            .method = &m->info.method,
                            .why = m->info.why,
                            .why_size = sizeof m->info.why };
    enum status st;

    if (m->ran || !m->open)
        return ST_RANGE;
    m->ran = true;
    m->config = config;
    m->processors.workers.exception = config->exception;
    m->processors.workers.lost = config->lost;
    m->processors.workers.context = config->context;
    s.tpl = bs->RaiseTPL(TPL_HIGH_LEVEL);
    bs->RestoreTPL(s.tpl);

    m->processors.mp = find_mp(m->st);
    if (config->mp == MP_SIPI)
        m->processors.mp = NULL; /* its list may hold what the MADT does not, and we would be in each other's way */
    st = processors_enumerate(&m->processors, &m->acpi);
    if (st != ST_NO_MEMORY) { /* what certifies their state, before there is any to certify */
        m->items = heap_alloc((size_t)m->processors.workers.n * ITEMS * sizeof *m->items);
        st = m->items ? st : ST_NO_MEMORY;
    }
    if (st == ST_NO_MEMORY)
        return st;
    if (st != ST_OK)
        text_format(m->info.why, sizeof m->info.why, "%s",
                    m->processors.mp ? "firmware's list of processors is inconsistent: -mp sipi takes that of the MADT"
                                     : "the MADT's list of processors is inconsistent");
    s.others = choose_aps(m);
    m->info.this_ap_tsc = s.others ? ap_startup_cost_of_this_ap(&m->processors) : 0;
    st = ap_startup(&s);
    metal_stop(NULL, NULL);
    if (m->info.events.unreturned)
        st = ST_LOST;
    if (st == ST_OK && !m->crashed)
        try_mp_services(m);
    if (config->last && !m->crashed)
        config->last(config->context);
    return m->crashed ? status_first(st, ST_FAULT) : st;
}

/* --- stop and close ----------------------------------------------------------------------------------------------- */

static void add_item(struct metal *m, const char *name, uint32_t cpu, uint64_t found, uint64_t left)
{
    m->items[m->n_items++] = (struct restored_item){ name, cpu, found, left };
}

static void certify(struct metal *m)
{
    for (uint32_t i = 0; i < m->processors.workers.n && m->items; i++) { /* none: no processor was driven */
        const struct worker *w = m->processors.workers.worker[i];
        const struct processor *c = processor_of(w);
        const struct vectors *v = &c->vectors;

        if (w != &boot.worker && worker_state(w) != WORKER_LEFT)
            continue;
        /* A limit that differs is shown as a base that does. */
        add_item(m, "IDTR", i, v->found.base, v->left.limit == v->found.limit ? v->left.base : ~v->left.base);
        add_item(m, "CR4", i, c->found_cr4, c->left_cr4);
        if (c->has_xcr0)
            add_item(m, "XCR0", i, c->found_xcr0, c->left_xcr0);
        if (v->pmi.used) {
            add_item(m, "LVT PC", i, v->pmi.lvt_found, v->pmi.lvt_left);
            add_item(m, "APIC SVR", i, v->pmi.svr_found, v->pmi.svr_left);
        }
        if (v->pmi.sent)
            add_item(m, "APIC ICR high", i, v->pmi.icr_found, v->pmi.icr_left);
    }
}

static void count_events(struct metal *m)
{
    for (uint32_t i = 0; i < m->processors.workers.n; i++) {
        const struct worker *w = m->processors.workers.worker[i];
        const struct processor *c = processor_of(w);
        const struct vectors *v = &c->vectors;

        m->info.events.nmis += v->nmis > w->nmis_sent ? v->nmis - w->nmis_sent : 0; /* without those that we sent */
    }
    m->info.events.machine_checks =
        op_machine_checks(m, m->info.events.machine_check, sizeof m->info.events.machine_check);
    m->info.events.reset = m->processors.workers.reset;
    m->info.events.unreturned = m->processors.workers.unreturned;
    m->info.events.stack_guard_hits = m->processors.stack_guard_hits;
}

void metal_stop(const struct restored_item **items, uint32_t *n_items)
{
    struct metal *m = &metal;

    if (m->open && !m->processors.workers.stopped) {
        processors_stop(&m->processors);
        boot.left_cr4 = insn_read_cr4();
        if (boot.has_xcr0 && insn_xgetbv(0, &boot.left_xcr0) != ST_OK)
            boot.left_xcr0 = ~boot.found_xcr0;
        pmi_abandon(&boot.vectors);
        vectors_remove(&boot.vectors);
        certify(m);
        count_events(m);
    }
    if (items)
        *items = m->items;
    if (n_items)
        *n_items = m->n_items;
}

void metal_close(bool free_memory)
{
    struct metal *m = &metal;

    if (!m->open)
        return;
    metal_stop(NULL, NULL);
    mmio_unmap_all(m->st);
    heap_free(m->items);
    mp_selftest_free(m->selftest);
    m->selftest = NULL;
    m->items = NULL;
    m->n_items = 0;
    if (free_memory) {
        memory_give_back(m->st);
        processors_free(&m->processors);
        m->platform->n_cpus = 0;
    }
    shell_watchdog_restore(m->st, m->image);
    m->open = false;
}
