/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What firmware left behind. IA32_PQR_ASSOC was recorded at the start of the run; the other registers are read here,
 * before any check writes them, and where one of them was written already the ledger knows what stood there. */
#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/pqr.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/measure/alloc.h"
#include "core/platform/ledger.h"
#include "core/machine/register_name.h"
#include "core/platform/script.h"
#include "core/base/text.h"

#define SDM_COS "SDM vol. 3B 17.17.3.4 Class of Service to Cache Mask Association: Common Across Allocation Features"
#define SDM_CDP "SDM vol. 3B 17.17.2 Code and Data Prioritization (CDP) Technology"
#define APM_BW  "APM vol. 2 19.3.3 Bandwidth Monitoring Event Configuration, 19.5 L3 Memory Bandwidth Enforcement"

/* RS-12, a record: whether the register outlives INIT is not documented, so what was read after one is marked. */
static void record_init(struct check *c)
{
    uint32_t after = 0;

    if (!c->platform->mp_method || !text_equal(c->platform->mp_method, MP_METHOD_SIPI))
        return;
    for (uint32_t i = 0; i < c->machine->n_cpus; i++)
        after += i != c->platform->bsp && (c->platform->cpus[i].flags & CPU_STARTED);
    measure(c, "processors that Assay sent INIT and SIPI before their registers were read", "", after, "processors",
            -NO_BOUND, NO_BOUND);
    note(c,
         "values of all processors but the boot processor are those after INIT; with -mp auto they are as firmware's "
         "own start left them");
}

static enum verdict check_pqr_reset(struct check *c)
{
    uint64_t compared = 0;

    if (!c->tools->pqr_recorded)
        return skip(c, "this processor enumerates neither monitoring nor allocation");
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        uint64_t value = 0;
        enum status st = ledger_found_msr(c->platform->ledger, i, IA32_PQR_ASSOC, &value);

        if (!(c->platform->cpus[i].flags & CPU_STARTED))
            continue;
        if (st == ST_FAULT && !has_rdt(c))
            return skip(c, "IA32_PQR_ASSOC is not there");
        if (st == ST_FAULT) {
            warn(c, "cpu %u: RDMSR IA32_PQR_ASSOC raised #GP", i);
            continue;
        }
        if (st != ST_OK) {
            cannot_measure(c, st, i, "IA32_PQR_ASSOC");
            continue;
        }
        compared++;
        if (compared <= 8 || value != 0)
            evidence_msr(c, i, IA32_PQR_ASSOC, value, 0);
        if (value != 0)
            warn(c, "cpu %u: IA32_PQR_ASSOC was 0x%llx (RMID %u, CLOS %u) when Assay started", i,
                 (unsigned long long)value, pqr_decode(value).rmid, pqr_decode(value).clos);
    }
    evidence_swept(c, "IA32_PQR_ASSOC as firmware left it", compared);
    record_init(c);
    return check_verdict(c);
}

/* --- registers that must stand at their reset value */

struct left {
    struct sweep sweep;
    uint32_t first, n; /* a run of registers */
    uint64_t reset;
    uint64_t bits; /* that are looked at */
    enum alloc_scope scope;
    const char *means;     /* what a difference does to the machine                           */
    bool optional;         /* #GP: not there, which is an answer                              */
    bool first_is_serious; /* a difference in the first register fails                        */
    bool alike;            /* no reset value: as on the first set that has it                 */
    bool reset_known;
    uint32_t there;
};

static uint32_t build_left(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct left *l = s->context;

    if (!alloc_writes(s->check, cpu, l->scope))
        return 0;
    for (uint32_t i = 0; i < l->n; i++)
        steps[i] = step_rdmsr(l->first + i);
    return l->n;
}

/* What stood there when Assay started. */
static enum status value_left(const struct check *c, uint32_t cpu, const struct step *step, uint64_t *value)
{
    enum status st = ledger_found_msr(c->platform->ledger, cpu, step->reg, value);

    if (st != ST_ABSENT)
        return st;
    *value = step->value;
    return step->status;
}

static void judge_left(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct left *l = s->context;
    struct check *c = s->check;
    bool said = false;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = 0;
        enum status st = value_left(c, cpu, &steps[i], &value);
        bool wrong;

        if (st == ST_FAULT && l->optional)
            continue;
        if (l->alike && !l->reset_known && st == ST_OK) {
            l->reset = value;
            l->reset_known = true;
        }
        wrong = st == ST_OK && (value & l->bits) != (l->reset & l->bits);
        s->compared++;
        if (st != ST_OK) {
            fail(c, "cpu %u: RDMSR 0x%x raised %s, and it is enumerated", cpu, steps[i].reg, status_text(st));
            continue;
        }
        if (l->there++ < 4 || (wrong && !said))
            evidence_msr(c, cpu, steps[i].reg, value, steps[i].tsc);
        if (!wrong || (said && i > 0))
            continue;
        said = true;
        if (i == 0 && l->first_is_serious)
            fail(c, "cpu %u: %s (0x%x) was 0x%llx when Assay started, reset value 0x%llx: %s", cpu,
                 register_name(steps[i].reg), steps[i].reg, (unsigned long long)value, (unsigned long long)l->reset,
                 l->means);
        else
            warn(c, "cpu %u: %s (0x%x) was 0x%llx when Assay started, %s 0x%llx: %s", cpu, register_name(steps[i].reg),
                 steps[i].reg, (unsigned long long)value, l->alike ? "on another L3" : "reset value",
                 (unsigned long long)l->reset, l->means);
    }
}

/* Reads the run on every set; returns how many registers were there. */
static uint32_t look_at(struct check *c, struct left *l)
{
    if (l->n == 0)
        return 0;
    if (l->bits == 0)
        l->bits = UINT64_MAX;
    l->sweep = (struct sweep){ .check = c,
                               .max_steps = l->n,
                               .build = build_left,
                               .judge = judge_left,
                               .what = register_name(l->first),
                               .context = l };
    if (sweep_processors(&l->sweep) != ST_OK)
        cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, register_name(l->first));
    else if (l->there)
        evidence_swept(c, "registers compared with their reset value", l->sweep.compared);
    return l->there;
}

/* A mask of class 0, in which everything runs, closes part of the cache to everything. */
static enum verdict check_masks(struct check *c)
{
    struct alloc_table tables[2] = { alloc_l3_masks(c), alloc_l2_masks(c) };
    uint32_t there = 0;

    for (uint32_t i = 0; i < 2; i++) {
        struct left l = { .first = tables[i].first,
                          .n = tables[i].classes,
                          .reset = low_bits(tables[i].bits),
                          .scope = tables[i].scope,
                          .means = "part of the cache is closed to this class",
                          .first_is_serious = true };

        there += look_at(c, &l);
    }
    return there || check_verdict(c) != VERDICT_PASS ? check_verdict(c) : skip(c, "no cache allocation is enumerated");
}

static enum verdict check_cdp(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct left l3 = { .first = IA32_L3_QOS_CFG,
                       .n = rdt->l3.known && rdt->l3.cdp,
                       .scope = ALLOC_L3,
                       .means = "code and data have masks of their own, and half the classes are gone" };
    struct left l2 = { .first = IA32_L2_QOS_CFG,
                       .n = rdt->l2.known && rdt->l2.cdp,
                       .scope = ALLOC_L2,
                       .means = "code and data have L2 masks of their own, and half the classes are gone" };
    uint32_t there = look_at(c, &l3) + look_at(c, &l2);

    return there || check_verdict(c) != VERDICT_PASS ? check_verdict(c)
                                                     : skip(c, "no code and data prioritization is enumerated");
}

static enum verdict check_throttles(struct check *c)
{
    struct alloc_table t = alloc_throttles(c);
    struct left l = {
        .first = t.first, .n = t.classes, .scope = t.scope, .means = "this class's memory traffic is slowed down"
    };

    return look_at(c, &l) || check_verdict(c) != VERDICT_PASS ? check_verdict(c)
                                                              : skip(c, "CPUID.(0x10,3) cannot be read");
}

/* Model-specific or optional: #GP means that it is not there. */
static enum verdict check_options(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    bool io = rdt->non_cpu_cmt || rdt->non_cpu_mbm || rdt->l3.non_cpu;
    struct left l3_io = { .first = IA32_L3_IO_QOS_CFG,
                          .n = is_intel(c),
                          .scope = ALLOC_L3,
                          .means = "devices are monitored or held to masks",
                          .optional = !io };
    struct left mba = { .first = MBA_CFG,
                        .n = is_intel(c) && rdt->mba.known,
                        .scope = ALLOC_L3,
                        .means = "another rule than the larger delay joins the throttles of two threads",
                        .optional = true };
    uint32_t there = look_at(c, &l3_io) + look_at(c, &mba);

    return there || check_verdict(c) != VERDICT_PASS
               ? check_verdict(c)
               : skip(c, "neither IA32_L3_IO_QOS_CFG nor MBA_CFG is there (both raise #GP)");
}

static enum verdict check_amd(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct alloc_table t = alloc_amd_bandwidth(c);
    bool events = rdt->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC, abmc = rdt->qosx_ebx & CPUID_8000_0020_0_EBX_ABMC;
    uint64_t unlimited = L3QOS_BW_CONTROL_U(rdt->qosx_bw_len);
    struct left bandwidth = { .first = t.first,
                              .n = t.classes,
                              .reset = unlimited,
                              .bits = unlimited,
                              .scope = t.scope,
                              .means = "this class's memory bandwidth is limited" };
    struct left total = { .first = QOS_EVT_CFG(0),
                          .n = events,
                          .reset = QOS_EVT_CFG_TOTAL_RESET,
                          .scope = ALLOC_CPU,
                          .means = "total bandwidth counts another set of transactions" };
    struct left local = { .first = QOS_EVT_CFG(1),
                          .n = events,
                          .reset = QOS_EVT_CFG_LOCAL_RESET,
                          .scope = ALLOC_CPU,
                          .means = "local bandwidth counts another set of transactions" };
    struct left assign = { .first = L3_QOS_EXT_CFG,
                           .n = abmc,
                           .bits = L3_QOS_EXT_CFG_ABMC_EN,
                           .scope = ALLOC_L3,
                           .means = "bandwidth is counted for assigned RMIDs alone" };
    uint32_t there = look_at(c, &bandwidth) + look_at(c, &total) + look_at(c, &local) + look_at(c, &assign);

    return there || check_verdict(c) != VERDICT_PASS ? check_verdict(c)
                                                     : skip(c, "CPUID.80000020H enumerates none of them");
}

/* --- XC-09: L3s against each other */

#define SETTINGS_MOST 128u

/* One register at a time: each has a first value of its own. */
static uint32_t alike(struct check *c, uint32_t msr, uint32_t n, bool optional)
{
    uint32_t there = 0;

    for (uint32_t i = 0; i < n && i < SETTINGS_MOST; i++) {
        struct left l = { .first = msr + i,
                          .n = 1,
                          .scope = ALLOC_L3,
                          .means = "firmware programmed one L3 unlike another",
                          .optional = optional,
                          .alike = true };

        there += look_at(c, &l);
    }
    return there;
}

static enum verdict check_alike(struct check *c)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct alloc_table throttles = alloc_throttles(c);
    uint32_t there = alike(c, throttles.first, throttles.classes, false);

    there += alike(c, IA32_L3_QOS_CFG, rdt->l3.known && rdt->l3.cdp, false);
    there += alike(c, IA32_L3_IO_QOS_CFG, is_intel(c), true);
    there += alike(c, MBA_CFG, is_intel(c) && rdt->mba.known, true);
    return there || check_verdict(c) != VERDICT_PASS ? check_verdict(c) : skip(c, "none of these registers is there");
}

/* --- RS-06, RS-08: recorded */

static uint32_t build_recorded(struct sweep *s, uint32_t cpu, struct step *steps)
{
    (void)cpu;
    steps[0] = step_rdmsr(MSR_MISC_FEATURE_CONTROL);
    steps[1] = step_rdmsr(MSR_RMID_SNC_CONFIG);
    (void)s;
    return 2;
}

struct recorded {
    struct sweep sweep;
    bool there[2], differs[2];
    uint64_t first[2];
};

static void judge_recorded(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct recorded *r = s->context;

    for (uint32_t i = 0; i < n; i++) {
        if (steps[i].status != ST_OK)
            continue;
        if (!r->there[i] || (steps[i].value != r->first[i] && !r->differs[i]))
            evidence_msr(s->check, cpu, steps[i].reg, steps[i].value, steps[i].tsc);
        if (r->there[i] && steps[i].value != r->first[i] && !r->differs[i]) {
            r->differs[i] = true;
            warn(s->check, "cpu %u: %s is 0x%llx, on the first processor 0x%llx: what is measured there differs", cpu,
                 register_name(steps[i].reg), (unsigned long long)steps[i].value, (unsigned long long)r->first[i]);
        }
        if (!r->there[i])
            r->first[i] = steps[i].value;
        r->there[i] = true;
        s->compared++;
    }
}

/* The documents give no rule for the values: prefetchers may be set core by core, and both RMID modes are legal. That
 * processors differ is said all the same, because the same load then counts differently on them. */
static enum verdict check_recorded(struct check *c)
{
    struct recorded r = { 0 };

    if (!is_intel(c))
        return skip(c, "these are registers of Intel parts");
    r.sweep = (struct sweep){ .check = c,
                              .max_steps = 2,
                              .build = build_recorded,
                              .judge = judge_recorded,
                              .what = "MSR_MISC_FEATURE_CONTROL",
                              .context = &r };
    if (sweep_processors(&r.sweep) != ST_OK)
        return cannot_measure(c, ST_NO_MEMORY, c->platform->bsp, "MSR_MISC_FEATURE_CONTROL");
    if (!r.there[0] && !r.there[1])
        return skip(c, "neither MSR_MISC_FEATURE_CONTROL nor MSR_RMID_SNC_CONFIG is there (both raise #GP)");
    if (r.there[0])
        note(c, "MSR_MISC_FEATURE_CONTROL is 0x%llx: a 1 turns a prefetcher off", (unsigned long long)r.first[0]);
    if (r.there[1])
        note(c, "MSR_RMID_SNC_CONFIG is 0x%llx: RMIDs are %s", (unsigned long long)r.first[1],
             r.first[1] & MSR_RMID_SNC_CONFIG_SPLIT ? "divided between sub-NUMA clusters, if there are any"
                                                    : "shared by sub-NUMA clusters, if there are any");
    evidence_swept(c, "prefetcher control and RMID mode read on every processor", r.sweep.compared);
    return check_verdict(c);
}

#define MEANS_USUAL "a register is not what its specification has after reset, or not the same everywhere"
#define NEXT_USUAL  "the register and processor in the finding; firmware's setup; the same run after a cold boot"

static const struct check_row rows[] = {
    { .id = "reset.pqr",
      .title = "Firmware leaves every processor untagged",
      .spec = "SDM vol. 3B 17.16.6 Monitoring Resource RMID Association",
      .rows = "AS-01 RS-01 RS-12",
      .detects = "a tag left behind by firmware",
      .means = "firmware or an earlier program tagged a processor and left it so: its traffic is not under RMID 0",
      .next = "the value in the evidence; a cold boot instead of a warm one; firmware's own RDT settings",
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 100,
      .run = check_pqr_reset },
    { .id = "reset.masks",
      .title = "Firmware leaves every capacity mask full",
      .spec = SDM_COS,
      .rows = "CA-01 RS-02",
      .detects = "part of a cache closed by firmware",
      .means = "part of a cache is closed to the classes that the finding names; the machine is slower than it need be",
      .next = "firmware settings for real-time or I/O reservation; `cat.windows`, which says whether the masks can be "
              "opened",
      .needs = NEED_RDT_A_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_F,
      .rests_on = RESTS_ON_REGISTERS | RESTS_ON_CLASSES,
      .order = 100,
      .run = check_masks },
    { .id = "reset.cdp",
      .title = "Firmware leaves code and data together",
      .spec = SDM_CDP,
      .rows = "RS-03",
      .detects = "code and data prioritization left on",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_A_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 100,
      .run = check_cdp },
    { .id = "reset.throttles",
      .title = "Firmware leaves memory bandwidth unthrottled",
      .spec = "RDT Architecture Specification 356688 3.2 Memory Bandwidth Allocation",
      .rows = "MA-01 RS-04",
      .detects = "a throttle left on",
      .means = "a class is slowed down before anybody asked for it",
      .next = "firmware settings for bandwidth; a cold boot; `mba.rate`",
      .needs = NEED_MBA,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 100,
      .run = check_throttles },
    { .id = "reset.options",
      .title = "Firmware leaves allocation for devices and throttling options off",
      .spec = "RDT Architecture Specification 356688, IA32_L3_IO_QOS_CFG; appendix B, MBA_CFG",
      .rows = "RS-05",
      .detects = "resource control of devices or another throttle rule left on",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 100,
      .run = check_options },
    { .id = "reset.amd",
      .title = "Firmware leaves AMD's bandwidth unlimited and its events at their defaults",
      .spec = APM_BW,
      .rows = "RS-10",
      .detects = "a bandwidth limit, an event configuration or assigned counters left by firmware",
      .means = "a limit, an event configuration or an assigned counter is not at its reset value",
      .next = "the register in the evidence; firmware's setup; a cold boot",
      .needs = NEED_AMD_QOS,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 100,
      .run = check_amd },
    { .id = "reset.recorded",
      .title = "What firmware chose for prefetchers and RMID mode is the same everywhere",
      .spec = "SDM vol. 4 MSR_MISC_FEATURE_CONTROL; RDT Architecture Specification 356688 B.1.2",
      .rows = "RS-06 RS-08",
      .detects = "prefetchers off on some cores, packages that count RMIDs in different ways",
      .means = MEANS_USUAL,
      .next = NEXT_USUAL,
      .needs = NEED_RDT_BIT,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 100,
      .run = check_recorded },
    { .id = "reset.alike",
      .title = "Firmware programs every L3 alike",
      .spec = "RDT Architecture Specification 356688 3.2, 4",
      .rows = "XC-09 CD-05",
      .detects = "a setting that firmware made in one package only",
      .means = "packages were set up differently: software that reads one of them is wrong about the other",
      .next = "the two processors in the finding; whether firmware initializes every socket (multi-socket setup code)",
      .needs = NEED_RDT_A_BIT | NEED_2_DOMAINS,
      .risk = RISK_NONE,
      .grade = GRADE_W,
      .rests_on = RESTS_ON_REGISTERS,
      .order = 100,
      .run = check_alike },
};
CHECK_FAMILY(reset, rows);
