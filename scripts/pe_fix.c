/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/pe_fix.c: the last step of a build. pe-fix IMAGE.efi
 *
 * Sets IMAGE_DLLCHARACTERISTICS_NX_COMPAT, which objcopy has no option for, and refuses an image that strict firmware
 * would: sections that are writable and executable, not on 4 KiB boundaries, overlapping or unnamed to the entry point;
 * relocations that GNU-EFI's self-relocator does not apply. A refused image is left as it is.
 * Source: Microsoft PE format, "Optional Header", "Section Table"; ELF-64 object file format, "Relocation".
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE                               4096u
#define IMAGE_FILE_MACHINE_AMD64           0x8664u
#define IMAGE_NT_OPTIONAL_HDR64_MAGIC      0x20Bu
#define IMAGE_SUBSYSTEM_EFI_APPLICATION    10u
#define IMAGE_SUBSYSTEM_EFI_RUNTIME_DRIVER 12u
#define IMAGE_DLLCHARACTERISTICS_NX_COMPAT 0x100u
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

/* Elf64_Rela: r_offset, r_info (type in the low half), r_addend. The self-relocator adds the load address to the word
 * in place and ignores the addend, so the word must hold it; every other type it skips without a word. */
static void check_relocations(struct image *im, const struct section *rela)
{
    for (uint64_t at = 0; at + 24 <= rela->virtual_size && at + 24 <= rela->raw_size && !im->bad; at += 24) {
        uint64_t offset = get(im, rela->raw_at + at, 8);
        uint32_t type = (uint32_t)get(im, rela->raw_at + at + 8, 4);
        uint64_t addend = get(im, rela->raw_at + at + 16, 8);
        bool found = false;

        if (type == R_X86_64_NONE)
            continue;
        if (type != R_X86_64_RELATIVE) {
            complain(im, "relocation type %u at %#llx: only RELATIVE ones are applied", type,
                     (unsigned long long)offset);
            continue;
        }
        for (unsigned i = 0; i < im->n_sections && !found; i++) {
            struct section s = section(im, i);

            if (offset < s.rva || offset - s.rva + 8 > s.raw_size)
                continue;
            found = true;
            if (!(s.flags & IMAGE_SCN_MEM_WRITE))
                complain(im, "relocation at %#llx in %s, which is not writable", (unsigned long long)offset, s.name);
            else if (get(im, s.raw_at + (offset - s.rva), 8) != addend)
                complain(im, "relocation at %#llx: its addend is not in place", (unsigned long long)offset);
        }
        if (!found)
            complain(im, "relocation at %#llx is in no section", (unsigned long long)offset);
    }
}

static void check_sections(struct image *im)
{
    uint32_t entry = (uint32_t)get(im, im->optional + 16, 4);
    uint64_t end = 0;
    bool entered = false, relocated = false;

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
    if (!im->bad && !relocated)
        complain(im, "no .reloc: firmware would take it for an image that must not be moved");
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
    FILE *f;

    if (argc != 2) {
        fprintf(stderr, "usage: pe-fix IMAGE.efi\n");
        return 2;
    }
    im.path = argv[1];
    f = fopen(im.path, "r+b");
    if (!f || !load(&im, f)) {
        perror(im.path);
        if (f)
            fclose(f);
        free(im.bytes);
        return 2;
    }
    check_headers(&im);
    if (!im.bad)
        check_sections(&im);
    if (!im.bad) {
        size_t at = im.optional + 70;
        uint16_t characteristics = (uint16_t)(get(&im, at, 2) | IMAGE_DLLCHARACTERISTICS_NX_COMPAT);
        uint8_t out[2] = { (uint8_t)characteristics, (uint8_t)(characteristics >> 8) };

        if (fseek(f, (long)at, SEEK_SET) != 0 || fwrite(out, 1, 2, f) != 2)
            complain(&im, "cannot write");
    }
    if (fclose(f) != 0)
        complain(&im, "cannot write");
    free(im.bytes);
    return im.bad ? 1 : 0;
}
