/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/recorded/recording.h: what was recorded of a machine that exists. docs/recording.md describes the form.
 *
 * A register, byte or function that the file does not have is unknown, and unlike one that reads zero: lookups say which of
 * the two it is. Everything is decoded once, and constant after that.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model/pool.h"

#define RECORDED_ALL   UINT32_MAX /* a register of every processor that has no line of its own */
#define RECORDED_NODES 4096u      /* no NUMA node is as high                                   */

struct recorded_leaf {
    uint32_t leaf, subleaf, regs[4]; /* EAX, EBX, ECX, EDX */
};
struct recorded_cpu {
    uint32_t number; /* the operating system's or firmware's */
    bool has_id;     /* its line says its x2APIC id          */
    uint32_t id;
    uint32_t n_leaves;
    struct recorded_leaf *leaves;
};
struct recorded_msr {
    uint32_t cpu, number; /* cpu: index, or RECORDED_ALL */
    bool fault;           /* it raised #GP               */
    uint64_t value;
};
struct recorded_bytes { /* bytes at `base` and after it, known where known[i] is not 0 */
    uint64_t base;
    uint32_t n;
    uint8_t *at, *known;
};
struct recorded_table { /* of ACPI; base: where it was, 0: not recorded */
    char signature[5];
    struct recorded_bytes bytes;
};
struct recorded_structure { /* of SMBIOS: the formatted area with its header, and its strings, each ended by a 0 */
    uint8_t type;
    uint16_t handle;
    uint32_t n, text_bytes;
    uint8_t *at;
    char *text;
};
struct recorded_function {
    uint16_t segment, vendor, class_code; /* class and subclass */
    uint8_t bus, device, function;
    bool did_known, is_bridge;
    uint16_t did;
    uint8_t secondary, subordinate; /* of a bridge                             */
    int32_t revision, node;         /* -1: not recorded                        */
    char driver[32];                /* in use when it was recorded; "": none, or not recorded */
    struct recorded_bytes config;   /* base 0; n 0: none of it was recorded    */
};
struct
    recorded_bus { /* every function that answered there is among the functions; bus UINT32_MAX: on all of the segment */
    uint32_t segment, bus;
};
struct recorded_memory { /* a range of firmware's memory map; type: as UEFI 2.10, 7.2.3, or E820 number */
    uint64_t base, bytes;
    uint32_t type;
};
struct recorded_processor { /* of firmware's processor services */
    uint32_t apic_id, flags;
};

struct recording {
    struct pool pool; /* this, and all that it points to */
    char name[64], source[256], made_by[128];
    char smbios_version[8]; /* "3.2"; "": no SMBIOS was recorded */
    uint64_t tsc_hz;        /* 0: not recorded                   */
    uint32_t n_cpus, n_msrs, n_tables, n_structures, n_functions, n_regions, n_memory, n_processors, n_buses;
    struct recorded_cpu *cpus;
    struct recorded_msr *msrs;
    struct recorded_table *tables;
    struct recorded_structure *structures;
    struct recorded_function *functions;
    struct recorded_bytes *regions; /* memory-mapped registers, discovery tables */
    struct recorded_memory *memory;
    struct recorded_processor *processors;
    struct recorded_bus *buses;
};

/* NULL: it cannot be read or is malformed; error says "line 12: ..." then, and is untouched otherwise. Free it with
 * recording_free(). `text` need not end with a 0. */
struct recording *recording_parse(const char *text, size_t bytes, char *error, size_t error_size);
struct recording *recording_open(const char *path, char *error, size_t error_size);
void recording_free(struct recording *r);

/* NULL: unknown. cpu: index into r->cpus. */
const struct recorded_leaf *recording_leaf(const struct recording *r, uint32_t cpu, uint32_t leaf, uint32_t subleaf);
const struct recorded_msr *recording_msr(const struct recording *r, uint32_t cpu, uint32_t number);
const struct recorded_table *recording_table(const struct recording *r, const char *signature);
const struct recorded_function *recording_function(const struct recording *r, uint32_t segment, uint32_t bus,
                                                   uint32_t device, uint32_t function);
/* Whether a function of that bus which is not there did not answer; else it is unknown. */
bool recording_bus_is_complete(const struct recording *r, uint32_t segment, uint32_t bus);
/* The proximity domain that the recorded SRAT has of a processor; false: none. ACPI 6.5, 5.2.16.1, 5.2.16.3. */
bool recording_affinity(const struct recording *r, uint32_t apic_id, uint32_t *proximity);
#define SRAT_ENTRIES 48u /* bytes before the first: ACPI 6.5, 5.2.16 */
/* The next entry of a recorded SRAT after that at `at`, or the first for 0; 0: there is no more. */
uint64_t recorded_srat_next(const struct recorded_table *srat, uint64_t at);
/* A number in a table; unknown bytes are 0. */
uint64_t recorded_number(const struct recorded_table *t, uint64_t offset, uint32_t bytes);
/* The bytes as firmware would have them: unknown ones are 0, and an unknown checksum (offset 9) is one that fits. To be
 * freed; NULL: no memory. */
uint8_t *recording_table_image(const struct recorded_table *t);
/* All structures one after the other, with an end of table where none was recorded. *bytes: how many. To be freed; NULL:
 * no SMBIOS was recorded, or no memory. */
uint8_t *recording_smbios_image(const struct recording *r, size_t *bytes);
/* `bytes` of them at `offset`, little endian, at most 8. false: one of them is unknown. */
bool recorded_value(const struct recorded_bytes *b, uint64_t offset, uint32_t bytes, uint64_t *value);
