/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Registers: of processors, of RDT, and of uncore boxes by MSR and in memory. Those that all processors have alike are one line. */
#include "core/record/record_internal.h"

#include "arch/x86/cpu/msr_regs.h"
#include "arch/x86/rdt/rdt_regs.h"
#include "core/base/heap.h"
#include "core/base/text.h"

#define MOST 512u

struct wanted {
    uint32_t n, msr[MOST];
};

static void want(struct wanted *w, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n && w->n < MOST; i++)
        w->msr[w->n++] = first + i;
}

/* Reading one of these changes nothing: counters and data of QM_EVTSEL (C8EH) are not among them. */
static void choose(struct wanted *w, const struct cpu *c)
{
    static const uint32_t of_all[] = { IA32_APIC_BASE, IA32_TSC_ADJUST, IA32_BIOS_SIGN_ID };
    static const uint32_t of_intel[] = {
        IA32_PLATFORM_ID,         MSR_SMI_COUNT,          MSR_PPIN_CTL,
        MSR_PLATFORM_INFO,        IA32_CORE_CAPABILITIES, IA32_MISC_ENABLE,
        MSR_MISC_FEATURE_CONTROL, IA32_DEBUGCTL,          MSR_UNCORE_RATIO_LIMIT,
        MSR_UNCORE_PERF_STATUS,
    };
    const struct rdt_info *rdt = &c->rdt;
    bool intel = c->id.vendor == VENDOR_INTEL;

    w->n = 0;
    for (size_t i = 0; i < sizeof of_all / sizeof of_all[0]; i++)
        want(w, of_all[i], 1);
    for (size_t i = 0; intel && i < sizeof of_intel / sizeof of_intel[0]; i++)
        want(w, of_intel[i], 1);
    if (rdt->monitoring || rdt->allocation) {
        want(w, IA32_QM_EVTSEL, 1);
        want(w, IA32_PQR_ASSOC, 1);
        want(w, IA32_L3_QOS_CFG, intel ? MBA_CFG - IA32_L3_QOS_CFG + 1 : 2);
    }
    if (intel && (rdt->monitoring || rdt->allocation))
        want(w, MSR_RMID_SNC_CONFIG, 1);
    want(w, IA32_L3_MASK(0), rdt->l3.clos < 64 ? rdt->l3.clos : 64);
    want(w, IA32_L2_MASK(0), rdt->l2.clos < 64 ? rdt->l2.clos : 64);
    if (intel)
        want(w, IA32_L2_QoS_Ext_BW_Thrtl(0), rdt->mba.clos < 64 ? rdt->mba.clos : 64);
    want(w, L3QOS_BW_CONTROL(0), rdt->l3be.clos < 64 ? rdt->l3be.clos : 64);
    want(w, L3QOS_SMBW_CONTROL(0), rdt->l3smbe.clos < 64 ? rdt->l3smbe.clos : 64);
    want(w, MSR_IA32_GMBA_BW(0), rdt->glbe.clos < 64 ? rdt->glbe.clos : 64);
    want(w, MSR_IA32_GSMBA_BW(0), rdt->glsbe.clos < 64 ? rdt->glsbe.clos : 64);
    if (rdt->qosx_known)
        want(w, L3_QOS_EXT_CFG, 1);
    if (rdt->bw_types)
        want(w, QOS_EVT_CFG(0), 2);
    if (!intel)
        want(w, AMD_PREFETCH_CONTROL, 1);
}

static void put_value(struct recorder *r, const char *cpu, uint32_t msr, const struct step *s)
{
    if (s->status == ST_FAULT)
        record_line(r, "msr %s %x #GP", cpu, msr);
    else if (s->status == ST_OK)
        record_line(r, "msr %s %x %lx", cpu, msr, s->value);
}

static bool alike(const struct step *a, const struct step *b)
{
    return a->status == b->status && a->value == b->value;
}

static void put_register(struct recorder *r, uint32_t msr, const struct task *tasks, const struct step *steps,
                         uint32_t n)
{
    char cpu[16];

    put_value(r, "all", msr, &steps[0]);
    for (uint32_t i = 1; i < n; i++) {
        if (alike(&steps[i], &steps[0]))
            continue;
        text_format(cpu, sizeof cpu, "%u", tasks[i].cpu);
        put_value(r, cpu, msr, &steps[i]);
    }
}

/* A register at a time on all processors: memory is a step each. */
static void record_each(struct recorder *r, const struct wanted *w)
{
    struct platform *p = r->source->platform;
    struct step *steps = heap_alloc(sizeof *steps * p->n_cpus);
    struct task *tasks = heap_alloc(sizeof *tasks * p->n_cpus);
    enum status st = steps && tasks ? ST_OK : ST_NO_MEMORY;

    for (uint32_t k = 0; k < w->n && st != ST_NO_MEMORY; k++) {
        uint32_t n = 0;

        for (uint32_t cpu = 0; cpu < p->n_cpus; cpu++) {
            if (!cpu_takes_work(p, cpu))
                continue;
            steps[n] = (struct step){ .op = STEP_RDMSR, .reg = w->msr[k] };
            tasks[n] = (struct task){ .cpu = cpu, .n_steps = 1, .steps = &steps[n] };
            n++;
        }
        st = platform_run(p, tasks, n, work_budget_ms(0));
        if (n && st != ST_TIMEOUT && st != ST_LOST)
            put_register(r, w->msr[k], tasks, steps, n);
    }
    if (st == ST_NO_MEMORY)
        r->status = st;
    heap_free(steps);
    heap_free(tasks);
}

/* The number that names a processor: as a digest. Only where firmware lets it be read already. */
static void record_ppin(struct recorder *r)
{
    const struct machine *m = r->source->machine;

    for (uint32_t i = 0; i < m->n_packages; i++) {
        const struct cpu *c = &m->cpus[m->packages[i].first_cpu];
        char digest[17];

        if (c->ppin_status != ST_OK || c->id.vendor != VENDOR_INTEL)
            continue;
        record_digest(r, &c->ppin, sizeof c->ppin, digest);
        if (r->source->full)
            record_line(r, "msr %u %x %lx", m->packages[i].first_cpu, MSR_PPIN, c->ppin);
        else
            record_line(r, "msr %u %x %s", m->packages[i].first_cpu, MSR_PPIN, digest);
    }
}

static void put_mapped(struct recorder *r, uint32_t offset, uint64_t value, uint32_t n)
{
    uint8_t bytes[8];

    for (uint32_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    record_bytes(r, offset, bytes, n);
}

uint32_t record_box_registers(const struct pmon_unit *u, struct pmon_reg regs[RECORD_REGISTERS])
{
    uint32_t n = 0;

    regs[n++] = pmon_box_ctl(u);
    regs[n++] = pmon_status(u);
    regs[n++] = pmon_filter(u, 0);
    regs[n++] = pmon_filter(u, 1);
    for (uint32_t i = 0; i < pmon_n_counters(u) && n + 2 <= RECORD_REGISTERS; i++) {
        regs[n++] = pmon_ctl(u, pmon_nth(u, i));
        regs[n++] = pmon_ctr(u, pmon_nth(u, i));
    }
    return n;
}

/* Of a box by MSR, as the processor that drives it reads them, or in memory. */
static void record_box(struct recorder *r, const struct pmon_box *box)
{
    struct pmon_reg regs[RECORD_REGISTERS];
    bool mapped = box->unit->layout->access == PMON_MMIO;
    uint32_t n = record_box_registers(box->unit, regs);

    if (mapped)
        record_line(r, "region %lx", box->base);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = 0;
        enum status st;

        if (regs[i].bytes == 0)
            continue;
        st = pmon_read(r->source->platform, box, regs[i], &value);
        if (mapped && st == ST_OK)
            put_mapped(r, regs[i].offset, value, regs[i].bytes);
        else if (st == ST_OK)
            record_line(r, "msr %u %x %lx", box->cpu, (uint32_t)(box->base + regs[i].offset), value);
        else if (st == ST_FAULT && !mapped)
            record_line(r, "msr %u %x #GP", box->cpu, (uint32_t)(box->base + regs[i].offset));
    }
}

/* Of all boxes: the global control and status, which stop and list them. By MSR on a processor of each package; a control in memory
 * as each discovery table has it. */
static void record_global(struct recorder *r, const struct pmon *pmon)
{
    const struct machine *m = r->source->machine;
    uint32_t n, status = boxes_global_status(pmon, &n), control = boxes_global(pmon);
    uint64_t value;

    for (uint32_t p = 0; p < m->n_packages; p++)
        for (uint32_t i = 0; i <= n; i++) {
            uint32_t cpu = m->packages[p].first_cpu, msr = i < n ? status + i : control;

            if (msr && msr_read(r->source->platform, cpu, msr, &value) == ST_OK)
                record_line(r, "msr %u %x %lx", cpu, msr, value);
        }
    for (uint32_t i = 0; i < pmon->n_tables; i++)
        if (pmon->tables[i].control && mmio_read(r->source->platform, pmon->tables[i].control, 8, &value) == ST_OK) {
            record_line(r, "region %lx", pmon->tables[i].control);
            put_mapped(r, 0, value, 8);
        }
}

void record_registers(struct recorder *r)
{
    const struct machine *m = r->source->machine;
    const struct pmon *pmon = r->source->pmon;
    struct wanted *w = heap_alloc(sizeof *w);

    if (!w) {
        r->status = ST_NO_MEMORY;
        return;
    }
    choose(w, &m->cpus[m->reference]);
    record_each(r, w);
    heap_free(w);
    record_ppin(r);
    if (pmon)
        record_global(r, pmon);
    for (uint32_t i = 0; pmon && i < pmon->n_boxes; i++)
        if (pmon->boxes[i].unit->layout->access != PMON_PCI && box_is_there(&pmon->boxes[i]))
            record_box(r, &pmon->boxes[i]);
}
