/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/store/store.h: a medium with files, as firmware or a test provides it: its operations, and nothing that decides.
 *
 * core/store/files.h is what callers use: it tries again, keeps copies and finds a medium that came back. Paths are ASCII with
 * '\' or '/'.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/net/boot_source.h"

/* What all volumes of one medium share. */
struct medium {
    uint32_t generation; /* how often its driver was connected again: files that were opened before are no good */
    bool suffered;       /* an error, since then */
};

struct store_ops;
struct volume {
    const struct store_ops *ops;
    void *root;            /* the ops' own; NULL: there is no volume */
    struct medium *medium; /* of a root */
    bool read_only;
    char label[32];
    const struct boot_source *place; /* on a network, with files that are not on the volume, to be read; NULL: none */
};

enum store_open {
    STORE_READ,   /* a file or a folder that is there  */
    STORE_UPDATE, /* a file that is there              */
    STORE_CREATE, /* a file, made where there is none  */
    STORE_FOLDER, /* a folder, made where there is none */
};

struct store_file; /* the ops' own */

/* Each of them once, without another attempt. */
struct store_ops {
    /* ST_ABSENT, ST_READ_ONLY, ST_FULL, ST_RANGE: no path for it. */
    enum status (*open)(const struct volume *v, const char *path, enum store_open how, struct store_file **file);
    void (*close)(struct store_file *file);
    void (*remove)(struct store_file *file); /* closes it, whatever comes of it */
    /* *length: at most so many bytes in, how many out; 0 at the end. */
    enum status (*read)(struct store_file *file, uint64_t at, void *bytes, size_t *length);
    /* *length: in, and how many were written out. */
    enum status (*write)(struct store_file *file, uint64_t at, const void *bytes, size_t *length);
    /* ST_RANGE: it is a folder. */
    enum status (*size)(struct store_file *file, uint64_t *length);
    enum status (*resize)(struct store_file *file, uint64_t length);
    enum status (*flush)(struct store_file *file);
    /* What the driver caches of the volume. */
    enum status (*flush_volume)(const struct volume *v);
    /* The next entry of a folder; name "" after the last. */
    enum status (*next)(struct store_file *folder, char *name, size_t size, bool *is_file);
    /* Whether two clusters are left beside so many bytes, or the volume does not say. */
    bool (*has_room)(const struct volume *v, uint64_t bytes);
    bool (*is_there)(const struct volume *v);
    /* The driver forgets what it thinks of the medium, and what it has not written. false: it cannot be connected again. */
    bool (*connect)(const struct volume *v);
    /* The first volume that is_it() accepts stands for the one that is gone. */
    bool (*replace)(const struct volume *gone, void *context, bool (*is_it)(void *context, const struct volume *v));
    /* A file on a network, to be freed with heap_free(). */
    enum status (*fetch)(const char *url, size_t most, char **text, size_t *length);
    void (*pause)(uint32_t ms);
    uint64_t (*ticks)(void); /* of the TSC */
};
