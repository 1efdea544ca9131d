/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fuzz target: what a network gives. The first byte says what the rest is: a DHCPv4 packet, a DHCPv6 packet, a device path, or a URL
 * and, after a NUL, the name of a file beside it. Nothing but printable text of bounded length comes out, and a folder is a URL. */
#include <stdlib.h>
#include <string.h>

#include "core/net/boot_source.h"
#include "tests/fuzz/fuzz.h"

enum input { DHCP4, DHCP6, PATH, URL };

static void must_be_url(const char *url)
{
    char host[BOOT_SOURCE_URL];
    uint8_t address[16];
    const char *file;
    uint16_t port;

    if (url_split(url, host, &port, &file) != ST_OK)
        return;
    MUST(url_scheme(url) != URL_NONE && host[0] && strlen(host) < BOOT_SOURCE_URL);
    MUST(file > url && file <= url + strlen(url));
    (void)url_ipv4(host, address);
    (void)url_ipv6(host, address);
}

static void must_be_place(const struct boot_source *p, enum status st)
{
    static const char longest[] =
        "\\assay\\0123456789012345678901234567890123456789012345678901234567890123456789012345678";
    char url[BOOT_SOURCE_URL], host[BOOT_SOURCE_URL];
    const char *file;
    uint16_t port;

    MUST(st == ST_OK || st == ST_ABSENT || st == ST_CORRUPT);
    MUST(st != ST_OK || p->folder[0]);
    if (p->folder[0] == '\0')
        return;
    MUST(p->folder[must_be_text(p->folder, sizeof p->folder) - 1] == '/');
    MUST(url_split(p->folder, host, &port, &file) == ST_OK);
    if (boot_source_file(p, longest, url) == ST_OK)
        MUST(must_be_text(url, sizeof url) == strlen(p->folder) + strlen(longest) - 1);
}

static void must_be_names(const struct boot_source *p, const char *text)
{
    char names[BOOT_SOURCE_NAMES][BOOT_SOURCE_NAME];

    boot_source_names(p, text, text, names);
    for (uint32_t i = 0; i < BOOT_SOURCE_NAMES; i++) {
        must_be_text(names[i], BOOT_SOURCE_NAME);
        MUST(strpbrk(names[i], "/\\.:?%") == NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct boot_source p = { 0 };
    enum status st = ST_ABSENT;
    char *text, url[BOOT_SOURCE_URL];

    if (size == 0)
        return 0;
    switch ((enum input)(data[0] & 3)) {
    case DHCP4:
        st = boot_source_of_dhcp4(data + 1, size - 1, &p);
        break;
    case DHCP6:
        st = boot_source_of_dhcp6(data + 1, size - 1, &p);
        break;
    case PATH:
        st = boot_source_of_path(data + 1, size - 1, &p);
        break;
    case URL:
        text = strndup((const char *)data + 1, size - 1);
        MUST(text != NULL);
        must_be_url(text);
        must_be_names(&p, text);
        strcpy(p.folder, "tftp://h/");
        if (boot_source_file(&p, text, url) == ST_OK)
            MUST(strchr(url, '\\') == NULL);
        free(text);
        break;
    }
    must_be_place(&p, st);
    return 0;
}
