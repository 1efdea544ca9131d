/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/working_state.h"

#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/bits.h"
#include "core/platform/ledger.h"
#include "core/platform/script.h"

#define STATE_MOST 850u /* tables of 128, 64, 128 and four times 128 classes, and nine others */

struct state_register {
    uint32_t msr;
    uint64_t value;
    uint64_t bits; /* that are compared */
};

struct state_set {
    struct sweep sweep;
    struct working_state *out;
    struct state_register reg[STATE_MOST];
    bool differs[STATE_MOST];
    uint32_t n;
    enum status failed;
};

/* --- which registers ---------------------------------------------------------------------------------------------- */

static void state_add(struct state_set *s, uint32_t msr, uint64_t value, uint64_t bits)
{
    if (s->n < STATE_MOST)
        s->reg[s->n++] = (struct state_register){ .msr = msr, .value = value, .bits = bits };
}

static void state_add_table(struct state_set *s, const struct alloc_table *t, uint64_t value, uint64_t bits)
{
    for (uint32_t class = 0; class < t->classes; class ++)
        state_add(s, t->first + class, value, bits);
}

static void state_add_limits(struct state_set *s, const struct alloc_table *t)
{
    uint64_t unlimited = L3QOS_BW_CONTROL_U(t->bits - 1);

    state_add_table(s, t, unlimited, unlimited);
}

/* Limits, what bandwidth events count and whose, and the association of CPL 0. A change of ABMC_En clears the counters
 * and their assignments: those that firmware left are lost. */
static void amd_registers(const struct check *c, const struct rdt_info *rdt, struct state_set *s)
{
    struct alloc_table bandwidth = alloc_amd_bandwidth(c), slow = alloc_amd_slow_bandwidth(c);
    struct alloc_table global = alloc_amd_global(c), global_slow = alloc_amd_global_slow(c);
    uint64_t config = (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_ABMC ? L3_QOS_EXT_CFG_ABMC_EN : 0) |
                      (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_SDCIAE ? L3_QOS_EXT_CFG_SDCIAE_EN : 0);

    state_add_limits(s, &bandwidth);
    state_add_limits(s, &slow);
    state_add_limits(s, &global);
    state_add_limits(s, &global_slow);
    if (config)
        state_add(s, L3_QOS_EXT_CFG, 0, config);
    if (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_BMEC) {
        state_add(s, QOS_EVT_CFG(0), rdt_event_reset(rdt, QOS_EVT_CFG_TOTAL_RESET), UINT64_MAX);
        state_add(s, QOS_EVT_CFG(1), rdt_event_reset(rdt, QOS_EVT_CFG_LOCAL_RESET), UINT64_MAX);
    }
    if (rdt->qosx_ebx & CPUID_8000_0020_0_EBX_PLZA)
        state_add(s, PQR_PLZA_ASSOC, 0, PQR_PLZA_ASSOC_PLZA_EN);
}

/* Masks come before CDP: with every mask full it makes no difference which of them a class has while CDP changes. (On a hybrid
 * part those of the L2 are left as they are.) */
static void state_registers(const struct check *c, struct state_set *s)
{
    const struct rdt_info *rdt = reference_rdt(c);
    struct alloc_table l3 = alloc_l3_masks(c), l2 = alloc_l2_masks(c);
    struct alloc_table throttles = alloc_throttles(c);

    state_add_table(s, &l3, low_bits(l3.bits), UINT64_MAX);
    state_add_table(s, &l2, low_bits(l2.bits), UINT64_MAX);
    if (rdt->l3.known && rdt->l3.cdp)
        state_add(s, IA32_L3_QOS_CFG, 0, IA32_L3_QOS_CFG_CDP_ENABLE);
    if (rdt->l2.known && rdt->l2.cdp)
        state_add(s, IA32_L2_QOS_CFG, 0, IA32_L2_QOS_CFG_CDP_ENABLE);
    state_add_table(s, &throttles, 0, UINT64_MAX);
    for (uint32_t i = 0; i < 2 && rdt->cba && rdt->leaf10_5.known; i++)
        state_add(s, IA32_QoS_Core_BW_Thrtl(i), 0, UINT64_MAX);
    if (c->tools->pqr_recorded)
        state_add(s, IA32_PQR_ASSOC, 0, UINT64_MAX);
    amd_registers(c, rdt, s);
}

/* --- what differs ------------------------------------------------------------------------------------------------- */

static uint32_t build_state_read(struct sweep *sweep, uint32_t, struct step *steps)
{
    const struct state_set *s = sweep->context;

    for (uint32_t i = 0; i < s->n; i++)
        steps[i] = step_rdmsr(s->reg[i].msr);
    return s->n;
}

static void judge_state_read(struct sweep *sweep, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct state_set *s = sweep->context;
    struct working_state *out = s->out;
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        if (steps[i].status != ST_OK || !((steps[i].value ^ s->reg[i].value) & s->reg[i].bits))
            continue;
        if (out->registers == 0) {
            out->first_msr = steps[i].reg;
            out->first_cpu = cpu;
            out->first_found = steps[i].value;
        }
        out->registers += !s->differs[i];
        s->differs[i] = true;
        any = true;
    }
    out->cpus += any;
}

/* --- written ------------------------------------------------------------------------------------------------------ */

/* Each register that differed anywhere, where it was read at first touch: the bits that are compared. Others stay: the
 * fields of PQR_PLZA_ASSOC but PLZA_EN are to be the same on every processor of an L3, whose PLZA_EN may differ. */
static uint32_t build_state_write(struct sweep *sweep, uint32_t cpu, struct step *steps)
{
    const struct state_set *s = sweep->context;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t found = 0;

        if (!s->differs[i] || ledger_found_msr(sweep->check->platform->ledger, cpu, s->reg[i].msr, &found) != ST_OK)
            continue;
        steps[n++] = step_wrmsr(s->reg[i].msr, (found & ~s->reg[i].bits) | (s->reg[i].value & s->reg[i].bits));
        steps[n++] = step_rdmsr(s->reg[i].msr);
    }
    return n;
}

/* What a register holds then is what the run works with, whatever it was written. */
static void judge_state_write(struct sweep *sweep, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct state_set *s = sweep->context;

    for (uint32_t i = 0; i + 1 < n; i += 2) {
        const struct step *write = &steps[i], *read = &steps[i + 1];

        s->out->refused += write->status != ST_OK || read->value != write->value;
        if (read->status == ST_OK)
            s->failed = status_first(
                s->failed, ledger_set_working_msr(sweep->check->platform->ledger, cpu, read->reg, read->value));
    }
}

static enum status state_write(struct check *c, struct state_set *s)
{
    enum status st = ST_OK;

    for (uint32_t i = 0; i < s->n && st == ST_OK; i++) {
        if (!s->differs[i])
            continue;
        /* While ABMC is off L3_QOS_ABMC_CFG raises #GP, and IA32_QM_EVTSEL does with ExtEvtID: both are read first and written
         * back last. */
        if (s->reg[i].msr == L3_QOS_EXT_CFG && (reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_ABMC)) {
            st = ledger_touch_msr(c->platform, L3_QOS_ABMC_CFG, LEDGER_CONTROL);
            st = status_first(st, ledger_touch_msr(c->platform, IA32_QM_EVTSEL, LEDGER_CONTROL));
        }
        st = status_first(st, ledger_touch_msr(c->platform, s->reg[i].msr, LEDGER_CONTROL));
    }
    TRY(st);
    st = sweep_run(&s->sweep, c, 2 * s->out->registers, build_state_write, judge_state_write,
                   "classes, masks and throttles", s);
    return status_first(st, s->failed);
}

/* Lines that were brought in under an RMID that firmware left. */
static enum status state_flush(struct check *c)
{
    uint32_t bad_cpu;

    for (uint32_t i = 0; i < c->machine->n_domains; i++)
        if (domain_qm(c, i))
            TRY(domain_clean(c, i, &bad_cpu));
    return ST_OK;
}

enum status working_state_set(struct check *c, struct working_state *out)
{
    struct check_memory *mark = check_memory_mark(c);
    struct state_set *s = check_alloc(c, sizeof *s);
    enum status st = s ? ST_OK : ST_NO_MEMORY;

    *out = (struct working_state){ 0 };
    if (s) {
        *s = (struct state_set){ .out = out };
        state_registers(c, s);
    }
    if (st == ST_OK && s->n)
        st = sweep_run(&s->sweep, c, s->n, build_state_read, judge_state_read, "classes, masks and throttles", s);
    if (st == ST_OK && out->registers)
        st = state_write(c, s);
    if (st == ST_OK && out->registers)
        st = state_flush(c);
    check_free_since(c, mark);
    return st;
}
