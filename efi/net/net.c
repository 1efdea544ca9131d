/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/net/net_internal.h"

#include <string.h>

#include "core/base/text.h"
#include "efi/console/console.h"
#include "efi/net/http.h"
#include "efi/net/nic.h"
#include "efi/firmware/status.h"

static struct net net;

/* --- where the image came from ---------------------------------------------------------------------------------------- */

/* The packet that named the boot file: of the boot server, of the proxy, or of DHCP. */
static enum status place_of_packets(EFI_PXE_BASE_CODE_MODE *m, struct boot_source *p)
{
    const struct {
        bool received;
        const EFI_PXE_BASE_CODE_PACKET *packet;
    } packets[] = { { m->PxeReplyReceived, &m->PxeReply },
                    { m->ProxyOfferReceived, &m->ProxyOffer },
                    { m->DhcpAckReceived, &m->DhcpAck } };

    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        const EFI_PXE_BASE_CODE_PACKET *k = packets[i].packet;
        enum status s = ST_ABSENT;

        if (packets[i].received)
            s = m->UsingIpv6 ? boot_source_of_dhcp6(k->Raw, sizeof k->Raw, p)
                             : boot_source_of_dhcp4(k->Raw, sizeof k->Raw, p);
        if (s == ST_OK)
            return s;
    }
    return ST_ABSENT;
}

static size_t path_size(const EFI_DEVICE_PATH *path)
{
    const uint8_t *at = (const uint8_t *)path;

    while ((at[0] & 0x7F) != 0x7F) {
        size_t length = at[2] | (size_t)at[3] << 8;

        if (length < 4)
            break;
        at += length;
    }
    return (size_t)(at - (const uint8_t *)path);
}

/* After a PXE boot the device path has no addresses in most firmware, and EFI_PXE_BASE_CODE has them. */
static void take_station(const EFI_PXE_BASE_CODE_MODE *m, struct boot_source *p)
{
    if (p->has_address)
        return;
    p->has_address = true;
    p->ipv6 = m->UsingIpv6;
    memcpy(p->address, &m->StationIp, p->ipv6 ? 16 : 4);
    memcpy(p->mask, &m->SubnetMask, sizeof p->mask);
}

const struct boot_source *net_begin(EFI_SYSTEM_TABLE *st, EFI_HANDLE image)
{
    static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID, path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID,
                    pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID, binding_guid = HTTP_SERVICE_BINDING_GUID;
    EFI_BOOT_SERVICES *bs = st->BootServices;
    EFI_LOADED_IMAGE *loaded;
    EFI_DEVICE_PATH *path;
    enum status s = ST_ABSENT;

    net.bs = bs;
    if (EFI_ERROR(bs->HandleProtocol(image, &loaded_image_guid, (void **)&loaded)) || !loaded->DeviceHandle)
        return NULL;
    if (!EFI_ERROR(bs->HandleProtocol(loaded->DeviceHandle, &path_guid, (void **)&path))) {
        s = boot_source_of_path((const uint8_t *)path, path_size(path), &net.place);
        if (EFI_ERROR(bs->LocateDevicePath(&binding_guid, &path, &net.nic)))
            net.nic = NULL;
    }
    if (EFI_ERROR(bs->HandleProtocol(loaded->DeviceHandle, &pxe_guid, (void **)&net.pxe)) || !net.pxe->Mode->Started)
        net.pxe = NULL;
    if (net.pxe)
        take_station(net.pxe->Mode, &net.place);
    if (s != ST_OK && net.pxe)
        s = place_of_packets(net.pxe->Mode, &net.place);
    return s == ST_OK ? &net.place : NULL;
}

/* --- tftp ---------------------------------------------------------------------------------------------------------------- */

/* EDK2 keeps the first of the code's two bytes, which is always 0 (PxeBcMtftp4CheckPacket() in NetworkPkg/UefiPxeBcDxe casts what is in
 * network order): what the server says in words has to tell then. */
static enum status status_of_tftp_error(const EFI_PXE_BASE_CODE_TFTP_ERROR *e)
{
    enum { NOT_DEFINED, FILE_NOT_FOUND, ACCESS_VIOLATION }; /* RFC 1350 appendix */
    char said[sizeof e->ErrorString + 1];

    text_format(said, sizeof said, "%.*s", (int)sizeof e->ErrorString, (const char *)e->ErrorString);
    if (e->ErrorCode == FILE_NOT_FOUND || (e->ErrorCode == NOT_DEFINED && text_find(said, "not found")))
        return ST_ABSENT;
    console_say("assay: the TFTP server says: error %u, %s", e->ErrorCode, said);
    return e->ErrorCode == ACCESS_VIOLATION ? ST_READ_ONLY : ST_IO;
}

static enum status status_of_tftp(EFI_STATUS s)
{
    if (s == EFI_TFTP_ERROR && net.pxe->Mode->TftpErrorReceived)
        return status_of_tftp_error(&net.pxe->Mode->TftpError);
    if (s == EFI_TFTP_ERROR)
        console_say("assay: the TFTP server answers with an error that firmware does not pass on");
    if (s == EFI_NO_RESPONSE)
        return ST_TIMEOUT;
    return s == EFI_BUFFER_TOO_SMALL ? ST_RANGE : status_from_efi(s);
}

static enum status server_address(const char *host, EFI_IP_ADDRESS *server)
{
    uint8_t address[16];

    memset(server, 0, sizeof *server);
    if (!(net.pxe->Mode->UsingIpv6 ? url_ipv6(host, address) : url_ipv4(host, address)))
        return ST_RANGE;
    memcpy(server, address, net.pxe->Mode->UsingIpv6 ? 16 : 4);
    return ST_OK;
}

/* iPXE's base code reads files and does nothing else: it says neither how long one is nor how much it read (efi_pxe_mtftp() in its
 * interface/efi/efi_pxe.c). What is read is text, which has no NUL. */
static enum status read_tftp(const char *url, size_t most, char **text, size_t *length)
{
    char host[BOOT_SOURCE_URL];
    const char *file;
    EFI_IP_ADDRESS server;
    uint16_t port;
    UINT64 size = 0;
    bool unsized;
    char *bytes;
    enum status s;

    if (!net.pxe)
        return ST_UNSUPPORTED;
    TRY(url_split(url, host, &port, &file));
    TRY(port != 0 && port != 69 ? ST_RANGE : server_address(host, &server));
    s = status_of_tftp(net.pxe->Mtftp(net.pxe, EFI_PXE_BASE_CODE_TFTP_GET_FILE_SIZE, NULL, FALSE, &size, NULL, &server,
                                      (UINT8 *)(uintptr_t)file, NULL, FALSE));
    unsized = s == ST_UNSUPPORTED;
    if (unsized) {
        size = most;
        s = ST_OK;
    }
    if (s == ST_OK && size > most)
        s = ST_RANGE;
    TRY(s);
    TRY_HEAP(bytes, size + 1);
    memset(bytes, 0, size + 1);
    if (size > 0)
        s = status_of_tftp(net.pxe->Mtftp(net.pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, bytes, FALSE, &size, NULL, &server,
                                          (UINT8 *)(uintptr_t)file, NULL, FALSE));
    if (s != ST_OK) {
        heap_free(bytes);
        return s;
    }
    *text = bytes;
    *length = unsized ? strlen(bytes) : size;
    return ST_OK;
}

/* Where one of that name is there, it is written over: the name has the time in it. */
static enum status write_tftp(const char *url, const void *bytes, size_t length)
{
    char host[BOOT_SOURCE_URL];
    const char *file;
    EFI_IP_ADDRESS server;
    uint16_t port;
    UINT64 size = length;
    if (!net.pxe)
        return ST_UNSUPPORTED;
    TRY(url_split(url, host, &port, &file));
    TRY(port != 0 && port != 69 ? ST_RANGE : server_address(host, &server));
    return status_of_tftp(net.pxe->Mtftp(net.pxe, EFI_PXE_BASE_CODE_TFTP_WRITE_FILE, (VOID *)(uintptr_t)bytes, TRUE,
                                         &size, NULL, &server, (UINT8 *)(uintptr_t)file, NULL, FALSE));
}

/* --- both -------------------------------------------------------------------------------------------------------------- */

enum status net_read(const char *url, size_t most, char **text, size_t *length)
{
    enum url_scheme scheme = url_scheme(url);
    bool quiet = nic_is_quiet();
    enum status s;

    net.why[0] = '\0';
    if (quiet)
        net_wake();
    if (!net.nic && (scheme == URL_HTTP || scheme == URL_HTTPS))
        net.nic = nic_with_http(net.bs);
    s = scheme == URL_NONE   ? ST_RANGE
        : scheme == URL_TFTP ? read_tftp(url, most, text, length)
                             : net_read_http(&net, url, most, text, length);
    net_close_http();
    if (quiet)
        net_quiet();
    if (s == ST_OK)
        net.bytes += *length;
    return s;
}

enum status net_prepare(const char *url, const char *token)
{
    net.token = token[0] ? token : NULL;
    if (url_scheme(url) == URL_TFTP)
        return net.pxe ? ST_OK : ST_ABSENT;
    if (!net.nic)
        net.nic = nic_with_http(net.bs);
    return net.nic ? ST_OK : ST_ABSENT;
}

enum status net_write(const char *url, const void *bytes, size_t length, uint32_t *code)
{
    *code = 0;
    net.why[0] = '\0';
    if (!net_works())
        return ST_NOT_RUN;
    if (nic_without_link(net.bs, net.nic)) {
        text_format(net.why, sizeof net.why, "the network interface has no link");
        return ST_ABSENT;
    }
    return url_scheme(url) == URL_TFTP ? write_tftp(url, bytes, length)
                                       : net_write_http(&net, url, bytes, length, code);
}

const char *net_why(void)
{
    return net.why;
}

bool net_works(void)
{
    EFI_TPL tpl = net.bs->RaiseTPL(TPL_HIGH_LEVEL);

    net.bs->RestoreTPL(tpl);
    return tpl == TPL_APPLICATION;
}

void net_quiet(void)
{
    net_close_http();
    nic_quiet(net.bs);
}

void net_wake(void)
{
    nic_wake(net.bs);
}

void net_end(void)
{
    if (!net.bs)
        return;
    net_close_http();
    nic_end(net.bs);
}

uint64_t net_bytes(void)
{
    return net.bytes;
}
