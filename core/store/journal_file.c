/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/store/journal_file.h"

#include <string.h>

#include "core/encoding/digest.h"
#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/report/folder.h"

static void half_digest(const struct sha256 *s, uint8_t out[16])
{
    uint8_t whole[32];

    sha256_digest(s, whole);
    memcpy(out, whole, 16);
}

static void add_text(struct sha256 *s, const char *text)
{
    sha256_add(s, text, strlen(text) + 1);
}

static void machine_digest(const struct smbios_info *smbios, uint8_t out[16])
{
    struct sha256 s;

    sha256_begin(&s);
    add_text(&s, smbios->system_manufacturer);
    add_text(&s, smbios->system_product_name);
    add_text(&s, smbios->system_serial_number);
    add_text(&s, smbios->system_uuid);
    add_text(&s, smbios->baseboard_serial_number);
    half_digest(&s, out);
}

void journal_settings(uint8_t digest[16], const struct options *o, const char *build_id)
{
    static struct options same;
    struct sha256 s;

    memcpy(&same, o, sizeof same); /* with what is between its members: all of it was zeroed */
    same.resume = RESUME_AUTO;
    same.watchdog_seconds = 0;
    same.exit = EXIT_RETURN;
    same.fail_on = WARN_IS_OWN;
    same.ui = UI_AUTO;
    same.quiet = same.page_breaks = false;
    memset(same.given, 0, sizeof same.given);
    sha256_begin(&s);
    add_text(&s, build_id);
    sha256_add(&s, &same, sizeof same);
    half_digest(&s, digest);
}

enum status journal_read(struct journal *j, const struct volume *v, const char *folder,
                         const struct smbios_info *smbios, struct journal_record *found)
{
    struct volume medium = *v;
    char name[FOLDER_NAME], *bytes;
    size_t length;
    enum status s;

    medium.place = NULL; /* a server has no journal of this run */
    folder_machine(smbios, name);
    text_format(j->path, sizeof j->path, "%s\\%s.journal", folder, name);
    machine_digest(smbios, j->now.machine);
    TRY(file_read(&medium, j->path, &bytes, &length));
    s = journal_find((const uint8_t *)bytes, length, found, &j->slot);
    heap_free(bytes);
    return s;
}

enum status journal_begin(struct journal *j, const struct volume *v)
{
    static char zeros[JOURNAL_FILE]; /* not const, so that it takes no room in the image */
    uint64_t length;
    enum status s;

    if (!v->root)
        return ST_ABSENT;
    j->volume = v;
    s = file_open(v, j->path, &j->file);
    if (s == ST_OK && j->file.length != sizeof zeros) { /* cut short by the loss of power that it is there for */
        file_delete(&j->file);
        s = ST_ABSENT;
    }
    if (s == ST_ABSENT) {
        j->slot = 0;
        s = file_create(v, j->path, &j->file);
        if (s == ST_OK)
            s = file_write(&j->file, zeros, sizeof zeros);
        if (s != ST_OK)
            file_delete(&j->file);
    }
    if (s == ST_OK)
        journal_put(j);
    if (s == ST_OK && j->file.handle && file_size(&j->file, &length) == ST_OK)
        j->one_slot = length != sizeof zeros;
    return s != ST_OK ? s : j->file.failed;
}

void journal_put(struct journal *j)
{
    uint8_t sector[JOURNAL_RECORD];
    uint64_t begin = j->volume ? j->volume->ops->ticks() : 0;
    enum status s = ST_OK;

    if (!j->file.handle)
        return;
    if (j->one_slot)
        j->slot = 0;
    j->now.number++;
    journal_encode(&j->now, sector);
    for (uint32_t tries = 0; tries < FILE_TRIES; tries++) {
        s = file_write_at(&j->file, (uint64_t)j->slot * JOURNAL_STRIDE, sector, sizeof sector);
        if (s == ST_OK)
            s = file_flush(&j->file);
        if (s == ST_OK)
            break;
        file_close(&j->file);
        if (file_open(j->volume, j->path, &j->file) != ST_OK)
            break;
    }
    if (s != ST_OK) {
        file_close(&j->file);
        j->file.failed = s;
    }
    j->slot = (j->slot + 1) % JOURNAL_SLOTS;
    j->writes++;
    j->ticks += j->volume->ops->ticks() - begin;
}

void journal_again(struct journal *j)
{
    if (!j->file.handle && j->volume && file_open(j->volume, j->path, &j->file) != ST_OK)
        file_close(&j->file);
}

void journal_end(struct journal *j)
{
    journal_again(j); /* where the medium failed, and does not any more */
    j->now.phase = JOURNAL_ENDED;
    journal_put(j);
    file_close(&j->file);
}
