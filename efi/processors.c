#include "efi/processors.h"

#include <string.h>

#include "arch/x86/kernels.h"
#include "core/bits.h"
#include "core/heap.h"
#include "core/text.h"
#include "efi/apic.h"

#define CR4_OSXSAVE BIT(18)

#define GRACE_MS       1000u /* for the others, once a deadline has passed */
#define SPIN_US        50u
#define LEAVE_MS       5000u
#define STACK_PATTERN  0xA5u
#define WORKER_RUNS_ON "step %u of %u (%s)"

static const char *const op_names[] = { "CPUID", "RDMSR", "WRMSR", "WBINVD", "SPIN", "WORK", "BARRIER" };

static uint64_t ticks(const struct processors *ps, uint64_t ms)
{
    return ps->platform->tsc_hz / 1000 * ms;
}

/* --- a task, on the processor that does it ---------------------------------------------------------------------------
 */

struct work_call {
    struct work *work;
    enum status status;
};

static void call_kernel(void *argument)
{
    struct work_call *call = argument;

    call->status = kernel_run(call->work);
}

static enum status step_work(struct vectors *v, struct work *work)
{
    struct work_call call = { work, ST_RANGE };
    enum status caught;

    if (!work)
        return ST_RANGE;
    caught = catch_work(v, call_kernel, &call);
    return caught != ST_OK ? caught : call.status;
}

static void step_spin(uint64_t for_ticks)
{
    uint64_t begin = insn_rdtsc();

    while (insn_rdtsc() - begin < for_ticks)
        insn_pause();
}

static bool is_abandoned(const struct run *run)
{
    return __atomic_load_n(&run->abandoned, __ATOMIC_ACQUIRE) != 0;
}

static void barrier_arrive(struct run *run, uint32_t rank)
{
    __atomic_add_fetch(&run->barriers[rank].arrived, 1, __ATOMIC_ACQ_REL);
}

/* deadline 0: whoever has one abandons the run. */
static enum status barrier_wait(struct run *run, uint32_t rank, uint64_t deadline)
{
    struct barrier *b = &run->barriers[rank];

    while (__atomic_load_n(&b->arrived, __ATOMIC_ACQUIRE) < b->expected) {
        if (is_abandoned(run))
            return ST_TIMEOUT;
        if (deadline && (int64_t)(insn_rdtsc() - deadline) > 0)
            __atomic_store_n(&run->abandoned, 1, __ATOMIC_RELEASE);
        insn_pause();
    }
    return ST_OK;
}

static enum status step_do(struct worker *w, struct step *s, struct run *run, uint32_t rank, uint64_t deadline)
{
    switch (s->op) {
    case STEP_CPUID:
        insn_cpuid(s->reg, s->subleaf, &s->regs);
        return ST_OK;
    case STEP_RDMSR:
        return insn_rdmsr(s->reg, &s->value);
    case STEP_WRMSR:
        return insn_wrmsr(s->reg, s->value);
    case STEP_WBINVD:
        insn_wbinvd();
        return ST_OK;
    case STEP_SPIN:
        if (is_abandoned(run))
            return ST_NOT_RUN;
        step_spin(s->value);
        return ST_OK;
    case STEP_WORK:
        if (is_abandoned(run))
            return ST_NOT_RUN;
        return step_work(&w->vectors, s->work);
    case STEP_BARRIER:
        barrier_arrive(run, rank);
        return barrier_wait(run, rank, deadline);
    }
    return ST_RANGE;
}

/* All steps in order. After a failed `must` the rest is not run, but its barriers are still passed, so that the others
 * need not wait for somebody who gave up. Once the run is abandoned only registers are still written: what stands at
 * the end of a task puts things back. */
static void task_do(struct worker *w, struct step *steps, uint32_t n, struct run *run, uint64_t deadline)
{
    uint32_t rank = 0;
    bool broken = false;

    w->status = ST_OK;
    w->stopped_at = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct step *s = &steps[i];

        __atomic_store_n(&w->at, i, __ATOMIC_RELEASE);
        if (broken) {
            s->status = ST_NOT_RUN;
            if (s->op == STEP_BARRIER)
                barrier_arrive(run, rank);
        } else {
            s->status = step_do(w, s, run, rank, deadline);
            s->tsc = insn_rdtsc();
            broken = s->must && s->status != ST_OK;
            if (s->op == STEP_BARRIER && s->status != ST_OK && w->status == ST_OK) {
                w->status = s->status;
                w->stopped_at = i;
            }
        }
        rank += s->op == STEP_BARRIER;
    }
}

/* --- a worker
 * --------------------------------------------------------------------------------------------------------- */

uint32_t processors_my_apic_id(void)
{
    struct cpuid_regs r;
    uint32_t max;

    insn_cpuid(0, 0, &r);
    max = r.eax;
    /* SDM vol. 2A CPUID: EDX of leaf 1FH or 0BH is the x2APIC id wherever the leaf has a level at all. */
    for (uint32_t leaf = 0x1F; leaf >= 0xB; leaf -= 0x14) {
        if (leaf > max)
            continue;
        insn_cpuid(leaf, 0, &r);
        if (r.ebx != 0)
            return r.edx;
    }
    insn_cpuid(1, 0, &r);
    return r.ebx >> 24;
}

static struct worker *find_me(struct processors *ps)
{
    uint32_t id = processors_my_apic_id(), lo = 0, hi = ps->n;
    UINTN number = 0;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (ps->worker[mid]->apic_id == id)
            return ps->worker[mid];
        if (ps->worker[mid]->apic_id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    /* The only service that a processor may call which is not the boot processor. */
    if (ps->mp && !EFI_ERROR(ps->mp->WhoAmI(ps->mp, &number)))
        for (uint32_t i = 0; i < ps->n; i++)
            if (ps->worker[i]->number == number && ps->worker[i] != ps->bsp)
                return ps->worker[i];
    return NULL;
}

/* What the boot processor posts next. */
static uint64_t wait_for_post(struct worker *w, uint64_t seen)
{
    uint64_t begin = insn_rdtsc(), posted;

    while ((posted = __atomic_load_n(&w->posted, __ATOMIC_ACQUIRE)) == seen) {
        uint32_t nmis = __atomic_load_n(&w->vectors.nmis, __ATOMIC_RELAXED);

        insn_pause();
        if (w->spin_ticks == 0 || insn_rdtsc() - begin < w->spin_ticks)
            continue;
        /* Sequentially consistent on both sides: either we see the post, or the boot processor sees us asleep. */
        __atomic_store_n(&w->asleep, WORKER_ASLEEP, __ATOMIC_SEQ_CST);
        worker_sleep(&w->posted, seen);
        if (__atomic_exchange_n(&w->asleep, WORKER_AWAKE, __ATOMIC_SEQ_CST) != WORKER_CALLED)
            continue;
        while (__atomic_load_n(&w->vectors.nmis, __ATOMIC_RELAXED) == nmis)
            insn_pause();
    }
    return posted;
}

/* Until it is sent home. */
static void worker_loop(void *argument)
{
    struct worker *w = argument;
    uint64_t seen = 0, posted;

    for (;;) {
        posted = wait_for_post(w, seen);
        if (posted == WORKER_LEAVE)
            return;
        seen = posted;
        task_do(w, w->steps, w->n_steps, w->run, 0);
        __atomic_store_n(&w->done, seen, __ATOMIC_RELEASE);
    }
}

static void note_state(uint64_t *cr4, uint64_t *xcr0, bool *has_xcr0)
{
    *cr4 = insn_read_cr4();
    *has_xcr0 = (*cr4 & CR4_OSXSAVE) && insn_xgetbv(0, xcr0) == ST_OK;
}

void worker_main(struct processors *ps)
{
    struct worker *w = find_me(ps);
    bool has_xcr0;

    if (!w) {
        __atomic_add_fetch(&ps->strangers, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!w->takes_part || __atomic_load_n(&w->posted, __ATOMIC_ACQUIRE) == WORKER_LEAVE || w->state != WORKER_ABSENT)
        return;
    vectors_install(&w->vectors, !w->own_start);
    note_state(&w->found_cr4, &w->found_xcr0, &w->has_xcr0);
    __atomic_store_n(&w->state, WORKER_ARRIVED, __ATOMIC_RELEASE);

    /* After an unexpected exception it is parked here, and still leaves in good order. */
    if (catch_base(&w->vectors, worker_loop, w) != ST_OK)
        (void)wait_for_post(w, __atomic_load_n(&w->posted, __ATOMIC_ACQUIRE));

    note_state(&w->left_cr4, &w->left_xcr0, &has_xcr0);
    vectors_remove(&w->vectors);
    __atomic_store_n(&w->state, WORKER_LEFT, __ATOMIC_RELEASE);
}

/* --- the list of processors
 * ------------------------------------------------------------------------------------------- */

struct listed {
    uint32_t apic_id, flags;
    UINTN number;
};

static enum status list_firmware(struct processors *ps, struct listed **out, uint32_t *n)
{
    UINTN all = 0, enabled = 0;
    struct listed *list;

    if (EFI_ERROR(ps->mp->GetNumberOfProcessors(ps->mp, &all, &enabled)) || all == 0 || all > 65536)
        return ST_CORRUPT;
    list = heap_alloc(all * sizeof *list);
    if (!list)
        return ST_NO_MEMORY;
    for (UINTN i = 0; i < all; i++) {
        EFI_PROCESSOR_INFORMATION info;

        memset(&info, 0, sizeof info);
        if (EFI_ERROR(ps->mp->GetProcessorInfo(ps->mp, i, &info))) {
            heap_free(list);
            return ST_CORRUPT;
        }
        list[i].apic_id = (uint32_t)info.ProcessorId;
        list[i].number = i;
        list[i].flags = (info.StatusFlag & PROCESSOR_AS_BSP_BIT ? (uint32_t)CPU_BSP : 0) |
                        (info.StatusFlag & PROCESSOR_ENABLED_BIT ? (uint32_t)CPU_ENABLED : 0) |
                        (info.StatusFlag & PROCESSOR_HEALTH_STATUS_BIT ? (uint32_t)CPU_HEALTHY : 0);
    }
    *out = list;
    *n = (uint32_t)all;
    return ST_OK;
}

static enum status list_madt(const struct acpi_info *acpi, struct listed **out, uint32_t *n)
{
    struct listed *list = heap_alloc(((size_t)acpi->n_cpus + 1) * sizeof *list);
    uint32_t me = processors_my_apic_id(), k = 0;
    bool found = false;

    if (!list)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < acpi->n_cpus; i++) {
        if (!(acpi->cpus[i].flags & BIT(0))) /* Enabled. What is only "online capable" may not be there at all. */
            continue;
        list[k].apic_id = acpi->cpus[i].apic_id;
        list[k].flags = CPU_ENABLED | CPU_HEALTHY;
        if (list[k].apic_id == me) {
            list[k].flags |= CPU_BSP;
            found = true;
        }
        k++;
    }
    if (!found)
        list[k++] = (struct listed){ me, CPU_ENABLED | CPU_HEALTHY | CPU_BSP, 0 };
    *out = list;
    *n = k;
    return ST_OK;
}

/* Firmware sorts by APIC id, so that this has next to nothing to do. */
static void sort(struct listed *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        struct listed x = list[i];
        uint32_t k = i;

        for (; k > 0 && list[k - 1].apic_id > x.apic_id; k--)
            list[k] = list[k - 1];
        list[k] = x;
    }
}

static bool contradicts(const struct listed *list, uint32_t n)
{
    uint32_t boot = 0;

    for (uint32_t i = 0; i < n; i++) {
        boot += (list[i].flags & CPU_BSP) != 0;
        if (i > 0 && list[i].apic_id == list[i - 1].apic_id)
            return true;
    }
    return boot != 1;
}

static void *pages(struct processors *ps, uint64_t bytes)
{
    EFI_PHYSICAL_ADDRESS at = 0;

    if (EFI_ERROR(ps->st->BootServices->AllocatePages(AllocateAnyPages, EfiLoaderData, (bytes + 4095) / 4096, &at)))
        return NULL;
    memset((void *)(uintptr_t)at, 0, bytes);
    return (void *)(uintptr_t)at;
}

static enum status adopt(struct processors *ps, const struct listed *list, uint32_t n)
{
    struct platform *p = ps->platform;
    struct cpu_slot *cpus = heap_alloc(n * sizeof *cpus);
    struct worker **table = heap_alloc(n * sizeof(struct worker *));
    struct worker *others = n > 1 ? pages(ps, (n - 1) * sizeof *others) : NULL;

    if (!cpus || !table || (n > 1 && !others)) {
        heap_free(cpus);
        heap_free(table);
        return ST_NO_MEMORY;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct worker *w = list[i].flags & CPU_BSP ? ps->bsp : others++;

        cpus[i] = (struct cpu_slot){ list[i].apic_id, list[i].flags };
        w->cpu = i;
        w->apic_id = list[i].apic_id;
        w->number = list[i].number;
        table[i] = w;
        if (w == ps->bsp) {
            p->bsp = i;
            cpus[i].flags |= CPU_STARTED;
        }
    }
    p->cpus = cpus;
    p->n_cpus = n;
    ps->worker = table;
    ps->n = n;
    return ST_OK;
}

enum status processors_enumerate(struct processors *ps, const struct acpi_info *acpi)
{
    struct listed alone = { processors_my_apic_id(), CPU_BSP | CPU_ENABLED | CPU_HEALTHY, 0 };
    struct listed *list = NULL;
    uint32_t n = 0;
    enum status st = ps->mp ? list_firmware(ps, &list, &n) : list_madt(acpi, &list, &n);

    if (st == ST_OK) {
        sort(list, n);
        st = contradicts(list, n) ? ST_CORRUPT : adopt(ps, list, n);
    }
    heap_free(list);
    if (st == ST_CORRUPT && adopt(ps, &alone, 1) != ST_OK)
        st = ST_NO_MEMORY;
    return st;
}

enum status processors_prepare(struct processors *ps, uint32_t n)
{
    ps->stacks = pages(ps, (uint64_t)n * WORKER_STACK);
    if (!ps->stacks)
        return ST_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        memset(ps->stacks + (size_t)i * WORKER_STACK, STACK_PATTERN, WORKER_STACK_GUARD);
    ps->n_stacks = n;
    ps->can_call = apic_find(ps->worker[ps->n - 1]->apic_id) == ST_OK;
    for (uint32_t i = 0; i < ps->n; i++)
        ps->worker[i]->spin_ticks = ps->can_call ? ps->platform->tsc_hz / 1000000 * SPIN_US + 1 : 0;
    return ST_OK;
}

/* --- driving them
 * ------------------------------------------------------------------------------------------------------ */

static enum worker_state state_of(const struct worker *w)
{
    return (enum worker_state)__atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
}

static uint32_t count_state(const struct processors *ps, enum worker_state state)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ps->n; i++)
        n += ps->worker[i]->takes_part && state_of(ps->worker[i]) == state;
    return n;
}

bool processors_any_arrived(const struct processors *ps)
{
    return count_state(ps, WORKER_ARRIVED) > 0;
}

uint32_t processors_wait(struct processors *ps, uint64_t ms)
{
    uint64_t begin = insn_rdtsc();
    uint32_t n = 0;

    while (count_state(ps, WORKER_ABSENT) > 0 && insn_rdtsc() - begin < ticks(ps, ms))
        insn_pause();
    for (uint32_t i = 0; i < ps->n; i++) {
        if (ps->worker[i]->takes_part && state_of(ps->worker[i]) == WORKER_ARRIVED) {
            ps->platform->cpus[i].flags |= CPU_STARTED;
            n++;
        }
    }
    return n;
}

/* Put a number into the mailbox, and wake its owner. */
static void post(struct processors *ps, struct worker *w, uint64_t number)
{
    uint32_t expected = WORKER_ASLEEP;

    __atomic_store_n(&w->posted, number, __ATOMIC_SEQ_CST);
    if (!ps->can_call ||
        !__atomic_compare_exchange_n(&w->asleep, &expected, WORKER_CALLED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    w->calls++;
    if (apic_send_nmi(w->apic_id) != ST_OK) /* it will be told as one that does not answer */
        ps->can_call = false;
}

/* At least `n` elements of `size` bytes; what was in there is gone. */
static enum status grow(void **array, uint32_t *capacity, uint32_t n, size_t size)
{
    void *bigger;

    if (n <= *capacity)
        return ST_OK;
    bigger = heap_alloc((size_t)n * size);
    if (!bigger)
        return ST_NO_MEMORY;
    heap_free(*array);
    *array = bigger;
    *capacity = n;
    return ST_OK;
}

static enum status copy_in(struct worker *w, const struct task *task)
{
    uint32_t n_works = 0;
    enum status st = grow((void **)&w->steps, &w->steps_capacity, task->n_steps, sizeof *w->steps);

    for (uint32_t i = 0; i < task->n_steps; i++)
        n_works += task->steps[i].op == STEP_WORK && task->steps[i].work;
    if (st == ST_OK)
        st = grow((void **)&w->works, &w->works_capacity, n_works, sizeof *w->works);
    if (st != ST_OK)
        return st;
    n_works = 0;
    for (uint32_t i = 0; i < task->n_steps; i++) {
        w->steps[i] = task->steps[i];
        if (task->steps[i].op != STEP_WORK || !task->steps[i].work)
            continue;
        w->works[n_works] = *task->steps[i].work;
        w->steps[i].work = &w->works[n_works++];
    }
    w->n_steps = task->n_steps;
    return ST_OK;
}

/* The first n steps. */
static void copy_out(const struct worker *w, struct task *task, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct work *work = task->steps[i].work;

        if (task->steps[i].op == STEP_WORK && work)
            *work = *w->steps[i].work;
        task->steps[i] = w->steps[i];
        task->steps[i].work = work;
    }
}

/* One barrier for each rank, expecting every task that has so many and is to run (ST_NOT_RUN). */
static enum status barriers_for(struct run *run, const struct task *tasks, uint32_t n_tasks)
{
    uint32_t most = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t t = 0; t < n_tasks; t++) {
            uint32_t rank = 0;

            for (uint32_t s = 0; s < tasks[t].n_steps && tasks[t].status == ST_NOT_RUN; s++) {
                if (tasks[t].steps[s].op != STEP_BARRIER)
                    continue;
                if (pass == 1)
                    run->barriers[rank].expected++;
                rank++;
            }
            if (rank > most)
                most = rank;
        }
        if (pass == 1)
            break;
        if (grow(&run->memory, &run->capacity, most + 1, sizeof(struct barrier)) != ST_OK)
            return ST_NO_MEMORY;
        run->barriers = (struct barrier *)(((uintptr_t)run->memory + 63) & ~(uintptr_t)63);
        memset(run->barriers, 0, most * sizeof(struct barrier));
    }
    run->n_barriers = most;
    return ST_OK;
}

static enum status run_new(struct processors *ps, const struct task *tasks, uint32_t n_tasks)
{
    if (!ps->run) {
        void *memory = heap_alloc(sizeof(struct run) + 63);

        if (!memory)
            return ST_NO_MEMORY;
        ps->run = (struct run *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    }
    ps->run->abandoned = 0;
    return barriers_for(ps->run, tasks, n_tasks);
}

/* The worker that a task is for, if it may be given one now. */
static struct worker *worker_for(struct processors *ps, struct task *task)
{
    task->at = 0;
    if (task->cpu >= ps->n) {
        task->status = ST_RANGE;
        return NULL;
    }
    if (ps->stopped || !cpu_takes_work(ps->platform, task->cpu)) {
        task->status = ST_LOST;
        return NULL;
    }
    return ps->worker[task->cpu];
}

static void describe_place(const struct worker *w, const struct task *task, char *out, size_t size)
{
    uint32_t at = task->at;

    if (at >= task->n_steps)
        text_format(out, size, "an empty task");
    else
        text_format(out, size, WORKER_RUNS_ON, at + 1, task->n_steps,
                    (unsigned)w->steps[at].op < sizeof op_names / sizeof *op_names ? op_names[w->steps[at].op] : "?");
}

static void give_up(struct processors *ps, struct worker *w, struct task *task, uint64_t budget_ms)
{
    char place[48], text[160];

    task->at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE);
    task->status = ST_TIMEOUT;
    copy_out(w, task, task->at < task->n_steps ? task->at : 0);
    ps->platform->cpus[w->cpu].flags |= CPU_LOST;
    describe_place(w, task, place, sizeof place);
    text_format(text, sizeof text, "cpu %u (APIC 0x%x): no answer after %llu ms, in %s", w->cpu, w->apic_id,
                (unsigned long long)budget_ms, place);
    if (ps->lost)
        ps->lost(ps->context, text);
}

static void take_crash(struct processors *ps, struct worker *w, struct task *task)
{
    char place[48], frame[448], text[576];

    task->at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE);
    task->status = ST_LOST;
    copy_out(w, task, task->at < task->n_steps ? task->at : 0);
    ps->platform->cpus[w->cpu].flags |= CPU_LOST;
    describe_place(w, task, place, sizeof place);
    vectors_describe(&w->vectors, frame, sizeof frame);
    text_format(text, sizeof text, "cpu %u (APIC 0x%x), in %s: %s", w->cpu, w->apic_id, place, frame);
    if (ps->exception)
        ps->exception(ps->context, text);
}

static bool is_crashed(const struct worker *w)
{
    return __atomic_load_n(&w->vectors.crashed, __ATOMIC_ACQUIRE) != 0;
}

static bool is_done(const struct worker *w, uint64_t number)
{
    return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE) == number;
}

/* Until everybody has answered, crashed, or had its time. A crash abandons the run: the others may wait for it. */
static void wait_for_all(struct processors *ps, struct task *tasks, uint32_t n_tasks, uint64_t number,
                         uint64_t deadline)
{
    uint32_t first = 0; /* all before it are settled */

    while (first < n_tasks) {
        struct worker *w = tasks[first].status == ST_NOT_RUN ? ps->worker[tasks[first].cpu] : NULL;
        int64_t late;

        if (!w || w == ps->bsp || is_done(w, number)) {
            first++;
            continue;
        }
        if (is_crashed(w)) {
            __atomic_store_n(&ps->run->abandoned, 1, __ATOMIC_RELEASE);
            first++;
            continue;
        }
        late = (int64_t)(insn_rdtsc() - deadline);
        if (late > 0)
            __atomic_store_n(&ps->run->abandoned, 1, __ATOMIC_RELEASE);
        if (late > (int64_t)ticks(ps, GRACE_MS))
            return;
        for (uint32_t t = first; t < n_tasks; t++) /* a crash further back releases those who wait for it */
            if (tasks[t].status == ST_NOT_RUN && is_crashed(ps->worker[tasks[t].cpu]))
                __atomic_store_n(&ps->run->abandoned, 1, __ATOMIC_RELEASE);
        insn_pause();
    }
}

static void run_own(struct processors *ps, struct task *task, uint64_t deadline)
{
    task_do(ps->bsp, task->steps, task->n_steps, ps->run, deadline);
    task->status = ps->bsp->status;
    task->at = ps->bsp->stopped_at;
}

/* Hand out, do our own, collect. ST_NOT_RUN marks a task that is under way. */
static void run_posted(struct processors *ps, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    uint64_t number = ++ps->runs, deadline;
    struct task *own = NULL;
    bool retire = false;

    deadline = insn_rdtsc() + ticks(ps, budget_ms);
    for (uint32_t t = 0; t < n_tasks; t++) {
        if (tasks[t].status != ST_NOT_RUN)
            continue;
        if (ps->worker[tasks[t].cpu] == ps->bsp)
            own = &tasks[t];
    }
    for (uint32_t t = 0; t < n_tasks; t++) {
        if (tasks[t].status != ST_NOT_RUN || &tasks[t] == own)
            continue;
        ps->worker[tasks[t].cpu]->run = ps->run;
        __atomic_store_n(&ps->worker[tasks[t].cpu]->at, 0, __ATOMIC_RELAXED);
        post(ps, ps->worker[tasks[t].cpu], number);
    }
    if (own)
        run_own(ps, own, deadline);
    wait_for_all(ps, tasks, n_tasks, number, deadline);
    for (uint32_t t = 0; t < n_tasks; t++) {
        struct worker *w;

        if (tasks[t].status != ST_NOT_RUN)
            continue;
        w = ps->worker[tasks[t].cpu];
        if (is_done(w, number)) {
            copy_out(w, &tasks[t], tasks[t].n_steps);
            tasks[t].status = w->status;
            tasks[t].at = w->stopped_at;
        } else if (is_crashed(w)) {
            take_crash(ps, w, &tasks[t]);
        } else {
            give_up(ps, w, &tasks[t], budget_ms);
            retire = true;
        }
    }
    if (retire)
        ps->run = NULL; /* it stays where it is: a lost processor may still look at it */
}

enum status processors_run(struct processors *ps, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms)
{
    enum status st = ST_OK;

    for (uint32_t t = 0; t < n_tasks; t++) {
        struct worker *w = worker_for(ps, &tasks[t]);

        if (!w)
            continue;
        if (w->claimed == ps->runs + 1) { /* two tasks for one processor */
            tasks[t].status = ST_RANGE;
            continue;
        }
        if (w != ps->bsp)
            st = copy_in(w, &tasks[t]);
        if (st != ST_OK)
            return st;
        w->claimed = ps->runs + 1;
        tasks[t].status = ST_NOT_RUN;
    }
    st = run_new(ps, tasks, n_tasks);
    if (st != ST_OK)
        return st;
    run_posted(ps, tasks, n_tasks, budget_ms);
    for (uint32_t t = 0; t < n_tasks; t++)
        st = status_first(st, tasks[t].status);
    return st;
}

/* --- the end
 * ------------------------------------------------------------------------------------------------------------ */

static bool wait_until_left(struct processors *ps)
{
    uint64_t begin = insn_rdtsc();

    while (count_state(ps, WORKER_ARRIVED) > 0) {
        if (insn_rdtsc() - begin > ticks(ps, LEAVE_MS))
            return false;
        insn_pause();
    }
    return true;
}

/* Firmware notices that its procedures have returned by polling, in OVMF every 100 ms. Without an event of firmware's
 * only those that arrived are known to have left. */
static bool wait_until_finished(struct processors *ps)
{
    uint64_t begin = insn_rdtsc();

    if (!ps->finished)
        return count_state(ps, WORKER_ABSENT) == 0;
    while (ps->st->BootServices->CheckEvent(ps->finished) != EFI_SUCCESS) {
        if (insn_rdtsc() - begin > ticks(ps, LEAVE_MS))
            return false;
        insn_pause();
    }
    ps->signalled = true;
    return true;
}

/* INIT, one way or the other. EnableDisableAP makes firmware do it, also for a processor under way. OVMF then never
 * counts that processor as finished: the event of its call stays silent, and a blocking call does not return. */
static bool force_back(struct processors *ps, struct worker *w)
{
    if (w->own_start) {
        ps->force(ps, w->apic_id);
        return true;
    }
    return ps->mp && !EFI_ERROR(ps->mp->EnableDisableAP(ps->mp, w->number, FALSE, NULL)) &&
           !EFI_ERROR(ps->mp->EnableDisableAP(ps->mp, w->number, TRUE, NULL));
}

static void look_at_margins(struct processors *ps)
{
    for (uint32_t i = 0; i < ps->n_stacks; i++) {
        const uint8_t *margin = ps->stacks + (size_t)i * WORKER_STACK;
        uint32_t k = 0;

        while (k < WORKER_STACK_GUARD && margin[k] == STACK_PATTERN)
            k++;
        ps->margins_hit += k < WORKER_STACK_GUARD;
    }
}

void processors_stop(struct processors *ps)
{
    bool finished;

    if (ps->stopped)
        return;
    ps->stopped = true;
    for (uint32_t i = 0; i < ps->n; i++)
        if (ps->worker[i]->takes_part)
            post(ps, ps->worker[i], WORKER_LEAVE);
    finished = wait_until_left(ps) && wait_until_finished(ps);
    for (uint32_t i = 0; i < ps->n; i++) {
        struct worker *w = ps->worker[i];
        bool late = w->takes_part && !finished && state_of(w) != WORKER_LEFT;

        if (!late && !w->own_start)
            continue;
        if (!force_back(ps, w))
            ps->unreturned++;
        else
            ps->reset += late;
    }
    look_at_margins(ps);
}
