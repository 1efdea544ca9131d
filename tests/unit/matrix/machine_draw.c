/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Drawn machines: the same again for a seed, and only what their profile can have. */
#include "tests/matrix/machines/machine_draw.h"
#include "tests/silicon/quirks/realism.h"
#include "tests/silicon/profiles/profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define MANY 400u

static const char *text(const struct drawn_machine *d)
{
    static char out[4096];

    cr_assert_lt(machine_text(d, out, sizeof out), sizeof out);
    return out;
}

Test(machine_draw, is_the_same_for_a_seed_and_number)
{
    struct drawn_machine a, b;
    char first[4096];

    for (uint32_t k = 1; k <= MANY; k++) {
        machine_draw(&a, 7, k);
        machine_draw(&b, 7, k);
        snprintf(first, sizeof first, "%s", text(&a));
        cr_expect_str_eq(text(&b), first);
        machine_draw(&b, 8, k);
        cr_expect_str_neq(text(&b), first, "seeds 7 and 8 draw the same: %s", first);
    }
}

static struct drawn_machine d;

Test(machine_draw, draws_what_the_model_makes)
{
    char error[1024];

    for (uint32_t k = 1; k <= 4 * profile_count(); k++) {
        struct model *m;

        machine_draw(&d, 3, k);
        m = model_new(&d.config, error, sizeof error);
        cr_expect(m, "%s: %s", text(&d), error);
        if (m)
            model_free(m);
    }
}

Test(machine_draw, stays_within_what_parts_have)
{
    for (uint32_t k = 1; k <= MANY; k++) {
        const struct model_config *c = &d.config;
        uint32_t slices, sharing, dies;

        machine_draw(&d, 5, k);
        dies = profile_dies(d.profile);
        slices = c->slices ? c->slices : d.profile->l3_slices;
        sharing = d.profile->cores_per_l3 ? d.profile->cores_per_l3 : c->cores;
        cr_expect(c->packages == dies || c->packages == 2 * dies, "%s", text(&d));
        cr_expect(c->threads == 1 || c->threads == 2, "%s", text(&d));
        cr_expect(c->cores % c->clusters == 0, "%s", text(&d));
        cr_expect(c->clusters == 1 || c->clusters <= d.profile->max_clusters, "%s", text(&d));
        cr_expect(slices <= d.profile->l3_slices, "%s", text(&d));
        cr_expect(slices * d.profile->l3_sets * d.profile->l3_ways * 64 >= MACHINE_L3_BYTES ||
                      slices == d.profile->l3_slices,
                  "%s", text(&d));
        cr_expect(slices >= (sharing < c->cores ? sharing : c->cores), "%s", text(&d));
        cr_expect_null(c->faults[0]);
    }
}

Test(machine_draw, draws_quirks_in_their_ranges)
{
    struct realism r;
    char error[256];

    for (uint32_t k = 1; k <= MANY; k++) {
        machine_draw(&d, 11, k);
        cr_assert(realism_parse(&r, d.profile, d.realism, error, sizeof error), "%s: %s", text(&d), error);
        for (uint32_t i = 0; i < REALISM_QUIRKS; i++) {
            const struct realism_range *range = &realism_quirks()[i].range[realism_class(d.profile)];

            cr_expect(r.value[i] == 0 || (range->low <= r.value[i] && r.value[i] <= range->high), "%s: %s",
                      realism_quirks()[i].name, text(&d));
        }
    }
}

Test(machine_draw, has_every_profile_and_every_kind_of_topology)
{
    uint32_t of_profile[64] = { 0 }, two_packages = 0, one_thread = 0, clustered = 0, whole = 0;

    for (uint32_t k = 1; k <= MANY; k++) {
        machine_draw(&d, 1, k);
        for (uint32_t p = 0; p < profile_count(); p++)
            of_profile[p] += profiles[p] == d.profile;
        two_packages += d.config.packages == 2;
        one_thread += d.config.threads == 1;
        clustered += d.config.clusters > 1;
        whole += d.config.slices == 0 && d.profile->l3_slices > 16;
    }
    for (uint32_t p = 0; p < profile_count(); p++)
        cr_expect_geq(of_profile[p], MANY / profile_count(), "%s", profiles[p]->name);
    cr_expect(two_packages > MANY / 4 && one_thread > MANY / 8 && clustered > MANY / 20 && whole > 0);
}

Test(machine_draw, keeps_one_quirk_and_nothing_else_of_it)
{
    struct drawn_machine all, one;
    const char *drawn;

    machine_draw(&all, 1, 1);
    machine_draw(&one, 1, 1);
    machine_keep_quirk(&one, "smi-traffic");
    drawn = strstr(all.realism, "smi-traffic=");
    cr_assert(drawn);
    cr_expect_eq(strncmp(drawn, one.realism, strlen(one.realism)), 0);
    cr_expect_eq(strchr(one.realism, ','), NULL);
    cr_expect_eq(one.config.seed, all.config.seed);
    cr_expect_eq(one.config.cores, all.config.cores);
    machine_keep_quirk(&one, NULL);
    cr_expect_str_empty(one.realism);
}

Test(machine_draw, gives_a_quirk_a_value_only_where_the_part_can_have_it)
{
    for (uint32_t k = 1; k <= profile_count(); k++) {
        machine_draw(&d, 1, k);
        machine_keep_quirk(&d, "l2-victim-drop=30");
        cr_expect_str_eq(d.realism, d.profile->l3_inclusive ? "" : "l2-victim-drop=30", "%s", d.profile->name);
    }
}
