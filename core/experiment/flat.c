/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/experiment/flat.h"

#include "core/base/text.h"

static unsigned thousandths(double ratio)
{
    return (unsigned)(ratio < 0 ? 0 : ratio * 1000 + 0.5);
}

enum status flat_show(struct check *c, uint32_t domain, const struct flat *f, struct plateau *p)
{
    char title[96];

    TRY_MEASURE(c, plateau_find(f->y, f->n, f->share, p), c->tools->qm[domain].cpu, f->name);
    series_show(c, f->name, place_domain(domain), "ratio", f->x_name, f->x, f->y, f->n);
    text_format(title, sizeof title, "%s: minimum", f->name);
    check_show(c, title, place_domain(domain), p->lowest, "ratio");
    text_format(title, sizeof title, "%s: maximum", f->name);
    check_show(c, title, place_domain(domain), p->highest, "ratio");
    if (p->stepped)
        check_note(c, "L3 domain %u: %s steps at %s %u: %u.%03u below it, %u.%03u from it on", domain, f->name,
                   f->x_name, (unsigned)f->x[p->at], thousandths(p->level) / 1000, thousandths(p->level) % 1000,
                   thousandths(p->after) / 1000, thousandths(p->after) % 1000);
    return ST_OK;
}
