/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/bench/kernel_rate.c: bytes per second of one of the payload's loops, on the host.
 *
 *   kernel-rate read|write|nt-write|copy KILOBYTES PASSES
 *
 * KILOBYTES are 10^3 bytes in all, a copy's source and destination together, as likwid-bench counts its working set.
 * Prints 10^6 bytes per second of what the loop moved, in the first pass too, over memory that was touched before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/x86/cpu/kernels.h"

static const struct {
    const char *name;
    enum work_kind kind;
} kinds[] = { { "read", WORK_READ }, { "write", WORK_WRITE }, { "nt-write", WORK_NT_WRITE }, { "copy", WORK_COPY } };

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool take(int argc, char **argv, struct work *w)
{
    uint64_t areas, area, page = 2u << 20;
    char *memory;

    if (argc != 4)
        return false;
    w->kind = WORK_KINDS;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(argv[1], kinds[i].name))
            w->kind = kinds[i].kind;
    areas = w->kind == WORK_COPY ? 2 : 1;
    w->bytes = strtoull(argv[2], NULL, 10) * 1000 / areas / 64 * 64;
    w->passes = (uint32_t)strtoul(argv[3], NULL, 10);
    if (w->kind == WORK_KINDS || w->bytes == 0 || w->passes == 0)
        return false;
    /* Each area begins a page, as those of a check do: loads a little ahead of stores, modulo 4096, wait for them. */
    area = (w->bytes + page - 1) / page * page;
    memory = aligned_alloc(page, area * areas);
    if (memory == NULL)
        return false;
    memset(memory, 1, area * areas);
    w->base = (uintptr_t)memory;
    w->dst = w->base + area;
    return true;
}

int main(int argc, char **argv)
{
    struct work w = { .kind = WORK_KINDS };
    double from;

    if (!take(argc, argv, &w)) {
        fputs("kernel-rate read|write|nt-write|copy KILOBYTES PASSES\n", stderr);
        return 2;
    }
    from = seconds();
    if (kernel_run(&w) != ST_OK)
        return 1;
    printf("%.0f\n", (double)w.moved_bytes / (seconds() - from) / 1e6);
    return 0;
}
