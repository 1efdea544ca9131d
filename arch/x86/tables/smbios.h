/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* arch/x86/tables/smbios.h: who the machine is. Source: DMTF DSP0134 System Management BIOS 3.6 (entry points 5.2, types 0, 1,
 * 2, 4, 11, 17). Strings come from firmware: they are copied, cut, and made printable ASCII. */
#pragma once
#include "core/platform/platform.h"

#define SMBIOS_TEXT        64
#define SMBIOS_SOCKETS     8u /* described one by one; all are counted */
#define SMBIOS_DIMMS       128u
#define SMBIOS_DIMM_TEXT   32
#define SMBIOS_OEM_STRINGS 8u

struct smbios_info {
    enum status status; /* ST_ABSENT: no entry point. ST_CORRUPT: what was read before the damage stands.
                            ST_NO_MEMORY, ST_PAGE_FAULT: nothing was read */
    uint8_t major, minor;
    /* dmidecode's names in comments */
    char bios_vendor[SMBIOS_TEXT];          /* bios-vendor            */
    char bios_version[SMBIOS_TEXT];         /* bios-version           */
    char bios_release_date[SMBIOS_TEXT];    /* bios-release-date      */
    char system_manufacturer[SMBIOS_TEXT];  /* system-manufacturer    */
    char system_product_name[SMBIOS_TEXT];  /* system-product-name    */
    char system_version[SMBIOS_TEXT];       /* system-version         */
    char system_serial_number[SMBIOS_TEXT]; /* system-serial-number   */
    char system_uuid[37];                   /* system-uuid            */
    char baseboard_manufacturer[SMBIOS_TEXT];
    char baseboard_product_name[SMBIOS_TEXT];
    char baseboard_version[SMBIOS_TEXT];
    char baseboard_serial_number[SMBIOS_TEXT];
    uint32_t n_sockets;           /* type 4 structures of type "Central Processor" */
    uint32_t n_sockets_populated; /* status bit 6                                  */
    struct smbios_socket {
        char designation[SMBIOS_TEXT]; /* Socket Designation */
        char version[SMBIOS_TEXT];     /* processor-version  */
        bool populated;
        uint32_t cores, threads;
    } sockets[SMBIOS_SOCKETS];
    uint32_t n_oem_strings;
    char oem_strings[SMBIOS_OEM_STRINGS][128]; /* type 11 */
    uint32_t n_dimms;                          /* type 17 with a size  */
    uint64_t dimm_bytes;                       /* sum of type 17 sizes */
    uint32_t n_ddr_dimms;         /* of these, such as say that they are DDR to DDR5: modules that sit on a channel */
    uint64_t ddr_least, ddr_most; /* bytes of the smallest and the largest of them */
    uint32_t n_dimm_slots;        /* type 17, with and without a size */
    struct smbios_slot {
        uint64_t locator, bank; /* smbios_group() of Device Locator and Bank Locator */
        bool module;            /* one of n_ddr_dimms is in it                       */
    } slots[SMBIOS_DIMMS];
    struct smbios_dimm {
        char locator[SMBIOS_DIMM_TEXT], bank[SMBIOS_DIMM_TEXT]; /* Device Locator, Bank Locator */
        char manufacturer[SMBIOS_DIMM_TEXT], serial_number[SMBIOS_DIMM_TEXT], part_number[SMBIOS_DIMM_TEXT];
        uint64_t bytes;
        const char *type;  /* "DDR4"; NULL: another kind                      */
        uint32_t mts;      /* MT/s as configured, else as rated; 0: not said  */
        uint32_t ranks;    /* 0: not said                                     */
    } dimms[SMBIOS_DIMMS]; /* of those with a size                           */
};

/* More than this is not read, whatever the entry point says. */
#define SMBIOS_MAX_BYTES (1u << 20)

/* From p->smbios: a 3.x (64-bit) or 2.x (32-bit) entry point. A field that the structure is too short for, or whose
 * string is not there, is "". Reads through phys_read() only. info is zeroed first; info->status says how far it came.
 */
void smbios_read(struct platform *p, struct smbios_info *info);
/* A hash of a text without the digits at its end: the same for "P1-DIMMA1" and "P1-DIMMA2". */
uint64_t smbios_group(const char *text);
/* The structures as they stand there, whole ones up to the end or to the damage; *bytes of them. NULL: none can be read, or
 * no memory. Give it back with heap_free(). */
uint8_t *smbios_structures(struct platform *p, uint32_t *bytes);
