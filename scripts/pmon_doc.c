/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/pmon_doc.c: prints build/docs/uncore-parts.md from the tables of arch/x86/pmon_parts. */
#include <stdio.h>

#include "arch/x86/pmon_parts/pmon_parts.h"

static const char head[] = "# Uncore boxes and events of each part\n\n"
                           "Made by `make docs` from the tables in `arch/x86/pmon_parts/`. How to count events: "
                           "[uncore.md](uncore.md).\nBoxes of a machine and their locations: `-list boxes`.\n";

static void put_models(const struct pmon_part *part)
{
    printf("Processors:");
    for (uint32_t i = 0; i < part->n_models; i++) {
        const struct pmon_model *m = &part->models[i];

        if (i == 0 || m[-1].family != m->family)
            printf("%s %s family %02XH models", i ? ";" : "", m->vendor == VENDOR_INTEL ? "Intel" : "AMD", m->family);
        printf(" %02XH", m->first);
        if (m->first != m->last)
            printf(" to %02XH", m->last);
    }
    puts(".\n");
}

static void put_width(uint32_t bits, uint32_t second)
{
    printf(" of %u", bits);
    if (second)
        printf(" or %u", second);
    printf(" bits");
}

static void put_registers(const struct pmon_layout *l)
{
    static const char *const access[] = { [PMON_MSR] = "MSR", [PMON_PCI] = "PCI", [PMON_MMIO] = "memory" };

    printf(" %s |", access[l->access]);
    if (l->n_free)
        printf(" %u free-running", l->n_free);
    else
        printf(" %u", l->counters);
    if (l->n_free)
        put_width(l->free[0].bits, 0);
    else
        put_width(l->counter_bits, l->counter_bits_2);
    if (l->fixed.bits) {
        printf(" + 1 fixed");
        put_width(l->fixed.bits, l->fixed.bits_2);
    }
    printf(" |");
}

static void put_events(const struct pmon_unit *u)
{
    if (u->events.clock != PMON_CLOCK_NONE)
        printf(" `clock`");
    for (uint32_t i = 0; i < u->events.n_named; i++)
        printf(" `%s`", u->events.named[i].name);
    for (uint32_t i = 0; u->layout && i < u->layout->n_free; i++)
        printf(" `%s`", u->layout->free[i].name);
}

static void put_unit(const struct pmon_unit *u)
{
    printf("| %s |", u->name);
    if (u->layout)
        put_registers(u->layout);
    else
        printf(" by discovery table | by discovery table |");
    put_events(u);
    printf(" | %s%s |\n", u->source, u->one_source ? " alone" : "");
}

static void put_part(const struct pmon_part *part)
{
    printf("\n## %s\n\n", part->name);
    put_models(part);
    puts("| box | reached by | counters | events by name | source |\n| --- | --- | --- | --- | --- |");
    for (uint32_t i = 0; i < part->n_units; i++)
        put_unit(part->units[i]);
    for (uint32_t i = 0; part->discovery && i < part->discovery->n_types; i++) {
        const struct pmon_type *type = &part->discovery->types[i];

        if (type->unit.name && !type->instead)
            put_unit(&type->unit);
    }
}

int main(void)
{
    fputs(head, stdout);
    for (uint32_t i = 0; i < pmon_n_parts; i++)
        put_part(pmon_parts[i]);
    return 0;
}
