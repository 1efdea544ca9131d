/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/faults/fault_catalogue.c: the catalogue of defects, and which machine can have which. See fault.h. */
#include "tests/silicon/profiles/profile_capability.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/model/nearest.h"
#include "tests/silicon/profiles/profile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL UINT64_MAX
/* Why a fault is of the host model alone: what the guest of a QEMU has from elsewhere, or has not got. */
#define TABLES_OF_QEMU     "the ACPI tables of a guest in QEMU are QEMU's"
#define SERVICES_OF_QEMU   "the MP services of a guest in QEMU are its firmware's (tests/silicon/firmware breaks those)"
#define PROCESSORS_OF_QEMU "the processors of a guest in QEMU answer as QEMU has them answer"
#define COUNTERS_OF_QEMU   "a guest in QEMU is shown no counters of the cores (CPUID leaf 0AH)"

#define FAULT(id, ...) [id] = { __VA_ARGS__ },
static const struct model_fault faults[FAULTS] = {
#include "tests/silicon/faults/all.h"
};
#undef FAULT

const struct model_fault *model_faults(uint32_t *n)
{
    *n = FAULTS;
    return faults;
}

/* --- which parts can have it */

/* The first of them that the part has (or has not); CAP_NONE: none. */
static enum capability first_of(const enum capability list[MODEL_FAULT_NEEDS], const struct profile *p, bool has)
{
    for (uint32_t i = 0; i < MODEL_FAULT_NEEDS && list[i] != CAP_NONE; i++)
        if (profile_has(p, list[i]) == has)
            return list[i];
    return CAP_NONE;
}

bool fault_fits(const struct model_fault *fault, const struct profile *part)
{
    return first_of(fault->needs, part, false) == CAP_NONE && first_of(fault->absent, part, true) == CAP_NONE;
}

bool fault_is_tried(const struct model_fault *fault, const struct profile *part)
{
    return fault_fits(fault, part) && first_of(fault->tried_with, part, false) == CAP_NONE;
}

/* --- from a name to a fault */

static bool refuse(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(char *error, size_t size, const char *format, ...)
{
    va_list args;

    if (error && size) {
        va_start(args, format);
        vsnprintf(error, size, format, args);
        va_end(args);
    }
    return false;
}

static const char *fault_name(uint32_t number)
{
    return faults[number].name;
}

static bool refuse_name(char *error, size_t size, const char *text)
{
    char name[48];

    if (!error || size == 0)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    refuse(error, size, "there is no fault '%s' (docs/faults.md has all of them); the nearest are ", name);
    nearest_names(name, fault_name, FAULTS, error, size);
    return false;
}

static bool is_large_enough(const struct model_fault *f, const struct fault_machine *machine, char *error, size_t size)
{
    const struct {
        uint32_t needs, has;
        const char *what;
    } sizes[] = {
        { f->packages, machine->packages, "packages" },
        { f->clusters, machine->clusters, "clusters (NUMA nodes) a package" },
        { f->cores, machine->cores, "cores" },
        { f->threads, machine->threads, "threads a core" },
        { f->cpus, machine->cores * machine->threads, "processors" },
    };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].has < sizes[i].needs)
            return refuse(error, size, "fault %s needs %u %s at least: this machine has %u", f->name, sizes[i].needs,
                          sizes[i].what, sizes[i].has);
    return true;
}

static bool is_possible(const struct model_fault *f, const struct fault_machine *machine, char *error, size_t size)
{
    enum capability missing = first_of(f->needs, machine->profile, false);
    enum capability present = first_of(f->absent, machine->profile, true);

    if (missing != CAP_NONE)
        return refuse(error, size, "fault %s cannot act on profile %s, which has no %s", f->name,
                      machine->profile->name, capability_text(missing));
    if (present != CAP_NONE)
        return refuse(error, size, "fault %s cannot act on profile %s, which has %s", f->name, machine->profile->name,
                      capability_text(present));
    if (machine->qemu && f->host_only)
        return refuse(error, size, "fault %s acts on the host model alone (build/host/fault-matrix): %s", f->name,
                      f->host_only);
    return is_large_enough(f, machine, error, size);
}

/* The number of the row; FAULTS: none. */
static uint32_t find(const char *text, size_t length)
{
    uint32_t id = 0;

    while (id < FAULTS && (strlen(faults[id].name) != length || memcmp(faults[id].name, text, length) != 0))
        id++;
    return id;
}

bool fault_parse(struct fault_set *set, const struct fault_machine *machine, const char *text, char *error,
                 size_t error_size)
{
    size_t length = strcspn(text, ":");
    uint32_t id = find(text, length);

    if (id == FAULTS)
        return refuse_name(error, error_size, text);
    if (!is_possible(&faults[id], machine, error, error_size))
        return false;
    set->value[id] = faults[id].value;
    if (text[length] == ':') {
        char *end;

        if (!faults[id].parameter)
            return refuse(error, error_size, "fault %s takes no value: '%s'", faults[id].name, text);
        errno = 0;
        set->value[id] = strtoull(text + length + 1, &end, 0);
        if (end == text + length + 1 || *end || errno)
            return refuse(error, error_size, "fault %s: '%s' is no number (%s)", faults[id].name, text + length + 1,
                          faults[id].parameter);
    }
    set->on[id] = true;
    set->act_on_traffic |= faults[id].acts_on_traffic;
    return true;
}
