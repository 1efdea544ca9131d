/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AMD SDCI allocation enforcement (SDCIAE; Linux calls it io_alloc): its enable on the processors of an L3. While it is
 * on, what I/O devices inject into the L3 fills the ways of the highest COS, which no check has a witness for. */
#include "arch/x86/rdt/rdt_regs.h"
#include "core/checks/families.h"
#include "core/domain/alloc_owners.h"
#include "core/platform/script.h"

#define APM_SDCIAE "APM vol. 2 19.4.7 L3 Smart Data Cache Injection Allocation Enforcement (SDCIAE), figure 19-7"

/* The enable written 1 through one processor of each L3, then through all, and 0 through all. No document says whether
 * processors share it: after the first write all of an L3 read 1, or the threads of one core alone. */
enum io_stage { IO_FOUND, IO_ONE, IO_ALL, IO_OFF };

struct io_sweep {
    struct sweep sweep;
    enum io_stage stage;
    uint32_t *set, *clear; /* [n_domains] processors, but those of the writer's core, that read 1 and 0 */
    uint32_t *writer;      /* [n_domains] */
};

static uint64_t io_value(const struct io_sweep *io, uint32_t cpu)
{
    uint64_t others = alloc_found(io->sweep.check, cpu, L3_QOS_EXT_CFG) & ~L3_QOS_EXT_CFG_SDCIAE_EN;

    return io->stage == IO_OFF ? others : others | L3_QOS_EXT_CFG_SDCIAE_EN;
}

static uint32_t build_io_write(struct sweep *s, uint32_t cpu, struct step *steps)
{
    struct io_sweep *io = s->context;
    uint32_t domain = s->check->machine->cpus[cpu].domain;

    if (domain == NO_DOMAIN || (io->stage == IO_ONE && !alloc_writes(s->check, cpu, ALLOC_L3)))
        return 0;
    if (io->stage == IO_ONE)
        io->writer[domain] = cpu;
    steps[0] = step_wrmsr(L3_QOS_EXT_CFG, io_value(io, cpu));
    return 1;
}

static void judge_io_write(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    if (s->compared++ == 0)
        evidence_wrmsr(s->check, cpu, steps[0].reg, steps[0].value, steps[0].status, steps[0].tsc);
    if (steps[0].status != ST_OK)
        alloc_refused(s->check, cpu, &steps[0]);
}

static uint32_t build_io_read(struct sweep *s, uint32_t cpu, struct step *steps)
{
    steps[0] = step_rdmsr(L3_QOS_EXT_CFG);
    return s->check->machine->cpus[cpu].domain != NO_DOMAIN;
}

static void judge_io_read(struct sweep *s, uint32_t cpu, const struct step *steps, uint32_t)
{
    struct io_sweep *io = s->context;
    uint32_t domain = s->check->machine->cpus[cpu].domain;
    bool set = steps[0].value & L3_QOS_EXT_CFG_SDCIAE_EN;

    s->compared++;
    if (steps[0].status != ST_OK) {
        finding(s->check, FINDING_EXPECTED, 0, FOUND_REGISTER_MISSING, place_cpu(cpu),
                "RDMSR L3_QOS_EXT_CFG raised %s although SDCIAE is enumerated", status_text(steps[0].status));
        return;
    }
    if (io->stage >= IO_ALL && set != (io->stage == IO_ALL)) {
        evidence_msr(s->check, cpu, L3_QOS_EXT_CFG, steps[0].value, steps[0].tsc);
        finding(s->check, FINDING_EXPECTED, 0, FOUND_NOT_STORED, place_cpu(cpu),
                "SDCIAE_En was written %u on every processor, and L3_QOS_EXT_CFG reads 0x%lx", io->stage == IO_ALL,
                steps[0].value);
    }
    if (io->stage == IO_ONE && domain_same_core(s->check, cpu, io->writer[domain]))
        return;
    io->set[domain] += set;
    io->clear[domain] += !set;
}

/* Processors of one L3 agree: all read 1 or all read 0. */
static void judge_io_alike(struct check *c, struct io_sweep *io)
{
    for (uint32_t i = 0; i < c->machine->n_domains; i++) {
        if (io->stage < IO_ALL && io->set[i] && io->clear[i])
            finding(c, FINDING_EXPECTED, 0, FOUND_READS_DIFFER, place_domain(i),
                    "SDCIAE_En reads 1 on %u processors and 0 on %u, %s", io->set[i], io->clear[i],
                    io->stage == IO_FOUND ? "as found" : "after it was written 1 on one of another core");
        io->set[i] = io->clear[i] = 0;
    }
}

static enum status io_pass(struct check *c, struct io_sweep *io, bool write)
{
    TRY(sweep_run(&io->sweep, c, 1, write ? build_io_write : build_io_read, write ? judge_io_write : judge_io_read,
                  "L3_QOS_EXT_CFG", io));
    if (!write)
        evidence_swept(c, "SDCIAE_En compared within each L3", io->sweep.compared);
    return ST_OK;
}

static enum status io_stages(struct check *c, struct io_sweep *io)
{
    enum status st = ST_OK;

    for (uint32_t stage = IO_FOUND; stage <= IO_OFF && st == ST_OK; stage++) {
        io->stage = stage;
        if (stage != IO_FOUND)
            st = io_pass(c, io, true);
        if (st == ST_OK)
            st = io_pass(c, io, false);
        judge_io_alike(c, io);
    }
    return st;
}

static enum status check_io_alloc(struct check *c)
{
    uint32_t n = c->machine->n_domains + 1;
    struct io_sweep io = { .set = check_alloc(c, n * sizeof io.set[0]),
                           .clear = check_alloc(c, n * sizeof io.clear[0]),
                           .writer = check_alloc(c, n * sizeof io.writer[0]) };
    enum status st;

    if (!(reference_rdt(c)->qosx_ebx & CPUID_8000_0020_0_EBX_SDCIAE))
        return check_absent(c, "SDCIAE is not enumerated (CPUID Fn8000_0020_EBX_x0[6] = 0)");
    if (!io.set || !io.clear || !io.writer)
        return check_unmeasured(c, ST_NO_MEMORY, c->platform->bsp, "L3_QOS_EXT_CFG");
    TRY(alloc_record(c, L3_QOS_EXT_CFG));
    st = io_stages(c, &io);
    if (st == ST_OK && check_verdict(c) == VERDICT_PASS)
        return alloc_switch_walk(c, L3_QOS_EXT_CFG, L3_QOS_EXT_CFG_SDCIAE_EN);
    return status_first(st, alloc_put_back(c, L3_QOS_EXT_CFG));
}

static const struct check_row rows[] = {
    { .id = "amd.io-alloc",
      .title = "SDCIAE_En is stored, and the same on the processors of an L3",
      .spec = APM_SDCIAE,
      .covers = "AM-11 RS-11 XC-02",
      .detects = "an enable of I/O allocation that is not stored, or differs on one processor",
      .run = check_io_alloc },
};
CHECK_FAMILY(amd_io, rows, AMD_FAMILY("SDCIAE"), .order = 112, .needs = NEED_AMD_QOS, .risk = RISK_MSR,
             .grade = GRADE_W, .rests_on = RESTS_ON_REGISTERS);
