/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* enum.* on parts as they were sold: a Broadwell by hand, and recorded parts. */
#include <criterion/criterion.h>

#include "tests/support/machine/fake_checks.h"
#include "tests/support/data/recordings.h"

FAKE_CHECKS_SUITE(enum_kind);

/* --- a part by hand -------------------------------------------------------------------------------------------- */

static void broadwell(void)
{
    struct rdt_info *rdt = &fc.machine.cpus[0].rdt;

    fc.machine.cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_INTEL, .family = 6, .model = 0x4F, .stepping = 1 };
    *rdt = (struct rdt_info){ .monitoring = true,
                              .allocation = true,
                              .l3_known = true,
                              .leaf10_known = true,
                              .max_rmid = 63,
                              .upscaling_factor = 32768,
                              .counter_width = 24 };
    rdt->leaf0f[1].regs.edx = 7;
    rdt->leaf10[0].regs.ebx = 2;
    rdt->l3 = (struct rdt_cat){
        .present = true, .known = true, .cbm_len = 20, .shareable = 0xC0000, .cdp = true, .clos = 16
    };
    fc.machine.domains[0].l3_bytes = UINT64_C(20) << 20;
}

Test(enum_kind, a_part_that_shows_all_it_has_passes)
{
    broadwell();
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_PASS);
}

Test(enum_kind, a_part_that_shows_less_is_noticed)
{
    struct rdt_info *rdt = &fc.machine.cpus[0].rdt;

    broadwell();
    rdt->l3.clos = 4; /* as firmware of a Xeon D does: intel-cmt-cat issue 42 */
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_WARN);
    broadwell();
    rdt->l3.cdp = false;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_WARN);
    broadwell();
    rdt->max_rmid = 31;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_WARN);
    broadwell();
    fc.machine.domains[0].l3_bytes /= 2;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_WARN);
    broadwell();
    rdt->monitoring = rdt->l3_known = false;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_WARN);
}

/* An EPYC 9005 of family 1AH model 02H: InstLatx64, dump B00F21. */
Test(enum_kind, a_turin_has_4096_rmids)
{
    struct rdt_info *rdt = &fc.machine.cpus[0].rdt;

    broadwell();
    fc.machine.cpus[0].id = (struct cpu_identity){ .vendor = VENDOR_AMD, .family = 0x1A, .model = 0x02 };
    rdt->max_rmid = 4095;
    rdt->l3.cbm_len = 16;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_PASS);
    rdt->max_rmid = 255;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.kind"), VERDICT_WARN);
}

/* SDM vol. 2A, CPUID leaf 10H: EDX is the highest CLOS, so 0 is one CLOS; EBX marks ways that others may fill, of which the
 * SDM excludes none. Both are of no use, and legal. */
Test(enum_kind, one_class_and_a_map_of_every_way_are_legal)
{
    struct rdt_info *rdt = &fc.machine.cpus[0].rdt;

    broadwell();
    fc.machine.domains[0].l3_ways = 20;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.classes"), VERDICT_PASS);
    cr_expect_eq(fake_checks_verdict(&fc, "enum.masks"), VERDICT_PASS);
    rdt->l3.clos = 1;
    rdt->l3.shareable = 0xFFFFF;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.classes"), VERDICT_WARN);
    cr_expect_eq(fake_checks_verdict(&fc, "enum.masks"), VERDICT_WARN);
    rdt->l3.clos = 129;
    rdt->l3.shareable = 0x100000;
    cr_expect_eq(fake_checks_verdict(&fc, "enum.classes"), VERDICT_FAIL, "no register has that class");
    cr_expect_eq(fake_checks_verdict(&fc, "enum.masks"), VERDICT_FAIL, "a way that there is not");
}

/* --- recorded parts ---------------------------------------------------------------------------------------------- */

/* What was sold is what the table has. Where the recording has other figures than the table, its part is one of a kind
 * that the table leaves room for. */
static void expect_kind(struct replay *r, const struct tsv *x, uint32_t row)
{
    const char *factor = tsv_get(x, row, "upscale"); /* "-": none, "?": not in the recording */
    struct platform *p = replay_platform(r);
    struct machine m;
    struct check_record c;

    cr_assert_eq(machine_enumerate(p, &m), ST_OK);
    c = run_one("enum.kind", p, &m, NULL);
    cr_expect_neq(c.verdict, VERDICT_FAIL);
    cr_expect_neq(c.verdict, VERDICT_ERROR);
    if (*factor >= '1' && *factor <= '9' && !m.hypervisor)
        cr_expect(c.verdict == VERDICT_PASS || c.verdict == VERDICT_SKIP, "%s: %s: %s", tsv_get(x, row, "file"),
                  verdict_text(c.verdict), c.reason);
    machine_free(&m);
}

TEST_RECORDINGS(enum_kind, enumerate_what_their_kind_does, expect_kind)

/* A recording has no registers, and not every sub-leaf: what is unknown is neither right nor wrong. (Recordings that
 * have no leaf 7 sub-leaf 1 cannot say whether they are asymmetric, which is an ERROR: not among these.) */
static void expect_unknown_is_skipped(struct replay *r, const struct tsv *x, uint32_t row)
{
    static const char *const ids[] = { "enum.cdp-register", "enum.rmid-range", "enum.absent-resources" };
    struct platform *p = replay_platform(r);
    struct machine m;

    cr_assert_eq(machine_enumerate(p, &m), ST_OK);
    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0] && m.cpus[m.reference].rdt.monitoring; i++) {
        struct check_record c = run_one(ids[i], p, &m, NULL);

        cr_expect(c.verdict != VERDICT_FAIL && c.verdict != VERDICT_ERROR, "%s: %s is %s: %s", tsv_get(x, row, "file"),
                  ids[i], verdict_text(c.verdict), c.reason);
    }
    machine_free(&m);
}

TEST_RECORDINGS(enum_kind, are_not_judged_by_what_they_lack, expect_unknown_is_skipped)
