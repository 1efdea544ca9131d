/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/tools/error_banks.h"

#include "arch/x86/cpu/machine_check.h"
#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/platform/script.h"

#define AT_ONCE       64u /* processors */
#define CPUID_EDX_MCA BIT(14)

struct bank {
    uint64_t status, misc; /* misc: AMD's error counter */
};

static uint32_t status_register(const struct error_banks *b, uint32_t bank)
{
    return b->scalable ? MCA_STATUS(bank) : IA32_MC_STATUS(bank);
}

static uint64_t error_count(const struct error_banks *b, const struct bank *k)
{
    if (b->amd)
        return (k->misc & MCA_MISC0_Valid) && (k->misc & MCA_MISC0_CntP) ? field_get(MCA_MISC0_ErrCnt, k->misc) : 0;
    return b->counts && (k->status & IA32_MC_STATUS_VAL) ? field_get(IA32_MC_STATUS_Corrected_Error_Count, k->status)
                                                         : 0;
}

/* Whether `now` shows an error that `then` did not. A bank that was cleared meanwhile shows none. */
static bool is_new(const struct error_banks *b, const struct bank *then, const struct bank *now)
{
    if (b->amd && error_count(b, now) > error_count(b, then))
        return true;
    return (now->status & IA32_MC_STATUS_VAL) && now->status != then->status;
}

static const char *severity(const struct error_banks *b, uint64_t status)
{
    if (status & IA32_MC_STATUS_UC)
        return "uncorrected";
    return b->amd && (status & MCA_STATUS_Deferred) ? "deferred" : "corrected";
}

static void describe(const struct error_banks *b, uint32_t bank, const struct bank *then, const struct bank *now,
                     struct logged_error *e)
{
    uint64_t before = error_count(b, then), count = error_count(b, now), address = 0, ipid = 0;
    bool same = (then->status & IA32_MC_STATUS_VAL) || b->amd;
    const char *block = NULL;
    size_t n;

    e->msr = status_register(b, bank);
    e->status = now->status;
    e->of_memory = machine_check_is_of_memory(now->status);
    if (b->scalable && msr_read(b->platform, e->cpu, MCA_IPID(bank), &ipid) == ST_OK)
        block = machine_check_block(ipid, &e->of_memory);
    n = text_format(e->text, sizeof e->text, "bank %u%s%s, %s %s error", bank, block ? " of " : "", block ? block : "",
                    severity(b, now->status), machine_check_kind(now->status));
    if (count > (same ? before : 0))
        n += text_format(e->text + n, sizeof e->text - n, ", %lu more counted", count - (same ? before : 0));
    n += text_format(e->text + n, sizeof e->text - n, ", status 0x%lx", now->status);
    if ((now->status & IA32_MC_STATUS_ADDRV) &&
        msr_read(b->platform, e->cpu, b->scalable ? MCA_ADDR(bank) : IA32_MC_ADDR(bank), &address) == ST_OK)
        n += text_format(e->text + n, sizeof e->text - n, ", address 0x%lx", address);
    if (e->n_cpus > 1)
        text_format(e->text + n, sizeof e->text - n, ", shown by %u processors", e->n_cpus);
}

/* Of `cpu`, unless a processor of its package before it shows the same. */
static void add_error(struct error_banks *b, uint32_t cpu, uint32_t bank, const struct bank *then,
                      const struct bank *now, uint32_t from)
{
    struct logged_error *e;

    for (uint32_t i = from; i < b->n && i < ERRORS_KEPT; i++) {
        e = &b->kept[i];
        if (e->msr == status_register(b, bank) && e->status == now->status &&
            b->machine->cpus[e->cpu].package == b->machine->cpus[cpu].package) {
            e->n_cpus++;
            describe(b, bank, then, now, e);
            return;
        }
    }
    if (b->n < ERRORS_KEPT) {
        e = &b->kept[b->n];
        *e = (struct logged_error){ .place = place_cpu(cpu), .cpu = cpu, .n_cpus = 1 };
        describe(b, bank, then, now, e);
    }
    b->n++;
}

static uint32_t put_steps(const struct error_banks *b, struct step *steps)
{
    uint32_t n = 0;

    for (uint32_t bank = 0; bank < b->n_banks; bank++) {
        steps[n++] = step_untimed(step_rdmsr(status_register(b, bank)));
        if (b->amd)
            steps[n++] = step_untimed(step_rdmsr(b->scalable ? MCA_MISC0(bank) : IA32_MC_MISC(bank)));
    }
    return n;
}

/* A register that cannot be read is left as it was, and so shows nothing. */
static void take_steps(struct error_banks *b, const struct task *t, uint32_t from)
{
    const struct step *s = t->steps;

    for (uint32_t bank = 0; bank < b->n_banks; bank++) {
        struct bank *k = &b->banks[(size_t)t->cpu * b->n_banks + bank], now = *k;

        if (s->status == ST_OK)
            now.status = s->value;
        s++;
        if (b->amd && s->status == ST_OK)
            now.misc = s->value;
        s += b->amd;
        if (is_new(b, k, &now))
            add_error(b, t->cpu, bank, k, &now, from);
        *k = now;
    }
}

/* What the channel's counters say. false: they cannot be read, or read all ones, as a function that is not there does. */
static bool read_channel(const struct error_banks *b, const struct pmon_box *box, uint32_t now[CHANNEL_COUNTERS])
{
    const struct pmon_corrected *c = &box->unit->corrected;
    struct pmon_box at = *box;

    if (c->offset == 0 || !box_is_there(box))
        return false;
    at.at.function += c->functions;
    for (uint32_t i = 0; i < c->registers; i++) {
        const struct pmon_reg reg = { .offset = c->offset + 4 * i, .bytes = 4 };
        uint64_t value;

        if (pmon_read(b->platform, &at, reg, &value) != ST_OK || value == UINT32_MAX)
            return false;
        if (!c->ranks) {
            now[i] = (uint32_t)value;
            continue;
        }
        now[2 * i] = value & 0xFFFF;
        now[2 * i + 1] = (uint32_t)value >> 16;
    }
    return true;
}

/* A counter that fell was cleared: that shows none. */
static void look_at_channels(struct error_banks *b)
{
    b->n_channels = 0;
    for (uint32_t i = 0; b->channels && i < b->pmon->n_boxes; i++) {
        const struct pmon_box *box = &b->pmon->boxes[i];
        const struct pmon_corrected *c = &box->unit->corrected;
        uint32_t now[CHANNEL_COUNTERS];

        if (!read_channel(b, box, now))
            continue;
        b->n_channels++;
        for (uint32_t k = 0; k < c->registers * (c->ranks ? 2u : 1u); k++) {
            uint32_t then = b->channels[i][k];
            struct logged_error *e;

            b->channels[i][k] = now[k];
            if (now[k] <= then || b->n++ >= ERRORS_KEPT)
                continue;
            e = &b->kept[b->n - 1];
            *e = (struct logged_error){ .place = pmon_place(box), .cpu = box->cpu, .of_memory = true };
            text_format(e->text, sizeof e->text, "%u more corrected errors of %s %u counted, register 0x%x%s",
                        now[k] - then, c->ranks ? "rank" : "counter", k, c->offset + 4 * (c->ranks ? k / 2 : k),
                        c->ranks && (now[k] & 0x8000) ? ", which has overflowed" : "");
        }
    }
}

uint32_t error_banks_look(struct error_banks *b, uint32_t *first)
{
    struct platform *p = b->platform;
    struct task tasks[AT_ONCE];
    uint32_t n = 0, each = b->n_banks * (b->amd ? 2 : 1), from = b->n;

    *first = from;
    for (uint32_t cpu = 0; cpu < p->n_cpus && b->n_banks; cpu++) {
        enum status st;

        if (cpu_takes_work(p, cpu)) {
            tasks[n] = (struct task){ .cpu = cpu, .steps = &b->steps[n * each] };
            tasks[n].n_steps = put_steps(b, tasks[n].steps);
            n++;
        }
        if (n == 0 || (n < AT_ONCE && cpu + 1 < p->n_cpus))
            continue;
        st = platform_run(p, tasks, n, work_budget_ms(0));
        (void)st; /* each task has its own */
        for (uint32_t i = 0; i < n; i++) {
            if (tasks[i].status == ST_OK)
                take_steps(b, &tasks[i], from);
            if (!cpu_takes_work(p, tasks[i].cpu) && b->n_lost++ == 0)
                b->lost = tasks[i].cpu;
        }
        n = 0;
    }
    look_at_channels(b);
    return b->n - from;
}

void logged_error_text(const struct logged_error *e, char out[256])
{
    size_t n = place_text(&e->place, out, 256);

    text_format(out + n, 256 - n, ": %s", e->text);
}

static uint32_t count_banks(struct error_banks *b)
{
    uint32_t cpu = b->machine->reference;
    struct cpuid_regs r;
    uint64_t cap;

    if (!cpu_takes_work(b->platform, cpu) || cpu_cpuid(b->platform, cpu, 1, 0, &r) != ST_OK ||
        !(r.edx & CPUID_EDX_MCA) || msr_read(b->platform, cpu, IA32_MCG_CAP, &cap) != ST_OK)
        return 0;
    b->amd = cpu_is_amd(&b->machine->cpus[cpu].id);
    b->scalable = b->amd && b->machine->max_ext_leaf >= 0x80000007u &&
                  cpu_cpuid(b->platform, cpu, 0x80000007u, 0, &r) == ST_OK && (r.ebx & CPUID_80000007_EBX_ScalableMca);
    b->counts = cap & IA32_MCG_CAP_CMCI_P;
    return field_get(IA32_MCG_CAP_Count, cap) < ERROR_BANKS ? (uint32_t)field_get(IA32_MCG_CAP_Count, cap)
                                                            : ERROR_BANKS;
}

enum status error_banks_open(struct error_banks *b, struct platform *p, const struct machine *m,
                             const struct pmon *pmon)
{
    uint32_t first;

    *b = (struct error_banks){ .platform = p, .machine = m, .pmon = pmon };
    b->n_banks = count_banks(b);
    if (b->n_banks > 0) {
        b->banks = heap_alloc((size_t)p->n_cpus * b->n_banks * sizeof *b->banks);
        b->steps = heap_alloc((size_t)AT_ONCE * 2 * b->n_banks * sizeof *b->steps);
    }
    if (pmon->n_boxes > 0)
        b->channels = heap_alloc(pmon->n_boxes * sizeof *b->channels);
    if ((b->n_banks > 0 && (!b->banks || !b->steps)) || (pmon->n_boxes > 0 && !b->channels)) {
        error_banks_free(b);
        return ST_NO_MEMORY;
    }
    b->n_before = error_banks_look(b, &first);
    b->before = b->kept[0];
    b->n = 0;
    return ST_OK;
}

void error_banks_settle(struct error_banks *b, bool stands)
{
    if (stands && b->n_judged > 0)
        b->n = 0;
    b->n_judged = 0;
}

void error_banks_free(struct error_banks *b)
{
    heap_free(b->banks);
    heap_free(b->steps);
    heap_free(b->channels);
    b->channels = NULL;
    b->banks = NULL;
    b->steps = NULL;
    b->n_banks = 0;
}
