/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Leaves 0FH, 10H and 80000020H, decoded from recordings and from registers made by hand. */
#include "arch/x86/rdt/pqr.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/machine/hand_cpuid.h"
#include "tests/support/data/recordings.h"

/* --- recordings */

struct row {
    const struct tsv *x;
    uint32_t row;
    const char *file;
};

/* known: the decoder says that it has the value. present: the feature is there at all. */
static void expect(const struct row *r, const char *column, bool present, bool known, uint64_t value)
{
    const char *expected = tsv_get(r->x, r->row, column);

    cr_assert_not_null(expected, "no column %s", column);
    if (strcmp(expected, "-") == 0)
        cr_expect_not(present, "%s: %s does not apply, but is decoded", r->file, column);
    else if (strcmp(expected, "?") == 0)
        cr_expect(present && !known, "%s: %s is not in the recording, but is decoded (%llu)", r->file, column,
                  (unsigned long long)value);
    else
        cr_expect(present && known && value == strtoull(expected, NULL, 0), "%s: %s is %llu (%s), not %s", r->file,
                  column, (unsigned long long)value, known ? "known" : "unknown", expected);
}

static void expect_monitoring(const struct row *r, const struct rdt_info *i)
{
    bool m = i->monitoring && i->leaf0f_known, l3 = m && i->l3_monitoring;

    expect(r, "rdt_m", true, true, i->monitoring);
    expect(r, "max_rmid", m, m, i->max_rmid_any);
    expect(r, "l3_mon", m, m, i->l3_monitoring);
    expect(r, "upscale", l3, i->l3_known, i->upscaling_factor);
    expect(r, "max_rmid_l3", l3, i->l3_known, i->max_rmid);
    expect(r, "events", l3, i->l3_known, i->occupancy | i->total << 1 | i->local << 2);
    expect(r, "ctr_width", l3, i->l3_known, 24 + i->width_field);
    expect(r, "overflow", l3, i->l3_known, i->overflow_bit);
    expect(r, "mon_eax", l3, i->l3_known, i->leaf0f[1].regs.eax);
    if (i->l3_known) {
        cr_expect_eq(i->non_cpu_cmt, i->leaf0f[1].regs.eax >> 9 & 1, "%s", r->file);
        cr_expect_eq(i->non_cpu_mbm, i->leaf0f[1].regs.eax >> 10 & 1, "%s", r->file);
        cr_expect(i->max_rmid < UINT64_C(1) << i->rmid_width, "%s: highest RMID needs more than %u bits", r->file,
                  i->rmid_width);
        cr_expect(i->rmid_width == 0 || i->max_rmid_any >= UINT64_C(1) << (i->rmid_width - 1), "%s", r->file);
    }
}

static void expect_allocation(const struct row *r, const struct rdt_info *i)
{
    bool a = i->allocation && i->leaf10_known;

    expect(r, "rdt_a", true, true, i->allocation);
    expect(r, "alloc_ebx", a, a, i->leaf10[0].regs.ebx);
    expect(r, "l3cat", a, a, i->l3.present);
    expect(r, "cbm_len", i->l3.present, i->l3.known, i->l3.cbm_len);
    expect(r, "shareable", i->l3.present, i->l3.known, i->l3.shareable);
    expect(r, "cdp", i->l3.present, i->l3.known, i->l3.cdp);
    expect(r, "clos", i->l3.present, i->l3.known, i->l3.clos);
    expect(r, "cat_ecx", i->l3.present, i->l3.known, i->leaf10[1].regs.ecx);
    expect(r, "l2cat", a, a, i->l2.present);
    expect(r, "l2_cbm_len", i->l2.present, i->l2.known, i->l2.cbm_len);
    expect(r, "l2_clos", i->l2.present, i->l2.known, i->l2.clos);
    expect(r, "mba", a, a, i->mba.present);
    expect(r, "mba_max_delay", i->mba.present, i->mba.known, i->mba.max_delay);
    expect(r, "mba_linear", i->mba.present, i->mba.known, i->mba.linear);
    expect(r, "mba_clos", i->mba.present, i->mba.known, i->mba.clos);
    if (i->l3.known) {
        cr_expect_eq(i->l3.non_cpu, i->leaf10[1].regs.ecx >> 1 & 1, "%s", r->file);
        cr_expect_eq(i->l3.noncontiguous, i->leaf10[1].regs.ecx >> 3 & 1, "%s", r->file);
        cr_expect_geq(i->max_clos + 1, i->l3.clos, "%s", r->file);
    }
}

/* APM vol. 3 E.4.7: 80000008H EBX[6] announces leaf 80000020H. */
static bool enforces_bandwidth(const struct cpuid_source *s, const struct cpu_identity *id)
{
    struct cpuid_regs regs;

    return id->vendor == VENDOR_AMD && s->leaf(s->context, 0x80000008, 0, &regs) == ST_OK && (regs.ebx & 1u << 6);
}

static void check_row(struct replay *r, const struct tsv *x, uint32_t number)
{
    struct row row = { x, number, tsv_get(x, number, "file") };
    struct cpu_identity id;
    struct cpuid_source s;
    struct rdt_info i;
    enum status st;

    s = replay_source(r, 0);
    cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
    st = rdt_enumerate(&s, &id, &i);
    cr_expect(st == ST_OK || (st == ST_ABSENT && !i.leaf7.known), "%s", row.file);
    expect_monitoring(&row, &i);
    expect_allocation(&row, &i);
    expect(&row, "qosx_ebx", enforces_bandwidth(&s, &id), i.qosx_known, i.qosx_ebx);
    expect(&row, "qosx_bw_len", i.l3be.present, i.l3be.known, i.l3be.bw_len);
    expect(&row, "qosx_bw_clos", i.l3be.present, i.l3be.known, i.l3be.clos);
}

TEST_RECORDINGS(rdt, are_decoded_as_their_index_says, check_row)

/* --- registers made by hand */

static struct hand h;

static struct rdt_info decode(enum cpu_vendor vendor)
{
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id = { .vendor = vendor };
    struct rdt_info i;

    cr_assert_eq(rdt_enumerate(&s, &id, &i), ST_OK);
    return i;
}

Test(rdt, a_processor_without_leaf_7_says_so)
{
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id = { .vendor = VENDOR_INTEL };
    struct rdt_info i = { .monitoring = true, .max_rmid = 7 };

    cr_expect_eq(rdt_enumerate(&s, &id, &i), ST_ABSENT);
    cr_expect(!i.monitoring && !i.allocation && i.max_rmid == 0);
}

/* SDM vol. 2A leaf 0FH sub-leaf 1; RDT Architecture Specification, counter width and overflow bit. */
Test(rdt, every_field_of_monitoring_is_told_from_its_neighbours)
{
    struct rdt_info i;

    h = HAND({ 7, 0, { 0, 1u << 12, 0, 0 } }, { 0xF, 0, { 0, 0x1DF, 0, 2 } }, { 0xF, 1, { 0x308, 0x1E000, 0x15F, 5 } });
    i = decode(VENDOR_INTEL);
    cr_expect(i.monitoring && !i.allocation && i.l3_monitoring && i.l3_known);
    cr_expect_eq(i.max_rmid_any, 0x1DF);
    cr_expect_eq(i.rmid_width, 9);
    cr_expect_eq(i.max_rmid, 0x15F);
    cr_expect_eq(i.upscaling_factor, 0x1E000);
    cr_expect_eq(i.width_field, 8);
    cr_expect_eq(i.counter_width, 32);
    cr_expect(i.overflow_bit && i.non_cpu_cmt && !i.non_cpu_mbm);
    cr_expect(i.occupancy && !i.total && i.local);
    h.at[2].regs.eax = 0x400;
    i = decode(VENDOR_INTEL);
    cr_expect(!i.overflow_bit && !i.non_cpu_cmt && i.non_cpu_mbm);
    cr_expect_eq(i.counter_width, 24, "24 bits are the base");
}

/* SDM vol. 2A leaf 10H sub-leaves 1 to 3; RDT Architecture Specification sub-leaf 5. */
Test(rdt, every_field_of_allocation_is_told_from_its_neighbours)
{
    struct rdt_info i;

    h = HAND({ 7, 0, { 0, 1u << 15, 0, 0 } }, { 0x10, 0, { 0, 0x6E, 0, 0 } }, { 0x10, 1, { 19, 0xC0000, 0x4, 15 } },
             { 0x10, 2, { 7, 0x80, 0x8, 7 } }, { 0x10, 3, { 89, 0, 0x4, 3 } }, { 0x10, 5, { 0x10F, 0, 0x8, 31 } });
    i = decode(VENDOR_INTEL);
    cr_expect(i.allocation && !i.monitoring);
    cr_expect(i.l3.known && i.l3.cbm_len == 20 && i.l3.shareable == 0xC0000 && i.l3.clos == 16);
    cr_expect(i.l3.cdp && !i.l3.non_cpu && !i.l3.noncontiguous);
    cr_expect(i.l2.known && i.l2.cbm_len == 8 && i.l2.shareable == 0x80 && i.l2.clos == 8);
    cr_expect(!i.l2.cdp && i.l2.noncontiguous);
    cr_expect(i.mba.known && i.mba.max_delay == 90 && i.mba.linear && !i.mba.per_thread && i.mba.clos == 4);
    cr_expect(i.cba && i.resource_priority);
    cr_expect_eq(i.max_clos, 31, "the highest over all resources, here of sub-leaf 5");
    h.at[1].regs.ebx = 0x4;
    i = decode(VENDOR_INTEL);
    cr_expect(!i.l3.present && i.l2.present && !i.mba.present && !i.cba && !i.resource_priority);
    cr_expect_eq(i.max_clos, 7);
}

/* "Bits set, nothing after them": client parts have no leaf 0FH contents, some hypervisors blank both. */
Test(rdt, a_resource_whose_sub_leaf_is_missing_is_present_and_unknown)
{
    struct rdt_info i;

    h = HAND({ 7, 0, { 0, 1u << 12 | 1u << 15, 0, 0 } }, { 0xF, 0, { 0, 71, 0, 2 } }, { 0x10, 0, { 0, 2, 0, 0 } });
    i = decode(VENDOR_INTEL);
    cr_expect(i.l3_monitoring && !i.l3_known && i.max_rmid_any == 71);
    cr_expect(i.l3.present && !i.l3.known && i.l3.clos == 0 && i.l3.cbm_len == 0);
    cr_expect_eq(i.counter_width, 0, "an unknown width is no width of 24");
}

Test(rdt, leaves_without_their_feature_bit_are_kept_raw_and_not_decoded)
{
    struct rdt_info i;

    h = HAND({ 7, 0, { 0, 0, 0, 0 } }, { 0xF, 0, { 0, 71, 0, 2 } }, { 0x10, 0, { 0, 2, 0, 0 } },
             { 0x10, 1, { 19, 0, 4, 15 } });
    i = decode(VENDOR_INTEL);
    cr_expect(i.leaf0f_known && i.leaf0f[0].regs.ebx == 71 && i.leaf10_known);
    cr_expect(i.max_rmid_any == 0 && !i.l3_monitoring && !i.l3.present && i.max_clos == 0);
}

/* APM vol. 2 19.3; Linux and intel-cmt-cat for what processors before Zen 4 do not enumerate. */
Test(rdt, a_width_that_amd_does_not_enumerate_is_44_bits_and_hygons_32)
{
    h = HAND({ 7, 0, { 0, 1u << 12, 0, 0 } }, { 0xF, 0, { 0, 255, 0, 2 } }, { 0xF, 1, { 0, 64, 255, 7 } });
    cr_expect_eq(decode(VENDOR_AMD).counter_width, 44);
    cr_expect_eq(decode(VENDOR_HYGON).counter_width, 32);
    cr_expect_eq(decode(VENDOR_INTEL).counter_width, 24);
    h.at[2].regs.eax = 0x14;
    cr_expect_eq(decode(VENDOR_AMD).counter_width, 44);
    h.at[2].regs.eax = 0x10;
    cr_expect_eq(decode(VENDOR_AMD).counter_width, 40, "what is enumerated wins");
}

Test(rdt, bandwidth_enforcement_of_amd_is_not_looked_for_elsewhere)
{
    struct rdt_info i;

    h = HAND({ 7, 0, { 0, 0, 0, 0 } }, { 0x80000020u, 0, { 0, 0x7E, 0, 0 } }, { 0x80000020u, 1, { 12, 0, 0, 15 } });
    i = decode(VENDOR_AMD);
    cr_expect(i.qosx_known && i.qosx_ebx == 0x7E && i.l3be.bw_len == 12 && i.l3be.clos == 16);
    cr_expect(i.l3smbe.present && !i.l3smbe.known && i.abmc_counters == 0 && i.bw_types == 0);
    cr_expect_not(decode(VENDOR_INTEL).qosx_known);
}

/* A limit may be enumerated for more classes than the L3: such a class is not known to be stored, nor to be refused. */
Test(rdt, a_class_that_limits_alone_have_is_neither_legal_nor_illegal)
{
    struct pqr_layout layout;
    struct rdt_info i;

    h = HAND({ 7, 0, { 0, 1 << 15, 0, 0 } }, { 0x10, 0, { 0, 2, 0, 0 } }, { 0x10, 1, { 15, 0, 0, 15 } },
             { 0x80000020u, 0, { 0, 2, 0, 0 } }, { 0x80000020u, 1, { 12, 0, 0, 31 } });
    i = decode(VENDOR_AMD);
    pqr_layout_of(&i, &layout);
    cr_expect(layout.max_clos == 15 && layout.clos_limit == 31 && layout.clos_mask == UINT64_C(0x1F) << 32);
    i = decode(VENDOR_INTEL);
    pqr_layout_of(&i, &layout);
    cr_expect(layout.max_clos == 15 && layout.clos_limit == 15);
}

/* APM vol. 2 figure 19-10, 19-11: BW_LEN bits and U are in one register. Figure 19-5: CtrID has five bits. */
Test(rdt, lengths_and_counts_that_no_register_holds_are_not_taken)
{
    struct rdt_info i;

    h = HAND({ 7, 0, { 0, 0, 0, 0 } }, { 0x80000020u, 0, { 0, 0x7E, 0, 0 } }, { 0x80000020u, 1, { 200, 0, 0, 15 } },
             { 0x80000020u, 2, { 32, 0, 0, UINT32_MAX } }, { 0x80000020u, 3, { 0, 2, UINT32_MAX, 0 } },
             { 0x80000020u, 5, { 0x14, 0xFFFF, 0, 0 } });
    i = decode(VENDOR_AMD);
    cr_expect(i.l3be.present && !i.l3be.known && i.l3be.clos == 0);
    cr_expect(i.l3smbe.known && i.l3smbe.bw_len == 32 && i.l3smbe.clos == 128);
    cr_expect_eq(i.bw_types, 0x7F);
    cr_expect_eq(i.abmc_counters, 32);
    h.at[2].regs.eax = 0;
    cr_expect_not(decode(VENDOR_AMD).l3be.known);
}
