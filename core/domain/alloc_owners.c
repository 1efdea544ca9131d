/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/alloc_owners.h"

#include "core/base/bits.h"
#include "core/machine/register_name.h"
#include "core/platform/script.h"

struct owner_walk {
    struct sweep sweep;
    const struct alloc_table *t;
    const uint64_t *values; /* two that sets take in turn; NULL: windows of two bits */
    uint64_t enable;        /* not 0: this bit is written, and every processor's other bits are those found */
    bool write, last;       /* last: through the last processor of each set, not the first */
    bool shown;
};

/* Another one for each class and each neighbouring set. */
static uint64_t value_of_set(const struct check *c, const struct owner_walk *o, uint32_t cpu, uint32_t class)
{
    uint32_t turn = alloc_set(c, cpu, o->t->scope) + class + o->last;

    if (o->values)
        return o->values[turn % 2];
    return o->t->bits < 2 ? low_bits(o->t->bits) : UINT64_C(3) << turn % (o->t->bits - 1);
}

/* A mask may be stored with all shareable bits, a throttle be rounded down: never to the other value. */
static bool is_of_set(const struct owner_walk *o, uint64_t wanted, uint64_t read)
{
    uint64_t shareable = o->t->shareable;

    if (o->t->rounded && o->values)
        return read <= wanted && read != o->values[wanted == o->values[0]];
    return read == wanted || ((wanted & shareable) && read == (wanted | shareable));
}

static bool last_of_set(const struct check *c, uint32_t cpu, enum alloc_scope scope)
{
    for (uint32_t i = cpu + 1; i < c->machine->n_cpus && alloc_same(c, i, cpu, scope); i++)
        if (cpu_takes_work(c->platform, i))
            return false;
    return cpu_takes_work(c->platform, cpu);
}

static uint32_t build_owner(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct owner_walk *o = s->context;
    bool writes = o->last ? last_of_set(s->check, cpu, o->t->scope) : alloc_writes(s->check, cpu, o->t->scope);

    if (o->write && !writes)
        return 0;
    for (uint32_t class = 0; class < o->t->classes; class ++)
        steps[class] = o->write ? step_wrmsr(o->t->first + class, value_of_set(s->check, o, cpu, class))
                                : step_rdmsr(o->t->first + class);
    return o->t->classes;
}

/* Whether the write was accepted, else a finding. */
static bool judge_owner_write(struct sweep *s, uint32_t cpu, uint32_t class, const struct step *write)
{
    const struct owner_walk *o = s->context;

    if (write->status != ST_OK)
        finding(s->check, FINDING_EXPECTED, 0, FOUND_LEGAL_REFUSED, place_cpu(cpu), "WRMSR %s <- 0x%lx raised %s",
                alloc_name_of(o->t, class).text, write->value, status_text(write->status));
    return write->status == ST_OK;
}

/* Whether the value read is that of the processor's own set, else a finding. */
static bool judge_owner_read(struct sweep *s, uint32_t cpu, uint32_t class, const struct step *read)
{
    const struct owner_walk *o = s->context;
    uint64_t wanted = value_of_set(s->check, o, cpu, class);
    bool right = read->status == ST_OK && is_of_set(o, wanted, read->value);

    s->compared++;
    if (!right || !o->shown)
        evidence_msr(s->check, cpu, read->reg, read->value, read->tsc);
    if (!right)
        finding(s->check, FINDING_EXPECTED, 0, FOUND_READS_DIFFER, place_cpu(cpu),
                "%s reads 0x%lx; 0x%lx was written through the %s processor of its L%u, and another value on every "
                "other L%u",
                alloc_name_of(o->t, class).text, read->value, wanted, o->last ? "last" : "first",
                o->t->scope == ALLOC_L3 ? 3 : 2, o->t->scope == ALLOC_L3 ? 3 : 2);
    return right;
}

static void judge_owner(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    struct owner_walk *o = s->context;
    bool right = true;

    for (uint32_t class = 0; class < n && right; class ++)
        right =
            o->write ? judge_owner_write(s, cpu, class, &steps[class]) : judge_owner_read(s, cpu, class, &steps[class]);
    o->shown |= !o->write;
}

static enum status owner_phase(struct check *c, struct owner_walk *o)
{
    TRY(sweep_run(&o->sweep, c, o->t->classes, build_owner, judge_owner, o->t->name, o));
    if (!o->write)
        evidence_swept(c, "registers read on every processor after each cache was given values of its own",
                       o->sweep.compared);
    return ST_OK;
}

/* --- a write through each processor */

#define TURN_VALUES 3u /* of a register, each written and read */

/* Of masks: all bits, the two lowest, the two highest, so that each bit is written 1 and 0. */
static uint64_t value_of_turn(const struct owner_walk *o, uint32_t cpu, uint32_t class, uint32_t turn)
{
    uint64_t all = low_bits(o->t->bits), two = all & 3;
    const uint64_t masks[TURN_VALUES] = { all, two, o->t->bits > 2 ? two << (o->t->bits - 2) : two };

    if (o->enable)
        return (alloc_found(o->sweep.check, cpu, o->t->first) & ~o->enable) | (turn == 0 ? o->enable : 0);
    return o->values ? o->values[(class + turn) % 2] : masks[turn];
}

static uint32_t turn_values(const struct owner_walk *o)
{
    return o->values || o->enable ? 2 : TURN_VALUES;
}

/* A write that is lost leaves another value, which the processor before this one, or this one, wrote. */
static uint32_t build_turn(struct sweep *s, uint32_t cpu, struct step *steps)
{
    const struct owner_walk *o = s->context;
    uint32_t n = 0;

    for (uint32_t class = 0; class < o->t->classes; class ++)
        for (uint32_t turn = 0; turn < turn_values(o); turn++) {
            steps[n++] = step_wrmsr(o->t->first + class, value_of_turn(o, cpu, class, turn));
            steps[n++] = step_rdmsr(o->t->first + class);
        }
    return n;
}

static void judge_turn(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t n)
{
    const struct owner_walk *o = s->context;

    for (uint32_t i = 0; i + 1 < n; i += 2, s->compared++) {
        const struct step *write = &steps[i], *read = &steps[i + 1];
        uint32_t class = write->reg - o->t->first;

        if (!judge_owner_write(s, cpu, class, write))
            return;
        if (read->status == ST_OK && is_of_set(o, write->value, read->value))
            continue;
        evidence_wrmsr(s->check, cpu, write->reg, write->value, write->status, write->tsc);
        evidence_msr(s->check, cpu, read->reg, read->value, read->tsc);
        finding(s->check, FINDING_EXPECTED, 0, FOUND_NOT_STORED, place_cpu(cpu),
                "%s was written 0x%lx through this processor and reads 0x%lx", alloc_name_of(o->t, class).text,
                write->value, read->value);
        return;
    }
}

/* Every processor, those of an L3 one after the other, writes values that differ in every bit of a mask, and reads each
 * back: whichever of a set's processors software writes through, the register gets it. The caller puts back what was
 * there. */
static enum status turns_walk(struct check *c, struct owner_walk *o)
{
    TRY(alloc_record_table(c, o->t));
    o->sweep = (struct sweep){ .check = c,
                               .max_steps = 2 * TURN_VALUES * o->t->classes,
                               .build = build_turn,
                               .judge = judge_turn,
                               .what = o->t->name,
                               .in_turn = true,
                               .context = o };
    TRY(sweep_processors(&o->sweep));
    evidence_swept(c, "registers written and read through every processor in turn", o->sweep.compared);
    return ST_OK;
}

enum status alloc_switch_walk(struct check *c, uint32_t msr, uint64_t enable)
{
    const struct alloc_table t = { .name = register_name(msr), .first = msr, .classes = 1, .scope = ALLOC_L3 };
    struct owner_walk o = { .t = &t, .enable = enable };
    enum status st = turns_walk(c, &o);

    return status_first(st, alloc_put_back(c, msr));
}

enum status alloc_owners_walk(struct check *c, const struct alloc_table *t, const uint64_t *values)
{
    struct owner_walk o = { .t = t, .values = values };
    enum status st = alloc_record_table(c, t);

    TRY(st);
    for (uint32_t phase = 0; phase < 4 && st == ST_OK; phase++) {
        o.last = phase >= 2;
        o.write = phase % 2 == 0;
        st = owner_phase(c, &o);
    }
    if (st == ST_OK)
        st = turns_walk(c, &o);
    return status_first(st, alloc_put_back_table(c, t));
}
