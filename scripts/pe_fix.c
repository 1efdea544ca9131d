/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/pe_fix.c: the last step of a build. pe-fix IMAGE.efi [STRINGS.gz]
 *
 * Sets IMAGE_DLLCHARACTERISTICS_NX_COMPAT, which objcopy has no option for, and refuses an image that strict firmware
 * would: sections that are writable and executable, not on 4 KiB boundaries, overlapping or unnamed to the entry point;
 * relocations that are not applied. In an image without .reloc the ELF relocations, .rela, become base relocations: 2 bytes
 * each instead of 24, which firmware applies; and .data is packed (efi/image/packed.h), and .strings where gzip -9n has packed them. A refused image is left as it is.
 * Source: Microsoft PE format, "COFF File Header", "Optional Header", "Section Table", "The .reloc Section"; ELF-64 object
 * file format, "Relocation".
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE                               4096u
#define IMAGE_FILE_MACHINE_AMD64           0x8664u
#define IMAGE_NT_OPTIONAL_HDR64_MAGIC      0x20Bu
#define IMAGE_SUBSYSTEM_EFI_APPLICATION    10u
#define IMAGE_SUBSYSTEM_EFI_RUNTIME_DRIVER 12u
#define IMAGE_DLLCHARACTERISTICS_NX_COMPAT 0x100u
#define IMAGE_FILE_RELOCS_STRIPPED         1u
#define IMAGE_DIRECTORY_ENTRY_BASERELOC    5u
#define IMAGE_REL_BASED_DIR64              10u
#define IMAGE_SCN_CNT_INITIALIZED_DATA     0x40u
#define IMAGE_SCN_CNT_UNINITIALIZED_DATA   0x80u
#define IMAGE_SCN_MEM_EXECUTE              0x20000000u
#define IMAGE_SCN_MEM_WRITE                0x80000000u
#define R_X86_64_NONE                      0u
#define R_X86_64_RELATIVE                  8u

struct image {
    const char *path;
    uint8_t *bytes;
    size_t size;
    size_t optional; /* offset of the optional header */
    size_t sections; /* offset of the section table   */
    unsigned n_sections;
    bool bad;
};

static void complain(struct image *im, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void complain(struct image *im, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "pe-fix: %s: ", im->path);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    im->bad = true;
}

/* Little-endian numbers; beyond the end of the file they read as zero, and the image is bad. */
static uint64_t get(struct image *im, size_t at, unsigned width)
{
    uint64_t v = 0;

    if (at > im->size || im->size - at < width) {
        if (!im->bad)
            complain(im, "truncated at offset %zu", at);
        return 0;
    }
    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)im->bytes[at + i] << (8 * i);
    return v;
}

static void put(struct image *im, size_t at, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        im->bytes[at + i] = (uint8_t)(v >> (8 * i));
}

struct section {
    char name[9];
    uint32_t virtual_size, rva, raw_size, raw_at, flags;
};

static struct section section(struct image *im, unsigned i)
{
    size_t at = im->sections + 40u * i;
    struct section s = { .virtual_size = (uint32_t)get(im, at + 8, 4),
                         .rva = (uint32_t)get(im, at + 12, 4),
                         .raw_size = (uint32_t)get(im, at + 16, 4),
                         .raw_at = (uint32_t)get(im, at + 20, 4),
                         .flags = (uint32_t)get(im, at + 36, 4) };

    if (!im->bad)
        memcpy(s.name, im->bytes + at, 8);
    return s;
}

static void check_headers(struct image *im)
{
    size_t pe;

    if (get(im, 0, 2) != 0x5A4D) {
        complain(im, "no MZ header");
        return;
    }
    pe = get(im, 0x3C, 4);
    if (get(im, pe, 4) != 0x4550 || get(im, pe + 4, 2) != IMAGE_FILE_MACHINE_AMD64) {
        complain(im, "no PE header for x86-64");
        return;
    }
    im->n_sections = (unsigned)get(im, pe + 6, 2);
    if (get(im, pe + 8, 4) != 0)
        complain(im, "it carries a time stamp: two builds would differ");
    im->optional = pe + 24;
    im->sections = im->optional + get(im, pe + 20, 2);
    if (get(im, im->optional, 2) != IMAGE_NT_OPTIONAL_HDR64_MAGIC) {
        complain(im, "the optional header is empty or not PE32+: does a section start at address 0?");
        return;
    }
    if (get(im, im->optional + 32, 4) % PAGE)
        complain(im, "SectionAlignment is no multiple of 4 KiB");
    unsigned subsystem = (unsigned)get(im, im->optional + 68, 2);
    if (subsystem < IMAGE_SUBSYSTEM_EFI_APPLICATION || subsystem > IMAGE_SUBSYSTEM_EFI_RUNTIME_DRIVER)
        complain(im, "subsystem %u is not EFI", subsystem);
    if (im->n_sections == 0)
        complain(im, "no sections");
}

/* A word that is moved with the image lies in a writable section. Returns its offset in the file, 0 where it does not. */
static size_t check_place(struct image *im, uint64_t offset)
{
    for (unsigned i = 0; i < im->n_sections; i++) {
        struct section s = section(im, i);

        if (offset < s.rva || offset - s.rva + 8 > s.raw_size)
            continue;
        if (s.flags & IMAGE_SCN_MEM_WRITE)
            return s.raw_at + (offset - s.rva);
        complain(im, "relocation at %#llx in %s, which is not writable", (unsigned long long)offset, s.name);
        return 0;
    }
    complain(im, "relocation at %#llx is in no section", (unsigned long long)offset);
    return 0;
}

/* Elf64_Rela: r_offset, r_info (type in the low half), r_addend. The load address is added to the word in place and the addend
 * ignored, so the word must hold it; GNU-EFI's self-relocator skips every other type without a word. */
static void check_relocations(struct image *im, const struct section *rela)
{
    for (uint64_t at = 0; at + 24 <= rela->virtual_size && at + 24 <= rela->raw_size && !im->bad; at += 24) {
        uint64_t offset = get(im, rela->raw_at + at, 8);
        uint32_t type = (uint32_t)get(im, rela->raw_at + at + 8, 4);
        uint64_t addend = get(im, rela->raw_at + at + 16, 8);
        size_t place;

        if (type == R_X86_64_NONE)
            continue;
        if (type != R_X86_64_RELATIVE) {
            complain(im, "relocation type %u at %#llx: only RELATIVE ones are applied", type,
                     (unsigned long long)offset);
            continue;
        }
        place = check_place(im, offset);
        if (place && get(im, place, 8) != addend)
            complain(im, "relocation at %#llx: its addend is not in place", (unsigned long long)offset);
    }
}

static int by_offset(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static bool find_section(struct image *im, const char *name, unsigned *number)
{
    for (*number = 0; *number < im->n_sections; ++*number)
        if (strcmp(section(im, *number).name, name) == 0)
            return true;
    return false;
}

static size_t aligned(struct image *im, size_t size)
{
    size_t alignment = get(im, im->optional + 36, 4);

    return alignment ? (size + alignment - 1) / alignment * alignment : size;
}

/* The file has `size` bytes of a section; those of the sections after it move up. */
static void shorten(struct image *im, unsigned number, size_t size)
{
    struct section cut = section(im, number);
    size_t less = cut.raw_size - size, end = cut.raw_at + cut.raw_size;

    memmove(im->bytes + cut.raw_at + size, im->bytes + end, im->size - end);
    im->size -= less;
    put(im, im->sections + 40u * number + 16, size, 4);
    put(im, im->optional + 8, get(im, im->optional + 8, 4) - less, 4);
    for (unsigned i = 0; i < im->n_sections; i++)
        if (section(im, i).raw_at > cut.raw_at)
            put(im, im->sections + 40u * i + 20, section(im, i).raw_at - less, 4);
}

/* Leaves of .data the halves of words that are not 0 and both of each word that is relocated, and sets their bits in .map. offsets:
 * of the relocations, sorted; each follows its word, which need not be on 8 bytes any more: the format asks for no alignment. */
static void pack_data(struct image *im, uint32_t *offsets, size_t n)
{
    unsigned number, map_number;
    struct section data, map;
    size_t used = 0, next = 0, moved = 0;

    if (!find_section(im, ".data", &number) || !find_section(im, ".map", &map_number)) {
        complain(im, "no .data, or no .map");
        return;
    }
    data = section(im, number);
    map = section(im, map_number);
    if (data.virtual_size > data.raw_size || map.virtual_size > map.raw_size ||
        data.virtual_size / 32 + 9 > map.virtual_size) {
        complain(im, ".map is too small for .data");
        return;
    }
    for (uint32_t i = 0; i < data.virtual_size / 4 && !im->bad; i++) {
        uint32_t rva = data.rva + 4 * i;
        uint64_t half = get(im, data.raw_at + 4u * i, 4);

        while (next < n && offsets[next] < rva)
            next++;
        if (next < n && offsets[next] < rva + 4) {
            if (offsets[next] % 8)
                complain(im, "relocation at %#x: it is not on 8 bytes", offsets[next]);
            offsets[next++] = data.rva + (uint32_t)(4 * used);
            moved = 2;
        }
        if (!half && !moved)
            continue;
        moved -= moved > 0;
        im->bytes[map.raw_at + 8 + i / 8] |= (uint8_t)(1u << i % 8);
        put(im, data.raw_at + 4 * used++, half, 4);
    }
    put(im, map.raw_at, data.virtual_size / 4, 4);
    put(im, map.raw_at + 4, used, 4);
    memset(im->bytes + data.raw_at + 4 * used, 0, data.raw_size - 4 * used);
    shorten(im, number, aligned(im, 4 * used));
}

/* The stream of a gzip file without a name (RFC 1952, 2.3) goes to .packed, and .strings is as .bss. */
static void pack_strings(struct image *im, FILE *gz)
{
    unsigned number, packed_number;
    struct section strings, packed;
    uint8_t *bytes;
    size_t n;

    if (!find_section(im, ".strings", &number) || !find_section(im, ".packed", &packed_number)) {
        complain(im, "no .strings, or no .packed");
        return;
    }
    strings = section(im, number);
    packed = section(im, packed_number);
    bytes = malloc(packed.raw_size + 1);
    n = bytes ? fread(bytes, 1, packed.raw_size + 1, gz) : 0;
    if (n <= 18 || bytes[0] != 0x1F || bytes[3] != 0 || n - 18 + 8 > packed.virtual_size) {
        complain(im, ".packed is too small for .strings, or they are not what gzip -n makes");
        free(bytes);
        return;
    }
    put(im, packed.raw_at + 4, n - 18, 4);
    memcpy(im->bytes + packed.raw_at + 8, bytes + 10, n - 18);
    memset(im->bytes + packed.raw_at + 8 + n - 18, 0, packed.raw_size - (8 + n - 18));
    free(bytes);
    put(im, im->sections + 40u * packed_number + 8, 8 + n - 18, 4);
    shorten(im, packed_number, aligned(im, 8 + n - 18));
    shorten(im, number, 0);
    put(im, im->sections + 40u * number + 20, 0, 4);
    put(im, im->sections + 40u * number + 36,
        (strings.flags & ~IMAGE_SCN_CNT_INITIALIZED_DATA) | IMAGE_SCN_CNT_UNINITIALIZED_DATA | IMAGE_SCN_MEM_WRITE, 4);
}

/* Blocks of base relocations: the address of a page, the block's bytes, and 2 bytes each; an odd number is filled up by an
 * entry of type 0. They take the place of the last section, .rela. */
static void make_base_relocations(struct image *im, unsigned number)
{
    size_t header = im->sections + 40u * number, directory = im->optional + 112 + 8 * IMAGE_DIRECTORY_ENTRY_BASERELOC;
    struct section rela = section(im, number);
    size_t n = 0, size = 0;
    uint32_t *offsets = calloc(rela.virtual_size / 24 + 1, sizeof *offsets);

    if (!offsets || number != im->n_sections - 1 || get(im, im->optional + 108, 4) <= IMAGE_DIRECTORY_ENTRY_BASERELOC) {
        complain(im, ".rela is not the last section, or the header has no room for its address");
        free(offsets);
        return;
    }
    for (uint64_t at = 0; at + 24 <= rela.virtual_size; at += 24)
        if ((uint32_t)get(im, rela.raw_at + at + 8, 4) == R_X86_64_RELATIVE)
            offsets[n++] = (uint32_t)get(im, rela.raw_at + at, 8);
    qsort(offsets, n, sizeof *offsets, by_offset);
    pack_data(im, offsets, n);
    rela = section(im, number);
    memset(im->bytes + rela.raw_at, 0, rela.raw_size);
    for (size_t i = 0; i < n && !im->bad;) {
        size_t block = size;
        uint32_t page = offsets[i] & ~(PAGE - 1);

        for (size += 8; i < n && (offsets[i] & ~(PAGE - 1)) == page; i++, size += 2)
            put(im, rela.raw_at + size, IMAGE_REL_BASED_DIR64 << 12 | (offsets[i] - page), 2);
        size = (size + 3) & ~(size_t)3;
        put(im, rela.raw_at + block, page, 4);
        put(im, rela.raw_at + block + 4, size - block, 4);
    }
    free(offsets);
    memcpy(im->bytes + header, ".reloc\0\0", 8);
    put(im, header + 8, size, 4);
    shorten(im, number, aligned(im, size));
    put(im, directory, rela.rva, 4);
    put(im, directory + 4, size, 4);
    put(im, im->optional + 56, rela.rva + (size + PAGE - 1) / PAGE * PAGE, 4);
    put(im, im->optional - 2, get(im, im->optional - 2, 2) & ~(uint64_t)IMAGE_FILE_RELOCS_STRIPPED, 2);
}

/* Each entry moves a word of a writable section. */
static void check_base_relocations(struct image *im)
{
    size_t directory = im->optional + 112 + 8 * IMAGE_DIRECTORY_ENTRY_BASERELOC;
    uint32_t rva = (uint32_t)get(im, directory, 4), size = (uint32_t)get(im, directory + 4, 4), at = 0;

    for (unsigned i = 0; i < im->n_sections; i++) {
        struct section s = section(im, i);

        while (!im->bad && s.rva == rva && at < size) {
            uint32_t page = (uint32_t)get(im, s.raw_at + at, 4), end = at + (uint32_t)get(im, s.raw_at + at + 4, 4);

            for (at += 8; at < end && !im->bad; at += 2) {
                uint32_t entry = (uint32_t)get(im, s.raw_at + at, 2);

                if (entry >> 12 == IMAGE_REL_BASED_DIR64)
                    check_place(im, page + (entry & 0xFFF));
                else if (entry)
                    complain(im, "base relocation of type %u: only DIR64 ones are expected", entry >> 12);
            }
            at = at > end ? size : end;
        }
    }
}

static void check_sections(struct image *im)
{
    uint32_t entry = (uint32_t)get(im, im->optional + 16, 4);
    uint64_t end = 0;
    bool entered = false, relocated = false;
    unsigned rela;

    for (unsigned i = 0; i < im->n_sections && !im->bad; i++) {
        struct section s = section(im, i);

        if ((s.flags & IMAGE_SCN_MEM_WRITE) && (s.flags & IMAGE_SCN_MEM_EXECUTE))
            complain(im, "section %s is writable and executable", s.name);
        if (s.rva % PAGE || s.rva == 0)
            complain(im, "section %s at %#x is not on a page of its own", s.name, s.rva);
        if (s.rva < end)
            complain(im, "section %s overlaps the one before, or they are not in order", s.name);
        end = (uint64_t)s.rva + s.virtual_size;
        if ((s.flags & IMAGE_SCN_MEM_EXECUTE) && entry >= s.rva && entry < end)
            entered = true;
        if (strcmp(s.name, ".reloc") == 0)
            relocated = true;
        if (strcmp(s.name, ".rela") == 0)
            check_relocations(im, &s);
    }
    if (!im->bad && !entered)
        complain(im, "the entry point is in no executable section");
    if (im->bad)
        return;
    if (!relocated && !find_section(im, ".rela", &rela))
        complain(im, "no .reloc: firmware would take it for an image that must not be moved");
    else if (!relocated)
        make_base_relocations(im, rela);
    if (!im->bad)
        check_base_relocations(im);
}

static bool load(struct image *im, FILE *f)
{
    long size;

    if (fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0)
        return false;
    im->size = (size_t)size;
    im->bytes = malloc(im->size + 1);
    return im->bytes && fread(im->bytes, 1, im->size, f) == im->size;
}

int main(int argc, char **argv)
{
    struct image im = { 0 };
    FILE *f, *strings = NULL;

    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: pe-fix IMAGE.efi [STRINGS.gz]\n");
        return 2;
    }
    im.path = argv[1];
    f = fopen(im.path, "r+b");
    if (!f || !load(&im, f) || (argc == 3 && !(strings = fopen(argv[2], "rb")))) {
        perror(f && im.bytes ? argv[argc - 1] : im.path);
        if (f)
            fclose(f);
        free(im.bytes);
        return 2;
    }
    check_headers(&im);
    if (!im.bad)
        check_sections(&im);
    if (strings && !im.bad)
        pack_strings(&im, strings);
    if (strings)
        fclose(strings);
    if (!im.bad) {
        put(&im, im.optional + 70, get(&im, im.optional + 70, 2) | IMAGE_DLLCHARACTERISTICS_NX_COMPAT, 2);
        if (fseek(f, 0, SEEK_SET) != 0 || fwrite(im.bytes, 1, im.size, f) != im.size || fflush(f) != 0 ||
            ftruncate(fileno(f), (off_t)im.size) != 0)
            complain(&im, "cannot write");
    }
    if (fclose(f) != 0)
        complain(&im, "cannot write");
    free(im.bytes);
    return im.bad ? 1 : 0;
}
