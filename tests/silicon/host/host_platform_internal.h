/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/host/host_platform_internal.h: what the model platform's files share.
 *
 *   model_platform.c         its table of operations but for tasks; life
 *   model_tasks_platform.c   tasks, which run by turns
 *   model_work_platform.c    workloads, a turn at a time
 *   model_tables_platform.c  firmware's tables
 *   host_memory.c            which memory there is
 *   host_twin.c              PCI functions, ACPI tables and memory of a recorded machine
 *   model_mp_platform.c      what firmware's processor services did when they were tried
 */
#pragma once
#include "core/platform/mp_selftest.h"
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/twin/twin.h"
#include "tests/silicon/host/host_platform.h"

struct firmware_tables {
    uint8_t *bytes; /* what stands in memory from `base` on */
    size_t size;
    uint64_t base, rsdp, smbios; /* physical addresses */
};

/* Node n is memory_base + n * node_bytes. Their bytes are of the pool. */
void firmware_tables_build(struct firmware_tables *t, struct pool *pool, const struct model *m, uint64_t base,
                           uint64_t memory_base, uint64_t node_bytes);

/* What firmware without a fault would have shown, but for the faults that m was given. */
void firmware_selftest_build(struct mp_selftest *t, struct pool *pool, const struct model *m);

/* --- the machine */

#define PREPARED 256u
#define EXTENTS  4096u

struct extent {
    uint64_t base, end;
};

struct prepared { /* what CHASE_PREPARE or CODE_PREPARE wrote */
    uint64_t base, lines;
    enum work_kind by; /* one of the two                          */
    uint32_t *next;    /* CHASE_PREPARE: the order                */
};

struct local_apic { /* its LVT performance counter register, as platform.h's steps use it */
    bool open;
    struct pmi_count pmi;
    bool listens, waits; /* within a PMI_LISTEN; an IPI is accepted and not delivered yet */
    uint64_t free_at;    /* when the handler of the last IPI is done                      */
};

struct machine {
    struct pool pool; /* this, mp, and all that they point to but the model */
    struct model_platform *mp;
    struct model *model;
    uint64_t now; /* TSC, on every processor */
    struct extent *free;
    uint32_t n_free;
    struct prepared prepared[PREPARED]; /* without lines: none */
    uint32_t n_prepared;                /* ever made; the table is a ring */
    struct local_apic *apic;            /* [n_cpus] */
    bool *dead;                         /* [n_cpus] */
    uint32_t smi_left;
    struct firmware_tables tables;
    struct mp_selftest trial;
};

/* Nodes that have memory: the first of the machine, all but for empty-node. */
uint32_t memory_nodes(const struct model *m);
/* Over the packages, and no node is a package's: node-interleaving. */
bool memory_interleaved(const struct model *m);
/* Node n is base + n * node_bytes; what firmware leaves free of it. */
void memory_make(struct machine *k, uint64_t base, uint64_t node_bytes);

/* --- tasks */

struct progress { /* of the STEP_WORK under way */
    bool under_way, smi_done;
    uint32_t pass;
    uint64_t line;   /* next one of this pass (CHASE_PREPARE: of both halves) */
    uint64_t cursor; /* CHASE: the line that was loaded last; PREPARE: random state */
    uint64_t accesses, proof, begin;
    struct prepared *prepared; /* that this work makes or follows */
};

struct runner {
    struct task *task;
    uint64_t clock;
    uint32_t at, rank;
    bool broken;
    uint64_t ipis; /* that the STEP_IPI_SEND under way has sent */
    enum { RUNNING, WAITING, FINISHED, LOST } state;
    struct progress work;
};

/* A turn of a workload: a few hundred of its lines. True: it is over, *st says how. */
bool work_turn(struct machine *k, struct runner *r, struct work *w, enum status *st);
/* The operation `run` of struct platform_ops. */
enum status platform_run_tasks(void *machine, struct task *tasks, uint32_t n_tasks, uint64_t budget_ms);

/* Of a twin: the recorded table that stands in place of the model's; NULL: none. */
const struct recorded_table *host_twin_table(const struct model *m, const char *signature);
/* Of a twin or not: the model's function that is at a place, numbered as for model_pci_read() with the segment above; TWIN_NONE:
 * none, and *f is what was recorded there, or NULL. */
uint32_t host_twin_pci(struct model *m, uint32_t function, const struct recorded_function **f);
/* What was recorded at an address that the model does not decode; false: nothing was. */
bool host_twin_region(const struct model *m, uint64_t address, uint32_t bytes, uint64_t *value);
/* Memory that the recorded SRAT says is there; NULL: the model's own. *n: ranges. To be freed. */
struct twin_range {
    uint64_t base, bytes;
    uint32_t node; /* of the model */
};
struct twin_range *host_twin_memory(const struct model *m, uint32_t *n);
/* Of a range, the extents that firmware leaves free, after *from: as the recorded memory map has them, else what is above 4 GiB.
 * false: no more. */
bool host_twin_free(const struct model *m, const struct twin_range *range, uint32_t *from, struct extent *out);
