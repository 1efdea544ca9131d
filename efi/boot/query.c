/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <efi.h>

#include "efi/boot/query.h"

#include "core/count/count.h"
#include "efi/files/events.h"
#include "efi/console/ui.h"

static void say_line(void *context, const char *line)
{
    const struct query *q = context;

    ui_table_end();
    report_log(q->report, "INFO", "%s", line);
}

static void show_table(void *, const char *const *lines, uint32_t n)
{
    ui_table(lines, n);
}

static bool wants_end(void *)
{
    return ui_wants_end();
}

static bool asks_for_counts(const struct options *o)
{
    return o->n_counts || o->top_seconds;
}

bool query_is_asked(const struct options *o)
{
    return o->list == LIST_BOXES || asks_for_counts(o);
}

/* Without files of events, events have other names; one that is not as it should be is an error. */
static enum status count_by_name(const struct query *q, const struct count_output *out, struct options_error *error)
{
    struct count_request request = { .options = q->options, .report = q->report, .show_rows = ui_table_rows() };
    struct event_files files;
    enum status s = events_load(q->volume, q->machine, &files, error);

    request.files = files.list;
    request.n_files = files.n;
    if (s == ST_OK)
        s = count_run(q->tools, &request, out, error);
    events_free(&files);
    return s;
}

enum status query_answer(const struct query *q, struct options_error *error)
{
    struct query own = *q;
    struct count_output out = {
        .say = say_line, .show = q->options->quiet ? NULL : show_table, .stop = wants_end, .context = &own
    };

    if (q->options->list == LIST_BOXES)
        count_list_boxes(&q->tools->pmon, &out);
    return asks_for_counts(q->options) ? count_by_name(q, &out, error) : ST_OK;
}
