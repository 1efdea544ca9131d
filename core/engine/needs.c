/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/engine/engine.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/text.h"
#include "core/encoding/json.h"
#include "core/tools/tools.h"

static bool two_started(const struct platform *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_cpus && n < 2; i++)
        n += cpu_takes_work(p, i);
    return n >= 2;
}

static bool are_siblings(const struct cpu_place *a, const struct cpu_place *b)
{
    return place_same_core(a, b) && a->thread != b->thread;
}

/* Processors ascend by APIC id, so threads of one core stand next to each other. */
static bool two_threads_of_a_core(const struct platform *p, const struct machine *m)
{
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i < m->n_cpus; i++) {
        if (!cpu_takes_work(p, i) || m->cpus[i].enumerated != ST_OK)
            continue;
        if (last != UINT32_MAX && are_siblings(&m->cpus[last].place, &m->cpus[i].place))
            return true;
        last = i;
    }
    return false;
}

static bool two_domains(const struct platform *p, const struct machine *m)
{
    uint32_t first = NO_DOMAIN;

    for (uint32_t i = 0; i < m->n_cpus; i++) {
        if (!cpu_takes_work(p, i) || m->cpus[i].domain == NO_DOMAIN)
            continue;
        if (first != NO_DOMAIN && m->cpus[i].domain != first)
            return true;
        first = m->cpus[i].domain;
    }
    return false;
}

/* A node with processors, and memory that is of another one. */
static bool two_nodes(const struct machine *m)
{
    bool has = false;

    for (uint32_t i = 0; m->srat_present && i < m->n_nodes; i++)
        for (uint32_t k = 0; k < m->n_nodes; k++)
            has |= i != k && m->nodes[i].n_cpus > 0 && m->nodes[k].memory_bytes > 0;
    return has;
}

static bool mp_selftest_ran(const struct platform *p)
{
    return p->ops->mp_selftest && p->ops->mp_selftest(p->machine);
}

/* NEED(need, those tried before it, words, test, sentence), in the order in which they are tried. words: for -list.
 * test: of e, its machine m and what the reference processor enumerates, rdt. sentence: the SKIP where it is false. */
#define NEEDS(NEED)                                                                                                    \
    NEED(NEED_RDT_BIT, 0, "RDT-M bit", rdt->monitoring,                                                                \
         "this processor has no RDT monitoring (CPUID.7.0:EBX[12] = 0)")                                               \
    NEED(NEED_RDT_M, NEED_RDT_BIT, "L3 monitoring", rdt->l3_monitoring,                                                \
         "no L3 monitoring is enumerated (CPUID.0FH.0:EDX[1] = 0)")                                                    \
    NEED(NEED_OCCUPANCY, NEED_RDT_M, "CMT", rdt->occupancy,                                                            \
         "L3 occupancy monitoring is not enumerated (CPUID.0FH.1:EDX[0] = 0)")                                         \
    NEED(NEED_TOTAL, NEED_RDT_M, "MBM total", rdt->total, "MBM total is not enumerated (CPUID.0FH.1:EDX[1] = 0)")      \
    NEED(NEED_LOCAL, NEED_RDT_M, "MBM local", rdt->local, "MBM local is not enumerated (CPUID.0FH.1:EDX[2] = 0)")      \
    NEED(NEED_WIDTH_24, NEED_RDT_M, "24-bit MBM counters", rdt->counter_width == 24,                                   \
         "MBM counters are not 24 bits wide")                                                                          \
    NEED(NEED_RDT_A_BIT, 0, "RDT-A bit", rdt->allocation,                                                              \
         "this processor has no RDT allocation (CPUID.7.0:EBX[15] = 0)")                                               \
    NEED(NEED_RDT_A, NEED_RDT_A_BIT, "L3 allocation", rdt->l3.present,                                                 \
         "no L3 allocation is enumerated (CPUID.10H.0:EBX[1] = 0)")                                                    \
    NEED(NEED_CDP, NEED_RDT_A, "CDP", rdt->l3.cdp,                                                                     \
         "no code and data prioritization is enumerated (CPUID.10H.1:ECX[2] = 0)")                                     \
    NEED(NEED_L2_CAT, NEED_RDT_A_BIT, "L2 CAT", rdt->l2.present,                                                       \
         "no L2 allocation is enumerated (CPUID.10H.0:EBX[2] = 0)")                                                    \
    NEED(NEED_MBA, NEED_RDT_A_BIT, "MBA", rdt->mba.present,                                                            \
         "no memory bandwidth allocation is enumerated (CPUID.10H.0:EBX[3] = 0)")                                      \
    NEED(NEED_CLASSES, NEED_RDT_A_BIT, "2 CLOS", rdt->max_clos > 0,                                                    \
         "no resource of CPUID leaf 10H has more than one CLOS")                                                       \
    NEED(NEED_AMD_QOS, 0, "AMD bandwidth enforcement", rdt->qosx_known,                                                \
         "this processor has no AMD bandwidth enforcement (CPUID.80000020H)")                                          \
    NEED(NEED_AMD_ABMC, NEED_AMD_QOS, "assignable counters", (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_ABMC) != 0,        \
         "no assignable bandwidth counters are enumerated (CPUID.80000020H.0:EBX[5] = 0)")                             \
    NEED(NEED_2_CPUS, 0, "2 processors", two_started(e->platform), "needs two started processors")                     \
    NEED(NEED_SMT, 0, "2 threads of a core", two_threads_of_a_core(e->platform, m),                                    \
         "needs two started threads of one core")                                                                      \
    NEED(NEED_2_DOMAINS, 0, "2 L3 domains", two_domains(e->platform, m),                                               \
         "needs two L3 domains with a started processor each")                                                         \
    NEED(NEED_2_NODES, 0, "2 NUMA nodes", two_nodes(m),                                                                \
         "needs two NUMA nodes, one with processors and another with memory (SRAT)")                                   \
    NEED(NEED_UBOX, 0, "UBox PMON", e->tools && e->tools->pmon.ubox,                                                   \
         "the tables have no UBox PMON for this processor")                                                            \
    NEED(NEED_PMON, 0, "uncore PMON", e->tools && e->tools->pmon.part,                                                 \
         "the tables have no uncore PMON for this processor")                                                          \
    NEED(NEED_PMI_ASKED, 0, "-pmi", e->options->pmi, "needs -pmi (pmi = yes), which installs an interrupt handler")    \
    NEED(NEED_MP_SELFTEST, 0, "MP services", mp_selftest_ran(e->platform),                                             \
         "MP services self-test did not run: firmware has none, -mp sipi or -mp bsp excludes it, or the run or a "     \
         "processor did not finish")

#define AS_ROW(need, earlier, words, test, sentence)  { need, earlier, words, sentence },
#define AS_TEST(need, earlier, words, test, sentence) test,
#define N_NEEDS                                       (sizeof(table) / sizeof(table[0]))

static const struct {
    uint32_t need, earlier;
    const char *words, *sentence;
} table[] = { NEEDS(AS_ROW) };

uint32_t engine_missing_needs(const struct engine *e)
{
    const struct machine *m = e->machine;
    const struct rdt_info *rdt = &m->cpus[m->reference].rdt;
    const bool met[N_NEEDS] = { NEEDS(AS_TEST) };
    uint32_t missing = 0;

    for (size_t i = 0; i < N_NEEDS; i++)
        missing |= met[i] ? 0 : table[i].need;
    return missing;
}

const char *engine_missing(const struct engine *e, const struct check_row *row)
{
    uint32_t needs = row->needs, missing = engine_missing_needs(e);

    for (size_t i = N_NEEDS; i-- > 0;)
        needs |= needs & table[i].need ? table[i].earlier : 0;
    return FIND(i, N_NEEDS, needs & missing & table[i].need, table[i].sentence, NULL);
}

void check_needs_text(const struct check_row *row, char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < N_NEEDS && n < size; i++)
        if (row->needs & table[i].need)
            n += text_format(out + n, size - n, "%s%s", n ? ", " : "", table[i].words);
    if (n == 0)
        text_format(out, size, "nothing");
}

void check_as_json(const struct check_row *row, struct json *j)
{
    json_object(j, NULL);
    json_text(j, "id", row->id);
    json_text(j, "rule", row->title);
    json_array(j, "needs");
    for (size_t i = 0; i < N_NEEDS; i++)
        if (row->needs & table[i].need)
            json_text(j, NULL, table[i].words);
    json_end(j);
    json_text(j, "worst", row->grade == GRADE_W ? "WARN" : "FAIL");
    json_bool(j, "byExperience", row->by_experience);
    json_bool(j, "slow", row->slow);
    json_end(j);
}
