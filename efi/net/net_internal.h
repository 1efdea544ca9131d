/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/net/net_internal.h: what the transports of efi/net/net.c share. */
#pragma once
#include "core/base/heap.h"
#include "efi/net/net.h"

struct net {
    EFI_BOOT_SERVICES *bs;
    EFI_HANDLE nic;                          /* with HTTP's service binding; NULL: there is none */
    struct _EFI_PXE_BASE_CODE_PROTOCOL *pxe; /* NULL: the image was not booted by it             */
    struct boot_source place;
    uint64_t bytes;
    const char *token; /* of the server that reports go to; NULL: none */
    char why[96];      /* more on the last failure than its status says */
};

/* As net_read(). */
MUST_CHECK enum status net_read_http(struct net *n, const char *url, size_t most, char **text, size_t *length);
/* As net_write(); the connection stays for the next one, until net_close_http(). */
MUST_CHECK enum status net_write_http(struct net *n, const char *url, const void *bytes, size_t length, uint32_t *code);
void net_close_http(void);
