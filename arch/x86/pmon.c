#include "arch/x86/pmon.h"

#include "core/bits.h"
#include "core/ledger.h"
#include "core/rollover.h"
#include "core/script.h"

#define BUDGET_MS UINT64_C(10000)

static bool has_counter(const struct pmon_unit *unit, uint32_t index)
{
    return index == PMON_FIXED ? unit->fixed_ctr != 0 : index < unit->counters;
}

uint32_t pmon_ctl_msr(const struct pmon_unit *unit, uint32_t index)
{
    if (!has_counter(unit, index))
        return 0;
    return index == PMON_FIXED ? unit->fixed_ctl : unit->ctl + index;
}

uint32_t pmon_ctr_msr(const struct pmon_unit *unit, uint32_t index)
{
    if (!has_counter(unit, index))
        return 0;
    return index == PMON_FIXED ? unit->fixed_ctr : unit->ctr + index;
}

uint32_t pmon_bits(const struct pmon_unit *unit, uint32_t index)
{
    if (!has_counter(unit, index))
        return 0;
    return index == PMON_FIXED ? unit->fixed_bits : unit->counter_bits;
}

uint64_t pmon_en_bit(const struct pmon_unit *unit, uint32_t index)
{
    if (!has_counter(unit, index))
        return 0;
    return index == PMON_FIXED ? unit->fixed_en : unit->en;
}

uint64_t pmon_delta(uint64_t first, uint64_t last, uint32_t bits)
{
    return counter_delta(first, last, bits);
}

/* Index of the n-th counter of a walk over all: the programmable ones, then the fixed one. */
static uint32_t nth_index(const struct pmon_unit *unit, uint32_t n)
{
    return n < unit->counters ? n : PMON_FIXED;
}

enum status pmon_probe(struct platform *p, const struct pmon_unit *unit, uint32_t package, uint32_t cpu,
                       struct pmon_box *box)
{
    *box = (struct pmon_box){ .unit = unit, .package = package, .cpu = cpu, .status = ST_OK };
    for (uint32_t n = 0; n <= unit->counters && box->status == ST_OK; n++) {
        uint32_t index = nth_index(unit, n);
        uint64_t ctl = 0, ctr = 0;

        box->status = msr_read(p, cpu, pmon_ctl_msr(unit, index), &ctl);
        if (box->status == ST_OK)
            box->status = msr_read(p, cpu, pmon_ctr_msr(unit, index), &ctr);
        if (box->status == ST_OK && (ctl & pmon_en_bit(unit, index))) {
            box->in_use = true;
            box->in_use_msr = pmon_ctl_msr(unit, index);
            box->in_use_value = ctl;
            box->status = ST_UNSUPPORTED;
        }
    }
    return box->status;
}

static bool fits(uint64_t field, uint32_t value)
{
    return field_get(field, field_put(field, value)) == value;
}

enum status pmon_encode(const struct pmon_unit *unit, const struct pmon_event *event, uint64_t *value)
{
    if (!fits(unit->ev_sel, event->ev_sel) || !fits(unit->umask, event->umask) || !fits(unit->thresh, event->thresh))
        return ST_RANGE;
    if ((event->invert || event->edge_det) && event->thresh == 0) /* both are in series behind the comparison */
        return ST_RANGE;
    *value = field_put(unit->ev_sel, event->ev_sel) | field_put(unit->umask, event->umask) |
             field_put(unit->thresh, event->thresh) | (event->edge_det ? unit->edge_det : 0) |
             (event->invert ? unit->invert : 0) | (event->enable ? unit->en : 0);
    return ST_OK;
}

static enum status usable(const struct pmon_box *box, uint32_t index)
{
    if (!has_counter(box->unit, index))
        return ST_RANGE;
    return box->status;
}

static enum status touch(struct platform *p, uint32_t msr, enum ledger_kind kind)
{
    return p->ledger ? ledger_touch_msr(p, msr, kind) : ST_OK;
}

enum status pmon_control(struct platform *p, const struct pmon_box *box, uint32_t index, uint64_t value)
{
    enum status st = usable(box, index);

    if (st == ST_OK)
        st = touch(p, pmon_ctr_msr(box->unit, index), LEDGER_COUNTER); /* enabling it changes it */
    if (st == ST_OK)
        st = touch(p, pmon_ctl_msr(box->unit, index), LEDGER_CONTROL);
    if (st == ST_OK)
        st = msr_write(p, box->cpu, pmon_ctl_msr(box->unit, index), value);
    return st;
}

enum status pmon_counter_write(struct platform *p, const struct pmon_box *box, uint32_t index, uint64_t value)
{
    enum status st = usable(box, index);

    if (st == ST_OK)
        st = touch(p, pmon_ctr_msr(box->unit, index), LEDGER_COUNTER);
    if (st == ST_OK)
        st = msr_write(p, box->cpu, pmon_ctr_msr(box->unit, index), value);
    return st;
}

enum status pmon_counter_read(struct platform *p, const struct pmon_box *box, uint32_t index, uint64_t *value)
{
    enum status st = usable(box, index);

    return st != ST_OK ? st : msr_read(p, box->cpu, pmon_ctr_msr(box->unit, index), value);
}

enum status pmon_program(struct platform *p, const struct pmon_box *box, uint32_t index, const struct pmon_event *event)
{
    uint64_t value = 0;
    enum status st = index == PMON_FIXED ? ST_RANGE : pmon_encode(box->unit, event, &value);

    return st != ST_OK ? st : pmon_control(p, box, index, value);
}

enum status pmon_reset(struct platform *p, const struct pmon_box *box, uint32_t index)
{
    enum status st = usable(box, index);
    uint64_t rst = index == PMON_FIXED ? box->unit->fixed_rst : box->unit->rst;

    if (st != ST_OK)
        return st;
    return rst == 0 ? ST_ABSENT : pmon_control(p, box, index, rst);
}

enum status pmon_fixed_enable(struct platform *p, const struct pmon_box *box, bool on)
{
    return pmon_control(p, box, PMON_FIXED, on ? box->unit->fixed_en : 0);
}

enum status pmon_quiet(struct platform *p, const struct pmon_box *box)
{
    enum status st = ST_OK;

    for (uint32_t n = 0; n <= box->unit->counters; n++)
        st = status_first(st, pmon_control(p, box, nth_index(box->unit, n), 0));
    return st;
}

enum status pmon_window(struct platform *p, const struct pmon_box *box, const uint32_t *index, uint32_t n,
                        uint64_t ticks, struct pmon_reading *first, struct pmon_reading *last)
{
    struct step steps[2 * PMON_WINDOW_COUNTERS + 1];
    enum status st = n == 0 || n > PMON_WINDOW_COUNTERS ? ST_RANGE : ST_OK;

    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        st = usable(box, index[i]);
        if (st == ST_OK)
            steps[i] = steps[n + 1 + i] = step_rdmsr(pmon_ctr_msr(box->unit, index[i]));
    }
    if (st != ST_OK)
        return st;
    steps[n] = step_spin(ticks);
    st = script_run(p, box->cpu, steps, 2 * n + 1, BUDGET_MS + ticks / (p->tsc_hz / 1000 + 1));
    for (uint32_t i = 0; i < 2 * n + 1 && st == ST_OK; i++)
        st = steps[i].status;
    for (uint32_t i = 0; i < n && st == ST_OK; i++) {
        first[i] = (struct pmon_reading){ .value = steps[i].value, .tsc = steps[i].tsc };
        last[i] = (struct pmon_reading){ .value = steps[n + 1 + i].value, .tsc = steps[n + 1 + i].tsc };
    }
    return st;
}
