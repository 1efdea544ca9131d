/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/domain/rule.h"

#include "core/base/text.h"

#define TEXTS 32u

struct rule_unit {
    bool asked, broken;
    enum finding_kind kind;
    enum finding_code code;
    uint32_t text; /* TEXTS: there was no room */
};

enum status rule_open(struct rule *r, struct check *c)
{
    r->check = c;
    r->n_texts = 0;
    TRY_ALLOC(c, r->units, c->platform->n_cpus, "the processors of a rule");
    TRY_ALLOC(c, r->texts, TEXTS, "the processors of a rule");
    for (uint32_t i = 0; i < c->platform->n_cpus; i++)
        r->units[i] = (struct rule_unit){ 0 };
    return ST_OK;
}

void rule_asked(struct rule *r, uint32_t cpu)
{
    r->units[cpu].asked = true;
}

bool rule_is_broken(const struct rule *r, uint32_t cpu)
{
    return r->units[cpu].broken;
}

void rule_broken(struct rule *r, uint32_t cpu, enum finding_kind kind, enum finding_code code, const char *sentence,
                 ...)
{
    struct rule_unit *u = &r->units[cpu];

    if (u->broken)
        return;
    *u = (struct rule_unit){ .asked = true, .broken = true, .kind = kind, .code = code, .text = r->n_texts };
    if (r->n_texts == TEXTS)
        return;
    TEXT_OF_ARGS(r->texts[r->n_texts++], sentence);
}

struct rule_count {
    uint32_t asked, broken, first; /* first: processor that broke it */
};

/* Of one L3, or of the machine where domain is NO_DOMAIN. */
static struct rule_count rule_count(const struct rule *r, uint32_t domain)
{
    struct rule_count n = { 0 };

    for (uint32_t cpu = 0; cpu < r->check->platform->n_cpus; cpu++) {
        if (domain != NO_DOMAIN && r->check->machine->cpus[cpu].domain != domain)
            continue;
        n.asked += r->units[cpu].asked;
        if (r->units[cpu].broken && n.broken++ == 0)
            n.first = cpu;
    }
    return n;
}

static void rule_find(struct rule *r, uint32_t cpu, struct place place, enum finding_kind kind, const char *more)
{
    const struct rule_unit *u = &r->units[cpu];

    finding(r->check, kind, 0, u->code, place, "%s%s", u->text < TEXTS ? r->texts[u->text] : "as another processor",
            more);
}

/* All that break it alike. */
static bool rule_all_alike(struct rule *r, const struct rule_count *all)
{
    char more[128];

    if (r->firm || r->check->state->bands || all->broken < all->asked || r->units[all->first].kind != FINDING_EXPECTED)
        return false;
    text_format(more, sizeof more,
                ": rule or part: all %u that were asked break it alike; compare with a second machine", all->asked);
    rule_find(r, all->first, r->by_l3 ? PLACE_NONE : place_cpu(all->first), FINDING_UNUSUAL, more);
    return true;
}

void rule_conclude(struct rule *r)
{
    const struct check *c = r->check;
    struct rule_count all = rule_count(r, NO_DOMAIN);

    check_show(r->check, RULE_BROKEN, PLACE_NONE, all.broken, "processors");
    if (all.broken == 0 || rule_all_alike(r, &all))
        return;
    for (uint32_t cpu = 0; cpu < c->platform->n_cpus; cpu++) {
        uint32_t domain = c->machine->cpus[cpu].domain;
        struct rule_count n = { 0 };

        if (!r->units[cpu].broken)
            continue;
        if (r->by_l3 && domain != NO_DOMAIN)
            n = rule_count(r, domain);
        if (n.broken < n.asked || n.asked == 0)
            rule_find(r, cpu, place_cpu(cpu), r->units[cpu].kind, "");
        else if (n.first == cpu)
            rule_find(r, cpu, place_domain(domain), r->units[cpu].kind, n.asked > 1 ? ": every processor of it" : "");
    }
    if (all.broken < all.asked)
        check_note(r->check, "%u of %u processors break the rule", all.broken, all.asked);
}
