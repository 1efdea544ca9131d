/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/model/model_create.c: how a model is made, and what it says about itself. */
#include "tests/silicon/model/model_clock.h"
#include "core/base/search.h"
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/model/refusal.h"
#include "tests/silicon/model/scramble.h"
#include "tests/silicon/twin/twin.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- making one */

static const char *profile_name(uint32_t number)
{
    return profiles[number]->name;
}

static const struct profile *find_profile(const char *name, char *error, size_t size)
{
    const struct profile *found = profile_by_name(name ? name : "bdx");
    size_t used = 0;

    if (found || !error || size == 0)
        return found;
    refusal_say(error, size, "no profile %s; the nearest are ", name);
    nearest_names(name, profile_name, profile_count(), error, size);
    used = strlen(error);
    snprintf(error + used, size - used, "; there are:");
    for (uint32_t i = 0; i < profile_count(); i++) {
        used = strlen(error);
        snprintf(error + used, size - used, " %s", profiles[i]->name);
    }
    return NULL;
}

uint64_t microcode_of(const struct model *m, const struct cpu *c)
{
    uint64_t revision = m->profile->microcode;

    if (fault_on(&m->faults, FAULT_MICROCODE_DIFFERS) &&
        c->package == fault_place(&m->faults, FAULT_MICROCODE_DIFFERS, m->packages))
        revision--;
    return m->profile->amd ? revision : revision << 32;
}

static void place_cpus(struct model *m)
{
    for (uint32_t i = 0; i < m->cpus; i++) {
        struct cpu *c = &m->cpu[i];

        uint32_t core = i / m->threads % m->cores; /* of the package */

        c->package = i / (m->cores * m->threads);
        c->domain = &m->domain[c->package * (m->domains / m->packages) + core / m->cores_per_domain];
        c->node = c->package * m->clusters + core * m->clusters / m->cores;
        c->core_index = core % m->cores_per_domain;
        c->thread = i % m->threads;
        c->core = &c->domain->cores[c->core_index];
        c->apic_id = m->twin ? m->twin->ids[i] : (c->package << m->core_bits | core) << m->thread_bits | c->thread;
        cache_place(m, c);
        c->sign_id = microcode_of(m, c);
        c->smi_due = m->realism.value[REALISM_SMI_PERIOD] ? 0 : UINT64_MAX;
        walk_make(m, c);
    }
}

/* Counts that a bandwidth counter holds at power-on. */
static uint64_t start_of_mbm(const struct model *m, uint64_t random)
{
    uint64_t how = m->realism.value[REALISM_MBM_START];

    if (how == MBM_START_PROFILE)
        how = m->profile->mbm_starts_near_wrap ? MBM_START_NEAR_WRAP : MBM_START_ZERO;
    if (how == MBM_START_ANYWHERE)
        return random & low_bits(m->mbm_width);
    return how == MBM_START_NEAR_WRAP ? (low_bits(m->mbm_width) - (16 + random % 2032)) & low_bits(m->mbm_width) : 0;
}

static void make_domain(struct model *m, struct domain *p)
{
    uint32_t number = (uint32_t)(p - m->domain);

    p->mbm_start = pool_zeroed(&m->pool, m->rmids, sizeof p->mbm_start[0]);
    p->mbm_zero = pool_zeroed(&m->pool, m->rmids, sizeof p->mbm_zero[0]);
    p->mbm_last = pool_zeroed(&m->pool, m->rmids, sizeof p->mbm_last[0]);
    p->first_read = pool_zeroed(&m->pool, m->rmids, sizeof p->first_read[0]);
    p->mbm_trail = pool_zeroed(&m->pool, m->rmids, sizeof p->mbm_trail[0]);
    p->tracked_at = pool_zeroed(&m->pool, m->rmids, sizeof p->tracked_at[0]);
    cache_make(m, p);
    if (m->quirks)
        cache_quirks_make(m, p);
    for (uint32_t r = 0; r < m->rmids; r++)
        for (uint32_t e = 0; e < 2; e++)
            p->mbm_start[r][e] = start_of_mbm(m, scramble(m->seed ^ (number << 20 | r << 1 | e)));
    p->mbm_last[0][0] = p->mbm_last[0][1] = low_bits(m->mbm_width); /* firmware's traffic made them roll over */
    pthread_mutex_init(&p->lock, NULL);
    p->package = number / (m->domains / m->packages);
}

static void make_parts(struct model *m)
{
    m->package = pool_zeroed(&m->pool, m->packages, sizeof m->package[0]);
    m->domain = pool_zeroed(&m->pool, m->domains, sizeof m->domain[0]);
    m->node = pool_zeroed(&m->pool, (size_t)m->l3_slices * MODEL_MAX_NODES, sizeof m->node[0]);
    m->cpu = pool_zeroed(&m->pool, m->cpus, sizeof m->cpu[0]);
    for (uint32_t p = 0; p < m->packages; p++) {
        pthread_mutex_init(&m->package[p].lock, NULL);
        m->package[p].ppin_ctl = 2; /* Enable_PPIN, as most firmware leaves it */
    }
    for (uint32_t d = 0; d < m->domains; d++)
        make_domain(m, &m->domain[d]);
    near_create(m);
}

static bool take_faults(struct model *m, const struct model_config *config, char *error, size_t error_size)
{
    struct fault_machine machine = { .profile = m->profile,
                                     .packages = m->packages,
                                     .clusters = m->clusters,
                                     .cores = m->packages * m->cores,
                                     .threads = m->threads,
                                     .qemu = config->qemu,
                                     .counters = config->counters };

    for (uint32_t i = 0; i < MODEL_MAX_FAULTS && config->faults[i]; i++)
        if (!fault_parse(&m->faults, &machine, config->faults[i], error, error_size))
            return false;
    return true;
}

/* What was asked for, where the profile has it. false: *error says what it has not. */
static bool take_config(struct model *m, const struct model_config *config, const struct profile *profile, char *error,
                        size_t error_size)
{
    if (config->slices && config->recording) {
        refusal_say(error, error_size, "slices are cut of the L3 of a profile, not of a recorded one");
        return false;
    }
    if (config->slices > MODEL_MAX_SLICES || (config->slices && !(m->cut = profile_cut(profile, config->slices)))) {
        refusal_say(error, error_size, "%u slices: at most %u, and enough memory", config->slices, MODEL_MAX_SLICES);
        return false;
    }
    m->profile = m->cut ? m->cut : profile;
    m->packages = config->packages ? config->packages : profile->packages;
    m->cores = config->cores ? config->cores : profile->cores;
    m->threads = config->threads ? config->threads : profile->threads;
    m->seed = config->seed;
    m->qemu = config->qemu;
    if (!realism_parse(&m->realism, m->profile, config->realism, error, error_size))
        return false;
    if (config->qemu && realism_host_only(&m->realism)) {
        refusal_say(error, error_size, "realism %s acts on the host model alone, not in QEMU",
                    realism_host_only(&m->realism));
        return false;
    }
    m->clusters = config->clusters ? config->clusters : m->twin ? m->twin->clusters : 1;
    if (m->twin && m->twin->nodes && m->clusters == 1 && !config->qemu)
        m->clusters = m->twin->nodes;
    m->cores_per_domain = profile->cores_per_l3 && profile->cores_per_l3 < m->cores ? profile->cores_per_l3 : m->cores;
    m->domains = m->packages * ((m->cores + m->cores_per_domain - 1) / m->cores_per_domain);
    m->tsc_hz = config->tsc_hz ? config->tsc_hz : profile->tsc_hz;
    if (m->packages > MODEL_MAX_PACKAGES || m->cores > MODEL_MAX_CORES || m->threads > 2) {
        refusal_say(error, error_size, "%u packages of %u cores with %u threads: at most %u, %u and 2", m->packages,
                    m->cores, m->threads, MODEL_MAX_PACKAGES, MODEL_MAX_CORES);
        return false;
    }
    if (m->clusters > 1 && (m->clusters > profile->max_clusters || m->cores % m->clusters)) {
        refusal_say(error, error_size,
                    "%u nodes a package with %u cores: %s has at most %u, and they share the cores evenly", m->clusters,
                    m->cores, profile->name, profile->max_clusters ? profile->max_clusters : 1);
        return false;
    }
    return take_faults(m, config, error, error_size);
}

static void choose_prefetchers(struct model *m, bool asked)
{
    const uint64_t *value = m->realism.value;

    if (asked || value[REALISM_L2_PREFETCH] || fault_on(&m->faults, FAULT_PREFETCH_UNTAGGED) ||
        fault_on(&m->faults, FAULT_PREFETCH_COUNTED_TWICE) || fault_on(&m->faults, FAULT_MASK_PREFETCH_ESCAPES))
        m->prefetch |= PREFETCH_L2_STREAM | PREFETCH_L2_ADJACENT;
    if (value[REALISM_L1_PREFETCH])
        m->prefetch |= PREFETCH_L1_NEXT | PREFETCH_L1_IP;
    if (value[REALISM_AMP_PREFETCH])
        m->prefetch |= PREFETCH_L2_AMP;
    if (value[REALISM_LLC_PREFETCH])
        m->prefetch |= PREFETCH_LLC;
}

static bool mask_faults(const struct fault_set *f)
{
    static const enum fault_id ids[] = {
        FAULT_MASK_STORES_ESCAPE,   FAULT_MASK_CODE_ESCAPES, FAULT_MASK_PREFETCH_ESCAPES,
        FAULT_MASK_AT_ASSOCIATION,  FAULT_CDP_ONE_CORE,      FAULT_CLOS_OF_SIBLING,
        FAULT_MASK_INERT,           FAULT_CDP_SWAPPED,       FAULT_MASK_LEAK,
        FAULT_CDP_CODE_LOW_CLASSES, FAULT_MASK_ONE_WAY_OPEN, FAULT_MASK_SHIFTED,
        FAULT_MASK_TOP_WAY_LOST,    FAULT_MASK_HOLE_PART,    FAULT_CDP_CLASSES_HALF,
        FAULT_MASK_CLASS_OPEN
    };
    return ANY_OF(i, sizeof ids / sizeof ids[0], fault_on(f, ids[i]));
}

/* Faults that are a composed defect. */
static const struct {
    enum fault_id fault;
    struct flaw flaw;
} named[] = {
    { FAULT_TAG_LOST_IN_HALT, { .monitor = FLAW_PQR, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_IDLE } },
    { FAULT_TAG_LOST_IN_MWAIT, { .monitor = FLAW_PQR, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_MWAIT } },
    { FAULT_MBM_LOST_IN_HALT, { .monitor = FLAW_MBM, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_IDLE } },
    { FAULT_TAG_LOST_IN_SMI, { .monitor = FLAW_PQR, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_SMI } },
    { FAULT_MBM_LOST_IN_SMI, { .monitor = FLAW_MBM, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_SMI } },
    { FAULT_TAG_SIBLING_LOADS,
      { .monitor = FLAW_PQR, .kind = FLAW_DEAD, .access = FLAW_LOADS, .trigger = FLAW_BETWEEN } },
    { FAULT_TAG_SIBLING_STORES,
      { .monitor = FLAW_PQR, .kind = FLAW_DEAD, .access = FLAW_STORES, .trigger = FLAW_BETWEEN } },
    { FAULT_TAG_LOST_AT_CLOCK, { .monitor = FLAW_PQR, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_CLOCK } },
    { FAULT_OCCUPANCY_LOST_AT_CLOCK, { .monitor = FLAW_CMT, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_CLOCK } },
    { FAULT_MBM_LOST_AT_CLOCK, { .monitor = FLAW_MBM, .kind = FLAW_DEAD, .trigger = FLAW_AFTER_CLOCK } },
    { FAULT_PMON_LOST_AT_CLOCK,
      { .monitor = FLAW_UNCORE,
        .scope = FLAW_BOX,
        .kind = FLAW_DEAD,
        .trigger = FLAW_AFTER_CLOCK,
        .place = UNIT_IMC } },
    { FAULT_PMON_SMI_DOUBLES,
      { .monitor = FLAW_UNCORE,
        .scope = FLAW_BOX,
        .kind = FLAW_SCALED,
        .trigger = FLAW_AFTER_SMI,
        .place = UNIT_IMC,
        .strength = 100 } },
};

/* A defect that comes with SMIs, or with a core's clock, has ten SMIs a second at least, or cores whose clock moves. */
static void bring_triggers(struct model *m)
{
    uint64_t *quirks = m->realism.value;
    bool smis = m->flaw.trigger == FLAW_AFTER_SMI || fault_on(&m->faults, FAULT_PQR_SMI_FIRST) ||
                fault_on(&m->faults, FAULT_PQR_SMI_CLASS);

    if (smis && quirks[REALISM_SMI_PERIOD] - 1 >= 100)
        quirks[REALISM_SMI_PERIOD] = 100;
    if (m->flaw.trigger == FLAW_AFTER_CLOCK && !quirks[REALISM_CORE_CLOCK])
        quirks[REALISM_CORE_CLOCK] = 50;
}

struct model *model_new(const struct model_config *config, char *error, size_t error_size)
{
    const struct profile *profile = find_profile(config->profile, error, error_size);
    struct pool pool = { NULL };
    struct model *m;

    if (!profile)
        return NULL;
    m = pool_zeroed(&pool, 1, sizeof *m);
    m->pool = pool;
    if (config->recording) {
        m->twin = twin_new(config->recording, config->profile ? profile : NULL, error, error_size);
        profile = m->twin ? &m->twin->profile : NULL;
    }
    if (!profile || !take_config(m, config, profile, error, error_size)) {
        model_free(m);
        return NULL;
    }
    choose_prefetchers(m, config->prefetch);
    m->cpus = m->packages * m->cores * m->threads;
    m->alone = !config->parallel || m->cpus == 1;
    m->thread_bits = bits_for(m->threads - 1);
    m->core_bits = bits_for(m->cores - 1);
    rdt_learn(m);
    model_clock_begin(m);
    m->flaw = config->flaw ? *config->flaw : m->flaw;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (fault_on(&m->faults, named[i].fault))
            m->flaw = named[i].flaw;
    bring_triggers(m);
    m->tags_lie = m->faults.act_on_traffic || m->flaw.monitor || m->rmids_split ||
                  m->realism.value[REALISM_MBM_OVERCOUNT] || m->realism.value[REALISM_MBM_SAMPLING];
    m->masks_lie = m->flaw.monitor == FLAW_CAT || m->flaw.monitor == FLAW_CDP || mask_faults(&m->faults);
    if (!cache_shapes(m)) {
        refusal_say(error, error_size, "the caches of %s cannot be modelled", profile->name);
        model_free(m);
        return NULL;
    }
    cache_seed(m);
    cache_quirks(m);
    make_parts(m);
    place_cpus(m);
    if (profile->telemetry)
        m->activity = pool_zeroed(&m->pool, (size_t)m->packages * m->rmids, sizeof m->activity[0]);
    rdt_reset(m);
    core_pmu_reset(m);
    if (fault_on(&m->faults, FAULT_PREFETCHERS_DIFFER))
        m->cpu[fault_place(&m->faults, FAULT_PREFETCHERS_DIFFER, m->cpus)].core->prefetch_control = 0xF;
    uncore_reset(m);
    if (m->twin)
        twin_begin(m);
    return m;
}

void model_free(struct model *m)
{
    struct pool pool;

    if (!m)
        return;
    profile_cut_free(m->cut);
    twin_free(m->twin);
    pool = m->pool;
    pool_free(&pool);
}

/* --- questions */

uint32_t model_cpus(const struct model *m)
{
    return m->cpus;
}

uint32_t model_apic_id(const struct model *m, uint32_t cpu)
{
    return m->cpu[cpu].apic_id;
}

uint32_t model_package(const struct model *m, uint32_t cpu)
{
    return m->cpu[cpu].package;
}

uint32_t model_dies(const struct model *m)
{
    return profile_dies(m->profile);
}

uint32_t model_domain(const struct model *m, uint32_t cpu)
{
    return (uint32_t)(m->cpu[cpu].domain - m->domain);
}

uint32_t model_node(const struct model *m, uint32_t cpu)
{
    return m->cpu[cpu].node;
}

const char *model_profile(const struct model *m)
{
    return m->profile->name;
}

static void add_memory(struct model *m, struct memory_range r)
{
    if (m->n_memory < MODEL_MAX_RANGES)
        m->memory[m->n_memory++] = r;
    for (uint32_t i = 0; m->cpu && i < m->cpus; i++)
        cache_forget_places(&m->cpu[i]);
}

void model_memory(struct model *m, uint64_t base, uint64_t bytes, uint32_t node)
{
    add_memory(m, (struct memory_range){ base, bytes, node % MODEL_MAX_NODES, false });
}

void model_memory_alone(struct model *m, uint64_t base, uint64_t bytes, uint32_t node)
{
    add_memory(m, (struct memory_range){ base, bytes, node % MODEL_MAX_NODES, true });
    m->memory_alone = true;
}

void model_smi(struct model *m)
{
    for (uint32_t i = 0; i < m->cpus; i++)
        atomic_fetch_add_explicit(&m->cpu[i].smi_count, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < m->cpus; i++)
        flaw_smi(m, &m->cpu[i]);
    for (uint32_t i = 0; i < m->cpus; i++)
        rdt_smi(m, &m->cpu[i]);
}

void model_mwait(struct model *m, uint32_t cpu)
{
    flaw_mwait(m, &m->cpu[cpu]);
    if (fault_on(&m->faults, FAULT_CLASS_LOST_IN_MWAIT))
        m->cpu[cpu].clos = 0;
}

static uint64_t get(_Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void model_truth(struct model *m, uint32_t domain, uint32_t rmid, struct model_truth *t)
{
    struct traffic_sum sum;
    struct domain *p;

    memset(t, 0, sizeof *t);
    t->msr_reads = get(&m->msr_reads);
    t->msr_writes = get(&m->msr_writes);
    if (domain >= m->domains)
        return;
    p = &m->domain[domain];
    t->l3_lines = (uint64_t)m->l3_slices * m->l3.sets * m->l3.ways;
    for (uint32_t r = 0; r < m->rmids; r++)
        t->l3_valid_lines += traffic_of(m, p->truth, r, ALL_PARTS).lines;
    if (rmid >= m->rmids)
        return;
    sum = traffic_of(m, p->truth, rmid, ALL_PARTS);
    t->rmid_lines = sum.lines;
    t->rmid_total_lines = transfers_of(&sum, m->event_types[0]);
    t->rmid_local_lines = transfers_of(&sum, m->event_types[1]);
}

struct text_out {
    char *out;
    size_t size, length;
};

static void print(struct text_out *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(struct text_out *t, const char *format, ...)
{
    size_t room = t->length < t->size ? t->size - t->length : 0;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(room ? t->out + t->length : NULL, room, format, args);
    va_end(args);
    t->length += n > 0 ? (size_t)n : 0;
}

size_t model_summary(struct model *m, char *out, size_t size)
{
    struct text_out t = { out, size, 0 };
    const char *what;
    uint32_t n;
    const struct model_fault *catalogue = model_faults(&n);

    print(&t, "silicon: %s, %s\n", m->profile->name, m->profile->title);
    print(&t, "processors: %u (%u packages, %u cores, %u threads)\n", m->cpus, m->packages, m->cores, m->threads);
    for (uint32_t i = 0; i < n; i++)
        if (m->faults.on[i])
            print(&t, "fault: %s (%#" PRIx64 ")\n", catalogue[i].name, m->faults.value[i]);
    print(&t, "msr: %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64 " #GP\n", get(&m->msr_reads), get(&m->msr_writes),
          get(&m->msr_faults));
    what = m->domains > m->packages ? "L3" : "package";
    for (uint32_t i = 0; i < m->domains; i++) {
        struct domain *p = &m->domain[i];

        print(&t, "%s %u: %" PRIu64 " lines written back, %" PRIu64 " stored past the caches\n", what, i,
              cache_write_backs(m, p), cache_nt_lines(m, p));
        for (uint32_t r = 0; r < m->rmids; r++) {
            struct traffic_sum sum = traffic_of(m, p->truth, r, ALL_PARTS);

            uint64_t total = transfers_of(&sum, m->event_types[0]), local = transfers_of(&sum, m->event_types[1]);

            if (total || sum.lines)
                print(&t, "%s %u rmid %u: %" PRIu64 " lines in, %" PRIu64 " of them local, %" PRIu64 " here now\n",
                      what, i, r, total, local, sum.lines);
        }
    }
    return t.length;
}
