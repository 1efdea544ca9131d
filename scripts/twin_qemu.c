/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* scripts/twin_qemu.c FILE.machine PROFILE|nearest FOLDER: how QEMU is started for a twin of a recorded machine, for
 * tests/silicon/run-silicon. SMBIOS structures and ACPI tables that QEMU can show are written into FOLDER. Exit status 2:
 * the machine cannot be made; standard error says why. Lines on standard output:
 *
 *   name TEXT; profile NAME
 *   grid PACKAGES CORES THREADS    -smp's, in which the APIC ids have room
 *   processor PACKAGE CORE THREAD  a place that is filled; the first one is the boot processor
 *   smbios FILE; table FILE        written: a structure; an ACPI table
 *   lacks TEXT                     what was recorded and QEMU does not act out
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bits.h"
#include "core/base/search.h"
#include "tests/silicon/twin/twin.h"

static const char *folder;

static void refuse(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static void write_file(const char *key, uint32_t number, const void *bytes, size_t n, const void *more, size_t n_more)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s%u", folder, key, number);
    f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || (more && fwrite(more, 1, n_more, f) != n_more) || fclose(f))
        refuse(path, "cannot be written");
    printf("%s %s\n", key, path);
}

/* --- processors: each has a place by its APIC id, whose fields QEMU makes as wide as the grid asks for */

static uint32_t least_with(uint32_t most, uint32_t bits)
{
    uint32_t least = bits ? (1u << (bits - 1)) + 1 : 1;

    return most + 1 > least ? most + 1 : least;
}

static void put_processors(const struct twin *t)
{
    uint32_t core_bits = t->package_bit - t->thread_bits, cores = 0, last = t->ids[t->n - 1];

    if (t->ids[0] != 0)
        refuse(t->recording->name, "its lowest APIC id is not 0, and QEMU's boot processor has 0");
    if (t->clusters > 1)
        refuse(t->recording->name,
               "its packages have several L3s (cluster on die), and QEMU's nodes are packages: the host "
               "model has a twin of it");
    if (last >= 255)
        refuse(t->recording->name,
               "it has APIC ids beyond 254, and QEMU's TCG no x2APIC: the host model has a twin of it");
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t core = (uint32_t)(t->ids[i] >> t->thread_bits & low_bits(core_bits));

        cores = core > cores ? core : cores;
    }
    printf("grid %u %u %u\n", (last >> t->package_bit) + 1, least_with(cores, core_bits), 1u << t->thread_bits);
    for (uint32_t i = 0; i < t->n; i++)
        printf("processor %u %u %u\n", t->ids[i] >> t->package_bit,
               (uint32_t)(t->ids[i] >> t->thread_bits & low_bits(core_bits)),
               (uint32_t)(t->ids[i] & low_bits(t->thread_bits)));
}

/* --- firmware's tables */

/* Of BIOS, system, board, chassis and sockets; of the last QEMU wants one a package. Modules are those of its own memory. */
static void put_smbios(const struct twin *t)
{
    const struct recording *r = t->recording;
    uint32_t sockets = 0, others = 0;

    for (uint32_t i = 0; i < r->n_structures; i++)
        sockets += r->structures[i].type == 4;
    for (uint32_t i = 0; i < r->n_structures; i++) {
        const struct recorded_structure *s = &r->structures[i];

        if (s->type < 4 || (s->type == 4 && sockets == t->profile.packages))
            /* strings, and a 0 that ends them: DSP0134 3.6, 6.1.3 */
            write_file("smbios", i, s->at, s->n, s->text_bytes ? s->text : "\0", s->text_bytes ? s->text_bytes + 1 : 2);
        else
            others++;
    }
    if (others)
        printf("lacks %u SMBIOS structures: %smodules and slots are QEMU's\n", others,
               sockets && sockets != t->profile.packages ? "sockets, " : "");
}

#define ECAM 0xB0000000u /* of QEMU's Q35: MCH_HOST_BRIDGE_PCIEXBAR_DEFAULT */

/* Every package is the node of its number, as for QEMU. */
static bool nodes_are_packages(const struct twin *t)
{
    uint32_t domain;

    return !ANY_OF(i, t->n,
                   !recording_affinity(t->recording, t->ids[i], &domain) || domain != i / (t->n / t->profile.packages));
}

/* Which tables hold in QEMU: they name processors by the ids that QEMU's have, nodes, which are packages, and a window where
 * QEMU has one. Memory, devices and registers that others name, QEMU does not have. */
static bool fits(const struct twin *t, const struct recorded_table *table)
{
    if (strcmp(table->signature, "SLIT") == 0)
        return recorded_number(table, 36, 8) == t->profile.packages;
    if (strcmp(table->signature, "MCFG") == 0)
        return table->bytes.n == 60 && recorded_number(table, 44, 8) == ECAM && recorded_number(table, 52, 3) == 0;
    if (strcmp(table->signature, "SRAT") == 0)
        return nodes_are_packages(t);
    return strcmp(table->signature, "APIC") == 0;
}

/* The shim adds what QEMU's own has of memory, and the checksum. Returns what is left of the bytes. */
static uint32_t without_memory(const struct recorded_table *srat, uint8_t *image)
{
    uint32_t n = SRAT_ENTRIES;

    for (uint64_t at = recorded_srat_next(srat, 0); at; at = recorded_srat_next(srat, at)) {
        uint32_t bytes = (uint32_t)recorded_number(srat, at + 1, 1);

        if (recorded_number(srat, at, 1) == 1 || at + bytes > srat->bytes.n)
            continue;
        memmove(image + n, image + at, bytes);
        n += bytes;
    }
    for (uint32_t i = 0; i < 4; i++)
        image[4 + i] = (uint8_t)(n >> 8 * i);
    return n;
}

static void put_tables(const struct twin *t)
{
    const struct recording *r = t->recording;

    for (uint32_t i = 0; i < r->n_tables; i++) {
        const struct recorded_table *table = &r->tables[i];
        uint8_t *image = fits(t, table) ? recording_table_image(table) : NULL;
        bool srat = strcmp(table->signature, "SRAT") == 0;

        if (image)
            write_file("table", i, image, srat ? without_memory(table, image) : table->bytes.n, NULL, 0);
        if (!image || srat)
            printf("lacks %sACPI table %s\n", image ? "the memory of " : "", table->signature);
        free(image);
    }
}

int main(int argc, char **argv)
{
    const struct profile *profile = NULL;
    struct recording *r;
    struct twin *t;
    char error[512] = "";

    if (argc != 4)
        refuse("twin-qemu", "FILE.machine PROFILE|nearest FOLDER are wanted");
    folder = argv[3];
    r = recording_open(argv[1], error, sizeof error);
    if (!r)
        refuse(argv[1], error);
    for (uint32_t i = 0; i < profile_count(); i++)
        if (strcmp(profiles[i]->name, argv[2]) == 0)
            profile = profiles[i];
    if (!profile && strcmp(argv[2], "nearest") != 0)
        refuse(argv[2], "no such profile");
    t = twin_new(r, profile, error, sizeof error);
    if (!t)
        refuse(argv[1], error);
    printf("name %s\nprofile %s\n", r->name[0] ? r->name : "without a name", t->profile.name);
    put_processors(t);
    put_smbios(t);
    put_tables(t);
    if (r->n_memory)
        printf("lacks its memory map: memory is --memory\n");
    if (r->n_functions)
        printf("lacks PCI functions that have no uncore registers; buses have the numbers of QEMU's machine\n");
    twin_free(t);
    recording_free(r);
    return 0;
}
