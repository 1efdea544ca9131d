/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/tables/smbios.h"

#include <string.h>

#include "arch/x86/tables/checksum.h"
#include "core/base/bits.h"
#include "core/base/hash.h"
#include "core/base/heap.h"
#include "core/base/text.h"

/* --- entry points, DSP0134 5.2 */

struct entry_2x {   /* 5.2.1 */
    char anchor[4]; /* "_SM_" */
    uint8_t checksum, length, major, minor;
    uint16_t max_structure_bytes;
    uint8_t revision, formatted_area[5];
    char intermediate_anchor[5]; /* "_DMI_" */
    uint8_t intermediate_checksum;
    uint16_t table_bytes;
    uint32_t table_address;
    uint16_t n_structures;
    uint8_t bcd_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct entry_2x) == 31, "DSP0134 5.2.1");
_Static_assert(offsetof(struct entry_2x, intermediate_anchor) == 0x10, "DSP0134 5.2.1");
_Static_assert(offsetof(struct entry_2x, table_address) == 0x18, "DSP0134 5.2.1");

struct entry_3x {   /* 5.2.2 */
    char anchor[5]; /* "_SM3_" */
    uint8_t checksum, length, major, minor, docrev, revision, reserved;
    uint32_t table_max_bytes;
    uint64_t table_address;
} __attribute__((packed));
_Static_assert(sizeof(struct entry_3x) == 24, "DSP0134 5.2.2");

#define ENTRY_2X_FORMER_LENGTH 0x1Eu /* what version 2.1 of the specification said by mistake */
#define ENTRY_2X_INTERMEDIATE  offsetof(struct entry_2x, intermediate_anchor)
#define READ_STEP              4096u

enum {
    TYPE_BIOS = 0,
    TYPE_SYSTEM = 1,
    TYPE_BASEBOARD = 2,
    TYPE_PROCESSOR = 4,
    TYPE_OEM_STRINGS = 11,
    TYPE_DIMM = 17,
    TYPE_END = 127
};

struct table {
    uint64_t address;
    uint32_t bytes;        /* at most so many                                   */
    uint32_t n_structures; /* UINT32_MAX: the end-of-table structure ends it    */
};

static enum status read_entry_3x(struct platform *p, struct smbios_info *info, struct table *t)
{
    struct entry_3x e;

    TRY(phys_read(p, p->smbios, &e, sizeof e));
    if (e.length != sizeof e || !bytes_add_up(&e, sizeof e))
        return ST_CORRUPT;
    info->major = e.major;
    info->minor = e.minor;
    *t = (struct table){ e.table_address, e.table_max_bytes, UINT32_MAX };
    return ST_OK;
}

static enum status read_entry_2x(struct platform *p, struct smbios_info *info, struct table *t)
{
    struct entry_2x e;

    TRY(phys_read(p, p->smbios, &e, sizeof e));
    if ((e.length != sizeof e && e.length != ENTRY_2X_FORMER_LENGTH) || !bytes_add_up(&e, e.length) ||
        memcmp(e.intermediate_anchor, "_DMI_", 5) != 0 ||
        !bytes_add_up((const uint8_t *)&e + ENTRY_2X_INTERMEDIATE, sizeof e - ENTRY_2X_INTERMEDIATE))
        return ST_CORRUPT;
    info->major = e.major;
    info->minor = e.minor;
    *t = (struct table){ e.table_address, e.table_bytes, e.n_structures };
    return ST_OK;
}

/* The table, or as much of it as can be read: a 3.x entry point gives a maximum only, which may reach beyond what is
 * mapped. *got is how much. NULL: no memory. */
static uint8_t *smbios_read_table(struct platform *p, const struct table *t, uint32_t *got)
{
    uint32_t want = t->bytes < SMBIOS_MAX_BYTES ? t->bytes : SMBIOS_MAX_BYTES;
    uint8_t *bytes = heap_alloc(want ? want : 1);

    *got = 0;
    while (bytes && *got < want) {
        uint64_t at = t->address + *got;
        uint32_t step = READ_STEP - (uint32_t)(at % READ_STEP); /* to the end of its page */

        if (step > want - *got)
            step = want - *got;
        if (at < t->address || phys_read(p, at, bytes + *got, step) != ST_OK)
            break;
        *got += step;
    }
    return bytes;
}

/* --- structures, 6.1 */

struct structure {
    const uint8_t *at; /* type, length, handle, fields */
    uint8_t type, length;
    const char *strings; /* one after the other, each ends with NUL; an empty one is the last */
};

struct cursor {
    const uint8_t *at, *end;
    uint32_t left; /* structures that the entry point still promises */
    bool corrupt;
};

/* false: the end, or corrupt. */
static bool next_structure(struct cursor *c, struct structure *s)
{
    size_t n = (size_t)(c->end - c->at), i;

    if (c->left == 0 || n == 0 || c->corrupt)
        return false;
    c->corrupt = true; /* until shown otherwise */
    if (n < 4 || c->at[1] < 4 || c->at[1] > n)
        return false;
    *s = (struct structure){ c->at, c->at[0], c->at[1], (const char *)c->at + c->at[1] };
    /* The strings end with two NULs, also where there are none. */
    for (i = s->length; i + 1 < n; i++) {
        if (c->at[i] == 0 && c->at[i + 1] == 0) {
            c->at += i + 2;
            c->left--;
            c->corrupt = false;
            return s->type != TYPE_END;
        }
    }
    return false;
}

static uint64_t field(const struct structure *s, uint32_t offset, uint32_t bytes)
{
    uint64_t value = 0;

    if (offset + bytes <= s->length)
        memcpy(&value, s->at + offset, bytes);
    return value;
}

/* String number `number` (from 1), made printable, blanks at its end dropped; what is longer than size ends in "...". "" where there is none.
 */
static void put_string(char *out, size_t size, const struct structure *s, uint32_t number)
{
    const char *text = s->strings;
    size_t n = 0;

    out[0] = '\0';
    if (number == 0)
        return;
    while (--number > 0 && *text != '\0')
        text += strlen(text) + 1;
    for (; text[n] != '\0' && n + 1 < size; n++)
        out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '.';
    for (size_t i = 0; text[n] != '\0' && i < 3 && i < n; i++)
        out[n - 1 - i] = '.';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

#define PUT_STRING(out, s, offset) put_string(out, sizeof(out), s, (uint32_t)field(s, offset, 1))

/* 7.2.1: the first three fields are little endian since 2.6; before, everybody wrote them as a byte string. */
static void put_uuid(struct smbios_info *info, const struct structure *s)
{
    static const uint8_t network[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
    bool since_2_6 = info->major > 2 || (info->major == 2 && info->minor >= 6);
    const uint8_t *order = since_2_6 ? little : network;
    const uint8_t *u = s->at + 8;
    uint32_t zeros = 0, ones = 0;
    size_t n = 0;

    if (s->length < 8 + 16)
        return;
    for (int i = 0; i < 16; i++) {
        zeros += u[i] == 0;
        ones += u[i] == 0xFF;
    }
    if (zeros == 16 || ones == 16) {
        text_format(info->system_uuid, sizeof info->system_uuid, zeros ? "Not Settable" : "Not Present");
        return;
    }
    for (int i = 0; i < 16; i++)
        n += text_format(info->system_uuid + n, sizeof info->system_uuid - n, "%s%02x",
                         i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[order[i]]);
}

/* 7.5 */
#define PROCESSOR_CENTRAL          3u
#define PROCESSOR_STATUS_POPULATED BIT(6)

/* A count of cores or threads: 8 bits, and where those say FFH, 16 bits elsewhere. */
static uint32_t count_of(const struct structure *s, uint32_t narrow, uint32_t wide)
{
    uint32_t n = (uint32_t)field(s, narrow, 1);

    return n == 0xFF && field(s, wide, 2) ? (uint32_t)field(s, wide, 2) : n;
}

static void read_processor(struct smbios_info *info, const struct structure *s)
{
    bool populated = field(s, 0x18, 1) & PROCESSOR_STATUS_POPULATED;
    uint32_t i = info->n_sockets;

    if (field(s, 5, 1) != PROCESSOR_CENTRAL)
        return;
    info->n_sockets++;
    info->n_sockets_populated += populated;
    if (i >= SMBIOS_SOCKETS)
        return;
    PUT_STRING(info->sockets[i].designation, s, 0x04);
    PUT_STRING(info->sockets[i].version, s, 0x10);
    info->sockets[i].populated = populated;
    info->sockets[i].cores = count_of(s, 0x23, 0x2A);
    info->sockets[i].threads = count_of(s, 0x25, 0x2E);
}

static void read_oem_strings(struct smbios_info *info, const struct structure *s)
{
    for (uint32_t i = 1; i <= field(s, 4, 1); i++, info->n_oem_strings++)
        if (info->n_oem_strings < SMBIOS_OEM_STRINGS)
            put_string(info->oem_strings[info->n_oem_strings], sizeof *info->oem_strings, s, i);
}

/* 7.18.5 */
#define DIMM_SIZE_UNKNOWN  0xFFFFu
#define DIMM_SIZE_EXTENDED 0x7FFFu
#define DIMM_SIZE_IS_KIB   BIT(15)

/* 7.18.2 Memory Device - Type; NULL: no module that sits on a channel. */
static const char *ddr_name(uint64_t memory_type)
{
    switch (memory_type) {
    case 0x12:
        return "DDR";
    case 0x13:
        return "DDR2";
    case 0x14:
        return "DDR2 FB-DIMM";
    case 0x18:
        return "DDR3";
    case 0x1A:
        return "DDR4";
    case 0x22:
        return "DDR5";
    default:
        return NULL;
    }
}

/* 7.18.4: 16 bits, and where those are all ones, 31 elsewhere. 0: unknown. */
static uint32_t speed_of(const struct structure *s, uint32_t narrow, uint32_t wide)
{
    uint32_t speed = (uint32_t)field(s, narrow, 2);

    return speed == 0xFFFF ? (uint32_t)(field(s, wide, 4) & BITS(30, 0)) : speed;
}

static void describe_dimm(struct smbios_dimm *d, const struct structure *s, uint64_t bytes)
{
    PUT_STRING(d->locator, s, 0x10);
    PUT_STRING(d->bank, s, 0x11);
    PUT_STRING(d->manufacturer, s, 0x17);
    PUT_STRING(d->serial_number, s, 0x18);
    PUT_STRING(d->part_number, s, 0x1A);
    d->bytes = bytes;
    d->type = ddr_name(field(s, 0x12, 1));
    d->mts = speed_of(s, 0x20, 0x58);
    if (d->mts == 0)
        d->mts = speed_of(s, 0x15, 0x54);
    d->ranks = (uint32_t)field(s, 0x1B, 1) & 0xF;
}

uint64_t smbios_group(const char *text)
{
    size_t n = strlen(text);
    uint64_t hash = HASH_EMPTY;

    while (n > 0 && text[n - 1] >= '0' && text[n - 1] <= '9')
        n--;
    for (size_t i = 0; i < n; i++)
        hash = hash_add(hash, (uint8_t)text[i]);
    return hash;
}

static struct smbios_slot *add_slot(struct smbios_info *info, const struct structure *s)
{
    char locator[SMBIOS_TEXT], bank[SMBIOS_TEXT];
    struct smbios_slot *slot;

    if (info->n_dimm_slots++ >= SMBIOS_DIMMS)
        return NULL;
    slot = &info->slots[info->n_dimm_slots - 1];
    PUT_STRING(locator, s, 0x10);
    PUT_STRING(bank, s, 0x11);
    *slot = (struct smbios_slot){ smbios_group(locator), smbios_group(bank), false };
    return slot;
}

static void read_dimm(struct smbios_info *info, const struct structure *s)
{
    uint64_t size = field(s, 0x0C, 2), bytes;
    struct smbios_slot *slot = add_slot(info, s);

    if (size == 0 || size == DIMM_SIZE_UNKNOWN)
        return;
    if (size == DIMM_SIZE_EXTENDED)
        bytes = (field(s, 0x1C, 4) & BITS(30, 0)) << 20;
    else if (size & DIMM_SIZE_IS_KIB)
        bytes = (size & ~DIMM_SIZE_IS_KIB) << 10;
    else
        bytes = size << 20;
    if (bytes == 0)
        return;
    if (info->n_dimms < SMBIOS_DIMMS)
        describe_dimm(&info->dimms[info->n_dimms], s, bytes);
    info->n_dimms++;
    info->dimm_bytes += bytes;
    if (!ddr_name(field(s, 0x12, 1)))
        return;
    if (info->n_ddr_dimms == 0 || bytes < info->ddr_least)
        info->ddr_least = bytes;
    if (bytes > info->ddr_most)
        info->ddr_most = bytes;
    info->n_ddr_dimms++;
    if (slot)
        slot->module = true;
}

static void read_structure(struct smbios_info *info, const struct structure *s, bool seen[3])
{
    if (s->type < 3) { /* of several, the first describes the machine; a later one a part of it */
        if (seen[s->type])
            return;
        seen[s->type] = true;
    }
    switch (s->type) {
    case TYPE_BIOS:
        PUT_STRING(info->bios_vendor, s, 0x04);
        PUT_STRING(info->bios_version, s, 0x05);
        PUT_STRING(info->bios_release_date, s, 0x08);
        break;
    case TYPE_SYSTEM:
        PUT_STRING(info->system_manufacturer, s, 0x04);
        PUT_STRING(info->system_product_name, s, 0x05);
        PUT_STRING(info->system_version, s, 0x06);
        PUT_STRING(info->system_serial_number, s, 0x07);
        put_uuid(info, s);
        break;
    case TYPE_BASEBOARD:
        PUT_STRING(info->baseboard_manufacturer, s, 0x04);
        PUT_STRING(info->baseboard_product_name, s, 0x05);
        PUT_STRING(info->baseboard_version, s, 0x06);
        PUT_STRING(info->baseboard_serial_number, s, 0x07);
        break;
    case TYPE_PROCESSOR:
        read_processor(info, s);
        break;
    case TYPE_OEM_STRINGS:
        read_oem_strings(info, s);
        break;
    case TYPE_DIMM:
        read_dimm(info, s);
        break;
    default:
        break;
    }
}

static enum status read_structures(struct platform *p, struct smbios_info *info, const struct table *t)
{
    uint32_t got;
    uint8_t *bytes = smbios_read_table(p, t, &got);
    bool seen[3] = { false };
    struct structure s;
    enum status st = ST_OK;

    if (!bytes)
        return ST_NO_MEMORY;
    struct cursor c = { bytes, bytes + got, t->n_structures, false };
    while (next_structure(&c, &s))
        read_structure(info, &s, seen);
    if (got == 0 && t->bytes > 0)
        st = ST_PAGE_FAULT;
    else if (c.corrupt)
        st = ST_CORRUPT;
    heap_free(bytes);
    return st;
}

static enum status find_table(struct platform *p, struct smbios_info *info, struct table *t)
{
    char anchor[5];

    if (p->smbios == 0)
        return ST_ABSENT;
    TRY(phys_read(p, p->smbios, anchor, sizeof anchor));
    if (memcmp(anchor, "_SM3_", 5) == 0)
        return read_entry_3x(p, info, t);
    return memcmp(anchor, "_SM_", 4) == 0 ? read_entry_2x(p, info, t) : ST_CORRUPT;
}

void smbios_read(struct platform *p, struct smbios_info *info)
{
    struct table t = { 0 };

    memset(info, 0, sizeof *info);
    info->status = find_table(p, info, &t);
    if (info->status == ST_OK)
        info->status = read_structures(p, info, &t);
}

uint8_t *smbios_structures(struct platform *p, uint32_t *bytes)
{
    struct smbios_info info = { 0 };
    struct table t = { 0 };
    struct structure s;
    uint32_t got;
    uint8_t *at;

    *bytes = 0;
    at = find_table(p, &info, &t) == ST_OK ? smbios_read_table(p, &t, &got) : NULL;
    if (!at)
        return NULL;
    struct cursor c = { at, at + got, t.n_structures, false };
    while (next_structure(&c, &s))
        *bytes = (uint32_t)(c.at - at);
    return at;
}
