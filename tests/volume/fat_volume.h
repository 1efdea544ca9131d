/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/volume/fat_volume.h: a store (core/store/store.h) with one volume of a given size.
 *
 * A volume as EDK II's FAT driver shows it (FatPkg/EnhancedFatDxe): room is given out by the cluster, to files and to folders, whose
 * names take room too; a write for which there is none writes nothing; what was written and not flushed is lost where the driver is
 * disconnected, and every handle with it. Files stand in memory, once as the driver has them and once as the medium does.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/store.h"

#define FAT_FILES 24u

struct fat_bytes {
    char *text; /* NUL-terminated */
    size_t length, room;
};

struct fat_file {
    char path[256]; /* "" : none */
    bool folder;
    struct fat_bytes now, medium;
};

struct fat_volume {
    struct volume volume;
    struct medium medium;
    uint64_t clusters; /* that may be taken, beside those of the folder \assay */
    uint32_t cluster;  /* bytes of one; below 512 names and folders take no room: then it is full at any byte */
    bool in_part;      /* writes what there is room for, as other drivers than EDK II's do */
    size_t most;       /* bytes that one call reads or writes, without an error; 0: any number */
    bool unflushable;  /* writes at once, and knows no flush */
    bool spoilt;       /* a folder has a name and no cluster: in FAT it stands for the root */
    uint32_t mount;    /* how often the driver was connected */
    uint32_t handles;  /* that are open */
    uint64_t calls;    /* of all operations */
    struct fat_file files[FAT_FILES];
};

/* An empty volume with the folder \assay. One at a time. */
void fat_begin(struct fat_volume *v, uint32_t cluster, uint64_t clusters);
void fat_end(struct fat_volume *v);
/* The power goes: what was not flushed is lost, and no handle is open. */
void fat_cut(struct fat_volume *v);
/* The nth file whose path ends with that; NULL: there are fewer. */
const struct fat_file *fat_find(const struct fat_volume *v, const char *name, uint32_t nth);
