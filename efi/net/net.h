/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* efi/net/net.h: files on a network server, by firmware's own protocols.
 *
 * One interface for every transport: a file is a URL (core/net/boot_source.h). tftp goes through the EFI_PXE_BASE_CODE_PROTOCOL that the
 * image was booted by, IPv4 or IPv6, with its station address; the server is an address. http and https go through
 * an instance of EFI_HTTP_PROTOCOL on the NIC that the image came from, with the station address of the image's device path or of
 * EFI_PXE_BASE_CODE_PROTOCOL, else the one that firmware has; firmware resolves names and does TLS, with the certificates that its own set-up enrolled. Every wait is
 * bounded: firmware tries TFTP again by itself (EDK2: 6 times, 4 s each), HTTP gets NET_SECONDS without progress. Nothing runs
 * after a call that has returned. For the boot processor, outside of measurements: a NIC writes memory.
 */
#pragma once
#include <efi.h>

#include "core/net/boot_source.h"

#define NET_SECONDS 20u

/* Where the image came from; NULL: not from a network that can be read from. Called once, before the others. */
const struct boot_source *net_begin(EFI_SYSTEM_TABLE *st, EFI_HANDLE image);
/* The whole file, NUL-terminated, to be freed with heap_free(). ST_ABSENT: the server has no such file. ST_READ_ONLY: it refuses (TFTP
 * error 2; HTTP 401, 403). ST_RANGE: more than `most` bytes, or no such URL. ST_TIMEOUT: no answer. ST_UNSUPPORTED: this firmware has no
 * such protocol, or the server does not say how long the file is. ST_IO: any other failure. */
MUST_CHECK enum status net_read(const char *url, size_t most, char **text, size_t *length);
/* Bytes of files that were read in all. */
uint64_t net_bytes(void);

/* Reports go to servers from now on, with this token in `Authorization: Bearer` where they speak HTTP ("": none). Finds an interface where
 * the image did not come from a network. ST_ABSENT: there is none with such a protocol. token must outlive the run. */
MUST_CHECK enum status net_prepare(const char *url, const char *token);
/* A whole file, tried once. *code: of the HTTP answer, 0: there was none, or it is one that firmware has no name for. ST_OK: there was an answer,
 * whatever it says; or tftp has taken the file. ST_TIMEOUT: no answer, or no progress in time. ST_ABSENT: no link. ST_UNSUPPORTED: this
 * firmware has no such protocol. ST_NOT_RUN: firmware's network cannot work now (its timers do not run inside the work). ST_IO: the
 * connection was refused or interrupted, or TLS has not accepted the server. */
MUST_CHECK enum status net_write(const char *url, const void *bytes, size_t length, uint32_t *code);
/* What firmware said of the last failure; "": nothing that the status does not say. */
const char *net_why(void);
/* Whether net_write() could do anything now: the timers of firmware's protocols take TPL_APPLICATION, which a run inside a
 * notification does not have. */
bool net_works(void);
/* Interfaces are silent, and are there again: efi/net/nic.h. */
void net_quiet(void);
void net_wake(void);
/* Everything as net_begin() found it. */
void net_end(void);
