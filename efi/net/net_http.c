/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/net/net_http.c: GET and PUT by EFI_HTTP_PROTOCOL. Source: UEFI 2.10, 29.6.3 to 29.6.8. */
#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"
#include "core/net/content_length.h"
#include "efi/net/http.h"
#include "efi/net/net_internal.h"
#include "efi/net/nic.h"
#include "efi/firmware/status.h"

#define POLL_US          200u
#define SLOWEST_BYTES_MS 32u /* bytes that a millisecond more is waited for */

/* One at a time: several requests to one server can go through its connection. */
static struct exchange {
    struct net *net; /* NULL: closed */
    struct service_binding *binding;
    EFI_HANDLE child;
    struct http *http;
    struct http_token token;
    struct http_message message;
    volatile bool done;
} exchange;

struct request {
    enum http_method method;
    const char *url;
    const void *body; /* NULL: none */
    size_t length;
};

static VOID EFIAPI token_signalled(EFI_EVENT, VOID *context)
{
    struct exchange *x = context;

    x->done = true;
}

/* EDK2 connects and shakes hands within the call, for as long as it thinks right: 60 s for a host that is silent (HTTP_CONNECTION_TIMEOUT
 * in NetworkPkg/HttpDxe). */
static enum status not_begun(struct exchange *x, EFI_STATUS s, const char *url)
{
    if (s == EFI_NO_MAPPING)
        return ST_UNAVAILABLE;
    if (s == EFI_TIMEOUT)
        text_format(x->net->why, sizeof x->net->why, "the server does not answer");
    else if (url_scheme(url) == URL_HTTPS && (s == EFI_ABORTED || s == EFI_DEVICE_ERROR || s == EFI_PROTOCOL_ERROR ||
                                              s == EFI_ACCESS_DENIED || s == EFI_SECURITY_VIOLATION))
        text_format(x->net->why, sizeof x->net->why,
                    "no TLS with this server: refused, or its certificate or name is not accepted (EFI status %u)",
                    (uint32_t)(s & 0xFFFF));
    else
        text_format(x->net->why, sizeof x->net->why, "no connection to the server (EFI status %u)",
                    (uint32_t)(s & 0xFFFF));
    return s == EFI_TIMEOUT ? ST_TIMEOUT : ST_IO;
}

/* The token has come back, or is taken back after NET_SECONDS, and what `bytes` more take. */
static enum status wait_for_token(struct exchange *x, size_t bytes)
{
    uint64_t most = NET_SECONDS * UINT64_C(1000000) + bytes / SLOWEST_BYTES_MS * 1000;

    for (uint64_t us = 0; !x->done && us < most; us += POLL_US) {
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

static bool on_link(const struct boot_source *p, const uint8_t host[4])
{
    if (!p->has_address || p->ipv6 || (p->mask[0] | p->mask[1] | p->mask[2] | p->mask[3]) == 0)
        return false;
    return !ANY_OF(i, 4, (host[i] ^ p->address[i]) & p->mask[i]);
}

/* The address that the image was booted with does for a server on the same link: it knows neither routers nor names. For any other
 * firmware's own is used, with what DHCP says to it. An IPv6 address is firmware's in either case. */
static enum status choose_address(struct net *n, const char *host, struct http_config *c)
{
    const struct boot_source *p = &n->place;
    struct http_v4_access_point *v4 = c->access_point.v4;
    uint8_t four[4], six[16];

    if (url_ipv4(host, four) && on_link(p, four)) {
        memcpy(&v4->local_address, p->address, sizeof v4->local_address);
        memcpy(&v4->local_subnet, p->mask, sizeof v4->local_subnet);
        return ST_OK;
    }
    c->is_ipv6 = !url_ipv4(host, four) && (url_ipv6(host, six) || (p->has_address && p->ipv6));
    v4->use_default_address = !c->is_ipv6;
    return c->is_ipv6 ? ST_OK : nic_address(n->bs, n->nic);
}

static enum status open_exchange(struct exchange *x, struct net *n, const char *url)
{
    static EFI_GUID binding_guid = HTTP_SERVICE_BINDING_GUID, http_guid = HTTP_PROTOCOL_GUID;
    static struct http_v4_access_point v4;
    static struct http_v6_access_point v6;
    struct http_config config = { .version = HTTP_VERSION_11, .access_point.v4 = &v4 };
    EFI_BOOT_SERVICES *bs = n->bs;
    char host[BOOT_SOURCE_URL];
    const char *file;
    uint16_t port;
    EFI_STATUS s;
    enum status chosen;

    if (url_split(url, host, &port, &file) != ST_OK || strlen(url) >= BOOT_SOURCE_URL)
        return ST_RANGE;
    if (!n->nic || EFI_ERROR(bs->HandleProtocol(n->nic, &binding_guid, (void **)&x->binding)))
        return ST_UNSUPPORTED;
    x->net = n;
    memset(&v4, 0, sizeof v4);
    memset(&v6, 0, sizeof v6);
    chosen = choose_address(n, host, &config);
    if (chosen != ST_OK) {
        text_format(n->why, sizeof n->why, "the interface has no address: DHCP: %s", status_text(chosen));
        return chosen;
    }
    if (config.is_ipv6 && n->place.ipv6)
        memcpy(&v6.local_address, n->place.address, sizeof v6.local_address);
    if (config.is_ipv6)
        config.access_point.v6 = &v6;
    s = x->binding->create_child(x->binding, &x->child);
    if (!EFI_ERROR(s))
        s = bs->HandleProtocol(x->child, &http_guid, (void **)&x->http);
    if (!EFI_ERROR(s))
        s = bs->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, token_signalled, x, &x->token.event);
    return status_from_efi(EFI_ERROR(s) ? s : x->http->configure(x->http, &config));
}

void net_close_http(void)
{
    struct exchange *x = &exchange;

    if (!x->net)
        return;
    if (x->http)
        (void)x->http->configure(x->http, NULL);
    if (x->token.event)
        (void)x->net->bs->CloseEvent(x->token.event);
    if (x->child)
        (void)x->binding->destroy_child(x->binding, x->child);
    memset(x, 0, sizeof *x);
}

/* Host and port as the URL has them (RFC 9110 7.2). */
static void authority_of(const char *url, char out[BOOT_SOURCE_URL])
{
    const char *at = text_find(url, "//") + 2;
    size_t n = 0;

    while (at[n] && at[n] != '/')
        n++;
    text_format(out, BOOT_SOURCE_URL, "%.*s", (int)n, at);
}

static void add_header(struct http_message *m, const char *name, const char *value)
{
    m->headers[m->n_headers++] = (struct http_header){ (CHAR8 *)(uintptr_t)name, (CHAR8 *)(uintptr_t)value };
}

static enum status send_request(struct exchange *x, const struct request *r)
{
    static CHAR16 wide[BOOT_SOURCE_URL];
    static char host[BOOT_SOURCE_URL], token[BOOT_SOURCE_URL], size[24];
    struct http_request request = { r->method, wide };
    struct http_header headers[6];
    EFI_STATUS s;

    authority_of(r->url, host);
    for (size_t i = 0; i == 0 || r->url[i - 1]; i++)
        wide[i] = (CHAR16)(unsigned char)r->url[i];
    x->message = (struct http_message){ .data.request = &request, .headers = headers };
    add_header(&x->message, "Host", host);
    add_header(&x->message, "Accept", "*/*");
    add_header(&x->message, "User-Agent", "Assay");
    if (r->method == HTTP_PUT) {
        text_format(size, sizeof size, "%zu", r->length);
        add_header(&x->message, "Content-Length", size);
        x->message.body = (VOID *)(uintptr_t)r->body;
        x->message.body_length = r->length;
    }
    if (r->method != HTTP_GET && x->net->token) {
        text_format(token, sizeof token, "Bearer %s", x->net->token);
        add_header(&x->message, "Authorization", token);
    }
    s = x->http->request(x->http, new_token(x));
    return EFI_ERROR(s) ? not_begun(x, s, r->url) : wait_for_token(x, r->length);
}

struct answer {
    uint32_t code; /* as HTTP has it; 0: firmware has no name for it */
    uint64_t size;
    enum status sized; /* of content_length_add(); ST_UNSUPPORTED: without Content-Length */
    bool interim;      /* 100 Continue: the answer proper comes after it */
    char location[BOOT_SOURCE_URL];
};

/* Firmware's headers are given back to it. */
static void take_headers(struct exchange *x, struct answer *a)
{
    for (UINTN i = 0; i < x->message.n_headers; i++) {
        struct http_header *h = &x->message.headers[i];

        if (text_equal_nocase((const char *)h->name, "Content-Length"))
            a->sized = content_length_add((const char *)h->value, a->sized, &a->size);
        if (text_equal_nocase((const char *)h->name, "Location") &&
            text_format(a->location, sizeof a->location, "%s", (const char *)h->value) >= sizeof a->location)
            a->location[0] = '\0';
        (void)x->net->bs->FreePool(h->name);
        (void)x->net->bs->FreePool(h->value);
    }
    if (x->message.headers)
        (void)x->net->bs->FreePool(x->message.headers);
}

static uint32_t code_of(enum http_status s)
{
    if (s >= HTTP_STATUS_OK && s <= HTTP_STATUS_PARTIAL)
        return 200 + (uint32_t)(s - HTTP_STATUS_OK);
    if (s >= HTTP_STATUS_MULTIPLE_CHOICES && s <= HTTP_STATUS_USE_PROXY)
        return 300 + (uint32_t)(s - HTTP_STATUS_MULTIPLE_CHOICES);
    if (s == HTTP_STATUS_TEMPORARY_REDIRECT)
        return 307;
    if (s >= HTTP_STATUS_BAD_REQUEST && s <= HTTP_STATUS_EXPECTATION_FAILED)
        return 400 + (uint32_t)(s - HTTP_STATUS_BAD_REQUEST);
    if (s >= HTTP_STATUS_SERVER_ERROR && s <= HTTP_STATUS_VERSION)
        return 500 + (uint32_t)(s - HTTP_STATUS_SERVER_ERROR);
    return s == HTTP_STATUS_PERMANENT_REDIRECT ? 308 : 0;
}

static enum status status_of_code(uint32_t code)
{
    switch (code) {
    case 200:
        return ST_OK;
    case 404:
        return ST_ABSENT;
    case 401:
    case 403:
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
        EFI_STATUS begun;

        x->message = (struct http_message){ .body = bytes + at, .body_length = length - at };
        begun = x->http->response(x->http, new_token(x));
        TRY(EFI_ERROR(begun) ? status_from_efi(begun) : wait_for_token(x, 0));
        if (x->message.body_length == 0)
            return ST_IO;
        at += x->message.body_length;
    }
    return ST_OK;
}

static enum status http_answer(struct exchange *x, struct answer *a)
{
    struct http_response response = { 0 };
    EFI_STATUS begun;

    *a = (struct answer){ .sized = ST_UNSUPPORTED };
    x->message = (struct http_message){ .data.response = &response };
    begun = x->http->response(x->http, new_token(x));
    TRY(EFI_ERROR(begun) ? status_from_efi(begun) : wait_for_token(x, 0));
    take_headers(x, a);
    if (a->sized == ST_CORRUPT) {
        text_format(x->net->why, sizeof x->net->why,
                    "the server's answer has an invalid Content-Length, or two that differ");
        return ST_CORRUPT;
    }
    a->code = code_of(response.status);
    a->interim = response.status == HTTP_STATUS_CONTINUE;
    return ST_OK;
}

static enum status http_file(struct exchange *x, const struct answer *a, size_t most, char **text, size_t *length)
{
    enum status s = status_first(status_of_code(a->code), a->sized);
    char *bytes;

    if (a->code == 0)
        text_format(x->net->why, sizeof x->net->why, "the server's answer has a status that firmware does not know");
    else if (a->code != 200)
        text_format(x->net->why, sizeof x->net->why, "the server answers %u%s%s", a->code, a->location[0] ? ": " : "",
                    a->location);
    else if (a->sized != ST_OK)
        text_format(x->net->why, sizeof x->net->why, "the server's answer has no Content-Length");
    if (s == ST_OK && a->size > most)
        s = ST_RANGE;
    TRY(s);
    TRY_HEAP(bytes, a->size + 1);
    s = take_body(x, bytes, a->size);
    if (s != ST_OK) {
        text_format(x->net->why, sizeof x->net->why, "less came than Content-Length says");
        heap_free(bytes);
        return s;
    }
    *text = bytes;
    *length = a->size;
    return ST_OK;
}

/* Where the answer sends the request, on the same server: another one is not asked. false: nowhere. */
static bool follow(const struct answer *a, char url[BOOT_SOURCE_URL])
{
    size_t root = (size_t)(text_find(url, "//") - url) + 2, length = strlen(a->location);

    if (a->code != 301 && a->code != 302 && a->code != 303 && a->code != 307 && a->code != 308)
        return false;
    while (url[root] && url[root] != '/')
        root++;
    if (a->location[0] == '/' && a->location[1] != '/' && root + length < BOOT_SOURCE_URL) {
        text_format(url + root, BOOT_SOURCE_URL - root, "%s", a->location);
        return true;
    }
    if (strncmp(a->location, url, root) != 0 || a->location[root] != '/')
        return false;
    text_format(url, BOOT_SOURCE_URL, "%s", a->location);
    return true;
}

#define REDIRECTS_MOST 5u

enum status net_read_http(struct net *n, const char *url, size_t most, char **text, size_t *length)
{
    static char at[BOOT_SOURCE_URL];
    static struct answer answer;

    text_format(at, sizeof at, "%s", url);
    for (uint32_t i = 0;; i++) {
        TRY(strlen(url) < sizeof at ? open_exchange(&exchange, n, at) : ST_RANGE);
        TRY(send_request(&exchange, &(struct request){ .method = HTTP_GET, .url = at }));
        TRY(http_answer(&exchange, &answer));
        if (i == REDIRECTS_MOST || !follow(&answer, at))
            return http_file(&exchange, &answer, most, text, length);
        net_close_http();
    }
}

#define INTERIM_MOST 4u

/* After 100 Continue, which a server may send unasked (RFC 9110 15.2). EDK2 gives one answer for each request and loses what
 * came with the first (HttpResponseWorker() in NetworkPkg/HttpDxe), so the next one is that of the PUT or of this HEAD: a
 * 201 or 204, or a file as long as what was sent, says that the server has it. */
static enum status answer_after_interim(struct exchange *x, const struct request *put, struct answer *a)
{
    const struct request head = { .method = HTTP_HEAD, .url = put->url };
    enum status s = ST_OK;

    for (uint32_t i = 0; i < INTERIM_MOST && a->interim && s == ST_OK; i++) {
        s = send_request(x, &head);
        if (s == ST_OK)
            s = http_answer(x, a);
    }
    if (a->code == 200 && (a->sized != ST_OK || a->size != put->length))
        a->code = 0;
    return s;
}

/* What an answer has after its headers is left where it is, and the connection is closed with it. */
enum status net_write_http(struct net *n, const char *url, const void *bytes, size_t length, uint32_t *code)
{
    struct request put = { .method = HTTP_PUT, .url = url, .body = bytes, .length = length };
    struct answer answer = { 0 };
    bool interim;
    enum status s = exchange.net ? ST_OK : open_exchange(&exchange, n, url);

    if (s == ST_OK)
        s = send_request(&exchange, &put);
    if (s == ST_OK)
        s = http_answer(&exchange, &answer);
    interim = answer.interim;
    if (s == ST_OK && interim)
        s = answer_after_interim(&exchange, &put, &answer);
    *code = answer.code;
    if (s != ST_OK || answer.size > 0 || answer.sized != ST_OK || interim)
        net_close_http();
    return s;
}
