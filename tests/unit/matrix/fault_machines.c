/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which drawn machines show a fault. */
#include "tests/matrix/faults/fault_machines.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/matrix/take_number.h"
#include "tests/silicon/profiles/profile.h"

static const struct model_fault *fault_of(const char *name)
{
    const struct model_fault *fault = model_fault_named(name);

    cr_assert(fault, "there is no fault %s", name);
    return fault;
}

static struct drawn_machine machine_of(const char *profile, uint32_t cores, uint32_t clusters, const char *realism)
{
    struct drawn_machine d = { .number = 1, .profile = profile_by_name(profile) };

    d.config = MODEL(profile, 2, cores, 1, .clusters = clusters, .slices = machine_least_slices(d.profile));
    snprintf(d.realism, sizeof d.realism, "%s", realism);
    return d;
}

static bool shows(struct drawn_machine d, const char *fault)
{
    return fault_machine_shows(&d, fault_of(fault), NULL);
}

Test(fault_machines, leave_out_what_the_part_has_not)
{
    const char *why = NULL;
    struct drawn_machine d = machine_of("nhm", 2, 1, "");

    cr_expect(shows(machine_of("bdx", 2, 1, ""), "mbm-narrow"));
    cr_expect_not(fault_machine_shows(&d, fault_of("mbm-narrow"), &why), "no monitoring");
    cr_expect_not_null(why);
}

Test(fault_machines, leave_out_quirks_that_hide_the_fault)
{
    cr_expect(shows(machine_of("bdx", 2, 1, "mbm-lag=1,mbm-start=anywhere"), "mbm-narrow"));
    cr_expect_not(shows(machine_of("bdx", 2, 1, "mbm-lag=1,mbm-start=zero"), "mbm-narrow"));
    cr_expect_not(shows(machine_of("bdx", 2, 1, "mbm-start=zero,dma=1"), "mbm-narrow"));
    cr_expect(shows(machine_of("bdx", 2, 1, "mbm-start=zero"), "mbm-half"), "another fault");
}

Test(fault_machines, leave_out_nodes_of_too_few_cores)
{
    cr_expect(shows(machine_of("bdx", 4, 2, ""), "clos-broadcast"));
    cr_expect_not(shows(machine_of("bdx", 2, 2, ""), "clos-broadcast"));
    cr_expect(shows(machine_of("snbep", 2, 1, ""), "tid-shifted"));
    cr_expect_not(shows(machine_of("snbep", 1, 1, ""), "tid-shifted"));
}

Test(fault_machines, leave_out_parts_whose_events_do_not_tell_local_from_remote)
{
    cr_expect(shows(machine_of("bdx", 2, 1, ""), "home-remote-swapped"));
    cr_expect_not(shows(machine_of("snbep", 2, 1, ""), "home-remote-swapped"));
}

Test(fault_machines, leave_out_processors_that_are_alone_on_their_l3)
{
    cr_expect(shows(machine_of("zen5", 4, 1, ""), "events-one-processor"));
    cr_expect_not(shows(machine_of("zen5", 3, 1, ""), "events-one-processor"));
}

Test(take_number, takes_numbers_within_their_bounds_alone)
{
    uint64_t value = 7;

    cr_expect(take_number("12", 1, 12, &value) && value == 12);
    cr_expect(take_number("0x10", 0, UINT64_MAX, &value) && value == 16);
    cr_expect_not(take_number("", 0, 9, &value));
    cr_expect_not(take_number("3x", 0, 9, &value));
    cr_expect_not(take_number("10", 0, 9, &value));
    cr_expect_not(take_number("0", 1, 9, &value));
    cr_expect_not(take_number("-1", 0, UINT64_MAX, &value));
    cr_expect_not(take_number("99999999999999999999999", 0, UINT64_MAX, &value));
    cr_expect_eq(value, 16, "what is refused changes nothing");
}
