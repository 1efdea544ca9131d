/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/store/files.h: files on a volume. Paths are ASCII with '\' or '/'.
 *
 * FAT keeps what was flushed and nothing else: file_write() appends all or nothing, file_flush() puts it on the medium, bytes
 * and clusters first, and the directory entry with the new size after them. Whatever a power cut leaves out of either, no
 * file has bytes or clusters that are not its own.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/encoding/digest.h"
#include "core/store/store.h"

/* The whole file, NUL-terminated, to be freed with heap_free(). ST_ABSENT: no such file. ST_RANGE: over 1 MiB. ST_CORRUPT: it is
 * shorter than the volume says. */
MUST_CHECK enum status file_read(const struct volume *v, const char *path, char **text, size_t *length);

/* The whole file, however long (from a network: 64 MiB at most, ST_RANGE), in pieces. The first failure; what was handed over until then stands. */
MUST_CHECK enum status file_stream(const struct volume *v, const char *path, void *context,
                                   void (*take)(void *context, const char *bytes, size_t length));

/* Names of the files in a folder, in the volume's order. ST_ABSENT: no such folder. ST_CORRUPT: it has no end. */
MUST_CHECK enum status folder_list(const struct volume *v, const char *path, void *context,
                                   void (*take)(void *context, const char *name));

/* Whether the volume has two clusters left beside so many bytes, or does not say. */
bool volume_has_room(const struct volume *v, uint64_t bytes);
/* Whether the medium is still there. */
bool volume_is_there(const struct volume *v);
void volume_pause(const struct volume *v, uint32_t ms);

/* Every folder of the path. ST_OK also if it is there already. ST_READ_ONLY, ST_FULL, ST_IO. Nothing is tried on a volume without
 * room: EDK2's FAT driver leaves the name of a folder that there is no cluster for, which then stands for the root
 * (FatCreateOFile() in FatPkg/EnhancedFatDxe). */
MUST_CHECK enum status folder_make(const struct volume *v, const char *path);
/* ST_OK: there is a file or folder of that name. */
MUST_CHECK enum status file_exists(const struct volume *v, const char *path);

#define FILE_PATH 256u
struct file {
    struct store_file *handle; /* NULL: not open */
    struct volume on;
    uint32_t generation; /* of the volume's driver, that the handle is of */
    char path[FILE_PATH];
    uint64_t length;    /* bytes that were written, and those that were there; of a file with a copy, bytes of that */
    uint64_t flushed;   /* of these: on the medium, as far as firmware says   */
    enum status failed; /* the failure that stayed; nothing is written after it */
    char *copy;         /* of all that it holds; NULL: there is none */
    size_t room;        /* of the copy */
};
/* A new, empty file. ST_RANGE: the name is taken. */
MUST_CHECK enum status file_create(const struct volume *v, const char *path, struct file *f);
/* A file that is there, to be read and written; file_write() goes after what it holds. ST_ABSENT. */
MUST_CHECK enum status file_open(const struct volume *v, const char *path, struct file *f);
/* What follows the first `length` bytes is removed; file_write() continues there. */
MUST_CHECK enum status file_cut(struct file *f, uint64_t length);
/* Bytes of the file as the volume has them. */
MUST_CHECK enum status file_size(const struct file *f, uint64_t *length);
/* In place: the bytes from offset on, which must be there. Some firmware ends the file after them (U-Boot's FAT). */
MUST_CHECK enum status file_write_at(struct file *f, uint64_t offset, const void *bytes, size_t length);
/* Closed, and off the volume. */
void file_delete(struct file *f);
/* From now on there is a copy in memory of what the file holds, as far as there is memory: what was written and not flushed
 * when the medium fails is written again, and file_again() can take it elsewhere. */
void file_keep(struct file *f);
/* The file whose medium failed, on a volume on which it is, or is to be: what it lacks of the copy is written and flushed, and
 * f->failed is ST_OK. ST_NO_MEMORY: there is no copy. Another error: it is as before. */
MUST_CHECK enum status file_again(struct file *f, const struct volume *v, const char *path);
/* A file with a copy, after a failure that stayed. Where its volume is gone, the volumes that are there are looked at: the one
 * with a file of that name, which begins with all that was flushed, is the same, and stands for it from now on. ST_ABSENT: there
 * is none. `anyway`: also where the volume is there and its medium failed. Else as file_again(). */
MUST_CHECK enum status file_return(struct file *f, bool anyway);
/* An error of the medium (ST_IO, ST_TIMEOUT, ST_ABSENT, ST_CORRUPT) is tried again FILE_TRIES times in all, a second in between,
 * with the file opened again: EDK2's FAT driver answers each call of a file with the error that one call had (FatSetVolumeError()
 * in FatPkg/EnhancedFatDxe). It also says of a volume with one error that it is full, for good (FatAllocateCluster()): such a
 * volume is disconnected from its driver, and connected again. What stays is kept in f->failed. Other errors stay at
 * once, and so does that of a flush where there is no copy. */
#define FILE_TRIES 4u
MUST_CHECK enum status file_write(struct file *f, const char *bytes, size_t length);
MUST_CHECK enum status file_flush(struct file *f);
/* Everything that `from` holds, in pieces: its copy where it has one. Ends at the first status of take that is not ST_OK. */
MUST_CHECK enum status file_pass(struct file *from, void *context,
                                 enum status (*take)(void *context, const char *bytes, size_t length));
/* The same after what `to` holds. The first failure of either. */
MUST_CHECK enum status file_append(struct file *to, struct file *from);
/* What the file holds, as the medium gives it back, after what *sha is of; the file is left at its end. ST_ABSENT: not open;
 * ST_IO. */
MUST_CHECK enum status file_digest(struct file *f, struct sha256 *sha);
void file_close(struct file *f);
/* Closed, and its copy is given back. */
void file_end(struct file *f);
