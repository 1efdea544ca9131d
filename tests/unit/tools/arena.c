/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/tools/arena.h"

#include <criterion/criterion.h>

#include "core/machine/free_memory.h"
#include "tests/support/machine/fake_platform.h"

#define GIB (UINT64_C(1) << 30)

/* Memory with one hole: [hole_lo, hole_hi) is firmware's. */
struct memory_map {
    struct fake f;
    uint64_t hole_lo, hole_hi, top;
    uint64_t asked_lo, asked_hi, asked_bytes;
    enum status says;
};

static uint64_t largest_free(void *machine, uint64_t lo, uint64_t hi)
{
    const struct memory_map *m = machine;
    uint64_t before, after;

    hi = hi > m->top ? m->top : hi;
    if (hi <= lo)
        return 0;
    before = m->hole_lo > lo ? (m->hole_lo < hi ? m->hole_lo : hi) - lo : 0;
    after = hi > m->hole_hi ? hi - (m->hole_hi > lo ? m->hole_hi : lo) : 0;
    return before > after ? before : after;
}

static enum status take(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    struct memory_map *m = machine;

    m->asked_lo = lo;
    m->asked_hi = hi;
    m->asked_bytes = bytes;
    if (m->says == ST_OK)
        *address = lo;
    return m->says;
}

static struct memory_map mem;
static struct machine m;

static void set_up(void)
{
    static struct platform_ops ops;

    fake_init(&mem.f, 1);
    ops = *mem.f.platform.ops;
    ops.largest_free = largest_free;
    ops.alloc = take;
    mem.f.platform.ops = &ops;
    mem.top = 16 * GIB;
    fake_machine(&mem.f, &m);
}

static void tear_down(void)
{
    fake_machine_free(&m);
}

static struct arena a, more[ARENA_MORE];

TestSuite(arena, .init = set_up, .fini = tear_down);

Test(arena, comes_from_the_ranges_of_its_own_node)
{
    static struct mem_range ranges[] = { { 0, 4 * GIB, 0 }, { 4 * GIB, 4 * GIB, 1 } };
    struct node nodes[2] = { { .n_cpus = 1 }, { .n_cpus = 1 } };

    free(m.nodes);
    m.nodes = nodes;
    m.n_nodes = 2;
    m.ranges = ranges;
    m.n_ranges = 2;
    m.srat_present = true;
    cr_expect_eq(arena_init(&a, &mem.f.platform, &m, 1, GIB), ST_OK);
    cr_expect_eq(mem.asked_lo, 4 * GIB);
    cr_expect_eq(mem.asked_hi, 8 * GIB);
    cr_expect_eq(a.bytes, GIB);
    cr_expect_eq(arena_init(&a, &mem.f.platform, &m, 2, GIB), ST_RANGE);
    m.nodes = NULL;
}

Test(arena, leaves_firmware_half_of_what_is_free_and_the_first_megabyte)
{
    mem.top = 64u << 20;
    cr_expect_eq(arena_init(&a, &mem.f.platform, &m, 0, GIB), ST_OK);
    cr_expect_eq(mem.asked_lo, 1u << 20);
    cr_expect_eq(a.bytes, (63u << 20) / 2 & ~0xFFFu);
    cr_expect_eq(a.free_bytes, 63u << 20);
}

Test(arena, of_a_node_without_memory_is_empty_and_says_so)
{
    uint64_t address = 0xDEAD;

    m.srat_present = true; /* and no range */
    cr_expect_eq(arena_init(&a, &mem.f.platform, &m, 0, GIB), ST_NO_MEMORY);
    cr_expect_eq(a.bytes, 0);
    cr_expect_eq(a.status, ST_NO_MEMORY);
    cr_expect_eq(arena_take(&a, 4096, &address), ST_NO_MEMORY);
    cr_expect_eq(address, 0xDEAD);
}

Test(arena, that_firmware_refuses_is_empty)
{
    mem.says = ST_NO_MEMORY;
    cr_expect_eq(arena_init(&a, &mem.f.platform, &m, 0, GIB), ST_NO_MEMORY);
    cr_expect_eq(a.bytes, 0);
}

Test(arena, hands_out_whole_pages_one_after_another_until_the_reset)
{
    uint64_t one = 0, two = 0, three = 0xDEAD;

    a = (struct arena){ .base = 0x100000, .bytes = 0x4000 };
    cr_expect_eq(arena_take(&a, 1, &one), ST_OK);
    cr_expect_eq(arena_take(&a, 0x2000, &two), ST_OK);
    cr_expect_eq(one, 0x100000);
    cr_expect_eq(two, 0x101000);
    cr_expect_eq(arena_left(&a), 0x1000);
    cr_expect_eq(arena_take(&a, 0x1001, &three), ST_NO_MEMORY);
    cr_expect_eq(arena_take(&a, UINT64_MAX, &three), ST_NO_MEMORY);
    cr_expect_eq(arena_take(&a, 0, &three), ST_NO_MEMORY);
    cr_expect_eq(three, 0xDEAD);
    cr_expect_eq(arena_left(&a), 0x1000, "what was refused took nothing");
    arena_reset(&a);
    cr_expect_eq(arena_left(&a), 0x4000);
}

Test(arena, default_size_follows_the_largest_l3)
{
    uint64_t small;

    m.domains[0].l3_bytes = 300u << 20;
    m.domains[0].upscaling_factor = 122880;
    cr_expect_geq(arena_default_bytes(&m), 4 * (UINT64_C(300) << 20));
    m.domains[0].l3_bytes = 2u << 20;
    small = arena_default_bytes(&m);
    cr_expect_leq(small, 256u << 20);
    m.domains[0].upscaling_factor = UINT32_MAX; /* a wild factor must not ask for all memory */
    cr_expect_leq(arena_default_bytes(&m), 256u << 20);
}

/* --- free memory in many extents */

#define EXTENT (8u << 20)

/* 8 MiB at each multiple of 16 MiB but 0. */
struct extents {
    struct fake f;
    struct free_range ranges[40];
    uint32_t n;
};

static uint64_t largest_extent(void *machine, uint64_t lo, uint64_t hi)
{
    const struct extents *e = machine;

    return free_memory_largest(e->ranges, e->n, lo, hi);
}

static enum status take_extent(void *machine, uint64_t lo, uint64_t hi, uint64_t bytes, uint64_t *address)
{
    struct extents *e = machine;
    enum status st = free_memory_fit(e->ranges, e->n, lo, hi, bytes, address);

    for (uint32_t i = 0; st == ST_OK && i < e->n; i++)
        if (*address >= e->ranges[i].begin && *address < e->ranges[i].end) {
            cr_assert_eq(*address, e->ranges[i].begin);
            e->ranges[i].begin += bytes;
        }
    return st;
}

static struct extents extents;

static void set_up_extents(uint32_t n)
{
    static struct platform_ops ops;

    fake_init(&extents.f, 1);
    ops = *extents.f.platform.ops;
    ops.largest_free = largest_extent;
    ops.alloc = take_extent;
    extents.f.platform.ops = &ops;
    extents.n = n;
    for (uint32_t i = 0; i < n; i++)
        extents.ranges[i] = (struct free_range){ (i + 1) * 2 * EXTENT, (i + 1) * 2 * EXTENT + EXTENT };
    fake_machine_free(&m);
    fake_machine(&extents.f, &m);
}

Test(arena, takes_a_whole_extent_where_firmware_keeps_one_as_large)
{
    set_up_extents(2);
    cr_expect_eq(arena_init(&a, &extents.f.platform, &m, 0, GIB), ST_OK);
    cr_expect_eq(a.bytes, EXTENT);
    cr_expect_eq(extents.ranges[0].end - extents.ranges[0].begin + extents.ranges[1].end - extents.ranges[1].begin,
                 EXTENT);
    cr_expect_eq(arena_init(&a, &extents.f.platform, &m, 0, GIB), ST_OK);
    cr_expect_eq(a.bytes, EXTENT / 2, "the last one is not");
}

Test(arena, of_many_extents_hands_out_of_each)
{
    uint64_t one = 0, two = 0, small = 0, three = 0;

    set_up_extents(5);
    extents.ranges[0].end -= EXTENT / 2;
    cr_expect_eq(arena_init(&a, &extents.f.platform, &m, 0, 2 * EXTENT + (1u << 20)), ST_OK);
    cr_expect_eq(arena_extend(&a, &extents.f.platform, &m, 2 * EXTENT + (1u << 20), more), 2);
    cr_expect_eq(arena_bytes(&a), 2 * EXTENT + (1u << 20));
    cr_expect_eq(arena_left(&a), EXTENT);
    cr_expect_eq(arena_take(&a, 4096, &small), ST_OK);
    cr_expect_eq(arena_take(&a, EXTENT, &one), ST_OK, "what is small left the large pieces whole");
    cr_expect_eq(arena_take(&a, EXTENT, &two), ST_OK);
    cr_expect(one >= two + EXTENT || two >= one + EXTENT);
    cr_expect_eq(arena_take(&a, EXTENT, &three), ST_NO_MEMORY);
    cr_expect_eq(arena_left(&a), (1u << 20) - 4096);
    arena_reset(&a);
    cr_expect_eq(arena_left(&a), EXTENT);
}

Test(arena, in_one_piece_is_not_extended)
{
    set_up_extents(5);
    cr_expect_eq(arena_init(&a, &extents.f.platform, &m, 0, EXTENT / 2), ST_OK);
    cr_expect_eq(arena_extend(&a, &extents.f.platform, &m, EXTENT / 2, more), 0);
    cr_expect_null(a.more);
}

/* The largest is less than twice what a further piece has at least: whole ones are, where others stay firmware's. */
Test(arena, of_extents_of_little_more_than_a_megabyte_takes_several)
{
    uint64_t bytes = (1u << 20) + 4096;

    set_up_extents(5);
    for (uint32_t i = 0; i < extents.n; i++)
        extents.ranges[i].end = extents.ranges[i].begin + bytes;
    cr_expect_eq(arena_init(&a, &extents.f.platform, &m, 0, GIB), ST_OK);
    cr_expect_geq(arena_extend(&a, &extents.f.platform, &m, GIB, more), 3);
    cr_expect_geq(arena_bytes(&a), 4 * bytes);
}

Test(arena, shares_are_equal_parts_of_the_largest_piece)
{
    struct arena share[4];

    more[0] = (struct arena){ .node = 3, .base = GIB, .bytes = GIB, .used = GIB };
    a = (struct arena){ .node = 3, .base = 4096, .bytes = GIB / 4, .used = 4096, .more = more };
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(arena_share(&a, i, 4, GIB / 4, &share[i]), ST_OK);
        cr_expect_eq(share[i].base, GIB + i * (GIB / 4));
        cr_expect_eq(arena_left(&share[i]), GIB / 4);
        cr_expect_eq(arena_bytes(&share[i]), GIB / 4);
        cr_expect_eq(share[i].node, 3);
    }
    cr_expect_eq(arena_share(&a, 0, 5, GIB / 4, &share[0]), ST_NO_MEMORY);
}

Test(arena, shares_of_a_node_without_memory_are_empty)
{
    struct arena share;
    uint64_t at;

    a = (struct arena){ .node = 1, .status = ST_NO_MEMORY };
    cr_assert_eq(arena_share(&a, 1, 2, GIB, &share), ST_OK);
    cr_expect_eq(arena_take(&share, 4096, &at), ST_NO_MEMORY);
}
