/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/record/record_internal.h: what the files of the recorder share. */
#pragma once
#include "core/encoding/digest.h"
#include "core/record/record.h"

struct recorder {
    const struct record_source *source;
    struct record_text *out;
    size_t capacity;
    enum status status; /* ST_NO_MEMORY: the rest is not kept */
    bool cut;
    struct sha256 key; /* of what names this machine; more is added for each digest */
};

/* record_text.c. A line; the end of line is put after it. */
void record_line(struct recorder *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Lines of 32 bytes. */
void record_bytes(struct recorder *r, uint32_t offset, const uint8_t *bytes, uint32_t n);
/* 16 digits for `bytes`, which name one machine; its own where all is asked for and it is text. */
void record_digest(const struct recorder *r, const void *bytes, size_t n, char out[17]);

void record_cpuid(struct recorder *r); /* record_cpuid.c */
/* record_registers.c. All of a box that it has: of those of 0 bytes there is none. Returns how many. */
#define RECORD_REGISTERS (2 * PMON_MOST_COUNTERS + 8)
uint32_t record_box_registers(const struct pmon_unit *u, struct pmon_reg regs[RECORD_REGISTERS]);
void record_registers(struct recorder *r); /* record_registers.c */
void record_firmware(struct recorder *r);  /* record_firmware.c: tables, SMBIOS, firmware's processors */
void record_functions(struct recorder *r); /* record_functions.c: PCI, discovery tables */
