/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/registers/model_errors.c: machine-check banks, and the errors that faults have them log.
 *
 * A fault's errors are counted by what passes where they arise: lines that the package's processors read from memory, lines
 * that come into the L2 of a core. Nothing is signalled but by the uncorrected one (model_machine_checks()), and nothing but
 * a write of 0 clears a bank. How many banks a part has, and which is of what, is composed. In QEMU without such
 * a fault the banks are QEMU's, whose monitor can raise machine checks.
 *
 * Source: SDM vol. 3B, "Machine-Check MSRs" (IA32_MCG_CAP, IA32_MCi_STATUS), "Compound Error Codes"; SDM vol. 4, table of
 * architectural MSRs; APM vol. 2, 9.3 (MCAX; MCA_MISC0); PPR for family 19H, "MCA Bank to Block Mapping".
 */
#include "tests/silicon/model/model_state.h"
#include "core/base/search.h"

#define MCG_CAP     0x179u
#define MCG_STATUS  0x17Au
#define MCG_CTL     0x17Bu
#define MC0_CTL2    0x280u
#define MC0_CTL     0x400u
#define MCAX        0xC0002000u
#define BANKS_INTEL 20u
#define BANKS_AMD   23u

#define VAL   BIT(63)
#define OVER  BIT(62)
#define UC    BIT(61)
#define EN    BIT(60)
#define MISCV BIT(59)
#define ADDRV BIT(58)
#define S     BIT(56)
#define CECC  BIT(46)

enum { BANK_CTL, BANK_STATUS, BANK_ADDR, BANK_MISC, BANK_CONFIG, BANK_IPID };

/* Where each fault's errors are logged: Intel's bank with its MCACOD, AMD's with HardwareID and McaType. */
static const struct error_source {
    enum fault_id fault;
    uint32_t bank;
    uint16_t mcacod;
    uint32_t amd_bank;
    uint16_t hardware_id, mca_type;
    bool of_core;
} sources[] = {
    { FAULT_CORRECTED_MEMORY, 7, 0x0090, 17, 0x96, 0x0, false }, /* memory controller, read, channel 0; UMC */
    { FAULT_CORRECTED_CACHE, 3, 0x0136, 2, 0xB0, 0x2, true },    /* data read, L2                            */
    { FAULT_CORRECTED_LINK, 5, 0x0C0F, 22, 0x2E, 0x1, false },   /* bus or interconnect; PIE                 */
    { FAULT_CORRECTED_SLICE, 9, 0x0137, 7, 0xB0, 0x7, false },   /* data read, cache of any level; L3        */
    { FAULT_ERRCNT_ALONE, 9, 0x0137, 8, 0xB0, 0x7, false },      /* the L3's next bank                       */
    { FAULT_UNCORRECTED_CACHE, 3, 0x0134, 2, 0xB0, 0x2, true },  /* the last of them; data read, L2          */
};
#define SOURCES (sizeof sources / sizeof *sources)

static uint64_t lines_of_package(const struct model *m, uint32_t package)
{
    return SUM_OF(uint64_t, node, m->packages * m->clusters, memory_lines(m, node, package, false));
}

static uint64_t errors_of(const struct model *m, const struct cpu *c, const struct error_source *s)
{
    uint64_t lines = 0;

    if (!fault_on(&m->faults, s->fault))
        return 0;
    if (!s->of_core)
        return lines_of_package(m, c->package) / m->faults.value[s->fault];
    for (uint32_t i = 0; i < m->cpus; i++)
        lines += m->cpu[i].core == c->core ? m->cpu[i].counts.l2_fills : 0;
    lines /= m->faults.value[s->fault];
    return s->fault == FAULT_UNCORRECTED_CACHE && lines > 1 ? 1 : lines;
}

uint32_t model_machine_checks(const struct model *m)
{
    return SUM_OF(uint32_t, i, m->cpus,
                  (uint32_t)errors_of(m, &m->cpu[i], &sources[SOURCES - 1]) * (m->cpu[i].thread == 0));
}

static bool some_fault(const struct model *m)
{
    return ANY_OF(i, SOURCES, fault_on(&m->faults, sources[i].fault));
}

static uint64_t status_of(const struct model *m, const struct error_source *s, uint64_t errors)
{
    uint64_t status = VAL | EN | ADDRV | MISCV | s->mcacod | (errors > 1 ? OVER : 0);

    if (s->fault == FAULT_UNCORRECTED_CACHE)
        return status | UC | S;
    if (m->profile->amd)
        return status | CECC;
    return status | field_put(BITS(51, 38), errors & 0x3FFF) |
           (errors > 0x3FFF ? BIT(52) : 0); /* 52: it has overflowed */
}

static uint64_t bank_register(const struct model *m, const struct cpu *c, uint32_t bank, uint32_t reg)
{
    const struct error_source *s = NULL;
    uint64_t errors = 0, ipid = 0;

    for (size_t i = 0; i < SOURCES; i++) {
        if ((m->profile->amd ? sources[i].amd_bank : sources[i].bank) != bank)
            continue;
        ipid = (uint64_t)sources[i].mca_type << 48 | (uint64_t)sources[i].hardware_id << 32;
        if (!s || errors == 0) {
            s = &sources[i];
            errors = errors_of(m, c, s);
        }
    }
    switch (reg) {
    case BANK_STATUS:
        return errors && s->fault != FAULT_ERRCNT_ALONE ? status_of(m, s, errors) : 0;
    case BANK_ADDR:
        return errors && s->fault != FAULT_ERRCNT_ALONE ? UINT64_C(0x12345) << 6 : 0;
    case BANK_MISC: /* AMD: Valid, CntP, CntEn, ErrCnt */
        return m->profile->amd ? BIT(63) | BIT(62) | BIT(51) | field_put(BITS(43, 32), errors < 0xFFF ? errors : 0xFFF)
                               : 0;
    case BANK_IPID:
        return ipid;
    default:
        return 0;
    }
}

enum model_answer errors_read(const struct model *m, const struct cpu *c, uint32_t msr, uint64_t *value)
{
    uint32_t banks = m->profile->amd ? BANKS_AMD : BANKS_INTEL;

    if (m->qemu && !some_fault(m))
        return MODEL_NOT_MINE;
    *value = 0;
    if (msr == MCG_CAP) /* AMD: MCG_CTL_P. Intel: CMCI_P, TES_P, SER_P */
        *value = banks | (m->profile->amd ? BIT(8) : BIT(10) | BIT(11) | BIT(24));
    else if (msr == MCG_STATUS || (m->profile->amd && msr == MCG_CTL) || (!m->profile->amd && msr - MC0_CTL2 < banks))
        *value = 0;
    else if (msr - MC0_CTL < 4 * banks)
        *value = bank_register(m, c, (msr - MC0_CTL) / 4, (msr - MC0_CTL) % 4);
    else if (m->profile->amd && msr - MCAX < 16 * banks)
        *value = bank_register(m, c, (msr - MCAX) / 16, (msr - MCAX) % 16);
    else
        return MODEL_NOT_MINE;
    return MODEL_DONE;
}
