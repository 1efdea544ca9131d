/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/boot/args.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/options/load_options.h"
#include "core/report/folder.h"
#include "efi/console/console.h"
#include "efi/net/net.h"
#include "efi/files/volumes.h"

static const char default_config[] = "\\assay\\assay.cfg";

enum status args_command_line(EFI_SYSTEM_TABLE *st, EFI_HANDLE image, char *text, size_t size)
{
    static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *loaded;

    text[0] = '\0';
    if (EFI_ERROR(st->BootServices->HandleProtocol(image, &loaded_image_guid, (void **)&loaded)) ||
        !loaded->LoadOptions)
        return ST_OK;
    return load_options_text(loaded->LoadOptions, loaded->LoadOptionsSize, text, size);
}

/* The first file for this machine on the server; path: its URL, or the one that cannot be read. */
static enum status read_from_server(const struct volume *v, const struct smbios_info *smbios,
                                    char path[BOOT_SOURCE_URL], char **text, size_t *length)
{
    char names[BOOT_SOURCE_NAMES][BOOT_SOURCE_NAME], serial[FOLDER_NAME], file[BOOT_SOURCE_NAME + 16];
    enum status s = ST_ABSENT;

    folder_machine(smbios, serial);
    boot_source_names(v->place, serial, smbios->system_product_name, names);
    for (uint32_t i = 0; i < BOOT_SOURCE_NAMES && s == ST_ABSENT; i++) {
        if (names[i][0] == '\0')
            continue;
        text_format(file, sizeof file, "assay/%s.cfg", names[i]);
        s = boot_source_file(v->place, file, path);
        if (s == ST_OK)
            s = net_read(path, 1u << 20, text, length);
    }
    if (s == ST_OK)
        console_say("options: %s", path);
    else if (s == ST_ABSENT)
        console_say("options: none in %sassay/ (%s.cfg, %s.cfg, %s.cfg, default.cfg)", v->place->folder, names[0],
                    names[1], names[2]);
    return s;
}

enum status args_config(EFI_SYSTEM_TABLE *st, struct options *o, const struct volume *v,
                        const struct smbios_info *smbios, struct options_error *error)
{
    bool asked = o->config[0] != '\0';
    const char *path = asked ? o->config : default_config, *file = path;
    struct volume on;
    char *text, url[BOOT_SOURCE_URL];
    size_t length;
    enum status s;

    if (asked && text_equal(o->config, "none"))
        return ST_OK;
    s = volume_of(st, v, &file, &on);
    if (!asked)
        on.place = NULL;
    if (s == ST_OK)
        s = file_read(&on, file, &text, &length);
    if (s == ST_ABSENT && !asked && v->place) {
        path = url;
        s = read_from_server(v, smbios, url, &text, &length);
    }
    if (s == ST_ABSENT && !asked)
        return ST_OK;
    if (s != ST_OK) {
        const char *why = url_scheme(path) != URL_NONE ? net_why() : "";

        text_format(error->text, sizeof(error->text), "%s: cannot be read: %s%s%s", path, status_text(s),
                    why[0] ? ": " : "", why);
        return s;
    }
    s = options_parse_file(o, text, length, path, smbios->baseboard_product_name, error);
    heap_free(text);
    return s;
}

void args_leave_word(const struct volume *v, const char *text)
{
    static const char path[] = "\\assay\\error.txt";
    struct file f;

    if (text)
        console_say("assay: %s", text);
    if (!v->root)
        return;
    if (file_open(v, path, &f) == ST_OK)
        file_delete(&f);
    if (!text || file_create(v, path, &f) != ST_OK)
        return;
    if (file_write(&f, text, strlen(text)) != ST_OK || file_write(&f, "\r\n", 2) != ST_OK || file_flush(&f) != ST_OK)
        console_say("assay: %s cannot be written", path);
    file_close(&f);
}
