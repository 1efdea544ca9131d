/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/store/resume_run.h"

#include <string.h>

#include "core/base/text.h"
#include "core/diagnosis/symptoms_stream.h"

/* false: a new run was asked for. */
static bool ask(const struct resume *r, const struct volume *out)
{
    char what[JOURNAL_CHECK + 16];

    resume_what(&r->found, what, sizeof what);
    return r->ops->ask(out, what, r->found.folder);
}

static void new_run(struct resume *r, const char *why)
{
    r->plan = (struct resume_plan){ .answer = RESUME_NEW, .boot = 1, .why = why };
}

void resume_find(struct resume *r, struct reports *reports, const struct volume *out, const char *folder,
                 const struct smbios_info *smbios, const struct options *o, const char *build_id)
{
    const char *why;
    enum status s;

    journal_settings(r->journal.now.settings, o, build_id);
    s = journal_read(&r->journal, out, folder, smbios, &r->found);
    r->plan = resume_decide(s == ST_OK ? &r->found : NULL, r->journal.now.machine, r->journal.now.settings);
    r->journal.now.number = s == ST_OK ? r->found.number : 0;
    if (r->plan.answer == RESUME_NEW)
        return;
    if (o->resume == RESUME_NEVER) {
        new_run(r, "-resume never");
        return;
    }
    if (o->resume == RESUME_ASK && r->plan.answer == RESUME_GO_ON && !ask(r, out)) {
        new_run(r, "a new run was asked for");
        return;
    }
    r->tail.also = symptoms_take_line;
    r->tail.also_context = &r->symptoms;
    r->tail.of_monitor = check_is_of_monitor;
    why = reports_reopen(reports, out, folder, r->found.folder, r->found.stream, &r->tail);
    if (why) {
        symptoms_free(&r->symptoms);
        new_run(r, why);
    }
}

static void name_sent(struct journal_record *now, const struct upload_mark *m)
{
    now->sent = m->bytes;
    now->sent_crc = m->crc;
    now->sent_next = m->next;
    now->sent_name = m->name;
}

struct upload_mark resume_mark(const struct resume *r)
{
    return (struct upload_mark){
        .bytes = r->found.sent, .crc = r->found.sent_crc, .next = r->found.sent_next, .name = r->found.sent_name
    };
}

/* How much of it is on the medium and on the server, and its folder's last part: where a medium failed, it is another one than at
 * first. */
static void name_report(struct resume *r)
{
    const char *folder = r->reports->folder, *name = folder + strlen(folder);

    while (name > folder && name[-1] != '\\' && name[-1] != '/')
        name--;
    text_format(r->journal.now.folder, sizeof r->journal.now.folder, "%s", name);
    r->journal.now.stream = r->reports->jsonl.flushed;
    if (r->reports->upload) {
        const struct upload_mark m = upload_mark(r->reports->upload);

        name_sent(&r->journal.now, &m);
    }
}

enum status resume_begin(struct resume *r, const struct reports *reports, const struct volume *out)
{
    struct journal_record *now = &r->journal.now;

    now->phase = JOURNAL_STARTING;
    now->boot = r->plan.boot;
    now->stalled = r->plan.stalled;
    now->armed = r->armed;
    if (r->plan.answer != RESUME_NEW) {
        now->seconds = r->found.seconds;
        now->round = r->found.round;
        memcpy(now->check, r->found.check, sizeof now->check);
        now->untold = resume_check_is_open(r);
        const struct upload_mark m = resume_mark(r);

        name_sent(now, &m);
    }
    r->reports = reports;
    name_report(r);
    return journal_begin(&r->journal, out);
}

/* Of a stream that is on the medium without its end, as that failed: in which phase it did is the journal's last record. A
 * journal's file takes no room that it has not had from its beginning. */
static bool report_broke_off(struct resume *r)
{
    struct journal_record *now = &r->journal.now;

    if (!r->reports)
        return false;
    if (r->returns != r->reports->returns) { /* the medium is back, or replaced */
        r->returns = r->reports->returns;
        now->medium = ST_OK;
        journal_again(&r->journal);
    }
    if (r->reports->jsonl.failed == ST_OK || r->reports->jsonl.flushed == 0)
        return false;
    if (now->medium != ST_OK)
        return true;
    now->medium = r->reports->jsonl.failed;
    name_report(r);
    journal_put(&r->journal);
    return true;
}

void resume_at(struct resume *r, const struct platform *p, enum journal_phase phase, const char *check, uint32_t round,
               uint32_t seconds)
{
    struct journal_record *now = &r->journal.now;
    uint64_t hz = p->tsc_hz ? p->tsc_hz : 1, tsc = p->ops->tsc(p->machine);

    r->armed = r->ops->arm(seconds);
    if (report_broke_off(r))
        return;
    if (r->begun_tsc == 0)
        r->begun_tsc = tsc;
    now->phase = phase;
    if (r->reports)
        name_report(r);
    now->armed = r->armed;
    now->utc_ms = p->ops->utc_ns(p->machine) / 1000000;
    now->seconds = (r->plan.answer == RESUME_NEW ? 0 : r->found.seconds) + (uint32_t)((tsc - r->begun_tsc) / hz);
    now->last_steps[0] = '\0';
    if (check) {
        text_format(now->check, sizeof now->check, "%s", check);
        now->round = round;
    }
    r->busy = true;
    journal_put(&r->journal);
    r->busy = false;
}

void resume_progress(struct resume *r)
{
    r->journal.now.stalled = 0;
}

void resume_told(struct resume *r)
{
    r->journal.now.untold &= r->reports && r->reports->jsonl.failed != ST_OK;
}

void resume_end(struct resume *r)
{
    if (report_broke_off(r))
        file_close(&r->journal.file);
    else
        journal_end(&r->journal);
}

void resume_last_words(void *context)
{
    struct resume *r = context;

    if (r->busy || r->journal.now.medium != ST_OK)
        return;
    r->ops->last_steps(r->journal.now.last_steps, sizeof r->journal.now.last_steps);
    journal_put(&r->journal);
}

bool resume_check_is_open(const struct resume *r)
{
    return (r->found.phase == JOURNAL_CHECKING || r->found.untold) &&
           stream_tail_lacks(&r->tail, r->found.check, r->found.round);
}
