/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/args.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/options/load_options.h"
#include "efi/console.h"

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

enum status args_config(EFI_SYSTEM_TABLE *st, struct options *o, const struct volume *v, const char *baseboard,
                        struct options_error *error)
{
    bool asked = o->config[0] != '\0';
    const char *path = asked ? o->config : default_config, *file = path;
    struct volume on;
    char *text;
    size_t length;
    enum status s;

    if (asked && text_equal(o->config, "none"))
        return ST_OK;
    s = volume_of(st, v, &file, &on);
    if (s == ST_OK)
        s = file_read(&on, file, &text, &length);
    if (s == ST_ABSENT && !asked)
        return ST_OK;
    if (s != ST_OK) {
        text_format(error->text, sizeof(error->text), "%s: cannot be read: %s", path, status_text(s));
        return s;
    }
    s = options_parse_file(o, text, length, path, baseboard, error);
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
