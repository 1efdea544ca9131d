/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/files/events.h"

#include <string.h>

#include "core/base/heap.h"
#include "core/base/text.h"

#define SUFFIX ".events"
#define PATH   256u

struct event_search {
    const struct volume *volume;
    const struct machine *machine;
    struct event_files *files;
    struct options_error *error;
    enum status st;
};

static enum status bad_file(struct event_search *in, const char *name, const struct event_file_error *e)
{
    text_format(in->error->text, sizeof in->error->text, "%s\\%.40s: line %u: %s%s%s", EVENTS_FOLDER, name, e->line,
                e->field, e->field[0] ? ": " : "", e->text);
    return ST_RANGE;
}

static enum status take_text(struct event_search *in, const char *name, const char *text, size_t length)
{
    const struct cpu_identity *id = &in->machine->cpus[in->machine->packages[0].first_cpu].id;
    struct event_file_error e;
    enum status st = event_file_fits(text, length, id->family, id->model, id->stepping, &e);

    if (st == ST_ABSENT)
        return ST_OK;
    if (st == ST_OK && in->files->n == EVENTS_FILES) {
        text_format(in->error->text, sizeof in->error->text, "%s: more than %u files are for this processor",
                    EVENTS_FOLDER, EVENTS_FILES);
        return ST_RANGE;
    }
    if (st == ST_OK)
        st = event_file_parse(&in->files->list[in->files->n], text, length, &e);
    if (st == ST_CORRUPT)
        return bad_file(in, name, &e);
    in->files->n += st == ST_OK;
    return st;
}

static void take_file(void *context, const char *name)
{
    struct event_search *in = context;
    char path[PATH], *text;
    size_t n = strlen(name), length;
    enum status st;

    /* Files of "._" are what macOS leaves beside those that it copies to FAT. */
    if (in->st != ST_OK || n < sizeof SUFFIX || name[0] == '.' ||
        !text_equal_nocase(name + n - (sizeof SUFFIX - 1), SUFFIX))
        return;
    text_format(path, sizeof path, "%s\\%s", EVENTS_FOLDER, name);
    st = file_read(in->volume, path, &text, &length);
    if (st == ST_OK) {
        in->st = take_text(in, name, text, length);
        heap_free(text);
        return;
    }
    text_format(in->error->text, sizeof in->error->text, "%.80s: %s", path,
                st == ST_RANGE ? "longer than 1 MiB" : status_text(st));
    in->st = ST_RANGE;
}

enum status events_load(const struct volume *v, const struct machine *m, struct event_files *files,
                        struct options_error *error)
{
    struct event_search in = { v, m, files, error, ST_OK };
    enum status st;

    files->n = 0;
    st = folder_list(v, EVENTS_FOLDER, &in, take_file);
    if (st != ST_OK && st != ST_ABSENT) {
        text_format(error->text, sizeof error->text, "%s: %s", EVENTS_FOLDER, status_text(st));
        return ST_RANGE;
    }
    return in.st;
}

void events_free(struct event_files *files)
{
    for (uint32_t i = 0; i < files->n; i++)
        event_file_free(&files->list[i]);
    files->n = 0;
}
