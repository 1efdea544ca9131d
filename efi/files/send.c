/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/files/send.h"

#include <string.h>

#include "core/encoding/base64.h"
#include "core/encoding/gzip.h"
#include "core/base/heap.h"
#include "core/base/text.h"
#include "core/encoding/wire.h"
#include "core/page/page.h"
#include "core/report/figures.h"
#include "efi/console/console.h"
#include "core/store/files.h"
#include "efi/net/net.h"
#include "efi/net/nic.h"
#include "efi/files/volumes.h"

static struct {
    EFI_SYSTEM_TABLE *st;
    const struct platform *platform;
    bool held; /* it was said that everything waits for the end */
} own;

static enum status send_put(void *, const char *url, const void *bytes, size_t length, struct upload_answer *a)
{
    enum status s = net_write(url, bytes, length, &a->code);

    text_format(a->why, sizeof a->why, "%s", net_why());
    if (s == ST_UNSUPPORTED && !a->why[0])
        text_format(a->why, sizeof a->why, "this firmware does not speak that protocol, or not for the way it booted");
    return s;
}

static void wake(void *)
{
    net_wake();
}

static void quiet(void *)
{
    net_quiet();
}

static uint64_t seconds(void *)
{
    const struct platform *p = own.platform;

    return p->ops->tsc(p->machine) / (p->tsc_hz ? p->tsc_hz : 1);
}

static void pause(void *, uint32_t n)
{
    (void)own.st->BootServices->Stall(n * 1000000u);
}

static void send_say(void *, const char *text)
{
    console_say("assay: upload: %s", text);
}

static const struct upload_ops ops = {
    .put = send_put, .wake = wake, .quiet = quiet, .seconds = seconds, .pause = pause, .say = send_say
};

void send_begin(struct upload *u, EFI_SYSTEM_TABLE *st, const struct platform *p, const struct options *o,
                const char *run)
{
    memset(u, 0, sizeof *u);
    own.st = st;
    own.platform = p;
    own.held = false;
    if (!o->out[0])
        return;
    if (upload_begin(u, &ops, NULL, o->out, run) != ST_OK)
        console_say("assay: out = %s is no URL of a folder, or too long", o->out);
    else if (net_prepare(o->out, o->token) != ST_OK)
        send_say(NULL, u->scheme == URL_TFTP ? "tftp takes a boot by PXE: this image came from elsewhere"
                                             : "firmware has no network interface that speaks HTTP");
}

bool send_is_on(const struct upload *u)
{
    return u->ops != NULL;
}

void send_go_on(struct upload *u, const struct upload_mark *m)
{
    uint64_t has;

    if (!send_is_on(u) || u->scheme == URL_TFTP)
        return;
    has = upload_go_on(u, m);
    if (has > 0 || m->bytes == 0)
        console_say("assay: upload: the server has %lu bytes of the %lu that the boot before left", has,
                    u->stream.length);
    else
        send_say(NULL, "the medium has lost some of what the server has: the stream is sent again from its beginning");
}

void send_between(struct upload *u)
{
    if (!send_is_on(u))
        return;
    if (net_works()) {
        upload_between(u);
    } else if (!own.held) {
        own.held = true;
        send_say(NULL,
                 "firmware's network does not work while its StartupAllAPs blocks: everything is sent at the end");
    }
}

void send_report(const struct upload *u, struct report *r)
{
    char text[640];

    nic_describe(text, sizeof text);
    if (text[0])
        report_log(r, "INFO", "%s", text);
    if (!send_is_on(u))
        return;
    upload_describe(u, text, sizeof text);
    report_log(r, u->failed ? "WARNING" : "INFO", "network: sent until here: %s", text);
}

/* --- the end --------------------------------------------------------------------------------------------------------- */

static void send_base64(void *context, const char *text, size_t length)
{
    kept_add(context, text, length);
}

static void send_gzip(void *context, const uint8_t *bytes, size_t length)
{
    base64_add(context, bytes, length);
}

/* report.html of memory, as core/store/page_file.h has it of files. */
static void make_page(const struct kept *stream, struct kept *page)
{
    struct base64 text = { .put = send_base64, .context = page };
    struct gzip *gzip = gzip_begin(&text, send_gzip);

    kept_add(page, page_head, (size_t)(page_head_end - page_head));
    if (gzip) {
        gzip_add(gzip, stream->bytes, stream->length);
        gzip_end(gzip);
        base64_end(&text);
    } else {
        kept_add(page, stream->bytes, stream->length);
    }
    page_put_rest(&text);
}

static enum status keep_figures(void *kept, const char *bytes, size_t length)
{
    struct kept *k = kept;

    kept_add(k, bytes, length);
    return k->lost ? ST_NO_MEMORY : ST_OK;
}

static void make_figures(const struct kept *stream, struct kept *kept)
{
    struct figures f;

    figures_begin(&f, kept, keep_figures);
    figures_add(&f, stream->bytes, stream->length);
    kept->lost = figures_end(&f) != ST_OK;
}

static bool send_all(struct upload *u)
{
    struct kept figures = { 0 }, page = { 0 };
    bool whole;

    make_figures(&u->stream, &figures);
    make_page(&u->stream, &page);
    whole = upload_end(u, &figures, &page);
    heap_free(figures.bytes);
    heap_free(page.bytes);
    return whole;
}

/* --- what the server did not take ------------------------------------------------------------------------------------- */

static void send_wire(void *, const char *text, size_t length)
{
    console_plain(text, length);
}

static void show_stream(const struct upload *u)
{
    struct wire wire = { .put = send_wire };

    wire_begin(&wire, true);
    wire_add(&wire, u->stream.bytes, u->stream.length);
    wire_end(&wire);
}

static enum status write_kept(const struct volume *v, const char *folder, const char *name, const struct kept *k)
{
    char path[FILE_PATH];
    struct file f;
    enum status s;

    text_format(path, sizeof path, "%s\\%s", folder, name);
    s = file_create(v, path, &f);
    if (s == ST_OK)
        s = file_write(&f, k->bytes, k->length);
    if (s == ST_OK)
        s = file_flush(&f);
    file_end(&f);
    return s;
}

static void write_to_stick(const struct upload *u)
{
    static const struct volume none;
    const char *path = "ASSAY:\\assay\\reports";
    char folder[FILE_PATH];
    struct volume v;
    enum status s = volume_of(own.st, &none, &path, &v);

    if (s != ST_OK) {
        send_say(NULL, "there is no volume labelled ASSAY");
        return;
    }
    text_format(folder, sizeof folder, "%s\\%s", path, u->run);
    s = folder_make(&v, folder);
    if (s == ST_OK)
        s = write_kept(&v, folder, "report.jsonl", &u->stream);
    if (s == ST_OK)
        s = write_kept(&v, folder, "report.txt", &u->text);
    console_say("assay: upload: %s on volume \"%s\": %s", folder, v.label, s == ST_OK ? "written" : status_text(s));
}

static bool offer(struct upload *u)
{
    send_say(NULL,
             "R: try again; S: show report.jsonl here, for a serial capture; W: write it to a stick labelled ASSAY; "
             "Esc: continue");
    for (uint32_t left = SEND_SECONDS * 10; left > 0; left--) {
        uint32_t key = console_key();

        if (left % 10 == 0)
            console_progress("The report is in memory only: R, S, W or Esc (%u s)", left / 10);
        if (key == 'r' || key == 'R') {
            if (send_all(u))
                break;
            send_say(NULL, u->why);
        } else if (key == 's' || key == 'S') {
            show_stream(u);
        } else if (key == 'w' || key == 'W') {
            write_to_stick(u);
        } else if (key == (0x100 | SCAN_ESC)) {
            break;
        }
        if (key != 0)
            left = SEND_SECONDS * 10;
        (void)own.st->BootServices->Stall(100000);
    }
    console_progress("%s", "");
    return u->whole;
}

bool send_end(struct upload *u, bool on_medium)
{
    char text[640];
    bool whole;

    if (!send_is_on(u))
        return true;
    console_progress("%s", "sending the report");
    whole = send_all(u);
    console_progress("%s", "");
    upload_describe(u, text, sizeof text);
    if (!whole) {
        console_say("assay: upload: the report is NOT on the server: %s", u->why);
        whole = !on_medium && offer(u);
        upload_describe(u, text, sizeof text);
    }
    console_say("%s: %s", whole ? "report" : "assay: upload: sent in all", text);
    upload_free(u);
    return whole;
}
