/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An overflow interrupts the core that it is routed to, and no other. Witness: a handler of Assay's own on every
 * processor of the package, with its LVT performance counter register (core/platform/platform.h, STEP_PMI_*), and the
 * counter, which shows that it wrapped. */
#include "core/uncore/pmon_session.h"
#include "core/platform/script.h"
#include "core/base/bits.h"
#include "core/base/text.h"
#include "arch/x86/cpu/msr_regs.h"

#define OVERFLOW_SHARE                                                                                                 \
    4u /* of a usual window: the overflow comes at a quarter of it, and processors listen during a whole one */
#define WRAPS   2u  /* of each box */
#define LATE    1.5 /* of what is counted until the overflow: a counter that the interrupt stopped has less */
#define WITNESS 1u  /* counter that counts with the one that overflows */

struct listener { /* a processor that listens */
    uint32_t cpu;
    bool open;
    uint64_t debugctl; /* as found */
    bool debugctl_set;
    struct pmi_count before, now;
};

struct pmi_watch {               /* of one package */
    struct pmon_session session; /* of one box at a time */
    const struct pmon_pmi *pmi;
    struct listener *listeners;
    struct task *tasks;
    struct step *steps;
    uint32_t n;
    uint32_t wraps;     /* judged so far */
    enum status silent; /* why no processor can listen */
};

static bool interrupts(const struct pmon_unit *unit)
{
    return pmon_session_clocked(unit) && unit->layout->has_status && unit->layout->control->ov_en &&
           unit->layout->counters > WITNESS;
}

static void pmi_finding(const struct pmi_watch *w, enum finding_code code, struct place place, const char *sentence)
{
    struct check *c = w->session.check;

    if (w->pmi->unsure)
        finding(c, FINDING_UNUSUAL, 0, code, place, "%s (bits of MSR 0x%x documented by one public source)", sentence,
                w->pmi->msr);
    else
        pmon_session_finding(c, w->session.boxes->unit, code, place, "%s", sentence);
}

/* --- processors that listen --------------------------------------------------------------------------------------- */

static enum status take_answer(struct pmi_watch *w, struct listener *e, const struct step *s)
{
    e->now = s->pmi;
    if (s->op == STEP_PMI_LISTEN)
        return s->status;
    e->open = s->op == STEP_PMI_OPEN && s->status == ST_OK;
    if (s->op == STEP_PMI_CLOSE)
        return s->status == ST_ABSENT ? ST_OK : s->status;
    if (s->status != ST_OK)
        w->silent = s->status;
    return ST_OK;
}

/* The same step on all, or only on those that listen. A processor that never listened has nothing to close. */
static enum status all_listeners(struct pmi_watch *w, struct step step)
{
    struct platform *p = w->session.check->platform;
    uint32_t n = 0;
    enum status st = ST_OK;

    for (uint32_t i = 0; i < w->n; i++) {
        if ((step.op == STEP_PMI_LISTEN && !w->listeners[i].open) || !cpu_takes_work(p, w->listeners[i].cpu))
            continue;
        w->steps[n] = step;
        w->tasks[n] = (struct task){ .cpu = w->listeners[i].cpu, .n_steps = 1, .steps = &w->steps[n] };
        n++;
    }
    if (n > 0)
        st = platform_run(p, w->tasks, n, work_budget_ms(0));
    for (uint32_t i = 0, t = 0; i < w->n && t < n; i++)
        if (w->tasks[t].cpu == w->listeners[i].cpu)
            st = status_first(st, take_answer(w, &w->listeners[i], &w->steps[t++]));
    return st;
}

/* IA32_DEBUGCTL.13: where the part needs it, a processor that refuses it cannot listen. */
static enum status let_debugctl(struct pmi_watch *w, struct listener *e)
{
    struct platform *p = w->session.check->platform;
    enum status st = msr_read(p, e->cpu, IA32_DEBUGCTL, &e->debugctl);

    if (st == ST_OK)
        st = msr_write(p, e->cpu, IA32_DEBUGCTL, e->debugctl | IA32_DEBUGCTL_ENABLE_UNCORE_PMI);
    e->debugctl_set = st == ST_OK;
    return w->pmi->debugctl ? st : ST_OK;
}

static enum status close_listeners(struct pmi_watch *w)
{
    struct check *c = w->session.check;
    enum status st = all_listeners(w, step_pmi_close());

    EACH(struct listener, e, w->listeners, w->n) {
        if (e->debugctl_set)
            st = status_first(st, msr_write(c->platform, e->cpu, IA32_DEBUGCTL, e->debugctl));
        e->debugctl_set = false;
    }
    return st;
}

/* Every processor of the package that takes work, and of the die where boxes are a die's. */
static enum status open_listeners(struct pmi_watch *w, const struct pmon_box *box)
{
    struct check *c = w->session.check;
    const struct cpu *cpus = c->machine->cpus;
    uint32_t listening;
    enum status st;

    w->n = 0;
    w->silent = ST_OK;
    for (uint32_t i = 0; i < c->machine->n_cpus; i++) {
        struct listener e = { .cpu = i };

        if (cpus[i].enumerated != ST_OK || cpus[i].package != box->package || !cpu_takes_work(c->platform, i) ||
            (c->tools->pmon.part->by_die && cpus[i].place.die != cpus[box->cpu].place.die))
            continue;
        if (let_debugctl(w, &e) == ST_OK)
            w->listeners[w->n++] = e;
    }
    if (w->n == 0)
        return check_absent(c, "no processor of package %u takes IA32_DEBUGCTL[13]", box->package);
    st = all_listeners(w, step_pmi_open());
    listening = SUM_OF(uint32_t, i, w->n, w->listeners[i].open);
    if (listening > 0 && listening < w->n)
        check_note(c, "package %u: %u of %u processors cannot listen: %s (LVT performance counter register 0x%x)",
                   box->package, w->n - listening, w->n, status_text(w->silent), w->listeners[0].now.lvt);
    if (st == ST_OK && listening > 0)
        return ST_OK;
    (void)close_listeners(w); /* those that were opened; the status that counts is the one above */
    if (w->silent == ST_UNSUPPORTED)
        return check_absent(c, "package %u: no local APIC has an LVT performance counter register that is free",
                            box->package);
    return check_unmeasured(c, status_first(st, w->silent), w->listeners[0].cpu, "LVT performance counter register");
}

/* --- a wrap ------------------------------------------------------------------------------------------------------- */

/* The value that selects core n, with the bits that the same register needs for boxes to run. */
static uint64_t route(const struct pmi_watch *w, uint32_t core)
{
    const struct pmon_global *global = &w->session.check->tools->pmon.part->global;
    uint64_t first = w->pmi->cores & (~w->pmi->cores + 1);

    return (global->msr == w->pmi->msr ? global->run : 0) | w->pmi->freeze | first << core;
}

/* The register that selects cores is the box's own control. */
static bool routed_by_box(const struct pmi_watch *w, const struct pmon_session_box *b)
{
    return b->unit->layout->access == PMON_MSR && pmon_address(b->box, pmon_box_ctl(b->unit)) == w->pmi->msr;
}

static void clear_box_status(struct pmi_watch *w)
{
    struct pmon_session_box *b = w->session.boxes;
    const struct pmon_layout *l = b->unit->layout;

    pmon_session_write(&w->session, b, pmon_status_clear(b->unit),
                       low_bits(pmon_session_programmable(b)) << l->status_bit | l->fixed.ov | l->status_changed |
                           l->status_pmi);
    pmon_session_execute(&w->session);
}

/* Counter 0 overflows at a quarter of a window, the witness counts from 0. */
static enum status overflow(struct pmi_watch *w, uint32_t core, uint64_t usual)
{
    struct pmon_session *s = &w->session;
    struct pmon_session_box *b = s->boxes;
    struct check *c = s->check;
    enum status st = ST_OK;

    pmon_session_clear(s);
    pmon_session_set_all(s, pmon_session_clock_ctl, false);
    b->ctl[0] |= b->unit->layout->control->ov_en;
    b->preset[0] = (0 - usual / OVERFLOW_SHARE) & low_bits(b->bits[0]);
    pmon_session_program(s);
    pmon_session_thaw(c);
    clear_box_status(w);
    for (uint32_t i = 0; i < w->n; i++)
        w->listeners[i].before = w->listeners[i].now;
    if (routed_by_box(w, b)) {
        pmon_session_write(s, b, pmon_box_ctl(b->unit), pmon_run_value(b->unit) | route(w, core));
        pmon_session_execute(s);
    } else {
        st = msr_write(c->platform, b->box->cpu, w->pmi->msr, route(w, core));
        pmon_session_run(s);
    }
    st = status_first(st, all_listeners(w, step_pmi_listen(pmon_session_ticks(s))));
    pmon_session_stop(s);
    pmon_session_fetch(s);
    return st == ST_OK ? b->status : st;
}

/* Interrupts of the last wrap on the core of listener i: both threads may take one. */
static uint32_t of_core(const struct pmi_watch *w, uint32_t i)
{
    const struct cpu *cpus = w->session.check->machine->cpus;
    uint32_t most = 0;

    for (uint32_t k = 0; k < w->n; k++) {
        uint32_t n = w->listeners[k].now.interrupts - w->listeners[k].before.interrupts;

        if (place_same_core(&cpus[w->listeners[k].cpu].place, &cpus[w->listeners[i].cpu].place) && n > most)
            most = n;
    }
    return most;
}

/* Listener i is the first of its core. */
static bool is_first(const struct pmi_watch *w, uint32_t i)
{
    const struct cpu *cpus = w->session.check->machine->cpus;

    return !ANY_OF(k, i, place_same_core(&cpus[w->listeners[k].cpu].place, &cpus[w->listeners[i].cpu].place));
}

/* Cores are numbered by id or one after the other: no document says which. The first listener of core n; w->n: none. */
static uint32_t listener_of(const struct pmi_watch *w, uint32_t core, bool by_id)
{
    const struct cpu *cpus = w->session.check->machine->cpus;
    uint32_t nth = 0;

    for (uint32_t i = 0; i < w->n; i++)
        if (is_first(w, i) && (by_id ? cpus[w->listeners[i].cpu].place.core : nth++) == core)
            return i;
    return w->n;
}

static void judge_place(struct pmi_watch *w, uint32_t core, uint32_t got, struct place place)
{
    const struct cpu *cpus = w->session.check->machine->cpus;
    char sentence[96];

    if (got == listener_of(w, core, true) || got == listener_of(w, core, false))
        return;
    text_format(sentence, sizeof sentence, "routed to core %u, the interrupt arrives on core %u (cpu %u)", core,
                cpus[w->listeners[got].cpu].place.core, w->listeners[got].cpu);
    pmi_finding(w, FOUND_INTERRUPT_ON_OTHER_CORE, place, sentence);
}

static void judge_mask(struct pmi_watch *w, struct place place)
{
    EACH(const struct listener, e, w->listeners, w->n) {
        uint32_t taken = e->now.interrupts - e->before.interrupts, masked = e->now.masked - e->before.masked;

        if (taken > masked)
            finding(w->session.check, FINDING_UNUSUAL, 0, FOUND_MASK_CLEAR, place_with(place, PLACE_CPU, e->cpu),
                    "the LVT's mask bit is clear after %u of %u interrupts", taken - masked, taken);
        if (e->now.spurious != e->before.spurious)
            check_note(w->session.check, "cpu %u: %u spurious interrupts from %s", e->cpu,
                       e->now.spurious - e->before.spurious, w->session.boxes->name);
    }
}

static void judge_interrupts(struct pmi_watch *w, uint32_t core, struct place place)
{
    struct check *c = w->session.check;
    uint32_t cores = 0, most = 0, last = 0;

    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t n = is_first(w, i) ? of_core(w, i) : 0;

        cores += n > 0;
        most = n > most ? n : most;
        last = n > 0 ? i : last;
    }
    check_measure(c, "interrupts for a wrap", place, most, "interrupts", 1, 1);
    if (cores == 0) {
        pmi_finding(w, FOUND_INTERRUPT_LOST, place,
                    "the counter wrapped and no processor of the package was interrupted");
        return;
    }
    check_measure(c, "cores interrupted by a wrap", place, cores, "cores", 1, 1);
    if (most > 1)
        pmi_finding(w, FOUND_INTERRUPT_REPEATED, place, "a core was interrupted more than once for one wrap");
    if (cores > 1)
        pmi_finding(w, FOUND_INTERRUPT_ON_SEVERAL_CORES, place,
                    "other cores than the one selected were interrupted too");
    else
        judge_place(w, core, last, place);
    judge_mask(w, place);
}

/* PMI_FRZ: the interrupt stopped the witness with the counter that overflowed; OVF_PMI: the status shows it. */
static void judge_freeze(struct pmi_watch *w, struct place place, uint64_t usual)
{
    struct pmon_session *s = &w->session;
    struct pmon_session_box *b = s->boxes;
    double until = (double)usual / OVERFLOW_SHARE;

    if (w->pmi->freeze && !check_measure(s->check, "counts beside a counter whose interrupt stops all", place,
                                         (double)pmon_session_counts(b, WITNESS), "counts", 1, LATE * until))
        pmi_finding(w, FOUND_COUNTS_FROZEN, place, "another counter counts on after an interrupt with PMI_FRZ set");
    if (!b->unit->layout->status_pmi)
        return;
    pmon_session_read(s, b, pmon_status(b->unit));
    pmon_session_execute(s);
    if (b->status == ST_OK && !(pmon_session_value(s, b, 0) & b->unit->layout->status_pmi)) {
        pmon_session_show(s, b, pmon_status(b->unit), pmon_session_value(s, b, 0));
        pmi_finding(w, FOUND_STATUS_WRONG, place, "the status does not show the interrupt");
    }
}

static enum status wrap(struct pmi_watch *w, uint32_t core, uint64_t usual)
{
    struct pmon_session_box *b = w->session.boxes;
    struct check *c = w->session.check;
    struct place place = place_with_detail(pmon_session_place(b, 0), "to core %u", core);
    char where[PLACE_TEXT];
    enum status st = overflow(w, core, usual);

    place_text(&place, where, sizeof where);
    if (st != ST_OK)
        return check_unmeasured(c, st, b->box->cpu, where);
    pmon_session_show(&w->session, b, pmon_ctr(b->unit, 0), b->got[0]);
    if (b->got[0] >= b->preset[0]) {
        check_note(c, "%s: the counter did not wrap while processors listened", where);
        return ST_OK;
    }
    judge_interrupts(w, core, place);
    judge_freeze(w, place, usual);
    w->wraps++;
    return ST_OK;
}

/* --- boxes and cores ---------------------------------------------------------------------------------------------- */

/* Cores of the package by either numbering. */
static bool has_core(const struct pmi_watch *w, uint32_t core)
{
    return core < count_bits(w->pmi->cores) && listener_of(w, core, true) < w->n &&
           w->listeners[listener_of(w, core, true)].open && listener_of(w, core, false) < w->n &&
           w->listeners[listener_of(w, core, false)].open;
}

/* Each core in turn, or without `every` only the first that listens. */
static enum status each_core(struct pmi_watch *w, bool every, uint64_t usual)
{
    enum status st = ST_OK;
    bool any = false;

    for (uint32_t core = 0; core < w->n && st == ST_OK && (every || !any); core++) {
        if (!has_core(w, core))
            continue;
        for (uint32_t i = 0; i < WRAPS && st == ST_OK && (i == 0 || !any); i++)
            st = wrap(w, core, usual);
        any = true;
    }
    return st;
}

static bool same_kind(const struct pmon_session_box *a, const struct pmon_session_box *b)
{
    return a->unit == b->unit && a->box->package == b->box->package && a->box->die == b->box->die;
}

/* The counts of a usual window say where the overflow has to be. */
static enum status watch_box(struct pmi_watch *w, bool every)
{
    struct pmon_session *s = &w->session;
    uint64_t usual;
    enum status st, closed;

    pmon_session_clear(s);
    pmon_session_set_all(s, pmon_session_clock_ctl, false);
    pmon_session_measure(s, pmon_session_ticks(s));
    usual = pmon_session_counts(s->boxes, 0);
    if (s->boxes->status != ST_OK || usual < OVERFLOW_SHARE)
        return ST_OK;
    st = open_listeners(w, s->boxes->box);
    TRY(st);
    st = each_core(w, every, usual);
    pmon_session_silence(s);
    closed = close_listeners(w);
    clear_box_status(w);
    pmon_session_thaw(s->check); /* nothing is routed any more */
    return st != ST_OK || closed == ST_OK
               ? st
               : check_unmeasured(s->check, closed, s->boxes->box->cpu, "LVT performance counter register");
}

static enum status watch_boxes(struct pmon_session *session)
{
    struct check *c = session->check;
    struct pmi_watch w = { .session = *session, .pmi = &c->tools->pmon.part->pmi };
    enum status st = pmon_session_may_overflow(c);

    TRY(st);
    TRY_ALLOC(c, w.listeners, c->machine->n_cpus, "the processors that listen");
    TRY_ALLOC(c, w.tasks, c->machine->n_cpus, "the processors that listen");
    TRY_ALLOC(c, w.steps, c->machine->n_cpus, "the processors that listen");
    for (uint32_t i = 0; i < session->n && st == ST_OK; i++) {
        bool first = true, first_of_all = true;

        for (uint32_t k = 0; k < i; k++) {
            first = first && !same_kind(&session->boxes[k], &session->boxes[i]);
            first_of_all = first_of_all && (session->boxes[k].box->package != session->boxes[i].box->package ||
                                            session->boxes[k].box->die != session->boxes[i].box->die);
        }
        w.session.boxes = &session->boxes[i];
        w.session.n = 1;
        if (first)
            st = watch_box(&w, first_of_all);
    }
    session->held = w.session.held + w.wraps;
    session->done = 0;
    if (st == ST_OK && w.wraps == 0)
        return check_absent(c, "no counter wrapped while a processor listened");
    return st;
}

static enum status pmon_pmi_ready(struct check *c)
{
    if (c->tools->pmon.part->pmi.msr == 0)
        return check_absent(c, "no document names the register that routes interrupts of this part's uncore");
    return ST_OK;
}

static const struct check_row rows[] = {
    { .id = "pmon.pmi",
      .title = "An overflow interrupts the core that it is routed to, once",
      .spec =
          "Ivy Bridge-EP Uncore Guide 329468-002 2.1, U_MSR_PMON_GLOBAL_CTL.pmi_core_sel and field ov_en; SDM vol. 3B "
          "18.8.2.1 (old numbering), EN_PMI_COREn, PMI_FRZ; SDM vol. 3A 10.5.1 Local Vector Table",
      .covers = "O4",
      .detects = "an interrupt that is lost, comes twice or on another core; counters that PMI_FRZ does not stop",
      .means = "sampling by uncore events does not work: a profiler loses samples or takes others'",
      .next =
          "`pmon.overflow`; box, core and counter in the evidence; whether other cores do it; wk_on_pmi and C-states",
      .ready = pmon_pmi_ready,
      .wanted = interrupts,
      .run_session = watch_boxes },
};
CHECK_FAMILY(pmon_pmi, rows, .needs = NEED_PMON | NEED_PMI_ASKED, .risk = RISK_MSR, .rests_on = RESTS_ON_UNCORE,
             .slow = true, .order = 990);
