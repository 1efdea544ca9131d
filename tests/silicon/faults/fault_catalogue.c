/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/faults/fault_catalogue.c: the catalogue of defects, and which machine can have which. See fault.h. */
#include "tests/silicon/profiles/profile_capability.h"
#include "core/base/search.h"
#include "tests/silicon/faults/fault.h"
#include "tests/silicon/model/model_state.h"
#include "tests/silicon/model/refusal.h"
#include "tests/silicon/profiles/profile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL UINT64_MAX
/* Why a fault is of the host model alone: what the guest of a QEMU has from elsewhere, or lacks. */
#define TABLES_OF_QEMU     "the ACPI tables of a guest in QEMU are QEMU's"
#define SERVICES_OF_QEMU   "the MP services of a guest in QEMU are its firmware's (tests/silicon/firmware breaks those)"
#define PROCESSORS_OF_QEMU "the processors of a guest in QEMU answer as QEMU has them answer"
#define COUNTERS_OF_QEMU   "a guest in QEMU is shown no counters of the cores (CPUID leaf 0AH)"
#define MWAIT_OF_QEMU      "QEMU carries out MWAIT as PAUSE and the shim does not see it"
#define NODES_OF_QEMU      "a node without processors is of the host model alone"

#define LONGEST_NAME 48
static char names[FAULTS][LONGEST_NAME];

#define FAULT(id, what, found_by, ...) [id] = { .name = names[id], .stands_for = what, .rows = found_by, __VA_ARGS__ },
static const struct model_fault faults[FAULTS] = {
#include "tests/silicon/faults/all.h"
};
#undef FAULT

#define FAULT(id, ...) _Static_assert(sizeof #id - sizeof "FAULT_" < LONGEST_NAME, #id);
#include "tests/silicon/faults/all.h"
#undef FAULT

#define FAULT(id, ...) #id,
/* FAULT_MBM_HALF is "mbm-half". */
__attribute__((constructor)) static void name_faults(void)
{
    static const char *const ids[FAULTS] = {
#include "tests/silicon/faults/all.h"
    };

    for (uint32_t i = 0; i < FAULTS; i++)
        for (size_t k = 0, skip = strlen("FAULT_"); ids[i][skip + k]; k++)
            names[i][k] = ids[i][skip + k] == '_' ? '-' : (char)tolower(ids[i][skip + k]);
}
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
    return first_of(fault->needs, part, false) == CAP_NONE && first_of(fault->absent, part, true) == CAP_NONE &&
           fault->packages <= profile_packages(part, fault->packages);
}

/* Where no document says what units count, no check finds a defect of them. */
static bool counts_something(const struct model_fault *fault, const struct profile *part)
{
    if (part->uncore && part->uncore->events_unpublished)
        for (uint32_t i = 0; i < MODEL_FAULT_NEEDS; i++)
            if (capability_of_uncore(fault->needs[i]) || capability_of_uncore(fault->tried_with[i]))
                return false;
    return true;
}

bool fault_is_tried(const struct model_fault *fault, const struct profile *part)
{
    return fault_fits(fault, part) && first_of(fault->tried_with, part, false) == CAP_NONE &&
           counts_something(fault, part);
}

bool fault_is_of_uncore(const struct model_fault *fault)
{
    return ANY_OF(i, MODEL_FAULT_NEEDS, capability_of_uncore(fault->needs[i]));
}

/* --- from a name to a fault */

static const char *fault_name(uint32_t number)
{
    return faults[number].name;
}

static bool refuse_fault(char *error, size_t size, const char *text)
{
    char name[LONGEST_NAME];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return refusal_of_name(error, size, "fault", name, fault_name, FAULTS);
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
            return refusal_say(error, size, "fault %s needs %u %s at least: this machine has %u", f->name,
                               sizes[i].needs, sizes[i].what, sizes[i].has);
    return true;
}

static bool is_possible(const struct model_fault *f, const struct fault_machine *machine, char *error, size_t size)
{
    enum capability missing = first_of(f->needs, machine->profile, false);
    enum capability present = first_of(f->absent, machine->profile, true);

    if (missing != CAP_NONE)
        return refusal_say(error, size, "fault %s cannot act on profile %s, which has no %s", f->name,
                           machine->profile->name, capability_text(missing));
    if (present != CAP_NONE)
        return refusal_say(error, size, "fault %s cannot act on profile %s, which has %s", f->name,
                           machine->profile->name, capability_text(present));
    if (machine->qemu && f->host_only && !(machine->counters && !strcmp(f->host_only, COUNTERS_OF_QEMU)))
        return refusal_say(error, size, "fault %s acts on the host model alone (build/host/matrix faults): %s", f->name,
                           f->host_only);
    return is_large_enough(f, machine, error, size);
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

/* The number of the row; FAULTS: none. */
static uint32_t find(const char *text, size_t length)
{
    uint32_t id = 0;

    while (id < FAULTS && !is_named(faults[id].name, text, length) && !is_named(faults[id].also, text, length))
        id++;
    return id;
}

const struct model_fault *model_fault_named(const char *name)
{
    uint32_t id = find(name, strlen(name));

    return id < FAULTS ? &faults[id] : NULL;
}

/* --- numbers after a name */

/* Of this machine. */
static int64_t most_of(int64_t most, const struct fault_machine *machine)
{
    const struct profile *p = machine->profile;

    switch (most) {
    case MODEL_MOST_RMID:
        return profile_cpuid(p, 0xF, 1, 2);
    case MODEL_MOST_CLASS:
        return profile_cpuid(p, 0x10, 1, 3) & 0xFFFF;
    case MODEL_MOST_CORE:
        return machine->cores - 1;
    case MODEL_MOST_WAYS:
        return profile_cpuid(p, 0x10, 1, 0) & 0x1F;
    default:
        return most;
    }
}

static bool take_number(const char *text, size_t length, int64_t least, uint64_t *value)
{
    char number[24], *end;

    if (length == 0 || length >= sizeof number || (text[0] == '-' && least >= 0))
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    errno = 0;
    *value = number[0] == '-' ? (uint64_t)strtoll(number, &end, 0) : strtoull(number, &end, 0);
    return end != number && !*end && !errno;
}

/* Of a unit: "percent of ..." or "RMID". */
static bool take_value(const char *name, const char *unit, struct model_fault_range range,
                       const struct fault_machine *machine, const char *text, size_t length, uint64_t *value,
                       char *error, size_t size)
{
    int64_t most = most_of(range.most, machine);

    if (!take_number(text, length, range.least, value))
        return refusal_say(error, size, "fault %s: '%.*s' is no number (%s)", name, (int)length, text, unit);
    if (range.most && ((int64_t)*value < range.least || (int64_t)*value > most))
        return refusal_say(error, size, "fault %s: %.*s is out of range: %" PRId64 " to %" PRId64 " (%s)", name,
                           (int)length, text, range.least, most, unit);
    return true;
}

/* Where the text continues after the number and its ":"; at its end: the end. */
static const char *after(const char *text, size_t length)
{
    return text + length + (text[length] == ':');
}

static bool take_numbers(struct fault_set *set, uint32_t id, const struct fault_machine *machine, const char *text,
                         char *error, size_t size)
{
    const struct model_fault *f = &faults[id];
    size_t length = strcspn(text, ":");

    if (f->place && *text) {
        if (!take_value(f->name, f->place, f->place_range, machine, text, length, &set->place[id], error, size))
            return false;
        text = after(text, length);
        length = strcspn(text, ":");
    }
    if (!*text)
        return true;
    if (text[length])
        return refusal_say(error, size, "fault %s: there is nothing to be set by '%s'", f->name, text + length);
    return take_value(f->name, f->parameter, f->range, machine, text, length, &set->value[id], error, size);
}

bool fault_parse(struct fault_set *set, const struct fault_machine *machine, const char *text, char *error,
                 size_t error_size)
{
    size_t length = strcspn(text, ":");
    uint32_t id = find(text, length);

    if (id == FAULTS)
        return refuse_fault(error, error_size, text);
    if (!is_possible(&faults[id], machine, error, error_size))
        return false;
    set->value[id] = faults[id].value;
    set->place[id] = faults[id].place_value;
    if (text[length] && !faults[id].parameter)
        return refusal_say(error, error_size, "fault %s takes no value: '%s'", faults[id].name, text);
    if (text[length] && !text[length + 1])
        return refusal_say(error, error_size, "fault %s: '' is no number (%s)", faults[id].name, faults[id].parameter);
    if (text[length] && !take_numbers(set, id, machine, text + length + 1, error, error_size))
        return false;
    set->on[id] = true;
    set->act_on_traffic |= faults[id].acts_on_traffic;
    return true;
}

/* --- a list of faults */

static const char *most_text(int64_t most, char *out, size_t size)
{
    static const char *const words[] = { "", "the highest RMID", "the highest class", "the last core",
                                         "all ways but one" };

    if (most < 0)
        return words[-most];
    snprintf(out, size, "%" PRId64, most);
    return out;
}

static size_t number_text(const char *unit, struct model_fault_range range, uint64_t value, char *out, size_t size)
{
    char most[24], without[24];

    snprintf(without, sizeof without, "%" PRId64, (int64_t)value);
    if (!range.most)
        return (size_t)snprintf(out, size, "%s (%s)", unit, value == ALL ? "all, or the last one" : without);
    return (size_t)snprintf(out, size, "%s, %" PRId64 " to %s (%s)", unit, range.least,
                            most_text(range.most, most, sizeof most), value == ALL ? "all" : without);
}

size_t model_fault_numbers(const struct model_fault *fault, char *out, size_t size)
{
    char place[96] = "", number[96] = "";

    if (fault->place)
        number_text(fault->place, fault->place_range, fault->place_value, place, sizeof place);
    if (fault->parameter)
        number_text(fault->parameter, fault->range, fault->value, number, sizeof number);
    return (size_t)snprintf(out, size, "%s%s%s", place, place[0] ? " : " : "", number);
}
