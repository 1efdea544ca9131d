/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/net/boot_source.h"

#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"

/* --- URLs ---------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    enum url_scheme scheme;
} schemes[] = { { "tftp://", URL_TFTP }, { "http://", URL_HTTP }, { "https://", URL_HTTPS } };

static size_t scheme_length(const char *url, enum url_scheme *scheme)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t n = strlen(schemes[i].text), same = 0;

        while (same < n && (url[same] == schemes[i].text[same] || (url[same] | 0x20) == schemes[i].text[same]))
            same++;
        if (same == n) {
            *scheme = schemes[i].scheme;
            return n;
        }
    }
    *scheme = URL_NONE;
    return 0;
}

enum url_scheme url_scheme(const char *url)
{
    enum url_scheme scheme;

    (void)scheme_length(url, &scheme);
    return scheme;
}

static enum status take_port(const char *text, uint16_t *port)
{
    uint32_t n = 0;

    for (; *text >= '0' && *text <= '9' && n <= UINT16_MAX; text++)
        n = 10 * n + (uint32_t)(*text - '0');
    if ((*text != '\0' && *text != '/') || n == 0 || n > UINT16_MAX)
        return ST_RANGE;
    *port = (uint16_t)n;
    return ST_OK;
}

enum status url_split(const char *url, char host[BOOT_SOURCE_URL], uint16_t *port, const char **file)
{
    enum url_scheme scheme;
    const char *at = url + scheme_length(url, &scheme);
    bool bracket = *at == '[';
    size_t n = 0;

    at += bracket;
    while (at[n] && at[n] != '/' && at[n] != (bracket ? ']' : ':'))
        n++;
    if (scheme == URL_NONE || n == 0 || n >= BOOT_SOURCE_URL || (bracket && at[n] != ']'))
        return ST_RANGE;
    memcpy(host, at, n);
    host[n] = '\0';
    at += n + bracket;
    *port = 0;
    if (*at == ':' && take_port(at + 1, port) != ST_OK)
        return ST_RANGE;
    while (*at && *at != '/')
        at++;
    *file = *at ? at + 1 : at;
    return ST_OK;
}

bool url_ipv4(const char *host, uint8_t address[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t n = 0, digits = 0;

        for (; *host >= '0' && *host <= '9' && digits < 4; host++, digits++)
            n = 10 * n + (uint32_t)(*host - '0');
        if (digits == 0 || digits > 3 || n > 255 || *host != (i < 3 ? '.' : '\0'))
            return false;
        address[i] = (uint8_t)n;
        host++;
    }
    return true;
}

bool url_ipv6(const char *host, uint8_t address[16])
{
    uint8_t groups[16];
    size_t n = 0, gap = SIZE_MAX;

    memset(address, 0, 16);
    if (host[0] == ':' && host[1] != ':')
        return false;
    while (*host) {
        uint32_t value = 0, digits = 0;

        if (host[0] == ':' && host[1] == ':') {
            if (gap != SIZE_MAX)
                return false;
            gap = n;
            host += 2;
            continue;
        }
        if (*host == ':')
            host++;
        for (; text_hex_digit(*host) >= 0 && digits < 5; host++, digits++)
            value = value << 4 | (uint32_t)text_hex_digit(*host);
        if (digits == 0 || digits > 4 || (*host && *host != ':') || n == 16)
            return false;
        groups[n++] = (uint8_t)(value >> 8);
        groups[n++] = (uint8_t)value;
    }
    if (gap == SIZE_MAX ? n != 16 : n > 14)
        return false;
    if (gap == SIZE_MAX)
        gap = 16;
    memcpy(address, groups, gap < n ? gap : n);
    if (gap < n)
        memcpy(address + 16 - (n - gap), groups + gap, n - gap);
    return true;
}

static size_t text_length(const uint8_t *text, size_t most)
{
    size_t n = 0;

    while (n < most && text[n])
        n++;
    return n;
}

/* A URL without what stands after its last '/', nor a query. */
static enum status take_folder(const char *text, size_t length, struct boot_source *p)
{
    char url[BOOT_SOURCE_URL], host[BOOT_SOURCE_URL];
    const char *file;
    uint16_t port;
    size_t end = 0;

    if (length == 0)
        return ST_ABSENT;
    if (length >= sizeof url)
        return ST_CORRUPT;
    if (ANY_OF(i, length, text[i] <= 0x20 || text[i] >= 0x7F))
        return ST_CORRUPT;
    memcpy(url, text, length);
    url[length] = '\0';
    if (url_scheme(url) == URL_NONE)
        return ST_ABSENT;
    if (url_split(url, host, &port, &file) != ST_OK || file == url + length)
        return ST_CORRUPT;
    for (size_t i = (size_t)(file - url); i <= length && url[i - 1] != '?'; i++)
        if (url[i - 1] == '/')
            end = i;
    memcpy(p->folder, url, end);
    p->folder[end] = '\0';
    return ST_OK;
}

/* --- where the image came from ---------------------------------------------------------------------------------------- */

enum { MESSAGING = 3, MAC_NODE = 11, IPV4_NODE = 12, IPV6_NODE = 13, URI_NODE = 24, END = 0x7F };

static void take_address(struct boot_source *p, const uint8_t *local, size_t n, const uint8_t *mask)
{
    static const uint8_t none[16];

    if (memcmp(local, none, n) == 0)
        return;
    p->has_address = true;
    p->ipv6 = n == 16;
    memcpy(p->address, local, n);
    if (mask)
        memcpy(p->mask, mask, sizeof p->mask);
}

static enum status take_node(const uint8_t *node, size_t length, struct boot_source *p)
{
    if (node[1] == MAC_NODE && length >= 37 && node[36] <= 1) { /* interface type Ethernet, or none */
        p->has_mac = true;
        memcpy(p->mac, node + 4, sizeof p->mac);
    } else if (node[1] == IPV4_NODE && length >= 19) {
        take_address(p, node + 4, 4, length >= 27 ? node + 23 : NULL);
    } else if (node[1] == IPV6_NODE && length >= 60) {
        take_address(p, node + 4, 16, NULL);
    } else if (node[1] == URI_NODE) {
        /* EDK2's HTTP boot ends the text with a NUL; by UEFI 2.10, 10.3.4.23 its length ends it. */
        return take_folder((const char *)node + 4, text_length(node + 4, length - 4), p);
    }
    return ST_ABSENT;
}

enum status boot_source_of_path(const uint8_t *path, size_t size, struct boot_source *p)
{
    enum status found = ST_ABSENT;

    while (size >= 4 && (path[0] & 0x7F) != END) {
        size_t length = path[2] | (size_t)path[3] << 8;
        enum status s = ST_ABSENT;

        if (length < 4 || length > size)
            return ST_CORRUPT;
        if (path[0] == MESSAGING)
            s = take_node(path, length, p);
        if (s == ST_CORRUPT)
            return s;
        if (s == ST_OK)
            found = s;
        path += length;
        size -= length;
    }
    return found;
}

struct option {
    const uint8_t *at; /* NULL: not there */
    size_t length;
};

#define COOKIE 236u /* the magic cookie, after which options stand */

static enum status option_of(const uint8_t *packet, size_t size, uint8_t code, struct option *o)
{
    *o = (struct option){ NULL, 0 };
    for (size_t i = COOKIE + 4; i < size && packet[i] != 255;) {
        if (packet[i] == 0) {
            i++;
            continue;
        }
        if (i + 2 > size || i + 2 + packet[i + 1] > size)
            return ST_CORRUPT;
        if (packet[i] == code && !o->at)
            *o = (struct option){ packet + i + 2, packet[i + 1] };
        i += 2u + packet[i + 1];
    }
    return ST_OK;
}

/* Names are left to firmware's boot: TFTP of EFI_PXE_BASE_CODE takes addresses. */
static bool server_of(const uint8_t *packet, const struct option *name, const struct option *id, uint8_t server[4])
{
    static const uint8_t none[4];
    char text[16];
    size_t n = name->at ? text_length(name->at, name->length) : 0;

    if (n > 0 && n < sizeof text) {
        memcpy(text, name->at, n);
        text[n] = '\0';
        if (url_ipv4(text, server))
            return true;
    }
    memcpy(server, packet + 20, 4);
    if (memcmp(server, none, 4) == 0 && id->at && id->length == 4)
        memcpy(server, id->at, 4);
    return memcmp(server, none, 4) != 0;
}

enum status boot_source_of_dhcp4(const uint8_t *packet, size_t size, struct boot_source *p)
{
    enum { SERVER_ID = 54, OVERLOAD = 52, SERVER_NAME = 66, FILE_NAME = 67, FILE_FIELD = 108, FILE_SIZE = 128 };
    static const uint8_t cookie[4] = { 99, 130, 83, 99 };
    struct option name, id, file, overload;
    char url[BOOT_SOURCE_URL];
    uint8_t server[4];
    size_t n;
    enum status s;

    if (size < COOKIE + 4 || memcmp(packet + COOKIE, cookie, sizeof cookie) != 0)
        return ST_CORRUPT;
    s = option_of(packet, size, SERVER_NAME, &name);
    s = status_first(s, option_of(packet, size, SERVER_ID, &id));
    s = status_first(s, option_of(packet, size, FILE_NAME, &file));
    s = status_first(s, option_of(packet, size, OVERLOAD, &overload));
    TRY(s);
    if (!file.at && !(overload.at && overload.length == 1 && (overload.at[0] & 1)))
        file = (struct option){ packet + FILE_FIELD, FILE_SIZE };
    n = file.at ? text_length(file.at, file.length) : 0;
    if (n == 0)
        return ST_ABSENT;
    if (n > 4 && memcmp(file.at, "http", 4) == 0)
        return take_folder((const char *)file.at, n, p);
    if (!server_of(packet, &name, &id, server))
        return ST_ABSENT;
    n = text_format(url, sizeof url, "tftp://%u.%u.%u.%u/%.*s", server[0], server[1], server[2], server[3], (int)n,
                    (const char *)file.at);
    return take_folder(url, n, p);
}

enum status boot_source_of_dhcp6(const uint8_t *packet, size_t size, struct boot_source *p)
{
    enum { BOOT_FILE_URL = 59 };
    size_t i = 4;

    while (i + 4 <= size) {
        size_t code = (size_t)packet[i] << 8 | packet[i + 1], length = (size_t)packet[i + 2] << 8 | packet[i + 3];

        if (code == 0) /* firmware keeps packets in a buffer of zeros */
            return ST_ABSENT;
        if (length > size - i - 4)
            return ST_CORRUPT;
        if (code == BOOT_FILE_URL)
            return take_folder((const char *)packet + i + 4, text_length(packet + i + 4, length), p);
        i += 4 + length;
    }
    return ST_ABSENT;
}

/* --- files beside the image ------------------------------------------------------------------------------------------- */

enum status boot_source_file(const struct boot_source *p, const char *path, char url[BOOT_SOURCE_URL])
{
    size_t n;

    while (*path == '\\' || *path == '/')
        path++;
    n = text_format(url, BOOT_SOURCE_URL, "%s%s", p->folder, path);
    if (n >= BOOT_SOURCE_URL)
        return ST_RANGE;
    for (size_t i = strlen(p->folder); i < n; i++)
        if (url[i] == '\\')
            url[i] = '/';
    return ST_OK;
}

static void plain_name(const char *text, char name[BOOT_SOURCE_NAME])
{
    size_t n = text_format(name, BOOT_SOURCE_NAME, "%.40s", text);

    for (size_t i = 0; i < n; i++) {
        char c = name[i];

        if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
            name[i] = '-';
    }
}

void boot_source_names(const struct boot_source *p, const char *serial, const char *model,
                       char names[BOOT_SOURCE_NAMES][BOOT_SOURCE_NAME])
{
    const uint8_t *m = p->mac;

    plain_name(serial, names[0]);
    names[1][0] = '\0';
    if (p->has_mac)
        text_format(names[1], BOOT_SOURCE_NAME, "%02x-%02x-%02x-%02x-%02x-%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
    plain_name(model, names[2]);
    text_format(names[3], BOOT_SOURCE_NAME, "default");
}
