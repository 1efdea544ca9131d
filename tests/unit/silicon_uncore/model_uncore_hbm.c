/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Xeon Max with all memory in HBM: what its channels and their M2M units count, and those of the modules do not. Events: the
 * public event file (MCHBM, M2HBM); registers: Linux spr_uncore_hbm, intel/pcm. */
#include "tests/support/machine/uncore_rig.h"

#define HBM_CHANNELS 32u

static struct uncore_rig rig_of(uint32_t packages, uint32_t clusters, const char *realism)
{
    return uncore_rig_new(
        &MODEL("spr-hbm", packages, 4, 1, .clusters = clusters, .tsc_hz = SECOND, .realism = realism));
}

/* Channel c of a package: controllers 9000H apart, channels 4000H. */
static uint64_t hbm_of(struct uncore_rig *b, uint32_t package, uint32_t c)
{
    uint32_t map = find_function(b, 0x3251, 0, 1, package);

    cr_assert_neq(map, NOWHERE);
    return ((uint64_t)(dword(b, map, 0xD0) & 0x1FFFFFFF) << 23) + 0x300000 + 0x141C00 + 0x9000 * (c / 2) +
           0x4000 * (c % 2);
}

struct lines {
    uint64_t reads, writes, least, most;
};

static struct lines count(struct uncore_rig *b, uint32_t package,
                          uint64_t (*at)(struct uncore_rig *, uint32_t, uint32_t), uint32_t channels)
{
    struct lines l = { .least = UINT64_MAX };

    for (uint32_t c = 0; c < channels; c++) {
        uint64_t reads = mapped(b, at(b, package, c) + 8, 8);

        l.reads += reads;
        l.writes += mapped(b, at(b, package, c) + 0x10, 8);
        l.least = reads < l.least ? reads : l.least;
        l.most = reads > l.most ? reads : l.most;
    }
    return l;
}

static uint64_t module_channel(struct uncore_rig *b, uint32_t package, uint32_t c)
{
    return channel_of(b, 0x3251, package, c);
}

static void program(struct uncore_rig *b, uint32_t package)
{
    for (uint32_t c = 0; c < HBM_CHANNELS; c++) {
        set_mapped(b, hbm_of(b, package, c) + 0x40, 4, 0xCF05);
        set_mapped(b, hbm_of(b, package, c) + 0x44, 4, 0xF005);
    }
    for (uint32_t c = 0; c < 8; c++) {
        set_mapped(b, module_channel(b, package, c) + 0x40, 4, 0xCF05);
        set_mapped(b, module_channel(b, package, c) + 0x44, 4, 0xF005);
    }
}

static void move(struct uncore_rig *b, uint32_t package)
{
    for (uint32_t n = 0; n < b->clusters; n++) {
        touch(b, 0, package * b->clusters + n, 8 * LINES, MODEL_LOAD);
        touch(b, 0, package * b->clusters + n, LINES, MODEL_NT_STORE);
    }
}

Test(hbm, is_used_by_nobody_otherwise)
{
    struct uncore_rig b = rig_of(1, 1, NULL);

    program(&b, 0);
    move(&b, 0);
    cr_expect_eq(count(&b, 0, hbm_of, HBM_CHANNELS).reads, 0);
    cr_expect_eq(count(&b, 0, module_channel, 8).reads, 8 * LINES);
}

/* A cache in front of the modules: each line is looked up in it, by reading it; one that it lacks is filled. */
Test(hbm, as_a_cache_is_looked_up_for_each_line_and_filled_by_misses)
{
    struct uncore_rig b = rig_of(1, 1, "hbm-cache=on");
    struct lines hbm, modules;

    program(&b, 0);
    move(&b, 0);
    hbm = count(&b, 0, hbm_of, HBM_CHANNELS);
    modules = count(&b, 0, module_channel, 8);
    cr_expect_eq(hbm.reads, 9 * LINES, "look-ups of 8 lines read and one written");
    cr_expect_eq(hbm.writes, 9 * LINES, "8 fills, one written");
    cr_expect(hbm.least * 10 > hbm.reads / HBM_CHANNELS * 8, "%lu", hbm.least);
    cr_expect_eq(modules.reads, 8 * LINES);
    cr_expect_eq(modules.writes, 0, "nothing dirty had to make room");
}

/* Direct-mapped, 256 MiB of a node: lines so far apart have one place. */
Test(hbm, as_a_cache_gives_a_dirty_line_to_the_modules_for_another_of_its_set)
{
    struct uncore_rig b = rig_of(1, 1, "hbm-cache=on");
    struct lines hbm, modules;

    program(&b, 0);
    for (uint64_t at = 0; at < 64; at += 8)
        (void)model_access(b.m, 0, at, 8, MODEL_NT_STORE);
    modules = count(&b, 0, module_channel, 8);
    cr_expect_eq(modules.reads + modules.writes, 0, "a whole line that is written is not filled");
    (void)model_access(b.m, 0, UINT64_C(256) << 20, 8, MODEL_LOAD);
    hbm = count(&b, 0, hbm_of, HBM_CHANNELS);
    modules = count(&b, 0, module_channel, 8);
    cr_expect_eq(hbm.reads, 2);
    cr_expect_eq(hbm.writes, 2);
    cr_expect_eq(modules.reads, 1);
    cr_expect_eq(modules.writes, 1);
}

/* Linux i10nm_base.c: CAPID3 bits 30:27 of 30:3, rules of 10:0 of the same bus, bit 0 enabled, bit 5 cached. */
Test(hbm, is_told_by_capid3_and_its_mode_by_the_address_rules)
{
    static const char *const modes[] = { NULL, "hbm-only=on", "hbm-cache=on", "hbm-only=on,hbm-cache=on" };

    for (uint32_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct uncore_rig b = rig_of(1, 1, modes[i]);
        uint32_t pcu = find_function(&b, 0x325B, 30, 3, 0), rules = find_function(&b, 0x324D, 10, 0, 0);

        cr_assert(pcu != NOWHERE && rules != NOWHERE && pcu >> 20 == rules >> 20);
        cr_expect_eq(dword(&b, pcu, 0x90) & BITS(30, 27), BITS(30, 27));
        cr_expect_eq(dword(&b, rules, 0x300), i == 2 ? 0x21 : 0x01, "%s", modes[i] ? modes[i] : "flat");
        cr_expect_eq(dword(&b, rules, 0x308) & 1, 0);
    }
}

/* An odd line of a pair of channels is the first one's, so that no line is lost. */
Test(hbm, channels_of_a_pair_share_every_line)
{
    struct uncore_rig b = rig_of(1, 1, "hbm-only=on");
    uint64_t reads = 0;

    program(&b, 0);
    for (uint32_t lines = 1; lines <= 5; lines++) {
        touch(&b, 0, 0, 1, MODEL_LOAD);
        reads = count(&b, 0, hbm_of, HBM_CHANNELS).reads;
        cr_expect_eq(reads, lines);
    }
}
