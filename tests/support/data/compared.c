/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tests/support/data/compared.h"

#include <criterion/criterion.h>
#include <fnmatch.h>
#include <string.h>

bool compared_excused(struct compared *c, const char *where)
{
    for (uint32_t i = 0; i < c->n_excused; i++)
        if (fnmatch(c->excused[i].where, where, 0) == 0) {
            c->met[i] = true;
            return true;
        }
    return false;
}

void compared_text(struct compared *c, const char *where, const char *ours, const char *theirs)
{
    c->n++;
    if (strcmp(ours ? ours : "none", theirs ? theirs : "none") == 0)
        return;
    c->n_apart++;
    if (!compared_excused(c, where))
        cr_expect_fail("%s: here %s, there %s", where, ours ? ours : "none", theirs ? theirs : "none");
}

void compared_end(const struct compared *c, uint32_t at_least)
{
    for (uint32_t i = 0; i < c->n_excused; i++)
        cr_expect(c->met[i], "%s: excused, and there is no such difference: %s", c->excused[i].where,
                  c->excused[i].reason);
    cr_log_info("%u constants compared, %u differ; %u reasons\n", c->n, c->n_apart, c->n_excused);
    cr_expect_geq(c->n, at_least, "compared: %u, of which %u differ with a reason", c->n, c->n_apart);
}
