/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What tables of parts say of whole parts: for which processors they are, which boxes they have. */
#include "arch/x86/pmon_parts/pmon_parts.h"

#include <criterion/criterion.h>

#include "arch/x86/pmon/pmon.h"
#include "arch/x86/pmon/pmon_discovery.h"
#include "core/base/search.h"
#include "core/uncore/pmon_session.h"
#include "tests/support/data/parts.h"

/* A row of some steppings comes before that of all, and is another processor. */
static bool lists(const struct pmon_part *part, const struct pmon_model *m, uint32_t model)
{
    return ANY_OF(i, part->n_models,
                  part->models[i].vendor == m->vendor && part->models[i].family == m->family &&
                      part->models[i].first <= model && part->models[i].last >= model &&
                      part->models[i].first_stepping == m->first_stepping);
}

Test(pmon_parts, a_processor_is_in_the_tables_of_one_part_at_most)
{
    for (uint32_t p = 0; p < pmon_n_parts; p++)
        for (uint32_t i = 0; i < pmon_parts[p]->n_models; i++)
            for (uint32_t q = 0; q < p; q++) {
                const struct pmon_model *m = &pmon_parts[p]->models[i];

                for (uint32_t model = m->first; model <= m->last; model++)
                    cr_expect_not(lists(pmon_parts[q], m, model), "%s and %s: model %#x", pmon_parts[p]->name,
                                  pmon_parts[q]->name, model);
            }
}

Test(pmon_parts, hygon_numbers_families_as_amd_does)
{
    struct cpu_identity dhyana = { .vendor = VENDOR_HYGON, .family = 0x18 };
    struct cpu_identity intel = { .vendor = VENDOR_INTEL, .family = 0x17 };

    struct cpu_identity later = { .vendor = VENDOR_HYGON, .family = 0x18, .model = 4 };

    cr_expect_eq(pmon_part_of(&dhyana), &pmon_zen);
    cr_expect_null(pmon_part_of(&later), "another format of events");
    cr_expect_null(pmon_part_of(&intel));
}

/* Linux tools/perf/pmu-events/arch/x86: amdzen5/data-fabric.json, of models 00H-2FH, 40H-4FH and 60H-7FH; amdzen6 has no such
 * file. */
Test(pmon_parts, events_of_the_data_fabric_are_known_up_to_zen_5)
{
    const struct cpu_identity zen5 = { .vendor = VENDOR_AMD, .family = 0x1A, .model = 0x7F };
    const struct cpu_identity zen6 = { .vendor = VENDOR_AMD, .family = 0x1A, .model = 0x50 };

    cr_expect_eq(part_unit(pmon_part_of(&zen5), "DF")->events.n_channels, 12);
    cr_expect_eq(part_unit(pmon_part_of(&zen6), "DF")->events.n_channels, 0);
    cr_expect_eq(part_unit(pmon_part_of(&zen6), "UMC")->events.n_channels,
                 part_unit(pmon_part_of(&zen5), "UMC")->events.n_channels);
}

/* intel/pcm cpucounters.h: isCLX() steppings 5 to 7, isCPX() from 10 on; types.h: CPX_M3UPI_PORT5 at 20.2. */
Test(pmon_parts, cooper_lake_has_six_links_by_its_stepping)
{
    struct cpu_identity cascade = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x55, .stepping = 7 };
    struct cpu_identity cooper = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x55, .stepping = 11 };
    const struct pmon_location *mesh = &part_unit(&pmon_cooper, "M3UPI")->location;

    cr_expect_eq(pmon_part_of(&cascade), &pmon_skylake);
    cr_assert_eq(pmon_part_of(&cooper), &pmon_cooper);
    cr_expect_eq(part_unit(&pmon_cooper, "UPI")->location.n_places, 6);
    cr_assert_eq(mesh->n_places, 6);
    cr_expect_eq(mesh->places[5].device, 20);
    cr_expect_eq(mesh->places[5].function, 2);
}

/* Linux uncore_snbep.c: hswep_uncore_cpu_init() leaves two SBos, bdx_uncore_cpu_init() none where CAPID4[7:6] is 0. */
Test(pmon_parts, sbos_of_a_limited_die)
{
    cr_expect_eq(part_unit(&pmon_haswell, "SBo")->location.most_limited, 2);
    cr_expect_eq(part_unit(&pmon_broadwell, "SBo")->location.most_limited, 0);
    cr_expect_eq(part_unit(&pmon_broadwell, "SBo")->location.most, 4);
}

Test(pmon_parts, a_kind_is_a_units_or_a_box_types)
{
    cr_expect(pmon_part_has(&pmon_skylake, PMON_MESH_LINK));
    cr_expect(pmon_part_has(&pmon_granite, PMON_LINK), "its boxes are in discovery tables alone");
    cr_expect_not(pmon_part_has(&pmon_broadwell, PMON_MESH_LINK), "a QPI link has no box after it");
}

Test(pmon_parts, a_box_type_that_nobody_documented_is_a_box)
{
    const struct pmon_discovery *d = pmon_sapphire.discovery;

    cr_expect_str_eq(pmon_type_of(d, 10)->unit.name, "box");
    cr_expect_str_eq(pmon_type_of(d, UINT32_MAX)->unit.name, "box");
    cr_expect_str_eq(pmon_type_of(d, 11)->unit.name, "MDF");
}

/* Entries of links are known to be wrong on Sapphire Rapids alone. */
Test(pmon_parts, fixed_functions_are_used_instead_of_links_of_sapphire_rapids)
{
    cr_expect_eq(pmon_type_of(pmon_sapphire.discovery, 8)->instead, part_unit(&pmon_sapphire, "UPI"));
    cr_expect_eq(pmon_type_of(pmon_sapphire.discovery, 9)->instead, part_unit(&pmon_sapphire, "M3UPI"));
    cr_expect_null(pmon_type_of(pmon_granite.discovery, 8)->instead);
}

/* Nehalem-EX's boxes enable each counter on two levels too. No event of B, R and U is known that occurs in every clock. */
Test(pmon_parts, two_levels_of_enables_are_judged_where_a_clock_can_be_counted)
{
    cr_expect(pmon_session_two_levels(part_unit(&pmon_nehalem, "uncore")));
    for (uint32_t i = 0; i < pmon_nehalem_ex.n_units; i++) {
        const char *name = pmon_nehalem_ex.units[i]->name;

        cr_expect_eq(pmon_session_two_levels(pmon_nehalem_ex.units[i]), strchr("CSMW", name[0]) != NULL, "%s", name);
    }
}

/* Linux intel_uncore_match drives the uncore of models 1EH and 25H by the registers of 1AH; Clarkdale's memory controller
 * is on another die, and Lynnfield's has two channels. */
Test(pmon_parts, client_parts_have_the_registers_of_nehalem_and_none_of_its_events)
{
    static const uint32_t clients[] = { 0x1E, 0x1F, 0x25 }, servers[] = { 0x1A, 0x2C };

    for (size_t i = 0; i < sizeof clients / sizeof clients[0]; i++) {
        const struct pmon_part *part = part_of(6, clients[i]);

        cr_assert_eq(part, &pmon_nehalem_client, "model %#x", clients[i]);
        cr_expect_eq(part->units[0]->events.n_named, 0);
        cr_expect_eq(part->units[0]->events.n_channels, 0);
        cr_expect_eq(pmon_ctl(part->units[0], 7).offset, pmon_ctl(pmon_nehalem.units[0], 7).offset);
        cr_expect(pmon_session_clocked(part->units[0]));
    }
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++)
        cr_expect_eq(part_of(6, servers[i]), &pmon_nehalem, "model %#x", servers[i]);
}

/* intel/pcm types.h, GRR_UBOX_MSR_PMON_* and GRR_UCLK_FIXED_*; its other boxes are those of the discovery tables. */
Test(pmon_parts, the_ubox_of_grand_ridge_is_where_pcm_has_it)
{
    const struct pmon_part *part = part_of(6, 0xB6);
    const struct pmon_unit *ubox;

    cr_assert_eq(part, &pmon_ridge);
    ubox = part_unit(part, "UBox");
    cr_expect_eq(pmon_box_ctl(ubox).offset, 0x3F50);
    cr_expect_eq(pmon_ctl(ubox, 0).offset, 0x3F52);
    cr_expect_eq(pmon_ctl(ubox, 1).offset, 0x3F53);
    cr_expect_eq(pmon_ctr(ubox, 0).offset, 0x3F58);
    cr_expect_eq(pmon_ctr(ubox, 1).offset, 0x3F59);
    cr_expect_eq(ubox->layout->fixed.ctl, 0x3F5E);
    cr_expect_eq(ubox->layout->fixed.ctr, 0x3F5F);
    cr_expect_eq(pmon_type_of(part->discovery, 5)->instead, ubox);
    cr_expect_eq(pmon_type_of(pmon_sierra.discovery, 5)->instead, part_unit(&pmon_sierra, "UBox"));
    cr_expect_neq(part_unit(&pmon_sierra, "UBox"), ubox);
}
