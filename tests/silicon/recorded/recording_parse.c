/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/recorded/recording_parse.c: the lines of a recording. Each keyword has a function that takes its fields; a
 * line that begins with a blank has bytes of what the last line with a keyword began. */
#include "tests/silicon/recorded/recording.h"
#include "core/base/bits.h"
#include "core/base/search.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS     264u /* a structure of SMBIOS has 255 strings at most */
#define LINE_MOST  16384u
#define BYTES_MOST (1u << 20) /* of one table, function or region */
#define ROWS_MOST  (1u << 20)

struct parse {
    struct recording *r;
    char *fields[FIELDS];
    bool quoted[FIELDS];
    uint32_t n;
    char bytes_of;         /* 't', 'p', 'r': the last table, function or region; 0: bytes belong to nothing */
    uint64_t table_length; /* as its line has it; 0: it has none */
    char error[200];       /* "": none so far */
};

static bool bad(struct parse *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(p->error, sizeof p->error, format, args);
    va_end(args);
    return false;
}

/* Room for one more row of `size` bytes, zeroed; NULL: too many. Rows are counted by *n. */
static void *one_more(struct parse *p, void **rows, uint32_t *n, size_t size)
{
    if (*n == ROWS_MOST) {
        bad(p, "more lines than there is room for");
        return NULL;
    }
    if ((*n & (*n - 1)) == 0) /* 0 and powers of 2 */
        *rows = pool_grown(&p->r->pool, *rows, *n * size, size * (*n ? 2 * (size_t)*n : 1));
    return memset((char *)*rows + size * (*n)++, 0, size);
}
#define ONE_MORE(p, rows, n) one_more(p, (void **)&(rows), &(n), sizeof *(rows))

static bool number(struct parse *p, const char *text, int base, uint64_t most, uint64_t *value)
{
    char *end;

    *value = 0;
    if (!isxdigit((unsigned char)text[0]))
        return bad(p, "\"%.40s\" is no number", text);
    *value = strtoull(text, &end, base);
    if (*end || *value > most || strlen(text) > 20)
        return bad(p, "\"%.40s\" is no number up to %llx", text, (unsigned long long)most);
    return true;
}

static bool hex(struct parse *p, uint32_t field, uint64_t most, uint64_t *value)
{
    *value = 0;
    if (field >= p->n)
        return bad(p, "field %u is missing", field + 1);
    return number(p, p->fields[field], 16, most, value);
}

/* --- processors */

static struct recorded_cpu *last_cpu(struct parse *p)
{
    return p->r->n_cpus ? &p->r->cpus[p->r->n_cpus - 1] : NULL;
}

static struct recorded_leaf *find_leaf(const struct recorded_cpu *c, uint32_t leaf, uint32_t subleaf)
{
    return FIND(i, c->n_leaves, c->leaves[i].leaf == leaf && c->leaves[i].subleaf == subleaf, &c->leaves[i], NULL);
}

/* Where an x2APIC id stands in CPUID: SDM vol. 2A, leaves 01H, 0BH, 1FH; APM vol. 3 E.4.16, E.4.24. */
static void put_id(struct recorded_leaf *l, uint32_t id)
{
    if (l->leaf == 1)
        l->regs[1] = (l->regs[1] & 0x00FFFFFF) | id << 24;
    else if (l->leaf == 0xB || l->leaf == 0x1F || l->leaf == 0x80000026u)
        l->regs[3] = id;
    else if (l->leaf == 0x8000001Eu)
        l->regs[0] = id;
}

/* cpu NUMBER [id HEX] */
static bool cpu_line(struct parse *p)
{
    uint64_t n, id = 0;
    struct recorded_cpu *c;

    if (p->n < 2 || !number(p, p->fields[1], 10, UINT32_MAX, &n))
        return bad(p, "cpu has no number");
    if (p->n > 2 && (p->n != 4 || strcmp(p->fields[2], "id") != 0 || !hex(p, 3, UINT32_MAX, &id)))
        return bad(p, "cpu %s: id and a hexadecimal number may follow", p->fields[1]);
    for (uint32_t i = 0; i < p->r->n_cpus; i++)
        if (p->r->cpus[i].number == n)
            return bad(p, "cpu %s is there twice", p->fields[1]);
    c = ONE_MORE(p, p->r->cpus, p->r->n_cpus);
    if (!c)
        return false;
    c->number = (uint32_t)n;
    c->has_id = p->n == 4;
    c->id = (uint32_t)id;
    if (p->r->n_cpus == 1)
        return true;
    c->n_leaves = p->r->cpus[0].n_leaves;
    c->leaves =
        pool_grown(&p->r->pool, p->r->cpus[0].leaves, c->n_leaves * sizeof *c->leaves, /* ONE_MORE's is within it */
                   (c->n_leaves ? 2 * (size_t)c->n_leaves : 1) * sizeof *c->leaves);
    for (uint32_t i = 0; c->has_id && i < c->n_leaves; i++)
        put_id(&c->leaves[i], c->id);
    return true;
}

/* absent LEAF SUBLEAF */
static bool absent_line(struct parse *p)
{
    struct recorded_cpu *c = last_cpu(p);
    struct recorded_leaf *l;
    uint64_t leaf, subleaf;

    if (!c || !hex(p, 1, UINT32_MAX, &leaf) || !hex(p, 2, UINT32_MAX, &subleaf))
        return p->error[0] ? false : bad(p, "absent before the first cpu");
    l = find_leaf(c, (uint32_t)leaf, (uint32_t)subleaf);
    if (l)
        *l = c->leaves[--c->n_leaves];
    return true;
}

/* LEAF SUBLEAF EAX EBX ECX EDX, where "." is the register of cpu 0, and of a cpu with an id that id where it stands */
static bool leaf_line(struct parse *p)
{
    struct recorded_cpu *c = last_cpu(p);
    struct recorded_leaf *l;
    uint64_t leaf, subleaf, value;

    if (!c || p->n != 6)
        return bad(p, "\"%.40s\" begins no line of a recording", p->fields[0]);
    if (!hex(p, 0, UINT32_MAX, &leaf) || !hex(p, 1, UINT32_MAX, &subleaf))
        return false;
    l = find_leaf(c, (uint32_t)leaf, (uint32_t)subleaf);
    for (uint32_t i = 0; i < 4 && !l; i++)
        if (p->fields[2 + i][0] == '.')
            return bad(p, "leaf %s %s: cpu 0 has no such line", p->fields[0], p->fields[1]);
    if (!l) {
        l = ONE_MORE(p, c->leaves, c->n_leaves);
        if (!l)
            return false;
        l->leaf = (uint32_t)leaf;
        l->subleaf = (uint32_t)subleaf;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (strcmp(p->fields[2 + i], ".") == 0)
            continue;
        if (!hex(p, 2 + i, UINT32_MAX, &value))
            return false;
        l->regs[i] = (uint32_t)value;
    }
    return true;
}

/* mp APIC-ID FLAGS */
static bool mp_line(struct parse *p)
{
    uint64_t id, flags;
    struct recorded_processor *c;

    if (!hex(p, 1, UINT32_MAX, &id) || !hex(p, 2, UINT32_MAX, &flags))
        return false;
    c = ONE_MORE(p, p->r->processors, p->r->n_processors);
    if (c)
        *c = (struct recorded_processor){ (uint32_t)id, (uint32_t)flags };
    return c != NULL;
}

/* msr CPU|all NUMBER VALUE|#GP; CPU: a number that a line "cpu" has */
static bool msr_line(struct parse *p)
{
    uint64_t cpu = RECORDED_ALL, msr, value = 0;
    struct recorded_msr *m;
    uint32_t index = RECORDED_ALL;
    bool fault = p->n == 4 && strcmp(p->fields[3], "#GP") == 0;

    if (p->n != 4)
        return bad(p, "msr has %u fields and not 4", p->n);
    if (strcmp(p->fields[1], "all") != 0) {
        if (!number(p, p->fields[1], 10, UINT32_MAX, &cpu))
            return false;
        for (index = 0; index < p->r->n_cpus && p->r->cpus[index].number != cpu; index++)
            ;
        if (index == p->r->n_cpus)
            return bad(p, "msr of cpu %s, which has no line of its own", p->fields[1]);
    }
    if (!hex(p, 2, UINT32_MAX, &msr) || (!fault && !hex(p, 3, UINT64_MAX, &value)))
        return false;
    m = ONE_MORE(p, p->r->msrs, p->r->n_msrs);
    if (m)
        *m = (struct recorded_msr){ .cpu = index, .number = (uint32_t)msr, .fault = fault, .value = value };
    return m != NULL;
}

/* --- bytes */

/* 0, or the power of 2 that is not below n. */
static uint64_t power_above(uint64_t n)
{
    return n ? UINT64_C(1) << bits_for(n - 1) : 0;
}

static bool room(struct parse *p, struct recorded_bytes *b, uint64_t n)
{
    if (n > BYTES_MOST)
        return bad(p, "%llx bytes are more than %x", (unsigned long long)n, BYTES_MOST);
    if (n <= b->n)
        return true;
    if (n > power_above(b->n)) {
        b->at = pool_grown(&p->r->pool, b->at, b->n, power_above(n));
        b->known = pool_grown(&p->r->pool, b->known, b->n, power_above(n));
    }
    b->n = (uint32_t)n;
    return true;
}

/* Two digits a byte. */
static bool digits(struct parse *p, const char *text, uint8_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char pair[3] = { text[2 * i], text[2 * i + 1], 0 };

        if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]))
            return bad(p, "\"%.8s\" has digits that are not hexadecimal", text + 2 * i);
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

/* " OFFSET HEX" */
static bool bytes_line(struct parse *p)
{
    struct recording *r = p->r;
    struct recorded_bytes *b = p->bytes_of == 't'   ? &r->tables[r->n_tables - 1].bytes
                               : p->bytes_of == 'p' ? &r->functions[r->n_functions - 1].config
                               : p->bytes_of == 'r' ? &r->regions[r->n_regions - 1]
                                                    : NULL;
    uint64_t offset;
    size_t n;

    if (!b)
        return bad(p, "bytes that belong to no table, function or region");
    if (p->n != 2)
        return bad(p, "an offset and bytes are wanted");
    if (!hex(p, 0, BYTES_MOST, &offset))
        return false;
    n = strlen(p->fields[1]);
    if (n % 2)
        return bad(p, "an odd number of digits");
    if (p->bytes_of == 't' && p->table_length && offset + n / 2 > p->table_length)
        return bad(p, "bytes beyond the table's length");
    if (!room(p, b, offset + n / 2) || !digits(p, p->fields[1], b->at + offset, (uint32_t)(n / 2)))
        return false;
    memset(b->known + offset, 1, n / 2);
    return true;
}

/* table SIGNATURE [at ADDRESS] [length BYTES] */
static bool table_line(struct parse *p)
{
    uint64_t address = 0, length = 0;
    struct recorded_table *t;

    if (p->n < 2 || strlen(p->fields[1]) != 4)
        return bad(p, "table has no signature of four letters");
    for (uint32_t i = 2; i < p->n; i += 2) {
        uint64_t *value = strcmp(p->fields[i], "at") == 0       ? &address
                          : strcmp(p->fields[i], "length") == 0 ? &length
                                                                : NULL;

        if (!value)
            return bad(p, "table %s: \"%.40s\" is neither at nor length", p->fields[1], p->fields[i]);
        if (!hex(p, i + 1, value == &length ? BYTES_MOST : UINT64_MAX, value))
            return false;
    }
    t = ONE_MORE(p, p->r->tables, p->r->n_tables);
    if (!t)
        return false;
    memcpy(t->signature, p->fields[1], 4);
    t->bytes.base = address;
    p->bytes_of = 't';
    p->table_length = length;
    return room(p, &t->bytes, length);
}

/* region ADDRESS */
static bool region_line(struct parse *p)
{
    uint64_t address;
    struct recorded_bytes *b;

    if (!hex(p, 1, UINT64_MAX, &address))
        return false;
    b = ONE_MORE(p, p->r->regions, p->r->n_regions);
    if (b)
        b->base = address;
    p->bytes_of = 'r';
    return b != NULL;
}

/* memory BASE BYTES TYPE */
static bool memory_line(struct parse *p)
{
    uint64_t base, bytes, type;
    struct recorded_memory *m;

    if (!hex(p, 1, UINT64_MAX, &base) || !hex(p, 2, UINT64_MAX, &bytes) || !hex(p, 3, UINT32_MAX, &type))
        return false;
    m = ONE_MORE(p, p->r->memory, p->r->n_memory);
    if (m)
        *m = (struct recorded_memory){ base, bytes, (uint32_t)type };
    return m != NULL;
}

/* --- SMBIOS */

/* The structure of that type that came before; NULL: none did. */
static const struct recorded_structure *earlier(const struct recording *r, uint8_t type)
{
    for (uint32_t i = r->n_structures - 1; i-- > 0;)
        if (r->structures[i].type == type)
            return &r->structures[i];
    return NULL;
}

static const char *string_of(const struct recorded_structure *s, uint32_t number)
{
    const char *text = s ? s->text : NULL, *end = s ? s->text + s->text_bytes : NULL;

    while (text && text < end && number-- > 0)
        text += strlen(text) + 1;
    return text && text < end ? text : NULL;
}

/* What follows the header of four bytes; ".": as in the structure before. */
static bool structure_bytes(struct parse *p, struct recorded_structure *s, const struct recorded_structure *before)
{
    size_t n = strcmp(p->fields[3], "-") == 0 ? 0 : strlen(p->fields[3]);
    bool again = strcmp(p->fields[3], ".") == 0;

    if (again && !before)
        return bad(p, "structure %s %s is as one before it, and there is none", p->fields[1], p->fields[2]);
    if (!again && (n % 2 || n / 2 > 251))
        return bad(p, "structure of %zu digits", n);
    s->n = again ? before->n : (uint32_t)(4 + n / 2);
    s->at = pool_zeroed(&p->r->pool, 1, s->n);
    s->at[0] = s->type;
    s->at[1] = (uint8_t)s->n;
    s->at[2] = (uint8_t)s->handle;
    s->at[3] = (uint8_t)(s->handle >> 8);
    if (!again)
        return digits(p, p->fields[3], s->at + 4, s->n - 4);
    memcpy(s->at + 4, before->at + 4, s->n - 4);
    return true;
}

static bool structure_strings(struct parse *p, struct recorded_structure *s, const struct recorded_structure *before)
{
    uint32_t bytes = 0;

    for (uint32_t i = 4; i < p->n; i++) {
        if (!p->quoted[i] && strcmp(p->fields[i], ".") == 0)
            p->fields[i] = (char *)string_of(before, i - 4);
        if (!p->fields[i])
            return bad(p, "string %u is as one before it, and there is none", i - 3);
        bytes += (uint32_t)strlen(p->fields[i]) + 1;
    }
    s->text = pool_zeroed(&p->r->pool, 1, bytes);
    for (uint32_t i = 4; i < p->n; i++) {
        uint32_t length = (uint32_t)strlen(p->fields[i]) + 1;

        memcpy(s->text + s->text_bytes, p->fields[i], length);
        s->text_bytes += length;
    }
    return true;
}

/* structure TYPE HANDLE HEX ["STRING"...] */
static bool structure_line(struct parse *p)
{
    struct recorded_structure *s;
    const struct recorded_structure *before;
    uint64_t type, handle;

    if (p->n < 4 || !number(p, p->fields[1], 10, 255, &type) || !hex(p, 2, 0xFFFF, &handle))
        return p->error[0] ? false : bad(p, "structure needs a type, a handle and bytes");
    s = ONE_MORE(p, p->r->structures, p->r->n_structures);
    if (!s)
        return false;
    s->type = (uint8_t)type;
    s->handle = (uint16_t)handle;
    before = earlier(p->r, s->type);
    return structure_bytes(p, s, before) && structure_strings(p, s, before);
}

static bool smbios_line(struct parse *p)
{
    if (p->n != 2 || strlen(p->fields[1]) >= sizeof p->r->smbios_version || !isdigit((unsigned char)p->fields[1][0]))
        return bad(p, "smbios has no version");
    memccpy(p->r->smbios_version, p->fields[1], 0, sizeof p->r->smbios_version);
    return true;
}

/* --- PCI */

static bool function_detail(struct parse *p, struct recorded_function *f, const char *word, const char *value)
{
    unsigned first, last;
    uint64_t v;

    if (strcmp(word, "rev") == 0 && number(p, value, 16, 0xFF, &v)) {
        f->revision = (int32_t)v;
    } else if (strcmp(word, "node") == 0 && number(p, value, 10, RECORDED_NODES, &v)) {
        f->node = (int32_t)v;
    } else if (strcmp(word, "buses") == 0) {
        if (sscanf(value, "%2x-%2x", &first, &last) != 2)
            return bad(p, "buses \"%.20s\"", value);
        f->is_bridge = true;
        f->secondary = (uint8_t)first;
        f->subordinate = (uint8_t)last;
    } else if (strcmp(word, "driver") == 0) {
        snprintf(f->driver, sizeof f->driver, "%s", value);
    } else {
        return p->error[0] ? false : bad(p, "\"%.40s\" is no detail of a PCI function", word);
    }
    return true;
}

/* pci SEGMENT:BUS:DEVICE.FUNCTION CLASS VENDOR:DEVICE [rev HEX] [buses FIRST-LAST] [node N] [driver NAME]; DEVICE may be "????" */
static bool pci_line(struct parse *p)
{
    struct recorded_function *f;
    unsigned segment, bus, device, function, class_code, vendor, did = 0;

    if (p->n < 4 || p->n % 2 || sscanf(p->fields[1], "%4x:%2x:%2x.%1x", &segment, &bus, &device, &function) != 4 ||
        device > 31 || function > 7 || sscanf(p->fields[2], "%4x", &class_code) != 1 ||
        sscanf(p->fields[3], "%4x:", &vendor) != 1 || strlen(p->fields[3]) != 9)
        return bad(p, "pci needs SSSS:BB:DD.F, a class and VVVV:DDDD, then pairs of a word and a value");
    if (recording_function(p->r, segment, bus, device, function))
        return bad(p, "function %s is there twice", p->fields[1]);
    f = ONE_MORE(p, p->r->functions, p->r->n_functions);
    if (!f)
        return false;
    f->did_known = sscanf(p->fields[3] + 5, "%4x", &did) == 1;
    if (!f->did_known && strcmp(p->fields[3] + 5, "????") != 0)
        return bad(p, "\"%s\" is no vendor and device", p->fields[3]);
    f->segment = (uint16_t)segment;
    f->bus = (uint8_t)bus;
    f->device = (uint8_t)device;
    f->function = (uint8_t)function;
    f->class_code = (uint16_t)class_code;
    f->vendor = (uint16_t)vendor;
    f->did = (uint16_t)did;
    f->revision = f->node = -1;
    p->bytes_of = 'p';
    for (uint32_t i = 4; i < p->n; i += 2)
        if (!function_detail(p, f, p->fields[i], p->fields[i + 1]))
            return false;
    return true;
}

/* complete SEGMENT, or SEGMENT:BUS... */
static bool complete_line(struct parse *p)
{
    for (uint32_t i = 1; i < p->n; i++) {
        struct recorded_bus *b = ONE_MORE(p, p->r->buses, p->r->n_buses);
        unsigned segment, bus = UINT32_MAX;
        int fields = sscanf(p->fields[i], "%4x:%2x", &segment, &bus);

        if (!b)
            return false;
        if (fields < 1 || strlen(p->fields[i]) != (fields == 1 ? 4 : 7))
            return bad(p, "\"%.40s\" is neither SSSS nor SSSS:BB", p->fields[i]);
        *b = (struct recorded_bus){ segment, bus };
    }
    return p->n > 1 || bad(p, "complete names no bus");
}

/* --- lines */

static bool recording_line(struct parse *p)
{
    if (p->n != 2 || strcmp(p->fields[1], "1") != 0)
        return bad(p, "form %s is not 1, the only one that is known", p->n > 1 ? p->fields[1] : "\"\"");
    return true;
}

/* name, source, made-by: the rest of the line */
static bool text_line(struct parse *p)
{
    char *out = p->fields[0][0] == 'n' ? p->r->name : p->fields[0][0] == 's' ? p->r->source : p->r->made_by;
    size_t size = out == p->r->name     ? sizeof p->r->name
                  : out == p->r->source ? sizeof p->r->source
                                        : sizeof p->r->made_by;

    out[0] = 0;
    for (uint32_t i = 1; i < p->n; i++) {
        size_t n = strlen(out);

        snprintf(out + n, size - n, "%s%s", i > 1 ? " " : "", p->fields[i]);
    }
    return true;
}

/* What the readers of the tests do not use: time, firmware, serials, tsc. */
static bool noted_line(struct parse *p)
{
    return p->n > 1 || bad(p, "%s says nothing", p->fields[0]);
}

/* tsc HZ SOURCE */
static bool tsc_line(struct parse *p)
{
    return noted_line(p) && number(p, p->fields[1], 10, UINT64_MAX, &p->r->tsc_hz);
}

static const struct {
    const char *word;
    bool (*take)(struct parse *p);
} keywords[] = {
    { "recording", recording_line }, { "name", text_line },     { "source", text_line },
    { "made-by", text_line },        { "time", noted_line },    { "firmware", noted_line },
    { "serials", noted_line },       { "tsc", tsc_line },       { "cpu", cpu_line },
    { "absent", absent_line },       { "mp", mp_line },         { "msr", msr_line },
    { "table", table_line },         { "region", region_line }, { "memory", memory_line },
    { "smbios", smbios_line },       { "pci", pci_line },       { "complete", complete_line },
    { "structure", structure_line },
};

/* \" \\ and \xHH. Returns what comes after it. */
static char *escaped(char *from, char *out)
{
    char pair[3] = { from[1], from[1] ? from[2] : 0, 0 };

    if (from[0] != 'x' || !isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1])) {
        *out = from[0];
        return from + 1;
    }
    *out = (char)strtoul(pair, NULL, 16);
    return from + 3;
}

/* Fields are separated by blanks; one in quotes may have them. */
static bool split(struct parse *p, char *line)
{
    char *from = line;

    p->n = 0;
    for (;;) {
        char *to;

        while (*from == ' ' || *from == '\t')
            from++;
        if (!*from)
            return true;
        if (p->n == FIELDS)
            return bad(p, "more than %u fields", FIELDS);
        p->quoted[p->n] = *from == '"';
        if (*from != '"') {
            p->fields[p->n++] = from;
            while (*from && *from != ' ' && *from != '\t')
                from++;
            if (*from)
                *from++ = 0;
            continue;
        }
        p->fields[p->n++] = to = ++from;
        while (*from && *from != '"') {
            if (*from == '\\' && from[1])
                from = escaped(from + 1, to++);
            else
                *to++ = *from++;
        }
        if (!*from)
            return bad(p, "a quote is not closed");
        from++;
        *to = 0;
    }
}

static bool take_line(struct parse *p, char *line)
{
    bool bytes = line[0] == ' ';

    if (line[0] == '#' || !split(p, line) || p->n == 0)
        return !p->error[0];
    if (bytes)
        return bytes_line(p);
    p->bytes_of = 0;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(p->fields[0], keywords[i].word) == 0)
            return keywords[i].take(p);
    return leaf_line(p);
}

struct recording *recording_parse(const char *text, size_t bytes, char *error, size_t error_size)
{
    struct pool pool = { NULL };
    struct parse p = { .r = pool_zeroed(&pool, 1, sizeof *p.r) };
    char line[LINE_MOST];
    const char *end = text + bytes;
    uint32_t n = 0;

    p.r->pool = pool;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);

        n++;
        if (length >= sizeof line)
            bad(&p, "longer than %u characters", LINE_MOST - 1);
        else if (memchr(text, 0, length))
            bad(&p, "a byte of 0");
        if (!p.error[0]) {
            memcpy(line, text, length);
            line[length - (length && text[length - 1] == '\r')] = 0;
        }
        if (p.error[0] || !take_line(&p, line)) {
            snprintf(error, error_size, "line %u: %s", n, p.error);
            recording_free(p.r);
            return NULL;
        }
        text += length + 1;
    }
    return p.r;
}
