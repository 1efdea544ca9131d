/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/net_internal.h: what the transports of efi/net.c share. */
#pragma once
#include "core/base/heap.h"
#include "efi/net.h"

struct net {
    EFI_BOOT_SERVICES *bs;
    EFI_HANDLE nic;                          /* with HTTP's service binding; NULL: there is none */
    struct _EFI_PXE_BASE_CODE_PROTOCOL *pxe; /* NULL: the image was not booted by it             */
    struct place place;
    uint64_t bytes;
};

/* As net_read(). */
MUST_CHECK enum status net_read_http(const struct net *n, const char *url, size_t most, char **text, size_t *length);
