/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/check/evidence.c: raw registers, as they were read and written (check.h). */
#include "core/check/check.h"
#include "core/check/check_log.h"
#include "core/machine/register_name.h"

/* NULL: this one is kept for later, or counted only. */
static struct json *evidence(struct check *c, const char *kind, struct check_log_entry entry)
{
    struct json *j;

    if (check_log_takes(c->state->log, entry) || ++c->state->record.n_evidence > EVIDENCE_LISTED)
        return NULL;
    j = report_extension(c->report, "assay.evidence");
    json_text(j, "kind", kind);
    return j;
}

static void put_cpu(struct json *j, const struct check *c, uint32_t cpu)
{
    json_unsigned(j, "cpu", cpu);
    if (c->platform && cpu < c->platform->n_cpus)
        json_hex(j, "apicId", c->platform->cpus[cpu].apic_id, 1);
}

static void put_msr(struct json *j, const struct check *c, uint32_t cpu, uint32_t msr, uint64_t value, uint64_t tsc)
{
    char words[MACHINE_REGISTER_NAME];
    const char *name = machine_register_name(c->machine, msr, words);

    put_cpu(j, c, cpu);
    if (name)
        json_text(j, "register", name);
    json_hex(j, "address", msr, 1);
    json_hex(j, "value", value, 16);
    if (tsc != 0)
        json_hex(j, "tsc", tsc, 16);
}

void evidence_msr(struct check *c, uint32_t cpu, uint32_t msr, uint64_t value, uint64_t tsc)
{
    struct json *j =
        evidence(c, "rdmsr", (struct check_log_entry){ .kind = LOG_RDMSR, .number = { cpu, msr, value, tsc } });

    put_msr(j, c, cpu, msr, value, tsc);
    report_artifact_end(c->report);
}

void evidence_wrmsr(struct check *c, uint32_t cpu, uint32_t msr, uint64_t value, enum status outcome, uint64_t tsc)
{
    struct json *j = evidence(
        c, "wrmsr", (struct check_log_entry){ .kind = LOG_WRMSR, .number = { cpu, msr, value, outcome, tsc } });

    put_msr(j, c, cpu, msr, value, tsc);
    json_text(j, "outcome", status_text(outcome));
    report_artifact_end(c->report);
}

void evidence_cpuid(struct check *c, uint32_t cpu, uint32_t leaf, uint32_t subleaf, const struct cpuid_regs *regs)
{
    struct json *j = evidence(
        c, "cpuid", (struct check_log_entry){ .kind = LOG_CPUID, .number = { cpu, leaf, subleaf }, .regs = *regs });

    put_cpu(j, c, cpu);
    json_hex(j, "leaf", leaf, 8);
    json_hex(j, "subleaf", subleaf, 1);
    json_hex(j, "eax", regs->eax, 8);
    json_hex(j, "ebx", regs->ebx, 8);
    json_hex(j, "ecx", regs->ecx, 8);
    json_hex(j, "edx", regs->edx, 8);
    report_artifact_end(c->report);
}

void evidence_register(struct check *c, const char *kind, const char *where, uint64_t address, uint64_t value)
{
    struct json *j = evidence(
        c, kind,
        (struct check_log_entry){ .kind = LOG_REGISTER, .number = { address, value }, .text = { kind, where } });

    json_text(j, "where", where);
    json_hex(j, "address", address, 1);
    json_hex(j, "value", value, 16);
    report_artifact_end(c->report);
}

void evidence_swept(struct check *c, const char *what, uint64_t count)
{
    struct json *j =
        evidence(c, "swept", (struct check_log_entry){ .kind = LOG_SWEPT, .number = { count }, .text = { what } });

    json_text(j, "what", what);
    json_unsigned(j, "comparisons", count);
    report_artifact_end(c->report);
}
