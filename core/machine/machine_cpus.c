/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/machine/machine_internal.h"

#include <string.h>

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/cpu/prefetch.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/base/heap.h"
#include "core/platform/script.h"

/* Processors enumerated in one run: 4,096 take eight runs, and the steps of a run stay under 3 MiB. */
#define BATCH 512u

/* --- what is asked */

struct request {
    uint32_t leaf, subleaf;
};

/* Asked of every processor, whatever its maximum: the instruction never faults, and what lies above the maximum is
 * thrown away when it is looked at. Brand, hypervisor and TSC leaves are wanted of the reference only, but one script
 * for all is less to go wrong, and costs a few instructions. */
static const struct request requests[] = {
    { 0, 0 },          { 1, 0 },          { 4, 0 },          { 4, 1 },          { 4, 2 },          { 4, 3 },
    { 4, 4 },          { 4, 5 },          { 4, 6 },          { 4, 7 },          { 7, 0 },          { 7, 1 },
    { 0xB, 0 },        { 0xB, 1 },        { 0xB, 2 },        { 0xB, 3 },        { 0xF, 0 },        { 0xF, 1 },
    { 0x10, 0 },       { 0x10, 1 },       { 0x10, 2 },       { 0x10, 3 },       { 0x10, 5 },       { 0x15, 0 },
    { 0x1A, 0 },       { 0x1F, 0 },       { 0x1F, 1 },       { 0x1F, 2 },       { 0x1F, 3 },       { 0x1F, 4 },
    { 0x1F, 5 },       { 0x1F, 6 },       { 0x40000000, 0 }, { 0x80000000, 0 }, { 0x80000001, 0 }, { 0x80000002, 0 },
    { 0x80000003, 0 }, { 0x80000004, 0 }, { 0x80000007, 0 }, { 0x80000008, 0 }, { 0x8000001D, 0 }, { 0x8000001D, 1 },
    { 0x8000001D, 2 }, { 0x8000001D, 3 }, { 0x8000001D, 4 }, { 0x8000001E, 0 }, { 0x80000020, 0 }, { 0x80000020, 1 },
    { 0x80000020, 2 }, { 0x80000020, 3 }, { 0x80000020, 5 }, { 0x80000020, 7 }, { 0x80000020, 8 }, { 0x80000021, 0 },
    { 0x80000026, 0 }, { 0x80000026, 1 }, { 0x80000026, 2 }, { 0x80000026, 3 }, { 0x80000026, 4 },
};
#define N_REQUESTS ((uint32_t)(sizeof requests / sizeof *requests))

/* Compared between processors, with what may differ masked out. */
struct comparison {
    uint32_t leaf, subleaf;
    struct cpuid_regs mask;
};
#define ALL UINT32_MAX
static const struct comparison comparisons[] = {
    { 0, 0, { ALL, ALL, ALL, ALL } },
    { 1, 0, { ALL, 0, 0, 0 } }, /* EBX has the APIC id, ECX OSXSAVE, EDX the APIC's state: all of them per processor */
    { 7, 0, { 0, (uint32_t)(CPUID_7_EBX_PQM | CPUID_7_EBX_PQE), 0, 0 } },
    { 0xF, 0, { ALL, ALL, ALL, ALL } },
    { 0xF, 1, { ALL, ALL, ALL, ALL } },
    { 0x10, 0, { ALL, ALL, ALL, ALL } },
    { 0x10, 1, { ALL, ALL, ALL, ALL } },
    { 0x10, 2, { ALL, ALL, ALL, ALL } },
    { 0x10, 3, { ALL, ALL, ALL, ALL } },
    { 0x10, 5, { ALL, ALL, ALL, ALL } },
    { 0x80000020, 0, { ALL, ALL, ALL, ALL } },
    { 0x80000020, 1, { ALL, ALL, ALL, ALL } },
    { 0x80000020, 2, { ALL, ALL, ALL, ALL } },
    { 0x80000020, 3, { ALL, ALL, ALL, ALL } },
    { 0x80000020, 5, { ALL, ALL, ALL, ALL } },
    { 0x80000020, 7, { ALL, ALL, ALL, ALL } },
    { 0x80000020, 8, { ALL, ALL, ALL, ALL } },
};
#define N_COMPARISONS ((uint32_t)(sizeof comparisons / sizeof *comparisons))

#define CPUID_1A_EAX_CORE_TYPE    BITS(31, 24)
#define CPUID_7_1_EBX_PPIN        BIT(0)
#define CPUID_80000007_EDX_TSCINV BIT(8)
#define CPUID_80000008_EBX_PPIN   BIT(23)

/* --- answers of one processor as a source */

struct answers {
    const struct step *steps; /* N_REQUESTS of them */
    uint32_t max_basic, max_extended;
};

static const struct step *answer_to(const struct answers *a, uint32_t leaf, uint32_t subleaf)
{
    return FIND(i, N_REQUESTS, requests[i].leaf == leaf && requests[i].subleaf == subleaf, &a->steps[i], NULL);
}

static enum status answers_leaf(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    const struct answers *a = context;
    const struct step *s = answer_to(a, leaf, subleaf);

    if (!s || !cpuid_in_range(leaf, a->max_basic, a->max_extended))
        return ST_ABSENT;
    if (s->status == ST_OK)
        *regs = s->regs;
    return s->status;
}

static struct answers answers_of(const struct step *steps)
{
    struct answers a = { .steps = steps };
    const struct step *basic = answer_to(&a, 0, 0), *extended = answer_to(&a, 0x80000000u, 0);

    a.max_basic = basic->status == ST_OK ? basic->regs.eax : 0;
    a.max_extended = extended->status == ST_OK ? extended->regs.eax : 0;
    return a;
}

/* --- comparing */

/* The reference of one core type: its answers, masked. */
struct reference {
    uint32_t cpu;
    struct cpuid_regs regs[N_COMPARISONS];
};

#define CORE_TYPES 256u

struct work_area {
    struct machine *m;
    struct task *tasks;
    struct step *steps;
    struct reference *references[CORE_TYPES]; /* by leaf 1AH EAX[31:24] on hybrid parts, else 0 */
    uint8_t *core_type;                       /* of each processor                              */
    bool *ppin_offered;
    bool found_reference;
};

static void add_disagreement(struct machine *m, const struct disagreement *d)
{
    if (m->n_disagreements < MAX_DISAGREEMENTS)
        m->disagreements[m->n_disagreements] = *d;
    m->n_disagreements++;
}

static void masked(const struct cpuid_source *s, const struct comparison *c, struct cpuid_regs *out)
{
    struct cpuid_regs r = { 0 };

    if (s->leaf(s->context, c->leaf, c->subleaf, &r) != ST_OK)
        r = (struct cpuid_regs){ 0 };
    *out = (struct cpuid_regs){ r.eax & c->mask.eax, r.ebx & c->mask.ebx, r.ecx & c->mask.ecx, r.edx & c->mask.edx };
}

/* Only a hybrid part has processors that may differ. Elsewhere a leaf 1AH of its own must not excuse anything. */
static uint8_t core_type_of(const struct cpuid_source *s)
{
    struct cpuid_regs seven, type;

    if (s->leaf(s->context, 7, 0, &seven) != ST_OK || !(seven.edx & CPUID_7_EDX_HYBRID) ||
        s->leaf(s->context, 0x1A, 0, &type) != ST_OK)
        return 0;
    return (uint8_t)field_get(CPUID_1A_EAX_CORE_TYPE, type.eax);
}

/* The first processor of a core type becomes that type's reference, each later one is held against it. */
static enum status compare_leaves(struct work_area *w, uint32_t cpu, const struct cpuid_source *s)
{
    struct reference *ref;
    bool first;

    w->core_type[cpu] = core_type_of(s);
    first = !w->references[w->core_type[cpu]];
    if (first) {
        w->references[w->core_type[cpu]] = heap_alloc(sizeof *ref);
        if (!w->references[w->core_type[cpu]])
            return ST_NO_MEMORY;
    }
    ref = w->references[w->core_type[cpu]];
    if (first)
        ref->cpu = cpu;
    for (uint32_t i = 0; i < N_COMPARISONS; i++) {
        struct disagreement d = { .cpu = cpu, .leaf = comparisons[i].leaf, .subleaf = comparisons[i].subleaf };

        masked(s, &comparisons[i], &d.got);
        d.reference = ref->regs[i];
        if (first)
            ref->regs[i] = d.got;
        else if (memcmp(&d.reference, &d.got, sizeof d.got) != 0)
            add_disagreement(w->m, &d);
    }
    return ST_OK;
}

static struct cpuid_regs regs_of_value(uint64_t value)
{
    return (struct cpuid_regs){ .eax = (uint32_t)value, .edx = (uint32_t)(value >> 32) };
}

static void compare_microcode(struct work_area *w)
{
    struct machine *m = w->m;

    for (uint32_t i = 0; i < m->n_cpus; i++) {
        const struct cpu *c = &m->cpus[i], *ref;

        if (c->enumerated != ST_OK || !w->references[w->core_type[i]])
            continue;
        ref = &m->cpus[w->references[w->core_type[i]]->cpu];
        if (c->microcode_status != ST_OK || ref->microcode_status != ST_OK || c->microcode == ref->microcode)
            continue;
        struct disagreement d = { .cpu = i,
                                  .msr = IA32_BIOS_SIGN_ID,
                                  .reference = regs_of_value(ref->microcode),
                                  .got = regs_of_value(c->microcode) };
        add_disagreement(m, &d);
    }
}

/* --- packages and L3 domains */

static uint32_t find_package(const struct machine *m, uint32_t id)
{
    /* Processors come ascending by APIC id, so the last package is the likely one. */
    for (uint32_t i = m->n_packages; i-- > 0;)
        if (m->packages[i].id == id)
            return i;
    return NO_PACKAGE;
}

static void join_package(struct machine *m, uint32_t cpu)
{
    struct cpu *c = &m->cpus[cpu];

    c->package = find_package(m, c->place.package);
    if (c->package == NO_PACKAGE) {
        c->package = m->n_packages++;
        m->packages[c->package] = (struct package){ .id = c->place.package, .first_cpu = cpu };
    }
    m->packages[c->package].n_cpus++;
}

static const struct cache_info *cpus_find_l3(const struct cache_info *caches, uint32_t n)
{
    return FIND(i, n, caches[i].level == 3 && caches[i].kind != 'i', &caches[i], NULL);
}

/* The highest RMID that the L3 monitors and that IA32_PQR_ASSOC accepts: above 0FH.0:EBX a write raises #GP (SDM vol. 3B
 * 17.16.8.1). enum.rmid-range reports a 0FH.1:ECX that is greater. */
static uint32_t usable_max_rmid(const struct rdt_info *rdt)
{
    uint32_t max = rdt->max_rmid < rdt->max_rmid_any ? rdt->max_rmid : rdt->max_rmid_any;

    return max < RMID_MOST ? max : RMID_MOST;
}

static void join_domain(struct machine *m, uint32_t cpu, const struct cache_info *l3)
{
    struct cpu *c = &m->cpus[cpu];

    c->domain = NO_DOMAIN;
    if (!c->place.has_l3 || !l3)
        return;
    for (uint32_t i = m->n_domains; i-- > 0 && c->domain == NO_DOMAIN;)
        if (m->domains[i].package == c->package && m->domains[i].id == c->place.l3_id &&
            m->domains[i].shift == c->place.l3_shift)
            c->domain = i;
    if (c->domain == NO_DOMAIN) {
        c->domain = m->n_domains++;
        m->domains[c->domain] = (struct l3_domain){
            .package = c->package,
            .id = c->place.l3_id,
            .shift = c->place.l3_shift,
            .cpu = cpu,
            .l3_bytes = l3->bytes,
            .l3_ways = l3->ways,
            .l3_inclusive = l3->inclusive,
            .max_rmid = usable_max_rmid(&c->rdt),
            .upscaling_factor = c->rdt.upscaling_factor,
            .counter_width = c->rdt.counter_width < QM_WIDTH_MOST ? c->rdt.counter_width : QM_WIDTH_MOST,
            .overflow_flag = c->rdt.overflow_bit,
        };
    }
    m->domains[c->domain].n_cpus++;
}

/* --- serial numbers and microcode */

/* Intel server parts that have a PPIN without a CPUID bit for it. Linux ppin_cpuids[]; the SDM lists the register in
 * these models' tables. */
static bool is_ppin_model(uint32_t model)
{
    static const uint8_t models[] = {
        0x3E, 0x3F, 0x4F, 0x56, 0x55, 0x6A, 0x6C, 0x8F, 0xCF, 0xAD, 0xAE, 0xAF, 0x57, 0x85
    };

    return ANY_OF(i, sizeof models, models[i] == model);
}

static bool offers_ppin(const struct cpu_identity *id, const struct cpuid_source *s)
{
    struct cpuid_regs r;

    if (id->vendor == VENDOR_AMD)
        return s->leaf(s->context, 0x80000008u, 0, &r) == ST_OK && (r.ebx & CPUID_80000008_EBX_PPIN);
    if (id->vendor != VENDOR_INTEL)
        return false;
    return (id->family == 6 && is_ppin_model(id->model)) ||
           (s->leaf(s->context, 7, 1, &r) == ST_OK && (r.ebx & CPUID_7_1_EBX_PPIN));
}

enum { MSR_STEP_SIGNATURE, MSR_STEP_MICROCODE, MSR_STEP_PPIN_CTL, MSR_STEPS };

/* Intel's protocol for the microcode revision is: write 0 to IA32_BIOS_SIGN_ID, execute CPUID leaf 1, read. The write
 * only tells "no update loaded" from "a stale value"; firmware has always loaded one by the time an application runs,
 * so CPUID and the read are enough, and nothing is written. AMD's register needs neither. */
static uint32_t put_msr_steps(const struct cpu *c, bool ppin, struct step *steps)
{
    steps[MSR_STEP_SIGNATURE] = (struct step){ .op = STEP_CPUID, .reg = 1 };
    steps[MSR_STEP_MICROCODE] = step_rdmsr(IA32_BIOS_SIGN_ID);
    steps[MSR_STEP_PPIN_CTL] = step_rdmsr(cpu_is_amd(&c->id) ? AMD_PPIN_CTL : MSR_PPIN_CTL);
    return ppin ? MSR_STEPS : MSR_STEP_PPIN_CTL;
}

static void take_microcode(struct cpu *c, const struct step *s)
{
    c->microcode_status = s->status;
    if (s->status == ST_OK)
        c->microcode = field_get(cpu_is_amd(&c->id) ? AMD_PATCH_LEVEL_PATCH_ID : IA32_BIOS_SIGN_ID_PATCH_ID, s->value);
}

/* What the control register says: ST_OK: the number may be read. Both vendors' have the same two bits. */
static enum status ppin_allowed(const struct step *ctl)
{
    if (ctl->status == ST_FAULT)
        return ST_ABSENT; /* the model may have it, this part does not */
    if (ctl->status != ST_OK)
        return ctl->status;
    if (ctl->value & MSR_PPIN_CTL_Enable_PPIN)
        return ST_OK;
    return ctl->value & MSR_PPIN_CTL_LockOut ? ST_FAULT : ST_UNSUPPORTED;
}

/* --- runs */

/* A run in which a processor was lost still gives the others' answers, so its own status is not looked at. */
static void run(struct work_area *w, uint32_t n_tasks)
{
    enum status st = platform_run(w->m->platform, w->tasks, n_tasks, work_budget_ms(0));

    (void)st;
}

static enum status take_answers(struct work_area *w, uint32_t cpu, const struct step *steps)
{
    struct machine *m = w->m;
    struct cpu *c = &m->cpus[cpu];
    struct answers a = answers_of(steps);
    struct cpuid_source s = { answers_leaf, &a };
    struct cache_info caches[sizeof m->caches / sizeof *m->caches];
    uint32_t n_caches;
    enum status st = cpuid_identity(&s, &c->id);

    if (st == ST_OK)
        st = topology_place(&s, &c->id, &c->place);
    if (st != ST_OK) {
        c->enumerated = st;
        return ST_OK;
    }
    c->enumerated = ST_OK;
    st = rdt_enumerate(&s, &c->id, &c->rdt);
    if (st != ST_OK && st != ST_ABSENT) /* a part without leaf 7 has no RDT: that is an answer */
        return st;
    n_caches = cpuid_caches(&s, &c->id, caches, sizeof caches / sizeof *caches);
    w->ppin_offered[cpu] = offers_ppin(&c->id, &s);
    join_package(m, cpu);
    join_domain(m, cpu, cpus_find_l3(caches, n_caches));
    TRY(compare_leaves(w, cpu, &s));
    if (w->found_reference)
        return ST_OK;

    struct cpuid_regs r;
    w->found_reference = true;
    m->reference = cpu;
    m->n_caches = n_caches;
    memcpy(m->caches, caches, sizeof *caches * n_caches);
    m->max_leaf = a.max_basic;
    m->max_ext_leaf = a.max_extended;
    m->generation = cpuid_generation(&c->id);
    if (!m->generation)
        m->generation = "unknown";
    cpuid_brand(&s, m->brand);
    m->hypervisor = cpuid_hypervisor(&s, m->hypervisor_name);
    m->prefetch = prefetch_control_of(&c->id, s.leaf(s.context, 0x80000021u, 0, &r) == ST_OK ? r.eax : 0);
    m->tsc_invariant = s.leaf(s.context, 0x80000007u, 0, &r) == ST_OK && (r.edx & CPUID_80000007_EDX_TSCINV);
    return ST_OK;
}

/* CPUID on processors first .. last-1. */
static enum status ask_cpuid(struct work_area *w, uint32_t first, uint32_t last)
{
    uint32_t n = 0;

    for (uint32_t cpu = first; cpu < last; cpu++) {
        struct step *steps = w->steps + (size_t)n * N_REQUESTS;

        if (!cpu_takes_work(w->m->platform, cpu))
            continue;
        for (uint32_t i = 0; i < N_REQUESTS; i++)
            steps[i] = (struct step){ .op = STEP_CPUID, .reg = requests[i].leaf, .subleaf = requests[i].subleaf };
        w->tasks[n++] = (struct task){ .cpu = cpu, .n_steps = N_REQUESTS, .steps = steps };
    }
    run(w, n);
    for (uint32_t t = 0; t < n; t++) {
        enum status st = w->tasks[t].status;

        w->m->cpus[w->tasks[t].cpu].enumerated = st;
        if (st == ST_OK)
            st = take_answers(w, w->tasks[t].cpu, w->tasks[t].steps);
        else
            st = ST_OK;
        TRY(st);
    }
    return ST_OK;
}

/* Microcode and the PPIN's control register, then the PPIN where that allows it. */
static void ask_msrs(struct work_area *w, uint32_t first, uint32_t last)
{
    struct machine *m = w->m;
    uint32_t n = 0, allowed = 0;

    for (uint32_t cpu = first; cpu < last; cpu++) {
        struct step *steps = w->steps + (size_t)n * N_REQUESTS;

        if (m->cpus[cpu].enumerated != ST_OK)
            continue;
        w->tasks[n++] = (struct task){ .cpu = cpu,
                                       .n_steps = put_msr_steps(&m->cpus[cpu], w->ppin_offered[cpu], steps),
                                       .steps = steps };
    }
    run(w, n);
    for (uint32_t t = 0; t < n; t++) {
        struct cpu *c = &m->cpus[w->tasks[t].cpu];
        bool answered = w->tasks[t].status == ST_OK;

        take_microcode(c, &w->tasks[t].steps[MSR_STEP_MICROCODE]);
        if (!answered)
            c->microcode_status = w->tasks[t].status;
        c->ppin_status = !w->ppin_offered[w->tasks[t].cpu] ? ST_ABSENT
                         : answered                        ? ppin_allowed(&w->tasks[t].steps[MSR_STEP_PPIN_CTL])
                                                           : w->tasks[t].status;
        if (c->ppin_status != ST_OK)
            continue;
        w->tasks[allowed] = w->tasks[t];
        w->tasks[allowed].n_steps = 1;
        w->tasks[allowed].steps[0] = step_rdmsr(cpu_is_amd(&c->id) ? AMD_PPIN : MSR_PPIN);
        allowed++;
    }
    run(w, allowed);
    for (uint32_t t = 0; t < allowed; t++) {
        struct cpu *c = &m->cpus[w->tasks[t].cpu];

        c->ppin_status = status_first(w->tasks[t].status, w->tasks[t].steps[0].status);
        if (c->ppin_status == ST_OK)
            c->ppin = w->tasks[t].steps[0].value;
    }
}

/* Listed, but not asked: what firmware's APIC id says of its place. */
static void place_silent(struct machine *m)
{
    const struct cpu_place *like = &m->cpus[m->reference].place;

    for (uint32_t i = 0; i < m->n_cpus; i++) {
        struct cpu *c = &m->cpus[i];

        if (c->enumerated == ST_OK)
            continue;
        c->place = topology_of_apic_id(like, m->platform->cpus[i].apic_id);
        c->package = find_package(m, c->place.package);
        c->domain = NO_DOMAIN;
    }
}

static void mark_silent(struct machine *m)
{
    for (uint32_t i = 0; i < m->n_cpus; i++) {
        struct cpu *c = &m->cpus[i];

        c->package = NO_PACKAGE;
        c->domain = NO_DOMAIN;
        c->node = NO_NODE;
        c->microcode_status = c->ppin_status = ST_NOT_RUN;
        c->enumerated = m->platform->cpus[i].flags & CPU_LOST ? ST_LOST : ST_NOT_RUN;
    }
}

/* L3 Range Reservation that firmware enabled: its ways are filled by no other line, whatever L3_MASK_n says (APM vol. 2
 * 7.6.6). reset.amd reports the registers; one that raises #GP reserves nothing. */
static void take_reserved_ways(struct machine *m)
{
    EACH(struct l3_domain, d, m->domains, m->n_domains) {
        uint64_t max = 0, ways = 0;

        if (!(m->cpus[d->cpu].rdt.qosx_ebx & CPUID_8000_0020_0_EBX_L3RR) || d->l3_ways == 0 ||
            msr_read(m->platform, d->cpu, L3RangeReserveMaxAddr, &max) != ST_OK || !(max & L3RangeReserveMaxAddr_En) ||
            msr_read(m->platform, d->cpu, L3RangeReserveWayMask, &ways) != ST_OK)
            continue;
        d->l3_reserved_ways = (uint32_t)(ways & low_bits(d->l3_ways < 32 ? d->l3_ways : 32));
        d->l3_reserved_bytes = d->l3_bytes / d->l3_ways * count_bits(d->l3_reserved_ways);
        d->l3_bytes -= d->l3_reserved_bytes;
    }
}

static enum status ask_all(struct work_area *w)
{
    struct machine *m = w->m;

    mark_silent(m);
    for (uint32_t first = 0; first < m->n_cpus; first += BATCH) {
        uint32_t last = m->n_cpus - first < BATCH ? m->n_cpus : first + BATCH;

        TRY(ask_cpuid(w, first, last));
        ask_msrs(w, first, last);
    }
    if (!w->found_reference)
        return ST_ABSENT;
    compare_microcode(w);
    place_silent(m);
    take_reserved_ways(m);
    return ST_OK;
}

static enum status take_work_area(struct work_area *w)
{
    struct machine *m = w->m;
    uint32_t batch = m->n_cpus < BATCH ? m->n_cpus : BATCH;

    m->cpus = heap_alloc(sizeof *m->cpus * m->n_cpus);
    m->packages = heap_alloc(sizeof *m->packages * m->n_cpus);
    m->domains = heap_alloc(sizeof *m->domains * m->n_cpus);
    w->tasks = heap_alloc(sizeof *w->tasks * batch);
    w->steps = heap_alloc(sizeof *w->steps * batch * N_REQUESTS);
    w->core_type = heap_alloc(sizeof *w->core_type * m->n_cpus);
    w->ppin_offered = heap_alloc(sizeof *w->ppin_offered * m->n_cpus);
    return m->cpus && m->packages && m->domains && w->tasks && w->steps && w->core_type && w->ppin_offered
               ? ST_OK
               : ST_NO_MEMORY;
}

static void give_work_area_back(struct work_area *w)
{
    heap_free(w->tasks);
    heap_free(w->steps);
    heap_free(w->core_type);
    heap_free(w->ppin_offered);
    for (uint32_t i = 0; i < CORE_TYPES; i++)
        heap_free(w->references[i]);
    heap_free(w);
}

enum status machine_ask_processors(struct machine *m)
{
    struct work_area *w = heap_alloc(sizeof *w);
    enum status st;

    if (!w)
        return ST_NO_MEMORY;
    w->m = m;
    st = take_work_area(w);
    if (st == ST_OK)
        st = ask_all(w);
    give_work_area_back(w);
    return st;
}
