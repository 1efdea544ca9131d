/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/matrix/defects/flaw_draw.h"

#include <stdio.h>
#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"
#include "tests/matrix/matrix.h"
#include "tests/silicon/quirks/realism.h"
#include "tests/silicon/model/scramble.h"
#include "tests/silicon/profiles/profile.h"
#include "tests/silicon/profiles/profile_capability.h"
#include "tests/silicon/uncore/uncore.h"

#define TRIES 4000u

static int32_t between(struct dice *d, int32_t least, int32_t most)
{
    return least + (int32_t)dice_throw(d, (uint32_t)(most - least + 1));
}

/* --- what can be composed: a row allows each of its scopes with each of its kinds, accesses and triggers */

#define KIND(k)       (1u << FLAW_##k)
#define DATA_AND_CODE KIND(LOADS) | KIND(STORES) | KIND(CODE)
#define COUNT_TRIGGERS                                                                                                 \
    KIND(CONTENTION) | KIND(AFTER_IDLE) | KIND(AFTER_CLOCK) | KIND(AFTER_SIBLING) | KIND(NTH) | KIND(MANY)

static const struct monitor {
    const char *text;
    enum capability needs;
    uint32_t scopes, kinds, accesses, triggers; /* bits; trigger: besides "always" */
    int32_t share;                              /* least percent that is lost, of all accesses */
    const char *checks;                         /* to run: patterns */
    const char *causes, *rules;                 /* that name it: patterns of a cause's monitor, of a check's id */
} monitors[FLAW_MONITORS] = {
    [FLAW_CMT] = { "CMT", CAP_CMT, KIND(EVERYWHERE) | KIND(L3) | KIND(CPU) | KIND(RMID) | KIND(HIGH),
                   KIND(DEAD) | KIND(SCALED) | KIND(LOST) | KIND(LEAKS) | KIND(SWAPPED) | KIND(ALIASED) | KIND(STALE),
                   DATA_AND_CODE, COUNT_TRIGGERS, 30, "cmt.* qm.* cross.* mbm.total mbm.every-thread",
                   "CMT* RMID* IA32_QM_CTR* sub-NUMA*", "cmt.* qm.* cross.*" },
    [FLAW_MBM] = { "MBM", CAP_MBM_TOTAL,
                   KIND(EVERYWHERE) | KIND(L3) | KIND(SLICE) | KIND(CPU) | KIND(RMID) | KIND(HIGH),
                   KIND(DEAD) | KIND(LOST) | KIND(LEAKS) | KIND(SWAPPED) | KIND(ALIASED) | KIND(STALE) | KIND(WRAPS),
                   DATA_AND_CODE, COUNT_TRIGGERS, 6, "mbm.* traffic.* cross.* cmt.code qm.*", "MBM* RMID* IA32_QM_CTR*",
                   "mbm.* traffic.* qm.* cmt.code*" },
    [FLAW_MBM_LOCAL] = { "MBM local", CAP_MBM_LOCAL,
                         KIND(EVERYWHERE) | KIND(L3) | KIND(SLICE) | KIND(RMID) | KIND(HIGH),
                         KIND(DEAD) | KIND(LOST) | KIND(STALE) | KIND(WRAPS), 0, KIND(NTH) | KIND(MANY), 6,
                         "mbm.* traffic.closure qm.*", "MBM* IA32_QM_CTR*", "mbm.* qm.*" },
    [FLAW_PQR] = { "PQR_ASSOC", CAP_CMT, KIND(EVERYWHERE) | KIND(L3) | KIND(CPU) | KIND(RMID) | KIND(HIGH),
                   KIND(DEAD) | KIND(LATE) | KIND(LEAKS) | KIND(SWAPPED) | KIND(ALIASED), KIND(CODE),
                   KIND(AFTER_IDLE) | KIND(AFTER_SMI) | KIND(AFTER_CLOCK) | KIND(AFTER_SIBLING) | KIND(CONTENTION) |
                       KIND(NTH),
                   30, "pqr.* cmt.* mbm.* cross.*", "IA32_PQR* RMID* CMT* sub-NUMA*", "pqr.* cmt.* mbm.* cross.*" },
    [FLAW_QM] = { "QM_CTR", CAP_CMT, KIND(EVERYWHERE) | KIND(L3) | KIND(CPU) | KIND(RMID) | KIND(HIGH),
                  KIND(STALE) | KIND(STICKY), 0, KIND(NTH) | KIND(MANY), 0, "qm.* cmt.* mbm.* cross.*",
                  "IA32_QM* MBM* CMT*", "qm.* mbm.* cmt.* cross.*" },
    [FLAW_CAT] = { "CAT", CAP_CAT, KIND(EVERYWHERE) | KIND(L3) | KIND(CPU) | KIND(CLASS) | KIND(HIGH),
                   KIND(DEAD) | KIND(LOST) | KIND(LEAKS) | KIND(SWAPPED) | KIND(STICKY), DATA_AND_CODE,
                   KIND(CONTENTION) | KIND(NTH), 30, "cat.* cdp.* pqr.*", "CAT* IA32_PQR* CDP*", "cat.* cdp.*" },
    [FLAW_CDP] = { "CDP", CAP_CDP, KIND(EVERYWHERE) | KIND(L3) | KIND(CPU) | KIND(CLASS),
                   KIND(DEAD) | KIND(LEAKS) | KIND(SWAPPED) | KIND(STICKY), KIND(LOADS) | KIND(CODE), 0, 30,
                   "cat.* cdp.*", "CAT* CDP*", "cat.* cdp.*" },
    [FLAW_MBA] = { "MBA", CAP_THROTTLE, KIND(EVERYWHERE) | KIND(L3) | KIND(CPU) | KIND(CLASS) | KIND(HIGH), KIND(DEAD),
                   0, KIND(CONTENTION) | KIND(AFTER_CLOCK), 0, "mba.* amd.* cba.*", "MBA*", "mba.* amd.ceiling*" },
    [FLAW_L2] = { "L2", CAP_L2_CAT, KIND(EVERYWHERE) | KIND(CPU) | KIND(CLASS) | KIND(HIGH), KIND(DEAD), 0, 0, 0,
                  "l2.*", "CAT*", "l2.*" },
    [FLAW_UNCORE] = { "uncore", CAP_PMON, KIND(BOX) | KIND(COUNTER),
                      KIND(DEAD) | KIND(LOST) | KIND(SCALED) | KIND(STICKY) | KIND(STALE) | KIND(WRAPS), 0, KIND(NTH),
                      20, "pmon.* ubox.* traffic.*", "u* UBox* slice* memory* data*", "pmon.* ubox.* traffic.*" },
    [FLAW_ABMC] = { "assigned counter", CAP_ABMC, KIND(EVERYWHERE) | KIND(L3) | KIND(COUNTER) | KIND(HIGH),
                    KIND(DEAD) | KIND(SCALED), 0, 0, 16, "amd.* mbm.*", "MBM* QOS*", "amd.* mbm.*" },
};

/* As a text composes them: flaw_compose(). */
static const char *const kind_words[FLAW_KINDS] = { "dead",    "scaled",  "lost",   "late",  "leaks",
                                                    "swapped", "aliased", "sticky", "stale", "wraps" };
static const char *const access_words[FLAW_ACCESSES] = { "any", "loads", "stores", "code", "nt" };
static const char *const trigger_words[FLAW_TRIGGERS] = { "always",  "contention", "idle", "smi",   "clock",
                                                          "sibling", "between",    "nth",  "mwait", "many" };
static const char *const scope_texts[] = { "everywhere", "L3",    "slice",    "cpu",    "RMID",
                                           "upper half", "class", "box kind", "counter" };

const char *flaw_monitor_text(enum flaw_monitor m)
{
    return monitors[m].text;
}

size_t flaw_text(const struct drawn_flaw *d, char *out, size_t size)
{
    const struct flaw *f = &d->flaw;

    return (size_t)snprintf(out, size, "%s, %s %u, %s %d %s %s /%u, on %s", monitors[f->monitor].text,
                            scope_texts[f->scope], f->place, kind_words[f->kind], f->strength, access_words[f->access],
                            trigger_words[f->trigger], f->nth, d->machine.config.profile);
}

/* --- the machine's numbers */

struct numbers {
    uint32_t cpus, domains, slices, rmids, classes, ways, l2_classes, throttles;
    bool smis, clock;
};

/* "smi-period=": other than 0. */
static bool has_quirk(const struct drawn_machine *m, const char *name)
{
    const char *at = strstr(m->realism, name);

    return at && at[strlen(name)] != '0';
}

static struct numbers numbers_of(const struct drawn_machine *m)
{
    const struct model_config *c = &m->config;
    const struct profile *p = m->profile;
    uint32_t per_l3 = p->cores_per_l3 && p->cores_per_l3 < c->cores ? p->cores_per_l3 : c->cores;
    struct profile *cut = c->slices ? profile_cut(p, c->slices) : NULL;
    struct numbers n = { .cpus = c->packages * c->cores * c->threads,
                         .domains = c->packages * ((c->cores + per_l3 - 1) / per_l3),
                         .slices = c->slices ? c->slices : p->l3_slices,
                         .rmids = profile_cpuid(cut ? cut : p, 0xF, 1, 2) + 1,
                         .classes = (profile_cpuid(p, 0x10, 1, 3) & 0xFFFF) + 1,
                         .ways = (profile_cpuid(p, 0x10, 1, 0) & 0x1F) + 1,
                         .l2_classes = (profile_cpuid(p, 0x10, 2, 3) & 0xFFFF) + 1,
                         .throttles =
                             ((profile_cpuid(p, 0x10, 3, 3) | profile_cpuid(p, 0x80000020, 1, 3)) & 0xFFFF) + 1,
                         .smis = has_quirk(m, "smi-period="),
                         .clock = has_quirk(m, "uncore-clock=") };

    profile_cut_free(cut);
    return n;
}

/* One of the bits of a set that is not empty. */
static uint32_t one_of(struct dice *d, uint32_t bits)
{
    uint32_t skip = dice_throw(d, (uint32_t)__builtin_popcount(bits));

    while (skip-- > 0)
        bits &= bits - 1;
    return (uint32_t)__builtin_ctz(bits);
}

/* A kind of boxes with counters that the part has. */
static const struct uncore_box_type *draw_box(struct dice *d, const struct profile *p)
{
    const struct uncore_part *u = p->uncore;

    for (uint32_t i = 0; i < 64; i++) {
        const struct uncore_box_type *t = u->types[dice_throw(d, u->n_types)];

        if (t->counters && t->clock != CLOCK_OFF)
            return t;
    }
    return NULL;
}

/* What is fed when lines move, and what a reader of registers sees: kinds of the one and of the other. */
#define READ_KINDS (KIND(SCALED) | KIND(STICKY) | KIND(STALE) | KIND(WRAPS))

static bool is_in(uint32_t set, uint32_t bit)
{
    return set >> bit & 1;
}

static void draw_strength(struct dice *d, struct flaw *f, const struct numbers *n, uint32_t bits)
{
    int32_t share = monitors[f->monitor].share;
    bool masks = f->monitor == FLAW_CAT || f->monitor == FLAW_CDP || f->monitor == FLAW_L2;

    if (f->access != FLAW_ANY && share < 16)
        share = 16;
    switch (f->kind) {
    case FLAW_SCALED:
        f->strength = dice_throw(d, 2) ? between(d, share, 100) : -between(d, share, 90);
        break;
    case FLAW_LOST:
        f->strength = between(d, share, 90);
        break;
    case FLAW_LEAKS:
        f->strength = masks ? between(d, 2, n->ways > 4 ? (int32_t)n->ways / 2 : 2) : between(d, share, 90);
        break;
    case FLAW_LATE:
        f->strength = 82 << dice_throw(d, 10);
        break;
    case FLAW_ALIASED:
        f->strength = f->scope == FLAW_RMID ? (int32_t)one_of(d, f->place) /* one that the RMID has */
                                            : between(d, 0, n->rmids > 16 ? 3 : 1);
        break;
    case FLAW_STICKY:
        f->strength = f->monitor == FLAW_UNCORE ? between(d, 0, (int32_t)bits - 1) : between(d, 1, 4);
        break;
    case FLAW_WRAPS:
        f->strength = f->monitor == FLAW_UNCORE ? between(d, (int32_t)bits / 2, (int32_t)bits - 1) : between(d, 12, 20);
        break;
    default:
        break;
    }
}

/* Of CDP each class has two masks. */
static uint32_t classes_of(enum flaw_monitor m, const struct numbers *n)
{
    return m == FLAW_L2 ? n->l2_classes : m == FLAW_MBA ? n->throttles : m == FLAW_CDP ? n->classes / 2 : n->classes;
}

/* box: of its kind, where the defect is of one. */
static void draw_place(struct dice *d, struct flaw *f, const struct numbers *n, uint32_t box)
{
    switch (f->scope) {
    case FLAW_L3:
        f->place = dice_throw(d, n->domains);
        break;
    case FLAW_SLICE:
        f->place = dice_throw(d, n->slices);
        break;
    case FLAW_CPU:
        f->place = dice_throw(d, n->cpus);
        break;
    case FLAW_RMID:
        f->place = 1 + dice_throw(d, n->rmids - 1);
        break;
    case FLAW_CLASS:
        f->place = dice_throw(d, classes_of(f->monitor, n));
        break;
    case FLAW_BOX:
        f->place = box;
        break;
    case FLAW_COUNTER:
        f->place = dice_throw(d, f->monitor == FLAW_ABMC ? 16 : 2);
        break;
    default:
        break;
    }
}

/* Has the machine what it takes, and is this combination a defect that software can see? */
static bool is_possible(const struct flaw *f, const struct drawn_machine *m, const struct numbers *n)
{
    const struct model_config *c = &m->config;
    bool read = is_in(READ_KINDS, f->kind);

    if ((f->scope == FLAW_L3 && n->domains < 2) || (f->scope == FLAW_CPU && n->cpus < 2) ||
        (f->scope == FLAW_SLICE && (f->kind != FLAW_DEAD || n->slices > 16)))
        return false;
    switch (f->trigger) {
    case FLAW_CONTENTION:
        if (c->threads * c->cores / c->clusters < 2 || n->domains > c->packages || read)
            return false;
        break;
    case FLAW_AFTER_IDLE:
        if (read)
            return false;
        break;
    case FLAW_AFTER_SIBLING:
    case FLAW_BETWEEN:
        if (c->threads < 2 || read)
            return false;
        break;
    case FLAW_AFTER_SMI:
        if (!n->smis)
            return false;
        break;
    case FLAW_AFTER_CLOCK:
        if (!n->clock || read)
            return false;
        break;
    case FLAW_NTH: /* of reads, or of lines, of which a share is enough */
        if ((!read && f->kind != FLAW_DEAD) || f->kind == FLAW_SCALED || f->kind == FLAW_WRAPS)
            return false;
        break;
    case FLAW_MANY:
        if (f->kind != FLAW_STALE || n->domains < 2)
            return false;
        break;
    default:
        if (f->kind == FLAW_STALE && f->scope == FLAW_RMID)
            return false; /* what was read before is its own */
        break;
    }
    /* What is of some RMIDs or classes alone and needs a trigger or a kind of access as well: checks run over all of
     * them by one kind of load, and the product would take days. Of accesses and triggers likewise. */
    if ((f->scope == FLAW_RMID || f->scope == FLAW_HIGH || f->scope == FLAW_CLASS) + (f->access != FLAW_ANY) +
            (f->trigger != FLAW_ALWAYS) >
        1)
        return false;
    if (f->access != FLAW_ANY && read)
        return false;
    /* The L3 has the tag of what made the L2 give up the line, whatever brought it in. */
    if (f->monitor == FLAW_CMT && f->access == FLAW_STORES && strstr(m->realism, "l2-victim-tag=evict"))
        return false;
    if (f->kind == FLAW_LATE &&
        (f->trigger != FLAW_ALWAYS || f->access != FLAW_ANY || f->scope == FLAW_RMID || f->scope == FLAW_HIGH))
        return false;
    if (f->monitor == FLAW_UNCORE && f->kind == FLAW_WRAPS && f->scope != FLAW_BOX)
        return false;
    return !(f->kind == FLAW_SWAPPED && (f->trigger == FLAW_NTH || f->scope == FLAW_RMID));
}

static void compose(struct dice *d, struct drawn_flaw *to, enum flaw_monitor which)
{
    const struct monitor *m = &monitors[which];
    const struct numbers n = numbers_of(&to->machine);
    const struct uncore_box_type *t = which == FLAW_UNCORE ? draw_box(d, to->machine.profile) : NULL;
    struct flaw *f = &to->flaw;

    do {
        *f = (struct flaw){ .monitor = which, .nth = 2 };
        f->scope = one_of(d, m->scopes);
        f->kind = one_of(d, m->kinds);
        f->access = m->accesses && dice_throw(d, 4) == 0 ? one_of(d, m->accesses) : FLAW_ANY;
        f->trigger = m->triggers && dice_throw(d, 3) == 0 ? one_of(d, m->triggers) : FLAW_ALWAYS;
    } while (!is_possible(f, &to->machine, &n));
    if (f->trigger == FLAW_NTH)
        f->nth = (uint32_t)between(d, 2, is_in(READ_KINDS, f->kind) ? 12 : 100 / (m->share ? m->share : 30));
    draw_place(d, f, &n, t ? t->unit : 0);
    draw_strength(d, f, &n, t ? t->counter_bits : 0);
}

/* Time is what a machine costs: few processors, and RMIDs in thousands for counters that such parts alone have. */
static bool is_small(const struct drawn_machine *m, enum flaw_monitor which)
{
    const struct model_config *c = &m->config;

    return c->slices && c->packages * c->cores * c->threads <= 8 &&
           (which == FLAW_ABMC || profile_cpuid(m->profile, 0xF, 1, 2) < 1024);
}

void flaw_draw(struct drawn_flaw *d, uint64_t seed, uint32_t number)
{
    enum flaw_monitor which = FLAW_CMT + (number - 1) % (FLAW_MONITORS - FLAW_CMT);
    struct dice dice = { scramble(seed) ^ ~(uint64_t)number };
    bool can = false;

    for (uint32_t i = 0; i < TRIES && !can; i++) {
        machine_draw(&d->machine, seed, 1 + dice_throw(&dice, 100000));
        can = profile_has(d->machine.profile, monitors[which].needs) && is_small(&d->machine, which) &&
              !(which == FLAW_UNCORE && d->machine.profile->uncore->events_unpublished);
    }
    d->number = number;
    d->machine.config.realism = d->machine.realism;
    compose(&dice, d, which);
}

/* --- what finds it, what names it */

bool flaw_needs_long_checks(const struct drawn_flaw *d)
{
    const struct flaw *f = &d->flaw;

    return f->scope == FLAW_RMID || f->scope == FLAW_HIGH || f->scope == FLAW_CPU || f->scope == FLAW_CLASS ||
           f->scope == FLAW_COUNTER || f->kind == FLAW_SWAPPED || f->kind == FLAW_ALIASED || f->trigger != FLAW_ALWAYS;
}

void flaw_checks(const struct drawn_flaw *d, const char **ids, uint32_t most)
{
    uint32_t n = 0;

    for (const struct check_row *row = check_next(NULL); row && n < most; row = check_next(row))
        if (text_matches_any(monitors[d->flaw.monitor].checks, row->id))
            ids[n++] = row->id;
}

/* Kinds of causes that a kind of defect may be called. */
static const uint32_t kinds_named[FLAW_KINDS] = {
    [FLAW_DEAD] = 1u << DEFECT_DEAD | 1u << DEFECT_SCALED | 1u << DEFECT_MISATTRIBUTED | 1u << DEFECT_LEAKING |
                  1u << DEFECT_OTHER,
    [FLAW_SCALED] = 1u << DEFECT_SCALED,
    [FLAW_LOST] = 1u << DEFECT_SCALED | 1u << DEFECT_LEAKING | 1u << DEFECT_MISATTRIBUTED | 1u << DEFECT_OTHER,
    [FLAW_LATE] = 1u << DEFECT_LATE,
    [FLAW_LEAKS] = 1u << DEFECT_LEAKING | 1u << DEFECT_MISATTRIBUTED | 1u << DEFECT_SCALED | 1u << DEFECT_OTHER,
    [FLAW_SWAPPED] = 1u << DEFECT_MISATTRIBUTED | 1u << DEFECT_ALIASED | 1u << DEFECT_OTHER,
    [FLAW_ALIASED] = 1u << DEFECT_ALIASED | 1u << DEFECT_STUCK | 1u << DEFECT_MISATTRIBUTED,
    [FLAW_STICKY] = 1u << DEFECT_STUCK | 1u << DEFECT_LEAKING,
    [FLAW_STALE] = 1u << DEFECT_LATE | 1u << DEFECT_STUCK,
    [FLAW_WRAPS] = 1u << DEFECT_NARROW | 1u << DEFECT_ENUMERATED | 1u << DEFECT_STUCK,
};

bool flaw_is_named(const struct drawn_flaw *d, const struct diagnosed *named)
{
    const struct monitor *m = &monitors[d->flaw.monitor];
    uint32_t kinds = kinds_named[d->flaw.kind];

    if (!named->cause) /* the rule of a check, which claims no more */
        return text_matches_any(m->rules, named->row->id);
    if (d->flaw.kind == FLAW_STICKY && d->flaw.trigger == FLAW_NTH) /* a read is wrong now and then, as a late one is */
        kinds |= 1u << DEFECT_LATE;
    return text_matches_any(m->causes, named->cause->monitor) && is_in(kinds, named->cause->defect);
}

bool flaw_has_part(const struct drawn_flaw *d)
{
    return d->flaw.scope == FLAW_CPU || d->flaw.scope == FLAW_L3 || d->flaw.scope == FLAW_RMID ||
           d->flaw.scope == FLAW_BOX;
}

/* Is it "L3 domain A", or "L3 domain A to B", of those that the clusters of this L3 are, and perhaps RMIDs of it? */
static bool is_domain_of(const char *part, uint32_t l3, uint32_t clusters)
{
    unsigned first = 0, last = 0;
    int n = sscanf(part, "L3 domain %u to %u", &first, &last);
    const char *more = strchr(part, ',');

    return n > 0 && (!more || !strncmp(more, ", RMID", 6)) && first / clusters == l3 &&
           (n == 1 || last / clusters == l3);
}

/* The last boxes of a unit: one of each package, and of each kind of boxes that the unit has. */
static uint32_t last_boxes(const struct drawn_flaw *d)
{
    const struct uncore_part *u = d->machine.profile->uncore;

    return HOW_MANY(i, u->n_types, (uint32_t)u->types[i]->unit == d->flaw.place) * d->machine.config.packages;
}

bool flaw_is_placed(const struct drawn_flaw *d, const char *part)
{
    const struct model_config *c = &d->machine.config;
    uint32_t parts = 1;
    char its[48];

    switch (d->flaw.scope) {
    case FLAW_CPU:
        snprintf(its, sizeof its, "cpu %u", d->flaw.place);
        return !strcmp(part, its);
    case FLAW_L3:
        snprintf(its, sizeof its, "package %u", d->flaw.place * c->packages / numbers_of(&d->machine).domains);
        if (!strncmp(part, its, strlen(its)) && numbers_of(&d->machine).domains == c->packages)
            return true;
        /* Clusters split an L3 that all cores of a package share. */
        return is_domain_of(part, d->flaw.place,
                            c->clusters && numbers_of(&d->machine).domains == c->packages ? c->clusters : 1);
    case FLAW_RMID:
        /* Each cluster has RMIDs from 0 on, of the L3's as many as there are clusters. */
        snprintf(its, sizeof its, "RMID %u",
                 c->clusters > 1 ? d->flaw.place % (numbers_of(&d->machine).rmids / c->clusters) : d->flaw.place);
        return !strncmp(part, its, strlen(its));
    case FLAW_BOX:
        for (const char *at = part; (at = strchr(at, ',')) != NULL; at++)
            parts++;
        return !strncmp(part, "package ", 8) && parts <= last_boxes(d) && !strstr(part, " to ");
    default:
        return true;
    }
}

/* --- what a text composes */

static const struct {
    const char *word;
    enum flaw_scope scope;
    uint32_t place;
} scope_words[] = {
    { "machine", FLAW_EVERYWHERE, 0 }, { "bit", FLAW_EVERYWHERE, 0 }, { "L3", FLAW_L3, 1 },
    { "slice", FLAW_SLICE, 1 },        { "thread", FLAW_CPU, 1 },     { "RMID", FLAW_RMID, 3 },
    { "CLOS", FLAW_CLASS, 1 },         { "upper", FLAW_HIGH, 0 },     { "box", FLAW_BOX, 0 },
    { "counter", FLAW_COUNTER, 0 },
};

static bool take_scope(struct flaw *f, const char *word)
{
    for (size_t i = 0; i < sizeof scope_words / sizeof scope_words[0]; i++)
        if (!strcmp(scope_words[i].word, word)) {
            f->scope = scope_words[i].scope;
            f->place = scope_words[i].place;
            return true;
        }
    return false;
}

static bool take_word(struct flaw *f, const char *word, struct strength_ladder *l)
{
    uint32_t kind = matrix_index(kind_words, FLAW_KINDS, word),
             access = matrix_index(access_words, FLAW_ACCESSES, word),
             trigger = matrix_index(trigger_words, FLAW_TRIGGERS, word);
    int weakest, strongest;

    if (kind < FLAW_KINDS)
        f->kind = (enum flaw_kind)kind;
    else if (access < FLAW_ACCESSES)
        f->access = (enum flaw_access)access;
    else if (trigger < FLAW_TRIGGERS)
        f->trigger = (enum flaw_trigger)trigger;
    else if (!strcmp(word, "mbm"))
        f->monitor = FLAW_MBM;
    else if (take_scope(f, word))
        return true;
    else if (sscanf(word, "@%u", &f->place) == 1 || sscanf(word, "/%u", &f->nth) == 1)
        return true;
    else if (sscanf(word, "%d..%d", &weakest, &strongest) == 2)
        strength_ladder(l, weakest + (weakest < strongest ? -1 : 1), strongest);
    else if (sscanf(word, "%d", &weakest) == 1)
        *l = (struct strength_ladder){ .rung = { weakest }, .n = 1 };
    else
        return false;
    return true;
}

bool flaw_compose(struct flaw *f, enum flaw_monitor m, const char *scope, const char *kind, const char *text,
                  struct strength_ladder *l)
{
    char copy[128], *at = copy;
    bool good = true;

    *f = (struct flaw){ .monitor = m, .nth = 2 };
    *l = (struct strength_ladder){ .n = 1 };
    (void)take_scope(f, scope);
    (void)take_word(f, kind, l); /* those of the map that are triggers have the same words */
    if (!strcmp(kind, "high-ids"))
        f->scope = FLAW_HIGH;
    snprintf(copy, sizeof copy, "%s", text);
    for (const char *word; good && (word = strsep(&at, " ")) != NULL;)
        good = !word[0] || take_word(f, word, l);
    return good;
}

bool flaw_of_text(struct flaw *f, const char *text)
{
    enum flaw_monitor m = FLAW_NONE;
    struct strength_ladder l;
    size_t longest = 0;

    for (uint32_t i = FLAW_CMT; i < FLAW_MONITORS; i++) {
        size_t n = strlen(monitors[i].text);

        if (!strncmp(text, monitors[i].text, n) && text[n] == ' ' && n > longest) {
            m = (enum flaw_monitor)i;
            longest = n;
        }
    }
    if (m == FLAW_NONE || !flaw_compose(f, m, "", "", text + longest, &l))
        return false;
    f->strength = (int32_t)l.rung[0];
    return true;
}

const char *flaw_part(enum flaw_monitor m)
{
    return m == FLAW_ABMC ? "zen5" : m == FLAW_MBA || m == FLAW_L2 ? "spr" : "bdx";
}

uint32_t flaw_packages(const struct flaw *f)
{
    return f->scope == FLAW_L3 || f->trigger == FLAW_MANY || (f->scope == FLAW_BOX && f->place == UNIT_QPI) ? 2 : 1;
}
