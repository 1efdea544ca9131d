/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What has to hold before a box is judged. A memory channel without memory, a link that is not used or sleeps, and a box of
 * a device that is not there have no clock: nothing of them counts, and nothing is wrong with that. */
#include "core/boxes/dies.h"
#include "core/uncore/pmon_session.h"

#include "core/base/bits.h"

#define LOOK_SHARE 10u /* of a usual window: a clock of 50 MHz counts 50000 in a millisecond */

/* --- freezes ------------------------------------------------------------------------------------------------------ */

/* Bits of a status are cleared by writing 1; what was found cannot be put back, and the certificate says so. */
static void clear_global_status(struct check *c, uint32_t cpu, uint32_t msr)
{
    uint64_t value = 0;
    enum status st = msr_read(c->platform, cpu, msr, &value);

    if (st == ST_OK && value != 0)
        st = ledger_touch_msr(c->platform, msr, LEDGER_READONLY);
    if (st == ST_OK && value != 0)
        st = msr_write(c->platform, cpu, msr, value);
    (void)st; /* a part without it has nothing to clear */
}

static void thaw_die(struct check *c, uint32_t cpu, uint32_t msr)
{
    const struct pmon_global *global = &c->tools->pmon.part->global;
    uint32_t n_status, status = boxes_global_status(&c->tools->pmon, &n_status);
    enum status st;

    if (cpu == UINT32_MAX)
        return;
    for (uint32_t k = 0; k < n_status; k++)
        clear_global_status(c, cpu, status + k);
    st = msr_write(c->platform, cpu, msr, global->run);
    (void)st; /* boxes that stay frozen show it */
}

void pmon_session_thaw(struct check *c)
{
    const struct pmon_part *part = c->tools->pmon.part;
    uint32_t msr = part ? boxes_global(&c->tools->pmon) : 0;

    for (uint32_t i = 0; msr && i < c->machine->n_packages; i++)
        for (uint32_t die = 0; die < dies_count(part, c->machine, i); die++)
            thaw_die(c, dies_worker(part, c->platform, c->machine, i, die), msr);
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */

/* U-box, slices, home agents and the power control unit run wherever they are. */
static bool may_lie_still(const struct pmon_unit *unit)
{
    struct pmon_event event;

    switch (unit->kind) {
    case PMON_IMC:
    case PMON_UMC:
    case PMON_LINK:
    case PMON_MESH_LINK:
    case PMON_OTHER:
        return unit->events.clock != PMON_CLOCK_PCU && pmon_session_every_clock(unit, &event);
    default:
        return false;
    }
}

static bool counts_nothing(const struct pmon_session_box *b)
{
    for (uint32_t k = 0; k < b->n; k++)
        if (b->got[k] != 0)
            return false;
    return true;
}

static void look(struct pmon_session *session)
{
    pmon_session_set_all(session, pmon_session_clock_ctl, true);
    pmon_session_program(session);
    pmon_session_window(session, pmon_session_ticks(session) / LOOK_SHARE);
    for (uint32_t i = 0; i < session->n; i++) {
        struct pmon_session_box *b = &session->boxes[i];

        if (b->status == ST_OK)
            b->box->life = may_lie_still(b->unit) && counts_nothing(b) ? PMON_LIES_STILL : PMON_LIVES;
    }
    pmon_session_clear(session);
    pmon_session_program(session);
}

static void say_still(struct check *c, const struct pmon_session_box *b)
{
    check_note(c, "%s: no counter of it counts a clock: %s", b->name,
               b->unit->kind == PMON_IMC || b->unit->kind == PMON_UMC ? "a channel without memory has none"
               : b->unit->kind == PMON_LINK || b->unit->kind == PMON_MESH_LINK
                   ? "a link that is not connected or sleeps has none"
                   : "what it monitors is off or not there");
}

void pmon_session_keep_alive(struct pmon_session *session)
{
    uint32_t unknown = 0, kept = 0;

    for (uint32_t i = 0; i < session->n; i++)
        unknown += may_lie_still(session->boxes[i].unit) && session->boxes[i].box->life == PMON_LIFE_UNKNOWN;
    if (unknown > 0)
        look(session);
    for (uint32_t i = 0; i < session->n; i++) {
        if (session->boxes[i].box->life != PMON_LIES_STILL)
            session->boxes[kept++] = session->boxes[i];
        else
            say_still(session->check, &session->boxes[i]);
    }
    session->n = kept;
}

bool pmon_session_none_alive(const struct check *c, enum pmon_kind kind, uint32_t package)
{
    const struct pmon *pmon = &c->tools->pmon;
    uint32_t still = 0;

    for (uint32_t i = 0; i < pmon->n_boxes; i++) {
        const struct pmon_box *box = &pmon->boxes[i];

        if (box->package != package || box->unit->kind != kind || box->status != ST_OK)
            continue;
        if (box->life != PMON_LIES_STILL)
            return false;
        still++;
    }
    return still > 0;
}
