/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/load/memory.h"

#include "core/base/text.h"
#include "core/tools/tools.h"
#include "core/domain/cluster.h"
#include "core/domain/domains.h"

/* Nodes of a package that have memory; *first: one of them. */
static uint32_t nodes_with_memory(const struct machine *m, uint32_t package, uint32_t *first)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->n_nodes; i++)
        if (m->nodes[i].package == package && m->nodes[i].memory_bytes && n++ == 0)
            *first = i;
    return n;
}

static bool has_no_memory(const struct check *c, uint32_t node)
{
    return node < c->machine->n_nodes && c->machine->nodes[node].memory_bytes == 0;
}

/* Its own node. Where that has no memory, since firmware made each L3 of AMD's a node, the first of its package that
 * has. Intel's clusters count what is of their own memory alone. */
static uint32_t node_of(const struct check *c, uint32_t cpu)
{
    uint32_t node = c->machine->cpus[cpu].node;

    if (node == NO_NODE && c->machine->n_nodes == 1)
        return 0;
    if (has_no_memory(c, node) && !reference_is_intel(c))
        (void)nodes_with_memory(c->machine, c->machine->cpus[cpu].package, &node);
    return node;
}

bool memory_is_local(const struct check *c, uint32_t cpu)
{
    uint32_t node = c->machine->cpus[cpu].node, first;

    if (node < c->machine->n_nodes && c->machine->nodes[node].shared)
        return false;
    return !has_no_memory(c, node) || nodes_with_memory(c->machine, c->machine->cpus[cpu].package, &first) == 1;
}

bool memory_at_is_local(const struct check *c, uint32_t cpu, uint64_t address)
{
    uint32_t own = node_of(c, cpu);

    for (uint32_t i = 0; i < c->tools->n_arenas; i++)
        for (const struct arena *a = i == own ? NULL : &c->tools->arenas[i]; a; a = a->more)
            if (address - a->base < a->bytes)
                return false;
    return memory_is_local(c, cpu);
}

static struct arena *arena_of(const struct check *c, uint32_t cpu)
{
    uint32_t node = node_of(c, cpu);

    return node < c->tools->n_arenas ? &c->tools->arenas[node] : NULL;
}

static void shortage(const struct check *c, uint32_t cpu, uint64_t bytes, char *out, size_t size)
{
    const struct arena *a = arena_of(c, cpu);

    if (a == NULL)
        text_format(out, size, "the NUMA node of the processor is not known");
    else
        text_format(out, size, "not enough memory on node %u: %lu bytes needed in one piece, %lu left of %lu",
                    node_of(c, cpu), bytes, arena_left(a), arena_bytes(a));
}

static bool take_own(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    struct arena *a = arena_of(c, cpu);

    return a && arena_take(a, bytes, address) == ST_OK;
}

enum status memory_take_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    char why[160];

    if (take_own(c, cpu, bytes, address))
        return ST_OK;
    shortage(c, cpu, bytes, why, sizeof why);
    return check_absent(c, "%s", why);
}

enum status memory_take_pieces(struct check *c, uint32_t cpu, uint64_t bytes, struct memory_piece *pieces, uint32_t max,
                               uint32_t *n)
{
    const struct arena *a = arena_of(c, cpu);
    enum status st = ST_OK;

    for (*n = 0; bytes > 0 && st == ST_OK; ++*n) {
        uint64_t left = a ? arena_left(a) : 0, piece = left > 0 && left < bytes && *n + 1 < max ? left : bytes;

        st = memory_take_local(c, cpu, piece, &pieces[*n].base);
        pieces[*n].bytes = piece;
        bytes -= piece;
    }
    return st;
}

/* Nodes to ask for memory in addition to its own, from 0. In a cluster none: lines of another node's memory are in the
 * share of that node's cluster. */
static uint32_t other_nodes(const struct check *c, uint32_t cpu)
{
    const struct cluster_l3 *l3 = cluster_of(c, c->machine->cpus[cpu].domain, NULL);

    return l3 && (l3->rule == CLUSTER_SHARED || l3->rule == CLUSTER_FOUND || l3->rule == CLUSTER_COMMON)
               ? 0
               : c->tools->n_arenas;
}

enum status memory_take_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    uint32_t n_others = other_nodes(c, cpu);
    char why[160];

    if (take_own(c, cpu, bytes, address))
        return ST_OK;
    shortage(c, cpu, bytes, why, sizeof why);
    for (uint32_t i = 0; i < n_others; i++)
        if (arena_take(&c->tools->arenas[i], bytes, address) == ST_OK) {
            check_note(c, "cpu %u uses memory of node %u: %s", cpu, i, why);
            return ST_OK;
        }
    return check_absent(c, "%s", why);
}

uint64_t memory_left_any(struct check *c, uint32_t cpu)
{
    uint32_t node = node_of(c, cpu), n_others = other_nodes(c, cpu);
    uint64_t best = node < c->tools->n_arenas ? arena_left(&c->tools->arenas[node]) : 0;

    for (uint32_t i = 0; best == 0 && i < n_others; i++)
        best = arena_left(&c->tools->arenas[i]);
    return best;
}

/* --- in several pieces -------------------------------------------------------------------------------------------- */

#define PIECE_LEAST UINT64_C(65536) /* less is not worth a part of a load */

/* Bytes of the pieces that are worth it; *n: how many these are. */
static uint64_t scattered_left(const struct check *c, const struct arena *a, uint32_t *n)
{
    uint64_t left = 0;

    for (*n = 0; a && c->tools->scatter && c->tools->scatter->n + *n < SCATTER_MOST; a = a->more)
        if (a->bytes - a->used >= PIECE_LEAST) {
            left += a->bytes - a->used;
            ++*n;
        }
    return left;
}

/* The largest pieces of a node. false: they are not enough, and nothing is taken. */
static bool take_scattered(struct check *c, uint32_t cpu, struct arena *a, uint64_t bytes, uint64_t *address)
{
    struct scatter *s = c->tools->scatter;
    uint32_t n;

    if (!a || scattered_left(c, a, &n) < bytes)
        return false;
    *address = scatter_next(s);
    n = s->n;
    while (bytes > 0) {
        uint64_t left = arena_left(a), piece = left < bytes ? left : bytes, base;

        if (arena_take(a, piece, &base) != ST_OK || !scatter_add(s, base, piece))
            return false;
        bytes -= piece;
    }
    check_note(c, "cpu %u uses memory of node %u in %u pieces", cpu, a->node, s->n - n);
    return true;
}

static bool take_own_scattered(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    return take_own(c, cpu, bytes, address) || take_scattered(c, cpu, arena_of(c, cpu), bytes, address);
}

enum status memory_scatter_any(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    return take_own_scattered(c, cpu, bytes, address) ? ST_OK : memory_take_any(c, cpu, bytes, address);
}

enum status memory_scatter_local(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    return take_own_scattered(c, cpu, bytes, address) ? ST_OK : memory_take_local(c, cpu, bytes, address);
}

uint64_t memory_left_scattered(struct check *c, uint32_t cpu)
{
    uint32_t n;
    uint64_t one = memory_left_any(c, cpu), left = scattered_left(c, arena_of(c, cpu), &n);

    return left > one ? left : one;
}

bool memory_scatter_node(struct check *c, uint32_t cpu, uint32_t node, uint64_t bytes, uint64_t *address)
{
    struct arena *a = &c->tools->arenas[node];

    return arena_take(a, bytes, address) == ST_OK || take_scattered(c, cpu, a, bytes, address);
}

enum status memory_scatter_apart(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    for (uint32_t i = 0; i < c->tools->n_arenas; i++)
        if (c->machine->nodes[i].package == UINT32_MAX && memory_scatter_node(c, cpu, i, bytes, address))
            return ST_OK;
    return check_absent(c, "no node without processors has %lu bytes of working memory", bytes);
}

enum status memory_scatter_remote(struct check *c, uint32_t cpu, uint64_t bytes, uint64_t *address)
{
    const struct machine *m = c->machine;

    for (uint32_t i = 0; i < c->tools->n_arenas; i++)
        if (i != m->cpus[cpu].node && m->nodes[i].package != UINT32_MAX &&
            m->nodes[i].package != m->cpus[cpu].package && memory_scatter_node(c, cpu, i, bytes, address))
            return ST_OK;
    return check_absent(c, "no node of another package has %lu bytes of working memory", bytes);
}
