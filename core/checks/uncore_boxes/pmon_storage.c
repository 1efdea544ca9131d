/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whether every uncore box stores what is written to it, and shares no register with another. Witness: the values
 * written. */
#include "core/base/bits.h"
#include "core/checks/families.h"
#include "core/uncore/pmon_session.h"

#define GUIDE_COUNTER "E5-2600 Uncore Guide 327043-001 chapter 2, counter and control registers"

/* --- A2: storage -------------------------------------------------------------------------------------------------- */

static bool any_unit(const struct pmon_unit *unit)
{
    return !pmon_session_ubox(unit);
}

static uint64_t pmon_storage_pattern(uint32_t n, uint32_t bits)
{
    static const uint64_t patterns[] = { 0, UINT64_C(0x5555555555555555), UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_MAX };

    return patterns[n % 4] & low_bits(bits);
}

/* The pattern of register k of a box in round n of 4: each pattern once, any two of eight registers another one in some
 * round, so that bits that two registers share are seen, and a read that shows another register's value. */
static uint32_t pattern_number(uint32_t n, uint32_t k)
{
    return (n + k) ^ (k >> 2 & 1);
}

/* The one bit that reads 1 and was written 0; 0: another difference. */
static uint64_t added_bit(uint64_t written, uint64_t read)
{
    uint64_t more = read & ~written;

    return (read ^ written) == more && (more & (more - 1)) == 0 ? more : 0;
}

/* Does the bit that this counter has in addition read 1 in a pattern with it and in one without it? Patterns without long
 * runs, which a count that advances would carry over; a counter that advances by one has another value in one of them. */
static bool is_stuck(struct pmon_session *session, const struct pmon_session_box *b, uint32_t k)
{
    struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, k));
    uint64_t bit = added_bit(b->preset[k], b->got[k]);
    bool stuck = bit != 0;

    for (uint32_t n = 1; stuck && n <= 2; n++) {
        uint64_t pattern = pmon_storage_pattern(n, b->bits[k]), again = 0;

        stuck = pmon_write(session->check->platform, b->box, reg, pattern) == ST_OK &&
                pmon_read(session->check->platform, b->box, reg, &again) == ST_OK &&
                (again & low_bits(b->bits[k])) == (pattern | bit);
    }
    return stuck;
}

/* Two dwords in PCI configuration space, of which the high one is written first: it keeps its value where it is written
 * last, and so was changed by the write of the low one. */
static bool half_clears_other(struct pmon_session *session, const struct pmon_session_box *b, uint32_t k)
{
    struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, k)), high = reg;
    uint64_t again = 0;

    if (b->unit->layout->access != PMON_PCI || reg.bytes != 8)
        return false;
    high.offset += 4;
    high.bytes = 4;
    return pmon_write(session->check->platform, b->box, high, b->preset[k] >> 32) == ST_OK &&
           pmon_read(session->check->platform, b->box, reg, &again) == ST_OK &&
           (again & low_bits(b->bits[k])) == b->preset[k];
}

/* Does it hold all bits up to one, and none above? */
static bool is_narrow(struct pmon_session *session, const struct pmon_session_box *b, uint32_t k)
{
    struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, k));
    uint64_t all = low_bits(b->bits[k]), read = 0;

    return pmon_write(session->check->platform, b->box, reg, all) == ST_OK &&
           pmon_read(session->check->platform, b->box, reg, &read) == ST_OK && read != 0 && read < all &&
           (read & (read + 1)) == 0 && b->got[k] == (b->preset[k] & read);
}

#define A_WHILE_NS 1000000u

/* At once, or a while later where reads are late. */
static bool reads_right_again(const struct pmon_session *session, const struct pmon_session_box *b, uint32_t k)
{
    struct platform *p = session->check->platform;
    uint64_t again = 0;

    for (uint32_t i = 0; i < 2; i++) {
        if (i > 0)
            platform_stall(p, A_WHILE_NS);
        if (pmon_read(p, b->box, pmon_ctr(b->unit, pmon_session_index(b, k)), &again) == ST_OK &&
            (again & low_bits(b->bits[k])) == b->preset[k])
            return true;
    }
    return false;
}

/* What is wrong with a counter that reads another value than was written: a bit that is stuck, the read alone if another
 * one has the value, a half of it that the write of the other one clears, the highest bits that are not there, or what is
 * stored. */
static enum finding_code storage_defect(struct pmon_session *session, const struct pmon_session_box *b, uint32_t k,
                                        uint32_t n)
{
    if (n % 4 % 3 != 0 && added_bit(b->preset[k], b->got[k])) /* a pattern without long runs */
        return FOUND_BITS_STUCK;
    if (reads_right_again(session, b, k))
        return FOUND_READS_DIFFER;
    if (is_stuck(session, b, k))
        return FOUND_BITS_STUCK;
    if (half_clears_other(session, b, k)) /* of all ones the half that is left looks like a counter of 32 bits */
        return FOUND_REGISTER_LOST;
    return is_narrow(session, b, k) ? FOUND_TOP_BITS_UNUSED : FOUND_NOT_STORED;
}

/* Each dword once more, where a counter takes several reads: a defect of every n-th read of the box may hit reads of the
 * same dword in all rounds, and pmon_read() of both reads a high one that differs again. So many passes, each of an odd number
 * of reads. */
static void read_dwords(struct pmon_session *session, const struct pmon_session_box *b, uint32_t passes)
{
    for (uint32_t i = 0; b->n > 0 && i < passes * (2 * b->n + 1) && b->status == ST_OK; i++) {
        uint32_t in_pass = i % (2 * b->n + 1), k = in_pass / 2 % b->n, half = in_pass % 2;
        struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, k));
        uint64_t wanted = b->preset[k] >> (32 * half) & UINT32_MAX, dword = 0;

        if (b->unit->layout->access != PMON_PCI || reg.bytes != 8)
            continue;
        reg.bytes = 4;
        reg.offset += 4 * half;
        if (b->got[k] == b->preset[k] && pmon_read(session->check->platform, b->box, reg, &dword) == ST_OK &&
            dword != wanted)
            pmon_session_expect(session, b, k, half ? "the counter's high dword" : "the counter's low dword",
                                (double)(dword ^ wanted), "value", 0, 0, FOUND_READS_DIFFER,
                                "another read of the counter was right");
    }
}

static void try_counters(struct pmon_session *session, uint32_t n)
{
    pmon_session_each_counter(session, b, k)
        b->preset[k] = pmon_storage_pattern(pattern_number(n, k), b->bits[k]);
    pmon_session_program(session);
    pmon_session_fetch(session);
    pmon_session_each(session, b) {
        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)
            if (b->got[k] != b->preset[k]) {
                pmon_session_expect(session, b, k, "bits lost or added by the counter",
                                    (double)(b->got[k] ^ b->preset[k]), "value", 0, 0,
                                    storage_defect(session, b, k, pattern_number(n, k)),
                                    "value read differs from the value written");
                check_note(session->check, "%s counter %u: 0x%lx was written, 0x%lx is read", b->name, k, b->preset[k],
                           b->got[k]);
            } else {
                session->held++;
            }
        read_dwords(session, b, n % 4 + 1);
    }
}

/* Bits that events of the unit need in addition to the usual fields: sources disagree on the width of such fields. */
static uint64_t extra_bits(const struct pmon_unit *unit)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < unit->events.n_named; i++)
        bits |= unit->events.named[i].extra;
    return bits;
}

/* The bits of control k that are judged. */
static uint64_t control_mask(const struct pmon_session_box *b, uint32_t k)
{
    uint32_t index = pmon_session_index(b, k);
    uint64_t extra = index == PMON_FIXED ? 0 : extra_bits(b->unit);

    return pmon_stored_bits(b->unit, index) | extra;
}

static uint64_t control_pattern(const struct pmon_session_box *b, uint32_t k, uint32_t n)
{
    return pmon_storage_pattern(pattern_number(n, k), 64) & control_mask(b, k);
}

/* Bits that the document reserves, and that Assay writes as 0. */
static void judge_reserved(struct pmon_session *session, const struct pmon_session_box *b, uint32_t k, uint64_t value)
{
    uint32_t index = pmon_session_index(b, k);
    uint64_t set = value & pmon_reserved_bits(b->unit, index);

    if (index != PMON_FIXED && (value & b->unit->layout->control->occ_rst))
        finding(session->check, FINDING_EXPECTED, 0, FOUND_WRITE_ONLY_READS, pmon_session_place(b, k),
                "control reads 0x%lx, and OCC_CTR_RST is documented to read 0", value);

    if (set)
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_RESERVED_BITS, pmon_session_place(b, k),
                "control reads 0x%lx, of which 0x%lx is reserved", value, set);
}

static void try_controls(struct pmon_session *session, uint32_t n)
{
    pmon_session_each(session, b) {
        for (uint32_t k = 0; k < b->n; k++) {
            struct pmon_reg reg = pmon_ctl(b->unit, pmon_session_index(b, k));

            b->ctl[k] = control_pattern(b, k, n) & low_bits(reg.bytes * 8);
            pmon_session_write(session, b, reg, b->ctl[k]);
        }
        for (uint32_t k = 0; k < b->n; k++)
            pmon_session_read(session, b, pmon_ctl(b->unit, pmon_session_index(b, k)));
    }
    pmon_session_execute(session);
    pmon_session_each_counter(session, b, k) {
        uint64_t read = pmon_session_value(session, b, b->n + k), value = read & control_mask(b, k);

        judge_reserved(session, b, k, read);
        if (!pmon_session_expect(session, b, k, "bits lost or added by the control", (double)(value ^ b->ctl[k]),
                                 "value", 0, 0, FOUND_CONTROL_NOT_STORED, "value read differs from the value written"))
            check_note(session->check, "%s control %u: 0x%lx was written, 0x%lx is read", b->name, k, b->ctl[k], value);
    }
}

/* --- filters, which drivers write and never read: what one does not store is a WARN */

static uint64_t filter_pattern(const struct pmon_unit *unit, uint32_t i, uint32_t n)
{
    uint64_t bits = unit->layout->tid;

    for (uint32_t k = 0; k < unit->layout->n_fields; k++)
        if (unit->layout->fields[k].in == PMON_IN_FILTER)
            bits |= unit->layout->fields[k].bits;
    return pmon_storage_pattern(n, 64) & (bits >> 32 * i & low_bits(32));
}

static void judge_filter(struct pmon_session *session, const struct pmon_session_box *b, uint32_t i, uint64_t written,
                         uint64_t read)
{
    if ((read & filter_pattern(b->unit, i, 3)) == written) {
        session->held++;
        return;
    }
    pmon_session_show(session, b, pmon_filter(b->unit, i), read);
    finding(session->check, FINDING_UNUSUAL, 0, FOUND_CONTROL_NOT_STORED, pmon_place(b->box),
            "filter %u: 0x%lx was written, 0x%lx is read", i, written, read);
}

/* Every control is 0. pmon_session_close() clears them. */
static void try_filters(struct pmon_session *session, uint32_t n)
{
    for (uint32_t i = 0; i < 2; i++) {
        pmon_session_each(session, b) {
            if (pmon_filter(b->unit, i).bytes == 0 || filter_pattern(b->unit, i, 3) == 0)
                continue;
            b->filtered[i] = true;
            pmon_session_write(session, b, pmon_filter(b->unit, i), filter_pattern(b->unit, i, n));
            pmon_session_read(session, b, pmon_filter(b->unit, i));
        }
        pmon_session_execute(session);
        pmon_session_each(session, b)
            if (b->status == ST_OK && pmon_filter(b->unit, i).bytes && filter_pattern(b->unit, i, 3))
                judge_filter(session, b, i, filter_pattern(b->unit, i, n), pmon_session_value(session, b, 1));
    }
}

/* --- a box control whose bits a document says are stored: Nehalem's enables, and where its interrupts go */

static uint64_t box_pattern(const struct pmon_box_control *f, uint32_t n)
{
    return pmon_storage_pattern(n, 64) & (f->run | f->kept);
}

static void judge_box_control(struct pmon_session *session, const struct pmon_session_box *b, uint64_t written,
                              uint64_t read)
{
    const struct pmon_box_control *f = b->unit->layout->box;
    uint64_t off = (read ^ written) & (f->run | f->kept), cores = off & f->kept_of_cores;

    if (read & f->reserved) {
        pmon_session_show(session, b, pmon_box_ctl(b->unit), read);
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_RESERVED_BITS, pmon_place(b->box),
                "box control reads 0x%lx, of which 0x%lx is reserved", read, read & f->reserved);
    }
    if (off == 0) {
        session->held++;
        return;
    }
    pmon_session_show(session, b, pmon_box_ctl(b->unit), read);
    finding(session->check, off == cores ? FINDING_UNUSUAL : FINDING_EXPECTED, 0, FOUND_NOT_STORED, pmon_place(b->box),
            "box control: 0x%lx was written, 0x%lx is read", written, read);
}

/* Every control is 0, so that nothing counts or requests an interrupt. */
static void try_box_controls(struct pmon_session *session, uint32_t n)
{
    pmon_session_each(session, b) {
        if (b->unit->layout->box == NULL || b->unit->layout->box->kept == 0)
            continue;
        pmon_session_write(session, b, pmon_box_ctl(b->unit), box_pattern(b->unit->layout->box, n));
        pmon_session_read(session, b, pmon_box_ctl(b->unit));
        pmon_session_write(session, b, pmon_box_ctl(b->unit), pmon_freeze_value(b->unit));
    }
    pmon_session_execute(session);
    pmon_session_each(session, b) {
        if (b->unit->layout->box && b->unit->layout->box->kept && b->status == ST_OK)
            judge_box_control(session, b, box_pattern(b->unit->layout->box, n), pmon_session_value(session, b, 1));
    }
}

/* Two values, each read right after it was written: a late read shows the first of them again. Reads of all boxes in turn are
 * too far apart for that. No document says how current a read is: WARN. */
static void judge_current(struct pmon_session *session)
{
    struct platform *p = session->check->platform;

    pmon_session_each(session, b) {
        struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, 0));
        uint64_t now = 0;

        b->preset[0] = pmon_storage_pattern(1, b->bits[0]);
        if (b->status != ST_OK || pmon_write(p, b->box, reg, pmon_storage_pattern(0, b->bits[0])) != ST_OK ||
            pmon_read(p, b->box, reg, &now) != ST_OK || pmon_write(p, b->box, reg, b->preset[0]) != ST_OK ||
            pmon_read(p, b->box, reg, &now) != ST_OK || (now & low_bits(b->bits[0])) == b->preset[0] ||
            !reads_right_again(session, b, 0))
            continue;
        finding(session->check, FINDING_UNUSUAL, 0, FOUND_READS_DIFFER, pmon_session_place(b, 0),
                "0x%lx was written, a read at once returns 0x%lx, and a later one what was written", b->preset[0], now);
    }
}

/* A box none of whose counters takes a write is locked: one finding, and it leaves this session and those of later
 * checks. Reads may be late, which is another defect. */
static void lock_out(struct pmon_session *session)
{
    uint32_t left = 0;

    pmon_session_each_counter(session, b, k)
        b->preset[k] = pmon_storage_pattern(1, b->bits[k]);
    pmon_session_program(session);
    platform_stall(session->check->platform, A_WHILE_NS);
    pmon_session_fetch(session);
    pmon_session_each(session, b) {
        uint32_t kept = HOW_MANY(k, b->n, b->got[k] != 0);

        if (b->status != ST_OK || kept > 0) {
            session->boxes[left++] = *b;
            continue;
        }
        b->box->status = ST_READ_ONLY;
        b->box->why = PMON_LOCKED;
        b->box->why_address = pmon_address(b->box, pmon_ctr(b->unit, 0));
        finding(session->check, FINDING_EXPECTED, 0, FOUND_BOX_LOCKED, pmon_place(b->box),
                "no counter takes a write: locked or not implemented");
    }
    session->n = left;
}

/* Another box of the unit, whose counters take writes; NULL: none. */
static const struct pmon_box *writable_one(const struct pmon *pmon, const struct pmon_unit *unit)
{
    return FIND(i, pmon->n_boxes,
                pmon->boxes[i].unit == unit && pmon->boxes[i].status == ST_OK &&
                    pmon->boxes[i].writes == PMON_TAKES_WRITES,
                &pmon->boxes[i], NULL);
}

/* No document of some parts says that counters can be written, and a unit's boxes are alike. A unit all of whose boxes refuse
 * writes is firmware's to answer for. */
static void judge_read_only(struct check *c)
{
    const struct pmon *pmon = &c->tools->pmon;
    const struct pmon_unit *refused = NULL;

    EACH(const struct pmon_box, box, pmon->boxes, pmon->n_boxes) {
        const struct pmon_box *other = writable_one(pmon, box->unit);
        char name[48], why[PMON_TEXT];

        if ((box->why != PMON_READ_ONLY && box->why != PMON_REFUSED) || !c->row->wanted(box->unit))
            continue;
        pmon_box_name(other ? other : box, name);
        pmon_box_reason(box, why, sizeof why);
        if (other)
            finding(c, FINDING_EXPECTED, 0, FOUND_BOX_LOCKED, pmon_place(box), "%s, and those of %s take writes",
                    box->why == PMON_REFUSED ? why : "its counters count and take no write", name);
        else if (box->why == PMON_REFUSED && box->unit != refused)
            finding(c, FINDING_UNUSUAL, 0, FOUND_BOX_LOCKED, pmon_place(box), "%s, as all boxes of its unit", why);
        refused = box->unit;
    }
}

/* Units of which nothing is known to count: what they select is never held to a load. */
static void say_storage_alone(struct pmon_session *session)
{
    pmon_session_each(session, b) {
        const struct pmon_unit *u = b->unit;
        bool said = b > session->boxes && b[-1].unit == u;

        if (!said && u->events.n_named == 0 && u->layout->fixed.clock == PMON_CLOCK_NONE &&
            pmon_session_clock_ctl(u) == 0)
            check_note(session->check, "%s: storage only: no event of it is known", u->name);
    }
}

static enum status storage_try_width(struct pmon_session *session)
{
    pmon_session_silence(session);
    pmon_session_widths(session);
    lock_out(session);
    judge_read_only(session->check);
    judge_current(session);
    for (uint32_t n = 0; n < 4; n++) {
        pmon_session_clear(session);
        try_counters(session, n);
    }
    pmon_session_silence(session);
    for (uint32_t n = 0; n < 4; n++)
        try_controls(session, n);
    pmon_session_silence(session);
    for (uint32_t n = 4; n-- > 0;) {
        try_filters(session, n);
        try_box_controls(session, n);
    }
    say_storage_alone(session);
    return ST_OK;
}

/* One bit more than a counter of the UBox has is refused or not there. */
static enum status judge_bit_above(struct pmon_session *session, const struct pmon_session_box *b, uint32_t k)
{
    struct pmon_reg reg = pmon_ctr(b->unit, pmon_session_index(b, k));
    struct platform *p = session->check->platform;
    uint64_t value = 0;
    enum status st = pmon_write(p, b->box, reg, BIT(b->bits[k]));

    if (st == ST_FAULT)
        return ST_OK;
    if (st == ST_OK)
        st = pmon_read(p, b->box, reg, &value);
    if (st == ST_OK)
        pmon_session_expect(session, b, k, "bit above the counter's width", (double)(value >> b->bits[k] & 1), "value",
                            0, 0, FOUND_BITS_ABOVE_WIDTH, "a bit above the counter's width is stored");
    return st == ST_OK ? pmon_write(p, b->box, reg, 0) : st;
}

static enum status storage_try_ubox_width(struct pmon_session *session)
{
    enum status st = storage_try_width(session);

    pmon_session_each_counter(session, b, k)
        b->status = judge_bit_above(session, b, k);
    return st;
}

/* --- A3, S1: every box is one of its own -------------------------------------------------------------------------- */

static uint64_t mark_of(uint32_t box, uint32_t counter)
{
    return UINT64_C(0x100000000) + ((uint64_t)box << 8) + counter + 1;
}

static void judge_marks(struct pmon_session *session, const char *what, enum finding_code code, const char *defect,
                        uint32_t first, uint32_t step)
{
    pmon_session_fetch(session);
    for (uint32_t i = first; i < session->n; i += step) {
        struct pmon_session_box *b = &session->boxes[i];

        for (uint32_t k = 0; k < b->n && b->status == ST_OK; k++)
            pmon_session_expect(
                session, b, k, what, (double)b->got[k], "value", (double)b->preset[k], (double)b->preset[k],
                b->got[k] != b->preset[k] && pmon_session_read_wrong(session, b, k) == k ? FOUND_READS_DIFFER : code,
                defect);
    }
}

/* Registers of a package are the same ones for each of its processors: those of its first box with MSRs. */
static void judge_every_processor(struct pmon_session *session, const struct pmon_session_box *b)
{
    struct check *c = session->check;
    struct pmon_box seen = *b->box;
    const struct cpu *driver = &c->machine->cpus[seen.cpu];

    for (uint32_t i = 0; i < c->platform->n_cpus && b->status == ST_OK; i++) {
        const struct cpu_place *at = &c->machine->cpus[i].place;
        uint64_t value = 0;

        if (at->package != driver->place.package || at->die != driver->place.die || !cpu_takes_work(c->platform, i))
            continue;
        seen.cpu = i;
        if (pmon_read(c->platform, &seen, pmon_ctr(b->unit, pmon_session_index(b, 0)), &value) == ST_OK)
            pmon_session_expect(session, b, 0, "value that another processor reads", (double)value, "value",
                                (double)b->preset[0], (double)b->preset[0], FOUND_REGISTER_SHARED,
                                "a processor reads another value than the one that wrote it");
    }
}

static void judge_processors(struct pmon_session *session)
{
    const struct pmon_box *last = NULL;

    pmon_session_each(session, b) {
        if (b->unit->layout->access != PMON_MSR || !reference_is_intel(session->check) || b->n == 0 ||
            (last && last->package == b->box->package && last->die == b->box->die))
            continue;
        last = b->box;
        judge_every_processor(session, b);
    }
}

/* Each other box from `first` on is reset; what the boxes between them hold stays. */
static void try_resets_of_others(struct pmon_session *session, uint32_t first)
{
    pmon_session_program(session);
    for (uint32_t i = first; i < session->n; i += 2) {
        struct pmon_session_box *b = &session->boxes[i];

        if (pmon_session_resets(b->unit))
            pmon_session_write(session, b, pmon_box_ctl(b->unit),
                               pmon_freeze_value(b->unit) | b->unit->layout->box->rst_ctrs);
    }
    pmon_session_execute(session);
    judge_marks(session, "value after other boxes were reset", FOUND_RESET_BEYOND,
                "value changed by a reset of other boxes", 1 - first, 2);
}

static enum status storage_try_own_box(struct pmon_session *session)
{
    pmon_session_clear(session);
    for (uint32_t i = 0; i < session->n; i++)
        for (uint32_t k = 0; k < session->boxes[i].n; k++)
            session->boxes[i].preset[k] = mark_of(i, k) & low_bits(session->boxes[i].bits[k]);
    pmon_session_program(session);
    judge_marks(session, "value after all boxes were written", FOUND_REGISTER_SHARED,
                "value changed after the other boxes were written", 0, 1);
    judge_processors(session);
    try_resets_of_others(session, 0);
    try_resets_of_others(session, 1);
    return ST_OK;
}

static enum status storage_try_own_ubox(struct pmon_session *session)
{
    return session->n < 2 ? check_absent(session->check, "needs two packages or dies with a usable UBox")
                          : storage_try_own_box(session);
}

static const struct check_row rows[] = {
    { .id = "pmon.width",
      .title = "Counters, controls and filters store every bit of their documented width",
      .covers = "A2",
      .detects = "stuck bits, a wrong width, a field that two counters share, a locked box",
      .wanted = any_unit,
      .run_session = storage_try_width },
    { .id = "pmon.own-box",
      .title = "Boxes share neither registers nor resets",
      .covers = "A3 S1",
      .detects = "boxes that share an address, registers routed to another package, a processor that reads others",
      .wanted = any_unit,
      .run_session = storage_try_own_box },
};
CHECK_FAMILY(pmon_storage, rows, UNCORE_FAMILY, .spec = GUIDE_COUNTER, .risk = RISK_MSR, .order = 920);

static const struct check_row ubox_rows[] = {
    { .id = "ubox.own-box",
      .title = "Every package has a UBox of its own",
      .spec = UBOX_GUIDE_COUNTER " (one UBox in each package)",
      .covers = "S1",
      .detects = "registers that are routed to another package",
      .order = 900,
      .wanted = pmon_session_ubox,
      .run_session = storage_try_own_ubox },
    { .id = "ubox.width",
      .title = "UBox counters have their documented width, and controls store their fields",
      .spec = UBOX_GUIDE_COUNTER "; table 2-2 U_MSR_PMON_CTL",
      .covers = "A2",
      .detects = "stuck bits of counters and controls, a wrong width, reserved bits that read 1",
      .order = 905,
      .wanted = pmon_session_ubox,
      .run_session = storage_try_ubox_width },
};
CHECK_FAMILY(ubox_storage, ubox_rows, UBOX_FAMILY);
