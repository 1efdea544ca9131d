/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/net_http.c: GET by EFI_HTTP_PROTOCOL. Source: UEFI 2.10, 29.6.3 to 29.6.8. */
#include <string.h>

#include "core/base/text.h"
#include "efi/http.h"
#include "efi/net_internal.h"
#include "efi/status.h"

#define POLL_US 200u

struct exchange {
    const struct net *net;
    struct service_binding *binding;
    EFI_HANDLE child;
    struct http *http;
    struct http_token token;
    struct http_message message;
    volatile bool done;
};

static VOID EFIAPI token_signalled(EFI_EVENT event, VOID *context)
{
    struct exchange *x = context;

    (void)event;
    x->done = true;
}

/* The token has come back, or is taken back after NET_SECONDS. */
static enum status wait_for_token(struct exchange *x, EFI_STATUS begun)
{
    if (EFI_ERROR(begun))
        return begun == EFI_NO_MAPPING ? ST_UNAVAILABLE : status_from_efi(begun);
    for (uint32_t us = 0; !x->done && us < NET_SECONDS * 1000000u; us += POLL_US) {
        (void)x->http->poll(x->http);
        if (!x->done)
            (void)x->net->bs->Stall(POLL_US);
    }
    if (!x->done) {
        (void)x->http->cancel(x->http, &x->token);
        return ST_TIMEOUT;
    }
    return x->token.status == EFI_HTTP_ERROR ? ST_OK
                                             : status_from_efi(x->token.status); /* that has a status of its own */
}

static struct http_token *new_token(struct exchange *x)
{
    x->done = false;
    x->token.status = EFI_NOT_READY;
    x->token.message = &x->message;
    return &x->token;
}

static enum status open_exchange(struct exchange *x)
{
    static EFI_GUID binding_guid = HTTP_SERVICE_BINDING_GUID, http_guid = HTTP_PROTOCOL_GUID;
    const struct place *p = &x->net->place;
    struct http_v4_access_point v4 = { .use_default_address = !p->has_address };
    struct http_v6_access_point v6 = { .local_port = 0 };
    struct http_config config = { .version = HTTP_VERSION_11, .is_ipv6 = p->has_address && p->ipv6 };
    EFI_BOOT_SERVICES *bs = x->net->bs;
    EFI_STATUS s;

    if (!x->net->nic || EFI_ERROR(bs->HandleProtocol(x->net->nic, &binding_guid, (void **)&x->binding)) ||
        EFI_ERROR(x->binding->create_child(x->binding, &x->child)))
        return ST_UNSUPPORTED;
    s = bs->HandleProtocol(x->child, &http_guid, (void **)&x->http);
    if (!EFI_ERROR(s))
        s = bs->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, token_signalled, x, &x->token.event);
    if (EFI_ERROR(s))
        return status_from_efi(s);
    memcpy(&v4.local_address, p->address, sizeof v4.local_address);
    memcpy(&v4.local_subnet, p->mask, sizeof v4.local_subnet);
    memcpy(&v6.local_address, p->address, sizeof v6.local_address);
    if (config.is_ipv6)
        config.access_point.v6 = &v6;
    else
        config.access_point.v4 = &v4;
    return status_from_efi(x->http->configure(x->http, &config));
}

static void close_exchange(struct exchange *x)
{
    if (x->http)
        (void)x->http->configure(x->http, NULL);
    if (x->token.event)
        (void)x->net->bs->CloseEvent(x->token.event);
    if (x->child)
        (void)x->binding->destroy_child(x->binding, x->child);
}

/* Host and port as the URL has them (RFC 9110 7.2). */
static void authority_of(const char *url, char out[PLACE_URL])
{
    const char *at = text_find(url, "//") + 2;
    size_t n = 0;

    while (at[n] && at[n] != '/')
        n++;
    text_format(out, PLACE_URL, "%.*s", (int)n, at);
}

static enum status send_get(struct exchange *x, const char *url)
{
    static CHAR16 wide[PLACE_URL];
    static char host[PLACE_URL];
    struct http_request request = { HTTP_GET, wide };
    struct http_header headers[] = { { (CHAR8 *)"Host", (CHAR8 *)host },
                                     { (CHAR8 *)"Accept", (CHAR8 *)"*/*" },
                                     { (CHAR8 *)"User-Agent", (CHAR8 *)"Assay" } };

    authority_of(url, host);
    for (size_t i = 0; i == 0 || url[i - 1]; i++)
        wide[i] = (CHAR16)(unsigned char)url[i];
    x->message = (struct http_message){ .data.request = &request,
                                        .n_headers = sizeof headers / sizeof *headers,
                                        .headers = headers };
    return wait_for_token(x, x->http->request(x->http, new_token(x)));
}

/* Content-Length; firmware's headers are given back to it. */
static enum status take_headers(struct exchange *x, uint64_t *length)
{
    enum status s = ST_UNSUPPORTED;

    for (UINTN i = 0; i < x->message.n_headers; i++) {
        struct http_header *h = &x->message.headers[i];

        if (text_equal_nocase((const char *)h->name, "Content-Length") && text_number((const char *)h->value, length))
            s = ST_OK;
        (void)x->net->bs->FreePool(h->name);
        (void)x->net->bs->FreePool(h->value);
    }
    if (x->message.headers)
        (void)x->net->bs->FreePool(x->message.headers);
    return s;
}

static enum status status_of_response(enum http_status status)
{
    switch (status) {
    case HTTP_STATUS_OK:
        return ST_OK;
    case HTTP_STATUS_NOT_FOUND:
        return ST_ABSENT;
    case HTTP_STATUS_UNAUTHORIZED:
    case HTTP_STATUS_FORBIDDEN:
        return ST_READ_ONLY;
    default:
        return ST_IO;
    }
}

/* The rest of the body, as it comes. */
static enum status take_body(struct exchange *x, char *bytes, size_t length)
{
    size_t at = 0;

    while (at < length) {
        enum status s;

        x->message = (struct http_message){ .body = bytes + at, .body_length = length - at };
        s = wait_for_token(x, x->http->response(x->http, new_token(x)));
        if (s != ST_OK)
            return s;
        if (x->message.body_length == 0)
            return ST_IO;
        at += x->message.body_length;
    }
    return ST_OK;
}

static enum status take_response(struct exchange *x, size_t most, char **text, size_t *length)
{
    struct http_response response = { 0 };
    uint64_t size = 0;
    char *bytes;
    enum status s, sized;

    x->message = (struct http_message){ .data.response = &response };
    s = wait_for_token(x, x->http->response(x->http, new_token(x)));
    if (s != ST_OK)
        return s;
    sized = take_headers(x, &size);
    s = status_first(status_of_response(response.status), sized);
    if (s == ST_OK && size > most)
        s = ST_RANGE;
    if (s != ST_OK)
        return s;
    bytes = heap_alloc(size + 1);
    if (!bytes)
        return ST_NO_MEMORY;
    s = take_body(x, bytes, size);
    if (s != ST_OK) {
        heap_free(bytes);
        return s;
    }
    *text = bytes;
    *length = size;
    return ST_OK;
}

enum status net_read_http(const struct net *n, const char *url, size_t most, char **text, size_t *length)
{
    struct exchange x = { .net = n };
    char host[PLACE_URL];
    const char *file;
    uint16_t port;
    enum status s = url_split(url, host, &port, &file);

    if (s != ST_OK || strlen(url) >= PLACE_URL)
        return ST_RANGE;
    s = open_exchange(&x);
    if (s == ST_OK)
        s = send_get(&x, url);
    if (s == ST_OK)
        s = take_response(&x, most, text, length);
    close_exchange(&x);
    return s;
}
