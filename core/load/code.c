/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/load/code.h"

#include "core/load/loads.h"

struct traffic_part code_part(enum work_kind kind, uint32_t rmid, uint64_t base, uint64_t bytes, uint32_t passes)
{
    struct traffic_part part = part_read(rmid, base, bytes);

    part.work.kind = kind;
    part.work.passes = passes;
    return part;
}

uint32_t code_passes(const struct check *c, uint32_t domain)
{
    return c->machine->domains[domain].l3_inclusive ? 1 : 2;
}

enum status code_write(struct check *c, uint32_t cpu, uint64_t base, uint64_t bytes)
{
    struct traffic_part parts[] = { code_part(WORK_CODE_PREPARE, 0, base, bytes, 1),
                                    code_part(WORK_CODE, 0, base, bytes, 1) };
    struct traffic_load load = { .cpu = cpu, .n_parts = 2, .parts = parts };
    uint32_t bad_cpu = cpu;
    enum status st = traffic_run(c->platform, &load, 1, NULL, NULL, &bad_cpu);

    if (st == ST_PAGE_FAULT)
        return check_absent(c, "firmware maps memory no-execute: code in it raises #PF");
    return st == ST_OK ? ST_OK : check_unmeasured(c, st, bad_cpu, "code in memory");
}
