/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/net/http.h: EFI_HTTP_PROTOCOL and the service binding that makes its instances. Source: UEFI 2.10, 29.6 and 11.6. */
#pragma once
#include <efi.h>

#include "core/base/braced.h"

#define EFI_HTTP_ERROR EFIERR(35) /* appendix D: the response says what it is */

#define HTTP_SERVICE_BINDING_GUID BRACED(0xbdc8e6af, 0xd9bc, 0x4379, { 0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c })
#define HTTP_PROTOCOL_GUID        BRACED(0x7a59b29b, 0x910b, 0x4171, { 0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b })

struct service_binding {
    EFI_STATUS(EFIAPI *create_child)(struct service_binding *this, EFI_HANDLE *child);
    EFI_STATUS(EFIAPI *destroy_child)(struct service_binding *this, EFI_HANDLE child);
};

struct http_v4_access_point {
    BOOLEAN use_default_address;
    EFI_IPv4_ADDRESS local_address, local_subnet;
    UINT16 local_port;
};

struct http_v6_access_point {
    EFI_IPv6_ADDRESS local_address;
    UINT16 local_port;
};

enum http_version { HTTP_VERSION_10, HTTP_VERSION_11 };

struct http_config {
    enum http_version version;
    UINT32 timeout_ms; /* 0: firmware's own */
    BOOLEAN is_ipv6;
    union {
        struct http_v4_access_point *v4;
        struct http_v6_access_point *v6;
    } access_point;
};

enum http_method { HTTP_GET = 0, HTTP_HEAD = 5, HTTP_PUT = 6 };
/* EFI_HTTP_STATUS_CODE counts the statuses of RFC 2616 6.1.1 from 1 on. */
enum http_status {
    HTTP_STATUS_CONTINUE = 1,
    HTTP_STATUS_OK = 3,
    HTTP_STATUS_CREATED = 4,
    HTTP_STATUS_PARTIAL = 9,           /* 206: 200 to 206 stand in a row  */
    HTTP_STATUS_MULTIPLE_CHOICES = 10, /* 300 to 305, then 307            */
    HTTP_STATUS_USE_PROXY = 15,
    HTTP_STATUS_TEMPORARY_REDIRECT = 16,
    HTTP_STATUS_BAD_REQUEST = 17, /* 400 to 417 */
    HTTP_STATUS_UNAUTHORIZED = 18,
    HTTP_STATUS_FORBIDDEN = 20,
    HTTP_STATUS_NOT_FOUND = 21,
    HTTP_STATUS_EXPECTATION_FAILED = 34,
    HTTP_STATUS_SERVER_ERROR = 35, /* 500 to 505 */
    HTTP_STATUS_VERSION = 40,
    HTTP_STATUS_PERMANENT_REDIRECT = 41 /* UEFI 2.9 */
};

struct http_request {
    enum http_method method;
    CHAR16 *url;
};

struct http_response {
    enum http_status status;
};

struct http_header {
    CHAR8 *name, *value;
};

struct http_message {
    union {
        struct http_request *request;
        struct http_response *response;
    } data;
    UINTN n_headers;
    struct http_header *headers;
    UINTN body_length;
    VOID *body;
};

struct http_token {
    EFI_EVENT event;
    EFI_STATUS status;
    struct http_message *message;
};

struct http {
    EFI_STATUS(EFIAPI *get_mode_data)(struct http *this, struct http_config *config);
    EFI_STATUS(EFIAPI *configure)(struct http *this, struct http_config *config);
    EFI_STATUS(EFIAPI *request)(struct http *this, struct http_token *token);
    EFI_STATUS(EFIAPI *cancel)(struct http *this, struct http_token *token);
    EFI_STATUS(EFIAPI *response)(struct http *this, struct http_token *token);
    EFI_STATUS(EFIAPI *poll)(struct http *this);
};
