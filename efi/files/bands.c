/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/files/bands.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/report/folder.h"
#include "efi/net/net.h"
#include "efi/files/volumes.h"

#define SUFFIX ".bands"

struct folder {
    const struct volume *volume;
    const struct machine *machine;
    struct bands_choice *choice;
};

/* path: as it is named to people; file: on the volume. */
static void offer_file(const struct folder *in, const char *path, const char *file)
{
    char *text;
    size_t length;
    enum status s = file_read(in->volume, file, &text, &length);

    if (s != ST_OK) {
        bands_unread(in->choice, path, s == ST_RANGE ? "no file, or longer than 1 MiB" : status_text(s));
        return;
    }
    bands_offer(in->choice, in->machine, path, text, length);
    heap_free(text);
}

static void take_name(void *context, const char *name)
{
    char path[BANDS_PATH];
    size_t n = strlen(name);

    /* Files of "._" are what macOS leaves beside those that it copies to FAT. */
    if (n < sizeof SUFFIX || name[0] == '.' || !text_equal_nocase(name + n - (sizeof SUFFIX - 1), SUFFIX))
        return;
    text_format(path, sizeof path, "%s\\%s", BANDS_FOLDER, name);
    offer_file(context, path, path);
}

static enum status load_one(EFI_SYSTEM_TABLE *st, const struct folder *in, const char *path)
{
    struct volume on;
    const char *file = path;
    const struct folder there = { &on, in->machine, in->choice };
    enum status s = volume_of(st, in->volume, &file, &on);

    if (s == ST_OK)
        offer_file(&there, path, file);
    else
        bands_unread(in->choice, path, status_text(s));
    return bands_taken(in->choice) ? ST_OK : ST_ABSENT;
}

/* A server has no list of its files: the first that is there of those for this machine. */
static enum status offer_from_server(const struct folder *in)
{
    char names[BOOT_SOURCE_NAMES][BOOT_SOURCE_NAME], serial[FOLDER_NAME], file[BANDS_PATH], url[BOOT_SOURCE_URL], *text;
    size_t length;
    enum status s = ST_ABSENT;

    folder_machine(&in->machine->smbios, serial);
    boot_source_names(in->volume->place, serial, in->machine->smbios.system_product_name, names);
    for (uint32_t i = 0; i < BOOT_SOURCE_NAMES && s == ST_ABSENT; i++) {
        if (names[i][0] == '\0')
            continue;
        text_format(file, sizeof file, "%s\\%s%s", BANDS_FOLDER, names[i], SUFFIX);
        s = boot_source_file(in->volume->place, file, url);
        if (s == ST_OK)
            s = net_read(url, 1u << 20, &text, &length);
    }
    TRY(s);
    bands_offer(in->choice, in->machine, url, text, length);
    heap_free(text);
    return ST_OK;
}

enum status bands_load(EFI_SYSTEM_TABLE *st, const struct volume *own, const struct machine *m, const char *option,
                       struct bands_choice *choice)
{
    struct folder in = { own, m, choice };
    enum status s;

    if (text_equal(option, "none"))
        return ST_OK;
    if (!text_equal(option, "auto"))
        return load_one(st, &in, option);
    s = folder_list(own, BANDS_FOLDER, &in, take_name);
    if (s == ST_ABSENT && own->place)
        s = offer_from_server(&in);
    if (s != ST_OK && s != ST_ABSENT)
        bands_unread(choice, BANDS_FOLDER, status_text(s));
    return ST_OK;
}
