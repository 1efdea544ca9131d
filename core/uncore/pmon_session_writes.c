/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether the counters of a box that counts can be written. Guides 327043-001 and 329468-002 and the SDM (Nehalem) say so
 * of their parts; of later ones drivers are the source, which preset no counter. */
#include "core/uncore/pmon_session.h"

#define PATTERN    UINT64_C(0x5555555555)
#define INVERSE    UINT64_C(0xAAAAAAAAAA)
#define A_WHILE_NS 1000000u

/* What a register of a box that is quiet reads after a value was written to it. */
static enum status written_and_read(struct check *c, struct pmon_box *box, struct pmon_reg reg, uint64_t value,
                                    uint64_t *back)
{
    enum status st = pmon_write(c->platform, box, reg, value);

    return st == ST_OK ? pmon_read(c->platform, box, reg, back) : st;
}

/* A register that is not written reads the same after both. */
static bool takes(struct check *c, struct pmon_box *box, struct pmon_reg reg, uint64_t bits)
{
    uint64_t first = 0, second = 0;

    return written_and_read(c, box, reg, PATTERN & bits, &first) == ST_OK &&
           written_and_read(c, box, reg, INVERSE & bits, &second) == ST_OK && first != second;
}

/* Quiet, and its counters 0. */
static enum status leave_quiet(struct check *c, struct pmon_box *box)
{
    enum status st = pmon_quiet(c->platform, box);

    for (uint32_t n = 0; n < pmon_n_counters(box->unit) && st == ST_OK; n++)
        st = pmon_counter_write(c->platform, box, pmon_nth(box->unit, n), 0);
    return st;
}

/* A box that is off counts nothing, and may read 0 whatever is written to it. */
static bool counts(struct check *c, struct pmon_box *box)
{
    uint64_t ctl = pmon_session_clock_ctl(box->unit), before = 0, after = 0;
    enum status st = ctl ? pmon_read(c->platform, box, pmon_ctr(box->unit, 0), &before) : ST_ABSENT;

    if (st == ST_OK && box->unit->layout->box)
        st = pmon_write(c->platform, box, pmon_box_ctl(box->unit), pmon_run_value(box->unit));
    if (st == ST_OK)
        st = pmon_write(c->platform, box, pmon_ctl(box->unit, 0), ctl);
    if (st != ST_OK)
        return false;
    platform_stall(c->platform, A_WHILE_NS);
    return pmon_read(c->platform, box, pmon_ctr(box->unit, 0), &after) == ST_OK && after != before;
}

static enum pmon_writes try_writes(struct check *c, struct pmon_box *box)
{
    bool read_only = true;

    if (pmon_quiet(c->platform, box) != ST_OK)
        return PMON_TAKES_WRITES; /* whatever is wrong there, the checks say it */
    for (uint32_t n = 0; n < pmon_n_counters(box->unit) && read_only; n++)
        read_only = !takes(c, box, pmon_ctr(box->unit, pmon_nth(box->unit, n)), UINT64_MAX);
    read_only = read_only && counts(c, box);
    return leave_quiet(c, box) == ST_OK && read_only ? PMON_TAKES_NONE : PMON_TAKES_WRITES;
}

bool pmon_takes_writes(struct check *c, struct pmon_box *box)
{
    if (!c->tools->pmon.part->no_guide || box->unit->layout->n_free)
        return true;
    if (box->writes == PMON_WRITES_UNKNOWN)
        box->writes = try_writes(c, box);
    if (box->writes != PMON_TAKES_NONE)
        return true;
    box->status = ST_READ_ONLY;
    box->why = PMON_READ_ONLY;
    return false;
}
