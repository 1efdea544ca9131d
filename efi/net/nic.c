/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "efi/net/nic.h"

#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"
#include "efi/firmware/connect.h"
#include "efi/net/http.h"
#include "efi/firmware/status.h"

#define NICS    16u
#define POLL_US 1000u

#define IP4_CONFIG2_GUID BRACED(0x5b446ed1, 0xe30b, 0x4faa, { 0x87, 0x1a, 0x36, 0x54, 0xec, 0xa3, 0x60, 0x80 })

enum ip4_data { IP4_INTERFACE, IP4_POLICY };
enum ip4_policy { IP4_STATIC, IP4_DHCP };

struct ip4_interface { /* EFI_IP4_CONFIG2_INTERFACE_INFO */
    CHAR16 name[32];
    UINT8 if_type;
    UINT32 hw_address_size;
    EFI_MAC_ADDRESS hw_address;
    EFI_IPv4_ADDRESS station, subnet;
    UINT32 n_routes;
    VOID *routes;
};

struct ip4_config2 {
    EFI_STATUS(EFIAPI *set_data)(struct ip4_config2 *this, enum ip4_data type, UINTN size, VOID *data);
    EFI_STATUS(EFIAPI *get_data)(struct ip4_config2 *this, enum ip4_data type, UINTN *size, VOID *data);
};

struct nic {
    EFI_SIMPLE_NETWORK *snp;
    UINT32 filters, n_multicast;
    EFI_MAC_ADDRESS multicast[MAX_MCAST_FILTER_CNT];
    bool slow, off, had_link; /* off: shut down by nic_quiet(); had_link: before that */
};

static struct {
    struct nic nics[NICS];
    uint32_t n;
    bool quiet;
    struct ip4_config2 *configured; /* its policy was changed */
    enum ip4_policy policy;         /* as it was              */
} own;

static EFI_GUID snp_guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID, binding_guid = HTTP_SERVICE_BINDING_GUID,
                ip4_guid = IP4_CONFIG2_GUID;

/* --- silence --------------------------------------------------------------------------------------------------------- */

static struct nic *nic_of(EFI_SIMPLE_NETWORK *snp)
{
    for (uint32_t i = 0; i < own.n; i++)
        if (own.nics[i].snp == snp)
            return &own.nics[i];
    if (own.n == NICS)
        return NULL;
    own.nics[own.n] = (struct nic){ .snp = snp };
    return &own.nics[own.n++];
}

static void silence(struct nic *n)
{
    EFI_SIMPLE_NETWORK *snp = n->snp;
    EFI_SIMPLE_NETWORK_MODE *m = snp->Mode;

    n->filters = m->ReceiveFilterSetting;
    n->n_multicast = m->MCastFilterCount < MAX_MCAST_FILTER_CNT ? m->MCastFilterCount : MAX_MCAST_FILTER_CNT;
    memcpy(n->multicast, m->MCastFilter, sizeof n->multicast);
    if (n->slow) {
        (void)snp->ReceiveFilters(snp, 0, m->ReceiveFilterMask, TRUE, 0, NULL);
        return;
    }
    n->had_link = m->MediaPresent;
    n->off = !EFI_ERROR(snp->Shutdown(snp));
    if (n->off)
        (void)snp->Stop(snp);
}

void nic_quiet(EFI_BOOT_SERVICES *bs)
{
    EFI_SIMPLE_NETWORK *snp;
    EFI_HANDLE *handles;
    UINTN n = 0;

    if (own.quiet || EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &snp_guid, NULL, &n, &handles)))
        return;
    for (uint32_t i = 0; i < own.n; i++)
        if (!own.nics[i].off) /* else it did not come up, and is tried again */
            own.nics[i].filters = 0;
    for (UINTN i = 0; i < n; i++) {
        struct nic *nic;

        /* One instance may stand on several handles, as that of EDK2's PXE driver does. */
        if (EFI_ERROR(bs->HandleProtocol(handles[i], &snp_guid, (void **)&snp)) ||
            snp->Mode->State != EfiSimpleNetworkInitialized || snp->Mode->ReceiveFilterSetting == 0)
            continue;
        nic = nic_of(snp);
        if (nic)
            silence(nic);
    }
    (void)bs->FreePool(handles);
    own.quiet = true;
}

static void wait_for_link(EFI_BOOT_SERVICES *bs, struct nic *n)
{
    EFI_SIMPLE_NETWORK_MODE *m = n->snp->Mode;
    UINT32 interrupts;

    for (uint32_t ms = 0; m->MediaPresentSupported && !m->MediaPresent && ms < NIC_LINK_MS; ms++) {
        (void)n->snp->GetStatus(n->snp, &interrupts, NULL);
        if (!m->MediaPresent)
            (void)bs->Stall(POLL_US);
        n->slow = n->slow || ms >= NIC_SLOW_MS;
    }
}

static bool came_up(EFI_SIMPLE_NETWORK *snp)
{
    return !(snp->Mode->State == EfiSimpleNetworkStopped && EFI_ERROR(snp->Start(snp))) &&
           !EFI_ERROR(snp->Initialize(snp, 0, 0));
}

void nic_wake(EFI_BOOT_SERVICES *bs)
{
    EACH(struct nic, n, own.nics, own.n) {
        EFI_SIMPLE_NETWORK *snp = n->snp;

        if (n->filters == 0 || (!own.quiet && !n->off) || (n->off && !came_up(snp)))
            continue;
        (void)snp->ReceiveFilters(snp, n->filters, 0, n->n_multicast == 0, n->n_multicast,
                                  n->n_multicast ? n->multicast : NULL);
        if (n->off && n->had_link)
            wait_for_link(bs, n);
        n->off = false;
    }
    own.quiet = false;
}

bool nic_is_quiet(void)
{
    return own.quiet;
}

void nic_describe(char *out, size_t size)
{
    uint32_t slow = SUM_OF(uint32_t, i, own.n, own.nics[i].slow);

    out[0] = '\0';
    if (own.n > 0)
        text_format(out, size, "network interfaces: %u shut down, %u without reception while checks run", own.n - slow,
                    slow);
}

/* --- which one ------------------------------------------------------------------------------------------------------- */

bool nic_without_link(EFI_BOOT_SERVICES *bs, EFI_HANDLE nic)
{
    EFI_SIMPLE_NETWORK *snp;
    UINT32 interrupts;

    if (!nic || EFI_ERROR(bs->HandleProtocol(nic, &snp_guid, (void **)&snp)) || !snp->Mode->MediaPresentSupported)
        return false;
    if (snp->Mode->State == EfiSimpleNetworkInitialized)
        (void)snp->GetStatus(snp, &interrupts, NULL);
    return !snp->Mode->MediaPresent;
}

static EFI_HANDLE best_of_them(EFI_BOOT_SERVICES *bs)
{
    EFI_HANDLE *handles, best = NULL;
    UINTN n = 0;

    if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &binding_guid, NULL, &n, &handles)))
        return NULL;
    for (UINTN i = n; i-- > 0;)
        if (!best || !nic_without_link(bs, handles[i]))
            best = handles[i];
    (void)bs->FreePool(handles);
    return best;
}

EFI_HANDLE nic_with_http(EFI_BOOT_SERVICES *bs)
{
    EFI_HANDLE found = best_of_them(bs);

    if (found)
        return found;
    connect_all(bs);
    return best_of_them(bs);
}

/* --- address --------------------------------------------------------------------------------------------------------- */

static bool has_address(struct ip4_config2 *ip)
{
    static union {
        struct ip4_interface interface;
        char space[8192]; /* with routes after it */
    } u;
    UINTN size = sizeof u;

    return !EFI_ERROR(ip->get_data(ip, IP4_INTERFACE, &size, &u)) &&
           (u.interface.station.Addr[0] | u.interface.station.Addr[1] | u.interface.station.Addr[2] |
            u.interface.station.Addr[3]) != 0;
}

enum status nic_address(EFI_BOOT_SERVICES *bs, EFI_HANDLE nic)
{
    struct ip4_config2 *ip;
    enum ip4_policy policy, dhcp = IP4_DHCP;
    UINTN size = sizeof policy;

    if (EFI_ERROR(bs->HandleProtocol(nic, &ip4_guid, (void **)&ip)))
        return ST_UNSUPPORTED;
    if (has_address(ip))
        return ST_OK;
    if (EFI_ERROR(ip->get_data(ip, IP4_POLICY, &size, &policy)))
        return ST_UNSUPPORTED;
    if (policy != IP4_DHCP) {
        EFI_STATUS s = ip->set_data(ip, IP4_POLICY, sizeof dhcp, &dhcp);

        if (EFI_ERROR(s))
            return status_from_efi(s);
        own.configured = ip;
        own.policy = policy;
    }
    for (uint32_t ms = 0; ms < NIC_DHCP_MS; ms++) {
        if (has_address(ip))
            return ST_OK;
        (void)bs->Stall(POLL_US);
    }
    return ST_TIMEOUT;
}

void nic_end(EFI_BOOT_SERVICES *bs)
{
    nic_wake(bs);
    if (own.configured)
        (void)own.configured->set_data(own.configured, IP4_POLICY, sizeof own.policy, &own.policy);
    own.configured = NULL;
}
