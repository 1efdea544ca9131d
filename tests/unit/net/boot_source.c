/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where an image came from, out of packets and device paths as RFC 2131, RFC 8415 and UEFI 2.10 10.3.4 have them. */
#include "core/net/boot_source.h"

#include <criterion/criterion.h>
#include <string.h>

struct packet {
    uint8_t bytes[548];
    size_t n;
};

static void add_option(struct packet *k, uint8_t code, const void *value, size_t length)
{
    k->bytes[k->n++] = code;
    k->bytes[k->n++] = (uint8_t)length;
    memcpy(k->bytes + k->n, value, length);
    k->n += length;
}

static struct packet dhcp4(const char *file)
{
    static const uint8_t server[] = { 10, 0, 2, 2 }, cookie[] = { 0x63, 0x82, 0x53, 0x63 };
    struct packet k = { .n = 240 };

    memcpy(k.bytes + 20, server, sizeof server);
    memcpy(k.bytes + 108, file, strlen(file));
    memcpy(k.bytes + 236, cookie, sizeof cookie);
    add_option(&k, 53, "\5", 1);
    return k;
}

static void expect_folder(struct packet *k, const char *want)
{
    struct boot_source p = { 0 };

    k->bytes[k->n] = 255;
    cr_expect_eq(boot_source_of_dhcp4(k->bytes, sizeof k->bytes, &p), ST_OK);
    cr_expect_str_eq(p.folder, want);
}

Test(dhcp4, says_server_and_file)
{
    struct packet k = dhcp4("assay.efi");
    struct packet deep = dhcp4("/srv/tftp/x64/assay.efi");

    expect_folder(&k, "tftp://10.0.2.2/");
    expect_folder(&deep, "tftp://10.0.2.2//srv/tftp/x64/");
}

Test(dhcp4, options_win_over_fields)
{
    struct packet k = dhcp4("other/one.efi");

    add_option(&k, 66, "192.168.7.9", 11);
    add_option(&k, 67, "boot/assay.efi", 15); /* with the NUL that some servers send */
    expect_folder(&k, "tftp://192.168.7.9/boot/");
}

Test(dhcp4, a_server_name_is_no_address)
{
    struct packet k = dhcp4("boot/assay.efi");

    add_option(&k, 66, "lab-server", 10);
    expect_folder(&k, "tftp://10.0.2.2/boot/");
}

Test(dhcp4, falls_back_to_the_server_identifier)
{
    struct packet k = dhcp4("assay.efi");

    memset(k.bytes + 20, 0, 4);
    add_option(&k, 54, "\x0A\x00\x02\x63", 4);
    expect_folder(&k, "tftp://10.0.2.99/");
}

Test(dhcp4, what_is_no_place_is_refused)
{
    struct packet overloaded = dhcp4("\x35\x01\x05"), none = dhcp4(""), odd = dhcp4("a b.efi"),
                  cut = dhcp4("assay.efi");
    struct boot_source p = { 0 };

    add_option(&overloaded, 52, "\1", 1);
    overloaded.bytes[overloaded.n] = 255;
    cr_expect_eq(boot_source_of_dhcp4(overloaded.bytes, sizeof overloaded.bytes, &p), ST_ABSENT);
    none.bytes[none.n] = odd.bytes[odd.n] = 255;
    cr_expect_eq(boot_source_of_dhcp4(none.bytes, sizeof none.bytes, &p), ST_ABSENT);
    cr_expect_eq(boot_source_of_dhcp4(odd.bytes, sizeof odd.bytes, &p), ST_CORRUPT);
    cut.bytes[cut.n] = 67;
    cut.bytes[cut.n + 1] = 40;
    cr_expect_eq(boot_source_of_dhcp4(cut.bytes, cut.n + 20, &p), ST_CORRUPT);
    cr_expect_eq(boot_source_of_dhcp4(cut.bytes, 200, &p), ST_CORRUPT);
    cut.bytes[236] = 0;
    cr_expect_eq(boot_source_of_dhcp4(cut.bytes, sizeof cut.bytes, &p), ST_CORRUPT);
    cr_expect_str_eq(p.folder, "");
}

Test(dhcp6, says_a_url)
{
    static const char url[] = "tftp://[fec0::2]/x64/assay.efi";
    uint8_t packet[200] = { 7, 1, 2, 3, 0, 2, 0, 2, 9, 9, 0, 59, 0, sizeof url - 1 };
    struct boot_source p = { 0 };

    memcpy(packet + 14, url, sizeof url - 1);
    cr_expect_eq(boot_source_of_dhcp6(packet, sizeof packet, &p), ST_OK);
    cr_expect_str_eq(p.folder, "tftp://[fec0::2]/x64/");
    cr_expect_eq(boot_source_of_dhcp6(packet, 30, &p), ST_CORRUPT);
    packet[11] = 58;
    cr_expect_eq(boot_source_of_dhcp6(packet, sizeof packet, &p), ST_ABSENT);
}

static size_t put_node(uint8_t *at, uint8_t type, uint8_t subtype, const void *data, size_t length)
{
    at[0] = type;
    at[1] = subtype;
    at[2] = (uint8_t)(length + 4);
    at[3] = (uint8_t)((length + 4) >> 8);
    memcpy(at + 4, data, length);
    return length + 4;
}

Test(device_path, has_mac_address_and_uri)
{
    static const char uri[] = "http://10.0.2.2:8080/boot/assay.efi?run=1/2";
    uint8_t path[200] = { 0 }, mac[33] = { 0x52, 0x54, 0, 0x12, 0x34, 0xAB }, ip[23] = { 10, 0, 2, 15, 10, 0, 2, 2 };
    struct boot_source p = { 0 };
    size_t n;

    mac[32] = 1;
    memcpy(ip + 19, "\xFF\xFF\xFF\x00", 4);
    n = put_node(path, 3, 11, mac, sizeof mac);
    n += put_node(path + n, 3, 12, ip, sizeof ip);
    n += put_node(path + n, 3, 24, uri, sizeof uri - 1);
    n += put_node(path + n, 0x7F, 0xFF, "", 0);
    cr_expect_eq(boot_source_of_path(path, n, &p), ST_OK);
    cr_expect_str_eq(p.folder, "http://10.0.2.2:8080/boot/");
    cr_expect(p.has_mac && p.has_address && !p.ipv6);
    cr_expect_arr_eq(p.mac, mac, 6);
    cr_expect_arr_eq(p.address, ip, 4);
    cr_expect_arr_eq(p.mask, ip + 19, 4);
    cr_expect_eq(boot_source_of_path(path, 90, &p), ST_CORRUPT);
}

Test(device_path, a_uri_may_end_with_a_nul)
{
    static const char uri[] = "http://192.0.2.10/boot/assay.efi";
    uint8_t path[64] = { 0 };
    struct boot_source p = { 0 };
    size_t n = put_node(path, 3, 24, uri, sizeof uri);

    n += put_node(path + n, 0x7F, 0xFF, "", 0);
    cr_expect_eq(boot_source_of_path(path, n, &p), ST_OK);
    cr_expect_str_eq(p.folder, "http://192.0.2.10/boot/");
}

Test(device_path, of_a_disk_is_no_place)
{
    uint8_t path[32];
    struct boot_source p = { 0 };
    size_t n = put_node(path, 4, 1, "disk", 4);

    n += put_node(path + n, 0x7F, 0xFF, "", 0);
    cr_expect_eq(boot_source_of_path(path, n, &p), ST_ABSENT);
    cr_expect_str_eq(p.folder, "");
    cr_expect_not(p.has_mac);
    path[2] = 3;
    cr_expect_eq(boot_source_of_path(path, n, &p), ST_CORRUPT);
}

Test(url, is_split)
{
    char host[BOOT_SOURCE_URL];
    const char *file;
    uint16_t port;

    cr_expect_eq(url_split("HTTP://[fe80::2]:81/a/b", host, &port, &file), ST_OK);
    cr_expect_str_eq(host, "fe80::2");
    cr_expect_eq(port, 81);
    cr_expect_str_eq(file, "a/b");
    cr_expect_eq(url_split("tftp://h//a", host, &port, &file), ST_OK);
    cr_expect_eq(port, 0);
    cr_expect_str_eq(file, "/a");
    cr_expect_eq(url_split("http://h:0/", host, &port, &file), ST_RANGE);
    cr_expect_eq(url_split("http://h:65536/", host, &port, &file), ST_RANGE);
    cr_expect_eq(url_split("http://[::1/", host, &port, &file), ST_RANGE);
    cr_expect_eq(url_split("http:///a", host, &port, &file), ST_RANGE);
    cr_expect_eq(url_split("fs0:\\a", host, &port, &file), ST_RANGE);
}

Test(url, addresses)
{
    static const uint8_t site[16] = { 0xFE, 0xC0, [15] = 2 }, loop[16] = { [15] = 1 },
                         all[16] = { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 };
    static const char *const wrong[] = {
        "", ":", ":1", "1:", "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "g::"
    };
    uint8_t a[16];

    cr_expect(url_ipv4("10.0.2.255", a) && memcmp(a, "\x0A\x00\x02\xFF", 4) == 0);
    cr_expect_not(url_ipv4("10.0.2", a));
    cr_expect_not(url_ipv4("10.0.2.256", a));
    cr_expect_not(url_ipv4("10.0.2.2.2", a));
    cr_expect(url_ipv6("fec0::2", a) && memcmp(a, site, 16) == 0);
    cr_expect(url_ipv6("::1", a) && memcmp(a, loop, 16) == 0);
    cr_expect(url_ipv6("1:2:3:4:5:6:7:8", a) && memcmp(a, all, 16) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(url_ipv6(wrong[i], a), "%s", wrong[i]);
}

Test(place, names_files_of_the_machine)
{
    const struct boot_source p = { .folder = "tftp://10.0.2.2/x64/",
                                   .has_mac = true,
                                   .mac = { 0x52, 0x54, 0, 0x12, 0x34, 0xAB } };
    char names[BOOT_SOURCE_NAMES][BOOT_SOURCE_NAME], url[BOOT_SOURCE_URL], longest[BOOT_SOURCE_URL];

    boot_source_names(&p, "CZ/34../12", "Standard PC (Q35)", names);
    cr_expect_str_eq(names[0], "CZ-34---12");
    cr_expect_str_eq(names[1], "52-54-00-12-34-ab");
    cr_expect_str_eq(names[2], "Standard-PC--Q35-");
    cr_expect_str_eq(names[3], "default");
    boot_source_names(&(struct boot_source){ 0 }, "", "", names);
    cr_expect(names[0][0] == '\0' && names[1][0] == '\0' && names[2][0] == '\0');
    cr_expect_eq(boot_source_file(&p, "\\assay\\a.cfg", url), ST_OK);
    cr_expect_str_eq(url, "tftp://10.0.2.2/x64/assay/a.cfg");
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    cr_expect_eq(boot_source_file(&p, longest, url), ST_RANGE);
}
