/* tests/silicon/model_uncore_sources.c: what uncore monitors can count. Each answers with a number that never falls. */
#include "tests/silicon/model_uncore_internal.h"

uint32_t uncore_slices(const struct model *m)
{
    return m->profile->l3_slices * (m->domains / m->packages);
}

uint64_t source_clock(const struct uncore_look *l, uint64_t arg)
{
    return uncore_clock_at(l->m, l->box, l->tsc) * (arg ? arg : 1);
}

uint64_t source_message(const struct uncore_look *l, uint64_t arg)
{
    const struct uncore *u = uncore_of(l->m, l->box->package);
    uint64_t umask = field_get(l->box->type->ctl->umask, l->ctl), sum = 0;

    (void)arg;
    for (uint32_t kinds = 0; kinds < 32; kinds++)
        if (kinds & umask)
            sum += u->message[kinds];
    return sum;
}
