/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Working memory of a processor whose own node has none. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/tools/tools.h"
#include "core/load/memory.h"

#define BYTES UINT64_C(0x100000)

/* Two packages; node 0 and 1 are of the first one, 2 of the other. */
static struct {
    struct cpu cpus[1];
    struct node nodes[3];
    struct arena arenas[3];
    struct machine machine;
    struct tools tools;
    struct check_state state;
    struct check check;
} w;
static uint64_t at;

static void lay_out(enum cpu_vendor vendor, uint64_t bytes_0, uint64_t bytes_1, uint64_t bytes_2)
{
    const uint64_t bytes[3] = { bytes_0, bytes_1, bytes_2 };

    memset(&w, 0, sizeof w);
    w.cpus[0].id.vendor = vendor;
    for (uint32_t i = 0; i < 3; i++) {
        w.nodes[i] = (struct node){ .package = i / 2, .memory_bytes = bytes[i] };
        w.arenas[i] = (struct arena){ .node = i, .base = bytes[i] ? (i + 1) * 16 * BYTES : 0, .bytes = bytes[i] };
    }
    w.machine = (struct machine){ .cpus = w.cpus, .n_cpus = 1, .nodes = w.nodes, .n_nodes = 3 };
    w.tools = (struct tools){ .machine = &w.machine, .arenas = w.arenas, .n_arenas = 3 };
    w.check = (struct check){ .machine = &w.machine, .tools = &w.tools, .state = &w.state };
}

Test(memory, is_of_the_own_node_where_that_has_some)
{
    lay_out(VENDOR_AMD, BYTES, BYTES, BYTES);
    cr_expect_eq(memory_take_local(&w.check, 0, BYTES, &at), ST_OK);
    cr_expect_eq(at, w.arenas[0].base);
    cr_expect(memory_is_local(&w.check, 0));
}

/* As where each L3 of AMD's is a node: the memory of a package is one node's. */
Test(memory, is_of_the_package_where_the_own_node_has_none)
{
    lay_out(VENDOR_AMD, 0, BYTES, BYTES);
    cr_expect_eq(memory_take_local(&w.check, 0, BYTES, &at), ST_OK);
    cr_expect_eq(at, w.arenas[1].base);
    cr_expect(memory_is_local(&w.check, 0), "the only memory of the package");
}

Test(memory, of_another_package_is_not_local)
{
    lay_out(VENDOR_AMD, 0, 0, BYTES);
    cr_expect_eq(memory_take_local(&w.check, 0, BYTES, &at), ST_ABSENT);
    cr_expect_not(memory_is_local(&w.check, 0));
}

/* The node has some, and less than is asked for. */
Test(memory, of_another_node_is_not_local_although_the_own_one_has_some)
{
    struct arena more = { .node = 2, .base = 64 * BYTES, .bytes = 2 * BYTES };

    lay_out(VENDOR_INTEL, BYTES, 0, BYTES);
    w.arenas[2].more = &more;
    cr_expect_eq(memory_take_any(&w.check, 0, BYTES, &at), ST_OK);
    cr_expect(memory_at_is_local(&w.check, 0, at));
    cr_expect_eq(memory_take_any(&w.check, 0, 2 * BYTES, &at), ST_OK);
    cr_expect_eq(at, more.base);
    cr_expect_not(memory_at_is_local(&w.check, 0, at));
    cr_expect(memory_is_local(&w.check, 0));
}

/* Interleaved over the packages: one node, or no SRAT. */
Test(memory, of_a_node_of_several_packages_is_not_local)
{
    lay_out(VENDOR_INTEL, BYTES, 0, 0);
    cr_expect(memory_is_local(&w.check, 0));
    w.nodes[0].shared = true;
    cr_expect_not(memory_is_local(&w.check, 0));
}

Test(memory, of_one_of_several_nodes_may_not_be_local)
{
    lay_out(VENDOR_AMD, 0, BYTES, BYTES);
    w.nodes[2].package = 0;
    cr_expect_not(memory_is_local(&w.check, 0));
}

/* A cluster of Intel's counts what is of its own memory. */
Test(memory, is_of_no_other_cluster)
{
    lay_out(VENDOR_INTEL, 0, BYTES, BYTES);
    cr_expect_eq(memory_take_local(&w.check, 0, BYTES, &at), ST_ABSENT);
}

/* A node in extents, the first of them the smallest. */
Test(memory, in_many_extents_is_taken_in_pieces)
{
    struct arena more[2];
    struct memory_piece pieces[4];
    uint32_t n = 0;

    lay_out(VENDOR_INTEL, BYTES, 0, 0);
    more[0] = (struct arena){ .base = 64 * BYTES, .bytes = 2 * BYTES, .more = &more[1] };
    more[1] = (struct arena){ .base = 96 * BYTES, .bytes = 2 * BYTES };
    w.arenas[0].more = &more[0];
    cr_expect_eq(memory_take_local(&w.check, 0, 3 * BYTES, &at), ST_ABSENT);
    cr_expect_eq(memory_take_pieces(&w.check, 0, 3 * BYTES, pieces, 4, &n), ST_OK);
    cr_expect_eq(n, 2);
    cr_expect_eq(pieces[0].bytes, 2 * BYTES);
    cr_expect_eq(pieces[1].bytes, BYTES);
    arena_reset(&w.arenas[0]);
    cr_expect_eq(memory_take_pieces(&w.check, 0, BYTES, pieces, 4, &n), ST_OK);
    cr_expect_eq(n, 1, "in one where one is enough");
    arena_reset(&w.arenas[0]);
    cr_expect_eq(memory_take_pieces(&w.check, 0, 5 * BYTES, pieces, 2, &n), ST_ABSENT, "not in so few");
    arena_reset(&w.arenas[0]);
    cr_expect_eq(memory_take_pieces(&w.check, 0, 6 * BYTES, pieces, 4, &n), ST_ABSENT, "more than there is");
}

/* For loads it is as if it were in one piece. */
Test(memory, in_many_extents_is_one_range_for_loads)
{
    struct arena more[2];
    struct scatter s = { .n = 0 };
    uint64_t bytes = 4 * BYTES;

    lay_out(VENDOR_INTEL, BYTES, 8 * BYTES, 0);
    w.tools.scatter = &s;
    more[0] = (struct arena){ .base = 64 * BYTES, .bytes = 2 * BYTES, .more = &more[1] };
    more[1] = (struct arena){ .base = 96 * BYTES, .bytes = 2 * BYTES };
    w.arenas[0].more = &more[0];
    cr_expect_eq(memory_left_scattered(&w.check, 0), 5 * BYTES);
    cr_expect_eq(memory_scatter_local(&w.check, 0, 2 * BYTES, &at), ST_OK);
    cr_expect_not(is_scattered(at), "in one piece where one is enough");
    cr_expect_eq(memory_scatter_any(&w.check, 0, 5 * BYTES / 2, &at), ST_OK);
    cr_expect(is_scattered(at));
    cr_expect_eq(scatter_find(&s, at, &bytes), 96 * BYTES);
    cr_expect_eq(bytes, 2 * BYTES);
    cr_expect_eq(scatter_find(&s, at + 2 * BYTES, &bytes), w.arenas[0].base);
    cr_expect_eq(bytes, BYTES / 2);
    cr_expect_eq(memory_scatter_local(&w.check, 0, BYTES, &at), ST_ABSENT, "more than there is");
    cr_expect_eq(memory_scatter_any(&w.check, 0, BYTES, &at), ST_OK);
    cr_expect_eq(at, w.arenas[1].base, "of another node");
}

/* The other package's node has 2 MiB in two pieces. */
Test(memory, of_another_package_is_in_pieces_too)
{
    struct arena more = { .node = 2, .base = 96 * BYTES, .bytes = BYTES };
    struct scatter s = { .n = 0 };
    uint64_t bytes = 2 * BYTES;

    lay_out(VENDOR_INTEL, 4 * BYTES, 4 * BYTES, BYTES);
    w.tools.scatter = &s;
    w.arenas[2].more = &more;
    cr_expect_eq(memory_scatter_remote(&w.check, 0, BYTES, &at), ST_OK);
    cr_expect_not(is_scattered(at), "in one piece where one is enough");
    cr_expect_eq(memory_scatter_remote(&w.check, 0, 2 * BYTES, &at), ST_ABSENT, "more than there is");
    arena_reset(&w.arenas[2]);
    cr_expect_eq(memory_scatter_remote(&w.check, 0, 2 * BYTES, &at), ST_OK);
    cr_expect_eq(scatter_find(&s, at, &bytes), w.arenas[2].base);
    cr_expect_eq(scatter_find(&s, at + BYTES, &bytes), more.base);
    cr_expect_not(memory_scatter_node(&w.check, 0, 2, BYTES, &at));
    cr_expect(memory_scatter_node(&w.check, 0, 1, BYTES, &at));
    cr_expect_eq(at, w.arenas[1].base);
}
