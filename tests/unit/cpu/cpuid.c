/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Identity, brand, caches, generation and clock, from recordings of real processors and from registers made by hand. */
#include "arch/x86/cpu/cpuid.h"
#include "core/base/search.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/machine/hand_cpuid.h"
#include "tests/support/data/recordings.h"

/* --- recordings */

/* By the index of the fixtures, of which several names in dumps can be one generation. */
static const char *generation_of(const char *uarch)
{
    static struct tsv *index;

    index = index ? index : recordings_index(RECORDINGS_FIXTURES);
    return FIND(i, tsv_rows(index), strcmp(tsv_cell(index, i, "uarch"), uarch) == 0, tsv_get(index, i, "generation"),
                "(a name that the index does not know)");
}

static const struct cache_info *l3_of(const struct cache_info *caches, uint32_t n)
{
    return FIND(i, n, caches[i].level == 3, &caches[i], NULL);
}

static void expect_l3(const char *file, const char *column, const char *expected, const struct cache_info *l3,
                      uint64_t got)
{
    if (strcmp(expected, "-") == 0)
        cr_expect_null(l3, "%s: an L3 of %s that is not there", file, column);
    else
        cr_expect_eq(got, strtoull(expected, NULL, 0), "%s: %s is %llu, not %s", file, column, (unsigned long long)got,
                     expected);
}

/* How many unlike L3 descriptions there are among all processors; none counts as one. */
static uint32_t l3_kinds(struct replay *r, const struct cpu_identity *id)
{
    struct cache_info kinds[16];
    uint32_t n_kinds = 0;

    for (uint32_t cpu = 0; cpu < replay_cpus(r); cpu++) {
        struct cpuid_source s = replay_source(r, cpu);
        struct cache_info caches[8], none = { 0 };
        const struct cache_info *l3 = l3_of(caches, cpuid_caches(&s, id, caches, 8));
        uint32_t k = 0;

        if (!l3)
            l3 = &none;
        while (k < n_kinds && memcmp(&kinds[k], l3, sizeof *l3) != 0)
            k++;
        if (k == n_kinds && n_kinds < 16)
            kinds[n_kinds++] = *l3;
    }
    return n_kinds;
}

static void check_row(struct replay *r, const struct tsv *x, uint32_t row)
{
    const char *file = tsv_get(x, row, "file"), *generation = tsv_get(x, row, "generation");
    struct cpu_identity id = { 0 };
    struct cache_info caches[8];
    const struct cache_info *l3;
    struct cpuid_source s;

    s = replay_source(r, 0);
    cr_expect_eq(replay_cpus(r), strtoul(tsv_get(x, row, "cpus"), NULL, 0), "%s", file);
    cr_assert_eq(cpuid_identity(&s, &id), ST_OK, "%s", file);
    cr_expect_str_eq(id.vendor_string, tsv_get(x, row, "vendor"), "%s", file);
    cr_expect_eq(id.signature, strtoul(tsv_get(x, row, "signature"), NULL, 16), "%s", file);
    cr_assert_not_null(cpuid_generation(&id), "%s: no generation for %x", file, id.signature);
    cr_expect_str_eq(cpuid_generation(&id), generation ? generation : generation_of(tsv_get(x, row, "uarch")), "%s: %s",
                     file, cpuid_generation(&id));
    l3 = l3_of(caches, cpuid_caches(&s, &id, caches, 8));
    expect_l3(file, "l3_bytes", tsv_get(x, row, "l3_bytes"), l3, l3 ? l3->bytes : 0);
    expect_l3(file, "l3_ways", tsv_get(x, row, "l3_ways"), l3, l3 ? l3->ways : 0);
    expect_l3(file, "l3_threads", tsv_get(x, row, "l3_threads"), l3, l3 ? l3->sharing_ids : 0);
    cr_expect_eq(l3_kinds(r, &id), strtoul(tsv_get(x, row, "l3_kinds"), NULL, 0), "%s: kinds of L3", file);
}

TEST_RECORDINGS(cpuid, are_decoded_as_their_index_says, check_row)

/* SDM vol. 2A leaf 2: "Broadwell-EP" E5-2699 v4: 32 KiB, 32 KiB, 256 KiB, 45 MiB. */
Test(cpuid, lists_the_caches_of_a_processor_in_their_order)
{
    struct replay *r = fixture_open("intel-406f1-broadwell-e-5.cpuid");
    struct cpuid_source s = replay_source(r, 0);
    struct cpu_identity id;
    struct cache_info c[8];

    cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
    cr_assert_eq(cpuid_caches(&s, &id, c, 8), 4);
    cr_expect(c[0].level == 1 && c[0].kind == 'd' && c[0].bytes == 32768 && c[0].sharing_ids == 2);
    cr_expect(c[1].level == 1 && c[1].kind == 'i' && c[1].bytes == 32768);
    cr_expect(c[2].level == 2 && c[2].kind == 'u' && c[2].bytes == 262144);
    cr_expect(c[3].level == 3 && c[3].kind == 'u' && c[3].bytes == UINT64_C(47185920) && c[3].ways == 20);
    cr_expect(c[3].inclusive && c[3].complex_index && c[3].line_bytes == 64);
    cr_expect_eq(cpuid_caches(&s, &id, c, 2), 2, "at most as many as asked for");
    replay_free(r);
}

Test(cpuid, brand_is_cut_at_both_ends)
{
    struct replay *r = fixture_open("intel-c06f2-emerald-rapids-3.cpuid");
    struct cpuid_source s = replay_source(r, 0);
    char brand[49];

    cpuid_brand(&s, brand);
    cr_expect_str_eq(brand, "INTEL(R) XEON(R) PLATINUM 8570");
    replay_free(r);
    r = fixture_open("intel-50654-skylake-xeon-10.cpuid");
    s = replay_source(r, 0);
    cpuid_brand(&s, brand);
    cr_expect(brand[0] != ' ' && brand[0] != '\0', "leading blanks are dropped: \"%s\"", brand);
    replay_free(r);
}

/* SDM vol. 2A leaf 1 ECX[31]: software that runs the machine may set it. */
Test(cpuid, names_the_hypervisor_only_where_one_is_announced)
{
    struct replay *r = fixture_open("intel-606c1-icx-vm.cpuid");
    struct cpuid_source s = replay_source(r, 0);
    char name[13];

    cr_expect(cpuid_hypervisor(&s, name));
    cr_expect_str_eq(name, "Microsoft Hv");
    replay_free(r);
    r = fixture_open("intel-606a6-icx-3.cpuid");
    s = replay_source(r, 0);
    cr_expect_not(cpuid_hypervisor(&s, name));
    cr_expect_str_eq(name, "");
    replay_free(r);
}

/* SDM vol. 2A leaf 15H: TSC = ECX x EBX / EAX. */
Test(cpuid, tsc_rate_comes_from_leaf_15h)
{
    struct replay *r = fixture_open("intel-c06f2-emerald-rapids-3.cpuid"); /* 25 MHz x 168 / 2 */
    struct cpuid_source s = replay_source(r, 0);
    struct cpu_identity id;

    cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
    cr_expect_eq(cpuid_tsc_hz(&s, &id), UINT64_C(2100000000));
    replay_free(r);
}

/* --- registers made by hand */

Test(cpuid, a_processor_without_leaf_1_has_no_identity)
{
    struct hand h = { { { 0, 0, { 0, 0x756E6547, 0x6C65746E, 0x49656E69 } } }, 1 };
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id = { .family = 0xDEAD };

    cr_expect_eq(cpuid_identity(&s, &id), ST_ABSENT);
    cr_expect_eq(id.family, 0xDEAD, "a refused read must leave the caller's identity alone");
}

/* SDM vol. 2A, CPUID leaf 1: "Displayed family and model". */
Test(cpuid, family_and_model_take_their_extensions)
{
    struct hand h = { { { 0, 0, { 1, 0x68747541, 0x444D4163, 0x69746E65 } }, { 1, 0, { 0x00A20F12, 0, 0, 0 } } }, 2 };
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id;

    cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
    cr_expect(id.vendor == VENDOR_AMD && id.family == 0x19 && id.model == 0x21 && id.stepping == 2);
    h.at[1].regs.eax = 0x000306F2;
    cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
    cr_expect(id.family == 6 && id.model == 0x3F && id.stepping == 2);
    h.at[1].regs.eax = 0x00060545; /* family 5: no extended model */
    cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
    cr_expect(id.family == 5 && id.model == 4);
}

Test(cpuid, unknown_processors_have_no_generation)
{
    struct cpu_identity id = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x55, .stepping = 4 };

    cr_expect_str_eq(cpuid_generation(&id), "Skylake-SP");
    id.stepping = 5;
    cr_expect_str_eq(cpuid_generation(&id), "Cascade Lake-SP");
    id.stepping = 11;
    cr_expect_str_eq(cpuid_generation(&id), "Cooper Lake-SP");
    id.vendor = VENDOR_AMD;
    cr_expect_null(cpuid_generation(&id));
    id.vendor = VENDOR_OTHER;
    cr_expect_null(cpuid_generation(&id));
}

/* SDM vol. 3B "Determining the Processor Base Frequency": ECX may be 0, then a table gives the crystal. */
Test(cpuid, a_crystal_that_is_not_enumerated_comes_from_the_table_or_not_at_all)
{
    struct hand h = { { { 0x15, 0, { 2, 200, 0, 0 } } }, 1 };
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id = { .vendor = VENDOR_INTEL, .family = 6, .model = 0x5E };

    cr_expect_eq(cpuid_tsc_hz(&s, &id), UINT64_C(2400000000));
    id.model = 0x55; /* 24 or 25 MHz: not known, so no rate */
    cr_expect_eq(cpuid_tsc_hz(&s, &id), 0);
    h.at[0].regs.eax = 0;
    id.model = 0x5E;
    cr_expect_eq(cpuid_tsc_hz(&s, &id), 0, "no ratio, no rate");
    h.n = 0;
    cr_expect_eq(cpuid_tsc_hz(&s, &id), 0);
}

Test(cpuid, vendor_text_that_is_not_printable_is_made_so)
{
    struct hand h = { { { 0, 0, { 1, 0x07000101, 0xFFFFFFFF, 0x41414141 } }, { 1, 0, { 0, 0, 0, 0 } } }, 2 };
    struct cpuid_source s = { hand_leaf, &h };
    struct cpu_identity id;

    cr_assert_eq(cpuid_identity(&s, &id), ST_OK);
    cr_expect_eq(id.vendor, VENDOR_OTHER);
    cr_expect_str_eq(id.vendor_string, "??");
}

static enum status endless_leaf(void *context, uint32_t, uint32_t subleaf, struct cpuid_regs *regs)
{
    ++*(uint32_t *)context;
    *regs = (struct cpuid_regs){ 0xFFFFFF61, 0xFFFFFFFF, subleaf, 7 };
    return ST_OK;
}

Test(cpuid, a_list_of_caches_without_end_is_given_up)
{
    uint32_t asked = 0;
    struct cpuid_source s = { endless_leaf, &asked };
    struct cpu_identity id = { .vendor = VENDOR_INTEL };
    struct cache_info c[64];

    cr_expect_eq(cpuid_caches(&s, &id, c, 64), 16);
    cr_expect_eq(asked, 16);
    cr_expect(c[0].line_bytes == 4096 && c[0].partitions == 1024 && c[0].ways == 1024 && c[0].sharing_ids == 4096);
    cr_expect_eq(c[1].bytes, UINT64_C(4096) * 1024 * 1024 * 2);
}

/* SDM vol. 2A: "If a value entered for CPUID.EAX is higher than the maximum input value ... data for the highest basic
 * information leaf is returned"; QEMU does the same. */
Test(cpuid, leaves_above_their_maximum_are_out_of_range)
{
    cr_expect(cpuid_in_range(0xD, 0xD, 0x80000008));
    cr_expect_not(cpuid_in_range(0xF, 0xD, 0x80000008));
    cr_expect(cpuid_in_range(0x80000008, 0xD, 0x80000008));
    cr_expect_not(cpuid_in_range(0x8000001E, 0xD, 0x80000008));
    cr_expect(cpuid_in_range(0x80000000, 0xD, 0), "the maximum itself may always be asked for");
    cr_expect_not(cpuid_in_range(0x80000001, 0xD, 0x0000000D), "no extended leaves at all");
    cr_expect(cpuid_in_range(0x40000000, 0xD, 0));
    cr_expect_not(cpuid_in_range(0xC0000000, 0xD, 0x80000008));
    cr_expect_not(cpuid_in_range(0x20000000, 0xD, 0x80000008));
}

Test(cpuid, a_live_processor_refuses_what_lies_above_its_maximum)
{
    struct replay *r = fixture_open("amd-800f12-zen-2.cpuid"); /* maximum 0DH, 8000001EH */
    struct platform *p = replay_platform(r);
    struct cpuid_live live;
    struct cpuid_source s;
    struct cpuid_regs regs;

    cr_assert_eq(cpuid_live_source(p, 0, &live, &s), ST_OK);
    cr_expect_eq(live.max_basic, 0xD);
    cr_expect_eq(live.max_extended, 0x8000001E);
    cr_expect_eq(s.leaf(s.context, 0, 0, &regs), ST_OK);
    cr_expect_eq(regs.ebx, 0x68747541);
    uint64_t asked = p->counts.cpuid;
    cr_expect_eq(s.leaf(s.context, 0xF, 0, &regs), ST_ABSENT);
    cr_expect_eq(p->counts.cpuid, asked, "the instruction is not even executed");
    p->cpus[0].flags = CPU_LOST;
    cr_expect_eq(cpuid_live_source(p, 0, &live, &s), ST_LOST);
    replay_free(r);
}
