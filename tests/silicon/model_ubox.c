/* tests/silicon/model_ubox.c: the U-box's performance monitors, by MSR, one box a package.
 *
 * Source: 327043-001 2.2.3 "UBox PMON state" and table 2-2; addresses and what differs later in profile_*.c.
 *
 * Each UCLK cycle the selected event offers an increment. With thresh = 0 the counter adds it. Otherwise the increment
 * is compared with thresh (>=, or < with invert) and the counter adds 1 in each cycle where that holds; with edge_det
 * it adds 1 in each cycle where that begins to hold. thresh = 0 leaves invert and edge_det without effect: the document
 * wants a threshold with both.
 *
 * The one event that exists here is EVENT_MSG (42H): messages arrive through model_ubox_message(), each in a cycle of
 * its own. Any other selection never happens: its increment is 0 in each cycle.
 *
 * The box is brought up to date when somebody looks: cycles between two times are computed, not run.
 *
 * Writes: a reserved bit is ignored and reads 0, rst clears the counter and reads 0, counters keep as many bits as they
 * have. An overflow with ov_en sets the counter's bit in the status register, which a write of 1 clears. The global
 * control freezes (bit 31) and unfreezes (bit 29) every counter, both bits reading 0; nothing is frozen at power-on.
 * The global status is always 0: no document that was read says which bit is the U-box's.
 */
#include "tests/silicon/model_ubox.h"
#include "tests/silicon/model_internal.h"

#define EVENT_MSG 0x42u

#define CTL_EV_SEL   BITS(7, 0)
#define CTL_UMASK    BITS(15, 8)
#define CTL_RST      BIT(17)
#define CTL_EDGE_DET BIT(18)
#define CTL_EN       BIT(22)
#define CTL_INVERT   BIT(23)
#define CTL_THRESH   BITS(28, 24)
#define FIXED_EN     BIT(22)

#define GLOBAL_FREEZE   BIT(31)
#define GLOBAL_UNFREEZE BIT(29)
#define GLOBAL_STORED   (BIT(30) | BITS(14, 0))

static bool on_package(const struct model *m, const struct ubox *u, enum fault_id id)
{
    return fault_on(&m->faults, id) && u == &m->package[fault_place(&m->faults, id, m->packages)].ubox;
}

static uint64_t uclk_at(const struct model *m, uint64_t tsc)
{
    return (uint64_t)((unsigned __int128)tsc * m->profile->ubox.uclk_hz / m->tsc_hz);
}

static uint32_t counter_bits(const struct model *m)
{
    return m->profile->ubox.counter_bits - (fault_on(&m->faults, FAULT_UBOX_NARROW) ? 1 : 0);
}

static uint64_t counter_kept(const struct model *m, uint64_t value)
{
    value &= low_bits(counter_bits(m));
    if (fault_on(&m->faults, FAULT_UBOX_STUCK_BIT))
        value |= BIT(0) << m->faults.value[FAULT_UBOX_STUCK_BIT] % m->profile->ubox.counter_bits;
    return value;
}

static void counter_add(const struct model *m, struct ubox *u, uint32_t index, uint64_t n)
{
    struct ubox_counter *c = &u->counter[index];
    uint64_t sum = c->value + n;

    if (sum >> counter_bits(m)) {
        if (c->ctl & m->profile->ubox.ov_en)
            u->status |= BIT(0) << index;
        if (fault_on(&m->faults, FAULT_UBOX_SATURATES))
            sum = low_bits(counter_bits(m));
    }
    c->value = counter_kept(m, sum);
}

/* What `cycles` cycles with c->pending messages add. */
static uint64_t counter_increment(const struct model *m, struct ubox_counter *c, uint64_t cycles)
{
    uint64_t thresh = field_get(CTL_THRESH, c->ctl), busy = c->pending, idle, begins;
    bool invert = c->ctl & CTL_INVERT, edge = c->ctl & CTL_EDGE_DET, in_idle, in_busy;

    if (busy > cycles)
        cycles = busy; /* messages came between two looks within one cycle */
    idle = cycles - busy;
    if (thresh == 0)
        return busy;
    if (fault_on(&m->faults, FAULT_UBOX_THRESHOLD))
        thresh--;
    if (fault_on(&m->faults, FAULT_UBOX_INVERT))
        invert = false;
    if (fault_on(&m->faults, FAULT_UBOX_EDGE))
        edge = false;
    in_idle = (thresh == 0) != invert; /* increment 0 >= thresh */
    in_busy = (thresh <= 1) != invert; /* increment 1 >= thresh */
    if (!edge)
        return (in_idle ? idle : 0) + (in_busy ? busy : 0);
    /* Messages are apart from each other, and the window ends idle. */
    if (cycles == 0)
        return 0;
    if (in_idle == in_busy)
        begins = in_idle && !c->level;
    else
        begins = busy + (in_idle && !c->level);
    c->level = in_idle;
    return begins;
}

static void bring_up_to_date(const struct model *m, struct ubox *u, uint64_t tsc)
{
    uint64_t cycles = tsc > u->tsc ? uclk_at(m, tsc) - uclk_at(m, u->tsc) : 0;

    if (tsc > u->tsc)
        u->tsc = tsc;
    if (on_package(m, u, FAULT_UCLK_STOPPED))
        cycles = 0;
    if (on_package(m, u, FAULT_UCLK_SLOW))
        cycles /= 2;
    for (uint32_t i = 0; i < m->profile->ubox.counters; i++) {
        struct ubox_counter *c = &u->counter[i];

        if ((c->ctl & CTL_EN) || fault_on(&m->faults, FAULT_UBOX_IGNORES_ENABLE)) {
            if (!u->frozen)
                counter_add(m, u, i, counter_increment(m, c, cycles));
        }
        c->pending = 0;
    }
    if (((u->fixed_ctl & FIXED_EN) || fault_on(&m->faults, FAULT_UCLK_IGNORES_ENABLE)) && !u->frozen)
        u->fixed_value = (u->fixed_value + cycles) & low_bits(m->profile->ubox.fixed_bits);
}

void model_ubox_message(struct model *m, uint32_t package, uint32_t umask)
{
    struct package *p;

    if (package >= m->packages)
        return;
    p = &m->package[package];
    pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; i < m->profile->ubox.counters; i++) {
        struct ubox_counter *c = &p->ubox.counter[i];

        if ((c->ctl & CTL_EN) && !p->ubox.frozen && field_get(CTL_EV_SEL, c->ctl) == EVENT_MSG &&
            (field_get(CTL_UMASK, c->ctl) & umask))
            c->pending++;
    }
    pthread_mutex_unlock(&p->lock);
}

static void control_write(const struct model *m, struct ubox_counter *c, uint64_t value)
{
    if ((value & CTL_RST) && !fault_on(&m->faults, FAULT_UBOX_RESET_DEAD))
        c->value = counter_kept(m, 0);
    c->ctl = value & m->profile->ubox.ctl_stored;
    c->level = false;
}

/* Which of the box's registers is it? */
enum place {
    CONTROL,
    COUNTER,
    FIXED_CTL,
    FIXED_CTR,
    STATUS,
    FILTER,
    GLOBAL_CTL,
    GLOBAL_STATUS,
    GLOBAL_CONFIG,
    NOWHERE
};

static enum place place_of(const struct profile_ubox *u, uint32_t msr, uint32_t *index)
{
    *index = 0;
    if (u->counters == 0 || msr == 0)
        return NOWHERE;
    if (msr >= u->ctl && msr < u->ctl + u->counters) {
        *index = msr - u->ctl;
        return CONTROL;
    }
    if (msr >= u->ctr && msr < u->ctr + u->counters) {
        *index = msr - u->ctr;
        return COUNTER;
    }
    return msr == u->fixed_ctl       ? FIXED_CTL
           : msr == u->fixed_ctr     ? FIXED_CTR
           : msr == u->status        ? STATUS
           : msr == u->filter        ? FILTER
           : msr == u->global_ctl    ? GLOBAL_CTL
           : msr == u->global_status ? GLOBAL_STATUS
           : msr == u->global_config ? GLOBAL_CONFIG
                                     : NOWHERE;
}

static struct package *box_package(struct model *m, const struct cpu *c)
{
    return &m->package[fault_on(&m->faults, FAULT_UBOX_SHARED) ? 0 : c->package];
}

enum model_answer ubox_read(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t *value)
{
    struct package *p = box_package(m, c);
    struct ubox *u = &p->ubox;
    uint32_t index;
    enum place place = place_of(&m->profile->ubox, msr, &index);

    if (place == NOWHERE)
        return MODEL_NOT_MINE;
    pthread_mutex_lock(&p->lock);
    bring_up_to_date(m, u, tsc);
    *value = place == CONTROL         ? u->counter[index].ctl
             : place == COUNTER       ? u->counter[index].value
             : place == FIXED_CTL     ? u->fixed_ctl
             : place == FIXED_CTR     ? u->fixed_value
             : place == STATUS        ? u->status
             : place == FILTER        ? u->filter
             : place == GLOBAL_CTL    ? u->global_ctl
             : place == GLOBAL_CONFIG ? m->profile->l3_slices /* number of CBo boxes, as PCM reads it on later parts */
                                      : 0;
    pthread_mutex_unlock(&p->lock);
    return MODEL_DONE;
}

enum model_answer ubox_write(struct model *m, struct cpu *c, uint32_t msr, uint64_t tsc, uint64_t value)
{
    struct package *p = box_package(m, c);
    struct ubox *u = &p->ubox;
    uint32_t index;
    enum place place = place_of(&m->profile->ubox, msr, &index);

    if (place == NOWHERE)
        return MODEL_NOT_MINE;
    if (place == GLOBAL_CONFIG)
        return MODEL_GP; /* read only */
    pthread_mutex_lock(&p->lock);
    bring_up_to_date(m, u, tsc);
    if (place == CONTROL)
        control_write(m, &u->counter[index], value);
    else if (place == COUNTER)
        u->counter[index].value = counter_kept(m, value);
    else if (place == FIXED_CTL)
        u->fixed_ctl = value & FIXED_EN;
    else if (place == FIXED_CTR)
        u->fixed_value = value & low_bits(m->profile->ubox.fixed_bits);
    else if (place == STATUS)
        u->status &= ~value;
    else if (place == FILTER)
        u->filter = value & m->profile->ubox.filter_stored;
    else if (place == GLOBAL_CTL) {
        u->global_ctl = value & GLOBAL_STORED;
        if (value & GLOBAL_FREEZE)
            u->frozen = true;
        else if (value & GLOBAL_UNFREEZE)
            u->frozen = false;
    }
    pthread_mutex_unlock(&p->lock);
    return MODEL_DONE;
}
