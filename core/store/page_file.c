/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/store/page_file.h"

#include "core/encoding/base64.h"
#include "core/encoding/gzip.h"
#include "core/page/page.h"

struct packing {
    struct gzip *gzip;
    struct base64 text;
    struct file *page;
    enum status s;
};

static void put_characters(void *context, const char *text, size_t length)
{
    struct packing *p = context;

    if (p->s == ST_OK)
        p->s = file_write(p->page, text, length);
}

static void put_packed(void *context, const uint8_t *bytes, size_t length)
{
    struct packing *p = context;

    base64_add(&p->text, bytes, length);
}

static enum status pack(void *context, const char *bytes, size_t length)
{
    struct packing *p = context;

    gzip_add(p->gzip, bytes, length);
    return p->s;
}

static enum status put_stream(struct packing *p, struct file *stream)
{
    enum status s;

    p->gzip = gzip_begin(p, put_packed);
    if (!p->gzip)
        return file_append(p->page, stream);
    s = file_pass(stream, p, pack);
    gzip_end(p->gzip);
    base64_end(&p->text);
    return s == ST_OK ? p->s : s;
}

enum status page_write(struct file *page, struct file *stream)
{
    struct packing p = { .text.put = put_characters, .page = page, .s = ST_OK };

    p.text.context = &p;
    TRY(file_write(page, page_head, (size_t)(page_head_end - page_head)));
    TRY(put_stream(&p, stream));
    page_put_rest(&p.text);
    return p.s;
}
