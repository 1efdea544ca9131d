/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/files/inputs.h"

#include "core/base/text.h"
#include "efi/files/volumes.h"

struct likeness {
    const char *wanted;
    size_t distance;
    char name[FILE_PATH];
};

static void offer_name(void *context, const char *name)
{
    struct likeness *l = context;
    size_t distance = text_distance(l->wanted, name);

    if (distance >= l->distance)
        return;
    l->distance = distance;
    text_format(l->name, sizeof(l->name), "%s", name);
}

/* Of the files beside the one that there is not, the name that is most like it. "": there is none. */
static void find_alike(const struct volume *on, const char *path, struct likeness *l)
{
    char folder[FILE_PATH] = "\\";
    const char *last = NULL;

    for (const char *c = path; *c; c++)
        if (*c == '\\' || *c == '/')
            last = c;
    l->wanted = last ? last + 1 : path;
    l->distance = SIZE_MAX;
    if (last && last > path)
        text_format(folder, sizeof(folder), "%.*s", (int)(last - path), path);
    if (folder_list(on, folder, l, offer_name) != ST_OK)
        l->name[0] = '\0';
}

static enum status is_there(EFI_SYSTEM_TABLE *st, const struct volume *own, const char *option, const char *path,
                            struct options_error *error)
{
    struct likeness l = { .name = "" };
    const char *file = path;
    struct volume on;
    enum status s = volume_of(st, own, &file, &on);

    if (s == ST_OK && !on.root) /* a server's */
        return ST_OK;
    if (s == ST_OK)
        s = file_exists(&on, file);
    if (s == ST_OK || (s == ST_ABSENT && on.place)) /* iPXE has a volume, and the server the file */
        return ST_OK;
    if (s == ST_ABSENT && on.root)
        find_alike(&on, file, &l);
    text_format(error->text, sizeof(error->text), "%s %s: %s%s%s", option, path,
                s != ST_ABSENT ? status_text(s)
                : on.root      ? "there is no such file"
                               : "there is no such volume",
                l.name[0] ? "; in its folder the nearest name is " : "", l.name);
    return ST_ABSENT;
}

enum status inputs_are_there(EFI_SYSTEM_TABLE *st, const struct volume *own, const struct options *o,
                             struct options_error *error)
{
    if (o->baseline[0])
        TRY(is_there(st, own, "-baseline", o->baseline, error));
    if (!text_equal(o->bands, "auto") && !text_equal(o->bands, "none"))
        TRY(is_there(st, own, "-bands", o->bands, error));
    return ST_OK;
}
