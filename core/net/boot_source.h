/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/net/boot_source.h: the folder on a network server that the image came from, and files beside the image.
 *
 * A place is the URL of a folder, "tftp://10.0.2.2/boot/" or "http://lab:8080/": the URL of the image without its file name. What
 * stands after the '/' that ends a tftp URL's host is the file name of the read request as the server takes it (RFC 3617 3.), so
 * that the boot file "/srv/assay.efi" gives "tftp://HOST//srv/". Firmware says where the image came from in one of two ways:
 * the packets of DHCP, which EFI_PXE_BASE_CODE_PROTOCOL.Mode keeps, after a PXE boot; a URI node of the image's device path
 * after an HTTP boot. Text that comes from a server is taken if it is printable ASCII, and is bounded.
 *
 * Options are read from the first file that is there:
 *     assay/SERIAL.cfg  assay/MAC.cfg  assay/MODEL.cfg  assay/default.cfg
 * SERIAL is the serial number as a report's folder has it, MAC is "52-54-00-12-34-56", MODEL is system-product-name; in both names
 * all but letters and digits become '-'. Bands have the same names, in assay/bands/, and end in .bands.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

#define BOOT_SOURCE_URL   256u
#define BOOT_SOURCE_NAMES 4u
#define BOOT_SOURCE_NAME  64u

struct boot_source {
    char folder[BOOT_SOURCE_URL]; /* ends in '/'; "": nowhere on a network */
    bool has_mac;
    uint8_t mac[6];
    bool has_address; /* the machine's own address in the device path, and the mask of an IPv4 one */
    bool ipv6;
    uint8_t address[16], mask[4];
};

/* An Ethernet, IPv4, IPv6 and URI node of a device path of `size` bytes; the URI without its last part is the folder.
 * ST_ABSENT: it has no URI of tftp, http or https; the addresses are taken all the same. ST_CORRUPT: a node is longer than what is left.
 * Source: UEFI 2.10, 10.3.4.11 to 10.3.4.13 and 10.3.4.23. */
MUST_CHECK enum status boot_source_of_path(const uint8_t *path, size_t size, struct boot_source *p);
/* A DHCPv4 packet of `size` bytes, from its op field on: the server is option 66 where that is an IPv4 address, else siaddr, else
 * option 54; the file is option 67, else the file field, where option 52 does not make that hold options. ST_ABSENT: one of them is
 * not there. ST_CORRUPT: no DHCP packet, or text that is not that of a URL. Source: RFC 2131 2., RFC 2132 9.3 to 9.7. */
MUST_CHECK enum status boot_source_of_dhcp4(const uint8_t *packet, size_t size, struct boot_source *p);
/* A DHCPv6 packet of `size` bytes, from its msg-type on: option 59. ST_ABSENT: it has none that is a URL of tftp. ST_CORRUPT.
 * Source: RFC 8415 8. and 21.1, RFC 5970 3.1. */
MUST_CHECK enum status boot_source_of_dhcp6(const uint8_t *packet, size_t size, struct boot_source *p);

/* What a URL's scheme is. */
enum url_scheme { URL_NONE, URL_TFTP, URL_HTTP, URL_HTTPS };
enum url_scheme url_scheme(const char *url);
/* Host of a URL, an IPv6 one without its brackets, the port (0: none is named) and the file, after the '/' that ends them, in url.
 * ST_RANGE: no URL with a host, or a host that does not fit. */
MUST_CHECK enum status url_split(const char *url, char host[BOOT_SOURCE_URL], uint16_t *port, const char **file);
/* "10.0.2.2" in network order. */
bool url_ipv4(const char *host, uint8_t address[4]);
/* "fe80::2" in network order. Source: RFC 4291 2.2, forms 1 and 2. */
bool url_ipv6(const char *host, uint8_t address[16]);
/* The URL of a file in the folder; '\' becomes '/', and one in front is dropped. ST_RANGE: too long. */
MUST_CHECK enum status boot_source_file(const struct boot_source *p, const char *path, char url[BOOT_SOURCE_URL]);

/* SERIAL, MAC, MODEL and "default" in that order, each without suffix; "" for one that the machine does not have. serial: "" where it has
 * none; model: "" likewise. */
void boot_source_names(const struct boot_source *p, const char *serial, const char *model,
                       char names[BOOT_SOURCE_NAMES][BOOT_SOURCE_NAME]);
